//! Lines of check lists that list nothing: on purpose, or because they are damaged.

use crate::{Directory, Outcome, failure, fewer, outcome, success, with_pipe};

/// Two files, and lists of them by these options.
fn listed(options: &[&str]) -> (Directory, Vec<String>) {
    let directory = Directory::new().file("h1", b"one").file("h2", b"two");
    let list = outcome(directory.bt2sum(options.iter().copied()).args(["h1", "h2"])).stdout;
    (directory, list.lines().map(str::to_owned).collect())
}

impl Directory {
    fn check(&self, list: &str, options: &[&str]) -> Outcome {
        std::fs::write(self.path("L"), list).unwrap();
        outcome(self.bt2sum(["-c", "L"]).args(options))
    }
}

const BOTH: &str = "h1: OK\nh2: OK\n";
const IMPROPER: &str = "bt2sum: WARNING: 1 line is improperly formatted\n";

/// As with b3sum: the first byte of a digest is no digit, or makes the line look like a comment.
#[test]
fn a_damaged_line_is_a_failure_with_its_number() {
    for (options, title) in
        [(&["-a", "blake3"][..], "BLAKE3"), (&["-a", "sha256"], "SHA256"), (&[], "BLAKE2b"), (&["--tag"], "BLAKE2b")]
    {
        let (directory, lines) = listed(options);
        let options: Vec<&str> = options.iter().copied().filter(|option| *option != "--tag").collect();
        for (number, byte) in [(1, "g"), (1, "#"), (2, "#"), (2, "\u{16}"), (1, "\u{0}")] {
            let mut damaged = lines.clone();
            damaged[number - 1].replace_range(..1, byte);
            let list = damaged.join("\n") + "\n";
            let left = format!("h{}: OK\n", 3 - number);
            let told = format!("bt2sum: L: {number}: improperly formatted {title} checksum line\n{IMPROPER}");
            assert_eq!(directory.check(&list, &options), failure(&left, &told), "{list}");
            assert_eq!(directory.check(&list, &[&options[..], &["--quiet"]].concat()), failure("", &told), "{list}");
            assert_eq!(directory.check(&list, &[&options[..], &["--status"]].concat()), failure("", ""), "{list}");
            // From a pipe, and with the line ends of other systems.
            let list = list.replace('\n', "\r\n");
            let run = with_pipe(directory.bt2sum(["-c"]).args(&options), core::iter::once(list.as_bytes()));
            assert_eq!(run, failure(&left, told.replace("L: ", "'standard input': ")), "{list}");
        }
    }
}

/// With `--sequential`, lines that cannot be read are only counted.
#[test]
fn a_damaged_line_with_the_rules_of_coreutils() {
    let (directory, lines) = listed(&["--sequential"]);
    for (byte, stderr) in [("g", IMPROPER), ("#", "")] {
        let list = format!("{byte}{}\n{}\n", &lines[0][1..], lines[1]);
        let run = directory.check(&list, &["--sequential"]);
        assert_eq!(run, Outcome { stderr: stderr.to_owned(), ..success("h2: OK\n") });
    }
}

/// Comments and empty lines. A name may begin as a comment does.
#[test]
fn lines_that_list_nothing_on_purpose() {
    let (directory, lines) = listed(&[]);
    let directory = directory.file("#x", b"three").file("# y", b"four");
    for options in [&[][..], &["--tag"], &["-a", "blake3"], &["--sequential"]] {
        let list = outcome(directory.bt2sum(options.iter().copied()).args(["#x", "# y"])).stdout;
        let list = format!("# {list}#\n\n{list}\r\n#\r\n# #\r\n");
        let options: Vec<&str> = options.iter().copied().filter(|option| *option != "--tag").collect();
        assert_eq!(
            directory.check(&list, &[&options[..], &["--strict"]].concat()),
            success("# y: OK\n#x: OK\n# y: OK\n")
        );
    }
    let list = |between: &str| format!("{}\n{between}\n{}\n", lines[0], lines[1]);
    for between in ["", "#", "# a", "# BLAKE2b-64 (h1) = 00", "\n\n"] {
        assert_eq!(directory.check(&list(between), &[]), success(BOTH), "{between:?}");
    }
    for between in ["#a", "##", " #", " # a", " ", "\t", "\r\r", ";", "//", "\u{0}"] {
        let told = format!("bt2sum: L: 2: improperly formatted BLAKE2b checksum line\n{IMPROPER}");
        assert_eq!(directory.check(&list(between), &[]), failure(BOTH, told), "{between:?}");
    }
    // A list of --zero is one line.
    let zero = outcome(&mut directory.bt2sum(["-z", "h1", "h2"])).stdout;
    assert_eq!(directory.check(&zero, &[]).code, Some(1));
    assert_eq!(directory.check(&format!("{}{zero}", list("")), &[]).code, Some(1));
}

/// A list that gpg signed, as a whole and in parts.
#[test]
fn signed_lists() {
    const HEAD: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n";
    const TAIL: &str = "-----BEGIN PGP SIGNATURE-----\n\niHUEARYKAB0WIQ\n=AbCd\n-----END PGP SIGNATURE-----\n";
    for options in [&[][..], &["-a", "blake3"]] {
        let (directory, lines) = listed(options);
        let text = format!("# two files\n{}\n- {}\n", lines[0], lines[1]);
        let whole = format!("{HEAD}{text}{TAIL}");
        let check = |list: &str| directory.check(list, options);
        assert_eq!(check(&whole), success(BOTH));
        assert_eq!(check(&whole.replace('\n', "\r\n")), success(BOTH));
        assert_eq!(check(whole.trim_end()), success(BOTH));
        assert_eq!(check(&format!("{whole}\n{whole}")), success(BOTH.repeat(2)));
        for (list, number) in [
            (format!("{text}{TAIL}"), 4),
            (format!("{HEAD}{text}"), 1),
            (HEAD.to_owned() + &lines[0], 1),
            (format!("{HEAD}{text}{}", TAIL.split_once("\n-----END").unwrap().0), 7),
            (format!("{HEAD}{text}{}{whole}", TAIL.split_once("-----END").unwrap().0), 11),
            (whole.replacen("512\n\n", "512\n", 1), 3),
            (whole.replacen("Hash", "Hasi", 1), 2),
            (whole.replacen("BEGIN PGP SIGNED", "BEGIN PGP SIGNEE", 1), 1),
            (whole.replacen("BEGIN PGP SIGNATURE", "BEGIN PGP SIGNATURD", 1), 7),
            (whole.replacen("END PGP", "EOD PGP", 1), 11),
        ] {
            let run = check(&list);
            assert_eq!(run.code, Some(1), "{list}: {run:?}");
            assert!(run.stderr.contains(&format!("bt2sum: L: {number}: ")), "{list}: {run:?}");
        }
        // No flipped bit of the armour leaves a file unchecked with status 0: such a bit takes lines into the armour.
        let armour = (0..whole.len()).filter(|byte| !text_of(&whole, &text).contains(byte));
        for byte in fewer(3, armour) {
            let mut list = whole.clone().into_bytes();
            list[byte] ^= 4;
            std::fs::write(directory.path("L"), &list).unwrap();
            let run = outcome(directory.bt2sum(["-c", "L"]).args(options));
            assert!(run.code == Some(1) || run.stdout == BOTH, "{byte}: {run:?}");
        }
    }
}

fn text_of(whole: &str, text: &str) -> core::ops::Range<usize> {
    let begin = whole.find(text).unwrap();
    begin..begin + text.len()
}

/// A file that is no list has many lines, of which the first are named.
#[test]
fn many_lines_that_cannot_be_read() {
    let (directory, lines) = listed(&[]);
    let list = format!("{}\n{}", lines.join("\n"), "x\n".repeat(1000));
    let run = directory.check(&list, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), BOTH));
    let improper = |run: &Outcome| run.stderr.matches(": improperly formatted BLAKE2b checksum line\n").count();
    assert_eq!(improper(&run), 100);
    assert!(run.stderr.contains("bt2sum: L: 102: improperly"), "{run:?}");
    assert!(run.stderr.contains("\nbt2sum: L: 900 more such lines, which --warn names\n"), "{run:?}");
    assert_eq!(improper(&directory.check(&list, &["-w"])), 1000);
}

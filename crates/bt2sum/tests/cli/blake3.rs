//! `--algorithm blake3`, side by side with lists that b3sum 1.8 wrote. The script `tests/data/b3sum/make.sh` made them.

use core::iter;

use simd_digest::blake3;

use crate::{Directory, Outcome, are_fewer, failure, message, one_of, outcome, success, with_pipe};

/// The digest of `abc` by b3sum.
const ABC: &str = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";

/// The key and the context of BLAKE3's official test vectors.
const KEY: &[u8; 32] = b"whats the Elvish word for friend";
const CONTEXT: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";

const NONE: &str = "bt2sum: sums: no properly formatted checksum lines found\n";
const MISMATCH: &str = "bt2sum: WARNING: 1 computed checksum did NOT match\n";

/// A list that b3sum wrote.
fn list(name: &str) -> String {
    let path = format!("{}/tests/data/b3sum/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lengths of the official test inputs and of longer ones, which are the names of the files in b3sum's lists.
fn lengths() -> Vec<String> {
    let names: Vec<String> = list("plain-32").lines().map(|line| line[66..].to_owned()).collect();
    assert_eq!(names.len(), 40);
    names
}

/// The files of these lists, and the key.
fn inputs() -> Directory {
    let whole = message(5_247_201);
    let directory = Directory::new().file("key", KEY);
    let add = |directory: Directory, name: &String| directory.file(name, &whole[..name.parse().unwrap()]);
    lengths().iter().fold(directory, add)
}

fn directory() -> Directory {
    Directory::new().file("abc", b"abc").file("key", KEY)
}

/// The options for a list of b3sum.
fn mode(list: &str) -> &'static [&'static str] {
    match list.split('-').next() {
        Some("keyed") => &["--key-file", "key"],
        Some("derived") => &["--derive-key", CONTEXT],
        _ => &[],
    }
}

#[test]
fn the_same_lists_as_b3sum() {
    let (directory, lengths) = (inputs(), lengths());
    let whole = ["plain", "keyed", "derived"];
    let forms: [(&str, &[&str]); 4] = [("32", &[]), ("131", &["-l1048"]), ("16", &["-s", "16"]), ("tag", &["--tag"])];
    let ways: [&[&str]; 5] = [&[], &["--sequential"], &["-cpus=1"], &["-cpus=2", "--mmap"], &["--cpus", "7"]];
    for (i, (mode_name, (form, options))) in whole.iter().flat_map(|mode| forms.map(|form| (mode, form))).enumerate() {
        let name = format!("{mode_name}-{form}");
        let expected = list(&name);
        std::fs::write(directory.path("sums"), &expected).unwrap();
        let all_good: String = lengths.iter().map(|length| format!("{length}: OK\n")).collect();
        // Every way for every mode, each with two forms, or with one where there are fewer cases.
        for way in ways.into_iter().cycle().skip(2 * i).take(if are_fewer() { 2 } else { 3 }) {
            let run = |options: &[&str]| directory.bt2sum(["-a", "blake3"].iter().chain(options).copied());
            let made = outcome(run(mode(&name)).args(options).args(way).args(&lengths));
            assert_eq!(made, success(expected.clone()), "{name} {way:?}");
            let checked = outcome(run(mode(&name)).args(way).args(["-c", "--strict", "sums"]));
            assert_eq!(checked, success(all_good.clone()), "{name} {way:?}");
        }
    }
}

/// Standard input, as a pipe of many pieces, as a file, and as a file of which the beginning was read before.
#[test]
fn standard_input() {
    let directory = inputs();
    let whole = message(5_247_201);
    let ways: [&[&str]; 4] = [&[], &["--sequential"], &["-cpus=1"], &["-cpus=2", "--mmap"]];
    for way in ways {
        let command = || directory.bt2sum(["-a", "blake3"].iter().chain(way).copied());
        let standard = |name: &str| outcome(command().stdin(directory.open(name)));
        let piped = |piece: usize, length: usize| with_pipe(&mut command(), whole[..length].chunks(piece));
        assert_eq!(standard("1025"), success(list("stdin")));
        assert_eq!(piped(1, 1025), success(list("stdin")));
        assert_eq!(outcome(command().args(["--tag", "-"]).stdin(directory.open("1025"))), success(list("stdin-tag")));
        for line in list("plain-32").lines() {
            let (length, expected) = (&line[66..], success(format!("{}  -\n", &line[..64])));
            assert_eq!(standard(length), expected, "{length} {way:?}");
            if length.len() > 5 {
                assert_eq!(piped(70_001, length.parse().unwrap()), expected, "{length} {way:?}");
            }
        }
        for (mode_name, options) in ["keyed-131", "derived-131"].map(|list| (list, mode(list))) {
            let line = list(mode_name).lines().last().unwrap().replace("5247201", "-");
            let mut command = command();
            command.args(options).arg("-l1048");
            assert_eq!(with_pipe(&mut command, whole.chunks(1 << 20)), success(format!("{line}\n")));
        }
        for name in ["stdin", "stdin-tag"] {
            std::fs::write(directory.path("sums"), list(name)).unwrap();
            let run = outcome(command().args(["-c", "sums"]).stdin(directory.open("1025")));
            assert_eq!(run, success("-: OK\n"), "{name}");
        }
        #[cfg(unix)]
        for begin in [1, 1024, 131_072 + 7, 4_194_304] {
            use std::io::{Seek, SeekFrom};

            let mut file = directory.open("5247201");
            file.seek(SeekFrom::Start(begin)).unwrap();
            let rest = blake3::hash(&whole[usize::try_from(begin).unwrap()..]);
            assert_eq!(outcome(command().stdin(file)), success(format!("{rest}  -\n")), "{begin} {way:?}");
        }
    }
}

/// Names that b3sum escapes, and names that look like parts of lines: its lines, and the files that they mean.
#[cfg(unix)]
#[test]
fn names_as_b3sum_writes_them() {
    let names = [
        "\n",
        " a",
        "\"",
        "#a",
        "%s",
        "'",
        ") = 00",
        "*a",
        "BLAKE3 (a) = 00",
        "\\",
        "\\n",
        "a ",
        "a b",
        "a) = (b",
        "back\\slash",
        "new\nline",
        "return\r",
        "tab\t",
        "ä",
        "\u{2028}",
    ];
    // Byte i of a file is i, and the files are as long as their places in this order.
    let by_length = [
        "a b",
        " a",
        "a ",
        "*a",
        "#a",
        "new\nline",
        "return\r",
        "back\\slash",
        "\\n",
        "\\",
        "\n",
        ") = 00",
        "a) = (b",
        "BLAKE3 (a) = 00",
        "tab\t",
        "ä",
        "\u{2028}",
        "%s",
        "'",
        "\"",
    ];
    let add =
        |directory: Directory, (length, name): (u8, &&str)| directory.file(name, &(0..length).collect::<Vec<u8>>());
    let directory = (1..).zip(&by_length).fold(Directory::new(), add);
    // Results have escapes only if they would break the line, as those of GNU's programs.
    let shown = |name: &str| match name.contains(['\n', '\r']) {
        true => format!("\\{}", name.replace('\\', r"\\").replace('\n', r"\n").replace('\r', r"\r")),
        false => name.to_owned(),
    };
    let all_good: String = names.iter().map(|name| format!("{}: OK\n", shown(name))).collect();
    for (name, options) in [("names", &[][..]), ("names-tag", &["--tag"])] {
        let made = outcome(directory.bt2sum(["-a", "blake3"]).args(options).arg("--").args(names));
        assert_eq!(made, success(list(name)));
        std::fs::write(directory.path("sums"), list(name)).unwrap();
        let checked = outcome(&mut directory.bt2sum(["-a", "blake3", "-c", "--strict", "sums"]));
        assert_eq!(checked, success(all_good.clone()), "{name}");
    }
    // b3sum writes such a name too, but cannot read its own tagged line.
    let directory = Directory::new().file("a  b", b"abc");
    for (line, option) in [(format!("{ABC}  a  b\n"), "--text"), (format!("BLAKE3 (a  b) = {ABC}\n"), "--tag")] {
        assert_eq!(outcome(&mut directory.bt2sum(["-a", "blake3", option, "a  b"])), success(line.clone()));
        std::fs::write(directory.path("sums"), line).unwrap();
        assert_eq!(outcome(&mut directory.bt2sum(["-a", "blake3", "-c", "sums"])), success("a  b: OK\n"));
    }
}

/// The lines of other programs' options, which b3sum does not have.
#[test]
fn other_forms_of_lines() {
    let directory = directory();
    for sequential in [&[][..], &["--sequential"]] {
        let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake3"]).args(sequential).args(options));
        assert_eq!(run(&["abc"]), success(format!("{ABC}  abc\n")));
        assert_eq!(run(&["--text", "abc"]), success(format!("{ABC}  abc\n")));
        assert_eq!(run(&["-b", "abc"]), success(format!("{ABC} *abc\n")));
        assert_eq!(run(&["-z", "abc"]), success(format!("{ABC}  abc\0")));
        assert_eq!(run(&["--tag", "-z", "abc"]), success(format!("BLAKE3 (abc) = {ABC}\0")));
        assert_eq!(run(&["abc", "missing", "abc"]).stdout, format!("{ABC}  abc\n").repeat(2));
        for line in [
            format!("{ABC} *abc"),
            format!("{ABC} abc"),
            format!("{}  abc", ABC.to_uppercase()),
            format!("BLAKE3(abc)= {ABC}"),
            format!("BLAKE3-256 (abc) = {ABC}"),
            format!("# comment\r\n\r\n{ABC}  abc\r"),
        ] {
            std::fs::write(directory.path("sums"), &line).unwrap();
            assert_eq!(run(&["-c", "--strict", "sums"]), success("abc: OK\n"), "{line}");
        }
    }
}

/// Lines that name BLAKE3 need no `--algorithm`, and no mode.
#[test]
fn lines_say_the_algorithm() {
    let directory = directory();
    let check = |options: &[&str]| outcome(directory.bt2sum(["-c", "sums"]).args(options));
    let tagged = format!("BLAKE3 (abc) = {ABC}\n");
    std::fs::write(directory.path("sums"), &tagged).unwrap();
    let good: [&[&str]; 5] =
        [&[], &["--sequential"], &["-a", "blake3"], &["-a", "blake3", "--sequential"], &["-t1k", "-l256"]];
    for options in good {
        assert_eq!(check(options), success("abc: OK\n"), "{options:?}");
    }
    for other in ["blake2b", "blake2s"] {
        assert_eq!(check(&["-a", other, "-l16"]), success("abc: OK\n"), "{other}");
    }
    for other in ["blake2b", "blake2s", "blake2bp", "blake2sp", "sha256", "sha224", "sha512", "sha384"] {
        assert_eq!(check(&["--sequential", "-a", other]), success("abc: OK\n"), "{other}");
    }
    // A check with a key must not pass without it.
    assert_eq!(check(&["--key-file", "key"]), failure("abc: FAILED\n", MISMATCH));
    for options in [&["--key-file", "key"][..], &["--derive-key", CONTEXT]] {
        let wrong = failure("abc: FAILED\n", MISMATCH);
        assert_eq!(check(&[&["-a", "blake3"], options].concat()), wrong, "{options:?}");
    }

    std::fs::write(directory.path("sums"), tagged.replace(ABC, &format!("7{}", &ABC[1..]))).unwrap();
    for options in good {
        assert_eq!(check(options), failure("abc: FAILED\n", MISMATCH), "{options:?}");
    }

    // Lines without a name are of BLAKE2b if nothing else is said, and those of b3sum get a hint.
    std::fs::write(directory.path("sums"), format!("{ABC}  abc\n")).unwrap();
    let hint = "bt2sum: sums: its digests are BLAKE3: check them with --algorithm blake3\n";
    assert_eq!(check(&[]), failure("", hint));
    assert_eq!(check(&["--sequential"]), failure("", hint));
    assert_eq!(check(&["-a", "blake3"]), success("abc: OK\n"));
}

/// Each line of such a list is of the hash that it names.
#[test]
fn lists_of_several_algorithms() {
    let directory = directory();
    let line = |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).args(["--tag", "abc"])).stdout;
    let (tree, plain) = (line(&[]), line(&["--sequential"]));
    let (sha256, blake3) = (line(&["--sequential", "-a", "sha256"]), line(&["-a", "blake3"]));
    let long = line(&["-a", "blake3", "-l", "4096"]);
    assert!(long.starts_with("BLAKE3-4096 (abc) = ") && long.len() == 1024 + 21);
    let good = |count| success("abc: OK\n".repeat(count));
    let check = |lines: String, options: &[&str]| {
        std::fs::write(directory.path("sums"), lines).unwrap();
        outcome(directory.bt2sum(["-c", "--strict", "sums"]).args(options))
    };
    assert_eq!(check(format!("{tree}{blake3}{tree}{blake3}{long}"), &[]), good(5));
    assert_eq!(check(format!("{plain}{blake3}{long}{sha256}{plain}"), &["--sequential"]), good(5));
    for (lines, options) in [
        (format!("{tree}{blake3}"), &["-a", "blake3"][..]),
        (format!("{tree}{blake3}"), &["-a", "blake2b"]),
        (format!("{sha256}{blake3}"), &[]),
        (format!("{tree}{blake3}"), &["--sequential"]),
    ] {
        assert_eq!(check(lines, options), good(2), "{options:?}");
    }
}

/// Longer digests are the extended output, and shorter ones its beginning. Their lines tell the length.
#[test]
fn lengths_of_digests() {
    let directory = directory().file("long", &message((4 << 20) + 77)).file("empty", b"");
    let names = ["abc", "long", "empty"];
    let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake3"]).args(options));
    let mut whole = vec![vec![0; 1 << 20]; 3];
    let hasher = blake3::Mode::keyed(KEY);
    for (output, message) in whole.iter_mut().zip([&b"abc"[..], &message((4 << 20) + 77), b""]) {
        hasher.hash_xof(message).fill(output);
    }
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    let hex = |bytes: Vec<u8>| bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect::<String>();
    let whole: Vec<String> = whole.into_iter().map(hex).collect();
    for (i, size) in [1, 16, 31, 32, 33, 63, 64, 65, 131, 1000, 1 << 20].into_iter().enumerate() {
        let (bytes, bits) = (format!("-s{size}"), format!("--length={}", 8 * size));
        let label = if size == 32 { String::new() } else { format!("-{}", 8 * size) };
        let lines = |form: &dyn Fn(&str, &str) -> String| -> String {
            names.iter().zip(&whole).map(|(name, output)| form(name, &output[..2 * size])).collect()
        };
        let plain = lines(&|name, hex| format!("{hex}  {name}\n"));
        let tagged = lines(&|name, hex| format!("BLAKE3{label} ({name}) = {hex}\n"));
        let forms = [(&bytes, &["--sequential"][..], &plain), (&bits, &[], &plain), (&bytes, &["--tag"], &tagged)];
        // A megabyte of digits takes seconds in each form.
        let forms = one_of(i, forms).take(if size < 1 << 20 { 3 } else { 1 });
        for (length, options, expected) in forms {
            let options = [&[length.as_str(), "--key-file=key"], options].concat();
            let made = run(&[&options[..], &names].concat());
            assert!(made == success(expected.clone()), "{size} {options:?}");
            std::fs::write(directory.path("sums"), &made.stdout).unwrap();
            let check = |options: &[&str]| run(&[&["-c", "--strict", "sums", "--key-file=key"], options].concat());
            let all_good = success("abc: OK\nlong: OK\nempty: OK\n");
            assert_eq!(check(&[]), all_good, "{size}");
            assert_eq!(check(&[&bits]), all_good, "{size}");
            let other = check(&["-s30"]);
            if options.contains(&"--tag") {
                assert_eq!(other, all_good, "{size}");
            } else {
                let told = |number| format!("bt2sum: sums: {number}: improperly formatted BLAKE3 checksum line\n");
                assert_eq!(other, failure("", [1, 2, 3].map(told).concat() + NONE), "{size}");
            }
            // The last digit counts.
            let last = made.stdout.trim_end().rfind(|c: char| c.is_ascii_hexdigit()).unwrap();
            let last = if options.contains(&"--tag") { last } else { made.stdout.trim_end().rfind("  ").unwrap() - 1 };
            let mut changed = made.stdout.into_bytes();
            changed[last] = if changed[last] == b'0' { b'1' } else { b'0' };
            std::fs::write(directory.path("sums"), changed).unwrap();
            assert_eq!(check(&[]), failure("abc: OK\nlong: OK\nempty: FAILED\n", MISMATCH), "{size}");
        }
    }
    for length in ["-l0", "-l256", "-s32"] {
        assert_eq!(run(&[length, "abc"]), success(format!("{ABC}  abc\n")), "{length}");
        assert_eq!(run(&[length, "--tag", "abc"]), success(format!("BLAKE3 (abc) = {ABC}\n")), "{length}");
    }
}

/// Lines that say another length than they have, or are of none.
#[test]
fn improper_lines() {
    let directory = directory();
    let long = ABC.repeat(2);
    for line in [
        format!("BLAKE3 (abc) = {}", &ABC[..62]),
        format!("BLAKE3 (abc) = {}", &ABC[..63]),
        format!("BLAKE3 (abc) = {long}"),
        format!("BLAKE3-512 (abc) = {ABC}"),
        format!("BLAKE3-32 (abc) = {ABC}"),
        format!("BLAKE3-0256 (abc) = {ABC}"),
        format!("BLAKE3-255 (abc) = {ABC}"),
        format!("BLAKE3-TREE-256-5M (abc) = {ABC}"),
        format!("BLAKE3  (abc) = {ABC}"),
        format!("BLAKE3 = {ABC}"),
        format!("BLAKE3 () = {ABC}"),
        format!("BLAKE3 (abc) {ABC}"),
        format!("BLAKE3 (abc = {ABC}"),
        format!("blake3 (abc) = {ABC}"),
        format!("BLAKE3 (abc) = {}g", &ABC[..63]),
        "BLAKE3-0 (abc) = ".to_owned(),
        "BLAKE3 (abc) = ".to_owned(),
        format!(r"\BLAKE3 (a\bc) = {ABC}"),
        format!("{}  abc", &ABC[..63]),
        format!("{ABC}  "),
        ABC.to_owned(),
        format!("{ABC}abc"),
        format!(r"\{ABC}  a\bc"),
        format!("{ABC}  abc\0"),
        format!("SHA256 (abc) = {}", &ABC[..62]),
        format!("{}  abc", "0".repeat((2 << 20) + 2)),
        format!("BLAKE3-8388616 (abc) = {}", "0".repeat((2 << 20) + 2)),
        "\u{feff}".to_owned(),
    ] {
        std::fs::write(directory.path("sums"), format!("{line}\n")).unwrap();
        let told = "bt2sum: sums: 1: improperly formatted BLAKE3 checksum line\n";
        for sequential in [&[][..], &["--sequential"]] {
            let run = outcome(directory.bt2sum(["-a", "blake3", "-c", "sums"]).args(sequential));
            assert_eq!(run, failure("", format!("{told}{NONE}")), "{line:.100}");
        }
        std::fs::write(directory.path("sums"), format!("{line}\nBLAKE3 (abc) = {ABC}\n")).unwrap();
        let told = format!("{told}bt2sum: WARNING: 1 line is improperly formatted\n");
        let run = outcome(&mut directory.bt2sum(["-a", "blake3", "-c", "--strict", "-w", "sums"]));
        assert_eq!(run, failure("abc: OK\n", told), "{line:.100}");
    }
}

/// What BLAKE3 has not, and what only BLAKE3 has: each with its reason, before anything is hashed.
#[test]
fn wrong_arguments() {
    let directory = directory()
        .file("none", b"")
        .file("31", &[7; 31])
        .file("33", &[7; 33])
        .file("64", ABC.as_bytes())
        .file("sums", format!("BLAKE3 (abc) = {ABC}\n").as_bytes());
    let mut cases = vec![
        ("-a blake3 --leaves leaves", "blake3 has no --leaves"),
        ("-a blake3 --leaves leaves --sequential", "cannot be used with"),
        ("-a blake3 -c --leaves leaves", "blake3 has no --leaves"),
        ("-a blake3 -t1k", "blake3 has no --chunk"),
        ("-a blake3 -t5m -c", "blake3 has no --chunk"),
        ("-a blake3 --compat-empty", "blake3 has no --compat-empty"),
        ("-a blake3 -s0", "--size"),
        ("-a blake3 -s1048577", "of blake3 to 1048576"),
        ("-a blake3 -l 12", "--length"),
        ("-a blake3 -l 8388616", "--length"),
        ("-a blake3 -l -8", "--length"),
        ("-a blake2b -l 520", "--size of blake2b is 1 to 64 bytes, --length 8 to 512 bits"),
        ("-a blake3 --key-file none", "a key has exactly 32 bytes, this one has no bytes"),
        ("-a blake3 --key-file 31", "a key has exactly 32 bytes, this one has 31"),
        ("-a blake3 --key-file 33 --sequential", "a key has exactly 32 bytes, this one has more"),
        ("-a blake3 --key-file 64 -c", "a key has exactly 32 bytes, this one has more"),
        ("-a blake3 --key-file missing", "No such file"),
        ("-a blake3 --key-file key --derive-key context", "cannot be used with"),
        ("-a blake3 --derive-key", "--derive-key"),
        ("--derive-key context", "--derive-key needs --algorithm blake3"),
        ("--derive-key context -c", "--derive-key needs --algorithm blake3"),
        ("-a blake2s --derive-key context", "--derive-key needs --algorithm blake3"),
        ("-a blake2bp --sequential --derive-key context", "--derive-key needs --algorithm blake3"),
        ("-a sha256 --sequential --derive-key context", "--derive-key needs --algorithm blake3"),
        ("-b", "--binary needs --sequential"),
        ("-a blake2s --text", "--text needs --sequential"),
        ("-a blake3 -b -c", "cannot be used with"),
        ("-a BLAKE3", "--algorithm"),
    ];
    if cfg!(unix) {
        cases.push(("-a blake3 --key-fd 0 --derive-key context", "cannot be used with"));
        cases.push(("-a blake3 --key-fd 0", "a key has exactly 32 bytes"));
    }
    for (arguments, reason) in cases {
        let Outcome { code, stdout, stderr } = outcome(directory.bt2sum(["sums"]).args(arguments.split(' ')));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments}");
        assert!(stderr.contains(reason), "{arguments}: {stderr}");
    }
    assert!(!directory.path("leaves").exists());
    // A tree's file of leaves does not help with a line of BLAKE3.
    outcome(&mut directory.bt2sum(["--leaves", "leaves", "abc"]));
    let run = outcome(&mut directory.bt2sum(["-c", "--leaves", "leaves", "sums"]));
    assert_eq!(run, failure("", "bt2sum: sums: lists a file by BLAKE3, which has no leaves\n"));
}

#[test]
fn keys_and_contexts() {
    let directory = inputs().file("other", &[7; 32]);
    let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake3"]).args(options));
    #[cfg(unix)]
    {
        let line = list("keyed-32").lines().nth(7).unwrap().to_owned() + "\n";
        let mut command = directory.bt2sum(["-a", "blake3", "--key-fd", "0", "7"]);
        assert_eq!(outcome(command.stdin(directory.open("key"))), success(line.clone()));
        assert_eq!(with_pipe(&mut command, KEY.chunks(9)), success(line));
    }
    // A context may be empty, begin with a dash, or be anything that is UTF-8.
    for context in ["", "-c", "--", "ä\n"] {
        let line = |length: usize| {
            let key = blake3::derive_key(context, &message(length));
            format!("{}  {length}\n", blake3::Hash::from_bytes(key))
        };
        let expected = success(line(0) + &line(1025) + &line(5_247_201));
        assert_eq!(run(&["--derive-key", context, "0", "1025", "5247201"]), expected, "{context}");
        assert_eq!(run(&[&format!("--derive-key={context}"), "0", "1025", "5247201"]), expected, "{context}");
    }
    let twice = run(&["--derive-key", "a", "--derive-key", CONTEXT, "0"]);
    assert_eq!(twice.stdout, list("derived-32").lines().next().unwrap().to_owned() + "\n", "the last one counts");

    for name in ["keyed-tag", "derived-32"] {
        std::fs::write(directory.path("sums"), list(name).lines().next().unwrap()).unwrap();
        for other in [&[][..], &["--key-file=other"], &["--derive-key=other"]] {
            let check = run(&[&["-c", "sums"], other].concat());
            assert_eq!(check, failure("0: FAILED\n", MISMATCH), "{name} {other:?}");
        }
    }
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let mut command = directory.bt2sum(["-a", "blake3", "0", "--derive-key"]);
        assert_eq!(outcome(command.arg(OsStr::from_bytes(b"\xff"))).code, Some(2));
    }
}

/// On every backend: small files side by side, long ones on all cores, one of them alone, and a pipe.
#[test]
fn backends() {
    let long = message((4 << 20) + 200_001);
    let mut directory = Directory::new();
    let mut names = Vec::new();
    for (i, length) in (0..70).map(|i| i * 61).chain([(4 << 20) + 1, long.len(), 4 << 20, 300_000]).enumerate() {
        directory = directory.file(&format!("f{i}"), &long[..length]);
        names.push((format!("f{i}"), length));
    }
    let line = |(name, length): &(String, usize)| format!("{}  {name}\n", blake3::hash(&long[..*length]));
    let lines: String = names.iter().map(line).collect();
    for backend in simd_digest::Backend::available() {
        let options = ["-a", "blake3", "--backend", backend.name()];
        for more in [&[][..], &["--mmap"], &["-cpus=1"], &["-cpus=3", "--sequential"]] {
            let mut command = directory.bt2sum(options);
            let run = outcome(command.args(more).args(names.iter().map(|(name, _)| name)));
            assert_eq!(run, success(lines.clone()), "{backend} {more:?}");
            let alone = outcome(directory.bt2sum(options).args(more).arg("f71"));
            assert_eq!(alone, success(line(&names[71])), "{backend} {more:?}");
            let piped = with_pipe(directory.bt2sum(options).args(more), long.chunks(70_001));
            assert_eq!(piped, success(format!("{}  -\n", blake3::hash(&long))), "{backend} {more:?}");
        }
    }
}

/// Directories, and files that cannot be read among many: the others are still hashed.
#[test]
fn directories_and_errors() {
    let directory = directory();
    std::fs::create_dir(directory.path("d")).unwrap();
    std::fs::copy(directory.path("abc"), directory.path("d/abc")).unwrap();
    let run = |options: &[&str]| outcome(directory.bt2sum(["-a", "blake3"]).args(options));
    assert_eq!(run(&["-r", "d"]), success(format!("{ABC}  d/abc\n")));
    let reasons = "bt2sum: missing: No such file or directory\nbt2sum: d: Is a directory\n";
    if cfg!(unix) {
        let lines = format!("{ABC}  abc\n{ABC}  d/abc\n");
        assert_eq!(run(&["missing", "abc", "d", "d/abc"]), failure(lines, reasons));
    }
    std::fs::write(directory.path("sums"), format!("{ABC}  missing\n{ABC}  abc\n")).unwrap();
    assert_eq!(run(&["-c", "--ignore-missing", "sums"]), success("abc: OK\n"));
}

/// The program b3sum itself, on this program's lists and beside it.
#[cfg(unix)]
#[test]
#[ignore = "needs b3sum 1.8 in the path"]
fn b3sum_reads_our_lists() {
    use std::process::{Command, Stdio};

    let (directory, lengths) = (inputs(), lengths());
    let key = || Stdio::from(directory.open("key"));
    let [plain, keyed, derived] = [&[][..], &["--keyed"], &["--derive-key", CONTEXT]];
    // It checks no lists with a key or a context.
    for form in [&[][..], &["--tag"], &["--sequential"], &["-cpus=1", "--mmap"]] {
        let ours = outcome(directory.bt2sum(["-a", "blake3"]).args(form).args(&lengths));
        std::fs::write(directory.path("sums"), &ours.stdout).unwrap();
        let mut b3sum = Command::new("b3sum");
        b3sum.current_dir(directory.0.path()).args(["--check", "sums"]);
        let all_good: String = lengths.iter().map(|length| format!("{length}: OK\n")).collect();
        assert_eq!(outcome(&mut b3sum), success(all_good), "{form:?}");
    }
    for (mode_name, theirs) in [("plain", plain), ("keyed", keyed), ("derived", derived)] {
        for length in ["1", "16", "32", "64", "65", "1000"] {
            let mut b3sum = Command::new("b3sum");
            b3sum.current_dir(directory.0.path()).args(theirs).args(["--length", length]).args(&lengths).stdin(key());
            let ours = outcome(directory.bt2sum(["-a", "blake3", "-s", length]).args(mode(mode_name)).args(&lengths));
            assert_eq!(ours, outcome(&mut b3sum), "{mode_name} {length}");
        }
    }
}

/// A pipe of several groups, each a subtree, and its end at a group's, at smaller subtrees' and at a chunk's.
#[test]
fn pipes() {
    let directory = Directory::new();
    let whole = message((3 << 20) + 1);
    let ends = [1 << 20, 2 << 20, 3 << 20, (1 << 20) + (128 << 10), (2 << 20) + (3 << 17), (1 << 20) + 1024];
    for length in ends.into_iter().flat_map(|end| [end - 1, end, end + 1]) {
        let expected = success(format!("{}  -\n", blake3::hash(&whole[..length])));
        for threads in ["-cpus=1", "-cpus=2"] {
            let mut command = directory.bt2sum(["-a", "blake3", threads]);
            assert_eq!(with_pipe(&mut command, iter::once(&whole[..length])), expected, "{length} {threads}");
        }
    }
}

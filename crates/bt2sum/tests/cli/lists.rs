//! Lists of several kinds, of other tools, and long ones.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::in_time::{in_time, start};
use crate::{Directory, failure, message, outcome, success, with_pipe};

/// Every kind of line that says what it is.
const KINDS: [&[&str]; 18] = [
    &[],
    &["--tag"],
    &["--tag", "-t1k", "-s20"],
    &["-a", "blake2s"],
    &["-a", "blake2s", "--tag", "-t1k"],
    &["--sequential", "--tag"],
    &["--sequential", "--tag", "-l", "256"],
    &["--sequential", "--tag", "-l", "8"],
    &["--sequential", "--tag", "-a", "blake2s"],
    &["--sequential", "--tag", "-a", "blake2bp"],
    &["--sequential", "--tag", "-a", "blake2sp", "-s", "16"],
    &["--sequential", "--tag", "-a", "sha256"],
    &["--sequential", "--tag", "-a", "sha224"],
    &["-a", "sha512", "--tag"],
    &["-a", "sha384", "--tag"],
    &["-a", "blake3", "--tag"],
    &["-a", "blake3", "--tag", "-l", "1024"],
    &["-s64"],
];

fn list(directory: &Directory, key: &[&str]) -> String {
    let mut list = String::new();
    for (i, kind) in KINDS.iter().enumerate() {
        let run = outcome(directory.bt2sum(kind.iter().copied()).args(key).arg(format!("f{i}")));
        list += &run.stdout;
    }
    list
}

fn files() -> Directory {
    let mut directory = Directory::new().file("key", &message(32)).file("other", &message(33)[1..]);
    for i in 0..KINDS.len() {
        directory = directory.file(&format!("f{i}"), &message(5000 + i));
    }
    directory
}

/// Tagged lines are checked as they say, whatever the options, and no damage passes.
#[test]
fn mixed_lists() {
    let directory = files();
    std::fs::write(directory.path("sums"), list(&directory, &[])).unwrap();
    let options: [&[&str]; 8] = [
        &[],
        &["--sequential"],
        &["-a", "blake2s"],
        &["--sequential", "-a", "sha256"],
        &["-a", "blake3", "-s", "40"],
        &["--sequential", "-a", "blake2sp", "-l", "8"],
        &["-s", "3"],
        &["-cpus", "3"],
    ];
    let results = |bad: Option<usize>| -> String {
        let result = |i| if bad == Some(i) { "FAILED" } else { "OK" };
        (0..KINDS.len()).map(|i| format!("f{i}: {}\n", result(i))).collect()
    };
    for options in options {
        let run = outcome(directory.bt2sum(["-c", "--strict", "sums"]).args(options));
        assert_eq!(run, success(results(None)), "{options:?}");
    }
    for bad in 0..KINDS.len() {
        std::fs::write(directory.path(&format!("f{bad}")), message(4999)).unwrap();
        for options in [&[][..], &["--sequential"], &["-a", "blake2s"]] {
            let run = outcome(directory.bt2sum(["-c", "sums"]).args(options));
            assert_eq!((run.code, run.stdout), (Some(1), results(Some(bad))), "{bad} {options:?}");
        }
        std::fs::write(directory.path(&format!("f{bad}")), message(5000 + bad)).unwrap();
    }
}

/// Lines do not say that there was a key. Without it nothing matches, and a digest without it does not match with it.
#[test]
fn keyed_lists() {
    let directory = files();
    let key = ["--key-file", "key"];
    let keyed = list(&directory, &key);
    // SHA-2 takes no key: these runs gave an error.
    let count = KINDS.iter().filter(|kind| !kind.iter().any(|option| option.starts_with("sha"))).count();
    assert_eq!((keyed.lines().count(), count), (count, KINDS.len() - 4));
    std::fs::write(directory.path("sums"), &keyed).unwrap();
    let run = |options: &[&str]| outcome(directory.bt2sum(["-c", "sums"]).args(options));
    let good = run(&key);
    assert_eq!((good.code, good.stdout.matches(": OK\n").count()), (Some(0), count), "{good:?}");
    for options in [&[][..], &["--key-file", "other"]] {
        let bad = run(options);
        assert_eq!((bad.code, bad.stdout.matches(": FAILED\n").count()), (Some(1), count), "{bad:?}");
    }
    let plain = outcome(&mut directory.bt2sum(["--sequential", "--tag", "-a", "sha256", "f0"])).stdout;
    for more in [&[][..], &["--sequential"]] {
        std::fs::write(directory.path("sums"), format!("{}{plain}", keyed.lines().next().unwrap().to_owned() + "\n"))
            .unwrap();
        let run = outcome(directory.bt2sum(["-c", "sums"]).args(key).args(more));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), "f0: OK\n"), "{run:?}");
    }
    // A key that is too long for one of the hashes.
    std::fs::write(directory.path("long"), message(64)).unwrap();
    let lines =
        [&[][..], &["-a", "blake2s"]].map(|kind| outcome(directory.bt2sum(kind.iter().copied()).arg("f0")).stdout);
    std::fs::write(directory.path("sums"), lines.concat()).unwrap();
    assert_eq!(run(&["--key-file", "long"]).stdout, "f0: FAILED\n");
}

/// Digests of another tool are not of a damaged file.
#[test]
fn lists_of_other_tools_get_a_hint() {
    let directory = files().file("damaged", b"damaged");
    let made = |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).args(["f0", "f1"])).stdout;
    let tree = made(&["-t5m"]).replace("BLAKE2b-64 (f0) = ", "").replace("BLAKE2b-64 (f1) = ", "");
    let untagged: Vec<String> = tree.lines().zip(["f0", "f1"]).map(|(hex, name)| format!("{hex}  {name}\n")).collect();
    for (list, options, hint) in [
        (made(&["--sequential"]), &[][..], "BLAKE2b: check them with --sequential --algorithm blake2b"),
        // The shortest digests that are tried.
        (made(&["--sequential", "-l128"]), &[], "BLAKE2b: check them with --sequential --algorithm blake2b"),
        (made(&["--sequential", "-a", "sha256"]), &[], "SHA256: check them with --algorithm sha256"),
        (made(&["--sequential", "-a", "sha256"]), &["--sequential"], "SHA256: check them with --algorithm sha256"),
        // Both hashes have 128 digits.
        (made(&["-a", "sha512"]), &[], "SHA512: check them with --algorithm sha512"),
        (made(&["-a", "sha512"]), &["--sequential"], "SHA512: check them with --algorithm sha512"),
        (made(&["--sequential"]), &["-a", "sha512"], "BLAKE2b: check them with --sequential --algorithm blake2b"),
        (made(&["-a", "sha384"]), &[], "SHA384: check them with --algorithm sha384"),
        (made(&["-a", "blake3"]), &[], "BLAKE3: check them with --algorithm blake3"),
        (made(&["-a", "blake3"]), &["--sequential"], "BLAKE3: check them with --algorithm blake3"),
        (untagged.concat(), &["--sequential"], "trees of BLAKE2b: check them with --algorithm blake2b\n"),
        (untagged.concat(), &["-t1k"], "trees of BLAKE2b: check them with --algorithm blake2b --chunk 5M\n"),
    ] {
        std::fs::write(directory.path("sums"), &list).unwrap();
        let run = outcome(directory.bt2sum(["-c", "sums"]).args(options));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.starts_with(&format!("bt2sum: sums: its digests are {hint}")), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        // A file that is damaged says nothing about the list; the next one does.
        std::fs::write(directory.path("sums"), list.replacen("f0", "damaged", 1)).unwrap();
        assert_eq!(outcome(directory.bt2sum(["-c", "sums"]).args(options)).code, Some(1));
    }
    // Digests of nothing known here.
    std::fs::write(directory.path("sums"), format!("{}  f0\n", "0a".repeat(64))).unwrap();
    let run = outcome(&mut directory.bt2sum(["-c", "sums"]));
    assert!(
        run.code == Some(1) && run.stderr.contains("if sha256sum, sha512sum or b3sum did, use --algorithm"),
        "{run:?}"
    );
    std::fs::write(directory.path("sums"), format!("SHA1 (f0) = {}\n", "0a".repeat(20))).unwrap();
    let run = outcome(&mut directory.bt2sum(["-c", "sums"]));
    assert!(run.code == Some(1) && run.stderr.contains("its lines name SHA1"), "{run:?}");
}

/// The hint is about the lines that do not say what they are. The others are checked.
#[test]
fn tagged_lines_among_those_of_another_tool() {
    let directory = files();
    let made = |options: &[&str]| outcome(&mut directory.bt2sum(options.iter().copied())).stdout;
    let list = made(&["--sequential", "-a", "sha256", "f0", "f1"]) + &made(&["--tag", "f2", "f3"]);
    std::fs::write(directory.path("sums"), list).unwrap();
    std::fs::write(directory.path("f2"), b"damaged").unwrap();
    let run = outcome(&mut directory.bt2sum(["-c", "sums"]));
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "f2: FAILED\nf3: OK\n"), "{run:?}");
    assert_eq!(run.stderr.matches("check them with").count(), 1, "{run:?}");
}

/// Improper lines that list a file beside a good line: the check fails.
#[test]
fn improper_lines_that_list_a_file() {
    let directory = Directory::new().file("f", b"f").file("b", b"b").file("bb", b"b");
    let tagged = outcome(&mut directory.bt2sum(["--tag", "b"])).stdout;
    let tagged = tagged.trim_end();
    let (hex, good) = (tagged.rsplit(' ').next().unwrap(), outcome(&mut directory.bt2sum(["--tag", "f"])).stdout);
    for line in [
        format!("{tagged} "),
        format!("{}g", &tagged[..tagged.len() - 1]),
        format!("{}  b", &hex[1..]),
        format!("{hex} b"),
        format!("> {hex}  b"),
        format!("\u{feff}> {hex}  b"),
        format!("{}\tb", &hex[1..]),
        format!("SHA3-256 = {hex}"),
        "MD5 (b) = kAFQmDzST7DWlj99KOF/cg==".to_owned(),
        format!("\u{1b}]0;title\u{7} (b) = {hex}"),
    ] {
        // The first line decides how many blanks are before a name.
        std::fs::write(directory.path("sums"), format!("{hex}  bb\n{good}{line}\n")).unwrap();
        let run = outcome(&mut directory.bt2sum(["-c", "sums"]));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), "bb: OK\nf: OK\n"), "{line}: {run:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
        std::fs::write(directory.path("sums"), format!("{line}\n")).unwrap();
        assert!(!outcome(&mut directory.bt2sum(["-c", "sums"])).stderr.contains('\u{1b}'), "{line}");
    }
}

/// The rest of the list is not the file that it lists.
#[test]
fn a_list_on_standard_input_that_lists_it() {
    let directory = Directory::new();
    let none = failure("", "bt2sum: 'standard input': no properly formatted checksum lines found\n");
    for options in [&[][..], &["--tag"], &["--sequential"], &["--sequential", "--tag"]] {
        let list = outcome(&mut directory.bt2sum(options.iter().copied())).stdout;
        let run = with_pipe(
            directory.bt2sum(["-c"]).args(options.iter().filter(|option| **option != "--tag")),
            core::iter::once(list.as_bytes()),
        );
        assert_eq!(run.code, none.code, "{options:?}");
        assert_eq!(run.stdout, "", "{options:?}");
        std::fs::write(directory.path("sums"), &list).unwrap();
        let run = outcome(directory.bt2sum(["-c", "sums"]).args(options.iter().filter(|option| **option != "--tag")));
        assert_eq!(run, success("-: OK\n"), "{options:?}");
    }
}

/// Results come while the list is still being made, and a warning between the results around it.
#[test]
fn a_list_that_comes_line_by_line() {
    let directory = Directory::with_files();
    let line = outcome(&mut directory.bt2sum(["hello"])).stdout;
    let mut child = directory.bt2sum(["-c"]);
    let mut child = start(child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        input.write_all(line.as_bytes()).unwrap();
        let result;
        (result, output) = in_time("a result", move || {
            let mut result = String::new();
            output.read_line(&mut result).unwrap();
            (result, output)
        });
        assert_eq!(result, "hello: OK\n");
    }
    drop(input);
    assert!(child.wait().success());

    #[cfg(unix)]
    {
        std::fs::write(directory.path("sums"), format!("{line}x\n{line}y\n{line}")).unwrap();
        let script = format!("exec '{}' -c sums 2>&1", env!("CARGO_BIN_EXE_bt2sum"));
        let run = outcome(std::process::Command::new("sh").args(["-c", &script]).current_dir(directory.0.path()));
        let improper = |number| format!("bt2sum: sums: {number}: improperly formatted BLAKE2b checksum line\n");
        let expected = format!("hello: OK\n{}hello: OK\n{}hello: OK\n", improper(2), improper(4));
        assert!(run.stdout.starts_with(&expected), "{run:?}");
    }
}

/// In an address space that the list would not fit in.
#[cfg(target_os = "linux")]
#[test]
fn a_list_longer_than_memory() {
    let directory = Directory::with_files();
    let line = outcome(&mut directory.bt2sum(["hello"])).stdout;
    let missing = line.replace("hello", "missing").repeat(265_000);
    std::fs::write(directory.path("sums"), format!("{line}{missing}{line}")).unwrap();
    // Of 32 MB, and the list has 40. The program needs half of that.
    let script = format!("ulimit -v 32000; exec '{}' -cpus 1 -c --ignore-missing sums", env!("CARGO_BIN_EXE_bt2sum"));
    let run = outcome(std::process::Command::new("sh").args(["-c", &script]).current_dir(directory.0.path()));
    assert_eq!(run, success("hello: OK\nhello: OK\n"));
    // And a line that is longer than any of a list.
    std::fs::write(directory.path("sums"), [&vec![b'a'; 54 << 20][..], b"\n", line.as_bytes()].concat()).unwrap();
    let run = outcome(std::process::Command::new("sh").args(["-c", &script]).current_dir(directory.0.path()));
    let stderr = "bt2sum: sums: 1: improperly formatted BLAKE2b checksum line\n\
        bt2sum: WARNING: 1 line is improperly formatted\n";
    assert_eq!(run, failure("hello: OK\n", stderr));
}

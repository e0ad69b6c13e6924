//! `--check`, and lines made for it.

use crate::{Directory, EMPTY, HELLO, Outcome, failure, outcome, output, success, with_pipe};

const IMPROPER: &str = "bt2sum: WARNING: 1 line is improperly formatted\n";
const UNREADABLE: &str = "bt2sum: WARNING: 1 listed file could not be read\n";
const MISMATCH: &str = "bt2sum: WARNING: 1 computed checksum did NOT match\n";
const OTHER_CHUNK: &str = "bt2sum: sums: the leaf length may differ, which these lines do not state: \
    check them with the --chunk that made them; with --tag, lines state it\n";
const MISSING: &str = "bt2sum: missing: No such file or directory\n";

/// The files of [`Directory::with_files`] and the check file `sums` with these lines, in which `HELLO` and `EMPTY` are
/// the digests.
fn listed(lines: &str) -> Directory {
    Directory::with_files().file("sums", lines.replace("HELLO", HELLO).replace("EMPTY", EMPTY).as_bytes())
}

fn check(lines: &str, options: &[&str]) -> Outcome {
    outcome(&mut listed(lines).bt2sum(["-c", "sums"].into_iter().chain(options.iter().copied())))
}

#[test]
fn every_form_of_line() {
    for line in [
        "BLAKE2b-TREE-512-5M (hello) = HELLO",
        "BLAKE2b-TREE-512-5242880 (hello) = HELLO",
        "BLAKE2b-64 (hello) = HELLO",
        "HELLO  hello",
        "HELLO *hello",
        "HELLO hello",
        "  HELLO  hello",
        r"\HELLO  hello",
    ] {
        for end in ["\n", "\r\n", "", "\n\n", "\n# a comment\n#\n"] {
            assert_eq!(check(&format!("{line}{end}"), &["--strict"]), success("hello: OK\n"), "{line}");
            let upper = line.replace("HELLO", &HELLO.to_uppercase());
            assert_eq!(check(&format!("{upper}{end}"), &["--strict"]), success("hello: OK\n"), "{upper}");
        }
    }
}

/// A good file of a list that was made with another length of a leaf is not `FAILED` without a word.
#[test]
fn a_list_with_another_length_of_a_leaf() {
    let directory = Directory::new().file("a", b"one").file("b", &crate::message(100_000));
    let line = |options: &[&str], name| outcome(directory.bt2sum(options.iter().copied()).arg(name)).stdout;
    let hints = |list: &str, options: &[&str]| {
        std::fs::write(directory.path("sums"), list).unwrap();
        let run = outcome(directory.bt2sum(["-c", "sums"]).args(options));
        let hints = ["the leaf length may differ, which", "the leaf length may differ, but only if a line"];
        (run.code, hints.map(|hint| run.stderr.lines().filter(|line| line.contains(hint)).count()))
    };
    let list = line(&["-t64k"], "a") + &line(&["-t64k"], "b");
    assert_eq!(hints(&list, &[]), (Some(1), [1, 0]));
    assert_eq!(hints(&list, &["-t", "64K"]), (Some(0), [0, 0]));
    assert_eq!(hints(&list, &["-t1k", "--quiet"]), (Some(1), [1, 0]));
    assert_eq!(hints(&list, &["--status"]), (Some(1), [0, 0]));
    assert_eq!(hints(&list, &["--json"]), (Some(1), [1, 0]));
    assert_eq!(hints(&(line(&[], "a") + &line(&["-t64k"], "b")), &[]), (Some(1), [0, 1]));
    assert_eq!(hints(&(line(&["--tag", "-t1m"], "a") + &line(&["-t64k"], "b")), &[]), (Some(1), [1, 0]));
    assert_eq!(hints(&line(&["--tag", "-t64k"], "a").replace("(a)", "(b)"), &[]), (Some(1), [0, 0]));
    // Leaves that belong to the digest prove the length.
    let list = line(&["-t64k", "--leaves", "leaves"], "b");
    std::fs::write(directory.path("b"), crate::message(100_001)).unwrap();
    assert_eq!(hints(&list, &["-t64k"]), (Some(1), [1, 0]));
    assert_eq!(hints(&list, &["-t64k", "--leaves", "leaves"]), (Some(1), [0, 0]));
    assert_eq!(hints(&line(&["--sequential", "--tag"], "a").replace("(a)", "(b)"), &[]), (Some(1), [0, 0]));
}

/// Options that a line does not need are not looked at; those it needs count.
#[test]
fn what_lines_do_not_say() {
    let directory = Directory::new().file("name", &crate::message(9000));
    let options = ["-s", "20", "-t", "1k"];
    for (more, own) in [(&["--tag"][..], true), (&[], false)] {
        let line = outcome(directory.bt2sum(options).args(more).arg("name")).stdout;
        let sums = directory.path("sums");
        std::fs::write(&sums, &line).unwrap();
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums", "-t1k"])), success("name: OK\n"));
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums", "-t1k", "-s20"])), success("name: OK\n"));
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums", "-t1k", "-l", "160"])), success("name: OK\n"));
        let hint = format!("{MISMATCH}{OTHER_CHUNK}");
        let without = if own { success("name: OK\n") } else { failure("name: FAILED\n", hint) };
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums"])), without);
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "sums", "-t1k", "-s21"])), success("name: OK\n"));
    }
}

#[test]
fn tag_lines() {
    let directory = Directory::with_files();
    let tag = |chunk| outcome(&mut directory.bt2sum(["--tag", "-s8", "-t", chunk, "empty"])).stdout;
    for (chunk, text) in [
        ("5m", "5M"),
        ("4096", "4K"),
        ("1g", "1G"),
        ("1536", "1536"),
        ("1536k", "1536K"),
        ("3072m", "3G"),
        ("1", "1"),
        ("4294967295", "4294967295"),
    ] {
        assert!(tag(chunk).starts_with(&format!("BLAKE2b-TREE-64-{text} (empty) = ")), "{chunk}");
    }
    let expected = success(format!("BLAKE2b-TREE-512-5M (hello) = {HELLO}\nBLAKE2b-TREE-512-5M (-) = {EMPTY}\n"));
    assert_eq!(outcome(&mut directory.bt2sum(["--tag", "hello", "-"])), expected);
}

/// Names that are hard to write down come back from the line they are in.
#[cfg(unix)]
#[test]
fn every_name_returns() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let names: [&[u8]; 13] = [
        b"a  b",
        b" ",
        b"new\nline",
        b"return\r",
        br"back\slash",
        br"\n",
        b"\xff\xc3(",
        b") = 00",
        b"*star",
        b"# no comment",
        b"tab\t",
        b"a) = (b",
        b"BLAKE2b-64 (a)",
    ];
    for options in [&["--tag"][..], &[], &["--sequential"], &["--sequential", "--tag"], &["--sequential", "-b"]] {
        for name in names {
            let directory = Directory::new();
            std::fs::write(directory.0.path().join(OsStr::from_bytes(name)), b"hello s3git\n").unwrap();
            let line = output(directory.bt2sum(options.iter().copied()).arg("--").arg(OsStr::from_bytes(name)));
            std::fs::write(directory.path("sums"), line.stdout).unwrap();
            let sequential: &[&str] = if options.contains(&"--sequential") { &["--sequential"] } else { &[] };
            let run = outcome(directory.bt2sum(["-c", "--strict", "sums"]).args(sequential));
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{options:?} {run:?}");
            assert!(run.stdout.ends_with(": OK\n") && run.stdout.lines().count() == 1, "{run:?}");
        }
    }
}

#[test]
fn foreign_lines_are_improper() {
    let hex = "HELLO";
    for line in [
        "BLAKE2b-256 (hello) = HELLO",
        "BLAKE2sp-64 (hello) = HELLO",
        "BLAKE2b-32 (hello) = HELLO",
        "BLAKE2b-TREE-64-5M (hello) = HELLO",
        "BLAKE2b-064 (hello) = HELLO",
        "BLAKE2b-TREE-0512-5M (hello) = HELLO",
        "BLAKE2b-TREE-512-05M (hello) = HELLO",
        "BLAKE2s-64 (hello) = HELLO",
        "HELLO00  hello",
        "HELLO0  hello",
        "HELLO",
        "HELLO  ",
        "HELLOhello",
        "hello",
        "\u{feff}HELLO  hello",
        r"\HELLO  hel\lo",
        "BLAKE2b-64 (hello) = ",
        "BLAKE2b-64 (hello = HELLO",
        "BLAKE2b-TREE-512-5MB (hello) = HELLO",
        "d41d8cd98f00b204e9800998ecf8427e",
    ] {
        let told = "bt2sum: sums: 1: improperly formatted BLAKE2b checksum line\n";
        let none = "bt2sum: sums: no properly formatted checksum lines found\n";
        assert_eq!(check(&format!("{line}\n"), &[]), failure("", format!("{told}{none}")), "{line}");
        // A good line beside them does not hide them.
        let both = format!("{line}\n{hex}  hello\n");
        let told = format!("{told}{IMPROPER}");
        for options in [&[][..], &["-w"], &["--strict"]] {
            assert_eq!(check(&both, options), failure("hello: OK\n", &told), "{line}");
        }
        assert_eq!(check(&both, &["--quiet"]), failure("", &told), "{line}");
        assert_eq!(check(&both, &["--status"]), failure("", ""), "{line}");
    }
    assert_eq!(check("", &[]).code, Some(1));
    assert_eq!(check("\n\n# HELLO\n", &[]).code, Some(1));
}

/// A good file after a bad one does not hide it.
#[test]
fn results_and_their_order() {
    let lines = "HELLO  empty\nHELLO  hello\nHELLO  missing\nEMPTY  empty\nx\nEMPTY  .\n";
    let stdout = "empty: FAILED\nhello: OK\nmissing: FAILED open or read\nempty: OK\n.: FAILED open or read\n";
    let complaints = format!("{MISSING}bt2sum: .: Is a directory\n");
    let line = "bt2sum: sums: 5: improperly formatted BLAKE2b checksum line\n";
    let unreadable = "bt2sum: WARNING: 2 listed files could not be read\n";
    let warnings = format!("{MISSING}{line}bt2sum: .: Is a directory\n{IMPROPER}{unreadable}{MISMATCH}");
    assert_eq!(check(lines, &[]), failure(stdout, &warnings));
    assert_eq!(check(lines, &["-cpus", "1"]), failure(stdout, &warnings));
    assert_eq!(check(lines, &["-cpus", "7"]), failure(stdout, &warnings));

    let quiet = stdout.replace("hello: OK\n", "").replace("empty: OK\n", "");
    assert_eq!(check(lines, &["--quiet"]), failure(&quiet, &warnings));
    assert_eq!(check(lines, &["--status"]), failure("", &complaints));
    // The last one counts.
    assert_eq!(check(lines, &["--status", "-w", "--quiet"]), failure(&quiet, &warnings));
    assert_eq!(check(lines, &["--quiet", "--warn", "--status"]), failure("", &complaints));
    assert_eq!(check(lines, &["--quiet", "--status", "-w"]), failure(stdout, warnings));
}

#[test]
fn missing_files() {
    let lines = "HELLO  missing\nHELLO  hello\n";
    let stdout = "missing: FAILED open or read\nhello: OK\n";
    assert_eq!(check(lines, &[]), failure(stdout, format!("{MISSING}{UNREADABLE}")));
    assert_eq!(check(lines, &["--ignore-missing"]), success("hello: OK\n"));
    let none = "bt2sum: sums: no file was verified\n";
    assert_eq!(check("HELLO  missing\n", &["--ignore-missing"]), failure("", none));
    assert_eq!(check("HELLO  missing\n", &["--ignore-missing", "--status"]), failure("", ""));
    let both = check("BLAKE2b-64 (empty) = HELLO\nHELLO  missing\n", &["--ignore-missing"]);
    assert_eq!(both, failure("empty: FAILED\n", format!("{MISMATCH}{none}{OTHER_CHUNK}")));
}

#[test]
fn check_files_that_are_not_there_or_come_from_a_pipe() {
    let directory = listed("HELLO  hello\n");
    let run = outcome(&mut directory.bt2sum(["-c", "missing", "sums", "hello"]));
    let stderr = "bt2sum: hello: 1: improperly formatted BLAKE2b checksum line\n\
        bt2sum: hello: no properly formatted checksum lines found\n";
    assert_eq!(run, failure("hello: OK\n", format!("{MISSING}{stderr}")));

    let line = format!("{HELLO}  hello\n");
    assert_eq!(with_pipe(&mut directory.bt2sum(["-c"]), core::iter::once(line.as_bytes())), success("hello: OK\n"));
    let nothing = failure("", "bt2sum: 'standard input': no properly formatted checksum lines found\n");
    assert_eq!(outcome(&mut directory.bt2sum(["-c", "-"])), nothing);
    let named = Directory::new().file("sums", format!("BLAKE2b-64 = {HELLO}\n").as_bytes());
    let run = with_pipe(&mut named.bt2sum(["-c", "sums"]), core::iter::once(&b"hello s3git\n"[..]));
    assert_eq!(run, success("-: OK\n"));
}

#[test]
fn zero_ends_lines() {
    let directory = Directory::new().file("a\\b", b"hello s3git\n");
    let expected = success(format!("BLAKE2b-64 (a\\b) = {HELLO}\0"));
    assert_eq!(outcome(&mut directory.bt2sum(["-z", "a\\b"])), expected);
    assert_eq!(outcome(&mut directory.bt2sum(["--zero", "-"])), success(format!("BLAKE2b-64 = {EMPTY}\0")));
}

#[test]
fn options_that_contradict() {
    let directory = listed("HELLO  hello\n");
    for option in [
        "--quiet",
        "--status",
        "--strict",
        "-w",
        "--warn",
        "--ignore-missing",
        "-c --tag",
        "-c -z",
        "-c -r",
        "-b",
        "--text",
        "--sequential -t5m",
        "--sequential --leaves=x",
        "--sequential --compat-empty",
        "-s64 -l512",
        "--range=0-1",
        "-c --range=0-1",
        "--leaves=x --range=0-1",
        "-c -b --sequential",
        "--leaves=x -r",
        "--key-file=x --key-fd=0",
        "--leaves=x --compat-empty",
        "--tag --compat-empty",
        "--leaves=x hello",
    ] {
        let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(option.split(' ').chain(["sums"])));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{option}");
        assert!(!stderr.is_empty(), "{option}");
    }
    assert!(!directory.path("x").exists());
}

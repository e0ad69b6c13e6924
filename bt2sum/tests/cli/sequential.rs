//! `--sequential`, side by side with coreutils.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::{Directory, Outcome, message, outcome, success};

fn b2sum(directory: &Directory, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("b2sum");
    outcome(command.env("LC_ALL", "C").stdin(Stdio::null()).current_dir(directory.0.path()).args(arguments))
}

/// Both programs with the same arguments, ours with `--sequential`.
fn both(directory: &Directory, arguments: &[&str]) -> [Outcome; 2] {
    let ours = outcome(directory.bt2sum(arguments.iter().copied()).arg("--sequential"));
    let theirs = b2sum(directory, arguments);
    [ours, Outcome { stderr: theirs.stderr.replace("b2sum: ", "bt2sum: "), ..theirs }]
}

/// Files of many lengths, and of names to be escaped.
fn files() -> (Directory, Vec<String>) {
    let mut directory = Directory::new();
    let mut names = Vec::new();
    let lengths = [0, 1, 127, 128, 129, 256, 1000, 10_000];
    for length in lengths {
        directory = directory.file(&format!("f{length}"), &message(length));
        names.push(format!("f{length}"));
    }
    (directory.file("a\\b", b"a").file("c\nd", b"b"), names)
}

#[test]
fn the_same_output() {
    let (directory, names) = files();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["a\\b", "c\nd", "-", "missing", "."]).collect();
    for options in
        [&[][..], &["-b"], &["--tag"], &["-l", "256"], &["-l8", "--tag"], &["-z"], &["-l0"], &["--tag", "-z"]]
    {
        let [ours, theirs] = both(&directory, &[options, &names].concat());
        assert_eq!(ours, theirs, "{options:?}");
        assert_eq!(ours.code, Some(1));
    }
}

/// Each accepts what the other wrote, and rejects the same.
#[test]
fn check_files_both_ways() {
    let (directory, names) = files();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["a\\b", "c\nd"]).collect();
    for options in [&[][..], &["-b"], &["--tag"], &["-l", "256"], &["-l", "8", "--tag"]] {
        let [ours, theirs] = both(&directory, &[options, &names].concat());
        assert_eq!(ours, theirs);
        for lines in [&ours.stdout, &theirs.stdout] {
            std::fs::write(directory.path("sums"), lines).unwrap();
            let [ours, theirs] = both(&directory, &["-c", "--strict", "sums"]);
            assert_eq!(ours, theirs);
            assert_eq!((ours.code, ours.stdout.lines().count()), (Some(0), names.len()));
            std::fs::write(directory.path("sums"), lines.replacen("f1000", "f129", 1)).unwrap();
            let [ours, theirs] = both(&directory, &["-c", "--quiet", "sums"]);
            assert_eq!(ours, theirs);
            assert_eq!(ours.code, Some(1));
        }
    }
}

/// Check files that are not in order: the same results, warnings and status.
#[test]
fn odd_check_files() {
    let directory = Directory::new().file("a", b"a").file("b", b"b").file(" c", b"c");
    let sum = |name| b2sum(&directory, &[name]).stdout[..128].to_owned();
    let (a, b, c) = (sum("a"), sum("b"), sum(" c"));
    let upper = a.to_uppercase();
    let lists = [
        format!("{a}  a\r\n{b}  b\r\n"),
        format!("# comment\n\n{a}  a\n"),
        format!("{upper} *a\n  {b}  b"),
        format!("{a} a\n{b} b\n"),
        format!("{a}  a\n{b} b\n"),
        format!("{a} a\n{c}  c\n"),
        format!("{a}   c\n"),
        format!("BLAKE2b (a) = {a}\nBLAKE2b(b)= {b}\n"),
        format!("BLAKE2b-512 (a) = {a}\n"),
        format!("BLAKE2b-256 (a) = {a}\nBLAKE2b-504 (b) = {}\n", &b[..126]),
        format!("BLAKE2b-64 (a) = {a}\nBLAKE2b-TREE-512-5M (a) = {a}\nMD5 (a) = {a}\n{b}  b\n"),
        format!("{}  a\n{a}00  a\n{b}  b\n", &a[..127]),
        format!("{a}  b\n{b}  b\nnonsense\n{a}  missing\n"),
        format!("\\{a}  a\n\\{b}  \\b\n"),
        format!("{a}  missing\n"),
        String::new(),
    ];
    for list in &lists {
        std::fs::write(directory.path("sums"), list).unwrap();
        for options in ["", "-w", "--quiet", "--status", "--strict", "--ignore-missing", "--status --strict -w"] {
            let arguments: Vec<&str> = ["-c", "sums"].into_iter().chain(options.split_whitespace()).collect();
            let [ours, theirs] = both(&directory, &arguments);
            assert_eq!(ours, theirs, "{options:?}\n{list}");
        }
    }
}

/// Side by side, piece by piece: one of them ends with a piece.
#[test]
fn long_files() {
    let directory = Directory::new().file("a", &message((4 << 20) + 1)).file("b", &message(5 << 20)).file("c", b"c");
    let [ours, theirs] = both(&directory, &["a", "b", "c", "missing", "a"]);
    assert_eq!(ours, theirs);
    assert_eq!(ours.stdout.lines().count(), 4);
}

#[test]
fn binary_and_text() {
    let directory = Directory::new().file("a", b"");
    let run = |options: &[&str]| outcome(directory.bt2sum(["--sequential", "a"]).args(options));
    assert_eq!(run(&["-b", "--text"]), run(&[]));
    assert_eq!(run(&["--text", "--binary"]), success(run(&[]).stdout.replace("  ", " *")));
}

//! The program as another one, by its name or by `--as`: side by side with coreutils, and with what b3sum 1.8.7 printed.
#![cfg(target_os = "linux")]

use core::iter;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::{Directory, Outcome, are_fewer, failure, fewer, message, outcome, success, with_pipe};

const COREUTILS: [&str; 4] = ["sha224sum", "sha256sum", "sha512sum", "b2sum"];

impl Directory {
    /// This program under another name.
    pub(crate) fn role(&self, name: &str) -> Command {
        let directory = self.path("bin");
        let _ = fs::create_dir(&directory);
        let _ = symlink(env!("CARGO_BIN_EXE_bt2sum"), directory.join(name));
        let mut command = Command::new(name);
        command.env("PATH", directory).env("LC_ALL", "C").stdin(Stdio::null()).current_dir(self.0.path());
        command
    }

    /// This program in the part of one of coreutils, and the program itself.
    fn both(&self, name: &str, arguments: &[&str], input: &[u8]) -> [Outcome; 2] {
        let mut theirs = Command::new(name);
        theirs.env("LC_ALL", "C").current_dir(self.0.path());
        let run = |mut command: Command| with_pipe(command.args(arguments), iter::once(input));
        [run(self.role(name)), run(theirs)]
    }

    #[track_caller]
    fn compare(&self, name: &str, arguments: &[&str]) -> Outcome {
        let [ours, theirs] = self.both(name, arguments, b"");
        assert_eq!(ours, theirs, "{name} {arguments:?}");
        theirs
    }
}

/// What is wrong, in the words of coreutils.
#[test]
fn wrong_arguments_of_coreutils() {
    let directory = Directory::new().file("a", b"a").file("--tag", b"b").file("sums", b"");
    let cases = "--zero -c sums|--tag -c sums|-b -c sums|-t -c sums|-zc sums|--tag -b -c sums|-cb --text sums|\
        --ignore-missing a|--status a|--warn a|-w a|--quiet a|--strict a|--quiet --status a|--status -w a|-w --quiet a|\
        --tag --text a|--text --tag a|--tag -t -b a|-bt a|-tb a|-bz a|a --tag|-- --tag|-c -- sums|--ta a|--stat -c sums|\
        --nonsense a|-x a|-bx a|--check=yes sums|--tag=yes a|-l 128 a|-l128 --tag a|-l12 a|-l 520 a|--length=x a|-l -8 a|\
        -l +8 a|-l 99999999999999999999 a|-l 18446744073709551608 a|-l 0 a|-l 008 a|-l 0 -c sums|-l 8 -l 16 a|\
        --len 24 a|-c -c sums|--tag --tag a|-l 12 -c -z sums|-l 520 -c -z sums";
    for (i, name) in COREUTILS.into_iter().enumerate() {
        let mut failures = 0;
        for case in fewer(i, cases.split('|')) {
            let arguments: Vec<&str> = case.split_whitespace().collect();
            failures += usize::from(directory.compare(name, &arguments).code == Some(1));
        }
        assert!(failures > if are_fewer() { 3 } else { 30 }, "{name}: {failures}");
        // Of these, the message is not that of getopt.
        for case in ["--st -c sums", "--length", "-l", "--s a"] {
            let arguments: Vec<&str> = case.split_whitespace().collect();
            let [ours, theirs] = directory.both(name, &arguments, b"");
            assert_eq!((ours.code, ours.stdout), (theirs.code, theirs.stdout), "{name} {case}");
            assert!(ours.stderr.starts_with(&format!("{name}: ")), "{}", ours.stderr);
        }
    }
}

/// Names in messages, of files and of lists, and standard input.
#[test]
fn names_as_coreutils_quote_them() {
    let directory = Directory::new().file("a", b"a").file("x\ry", b"x");
    let names = [
        "", "it's", "a b", "a:b", "#x", "x#", "~", "~x", "x~", "{", "{}", "}", "!", "x!", "a]", "[", "a\\b", "\"",
        "$x", "x=y", "x^", "a,b", "%", "@", "+", "missing", ".", "./a", "a", "-",
    ];
    for name in COREUTILS {
        directory.compare(name, &[&["--"], &names[..]].concat());
        directory.compare(name, &[&["-c", "--"], &names[..]].concat());
        directory.compare(name, &["-z", "--tag", "x\ry"]);
        let [ours, theirs] = directory.both(name, &["a", "-", "-", "a"], b"standard input");
        assert_eq!(ours, theirs);
        let list = ours.stdout + "-\n";
        for options in [&["-c"][..], &["-c", "-"], &["-c", "--strict", "a", "-"]] {
            let [ours, theirs] = directory.both(name, options, list.as_bytes());
            assert_eq!(ours, theirs, "{name} {options:?}");
        }
        let list = directory.compare(name, &["x\ry", "a"]).stdout;
        fs::write(directory.path("sums"), list + "garbage\n").unwrap();
        directory.compare(name, &["-c", "sums"]);
    }
}

/// Lines that this program reads, and coreutils do not; and no hint, which they do not give. (b2sum takes the byte after
/// `BLAKE2b` for a space, whatever it is, and so `BLAKE2bp (a)` for a line of its own.)
#[test]
fn lines_that_coreutils_do_not_read() {
    let directory = Directory::new().file("a", &message(1000));
    let line = |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).arg("a")).stdout;
    let own = [
        &["--tag"][..],
        &[],
        &["-a", "blake3"],
        &["-a", "blake3", "--tag"],
        &["-a", "blake2s", "--sequential", "--tag"],
        &["-a", "sha224", "--tag"],
        &["-a", "sha256", "--tag"],
        &["-a", "sha256"],
        &["-a", "sha224"],
        &["-a", "sha512", "--tag"],
        &["-a", "sha512"],
        &["-a", "sha384", "--tag"],
        &["--sequential"],
        &["--sequential", "--tag", "-s", "8"],
        &["--sequential", "-s32"],
    ];
    let mut lists: Vec<String> = own.into_iter().map(line).collect();
    let tree = line(&[]);
    lists.push(tree.replace("BLAKE2b-64 (a) = ", "").trim_end().to_owned() + "  a\n");
    lists.push(tree.replace("-64", "-512"));
    lists.push(tree.replace("BLAKE2b-64", "SHA512"));
    lists.push(line(&["-a", "sha256", "--tag"]).replace("SHA256 ", "SHA256\t"));
    lists.push(line(&["-a", "sha256"]).replace("  ", "\t "));
    lists.push(lists.concat());
    for (i, name) in COREUTILS.into_iter().enumerate() {
        for list in fewer(i, &lists) {
            fs::write(directory.path("sums"), list).unwrap();
            for options in [&["-c", "sums"][..], &["-c", "-w", "--strict", "sums"]] {
                directory.compare(name, options);
            }
        }
    }
}

/// Lists whose first line lacks a name, or has NUL: what it decides about the lines after it, and the status.
#[test]
fn first_lines_of_lists_of_coreutils() {
    let directory = Directory::new().file("a", b"a").file("big", b"big");
    let firsts = [
        "HEX ",
        "HEX  ",
        "HEX *",
        "HEX  a\0x",
        "HEX  \0x",
        "HEX \0x",
        "HEX a\0x",
        "HEX\0 a",
        "\\HEX  a\0x",
        "HEX",
        "",
        "TITLE () = HEX",
        "TITLE (a\0x) = HEX",
        "TITLE (a) = HEX\0x",
        "TITLE (a) = \0HEX",
        "\\TITLE (a\0x) = HEX",
        "\0",
    ];
    for name in COREUTILS {
        let title = if name == "b2sum" { "BLAKE2b" } else { &name[..6].to_uppercase() };
        let good = success(outcome(directory.role(name).arg("big")).stdout);
        let wrong = "0".repeat(good.stdout.len() - 6);
        let mut failures = 0;
        for first in firsts {
            let first = first.replace("HEX", &wrong).replace("TITLE", title);
            fs::write(directory.path("sums"), format!("{first}\n{}", good.stdout)).unwrap();
            for options in [&["-c", "sums"][..], &["-c", "--strict", "-w", "sums"]] {
                failures += usize::from(directory.compare(name, options).code == Some(1));
            }
        }
        assert!(failures > firsts.len(), "{name}: {failures}");
    }
    // What `sha256sum` of coreutils 9.1 prints.
    let good = outcome(directory.role("sha256sum").arg("big")).stdout;
    let wrong = "0".repeat(64);
    let check = |first: &str| {
        fs::write(directory.path("sums"), format!("{wrong}{first}\n{good}")).unwrap();
        outcome(directory.role("sha256sum").args(["-c", "sums"]))
    };
    let lost = |name: &str| {
        let text = "No such file or directory\nsha256sum";
        let warnings = format!("' big': {text}: WARNING: 2 listed files could not be read\n");
        let lines = format!("{name}: FAILED open or read\n big: FAILED open or read\n");
        failure(lines, format!("sha256sum: '{name}': {text}: {warnings}"))
    };
    let improper = "sha256sum: WARNING: 1 line is improperly formatted\n".to_owned();
    assert_eq!(check(" "), Outcome { stderr: improper, ..success("big: OK\n") });
    assert_eq!(check("  "), lost(" "));
    assert_eq!(check(" *"), lost("*"));
    let mismatch = "sha256sum: WARNING: 1 computed checksum did NOT match\n";
    assert_eq!(check("  a\0x"), failure("a: FAILED\nbig: OK\n", mismatch));
}

/// A list that is a directory.
#[test]
fn lists_that_coreutils_cannot_read() {
    let directory = Directory::new();
    fs::create_dir(directory.path("d")).unwrap();
    for name in COREUTILS {
        directory.compare(name, &["-c", "d"]);
        for options in [&["-c"][..], &["-c", "-"]] {
            let run = outcome(directory.role(name).args(options).stdin(directory.open("d")));
            assert_eq!(run, failure("", format!("{name}: 'standard input': read error\n")), "{options:?}");
        }
    }
}

/// `--as` comes first, and its options are all that there are.
#[test]
fn roles_by_option() {
    let directory = Directory::new().file("a", b"abc");
    for name in ["sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "b3sum"] {
        let expected = outcome(directory.role(name).arg("a"));
        assert!(expected.code == Some(0) && expected.stdout.ends_with("  a\n"), "{expected:?}");
        assert_eq!(outcome(&mut directory.bt2sum(["--as", name, "a"])), expected);
        assert_eq!(outcome(&mut directory.bt2sum([&format!("--as={name}"), "a"])), expected);
        let missing = outcome(&mut directory.bt2sum(["--as", name, "missing"]));
        assert!(
            missing.code == Some(1) && missing.stderr.starts_with(&format!("{name}: missing: No such")),
            "{missing:?}"
        );
        for arguments in [["--help", "-x"], ["--version", "-x"]] {
            let run = outcome(directory.role(name).args(arguments));
            assert!(run.code == Some(0) && run.stderr.is_empty() && run.stdout.contains(name), "{run:?}");
        }
        for option in ["--algorithm=sha256", "--store=s", "-r", "--as=b2sum", "--sequential"] {
            let run = outcome(directory.role(name).args([option, "a"]));
            let code = if name == "b3sum" { 2 } else { 1 };
            assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{name} {option}");
        }
    }
    for arguments in
        [&["a", "--as", "b2sum"][..], &["--as", "md5sum", "a"], &["--as"], &["--as=", "a"], &["-z", "--as=b2sum"]]
    {
        let run = outcome(&mut directory.bt2sum(arguments.iter().copied()));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains("--as"), "{arguments:?}: {run:?}");
    }
    // Only the whole name counts.
    let own = outcome(&mut directory.bt2sum(["a"]));
    for name in ["sha256sum.old", "gsha256sum", "bt2sum", "SHA256SUM"] {
        assert_eq!(outcome(directory.role(name).arg("a")), own, "{name}");
    }
    let lines = success(outcome(directory.role("b2sum").args(["--tag", "a"])).stdout.replace("(a)", "(-)"));
    assert_eq!(with_pipe(directory.role("b2sum").args(["--tag"]), iter::once(&b"abc"[..])), lines);
}

/// What b3sum 1.8.7 printed and returned in these cases.
#[test]
fn the_cases_of_b3sum() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/b3sum");
    let directory = Directory::new();
    let _ = directory.role("b3sum");
    let path = format!("{}:{}", directory.path("bin").display(), std::env::var("PATH").unwrap());
    let run = outcome(Command::new(format!("{data}/cases.sh")).env("PATH", path));
    let expected = fs::read_to_string(format!("{data}/cases")).unwrap();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for (ours, theirs) in run.stdout.split("\n$ ").zip(expected.split("\n$ ")) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(run.stdout.len(), expected.len());
}

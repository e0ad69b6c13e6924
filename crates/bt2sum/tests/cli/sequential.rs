//! `--sequential`, side by side with coreutils.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::{Directory, Outcome, message, one_of, outcome, success};

/// A program of coreutils, and the options that make ours do the same.
struct Tool {
    name: &'static str,
    ours: &'static [&'static str],
    /// The name of the hash in lines.
    title: &'static str,
    /// The number of bits of a digest.
    bits: usize,
}

const B2SUM: Tool = Tool { name: "b2sum", ours: &["--sequential"], title: "BLAKE2b", bits: 512 };
const SHA256SUM: Tool = Tool { name: "sha256sum", ours: &["--sequential", "-a", "sha256"], title: "SHA256", bits: 256 };
const SHA224SUM: Tool = Tool { name: "sha224sum", ours: &["--sequential", "-a", "sha224"], title: "SHA224", bits: 224 };
const SHA512SUM: Tool = Tool { name: "sha512sum", ours: &["--sequential", "-a", "sha512"], title: "SHA512", bits: 512 };
const SHA384SUM: Tool = Tool { name: "sha384sum", ours: &["--sequential", "-a", "sha384"], title: "SHA384", bits: 384 };
const TOOLS: [Tool; 5] = [B2SUM, SHA256SUM, SHA224SUM, SHA512SUM, SHA384SUM];

fn coreutils(directory: &Directory, name: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(name);
    outcome(command.env("LC_ALL", "C").stdin(Stdio::null()).current_dir(directory.0.path()).args(arguments))
}

impl Tool {
    fn theirs(&self, directory: &Directory, arguments: &[&str]) -> Outcome {
        coreutils(directory, self.name, arguments)
    }

    /// Both programs with the same arguments, ours with its own too, and under the name of the other.
    fn both(&self, directory: &Directory, arguments: &[&str]) -> [Outcome; 2] {
        let ours = outcome(directory.bt2sum(arguments.iter().copied()).args(self.ours));
        let theirs = self.theirs(directory, arguments);
        let role = outcome(directory.role(self.name).args(arguments));
        assert_eq!(role, theirs, "{} {arguments:?}", self.name);
        [ours, Outcome { stderr: theirs.stderr.replace(&format!("{}: ", self.name), "bt2sum: "), ..theirs }]
    }

    /// The options of a run, and of those that the tool alone has.
    fn options(&self, more: &[&'static [&'static str]]) -> Vec<&'static [&'static str]> {
        let common: [&[&str]; 5] = [&[], &["-b"], &["--tag"], &["-z"], &["--tag", "-z"]];
        let more = if self.name == "b2sum" { more } else { &[] };
        common.iter().chain(more).copied().collect()
    }
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
    for tool in TOOLS {
        for options in tool.options(&[&["-l", "256"], &["-l8", "--tag"], &["-l0"]]) {
            let [ours, theirs] = tool.both(&directory, &[options, &names].concat());
            assert_eq!(ours, theirs, "{} {options:?}", tool.name);
            assert_eq!(ours.code, Some(1));
        }
    }
}

/// Each accepts what the other wrote, and rejects the same.
#[test]
fn check_files_both_ways() {
    let (directory, names) = files();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["a\\b", "c\nd"]).collect();
    for tool in TOOLS {
        for options in tool.options(&[&["-l", "256"], &["-l", "8", "--tag"]]) {
            if options.contains(&"-z") {
                continue; // No program reads such lists.
            }
            let [ours, theirs] = tool.both(&directory, &[options, &names].concat());
            assert_eq!(ours, theirs);
            for lines in [&ours.stdout, &theirs.stdout] {
                std::fs::write(directory.path("sums"), lines).unwrap();
                let [ours, theirs] = tool.both(&directory, &["-c", "--strict", "sums"]);
                assert_eq!(ours, theirs);
                assert_eq!((ours.code, ours.stdout.lines().count()), (Some(0), names.len()));
                std::fs::write(directory.path("sums"), lines.replacen("f1000", "f129", 1)).unwrap();
                let [ours, theirs] = tool.both(&directory, &["-c", "--quiet", "sums"]);
                assert_eq!(ours, theirs);
                assert_eq!(ours.code, Some(1));
            }
        }
    }
}

/// Check files that are not in order: the same results, warnings and status.
#[test]
fn odd_check_files() {
    let directory = Directory::new().file("a", b"a").file("b", b"b").file(" c", b"c");
    for tool in TOOLS {
        let Tool { title, bits, .. } = tool;
        let sum = |name| tool.theirs(&directory, &[name]).stdout[..bits / 4].to_owned();
        let (a, b, c) = (sum("a"), sum("b"), sum(" c"));
        let upper = a.to_uppercase();
        let (less, fewer) = (bits - 8, bits / 4 - 2);
        let lists = [
            format!("{a}  a\r\n{b}  b\r\n"),
            format!("# comment\n\n{a}  a\n"),
            format!("{upper} *a\n  {b}  b"),
            format!("{a} a\n{b} b\n"),
            format!("{a}  a\n{b} b\n"),
            format!("{a} a\n{c}  c\n"),
            format!("{a}   c\n"),
            format!("{title} (a) = {a}\n{title}(b)= {b}\n"),
            format!("{title}-{bits} (a) = {a}\n"),
            format!("{title}-{bits} (a) = {a}\n{b}  b\n"),
            format!("{title}-{} (a) = {a}\n{title}-{less} (b) = {}\n", bits / 2, &b[..fewer]),
            format!("{title}-72 (a) = {a}\n{title}-TREE-{bits} (a) = {a}\nMD5 (a) = {a}\n{b}  b\n"),
            format!("{title} (a) = {}\n{title} (a) = {a}00\n{title} (b) = {b}\n", &a[..fewer]),
            format!("SHA1 (a) = {a}\nSHA-{bits} (a) = {a}\nMD5 (a) = {a}\n{b}  b\n"),
            format!("{}  a\n{a}00  a\n{b}  b\n", &a[..bits / 4 - 1]),
            format!("{a}  b\n{b}  b\nnonsense\n{a}  missing\n"),
            format!("\\{a}  a\n\\{b}  \\b\n"),
            format!("\\ No newline at end of file\n{a}  a\n"),
            format!("{a}  missing\n"),
            String::new(),
        ];
        for (i, list) in lists.iter().enumerate() {
            std::fs::write(directory.path("sums"), list).unwrap();
            let all = ["", "-w", "--quiet", "--status", "--strict", "--ignore-missing", "--status --strict -w"];
            // What options do does not depend on the hash: lists of these two tools take one option each, in turn.
            let one = matches!(tool.name, "sha512sum" | "sha384sum").then_some((i + bits) % all.len());
            for (_, options) in
                one_of(i + bits, all.into_iter().enumerate()).filter(|(n, _)| one.is_none_or(|one| one == *n))
            {
                let arguments: Vec<&str> = ["-c", "sums"].into_iter().chain(options.split_whitespace()).collect();
                let [ours, theirs] = tool.both(&directory, &arguments);
                assert_eq!(ours, theirs, "{} {options:?}\n{list}", tool.name);
            }
        }
    }
}

/// Side by side, piece by piece: one of them ends with a piece.
#[test]
fn long_files() {
    let directory = Directory::new().file("a", &message((4 << 20) + 1)).file("b", &message(5 << 20)).file("c", b"c");
    for tool in TOOLS {
        let [ours, theirs] = tool.both(&directory, &["a", "b", "c", "missing", "a"]);
        assert_eq!(ours, theirs);
        assert_eq!(ours.stdout.lines().count(), 4);
    }
}

/// `cksum` has lines of either format, tagged ones by default.
#[test]
fn the_lines_of_cksum() {
    let (directory, names) = files();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["a\\b", "c\nd", "-"]).collect();
    for algorithm in ["blake2b", "sha256", "sha224", "sha512", "sha384"] {
        for (option, of_cksum) in [("--tag", &[][..]), ("--text", &["--untagged"])] {
            let theirs = coreutils(&directory, "cksum", &[&["-a", algorithm][..], of_cksum, &names].concat());
            let ours = outcome(directory.bt2sum(["--sequential", "-a", algorithm, option]).args(&names));
            assert_eq!((ours.code, &ours), (Some(0), &theirs), "{algorithm} {option}");
        }
    }
}

/// Lists with lines of several algorithms, as `cksum` checks them: each line by the algorithm that it names. With
/// `--algorithm`, `cksum` passes over the other lines, and this program checks them all the same.
#[test]
fn lists_of_several_algorithms() {
    let (directory, names) = files();
    let line = |algorithm: &str, name: &str| coreutils(&directory, "cksum", &["-a", algorithm, name]).stdout;
    let algorithms = ["sha256", "sha512", "blake2b", "sha224", "blake2b", "sha384", "sha256", "sha256"];
    let mut list: String = names.iter().zip(algorithms).map(|(name, algorithm)| line(algorithm, name)).collect();
    let check = |options: &[&str]| {
        let arguments = [options, &["--check", "list"]].concat();
        let theirs = coreutils(&directory, "cksum", &arguments);
        let ours = outcome(directory.bt2sum(["--sequential"]).args(&arguments));
        (ours, Outcome { stderr: theirs.stderr.replace("cksum: ", "bt2sum: "), ..theirs })
    };
    std::fs::write(directory.path("list"), &list).unwrap();
    let (ours, theirs) = check(&[]);
    assert_eq!((&ours, ours.code, ours.stdout.matches(": OK").count()), (&theirs, Some(0), 8));
    let all = ours;
    for algorithm in ["blake2b", "sha256", "sha224", "sha512"] {
        let (ours, theirs) = check(&["-a", algorithm, "--strict"]);
        assert_eq!((ours, theirs.code), (all.clone(), Some(1)), "{algorithm}");
    }
    // One line of each is wrong.
    for (name, other) in [("f0", "f1"), ("f128", "f1"), ("f129", "f1")] {
        list = list.replacen(&format!("({name})"), &format!("({other})"), 1);
    }
    std::fs::write(directory.path("list"), &list).unwrap();
    let (ours, theirs) = check(&[]);
    assert_eq!((&ours, ours.stdout.matches("f1: FAILED").count()), (&theirs, 3));
}

#[test]
fn binary_and_text() {
    let directory = Directory::new().file("a", b"");
    let run = |options: &[&str]| outcome(directory.bt2sum(["--sequential", "a"]).args(options));
    assert_eq!(run(&["-b", "--text"]), run(&[]));
    assert_eq!(run(&["--text", "--binary"]), success(run(&[]).stdout.replace("  ", " *")));
}

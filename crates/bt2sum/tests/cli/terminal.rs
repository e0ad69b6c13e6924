//! What only a terminal sees, and what generates files for shells.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Directory, Outcome, outcome};

/// What a terminal gets when a pipe keeps the program waiting for longer than a moment.
fn on_terminal(options: &str, seconds: &str) -> String {
    let directory = Directory::new();
    let program = env!("CARGO_BIN_EXE_bt2sum");
    let line = format!("(echo a; sleep {seconds}; echo b; sleep 0.3; echo c) | {program} {options}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(directory.0.path()).stdin(Stdio::null());
    let Outcome { code, stdout, .. } = outcome(script.env("TERM", "xterm"));
    assert_eq!(code, Some(0), "{stdout}");
    stdout
}

/// Lines that do not state the length of a leaf come with one note for people.
#[test]
fn a_note_about_the_length_of_a_leaf() {
    let notes = |options: &str| {
        on_terminal(options, "0.1").matches("must be checked with the same leaf length, -t 64K;").count()
    };
    for (options, count) in [
        ("-t64k", 1),
        ("-t 64K - /dev/null /dev/null", 1),
        ("-t64k --leaves leaves", 1),
        ("-t64k --mmap /etc/passwd /etc/group", 1),
        ("-t64k --tag", 0),
        ("-t64k --json", 0),
        ("-t64k 2>&1 | cat", 0),
        ("-t64k 2>/dev/null", 0),
        ("", 0),
    ] {
        assert_eq!(notes(options), count, "{options}");
    }
    assert!(!on_terminal("-t5m", "0.1").contains("must be checked"));
}

/// The answer of work that takes less than a second, unless the machine is busy: then the work is done again.
fn within_a_second<T>(work: impl Fn() -> T) -> T {
    for _ in 0..20 {
        let begun = Instant::now();
        let answer = work();
        if begun.elapsed() < Duration::from_secs(1) {
            return answer;
        }
    }
    panic!("the machine is too busy");
}

#[test]
fn progress_of_long_work() {
    // The program may begin later than the shell, on a busy machine.
    assert!(on_terminal("-t1", "2.5").contains("B/s"));
    assert!(!within_a_second(|| on_terminal("-t1", "0.1")).contains("B/s"));
    assert!(!on_terminal("-t1 --no-progress", "1.3").contains("B/s"));
    assert!(!on_terminal("-t1 2>&1 | cat", "1.3").contains("B/s"));
}

/// What a terminal gets while files are read that take longer than a moment.
fn at_work(directory: &Directory, options: &str) -> String {
    let line = format!("{} --rate=40k {options}", env!("CARGO_BIN_EXE_bt2sum"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(directory.0.path()).stdin(Stdio::null());
    let Outcome { code, stdout, .. } = outcome(script.env("TERM", "xterm").env("COLUMNS", "120"));
    assert_eq!(code, Some(0), "{options}: {stdout}");
    stdout
}

/// How much is done and left, which file is read, and how many there are. A hole counts, though it is not read.
#[test]
fn progress_of_many_files() {
    let directory = Directory::new();
    std::fs::create_dir(directory.path("d")).unwrap();
    let directory = directory.file("d/b", &[1; 20_000]).file("d/c\u{1b}", &[2; 40_000]).file("d/e", &[3; 30_000]);
    std::fs::File::create(directory.path("d/a")).unwrap().set_len(5_000_000).unwrap();
    let percent = |shown: &str| {
        let numbers = shown.match_indices("%, ").filter_map(|(at, _)| shown[..at].rsplit(' ').next()?.parse().ok());
        numbers.collect::<Vec<u32>>()
    };
    for options in ["-r --store s d", "--audit --store s d", "--sample=100% --store s d", "--cpus=1 -r d/b d/c* d/e"] {
        let shown = at_work(&directory, options);
        let files = if options.ends_with('e') { 3 } else { 4 };
        assert!(
            shown.contains(&format!("file {files} of {files}: ")) && shown.contains(" left"),
            "{options}: {shown:?}"
        );
        // Lists have names as they are.
        let raw = shown.matches("c\u{1b}").count();
        assert!(shown.contains(r"c\x1B") && raw == usize::from(files == 3), "{options}: {shown:?}");
        let least = if files == 4 { 98 } else { 20 };
        let percent = percent(&shown);
        assert!(!percent.is_empty() && percent.iter().all(|&percent| percent >= least), "{options}: {percent:?}");
    }
}

#[test]
fn completions() {
    let directory = Directory::new();
    for (option, parts) in [
        ("--completions=bash", &["complete -F", "--recursive"][..]),
        ("--completions=zsh", &["#compdef bt2sum", "--recursive"]),
        ("--completions=fish", &["complete -c bt2sum", "recursive"]),
    ] {
        let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum([option]));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{option}");
        assert!(parts.iter().all(|part| stdout.contains(part)), "{option}");
    }
    assert!(!outcome(&mut directory.bt2sum(["--help"])).stdout.contains("--completions"));
}

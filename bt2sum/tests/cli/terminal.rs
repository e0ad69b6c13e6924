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
    assert!(on_terminal("-t1", "1.3").contains("B/s"));
    assert!(!within_a_second(|| on_terminal("-t1", "0.1")).contains("B/s"));
    assert!(!on_terminal("-t1 --no-progress", "1.3").contains("B/s"));
    assert!(!on_terminal("-t1 2>&1 | cat", "1.3").contains("B/s"));
}

#[test]
fn completions_and_manual() {
    let directory = Directory::new();
    for (option, parts) in [
        ("--completions=bash", &["complete -F", "--recursive"][..]),
        ("--completions=zsh", &["#compdef bt2sum", "--recursive"]),
        ("--completions=fish", &["complete -c bt2sum", "recursive"]),
        ("--man", &[".TH bt2sum", "recursive", "TREE"]),
    ] {
        let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum([option]));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{option}");
        assert!(parts.iter().all(|part| stdout.contains(part)), "{option}");
    }
    let help = outcome(&mut directory.bt2sum(["--help"])).stdout;
    assert!(!help.contains("--man") && !help.contains("--completions"));
}

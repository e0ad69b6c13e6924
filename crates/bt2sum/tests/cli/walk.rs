//! `--recursive` where it is hard.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::process::Command;

use crate::in_time::start;
use crate::{Directory, HELLO, Outcome, outcome, success};

/// The list of a directory does not list itself.
#[test]
fn standard_output_is_left_out() {
    let directory = Directory::with_files();
    let run = |append: bool| {
        let sums = File::options().create(true).append(append).write(true).open(directory.path("SUMS")).unwrap();
        Outcome::from(start(directory.bt2sum(["-r", "--tag", "."]).stdout(sums)))
    };
    for append in [false, true] {
        assert_eq!(run(append).code, Some(0));
        let list = std::fs::read_to_string(directory.path("SUMS")).unwrap();
        assert!(!list.contains("SUMS") && list.lines().count() == 2 + 2 * usize::from(append), "{list}");
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "--strict", "SUMS"])).code, Some(0));
    }
    // As an argument, and when it is no output, it is a file as any other.
    assert!(outcome(&mut directory.bt2sum(["-r", "."])).stdout.contains("(./SUMS)"));
}

/// The system takes paths of up to 4095 bytes.
#[test]
fn paths_longer_than_the_system_takes() {
    let directory = Directory::new();
    let name = "d".repeat(200);
    // Shells change to the directories one by one.
    let script = format!(
        "for i in $(seq 30); do mkdir {name} && cd -P {name} || exit 1; printf 'hello s3git\\n' >hello; done 2>&1"
    );
    let made = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.0.path()));
    assert_eq!(made, success(""));
    let run = outcome(&mut directory.bt2sum(["-r", "--tag", "."]));
    assert_eq!((run.code, run.stderr.as_str(), run.stdout.lines().count()), (Some(0), "", 30));
    assert!(run.stdout.lines().all(|line| line.ends_with(HELLO)) && run.stdout.lines().any(|line| line.len() > 6000));
    std::fs::write(directory.path("sums"), &run.stdout).unwrap();
    let checked = outcome(&mut directory.bt2sum(["-c", "--strict", "sums"]));
    assert_eq!((checked.code, checked.stdout.matches(": OK\n").count()), (Some(0), 30), "{}", checked.stderr);
    let plain = outcome(&mut directory.bt2sum(["--sequential", "-r", "."]));
    assert_eq!((plain.code, plain.stdout.lines().count()), (Some(0), 31));
    // The directories are too deep for what removes them by paths.
    let removed = outcome(Command::new("rm").args(["-rf", &name]).current_dir(directory.0.path()));
    assert_eq!(removed, success(""));
}

/// More levels than descriptors, which usually are 1024.
#[test]
fn directories_deeper_than_descriptors() {
    let directory = Directory::new();
    let deepest = format!("{}hello", "d/".repeat(200));
    std::fs::create_dir_all(directory.path(&deepest).parent().unwrap()).unwrap();
    let directory = directory.file(&deepest, b"hello s3git\n").file("a", b"").file("e", b"");
    let script = "ulimit -n 50; exec \"$0\" -r --tag .";
    let mut command = Command::new("bash");
    let run = outcome(command.args(["-c", script, env!("CARGO_BIN_EXE_bt2sum")]).current_dir(directory.0.path()));
    let names: Vec<_> = run.stdout.lines().map(|line| line.split(['(', ')']).nth(1).unwrap()).collect();
    assert_eq!((run.code, run.stderr.as_str(), names), (Some(0), "", vec!["./a", &format!("./{deepest}"), "./e"]));
}

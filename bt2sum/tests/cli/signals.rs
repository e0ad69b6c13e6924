//! Signals, and systems that refuse threads.
#![cfg(target_os = "linux")]

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{Directory, message, outcome, success};

/// The names in the directory, in order.
fn names(directory: &Directory) -> Vec<String> {
    let names = std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A run that writes `leaves` of standard input, and waits for more.
fn waiting(directory: &Directory) -> Child {
    let mut command = directory.bt2sum(["--leaves", "leaves"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !has_begun(child.id()) {
        assert!(child.try_wait().unwrap().is_none());
    }
    child
}

/// Whether this process writes a temporary file, which is there after the handler of signals. One that was left behind, and
/// which it is about to remove, it only reads.
fn has_begun(process: u32) -> bool {
    use std::os::unix::fs::PermissionsExt;

    let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let mut files = files.filter_map(|file| Some(file.ok()?.path()));
    files.any(|file| {
        let is_written = std::fs::symlink_metadata(&file).is_ok_and(|file| file.permissions().mode() & 0o200 != 0);
        let is_temporary = |path: PathBuf| path.extension().is_some_and(|extension| extension == "tmp");
        is_written && std::fs::read_link(&file).is_ok_and(is_temporary)
    })
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap().success());
}

/// The program dies by the signal, so shells end their loops and tell 128 and the number. Nothing is left behind, and
/// nothing that was there is harmed.
#[test]
fn the_program_dies_by_the_signal() {
    let directory = Directory::new().file("leaves", b"bt2leaf\0 of before");
    for (signal, number) in [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("USR1", 10),
        ("USR2", 12),
        ("ALRM", 14),
        ("TERM", 15),
        ("XCPU", 24),
        ("VTALRM", 26),
        ("PROF", 27),
    ] {
        let mut child = waiting(&directory);
        kill(&child, signal);
        let input = child.stdin.take(); // open until the end, or the message would be whole
        let ended = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!((ended.status.signal(), ended.stdout.as_slice()), (Some(number), &b""[..]), "{signal}");
        assert_eq!(names(&directory), ["leaves"], "{signal}");
        assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), b"bt2leaf\0 of before");
    }
}

/// Signals that seldom come, of which shells tell the same number.
#[test]
fn signals_that_seldom_come() {
    let directory = Directory::new();
    for number in [16, 29, 30, 34, 40, 64] {
        let mut child = waiting(&directory);
        kill(&child, &number.to_string());
        let input = child.stdin.take();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(128 + number), "{number}");
        drop(input);
        assert_eq!(names(&directory), [""; 0], "{number}");
    }
}

/// Bash ends its loop if both it and the run get the interrupt of the terminal, and the run dies by it.
#[test]
fn an_interrupt_ends_a_loop() {
    let directory = Directory::new();
    let script =
        format!("for i in 1 2; do echo $i; '{}' --leaves leaves; done; echo end", env!("CARGO_BIN_EXE_bt2sum"));
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(directory.0.path()).process_group(0);
    let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    while names(&directory).is_empty() {
        assert!(shell.try_wait().unwrap().is_none());
    }
    let group = format!("-{}", shell.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let input = shell.stdin.take();
    let ended = shell.wait_with_output().unwrap();
    drop(input);
    assert_eq!((ended.status.signal(), ended.stdout.as_slice()), (Some(2), &b"1\n"[..]));
}

/// The limit for the length of files is an error of writing, with its reason.
#[test]
fn a_file_that_may_not_grow() {
    let directory = Directory::new().file("long", &message(100_000));
    let script = format!("ulimit -f 1; exec '{}' -t 100 --leaves leaves long", env!("CARGO_BIN_EXE_bt2sum"));
    let run = outcome(Command::new("sh").args(["-c", &script]).current_dir(directory.0.path()));
    assert_eq!(run, crate::failure("", "bt2sum: leaves: File too large\n"));
    assert_eq!(names(&directory), ["long"]);
}

/// What killed processes left is removed by the next one that writes the same file, but for what living ones write.
#[test]
fn files_of_killed_processes_are_removed() {
    let directory = Directory::new().file("hello", b"hello");
    for _ in 0..2 {
        let mut child = waiting(&directory);
        kill(&child, "KILL");
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert_eq!(names(&directory).len(), 2, "the second took the place of the first");
    }
    let left = names(&directory);
    assert_eq!((left.len(), left[1].as_str()), (2, "hello"), "{left:?}");
    let other = outcome(&mut directory.bt2sum(["--leaves", "other", "hello"]));
    assert_eq!((other.code, names(&directory)[0].as_str()), (Some(0), left[0].as_str()));

    let mut living = waiting(&directory);
    assert_eq!(names(&directory).len(), 3, "the living one took the place of the dead one");
    drop(living.stdin.take());
    assert_eq!(living.wait().unwrap().code(), Some(0));
}

/// The name of a living process's file is not taken. All names that may be left behind are looked at.
#[test]
fn temporary_names() {
    let directory = Directory::new().file("hello", b"hello");
    let mut first = waiting(&directory);
    let mut second = waiting(&directory);
    let whole = names(&directory);
    assert!(whole[..2].iter().all(|name| Path::new(name).extension().is_some_and(|end| end == "tmp")), "{whole:?}");
    kill(&second, "KILL");
    second.wait().unwrap();
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "leaves", "hello"])).code, Some(0));
    assert_eq!(names(&directory), [whole[0].as_str(), "hello", "leaves"]);
    drop(first.stdin.take());
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(names(&directory), ["hello", "leaves"]);
    // As long as names can be.
    let long = "l".repeat(255);
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", &long, "hello"])).code, Some(0));
    assert_eq!(names(&directory), ["hello", "leaves", &long]);
}

/// Where no thread can be started, the only one there is does all the work. An address space that is too small for
/// another stack stands for a limit of processes, which the superuser does not have.
#[test]
fn no_thread_can_be_started() {
    let directory = Directory::new().file("long", &message(10 << 20));
    let limited = |options: &str| {
        let script = format!(
            "ulimit -v 60000; RUST_MIN_STACK=1000000000 exec '{}' {options} long",
            env!("CARGO_BIN_EXE_bt2sum")
        );
        outcome(Command::new("sh").args(["-c", &script]).current_dir(directory.0.path()))
    };
    for options in ["-t64k", "-t64k --leaves leaves", "-a blake3", "-t64k -cpus 16", "--sequential"] {
        let expected = outcome(directory.bt2sum(options.split(' ')).arg("long")).stdout;
        assert_eq!(limited(options), success(expected), "{options}");
    }
}

/// What is ignored from the start, as `nohup` and shells have it for what runs in the background, ends nothing, and
/// what is not still leaves nothing behind.
#[test]
fn ignored_signals_stay_ignored() {
    for (ignored, heeded, number) in
        [("INT", "TERM", 15), ("HUP", "TERM", 15), ("HUP", "INT", 2), ("TERM", "HUP", 1), ("HUP", "", 0)]
    {
        let directory = Directory::new();
        let names = || std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let script = format!("trap '' {ignored}; exec '{}' --leaves leaves", env!("CARGO_BIN_EXE_bt2sum"));
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(directory.0.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        while !has_begun(child.id()) {
            assert!(child.try_wait().unwrap().is_none());
        }
        let id = child.id().to_string();
        let kill = |signal| Command::new("kill").arg(format!("-{signal}")).arg(&id).status().unwrap();
        // The input goes on until the end.
        let input = child.stdin.take();
        assert!(kill(ignored).success());
        if !heeded.is_empty() {
            assert!(kill(heeded).success());
            assert_eq!(child.wait_with_output().unwrap().status.signal(), Some(number), "{ignored} {heeded}");
            assert_eq!(names().count(), 0, "{ignored} {heeded}");
            continue;
        }
        drop(input);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        assert!(names().eq(["leaves"]));
    }
}

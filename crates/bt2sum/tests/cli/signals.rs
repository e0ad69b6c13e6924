//! Signals, and systems that refuse threads.
#![cfg(target_os = "linux")]

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::in_time::{LIMIT, Run, start};
use crate::process::{has_begun, kill, until_idle};
use crate::{Directory, Outcome, message, outcome, success};

/// The names in the directory, in order.
fn names(directory: &Directory) -> Vec<String> {
    let names = std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A run that writes `leaves` of standard input, and waits for more.
fn waiting(directory: &Directory) -> Run {
    let mut command = directory.bt2sum(["--leaves", "leaves"]);
    let mut child = start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    child.until("a temporary file", |child| has_begun(child.id()));
    until_idle(child.id());
    child
}

/// Whether a test ran in another process, in whose children no signal is ignored.
///
/// Shells ignore interrupts in what runs in the background, and `nohup` ignores hangups. Children inherit this, and
/// shells among them cannot undo it. Children do not ignore what their parent catches. If this process caught hangups,
/// one would end the children of all other tests; so another process does, in a group that the terminal does not reach.
pub(crate) fn ran_without_ignored_signals(test: &str) -> bool {
    /// The variable that makes this program the other process.
    const CATCH: &str = "BT2SUM_TESTS_CATCH";

    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    // The C library keeps 32 and 33. The standard library ignores `SIGPIPE`, except in children.
    let kept = [signal_hook::consts::SIGPIPE, 32, 33];
    let is_ignored = |signal: &i32| (ignored >> (signal - 1)) & 1 == 1 && !kept.contains(signal);
    let mut ignored = (1..=64).filter(is_ignored).peekable();
    if ignored.peek().is_none() {
        return false;
    }
    if std::env::var_os(CATCH).is_some() {
        for signal in ignored {
            signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
        }
        return false;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env(CATCH, "").process_group(0);
    let mut run = start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    // Its own limits come first.
    run.limit = 2 * LIMIT;
    let Outcome { code, stdout, stderr } = run.into();
    assert!(code == Some(0) && stdout.contains(" 1 passed"), "{stdout}{stderr}");
    true
}

/// The program dies by the signal, so shells end their loops and tell 128 and the number. Nothing is left behind, and
/// nothing that was there is harmed.
#[test]
fn the_program_dies_by_the_signal() {
    if ran_without_ignored_signals("signals::the_program_dies_by_the_signal") {
        return;
    }
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
        kill(child.id(), signal);
        let input = child.stdin.take(); // open until the end, or the message would be whole
        let ended = child.wait_with_output();
        drop(input);
        assert_eq!((ended.status.signal(), ended.stdout.as_slice()), (Some(number), &b""[..]), "{signal}");
        assert_eq!(names(&directory), ["leaves"], "{signal}");
        assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), b"bt2leaf\0 of before");
    }
}

/// Signals that seldom come, of which shells tell the same number.
#[test]
fn signals_that_seldom_come() {
    if ran_without_ignored_signals("signals::signals_that_seldom_come") {
        return;
    }
    let directory = Directory::new();
    for number in [16, 29, 30, 34, 40, 64] {
        let mut child = waiting(&directory);
        kill(child.id(), number);
        let input = child.stdin.take();
        assert_eq!(child.wait_with_output().status.code(), Some(128 + number), "{number}");
        drop(input);
        assert_eq!(names(&directory), [""; 0], "{number}");
    }
}

/// Bash ends its loop if both it and the run get the interrupt of the terminal, and the run dies by it.
#[test]
fn an_interrupt_ends_a_loop() {
    if ran_without_ignored_signals("signals::an_interrupt_ends_a_loop") {
        return;
    }
    let directory = Directory::new();
    let script =
        format!("for i in 1 2; do echo $i; '{}' --leaves leaves; done; echo end", env!("CARGO_BIN_EXE_bt2sum"));
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(directory.0.path()).process_group(0);
    let mut shell = start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    shell.until("a temporary file", |_| !names(&directory).is_empty());
    kill(format_args!("-{}", shell.id()), "INT");
    let input = shell.stdin.take();
    let ended = shell.wait_with_output();
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
        kill(child.id(), "KILL");
        assert_eq!(child.wait().signal(), Some(9));
        assert_eq!(names(&directory).len(), 2, "the second took the place of the first");
    }
    let left = names(&directory);
    assert_eq!((left.len(), left[1].as_str()), (2, "hello"), "{left:?}");
    let other = outcome(&mut directory.bt2sum(["--leaves", "other", "hello"]));
    assert_eq!((other.code, names(&directory)[0].as_str()), (Some(0), left[0].as_str()));

    let mut living = waiting(&directory);
    assert_eq!(names(&directory).len(), 3, "the living one took the place of the dead one");
    drop(living.stdin.take());
    assert_eq!(living.wait().code(), Some(0));
}

/// The name of a living process's file is not taken. All names that may be left behind are looked at.
#[test]
fn temporary_names() {
    let directory = Directory::new().file("hello", b"hello");
    let mut first = waiting(&directory);
    let mut second = waiting(&directory);
    let whole = names(&directory);
    assert!(whole[..2].iter().all(|name| Path::new(name).extension().is_some_and(|end| end == "tmp")), "{whole:?}");
    kill(second.id(), "KILL");
    second.wait();
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "leaves", "hello"])).code, Some(0));
    assert_eq!(names(&directory), [whole[0].as_str(), "hello", "leaves"]);
    drop(first.stdin.take());
    assert_eq!(first.wait().code(), Some(0));
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
    if ran_without_ignored_signals("signals::ignored_signals_stay_ignored") {
        return;
    }
    for (ignored, heeded, number) in
        [("INT", "TERM", 15), ("HUP", "TERM", 15), ("HUP", "INT", 2), ("TERM", "HUP", 1), ("HUP", "", 0)]
    {
        let directory = Directory::new();
        let names = || std::fs::read_dir(directory.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let script = format!("trap '' {ignored}; exec '{}' --leaves leaves", env!("CARGO_BIN_EXE_bt2sum"));
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(directory.0.path());
        let mut child = start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
        child.until("a temporary file", |child| has_begun(child.id()));
        // The input goes on until the end.
        let input = child.stdin.take();
        kill(child.id(), ignored);
        if !heeded.is_empty() {
            kill(child.id(), heeded);
            assert_eq!(child.wait_with_output().status.signal(), Some(number), "{ignored} {heeded}");
            assert_eq!(names().count(), 0, "{ignored} {heeded}");
            continue;
        }
        drop(input);
        assert_eq!(child.wait_with_output().status.code(), Some(0));
        assert!(names().eq(["leaves"]));
    }
}

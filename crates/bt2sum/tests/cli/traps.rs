//! Mistakes that checksum programs made, each with a test named after it.

use std::process::{Command, Stdio};

use crate::in_time::start;
use crate::{Directory, HELLO, Outcome, failure, one_of, outcome, output};

/// Digests of `a`, `b` and a name with a backslash and an end of line, as coreutils write them.
fn list() -> (Directory, String) {
    let directory = Directory::new().file("a", b"one").file("b", b"two").file("c\\d\ne", b"three");
    let list = output(&mut directory.bt2sum(["--sequential", "-l", "32", "a", "b", "c\\d\ne"]));
    (directory, String::from_utf8(list.stdout).unwrap())
}

/// What `-c` makes of `list`, here and in coreutils, whose complaints about single files quote names differently.
fn both(directory: &Directory, list: &[u8], options: &[&str]) -> [Outcome; 2] {
    std::fs::write(directory.path("sums"), list).unwrap();
    let ours = directory.bt2sum(["--sequential"]);
    let mut theirs = Command::new("b2sum");
    theirs.current_dir(directory.path("")).env("LC_ALL", "C");
    [ours, theirs].map(|mut program| {
        let Outcome { code, stdout, stderr } = outcome(program.args(["-c", "sums"]).args(options));
        let counts = stderr.lines().filter_map(|line| line.split_once("WARNING: "));
        Outcome { code, stdout, stderr: counts.map(|(_, count)| format!("{count}\n")).collect() }
    })
}

/// coreutils 8.26 to 9.8 read truncated lines, escaped names and CRLF wrongly: a list cut off anywhere, and one with
/// any byte put in, is what coreutils say. The first line stays, for it decides which form the others must have.
/// (Control characters are apart: names that have them are printed escaped here.)
#[cfg(target_os = "linux")]
#[test]
fn trap_check_files_of_damaged_lines() {
    let (directory, list) = list();
    assert!(list.lines().nth(2).is_some_and(|line| line.starts_with('\\') && line.ends_with("  c\\\\d\\ne")), "{list}");
    let [ours, theirs] = both(&directory, list.replace('\n', "\r\n").as_bytes(), &["--strict"]);
    assert_eq!(ours, theirs);
    for place in list.find('\n').unwrap() + 1..=list.len() {
        let [ours, theirs] = both(&directory, &list.as_bytes()[..place], &["-w"]);
        assert_eq!(ours, theirs, "cut off at {place}");
        for byte in one_of(place, *b"\\\n *") {
            let mut list = list.clone().into_bytes();
            list.insert(place, byte);
            let [ours, theirs] = both(&directory, &list, &["--strict"]);
            assert_eq!(ours, theirs, "{byte:#x} at {place}");
        }
    }
}

/// The status is that of the worst line, wherever it stands, and a file that is missing is not one that is good.
#[test]
fn trap_one_ok_hides_later_failures() {
    let directory = Directory::with_files();
    let good = format!("BLAKE2b-64 (hello) = {HELLO}\n");
    let bad = format!("BLAKE2b-64 (empty) = {HELLO}\n");
    let missing = format!("BLAKE2b-64 (missing) = {HELLO}\n");
    for list in [[&good, &bad], [&bad, &good], [&good, &missing], [&missing, &good]] {
        std::fs::write(directory.path("sums"), list.map(String::as_str).concat()).unwrap();
        for options in [&[][..], &["--quiet"], &["--status"]] {
            let run = outcome(directory.bt2sum(["-c", "sums"]).args(options));
            assert_eq!(run.code, Some(1), "{options:?} {list:?}");
        }
    }
}

/// A directory, a read that fails and a disk that is full gave digests of nothing, or status 0, elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn trap_errors_that_look_like_digests() {
    let directory = Directory::with_files();
    std::fs::create_dir(directory.path("directory")).unwrap();
    for mode in [&[][..], &["--sequential"]] {
        for (name, reason) in [("directory", "Is a directory"), ("/proc/self/mem", "Input/output error")] {
            let run = outcome(directory.bt2sum(mode.iter().copied()).arg(name));
            assert_eq!(run, failure("", format!("bt2sum: {name}: {reason}\n")), "{mode:?}");
        }
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut run = directory.bt2sum(mode.iter().copied());
        let run = Outcome::from(start(run.arg("hello").stdout(full).stderr(Stdio::piped())));
        assert_eq!(run, failure("", "bt2sum: write error: No space left on device\n"), "{mode:?}");
    }
    // And in a list: of digests of nothing too, which a failed read must not pass for.
    let nothing = outcome(&mut directory.bt2sum(["empty"])).stdout;
    let list = nothing.replace("empty", "directory") + &nothing;
    std::fs::write(directory.path("sums"), list).unwrap();
    let run = outcome(&mut directory.bt2sum(["-c", "sums"]));
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "directory: FAILED open or read\nempty: OK\n"));
}

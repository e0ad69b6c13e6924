//! Audits of a tree to which something was done: verdicts, and what an update makes of them.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::{EXCHANGED, HINT, TOUCHED, audit, is_known, record, rot, set_time, tree};
use crate::{Directory, message, outcome};

/// Sets the time of modification of a file below `d`.
pub(crate) fn set_exact_time(directory: &Directory, name: &str, time: SystemTime) {
    let file = fs::File::options().write(true).open(directory.path(&format!("d/{name}"))).unwrap();
    file.set_modified(time).unwrap();
}

/// A time that is not of whole seconds.
fn exact(nanoseconds: u32) -> SystemTime {
    UNIX_EPOCH + Duration::new(1_000_000, nanoseconds)
}

/// Files below `d`, with contents and nanoseconds of their time. Leaves have 1000 bytes.
pub(crate) fn files(files: &[(&str, &[u8], u32)]) -> Directory {
    let directory = Directory::new();
    for (name, bytes, nanoseconds) in files {
        let path = directory.path(&format!("d/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        set_exact_time(&directory, name, exact(*nanoseconds));
    }
    directory
}

pub(crate) fn rename(directory: &Directory, from: &str, to: &str) {
    fs::rename(directory.path(&format!("d/{from}")), directory.path(&format!("d/{to}"))).unwrap();
}

/// Renames files one after the other, and none over another.
pub(crate) fn rotate(directory: &Directory, names: &[&str]) {
    rename(directory, names[0], "kept aside");
    for pair in names.windows(2) {
        rename(directory, pair[1], pair[0]);
    }
    rename(directory, "kept aside", names[names.len() - 1]);
}

/// Gives a file another inode, as a copy has, and keeps its time.
fn renew(directory: &Directory, name: &str) {
    let path = directory.path(&format!("d/{name}"));
    let copied = outcome(Command::new("cp").arg("-a").arg(&path).arg(directory.path("renewed")));
    assert_eq!(copied.code, Some(0));
    fs::rename(directory.path("renewed"), path).unwrap();
}

pub(crate) fn set_length(directory: &Directory, name: &str, length: u64) {
    let path = directory.path(&format!("d/{name}"));
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(length).unwrap();
    file.set_modified(time).unwrap();
}

/// The lines without ranges and without hints, the sums and the status.
#[track_caller]
fn verdicts(directory: &Directory, options: &[&str]) -> (Vec<String>, String, i32) {
    let (lines, sums, code) = audit(directory, options);
    let is_hint = |line: &str| [HINT, EXCHANGED].contains(&line);
    (lines.into_iter().filter(|line| !line.contains(": bytes ") && !is_hint(line)).collect(), sums, code)
}

#[track_caller]
pub(crate) fn assert_verdicts(directory: &Directory, options: &[&str], lines: &[&str], sums: &str, code: i32) {
    let lines: Vec<String> = lines.iter().map(|&line| line.into()).collect();
    assert_eq!(verdicts(directory, options), (lines, sums.into(), code), "{options:?}");
}

/// A write sets the time to that of the write, so the time of a file that is dated in the future is no excuse.
#[test]
fn a_file_dated_in_the_future_rots() {
    let directory = tree();
    for (seconds, name) in [(3600, "a"), (150_000_000, "sub/b"), (10_000_000_000, "sub.x")] {
        set_exact_time(&directory, name, SystemTime::now() + Duration::from_secs(seconds));
    }
    record(&directory, &[]);
    for name in ["a", "sub/b", "sub.x"] {
        rot(&directory, name, 0);
    }
    let lines = ["a: rotted", "sub/b: rotted", "sub.x: rotted"];
    for mode in ["--audit", "--update", "--sample=100%", "--audit"] {
        assert_verdicts(&directory, &[mode], &lines, "3 unchanged, 3 rotted", 1);
    }
}

/// A file is young if its time is within 2 seconds of the recording, before or after.
#[test]
fn young_on_both_sides() {
    let directory = tree().file("d/before", b"before").file("d/after", b"after");
    set_exact_time(&directory, "before", SystemTime::now() - Duration::from_millis(300));
    set_exact_time(&directory, "after", SystemTime::now() + Duration::from_millis(1500));
    record(&directory, &[]);
    rot(&directory, "before", 0);
    rot(&directory, "after", 0);
    let lines = ["after: changed", "before: changed"];
    assert_verdicts(&directory, &["--audit"], &lines, "6 unchanged, 2 changed", 1);
    rot(&directory, "before", 0);
    rot(&directory, "after", 0);
    // Once an update or a sample found them as they were, at another time, they are young no more.
    thread::sleep(Duration::from_millis(3600));
    for mode in ["--sample=100%", "--update"] {
        let before = fs::read(directory.path("s")).unwrap();
        assert_verdicts(&directory, &[mode], &[], "8 unchanged", 0);
        rot(&directory, "before", 0);
        rot(&directory, "after", 0);
        let lines = ["after: rotted", "before: rotted"];
        assert_verdicts(&directory, &["--audit"], &lines, "6 unchanged, 2 rotted", 1);
        rot(&directory, "before", 0);
        rot(&directory, "after", 0);
        fs::write(directory.path("s"), before).unwrap();
    }
}

/// No editor leaves the time of a file whose length it changes.
#[test]
fn a_file_cut_short_or_lengthened_rots() {
    let ranges = |directory: &Directory, name: &str| {
        let (lines, _, code) = audit(directory, &["--audit"]);
        assert_eq!(code, 1);
        let begin = format!("{name}: ");
        let lines = lines.iter().filter_map(|line| line.strip_prefix(&begin)).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    for (name, length, range) in [
        ("a", 10_200, "bytes 10000-10499: FAILED"),
        ("a", 4500, "bytes 4000-10499: FAILED"),
        ("a", 1, "bytes 0-10499: FAILED"),
        ("a", 0, "bytes 0-10499: FAILED"),
        ("a", 10_501, "bytes 10000-10500: FAILED"),
        ("a", 20_000, "bytes 10000-19999: FAILED"),
        ("sub.x", 0, "bytes 0-0: FAILED"),
        ("empty", 3, "bytes 0-2: FAILED"),
    ] {
        let directory = tree();
        record(&directory, &[]);
        set_length(&directory, name, length);
        assert_eq!(ranges(&directory, name), ["rotted", range], "{name} {length}");
        // A sample that does not read it sees as much, and an update does not take it.
        let line = [&*format!("{name}: rotted")];
        for mode in ["--sample=0%", "--update", "--update", "--audit"] {
            assert_verdicts(&directory, &[mode], &line, "5 unchanged, 1 rotted", 1);
        }
        set_time(&directory, name, 1_000_001);
        assert_verdicts(&directory, &["--update"], &[&format!("{name}: changed")], "5 unchanged, 1 changed", 0);
        assert_verdicts(&directory, &["--audit"], &[], "6 unchanged", 0);
    }
}

#[test]
fn a_young_file_of_another_length_is_changed() {
    let directory = tree().file("d/young", b"young");
    record(&directory, &[]);
    set_length(&directory, "young", 3);
    for mode in ["--sample=0%", "--audit", "--update"] {
        assert_eq!(verdicts(&directory, &[mode]).0, ["young: changed"], "{mode}");
    }
}

/// The record goes with the file, and does not become that of the rot.
#[test]
fn renamed_and_rotted() {
    let directory = files(&[("a", &message(5500), 1), ("b", &message(5500), 2), ("c", b"c", 3)]);
    record(&directory, &[]);
    rename(&directory, "a", "z");
    rot(&directory, "z", 1500);
    let lines = ["z: moved from a, rotted", "z: bytes 1000-1999: FAILED", HINT].map(str::to_owned).to_vec();
    for mode in ["--audit", "--sample=100%", "--audit"] {
        assert_eq!(audit(&directory, &[mode]), (lines.clone(), "2 unchanged, 1 rotted".into(), 1), "{mode}");
    }
    let run = outcome(&mut directory.bt2sum(["--audit", "--json", "--store", "s", "d"])).stdout;
    let object: serde_json::Value = serde_json::from_str(run.lines().nth(2).unwrap()).unwrap();
    assert_eq!(
        (object["name"].as_str(), object["status"].as_str(), object["from"].as_str(), &object["ranges"]),
        (Some("z"), Some("rotted"), Some("a"), &serde_json::json!([[1000, 1999]]))
    );
    // A sample that reads nothing cannot tell.
    assert_verdicts(&directory, &["--sample=0%"], &["z: new", "a: missing"], "2 unchanged, 1 new, 1 missing", 1);
    assert_eq!(audit(&directory, &["--update"]), (lines, "2 unchanged, 1 rotted".into(), 1));
    for mode in ["--update", "--audit", "--sample=100%", "--update"] {
        let lines = ["z: rotted", "z: bytes 1000-1999: FAILED", HINT].map(str::to_owned).to_vec();
        assert_eq!(audit(&directory, &[mode]), (lines, "2 unchanged, 1 rotted".into(), 1), "{mode}");
    }
    rot(&directory, "z", 1500);
    assert_verdicts(&directory, &["--audit"], &[], "3 unchanged", 0);
}

/// A directory that was renamed, with rot in one of its files.
#[test]
fn a_directory_renamed_with_a_rotted_file() {
    let directory = files(&[("d1/a", b"a", 1), ("d1/b", b"b", 2), ("d1/e/c", b"c", 3), ("x", b"x", 4)]);
    record(&directory, &[]);
    rename(&directory, "d1", "d2");
    rot(&directory, "d2/b", 0);
    let lines = ["d2/a: moved from d1/a", "d2/b: moved from d1/b, rotted", "d2/e/c: moved from d1/e/c"];
    for mode in ["--audit", "--update"] {
        assert_verdicts(&directory, &[mode], &lines, "1 unchanged, 1 rotted, 2 moved", 1);
    }
    assert_verdicts(&directory, &["--update"], &["d2/b: rotted"], "3 unchanged, 1 rotted", 1);
}

/// Contents that another missing file had do not explain rot, nor does a copy of what was there before.
#[test]
fn renamed_and_rotted_beside_others() {
    let directory = files(&[("a", b"aaaa", 1), ("b", b"bbbb", 2), ("zeros", &[0; 4], 3)]);
    record(&directory, &[]);
    fs::copy(directory.path("d/b"), directory.path("d/copy")).unwrap();
    fs::remove_file(directory.path("d/zeros")).unwrap();
    for (old, new, bytes) in [("a", "x", [0; 4]), ("b", "y", [1; 4])] {
        rename(&directory, old, new);
        let time = fs::metadata(directory.path(&format!("d/{new}"))).unwrap().modified().unwrap();
        fs::write(directory.path(&format!("d/{new}")), bytes).unwrap();
        set_exact_time(&directory, new, time);
    }
    let lines = ["copy: new", "x: moved from a, rotted", "y: moved from b, rotted", "zeros: missing"];
    assert_verdicts(&directory, &["--audit"], &lines, "0 unchanged, 2 rotted, 1 new, 1 missing", 1);
}

/// Where the length and the time do not tell which file it was, nothing is said.
#[test]
fn what_is_not_known_to_be_renamed() {
    let with = |others: &[(&str, &[u8], u32)]| files(&[&[("a", &b"aaaa"[..], 1)], others].concat());
    let whole = files(&[("a", b"aaaa", 0)]);
    let another_record = with(&[("b", b"bbbb", 1)]);
    let two_missing = with(&[("b", b"bbbb", 1)]);
    let another_file = with(&[("b", b"b", 7)]);
    let other_time = with(&[]);
    for directory in [&whole, &another_record, &two_missing, &another_file, &other_time] {
        record(directory, &[]);
        rename(directory, "a", "z");
        rot(directory, "z", 0);
        renew(directory, "z");
    }
    assert_verdicts(&whole, &["--audit"], &["z: new", "a: missing"], "0 unchanged, 1 new, 1 missing", 1);
    assert_verdicts(&another_record, &["--audit"], &["z: new", "a: missing"], "1 unchanged, 1 new, 1 missing", 1);
    fs::remove_file(two_missing.path("d/b")).unwrap();
    assert_eq!(verdicts(&two_missing, &["--audit"]).1, "0 unchanged, 1 new, 2 missing");
    // Another file that came to have that length and time.
    fs::write(another_file.path("d/b"), b"xxxx").unwrap();
    set_exact_time(&another_file, "b", exact(1));
    assert_eq!(verdicts(&another_file, &["--audit"]).1, "0 unchanged, 1 changed, 1 new, 1 missing");
    set_exact_time(&other_time, "z", exact(2));
    assert_eq!(verdicts(&other_time, &["--audit"]).1, "0 unchanged, 1 new, 1 missing");
    // A young file may have been edited.
    let young = files(&[("b", b"b", 7)]).file("d/a", b"aaaa");
    record(&young, &[]);
    rename(&young, "a", "z");
    rot(&young, "z", 0);
    assert_eq!(verdicts(&young, &["--audit"]).1, "1 unchanged, 1 new, 1 missing");
}

/// Names that were exchanged, among files of one time.
#[test]
fn exchanged_names() {
    let contents = [&message(2500)[..], &message(2501)[1..], &message(2502)[2..], &message(9)].map(<[u8]>::to_vec);
    let names = ["a", "b", "c", "short"];
    let all: Vec<_> = names.iter().zip(&contents).map(|(&name, bytes)| (name, &bytes[..], 5)).collect();
    for order in [&[0, 1][..], &[0, 3], &[0, 1, 2], &[2, 0, 1, 3]] {
        let directory = files(&all);
        record(&directory, &[]);
        let exchanged: Vec<_> = order.iter().map(|&i| names[i]).collect();
        rotate(&directory, &exchanged);
        let mut lines: Vec<_> = (0..order.len())
            .map(|i| format!("{}: moved from {}", exchanged[i], exchanged[(i + 1) % order.len()]))
            .collect();
        lines.sort();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let sums = format!("{} unchanged, {} moved", 4 - order.len(), order.len());
        for mode in ["--audit", "--sample=100%"] {
            assert_verdicts(&directory, &[mode], &lines, &sums, 1);
        }
        assert_verdicts(&directory, &["--update"], &lines, &sums, 0);
        assert_verdicts(&directory, &["--audit"], &[], "4 unchanged", 0);
        // The records went with the contents, leaves included.
        for &name in &exchanged {
            rot(&directory, name, 0);
        }
        let found = audit(&directory, &["--audit"]).0;
        for name in exchanged {
            let last = fs::metadata(directory.path(&format!("d/{name}"))).unwrap().len().min(1000) - 1;
            assert!(found.contains(&format!("{name}: bytes 0-{last}: FAILED")), "{found:?}");
        }
    }
}

/// Files that were renamed one after the other, the last to a new name.
#[test]
fn names_passed_on() {
    let directory = files(&[("a", b"aaaa", 1), ("b", b"bbbb", 1), ("c", b"cccc", 1)]);
    record(&directory, &[]);
    for (from, to) in [("c", "new"), ("b", "c"), ("a", "b")] {
        rename(&directory, from, to);
    }
    let lines = ["b: moved from a", "c: moved from b", "new: moved from c"];
    assert_verdicts(&directory, &["--audit"], &lines, "0 unchanged, 3 moved", 1);
    assert_verdicts(&directory, &["--update"], &lines, "0 unchanged, 3 moved", 0);
    assert_verdicts(&directory, &["--audit"], &[], "3 unchanged", 0);
}

/// A sample that reads one of two files that exchanged names says what else the verdict can mean.
#[test]
fn a_sample_of_exchanged_names() {
    let directory = files(&[("a", b"one", 1), ("b", b"two", 1)]);
    record(&directory, &[]);
    rotate(&directory, &["a", "b"]);
    let (lines, sums, code) = audit(&directory, &["--sample=0.000001%"]);
    assert_eq!((lines.len(), sums.as_str(), code), (4, "1 unchanged, 1 rotted", 1), "{lines:?}");
    assert!(lines[0].ends_with(": rotted") && lines[2..] == [HINT, EXCHANGED], "{lines:?}");
    // What reads all files tells the one from the other.
    for mode in ["--sample=100%", "--audit"] {
        let moved = ["a: moved from b", "b: moved from a"].map(str::to_owned).to_vec();
        assert_eq!(audit(&directory, &[mode]), (moved, "0 unchanged, 2 moved".into(), 1), "{mode}");
    }
    rot(&directory, "a", 0);
    for mode in ["--audit", "--sample=100%"] {
        let (lines, ..) = audit(&directory, &[mode]);
        assert!(lines.last().is_some_and(|line| line == HINT), "{mode}: {lines:?}");
    }
}

/// What looks like an exchange, and lost what was recorded.
#[test]
fn rot_that_has_the_bytes_of_another_file() {
    let all = [("a", &[7; 3000][..], 0), ("b", &[8; 3000], 0), ("z1", &[0; 3000], 0), ("z2", &[0; 3000], 0)];
    let write = |directory: &Directory, name: &str, bytes: &[u8]| {
        let path = directory.path(&format!("d/{name}"));
        fs::write(path, bytes).unwrap();
        set_exact_time(directory, name, exact(0));
    };
    let recorded = || {
        let directory = files(&all);
        record(&directory, &[]);
        directory
    };
    // Zeros, and so are files that stand.
    let directory = recorded();
    write(&directory, "a", &[0; 3000]);
    for mode in ["--audit", "--update", "--audit"] {
        assert_verdicts(&directory, &[mode], &["a: rotted"], "3 unchanged, 1 rotted", 1);
    }
    // Files of zeros that are gone or renamed explain no zeros elsewhere.
    rename(&directory, "z1", "z3");
    fs::remove_file(directory.path("d/z2")).unwrap();
    let lines = ["a: rotted", "z3: moved from z1", "z2: missing"];
    assert_verdicts(&directory, &["--audit"], &lines, "1 unchanged, 1 rotted, 1 missing, 1 moved", 1);
    // One of two that were exchanged rotted.
    let directory = recorded();
    rotate(&directory, &["a", "b"]);
    rot(&directory, "a", 0);
    assert_verdicts(&directory, &["--audit"], &["a: rotted", "b: rotted"], "2 unchanged, 2 rotted", 1);
    // A file that stands, and its bytes in the place of another.
    let directory = recorded();
    write(&directory, "b", &[7; 3000]);
    assert_verdicts(&directory, &["--audit"], &["b: rotted"], "3 unchanged, 1 rotted", 1);
    // Exchanged, and a copy beside them.
    let directory = recorded();
    rotate(&directory, &["a", "z1"]);
    write(&directory, "copy", &[7; 3000]);
    let lines = ["a: moved from z1", "z1: moved from a", "copy: new"];
    assert_verdicts(&directory, &["--audit"], &lines, "2 unchanged, 1 new, 2 moved", 1);
    // A file renamed over another: that one is lost.
    let directory = recorded();
    rename(&directory, "b", "a");
    assert_verdicts(&directory, &["--audit"], &["a: rotted", "b: missing"], "2 unchanged, 1 rotted, 1 missing", 1);
}

/// A hard link has the length and the time of the file.
#[test]
fn hard_links() {
    let directory = files(&[("a", b"aaaa", 1), ("b", b"bbbb", 2)]);
    let link = |from: &str, to: &str| {
        fs::hard_link(directory.path(&format!("d/{from}")), directory.path(&format!("d/{to}"))).unwrap();
    };
    record(&directory, &[]);
    link("a", "new");
    assert_verdicts(&directory, &["--update"], &["new: new"], "2 unchanged, 1 new", 0);
    rename(&directory, "new", "other");
    rot(&directory, "a", 0);
    if is_known() {
        let lines = ["a: rotted", "other: moved from new, rotted"];
        assert_verdicts(&directory, &["--audit"], &lines, "1 unchanged, 2 rotted", 1);
    }
    renew(&directory, "other");
    let lines = ["a: rotted", "other: new", "new: missing"];
    assert_verdicts(&directory, &["--audit"], &lines, "1 unchanged, 1 rotted, 1 new, 1 missing", 1);
}

/// The file that moved, and other new ones with its contents.
#[test]
fn moved_and_copied() {
    let directory = files(&[("a", b"aaaa", 1), ("b", b"bbbb", 2)]);
    record(&directory, &[]);
    rename(&directory, "a", "n2");
    fs::copy(directory.path("d/n2"), directory.path("d/n1")).unwrap();
    let lines = ["n1: new", "n2: moved from a"];
    assert_verdicts(&directory, &["--audit"], &lines, "1 unchanged, 1 new, 1 moved", 1);
    assert_verdicts(&directory, &["--update"], &lines, "1 unchanged, 1 new, 1 moved", 0);
    assert_verdicts(&directory, &["--audit"], &[], "3 unchanged", 0);
}

/// No name speaks to the terminal, or makes a line of its own.
#[test]
fn names_are_quoted_for_people() {
    let hostile = "\u{1b}]0;pwn\u{7}";
    let directory = files(&[("c1 \u{9b}m", b"1", 1), (hostile, b"2", 2), ("line\nfeed", b"3", 3), ("a b", b"4", 4)]);
    record(&directory, &[]);
    rot(&directory, hostile, 0);
    rename(&directory, "line\nfeed", "tab\t");
    rename(&directory, "c1 \u{9b}m", "'c1'");
    rot(&directory, "a b", 0);
    let lines = [
        r"$'\x1B]0;pwn\x07': rotted",
        "a b: rotted",
        r#""'c1'": moved from $'c1 \xC2\x9Bm'"#,
        r"$'tab\t': moved from $'line\nfeed'",
    ];
    assert_verdicts(&directory, &["--audit"], &lines, "0 unchanged, 2 rotted, 2 moved", 1);
    let run = outcome(&mut directory.bt2sum(["--audit", "--store", "s", "d"])).stdout;
    assert!(run.contains(r"$'\x1B]0;pwn\x07': bytes 0-0: FAILED"), "{run}");
    assert!(run.chars().all(|char| char == '\n' || !char.is_control()), "{run:?}");
}

/// A file that was written just before it was recorded can be written again within the same time.
#[test]
fn young_files_do_not_rot() {
    let directory = tree().file("d/young", b"young");
    record(&directory, &[]);
    rot(&directory, "young", 0);
    let lines = vec!["young: changed".to_owned(), "young: bytes 0-4: changed".into()];
    assert_eq!(audit(&directory, &["--audit"]), (lines, "6 unchanged, 1 changed".into(), 1));
    // Once an update has seen it older, it rots.
    set_time(&directory, "young", 1_000_000);
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    rot(&directory, "young", 0);
    assert_eq!(audit(&directory, &["--audit"]).1, "6 unchanged, 1 rotted");
}

/// Times that no clock tells are no overflow.
#[test]
fn strange_times() {
    let directory = tree();
    let far = SystemTime::now() + Duration::from_secs(10_000_000_000);
    let long_ago = UNIX_EPOCH - Duration::from_secs(1_000_000_000);
    for (name, time) in [("a", far), ("sub/b", long_ago)] {
        let file = fs::File::options().write(true).open(directory.path(&format!("d/{name}"))).unwrap();
        file.set_modified(time).unwrap();
    }
    record(&directory, &[]);
    assert_eq!(audit(&directory, &["--audit"]).1, "6 unchanged");
    rot(&directory, "a", 0);
    rot(&directory, "sub/b", 0);
    assert_eq!(audit(&directory, &["--audit"]).1, "4 unchanged, 2 rotted");
}

/// A weekly job with `--quiet` tells what is lost, and fails by that alone.
#[test]
fn what_a_quiet_audit_tells() {
    let directory = tree().file("d/sub/old", b"old").file("d/edited", b"one");
    let run = |options: &[&str]| {
        let run = outcome(directory.bt2sum(["--quiet", "--store", "s"]).args(options).arg("d"));
        assert_eq!(run.stderr, "", "{run:?}");
        (run.code, run.stdout)
    };
    let modes = ["--audit", "--sample=100%", "--update"];
    let silent = (Some(0), String::new());
    // New, changed and moved.
    record(&directory, &[]);
    rename(&directory, "sub/old", "moved");
    fs::write(directory.path("d/edited"), b"another").unwrap();
    set_time(&directory, "edited", 5);
    fs::write(directory.path("d/new"), b"new").unwrap();
    for mode in modes {
        assert_eq!(run(&[mode]), silent, "{mode}");
        assert_eq!(run(&[mode, "--json"]), silent, "{mode}");
    }
    assert_verdicts(&directory, &["--audit"], &[], "9 unchanged", 0);
    // What is lost, among what is not.
    rot(&directory, "a", 5500);
    fs::remove_file(directory.path("d/new")).unwrap();
    fs::write(directory.path("d/newer"), b"newer").unwrap();
    let lines = format!("a: rotted\na: bytes 5000-5999: FAILED\nnew: missing\n{HINT}\n1 rotted, 1 missing, root ");
    let before = fs::read(directory.path("s")).unwrap();
    for mode in modes {
        let (code, stdout) = run(&[mode, "--json"]);
        fs::write(directory.path("s"), &before).unwrap();
        let statuses = stdout.lines().filter_map(|line| line.split_once(r#","status":""#)?.1.split('"').next());
        assert_eq!((code, statuses.collect::<Vec<_>>()), (Some(1), vec!["rotted", "missing"]), "{mode}: {stdout}");
        assert!(stdout.contains(r#"{"unchanged":7,"changed":0,"rotted":1,"new":1,"missing":1,"#), "{mode}: {stdout}");
        let (code, stdout) = run(&[mode]);
        let stdout = stdout.replace(&format!("a{TOUCHED}\n"), "");
        assert!(code == Some(1) && stdout.starts_with(&lines), "{mode}: {stdout}");
        assert_eq!(stdout.lines().count(), 5, "{mode}: {stdout}");
    }
    // A file of whole seconds that was renamed and rotted is missing, and its new name is told.
    set_time(&directory, "sub/deep/c", 7);
    assert_eq!(run(&["--update"]).0, Some(1));
    fs::write(directory.path("d/empty2"), b"").unwrap();
    rename(&directory, "sub/deep/c", "c2");
    rot(&directory, "c2", 0);
    renew(&directory, "c2");
    let before = fs::read(directory.path("s")).unwrap();
    for mode in ["--audit", "--sample=100%", "--sample=0", "--update"] {
        let (code, stdout) = run(&[mode]);
        assert!(code == Some(1) && stdout.contains("c2: new\nsub/deep/c: missing\n"), "{mode}: {stdout}");
        assert!(
            !stdout.contains("empty") && !stdout.contains("newer") && !stdout.contains("1 new"),
            "{mode}: {stdout}"
        );
    }
    fs::write(directory.path("s"), before).unwrap();
    let objects = run(&["--update", "--json"]).1;
    assert!(objects.contains(r#"{"name":"c2","status":"new","#), "{objects}");
    // The update has taken over what is missing, and keeps the record of what rotted.
    let (code, stdout) = run(&["--update"]);
    assert!(code == Some(1) && stdout.contains("\n1 rotted, root "), "{stdout}");
    rot(&directory, "a", 5500);
    assert_eq!(run(&["--update"]), silent);
}

//! Stores under signals, full disks, few descriptors, and other programs. The old store is there, or the new one.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::in_time::start;
use crate::process::{has_begun, has_opened, kill};
use crate::signals::ran_without_ignored_signals;
use crate::store::{audit, record, rot, tree};
use crate::store_verdicts::{assert_verdicts, files, rename, rotate};
use crate::{Directory, message, outcome};

/// Kills runs that write the store after random times, and looks at the store after each.
fn killed(times: u32) {
    let directory = tree().file("d/more", &message(300_000));
    record(&directory, &[]);
    let (mut whole, mut before) = (0, fs::read(directory.path("s")).unwrap());
    let begun = Instant::now();
    audit(&directory, &["--update"]);
    // From no time to twice that of a run.
    let longest = 2 * u64::try_from(begun.elapsed().as_micros()).unwrap();
    for i in 0..times {
        fs::write(directory.path("d/changing"), i.to_le_bytes()).unwrap();
        let options = [&["--update"][..], &["-r", "-t", "1000", "--force"], &["--sample=100%"]][i as usize % 3];
        let mut command = directory.bt2sum(["--store", "s"]);
        let mut run = start(command.args(options).arg("d").stdout(Stdio::null()));
        thread::sleep(Duration::from_micros((u64::from(i.wrapping_mul(2_654_435_761)) * longest) >> 32));
        run.kill().unwrap();
        run.wait();
        let after = fs::read(directory.path("s")).unwrap();
        whole += u32::from(after != before);
        before = after;
        let sampled = outcome(&mut directory.bt2sum(["--sample=0%", "--store", "s", "d"]));
        assert!(sampled.stderr.is_empty() && sampled.stdout.contains("root"), "{i}: {sampled:?}");
    }
    assert!(whole > 0, "no run came to its end");
    // The next writer removes what is left of a killed one.
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 2);
}

#[test]
fn killed_at_random() {
    killed(50);
}

#[test]
#[ignore = "takes half a minute"]
fn killed_at_random_500_times() {
    killed(500);
}

/// A limit for the length of files stands for a full disk.
#[test]
fn a_store_that_may_not_grow() {
    let directory = tree().file("d/more", &message(300_000));
    record(&directory, &["--exclude=more"]);
    let before = fs::read(directory.path("s")).unwrap();
    for mode in ["-r -t 1000 --force", "--update --force"] {
        fs::write(directory.path("s"), &before).unwrap();
        if mode.starts_with("--update") {
            record(&directory, &["--force"]);
            fs::write(directory.path("d/more2"), message(500_000)).unwrap();
        }
        let old = fs::read(directory.path("s")).unwrap();
        let script = format!("ulimit -f 10; exec '{}' {mode} --store s d", env!("CARGO_BIN_EXE_bt2sum"));
        let run = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.path("")));
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), "bt2sum: s: File too large\n"), "{run:?}");
        assert_eq!(fs::read(directory.path("s")).unwrap(), old, "{mode}");
        assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 2, "{mode}");
    }
}

/// A file system of a few pages, where mounting is allowed.
#[test]
fn a_full_disk() {
    let directory = tree().file("d/more", &message(300_000));
    fs::create_dir(directory.path("m")).unwrap();
    let program = env!("CARGO_BIN_EXE_bt2sum");
    let script = format!(
        "mount -t tmpfs -o size=24k none m 2>/dev/null || exit 77
        '{program}' -r -t 100k --store m/s d && cp m/s old && '{program}' -r -t 1000 --force --store m/s d
        echo $?; ls -A m; cmp m/s old"
    );
    let mut command = Command::new("unshare");
    let run = outcome(command.args(["-rm", "sh", "-c", &script]).current_dir(directory.path("")));
    if run.code != Some(77) && !run.stderr.starts_with("unshare") {
        assert!(run.stdout.ends_with("\n1\ns\n"), "{run:?}");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), "bt2sum: m/s: No space left on device\n"));
    }
}

/// A signal ends a run without leaving anything.
#[test]
fn a_signal_leaves_nothing() {
    if ran_without_ignored_signals("store_kept::a_signal_leaves_nothing") {
        return;
    }
    let directory = tree().file("d/more", &message(900_000));
    let names = |directory: &Directory| fs::read_dir(directory.path("")).unwrap().count();
    let mut run = start(&mut directory.bt2sum(["-r", "--store", "s", "--rate", "100k", "d"]));
    run.until("a temporary file", |_| names(&directory) == 2);
    kill(run.id(), "TERM");
    assert_eq!(run.wait().code(), None);
    assert_eq!(names(&directory), 1);
}

/// Files wait for their turn without descriptors.
#[test]
fn more_directories_than_descriptors() {
    let directory = Directory::new();
    for i in 0..400 {
        fs::create_dir_all(directory.path(&format!("d/{i}"))).unwrap();
        fs::write(directory.path(&format!("d/{i}/f")), b"x").unwrap();
    }
    for (mode, sums) in [("-r", "400 files, 400 bytes, root"), ("--audit", "400 unchanged, root")] {
        let script = format!("ulimit -n 40; exec '{}' {mode} --store s d", env!("CARGO_BIN_EXE_bt2sum"));
        let run = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.path("")));
        assert!(run.code == Some(0) && run.stdout.starts_with(sums), "{mode}: {run:?}");
    }
}

/// Files that cannot be read have their turn in a sample, and then others have theirs.
#[test]
fn samples_come_to_every_file() {
    for lost in ["missing", "a link"] {
        let directory = tree();
        record(&directory, &[]);
        fs::remove_file(directory.path("d/a")).unwrap();
        if lost == "a link" {
            std::os::unix::fs::symlink("sub", directory.path("d/a")).unwrap();
        }
        rot(&directory, "sub/deep/c", 0);
        let found = (0..6).any(|_| audit(&directory, &["--sample=1%"]).1.contains("1 rotted"));
        assert!(found, "{lost}");
    }
}

/// A file that takes the name of the store during an update is not replaced.
#[test]
fn another_file_in_the_place_of_a_store() {
    let directory = tree().file("d/more", &message(300_000)).file("precious", b"precious");
    record(&directory, &[]);
    for mode in ["--update", "--sample=100%"] {
        let mut command = directory.bt2sum([mode, "--rate=300k", "--store", "s", "d"]);
        let mut run = start(command.stdout(Stdio::null()).stderr(Stdio::piped()));
        let store = fs::canonicalize(directory.path("s")).unwrap();
        run.until("the store is open", |run| has_begun(run.id()) && has_opened(run.id(), &store));
        fs::copy(directory.path("s"), directory.path("kept")).unwrap();
        fs::rename(directory.path("precious"), directory.path("s")).unwrap();
        let run = crate::Outcome::from(run);
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), "bt2sum: s: another program replaced the catalogue\n"));
        assert_eq!(fs::read(directory.path("s")).unwrap(), b"precious", "{mode}");
        fs::rename(directory.path("s"), directory.path("precious")).unwrap();
        fs::rename(directory.path("kept"), directory.path("s")).unwrap();
    }
}

/// The superuser keeps somebody's store for them.
#[test]
fn a_store_keeps_its_owner() {
    let directory = tree();
    record(&directory, &[]);
    // Only the superuser may give files away.
    if chown(directory.path("s"), Some(12_345), Some(54_321)).is_ok() {
        for options in [&["--update"][..], &["--sample=1%"], &["-r", "--force"]] {
            assert_eq!(outcome(directory.bt2sum(options.iter().copied()).args(["--store", "s", "d"])).code, Some(0));
            let store = fs::metadata(directory.path("s")).unwrap();
            assert_eq!((store.uid(), store.gid()), (12_345, 54_321), "{options:?}");
        }
    }
}

/// A recording of a directory that lost most of its files, as one whose disk is not mounted, replaces no store.
#[test]
fn a_store_of_many_files() {
    let directory = tree();
    record(&directory, &[]);
    let before = fs::read(directory.path("s")).unwrap();
    fs::remove_dir_all(directory.path("d")).unwrap();
    fs::create_dir(directory.path("d")).unwrap();
    let run = outcome(&mut directory.bt2sum(["-r", "--store", "s", "d"]));
    let reason = "bt2sum: s: --store would replace a catalogue of 6 entries; an update takes over what changed, --force replaces it\n";
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), reason), "{run:?}");
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    record(&directory, &["--force"]);
}

/// A pipe in the place of a store is refused at once, and one lane of one thread is enough.
#[test]
fn pipes_and_one_lane() {
    let directory = tree();
    let one = ["--backend=portable", "--cpus=1"];
    assert!(record(&directory, &one).starts_with("5 files"));
    assert_eq!(audit(&directory, &["--audit"]).1, "6 unchanged");
    assert_eq!(audit(&directory, &[&one[..], &["--audit"]].concat()).1, "6 unchanged");
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("pipe"))).code, Some(0));
    let run = outcome(&mut directory.bt2sum(["--audit", "--store", "pipe", "d"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), "bt2sum: pipe: not a catalogue\n"));
}

/// The new store is begun when all names are known. A run that is killed before leaves the old one.
#[test]
fn nothing_is_written_before_all_is_known() {
    // The first file is more than is read at a time.
    let directory = files(&[
        ("0", &message(3_000_000), 3),
        ("a", &message(1_000_000), 1),
        ("b", &message(1_000_001)[1..], 1),
        ("c", b"c", 2),
    ]);
    record(&directory, &[]);
    rotate(&directory, &["a", "b"]);
    rename(&directory, "c", "moved");
    rot(&directory, "moved", 0);
    let before = fs::read(directory.path("s")).unwrap();
    let mut command = directory.bt2sum(["--update", "--rate=2m", "--store", "s", "d"]);
    let mut run = start(command.stdout(Stdio::null()));
    // The last file but one.
    let read = fs::canonicalize(directory.path("d/b")).unwrap();
    run.until("a file is read that follows two others", |run| has_opened(run.id(), &read));
    kill(run.id(), "STOP");
    let others = fs::read_dir(directory.path("")).unwrap().map(|entry| entry.unwrap());
    let unfinished: Vec<_> = others.filter(|entry| entry.path().extension().is_some_and(|end| end == "tmp")).collect();
    assert_eq!(unfinished.iter().map(|entry| entry.metadata().unwrap().size()).collect::<Vec<_>>(), [0]);
    run.kill().unwrap();
    run.wait();
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    let lines = ["a: moved from b", "b: moved from a", "moved: moved from c, rotted"];
    assert_verdicts(&directory, &["--update"], &lines, "1 unchanged, 1 rotted, 2 moved", 1);
    assert_verdicts(&directory, &["--audit"], &["moved: rotted"], "3 unchanged, 1 rotted", 1);
    assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 2);
}

/// Recording again would bless what rotted meanwhile.
#[test]
fn a_store_is_not_recorded_over() {
    let directory = tree();
    record(&directory, &[]);
    rot(&directory, "a", 0);
    let before = fs::read(directory.path("s")).unwrap();
    let run = outcome(&mut directory.bt2sum(["-r", "--store", "s", "d"]));
    let reason = "bt2sum: s: --store would replace a catalogue of 6 entries; an update takes over what changed, --force replaces it\n";
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(2), "", reason));
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    assert_verdicts(&directory, &["--audit"], &["a: rotted"], "5 unchanged, 1 rotted", 1);
    record(&directory, &["--force"]);
    assert_verdicts(&directory, &["--audit"], &[], "6 unchanged", 0);
}

/// A store that came while another was recorded is not replaced either.
#[test]
fn a_store_that_came_meanwhile() {
    let directory = tree().file("d/long", &message(300_000));
    record(&directory, &[]);
    rename_store(&directory, "s", "other");
    let mut command = directory.bt2sum(["-r", "--rate=200k", "--store", "s", "d"]);
    let mut run = start(command.stdout(Stdio::null()).stderr(Stdio::piped()));
    run.until("a temporary file", |run| has_begun(run.id()));
    fs::copy(directory.path("other"), directory.path("s")).unwrap();
    let run: crate::Outcome = run.into();
    assert!(run.code == Some(1) && run.stderr.contains("would replace a catalogue of 7 entries"), "{run:?}");
    assert_eq!(fs::read(directory.path("s")).unwrap(), fs::read(directory.path("other")).unwrap());
}

fn rename_store(directory: &Directory, from: &str, to: &str) {
    fs::rename(directory.path(from), directory.path(to)).unwrap();
}

/// Nothing was compared, which is not that something changed.
#[test]
fn a_directory_that_is_missing() {
    let directory = tree().file("file", b"file");
    record(&directory, &[]);
    let before = fs::read(directory.path("s")).unwrap();
    for mode in ["--audit", "--update", "--sample=1%", "--sample=0%", "--update --force"] {
        for (name, reason) in [("nowhere", "No such file or directory"), ("file", "Not a directory")] {
            let run = outcome(directory.bt2sum(mode.split(' ')).args(["--store", "s", name]));
            let expected = format!("bt2sum: {name}: {reason}\n");
            assert_eq!((run.code, run.stdout, run.stderr), (Some(3), String::new(), expected), "{mode}");
        }
    }
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 3);
    // A recording of nothing is a failure like any other.
    assert_eq!(outcome(&mut directory.bt2sum(["-r", "--store", "t", "nowhere"])).code, Some(1));
    // What is wrong with the arguments comes first.
    assert_eq!(outcome(&mut directory.bt2sum(["--audit", "--store", "none", "nowhere"])).code, Some(2));
}

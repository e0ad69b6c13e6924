//! Repairs that are killed, or meet full disks and other programs: what was right stays right.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::SystemTime;

use crate::in_time::{Run, start};
use crate::process::kill;
use crate::repair::{assert_repair, copied, copy, repair, state};
use crate::signals::ran_without_ignored_signals;
use crate::store::{audit, record, rot};
use crate::store_verdicts::{files, set_length};
use crate::{Directory, Outcome, message, outcome};

/// The length of a leaf.
const LEAF: usize = 1000;

/// `d/f`, of which every second leaf rotted, its copy, and how it was.
fn damaged(leaves: usize, leaf: usize) -> (Directory, Vec<u8>, Vec<u8>) {
    let whole = message(leaves * leaf);
    let directory = files(&[("f", &whole, 7), ("other", b"other", 8)]);
    assert_eq!(outcome(&mut directory.bt2sum(["-r", "--store=s", &format!("-t{leaf}"), "d"])).code, Some(0));
    copy(&directory, "copy");
    let mut bytes = whole.clone();
    bytes.iter_mut().step_by(2 * leaf).for_each(|byte| *byte ^= 1);
    let time = fs::metadata(directory.path("d/f")).unwrap().modified().unwrap();
    fs::write(directory.path("d/f"), &bytes).unwrap();
    fs::File::options().write(true).open(directory.path("d/f")).unwrap().set_modified(time).unwrap();
    (directory, whole, bytes)
}

/// What the repair has beside the store.
fn note(directory: &Directory) -> Option<PathBuf> {
    let entries = fs::read_dir(directory.path("")).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| path.extension().is_some_and(|end| end == "tmp"))
}

/// When the system last saw a change of `d/f`.
fn changed(directory: &Directory) -> (i64, i64) {
    let file = fs::metadata(directory.path("d/f")).unwrap();
    (file.ctime(), file.ctime_nsec())
}

/// A repair of `d/f` that takes long, after it has written some leaves.
fn slow(directory: &Directory) -> Run {
    let mut command = directory.bt2sum(["--repair", "--from=copy", "--rate=40k", "--store=s", "d"]);
    let before = fs::read(directory.path("d/f")).unwrap();
    let mut run = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    run.until("a leaf that is mended", |_| fs::read(directory.path("d/f")).unwrap() != before);
    run
}

/// After each kill, all leaves are as they were or right, an audit tells rot, and nothing takes it for an edit. Another
/// repair finishes.
#[test]
fn killed_at_random() {
    let leaf = 1 << 17;
    let (directory, whole, bytes) = damaged(20, leaf);
    let time = fs::metadata(directory.path("d/f")).unwrap().modified().unwrap();
    for i in 0..20 {
        let before = changed(&directory);
        let mut command = directory.bt2sum(["--repair", "--from=copy", "--store=s", "d"]);
        let mut run = start(command.stdout(Stdio::null()));
        run.until("the first write", |_| changed(&directory) != before);
        thread::sleep(Duration::from_micros(100 * i));
        run.kill().unwrap();
        run.wait();
        let now = fs::read(directory.path("d/f")).unwrap();
        assert_eq!(now.len(), whole.len());
        let mixed = (0..20).filter(|i| {
            let of = |bytes: &[u8]| bytes[i * leaf..(i + 1) * leaf].to_vec();
            of(&now) != of(&whole) && of(&now) != of(&bytes)
        });
        assert!(mixed.count() <= 1, "{i}");
        let expected = if now == whole { "2 unchanged" } else { "1 unchanged, 1 rotted" };
        assert_eq!(audit(&directory, &["--audit"]).1, expected, "{i}");
        assert_eq!(repair(&directory, &[]).2, 0, "{i}");
        assert_eq!(fs::read(directory.path("d/f")).unwrap(), whole);
        assert_eq!(fs::metadata(directory.path("d/f")).unwrap().modified().unwrap(), time);
        assert_eq!(note(&directory), None);
        let file = fs::File::options().write(true).open(directory.path("d/f")).unwrap();
        file.write_all_at(&bytes, 0).and_then(|()| file.set_modified(time)).unwrap();
    }
}

/// A kill while a leaf is written leaves half of it, and the time of that. What is beside the store tells.
#[test]
fn killed_within_a_leaf() {
    let (directory, whole, _) = damaged(50, LEAF);
    let before = fs::metadata(directory.path("d/f")).unwrap().modified().unwrap();
    let mut run = slow(&directory);
    run.kill().unwrap();
    run.wait();
    let left = fs::read(note(&directory).unwrap()).unwrap();
    assert!(left.starts_with(b"bt2mend\0") && left.ends_with(b"f"), "{left:?}");
    // Its time is back, so nothing is to be told.
    assert_eq!(fs::metadata(directory.path("d/f")).unwrap().modified().unwrap(), before);
    assert_eq!(audit(&directory, &["--audit"]).1, "1 unchanged, 1 rotted");
    let file = fs::File::options().write(true).open(directory.path("d/f")).unwrap();
    file.write_all_at(b"half", (48 * LEAF + 500) as u64).unwrap();
    assert_ne!(file.metadata().unwrap().modified().unwrap(), before);
    for options in [&["--audit"][..], &["--repair", "--dry-run", "--from=copy"]] {
        let (_, sums, _) = audit(&directory, options);
        assert!(sums.starts_with("1 unchanged, 1 ") && !sums.contains("changed, 1 changed"), "{sums}");
    }
    let store = fs::read(directory.path("s")).unwrap();
    for mode in ["--update", "--sample=100%", "-r --force -t 1000"] {
        let run = outcome(directory.bt2sum(["--store=s"]).args(mode.split(' ')).arg("d"));
        let reason = "bt2sum: s: a repair was interrupted while it wrote to f; another repair finishes it\n";
        assert_eq!(run, Outcome { code: Some(1), stdout: String::new(), stderr: reason.into() }, "{mode}");
    }
    assert_eq!(fs::read(directory.path("s")).unwrap(), store);
    assert_eq!(repair(&directory, &[]).1, "1 unchanged, 1 mended");
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), whole);
    assert_eq!((file.metadata().unwrap().modified().unwrap(), note(&directory)), (before, None));
    assert_eq!(audit(&directory, &["--update"]).1, "2 unchanged");
    // An edit that comes later is one.
    let (directory, ..) = damaged(50, LEAF);
    let mut run = slow(&directory);
    run.kill().unwrap();
    run.wait();
    let path = note(&directory).unwrap();
    let note = fs::File::options().write(true).open(path).unwrap();
    note.set_modified(SystemTime::now() - Duration::from_secs(70)).unwrap();
    fs::write(directory.path("d/f"), b"edited").unwrap();
    assert_eq!(repair(&directory, &[]).1, "1 unchanged, 1 changed");
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), b"edited");
    assert_eq!(audit(&directory, &["--update"]).1, "1 unchanged, 1 changed");
}

/// A signal waits until the leaf is written and the file has its time again.
#[test]
fn a_signal() {
    if ran_without_ignored_signals("repair_kept::a_signal") {
        return;
    }
    let (directory, whole, bytes) = damaged(50, LEAF);
    let before = fs::metadata(directory.path("d/f")).unwrap().modified().unwrap();
    let mut run = slow(&directory);
    // While it works, nobody else writes the store.
    let second = outcome(&mut directory.bt2sum(["--repair", "--from=copy", "--store=s", "d"]));
    let reason = "bt2sum: s: Another process is writing this file\n";
    assert_eq!(second, Outcome { code: Some(1), stdout: String::new(), stderr: reason.into() });
    kill(run.id(), "TERM");
    assert_eq!(run.wait().code(), None);
    let now = fs::read(directory.path("d/f")).unwrap();
    let of = |bytes: &[u8], i: usize| bytes[i * LEAF..(i + 1) * LEAF].to_vec();
    assert!((0..50).all(|i| of(&now, i) == of(&whole, i) || of(&now, i) == of(&bytes, i)) && now != bytes);
    assert_eq!((fs::metadata(directory.path("d/f")).unwrap().modified().unwrap(), note(&directory)), (before, None));
    assert_eq!(repair(&directory, &[]).1, "1 unchanged, 1 mended");
}

/// What somebody writes meanwhile is theirs, and its time stays.
#[test]
fn a_file_that_changes() {
    let (directory, ..) = damaged(50, LEAF);
    let run = slow(&directory);
    let mut file = fs::File::options().append(true).open(directory.path("d/f")).unwrap();
    file.write_all(b"more").unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    let run = Outcome::from(run);
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
    assert!(run.stdout.starts_with("f: rotted: File changed while it was mended\n"), "{run:?}");
    let after = file.metadata().unwrap();
    assert_eq!((after.modified().unwrap(), after.len()), (time, 50_004));
    assert!(fs::read(directory.path("d/f")).unwrap().ends_with(b"more"));
}

/// A file that cannot become longer is as long as it was, and nothing is left of one that cannot be brought back. A limit
/// for the length of files stands for a full disk.
#[test]
fn files_that_may_not_grow() {
    for missing in [false, true] {
        let (directory, whole, _) = damaged(40, LEAF);
        set_length(&directory, "f", 3500);
        if missing {
            fs::remove_file(directory.path("d/f")).unwrap();
        }
        let before = state(&directory, "d");
        let script =
            format!("ulimit -f 10; exec '{}' --repair --missing --from=copy --store s d", env!("CARGO_BIN_EXE_bt2sum"));
        let run = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.path("")));
        let line =
            if missing { "f: missing: File too large\n" } else { "f: bytes 3000-39999: FAILED: File too large\n" };
        assert!((run.code, &*run.stderr) == (Some(1), "") && run.stdout.contains(line), "{run:?}");
        let mut after = state(&directory, "d");
        if let Some((bytes, ..)) = after.get_mut("/f") {
            // The leaves that are there are mended all the same.
            assert_eq!(*bytes, [&whole[..3000], &before["/f"].0[3000..]].concat());
            bytes.clone_from(&before["/f"].0);
        }
        assert_eq!(after, before);
        assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 3);
    }
}

/// A file system of a few pages, and one that is read only, where mounting is allowed.
#[test]
fn full_disks_and_those_for_reading() {
    let (directory, whole, bytes) = damaged(40, LEAF);
    fs::create_dir(directory.path("m")).unwrap();
    let program = env!("CARGO_BIN_EXE_bt2sum");
    let script = format!(
        "mount -t tmpfs -o size=24k none m 2>/dev/null || exit 77
        cp -a d/other m && head -c 4096 d/f > m/f && touch -r d/f m/f && cp s m
        '{program}' --repair --from=copy --store s m; echo $?; stat -c '%s %Y' m/f
        rm m/f; '{program}' --repair --missing --from=copy --store s m; echo $?; ls -A m
        umount m; mount --bind d m && mount -o remount,ro,bind m || exit 77
        '{program}' --repair --missing --from=copy --store s m | sed '/bytes/d'"
    );
    let run = outcome(Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(directory.path("")));
    if run.code != Some(77) && !run.stderr.starts_with("unshare") {
        let lines: Vec<&str> = run.stdout.lines().map(|line| line.split(", root").next().unwrap()).collect();
        let space = "No space left on device";
        let expected = [
            "f: rotted",
            "f: bytes 0-999: mended from copy",
            "f: bytes 2000-2999: mended from copy",
            &format!("f: bytes 4000-39999: FAILED: {space}"),
            "1 unchanged, 1 rotted",
            "1",
            "4096 1000000",
            &format!("f: missing: {space}"),
            "1 unchanged, 1 missing",
            "1",
            "other",
            "s",
            "f: rotted: Read-only file system",
            "1 unchanged, 1 rotted",
        ];
        assert_eq!((lines, &*run.stderr), (expected.to_vec(), ""));
    }
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), bytes);
    assert_eq!(repair(&directory, &[]).1, "1 unchanged, 1 mended");
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), whole);
}

/// What is right on the disk is left alone, though what the system has in memory is wrong. For the superuser, where a file
/// can be mounted.
#[test]
fn what_is_right_on_the_disk() {
    let directory = Directory::new();
    fs::create_dir(directory.path("m")).unwrap();
    let whole: Vec<u8> = (0..20_000_u32).flat_map(|i| format!("{i:07}\n").into_bytes()).collect();
    fs::write(directory.path("copy"), &whole).unwrap();
    let program = env!("CARGO_BIN_EXE_bt2sum");
    let script = format!(
        "truncate -s 8M image && mkfs.ext4 -q -O ^has_journal image && mount -o loop image m || exit 77
        mkdir m/d && cp copy m/d/f && touch -d 2019-01-01 m/d/f && sync
        '{program}' -r -t 4k --store s m/d
        at=$(grep -abo 0010000 image | head -n 1 | cut -d : -f 1)
        printf X | dd of=image bs=1 seek=$at conv=notrunc,fsync status=none
        dd if=m/d/f iflag=nocache count=0 status=none; cmp -s m/d/f copy && exit 77
        printf 0 | dd of=image bs=1 seek=$at conv=notrunc,fsync status=none
        '{program}' --audit --quiet --store s m/d; stat -c %z m/d/f
        '{program}' --repair --from=copy --store s m/d; stat -c %z m/d/f
        '{program}' --audit --quiet --store s m/d"
    );
    let run = outcome(Command::new("unshare").args(["-m", "sh", "-c", &script]).current_dir(directory.path("")));
    if run.code == Some(0) {
        let lines: Vec<&str> = run.stdout.lines().map(|line| line.split(", root").next().unwrap()).collect();
        assert_eq!(lines[1..3], ["f: rotted", "f: bytes 77824-81919: FAILED"], "{run:?}");
        // Nothing was written: the time of all changes stays.
        assert_eq!(lines[5..], [lines[5], "1 unchanged", lines[5]], "{run:?}");
    }
}

/// The repair mends whole files before it tells of them.
#[test]
fn a_closed_pipe() {
    let (directory, whole, _) = damaged(40, LEAF);
    rot(&directory, "other", 0);
    let mut command = directory.bt2sum(["--repair", "--from=copy", "--store=s", "d"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = start(command.stdout(writer).stderr(Stdio::piped()));
    assert_eq!(Outcome::from(run), crate::failure("", ""));
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), whole);
    assert_eq!((repair(&directory, &[]).2, note(&directory)), (0, None));
}

/// A file of somebody in the place of what a repair has beside the store stays, and so does one in the place of a file
/// that is to be brought back.
#[test]
fn files_of_others() {
    let (directory, ..) = damaged(50, LEAF);
    let mut run = slow(&directory);
    let path = note(&directory).unwrap();
    run.kill().unwrap();
    run.wait();
    fs::write(&path, b"precious").unwrap();
    let before = state(&directory, "d");
    let run = outcome(&mut directory.bt2sum(["--repair", "--from=copy", "--store=s", "d"]));
    let name = path.file_name().unwrap().to_str().unwrap();
    let reason = format!("bt2sum: s: {name} beside it is in the way, and is no file of this program\n");
    assert_eq!(run, Outcome { code: Some(1), stdout: String::new(), stderr: reason });
    assert_eq!((fs::read(&path).unwrap(), state(&directory, "d")), (b"precious".to_vec(), before));
    fs::remove_file(path).unwrap();
    // The name comes while the file is brought back.
    fs::remove_file(directory.path("d/f")).unwrap();
    let mut command = directory.bt2sum(["--repair", "--missing", "--from=copy", "--rate=60k", "--store=s", "d"]);
    let mut run = start(command.stdout(Stdio::piped()));
    let copy = fs::canonicalize(directory.path("copy/f")).unwrap();
    run.until("the copy is open", |run| crate::process::has_opened(run.id(), &copy));
    fs::write(directory.path("d/f"), b"precious").unwrap();
    let run = Outcome::from(run);
    assert!(run.code == Some(1) && run.stdout.starts_with("f: missing: File exists\n"), "{run:?}");
    assert_eq!(fs::read(directory.path("d/f")).unwrap(), b"precious");
    assert_eq!(fs::read_dir(directory.path("d")).unwrap().count(), 2);
}

/// A store that is damaged, or another's, mends nothing.
#[test]
fn a_damaged_store() {
    let directory = copied();
    rot(&directory, "a", 1);
    let before = state(&directory, "d");
    let mut bytes = fs::read(directory.path("s")).unwrap();
    bytes[200] ^= 1;
    fs::write(directory.path("s"), bytes).unwrap();
    let run = outcome(&mut directory.bt2sum(["--repair", "--from=copy", "--store=s", "d"]));
    assert_eq!((run.code, &*run.stderr), (Some(2), "bt2sum: s: damaged or truncated\n"));
    assert_eq!(state(&directory, "d"), before);
    record(&directory, &["--force"]);
    assert_repair(&directory, &[], &[], "6 unchanged", 0);
}

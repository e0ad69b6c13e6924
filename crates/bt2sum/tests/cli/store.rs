//! `--store`: recording a tree of files, and audits of it.
#![cfg(target_os = "linux")]

use core::time::Duration;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::time::{Instant, UNIX_EPOCH};

use crate::in_time::start;
use crate::process::has_locked;
use crate::{Directory, Outcome, message, outcome};

/// A directory with a tree below `d`, all of it old. Its leaves have 1000 bytes.
pub(crate) fn tree() -> Directory {
    let directory = Directory::new();
    fs::create_dir_all(directory.path("d/sub/deep")).unwrap();
    let directory = directory
        .file("d/a", &message(10_500))
        .file("d/empty", b"")
        .file("d/sub/b", &message(3000))
        .file("d/sub/deep/c", b"c")
        .file("d/sub.x", b"x");
    symlink("a", directory.path("d/link")).unwrap();
    for name in ["a", "empty", "sub/b", "sub/deep/c", "sub.x"] {
        set_time(&directory, name, 1_000_000);
        set_mode(&directory, name, 0o644);
    }
    directory
}

/// Sets the time of modification of a file below `d`.
pub(crate) fn set_time(directory: &Directory, name: &str, seconds: u64) {
    let file = fs::File::options().write(true).open(directory.path(&format!("d/{name}"))).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

/// Sets the permissions of a file below `d`.
pub(crate) fn set_mode(directory: &Directory, name: &str, mode: u32) {
    fs::set_permissions(directory.path(&format!("d/{name}")), Permissions::from_mode(mode)).unwrap();
}

/// Changes bytes of a file below `d`, and keeps its time.
pub(crate) fn rot(directory: &Directory, name: &str, at: usize) {
    let path = directory.path(&format!("d/{name}"));
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
}

/// What an audit says at its end, if something rotted.
pub(crate) const HINT: &str = "rotted: if a change was wanted, update with --accept NAME";

/// What a sample says after this, if it did not read all files.
pub(crate) const EXCHANGED: &str =
    "rotted: files of one time that exchanged names look like this to a sample: an audit tells";

/// Whether the machine tells which one it is, without which inodes are not recorded.
pub(crate) fn is_known() -> bool {
    let has_id = |path| fs::read_to_string(path).is_ok_and(|text| text.trim_end().len() == 32);
    ["/etc/machine-id", "/var/lib/dbus/machine-id"].into_iter().any(has_id)
}

/// The hashes of catalogues, by the options that record with them, and the lengths of their leaves.
pub(crate) const HASHES: [(&[&str], usize); 3] =
    [(&[], 1000), (&["-a", "blake2s"], 1000), (&["-a", "blake3", "-t", "1k"], 1024)];

/// A line about a range of bytes between leaves of 1000 bytes, as it is with leaves of another length. The end of `sub/b`
/// stays.
pub(crate) fn with_leaves(line: &str, leaf: usize) -> String {
    let bytes = line.split_once(": bytes ").and_then(|(name, rest)| Some((name, rest.split_once(": ")?)));
    let Some((name, (range, word))) = bytes.filter(|(_, (_, word))| !word.starts_with("surplus")) else {
        return line.to_owned();
    };
    let (first, last) = range.split_once('-').unwrap();
    let border = |at: usize| if at.is_multiple_of(1000) { at / 1000 * leaf } else { at };
    let (first, end) = (border(first.parse().unwrap()), last.parse::<usize>().unwrap() + 1);
    let end = if (name, end) == ("sub/b", 3000) { end } else { border(end) };
    format!("{name}: bytes {first}-{}: {word}", end - 1)
}

/// Records `d` in `s`, with these options too.
pub(crate) fn record(directory: &Directory, options: &[&str]) -> String {
    let run = outcome(directory.bt2sum(["-r", "--store", "s", "-t", "1000"]).args(options).arg("d"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run.stdout
}

/// What is said of a file that rotted by [`rot`]: only a disk changes bytes and no time of change.
pub(crate) const TOUCHED: &str = ": ctime moved";

/// The lines of an audit by `s`, without those about times of change and the last, of which all before the root is
/// left; and the status.
#[track_caller]
pub(crate) fn audit(directory: &Directory, options: &[&str]) -> (Vec<String>, String, i32) {
    let run = outcome(directory.bt2sum(["--store", "s"]).args(options).arg("d"));
    assert_eq!(run.stderr, "", "{run:?}");
    let lines = run.stdout.lines().filter(|line| !line.ends_with(TOUCHED));
    let mut lines: Vec<String> = lines.map(Into::into).collect();
    let sums = lines.pop().unwrap();
    (lines, sums.split_once(", root ").unwrap().0.to_owned(), run.code.unwrap())
}

#[test]
fn an_unchanged_tree() {
    for (hash, _) in HASHES {
        an_unchanged_tree_by(hash);
    }
}

fn an_unchanged_tree_by(hash: &[&str]) {
    let directory = tree();
    let line = record(&directory, hash);
    assert!(line.starts_with("5 files, 1 link, 13502 bytes, root ") && line.trim_end().len() == 35 + 64, "{line}");
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    // Also with another time, and elsewhere.
    set_time(&directory, "a", 2_000_000);
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    fs::rename(directory.path("d"), directory.path("e")).unwrap();
    symlink("e", directory.path("d")).unwrap();
    assert_eq!(audit(&directory, &["--audit", "--direct", "--cpus=1"]), (vec![], "6 unchanged".into(), 0));
    // The root covers what the files are, not when they were looked at.
    set_time(&directory, "a", 1_000_000);
    assert_eq!(record(&directory, &[&["--force"], hash].concat()), line);
    set_time(&directory, "a", 1_000_001);
    assert_ne!(record(&directory, &[&["--force"], hash].concat()), line);
}

#[test]
fn an_edit_is_told_from_rot() {
    for (hash, leaf) in HASHES {
        an_edit_is_told_from_rot_by(hash, leaf);
    }
}

fn an_edit_is_told_from_rot_by(hash: &[&str], leaf: usize) {
    let directory = tree();
    record(&directory, hash);
    rot(&directory, "a", 5500);
    rot(&directory, "a", 10_499);
    fs::write(directory.path("d/sub/b"), message(3001)).unwrap();
    rot(&directory, "sub/deep/c", 0);
    set_time(&directory, "sub/deep/c", 1_000_001);
    let lines = ["a: rotted", "a: bytes 5000-5999: FAILED", "a: bytes 10000-10499: FAILED"];
    let more =
        ["sub/b: changed", "sub/b: bytes 2000-3000: changed", "sub/deep/c: changed", "sub/deep/c: bytes 0-0: changed"];
    let expected = [&lines[..], &more, &[HINT]].concat();
    let (found, sums, code) = audit(&directory, &["--audit"]);
    assert_eq!(
        (found, sums.as_str(), code),
        (expected.iter().map(|line| with_leaves(line, leaf)).collect(), "3 unchanged, 2 changed, 1 rotted", 1)
    );
}

#[test]
fn moved_files() {
    let directory = tree().file("d/twin1", b"twin").file("d/twin2", b"twin").file("d/empty2", b"");
    record(&directory, &[]);
    for name in ["twin1", "twin2", "empty", "empty2"] {
        fs::remove_file(directory.path(&format!("d/{name}"))).unwrap();
    }
    let directory = directory.file("d/new1", b"twin").file("d/new2", b"twin").file("d/new3", b"twin").file("d/e", b"");
    let lines = [
        "e: new",
        "new1: moved from twin1",
        "new2: moved from twin2",
        "new3: new",
        "empty: missing",
        "empty2: missing",
    ];
    let expected = (lines.map(Into::into).to_vec(), "5 unchanged, 2 new, 2 missing, 2 moved".into(), 1);
    assert_eq!(audit(&directory, &["--audit"]), expected);
    // Without their contents, none is known to be moved.
    assert_eq!(audit(&directory, &["--sample=0%"]).1, "5 unchanged, 4 new, 4 missing");
}

#[test]
fn links_are_not_followed() {
    let directory = tree();
    fs::create_dir(directory.path("out")).unwrap();
    let directory = directory.file("out/secret", b"secret");
    symlink("../out", directory.path("d/way")).unwrap();
    assert!(record(&directory, &[]).starts_with("5 files, 2 links, 13502 bytes"));
    fs::remove_file(directory.path("d/link")).unwrap();
    symlink("b", directory.path("d/link")).unwrap();
    // A directory that becomes a link to the same files has none of them.
    fs::rename(directory.path("d/sub"), directory.path("out/sub")).unwrap();
    symlink("../out/sub", directory.path("d/sub")).unwrap();
    // A file becomes a link, and a link a file.
    fs::rename(directory.path("d/a"), directory.path("out/a")).unwrap();
    symlink("../out/a", directory.path("d/a")).unwrap();
    fs::remove_file(directory.path("d/way")).unwrap();
    let directory = directory.file("d/way", b"way");
    let (lines, sums, code) = audit(&directory, &["--audit"]);
    let expected = ["a: changed", "link: changed", "way: changed", "sub: new", "sub/b: missing", "sub/deep/c: missing"];
    assert_eq!(
        (lines, sums.as_str(), code),
        (expected.map(Into::into).to_vec(), "2 unchanged, 3 changed, 1 new, 2 missing", 1)
    );
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
}

#[test]
fn names_of_all_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let directory = tree();
    for name in [&b"new\nline"[..], b"\xff", b"back\\slash"] {
        fs::write(directory.path("d").join(OsStr::from_bytes(name)), name).unwrap();
    }
    record(&directory, &[]);
    assert_eq!(audit(&directory, &["--audit"]).1, "9 unchanged");
    let run = outcome(&mut directory.bt2sum(["-r", "--store", "s", "--json", "--force", "d"])).stdout;
    assert!(
        run.contains(r#"{"name_hex":"ff","status":"recorded","#) && run.contains(r#"{"name":"new\nline","#),
        "{run}"
    );
    fs::remove_file(directory.path("d/new\nline")).unwrap();
    assert_eq!(audit(&directory, &["--audit"]).0, [r"$'new\nline': missing"]);
}

/// What is left out, of the recording and of audits.
#[test]
fn what_is_left_out() {
    let directory = tree();
    fs::create_dir(directory.path("d/cache")).unwrap();
    let directory = directory.file("d/cache/x", b"x").file("d/sub/y.tmp", b"y").file("d/sub/deep/z.tmp", b"z");
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("d/pipe"))).code, Some(0));
    let line =
        record(&directory, &["--exclude=cache/", "--exclude", "*.tmp", "--exclude=sub/deep", "--one-file-system"]);
    assert!(line.starts_with("4 files, 1 link, 13501 bytes, root "), "{line}");
    assert!(line.ends_with(" (1 special file left out)\n"), "{line}");
    let directory = directory.file("d/new.tmp", b"").file("d/cache/y", b"");
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "5 unchanged".into(), 0));
    let wrong = outcome(&mut directory.bt2sum(["-r", "--store", "t", "--exclude=[", "d"]));
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(!directory.path("t").exists());
    // The store itself and the output.
    let output = fs::File::create(directory.path("d/out")).unwrap();
    let run = Outcome::from(start(directory.bt2sum(["-r", "--store", "d/store", "d"]).stdout(output)));
    assert_eq!(run.code, Some(0));
    assert!(fs::read_to_string(directory.path("d/out")).unwrap().starts_with("10 files, 1 link"));
    fs::remove_file(directory.path("d/out")).unwrap();
    let run = outcome(&mut directory.bt2sum(["--update", "--store", "d/store", "d"]));
    assert!(run.stdout.starts_with("11 unchanged, root "), "{run:?}");
}

#[test]
fn an_update_takes_over_what_changed_on_purpose() {
    let directory = tree();
    record(&directory, &[]);
    rot(&directory, "a", 0);
    let directory = directory.file("d/sub/b", b"edited").file("d/new", &message(2500));
    fs::remove_file(directory.path("d/empty")).unwrap();
    let (lines, sums, code) = audit(&directory, &["--update"]);
    assert_eq!((sums.as_str(), code), ("3 unchanged, 1 changed, 1 rotted, 1 new, 1 missing", 1), "{lines:?}");
    // The rotten file has the record that it had.
    let (lines, sums, _) = audit(&directory, &["--audit"]);
    assert_eq!(
        (lines, sums.as_str()),
        (["a: rotted", "a: bytes 0-999: FAILED", HINT].map(Into::into).to_vec(), "5 unchanged, 1 rotted")
    );
    rot(&directory, "a", 0);
    assert_eq!(audit(&directory, &["--update"]), (vec![], "6 unchanged".into(), 0));
}

/// A disk that is not mounted is no empty archive.
#[test]
fn an_update_that_looks_like_an_accident() {
    let directory = tree();
    record(&directory, &[]);
    let before = fs::read(directory.path("s")).unwrap();
    for name in ["a", "empty", "link"] {
        fs::remove_file(directory.path(&format!("d/{name}"))).unwrap();
    }
    assert_eq!(audit(&directory, &["--update"]).2, 0, "half of the files");
    fs::write(directory.path("s"), &before).unwrap();
    fs::remove_file(directory.path("d/sub.x")).unwrap();
    let update = |options: &[&str]| outcome(directory.bt2sum(["--update", "--store", "s"]).args(options).arg("d"));
    let run = update(&[]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr, "bt2sum: s: not updated: more than half of the files are missing; --force updates it\n");
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    assert_eq!(update(&["--force"]).code, Some(0));
    assert_eq!(audit(&directory, &["--audit"]).1, "2 unchanged");
    let gone = outcome(&mut directory.bt2sum(["--update", "--store", "s", "nowhere"]));
    assert_eq!((gone.code, gone.stderr.as_str()), (Some(3), "bt2sum: nowhere: No such file or directory\n"));
}

/// A run as a user who may not read everything, which the superuser may.
pub(crate) fn as_user(directory: &Directory, options: &[&str]) -> Outcome {
    let mut command = directory.bt2sum([]);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        // A copy, since users need not reach the program. Of what this process writes, a child that other tests start
        // has a descriptor for a moment, and the system does not run a file that is open for writing.
        let copy = outcome(Command::new("cp").arg(env!("CARGO_BIN_EXE_bt2sum")).arg(directory.path("bt2sum")));
        assert_eq!(copy.code, Some(0), "{copy:?}");
        let all = outcome(Command::new("chown").args(["-R", "65534"]).arg(directory.path("")));
        assert_eq!(all.code, Some(0), "{all:?}");
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups"]).arg(directory.path("bt2sum")).env("LC_ALL", "C");
        command.current_dir(directory.path(""));
    }
    outcome(command.args(options))
}

#[test]
fn what_cannot_be_read() {
    let directory = tree();
    record(&directory, &[]);
    let before = fs::read(directory.path("s")).unwrap();
    let set = |name: &str, mode| fs::set_permissions(directory.path(name), Permissions::from_mode(mode)).unwrap();
    set("d/sub", 0);
    set("d/a", 0);
    let run = as_user(&directory, &["--audit", "--store", "s", "d"]);
    let lines = "a: unreadable: Permission denied\nsub: unreadable: Permission denied\n\
        sub/b: unreadable: Permission denied\nsub/deep/c: unreadable: Permission denied\n3 unchanged, 4 unreadable, root ";
    assert!(run.code == Some(1) && run.stdout.starts_with(lines), "{run:?}");
    let run = as_user(&directory, &["--update", "--store", "s", "d"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("not updated: a directory with recorded files cannot be listed"), "{run:?}");
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    // With --quiet too, these are told and counted, and nothing else.
    for mode in ["--audit", "--sample=100%"] {
        let run = as_user(&directory, &[mode, "--quiet", "--store", "s", "d"]);
        let quiet = lines.replace("3 unchanged, ", "");
        assert!(run.code == Some(1) && run.stdout.starts_with(&quiet), "{mode}: {run:?}");
    }
    // A file that cannot be read keeps its record.
    let run = as_user(&directory, &["--update", "--force", "--store", "s", "d"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run:?}");
    let run = as_user(&directory, &["-r", "--store", "t", "d"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr, "bt2sum: d/a: Permission denied\nbt2sum: d/sub: Permission denied\n");
    assert!(run.stdout.starts_with("2 files, 1 link, 1 byte, root"), "{run:?}");
    let run = as_user(&directory, &["-r", "--json", "--force", "--store", "t", "d"]);
    assert!(run.stdout.contains(r#"{"name":"a","status":"unreadable","reason":"Permission denied"}"#), "{run:?}");
    set("d/sub", 0o755);
    set("d/a", 0o644);
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
}

/// Samples come around to all files, and change nothing but the times of checks.
#[test]
fn samples() {
    let directory = tree();
    let root = record(&directory, &[]).split_once("root ").unwrap().1.to_owned();
    // The second sample has the first file again only after all others.
    rot(&directory, "a", 0);
    rot(&directory, "sub/b", 0);
    rot(&directory, "sub.x", 0);
    let mut found = Vec::new();
    for _ in 0..4 {
        let (lines, ..) = audit(&directory, &["--sample=0.000001%"]);
        found.extend(lines.into_iter().filter(|line| line.ends_with("rotted")));
    }
    found.sort();
    assert_eq!(found, ["a: rotted", "sub.x: rotted", "sub/b: rotted"]);
    let run = outcome(&mut directory.bt2sum(["--sample=100%", "--root", root.trim(), "--store", "s", "d"]));
    assert!(run.stdout.contains("3 unchanged, 3 rotted") && run.stdout.contains(root.trim()), "{run:?}");
    let before = fs::read(directory.path("s")).unwrap();
    assert_eq!(audit(&directory, &["--sample=0%"]), (vec![], "6 unchanged".into(), 0));
    assert_eq!(fs::read(directory.path("s")).unwrap(), before);
    // Nobody is to take a look for a comparison.
    let run = |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).args(["--store", "s", "d"])).stdout;
    assert!(run(&["--sample=0%"]).ends_with(" (5 files not read)\n"));
    assert!(!run(&["--audit"]).contains("not read"));
    let objects = run(&["--sample=0%", "--json"]);
    assert_eq!((objects.matches(r#""unread":true"#).count(), objects.matches(r#""unread":5"#).count()), (5, 1));
    set_time(&directory, "a", 5);
    let directory = directory.file("d/new", b"new");
    assert_eq!(audit(&directory, &["--sample=0%"]).0, ["a: changed", "new: new"]);
}

/// An update of a sample reads what is new and what has another length or time, and of the rest as much as is wanted.
#[test]
fn updates_that_do_not_read_all() {
    let directory = tree().file("d/young", b"young");
    record(&directory, &[]);
    let recorded = fs::metadata(directory.path("d/young")).unwrap().modified().unwrap();
    let audited = |options: &[&str]| {
        let run = outcome(directory.bt2sum(["--store", "s"]).args(options).arg("d"));
        let lines = run.stdout.lines().filter(|line| !line.contains(": bytes ") && !line.starts_with("rotted: "));
        let lines = lines.filter(|line| !line.ends_with(TOUCHED));
        let lines = lines.map(|line| line.split_once(", root").map_or(line, |(counts, _)| counts).to_owned());
        (lines.collect::<Vec<_>>(), run.stdout.rsplit_once(" (").map(|(_, end)| end.to_owned()), run.code)
    };
    // Rot of files that are not read, and edits.
    rot(&directory, "sub.x", 0);
    rot(&directory, "a", 0);
    fs::write(directory.path("d/sub/b"), message(3001)).unwrap();
    rot(&directory, "sub/deep/c", 0);
    set_time(&directory, "sub/deep/c", 1_000_001);
    fs::write(directory.path("d/young"), b"older").unwrap();
    fs::File::options().write(true).open(directory.path("d/young")).unwrap().set_modified(recorded).unwrap();
    fs::write(directory.path("d/new"), b"new").unwrap();
    fs::remove_file(directory.path("d/link")).unwrap();
    fs::write(directory.path("d/link"), b"a").unwrap();
    let lines = [
        "link: changed",
        "sub/b: changed",
        "sub/deep/c: changed",
        "young: changed",
        "new: new",
        "3 unchanged, 4 changed, 1 new",
    ];
    let not_read = |count| Some(format!("{count} files not read)\n"));
    for sample in ["--sample=0", "--sample=0%"] {
        let before = fs::read(directory.path("s")).unwrap();
        assert_eq!(audited(&["--update", sample]), (lines.map(Into::into).to_vec(), not_read(3), Some(0)));
        // What changed is recorded; what was not read has its old record.
        let rotted = ["a: rotted", "sub.x: rotted", "6 unchanged, 2 rotted"].map(Into::into).to_vec();
        assert_eq!(audited(&["--audit"]), (rotted, None, Some(1)));
        if sample == "--sample=0" {
            fs::write(directory.path("s"), before).unwrap();
        }
    }
    assert_eq!(audited(&["--update", "--sample=0"]).0, ["8 unchanged"]);
    // One file after the other comes to its turn.
    let mut found = Vec::new();
    for _ in 0..8 {
        found.extend(audited(&["--update", "--sample=1k"]).0.into_iter().filter(|line| line.ends_with("rotted")));
    }
    assert!(["a: rotted", "sub.x: rotted"].iter().all(|line| found.contains(&(*line).to_owned())), "{found:?}");
    assert_eq!(audited(&["--sample=20g"]).0.last().unwrap(), "6 unchanged, 2 rotted");
    assert_eq!(audited(&["--update", "--sample=20g"]).0.last().unwrap(), "6 unchanged, 2 rotted");
}

#[test]
fn roots_and_keys() {
    let directory = tree().file("k", b"key").file("l", b"other");
    let root = record(&directory, &["--key-file=k"]).split_once("root ").unwrap().1.trim().to_owned();
    let audit = |options: &[&str]| outcome(directory.bt2sum(["--audit", "--store", "s"]).args(options).arg("d"));
    assert_eq!(audit(&["--key-file=k", "--root", &root]).code, Some(0));
    for (options, reason) in [
        (&["--key-file=l"][..], "the root of another key"),
        (&[], "made with a key"),
        (&["--key-file=k", "--root=00"], "not that of --root"),
        (&["--key-file=k", "--root=xx"], "--root is not hexadecimal"),
    ] {
        let run = audit(options);
        assert!((run.code, run.stdout.as_str()) == (Some(2), "") && run.stderr.contains(reason), "{run:?}");
        assert!(run.stderr.starts_with("bt2sum: s: "), "{run:?}");
    }
}

/// The roots that `data/store/make.py` computes by the specification of the format.
#[test]
fn roots_of_python() {
    let directory = tree().file("k", b"key").file("l", b"whats the Elvish word for friend");
    let roots = include_str!("../data/store/roots").lines();
    let cases = [
        "-t 1000",
        "-a blake2s -s 20 -t 700 --exclude=*.tmp --exclude x/ --one-file-system",
        "-t 1000 --key-file k",
        "-a blake3 -t 1k",
        "-a blake3 -s 32 -t 2k --exclude=*.tmp --key-file l",
    ];
    for (options, expected) in cases.into_iter().zip(roots) {
        let run = outcome(directory.bt2sum(["-r", "--store", "s"]).args(options.split(' ')).arg("d"));
        assert_eq!(run.stdout, format!("5 files, 1 link, 13502 bytes, root {expected}\n"), "{options}");
        fs::remove_file(directory.path("s")).unwrap();
    }
}

/// The digests are those of lines.
#[test]
fn digests_are_those_of_trees() {
    let by_blake2s = &["-a", "blake2s", "-s", "20", "-t", "700"][..];
    // Lines of BLAKE3 have no length of a leaf.
    for (options, leaf) in
        [(by_blake2s, ""), (&["-t", "1000"], ""), (&["-a", "blake3"], "-t1k"), (&["-a", "blake3"], "")]
    {
        let directory = tree();
        let mut recording = directory.bt2sum(["-r", "--store", "s", "--json"]);
        let leaf = Some(leaf).filter(|leaf| !leaf.is_empty());
        let run = outcome(recording.args(options).args(leaf).arg("d")).stdout;
        for name in ["a", "empty", "sub/b"] {
            let tagged = outcome(directory.bt2sum(["--tag"]).args(options).arg(directory.path(&format!("d/{name}"))));
            let (title, hash) = tagged.stdout.trim().split_once(" = ").unwrap();
            let title = title.split_once(' ').unwrap().0;
            let length = fs::metadata(directory.path(&format!("d/{name}"))).unwrap().len();
            let line = format!(
                r#"{{"name":"{name}","status":"recorded","algorithm":"{title}","digest":"{hash}","length":{length}}}"#
            );
            assert!(run.lines().any(|other| other == line), "{line} {run}");
        }
        assert_eq!(audit(&directory, &["--audit"]).1, "6 unchanged");
    }
}

/// Files that are longer than a batch, with holes and without.
#[test]
fn long_and_sparse_files() {
    let directory = tree().file("d/long", &message(5_000_000));
    fs::File::create(directory.path("d/sparse")).unwrap().set_len(3_000_000).unwrap();
    set_time(&directory, "long", 7);
    set_time(&directory, "sparse", 7);
    let blake3 = ["-a", "blake3", "-t", "1k"];
    for (hash, ranges) in
        [(&[][..], ["2000000-2000999", "4999000-4999999"]), (&blake3, ["1999872-2000895", "4999168-4999999"])]
    {
        for options in [&["--cpus=1"][..], &["--cpus=5", "--direct"], &[]] {
            let json = record(&directory, &[options, hash, &["--json", "--force"]].concat());
            for name in ["long", "sparse"] {
                let lines = if hash.is_empty() { &["-t", "1000"][..] } else { &["-a", "blake3", "--tag"] };
                let mut plain = directory.bt2sum(lines.iter().copied());
                let plain = outcome(plain.arg(directory.path("d").join(name))).stdout;
                assert!(json.contains(plain.trim().split_once(" = ").unwrap().1), "{name}");
            }
        }
        let damage = || [4_999_999, 2_000_000].into_iter().for_each(|at| rot(&directory, "long", at));
        damage();
        let [first, last] = ranges.map(|range| format!("long: bytes {range}: FAILED"));
        assert_eq!(audit(&directory, &["--audit"]).0, ["long: rotted", &first, &last, HINT]);
        damage();
    }
}

#[test]
fn a_rate() {
    let directory = tree().file("d/long", &message(600_000));
    record(&directory, &[]);
    for options in [&["--audit", "--rate=1m", "--store", "s", "d"][..], &["--rate=1m", "d/long"]] {
        let begun = Instant::now();
        assert_eq!(outcome(&mut directory.bt2sum(options.iter().copied())).code, Some(0));
        assert!(begun.elapsed() > Duration::from_millis(400), "{options:?}");
    }
}

/// A second writer is told that there is a first one, who is not harmed.
#[test]
fn one_writer_at_a_time() {
    let directory = tree().file("d/long", &message(600_000));
    record(&directory, &[]);
    let mut first = directory.bt2sum(["--update", "--rate=300k", "--store", "s", "d"]);
    let mut first = start(first.stdout(Stdio::piped()));
    first.until("a file that is locked", |first| has_locked(first.id()));
    for second in [&["--update"][..], &["--sample=1%"], &["-r", "--force"]] {
        let run = outcome(directory.bt2sum(["--store", "s"]).args(second).arg("d"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), "bt2sum: s: Another process is writing this file\n"));
    }
    assert_eq!(audit(&directory, &["--audit"]).1, "7 unchanged");
    assert_eq!(first.wait().code(), Some(0));
}

/// `--store` replaces nothing but an empty file, and with `--force` a store.
#[test]
fn what_is_replaced() {
    let directory = tree().file("photo", b"photo").file("k", b"key").file("void", b"");
    let run = |options: &[&str]| outcome(directory.bt2sum(options.iter().copied()).arg("d"));
    for force in [&[][..], &["--force"]] {
        let refused = run(&[&["-r", "--store", "photo"], force].concat());
        assert_eq!(
            (refused.code, refused.stderr.as_str()),
            (Some(2), "bt2sum: photo: --store would replace this file, which is no catalogue\n")
        );
        let refused = run(&[&["-r", "--key-file=k", "--store", "k"], force].concat());
        assert_eq!((refused.code, refused.stderr.as_str()), (Some(2), "bt2sum: k: --store would replace the key\n"));
    }
    assert_eq!(fs::read(directory.path("photo")).unwrap(), b"photo");
    assert_eq!(run(&["-r", "--store", "void"]).code, Some(0));
    assert_eq!(run(&["-r", "--store", "void"]).code, Some(2));
    assert_eq!(run(&["-r", "--force", "--store", "void"]).code, Some(0));
    let mut bytes = fs::read(directory.path("void")).unwrap();
    bytes[20] ^= 1;
    fs::write(directory.path("void"), &bytes).unwrap();
    let reason = "bt2sum: void: --store would replace a catalogue that cannot be read (damaged or truncated); --force replaces it\n";
    assert_eq!(run(&["-r", "--store", "void"]).stderr, reason);
    for mode in ["--audit", "--update", "--sample=1%"] {
        let run = run(&[mode, "--store", "void"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert_eq!(run.stderr, "bt2sum: void: damaged or truncated\n");
    }
    assert_eq!(fs::read(directory.path("void")).unwrap(), bytes);
    assert_eq!(run(&["-r", "--force", "--store", "void"]).code, Some(0));
    for mode in ["--audit", "--update", "--sample=1%"] {
        let run = run(&[mode, "--store", "none"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(2), "bt2sum: none: No such file or directory\n"));
    }
    assert!(!directory.path("none").exists());
}

#[test]
fn results_as_objects() {
    let directory = tree();
    record(&directory, &[]);
    rot(&directory, "a", 1500);
    fs::rename(directory.path("d/sub/b"), directory.path("d/moved")).unwrap();
    let run = outcome(&mut directory.bt2sum(["--audit", "--json", "--store", "s", "d"]));
    let objects: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| objects.iter().find(|object| object["name"] == name).unwrap();
    assert_eq!((of("a")["status"].as_str(), &of("a")["ranges"]), (Some("rotted"), &serde_json::json!([[1000, 1999]])));
    assert_eq!((of("moved")["status"].as_str(), of("moved")["from"].as_str()), (Some("moved"), Some("sub/b")));
    assert_eq!((of("empty")["status"].as_str(), &of("empty")["length"]), (Some("unchanged"), &serde_json::json!(0)));
    let sums = objects.last().unwrap();
    assert_eq!((&sums["rotted"], &sums["unchanged"], &sums["moved"]), (&1.into(), &4.into(), &1.into()));
}

/// Lines that `--check` reads from within the directory, and objects with links and sums.
#[test]
fn what_a_store_has() {
    let directory = tree().file("d/-", b"dash").file("d/new\nline", b"x").file("k", b"key");
    let parameters = ["-a", "blake2s", "-s", "20", "--key-file=k"];
    let root = record(&directory, &parameters).split_once("root ").unwrap().1.trim().to_owned();
    let list = |options: &[&str]| outcome(directory.bt2sum(["--list", "--store", "s"]).args(options));
    let names = ["./-", "a", "empty", "new\nline", "sub/b", "sub/deep/c", "sub.x"];
    let within = |options: &[&str]| {
        let mut command = directory.bt2sum(["-a", "blake2s", "--key-file=../k"]);
        outcome(command.current_dir(directory.path("d")).args(options))
    };
    let run = list(&["--key-file=k", "--root", &root]);
    assert_eq!(run, within(&[&["--tag", "-s", "20", "-t", "1000"], &names[..]].concat()));
    assert_eq!(run.stdout.lines().count(), 7, "{run:?}");
    fs::write(directory.path("sums"), &run.stdout).unwrap();
    let check = within(&["-c", "../sums"]);
    assert_eq!((check.code, check.stdout.matches(": OK\n").count()), (Some(0), 7), "{check:?}");
    rot(&directory, "sub/b", 0);
    assert_eq!(within(&["-c", "--quiet", "../sums"]).stdout, "sub/b: FAILED\n");

    let run = list(&["--key-file=k", "--json"]);
    let objects: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 9, "{run:?}");
    assert_eq!(objects[3], serde_json::json!({ "name": "link", "status": "recorded", "target": "a" }));
    assert_eq!((&objects[1]["name"], &objects[1]["length"]), (&"a".into(), &10_500.into()));
    assert_eq!(objects[8], serde_json::json!({ "files": 7, "links": 1, "bytes": 13_507, "root": root }));

    for (options, reason) in [
        (&[][..], "made with a key"),
        (&["--key-file=k", "--root=00"], "not that of --root"),
        (&["--key-file=k", "d"], "--list reads only the catalogue"),
    ] {
        let run = list(options);
        assert!((run.code, run.stdout.as_str()) == (Some(2), "") && run.stderr.contains(reason), "{run:?}");
    }
    let mut bytes = fs::read(directory.path("s")).unwrap();
    bytes[100] ^= 1;
    fs::write(directory.path("s"), bytes).unwrap();
    let run = list(&["--key-file=k"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
}

/// The transcripts in the README are what the program prints.
#[test]
fn the_transcripts() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/README.sh");
    let run = outcome(Command::new(script).arg(env!("CARGO_BIN_EXE_bt2sum")));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let transcripts: Vec<&str> = run.stdout.split_inclusive("---\n").collect();
    assert_eq!(transcripts.len(), 2);
    for transcript in transcripts {
        let transcript = transcript.strip_suffix("---\n").unwrap_or(transcript);
        assert!(readme.contains(&format!("```console\n{transcript}```\n")), "{transcript}");
    }
}

//! `--repair`: what is mended, from which copies, and what is left alone.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::store::{HASHES, audit, record, rot, set_time, tree, with_leaves};
use crate::store_verdicts::set_length;
use crate::{Directory, Outcome, fewer, message, outcome};

/// Contents, time and permissions, or the target of a link.
type State = (Vec<u8>, i64, i64, u32);

/// All that is below a directory.
pub(crate) fn state(directory: &Directory, name: &str) -> BTreeMap<String, State> {
    fn visit(path: &Path, name: &str, all: &mut BTreeMap<String, State>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                visit(&entry.path(), &name, all);
            } else if metadata.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap();
                all.insert(name, (target.to_str().unwrap().into(), 0, 0, 0));
            } else {
                let mode = metadata.permissions().mode();
                all.insert(name, (fs::read(entry.path()).unwrap(), metadata.mtime(), metadata.mtime_nsec(), mode));
            }
        }
    }
    let mut all = BTreeMap::new();
    visit(&directory.path(name), "", &mut all);
    all
}

/// Copies what is below `d`, with its times.
pub(crate) fn copy(directory: &Directory, name: &str) {
    let run = outcome(Command::new("cp").args(["-a", "d", name]).current_dir(directory.path("")));
    assert_eq!(run, crate::success(""));
}

/// A recorded tree, and a copy of it.
pub(crate) fn copied() -> Directory {
    copied_by(&[])
}

/// As [`copied`], recorded with these options.
fn copied_by(options: &[&str]) -> Directory {
    let directory = tree();
    record(&directory, options);
    copy(&directory, "copy");
    directory
}

/// The lines of a repair from `copy`, without the last, of which all before the root is left; and the status.
#[track_caller]
pub(crate) fn repair(directory: &Directory, options: &[&str]) -> (Vec<String>, String, i32) {
    audit(directory, &[&["--repair", "--from=copy"], options].concat())
}

#[track_caller]
pub(crate) fn assert_repair(directory: &Directory, options: &[&str], lines: &[&str], sums: &str, code: i32) {
    let lines: Vec<String> = lines.iter().map(|&line| line.into()).collect();
    assert_eq!(repair(directory, options), (lines, sums.into(), code), "{options:?}");
}

/// Appends or changes bytes of a file below `d`, and keeps its time.
fn write_at(directory: &Directory, name: &str, at: u64, bytes: &[u8]) {
    let path = directory.path(&format!("d/{name}"));
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(bytes, at).unwrap();
    file.set_modified(time).unwrap();
}

fn remove(directory: &Directory, names: &[&str]) {
    for name in names {
        let path = directory.path(&format!("d/{name}"));
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
}

/// What is done to a tree whose leaves have this length, and what a repair says about it where they have 1000 bytes.
type Case = (fn(&Directory, usize), &'static [&'static str], &'static str);

/// Each file is as it was recorded afterwards, with its time. Before, a dry run tells the same and changes nothing.
#[test]
fn what_is_mended() {
    let cases: [Case; 17] = [
        (|_, _| {}, &[], "6 unchanged"),
        (|d, _| rot(d, "a", 5500), &["a: mended", "a: bytes 5000-5999: mended from copy"], "5 unchanged, 1 mended"),
        // Neighbours, and the short last leaf.
        (
            |d, leaf| [leaf - 1, leaf, 10_499].into_iter().for_each(|at| rot(d, "a", at)),
            &["a: mended", "a: bytes 0-1999: mended from copy", "a: bytes 10000-10499: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        // Files of one leaf, and of whole leaves.
        (
            |d, _| rot(d, "sub/deep/c", 0),
            &["sub/deep/c: mended", "sub/deep/c: bytes 0-0: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| rot(d, "sub/b", 2999),
            &["sub/b: mended", "sub/b: bytes 2000-2999: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        // Cut within a leaf, between two, and to nothing.
        (
            |d, _| set_length(d, "a", 4500),
            &["a: mended", "a: bytes 4000-10499: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| set_length(d, "a", 10_499),
            &["a: mended", "a: bytes 10000-10499: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, leaf| set_length(d, "sub/b", 2 * leaf as u64),
            &["sub/b: mended", "sub/b: bytes 2000-2999: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| set_length(d, "sub/b", 0),
            &["sub/b: mended", "sub/b: bytes 0-2999: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        // Cut, with damage before.
        (
            |d, _| {
                rot(d, "a", 10);
                rot(d, "a", 6500);
                set_length(d, "a", 7000);
            },
            &["a: mended", "a: bytes 0-999: mended from copy", "a: bytes 6000-10499: mended from copy"],
            "5 unchanged, 1 mended",
        ),
        // Surplus: within the last leaf, and beyond it; with damage before; of an empty file.
        (
            |d, _| write_at(d, "a", 10_500, b"x"),
            &["a: mended", "a: bytes 10500-10500: surplus, cut off"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| write_at(d, "sub/b", 3000, &[7; 5000]),
            &["sub/b: mended", "sub/b: bytes 3000-7999: surplus, cut off"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| {
                write_at(d, "a", 10_500, &message(2500));
                rot(d, "a", 10_300);
            },
            &["a: mended", "a: bytes 10000-10499: mended from copy", "a: bytes 10500-12999: surplus, cut off"],
            "5 unchanged, 1 mended",
        ),
        (
            |d, _| write_at(d, "empty", 0, b"abc"),
            &["empty: mended", "empty: bytes 0-2: surplus, cut off"],
            "5 unchanged, 1 mended",
        ),
        // Missing: files, an empty one, a link, and directories.
        (|d, _| remove(d, &["empty", "link"]), &["empty: restored", "link: restored"], "4 unchanged, 2 restored"),
        (
            |d, _| remove(d, &["sub"]),
            &[
                "sub/b: restored",
                "sub/b: bytes 0-2999: mended from copy",
                "sub/deep/c: restored",
                "sub/deep/c: bytes 0-0: mended from copy",
            ],
            "4 unchanged, 2 restored",
        ),
        (
            |d, _| {
                rot(d, "a", 1);
                remove(d, &["sub.x"]);
            },
            &["a: mended", "a: bytes 0-999: mended from copy", "sub.x: restored", "sub.x: bytes 0-0: mended from copy"],
            "4 unchanged, 1 mended, 1 restored",
        ),
    ];
    for (hash, leaf) in HASHES {
        mends(&cases, hash, leaf);
    }
}

fn mends(cases: &[Case], hash: &[&str], leaf: usize) {
    let directory = copied_by(hash);
    let whole = state(&directory, "d");
    for (i, (damage, lines, sums)) in fewer(0, cases.iter().enumerate()) {
        let lines: Vec<String> = lines.iter().map(|line| with_leaves(line, leaf)).collect();
        let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
        damage(&directory, leaf);
        let damaged = state(&directory, "d");
        assert_eq!(damaged == whole, i == 0, "{sums}");
        let later = |text: &str| {
            let text = text.replace("surplus, cut off", "surplus").replace("restored", "restorable");
            text.replace(": mended", ": mendable").replace(" mended", " mendable")
        };
        let dry: Vec<String> = lines.iter().map(|line| later(line)).collect();
        let dry: Vec<&str> = dry.iter().map(|line| &**line).collect();
        assert_repair(&directory, &["--missing", "--dry-run"], &dry, &later(sums), 0);
        assert_eq!(state(&directory, "d"), damaged, "{lines:?}");
        assert_repair(&directory, &["--missing"], &lines, sums, 0);
        assert_eq!(state(&directory, "d"), whole, "{lines:?}");
    }
    assert_eq!(state(&directory, "copy"), whole);
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 3);
}

/// Each copy gives what it has. What none has stays as it is, and the rest is mended all the same.
#[test]
fn damaged_copies() {
    for (hash, leaf) in HASHES {
        damaged_copies_by(hash, leaf);
    }
}

fn damaged_copies_by(hash: &[&str], leaf: usize) {
    let directory = copied_by(hash);
    let whole = state(&directory, "d");
    copy(&directory, "other");
    for (name, at) in [("copy", 3500), ("copy", 7500), ("other", 5500), ("other", 7600)] {
        let path = directory.path(&format!("{name}/a"));
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] ^= 1;
        fs::write(path, bytes).unwrap();
    }
    fs::File::options().write(true).open(directory.path("other/a")).unwrap().set_len(10_000).unwrap();
    [3100, 5500, 8200, 10_400].into_iter().for_each(|at| rot(&directory, "a", at));
    let lines = [
        "a: mended",
        "a: bytes 3000-3999: mended from other",
        "a: bytes 5000-5999: mended from copy",
        "a: bytes 8000-8999: mended from copy",
        "a: bytes 10000-10499: mended from copy",
    ];
    let lines = lines.map(|line| with_leaves(line, leaf));
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    assert_repair(&directory, &["--from=other"], &lines, "5 unchanged, 1 mended", 0);
    assert_eq!(state(&directory, "d"), whole);
    // All three are damaged in one leaf, each in its way.
    rot(&directory, "a", 7700);
    rot(&directory, "a", 2100);
    let before = fs::read(directory.path("d/a")).unwrap();
    let lines = ["a: rotted", "a: bytes 2000-2999: mended from copy", "a: bytes 7000-7999: FAILED"];
    for (options, mended) in [(&["--from=other", "--dry-run"][..], false), (&["--from=other"], true)] {
        let lines = lines.map(|line| with_leaves(line, leaf));
        let lines = lines.map(|line| if mended { line } else { line.replace("mended", "mendable") });
        let found = repair(&directory, options);
        assert_eq!(found, (lines.into(), "5 unchanged, 1 rotted".into(), 1));
        let after = fs::read(directory.path("d/a")).unwrap();
        assert_eq!(after[7000..8000], before[7000..8000]);
        assert_eq!(after == before, !mended);
    }
    let time = whole["/a"].1;
    assert_eq!(fs::metadata(directory.path("d/a")).unwrap().mtime(), time);
    // Nothing is cut off, added or brought back that cannot be made whole.
    for (damage, line) in [
        ((|d, _| write_at(d, "a", 10_500, b"xy")) as fn(&Directory, usize), "a: bytes 10500-10501: FAILED: surplus"),
        (|d, _| set_length(d, "a", 7999), "a: bytes 7000-10499: FAILED"),
        (|d, _| set_length(d, "a", 0), "a: bytes 0-10499: FAILED"),
        (
            |d, leaf| {
                write_at(d, "a", 0, &message(9 * leaf));
                rot(d, "a", 7700);
            },
            "a: bytes 9000-10499: FAILED",
        ),
    ] {
        damage(&directory, leaf);
        let before = state(&directory, "d");
        let (lines, sums, code) = repair(&directory, &["--from=other"]);
        assert_eq!((lines.last(), &*sums, code), (Some(&with_leaves(line, leaf)), "5 unchanged, 1 rotted", 1));
        assert_eq!(state(&directory, "d"), before);
    }
    remove(&directory, &["a"]);
    fs::remove_file(directory.path("copy/sub/b")).unwrap();
    remove(&directory, &["sub"]);
    let range = with_leaves("a: bytes 7000-7999: FAILED", leaf);
    let lines = ["a: missing", &range, "sub/b: missing", "sub/b: bytes 0-2999: FAILED"];
    let restorable = ["sub/deep/c: restorable", "sub/deep/c: bytes 0-0: mendable from copy"];
    let restored = ["sub/deep/c: restored", "sub/deep/c: bytes 0-0: mended from copy"];
    let options = ["--from=other", "--missing", "--dry-run"];
    let sums = "3 unchanged, 2 missing, 1 restorable";
    fs::remove_file(directory.path("other/sub/b")).unwrap();
    assert_repair(&directory, &options, &[&lines[..], &restorable].concat(), sums, 1);
    let sums = "3 unchanged, 2 missing, 1 restored";
    assert_repair(&directory, &options[..2], &[&lines[..], &restored].concat(), sums, 1);
    let names: Vec<_> = state(&directory, "d").into_keys().collect();
    assert_eq!(names, ["/empty", "/link", "/sub.x", "/sub/deep/c"]);
}

/// Who writes to a file, or renames it, wants what is there.
#[test]
fn edits_are_left_alone() {
    let directory = copied();
    let directory = directory.file("d/a", b"edited").file("d/new", b"new");
    fs::rename(directory.path("d/sub/b"), directory.path("d/sub/renamed")).unwrap();
    rot(&directory, "sub.x", 0);
    let before = state(&directory, "d");
    let lines = [
        "a: changed",
        "a: bytes 0-5: changed",
        "sub/renamed: moved from sub/b",
        "sub.x: mended",
        "sub.x: bytes 0-0: mended from copy",
    ];
    assert_repair(&directory, &[], &lines, "3 unchanged, 1 changed, 1 moved, 1 mended", 0);
    let mut after = state(&directory, "d");
    after.insert("/sub.x".into(), before["/sub.x"].clone());
    assert_eq!(after, before);
    // A file that took the place of another of its time has the only copy of what it had.
    let directory = tree().file("d/twin", b"twin");
    set_time(&directory, "twin", 1_000_000);
    record(&directory, &[]);
    copy(&directory, "copy");
    fs::rename(directory.path("d/twin"), directory.path("d/sub.x")).unwrap();
    let lines = ["sub.x: rotted: has the recorded contents of twin, so move it there first", "twin: missing"];
    assert_repair(&directory, &[], &lines, "5 unchanged, 1 rotted, 1 missing", 1);
    assert_eq!(fs::read(directory.path("d/sub.x")).unwrap(), b"twin");
    // Where the other has it still, there is nothing to lose.
    fs::copy(directory.path("d/sub.x"), directory.path("d/twin")).unwrap();
    set_time(&directory, "twin", 1_000_000);
    let lines = ["sub.x: mended", "sub.x: bytes 0-0: mended from copy", "sub.x: bytes 1-3: surplus, cut off"];
    assert_repair(&directory, &[], &lines, "6 unchanged, 1 mended", 0);
}

/// Links lead nowhere, and nothing but regular files is read or written.
#[test]
fn links_and_other_files() {
    let directory = copied();
    fs::create_dir(directory.path("out")).unwrap();
    for name in ["a", "sub"] {
        fs::rename(directory.path(&format!("d/{name}")), directory.path(&format!("out/{name}"))).unwrap();
        symlink(format!("../out/{name}"), directory.path(&format!("d/{name}"))).unwrap();
    }
    fs::write(directory.path("out/sub/b"), b"outside").unwrap();
    fs::remove_file(directory.path("d/sub.x")).unwrap();
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("d/sub.x"))).code, Some(0));
    let (before, out) = (state(&directory, "out"), fs::read_link(directory.path("d/sub")).unwrap());
    let (lines, sums, code) = repair(&directory, &["--missing"]);
    let expected = [
        "a: changed",
        "sub/b: missing: Not a directory",
        "sub/deep/c: missing: Not a directory",
        "sub.x: missing: File exists",
    ];
    assert_eq!((lines, &*sums, code), (expected.map(Into::into).to_vec(), "2 unchanged, 1 changed, 3 missing", 1));
    assert_eq!(state(&directory, "out"), before);
    assert_eq!(fs::read_link(directory.path("d/sub")).unwrap(), out);
    // In a copy, a link is not what it leads to, and a pipe is not waited for.
    let directory = copied();
    rot(&directory, "a", 0);
    fs::rename(directory.path("copy/a"), directory.path("elsewhere")).unwrap();
    symlink("../elsewhere", directory.path("copy/a")).unwrap();
    assert_repair(&directory, &[], &["a: rotted", "a: bytes 0-999: FAILED"], "5 unchanged, 1 rotted", 1);
    fs::remove_file(directory.path("copy/a")).unwrap();
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("copy/a"))).code, Some(0));
    assert_repair(&directory, &[], &["a: rotted", "a: bytes 0-999: FAILED"], "5 unchanged, 1 rotted", 1);
    // A copy may be one file, of another name; and a hard link is no copy.
    fs::remove_file(directory.path("copy/a")).unwrap();
    fs::hard_link(directory.path("d/a"), directory.path("copy/a")).unwrap();
    let lines = ["a: mended", "a: bytes 0-999: mended from elsewhere"];
    assert_repair(&directory, &["--from=elsewhere"], &lines, "5 unchanged, 1 mended", 0);
}

/// A renamed file that rotted is found in the copy under the name that it had.
#[test]
fn a_renamed_file() {
    let directory = crate::store_verdicts::files(&[("old", &message(5000), 5), ("x", b"x", 7)]);
    record(&directory, &[]);
    copy(&directory, "copy");
    crate::store_verdicts::rename(&directory, "old", "new");
    rot(&directory, "new", 1234);
    let lines = ["new: moved from old, mended", "new: bytes 1000-1999: mended from copy"];
    assert_repair(&directory, &[], &lines, "1 unchanged, 1 mended", 0);
    assert_eq!(fs::read(directory.path("d/new")).unwrap(), message(5000));
}

#[test]
fn holes() {
    let directory = tree();
    let file = fs::File::create(directory.path("d/sparse")).unwrap();
    file.set_len(3_000_000).unwrap();
    file.write_all_at(b"data", 1_500_000).unwrap();
    set_time(&directory, "sparse", 1_000_000);
    record(&directory, &[]);
    copy(&directory, "copy");
    let whole = state(&directory, "d");
    write_at(&directory, "sparse", 2_500_000, b"x");
    let lines = ["sparse: mended", "sparse: bytes 2500000-2500999: mended from copy"];
    assert_repair(&directory, &[], &lines, "6 unchanged, 1 mended", 0);
    set_length(&directory, "sparse", 1_000_000);
    assert_eq!(repair(&directory, &[]).2, 0);
    remove(&directory, &["sparse"]);
    assert_eq!(repair(&directory, &["--missing"]).2, 0);
    assert_eq!(state(&directory, "d"), whole);
    let blocks = fs::metadata(directory.path("d/sparse")).unwrap().blocks();
    assert!(blocks < 1000, "{blocks}");
}

#[test]
fn keys() {
    let directory = tree().file("k", b"key").file("wrong", b"yek");
    record(&directory, &["--key-file=k", "-a", "blake2s"]);
    copy(&directory, "copy");
    let whole = state(&directory, "d");
    rot(&directory, "a", 1);
    let damaged = state(&directory, "d");
    for (options, reason) in [(&["--key-file=wrong"][..], "the root of another key"), (&[], "made with a key")] {
        let mut run = directory.bt2sum(["--repair", "--from=copy", "--store=s"]);
        let run = outcome(run.args(options).arg("d"));
        assert_eq!(run, Outcome { code: Some(2), stdout: String::new(), stderr: format!("bt2sum: s: {reason}\n") });
        assert_eq!(state(&directory, "d"), damaged);
    }
    let lines = ["a: mended", "a: bytes 0-999: mended from copy"];
    assert_repair(&directory, &["--key-file=k"], &lines, "5 unchanged, 1 mended", 0);
    assert_eq!(state(&directory, "d"), whole);
}

#[test]
fn objects() {
    let directory = copied();
    rot(&directory, "a", 1);
    remove(&directory, &["empty", "sub.x"]);
    fs::remove_file(directory.path("copy/sub.x")).unwrap();
    let objects = |options: &[&str]| {
        let run = outcome(directory.bt2sum(["--repair", "--json", "--from=copy", "--store=s"]).args(options).arg("d"));
        assert_eq!((run.code, &*run.stderr), (Some(1), ""));
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let dry = objects(&["--dry-run", "--missing"]);
    let now = objects(&["--missing"]);
    for (objects, mended, restored) in [(dry, "mendable", "restorable"), (now, "mended", "restored")] {
        let of = |name: &str| objects.iter().find(|object| object["name"] == name).unwrap().clone();
        let a = of("a");
        assert_eq!(
            (&a["status"], &a["mended"], &a["ranges"]),
            (&mended.into(), &serde_json::json!([[0, 999]]), &serde_json::Value::Null)
        );
        assert_eq!((&of("empty")["status"], &of("sub/b")["status"]), (&restored.into(), &"unchanged".into()));
        let lost = of("sub.x");
        assert_eq!((&lost["status"], &lost["ranges"]), (&"missing".into(), &serde_json::json!([[0, 0]])));
        let sums = objects.last().unwrap();
        assert_eq!(
            (&sums[mended], &sums[restored], &sums["missing"], &sums["rotted"]),
            (&1.into(), &1.into(), &1.into(), &0.into())
        );
    }
}

/// Only what is not well is told with `--quiet`.
#[test]
fn quiet() {
    let directory = copied();
    rot(&directory, "a", 1);
    fs::write(directory.path("d/sub/b"), b"edited").unwrap();
    let run = |directory: &Directory| {
        outcome(&mut directory.bt2sum(["--repair", "--quiet", "--from=copy", "--store=s", "d"]))
    };
    assert_eq!(run(&directory), crate::success(""));
    rot(&directory, "a", 1);
    rot(&directory, "sub.x", 0);
    fs::remove_file(directory.path("copy/sub.x")).unwrap();
    let run = run(&directory);
    assert!(
        run.code == Some(1) && run.stdout.starts_with("sub.x: rotted\nsub.x: bytes 0-0: FAILED\n1 rotted, root "),
        "{run:?}"
    );
}

/// Wrong arguments have status 2, and nothing is read or written.
#[test]
fn wrong_arguments() {
    let directory = copied().file("leaves", b"bt2leaf\0 and no more");
    rot(&directory, "a", 1);
    let damaged = state(&directory, "d");
    for (options, reason) in [
        ("--repair --store s d", "--repair needs --from"),
        ("--repair --from copy d", "--repair needs --store or --leaves"),
        ("--from copy d", "--from needs --repair"),
        ("--missing d", "--missing needs --repair"),
        ("--dry-run --audit --store s d", "--dry-run needs --repair"),
        ("--repair --from copy --store s --audit d", "--audit does not go with --repair"),
        ("--repair --from copy --store s -r d", "--recursive does not go with --repair"),
        ("--repair --from copy --store s -c d", "--check does not go with"),
        ("--repair --from copy --store s --force d", "--force needs"),
        ("--repair --from copy --store s -t 5m d", "whose digests have it"),
        ("--repair --from copy --store s --exclude x d", "whose digests have it"),
        ("--repair --from copy --store s d d", "--store is for one directory"),
        ("--repair --from copy --leaves leaves d/a copy/a", "--repair --leaves is for one file"),
        ("--repair --from copy --leaves leaves --cpus 2 d/a", "--cpus does not go with"),
        ("--repair --from copy --leaves leaves --range 0-5 d/a", "--range needs --check"),
        ("--repair --from copy --store s --root 00 d", "not that of --root"),
        ("--repair --from nowhere --store s d", "nowhere: No such file or directory"),
        ("--repair --from copy --from d --store s d", "d: --from is the directory to repair"),
        ("--repair --from /dev/null --store s d", "/dev/null: Neither a directory nor a regular file"),
        ("--repair --from copy --leaves leaves d/a", "leaves: truncated"),
        ("--repair --from copy --leaves nothing d/a", "nothing: No such file"),
        ("--repair --from copy --store nothing d", "nothing: No such file"),
    ] {
        let run = outcome(&mut directory.bt2sum(options.split(' ')));
        assert!((run.code, &*run.stdout) == (Some(2), "") && run.stderr.contains(reason), "{options}: {run:?}");
        assert_eq!(state(&directory, "d"), damaged, "{options}");
    }
    let run = outcome(&mut directory.bt2sum(["--repair", "--from=copy", "--store=s", "nowhere"]));
    assert_eq!((run.code, &*run.stderr), (Some(3), "bt2sum: nowhere: No such file or directory\n"));
    assert_eq!(fs::read_dir(directory.path("")).unwrap().count(), 4);
}

/// One file, by its leaves: as the store has them for many.
#[test]
fn one_file_by_its_leaves() {
    let directory = Directory::new().file("k", b"key").file("wrong", b"yek").file("copy", &message(10_500));
    set_time_of(&directory, "copy");
    for (options, key) in [("-t1000 -s20", ""), ("-t1000 -ablake2s", "--key-file=k"), ("-t5m", "")] {
        let keyed = (!key.is_empty()).then_some(key);
        let mut make = directory.bt2sum(["--leaves=leaves", "copy"]);
        let digest = outcome(make.args(options.split(' ')).args(keyed)).stdout;
        let digest = digest.trim_end().rsplit_once(' ').unwrap().1.to_owned();
        let repair = |options: &[&str]| {
            let mut command = directory.bt2sum(["--repair", "--from=copy", "--leaves=leaves", "f"]);
            outcome(command.args(options).args(keyed.filter(|_| !options.contains(&"--key-file=wrong"))))
        };
        let whole = message(10_500);
        let chunk = if options == "-t5m" { 10_500 } else { 1000 };
        let of = |first: usize, last: usize| {
            let (begin, end) = (first / chunk * chunk, (last / chunk * chunk + chunk).min(10_500));
            format!("f: bytes {begin}-{}", end - 1)
        };
        let changed = |at: usize| {
            let mut bytes = message(10_500);
            bytes[at] ^= 1;
            bytes
        };
        for (bytes, lines) in [
            (Some(changed(5500)), format!("f: mended\n{}: mended from copy\n", of(5500, 5500))),
            (Some(changed(10_499)), format!("f: mended\n{}: mended from copy\n", of(10_499, 10_499))),
            (Some(message(3000)), format!("f: mended\n{}: mended from copy\n", of(3000, 10_499))),
            (Some(vec![]), "f: mended\nf: bytes 0-10499: mended from copy\n".to_owned()),
            (Some(message(12_000)), "f: mended\nf: bytes 10500-11999: surplus, cut off\n".to_owned()),
            (None, "f: restored\nf: bytes 0-10499: mended from copy\n".to_owned()),
        ] {
            match &bytes {
                Some(bytes) => {
                    fs::write(directory.path("f"), bytes).unwrap();
                    set_time_of(&directory, "f");
                }
                None => {
                    fs::remove_file(directory.path("f")).unwrap();
                    assert_eq!(repair(&[]), crate::failure("f: missing\n", ""));
                }
            }
            assert_eq!(repair(&["--missing", "--dry-run"]).code, Some(0));
            assert_eq!(fs::read(directory.path("f")).ok(), bytes, "{options}");
            let wrong = repair(&["--missing", "--key-file=wrong"]);
            assert_ne!(wrong.code, Some(0), "{wrong:?}");
            assert_eq!(fs::read(directory.path("f")).ok(), bytes, "{options}");
            assert_eq!(repair(&["--missing", "--root=00"]).code, Some(2));
            assert_eq!(repair(&["--missing", "--root", &digest]), crate::success(lines));
            assert_eq!(fs::read(directory.path("f")).unwrap(), whole, "{options}");
            assert_eq!(fs::metadata(directory.path("f")).unwrap().mtime(), 1_000_000);
            assert_eq!(repair(&[]), crate::success("f: whole\n"));
        }
        // Nobody has one leaf.
        fs::write(directory.path("f"), changed(5500)).unwrap();
        fs::write(directory.path("copy"), changed(5501)).unwrap();
        let failed = format!("f: rotted\n{}: FAILED\n", of(5500, 5500));
        if key.is_empty() {
            assert_eq!(repair(&[]), crate::failure(failed, ""));
        }
        assert_eq!(fs::read(directory.path("f")).unwrap(), changed(5500));
        let run = repair(&["--json"]);
        let object: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, &object["status"], &object["digest"]), (Some(1), &"rotted".into(), &digest.into()));
        fs::write(directory.path("copy"), whole).unwrap();
        set_time_of(&directory, "copy");
    }
    for (options, reason) in [
        ("--leaves=leaves f --from=f", "f: --from is the file to repair"),
        ("--leaves=f f --from=copy", "f: --repair would change its own --leaves"),
        ("--leaves=leaves k --key-file=k --from=copy", "k: --repair would replace the key"),
        ("--leaves=leaves . --from=copy", ".: Not a regular file"),
        ("--leaves=leaves f --from=.", "./f: --from is the file to repair"),
        ("--leaves=leaves f --key-file=k --from=copy", "leaves: made without a key"),
    ] {
        let before = fs::read(directory.path("f")).unwrap();
        let run = outcome(directory.bt2sum(["--repair"]).args(options.split(' ')));
        assert!((run.code, &*run.stdout) == (Some(2), "") && run.stderr.contains(reason), "{options}: {run:?}");
        assert_eq!(fs::read(directory.path("f")).unwrap(), before);
    }
}

fn set_time_of(directory: &Directory, name: &str) {
    let file = fs::File::options().write(true).open(directory.path(name)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + core::time::Duration::from_secs(1_000_000)).unwrap();
}

//! The formats of catalogues, and what format 2 has more: permissions, empty directories, times of change and inodes.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown, symlink};
use std::process::Command;

use simd_digest::blake2b::Params;

use crate::store::{TOUCHED, audit, is_known, record, rot, set_mode, set_time, tree, with_leaves};
use crate::store_verdicts::assert_verdicts;
use crate::{Directory, Outcome, outcome};

const ONE: &[u8] = include_bytes!("../data/store/one");
const TWO: &[u8] = include_bytes!("../data/store/two");
const BLAKE3: &[u8] = include_bytes!("../data/store/blake3");
/// Catalogues with a key: the name of its file, the format and the contents.
const KEYED: [(&str, u8, &[u8]); 3] = [
    ("k", 1, include_bytes!("../data/store/one-keyed")),
    ("k", 2, include_bytes!("../data/store/two-keyed")),
    ("l", 2, include_bytes!("../data/store/blake3-keyed")),
];

/// The number of the format of `s`.
fn format(directory: &Directory) -> u8 {
    fs::read(directory.path("s")).unwrap()[8]
}

/// Standard output of a run with `s`, and its status.
fn told(directory: &Directory, options: &[&str]) -> (String, Option<i32>) {
    let run = outcome(directory.bt2sum(["--store", "s"]).args(options).arg("d"));
    assert_eq!(run.stderr, "", "{run:?}");
    (run.stdout, run.code)
}

/// Catalogues that another program made by the specification are audited, listed, sampled and repaired by.
#[test]
fn both_formats_are_read() {
    let directory = tree().file("k", b"key").file("l", b"whats the Elvish word for friend");
    let list = |options: &[&str]| outcome(directory.bt2sum(["--list", "--store", "s"]).args(options)).stdout;
    let copied = outcome(Command::new("cp").args(["-a", "d", "copy"]).current_dir(directory.path("")));
    assert_eq!(copied.code, Some(0));
    let mut lists = Vec::new();
    for (number, whole, leaf) in [(1, ONE, 1000), (2, TWO, 1000), (2, BLAKE3, 1024)] {
        fs::write(directory.path("s"), whole).unwrap();
        assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
        lists.push(list(&[]));
        rot(&directory, "a", 5500);
        for mode in ["--audit", "--sample=100%"] {
            assert_verdicts(&directory, &[mode], &["a: rotted"], "5 unchanged, 1 rotted", 1);
            assert_eq!(format(&directory), number, "{mode}");
        }
        assert_eq!(audit(&directory, &["--update"]).1, "5 unchanged, 1 rotted");
        assert_eq!(format(&directory), 2);
        fs::write(directory.path("s"), whole).unwrap();
        fs::remove_file(directory.path("d/link")).unwrap();
        let repaired = told(&directory, &["--repair", "--missing", "--from", "copy"]);
        let range = with_leaves("a: bytes 5000-5999: mended from copy", leaf);
        let lines = format!("a: mended\n{range}\nlink: restored\n4 unchanged, 1 mended, 1 restored");
        assert!(repaired.1 == Some(0) && repaired.0.starts_with(&lines), "{repaired:?}");
        // A sample changes nothing but the times of checks.
        let root = told(&directory, &["--sample=100%"]).0.rsplit_once("root ").unwrap().1.trim().to_owned();
        assert_eq!(told(&directory, &["--audit", "--root", &root]).1, Some(0));
        assert_eq!((format(&directory), fs::read(directory.path("s")).unwrap() != whole), (number, true));
        assert_eq!(list(&[]), *lists.last().unwrap());
    }
    assert!(lists[0] == lists[1] && lists[0].lines().count() == 5, "{lists:?}");
    let names = ["a", "empty", "sub/b", "sub/deep/c", "sub.x"];
    let plain = directory.bt2sum(["-a", "blake3", "--tag"]).current_dir(directory.path("d")).args(names).output();
    assert_eq!(lists[2], Outcome::from(plain.unwrap()).stdout);
    for (key, number, whole) in KEYED {
        fs::write(directory.path("s"), whole).unwrap();
        for mode in ["--audit", "--sample=50%", "--audit"] {
            let run = outcome(&mut directory.bt2sum([mode, "--key-file", key, "--store", "s", "d"]));
            assert!(run.code == Some(0) && run.stdout.starts_with("6 unchanged, root "), "{run:?}");
            assert_eq!(format(&directory), number, "{mode}");
        }
    }
}

/// An update writes format 2, and tells both roots.
#[test]
fn an_update_writes_format_2() {
    let directory = tree();
    let root = include_str!("../data/store/roots").lines().next().unwrap();
    let line = "the catalogue has format 2 now; in format 1 its root was ";
    for (options, is_told) in [(&["--update"][..], true), (&["--update", "--quiet"], false)] {
        fs::write(directory.path("s"), ONE).unwrap();
        let old = told(&directory, &["--audit"]).0.rsplit_once("root ").unwrap().1.to_owned();
        let (text, code) = told(&directory, options);
        let expected = if is_told { format!("{line}{old}6 unchanged, root {root}\n") } else { String::new() };
        assert_eq!((text, code, format(&directory)), (expected, Some(0), 2));
        assert_eq!(told(&directory, &["--update"]).0, format!("6 unchanged, root {root}\n"));
    }
    fs::write(directory.path("s"), ONE).unwrap();
    let old = told(&directory, &["--audit", "--json"]).0;
    let old: serde_json::Value = serde_json::from_str(old.lines().last().unwrap()).unwrap();
    let text = told(&directory, &["--update", "--json"]).0;
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&last["old_root"], last["root"].as_str()), (&old["root"], Some(root)));
    // Permissions that format 1 has not are known after the update.
    fs::write(directory.path("s"), ONE).unwrap();
    set_mode(&directory, "a", 0o4755);
    assert_eq!(told(&directory, &["--audit", "--quiet"]), (String::new(), Some(0)));
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    set_mode(&directory, "a", 0o644);
    assert_eq!(audit(&directory, &["--audit"]), (vec!["a: mode 4755, now 644".into()], "6 unchanged".into(), 0));
    // Format 1 has no empty directories, so none is new. An update takes them.
    fs::write(directory.path("s"), ONE).unwrap();
    fs::create_dir(directory.path("d/void")).unwrap();
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "7 unchanged".into(), 0));
    fs::remove_dir(directory.path("d/void")).unwrap();
    // So are those of a file whose record it keeps.
    fs::write(directory.path("s"), ONE).unwrap();
    rot(&directory, "a", 0);
    assert_eq!(audit(&directory, &["--update"]).2, 1);
    set_mode(&directory, "a", 0o600);
    assert_verdicts(&directory, &["--audit"], &["a: rotted", "a: mode 644, now 600"], "5 unchanged, 1 rotted", 1);
}

/// Two recordings of one tree have one root, wherever it is.
#[test]
fn roots_of_copies() {
    let directory = tree();
    fs::create_dir(directory.path("d/void")).unwrap();
    let root = record(&directory, &[]);
    let copied = outcome(Command::new("cp").args(["-a", "d", "copy"]).current_dir(directory.path("")));
    assert_eq!(copied.code, Some(0));
    let of_copy = outcome(&mut directory.bt2sum(["-r", "--store", "t", "-t", "1000", "copy"])).stdout;
    assert_eq!((root.contains("5 files, 1 link, 1 empty directory, 13502 bytes"), &of_copy), (true, &root));
    assert_ne!(fs::read(directory.path("s")).unwrap(), fs::read(directory.path("t")).unwrap());
    set_mode(&directory, "sub.x", 0o600);
    assert_ne!(record(&directory, &["--force"]), root);
}

#[test]
fn permissions() {
    let directory = tree();
    record(&directory, &[]);
    set_mode(&directory, "a", 0o600);
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        let expected = (vec!["a: mode 644, now 600".to_owned()], "6 unchanged".to_owned(), 0);
        assert_eq!(audit(&directory, &[mode]), expected, "{mode}");
        assert_eq!(told(&directory, &[mode, "--quiet"]), (String::new(), Some(0)), "{mode}");
    }
    assert_eq!(audit(&directory, &["--update"]).0, ["a: mode 644, now 600"]);
    assert_eq!(audit(&directory, &["--update"]), (vec![], "6 unchanged".into(), 0));
    // An update that does not read the file takes them, and a sample does not.
    set_mode(&directory, "a", 0o640);
    for mode in [&["--sample=100%"][..], &["--update", "--sample=0"]] {
        assert_eq!(audit(&directory, mode).0, ["a: mode 600, now 640"], "{mode:?}");
    }
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    // Of an edited file and of a rotted one.
    fs::write(directory.path("d/sub.x"), b"edited").unwrap();
    set_mode(&directory, "sub.x", 0o755);
    rot(&directory, "sub/b", 0);
    set_mode(&directory, "sub/b", 0o400);
    let (lines, ..) = audit(&directory, &["--audit"]);
    let noted = |line: &&String| line.contains("mode");
    assert_eq!(
        lines.iter().filter(noted).collect::<Vec<_>>(),
        ["sub/b: mode 644, now 400", "sub.x: mode 644, now 755"]
    );
    let recorded = fs::read(directory.path("s")).unwrap();
    assert_eq!(audit(&directory, &["--update"]).0.iter().filter(noted).count(), 2);
    assert_verdicts(&directory, &["--update"], &["sub/b: rotted"], "5 unchanged, 1 rotted", 1);
    fs::write(directory.path("s"), recorded).unwrap();
    let (text, _) = told(&directory, &["--audit", "--json"]);
    assert!(
        text.lines()
            .any(|line| line.contains(r#""name":"sub.x","#) && line.contains(r#""mode":"755","mode_was":"644""#)),
        "{text}"
    );
}

/// Set-user-id that appears is told, also with `--quiet`, and gives an audit the status 1.
#[test]
fn set_user_id() {
    let directory = tree();
    set_mode(&directory, "sub.x", 0o4755);
    record(&directory, &[]);
    assert_eq!(told(&directory, &["--audit", "--quiet"]), (String::new(), Some(0)), "it was there before");
    set_mode(&directory, "a", 0o4755);
    let appeared = "a: mode 644, now 4755: set-user-id appeared\n";
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        assert_eq!(told(&directory, &[mode, "--quiet"]), (appeared.into(), Some(1)), "{mode}");
        assert_eq!(audit(&directory, &[mode]).2, 1, "{mode}");
    }
    let text = told(&directory, &["--audit", "--quiet", "--json"]).0;
    assert!(text.contains(r#""mode":"4755","mode_was":"644""#), "{text}");
    // An update takes it over, and has told it.
    let recorded = fs::read(directory.path("s")).unwrap();
    for options in [&["--update", "--quiet"][..], &["--update", "--quiet", "--sample=0"]] {
        fs::write(directory.path("s"), &recorded).unwrap();
        assert_eq!(told(&directory, options), (appeared.into(), Some(0)));
        assert_eq!(told(&directory, options), (String::new(), Some(0)));
    }
    // A new file, one that moved with the bit, and one that got it as it moved.
    fs::write(directory.path("d/new"), b"new").unwrap();
    set_mode(&directory, "new", 0o6755);
    fs::rename(directory.path("d/sub.x"), directory.path("d/y")).unwrap();
    fs::rename(directory.path("d/sub/b"), directory.path("d/z")).unwrap();
    set_mode(&directory, "z", 0o2755);
    let lines = [
        "new: new",
        "new: mode 6755: set-user-id and set-group-id appeared",
        "z: moved from sub/b",
        "z: mode 644, now 2755: set-group-id appeared",
    ];
    assert_eq!(told(&directory, &["--audit", "--quiet"]), (lines.join("\n") + "\n", Some(1)));
    // A repair has no business with it.
    fs::create_dir(directory.path("copy")).unwrap();
    let (text, code) = told(&directory, &["--repair", "--quiet", "--from", "copy"]);
    assert_eq!((text.as_str(), code), ("", Some(0)));
}

/// Empty directories that come, go, are filled and emptied.
#[test]
fn empty_directories() {
    let directory = tree();
    let path = |name: &str| directory.path(&format!("d/{name}"));
    fs::create_dir(path("void")).unwrap();
    fs::create_dir_all(path("sub/x/y")).unwrap();
    fs::create_dir(path("gone")).unwrap();
    assert_eq!(outcome(Command::new("mkfifo").arg(path("void/pipe"))).code, Some(0));
    let line = record(&directory, &["--exclude=*.tmp"]);
    assert!(line.starts_with("5 files, 1 link, 3 empty directories, 13502 bytes, root "), "{line}");
    fs::remove_file(path("void/pipe")).unwrap();
    fs::write(path("void/a.tmp"), b"excluded").unwrap();
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        assert_eq!(audit(&directory, &[mode]), (vec![], "9 unchanged".into(), 0), "{mode}");
    }
    assert_eq!(audit(&directory, &["--audit", "--only=sub/x"]).1, "1 unchanged");
    assert_eq!(audit(&directory, &["--audit", "--only=sub/x/y", "--only=a"]).1, "2 unchanged");
    // One is gone, one is new, one is filled, and a directory is emptied.
    fs::remove_dir(path("gone")).unwrap();
    fs::create_dir(path("new")).unwrap();
    fs::write(path("sub/x/y/z"), b"filled").unwrap();
    fs::remove_file(path("sub/deep/c")).unwrap();
    let lines = ["new: new", "sub/x/y/z: new", "gone: missing", "sub/deep/c: missing"];
    let sums = "6 unchanged, 2 new, 2 missing";
    assert_verdicts(&directory, &["--audit"], &lines, sums, 1);
    assert_verdicts(&directory, &["--sample=100%"], &lines, sums, 1);
    assert_verdicts(&directory, &["--update"], &lines, sums, 0);
    assert_verdicts(&directory, &["--audit"], &[], "9 unchanged", 0);
    // An emptied directory was recorded, so it can go; a filled one was not, so it cannot.
    fs::remove_dir(path("sub/deep")).unwrap();
    fs::remove_file(path("sub/x/y/z")).unwrap();
    assert_verdicts(
        &directory,
        &["--audit"],
        &["sub/deep: missing", "sub/x/y/z: missing"],
        "7 unchanged, 2 missing",
        1,
    );
    fs::write(path("sub/x/y/z"), b"filled").unwrap();
    // A file, a link and an empty directory in the place of each other.
    fs::create_dir(path("sub/deep")).unwrap();
    fs::remove_dir(path("new")).unwrap();
    fs::write(path("new"), b"new").unwrap();
    fs::remove_dir_all(path("void")).unwrap();
    symlink("a", path("void")).unwrap();
    fs::remove_file(path("sub.x")).unwrap();
    fs::create_dir(path("sub.x")).unwrap();
    let lines = ["new: new", "sub.x: new", "void: new", "sub.x: missing"];
    assert_verdicts(&directory, &["--audit"], &lines, "6 unchanged, 3 new, 1 missing", 1);
    assert_verdicts(&directory, &["--sample=100%"], &lines, "6 unchanged, 3 new, 1 missing", 1);
    assert_verdicts(&directory, &["--update", "--sample=0"], &lines, "6 unchanged, 3 new, 1 missing", 0);
    assert_verdicts(&directory, &["--audit"], &[], "9 unchanged", 0);
    let run = outcome(&mut directory.bt2sum(["--list", "--json", "--store", "s"])).stdout;
    assert!(run.contains(r#"{"name":"sub/deep","status":"recorded","mode":"755","empty_directory":true}"#), "{run}");
    assert!(run.contains(r#""links":2,"empty_directories":2,"#), "{run}");
}

/// A file that was renamed is found, whatever has its old name or had its new one.
#[test]
fn renamed_beside_a_directory() {
    for is_found in [true, false] {
        let directory = tree().file("d/c", b"1234");
        let path = |name: &str| directory.path(&format!("d/{name}"));
        fs::create_dir(path("void")).unwrap();
        set_time(&directory, "c", 1_000_000);
        record(&directory, &[]);
        let (to, left) = if is_found { ("b", 7) } else { ("void", 6) };
        let _ = fs::remove_dir(path(to));
        fs::rename(path("c"), path(to)).unwrap();
        if is_found {
            fs::create_dir(path("c")).unwrap();
        }
        let mut lines = vec![format!("{to}: moved from c")];
        lines.extend(is_found.then(|| "c: new".to_owned()));
        let new = if is_found { ", 1 new" } else { "" };
        let check = |mode: &str, lines: &[String], sums: &str, code| {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            assert_verdicts(&directory, &[mode], &lines, sums, code);
        };
        check("--audit", &lines, &format!("{left} unchanged{new}, 1 moved"), 1);
        rot(&directory, to, 0);
        if is_known() {
            lines.iter_mut().find(|line| line.starts_with(to)).unwrap().push_str(", rotted");
            for mode in ["--audit", "--sample=100%", "--update"] {
                check(mode, &lines, &format!("{left} unchanged, 1 rotted{new}"), 1);
            }
        }
    }
    // A directory in the place of a file hides no loss, and a repair cannot bring the file back there.
    let directory = tree();
    record(&directory, &[]);
    fs::remove_file(directory.path("d/sub.x")).unwrap();
    fs::create_dir(directory.path("d/sub.x")).unwrap();
    let (text, code) = told(&directory, &["--audit", "--quiet"]);
    assert!(code == Some(1) && text.starts_with("sub.x: missing\n1 missing, root "), "{text}");
    fs::create_dir(directory.path("copy")).unwrap();
    let directory = directory.file("copy/sub.x", b"x");
    let (text, code) = told(&directory, &["--repair", "--missing", "--from", "copy"]);
    assert!(code == Some(1) && text.starts_with("sub.x: missing"), "{text}");
    fs::remove_dir(directory.path("d/sub.x")).unwrap();
    let (text, code) = told(&directory, &["--repair", "--missing", "--from", "copy"]);
    assert!(code == Some(0) && text.starts_with("sub.x: restored"), "{text}");
}

/// A repair brings back empty directories with their permissions.
#[test]
fn missing_directories() {
    let directory = tree();
    fs::DirBuilder::new().mode(0o700).recursive(true).create(directory.path("d/new/void")).unwrap();
    record(&directory, &[]);
    fs::remove_dir_all(directory.path("d/new")).unwrap();
    fs::create_dir(directory.path("copy")).unwrap();
    let repair = |options: &[&str]| told(&directory, &[&["--repair", "--from", "copy"], options].concat());
    assert!(repair(&[]).0.starts_with("new/void: missing\n6 unchanged, 1 missing"));
    assert!(repair(&["--missing", "--dry-run"]).0.starts_with("new/void: restorable\n"));
    assert!(!directory.path("d/new").exists());
    let (text, code) = repair(&["--missing"]);
    assert!(code == Some(0) && text.starts_with("new/void: restored\n6 unchanged, 1 restored"), "{text}");
    let mode = fs::metadata(directory.path("d/new/void")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o700);
    assert_eq!(audit(&directory, &["--audit"]).1, "7 unchanged");
}

/// A time of change that moved is a note about rot, and no more.
#[test]
fn times_of_change() {
    let directory = tree();
    record(&directory, &[]);
    // Permissions and links move it as well.
    set_mode(&directory, "a", 0o600);
    set_mode(&directory, "a", 0o644);
    fs::hard_link(directory.path("d/sub/b"), directory.path("link")).unwrap();
    // So does another owner, which is not recorded. Only the superuser can give a file one.
    let _ = chown(directory.path("d/sub.x"), Some(65534), Some(65534));
    assert_eq!(audit(&directory, &["--audit"]), (vec![], "6 unchanged".into(), 0));
    assert_eq!(audit(&directory, &["--sample=0"]), (vec![], "6 unchanged".into(), 0));
    rot(&directory, "a", 5500);
    let note = format!("a{TOUCHED}\n");
    for mode in ["--audit", "--sample=100%", "--update", "--audit"] {
        let (text, code) = told(&directory, &[mode]);
        assert!(code == Some(1) && text.starts_with("a: rotted\na: bytes 5000-5999: FAILED\n"), "{mode}: {text}");
        assert_eq!(text.contains(&note), is_known(), "{mode}: {text}");
    }
    let text = told(&directory, &["--audit", "--json"]).0;
    assert_eq!(text.contains(r#""ctime_moved":true"#), is_known(), "{text}");
    // One without the times of this host, where nothing is compared, and one that an update gave them.
    fs::write(directory.path("s"), TWO).unwrap();
    assert!(!told(&directory, &["--audit"]).0.contains(TOUCHED));
    rot(&directory, "a", 5500);
    assert_eq!(audit(&directory, &["--update"]).2, 0);
    rot(&directory, "a", 5500);
    assert_eq!(told(&directory, &["--audit"]).0.contains(&note), is_known());
}

/// Takes the catalogue to another host, or back.
fn move_host(directory: &Directory) {
    let mut bytes = fs::read(directory.path("s")).unwrap();
    // After the magic number, the format, the parameters and the number of patterns, which is 0.
    bytes[20..36].iter_mut().for_each(|byte| *byte ^= 0xff);
    let contents = bytes.len() - 32;
    let checksum = Params::new().hash_length(32).hash(&bytes[..contents]).unwrap();
    bytes[contents..].copy_from_slice(checksum.as_bytes());
    fs::write(directory.path("s"), bytes).unwrap();
}

/// Times of change and inodes of another host are not compared. A sample keeps them, and an update does not.
#[test]
fn another_host() {
    let directory = tree();
    record(&directory, &[]);
    rot(&directory, "a", 5500);
    fs::rename(directory.path("d/sub.x"), directory.path("d/y")).unwrap();
    rot(&directory, "y", 0);
    let note = format!("a{TOUCHED}\n");
    let told = |options: &[&str]| {
        let text = told(&directory, options).0;
        (text.contains(&note), text.contains("y: moved from sub.x, rotted\n"), text.contains("y: new\n"))
    };
    let here = (is_known(), is_known(), !is_known());
    assert_eq!(told(&["--audit"]), here);
    move_host(&directory);
    for mode in ["--audit", "--sample=100%", "--sample=1%", "--repair", "--audit"] {
        fs::create_dir_all(directory.path("copy")).unwrap();
        let from = if mode == "--repair" { &["--repair", "--dry-run", "--from", "copy"][..] } else { &[mode] };
        let is_new = mode != "--repair";
        assert_eq!(told(from), (false, false, is_new), "{mode}");
    }
    move_host(&directory);
    assert_eq!(told(&["--audit"]), here);
    // The record of `a` that the update keeps has no time of change, and that of the new `y` has this host's inode.
    move_host(&directory);
    assert_eq!(told(&["--update"]), (false, false, true));
    assert_eq!(told(&["--audit"]), (false, false, false));
    assert_verdicts(&directory, &["--audit"], &["a: rotted"], "5 unchanged, 1 rotted", 1);
    rot(&directory, "y", 0);
    assert_eq!(
        outcome(&mut directory.bt2sum(["--audit", "--store", "s", "d"])).stdout.contains("y: ctime moved"),
        is_known()
    );
}

/// A file that was renamed and rotted is found by its inode, also if others have its length and time.
#[test]
fn inodes() {
    let directory = tree().file("d/c", b"1234").file("d/e", b"5678");
    set_time(&directory, "c", 1_000_000);
    set_time(&directory, "e", 1_000_000);
    record(&directory, &[]);
    let recorded = fs::read(directory.path("s")).unwrap();
    fs::rename(directory.path("d/c"), directory.path("d/y")).unwrap();
    fs::rename(directory.path("d/e"), directory.path("d/x")).unwrap();
    rot(&directory, "x", 0);
    rot(&directory, "y", 0);
    let unknown = ["x: new", "y: new", "c: missing", "e: missing"];
    let known = ["x: moved from e, rotted", "y: moved from c, rotted"];
    for mode in ["--audit", "--sample=100%", "--update"] {
        if is_known() {
            assert_verdicts(&directory, &[mode], &known, "6 unchanged, 2 rotted", 1);
        } else {
            assert_verdicts(&directory, &["--audit"], &unknown, "6 unchanged, 2 new, 2 missing", 1);
        }
    }
    // The files are told to be rotted until their contents are back.
    if is_known() {
        assert_verdicts(&directory, &["--audit"], &["x: rotted", "y: rotted"], "6 unchanged, 2 rotted", 1);
    }
    // A copy has other inodes.
    fs::write(directory.path("s"), recorded).unwrap();
    let copied = outcome(Command::new("cp").args(["-a", "d", "e"]).current_dir(directory.path("")));
    assert_eq!(copied.code, Some(0));
    fs::remove_dir_all(directory.path("d")).unwrap();
    fs::rename(directory.path("e"), directory.path("d")).unwrap();
    assert_verdicts(&directory, &["--audit"], &unknown, "6 unchanged, 2 new, 2 missing", 1);
}

/// All names of a file that rotted are found by its inode, though they have one number.
#[test]
fn hard_links() {
    let directory = tree().file("d/c", b"1234");
    set_time(&directory, "c", 1_000_000);
    fs::hard_link(directory.path("d/c"), directory.path("d/e")).unwrap();
    record(&directory, &[]);
    fs::rename(directory.path("d/c"), directory.path("d/y")).unwrap();
    fs::rename(directory.path("d/e"), directory.path("d/x")).unwrap();
    rot(&directory, "x", 0);
    if is_known() {
        let lines = ["x: moved from c, rotted", "y: moved from e, rotted"];
        for mode in ["--audit", "--sample=100%", "--update"] {
            assert_verdicts(&directory, &[mode], &lines, "6 unchanged, 2 rotted", 1);
        }
    }
}

/// A new file can have the inode number of one that was removed, and is not that file.
#[test]
fn inodes_that_are_used_again() {
    let directory = tree().file("d/c", b"1234");
    set_time(&directory, "c", 1_000_000);
    record(&directory, &[]);
    fs::remove_file(directory.path("d/c")).unwrap();
    let directory = directory.file("d/y", b"5678");
    set_time(&directory, "y", 1_000_000);
    for mode in ["--audit", "--sample=100%", "--audit"] {
        assert_verdicts(&directory, &[mode], &["y: new", "c: missing"], "6 unchanged, 1 new, 1 missing", 1);
    }
}

/// The length of a catalogue does not grow with the square of the depth.
#[test]
fn deep_trees() {
    const DEPTH: usize = 300;
    let directory = Directory::new();
    fs::create_dir(directory.path("d")).unwrap();
    let script = format!(
        "cd d; n=$(printf '%0255d' 0); i=0; \
         while [ $i -lt {DEPTH} ]; do echo $i > f; mkdir $n; cd -P $n; i=$((i + 1)); done"
    );
    let made = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.path("")));
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
    let line = record(&directory, &[]);
    assert!(line.starts_with(&format!("{DEPTH} files, 1 empty directory, ")), "{line}");
    let length = fs::metadata(directory.path("s")).unwrap().len();
    assert!(length < (DEPTH * 400) as u64, "{length}");
    assert_eq!(audit(&directory, &["--audit"]).1, format!("{} unchanged", DEPTH + 1));
}

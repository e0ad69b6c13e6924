//! `--owner` and `--xattrs`: owners and extended attributes of files in catalogues.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, chown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{XattrFlags, removexattr, setxattr};

use crate::store::{audit, record, rot, set_mode, tree};
use crate::store_verdicts::assert_verdicts;
use crate::{Directory, outcome};

const OWNED: &[u8] = include_bytes!("../data/store/owned");
const CAPABILITY: &[u8] = b"\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// Sets an extended attribute of something below `d`. Returns false, and prints why, where that is not possible.
fn set(directory: &Directory, name: &str, attribute: &str, value: &[u8]) -> bool {
    let done = setxattr(directory.path(&format!("d/{name}")), attribute, value, XattrFlags::empty());
    done.inspect_err(|error| eprintln!("skipped: {attribute} cannot be set here: {error}")).is_ok()
}

fn remove(directory: &Directory, name: &str, attribute: &str) {
    removexattr(directory.path(&format!("d/{name}")), attribute).unwrap();
}

/// Gives something below `d` an owner. Returns false, and prints why, where that is not possible.
fn give(directory: &Directory, name: &str, user: u32, group: u32) -> bool {
    let done = lchown(directory.path(&format!("d/{name}")), Some(user), Some(group));
    done.inspect_err(|error| eprintln!("skipped: no file can be given away here: {error}")).is_ok()
}

/// Standard output of a run with `s`, and its status.
fn told(directory: &Directory, options: &[&str]) -> (String, Option<i32>) {
    let run = outcome(directory.bt2sum(["--store", "s"]).args(options).arg("d"));
    assert_eq!(run.stderr, "", "{run:?}");
    (run.stdout, run.code)
}

fn listed(directory: &Directory) -> String {
    outcome(&mut directory.bt2sum(["--list", "--json", "--store", "s"])).stdout
}

/// A catalogue that another program made by the specification is that of this tree.
#[test]
fn owners_and_attributes_by_the_specification() {
    let directory = tree().file("k", b"key");
    fs::write(directory.path("s"), OWNED).unwrap();
    let list = outcome(&mut directory.bt2sum(["list", "--json", "--key-file=k", "--store=s"])).stdout;
    for part in [
        r#""mode":"644","owner":"1000:100","xattrs":"none"}"#,
        r#""target":"a","owner":"4294967294:100"}"#,
        r#","capability":true}"#,
    ] {
        assert!(list.contains(part), "{part} {list}");
    }
    assert_eq!(list.matches("capability").count(), 2, "{list}");
    let owners = [1000, 1000, u32::MAX - 1, 1000, 1000, 0].into_iter().zip([100, 100, 100, 127, 128, 128]);
    let names = ["a", "empty", "link", "sub/b", "sub/deep/c", "sub.x"];
    let is_given = owners.zip(names).all(|((user, group), name)| give(&directory, name, user, group));
    let attributes: [(&str, &str, &[u8]); 8] = [
        ("a", "user.b", b"\0\xff"),
        ("a", "user.a", b""),
        ("a", "user.B", &[b'x'; 3000]),
        ("sub/b", "user.a", b""),
        ("sub/b", "security.capability", CAPABILITY),
        ("sub/deep/c", "user.a", b""),
        ("sub/deep/c", "security.capability", CAPABILITY),
        ("sub.x", "user.a", b"1"),
    ];
    if !is_given || !attributes.iter().all(|(name, attribute, value)| set(&directory, name, attribute, value)) {
        return;
    }
    for verb in ["audit", "sample", "update", "audit"] {
        let run = outcome(&mut directory.bt2sum([verb, "--key-file=k", "--store=s", "d"]));
        assert!(run.code == Some(0) && run.stdout.starts_with("6 unchanged, root "), "{verb} {run:?}");
        let root = run.stdout.split_once("root ").unwrap().1.split_whitespace().next().unwrap().to_owned();
        let mut recording = directory.bt2sum(["record", "--owner", "--xattrs", "--force", "--key-file=k"]);
        let recorded = outcome(recording.args(["--size=20", "--chunk=1000", "--store=t", "d"]));
        assert!(recorded.code == Some(0) && recorded.stdout.contains(&root), "{root} {recorded:?}");
    }
    // Attributes that are those of the machine are none.
    if set(&directory, "a", "trusted.a", b"1") && set(&directory, "a", "security.a", b"1") {
        let run = outcome(&mut directory.bt2sum(["audit", "--key-file=k", "--store=s", "d"]));
        assert!(run.code == Some(0) && run.stdout.starts_with("6 unchanged, root "), "{run:?}");
    }
}

#[test]
fn extended_attributes() {
    let directory = tree();
    fs::create_dir(directory.path("d/void")).unwrap();
    if !set(&directory, "a", "user.a", b"1") || !set(&directory, "sub/b", "user.long", &[7; 2000]) {
        return;
    }
    let roots = [record(&directory, &[]), record(&directory, &["--force", "--xattrs"])];
    assert!(roots[0] != roots[1] && record(&directory, &["--force", "--xattrs"]) == roots[1]);
    assert!(set(&directory, "a", "user.a", b"2") && set(&directory, "empty", "user.a", b""));
    assert!(set(&directory, "void", "user.a", b"void"));
    remove(&directory, "sub/b", "user.long");
    let lines = [
        "a: extended attributes differ",
        "empty: extended attributes appeared",
        "sub/b: extended attributes are gone",
        "void: extended attributes appeared",
    ];
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        assert_verdicts(&directory, &[mode], &lines, "7 unchanged", 0);
        assert_eq!(told(&directory, &[mode, "--quiet"]), (String::new(), Some(0)), "{mode}");
    }
    let recorded = fs::read(directory.path("s")).unwrap();
    for update in [&["--update"][..], &["--update", "--sample=0"]] {
        fs::write(directory.path("s"), &recorded).unwrap();
        assert_verdicts(&directory, update, &lines, "7 unchanged", 0);
        assert_verdicts(&directory, &["--audit"], &[], "7 unchanged", 0);
        assert!(
            told(&directory, &["--audit"])
                .0
                .contains(record(&directory, &["--force", "--xattrs"]).trim().rsplit(' ').next().unwrap())
        );
    }
    // They make no rot milder, and follow a file that moves. A new file has none to compare with.
    rot(&directory, "a", 0);
    assert!(set(&directory, "a", "user.a", b"3") && set(&directory, "sub.x", "user.a", b"moved"));
    fs::rename(directory.path("d/sub.x"), directory.path("d/y")).unwrap();
    fs::write(directory.path("d/z"), b"new").unwrap();
    assert!(set(&directory, "z", "user.a", b"new"));
    let lines = [
        "a: rotted",
        "a: extended attributes differ",
        "y: moved from sub.x",
        "y: extended attributes appeared",
        "z: new",
    ];
    assert_verdicts(&directory, &["--audit"], &lines, "5 unchanged, 1 rotted, 1 new, 1 moved", 1);
    let text = told(&directory, &["--audit", "--json"]).0;
    assert!(text.contains(r#","xattrs_was":"none"}"#) && !text.contains("owner"), "{text}");
    // An update keeps the digest of what rotted, and takes over its attributes.
    assert_verdicts(&directory, &["--update"], &lines, "5 unchanged, 1 rotted, 1 new, 1 moved", 1);
    assert_verdicts(&directory, &["--audit"], &["a: rotted"], "7 unchanged, 1 rotted", 1);
}

/// A write takes `security.capability` away, and set-user-id where the superuser does not write.
#[test]
fn a_repair_keeps_rights() {
    let directory = tree();
    fs::create_dir(directory.path("copy")).unwrap();
    fs::copy(directory.path("d/a"), directory.path("copy/a")).unwrap();
    let mut names = vec![("user.a", &b"1"[..]), ("security.capability", CAPABILITY)];
    names.retain(|(name, value)| set(&directory, "a", name, value));
    set_mode(&directory, "a", 0o6755);
    record(&directory, &["--xattrs"]);
    rot(&directory, "a", 3);
    // The damage was a write, too.
    names.iter().for_each(|(name, value)| assert!(set(&directory, "a", name, value)));
    set_mode(&directory, "a", 0o6755);
    assert!(told(&directory, &["--repair", "--from", "copy"]).0.starts_with("a: mended"));
    for (name, value) in names {
        let mut buffer = [0; 100];
        let length = rustix::fs::getxattr(directory.path("d/a"), name, &mut buffer[..]);
        assert_eq!(length.map(|length| &buffer[..length]), Ok(value), "{name}");
    }
    let (lines, _, code) = audit(&directory, &["--audit"]);
    assert!(lines.is_empty() && code == 0, "{lines:?}");
    let mode = fs::metadata(directory.path("d/a")).unwrap().mode();
    assert_eq!(mode & 0o7777, 0o6755);
}

/// Catalogues say nothing about what they do not have.
#[test]
fn nothing_is_recorded_unasked() {
    let directory = tree();
    record(&directory, &[]);
    assert!(!set(&directory, "a", "user.a", b"1") || audit(&directory, &["--audit"]).0.is_empty());
    assert!(!give(&directory, "a", 1, 1) || audit(&directory, &["--update"]).0.is_empty());
    assert!(!listed(&directory).contains("owner") && !listed(&directory).contains("xattrs"));
    let list = record(&directory, &["--force", "--owner"]);
    let owner = fs::metadata(directory.path("d/a")).map(|file| format!("{}:{}", file.uid(), file.gid())).unwrap();
    assert!(listed(&directory).contains(&format!(r#""owner":"{owner}""#)) && !listed(&directory).contains("xattrs"));
    assert!(told(&directory, &["--update"]).0.contains(list.trim().rsplit(' ').next().unwrap()));
    // They are chosen once.
    for (verb, more) in
        [("audit", ""), ("update", ""), ("sample", ""), ("list", ""), ("repair", "--from=copy"), ("sum", "")]
    {
        for option in ["--owner", "--xattrs"] {
            let flat = if verb == "sum" {
                "--recursive".to_owned()
            } else {
                format!("--{verb}{}", if verb == "sample" { "=0" } else { "" })
            };
            let store = if verb == "sum" { "" } else { "--store=s" };
            let directory_of = if verb == "list" { "" } else { "d" };
            let given = [option, store, more, directory_of].into_iter().filter(|text| !text.is_empty());
            for first in [verb, &flat] {
                let run = outcome(directory.bt2sum([first]).args(given.clone()));
                assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{first} {option} {run:?}");
                assert!(run.stderr.contains(option), "{run:?}");
            }
        }
    }
}

#[test]
fn owners() {
    let directory = tree();
    fs::create_dir(directory.path("d/void")).unwrap();
    symlink("nowhere", directory.path("d/other")).unwrap();
    if !give(&directory, "sub.x", 1, 2) {
        return;
    }
    set_mode(&directory, "sub/b", 0o4755);
    set_mode(&directory, "empty", 0o2755);
    set_mode(&directory, "void", 0o2755);
    record(&directory, &["--owner"]);
    assert!(audit(&directory, &["--audit"]).0.is_empty());
    for (name, user, group) in [("a", 1, 0), ("sub.x", 1, 3), ("link", 5, 6), ("void", 0, 4)] {
        assert!(give(&directory, name, user, group));
    }
    let lines =
        ["a: owner 0:0, now 1:0", "link: owner 0:0, now 5:6", "sub.x: owner 1:2, now 1:3", "void: owner 0:0, now 0:4"];
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        assert_verdicts(&directory, &[mode], &lines, "8 unchanged", 0);
        assert_eq!(told(&directory, &[mode, "--quiet"]), (String::new(), Some(0)), "{mode}");
    }
    let text = told(&directory, &["--audit", "--json"]).0;
    assert!(text.contains(r#""name":"link","status":"unchanged","owner":"5:6","owner_was":"0:0"}"#), "{text}");
    // A file that runs as its owner or group is told with `--quiet`, too. Only what changes the owner takes the bits.
    assert!(give(&directory, "sub/b", 7, 0) && give(&directory, "empty", 0, 8));
    set_mode(&directory, "sub/b", 0o4755);
    set_mode(&directory, "empty", 0o2755);
    let loud =
        ["empty: owner 0:0, now 0:8: the file has set-group-id", "sub/b: owner 0:0, now 7:0: the file has set-user-id"];
    for mode in ["--audit", "--sample=0"] {
        assert_eq!(told(&directory, &[mode, "--quiet"]), (loud.join("\n") + "\n", Some(1)), "{mode}");
    }
    let all = [&lines[..2], &loud, &lines[2..]].concat();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    for update in [&["--update"][..], &["--update", "--sample=0"]] {
        let recorded = fs::read(directory.path("s")).unwrap();
        let (mut found, sums, code) = audit(&directory, update);
        found.sort_unstable();
        assert_eq!((found, sums.as_str(), code), (sorted.iter().map(|&line| line.into()).collect(), "8 unchanged", 0));
        assert!(audit(&directory, &["--audit"]).0.is_empty());
        fs::write(directory.path("s"), recorded).unwrap();
    }
}

/// A capability that appears is told as set-user-id is.
#[test]
fn capabilities() {
    let directory = tree();
    if !set(&directory, "sub.x", "security.capability", CAPABILITY) {
        return;
    }
    record(&directory, &["--xattrs"]);
    assert_eq!(told(&directory, &["--audit", "--quiet"]), (String::new(), Some(0)), "it was there before");
    let mut other = CAPABILITY.to_vec();
    other[4] = 1;
    assert!(set(&directory, "sub.x", "security.capability", &other));
    assert!(set(&directory, "a", "security.capability", CAPABILITY));
    fs::write(directory.path("d/new"), b"new").unwrap();
    assert!(set(&directory, "new", "security.capability", CAPABILITY));
    let loud = "a: extended attributes appeared: security.capability appeared\n\
        sub.x: extended attributes differ: security.capability may differ\n\
        new: new\nnew: extended attributes: security.capability appeared\n";
    for mode in ["--audit", "--sample=0", "--sample=100%"] {
        assert_eq!(told(&directory, &[mode, "--quiet"]), (loud.into(), Some(1)), "{mode}");
    }
    let text = told(&directory, &["--audit", "--quiet", "--json"]).0;
    assert_eq!(text.matches(r#""capability":true"#).count(), 3, "{text}");
    assert_eq!(told(&directory, &["--update", "--quiet"]), (loud.into(), Some(0)));
    remove(&directory, "a", "security.capability");
    assert_eq!(told(&directory, &["--audit", "--quiet"]), (String::new(), Some(0)));
    assert_eq!(audit(&directory, &["--audit"]).0, ["a: extended attributes are gone"]);
}

/// Attributes that cannot be read are no attributes that are not there.
#[test]
fn files_that_may_not_be_opened() {
    let directory = tree();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        // The superuser reads everything.
        for path in [".", "d", "d/a", "d/sub", "d/sub/deep"] {
            chown(directory.path(path), Some(65534), Some(65534)).unwrap();
        }
    }
    // By its descriptor, because another user may not enter the folder that the program is in.
    let program = fs::File::open(env!("CARGO_BIN_EXE_bt2sum")).unwrap();
    let run = |options: &[&str]| {
        let mut command = directory.bt2sum(options.iter().copied());
        if is_root {
            command = Command::new(format!("/proc/self/fd/{}", program.as_raw_fd()));
            command.env("LC_ALL", "C").current_dir(directory.path(".")).args(options).uid(65534).gid(65534);
        }
        outcome(&mut command)
    };
    let recorded = run(&["record", "--xattrs", "--store", "s", "d"]);
    assert_eq!((recorded.code, recorded.stderr.as_str()), (Some(0), ""), "{recorded:?}");
    set_mode(&directory, "a", 0);
    let audited = run(&["sample", "--sample=0", "--store", "s", "d"]);
    assert!(audited.code == Some(1) && audited.stdout.starts_with("a: unreadable: Permission denied"), "{audited:?}");
}

//! `--only` and `--accept`: parts of a directory, and rot that was wanted.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::store::{HINT, as_user, audit, record, rot, set_time, tree};
use crate::{Directory, outcome};

/// The lines of an audit without the hint.
fn told(directory: &Directory, options: &[&str]) -> (Vec<String>, String, i32) {
    let (mut lines, sums, code) = audit(directory, options);
    lines.retain(|line| line != HINT && !line.contains(": bytes "));
    (lines, sums, code)
}

#[track_caller]
fn expect(directory: &Directory, options: &[&str], lines: &[&str], sums: &str, code: i32) {
    assert_eq!(told(directory, options), (lines.iter().map(|&line| line.into()).collect(), sums.into(), code));
}

#[test]
fn audits_of_a_part() {
    let directory = tree();
    record(&directory, &[]);
    for name in ["a", "sub/b", "sub/deep/c", "sub.x"] {
        rot(&directory, name, 0);
    }
    fs::write(directory.path("d/sub/new"), b"new").unwrap();
    fs::write(directory.path("d/other"), b"new").unwrap();
    fs::remove_file(directory.path("d/empty")).unwrap();
    let of_sub = ["sub/b: rotted", "sub/deep/c: rotted", "sub/new: new"];
    for name in ["sub", "./sub", "sub/", "./sub/"] {
        expect(&directory, &["--audit", "--only", name], &of_sub, "0 unchanged, 2 rotted, 1 new", 1);
    }
    expect(&directory, &["--audit", "--only=sub/deep/c"], &["sub/deep/c: rotted"], "0 unchanged, 1 rotted", 1);
    expect(&directory, &["--audit", "--only=sub.x"], &["sub.x: rotted"], "0 unchanged, 1 rotted", 1);
    expect(&directory, &["--audit", "--only=empty"], &["empty: missing"], "0 unchanged, 1 missing", 1);
    expect(&directory, &["--audit", "--only=other"], &["other: new"], "0 unchanged, 1 new", 1);
    expect(&directory, &["--audit", "--only=link"], &[], "1 unchanged", 0);
    let two = ["a: rotted", "sub/deep/c: rotted"];
    expect(&directory, &["--audit", "--only=sub/deep", "--only=a"], &two, "0 unchanged, 2 rotted", 1);
}

#[test]
fn an_update_of_a_part_keeps_all_other_records() {
    let directory = tree();
    record(&directory, &[]);
    for name in ["sub/b", "a"] {
        fs::write(directory.path(&format!("d/{name}")), b"edited").unwrap();
        set_time(&directory, name, 2_000_000);
    }
    // Before, between and after the part, in the order of names.
    for name in ["0", "sub/deep/0", "sub/z", "z"] {
        fs::write(directory.path(&format!("d/{name}")), name).unwrap();
        set_time(&directory, name, 2_000_000);
    }
    fs::remove_file(directory.path("d/empty")).unwrap();
    fs::remove_file(directory.path("d/sub/deep/c")).unwrap();
    let lines = ["sub/b: changed", "sub/deep/0: new", "sub/z: new", "sub/deep/c: missing"];
    let (found, sums, code) = told(&directory, &["--update", "--only=sub"]);
    assert_eq!(
        (found, sums.as_str(), code),
        (lines.map(Into::into).into(), "0 unchanged, 1 changed, 2 new, 1 missing", 0)
    );
    expect(&directory, &["--audit", "--only=sub"], &[], "3 unchanged", 0);
    let rest = ["a: changed", "0: new", "z: new", "empty: missing"];
    expect(&directory, &["--audit"], &rest, "5 unchanged, 1 changed, 2 new, 1 missing", 1);
    // What an update of all records is what updates of all parts record.
    for part in ["0", "a", "empty", "z"] {
        let (lines, _, code) = told(&directory, &["--update", "--only", part]);
        assert_eq!((lines.len(), code), (1, 0), "{part}: {lines:?}");
    }
    let by_parts = record_of(&directory);
    record(&directory, &["--force"]);
    assert_eq!(by_parts, record_of(&directory));
}

fn record_of(directory: &Directory) -> String {
    outcome(&mut directory.bt2sum(["--list", "--json", "--store", "s"])).stdout
}

#[test]
fn samples_lists_and_repairs_of_a_part() {
    let directory = tree();
    record(&directory, &[]);
    let listed = outcome(&mut directory.bt2sum(["--list", "--store", "s", "--only", "sub", "--only", "empty"]));
    let names: Vec<&str> = listed.stdout.lines().map(|line| line.split(['(', ')']).nth(1).unwrap()).collect();
    assert_eq!((names, listed.code), (vec!["empty", "sub/b", "sub/deep/c"], Some(0)));
    let json = outcome(&mut directory.bt2sum(["--list", "--json", "--store", "s", "--only", "sub"])).stdout;
    assert!(json.contains("{\"files\":2,\"links\":0,\"bytes\":3001,"), "{json}");
    // All of the part, and nothing else.
    let (_, sums, code) = audit(&directory, &["--sample=100%", "--only=sub"]);
    assert_eq!((sums.as_str(), code), ("2 unchanged", 0));
    // A percentage is one of the part: the first of its two files is enough, as it would not be of 13,502 bytes.
    let sample = outcome(&mut directory.bt2sum(["--sample=60%", "--only=sub", "--store", "s", "d"])).stdout;
    assert!(sample.starts_with("2 unchanged, ") && sample.ends_with(" (1 file not read)\n"), "{sample}");
    // The samples wrote the store, which has all other records still.
    expect(&directory, &["--audit"], &[], "6 unchanged", 0);
    fs::create_dir(directory.path("copy")).unwrap();
    for name in ["a", "sub.x"] {
        fs::copy(directory.path(&format!("d/{name}")), directory.path(&format!("copy/{name}"))).unwrap();
        rot(&directory, name, 0);
    }
    let repair = ["--repair", "--from", "copy", "--only", "a", "--store", "s", "d"];
    assert_eq!(outcome(&mut directory.bt2sum(repair)).code, Some(0));
    expect(&directory, &["--audit"], &["sub.x: rotted"], "5 unchanged, 1 rotted", 1);
}

#[test]
fn names_of_no_part() {
    let directory = tree();
    record(&directory, &["--exclude=sub/deep"]);
    symlink("sub", directory.path("d/way")).unwrap();
    for name in ["nothing", "sub/nothing", "a/b", "su", "sub/deep", "sub/deep/c", "way/b"] {
        let run = outcome(&mut directory.bt2sum(["--audit", "--only", name, "--store", "s", "d"]));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{name}: {run:?}");
        assert!(run.stderr.starts_with(&format!("bt2sum: --only: {name}: nothing with this name")), "{}", run.stderr);
    }
    let run = outcome(&mut directory.bt2sum(["--list", "--only", "d/a", "--store", "s"]));
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    for name in ["", ".", "..", "/", "../d", "a/../a", "/etc", "sub//b"] {
        for option in ["--only", "--accept"] {
            let run = outcome(&mut directory.bt2sum(["--update", option, name, "--store", "s", "d"]));
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{name}: {run:?}");
            assert!(run.stderr.contains("no name below DIR"), "{}", run.stderr);
        }
    }
    for (options, message) in [
        ("--only a --store s d", "--only needs --audit, --update, --sample, --list or --repair"),
        ("-r --only a --store s d", "--only needs --audit, --update, --sample, --list or --repair"),
        ("--repair --from d --leaves l --only a d/a", "--only needs --store"),
        ("--audit --accept a --store s d", "--accept needs --update"),
    ] {
        let run = outcome(&mut directory.bt2sum(options.split(' ')));
        assert!(run.code == Some(2) && run.stderr.contains(message), "{options}: {run:?}");
    }
}

/// What is there, and is never read: a pipe, the catalogue, and a name longer than a file system has.
#[test]
fn parts_without_files() {
    let directory = tree();
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("d/pipe"))).code, Some(0));
    fs::create_dir(directory.path("d/place")).unwrap();
    let long = "n".repeat(300);
    let catalogue = "d/place/s";
    assert_eq!(outcome(&mut directory.bt2sum(["-r", "--store", catalogue, "d"])).code, Some(0));
    for verb in ["--audit", "--update", "--sample=0"] {
        for option in ["--only", "--accept"] {
            if option == "--accept" && verb != "--update" {
                continue;
            }
            for name in ["pipe", "place/s", &long] {
                let run = outcome(&mut directory.bt2sum(["--quiet", verb, option, name, "--store", catalogue, "d"]));
                assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{verb} {name}: {run:?}");
                assert!(run.stderr.contains("with this name is recorded, nor found"), "{}", run.stderr);
            }
        }
        // The directory is looked into.
        let run = outcome(&mut directory.bt2sum(["--quiet", verb, "--only=place", "--store", catalogue, "d"]));
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    }
    // A recorded file is missing if a pipe has its name.
    fs::remove_file(directory.path("d/a")).unwrap();
    assert_eq!(outcome(Command::new("mkfifo").arg(directory.path("d/a"))).code, Some(0));
    let run = outcome(&mut directory.bt2sum(["--quiet", "--audit", "--only=a", "--store", catalogue, "d"]));
    assert!(run.code == Some(1) && run.stdout.starts_with("a: missing\n"), "{run:?}");
}

/// `/proc` is another device than `/`, of which all else is excluded. So it is an empty directory.
#[test]
fn a_part_on_another_device() {
    let directory = Directory::new();
    let rest = ["[!p]*", "p[!r]*", "pr[!o]*", "pro[!c]*", "proc?*"];
    let excludes = rest.iter().flat_map(|pattern| ["--exclude", pattern]);
    let mut run = directory.bt2sum(["-r", "--one-file-system", "--store", "s", "/"]);
    let recorded = outcome(run.args(excludes));
    assert!(
        recorded.code == Some(0) && recorded.stdout.starts_with("0 files, 1 empty directory, 0 bytes, "),
        "{recorded:?}"
    );
    let audit = |name| outcome(&mut directory.bt2sum(["--audit", "--only", name, "--store", "s", "/"]));
    let run = audit("proc");
    assert!(run.code == Some(0) && run.stdout.starts_with("1 unchanged, root "), "{run:?}");
    let run = audit("proc/version");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("bt2sum: --only: proc/version: nothing with this name"), "{}", run.stderr);
}

/// Names that could speak to the terminal are in quotes.
#[test]
fn improper_names_in_messages() {
    let directory = tree();
    record(&directory, &[]);
    for (name, quoted) in
        [(&b"/\xff\x1b[31m"[..], r"$'/\xFF\x1B[31m'"), (b"a//\x1bz\n", r"$'a//\x1Bz\n'"), (b"..", "..")]
    {
        for option in ["--only", "--accept"] {
            let run = outcome(
                directory.bt2sum(["--update", option]).arg(OsStr::from_bytes(name)).args(["--store", "s", "d"]),
            );
            let begin = format!("bt2sum: {option}: {quoted}: this is no name below DIR: ");
            assert!(run.code == Some(2) && run.stderr.starts_with(&begin), "{}", run.stderr);
        }
    }
}

/// An empty directory, one that is missing, and one that cannot be listed.
#[test]
fn parts_that_are_directories() {
    let directory = tree();
    record(&directory, &[]);
    fs::create_dir(directory.path("d/void")).unwrap();
    expect(&directory, &["--audit", "--only=void"], &["void: new"], "0 unchanged, 1 new", 1);
    let sub = directory.path("d/sub");
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o000)).unwrap();
    let run = as_user(&directory, &["--audit", "--only=sub/deep", "--store", "s", "d"]);
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(run.code == Some(1) && run.stdout.contains("\nsub/deep/c: unreadable: Permission denied\n"), "{run:?}");
    assert!(run.stdout.contains("\n0 unchanged, 2 unreadable, "), "{run:?}");
    fs::remove_dir_all(directory.path("d/sub")).unwrap();
    expect(
        &directory,
        &["--audit", "--only=sub"],
        &["sub/b: missing", "sub/deep/c: missing"],
        "0 unchanged, 2 missing",
        1,
    );
    // More than half of the directory is missing, whatever files are named besides.
    fs::remove_file(directory.path("d/empty")).unwrap();
    for more in [&[][..], &["--only=a", "--only=sub.x"], &["--only=empty"]] {
        let run = outcome(directory.bt2sum(["--update", "--only=sub", "--store", "s", "d"]).args(more));
        assert!(run.code == Some(1) && run.stderr.contains("more than half of the files are missing"), "{run:?}");
    }
    let lines = ["empty: missing", "sub/b: missing"];
    expect(&directory, &["--update", "--only=empty", "--only=sub/b"], &lines, "0 unchanged, 2 missing", 0);
    expect(&directory, &["--audit", "--only=a"], &[], "1 unchanged", 0);
}

#[test]
fn rot_that_was_wanted() {
    let directory = tree();
    record(&directory, &[]);
    rot(&directory, "a", 5500);
    rot(&directory, "sub/b", 0);
    expect(&directory, &["--update"], &["a: rotted", "sub/b: rotted"], "4 unchanged, 2 rotted", 1);
    let changed = ["a: changed", "sub/b: rotted"];
    expect(&directory, &["--update", "--accept", "./a"], &changed, "4 unchanged, 1 changed, 1 rotted", 1);
    expect(&directory, &["--audit"], &["sub/b: rotted"], "5 unchanged, 1 rotted", 1);
    // A sample that reads nothing else reads this file.
    let run = outcome(&mut directory.bt2sum(["--update", "--sample=0", "--accept=sub/b", "--store", "s", "d"]));
    assert!(run.code == Some(0) && run.stdout.starts_with("sub/b: changed\n"), "{run:?}");
    expect(&directory, &["--audit"], &[], "6 unchanged", 0);
}

/// A new name, and the place of a file that exchanged names with another one.
#[test]
fn rot_under_another_name_that_was_wanted() {
    let directory = tree().file("d/p", b"one").file("d/q", b"two");
    let exact = |name: &str| {
        let file = fs::File::options().write(true).open(directory.path(&format!("d/{name}"))).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + core::time::Duration::new(1_500_000, 17)).unwrap();
    };
    set_time(&directory, "p", 1_200_000);
    set_time(&directory, "q", 1_200_000);
    exact("a");
    record(&directory, &[]);
    rot(&directory, "a", 0);
    fs::rename(directory.path("d/a"), directory.path("d/b")).unwrap();
    fs::copy(directory.path("d/q"), directory.path("d/p")).unwrap();
    set_time(&directory, "p", 1_200_000);
    let rotted = ["p: rotted", "b: moved from a, rotted"];
    expect(&directory, &["--audit"], &rotted, "6 unchanged, 2 rotted", 1);
    let (lines, _, code) = told(&directory, &["--update", "--accept=b", "--accept=p"]);
    assert_eq!((lines, code), (["p: changed", "b: moved from a"].map(Into::into).to_vec(), 0));
    expect(&directory, &["--audit"], &[], "8 unchanged", 0);
}

#[test]
fn nothing_to_accept() {
    let directory = tree();
    record(&directory, &[]);
    fs::write(directory.path("d/new"), b"new").unwrap();
    fs::write(directory.path("d/sub/b"), b"edited").unwrap();
    set_time(&directory, "sub/b", 2_000_000);
    fs::remove_file(directory.path("d/empty")).unwrap();
    fs::set_permissions(directory.path("d/sub/deep/c"), fs::Permissions::from_mode(0o000)).unwrap();
    for (name, verdict) in [
        ("a", "unchanged, and not rotted: --accept takes over nothing"),
        ("new", "new, and not rotted: --accept takes over nothing"),
        ("sub/b", "changed, and not rotted: --accept takes over nothing"),
        ("empty", "missing, and not rotted: --accept takes over nothing"),
        ("sub/deep/c", "unreadable, and not rotted: --accept takes over nothing"),
    ] {
        fs::copy(directory.path("s"), directory.path("t")).unwrap();
        let run = as_user(&directory, &["--update", "--accept", name, "--store", "t", "d"]);
        assert_eq!((run.code, run.stderr), (Some(1), format!("bt2sum: d/{name}: {verdict}\n")), "{name}");
    }
    fs::set_permissions(directory.path("d/sub/deep/c"), fs::Permissions::from_mode(0o600)).unwrap();
    // All else is taken over.
    let run = outcome(&mut directory.bt2sum(["--update", "--accept=a", "--store", "s", "d"]));
    assert_eq!(run.code, Some(1));
    expect(&directory, &["--audit"], &[], "6 unchanged", 0);
    // Names that no file has, and one that is not checked.
    for (options, message) in [
        (&["--accept=nothing"][..], "nothing: no file with this name is recorded, nor found"),
        (&["--accept=sub"], "sub: no file with this name is recorded, nor found"),
        (&["--only=sub", "--accept=a"], "a: it is outside of all --only"),
        (&["--only=sub", "--only=new", "--accept=sub/b", "--accept=sub.x"], "sub.x: it is outside of all --only"),
    ] {
        let run = outcome(directory.bt2sum(["--update", "--store", "s", "d"]).args(options));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{options:?}");
        assert!(run.stderr.starts_with(&format!("bt2sum: --accept: {message}")), "{}", run.stderr);
    }
}

/// The file is there under its new name.
#[test]
fn rot_accepted_under_the_old_name() {
    let directory = tree();
    let file = fs::File::options().write(true).open(directory.path("d/a")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + core::time::Duration::new(1_500_000, 17)).unwrap();
    record(&directory, &[]);
    rot(&directory, "a", 0);
    fs::rename(directory.path("d/a"), directory.path("d/b")).unwrap();
    let run = outcome(&mut directory.bt2sum(["--update", "--accept=a", "--store", "s", "d"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), "bt2sum: d/a: moved to b: --accept takes the new name\n"));
    expect(&directory, &["--audit"], &["b: rotted"], "5 unchanged, 1 rotted", 1);
}

/// A directory in the place of a file or link, of which the part is something below.
#[test]
fn parts_below_what_was_no_directory() {
    for name in ["sub.x", "link"] {
        let directory = tree();
        record(&directory, &[]);
        let path = directory.path(&format!("d/{name}"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x"), b"new").unwrap();
        set_time(&directory, &format!("{name}/x"), 2_000_000);
        let part = format!("--only={name}/x");
        let lines = [format!("{name}/x: new"), format!("{name}: missing")];
        let lines = lines.each_ref().map(String::as_str);
        expect(&directory, &["--audit", &part], &lines, "0 unchanged, 1 new, 1 missing", 1);
        // The old record stays until an update.
        expect(&directory, &["--sample=100%", &part], &lines, "0 unchanged, 1 new, 1 missing", 1);
        expect(&directory, &["--audit"], &lines, "5 unchanged, 1 new, 1 missing", 1);
        expect(&directory, &["--update", &part], &lines, "0 unchanged, 1 new, 1 missing", 0);
        expect(&directory, &["--audit"], &[], "6 unchanged", 0);
    }
}

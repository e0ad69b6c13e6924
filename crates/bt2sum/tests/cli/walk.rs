//! `--recursive` where it is hard.
#![cfg(target_os = "linux")]

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::in_time::start;
use crate::store::as_user;
use crate::{Directory, HELLO, Outcome, outcome, success};

/// The names in a list of lines with a tag.
fn names(list: &str) -> Vec<&str> {
    list.lines().map(|line| line.split(['(', ')']).nth(1).unwrap()).collect()
}

/// Runs the program below directories, which must succeed, and gives the names in its list.
fn listed(directory: &Directory, arguments: &[&str]) -> Vec<String> {
    let run = outcome(directory.bt2sum(["-r", "--tag"]).args(arguments));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    names(&run.stdout).into_iter().map(str::to_owned).collect()
}

/// Names below a directory come before the next name beside the directory.
#[test]
fn the_order_is_that_of_components() {
    let directory = Directory::new();
    let ordered = ["a/.b", "a/b/c", "a/b.c", "a/c", "a b", "a-b/c", "a.b", "ab", "\u{e9}", "\u{1f600}"];
    for name in ordered.iter().rev() {
        let path = directory.path(&format!("d/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"").unwrap();
    }
    let below = |begin: &str| ordered.map(|name| format!("{begin}{name}")).to_vec();
    assert_eq!(listed(&directory, &["d"]), below("d/"));
    assert_eq!(listed(&directory, &["d/a", "d/"])[4..], below("d/"));
    assert_eq!(listed(&directory, &["./d/../d"]), below("./d/../d/"));
    // `-` alone is standard input.
    fs::create_dir(directory.path("-")).unwrap();
    let directory = directory.file("-/f", b"");
    assert_eq!(listed(&directory, &["--", "-/"]), ["-/f"]);
}

/// Patterns are for names below the directory that is named, and not for what is named itself.
#[test]
fn patterns_of_names_that_are_left_out() {
    let directory = Directory::new();
    for name in ["cache/x", "sub/cache", "sub/y.tmp", "sub/deep/z", "sub/also/deep/z", "sub.x"] {
        let path = directory.path(&format!("d.tmp/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"").unwrap();
    }
    let directory = directory.file("f.tmp", b"");
    symlink("sub.x", directory.path("d.tmp/cachet")).unwrap();
    symlink("sub.x", directory.path("d.tmp/link.tmp")).unwrap();
    for (patterns, left) in [
        (
            &["--exclude=cache/"][..],
            &["cachet", "link.tmp", "sub/also/deep/z", "sub/cache", "sub/deep/z", "sub/y.tmp", "sub.x"][..],
        ),
        (
            &["--exclude", "*.tmp", "--exclude=sub/deep"],
            &["cache/x", "cachet", "sub/also/deep/z", "sub/cache", "sub.x"],
        ),
        (&["--exclude=/sub", "--exclude=sub.?"], &["cache/x", "cachet", "link.tmp"]),
        (
            &["--exclude=d.tmp/cache", "--exclude=**/deep/z"],
            &["cache/x", "cachet", "link.tmp", "sub/cache", "sub/y.tmp", "sub.x"],
        ),
    ] {
        let left: Vec<String> = left.iter().map(|name| format!("d.tmp/{name}")).collect();
        assert_eq!(listed(&directory, &[patterns, &["d.tmp"]].concat()), left, "{patterns:?}");
        let both = listed(&directory, &[patterns, &["f.tmp", "d.tmp/sub", "d.tmp"]].concat());
        assert!(both[0] == "f.tmp" && both.ends_with(&left), "{patterns:?} {both:?}");
    }
    for wrong in ["[", "./a", ""] {
        let run = outcome(&mut directory.bt2sum(["-r", "--exclude", wrong, "f.tmp"]));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{wrong}");
        assert!(run.stderr.starts_with(&format!("bt2sum: --exclude: {wrong}: ")), "{}", run.stderr);
    }
    for option in ["--exclude=x", "--one-file-system"] {
        let run = outcome(&mut directory.bt2sum([option, "f.tmp"]));
        assert!(run.code == Some(2) && run.stderr.contains("needs --recursive or --store"), "{run:?}");
    }
}

/// `/proc` is another device than `/`, of which all else is left out.
#[test]
fn another_file_system() {
    let directory = Directory::new();
    let rest =
        ["/[!p]*", "/p[!r]*", "/pr[!o]*", "/pro[!c]*", "/proc?*", "/proc/[!v]*", "/proc/v[!e]*", "/proc/version?*"];
    let patterns: Vec<&str> = rest.iter().flat_map(|pattern| ["--exclude", pattern]).collect();
    assert_eq!(listed(&directory, &[&patterns[..], &["/"]].concat()), ["/proc/version"]);
    assert!(listed(&directory, &[&patterns[..], &["--one-file-system", "/"]].concat()).is_empty());
    // A directory that is named is on its own file system.
    let patterns = ["--exclude=[!v]*", "--exclude=v[!e]*", "--exclude=version?*"];
    let run = listed(&directory, &[&patterns[..], &["--one-file-system", "/proc"]].concat());
    assert_eq!(run, ["/proc/version"]);
}

/// Links to files are files. Links to directories are left out, and one that leads nowhere is an error.
#[test]
fn links() {
    let directory = Directory::with_files();
    fs::create_dir_all(directory.path("d/sub")).unwrap();
    let directory = directory.file("d/sub/f", b"hello s3git\n");
    for (target, link) in
        [("../hello", "out"), ("sub", "way"), ("..", "back"), ("sub/f", "way-to-f"), ("/dev/null", "x")]
    {
        symlink(target, directory.path(&format!("d/{link}"))).unwrap();
    }
    symlink("d", directory.path("to-d")).unwrap();
    for named in ["d", "to-d"] {
        assert_eq!(listed(&directory, &[named]), ["out", "sub/f", "way-to-f"].map(|name| format!("{named}/{name}")));
    }
    let run = outcome(&mut directory.bt2sum(["-r", "--tag", "d"]));
    assert!(run.stdout.lines().all(|line| line.ends_with(HELLO)), "{run:?}");
    symlink("nowhere", directory.path("d/nothing")).unwrap();
    symlink("round", directory.path("d/round")).unwrap();
    let run = outcome(&mut directory.bt2sum(["-r", "--tag", "d"]));
    assert_eq!((run.code, names(&run.stdout)), (Some(1), vec!["d/out", "d/sub/f", "d/way-to-f"]));
    let told = "bt2sum: d/nothing: No such file or directory\nbt2sum: d/round: Too many levels of symbolic links\n";
    assert_eq!(run.stderr, told);
}

/// A directory that cannot be listed is told. In one whose names can only be listed, each is told.
#[test]
fn what_cannot_be_read() {
    let directory = Directory::new();
    let modes = [("all", 0o700), ("list", 0o400), ("none", 0), ("search", 0o100)];
    for (name, _) in modes {
        fs::create_dir_all(directory.path(&format!("d/{name}/sub"))).unwrap();
        fs::write(directory.path(&format!("d/{name}/f")), b"").unwrap();
        symlink("f", directory.path(&format!("d/{name}/link"))).unwrap();
    }
    let set = |mode: fn(u32) -> u32| {
        for (name, own) in modes {
            fs::set_permissions(directory.path(&format!("d/{name}")), Permissions::from_mode(mode(own))).unwrap();
        }
    };
    set(|mode| mode);
    let run = as_user(&directory, &["-r", "--tag", "d"]);
    set(|_| 0o700);
    assert_eq!((run.code, names(&run.stdout)), (Some(1), vec!["d/all/f", "d/all/link"]));
    let told = ["list/sub", "none", "search", "list/f", "list/link"];
    assert_eq!(run.stderr, told.map(|name| format!("bt2sum: d/{name}: Permission denied\n")).concat());
}

/// Neither descriptors nor memory grow with the depth, although the names of all files are long together.
#[test]
fn deep_directories_with_files() {
    const DEPTH: usize = 500;
    let directory = Directory::new();
    let name = "d".repeat(255);
    let script = format!("for i in $(seq {DEPTH}); do echo $i >f; mkdir {name} && cd -P {name} || exit 1; done 2>&1");
    let made = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.0.path()));
    assert_eq!(made, success(""));
    let script = "ulimit -n 16 -v 60000; exec \"$0\" -cpus 1 -r --sequential .";
    let mut command = Command::new("bash");
    let run = outcome(command.args(["-c", script, env!("CARGO_BIN_EXE_bt2sum")]).current_dir(directory.0.path()));
    assert_eq!((run.code, run.stderr.as_str(), run.stdout.lines().count()), (Some(0), "", DEPTH));
    assert!(run.stdout.lines().rev().map(str::len).is_sorted_by(|a, b| a < b), "the deepest comes first");
    // The name of a directory can be long, too. One of these ends in a slash where the system takes no more bytes.
    for deep in [[&*name; 20].join("/"), [&*name; 16].join("/") + "/"] {
        let run = outcome(&mut directory.bt2sum(["-r", "--sequential", "--exclude", &name, &deep]));
        assert_eq!((run.code, run.stderr.as_str(), run.stdout.lines().count()), (Some(0), "", 1), "{}", deep.len());
    }
    let removed = outcome(Command::new("rm").args(["-rf", &name]).current_dir(directory.0.path()));
    assert_eq!(removed, success(""));
}

/// The list of a directory does not list itself.
#[test]
fn standard_output_is_left_out() {
    let directory = Directory::with_files();
    let run = |append: bool| {
        let sums = File::options().create(true).append(append).write(true).open(directory.path("SUMS")).unwrap();
        Outcome::from(start(directory.bt2sum(["-r", "--tag", "."]).stdout(sums)))
    };
    for append in [false, true] {
        assert_eq!(run(append).code, Some(0));
        let list = fs::read_to_string(directory.path("SUMS")).unwrap();
        assert!(!list.contains("SUMS") && list.lines().count() == 2 + 2 * usize::from(append), "{list}");
        assert_eq!(outcome(&mut directory.bt2sum(["-c", "--strict", "SUMS"])).code, Some(0));
    }
    // As an argument, and when it is no output, it is a file as any other.
    assert!(outcome(&mut directory.bt2sum(["-r", "."])).stdout.contains("(./SUMS)"));
}

/// The system takes paths of up to 4095 bytes.
#[test]
fn paths_longer_than_the_system_takes() {
    let directory = Directory::new();
    let name = "d".repeat(200);
    // Shells change to the directories one by one.
    let script = format!(
        "for i in $(seq 30); do mkdir {name} && cd -P {name} || exit 1; printf 'hello s3git\\n' >hello; done 2>&1"
    );
    let made = outcome(Command::new("bash").args(["-c", &script]).current_dir(directory.0.path()));
    assert_eq!(made, success(""));
    let run = outcome(&mut directory.bt2sum(["-r", "--tag", "."]));
    assert_eq!((run.code, run.stderr.as_str(), run.stdout.lines().count()), (Some(0), "", 30));
    assert!(run.stdout.lines().all(|line| line.ends_with(HELLO)) && run.stdout.lines().any(|line| line.len() > 6000));
    fs::write(directory.path("sums"), &run.stdout).unwrap();
    let checked = outcome(&mut directory.bt2sum(["-c", "--strict", "sums"]));
    assert_eq!((checked.code, checked.stdout.matches(": OK\n").count()), (Some(0), 30), "{}", checked.stderr);
    let plain = outcome(&mut directory.bt2sum(["--sequential", "-r", "."]));
    assert_eq!((plain.code, plain.stdout.lines().count()), (Some(0), 31));
    // The directories are too deep for what removes them by paths.
    let removed = outcome(Command::new("rm").args(["-rf", &name]).current_dir(directory.0.path()));
    assert_eq!(removed, success(""));
}

/// More levels than descriptors, which usually are 1024.
#[test]
fn directories_deeper_than_descriptors() {
    let directory = Directory::new();
    let deepest = format!("{}hello", "d/".repeat(200));
    fs::create_dir_all(directory.path(&deepest).parent().unwrap()).unwrap();
    let directory = directory.file(&deepest, b"hello s3git\n").file("a", b"").file("e", b"");
    let script = "ulimit -n 50; exec \"$0\" -r --tag .";
    let mut command = Command::new("bash");
    let run = outcome(command.args(["-c", script, env!("CARGO_BIN_EXE_bt2sum")]).current_dir(directory.0.path()));
    assert_eq!(
        (run.code, run.stderr.as_str(), names(&run.stdout)),
        (Some(0), "", vec!["./a", &format!("./{deepest}"), "./e"])
    );
}

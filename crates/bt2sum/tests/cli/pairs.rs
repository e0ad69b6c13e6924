//! All pairs of options: what goes together, and what needs another.

use crate::{Directory, fewer, outcome};

/// Each option with a value, if it takes one.
const OPTIONS: [&str; 40] = [
    "--algorithm=blake2b",
    "--size=32",
    "--length=256",
    "--chunk=1k",
    "--cpus=1",
    "--mmap",
    "--sequential",
    "--binary",
    "--text",
    "--recursive",
    "--tag",
    "--zero",
    "--check",
    "--ignore-missing",
    "--quiet",
    "--status",
    "--strict",
    "--warn",
    "--leaves=leaves",
    "--force",
    "--range=0-5",
    "--key-file=key",
    "--key-fd=0",
    "--derive-key=context",
    "--compat-empty",
    "--backend=portable",
    "--no-progress",
    "--algorithm=blake3",
    "--json",
    "--rate=1g",
    "--files0-from=names",
    "--store=store",
    "--audit",
    "--update",
    "--sample=5%",
    "--list",
    "--root=00",
    "--exclude=x",
    "--one-file-system",
    "--direct",
];

/// Options without a meaning if none of these is there too.
const NEEDS: [(&str, &[&str]); 21] = [
    ("--ignore-missing", &["--check"]),
    ("--quiet", &["--check", "--audit", "--update", "--sample=5%"]),
    ("--status", &["--check"]),
    ("--strict", &["--check"]),
    ("--warn", &["--check"]),
    ("--range=0-5", &["neither alone is enough"]),
    ("--force", &["--leaves=leaves"]),
    ("--binary", &["--sequential", "--algorithm=blake3", "--text"]),
    ("--text", &["--sequential", "--algorithm=blake3", "--binary"]),
    ("--derive-key=context", &["--algorithm=blake3"]),
    ("--binary", &["--sequential", "--algorithm=blake3"]),
    ("--text", &["--sequential", "--algorithm=blake3"]),
    ("--store=store", &["--recursive", "--audit", "--update", "--sample=5%", "--list"]),
    ("--list", &["--store=store"]),
    ("--audit", &["--store=store"]),
    ("--update", &["--store=store"]),
    ("--sample=5%", &["--store=store"]),
    ("--root=00", &["neither alone is enough"]),
    ("--exclude=x", &["--recursive"]),
    ("--one-file-system", &["--recursive"]),
    ("--direct", &["neither alone is enough"]),
];

const CONFLICTS: [(&str, &[&str]); 10] = [
    ("--size=32", &["--length=256"]),
    ("--sequential", &["--chunk=1k", "--leaves=leaves", "--compat-empty"]),
    ("--check", &["--binary", "--text", "--recursive", "--tag", "--zero"]),
    ("--recursive", &["--leaves=leaves"]),
    ("--compat-empty", &["--leaves=leaves", "--tag"]),
    ("--key-file=key", &["--key-fd=0", "--derive-key=context"]),
    ("--derive-key=context", &["--key-fd=0"]),
    ("--algorithm=blake3", &["--chunk=1k", "--leaves=leaves", "--compat-empty"]),
    ("--algorithm=blake2b", &["--derive-key=context"]),
    ("--json", &["--binary", "--text", "--tag", "--zero"]),
];

fn lacks(a: &str, b: &str) -> bool {
    NEEDS.iter().any(|(option, needed)| *option == a && !needed.contains(&b))
}

fn conflict(a: &str, b: &str) -> bool {
    CONFLICTS.iter().any(|(option, others)| *option == a && others.contains(&b))
}

/// An option that would be ignored is an error: clap alone lets one pass whose need conflicts with another option.
#[test]
fn all_pairs() {
    let directory = Directory::new().file("key", &[7; 32]).file("other", b"other").file("f", b"f");
    let directory = directory.file("names", b"f\0");
    std::fs::create_dir(directory.path("d")).unwrap();
    #[cfg(target_os = "linux")]
    assert_eq!(outcome(&mut directory.bt2sum(["-r", "--store", "store", "d"])).code, Some(0));
    let made = outcome(&mut directory.bt2sum(["--tag", "--leaves", "leaves", "other"]));
    assert_eq!(made.code, Some(0));
    let leaves = std::fs::read(directory.path("leaves")).unwrap();
    let expected = |a: &str, b: &str| a != b && (conflict(a, b) || conflict(b, a)) || lacks(a, b) || lacks(b, a);
    let wrong = OPTIONS.iter().flat_map(|a| OPTIONS.iter().filter(|b| expected(a, b))).count();
    assert!(wrong > 300, "{wrong}");
    for (i, a) in OPTIONS.into_iter().enumerate() {
        for b in fewer(i, OPTIONS) {
            let expected = expected(a, b);
            let takes_none = ["--files0-from=names", "--list"];
            let operand = (!takes_none.contains(&a) && !takes_none.contains(&b)).then_some("f");
            let run = outcome(directory.bt2sum([a, b]).args(operand).stdin(directory.open("key")));
            // A list that is none gives 1, and never 2.
            // Nor does a store that is there, and is not recorded over, tell of wrong options.
            let of_store = run.stderr.starts_with("bt2sum: store: ");
            assert_eq!(run.code == Some(2) && !of_store, expected, "{a} {b}: {run:?}");
            if expected {
                assert_eq!(run.stdout, "", "{a} {b}");
                assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), leaves, "{a} {b}");
            } else if std::fs::read(directory.path("leaves")).unwrap() != leaves {
                assert!(a.contains("leaves") || b.contains("leaves"), "{a} {b}");
                std::fs::write(directory.path("leaves"), &leaves).unwrap();
            }
        }
    }
}

/// The sidecar that should have been checked, with what else it took.
#[test]
fn a_range_without_check_writes_nothing() {
    let directory = Directory::new().file("f1", b"one").file("f3", b"three");
    assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "l", "f1"])).code, Some(0));
    let before = std::fs::read(directory.path("l")).unwrap();
    for options in [&["--tag"][..], &["-z"], &[], &["-r"], &["--tag", "-z"], &["--force"]] {
        let mut command = directory.bt2sum(options.iter().copied());
        let run = outcome(command.args(["--range", "0-5", "--leaves", "l", "f3"]));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{options:?}");
        assert_eq!(std::fs::read(directory.path("l")).unwrap(), before, "{options:?}");
    }
}

/// What goes with two options of stores and a third one.
#[cfg(target_os = "linux")]
#[test]
fn options_beside_a_store() {
    let directory = Directory::new().file("key", &[7; 32]).file("f", b"f").file("names", b"d\0");
    std::fs::create_dir(directory.path("d")).unwrap();
    let of_all = ["--cpus=1", "--json", "--rate=1g", "--direct", "--backend=portable", "--no-progress"];
    let hashes = ["--algorithm=blake2b", "--algorithm=blake3"];
    let of_hash = ["--size=32", "--length=256", "--chunk=1k", "--exclude=x", "--one-file-system"];
    let recording = [&hashes[..], &of_hash].concat();
    for (mode, more) in [
        ("--recursive", &[&recording[..], &["--force"]].concat()[..]),
        ("--audit", &["--update", "--sample=5%", "--quiet"]),
        ("--update", &["--audit", "--force", "--quiet", "--sample=5%"]),
        ("--sample=5%", &["--audit", "--quiet", "--update"]),
        ("--list", &[]),
    ] {
        let record = || outcome(&mut directory.bt2sum(["-r", "--force", "--store", "store", "d"])).code;
        assert_eq!(record(), Some(0));
        for option in OPTIONS {
            if mode == "--recursive" {
                // A store that is there is not recorded over.
                let _ = std::fs::remove_file(directory.path("store"));
            }
            let reads = ["--cpus=1", "--rate=1g", "--direct"].contains(&option);
            let of_all = of_all.contains(&option) && !(mode == "--list" && reads);
            let good = [mode, "--store=store"].contains(&option) || of_all || more.contains(&option);
            let operand = (mode != "--list").then_some("d");
            let mut run = directory.bt2sum(["--store=store", mode, option]);
            let run = outcome(run.args(operand).stdin(directory.open("key")));
            // A key and a root are of another store.
            let of_store = run.stderr.starts_with("bt2sum: store: ");
            let keyed = option.starts_with("--key-f") || option == "--root=00" && mode != "--recursive";
            assert_eq!(run.code == Some(2) && !of_store, !good && !keyed, "{mode} {option}: {run:?}");
            if option.starts_with("--key-f") {
                assert_eq!(record(), Some(0));
            }
        }
    }
}

//! All pairs of options: what goes together, and what needs another.

use crate::{Directory, outcome};

/// Each option with a value, if it takes one.
const OPTIONS: [&str; 28] = [
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
];

/// Options without a meaning if none of these is there too.
const NEEDS: [(&str, &[&str]); 12] = [
    ("--ignore-missing", &["--check"]),
    ("--quiet", &["--check"]),
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
];

const CONFLICTS: [(&str, &[&str]); 9] = [
    ("--size=32", &["--length=256"]),
    ("--sequential", &["--chunk=1k", "--leaves=leaves", "--compat-empty"]),
    ("--check", &["--binary", "--text", "--recursive", "--tag", "--zero"]),
    ("--recursive", &["--leaves=leaves"]),
    ("--compat-empty", &["--leaves=leaves", "--tag"]),
    ("--key-file=key", &["--key-fd=0", "--derive-key=context"]),
    ("--derive-key=context", &["--key-fd=0"]),
    ("--algorithm=blake3", &["--chunk=1k", "--leaves=leaves", "--compat-empty"]),
    ("--algorithm=blake2b", &["--derive-key=context"]),
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
    let made = outcome(&mut directory.bt2sum(["--tag", "--leaves", "leaves", "other"]));
    assert_eq!(made.code, Some(0));
    let leaves = std::fs::read(directory.path("leaves")).unwrap();
    let mut wrong = 0;
    for a in OPTIONS {
        for b in OPTIONS {
            let expected = a != b && (conflict(a, b) || conflict(b, a)) || lacks(a, b) || lacks(b, a);
            let run = outcome(directory.bt2sum([a, b, "f"]).stdin(directory.open("key")));
            // A list that is none gives 1, and never 2.
            assert_eq!(run.code == Some(2), expected, "{a} {b}: {run:?}");
            if expected {
                wrong += 1;
                assert_eq!(run.stdout, "", "{a} {b}");
                assert_eq!(std::fs::read(directory.path("leaves")).unwrap(), leaves, "{a} {b}");
            } else if std::fs::read(directory.path("leaves")).unwrap() != leaves {
                assert!(a.contains("leaves") || b.contains("leaves"), "{a} {b}");
                std::fs::write(directory.path("leaves"), &leaves).unwrap();
            }
        }
    }
    assert!(wrong > 300, "{wrong}");
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

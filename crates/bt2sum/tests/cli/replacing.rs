//! Files that `--leaves` replaces, and those that it keeps.

use std::io::Write;
use std::process::Stdio;

use crate::in_time::start;
use crate::{Directory, Outcome, outcome};

const REASON: &str = "--leaves would replace this file, which has no leaves; --force replaces it";

#[track_caller]
fn refused(directory: &Directory, options: &[&str], reason: &str) {
    let run = outcome(&mut directory.bt2sum(options.iter().copied()));
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{options:?}: {}", run.stderr);
    assert!(run.stderr.contains(reason), "{options:?}: {}", run.stderr);
}

/// `--leaves *.img` names the first image as the file of leaves.
#[test]
fn a_file_of_somebody_is_kept() {
    let directory = Directory::new().file("a.img", b"a").file("b.img", b"b").file("begin", b"bt2lea");
    for name in ["a.img", "begin"] {
        let before = std::fs::read(directory.path(name)).unwrap();
        refused(&directory, &["--leaves", name, "b.img"], REASON);
        assert_eq!(std::fs::read(directory.path(name)).unwrap(), before);
        assert_eq!(outcome(&mut directory.bt2sum(["--force", "--leaves", name, "b.img"])).code, Some(0));
        assert!(std::fs::read(directory.path(name)).unwrap().starts_with(b"bt2leaf\0"));
    }
    // An empty file and an old one of leaves are replaced.
    let directory = directory.file("empty", b"");
    for _ in 0..2 {
        assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "empty", "b.img"])).code, Some(0));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("b.img", directory.path("link")).unwrap();
        refused(&directory, &["--leaves", "link", "a.img"], REASON);
    }
}

#[test]
fn keys_inputs_and_outputs_are_kept() {
    let directory = Directory::new().file("k", b"key").file("f", b"f").file("sums", b"");
    let same = directory.path("same");
    std::fs::hard_link(directory.path("k"), &same).unwrap();
    for force in [&[][..], &["--force"]] {
        for (leaves, file, reason) in [
            ("k", "f", "would replace the key"),
            ("same", "f", "would replace the key"),
            ("f", "f", "would replace the file to hash"),
            ("-", "f", "takes the name of a file"),
        ] {
            refused(&directory, &[&["--key-file", "k", "--leaves", leaves, file], force].concat(), reason);
        }
        #[cfg(unix)]
        {
            let mut command = directory.bt2sum(["--key-fd", "0", "--leaves", "k", "f"]);
            let run = outcome(command.args(force).stdin(directory.open("k")));
            assert!(run.code == Some(2) && run.stderr.contains("would replace the key"), "{run:?}");
            let output = std::fs::File::create(directory.path("sums")).unwrap();
            let mut run = directory.bt2sum(["--leaves", "sums", "f"]);
            let run = Outcome::from(start(run.args(force).stdout(output).stderr(Stdio::piped())));
            assert!(run.code == Some(2) && run.stderr.contains("would replace standard output"), "{run:?}");
        }
    }
    refused(&directory, &["-c", "--leaves", "-", "f"], "takes the name of a file");
    assert_eq!(std::fs::read(directory.path("k")).unwrap(), b"key");
    assert_eq!(std::fs::read(directory.path("f")).unwrap(), b"f");
    assert!(!directory.path("-").exists());
}

#[cfg(unix)]
#[test]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;

    let directory = Directory::new().file("f", b"f").file("leaves", b"");
    for mode in [0o640, 0o604, 0o600] {
        std::fs::set_permissions(directory.path("leaves"), std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(outcome(&mut directory.bt2sum(["--leaves", "leaves", "f"])).code, Some(0));
        assert_eq!(std::fs::metadata(directory.path("leaves")).unwrap().permissions().mode() & 0o777, mode);
    }
}

/// The input by a path that is too long for the system.
#[cfg(target_os = "linux")]
#[test]
fn a_long_path_to_the_input_is_seen() {
    let directory = Directory::new().file("f", b"precious");
    let long = "./".repeat(2100) + "f";
    refused(&directory, &["--force", "--leaves", "f", &long], "would replace the file to hash");
    assert_eq!(std::fs::read(directory.path("f")).unwrap(), b"precious");
}

/// Hashing may take hours.
#[test]
fn a_file_that_appears_is_kept() {
    let directory = Directory::new();
    let names = || std::fs::read_dir(directory.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut run = directory.bt2sum(["--leaves", "new", "-"]);
    let mut run = start(run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut input = run.stdin.take().unwrap();
    input.write_all(b"abc").unwrap();
    run.until("a temporary file", |_| names().count() > 0);
    std::fs::write(directory.path("new"), b"precious").unwrap();
    drop(input);
    let run = Outcome::from(run);
    assert!(run.code == Some(1) && run.stdout.is_empty() && run.stderr.contains(REASON), "{run:?}");
    assert_eq!(std::fs::read(directory.path("new")).unwrap(), b"precious");
    assert_eq!(names().collect::<Vec<_>>(), ["new"]);
}

/// What can be told before hashing is told then.
#[cfg(unix)]
#[test]
fn a_name_of_a_directory() {
    let directory = Directory::new();
    let mut run = directory.bt2sum(["--leaves", "none/", "-"]);
    let mut run = start(run.stdin(Stdio::piped()).stdout(Stdio::piped()));
    // The input is open, and has no end.
    let input = run.stdin.take();
    assert_eq!(run.wait().code(), Some(1));
    drop(input);
    assert_eq!(std::fs::read_dir(directory.path("")).unwrap().count(), 0);
}

/// The unfinished file is another's, or gone: nothing is renamed.
#[cfg(target_os = "linux")]
#[test]
fn an_unfinished_file_that_was_replaced() {
    for replaced in [true, false] {
        let directory = Directory::new();
        let unfinished = || std::fs::read_dir(directory.path("")).unwrap().next().map(|entry| entry.unwrap().path());
        let mut run = directory.bt2sum(["--leaves", "new", "-"]);
        let mut run = start(run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let input = run.stdin.take();
        run.until("a temporary file", |_| unfinished().is_some());
        // Its lock comes after it, and input is read after that.
        crate::until_idle(run.id());
        let path = unfinished().unwrap();
        std::fs::remove_file(&path).unwrap();
        if replaced {
            std::fs::write(&path, b"precious").unwrap();
        }
        drop(input);
        let run = Outcome::from(run);
        assert!(run.code == Some(1) && run.stderr.contains("removed or replaced by another program"), "{run:?}");
        assert!(!directory.path("new").exists());
        assert_eq!(std::fs::read(&path).is_ok_and(|bytes| bytes == b"precious"), replaced);
    }
}

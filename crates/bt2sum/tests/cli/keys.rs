//! Keys.

use crate::{Directory, Outcome, message, outcome, success};

/// By Python's `hashlib`, with a 32-byte digest and `key` as the key: `m` in leaves of 100 bytes, and sequentially.
const TREE: &str = "fae17534f6b8d3bbeb96b7fce68df70b7bd0cab3cf06dd6f3d0382f85d744183";
const SEQUENTIAL: &str = "0c2d5d08efa0f45f60c12ccd1e5ab1b6d8b3aee85d31db895c9be4d5c1810c17";

fn directory() -> Directory {
    Directory::new().file("m", &message(250)).file("key", b"key")
}

#[test]
fn keyed_digests() {
    let tree = ["-s32", "-t100", "--key-file", "key", "m"];
    assert_eq!(outcome(&mut directory().bt2sum(tree)), success(format!("BLAKE2b-32 (m) = {TREE}\n")));
    let sequential = ["--sequential", "-l256", "--key-file=key", "m"];
    assert_eq!(outcome(&mut directory().bt2sum(sequential)), success(format!("{SEQUENTIAL}  m\n")));
}

#[cfg(unix)]
#[test]
fn keys_by_descriptor() {
    let directory = directory();
    let run = outcome(directory.bt2sum(["-s32", "-t100", "--key-fd", "0", "m"]).stdin(directory.open("key")));
    assert_eq!(run, success(format!("BLAKE2b-32 (m) = {TREE}\n")));
    let piped = &mut directory.bt2sum(["-s32", "-t100", "--key-fd=0", "m"]);
    assert_eq!(crate::with_pipe(piped, core::iter::once(&b"key"[..])), run);
    assert_eq!(outcome(&mut directory.bt2sum(["--key-fd", "999", "m"])).code, Some(2));
}

#[test]
fn keyed_check() {
    let directory = directory().file("other", b"Key").file("sums", format!("{TREE}  m\n").as_bytes());
    let check = |options: &[&str]| outcome(directory.bt2sum(["-c", "sums", "-t100"]).args(options));
    assert_eq!(check(&["--key-file", "key"]), success("m: OK\n"));
    assert_eq!(check(&["--key-file", "other"]).stdout, "m: FAILED\n");
    assert_eq!(check(&[]).stdout, "m: FAILED\n");
}

#[test]
fn keys_of_wrong_length() {
    for length in [0, 65, 1000] {
        let directory = directory().file("bad", &message(length));
        for option in [&["--key-file", "bad", "m"][..], &["-c", "--key-file", "bad", "m"]] {
            let Outcome { code, stdout, stderr } = outcome(&mut directory.bt2sum(option.iter().copied()));
            assert_eq!((code, stdout.as_str()), (Some(2), ""), "{length}");
            assert!(stderr.contains("a key has 1 to 64 bytes"), "{stderr}");
        }
    }
    for length in [1, 64] {
        let directory = directory().file("good", &message(length));
        assert_eq!(outcome(&mut directory.bt2sum(["--key-file", "good", "m"])).code, Some(0), "{length}");
    }
    let missing = outcome(&mut directory().bt2sum(["--key-file", "missing", "m"]));
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(2), ""));
}

/// A complaint names the file of the key, and so does the warning of a key that all users can read.
#[cfg(unix)]
#[test]
fn what_is_said_about_the_key() {
    use std::os::unix::fs::PermissionsExt;

    let directory = directory();
    let missing = outcome(&mut directory.bt2sum(["--key-file", "k", "m"]));
    assert_eq!(missing.stderr, "bt2sum: k: No such file or directory\n");
    let keyed = |file: &str| outcome(&mut directory.bt2sum(["-s32", "-t100", "--key-file", file, "m"]));
    let line = format!("BLAKE2b-32 (m) = {TREE}\n");
    for (mode, stderr) in [(0o600, ""), (0o640, ""), (0o644, "bt2sum: key: WARNING: all users can read this key\n")] {
        std::fs::set_permissions(directory.path("key"), std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(keyed("key"), Outcome { stderr: stderr.to_owned(), ..success(&line) });
    }
}

/// A descriptor that is open for writing only is refused. Opening it anew would wait for ever.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_that_is_not_for_reading() {
    let run = outcome(&mut directory().bt2sum(["--key-fd", "1", "m"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), "bt2sum: /dev/fd/1: Not open for reading\n"));
    for path in ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1"] {
        let run = outcome(&mut directory().bt2sum(["--key-file", path, "m"]));
        assert_eq!((run.code, run.stderr), (Some(2), format!("bt2sum: {path}: Not open for reading\n")));
    }
}

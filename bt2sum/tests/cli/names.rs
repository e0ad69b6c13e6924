//! Names of files, which on Unix are any bytes.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::{Directory, HELLO, Outcome, outcome, success};

/// The line of a file of this name, and the complaint about it when it is missing, with invalid UTF-8 as `\xff`.
fn check(name: &[u8], line: &str, complaint: &str) {
    let directory = Directory::new();
    let name = OsStr::from_bytes(name);
    let run = || outcome(directory.bt2sum(["--"]).arg(name));
    let missing = Outcome {
        code: Some(1),
        stdout: String::new(),
        stderr: format!("bt2sum: {complaint}: No such file or directory\n"),
    };
    assert_eq!(run(), missing);
    // Not every file system takes every name.
    if std::fs::write(directory.0.path().join(name), b"hello s3git\n").is_ok() || cfg!(target_os = "linux") {
        assert_eq!(run(), success(format!("{line} = {HELLO}\n")));
    }
}

#[test]
fn printed_as_they_are() {
    for name in ["name", "two  spaces ", " ", ")", "a) = 0", "(", "'\"$`*?", "\t\u{1b}[1m", "grün ☃", "-x"] {
        check(name.as_bytes(), &format!("BLAKE2b-64 ({name})"), name);
    }
}

#[test]
fn not_utf8() {
    check(b"\xff", r"BLAKE2b-64 (\xff)", r"\xff");
    check(b"gr\xfcn\xc3", r"BLAKE2b-64 (gr\xfcn\xc3)", r"gr\xfcn\xc3");
}

#[test]
fn escaped() {
    check(b"new\nline", r"\BLAKE2b-64 (new\nline)", r"new\nline");
    check(b"return\r", r"\BLAKE2b-64 (return\r)", r"return\r");
    check(br"back\slash", r"\BLAKE2b-64 (back\\slash)", r"back\\slash");
    check(b"\\n\n\\", r"\BLAKE2b-64 (\\n\n\\)", r"\\n\n\\");
    check(b"\xff\n", r"\BLAKE2b-64 (\xff\n)", r"\xff\n");
}

//! Names of files, which on Unix are any bytes.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::{Directory, HELLO, outcome, output, success};

/// The line of a file of this name, with invalid UTF-8 as `\xff`. A complaint about it has the name as a shell takes
/// it, and nothing that speaks to a terminal.
fn check(name: &[u8], line: &str) {
    let directory = Directory::new();
    let name = OsStr::from_bytes(name);
    let run = || outcome(directory.bt2sum(["--"]).arg(name));
    let missing = output(directory.bt2sum(["--"]).arg(name));
    assert_eq!((missing.status.code(), &missing.stdout[..]), (Some(1), &b""[..]));
    let text = String::from_utf8(missing.stderr).unwrap();
    let quoted = text.strip_prefix("bt2sum: ").unwrap().strip_suffix(": No such file or directory\n").unwrap();
    assert!(!quoted.contains(|c: char| c.is_control()), "{quoted:?}");
    let shell = output(std::process::Command::new("bash").args(["-c", &format!("printf %s {quoted}")]));
    assert_eq!(shell.stdout, name.as_bytes(), "{quoted}");
    // Not every file system takes every name.
    if std::fs::write(directory.0.path().join(name), b"hello s3git\n").is_ok() || cfg!(target_os = "linux") {
        assert_eq!(run(), success(format!("{line} = {HELLO}\n")));
    }
}

#[test]
fn printed_as_they_are() {
    for name in ["name", "two  spaces ", " ", ")", "a) = 0", "(", "'\"$`*?", "\t\u{1b}[1m", "grün ☃", "-x"] {
        check(name.as_bytes(), &format!("BLAKE2b-64 ({name})"));
    }
}

#[test]
fn not_utf8() {
    check(b"\xff", r"BLAKE2b-64 (\xff)");
    check(b"gr\xfcn\xc3", r"BLAKE2b-64 (gr\xfcn\xc3)");
}

#[test]
fn escaped() {
    check(b"new\nline", r"\BLAKE2b-64 (new\nline)");
    check(b"return\r", r"\BLAKE2b-64 (return\r)");
    check(br"back\slash", r"\BLAKE2b-64 (back\\slash)");
    check(b"\\n\n\\", r"\BLAKE2b-64 (\\n\n\\)");
    check(b"\xff\n", r"\BLAKE2b-64 (\xff\n)");
}

/// The name of a list is quoted too: a line feed in it begins no line of its own.
#[test]
fn lists() {
    let directory = Directory::new().file("l\nst", b"nothing");
    let run = outcome(&mut directory.bt2sum(["-c", "l\nst"]));
    let stderr = ["1: improperly formatted BLAKE2b checksum line", "no properly formatted checksum lines found"];
    assert_eq!(run, crate::failure("", stderr.map(|text| format!("bt2sum: $'l\\nst': {text}\n")).concat()));
    let directory = Directory::new();
    let name = OsStr::from_bytes(b"l\xffst");
    std::fs::write(directory.0.path().join(name), b"nothing").unwrap();
    let run = outcome(directory.bt2sum(["-c"]).arg(name));
    assert!(run.stderr.starts_with("bt2sum: ") && run.stderr.contains(r"\xFF"), "{run:?}");
}

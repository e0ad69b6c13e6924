//! Input that cannot be read, output that cannot be written.

use std::fs::File;
use std::process::Stdio;

use crate::in_time::start;
use crate::{Directory, EMPTY, HELLO, Outcome, failure, outcome};

/// Neither keeps the files after it from being hashed.
#[cfg(unix)]
#[test]
fn bad_files_among_good_ones() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let directory = Directory::with_files().file("forbidden", b"hello s3git\n");
    std::fs::create_dir(directory.path("directory")).unwrap();
    std::fs::set_permissions(directory.path("forbidden"), Permissions::from_mode(0o000)).unwrap();
    let good = [format!("BLAKE2b-64 (hello) = {HELLO}\n"), format!("BLAKE2b-64 (empty) = {EMPTY}\n")];

    let run = outcome(&mut directory.bt2sum(["directory", "hello", "missing", "", "hello/below", "empty"]));
    let stderr = "bt2sum: directory: Is a directory\n\
        bt2sum: missing: No such file or directory\n\
        bt2sum: '': No such file or directory\n\
        bt2sum: hello/below: Not a directory\n";
    assert_eq!(run, Outcome { code: Some(1), stdout: good.concat(), stderr: stderr.into() });

    // The superuser may read it all the same.
    let expected = if File::open(directory.path("forbidden")).is_ok() {
        let forbidden = format!("BLAKE2b-64 (forbidden) = {HELLO}\n");
        Outcome { code: Some(0), stdout: forbidden + &good[1], stderr: String::new() }
    } else {
        let stderr = "bt2sum: forbidden: Permission denied\n".into();
        Outcome { code: Some(1), stdout: good[1].clone(), stderr }
    };
    assert_eq!(outcome(&mut directory.bt2sum(["forbidden", "empty"])), expected);
}

/// A file that opens, but whose first page cannot be read.
#[cfg(target_os = "linux")]
#[test]
fn a_read_that_fails() {
    let directory = Directory::with_files();
    let run = outcome(&mut directory.bt2sum(["hello", "/proc/self/mem", "empty"]));
    let stdout = format!("BLAKE2b-64 (hello) = {HELLO}\nBLAKE2b-64 (empty) = {EMPTY}\n");
    let stderr = "bt2sum: /proc/self/mem: Input/output error\n".into();
    assert_eq!(run, Outcome { code: Some(1), stdout, stderr });
}

#[cfg(unix)]
#[test]
fn standard_input_that_cannot_be_read() {
    let directory = Directory::with_files();
    let failed = |reason| Outcome { code: Some(1), stdout: String::new(), stderr: format!("bt2sum: -: {reason}\n") };

    let run = outcome(directory.bt2sum([]).stdin(File::open(".").unwrap()));
    assert_eq!(run, failed("Is a directory"));
    // Open for writing only: not an empty file.
    let run = outcome(directory.bt2sum([]).stdin(File::create(directory.path("new")).unwrap()));
    assert_eq!(run, failed("Bad file descriptor"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let directory = Directory::with_files();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for argument in ["hello", "--help", "--version", "--man"] {
        let run = Outcome::from(start(directory.bt2sum([argument]).stdout(full()).stderr(Stdio::piped())));
        let stderr = "bt2sum: write error: No space left on device\n".into();
        assert_eq!(run, Outcome { code: Some(1), stdout: String::new(), stderr }, "{argument}");
    }
    // Complaints that nobody hears do not stop the work.
    let run = Outcome::from(start(directory.bt2sum(["missing", "hello"]).stdout(Stdio::piped()).stderr(full())));
    let stdout = format!("BLAKE2b-64 (hello) = {HELLO}\n");
    assert_eq!(run, Outcome { code: Some(1), stdout, stderr: String::new() });
}

#[cfg(unix)]
#[test]
fn standard_output_that_cannot_be_written() {
    let directory = Directory::with_files();
    let run = Outcome::from(start(directory.bt2sum(["hello"]).stdout(directory.open("empty")).stderr(Stdio::piped())));
    let stderr = "bt2sum: write error: Bad file descriptor\n".into();
    assert_eq!(run, Outcome { code: Some(1), stdout: String::new(), stderr });
}

#[test]
fn a_closed_pipe() {
    let directory = Directory::with_files();
    let mut child = directory.bt2sum(["-", "hello"]);
    let mut child = start(child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    // The program waits for its input while its output is closed.
    drop(child.stdout.take());
    drop(child.stdin.take());
    assert_eq!(Outcome::from(child), failure("", ""));
    // The help and the manual page are output as any other.
    for argument in ["--help", "--man"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = start(directory.bt2sum([argument]).stdout(writer).stderr(Stdio::piped()));
        assert_eq!(Outcome::from(run), failure("", ""), "{argument}");
    }
}

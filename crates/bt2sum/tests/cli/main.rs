//! The program as a whole: arguments and input in, output and exit status out.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

mod algorithms;
mod arguments;
mod blake3;
mod check;
mod digests;
mod failures;
mod improper;
mod in_time;
mod json;
mod keys;
mod leaves;
mod lists;
mod manual;
mod many;
mod mapped;
mod names;
mod pairs;
mod process;
mod repair;
mod repair_kept;
mod replacing;
mod roles;
mod sequential;
mod sha2;
mod signals;
mod store;
mod store_blake3;
mod store_formats;
mod store_kept;
mod store_parts;
mod store_rights;
mod store_verdicts;
mod terminal;
mod touched;
mod traps;
mod verbs;
mod walk;

use in_time::{Run, start};
use process::until_idle;

/// Byte `i` of a message is `i` modulo 251, so that no two blocks or leaves near each other are equal.
fn message(length: usize) -> Vec<u8> {
    // Megabytes that an iterator counts out take a tenth of a second if it is not optimised.
    let mut bytes = (0..=250).collect::<Vec<u8>>().repeat(length.div_ceil(251));
    bytes.truncate(length);
    bytes
}

/// The digest of `hello s3git\n` with the default options, as published by s3git.
const HELLO: &str = "18e622875a89cede0d7019b2c8afecf8928c21eac18ec51e38a8e6b829b82c3e\
    f306dec34227929fa77b1c7c329b3d4e50ed9e72dc4dc885be0932d3f28d7053";

/// The digest of nothing with the default options.
const EMPTY: &str = "27f6cd321af6c9135369ac75d1af12aa9f404c0ca5272704cc07594b0439be0a\
    aa53df4c4d5ea0d22ab79a034130ee7f73a5bab4ee498bef69b667b5a58d1d98";

/// All cases, or every fifth from `first` on, modulo 5, where `SIMD_DIGEST_FEWER_CASES` is set: on i686, where what can
/// differ is sizes and maps, and in a debug build, beside a release build with all cases.
fn fewer<T>(first: usize, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let (first, step) = if are_fewer() { (first % 5, 5) } else { (0, 1) };
    cases.into_iter().skip(first).step_by(step)
}

/// All cases, or one of them where there are fewer: each in its turn, as `turn` grows.
fn one_of<T>(turn: usize, cases: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>) -> impl Iterator<Item = T> {
    let cases = cases.into_iter();
    let (first, count) = if are_fewer() { (turn % cases.len(), 1) } else { (0, cases.len()) };
    cases.skip(first).take(count)
}

fn are_fewer() -> bool {
    std::env::var_os("SIMD_DIGEST_FEWER_CASES").is_some()
}

fn bt2sum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bt2sum"));
    // Reasons are compared in English.
    command.env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// A directory of files, in which the program runs.
struct Directory(tempfile::TempDir);

impl Directory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `hello`, whose digest is [`HELLO`], and `empty`.
    fn with_files() -> Self {
        Self::new().file("hello", b"hello s3git\n").file("empty", b"")
    }

    fn file(self, name: &str, bytes: &[u8]) -> Self {
        std::fs::write(self.path(name), bytes).unwrap();
        // A key that all users can read gives a warning.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;

            std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, name: &str) -> File {
        File::open(self.path(name)).unwrap()
    }

    fn bt2sum<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = bt2sum();
        command.current_dir(self.0.path()).args(arguments);
        command
    }
}

/// What a run came to, in a form that prints well when it is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Outcome {
    /// Bytes that are not UTF-8 become `\xff`.
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| {
            let chunks: Vec<_> = bytes.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid())).collect();
            chunks.iter().map(|(valid, invalid)| format!("{valid}{}", invalid.escape_ascii())).collect()
        };
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl From<Run> for Outcome {
    fn from(run: Run) -> Self {
        run.wait_with_output().into()
    }
}

/// The outcome, with what it writes to both outputs, wherever these led.
fn outcome(command: &mut Command) -> Outcome {
    output(command).into()
}

fn output(command: &mut Command) -> Output {
    start(command.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output()
}

/// An end with status 1.
fn failure(stdout: impl Into<String>, stderr: impl Into<String>) -> Outcome {
    Outcome { code: Some(1), stdout: stdout.into(), stderr: stderr.into() }
}

fn success(stdout: impl Into<String>) -> Outcome {
    Outcome { code: Some(0), stdout: stdout.into(), stderr: String::new() }
}

/// The outcome with `pieces` written to its standard input one by one.
fn with_pipe<'a>(command: &mut Command, pieces: impl Iterator<Item = &'a [u8]> + Send) -> Outcome {
    with_pauses(command, pieces.map(|piece| (piece, false)))
}

/// The outcome with pieces written to its standard input one by one, and pauses after those that say so, in which the
/// program reads all that was written.
fn with_pauses<'a>(command: &mut Command, pieces: impl Iterator<Item = (&'a [u8], bool)> + Send) -> Outcome {
    let mut run = start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let (mut pipe, process) = (run.stdin.take().unwrap(), run.id());
    thread::scope(|scope| {
        scope.spawn(move || {
            for (piece, pause) in pieces {
                pipe.write_all(piece).unwrap();
                if pause {
                    until_idle(process);
                }
            }
        });
        run.into()
    })
}

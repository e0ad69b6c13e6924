//! Maps files in a process of its own, since touching a mapped byte that its file no longer has ends a process.
//!
//! The child tells of each file that is done. If it is ended by `SIGBUS`, the parent reads the files that are left.
#![cfg(target_os = "linux")]

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, Command, ExitCode};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};

use crate::args::Options;
use crate::input::{Source, raw};
use crate::verbs;
use crate::walk::metadata;

/// The way in which the child ended.
pub(crate) enum Child {
    /// It did all work.
    Ended(ExitCode),
    /// A mapped file became shorter.
    Cut(Done),
    /// There is none: nothing is mapped.
    None,
}

/// The files that the child hashed, or could not read.
#[derive(Debug, Default)]
pub(crate) struct Done {
    count: usize,
    last: OsString,
    /// Whether all of them were hashed.
    pub(crate) all_good: bool,
}

impl Done {
    /// The number of names that are done, if these are still the next ones. `is_end` tells that no others come.
    pub(crate) fn among(&mut self, names: &[&OsStr], is_end: bool) -> io::Result<usize> {
        let count = self.count.min(names.len());
        self.count -= count;
        let last = count.checked_sub(1).map(|last| names[last]);
        if self.count == 0 && last.is_none_or(|last| last == self.last) || self.count > 0 && !is_end {
            return Ok(count);
        }
        Err(io::Error::other("A mapped file became shorter, and the directories changed"))
    }
}

/// Runs the program with the same arguments in a child that maps files. Lists, and inputs that can be read only once,
/// are for a process that cannot be ended so.
///
/// A process that is the child already ends with its parent from here on, and leaves no memory on the disk.
pub(crate) fn run(options: &Options) -> io::Result<Child> {
    if let Some(parent) = options.child_of {
        set_parent_process_death_signal(Some(Signal::TERM))?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) })?;
        let is_alive = std::os::unix::process::parent_id() == parent;
        return Ok(if is_alive { Child::None } else { Child::Ended(ExitCode::FAILURE) });
    }
    if !options.mmap || options.check {
        return Ok(Child::None);
    }
    let key = options.key_path().is_none_or(|key| !key.starts_with("/dev") && is_read_twice(&key));
    let list = options.files0_from.as_ref().is_none_or(|list| is_read_twice(Path::new(list)));
    if !key || !list || !options.files().into_iter().map(Path::new).all(is_read_twice) {
        return Ok(Child::None);
    }
    let Some((reader, mut child)) = start() else { return Ok(Child::None) };
    let mut done = Done { all_good: true, ..Done::default() };
    let mut reader = BufReader::new(reader);
    let mut record = Vec::new();
    while reader.read_until(0, &mut record)? > 0 {
        if let [good, name @ .., 0] = &record[..] {
            done.count += 1;
            done.all_good &= *good == b'+';
            done.last = OsString::from_vec(name.to_vec());
        }
        record.clear();
    }
    let status = child.wait()?;
    Ok(match status.signal() {
        Some(signal) if signal == signal_hook::consts::SIGBUS => Child::Cut(done),
        Some(signal) => {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            Child::Ended(ExitCode::FAILURE)
        }
        None => {
            Child::Ended(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, Into::into))
        }
    })
}

/// Whether what is at `path` can be read again from its beginning, also by the child, which has another standard input.
fn is_read_twice(path: &Path) -> bool {
    path != Path::new("-")
        && metadata(path).map_or(true, |file| file.is_file() || file.is_dir())
        && !Source::StandardInput.is_at(path)
}

/// The child, and what it tells.
fn start() -> Option<(io::PipeReader, process::Child)> {
    let (reader, writer) = io::pipe().ok()?;
    let mut command = Command::new(std::env::current_exe().ok()?);
    // A subcommand is one only as the first argument.
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let (first, rest) = arguments.split_at(1 + usize::from(verbs::of(&arguments).is_some()));
    command.args(&first[1..]).arg(format!("--child-of={}", process::id())).args(rest).stdin(writer);
    let child = command.spawn().ok()?;
    Some((reader, child))
}

/// The child's way to tell of files that are done.
#[derive(Debug)]
pub(crate) struct Journal(Option<File>);

impl Journal {
    /// The journal of this process, which has none if it is no child.
    pub(crate) fn of(options: &Options) -> io::Result<Self> {
        if options.child_of.is_none() {
            return Ok(Self(None));
        }
        Ok(Self(Some(io::stdin().as_fd().try_clone_to_owned()?.into())))
    }

    /// Tells that a file was hashed, or could not be.
    pub(crate) fn tell(&mut self, name: &OsStr, good: bool) -> io::Result<()> {
        let Some(pipe) = &mut self.0 else { return Ok(()) };
        pipe.write_all(&[if good { b"+" } else { b"-" }, &*raw(name), b"\0"].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names come in batches. The last one that is done must be where it was.
    #[test]
    fn names_that_are_done() {
        let names = |text: &'static str| text.split_terminator(' ').map(OsStr::new).collect::<Vec<_>>();
        let done = |count, last: &str| Done { count, last: last.into(), all_good: true };
        let mut three = done(3, "c");
        assert_eq!(three.among(&names("a b"), false).ok(), Some(2));
        assert_eq!(three.among(&names("c d"), false).ok(), Some(1));
        assert_eq!(three.among(&names("e"), true).ok(), Some(0));
        for (first, second) in [("a b", "x c"), ("a b", ""), ("a b x", ""), ("a c", "b")] {
            let mut three = done(3, "c");
            assert!(three.among(&names(first), false).and_then(|_| three.among(&names(second), true)).is_err());
        }
        assert!(done(3, "c").among(&names("a b"), true).is_err());
        assert_eq!(
            (done(0, "").among(&[], true).ok(), done(2, "b").among(&names("a b"), true).ok()),
            (Some(0), Some(2))
        );
    }
}

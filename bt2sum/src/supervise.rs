//! Maps files in a process of its own, since touching a mapped byte that its file no longer has ends a process.
//!
//! The child tells of each file that is done. If it is ended by `SIGBUS`, the parent reads the files that are left.
#![cfg(target_os = "linux")]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};

use crate::args::Options;
use crate::input::raw;

/// What became of the child.
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
    /// The number of names that are done, if these are still the names.
    pub(crate) fn among(&self, names: &[&OsStr]) -> io::Result<usize> {
        match self.count.checked_sub(1) {
            Some(last) if names.get(last).is_none_or(|name| *name != self.last) => {
                Err(io::Error::other("A mapped file became shorter, and the directories changed"))
            }
            _ => Ok(self.count),
        }
    }
}

/// Runs the program with the same arguments in a child that maps files. What can be read only once, and lists, are for
/// a process that cannot be ended so.
pub(crate) fn run(options: &Options) -> io::Result<Child> {
    let once = options.check || options.files().contains(&OsStr::new("-"));
    let key_once = options
        .key_path()
        .is_some_and(|path| path.starts_with("/dev") || !fs::metadata(path).is_ok_and(|file| file.is_file()));
    if !options.mmap || options.is_child || once || key_once {
        return Ok(Child::None);
    }
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--is-child").args(std::env::args_os().skip(1)).stdin(writer);
    let mut child = command.spawn()?;
    drop(command); // with its end of the pipe
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

/// The child's way to tell of files that are done.
#[derive(Debug)]
pub(crate) struct Journal(Option<File>);

impl Journal {
    /// The journal of this process, which has none if it is no child. The child ends with its parent, and leaves no
    /// memory on the disk.
    pub(crate) fn of(options: &Options) -> io::Result<Self> {
        if !options.is_child {
            return Ok(Self(None));
        }
        set_parent_process_death_signal(Some(Signal::TERM))?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) })?;
        Ok(Self(Some(io::stdin().as_fd().try_clone_to_owned()?.into())))
    }

    /// Tells that a file was hashed, or could not be.
    pub(crate) fn tell(&mut self, name: &OsStr, good: bool) -> io::Result<()> {
        let Some(pipe) = &mut self.0 else { return Ok(()) };
        pipe.write_all(&[if good { b"+" } else { b"-" }, &*raw(name), b"\0"].concat())
    }
}

//! A file that is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

/// The file that is being written, for the signal handler to remove.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Of a process ended by a terminal's interrupt, as shells have it.
const INTERRUPTED: i32 = 130;

/// A file that gets its name when it is finished, and is removed if it is not. There is one at a time.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: io::BufWriter<File>,
    target: PathBuf,
}

impl Temporary {
    /// A file beside `target`, whose name it will have. A link stays one: what it leads to is replaced.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = replaceable(target)?;
        when_ended(remove_and_exit)?;
        let mut unfinished = unfinished();
        let (file, path) = create_beside(&target)?;
        *unfinished = Some(path);
        Ok(Self { file: io::BufWriter::new(file), target })
    }

    /// Makes sure that all is written, and gives the file its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        let mut unfinished = unfinished();
        let Some(path) = &*unfinished else { return Ok(()) };
        fs::rename(path, &self.target)?;
        *unfinished = None;
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&mut unfinished());
    }
}

/// Where `target` leads to, if there is a regular file or nothing at all: a pipe or a device is not to be replaced.
fn replaceable(target: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(target) {
        Ok(path) if fs::metadata(&path)?.is_file() => Ok(path),
        Ok(_) => Err(io::Error::other("Not a regular file")),
        // A link to what has no name, as that of standard output to a pipe.
        Err(_) if fs::metadata(target).is_ok() => Err(io::Error::other("Not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(target).is_ok() => {
            Err(io::Error::other("A link that leads nowhere"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(target.into()),
        Err(error) => Err(error),
    }
}

/// A new file in the directory of `target`. Its name does not have that of `target`, which may be as long as names can be.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let process = process::id();
    let mut number = 0_u32;
    loop {
        let path = target.with_file_name(format!(".bt2sum-{process}-{number}.tmp"));
        match File::create_new(&path) {
            // Of a process that had the same number and was killed, or of one on another machine.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
            created => return created.map(|file| (file, path)),
        }
    }
}

/// Calls `end` on an interrupt, a hangup or a request to terminate, unless that signal is ignored, as `nohup` has it.
#[cfg(target_os = "linux")]
fn when_ended(end: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let ignored = ignored_signals();
    let heeded = [SIGINT, SIGHUP, SIGTERM].into_iter().filter(|signal| (ignored >> (signal - 1)) & 1 == 0);
    let mut signals = Signals::new(heeded)?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end();
        }
    });
    Ok(())
}

/// A bit for each signal, the lowest for signal 1. Where the system does not tell, none is taken for ignored.
#[cfg(target_os = "linux")]
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.unwrap_or(0)
}

/// Calls `end` on an interrupt, a hangup or a request to terminate, unless one of them is ignored: then on none.
#[cfg(not(target_os = "linux"))]
fn when_ended(end: impl FnMut() + Send + 'static) -> io::Result<()> {
    match ctrlc::try_set_handler(end) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn unfinished() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(unfinished: &mut Option<PathBuf>) {
    if let Some(path) = unfinished.take() {
        // If it cannot be removed, at least its name says that it is not finished.
        let _ = fs::remove_file(path);
    }
}

/// Holds the lock to the end, so that no file is begun or named after this.
fn remove_and_exit() {
    let mut unfinished = unfinished();
    remove(&mut unfinished);
    process::exit(INTERRUPTED);
}

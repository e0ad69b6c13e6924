//! A file that gets its name only when it is whole.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

/// The path of the file that is being written. The signal handler removes this file.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The exit status that shells give a process ended by an interrupt from the terminal.
const INTERRUPTED: i32 = 130;

/// A file under a temporary name. [`finish`](Self::finish) gives the file its name; a drop or a signal removes the
/// file. A process has one at a time.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: io::BufWriter<File>,
    target: PathBuf,
}

impl Temporary {
    /// Creates a file beside `target`, to take the name of `target` later. If `target` is a link, the link stays, and
    /// the file that it leads to is replaced.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = replaceable(target)?;
        when_ended(remove_and_exit)?;
        let mut unfinished = unfinished();
        let (file, path) = create_beside(&target)?;
        *unfinished = Some(path);
        Ok(Self { file: io::BufWriter::new(file), target })
    }

    /// Waits until all bytes are on the disk, then gives the file its name.
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

/// The path that `target` leads to. A pipe, a device, or anything else but a regular file is an error: nothing of this
/// kind is replaced.
fn replaceable(target: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(target) {
        Ok(path) if fs::metadata(&path)?.is_file() => Ok(path),
        Ok(_) => Err(io::Error::other("Not a regular file")),
        // A link to a target without a name, such as `/dev/stdout` when standard output is a pipe.
        Err(_) if fs::metadata(target).is_ok() => Err(io::Error::other("Not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(target).is_ok() => {
            Err(io::Error::other("A link that leads nowhere"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(target.into()),
        Err(error) => Err(error),
    }
}

/// Creates a file in the directory of `target`. The new name does not contain the name of `target`, which may already
/// be as long as names can be.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let process = process::id();
    let mut number = 0_u32;
    loop {
        let path = target.with_file_name(format!(".bt2sum-{process}-{number}.tmp"));
        match File::create_new(&path) {
            // Left by a killed process with the same number, or in use by a process on another machine.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
            created => return created.map(|file| (file, path)),
        }
    }
}

/// Calls `end` on an interrupt, a hangup or a request to terminate. A signal that the process was told to ignore, as by
/// `nohup`, stays ignored.
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

/// The ignored signals, a bit for each: the lowest bit is signal 1. If the system does not tell, the mask is empty.
#[cfg(target_os = "linux")]
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.unwrap_or(0)
}

/// Calls `end` on an interrupt, a hangup or a request to terminate. If one of these signals is ignored, `end` is never
/// called.
#[cfg(not(target_os = "linux"))]
fn when_ended(end: impl FnMut() + Send + 'static) -> io::Result<()> {
    match ctrlc::try_set_handler(end) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Locks the path of the unfinished file.
fn unfinished() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the unfinished file, if there is one.
fn remove(unfinished: &mut Option<PathBuf>) {
    if let Some(path) = unfinished.take() {
        // If this fails, the name still tells that the file is not finished.
        let _ = fs::remove_file(path);
    }
}

/// Removes the unfinished file and ends the process. The lock is held to the end, so that no file is begun or named.
fn remove_and_exit() {
    let mut unfinished = unfinished();
    remove(&mut unfinished);
    process::exit(INTERRUPTED);
}

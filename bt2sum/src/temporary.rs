//! A file that is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
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
    /// A file beside `target`, whose name it will have.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", process::id()));
        let path = target.with_file_name(hidden);
        ctrlc::set_handler(remove_and_exit).map_err(io::Error::other)?;
        let mut unfinished = unfinished();
        let file = File::create_new(&path)?;
        *unfinished = Some(path);
        Ok(Self { file: io::BufWriter::new(file), target: target.into() })
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

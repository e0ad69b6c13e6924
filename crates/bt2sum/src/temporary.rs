//! A file that gets its name only when it is whole.

use core::mem;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
#[cfg(target_os = "linux")]
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
#[cfg(target_os = "linux")]
use std::time::SystemTime;

use simd_digest::blake2b::Params;

use crate::input::{is_same_file, raw};
use crate::signals::before_end;

/// The paths of the files that are being written. A signal that ends the process removes these files.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The largest number of files that can be written at a time to take the same name.
const WRITERS: usize = 16;

/// A file under a temporary name. [`finish`](Self::finish) gives the file its name; a drop or a signal removes the
/// file.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: io::BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    /// The bytes that were noted last.
    #[cfg(target_os = "linux")]
    noted: Vec<u8>,
}

impl Temporary {
    /// Creates a file beside `target`, to take the name of `target` later. If `target` is a link, the link stays, and
    /// the file that it leads to is replaced. The new file has the permissions of the old one and, where that
    /// is allowed, its owner and group.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        Self::among(target, WRITERS)
    }

    /// As [`create`](Self::create), but an error if another process is about to write this target.
    #[cfg(target_os = "linux")]
    pub(crate) fn create_alone(target: &Path) -> io::Result<Self> {
        Self::among(target, 1)
    }

    /// A file without a name in the directory of this one, which is gone when it is closed.
    #[cfg(target_os = "linux")]
    pub(crate) fn nameless(&self) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, open};

        let directory = self.target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        // Not all file systems have such files. Any other error comes again.
        open(directory, flags, Mode::RUSR | Mode::WUSR).map_or_else(|_| self.unnamed(), |file| Ok(file.into()))
    }

    /// A file whose name is removed at once.
    #[cfg(target_os = "linux")]
    fn unnamed(&self) -> io::Result<File> {
        let path = beside(&self.target, 1)?;
        remove_left_behind(&path);
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(path)?;
        Ok(file)
    }

    /// Creates the file if fewer than this number of processes write the same target.
    fn among(target: &Path, writers: usize) -> io::Result<Self> {
        let target = replaceable(target)?;
        heed_signals()?;
        let mut unfinished = unfinished();
        let (file, path) = create_beside(&target, writers)?;
        unfinished.push(path.clone());
        drop(unfinished);
        let temporary = Self {
            file: io::BufWriter::new(file),
            path,
            target,
            #[cfg(target_os = "linux")]
            noted: Vec::new(),
        };
        if let Ok(old) = fs::metadata(&temporary.target) {
            keep_owner(temporary.file.get_ref(), &old);
            temporary.file.get_ref().set_permissions(old.permissions())?;
        }
        Ok(temporary)
    }

    /// Waits until all bytes are on the disk, then gives the file its name, and waits until that is on the disk, too.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        let mut unfinished = unfinished();
        if !is_at(self.file.get_ref(), &self.path) {
            unfinished.retain(|path| *path != self.path);
            return Err(io::Error::other("The unfinished file was removed or replaced by another program"));
        }
        fs::rename(&self.path, &self.target)?;
        unfinished.retain(|path| *path != self.path);
        drop(unfinished);
        keep_name(&self.target)
    }

    /// Replaces what is in the file, or renews its time if it has these bytes, and waits until that is on the disk.
    #[cfg(target_os = "linux")]
    pub(crate) fn note(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        if self.noted == bytes {
            file.set_modified(SystemTime::now())?;
            return file.sync_all();
        }
        self.noted.clear();
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.noted.extend(bytes);
        Ok(())
    }
}

/// From now on, a signal that ends the process removes the file at `path`, too.
#[cfg(target_os = "linux")]
pub(crate) fn watch(path: &Path) {
    unfinished().push(path.into());
}

/// From now on, no signal removes the file at `path`.
#[cfg(target_os = "linux")]
pub(crate) fn unwatch(path: &Path) {
    unfinished().retain(|other| other != path);
}

/// A signal that ends the process first removes what is unfinished.
pub(crate) fn heed_signals() -> io::Result<()> {
    // The lock is held to the end of the process, so that no file is begun or named after the removal.
    before_end(|| {
        let mut unfinished = unfinished();
        unfinished.drain(..).for_each(|path| remove(&path));
        mem::forget(unfinished);
    })
}

/// Does what no signal interrupts that this program heeds.
pub(crate) fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    let unfinished = unfinished();
    let done = work();
    drop(unfinished);
    done
}

/// The contents of the file that a writer of `target` without others writes, or that a killed one left behind; and the
/// time of its last change. `None` if there is no such file, or another begins otherwise than `magic`.
#[cfg(target_os = "linux")]
pub(crate) fn left_behind(target: &Path, magic: &[u8]) -> io::Result<Option<(Vec<u8>, SystemTime)>> {
    /// More than a magic number, a time and the longest name.
    const LONGEST: u64 = 1 << 16;

    let path = unfinished_of(target)?;
    if !fs::symlink_metadata(&path).is_ok_and(|file| file.is_file()) {
        return Ok(None);
    }
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let modified = file.metadata()?.modified()?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes.starts_with(magic).then_some((bytes, modified)))
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
        let mut unfinished = unfinished();
        if unfinished.contains(&self.path) {
            unfinished.retain(|path| *path != self.path);
            remove(&self.path);
        }
    }
}

/// Whether there is a regular file at `path` that has contents, and these do not begin with `magic`: the file of
/// somebody who did not mean it to be replaced.
pub(crate) fn is_foreign(path: &Path, magic: &[u8]) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() => {}
        // Something else is there, or nothing: creating the file tells.
        _ => return Ok(false),
    }
    let mut begin = Vec::new();
    File::open(path)?.take(magic.len() as u64).read_to_end(&mut begin)?;
    Ok(!begin.is_empty() && begin != magic)
}

/// The path that `target` leads to. A pipe, a device, or anything else but a regular file is an error: nothing of this
/// kind is replaced.
fn replaceable(target: &Path) -> io::Result<PathBuf> {
    // Such a name is of a directory, whether there is one or not.
    if raw(target.as_os_str()).ends_with(b"/") {
        return Err(ErrorKind::IsADirectory.into());
    }
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

/// Creates a file in the directory of `target`, and locks it. Removes the files that killed processes left there when
/// they wrote the same target: nobody holds the locks of these.
fn create_beside(target: &Path, writers: usize) -> io::Result<(File, PathBuf)> {
    let mut created = None;
    for number in 0..writers {
        let path = beside(target, number)?;
        remove_left_behind(&path);
        if created.is_some() {
            continue;
        }
        match File::create_new(&path) {
            Ok(file) => {
                // Where files cannot be locked, nobody takes this one for left behind either. A process that has the
                // lock is about to remove the file.
                let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !is_at(&file, &path);
                created = (!taken).then_some((file, path));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    created.ok_or_else(|| {
        io::Error::other(if writers == 1 {
            "Another process is writing this file"
        } else {
            "Too many processes are writing this file"
        })
    })
}

/// The temporary name of this number for `target`.
fn beside(target: &Path, number: usize) -> io::Result<PathBuf> {
    // The name of `target` may already be as long as names can be. Its digest is not.
    let name = Params::new().hash_length(8).hash(&raw(target.file_name().unwrap_or(OsStr::new(""))));
    let name = name.map_err(io::Error::other)?;
    Ok(target.with_file_name(format!(".bt2sum-{name}-{number}.tmp")))
}

/// Whether a living process has the lock of a target that it writes without others.
#[cfg(target_os = "linux")]
pub(crate) fn is_locked(target: &Path) -> bool {
    let file = unfinished_of(target).and_then(File::open);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The path of the file that a writer of `target` without others writes, or left behind.
#[cfg(target_os = "linux")]
pub(crate) fn unfinished_of(target: &Path) -> io::Result<PathBuf> {
    beside(&replaceable(target)?, 0)
}

/// Removes the file at `path` if no process holds its lock.
fn remove_left_behind(path: &Path) {
    // A link is none of ours.
    if !fs::symlink_metadata(path).is_ok_and(|file| file.is_file()) {
        return;
    }
    // Once the lock is held, only a process that got it before could have renamed the file.
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
        && is_at(&file, path)
    {
        // If this fails, the name still tells that the file is not finished.
        let _ = fs::remove_file(path);
    }
}

/// Gives a file the owner and the group of the one whose place it takes, as far as the process may.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only the superuser may give a file away. Anybody else becomes the owner of what they write.
    if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(file, None, Some(old.gid()));
    }
}

/// Files of systems other than Unix have no owner of this kind.
#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// Waits until the name of a file is on the disk.
#[cfg(unix)]
fn keep_name(target: &Path) -> io::Result<()> {
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // Some file systems, and directories that may not be read, cannot be asked for this.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => Ok(()),
        done => done,
    }
}

/// Systems other than Unix cannot be asked for this.
#[cfg(not(unix))]
fn keep_name(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether `path` still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    is_same_file(file.metadata(), fs::metadata(path))
}

/// Locks the paths of the unfinished files.
fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes an unfinished file.
fn remove(path: &Path) {
    // If this fails, the name still tells that the file is not finished.
    let _ = fs::remove_file(path);
}

/// For tests, which share a process.
#[cfg(test)]
pub(crate) fn turn() -> std::sync::MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    /// With the help of the file system and without.
    #[test]
    fn files_without_names() {
        let _turn = turn();
        let directory = tempfile::tempdir().unwrap();
        let temporary = Temporary::create_alone(&directory.path().join("target")).unwrap();
        for file in [temporary.nameless(), temporary.unnamed(), temporary.unnamed()] {
            let file = file.unwrap();
            file.write_all_at(b"some bytes", 0).unwrap();
            let mut bytes = [0; 10];
            file.read_exact_at(&mut bytes, 0).unwrap();
            assert_eq!(bytes, *b"some bytes");
            // Only the file that is to become the target.
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        }
        drop(temporary);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

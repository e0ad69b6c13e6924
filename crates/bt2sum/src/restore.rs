//! Brings back files that are gone: written beside their place, checked there, and then given their names.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, mkdirat, openat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::mend::{Copies, Mended, Recorded, check_all, gather};
use crate::temporary::{unwatch, watch};

/// The permissions of files and directories before the mask of the process.
const FILE: Mode = Mode::from_raw_mode(0o666);
const DIRECTORY: Mode = Mode::from_raw_mode(0o777);

/// The largest number of temporary names that are tried.
const NAMES: usize = 16;

/// A file that is gone, or a link.
pub(crate) struct Gone<'a> {
    /// The deepest directory on the way that is there.
    pub(crate) directory: Arc<OwnedFd>,
    /// The names of directories below it that are gone, too.
    pub(crate) parents: Vec<&'a [u8]>,
    pub(crate) name: &'a [u8],
    /// The time that was recorded; that of the copy if there is none.
    pub(crate) modified: Option<SystemTime>,
}

/// A file that has no name yet, or a temporary one.
struct Unnamed<'a> {
    file: File,
    directory: &'a OwnedFd,
    name: Option<String>,
}

impl<'a> Unnamed<'a> {
    /// Creates the file: without a name if `nameless` is true and the file system has such files. No name is taken that
    /// is there already.
    fn create(directory: &'a OwnedFd, nameless: bool) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        if nameless && let Ok(file) = openat(directory, c".", flags | OFlags::TMPFILE, FILE) {
            return Ok(Self { file: file.into(), directory, name: None });
        }
        let mut number = 0;
        loop {
            let name = format!(".bt2sum-{}-{number}.tmp", std::process::id());
            match openat(directory, name.as_str(), flags | OFlags::CREATE | OFlags::EXCL, FILE) {
                Ok(file) => {
                    let unnamed = Self { file: file.into(), directory, name: Some(name) };
                    unnamed.path().iter().for_each(|path| watch(path));
                    return Ok(unnamed);
                }
                Err(Errno::EXIST) if number + 1 < NAMES => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The path of a file with a temporary name, as long as its directory is open.
    fn path(&self) -> Option<PathBuf> {
        let directory = self.directory.as_raw_fd();
        self.name.as_ref().map(|name| format!("/proc/self/fd/{directory}/{name}").into())
    }

    /// Gives the file its name, which nothing else may have.
    fn finish(mut self, directory: &OwnedFd, name: &[u8]) -> io::Result<()> {
        match &self.name {
            None => {
                let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                linkat(CWD, own, directory, name, AtFlags::SYMLINK_FOLLOW)?;
            }
            Some(own) => match renameat_with(self.directory, own.as_str(), directory, name, RenameFlags::NOREPLACE) {
                Ok(()) => {
                    self.path().iter().for_each(|path| unwatch(path));
                    self.name = None;
                }
                // Without such renames, the drop removes the temporary name.
                Err(Errno::INVAL) => linkat(self.directory, own.as_str(), directory, name, AtFlags::empty())?,
                Err(error) => return Err(error.into()),
            },
        }
        Ok(())
    }
}

impl Drop for Unnamed<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If this fails, the name still tells that the file is not finished.
            let _ = unlinkat(self.directory, name.as_str(), AtFlags::empty());
            self.path().iter().for_each(|path| unwatch(path));
        }
    }
}

/// Brings back a file, or with `dry` finds out whether that can be done.
pub(crate) fn restore(recorded: &Recorded<'_>, gone: &Gone<'_>, copies: &mut Copies<'_>, dry: bool) -> Mended {
    if dry {
        return gather(recorded, copies, |_, _| Ok(())).all_or_nothing();
    }
    match Unnamed::create(&gone.directory, true) {
        Ok(unnamed) => fill(recorded, gone, copies, unnamed),
        Err(error) => Mended::failed(error),
    }
}

/// Fills a file, and gives it its name.
fn fill(recorded: &Recorded<'_>, gone: &Gone<'_>, copies: &mut Copies<'_>, unnamed: Unnamed<'_>) -> Mended {
    let file = &unnamed.file;
    let mended = gather(recorded, copies, |leaf, begin| {
        // A hole stays one.
        if leaf.iter().all(|&byte| byte == 0) { Ok(()) } else { file.write_all_at(leaf, begin) }
    });
    if let Some(error) = mended.error {
        return Mended::failed(error);
    }
    if !mended.is_good() {
        return mended.all_or_nothing();
    }
    let finish = || {
        file.set_len(recorded.length)?;
        let like = copies.copies.first().map(|copy| copy.input.file.metadata()).transpose()?;
        if let Some(like) = &like {
            file.set_permissions(Permissions::from_mode(like.permissions().mode() & 0o777))?;
        }
        let modified = gone.modified.map(Ok).or(like.map(|like| like.modified())).transpose()?;
        modified.map_or(Ok(()), |modified| file.set_modified(modified))?;
        file.sync_all()?;
        check_all(recorded, file, copies.progress)
    };
    let finished = finish().and_then(|()| in_directories(gone, |directory| unnamed.finish(directory, gone.name)));
    finished.map_or_else(Mended::failed, |()| mended)
}

/// Makes the directories that are gone, and calls `work` with the last of them. If that fails, they are gone again.
pub(crate) fn in_directories(gone: &Gone<'_>, work: impl FnOnce(&OwnedFd) -> io::Result<()>) -> io::Result<()> {
    let mut made: Vec<(Arc<OwnedFd>, &[u8])> = Vec::new();
    let mut directory = Arc::clone(&gone.directory);
    let enter = || {
        for &name in &gone.parents {
            match mkdirat(&directory, name, DIRECTORY) {
                Ok(()) => made.push((Arc::clone(&directory), name)),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            directory = Arc::new(openat(&directory, name, flags, Mode::empty())?);
        }
        work(&directory)
    };
    let done = enter();
    if done.is_err() {
        for (directory, name) in made.iter().rev() {
            // One that somebody else uses by now is not empty.
            let _ = unlinkat(directory, *name, AtFlags::REMOVEDIR);
        }
    } else {
        keep(&directory);
        made.iter().for_each(|(directory, _)| keep(directory));
    }
    done
}

/// Waits until the names in a directory are on the disk, where the system can be asked for this.
fn keep(directory: impl AsFd) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let _ = openat(directory, c".", flags, Mode::empty()).map(|directory| File::from(directory).sync_all());
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::temporary::turn;

    #[test]
    fn names_that_are_taken_end_the_search() {
        let _turn = turn();
        let directory = tempfile::tempdir().unwrap();
        let name = |number| directory.path().join(format!(".bt2sum-{}-{number}.tmp", std::process::id()));
        (0..NAMES).for_each(|number| fs::write(name(number), b"").unwrap());
        let open = OwnedFd::from(File::open(directory.path()).unwrap());
        assert!(Unnamed::create(&open, false).is_err() && !name(NAMES).exists());
        fs::remove_file(name(NAMES - 1)).unwrap();
        assert!(Unnamed::create(&open, false).is_ok());
    }

    /// With the help of the file system and without. Nothing that is there is replaced, and nothing stays.
    #[test]
    fn files_get_their_names_last() {
        let _turn = turn();
        for nameless in [true, false] {
            let directory = tempfile::tempdir().unwrap();
            let names = || fs::read_dir(directory.path()).unwrap().count();
            let open: OwnedFd = File::open(directory.path()).unwrap().into();
            let first = format!(".bt2sum-{}-0.tmp", std::process::id());
            fs::write(directory.path().join(&first), b"precious").unwrap();
            fs::write(directory.path().join("there"), b"there").unwrap();
            for (name, is_free) in [("new", true), ("there", false)] {
                let before = names();
                let unnamed = Unnamed::create(&open, nameless).unwrap();
                (&unnamed.file).write_all(b"contents").unwrap();
                assert_eq!(unnamed.name.is_none(), nameless && names() == before);
                assert_eq!(unnamed.finish(&open, name.as_bytes()).is_ok(), is_free, "{name} {nameless}");
                assert_eq!(names(), before + usize::from(is_free), "{name} {nameless}");
            }
            for (name, bytes) in [("new", &b"contents"[..]), ("there", b"there"), (&first, b"precious")] {
                assert_eq!(fs::read(directory.path().join(name)).unwrap(), bytes, "{name} {nameless}");
            }
        }
    }
}

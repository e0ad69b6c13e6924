//! Directories as open descriptors.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
pub(super) use rustix::fs::FileType as Kind;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, Stat, fstat, fstatvfs, openat, statat};

/// An open directory.
pub(crate) type Directory = Arc<OwnedFd>;

/// The flags of a directory in which names are looked up.
const LOOK_UP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The flags of a directory to list.
const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The least number of bytes of a path that the system does not take at once.
const TOO_LONG: usize = 4096;

/// Opens what a path of any length leads to from `start` on. Each step takes as much of the path as the system does, or
/// a component if no link may be followed, because the system looks only at the last one of a step.
fn open_at(start: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let (mut rest, mut last) = (path.as_os_str().as_bytes(), None::<OwnedFd>);
    let nofollow = flags & OFlags::NOFOLLOW;
    loop {
        let from = last.as_ref().map_or(start, AsFd::as_fd);
        let slash = match rest.get(..TOO_LONG) {
            _ if !nofollow.is_empty() => rest.iter().position(|&byte| byte == b'/'),
            Some(step) => step.iter().rposition(|&byte| byte == b'/').filter(|&slash| slash > 0),
            None => None,
        };
        let Some(slash) = slash else { return Ok(openat(from, rest, flags, Mode::empty())?) };
        last = Some(openat(from, &rest[..slash], LOOK_UP | nofollow, Mode::empty())?);
        let slashes = rest[slash..].iter().take_while(|&&byte| byte == b'/').count();
        let after = &rest[slash + slashes..];
        rest = if after.is_empty() { b"." } else { after };
    }
}

/// Opens the file at a path of any length for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if path.as_os_str().len() < TOO_LONG {
        return File::open(path);
    }
    Ok(open_at(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC)?.into())
}

/// The metadata of what a path of any length leads to.
pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    if path.as_os_str().len() < TOO_LONG {
        return fs::metadata(path);
    }
    File::from(open_at(CWD, path, OFlags::PATH | OFlags::CLOEXEC)?).metadata()
}

/// A directory below which names are looked up component by component. No link is followed there.
#[derive(Debug)]
pub(crate) struct Root {
    root: Directory,
    /// The directory that was opened last.
    current: (PathBuf, Directory),
}

impl Root {
    /// Opens `directory`, which may be a link itself, to look up names, and perhaps to list it.
    pub(crate) fn open(directory: &Path, lists: bool) -> io::Result<Self> {
        let root = Arc::new(open_at(CWD, directory, if lists { LIST } else { LOOK_UP })?);
        let current = (PathBuf::new(), Arc::clone(&root));
        Ok(Self { root, current })
    }

    /// The metadata of the directory.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(fstat(&self.root)?)
    }

    /// The identifier of the file system of the directory; 0 if there is none.
    pub(crate) fn file_system(&self) -> io::Result<u64> {
        Ok(fstatvfs(&self.root)?.f_fsid)
    }

    /// Opens the directory with this name, from the last one if that is on the way.
    pub(crate) fn directory(&mut self, name: &Path) -> io::Result<Directory> {
        if self.current.0 == name { Ok(Arc::clone(&self.current.1)) } else { self.below(name, LOOK_UP) }
    }

    /// Opens the directory with this name to list it.
    pub(super) fn list(&mut self, name: &Path) -> io::Result<Directory> {
        self.below(name, LIST)
    }

    fn below(&mut self, name: &Path, flags: OFlags) -> io::Result<Directory> {
        let open = if name.as_os_str().is_empty() {
            Arc::clone(&self.root)
        } else {
            let (bytes, current) = (name.as_os_str().as_bytes(), self.current.0.as_os_str().as_bytes());
            let rest = bytes.strip_prefix(current).and_then(|rest| rest.strip_prefix(b"/"));
            let (start, rest) = rest.map_or((&self.root, bytes), |rest| (&self.current.1, rest));
            Arc::new(open_at(start.as_fd(), Path::new(OsStr::from_bytes(rest)), flags | OFlags::NOFOLLOW)?)
        };
        self.current = (name.to_owned(), Arc::clone(&open));
        Ok(open)
    }
}

/// The entries of a directory that is open to be listed: their names, kinds and numbers.
pub(super) fn entries(directory: &Directory) -> io::Result<impl Iterator<Item = io::Result<(OsString, Kind, u64)>>> {
    Ok(Dir::new(directory.try_clone()?)?.filter_map(|entry| match entry {
        Ok(entry) => match entry.file_name().to_bytes() {
            b"." | b".." => None,
            name => Some(Ok((OsString::from_vec(name.to_vec()), entry.file_type(), entry.ino()))),
        },
        Err(error) => Some(Err(error.into())),
    }))
}

/// The device that an open directory is on.
pub(super) fn device(directory: &Directory) -> io::Result<u64> {
    Ok(fstat(directory)?.st_dev)
}

/// The kind, device and number of an entry, or of what a link leads to.
pub(super) fn stat(directory: &Directory, own: &OsStr, follow: bool) -> io::Result<(Kind, u64, u64)> {
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    let stat = statat(directory, own, flags)?;
    Ok((Kind::from_raw_mode(stat.st_mode), stat.st_dev, stat.st_ino))
}

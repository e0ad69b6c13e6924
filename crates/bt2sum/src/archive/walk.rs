//! Walks a tree of files, and opens what is in it component by component, so that no link leads out.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::vec::IntoIter;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, fstatvfs, openat, readlinkat, statat};

use super::extra::Extra;
use super::filter::Filter;
use super::name::{is_below, join, split};
use super::store::{Attributes, Owner, Rights};

/// The flags of a directory in which names are looked up.
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The flags of a directory to list.
const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The flags of a link.
const LINK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The flags of a file to read. Opening a pipe that took the place of a file waits for nobody.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The flags of a file to write to.
const WRITE: OFlags =
    OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A directory below which names are looked up component by component. No link is followed there.
#[derive(Debug)]
pub(super) struct Root {
    root: Arc<OwnedFd>,
    /// The directory that was opened last.
    current: (Vec<u8>, Arc<OwnedFd>),
}

impl Root {
    /// Opens `directory`, which may be a link itself.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let root = Arc::new(openat(CWD, directory, DIRECTORY, Mode::empty())?);
        let current = (Vec::new(), Arc::clone(&root));
        Ok(Self { root, current })
    }

    /// The metadata of the directory.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Ok(fstat(&self.root)?)
    }

    /// The identifier of the file system of the directory; 0 if there is none.
    pub(super) fn file_system(&self) -> io::Result<u64> {
        Ok(fstatvfs(&self.root)?.f_fsid)
    }

    /// Something below, whose directory must be there.
    pub(super) fn place(&mut self, name: &[u8]) -> io::Result<Place> {
        Ok(Place { directory: Some(self.directory(split(name).0)?), name: name.to_vec() })
    }

    /// Opens the directory with this name, component by component, from the last one if that is on the way.
    pub(super) fn directory(&mut self, name: &[u8]) -> io::Result<Arc<OwnedFd>> {
        if self.current.0 != name {
            let (mut done, mut open) = (0, Arc::clone(&self.root));
            if !self.current.0.is_empty() && is_below(name, &self.current.0) {
                (done, open) = (self.current.0.len() + 1, Arc::clone(&self.current.1));
            }
            for part in name[done..].split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
                open = Arc::new(openat(&open, part, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?);
            }
            self.current = (name.to_vec(), open);
        }
        Ok(Arc::clone(&self.current.1))
    }
}

/// Something below a directory, which is open until the place is closed.
#[derive(Clone, Debug)]
pub(super) struct Place {
    directory: Option<Arc<OwnedFd>>,
    pub(super) name: Vec<u8>,
}

impl Place {
    /// Opens a regular file for reading. A link is an error.
    pub(super) fn open(&self) -> io::Result<File> {
        Ok(openat(self.directory()?, split(&self.name).1, READ, Mode::empty())?.into())
    }

    /// Opens a regular file for reading and writing. A link is an error.
    pub(super) fn open_to_write(&self) -> io::Result<File> {
        Ok(openat(self.directory()?, split(&self.name).1, WRITE, Mode::empty())?.into())
    }

    /// The metadata of the file or link. A link is not followed.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Ok(statat(self.directory()?, split(&self.name).1, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn directory(&self) -> io::Result<&OwnedFd> {
        self.directory.as_deref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// A file, a link or a directory that a walk comes to.
#[derive(Debug)]
pub(super) enum Found {
    File(Place),
    /// A symbolic link with this name, its target, and its owner if that is wanted.
    Link(Vec<u8>, io::Result<(Vec<u8>, Option<Owner>)>),
    /// A directory with this name, below which there is nothing to record.
    Directory(Vec<u8>, Rights),
    /// A directory with this name that cannot be listed.
    Unlisted(Vec<u8>, io::Error),
}

impl Found {
    pub(super) fn name(&self) -> &[u8] {
        match self {
            Self::File(place) => &place.name,
            Self::Link(name, _) | Self::Directory(name, _) | Self::Unlisted(name, _) => name,
        }
    }

    /// Whether it is a directory, which can be listed or not.
    pub(super) fn is_directory(&self) -> bool {
        matches!(self, Self::Directory(..) | Self::Unlisted(..))
    }

    /// Lets go of the directory, for what waits for its turn would hold too many of them.
    pub(super) fn close(&mut self) {
        if let Self::File(place) = self {
            place.directory = None;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    File,
    Link,
    Directory,
}

/// The rest of a directory.
#[derive(Debug)]
struct Level {
    /// The length of its name, with which the name of the last level begins.
    length: usize,
    entries: IntoIter<(Box<[u8]>, Type)>,
}

/// A walk through all that is below a directory, in the order of [`super::name::compare`].
#[derive(Debug)]
pub(super) struct Walk {
    root: Root,
    filter: Filter,
    extra: Extra,
    /// The device that the walk stays on.
    device: Option<u64>,
    levels: Vec<Level>,
    /// The name of the last level. A name for each would take the square of the depth.
    name: Vec<u8>,
    /// The number of pipes, sockets and devices that were passed over.
    pub(super) special: u64,
}

impl Walk {
    /// Begins a walk below `directory`, which may be a link itself.
    pub(super) fn new(directory: &Path, filter: Filter, extra: Extra, one_file_system: bool) -> io::Result<Self> {
        let root = Root::open(directory)?;
        let device = if one_file_system { Some(root.stat()?.st_dev) } else { None };
        let mut walk = Self { root, filter, extra, device, levels: Vec::new(), name: Vec::new(), special: 0 };
        walk.enter(&[])?;
        Ok(walk)
    }

    /// Lists the directory with this name. Returns its rights if there is nothing in it to record, also outside of the
    /// parts, or if it is on another device.
    fn enter(&mut self, name: &[u8]) -> io::Result<Option<Rights>> {
        let directory = self.root.directory(name)?;
        if let Some(device) = self.device
            && fstat(&directory)?.st_dev != device
        {
            // Most are mounted on empty directories, which are then the same with and without. Nothing is opened there.
            let attributes = self.extra.has_attributes().then(Attributes::default);
            return Ok(Some(Rights { attributes, ..Rights::of_stat(&fstat(&directory)?) }));
        }
        let open = openat(&directory, c".", LIST, Mode::empty())?;
        let (mut entries, mut special, mut is_empty) = (Vec::new(), 0, true);
        for entry in Dir::new(open)? {
            let entry = entry?;
            let own = entry.file_name().to_bytes();
            if matches!(own, b"." | b"..") {
                continue;
            }
            let Some(kind) = self.kind(&directory, own, entry.file_type(), entry.ino())? else { continue };
            let full = join(name, own);
            let is_directory = kind == FileType::Directory;
            if self.filter.excludes(&full, is_directory) {
                continue;
            }
            is_empty &= !matches!(kind, FileType::RegularFile | FileType::Symlink | FileType::Directory);
            if self.filter.is_outside(&full, is_directory) {
                continue;
            }
            match kind {
                FileType::RegularFile => entries.push((own.into(), Type::File)),
                FileType::Symlink => entries.push((own.into(), Type::Link)),
                FileType::Directory => entries.push((own.into(), Type::Directory)),
                _ => special += 1,
            }
        }
        entries.sort_unstable_by(|a: &(Box<[u8]>, Type), b| a.0.cmp(&b.0));
        // Some network file systems list a name twice while others write there.
        entries.dedup_by(|a, b| a.0 == b.0);
        self.special += special;
        if is_empty {
            return self.rights(&directory).map(Some);
        }
        self.name = name.to_vec();
        self.levels.push(Level { length: name.len(), entries: entries.into_iter() });
        Ok(None)
    }

    /// The rights of a directory.
    fn rights(&self, directory: &OwnedFd) -> io::Result<Rights> {
        let rights = Rights::of_stat(&fstat(directory)?);
        if !self.extra.has_attributes() {
            return Ok(rights);
        }
        let attributes = self.extra.attributes(openat(directory, c".", LIST, Mode::empty())?)?;
        Ok(Rights { attributes, ..rights })
    }

    /// The target of a link, and its owner if that is wanted.
    fn link(&self, directory: &OwnedFd, own: &[u8]) -> io::Result<(Vec<u8>, Option<Owner>)> {
        if !self.extra.has_owners {
            return Ok((readlinkat(directory, own, Vec::new())?.into_bytes(), None));
        }
        // Both are those of one link.
        let link = openat(directory, own, LINK, Mode::empty())?;
        let stat = fstat(&link)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
            return Err(rustix::io::Errno::INVAL.into());
        }
        Ok((readlinkat(&link, c"", Vec::new())?.into_bytes(), Some(Owner::of_stat(&stat))))
    }

    /// The type of an entry; `None` for a file that is left out or is gone. Most entries need no question to the
    /// system.
    fn kind(&self, directory: impl AsFd, own: &[u8], kind: FileType, number: u64) -> io::Result<Option<FileType>> {
        if kind != FileType::Unknown && !self.filter.may_leave_out(number) {
            return Ok(Some(kind));
        }
        match statat(directory, own, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if self.filter.leaves_out(stat.st_dev, stat.st_ino) => Ok(None),
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let level = self.levels.last_mut()?;
            self.name.truncate(level.length);
            let Some((own, kind)) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let name = join(&self.name, &own);
            if kind == Type::Directory {
                match self.enter(&name) {
                    // One that only leads to parts is none of theirs.
                    Ok(Some(rights)) if !self.filter.is_outside(&name, false) => {
                        return Some(Found::Directory(name, rights));
                    }
                    Ok(_) => continue,
                    Err(error) => return Some(Found::Unlisted(name, error)),
                }
            }
            let parent = split(&name).0;
            return Some(match (self.root.directory(parent), kind) {
                (Ok(directory), Type::Link) => {
                    let link = self.link(&directory, split(&name).1);
                    Found::Link(name, link)
                }
                (Ok(directory), _) => Found::File(Place { directory: Some(directory), name }),
                (Err(error), _) => {
                    // Nothing that is left of this directory can be reached.
                    self.levels.pop();
                    Found::Unlisted(parent.to_vec(), error)
                }
            });
        }
    }
}

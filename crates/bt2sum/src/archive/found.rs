//! Has what a catalogue records of a walk, and opens files below a directory without following links.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};

use super::extra::Extra;
use super::name::split;
use super::store::{Attributes, Owner, Rights};
use crate::walk::{self, Directory, Root, Sight};

/// The flags of a link.
const LINK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The flags of a file to read. Opening a pipe that took the place of a file waits for nobody.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The flags of a file to write to.
const WRITE: OFlags =
    OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A name as paths have it.
pub(super) fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// Something below a directory, which is open until the place is closed.
#[derive(Clone, Debug)]
pub(super) struct Place {
    directory: Option<Directory>,
    pub(super) name: Vec<u8>,
}

impl Place {
    /// Something with this name, whose directory must be there.
    pub(super) fn below(root: &mut Root, name: &[u8]) -> io::Result<Self> {
        Ok(Self { directory: Some(root.directory(path(split(name).0))?), name: name.to_vec() })
    }

    /// Opens a regular file for reading. A link is an error.
    pub(super) fn open(&self) -> io::Result<File> {
        Ok(openat(self.directory()?, self.own(), READ, Mode::empty())?.into())
    }

    /// Opens a regular file for reading and writing. A link is an error.
    pub(super) fn open_to_write(&self) -> io::Result<File> {
        Ok(openat(self.directory()?, self.own(), WRITE, Mode::empty())?.into())
    }

    /// The metadata of the file or link. A link is not followed.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Ok(statat(self.directory()?, self.own(), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The target of a link, and its owner if that is wanted.
    fn link(&self, extra: &Extra) -> io::Result<(Vec<u8>, Option<Owner>)> {
        if !extra.has_owners {
            return Ok((readlinkat(self.directory()?, self.own(), Vec::new())?.into_bytes(), None));
        }
        // Both are those of one link.
        let link = openat(self.directory()?, self.own(), LINK, Mode::empty())?;
        let stat = fstat(&link)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
            return Err(rustix::io::Errno::INVAL.into());
        }
        Ok((readlinkat(&link, c"", Vec::new())?.into_bytes(), Some(Owner::of_stat(&stat))))
    }

    fn own(&self) -> &[u8] {
        split(&self.name).1
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

/// A walk for a catalogue.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) tree: walk::Walk,
    pub(super) extra: Extra,
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let (directory, name, sight) = self.tree.next()?;
        let place = Place { directory: Some(directory), name: name.into_os_string().into_vec() };
        let rights = match sight {
            Sight::File => return Some(Found::File(place)),
            Sight::Link => {
                let link = place.link(&self.extra);
                return Some(Found::Link(place.name, link));
            }
            Sight::Empty => place.directory().and_then(|directory| {
                let attributes = self.extra.attributes(directory)?;
                Ok(Rights { attributes, ..Rights::of_stat(&fstat(directory)?) })
            }),
            // Most are mounted on empty directories, which are then the same with and without. Nothing is opened there.
            Sight::Mounted => place.stat().map(|stat| {
                let attributes = self.extra.has_attributes().then(Attributes::default);
                Rights { attributes, ..Rights::of_stat(&stat) }
            }),
            Sight::Unlisted(error) => Err(error),
        };
        Some(match rights {
            Ok(rights) => Found::Directory(place.name, rights),
            Err(error) => Found::Unlisted(place.name, error),
        })
    }
}

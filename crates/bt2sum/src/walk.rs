//! Finds what is below a directory, and opens paths of any length.
//!
//! On Linux, a walk goes from one open directory to the next and follows no link on its way. Elsewhere, the same walk
//! goes by paths. The directories above the one that is listed are not open, so there may be any number of them.

#[cfg(target_os = "linux")]
mod descriptors;
mod filter;
#[cfg(not(target_os = "linux"))]
mod paths;

use core::iter;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

#[cfg(target_os = "linux")]
use descriptors as system;
pub(crate) use filter::Filter;
#[cfg(not(target_os = "linux"))]
use paths as system;
pub(crate) use system::{Directory, Root, metadata, open};
use system::{Kind, device, entries, stat};

/// A thing that a walk comes to, in an open directory.
#[derive(Debug)]
pub(crate) enum Sight {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// The open directory itself, in which no file, link or directory is, except what the patterns leave out.
    Empty,
    /// A directory on another device.
    Mounted,
    /// A directory that cannot be listed, and why.
    Unlisted(io::Error),
}

/// A walk through all that is below a directory. It takes the entries of each directory in the bytewise order of their
/// names, and what is below an entry before the next one.
#[derive(Debug)]
pub(crate) struct Walk {
    root: Root,
    filter: Filter,
    /// The device that the walk stays on.
    device: Option<u64>,
    /// Whether a directory where names can be listed and not looked up is told as one that cannot be listed.
    looks_up: bool,
    /// The entries to come of the directories on the way.
    levels: Vec<IntoIter<(Box<OsStr>, Kind)>>,
    /// The name of the last directory. A name for each would take the square of the depth.
    name: PathBuf,
    /// The number of pipes, sockets and devices that were passed over.
    pub(crate) special: u64,
}

/// A directory, the name of something below that of the walk, and what it is.
type Seen = (Directory, PathBuf, Sight);

impl Walk {
    /// Begins a walk below `directory`, which may be a link itself.
    pub(crate) fn new(directory: &Path, filter: Filter, one_file_system: bool, looks_up: bool) -> io::Result<Self> {
        let (root, levels, name) = (Root::open(directory, true)?, Vec::new(), PathBuf::new());
        let mut walk = Self { root, filter, device: None, looks_up, levels, name, special: 0 };
        if one_file_system {
            walk.device = Some(device(&walk.root.directory(&walk.name)?)?);
        }
        walk.enter(PathBuf::new())?;
        Ok(walk)
    }

    /// Lists the directory with this name. Returns it if it is empty, also outside of the parts.
    fn enter(&mut self, mut name: PathBuf) -> io::Result<Option<Seen>> {
        let directory = self.root.list(&name)?;
        // Something may have been mounted since the name was looked at.
        if let Some(own) = self.device
            && device(&directory)? != own
        {
            return Err(io::Error::other("Another file system was mounted here"));
        }
        if self.looks_up {
            stat(&directory, OsStr::new("."), false)?;
        }
        let (mut found, mut special, mut is_empty) = (Vec::new(), 0, true);
        for entry in entries(&directory)? {
            let (own, kind, number) = entry?;
            let Some(kind) = self.kind(&directory, &own, kind, number)? else { continue };
            let is_directory = kind == Kind::Directory;
            name.push(&own);
            let is_excluded = self.filter.excludes(&name, is_directory);
            let is_left_out = is_excluded || self.filter.is_outside(&name, is_directory);
            name.pop();
            let is_special = !matches!(kind, Kind::RegularFile | Kind::Symlink | Kind::Directory);
            is_empty &= is_excluded || is_special;
            if !is_left_out && is_special {
                special += 1;
            } else if !is_left_out {
                found.push((own.into_boxed_os_str(), kind));
            }
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        // Some network file systems list a name twice while others write there.
        found.dedup_by(|a, b| a.0 == b.0);
        self.special += special;
        if is_empty {
            return Ok(Some((directory, name, Sight::Empty)));
        }
        self.levels.push(found.into_iter());
        self.name = name;
        Ok(None)
    }

    /// The kind of an entry; `None` for a file that is left out or is gone. Most entries need no question to the
    /// system.
    fn kind(&self, directory: &Directory, own: &OsStr, kind: Kind, number: u64) -> io::Result<Option<Kind>> {
        if kind != Kind::Unknown && !self.filter.may_leave_out(number) {
            return Ok(Some(kind));
        }
        match stat(directory, own, false) {
            Ok((_, device, number)) if self.filter.leaves_out(device, number) => Ok(None),
            Ok((kind, ..)) => Ok(Some(kind)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Enters a directory, unless it is mounted where the walk does not go.
    fn directory(&mut self, above: &Directory, own: &OsStr, name: PathBuf) -> io::Result<Option<Seen>> {
        if let Some(device) = self.device
            && stat(above, own, false)?.1 != device
        {
            return Ok(Some((above.clone(), name, Sight::Mounted)));
        }
        self.enter(name)
    }
}

impl Iterator for Walk {
    type Item = Seen;

    fn next(&mut self) -> Option<Seen> {
        loop {
            let Some((own, kind)) = self.levels.last_mut()?.next() else {
                self.levels.pop();
                self.name.pop();
                continue;
            };
            let above = match self.root.directory(&self.name) {
                Ok(above) => above,
                Err(error) => {
                    // Nothing that is left of this directory can be reached.
                    self.levels.pop();
                    let name = self.name.clone();
                    self.name.pop();
                    return Some((self.root.directory(Path::new("")).ok()?, name, Sight::Unlisted(error)));
                }
            };
            let name = self.name.join(&*own);
            match kind {
                Kind::RegularFile => return Some((above, name, Sight::File)),
                Kind::Symlink => return Some((above, name, Sight::Link)),
                _ => match self.directory(&above, &own, name.clone()) {
                    // One that only leads to parts is none of theirs.
                    Ok(Some(found)) if !self.filter.is_outside(&name, false) => return Some(found),
                    Ok(_) => {}
                    Err(error) => return Some((above, name, Sight::Unlisted(error))),
                },
            }
        }
    }
}

/// The files that these names are of. With a filter, each directory among them is replaced by the files below it. All
/// other names stay as they are. A directory that cannot be listed gives its path and the error.
///
/// Links to files count as files. Below a directory, links to directories are left out, since they may lead back to it.
pub(crate) fn files<'a>(
    names: &'a [&'a OsStr],
    filter: Option<&'a Filter>,
    one_file_system: bool,
) -> impl Iterator<Item = Result<PathBuf, (PathBuf, io::Error)>> + 'a {
    names.iter().map(Path::new).flat_map(move |path| -> Box<dyn Iterator<Item = _>> {
        // A path is compared by components, so `-/` would be `-`.
        let is_directory = || path.as_os_str() != "-" && metadata(path).is_ok_and(|file| file.is_dir());
        let walk =
            filter.filter(|_| is_directory()).map(|filter| Walk::new(path, filter.clone(), one_file_system, false));
        match walk {
            None => Box::new(iter::once(Ok(path.to_owned()))),
            Some(Err(error)) => Box::new(iter::once(Err((path.to_owned(), error)))),
            Some(Ok(walk)) => Box::new(walk.filter_map(|(directory, name, sight)| match sight {
                Sight::File => Some(Ok(path.join(name))),
                Sight::Link => match stat(&directory, name.file_name()?, true) {
                    Ok((kind, ..)) if kind != Kind::RegularFile => None,
                    // A link that leads nowhere is kept: opening it for hashing gives the error to report.
                    _ => Some(Ok(path.join(name))),
                },
                Sight::Empty | Sight::Mounted => None,
                Sight::Unlisted(error) => Some(Err((path.join(name), error))),
            })),
        }
    })
}

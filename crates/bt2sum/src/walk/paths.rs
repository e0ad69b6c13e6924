//! Directories as paths, for systems other than Linux.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use std::fs::metadata;

/// The path of a directory.
pub(crate) type Directory = PathBuf;

/// The kind of an entry, named as on Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    RegularFile,
    Symlink,
    Directory,
    Other,
    Unknown,
}

/// The kind, device and number of a file. No stable interface of Rust tells the numbers on Windows.
fn identity(file: &Metadata) -> (Kind, u64, u64) {
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;

    #[cfg(unix)]
    return (kind(file.file_type()), file.dev(), file.ino());
    #[cfg(not(unix))]
    (kind(file.file_type()), 0, 0)
}

fn kind(file: FileType) -> Kind {
    if file.is_symlink() {
        Kind::Symlink
    } else if file.is_dir() {
        Kind::Directory
    } else if file.is_file() {
        Kind::RegularFile
    } else {
        Kind::Other
    }
}

/// The number of an entry, which is told without a question to the system.
fn number(_entry: &DirEntry) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::DirEntryExt::ino(_entry);
    #[cfg(not(unix))]
    0
}

/// Opens the file at a path for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A directory below which names are looked up.
#[derive(Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(super) fn open(directory: &Path, _lists: bool) -> io::Result<Self> {
        Ok(Self(directory.to_owned()))
    }

    pub(super) fn directory(&mut self, name: &Path) -> io::Result<Directory> {
        Ok(self.0.join(name))
    }

    pub(super) fn list(&mut self, name: &Path) -> io::Result<Directory> {
        self.directory(name)
    }
}

/// The entries of a directory: their names, kinds and numbers.
pub(super) fn entries(directory: &Directory) -> io::Result<impl Iterator<Item = io::Result<(OsString, Kind, u64)>>> {
    Ok(fs::read_dir(directory)?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type().map_or(Kind::Unknown, kind), number(&entry)))
    }))
}

/// The device that a directory is on.
pub(super) fn device(directory: &Directory) -> io::Result<u64> {
    Ok(identity(&metadata(directory)?).1)
}

/// The kind, device and number of an entry, or of what a link leads to.
pub(super) fn stat(directory: &Directory, own: &OsStr, follow: bool) -> io::Result<(Kind, u64, u64)> {
    let path = directory.join(own);
    Ok(identity(&if follow { metadata(path) } else { fs::symlink_metadata(path) }?))
}

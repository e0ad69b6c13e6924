//! Directories as paths, for systems other than Linux.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
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

    let kinds =
        [(file.is_symlink(), Kind::Symlink), (file.is_dir(), Kind::Directory), (file.is_file(), Kind::RegularFile)];
    let kind = kinds.into_iter().find(|(is, _)| *is).map_or(Kind::Other, |(_, kind)| kind);
    #[cfg(unix)]
    return (kind, file.dev(), file.ino());
    #[cfg(not(unix))]
    (kind, 0, 0)
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
        let (kind, _, number) = entry.metadata().map_or((Kind::Unknown, 0, 0), |file| identity(&file));
        Ok((entry.file_name(), kind, number))
    }))
}

/// The kind, device and number of an entry, or of what a link leads to.
pub(super) fn stat(directory: &Directory, own: &OsStr, follow: bool) -> io::Result<(Kind, u64, u64)> {
    let path = directory.join(own);
    Ok(identity(&if follow { metadata(path) } else { fs::symlink_metadata(path) }?))
}

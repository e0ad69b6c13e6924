//! What is hashed, and whether it stayed the same meanwhile.

use core::ops::Range;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use crate::progress::Progress;

/// What is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    StandardInput,
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// As an argument names it.
    pub(crate) fn named(argument: &'a OsStr) -> Self {
        if argument == "-" { Self::StandardInput } else { Self::File(Path::new(argument)) }
    }

    /// As an argument would name it.
    pub(crate) fn name(self) -> &'a OsStr {
        match self {
            Self::StandardInput => OsStr::new("-"),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// Whether `path` leads to what this is, by this name or another.
    #[cfg(unix)]
    pub(crate) fn is_at(self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;

        let own = match self {
            Self::StandardInput => stdin().and_then(|file| file.metadata()),
            Self::File(own) => std::fs::metadata(own),
        };
        let identity = |file: Metadata| (file.dev(), file.ino());
        own.ok().map(identity).is_some_and(|own| std::fs::metadata(path).is_ok_and(|file| identity(file) == own))
    }

    /// Whether `path` leads to what this is. Of standard input that is not known.
    #[cfg(not(unix))]
    pub(crate) fn is_at(self, path: &Path) -> bool {
        let Self::File(own) = self else { return false };
        std::fs::canonicalize(own).is_ok_and(|own| std::fs::canonicalize(path).is_ok_and(|path| path == own))
    }

    pub(crate) fn open(self, progress: &'a Progress, mmap: bool) -> io::Result<Input<'a>> {
        let file = match self {
            Self::StandardInput => stdin()?,
            Self::File(path) => File::open(path)?,
        };
        let before = file.metadata()?;
        Ok(Input { file, before, progress, mmap })
    }
}

/// A file that was opened, or standard input, which may be a pipe.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) file: File,
    before: Metadata,
    pub(crate) progress: &'a Progress,
    /// Regular files are to be mapped.
    pub(crate) mmap: bool,
}

impl<'a> Input<'a> {
    /// The file of `path`, of which `before` is known already.
    pub(crate) fn regular(path: &Path, before: Metadata, progress: &'a Progress) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, before, progress, mmap: false })
    }

    /// What is left of a regular file, at most `limit` bytes; `None` of anything else, and of files that say that they are
    /// empty.
    pub(crate) fn rest(&mut self, limit: u64) -> io::Result<Option<Range<u64>>> {
        if !self.before.is_file() || self.before.len() == 0 {
            return Ok(None);
        }
        let begin = self.file.stream_position()?;
        Ok(Some(begin..self.before.len().min(begin.saturating_add(limit)).max(begin)))
    }

    /// Fails if the file is another one than when it was opened: what was read may be partly the old and partly the new.
    ///
    /// Files that are no storage, such as those of `/proc`, say that they are empty and are not.
    pub(crate) fn check_unchanged(&self) -> io::Result<()> {
        if !self.before.is_file() {
            return Ok(());
        }
        let after = self.file.metadata()?;
        let same_time = after.len() == 0 || after.modified().ok() == self.before.modified().ok();
        if after.len() == self.before.len() && same_time { Ok(()) } else { Err(changed()) }
    }
}

pub(crate) fn changed() -> io::Error {
    io::Error::other("File changed while it was read")
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.progress.add(length);
        Ok(length)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// One read, again if it was interrupted.
pub(crate) fn read(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Until the buffer is full or a read gives nothing: one that gives less than asked for is not the end.
pub(crate) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match read(input, &mut buffer[length..])? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

/// Standard input without a buffer, and with the errors of a descriptor that is open but not for reading: the standard
/// library takes it for an empty file. One that was closed when the program started is an empty file here too, since Rust
/// opens `/dev/null` in its place.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;

    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;

    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

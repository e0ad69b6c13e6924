//! Opens files and standard input, reads them, those of a catalogue without their holes, and notices if a file changes
//! meanwhile.

use core::mem;
use core::ops::Range;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::progress::Progress;
use crate::walk;

/// The length of the longest read at an offset, in bytes. After each, the thread waits if there is a limit of bytes in
/// a second.
const PIECE: usize = 1 << 20;

/// A place to read a message from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    StandardInput,
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// The source that an argument names: `-` is standard input.
    pub(crate) fn named(argument: &'a OsStr) -> Self {
        if argument == "-" { Self::StandardInput } else { Self::File(Path::new(argument)) }
    }

    /// The argument that names this source.
    pub(crate) fn name(self) -> &'a OsStr {
        match self {
            Self::StandardInput => OsStr::new("-"),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// Whether `path` leads to this source, under any name.
    #[cfg(unix)]
    pub(crate) fn is_at(self, path: &Path) -> bool {
        let own = match self {
            Self::StandardInput => stdin().and_then(|file| file.metadata()),
            Self::File(own) => walk::metadata(own),
        };
        is_same_file(own, walk::metadata(path))
    }

    /// Whether `path` leads to this source. The answer for standard input is always no, since its file is not known.
    #[cfg(not(unix))]
    pub(crate) fn is_at(self, path: &Path) -> bool {
        let Self::File(own) = self else { return false };
        std::fs::canonicalize(own).is_ok_and(|own| std::fs::canonicalize(path).is_ok_and(|path| path == own))
    }

    /// Opens the source. With `mmap`, a regular file may be mapped.
    pub(crate) fn open(self, progress: &'a Progress, mmap: bool) -> io::Result<Input<'a>> {
        let file = match self {
            Self::StandardInput => stdin()?,
            Self::File(path) => walk::open(path)?,
        };
        let before = file.metadata()?;
        let mut input = Input { mmap, ..Input::new(file, before, progress) };
        if self == Self::StandardInput && input.is_file() {
            input.begin = input.stream_position()?;
        }
        Ok(input)
    }
}

/// An open source: a regular file, a pipe or a device.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) file: File,
    /// The metadata when the input was opened, or was to be read again.
    pub(crate) before: Metadata,
    /// The position of a regular file when it was opened.
    begin: u64,
    /// Whether holes are passed over, and the system must tell the length, as for files of catalogues and files that
    /// are mended. A checksum is of what reading gives, whatever the system says about holes. Files of `/proc` have
    /// the length 0, and checksums all the same.
    of_catalogue: bool,
    /// The part of a sparse file that was looked at last, and whether it is a hole.
    part: Mutex<(Range<u64>, bool)>,
    /// Whether the file is read for the second time.
    read_again: bool,
    pub(crate) progress: &'a Progress,
    /// Whether parts of a regular file are mapped instead of read.
    pub(crate) mmap: bool,
    mark: Mark,
}

/// A byte that reading front to back gives after the end, for [`Input::mark_end`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    None,
    Wanted,
    Given,
}

impl<'a> Input<'a> {
    /// An open file of any kind, which has this metadata.
    pub(crate) fn new(file: File, before: Metadata, progress: &'a Progress) -> Self {
        let (part, mark) = (Mutex::default(), Mark::None);
        Self { file, before, begin: 0, of_catalogue: false, part, read_again: false, progress, mmap: false, mark }
    }

    /// An open regular file, all of which is read.
    pub(crate) fn regular(file: File, progress: &'a Progress) -> io::Result<Self> {
        let before = file.metadata()?;
        if !before.is_file() {
            return Err(io::Error::other("Not a regular file"));
        }
        Ok(Self::new(file, before, progress))
    }

    /// An open regular file of a catalogue, or one that is mended. Its holes are passed over.
    pub(crate) fn of_catalogue(file: File, progress: &'a Progress) -> io::Result<Self> {
        Ok(Self { of_catalogue: true, ..Self::regular(file, progress)? })
    }

    /// The bytes from the current position to the end of a regular file, at most `limit` of them. `None` for any other
    /// input, and for a file of length 0.
    pub(crate) fn rest(&mut self, limit: u64) -> io::Result<Option<Range<u64>>> {
        if !self.before.is_file() || self.before.len() == 0 {
            return Ok(None);
        }
        let begin = self.file.stream_position()?;
        Ok(Some(begin..self.before.len().min(begin.saturating_add(limit)).max(begin)))
    }

    /// The length of a regular file whose position is its beginning.
    pub(crate) fn whole_length(&mut self) -> io::Result<Option<u64>> {
        Ok((self.before.is_file() && self.file.stream_position()? == 0).then_some(self.before.len()))
    }

    /// Whether the input is a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.before.is_file()
    }

    /// From now on, a byte follows the end. So if a message ends too early with a full leaf, this leaf is not hashed as
    /// the last one. Only reading front to back gives the byte.
    pub(crate) fn mark_end(&mut self) {
        self.mark = Mark::Wanted;
    }

    /// Removes the mark. Returns whether it was read.
    pub(crate) fn take_mark(&mut self) -> bool {
        mem::replace(&mut self.mark, Mark::None) == Mark::Given
    }

    /// Reads the message by `read`, and once more if only the metadata of its file changed meanwhile. Fails if the file
    /// changed otherwise, or once more: the bytes read may be partly old and partly new.
    pub(crate) fn steadily<T>(&mut self, mut read: impl FnMut(&mut Self) -> io::Result<T>) -> io::Result<T> {
        loop {
            let message = read(self)?;
            if self.is_steady()? {
                return Ok(message);
            }
        }
    }

    /// Whether what was read is one version of the file. False if only its metadata changed, as when it gets a link or
    /// other permissions, and for the first time: then the file is to be read once more, and its position is that of
    /// the beginning. The time of the contents may have been put back, so without this second reading nothing is known.
    ///
    /// The times are ignored for a file of length 0, except of a catalogue.
    pub(crate) fn is_steady(&mut self) -> io::Result<bool> {
        if !self.is_file() {
            return Ok(true);
        }
        let after = self.file.metadata()?;
        let is_empty = after.len() == 0 && self.before.len() == 0;
        if is_empty && !self.of_catalogue {
            return Ok(true);
        }
        if is_unchanged(&self.before, &after) {
            if is_empty && read_at(&self.file, &mut [0], 0)? > 0 {
                return Err(io::Error::other("The system tells no length of this file"));
            }
            return Ok(true);
        }
        if !is_as_long_and_old(&self.before, &after) {
            return Err(changed());
        }
        if self.read_again {
            return Err(io::Error::other(
                "Metadata changed while the file was read, and once more while it was read again",
            ));
        }
        (self.before, self.read_again, self.part) = (after, true, Mutex::default());
        if !self.of_catalogue {
            self.file.seek(SeekFrom::Start(self.begin))?;
        }
        Ok(false)
    }

    /// Fills the buffer with the bytes of a regular file from `offset` on. A file that ends before has changed. The
    /// position of the file may be another one afterwards, except on Unix if holes are read.
    pub(crate) fn fill_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.fill_by(buffer, offset, |buffer, offset| read_at(&self.file, buffer, offset))
    }

    /// As [`fill_at`](Self::fill_at), with calls of `read` for all that is in no hole.
    pub(crate) fn fill_by(
        &self,
        mut buffer: &mut [u8],
        mut offset: u64,
        mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> io::Result<()> {
        while !buffer.is_empty() {
            let (most, is_hole) = self.alike(offset, buffer.len());
            let length = if is_hole {
                buffer[..most].fill(0);
                self.progress.pass(most as u64);
                most
            } else {
                match read(&mut buffer[..most.min(PIECE)], offset) {
                    Ok(0) => return Err(changed()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                    read => read.inspect(|&length| self.progress.add(length))?,
                }
            };
            buffer = &mut buffer[length..];
            offset += length as u64;
        }
        Ok(())
    }

    /// Whether the file may have holes.
    #[cfg(target_os = "linux")]
    fn is_sparse(&self) -> bool {
        use std::os::unix::fs::MetadataExt;

        self.of_catalogue && self.before.blocks() < self.before.len().div_ceil(512)
    }

    #[cfg(not(target_os = "linux"))]
    fn is_sparse(&self) -> bool {
        false
    }

    /// How many bytes from `offset` on, at most `most`, are all in a hole or all in none, and whether they are in one.
    /// A hole that the system does not tell of is none. Asking the system moves the position.
    pub(crate) fn alike(&self, offset: u64, most: usize) -> (usize, bool) {
        if offset >= self.before.len() || !self.is_sparse() {
            return (most, false);
        }
        let mut part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if !part.0.contains(&offset) {
            *part = part_at(&self.file, offset, self.before.len());
        }
        (usize::try_from(part.0.end - offset).unwrap_or(usize::MAX).min(most), part.1)
    }
}

/// The part of a sparse file that is at `offset`, and whether it is a hole. A hole at the end ends at `length`.
#[cfg(target_os = "linux")]
fn part_at(file: &File, offset: u64, length: u64) -> (Range<u64>, bool) {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;

    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) if data > offset => (offset..data, true),
        // Between the two questions, data may become a hole.
        Ok(_) => {
            let hole = seek(file, SeekFrom::Hole(offset)).ok().filter(|&hole| hole > offset);
            (offset..hole.unwrap_or(u64::MAX), false)
        }
        Err(Errno::NXIO) => (offset..length, true),
        Err(_) => (offset..u64::MAX, false),
    }
}

#[cfg(not(target_os = "linux"))]
fn part_at(_: &File, offset: u64, _: u64) -> (Range<u64>, bool) {
    (offset..u64::MAX, false)
}

/// Reads once, some bytes from `offset` on.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// The times of the last change: of the contents, which anybody may put back, and of all that the system knows about
/// the file.
#[cfg(unix)]
fn times(file: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;

    [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()]
}

#[cfg(not(unix))]
fn times(file: &Metadata) -> Option<std::time::SystemTime> {
    file.modified().ok()
}

/// Whether length and time of the contents are the same.
fn is_as_long_and_old(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && before.modified().is_ok_and(|time| after.modified().is_ok_and(|other| time == other))
}

/// Whether a file is as long as it was, and nothing has been written to it, nor to its metadata.
pub(crate) fn is_unchanged(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && times(before) == times(after)
}

/// Whether both have been found, and are one file.
#[cfg(unix)]
pub(crate) fn is_same_file(a: io::Result<Metadata>, b: io::Result<Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;

    a.is_ok_and(|a| b.is_ok_and(|b| (a.dev(), a.ino()) == (b.dev(), b.ino())))
}

/// Whether both have been found: files that are locked keep their names here.
#[cfg(not(unix))]
pub(crate) fn is_same_file(a: io::Result<Metadata>, b: io::Result<Metadata>) -> bool {
    a.is_ok() && b.is_ok()
}

/// The error of a file that changed.
pub(crate) fn changed() -> io::Error {
    io::Error::other("File changed while it was read")
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.progress.add(length);
        if length == 0
            && self.mark == Mark::Wanted
            && let Some(byte) = buffer.first_mut()
        {
            *byte = 0;
            self.mark = Mark::Given;
            return Ok(1);
        }
        Ok(length)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Reads once, and again if a signal interrupted the read. A reader that claims more bytes than there is room for is an
/// error.
pub(crate) fn read(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(length) if length > buffer.len() => {
                let error = format!("{length} bytes were read to a place for {}", buffer.len());
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
            result => return result,
        }
    }
}

/// Reads until the buffer is full or the input ends. A short read is not the end; a read of no bytes is.
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

/// The bytes of the name, which need not be UTF-8.
#[cfg(unix)]
pub(crate) fn raw(name: &OsStr) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;

    name.as_bytes().into()
}

/// The bytes of the name, with replacement characters in place of anything but Unicode.
#[cfg(not(unix))]
pub(crate) fn raw(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_string_lossy() {
        Cow::Borrowed(name) => name.as_bytes().into(),
        Cow::Owned(name) => name.into_bytes().into(),
    }
}

/// The name with these bytes.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have names that are no bytes")]
pub(crate) fn from_raw(name: &[u8]) -> io::Result<OsString> {
    use std::os::unix::ffi::OsStringExt;

    Ok(OsString::from_vec(name.to_vec()))
}

/// The name with these bytes, which must be UTF-8.
#[cfg(not(unix))]
pub(crate) fn from_raw(name: &[u8]) -> io::Result<OsString> {
    String::from_utf8(name.to_vec()).map(Into::into).map_err(io::Error::other)
}

/// Standard input without a buffer. A descriptor that is not open for reading gives its error here, whereas the
/// standard library treats it as empty. Standard input that was closed when the program started is empty, since Rust
/// opens `/dev/null` in its place.
#[cfg(unix)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;

    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
pub(crate) fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;

    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    /// A file, and what a test makes of it.
    #[cfg(unix)]
    struct Changing(tempfile::NamedTempFile);

    #[cfg(unix)]
    type Change = fn(&Changing);

    #[cfg(unix)]
    type Expected = Result<&'static [u8], &'static str>;

    #[cfg(unix)]
    impl Changing {
        /// Reads the file `changes.len()` times at most, and makes a change at the end of each reading.
        fn read(&self, changes: &[Change]) -> (io::Result<Vec<u8>>, usize) {
            std::fs::write(self.0.path(), b"old").unwrap();
            let progress = Progress::default();
            let mut input = Source::File(self.0.path()).open(&progress, false).unwrap();
            std::thread::sleep(Duration::from_millis(30));
            let mut readings = 0;
            let read = input.steadily(|input| {
                let mut bytes = Vec::new();
                input.read_to_end(&mut bytes)?;
                changes[readings](self);
                readings += 1;
                Ok(bytes)
            });
            (read, readings)
        }

        fn nothing(&self) {
            self.0.as_file().metadata().unwrap();
        }

        fn permissions(&self) {
            use std::os::unix::fs::PermissionsExt;

            std::thread::sleep(Duration::from_millis(30));
            let mode = self.0.as_file().metadata().unwrap().permissions().mode() ^ 0o100;
            self.0.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).unwrap();
        }

        fn link(&self) {
            let other = self.0.path().with_extension("link");
            std::fs::hard_link(self.0.path(), &other).and_then(|()| std::fs::remove_file(other)).unwrap();
        }

        /// Bytes written in place, with the time of the contents put back.
        fn secret(&self) {
            let time = self.0.as_file().metadata().unwrap().modified().unwrap();
            std::fs::write(self.0.path(), b"new").unwrap();
            self.0.as_file().set_modified(time).unwrap();
            assert_eq!(self.0.as_file().metadata().unwrap().modified().unwrap(), time);
        }

        fn contents(&self) {
            std::fs::write(self.0.path(), b"new").unwrap();
        }

        fn longer(&self) {
            let time = self.0.as_file().metadata().unwrap().modified().unwrap();
            self.0.as_file().set_len(4).and_then(|()| self.0.as_file().set_modified(time)).unwrap();
        }
    }

    /// A new length or modification time is an error at once. After any other change the file is read again, and may
    /// not change twice.
    #[cfg(unix)]
    #[test]
    fn files_that_change_are_read_again_or_errors() {
        let file = Changing(tempfile::NamedTempFile::new().unwrap());
        let written = "File changed while it was read";
        let touched = "Metadata changed while the file was read, and once more while it was read again";
        let cases: [(&[Change], Expected); 9] = [
            (&[Changing::nothing], Ok(b"old")),
            (&[Changing::permissions, Changing::nothing], Ok(b"old")),
            (&[Changing::link, Changing::nothing], Ok(b"old")),
            (&[Changing::secret, Changing::nothing], Ok(b"new")),
            (&[Changing::permissions, Changing::permissions], Err(touched)),
            (&[Changing::link, Changing::permissions], Err(touched)),
            (&[Changing::permissions, Changing::contents], Err(written)),
            (&[Changing::contents], Err(written)),
            (&[Changing::longer], Err(written)),
        ];
        for (i, (changes, expected)) in cases.into_iter().enumerate() {
            let (read, readings) = file.read(changes);
            let read = read.map_err(|error| error.to_string());
            assert_eq!((read.as_deref().map_err(String::as_str), readings), (expected, changes.len()), "{i}");
        }
    }

    /// A checksum is of all that reading gives.
    #[cfg(target_os = "linux")]
    #[test]
    fn only_catalogues_have_holes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let progress = Progress::default();
        let of_catalogue = Input::of_catalogue(file.reopen().unwrap(), &progress).unwrap();
        let of_checksum = Source::File(file.path()).open(&progress, false).unwrap();
        assert_eq!((of_catalogue.alike(5, 9), of_checksum.alike(5, 9)), ((9, true), (9, false)));
    }

    /// The holes of the first reading are not those of the second.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_hole_that_gets_data_is_read_again() {
        use std::os::unix::fs::FileExt;

        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        let progress = Progress::default();
        let mut input = Input::of_catalogue(file.try_clone().unwrap(), &progress).unwrap();
        std::thread::sleep(Duration::from_millis(30));
        let mut readings = Vec::new();
        input
            .steadily(|input| {
                let mut bytes = [1; 3];
                input.fill_at(&mut bytes, 500_000)?;
                if readings.is_empty() {
                    let time = file.metadata()?.modified()?;
                    file.write_all_at(b"new", 500_000)?;
                    file.set_modified(time)?;
                }
                readings.push(bytes);
                Ok(())
            })
            .unwrap();
        assert_eq!(readings, [[0; 3], *b"new"]);
    }

    /// `Read` is a safe trait, so its word is no proof.
    #[test]
    fn a_reader_that_claims_more_than_there_is_room_for() {
        struct Boastful(usize);

        impl Read for Boastful {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Ok(self.0)
            }
        }

        assert_eq!(fill(&mut Boastful(2), &mut [0; 10]).unwrap(), 10);
        for length in [0, 1, 10] {
            let mut buffer = [0; 10];
            assert_eq!(read(&mut Boastful(11), &mut buffer[..length]).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        assert_eq!(fill(&mut Boastful(3), &mut [0; 10]).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

//! Reads regular files front to back, without their holes, and if asked for from the disk instead of the page cache.

use core::ops::Range;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Advice, OFlags, SeekFrom, fadvise, fcntl_getfl, fcntl_setfl, seek};
use rustix::io::Errno;

use crate::input::{changed, is_steady};
use crate::output::reason;
use crate::progress::Progress;

/// Offsets, lengths and addresses of direct reads are multiples of this.
const ALIGNMENT: usize = 4096;

/// The length of a direct read, in bytes.
const DIRECT: usize = 1 << 20;

/// The length of the longest read, in bytes: a limit of bytes in a second is kept within as many.
const PIECE: usize = 1 << 20;

/// An open file, and what is known about it.
#[derive(Debug)]
pub(crate) struct Open {
    file: File,
    pub(crate) before: Metadata,
    /// The part of a sparse file that was looked at last, and whether it is a hole.
    part: (Range<u64>, bool),
    /// The bytes of this file that the reader's buffer has.
    buffered: Range<u64>,
    direct: bool,
    /// Whether the file is read for the second time.
    read_again: bool,
}

impl Open {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let before = file.metadata()?;
        if !before.is_file() {
            return Err(io::Error::other("Not a regular file"));
        }
        Ok(Self { file, before, part: (0..0, false), buffered: 0..0, direct: false, read_again: false })
    }

    /// Whether the file has no byte at its beginning.
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(self.file.read_at(&mut [0], 0)? == 0)
    }

    /// Whether what was read is one version of the file, as [`is_steady`] tells.
    pub(crate) fn is_steady(&mut self) -> io::Result<bool> {
        let after = self.file.metadata()?;
        let steady = is_steady(&mut self.before, after, &mut self.read_again)?;
        if !steady {
            (self.part, self.buffered) = ((0..0, false), 0..0);
        }
        Ok(steady)
    }

    /// The end of the hole at `offset`, if there is one. A hole that the system does not tell of is none.
    fn hole(&mut self, offset: u64) -> Option<u64> {
        if offset >= self.before.len() || self.before.blocks() >= self.before.len().div_ceil(512) {
            return None;
        }
        if !self.part.0.contains(&offset) {
            self.part = match seek(&self.file, SeekFrom::Data(offset)) {
                Ok(data) if data > offset => (offset..data, true),
                Ok(_) => (offset..seek(&self.file, SeekFrom::Hole(offset)).unwrap_or(u64::MAX), false),
                Err(Errno::NXIO) => (offset..self.before.len(), true),
                Err(_) => (offset..u64::MAX, false),
            };
        }
        self.part.1.then_some(self.part.0.end)
    }
}

impl AsFd for Open {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Reads one file at a time.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    progress: &'a Progress,
    /// The buffer of direct reads, of which [`ALIGNMENT`] bytes are for an aligned beginning.
    direct: Option<Vec<u8>>,
    /// Whether direct reads that are not possible are no news.
    pub(crate) quiet: bool,
    /// Whether the system is asked to forget what it has in memory of a file that it does not read directly.
    forgets: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(progress: &'a Progress, direct: bool) -> Self {
        Self { progress, direct: direct.then(|| vec![0; DIRECT + ALIGNMENT]), quiet: false, forgets: false }
    }

    /// A reader that looks for what is on the disk: by direct reads, or else by what the system reads after it was asked
    /// to forget the file. Direct reads are sure, whereas the system keeps pages that somebody maps or has just written.
    pub(crate) fn of_disk(progress: &'a Progress) -> Self {
        Self { quiet: true, forgets: true, ..Self::new(progress, true) }
    }

    /// Tells which file is read from now on.
    pub(crate) fn tell(&self, name: &[u8]) {
        self.progress.begin(OsStr::from_bytes(name));
    }

    /// Prepares a file for reading.
    pub(crate) fn begin(&mut self, open: &mut Open) {
        if self.direct.is_some() && open.before.len() > 0 {
            open.direct =
                fcntl_getfl(&open.file).and_then(|flags| fcntl_setfl(&open.file, flags | OFlags::DIRECT)).is_ok();
            if !open.direct {
                self.fall_back();
            }
        }
        if self.forgets && !open.direct {
            forget(&open.file);
        }
    }

    /// From now on, reads from the page cache, and tells so.
    fn fall_back(&mut self) {
        self.direct = None;
        if self.quiet {
            return;
        }
        self.progress.aside(|| {
            crate::output::warn("--direct is not possible on this file system: from here on the page cache is read");
        });
    }

    /// Fills the buffer with the bytes of the file from `offset` on, in pieces of `leaf` bytes. Returns the numbers of
    /// the pieces that cannot be read, with the reasons. A file that ends before has changed.
    pub(crate) fn fill(
        &mut self,
        open: &mut Open,
        buffer: &mut [u8],
        offset: u64,
        leaf: usize,
    ) -> io::Result<Vec<(usize, String)>> {
        match self.exactly(open, buffer, offset) {
            Ok(()) => return Ok(Vec::new()),
            Err(error) if error.raw_os_error().is_some() => {}
            Err(error) => return Err(error),
        }
        let mut bad = Vec::new();
        for (i, piece) in buffer.chunks_mut(leaf).enumerate() {
            match self.exactly(open, piece, offset + (i * leaf) as u64) {
                Err(error) if error.raw_os_error().is_some() => bad.push((i, reason(&error))),
                done => done?,
            }
        }
        Ok(bad)
    }

    fn exactly(&mut self, open: &mut Open, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            let length = match open.hole(offset) {
                Some(end) => {
                    let length = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
                    buffer[..length].fill(0);
                    self.progress.pass(length as u64);
                    length
                }
                None => match self.once(open, buffer, offset) {
                    Ok(0) => return Err(changed()),
                    Ok(length) => {
                        self.progress.add(length);
                        length
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                    Err(error) => return Err(error),
                },
            };
            buffer = &mut buffer[length..];
            offset += length as u64;
        }
        Ok(())
    }

    /// Reads once, some bytes from `offset` on.
    fn once(&mut self, open: &mut Open, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some(direct) = self.direct.as_mut().filter(|_| open.direct) else {
            let length = buffer.len().min(PIECE);
            return open.file.read_at(&mut buffer[..length], offset);
        };
        let begin = direct.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        // No more than is asked for: one bad sector makes the system refuse all of a read.
        let wanted = usize::try_from(offset % ALIGNMENT as u64).unwrap_or(0) + buffer.len().min(DIRECT);
        let wanted = wanted.next_multiple_of(ALIGNMENT).min(DIRECT);
        let aligned = &mut direct[begin..][..DIRECT];
        if !open.buffered.contains(&offset) {
            open.buffered = 0..0;
            let from = offset - offset % ALIGNMENT as u64;
            match open.file.read_at(&mut aligned[..wanted], from) {
                Ok(length) => open.buffered = from..from + length as u64,
                Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
                    open.direct = false;
                    fcntl_setfl(&open.file, fcntl_getfl(&open.file)? - OFlags::DIRECT)?;
                    self.fall_back();
                    if self.forgets {
                        forget(&open.file);
                    }
                    return open.file.read_at(buffer, offset);
                }
                Err(error) => return Err(error),
            }
        }
        if !open.buffered.contains(&offset) {
            return Ok(0);
        }
        let here = usize::try_from(offset - open.buffered.start).unwrap_or(usize::MAX);
        let there = usize::try_from(open.buffered.end - open.buffered.start).unwrap_or(usize::MAX);
        let length = buffer.len().min(there - here);
        buffer[..length].copy_from_slice(&aligned[here..][..length]);
        Ok(length)
    }
}

/// Asks the system to keep no page of the file in memory that is on the disk, too.
pub(crate) fn forget(file: &File) {
    // Without an answer, reads give what is in memory.
    let _ = fadvise(file, 0, None, Advice::DontNeed);
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::*;

    /// Files with holes and without, read in pieces of odd lengths, from the page cache and from the disk.
    #[test]
    fn all_bytes_in_all_ways() {
        const LENGTH: usize = 2_500_001;
        let progress = Progress::default();
        let whole: Vec<u8> = (1..=251).cycle().take(LENGTH).collect();
        for data in [[0..0, 0..LENGTH], [0..10, 1_000_000..1_200_000], [9..9, 2_400_000..LENGTH]] {
            let file = tempfile::NamedTempFile::new().unwrap();
            file.as_file().set_len(LENGTH as u64).unwrap();
            let mut expected = vec![0; LENGTH];
            for part in &data {
                expected[part.clone()].copy_from_slice(&whole[part.clone()]);
                file.as_file().write_all_at(&whole[part.clone()], part.start as u64).unwrap();
            }
            for (direct, piece) in [(false, 999_999), (false, LENGTH), (true, 999_999), (true, 4096), (true, LENGTH)] {
                let mut reader = Reader::new(&progress, direct);
                let mut open = Open::new(File::open(file.path()).unwrap()).unwrap();
                reader.begin(&mut open);
                let mut bytes = vec![1; LENGTH];
                for (i, part) in bytes.chunks_mut(piece).enumerate() {
                    assert_eq!(reader.fill(&mut open, part, (i * piece) as u64, 1000).unwrap(), []);
                }
                assert!(bytes == expected, "{data:?} {direct} {piece}");
                assert!(reader.fill(&mut open, &mut [0; 2], LENGTH as u64 - 1, 2).is_err());
            }
        }
    }

    /// An empty file does not end direct reads of other files, even where the file system has none.
    #[test]
    fn an_empty_file_is_not_read_directly() {
        let progress = Progress::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut reader = Reader::new(&progress, true);
        let mut open = Open::new(File::open(file.path()).unwrap()).unwrap();
        reader.begin(&mut open);
        assert!(reader.direct.is_some() && !open.direct);
    }

    /// Holes are passed over: at this rate, reading one would take a minute.
    #[test]
    fn holes_are_not_read() {
        let progress = Progress::default().at_rate(Some(1000));
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let mut open = Open::new(File::open(file.path()).unwrap()).unwrap();
        let (mut buffer, begun) = (vec![1; 60_000], Instant::now());
        assert_eq!(Reader::new(&progress, false).fill(&mut open, &mut buffer, 1 << 39, 1000).unwrap(), []);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_eq!((buffer, open.hole(1 << 39), open.hole(1 << 40)), (vec![0; 60_000], Some(1 << 40), None));
    }
}

//! Reads parts of regular files, around what cannot be read, and if asked for from the disk instead of the page cache.

use core::ops::Range;
use std::fs::File;
use std::io::{self, ErrorKind};

use crate::buffers::{ALIGNMENT, Buffer};
use crate::input::{Input, read_at};
use crate::output::{reason, warn};

/// The length of a direct read, in bytes.
const DIRECT: usize = 1 << 20;

/// Reads one file at a time.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The buffer of direct reads, whose offsets and lengths are multiples of [`ALIGNMENT`], too.
    direct: Option<Buffer>,
    /// The bytes of the file that this buffer has.
    buffered: Range<u64>,
    /// Whether direct reads that are not possible are no news.
    quiet: bool,
    /// Whether the system is asked to forget what it has in memory of a file that it does not read directly.
    forgets: bool,
}

impl Reader {
    pub(crate) fn new(direct: bool, quiet: bool) -> Self {
        Self { direct: direct.then(|| Buffer::new(DIRECT)), quiet, ..Self::default() }
    }

    /// A reader that looks for what is on the disk: by direct reads, or else by what the system reads after it was
    /// asked to forget the file. Direct reads are sure, whereas the system keeps pages that somebody maps or has just
    /// written.
    pub(crate) fn of_disk() -> Self {
        Self { forgets: true, ..Self::new(true, true) }
    }

    /// To be called before a file is read, and before it is read again: the buffer of direct reads has bytes of one
    /// file.
    pub(crate) fn begin(&mut self, input: &Input<'_>) {
        self.buffered = 0..0;
        if self.direct.is_some() && input.before.len() > 0 && read_directly(&input.file, true).is_err() {
            self.fall_back(input);
        }
        if self.forgets && self.direct.is_none() {
            forget(&input.file);
        }
    }

    /// From now on, reads from the page cache, and tells so.
    fn fall_back(&mut self, input: &Input<'_>) {
        self.direct = None;
        if self.quiet {
            return;
        }
        input.progress.aside(|| {
            warn("--direct is not possible on this file system: from here on the page cache is read");
        });
    }

    /// Fills the buffer with the bytes of the file from `offset` on, in pieces of `leaf` bytes. Returns the numbers of
    /// the pieces that cannot be read, with the reasons. A file that ends before has changed.
    pub(crate) fn fill(
        &mut self,
        input: &Input<'_>,
        buffer: &mut [u8],
        offset: u64,
        leaf: usize,
    ) -> io::Result<Vec<(usize, String)>> {
        let mut exactly = |buffer: &mut [u8], offset| {
            input.fill_by(buffer, offset, |buffer, offset| self.once(input, buffer, offset))
        };
        match exactly(buffer, offset) {
            Ok(()) => return Ok(Vec::new()),
            Err(error) if error.raw_os_error().is_some() => {}
            Err(error) => return Err(error),
        }
        let mut bad = Vec::new();
        for (i, piece) in buffer.chunks_mut(leaf).enumerate() {
            match exactly(piece, offset + (i * leaf) as u64) {
                Err(error) if error.raw_os_error().is_some() => bad.push((i, reason(&error))),
                done => done?,
            }
        }
        Ok(bad)
    }

    /// Reads once, some bytes from `offset` on.
    fn once(&mut self, input: &Input<'_>, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some(direct) = &mut self.direct else { return read_at(&input.file, buffer, offset) };
        // No more than is asked for: one bad sector makes the system refuse all of a read.
        let wanted = usize::try_from(offset % ALIGNMENT as u64).unwrap_or(0) + buffer.len().min(DIRECT);
        let wanted = wanted.next_multiple_of(ALIGNMENT).min(DIRECT);
        if !self.buffered.contains(&offset) {
            self.buffered = 0..0;
            let from = offset - offset % ALIGNMENT as u64;
            match read_at(&input.file, &mut direct[..wanted], from) {
                Ok(length) => self.buffered = from..from + length as u64,
                Err(error) if error.kind() == ErrorKind::InvalidInput => {
                    read_directly(&input.file, false)?;
                    self.fall_back(input);
                    if self.forgets {
                        forget(&input.file);
                    }
                    return read_at(&input.file, buffer, offset);
                }
                Err(error) => return Err(error),
            }
        }
        if !self.buffered.contains(&offset) {
            return Ok(0);
        }
        let here = usize::try_from(offset - self.buffered.start).unwrap_or(usize::MAX);
        let there = usize::try_from(self.buffered.end - self.buffered.start).unwrap_or(usize::MAX);
        let length = buffer.len().min(there - here);
        buffer[..length].copy_from_slice(&direct[here..][..length]);
        Ok(length)
    }
}

/// Makes reads of the file pass the page cache, or not.
#[cfg(target_os = "linux")]
fn read_directly(file: &File, direct: bool) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let mut flags = fcntl_getfl(file)?;
    flags.set(OFlags::DIRECT, direct);
    Ok(fcntl_setfl(file, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn read_directly(_: &File, _: bool) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Asks the system to keep no page of the file in memory that is on the disk, too.
#[cfg(target_os = "linux")]
pub(crate) fn forget(file: &File) {
    // Without an answer, reads give what is in memory.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn forget(_: &File) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use core::time::Duration;
    use std::os::unix::fs::FileExt;
    use std::time::Instant;

    use super::*;
    use crate::progress::Progress;

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
                let mut reader = Reader::new(direct, false);
                let input = Input::of_catalogue(File::open(file.path()).unwrap(), &progress).unwrap();
                reader.begin(&input);
                let mut bytes = vec![1; LENGTH];
                for (i, part) in bytes.chunks_mut(piece).enumerate() {
                    assert_eq!(reader.fill(&input, part, (i * piece) as u64, 1000).unwrap(), []);
                }
                assert!(bytes == expected, "{data:?} {direct} {piece}");
                assert!(reader.fill(&input, &mut [0; 2], LENGTH as u64 - 1, 2).is_err());
            }
        }
    }

    /// An empty file does not end direct reads of other files, even where the file system has none.
    #[test]
    fn an_empty_file_is_not_read_directly() {
        let progress = Progress::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut reader = Reader::new(true, false);
        let input = Input::of_catalogue(File::open(file.path()).unwrap(), &progress).unwrap();
        reader.begin(&input);
        let flags = rustix::fs::fcntl_getfl(&input.file).unwrap();
        assert!(reader.direct.is_some() && !flags.contains(rustix::fs::OFlags::DIRECT));
    }

    /// Holes are passed over: at this rate, reading one would take a minute.
    #[test]
    fn holes_are_not_read() {
        let progress = Progress::default().at_rate(Some(1000));
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let input = Input::of_catalogue(File::open(file.path()).unwrap(), &progress).unwrap();
        let (mut buffer, begun) = (vec![1; 60_000], Instant::now());
        assert_eq!(Reader::default().fill(&input, &mut buffer, 1 << 39, 1000).unwrap(), []);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_eq!(buffer, vec![0; 60_000]);
        assert_eq!((input.alike((1 << 40) - 3, 9), input.alike(1 << 40, 9)), ((3, true), (9, false)));
    }
}

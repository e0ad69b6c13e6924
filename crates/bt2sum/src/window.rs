//! Gives parts of a regular file, read or mapped, and any input piece by piece.

use core::ops::Range;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use vmap::Map;

use crate::input::{Input, changed, fill};

/// The length of a mapping, in bytes, when an input is hashed piece by piece.
const MAPPED: u64 = 64 << 20;

/// A range of a regular file. The range is mapped if the user asked for mappings and the system allows this one;
/// otherwise its bytes are read.
#[derive(Debug)]
pub(crate) struct Window {
    range: Range<u64>,
    map: Option<Map>,
}

impl Window {
    /// Opens a window over `range`, which must be within the file.
    pub(crate) fn new(input: &Input<'_>, range: Range<u64>) -> Self {
        let map = if input.mmap { map(&input.file, &range) } else { None };
        Self { range, map }
    }

    /// The bytes of a part of the window. `buffer`, at least as long as the part, holds them unless they are mapped.
    ///
    /// Touching a mapped byte that the file no longer has ends the program by a signal. So this function asks for the
    /// length of the file first, and callers ask for short parts, which they hash at once.
    pub(crate) fn bytes<'b>(
        &'b self,
        input: &Input<'_>,
        part: Range<u64>,
        buffer: &'b mut [u8],
    ) -> io::Result<&'b [u8]> {
        let length = in_memory(part.end - part.start);
        let Some(map) = &self.map else {
            let buffer = &mut buffer[..length];
            input.fill_at(buffer, part.start)?;
            return Ok(buffer);
        };
        if input.file.metadata()?.len() < part.end {
            return Err(changed());
        }
        input.progress.add(length);
        Ok(&map[in_memory(part.start - self.range.start)..][..length])
    }
}

/// A length of bytes in memory, as a `usize`.
#[expect(clippy::cast_possible_truncation, reason = "no slice is longer than a usize can tell")]
fn in_memory(length: u64) -> usize {
    length as usize
}

/// Maps a range of the file, if the system allows that.
fn map(file: &File, range: &Range<u64>) -> Option<Map> {
    let begin = usize::try_from(range.start).ok()?;
    let length = usize::try_from(range.end - range.start).ok().filter(|&length| length > 0)?;
    Map::with_options().offset(begin).len(length).map(file).ok()
}

/// Asks the system to read these bytes from the disk in advance, front to back.
#[cfg(target_os = "linux")]
pub(crate) fn read_ahead(input: &Input<'_>, range: Range<u64>) {
    use core::num::NonZeroU64;
    use rustix::fs::{Advice, fadvise};

    let length = NonZeroU64::new(range.end.saturating_sub(range.start));
    // A failure costs time only.
    let _ = length.map(|_| fadvise(&input.file, range.start, length, Advice::WillNeed));
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn read_ahead(_input: &Input<'_>, _range: Range<u64>) {}

/// Gives an input piece by piece, front to back, mapped where possible.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Option<Window>);

impl Pieces {
    /// The next piece, as long as the buffer. Only the last piece is shorter, perhaps empty.
    pub(crate) fn next<'b>(&'b mut self, input: &mut Input<'_>, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
        let rest = if input.mmap { input.rest(u64::MAX)? } else { None };
        let Some(rest) = rest else {
            let filled = fill(input, buffer)?;
            return Ok(&buffer[..filled]);
        };
        let part = rest.start..rest.end.min(rest.start + buffer.len() as u64);
        if part.is_empty() {
            return Ok(&[]);
        }
        if self.0.as_ref().is_none_or(|window| window.range.end < part.end) {
            self.0 = Some(Window::new(input, rest.start..rest.end.min(rest.start + MAPPED)));
        }
        input.seek(SeekFrom::Start(part.end))?;
        self.0.get_or_insert_with(|| Window::new(input, part.clone())).bytes(input, part, buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::input::Source;
    use crate::paint::paint;
    use crate::progress::Progress;

    /// The file is mapped, then cut off within a page: only the bytes that the file still has can be read.
    #[test]
    fn a_window_over_a_file_that_became_shorter() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[7; 10_000]).unwrap();
        let progress = Progress::default();
        for mmap in [false, true] {
            file.as_file().set_len(10_000).unwrap();
            let input = Source::File(file.path()).open(&progress, mmap).unwrap();
            let window = Window::new(&input, 5..10_000);
            assert_eq!(window.map.is_some(), mmap);
            let mut buffer = vec![0; 10_000];
            assert_eq!(window.bytes(&input, 10..20, &mut buffer).unwrap(), [7; 10]);
            file.as_file().set_len(1000).unwrap();
            assert_eq!(window.bytes(&input, 990..1000, &mut buffer).unwrap(), [7; 10]);
            for part in [990..1001, 5000..5001, 0..10_000] {
                assert!(window.bytes(&input, part, &mut buffer).is_err());
            }
        }
    }

    #[test]
    fn what_cannot_be_mapped_is_read() {
        let progress = Progress::default();
        // The system says that this file is empty, yet it has contents.
        #[cfg(target_os = "linux")]
        {
            let mut input = Source::File("/proc/self/status".as_ref()).open(&progress, true).unwrap();
            assert!(!Pieces::default().next(&mut input, &mut [0; 100]).unwrap().is_empty());
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut input = Source::File(file.path()).open(&progress, true).unwrap();
        assert!(map(&input.file, &(0..0)).is_none() && map(&input.file, &(0..1)).is_none());
        assert!(Pieces::default().next(&mut input, &mut [0; 100]).unwrap().is_empty());
    }

    #[test]
    fn pieces_are_whole_but_for_the_last() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let message = paint(10_000);
        file.write_all(&message).unwrap();
        let progress = Progress::default();
        for mmap in [false, true] {
            for length in [1, 999, 1000, 4096, 9999, 10_000, 10_001] {
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                let (mut pieces, mut buffer, mut all) = (Pieces::default(), vec![0; length], Vec::new());
                loop {
                    let piece = pieces.next(&mut input, &mut buffer).unwrap();
                    all.extend_from_slice(piece);
                    if piece.len() < length {
                        break;
                    }
                }
                assert!(all == message, "{mmap} {length}");
            }
        }
    }
}

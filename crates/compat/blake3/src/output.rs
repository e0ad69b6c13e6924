//! Digests of any length.

use core::fmt;

use crate::ours;

/// The bytes of a digest, as many as one likes, from any position on.
#[derive(Clone)]
pub struct OutputReader {
    reader: ours::OutputReader,
}

impl OutputReader {
    pub(crate) fn of(reader: ours::OutputReader) -> Self {
        Self { reader }
    }

    /// Fills `buf` with the next bytes.
    pub fn fill(&mut self, buf: &mut [u8]) {
        self.reader.fill(buf);
    }

    /// The position of the next byte.
    pub fn position(&self) -> u64 {
        self.reader.position()
    }

    /// Goes to any position.
    pub fn set_position(&mut self, position: u64) {
        self.reader.set_position(position);
    }
}

impl fmt::Debug for OutputReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputReader").field("position", &self.position()).finish()
    }
}

#[cfg(feature = "std")]
impl std::io::Read for OutputReader {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        self.fill(buf);
        Ok(buf.len())
    }
}

/// A position after the last is the last, as in `blake3`.
#[cfg(feature = "std")]
impl std::io::Seek for OutputReader {
    fn seek(&mut self, pos: std::io::SeekFrom) -> std::io::Result<u64> {
        let pos = match pos {
            std::io::SeekFrom::Current(by) if by > 0 => {
                std::io::SeekFrom::Start(self.position().saturating_add_signed(by))
            }
            pos => pos,
        };
        self.reader.seek(pos)
    }
}

/// Leaves the output of the empty message. The other one is wiped as it is dropped.
#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for OutputReader {
    fn zeroize(&mut self) {
        *self = crate::Hasher::new().finalize_xof();
    }
}

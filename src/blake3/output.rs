//! Digests of any length.

use core::fmt;
#[cfg(feature = "std")]
use std::io;

use crate::backend::Backend;
use crate::backend::dispatch::output_blocks;
use crate::kernel::blake3::{Node, flag};
#[cfg(feature = "zeroize")]
use crate::kernel::wipe;
use crate::stream::reread_block;

/// The bytes of a digest, as many as one likes, from any position on.
///
/// The first 32 bytes are the default digest. Many blocks are computed side by side, and the block that a read ends in
/// is kept for the next.
///
/// Positions are those of 2^64 bytes. A read that reaches the end goes on beyond it, and [`position`](Self::position)
/// begins again at zero.
///
/// ```
/// use simd_digest::blake3::Hasher;
///
/// let mut reader = Hasher::new().update(b"seed").finalize_xof();
/// let mut bytes = [0; 1000];
/// reader.fill(&mut bytes);
///
/// let mut last = [0; 10];
/// reader.set_position(990);
/// reader.fill(&mut last);
/// assert_eq!(bytes[990..], last);
/// ```
#[derive(Clone)]
pub struct OutputReader {
    node: Node,
    backend: Backend,
    /// The number of the block that comes next, or of the one in use.
    counter: u64,
    /// Bytes of this block that were read, less than 64.
    read: usize,
    /// This block, if any of its bytes were read, or if `set_position` came to the midst of it.
    block: [u8; 64],
}

impl OutputReader {
    /// The output after the chaining value `h` and a last block of `length` bytes, with zeros behind them.
    ///
    /// Nothing is changed after it was made: the compiler would make the reader elsewhere and copy it.
    #[inline(always)]
    pub(super) fn of_chunk(h: &[u32; 8], flags: u8, (block, length): (&[u8; 64], usize), backend: Backend) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
        let length = length as u8;
        let block = reread_block(block);
        let node = Node { h: *h, block, counter: 0, length, flags: flags | flag::ROOT };
        Self { node, backend, counter: 0, read: 0, block: [0; 64] }
    }

    /// Takes the node, and wipes the place that it was in.
    pub(super) fn new(node: &mut Node, backend: Backend) -> Self {
        let root = Node { flags: node.flags | flag::ROOT, ..*node };
        let reader = Self { node: root, backend, counter: 0, read: 0, block: [0; 64] };
        node.wipe();
        reader
    }

    /// Fills `bytes` with the next bytes of the output.
    pub fn fill(&mut self, mut bytes: &mut [u8]) {
        if self.read > 0 {
            let held = &self.block[self.read..];
            let number = held.len().min(bytes.len());
            let (head, rest) = bytes.split_at_mut(number);
            head.copy_from_slice(&held[..number]);
            self.read += number;
            if self.read < 64 {
                return;
            }
            self.read = 0;
            self.counter = self.counter.wrapping_add(1);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks_mut();
        if !blocks.is_empty() {
            output_blocks(self.backend, self.node.numbered(self.counter), blocks);
            self.counter = self.counter.wrapping_add(blocks.len() as u64);
        }
        if !rest.is_empty() {
            self.compute();
            self.read = rest.len();
            rest.copy_from_slice(&self.block[..self.read]);
        }
    }

    /// Computes the block in use.
    fn compute(&mut self) {
        output_blocks(self.backend, self.node.numbered(self.counter), core::array::from_mut(&mut self.block));
    }

    /// The position of the next byte.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.counter.wrapping_mul(64).wrapping_add(self.read as u64)
    }

    /// Moves to byte `position` of the output, forwards or backwards.
    pub fn set_position(&mut self, position: u64) {
        let counter = position / 64;
        let known = self.read > 0 && counter == self.counter;
        self.counter = counter;
        self.read = usize::from(position.to_le_bytes()[0] % 64);
        if self.read > 0 && !known {
            self.compute();
        }
    }
}

/// The position alone, because the node may be secret.
impl fmt::Debug for OutputReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputReader").field("position", &self.position()).finish_non_exhaustive()
    }
}

impl ::digest::XofReader for OutputReader {
    fn read(&mut self, buffer: &mut [u8]) {
        self.fill(buffer);
    }
}

/// Never fails, and always fills the buffer.
#[cfg(feature = "std")]
impl io::Read for OutputReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill(buffer);
        Ok(buffer.len())
    }
}

#[cfg(feature = "std")]
impl io::Seek for OutputReader {
    /// # Errors
    ///
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) for a position before the start or from 2^64 on, and for one that is
    /// relative to the end: there is none. The position stays as it was.
    fn seek(&mut self, seek: io::SeekFrom) -> io::Result<u64> {
        let position = match seek {
            io::SeekFrom::Start(position) => Some(position),
            io::SeekFrom::Current(offset) => self.position().checked_add_signed(offset),
            io::SeekFrom::End(_) => None,
        };
        let position = position.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the output has positions from 0 to 2^64 - 1, and no end")
        })?;
        self.set_position(position);
        Ok(position)
    }
}

#[cfg(feature = "zeroize")]
impl Drop for OutputReader {
    fn drop(&mut self) {
        self.node.wipe();
        wipe(&mut self.block);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for OutputReader {}

//! Chunks and parents by themselves, of plain hashing. [`hazmat`](crate::hazmat) has them for all modes.

use core::fmt;

use simd_digest::blake3::hazmat::compress;

pub use crate::{BLOCK_LEN, CHUNK_LEN};
use crate::{Hash, hazmat};

/// The chaining value that a chunk begins with.
const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
const CHUNK_START: u8 = 1;
const CHUNK_END: u8 = 2;
const ROOT: u8 = 8;

/// A chunk that comes piece by piece.
#[derive(Clone)]
pub struct ChunkState {
    /// After the blocks that are compressed.
    cv: [u32; 8],
    counter: u64,
    compressed: usize,
    /// The block that follows them, with zeros after its bytes. It is kept until more comes, since it may be the last.
    block: [u8; BLOCK_LEN],
    held: usize,
}

impl ChunkState {
    /// An empty chunk, of this number in its message.
    pub fn new(chunk_counter: u64) -> Self {
        Self { cv: IV, counter: chunk_counter, compressed: 0, block: [0; BLOCK_LEN], held: 0 }
    }

    /// Bytes of the chunk so far.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "blake3 has none")]
    pub fn len(&self) -> usize {
        BLOCK_LEN * self.compressed + self.held
    }

    /// Appends `input` to the chunk.
    ///
    /// # Panics
    ///
    /// If the chunk would have more than [`CHUNK_LEN`] bytes. There `blake3` panics in a debug build alone.
    pub fn update(&mut self, mut input: &[u8]) -> &mut Self {
        let room = CHUNK_LEN - self.len();
        assert!(input.len() <= room, "the chunk has room for {room} bytes, and {} are appended", input.len());
        while !input.is_empty() {
            if self.held == BLOCK_LEN {
                let start = self.start();
                compress(&mut self.cv, &self.block, BLOCK_LEN as u8, self.counter, start);
                self.compressed += 1;
                self.block = [0; BLOCK_LEN];
                self.held = 0;
            }
            let (head, rest) = input.split_at(input.len().min(BLOCK_LEN - self.held));
            self.block[self.held..][..head.len()].copy_from_slice(head);
            self.held += head.len();
            input = rest;
        }
        self
    }

    /// The digest of the chunk if it is the whole message, and otherwise its chaining value.
    ///
    /// # Panics
    ///
    /// If a chunk with another number than 0 is to be the whole message. There `blake3` panics in a debug build alone.
    pub fn finalize(&self, is_root: bool) -> Hash {
        assert!(!is_root || self.counter == 0, "chunk number {} is not the whole message", self.counter);
        let root = if is_root { ROOT } else { 0 };
        let mut cv = self.cv;
        compress(&mut cv, &self.block, self.held as u8, self.counter, self.start() | CHUNK_END | root);
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(cv) {
            *bytes = word.to_le_bytes();
        }
        Hash::from_bytes(bytes)
    }

    fn start(&self) -> u8 {
        if self.compressed == 0 { CHUNK_START } else { 0 }
    }
}

/// Shows the counts alone.
impl fmt::Debug for ChunkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkState")
            .field("len", &self.len())
            .field("chunk_counter", &self.counter)
            .finish_non_exhaustive()
    }
}

/// The digest of the message that has these subtrees, or the chaining value of their parent if that is not the root.
pub fn parent_cv(left_child: &Hash, right_child: &Hash, is_root: bool) -> Hash {
    let (left, right) = (left_child.as_bytes(), right_child.as_bytes());
    if is_root {
        hazmat::merge_subtrees_root(left, right, hazmat::Mode::Hash)
    } else {
        Hash::from_bytes(hazmat::merge_subtrees_non_root(left, right, hazmat::Mode::Hash))
    }
}

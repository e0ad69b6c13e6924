//! The bytes that small writes gather, so that chunks are hashed side by side.

use alloc::vec::Vec;

use super::tree::GROUP;
use super::value::CHUNK_LEN;
use crate::kernel::wipe_all;

/// At most sixteen chunks, on the heap from the first byte on. The memory never moves, for the old one would not be
/// wiped.
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Bytes at most since the last wipe.
    most: usize,
}

impl Held {
    pub(super) const EMPTY: Self = Self { bytes: Vec::new(), most: 0 };

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends `bytes`, for which there must be room: sixteen chunks in all.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if self.bytes.capacity() == 0 {
            self.bytes.reserve_exact(GROUP * CHUNK_LEN);
        }
        debug_assert!(self.bytes.len() + bytes.len() <= GROUP * CHUNK_LEN);
        self.bytes.extend_from_slice(bytes);
        self.most = self.most.max(self.bytes.len());
    }

    /// Drops all bytes, and keeps the memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Overwrites all that was ever held: with feature `zeroize` only.
    pub(super) fn wipe(&mut self) {
        self.bytes.resize(self.most, 0);
        wipe_all(&mut self.bytes);
        self.most = 0;
    }
}

/// Copies no more than there is.
impl Clone for Held {
    fn clone(&self) -> Self {
        let mut held = Self::EMPTY;
        if !self.bytes.is_empty() {
            held.append(&self.bytes);
        }
        held
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Held {
    fn drop(&mut self) {
        self.wipe();
    }
}

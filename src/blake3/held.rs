//! The bytes that small writes gather, so that chunks are hashed side by side.

use alloc::vec::Vec;

use super::tree::GROUP;
use super::value::CHUNK_LEN;

/// At most sixteen chunks, on the heap from the first byte on. The memory never moves, for the old one would not be
/// wiped.
pub(super) struct Held(Vec<u8>);

impl Held {
    pub(super) const EMPTY: Self = Self(Vec::new());

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Appends `bytes`, for which there must be room: sixteen chunks in all.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if self.0.capacity() == 0 {
            self.0.reserve_exact(GROUP * CHUNK_LEN);
        }
        debug_assert!(self.0.len() + bytes.len() <= GROUP * CHUNK_LEN);
        self.0.extend_from_slice(bytes);
    }

    /// Drops all bytes, and keeps the memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Overwrites all that was ever held: with feature `zeroize` only.
    pub(super) fn wipe(&mut self) {
        #[cfg(feature = "zeroize")]
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

/// Copies no more than there is.
impl Clone for Held {
    fn clone(&self) -> Self {
        let mut held = Self::EMPTY;
        if !self.0.is_empty() {
            held.append(&self.0);
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

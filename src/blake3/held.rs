//! The bytes that small writes gather, so that chunks are hashed side by side.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use super::tree::GROUP;
use super::value::CHUNK_LEN;
use crate::kernel::wipe_all;

/// At most sixteen chunks, on the heap from the first byte on. The memory never moves, for the old one would not be
/// wiped.
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Bytes at most since the last wipe. LLVM reads 16 bits as 32, more than were just written, and the CPU waits.
    most: u32,
    /// Whether a digest was asked for, each of which hashes what is held.
    digested: AtomicBool,
    /// A field, not implicit padding: see `kernel::blake3::Chain`.
    _padding: [u8; 3],
}

impl Held {
    #[inline]
    pub(super) const fn empty() -> Self {
        Self { bytes: Vec::new(), most: 0, digested: AtomicBool::new(false), _padding: [0; 3] }
    }

    #[inline]
    pub(super) fn note_digest(&self) {
        // Threads that clone one hasher write to it once.
        if !self.has_digest() {
            self.digested.store(true, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(super) fn has_digest(&self) -> bool {
        self.digested.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn forget_digest(&mut self) {
        *self.digested.get_mut() = false;
    }

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
        #[expect(clippy::cast_possible_truncation, reason = "sixteen chunks at most")]
        let length = self.bytes.len() as u32;
        self.most = self.most.max(length);
    }

    /// Drops all bytes, and keeps the memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Overwrites all that was ever held: with feature `zeroize` only.
    pub(super) fn wipe(&mut self) {
        self.bytes.resize(self.most as usize, 0);
        wipe_all(&mut self.bytes);
        self.most = 0;
    }
}

/// Copies no more than there is. Most clones are for a digest.
impl Clone for Held {
    fn clone(&self) -> Self {
        self.note_digest();
        let mut held = Self::empty();
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

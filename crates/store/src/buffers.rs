//! Buffers that are used again: memory that the system gives anew is slower than hashing.

use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

/// Buffers that are kept, and the longest of them, in bytes.
const KEPT: usize = 4;
const LONGEST: usize = 2 << 20;

/// Buffers that are not in use.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Vec<BytesMut>>);

impl Buffers {
    /// One piece of these, which have `most` bytes at most.
    pub(crate) fn join(&self, pieces: &[Bytes], most: usize) -> Bytes {
        let kept = { self.0.lock().unwrap_or_else(PoisonError::into_inner).pop() };
        let mut buffer = kept.filter(|kept| kept.capacity() >= most).unwrap_or_else(|| BytesMut::with_capacity(most));
        pieces.iter().for_each(|piece| buffer.extend_from_slice(piece));
        buffer.freeze()
    }

    /// Keeps a buffer of which this is the last piece.
    pub(crate) fn give(&self, piece: Bytes) {
        let Ok(mut buffer) = piece.try_into_mut() else { return };
        buffer.clear();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT && buffer.capacity() <= LONGEST {
            kept.push(buffer);
        }
    }
}

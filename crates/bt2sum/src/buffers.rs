//! Memory into which files are read that are long, or many.

use core::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The address of a buffer is a multiple of this, as direct reads need it. A long `Vec` begins 16 bytes after a page.
/// To an address that is no multiple of 32, Linux copies more slowly: on Zen 4, it takes 1.5 times as long for 128 KiB,
/// and twice as long for 1 MiB.
pub(crate) const ALIGNMENT: usize = 4096;

/// Bytes whose address is a multiple of [`ALIGNMENT`].
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Buffer {
    pub(crate) fn new(length: usize) -> Self {
        let bytes = vec![0; length + ALIGNMENT];
        let begin = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { bytes, begin, length }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..][..self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..][..self.length]
    }
}

/// Buffers to use again, so that each thread need not allocate one for every group.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<Vec<Buffer>>);

impl Buffers {
    /// A buffer of this length, new or used. A used one still has its old bytes.
    pub(crate) fn take(&self, length: usize) -> Buffer {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        used.filter(|buffer| buffer.len() == length).unwrap_or_else(|| Buffer::new(length))
    }

    /// Keeps a buffer for later.
    pub(crate) fn put(&self, buffer: Buffer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned() {
        let buffers = Buffers::default();
        for length in [0, 1, 4095, 4096, 100_000, 1 << 20, 1 << 20] {
            let mut buffer = buffers.take(length);
            assert_eq!((buffer.as_ptr().addr() % ALIGNMENT, buffer.len()), (0, length));
            buffer.fill(1);
            buffers.put(buffer);
        }
    }
}

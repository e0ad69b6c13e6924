//! Whole blocks out of a stream of bytes, the last one held back.
#![forbid(unsafe_code)]

use core::slice;

/// A block of a fixed number of bytes.
pub trait Block: Copy + 'static {
    const ZERO: Self;
    const LENGTH: usize;

    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
    /// The whole blocks at the start of `bytes`, and what is left.
    fn split(bytes: &[u8]) -> (&[Self], &[u8]);
}

impl<const N: usize> Block for [u8; N] {
    const ZERO: Self = [0; N];
    const LENGTH: usize = N;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }

    #[inline]
    fn split(bytes: &[u8]) -> (&[Self], &[u8]) {
        bytes.as_chunks()
    }
}

/// What came since the last whole block that something followed.
///
/// A hash that treats its last block differently cannot compress a full block before it knows that more follows. So
/// a full block stays here until the next byte arrives, and the buffer is empty only while nothing came at all.
#[derive(Clone)]
pub(crate) struct Buffer<B> {
    block: B,
    length: usize,
}

impl<B: Block> Buffer<B> {
    pub(crate) const EMPTY: Self = Self { block: B::ZERO, length: 0 };

    /// Holds back the first `length` bytes of `block`, which must be at most all of them.
    pub(crate) fn holding(block: B, length: usize) -> Self {
        debug_assert!(length <= B::LENGTH);
        Self { block, length }
    }

    /// The bytes held back.
    #[inline]
    pub(crate) fn held(&self) -> &[u8] {
        &self.block.bytes()[..self.length]
    }

    /// The bytes held back, filled up with zeros to a block.
    #[inline]
    pub(crate) fn padded(&self) -> B {
        let mut block = self.block;
        block.bytes_mut()[self.length..].fill(0);
        block
    }

    /// Takes in `bytes` and hands every whole block that something follows to `compress`: first the one that was held
    /// back, then all in `bytes` at once, straight from there.
    #[inline]
    pub(crate) fn update(&mut self, mut bytes: &[u8], mut compress: impl FnMut(&[B])) {
        if bytes.len() > B::LENGTH - self.length {
            if self.length > 0 {
                let (head, rest) = bytes.split_at(B::LENGTH - self.length);
                self.block.bytes_mut()[self.length..].copy_from_slice(head);
                compress(slice::from_ref(&self.block));
                self.length = 0;
                bytes = rest;
            }
            let (whole, last) = split_last(bytes);
            if !whole.is_empty() {
                compress(whole);
            }
            bytes = last;
        }
        self.block.bytes_mut()[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }
}

/// The whole blocks of `bytes` that something follows, and the last block: full, begun, or empty if `bytes` is.
#[inline]
pub(crate) fn split_last<B: Block>(bytes: &[u8]) -> (&[B], &[u8]) {
    let held_back = match bytes.len() % B::LENGTH {
        0 => B::LENGTH.min(bytes.len()),
        begun => begun,
    };
    let (whole, last) = bytes.split_at(bytes.len() - held_back);
    (B::split(whole).0, last)
}

#[cfg(feature = "zeroize")]
impl<B: Block> zeroize::Zeroize for Buffer<B> {
    fn zeroize(&mut self) {
        self.block.bytes_mut().zeroize();
        self.length.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// Every pair of writes up to three blocks and one byte: what was compressed is whole blocks in order, what is
    /// held back is the rest, and a block is held back as long as nothing follows.
    #[test]
    fn two_writes_of_any_length() {
        const N: usize = 8;
        let bytes: Vec<u8> = (0..).take(6 * N + 2).collect();
        for first in 0..=3 * N + 1 {
            for second in 0..=3 * N + 1 {
                let mut compressed = Vec::new();
                let mut buffer = Buffer::<[u8; N]>::EMPTY;
                let mut update =
                    |bytes| buffer.update(bytes, |blocks| compressed.extend_from_slice(blocks.as_flattened()));
                update(&bytes[..first]);
                update(&bytes[first..first + second]);
                let total = first + second;
                let held = if total == 0 { 0 } else { (total - 1) % N + 1 };
                assert_eq!(buffer.held(), &bytes[total - held..total], "{first} + {second}");
                assert_eq!(compressed, &bytes[..total - held], "{first} + {second}");
                assert_eq!(buffer.padded()[..held], *buffer.held());
                assert!(buffer.padded()[held..].iter().all(|&byte| byte == 0));
            }
        }
    }
}

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

/// Bytes that are always written together, if `copy_words` writes them: no less than a word of any hash.
const WORD: usize = 8;

/// Copies `bytes` to the start of `to`, and up to seven zeros after them, so that only whole words are written.
///
/// A load from memory that was written just before takes its value from the one store that covers it. Where there is
/// none it waits until the stores have reached the cache, for which they wait until all before them is done: a hash
/// would not begin before the one before has ended.
#[inline]
pub(crate) fn copy_words(to: &mut [u8], bytes: &[u8]) {
    let (words, rest) = bytes.as_chunks::<WORD>();
    let (to, _) = to.as_chunks_mut::<WORD>();
    if !words.is_empty() {
        to[..words.len()].copy_from_slice(words);
    }
    if !rest.is_empty() {
        to[words.len()] = word(rest);
    }
}

/// One to seven bytes, then zeros.
#[inline]
fn word(bytes: &[u8]) -> [u8; WORD] {
    let length = bytes.len();
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (length - 4))
    } else {
        let byte = |i: usize| u64::from(bytes[i]) << (8 * i);
        byte(0) | byte(length / 2) | byte(length - 1)
    };
    word.to_le_bytes()
}

/// What came since the last whole block that something followed.
///
/// A hash that treats its last block differently cannot compress a full block before it knows that more follows. So
/// a full block stays here until the next byte arrives, and the buffer is empty only while nothing came at all.
#[derive(Clone)]
pub(crate) struct Buffer<B> {
    /// Zeros after the first `length` bytes.
    block: B,
    length: usize,
}

impl<B: Block> Buffer<B> {
    pub(crate) const EMPTY: Self = Self { block: B::ZERO, length: 0 };

    /// Holds back the first `length` bytes of `block`, which must be at most all of them, and zeros after them.
    pub(crate) fn holding(block: B, length: usize) -> Self {
        debug_assert!(block.bytes()[length..].iter().all(|&byte| byte == 0));
        Self { block, length }
    }

    /// The bytes held back.
    #[inline]
    pub(crate) fn held(&self) -> &[u8] {
        &self.block.bytes()[..self.length]
    }

    /// The bytes held back, filled up with zeros.
    #[inline]
    pub(crate) fn block(&self) -> &B {
        &self.block
    }

    #[cfg(feature = "zeroize")]
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.block);
    }

    /// Bytes that there is room for.
    #[inline]
    pub(crate) fn free(&self) -> usize {
        B::LENGTH - self.length
    }

    /// Holds back a whole block where nothing was held back: `fill` writes it over zeros.
    #[inline(always)]
    pub(crate) fn hold_block(&mut self, fill: impl FnOnce(&mut [u8])) {
        debug_assert_eq!(self.length, 0);
        fill(self.block.bytes_mut());
        self.length = B::LENGTH;
    }

    /// Takes in `bytes` and hands every whole block that something follows to `compress`: first the one that was held
    /// back, then all in `bytes` at once, straight from there.
    #[inline]
    pub(crate) fn update(&mut self, bytes: &[u8], compress: impl FnMut(&[B])) {
        if bytes.len() <= self.free() {
            self.append(bytes);
        } else {
            self.overflow(bytes, compress);
        }
    }

    /// The same for more bytes than can be held back, apart to keep callers small.
    #[inline(never)]
    fn overflow(&mut self, bytes: &[u8], mut compress: impl FnMut(&[B])) {
        let (held, whole) = self.ready(bytes);
        if !held.is_empty() {
            compress(held);
        }
        if !whole.is_empty() {
            compress(whole);
        }
        self.hold(bytes);
    }

    /// The whole blocks that something follows when `bytes` comes: the one that was held back, if it is one now, and
    /// those in `bytes`. They are to be compressed before `hold` is called with the same `bytes`.
    #[inline]
    pub(crate) fn ready<'h, 'b>(&'h mut self, bytes: &'b [u8]) -> (&'h [B], &'b [B]) {
        let Some(Parts { head, whole, .. }) = self.split(bytes) else { return (&[], &[]) };
        if head.is_empty() && self.length == 0 {
            return (&[], whole);
        }
        self.block.bytes_mut()[self.length..].copy_from_slice(head);
        (slice::from_ref(&self.block), whole)
    }

    /// Holds back what `ready` left of `bytes`.
    #[inline]
    pub(crate) fn hold(&mut self, bytes: &[u8]) {
        match self.split(bytes) {
            None => self.append(bytes),
            Some(Parts { tail, .. }) => {
                self.length = 0;
                if tail.len() < B::LENGTH {
                    self.block = B::ZERO;
                }
                self.append(tail);
            }
        }
    }

    /// Holds back `bytes` too, for which there must be room.
    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        let to = &mut self.block.bytes_mut()[self.length..];
        if self.length.is_multiple_of(WORD) {
            copy_words(to, bytes);
        } else if let ([to, ..], [byte]) = (&mut *to, bytes) {
            *to = *byte;
        } else {
            to[..bytes.len()].copy_from_slice(bytes);
        }
        self.length += bytes.len();
    }

    /// Where `bytes` falls apart, unless all of it can be held back.
    #[inline]
    fn split<'b>(&self, bytes: &'b [u8]) -> Option<Parts<'b, B>> {
        let free = self.free();
        if bytes.len() <= free {
            return None;
        }
        let (head, rest) = bytes.split_at(if self.length == 0 { 0 } else { free });
        let (whole, tail) = split_last(rest);
        Some(Parts { head, whole, tail })
    }
}

/// More bytes than can be held back.
struct Parts<'b, B> {
    /// What makes the block that was held back a whole one.
    head: &'b [u8],
    whole: &'b [B],
    /// At least one byte, at most a block.
    tail: &'b [u8],
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

/// Overwrites what may be secret with zeros, in a way that is not optimised away: with feature `zeroize` only.
#[inline]
pub(crate) fn wipe<B: Block>(block: &mut B) {
    #[cfg(feature = "zeroize")]
    zeroize::Zeroize::zeroize(block.bytes_mut());
    #[cfg(not(feature = "zeroize"))]
    let _ = block;
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
                assert_eq!(buffer.block()[..held], *buffer.held());
                assert!(buffer.block()[held..].iter().all(|&byte| byte == 0));
            }
        }
    }
}

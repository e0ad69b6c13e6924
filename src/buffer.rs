//! Whole blocks out of a stream of bytes, the last one held back where a hash may treat it differently.
#![forbid(unsafe_code)]

use core::slice;

#[cfg(feature = "zeroize")]
use crate::kernel::wipe;
use crate::kernel::{Block, Function, closes_whole_blocks};

/// Bytes that `copy_words` writes together: no less than a word of any hash.
const TOGETHER: usize = 8;

/// Copies `bytes` to the start of `to`, and up to seven zeros after them, so that only whole words are written: see
/// [`backend::reread`](crate::backend::reread).
#[inline]
pub(crate) fn copy_words(to: &mut [u8], bytes: &[u8]) {
    let (words, rest) = bytes.as_chunks::<TOGETHER>();
    let (to, _) = to.as_chunks_mut::<TOGETHER>();
    // A call for any length takes longer, and writes 64 bytes by one vector, which may cross a line of the cache.
    if let [word] = words {
        to[0] = *word;
    } else if let Ok(words) = <&[_; 8]>::try_from(words) {
        to[..8].copy_from_slice(words);
    } else if !words.is_empty() {
        to[..words.len()].copy_from_slice(words);
    }
    if !rest.is_empty() {
        to[words.len()] = word(rest);
    }
}

/// One to seven bytes, then zeros.
#[inline]
fn word(bytes: &[u8]) -> [u8; TOGETHER] {
    let length = bytes.len();
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (length - 4))
    } else {
        let byte = |i: usize| u64::from(bytes[i]) << (8 * i);
        byte(0) | byte(length / 2) | byte(length - 1)
    };
    word.to_le_bytes()
}

/// The bytes not compressed yet: less than a block, or up to a whole one if the last block may lie in the message.
///
/// A hash that treats its last block differently cannot compress a full block before it knows that more follows. So
/// a full block stays here until the next byte arrives. A hash that [closes whole blocks by one
/// more](closes_whole_blocks) compresses a full block at once.
#[derive(Clone)]
pub(crate) struct Buffer<H: Function> {
    /// Zeros after the first `length` bytes.
    block: H::Block,
    length: usize,
}

impl<H: Function> Buffer<H> {
    pub(crate) const EMPTY: Self = Self { block: H::Block::ZERO, length: 0 };

    /// Holds back the first `length` bytes of `block`, which must be at most all of them, and zeros after them.
    pub(crate) fn holding(block: H::Block, length: usize) -> Self {
        debug_assert!(block.bytes()[length..].iter().all(|&byte| byte == 0));
        Self { block, length }
    }

    /// The bytes held back.
    #[inline]
    pub(crate) fn held(&self) -> &[u8] {
        &self.block.bytes()[..self.length]
    }

    /// The number of bytes held back.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The bytes held back, filled up with zeros.
    #[inline]
    pub(crate) fn block(&self) -> &H::Block {
        &self.block
    }

    #[cfg(feature = "zeroize")]
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.block);
    }

    /// Bytes that there is room for.
    #[inline]
    pub(crate) fn free(&self) -> usize {
        H::Block::LENGTH - self.length()
    }

    /// Whether `bytes` can be held back too, and completes no block that must be compressed.
    #[inline]
    pub(crate) fn can_hold(&self, bytes: &[u8]) -> bool {
        bytes.len() + usize::from(closes_whole_blocks::<H>()) <= self.free()
    }

    /// Holds back a whole block where nothing was held back: `fill` writes it over zeros.
    #[inline(always)]
    pub(crate) fn hold_block(&mut self, fill: impl FnOnce(&mut [u8])) {
        debug_assert_eq!(self.length, 0);
        fill(self.block.bytes_mut());
        self.length = H::Block::LENGTH;
    }

    /// The blocks that `bytes` completes and that are not the last: the held-back one, then those in `bytes`. Compress
    /// them, then call [`hold`](Self::hold) with the same `bytes`.
    #[inline]
    pub(crate) fn ready<'h, 'b>(&'h mut self, bytes: &'b [u8]) -> (&'h [H::Block], &'b [H::Block]) {
        let Some(Parts { head, whole, .. }) = self.split(bytes) else { return (&[], &[]) };
        if head.is_empty() && self.length == 0 {
            return (&[], whole);
        }
        self.block.bytes_mut()[self.length..].copy_from_slice(head);
        (slice::from_ref(&self.block), whole)
    }

    /// Holds back the bytes that [`ready`](Self::ready) left of `bytes`.
    #[inline]
    pub(crate) fn hold(&mut self, bytes: &[u8]) {
        match self.split(bytes) {
            None => self.append(bytes),
            Some(Parts { tail, .. }) => {
                self.length = 0;
                if tail.len() < H::Block::LENGTH {
                    self.block = H::Block::ZERO;
                }
                self.append(tail);
            }
        }
    }

    /// Holds back `bytes` too, for which there must be room.
    #[inline]
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let to = &mut self.block.bytes_mut()[self.length..];
        if self.length.is_multiple_of(TOGETHER) {
            copy_words(to, bytes);
        } else if let ([to, ..], [byte]) = (&mut *to, bytes) {
            *to = *byte;
        } else {
            to[..bytes.len()].copy_from_slice(bytes);
        }
        self.length += bytes.len();
    }

    /// The parts of `bytes`, unless all of it can be held back.
    #[inline]
    fn split<'b>(&self, bytes: &'b [u8]) -> Option<Parts<'b, H::Block>> {
        if self.can_hold(bytes) {
            return None;
        }
        let (head, rest) = bytes.split_at(if self.length == 0 { 0 } else { self.free() });
        let (whole, tail) = Self::whole(rest);
        Some(Parts { head, whole, tail })
    }

    /// The blocks of `bytes` that are compressed, and the rest, which is held back.
    #[inline]
    pub(crate) fn whole(bytes: &[u8]) -> (&[H::Block], &[u8]) {
        if closes_whole_blocks::<H>() { H::Block::split(bytes) } else { split_last(bytes) }
    }
}

/// More bytes than can be held back.
struct Parts<'b, B> {
    /// Fills the block that was held back.
    head: &'b [u8],
    whole: &'b [B],
    /// Held back: at most a block.
    tail: &'b [u8],
}

/// The whole blocks of `bytes` before the last, and the last: full, begun, or empty if `bytes` is.
#[inline]
fn split_last<B: Block>(bytes: &[u8]) -> (&[B], &[u8]) {
    let held_back = match bytes.len() % B::LENGTH {
        0 => B::LENGTH.min(bytes.len()),
        begun => begun,
    };
    let (whole, last) = bytes.split_at(bytes.len() - held_back);
    (B::split(whole).0, last)
}

#[cfg(all(test, feature = "blake2", feature = "sha2"))]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::kernel::blake2s::FlavourS;
    use crate::kernel::sha256::Sha256Function;

    /// Every pair of writes up to three blocks and one byte: whole blocks are compressed in order, the rest is held
    /// back, and so is a block that may be the last.
    fn two_writes_of_any_length<H: Function<Block = [u8; 64]>>() {
        const N: usize = 64;
        let bytes: Vec<u8> = (0..251).cycle().take(6 * N + 2).collect();
        for first in 0..=3 * N + 1 {
            for second in 0..=3 * N + 1 {
                let mut compressed = Vec::new();
                let mut buffer = Buffer::<H>::EMPTY;
                for bytes in [&bytes[..first], &bytes[first..first + second]] {
                    let (held, whole) = buffer.ready(bytes);
                    compressed.extend_from_slice(held.as_flattened());
                    compressed.extend_from_slice(whole.as_flattened());
                    buffer.hold(bytes);
                }
                let total = first + second;
                let whole = total.saturating_sub(usize::from(!closes_whole_blocks::<H>())) / N * N;
                assert_eq!(buffer.held(), &bytes[whole..total], "{first} + {second}");
                assert_eq!(compressed, &bytes[..whole], "{first} + {second}");
                let held = total - whole;
                assert_eq!(buffer.block()[..held], *buffer.held());
                assert!(buffer.block()[held..].iter().all(|&byte| byte == 0));
            }
        }
    }

    #[test]
    fn a_block_that_may_be_the_last_is_held_back() {
        two_writes_of_any_length::<FlavourS>();
    }

    #[test]
    fn a_block_that_another_closes_is_not() {
        two_writes_of_any_length::<Sha256Function>();
    }
}

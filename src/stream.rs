//! One message, as it comes or all at once: a chaining value, the bytes held back, and the backend that computes.
#![forbid(unsafe_code)]

use digest::array::Array;

use crate::backend::{Backend, Dispatch, reread};
use crate::buffer::{Buffer, copy_words};
use crate::kernel::{Block, ChainState, closes_whole_blocks, wipe};

/// A message of which any number of bytes has come.
#[derive(Clone)]
pub(crate) struct Stream<H: Dispatch> {
    pub(crate) chain: H::Chain,
    pub(crate) buffer: Buffer<H>,
    pub(crate) backend: Backend,
}

impl<H: Dispatch> Stream<H> {
    /// Goes on from a chaining value.
    #[inline]
    pub(crate) fn new(chain: H::Chain, backend: Backend) -> Self {
        Self { chain, buffer: Buffer::EMPTY, backend }
    }

    #[inline]
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        if self.buffer.can_hold(bytes) {
            self.buffer.append(bytes);
        } else {
            self.overflow(bytes);
        }
    }

    /// Appends more bytes than can be held back. Apart to keep callers small.
    #[inline(never)]
    fn overflow(&mut self, bytes: &[u8]) {
        let (held, whole) = self.buffer.ready(bytes);
        for blocks in [held, whole] {
            if !blocks.is_empty() {
                H::compress(self.backend, &mut self.chain, blocks, H::NOT_LAST);
            }
        }
        self.buffer.hold(bytes);
    }

    /// Holds back a whole block before anything came: `fill` has its first bytes.
    #[inline]
    pub(crate) fn hold_block(&mut self, fill: &[u8]) {
        self.buffer.hold_block(|block| reread_words(block, fill));
    }

    /// Gives `answer` the chaining value after the last block of the message so far, to which more may be appended.
    ///
    /// Copies `self` by words and lends it to no call; otherwise the compiler copies the whole hasher when
    /// `Digest::finalize` consumes it, which would cost as much as a quarter of a block.
    #[inline(always)]
    pub(crate) fn finalize<R>(&self, last: H::Last, answer: impl FnOnce(&H::Chain) -> R) -> R {
        let mut chain = self.chain.copy_by_words(reread);
        let mut end = Array::<H::Block, H::MaxClosing>::from_fn(|_| H::Block::ZERO);
        reread_words(end[0].bytes_mut(), self.buffer.block().bytes());
        compress_end::<H>(self.backend, &mut chain, &mut end, self.buffer.held().len(), last);
        let answer = answer(&chain);
        H::wipe(&mut chain);
        answer
    }

    /// Overwrites everything with zeros.
    #[cfg(feature = "zeroize")]
    pub(crate) fn wipe(&mut self) {
        H::wipe(&mut self.chain);
        self.buffer.wipe();
    }
}

/// Compresses `first`, at most one block, and then a whole message, from where it lies.
#[inline]
pub(crate) fn compress_message<H: Dispatch>(
    backend: Backend,
    chain: &mut H::Chain,
    first: &[H::Block],
    message: &[u8],
    last: H::Last,
) {
    let (whole, rest) = H::Block::split(message);
    // The last block as it lies, if nothing has to be added to it.
    let closed = !closes_whole_blocks::<H>() && rest.is_empty();
    if !first.is_empty() {
        let ends = closed && whole.is_empty();
        H::compress(backend, chain, first, if ends { last } else { H::NOT_LAST });
        if ends {
            return;
        }
    }
    let (whole, end) = whole.split_at(whole.len() - usize::from(closed && !whole.is_empty()));
    if !whole.is_empty() {
        H::compress(backend, chain, whole, H::NOT_LAST);
    }
    if end.is_empty() {
        let mut end = Array::<H::Block, H::MaxClosing>::from_fn(|_| H::Block::ZERO);
        copy_words(end[0].bytes_mut(), rest);
        compress_end::<H>(backend, chain, &mut end, rest.len(), last);
    } else {
        H::compress(backend, chain, end, last);
    }
}

/// Compresses the end of a message: the first `length` bytes of `end`, which has zeros after them.
#[inline(always)]
fn compress_end<H: Dispatch>(
    backend: Backend,
    chain: &mut H::Chain,
    end: &mut [H::Block],
    length: usize,
    last: H::Last,
) {
    let end = &mut end[..H::closing(length)];
    H::close(chain, end, length);
    H::compress(backend, chain, end, last);
    end.iter_mut().for_each(wipe);
}

/// Copies `from`, which is whole words of 64 bits, to the start of `to`, each by itself.
#[inline(always)]
pub(crate) fn reread_words(to: &mut [u8], from: &[u8]) {
    let ((to, _), (from, _)) = (to.as_chunks_mut(), from.as_chunks());
    for (to, from) in to.iter_mut().zip(from) {
        *to = reread(u64::from_ne_bytes(*from)).to_ne_bytes();
    }
}

/// A block, word by word: see [`reread`].
///
/// Each word by its number: because of a loop the compiler would keep all together, and copy them.
#[cfg(feature = "blake3")]
#[inline(always)]
pub(crate) fn reread_block(block: &[u8; 64]) -> [u8; 64] {
    let (words, _) = block.as_chunks::<8>();
    let word = |i: usize| reread(u64::from_ne_bytes(words[i])).to_ne_bytes();
    let words = [word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)];
    let mut block = [0; 64];
    block.copy_from_slice(words.as_flattened());
    block
}

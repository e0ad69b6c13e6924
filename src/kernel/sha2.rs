//! SHA-256 and SHA-512 ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)): the state, the padding (section 5.1),
//! and the lane kernel. SHA-224, SHA-384 and SHA-512/t differ from them in the initial hash value and in the length of
//! the digest.

use core::fmt;
use core::hint::select_unpredictable;
use core::marker::PhantomData;

use digest::array::ArraySize;
use digest::consts::U2;

pub(crate) use self::lanes::{Lane, compress_block, compress_lanes, whole_lanes};
use super::{Block, ChainState, Function, Word};

pub(super) use self::roots::{CUBE, SQUARE};

pub(in crate::kernel) mod lanes;
mod roots;

/// The word of SHA-256, `u32`, or of SHA-512, `u64`.
pub trait Sha2Word: Word + fmt::Debug {
    /// Lanes at most on any backend.
    type MaxLanes: ArraySize;

    /// The constants of the rounds, by sixteen.
    const K: &'static [[Self; 16]];
    /// The numbers of bits in the functions that the standard calls Σ1, Σ0, σ0 and σ1. The last two functions shift by
    /// their last number.
    const ROTATIONS: [[u32; 3]; 4];
}

/// The compression function of SHA-256, or of SHA-512.
#[derive(Clone, Copy, Debug)]
pub struct Sha2Function<W>(PhantomData<W>);

/// The state that one block hands to the next: the intermediate hash value, and the number of blocks so far.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chain<W> {
    pub(crate) h: [W; 8],
    /// Modulo 2^64, so the length in bits is right modulo 2^64, too, and that of SHA-512 modulo 2^74.
    pub(crate) blocks: u64,
}

/// Says nothing: a hash value can be turned into the digest of any continuation of the message.
impl<W> fmt::Debug for Chain<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").finish_non_exhaustive()
    }
}

/// When the last block of a run was written. Digests do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Before,
    /// By words of 64 bits, just before, since it closes a message. A load of 128 bits would wait for them: see
    /// `backend::reread`.
    JustNow,
}

impl<W: Sha2Word> Chain<W> {
    /// Before the first block of a message.
    #[inline]
    pub(crate) const fn new(h: [W; 8]) -> Self {
        Self { h, blocks: 0 }
    }

    /// The hash value as a digest of SHA-256 or SHA-512, if the last block was compressed. The other hashes take its
    /// first bytes.
    #[inline]
    pub(crate) fn to_bytes(self) -> W::Digest {
        W::to_bytes_be(self.h)
    }
}

/// Whole messages side by side, each from its first block to its last.
#[derive(Debug)]
pub struct Whole<'a, W: Sha2Word> {
    /// The hash value before each message.
    pub(crate) start: &'a [W; 8],
    /// At least one message and at most as many as the backend has lanes, none of more blocks than the one before.
    pub(crate) messages: &'a [Message<'a, W>],
    /// The hash value after each message. The number of blocks stays as it is.
    pub(crate) chains: &'a mut [Chain<W>],
}

/// A message, and the blocks that close it, which lie so that no load of a block crosses a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Message<'a, W: Sha2Word> {
    /// Any block, which is not read, and the blocks that close the message. They were just written.
    pub(crate) end: [W::Block; 3],
    /// The blocks that lie in the message. `None` is memory for one, which is filled with zeros, and not copied.
    pub(crate) blocks: Option<&'a [W::Block]>,
    /// The number of blocks that close the message, 1 or 2. Without a message it is 0.
    pub(crate) closing: usize,
}

impl<'a, W: Sha2Word> Message<'a, W> {
    pub(crate) const NONE: Self = Self { end: [W::Block::ZERO; 3], blocks: None, closing: 0 };

    #[inline(always)]
    pub(crate) fn blocks(&self) -> &'a [W::Block] {
        self.blocks.unwrap_or_default()
    }

    /// The number of blocks, those that close the message included.
    #[inline(always)]
    pub(crate) fn number(&self) -> usize {
        self.blocks().len() + self.closing
    }

    #[inline(always)]
    pub(crate) fn closing(&self) -> &[W::Block] {
        &self.end[1..=self.closing]
    }

    /// Block `place` of all.
    #[inline(always)]
    pub(crate) fn block(&self, place: usize) -> &W::Block {
        // Messages go on to their ends at times that no CPU foresees, so without a branch.
        let whole = self.blocks().len();
        let (blocks, place) = select_unpredictable(
            place < whole,
            (self.blocks(), place),
            (&self.end, place.wrapping_sub(whole).wrapping_add(1)),
        );
        &blocks[place]
    }
}

/// The answer of an instruction set for whole messages.
pub(crate) trait CompressWhole<W: Sha2Word>: Copy {
    /// Compresses messages, so that none waits for another.
    fn whole(self, messages: Whole<'_, W>);
}

/// A block of output of PBKDF2 ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018), section 5.2): tags of HMAC, each of
/// the one before.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Iteration<W> {
    /// The hash value after the block of the key and `ipad`.
    pub(crate) inner: [W; 8],
    /// The hash value after the block of the key and `opad`.
    pub(crate) outer: [W; 8],
    /// The first tag, then the exclusive or of all.
    pub(crate) sum: [W; 8],
}

/// Says nothing: all of it is secret.
impl<W> fmt::Debug for Iteration<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iteration").finish_non_exhaustive()
    }
}

impl<W: Sha2Word> Iteration<W> {
    pub(crate) const NONE: Self = Self { inner: [W::ZERO; 8], outer: [W::ZERO; 8], sum: [W::ZERO; 8] };

    /// Overwrites everything with zeros: with feature `zeroize` only.
    pub(crate) fn wipe(&mut self) {
        [&mut self.inner, &mut self.outer, &mut self.sum].into_iter().for_each(W::wipe);
    }
}

impl<W: Sha2Word> Whole<'_, W> {
    /// Whether up to `lanes` messages are there, those with the most blocks first: kernels rely on this.
    pub(crate) fn keeps_contract(&self, lanes: usize) -> bool {
        let live = self.chains.len();
        (1..=lanes).contains(&live)
            && self.messages.len() == live
            && self.messages.iter().all(|message| (1..=2).contains(&message.closing))
            && self.messages.is_sorted_by(|a, b| a.number() >= b.number())
    }
}

impl<W: Sha2Word> Sha2Function<W> {
    /// The place of the message's length, the last 8 bytes of the last block, or the last 16.
    const LENGTH_AT: usize = W::Block::LENGTH / 8 * 7;
}

impl<W: Sha2Word> ChainState for Chain<W> {
    const UNUSED: Self = Self::new([W::ZERO; 8]);

    /// By vectors of 128 bits, as kernels read it.
    #[inline(always)]
    fn copy_by_words(&self, _: impl Fn(u64) -> u64) -> Self {
        *self
    }
}

impl<W: Sha2Word> Function for Sha2Function<W> {
    type Chain = Chain<W>;
    type Block = W::Block;
    type Last = Written;
    type MaxLanes = W::MaxLanes;
    type MaxClosing = U2;

    const NOT_LAST: Written = Written::Before;

    #[inline]
    fn longest_run(_: &Chain<W>) -> usize {
        usize::MAX
    }

    #[inline]
    fn closing(length: usize) -> usize {
        if length < Self::LENGTH_AT { 1 } else { 2 }
    }

    /// A bit 1, zeros, and the length in bits (FIPS 180-4, section 5.1), all by words of 64 bits: see
    /// [`Written::JustNow`].
    #[inline]
    fn close(chain: &mut Chain<W>, end: &mut [W::Block], length: usize) {
        let block = 8 * W::Block::LENGTH as u64;
        let bits = chain.blocks.wrapping_mul(block).wrapping_add(8 * length as u64);
        let (words, _) = W::Block::flatten(end).as_chunks_mut::<8>();
        let word = &mut words[length / 8];
        *word = (u64::from_le_bytes(*word) | 0x80 << (8 * (length % 8))).to_le_bytes();
        if let Some(last) = words.last_mut() {
            *last = bits.to_be_bytes();
        }
        // The rest of a block adds nothing to the upper half, because a block has a power of two of bits.
        if let (64, [.., upper, _]) = (W::BITS, words) {
            *upper = (chain.blocks >> (u64::BITS - block.trailing_zeros())).to_be_bytes();
        }
    }

    #[inline]
    fn wipe(chain: &mut Chain<W>) {
        W::wipe(&mut chain.h);
    }
}

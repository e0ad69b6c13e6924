//! BLAKE2's compression function F ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2): what goes in and
//! out, and its arithmetic over vectors, for one message and for many. All that tells the two flavours apart is in
//! their [`Word`].

use core::fmt;
use core::ops::BitXor;

pub(crate) use self::lanes::compress_lanes;
pub(crate) use self::rows::{Rows, compress_rows};
use super::Words;

mod lanes;
mod rows;

/// The message word permutations of RFC 7693, section 2.7. Round `r` takes row `r mod 10`.
pub(crate) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The word of a flavour, and what else F takes from RFC 7693, section 2.1 and 2.6.
pub trait Word: Copy + Eq + BitXor<Output = Self> + Send + Sync + 'static {
    /// Eight words, little-endian: a chaining value, a digest or a parameter block.
    type Bytes: Copy;
    /// Sixteen words, little-endian: what is compressed at a time.
    type Block: Copy + AsRef<[u8]>;

    /// Bytes of a block.
    const BLOCK: usize;
    const ROUNDS: usize;
    /// R1 to R4, by which G rotates.
    const ROTATIONS: [u32; 4];
    /// The initialisation vector.
    const IV: [Self; 8];
    const ZERO: Self;
    const ONES: Self;

    /// Word `i` of `block`.
    fn load(block: &Self::Block, i: usize) -> Self;
    fn from_bytes(bytes: &Self::Bytes) -> [Self; 8];
    fn to_bytes(words: [Self; 8]) -> Self::Bytes;
    /// The lower and the upper half of the counter. It has two words; more of `count` does not count.
    fn halves(count: u128) -> [Self; 2];
    /// Blocks that can follow until the lower half of a counter that is at `count` is about to carry, and one more
    /// that may.
    fn blocks_to_carry(count: u128) -> u64;
    /// Overwrites words with zeros: with feature `zeroize` only.
    fn wipe(words: &mut [Self; 8]);
    /// Modulo 2^32 or 2^64.
    fn add(self, rhs: Self) -> Self;
    fn ror(self, bits: u32) -> Self;
}

/// Implements [`Word`] for an unsigned integer.
macro_rules! word {
    ($word:ident, block: $block:literal, rounds: $rounds:literal, rotations: $rotations:expr, iv: $iv:expr) => {
        impl $crate::kernel::blake2::Word for $word {
            type Bytes = [u8; $block / 2];
            type Block = [u8; $block];

            const BLOCK: usize = $block;
            const ROUNDS: usize = $rounds;
            const ROTATIONS: [u32; 4] = $rotations;
            const IV: [Self; 8] = $iv;
            const ZERO: Self = 0;
            const ONES: Self = !0;

            #[inline(always)]
            fn load(block: &[u8; $block], i: usize) -> Self {
                Self::from_le_bytes(block.as_chunks().0[i])
            }

            #[inline]
            fn from_bytes(bytes: &[u8; $block / 2]) -> [Self; 8] {
                core::array::from_fn(|i| Self::from_le_bytes(bytes.as_chunks().0[i]))
            }

            #[inline]
            fn to_bytes(words: [Self; 8]) -> [u8; $block / 2] {
                let mut bytes = [0; $block / 2];
                for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                    *to = word.to_le_bytes();
                }
                bytes
            }

            #[allow(clippy::cast_possible_truncation, reason = "each half has as many bits")]
            #[inline(always)]
            fn halves(count: u128) -> [Self; 2] {
                [count as Self, (count >> Self::BITS) as Self]
            }

            #[inline]
            fn blocks_to_carry(count: u128) -> u64 {
                let [first, _] = Self::halves(count.wrapping_add($block));
                u64::from((Self::MAX - first) / $block + 1)
            }

            #[inline]
            fn wipe(words: &mut [Self; 8]) {
                #[cfg(feature = "zeroize")]
                zeroize::Zeroize::zeroize(words);
                #[cfg(not(feature = "zeroize"))]
                let _ = words;
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                self.wrapping_add(rhs)
            }

            #[inline(always)]
            fn ror(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }
        }
    };
}
pub(super) use word;

/// What the last of the blocks handed to a compression is to its message and to its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// More of the message follows.
    Not,
    /// The last block of a message: sets the finalisation flag `f0`.
    Block,
    /// The last block of the last node at its depth of a tree: sets `f0` and `f1`.
    Node,
}

impl Last {
    /// The finalisation flags `f0` and `f1`.
    #[inline(always)]
    pub(crate) fn flags<W: Word>(self) -> [W; 2] {
        match self {
            Last::Not => [W::ZERO, W::ZERO],
            Last::Block => [W::ONES, W::ZERO],
            Last::Node => [W::ONES, W::ONES],
        }
    }
}

/// What one block hands to the next: the chaining value, and the count of message bytes so far.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chain<W> {
    pub(crate) h: [W; 8],
    pub(crate) count: u128,
}

/// Says nothing: a chaining value can be turned into the digest of any continuation of the message.
impl<W> fmt::Debug for Chain<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").finish_non_exhaustive()
    }
}

impl<W: Word> Chain<W> {
    /// Before the first block of a message with this parameter block.
    #[inline]
    pub(crate) fn new(parameter_block: &W::Bytes) -> Self {
        let mut h = W::from_bytes(parameter_block);
        for (h, iv) in h.iter_mut().zip(W::IV) {
            *h = *h ^ iv;
        }
        Self { h, count: 0 }
    }

    /// The chaining value: the digest, if the last block was compressed.
    #[inline]
    pub(crate) fn to_bytes(self) -> W::Bytes {
        W::to_bytes(self.h)
    }
}

/// What an instruction set answers for the flavour of BLAKE2 that has the word `W`.
pub(crate) trait Compress<W: Word>: Copy {
    /// Compresses all `blocks` into `chain` and adds their bytes to its count, each block's before it is compressed.
    ///
    /// `last` speaks of the last of them. The zeros that fill up a last block must not be counted: the caller takes
    /// their number from the count beforehand.
    fn compress(self, chain: &mut Chain<W>, blocks: &[W::Block], last: Last);

    /// Messages at most that [`compress_lanes`](Self::compress_lanes) takes side by side.
    const LANES: usize;

    /// Compresses a run of up to `LANES` messages, each as [`compress`](Self::compress) would.
    ///
    /// No count may carry from its lower into its upper half after the first block: see [`Word::blocks_to_carry`].
    fn compress_lanes(self, run: Run<'_, W>);
}

/// Messages side by side.
pub(crate) type Run<'a, W> = super::Run<'a, Chain<W>, <W as Word>::Block, Last>;

/// Four words that are one row of a 4 × 4 state, of columns 0, 2, 1 and 3.
pub(crate) trait Row<W: Word>: Words<W, 4> {
    /// Whether turns are so slow that it is worth one more addition to begin them a cycle earlier.
    const AHEAD: bool = false;

    /// The words of `block` at `places`, each loaded from memory.
    ///
    /// Unless `SETTLED`, the block may have been written just before, so no load should be wider than a word: it would
    /// wait until the narrower stores it spans have reached the cache.
    fn gather<const SETTLED: bool>(token: Self::Token, block: &W::Block, places: [usize; 4]) -> Self;
    /// The same as `new` for words in memory, which may have been written just before.
    #[inline(always)]
    fn join(token: Self::Token, words: [W; 4]) -> Self {
        Self::new(token, words)
    }
    /// Moves the word of column `(i + N) % 4` to column `i`.
    fn turn<const N: usize>(self) -> Self;
    /// All rounds of a block, for those who know a better order of instructions than the compiler's.
    #[inline(always)]
    fn rounds<const SETTLED: bool>(token: Self::Token, rows: &mut Rows<W, Self>, block: &W::Block) {
        rows.rounds::<SETTLED>(token, block);
    }
}

/// The row of the initialisation vector that the counter and the flags go into, with both.
#[inline(always)]
pub(crate) fn row_d<W: Word>(count: u128, flags: [W; 2]) -> [W; 4] {
    let [low, high] = W::halves(count);
    [W::IV[4] ^ low, W::IV[5] ^ high, W::IV[6] ^ flags[0], W::IV[7] ^ flags[1]]
}

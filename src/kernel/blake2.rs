//! BLAKE2's compression function F ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2): its arguments,
//! its result, and its arithmetic over vectors, for one message and for many. The flavours differ in their
//! [`Constants`] alone.

use core::fmt;

use digest::array::ArraySize;
use digest::consts::U1;

pub(crate) use self::lanes::compress_lanes;
pub(crate) use self::rows::{Row, Rows, compress_rows};
use super::g::G;
use super::{Block, ChainState, Function, Word};

mod lanes;
pub(crate) mod rows;

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

/// The constants of a flavour (RFC 7693, section 2.1 and 2.6).
pub trait Constants: Function<Chain = Chain<Self::Word>, Block = <Self::Word as Word>::Block, Last = Last> {
    type Word: G<Digest = Self::Digest>;
    /// Eight words: a digest, a key or the parameter block.
    type Digest: Block;
    /// Lanes at most on any backend.
    type Lanes: ArraySize;

    const ROUNDS: usize;
    /// The initialisation vector.
    const IV: [Self::Word; 8];
}

impl<F: Constants> Function for F {
    type Chain = Chain<F::Word>;
    type Block = <F::Word as Word>::Block;
    type Last = Last;
    type MaxLanes = F::Lanes;
    type MaxClosing = U1;

    const NOT_LAST: Last = Last::Not;

    /// Only the first block of a run may carry into the upper counter word.
    #[inline]
    fn longest_run(chain: &Chain<F::Word>) -> usize {
        let block = F::Block::LENGTH as u128;
        let first = F::Word::truncate(chain.count.wrapping_add(block)).widen();
        let left = F::Word::ONES.widen() - first;
        usize::try_from(left / F::Block::LENGTH as u64 + 1).unwrap_or(usize::MAX)
    }

    #[inline]
    fn closing(_: usize) -> usize {
        1
    }

    /// The zeros that fill up the last block must not be counted, so their number is taken from the count beforehand.
    #[inline]
    fn close(chain: &mut Chain<F::Word>, _: &mut [F::Block], length: usize) {
        debug_assert!(length <= F::Block::LENGTH);
        chain.count = chain.count.wrapping_sub((F::Block::LENGTH - length) as u128);
    }

    #[inline]
    fn wipe(chain: &mut Chain<F::Word>) {
        F::Word::wipe(&mut chain.h);
    }
}

/// The place of a run's last block in its message and its tree.
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

/// The state that one block hands to the next: the chaining value, and the count of message bytes so far.
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

impl<W: Word> ChainState for Chain<W> {
    const UNUSED: Self = Self { h: [W::ZERO; 8], count: 0 };

    #[inline(always)]
    fn copy_by_words(&self, word: impl Fn(u64) -> u64) -> Self {
        Self { h: self.h.map(|h| W::truncate(word(h.widen()).into())), count: self.count }
    }
}

impl<W: Word> Chain<W> {
    /// Before the first block of a message with this parameter block.
    #[inline]
    pub(crate) fn new<F: Constants<Word = W>>(parameter_block: &W::Digest) -> Self {
        let mut h = W::from_bytes(parameter_block);
        for (h, iv) in h.iter_mut().zip(F::IV) {
            *h = *h ^ iv;
        }
        Self { h, count: 0 }
    }

    /// The chaining value: the digest, if the last block was compressed.
    #[inline]
    pub(crate) fn to_bytes(self) -> W::Digest {
        W::to_bytes(self.h)
    }
}

/// The lower and the upper half of the counter. The counter has two words; higher bits of `count` do not count.
#[inline(always)]
pub(crate) fn halves<W: Word>(count: u128) -> [W; 2] {
    [W::truncate(count), W::truncate(count >> W::BITS)]
}

/// The row of the initialisation vector that the counter and the flags go into, with both.
#[inline(always)]
pub(crate) fn row_d<F: Constants>(count: u128, flags: [F::Word; 2]) -> [F::Word; 4] {
    let [low, high] = halves(count);
    [F::IV[4] ^ low, F::IV[5] ^ high, F::IV[6] ^ flags[0], F::IV[7] ^ flags[1]]
}

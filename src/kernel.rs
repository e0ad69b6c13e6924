//! The arithmetic of the hashes, written once over the vectors of any instruction set.
//!
//! Everything here is safe and knows no instruction set: a kernel is `#[inline(always)]` and generic over a vector
//! type, so it is compiled for the features of the function it is inlined into.
#![forbid(unsafe_code)]

use core::ops::RangeInclusive;

use digest::array::ArraySize;
use digest::typenum::Unsigned;

#[cfg(any(feature = "std", feature = "blake3", all(feature = "alloc", feature = "blake2")))]
pub(crate) use self::word::wipe_all;
pub(crate) use self::word::{Block, Word, wipe};

#[cfg(feature = "blake2")]
pub(crate) mod blake2;
#[cfg(feature = "blake2")]
pub(crate) mod blake2b;
#[cfg(feature = "blake2")]
pub(crate) mod blake2s;
#[cfg(feature = "blake3")]
pub(crate) mod blake3;
#[cfg(any(feature = "blake2", feature = "blake3"))]
pub(crate) mod g;
#[cfg(all(test, target_arch = "x86_64", feature = "blake2", feature = "blake3", feature = "sha2"))]
mod layouts;
#[cfg(feature = "sha2")]
pub(crate) mod sha2;
#[cfg(feature = "sha2")]
pub(crate) mod sha256;
#[cfg(feature = "sha2")]
pub(crate) mod sha512;
mod word;

/// The compression function of a hash, as a type: its arguments, its result, and the way a message is closed.
pub trait Function: Copy + 'static {
    /// The state that one block hands to the next.
    type Chain: ChainState;
    /// The bytes that are compressed at a time.
    type Block: Block;
    /// The place of a run's last block in its message.
    type Last: Copy;
    /// Lanes at most on any backend: 1 to 16.
    type MaxLanes: ArraySize;
    /// Blocks at most that close a message, 1 or 2. If 2, a message that ends with a whole block
    /// [is closed by one more](closes_whole_blocks).
    type MaxClosing: ArraySize;

    /// The message goes on after this run.
    const NOT_LAST: Self::Last;

    /// Blocks at most that one run may have for this message.
    fn longest_run(chain: &Self::Chain) -> usize;

    /// Blocks that close a message of which `length` bytes are left, at most a block. The number never falls as `length`
    /// grows. For a whole block it is [`MaxClosing`](Self::MaxClosing).
    fn closing(length: usize) -> usize;

    /// Makes of the last `length` bytes of a message, with zeros after them, the blocks that close it. All blocks
    /// before them are compressed. `end` has [`closing(length)`](Self::closing) blocks. It stays as it is where no
    /// message [is closed by one more](closes_whole_blocks).
    fn close(chain: &mut Self::Chain, end: &mut [Self::Block], length: usize);

    /// Overwrites a chaining value with zeros: with feature `zeroize` only.
    fn wipe(chain: &mut Self::Chain);
}

/// The state that one block hands to the next, as memory.
pub trait ChainState: Copy {
    /// Fills lanes that were never used.
    const UNUSED: Self;

    /// A copy, every word of which goes through `word`.
    fn copy_by_words(&self, word: impl Fn(u64) -> u64) -> Self;
}

/// Whether a message that ends with a whole block is closed by one more. Otherwise that block is the last.
#[inline(always)]
pub(crate) const fn closes_whole_blocks<H: Function>() -> bool {
    <H::MaxClosing as Unsigned>::USIZE == 2
}

/// A fact that a lane kernel may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Nothing,
    /// All messages begin with equal chaining values. In BLAKE2, [`Last`](Function::Last) and the upper counter words are
    /// equal, too; only the lower counter words differ. BLAKE3's kernels do not ask: messages that are alike are
    /// groups.
    Alike,
    /// As [`Alike`](Self::Alike); each message has one block, whose upper half is zeros.
    Half,
}

impl Known {
    /// For messages that are alike, each of `longest` bytes at most and closed by equally many blocks.
    #[inline]
    pub(crate) fn alike<B: Block>(longest: usize) -> Self {
        if longest > B::LENGTH / 2 { Self::Alike } else { Self::Half }
    }
}

/// How an instruction set computes several messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
pub enum Sides {
    /// One after the other.
    Alone,
    /// Up to so many at a time by the extension.
    Streams(usize),
    /// As [`Streams`](Self::Streams), on a CPU that itself begins the next message before one has ended.
    Overlapping(usize),
    /// As [`Streams`](Self::Streams), on a CPU that begins the next message before a short one has ended.
    OverlappingShort(usize),
    /// Up to so many in vector registers, a lane each. A block in all lanes takes this number of tenths of one block alone.
    Lanes(usize, u64),
    /// As [`Lanes`](Self::Lanes), where one message alone lies in vector registers too, in rows.
    Rows(usize),
    /// Two, both in rows.
    Pair,
    /// Up to so many in a kernel for their number.
    Groups(usize),
}

impl Sides {
    /// Messages that the extension computes at a time, if it does.
    #[inline]
    pub(crate) fn by_extension(self) -> Option<usize> {
        match self {
            Self::Streams(n) | Self::Overlapping(n) | Self::OverlappingShort(n) => Some(n),
            _ => None,
        }
    }
}

/// The answer of an instruction set for a function.
pub(crate) trait Compress<H: Function>: Copy {
    /// Compresses all `blocks` into `chain`; `last` describes the last of them.
    fn blocks(self, chain: &mut H::Chain, blocks: &[H::Block], last: H::Last);

    /// Messages at most that [`run`](Self::run) takes side by side.
    const LANES: usize;

    /// The way in which so many messages are computed, if it is another one than `dispatch!` names for the function. For
    /// one message it may be any.
    #[inline]
    fn sides(&self, _: usize) -> Option<Sides> {
        None
    }

    /// Compresses a run of up to `LANES` messages, each as [`blocks`](Self::blocks) would.
    ///
    /// The run must be no longer than [`Function::longest_run`] allows for each of the messages.
    fn run(self, run: Run<'_, H>);
}

/// Messages side by side, each in its lane, for as many blocks as the shortest has.
#[derive(Debug)]
pub struct Run<'a, H: Function> {
    /// Blocks of each message, at least one.
    pub(crate) count: usize,
    /// A message's next block is this many blocks further; 1 if its blocks lie together.
    pub(crate) stride: usize,
    /// At least one message.
    pub(crate) chains: &'a mut [H::Chain],
    /// The blocks of each message, from the first of this run.
    pub(crate) blocks: &'a [&'a [H::Block]],
    /// The place of each message's last block in its message.
    pub(crate) last: &'a [H::Last],
    /// A fact about all of these messages.
    pub(crate) hint: Known,
    /// If the messages are whole: BLAKE2 alone takes such runs.
    pub(crate) ends: Option<&'a Ends<'a, H>>,
}

/// The ends of whole messages. The run's `blocks` are those of each message before its last.
///
/// ```text
///   lane 0  ████████████████▒    ▒ = the last block of a message, which may lie elsewhere
///   lane 1  ████████████▒░░░░    ░ = blocks of the first message: the results are dropped
///   lane 2  ████████▒░░░░░░░░
/// ```
///
/// Messages with the most blocks come first. The run's `count` is the number of blocks of the first message, the last
/// included, `stride` is 1, and `last` is the same for all.
#[derive(Debug)]
pub(crate) struct Ends<'a, H: Function> {
    /// The chain before every message. No count carries into its upper half. The run's `chains` have the count of this
    /// one less the zeros that fill up the last block, as [`Function::close`] takes them off, and any chaining values.
    /// They get those of the messages, and keep the counts.
    pub(crate) start: &'a H::Chain,
    pub(crate) blocks: &'a [&'a H::Block],
}

/// Bytes of a message in a run for which the next messages are fetched meanwhile. Fewer are most often those that close
/// a message, which were just written. If there are more, the CPU fetches most by itself, and those fetched would leave
/// the caches before they are used.
pub(crate) const FETCHED: RangeInclusive<usize> = 256..=8192;

impl<H: Function> Run<'_, H> {
    /// Bytes from the block of a message to that of the next message for the same lane of `lanes`, if it is to be
    /// fetched: if the messages seem to lie at about equal distances, as rows of a column do. If the next ones do not,
    /// something is fetched in vain.
    #[inline(always)]
    pub(crate) fn ahead(&self, lanes: usize) -> Option<usize> {
        if self.blocks.len() != lanes || self.stride != 1 || !FETCHED.contains(&(self.count * H::Block::LENGTH)) {
            return None;
        }
        let behind = |i: usize| self.blocks[i].as_ptr().addr().wrapping_sub(self.blocks[0].as_ptr().addr());
        let step = behind(1);
        // Not whether they are equal: a proof would then know an address by two names.
        let more = behind(lanes - 1).wrapping_sub(step.wrapping_mul(lanes - 1));
        (more < 64).then_some(step.wrapping_mul(lanes))
    }

    /// Whether up to `lanes` messages are there, each with all of its blocks, and no count carries on the way: kernels rely
    /// on this.
    pub(crate) fn keeps_contract(&self, lanes: usize) -> bool {
        let live = self.chains.len();
        if let Some(Ends { start, blocks }) = self.ends {
            return (1..=lanes).contains(&live)
                && (self.blocks.len(), self.last.len(), blocks.len()) == (live, live, live)
                && self.blocks.is_sorted_by(|a, b| a.len() >= b.len())
                && (self.count, self.stride) == (self.blocks[0].len() + 1, 1)
                && self.count <= H::longest_run(start);
        }
        let reach = self.count.saturating_sub(1).checked_mul(self.stride);
        (1..=lanes).contains(&live)
            && (self.blocks.len(), self.last.len()) == (live, live)
            && self.count > 0
            && self.stride > 0
            && reach.is_some_and(|last| self.blocks.iter().all(|blocks| last < blocks.len()))
            && self.chains.iter().all(|chain| self.count <= H::longest_run(chain))
    }
}

/// A vector of `L` words `W`, 32 or 64 bits each, each with its own sum, exclusive or and rotation.
pub(crate) trait Words<W, const L: usize>: Copy {
    /// Proves that the CPU has the vector's instructions.
    type Token: Copy;

    fn new(token: Self::Token, words: [W; L]) -> Self;
    fn words(self) -> [W; L];
    /// Words `i L` to `i L + L` of `bytes`, little-endian.
    fn load(token: Self::Token, bytes: &[u8], i: usize) -> Self;
    /// Has the CPU fetch what lies `ahead` bytes behind the first of `bytes`, whether or not there is anything.
    #[inline(always)]
    fn fetch_ahead(_: &[u8], _: usize) {}
    /// Word by word, modulo 2^32 or 2^64.
    fn add(self, rhs: Self) -> Self;
    fn xor(self, rhs: Self) -> Self;
    /// Rotates every word by `bits`, a constant, towards its low end.
    fn ror(self, bits: u32) -> Self;
}

/// Blocks 0, `stride`, ... of each message, a message a lane, `count` of them and at least one. Lanes without a message
/// have the last one.
///
/// All lanes are of one length, so that the bounds are checked here and not in a loop over the blocks.
#[inline(always)]
pub(crate) fn lanes_of<'a, B, const L: usize>(messages: &[&'a [B]], count: usize, stride: usize) -> [&'a [B]; L] {
    let mut lanes = [&[][..]; L];
    for (l, lane) in lanes.iter_mut().enumerate() {
        *lane = &messages[l.min(messages.len() - 1)][..(count - 1) * stride + 1];
    }
    lanes
}

/// Block `i` of each lane.
#[inline(always)]
pub(crate) fn block_of_each<'a, B, const L: usize>(lanes: &[&'a [B]; L], i: usize) -> [&'a B; L] {
    let mut blocks = [&lanes[0][i]; L];
    for l in 1..L {
        blocks[l] = &lanes[l][i];
    }
    blocks
}

/// The bytes of these blocks.
#[inline(always)]
pub(crate) fn bytes_of_each<B: Block, const L: usize>(blocks: [&B; L]) -> [&[u8]; L] {
    let mut bytes = [&[][..]; L];
    for l in 0..L {
        bytes[l] = blocks[l].bytes();
    }
    bytes
}

/// `L` words that belong to as many messages.
pub(crate) trait Lanes<W, const L: usize>: Words<W, L> {
    /// Word `j` of vector `i` becomes word `i` of vector `j`.
    fn transpose(vectors: [Self; L]) -> [Self; L];

    /// Words `i L` to `i L + L` of each message, word by word: word `l` of every vector is of message `l`.
    #[inline(always)]
    fn load_words(token: Self::Token, messages: [&[u8]; L], i: usize, to: &mut [Self]) {
        let mut rows = [Self::load(token, messages[0], i); L];
        for l in 1..L {
            rows[l] = Self::load(token, messages[l], i);
        }
        to.copy_from_slice(&Self::transpose(rows));
    }
}

/// Has the compiler align the stack to lines of the cache, in the function that this is inlined into.
///
/// It does so by itself for vectors that lie in memory, and not for vectors that it only keeps there for want of
/// registers. Every second one of these crosses a line, if the caller's stack lies so.
#[inline(always)]
pub(crate) fn align_stack<V>() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "its place counts")] u8);

    if const { size_of::<V>() > 16 } {
        core::hint::black_box(&mut Line(0));
    }
}

#[cfg(all(test, feature = "sha2"))]
mod tests {
    use super::sha256::{Chain, Sha256Function};
    use super::*;

    fn ahead(blocks: &[&[[u8; 64]]], count: usize, lanes: usize) -> Option<usize> {
        let mut chains = [Chain::new([0; 8]); 8];
        let last = [Sha256Function::NOT_LAST; 8];
        let (chains, last) = (&mut chains[..blocks.len()], &last[..blocks.len()]);
        let hint = Known::Nothing;
        Run::<Sha256Function> { count, stride: 1, chains, blocks, last, hint, ends: None }.ahead(lanes)
    }

    #[test]
    fn the_contract_of_a_run() {
        let blocks = [[0; 64]; 9];
        let keeps = |count, stride, lengths: &[usize], chains, last| {
            let blocks: std::vec::Vec<_> = lengths.iter().map(|length| &blocks[..*length]).collect();
            let (chains, last) = (&mut [Chain::new([0; 8]); 9][..chains], &[Sha256Function::NOT_LAST; 9][..last]);
            let hint = Known::Nothing;
            Run::<Sha256Function> { count, stride, chains, blocks: &blocks, last, hint, ends: None }.keeps_contract(4)
        };
        assert!(keeps(3, 1, &[3, 4], 2, 2) && keeps(3, 4, &[9, 9], 2, 2) && keeps(1, 9, &[1; 4], 4, 4));
        assert!(!keeps(1, 1, &[], 0, 0) && !keeps(1, 1, &[1; 5], 5, 5), "none, more than lanes");
        assert!(!keeps(1, 1, &[1], 2, 2) && !keeps(1, 1, &[1, 1], 2, 1), "not one for each");
        assert!(!keeps(0, 1, &[1], 1, 1) && !keeps(1, 0, &[1], 1, 1), "no blocks");
        assert!(!keeps(4, 1, &[4, 3], 2, 2) && !keeps(3, 4, &[9, 8], 2, 2), "too few blocks");
        assert!(!keeps(usize::MAX, 3, &[9], 1, 1), "more than can be counted");
    }

    #[test]
    fn rows_at_equal_distances_are_fetched() {
        let column = [[0; 64]; 8 * 160];
        let rows: [_; 8] = core::array::from_fn(|i| &column[i * 160..][..160]);
        assert_eq!(ahead(&rows, 16, 8), Some(8 * 160 * 64));
        assert_eq!((ahead(&rows, 3, 8), ahead(&rows, 160, 8), ahead(&rows[..7], 16, 8)), (None, None, None));
        let mut down = rows;
        down.reverse();
        assert_eq!(ahead(&down, 16, 8), Some((8 * 160 * 64_usize).wrapping_neg()));
        let mut elsewhere = rows;
        elsewhere.swap(1, 5);
        assert_eq!(ahead(&elsewhere, 16, 8), None);
    }
}

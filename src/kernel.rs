//! The arithmetic of the hashes, written once over what an instruction set's vectors can do.
//!
//! Everything here is safe and knows no instruction set: a kernel is `#[inline(always)]` and generic over a vector
//! type, so it is compiled for the features of the function it is inlined into.
#![forbid(unsafe_code)]

pub(crate) mod blake2;
pub(crate) mod blake2b;

/// A vector of `L` 64-bit words, each with its own sum, exclusive or and rotation.
pub(crate) trait U64s<const L: usize>: Copy {
    /// Proves that the CPU can do what this vector does.
    type Token: Copy;

    fn new(token: Self::Token, words: [u64; L]) -> Self;
    fn words(self) -> [u64; L];
    /// Word by word, modulo 2^64.
    fn add(self, rhs: Self) -> Self;
    fn xor(self, rhs: Self) -> Self;
    /// Rotates every word by `N` bits towards its low end.
    fn ror<const N: u32>(self) -> Self;
}

/// Four words that are one row of a 4 × 4 state, of columns 0, 2, 1 and 3.
pub(crate) trait Row64: U64s<4> {
    /// Whether turns are so slow that it is worth one more addition to begin them a cycle earlier.
    const AHEAD: bool;

    /// The little-endian words of `block` at `places`, each loaded from memory.
    ///
    /// Unless `SETTLED`, the block may have been written just before, so no load should be wider than a word: it would
    /// wait until the narrower stores it spans have reached the cache.
    fn gather<const SETTLED: bool>(token: Self::Token, block: &[u8; 128], places: [usize; 4]) -> Self;
    /// The `words` at `places`, which may have been written just before.
    #[inline(always)]
    fn load(token: Self::Token, words: &[u64; 8], places: [usize; 4]) -> Self {
        Self::new(token, places.map(|place| words[place]))
    }
    /// Moves the word of column `(i + N) % 4` to column `i`.
    fn turn<const N: usize>(self) -> Self;
}

/// `L` words that belong to as many messages.
pub(crate) trait Lanes64<const L: usize>: U64s<L> {
    /// Word `j` of vector `i` becomes word `i` of vector `j`.
    fn transpose(vectors: [Self; L]) -> [Self; L];
    /// Has the compiler compute four vectors before anything that needs one of them. The values stay.
    #[inline(always)]
    fn together(vectors: [Self; 4]) -> [Self; 4] {
        vectors
    }
}

/// Little-endian word `i` of `block`.
#[inline(always)]
pub(crate) fn word64(block: &[u8; 128], i: usize) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    u64::from_le_bytes(words[i])
}

/// What a lane kernel may rely on, to spare work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Any,
    /// They begin alike: the chains are the same but for the lower half of the count, and so is what is last.
    Alike,
    /// The same, and there is one block of each message, of which the upper half is zeros.
    Half,
}

/// Messages side by side, each in its lane, for as many blocks as the shortest has: what a lane kernel is given.
#[derive(Debug)]
pub struct Run<'a, Chain, Block, Last> {
    /// Blocks of each message, at least one.
    pub(crate) count: usize,
    /// A message's next block is this many further; 1 if its blocks lie together.
    pub(crate) stride: usize,
    /// At least one message.
    pub(crate) chains: &'a mut [Chain],
    /// Where each message's blocks begin.
    pub(crate) blocks: &'a [&'a [Block]],
    /// What each message's last block of this run is.
    pub(crate) last: &'a [Last],
    /// What else is known of these messages.
    pub(crate) kind: Kind,
}

//! The arithmetic of the hashes, written once over what an instruction set's vectors can do.
//!
//! Everything here is safe and knows no instruction set: a kernel is `#[inline(always)]` and generic over a vector
//! type, so it is compiled for the features of the function it is inlined into.
#![forbid(unsafe_code)]

pub(crate) mod blake2;
pub(crate) mod blake2b;
pub(crate) mod blake2s;

/// A vector of `L` words `W`, 32 or 64 bits each, each with its own sum, exclusive or and rotation.
pub(crate) trait Words<W, const L: usize>: Copy {
    /// Proves that the CPU can do what this vector does.
    type Token: Copy;

    fn new(token: Self::Token, words: [W; L]) -> Self;
    fn words(self) -> [W; L];
    /// Words `i L` to `i L + L` of `bytes`, little-endian.
    fn load(token: Self::Token, bytes: &[u8], i: usize) -> Self;
    /// Word by word, modulo 2^32 or 2^64.
    fn add(self, rhs: Self) -> Self;
    fn xor(self, rhs: Self) -> Self;
    /// Rotates every word by `bits`, a constant, towards its low end.
    fn ror(self, bits: u32) -> Self;
}

/// `L` words that belong to as many messages.
pub(crate) trait Lanes<W, const L: usize>: Words<W, L> {
    /// Word `j` of vector `i` becomes word `i` of vector `j`.
    fn transpose(vectors: [Self; L]) -> [Self; L];
    /// Has the compiler compute four vectors before anything that needs one of them. The values stay.
    #[inline(always)]
    fn together(vectors: [Self; 4]) -> [Self; 4] {
        vectors
    }
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

//! BLAKE3's compression function ([the paper](https://github.com/BLAKE3-team/BLAKE3-specs), section 2.2): its arguments,
//! its result, and its arithmetic over vectors, for one message, for two, and for many.

use core::fmt;

use digest::consts::{U1, U16};

pub(crate) use self::lanes::{compress_lanes, equal_lanes, group_lanes, output_lanes};
pub(crate) use self::rows::{
    Row, Rows, TURN_1, TURN_2, TURN_3, compress_row, compress_rows, group_rows, order, output_rows,
};
use super::{ChainState, Compress, Function, Word};

mod lanes;
mod rows;

/// The compression function of BLAKE3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Blake3Function {}

/// The initialisation vector: SHA-256's, and the key of plain hashing.
pub(crate) const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The flags of a block (the paper, table 3).
pub(crate) mod flag {
    pub(crate) const CHUNK_START: u8 = 1;
    pub(crate) const CHUNK_END: u8 = 1 << 1;
    pub(crate) const PARENT: u8 = 1 << 2;
    pub(crate) const ROOT: u8 = 1 << 3;
    pub(crate) const KEYED_HASH: u8 = 1 << 4;
    pub(crate) const DERIVE_KEY_CONTEXT: u8 = 1 << 5;
    pub(crate) const DERIVE_KEY_MATERIAL: u8 = 1 << 6;
}

/// Inputs at most that a backend takes side by side.
pub(crate) const MAX_INPUTS: usize = 16;

/// The state that one block of a chunk, or of a parent, hands to the next.
///
/// The counter comes last, or the compiler would read the fields after it together with it. Such a load waits where they
/// were just written one by one. All bytes are fields: implicit padding is copied together with the field behind, by
/// loads that begin inside it. The zeros are between other bytes, or a store of zeros would cover a part of a word beside.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Chain {
    /// The chaining value.
    pub(crate) h: [u32; 8],
    /// The flags of every block.
    pub(crate) flags: u8,
    /// Zeros.
    pub(crate) padding: [u8; 5],
    /// Bytes that the last block lacks.
    pub(crate) missing: u8,
    /// The flags of the next block in addition.
    pub(crate) first: u8,
    /// The chunk's place in the message; 0 for a parent.
    pub(crate) counter: u64,
}

/// Says nothing: a chaining value may be secret.
impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").finish_non_exhaustive()
    }
}

impl Chain {
    /// Before the first block of a chunk.
    #[inline]
    pub(crate) const fn chunk(key: [u32; 8], counter: u64, flags: u8) -> Self {
        Self { h: key, counter, flags, first: flag::CHUNK_START, missing: 0, padding: [0; 5] }
    }
}

impl ChainState for Chain {
    const UNUSED: Self = Self { h: [0; 8], counter: 0, flags: 0, first: 0, missing: 0, padding: [0; 5] };

    #[inline(always)]
    fn copy_by_words(&self, word: impl Fn(u64) -> u64) -> Self {
        Self { h: self.h.map(|h| <u32 as Word>::truncate(word(h.into()).into())), ..*self }
    }
}

impl Function for Blake3Function {
    type Chain = Chain;
    type Block = [u8; 64];
    /// The flags of the run's last block in addition.
    type Last = u8;
    type MaxLanes = U16;
    type MaxClosing = U1;

    const NOT_LAST: u8 = 0;

    #[inline]
    fn longest_run(_: &Chain) -> usize {
        usize::MAX
    }

    #[inline]
    fn closing(_: usize) -> usize {
        1
    }

    #[inline]
    fn close(chain: &mut Chain, _: &mut [[u8; 64]], length: usize) {
        #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
        let missing = (64 - length) as u8;
        chain.missing = missing;
    }

    #[inline]
    fn wipe(chain: &mut Chain) {
        u32::wipe(&mut chain.h);
    }
}

/// Inputs that begin with one key: chunks, parents, or messages of a chunk.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) key: &'a [u32; 8],
    /// The flags of every block.
    pub(crate) flags: u8,
    /// The flags of the first block in addition. No flag is in two of `flags`, `first` and `last`, which lanes
    /// combine by exclusive or, and rows by or.
    pub(crate) first: u8,
    /// The flags of each input's last block in addition.
    pub(crate) last: &'a [u8; MAX_INPUTS],
    /// Bytes in each input's last block.
    pub(crate) lengths: &'a [u8; MAX_INPUTS],
    /// Each input's counter.
    pub(crate) counters: &'a [u64; MAX_INPUTS],
    /// Blocks of each input, at least one; of no meaning in a group of mixed lengths.
    pub(crate) count: usize,
    /// At least one and at most as many as the backend has lanes, each of `count` blocks or more; in a group of mixed
    /// lengths, the blocks before the last.
    pub(crate) inputs: &'a [&'a [[u8; 64]]],
    /// The ends of inputs that have blocks of their own number, the last of which lies elsewhere.
    pub(crate) ends: Option<&'a Ends<'a>>,
    /// Whether the bytes behind these inputs, one after the other, are worth fetching.
    pub(crate) followed: bool,
    /// The chaining value after each input.
    pub(crate) outputs: &'a mut [[u8; 32]],
}

/// The last blocks of a group of mixed lengths.
#[derive(Debug)]
pub(crate) struct Ends<'a> {
    /// The number of blocks of each input before its last. Places without an input have that of the first.
    pub(crate) counts: [u8; MAX_INPUTS],
    pub(crate) blocks: [&'a [u8; 64]; MAX_INPUTS],
}

/// The least of these counts of blocks, of those from `begin` on and less than `none`, if there is any.
#[inline(always)]
fn next_end<T: Copy + Ord + Into<usize>>(counts: &[T], begin: usize, none: T) -> Option<usize> {
    let mut next = none;
    for &count in counts {
        next = next.min(if count.into() < begin { none } else { count });
    }
    (next < none).then_some(next.into())
}

/// A single block: a parent, or a short message.
#[derive(Clone, Copy)]
pub(crate) struct SingleBlock<'a> {
    /// The chaining value before it.
    pub(crate) key: &'a [u32; 8],
    pub(crate) bytes: &'a [u8; 64],
    pub(crate) counter: u64,
    /// Bytes that count.
    pub(crate) length: u8,
    pub(crate) flags: u8,
}

/// A last block that is not compressed yet, since its place in the tree may be the root.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) h: [u32; 8],
    pub(crate) block: [u8; 64],
    pub(crate) counter: u64,
    /// Bytes in the block.
    pub(crate) length: u8,
    pub(crate) flags: u8,
}

impl Node {
    /// The block, with this counter.
    #[inline]
    pub(crate) fn numbered(&self, counter: u64) -> SingleBlock<'_> {
        let Self { h, block, length, flags, .. } = self;
        SingleBlock { key: h, bytes: block, counter, length: *length, flags: *flags }
    }
}

/// Says nothing: the node of a keyed hash is a secret.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}

/// The answer of an instruction set for groups and for long outputs.
pub(crate) trait CompressGroup: Compress<Blake3Function> {
    /// Compresses a group of up to `LANES` inputs.
    fn group(self, group: Group<'_>);

    /// The chaining value after a block. Unless `SETTLED`, it may have been written just before, by words of 64 bits: see
    /// `backend::reread`.
    ///
    /// Vector kernels take the fields in registers. From memory the compiler would read them by vectors, in wider pieces
    /// than they were just written in, and the CPU would wait.
    fn block<const SETTLED: bool>(self, block: SingleBlock<'_>) -> [u8; 32];

    /// Writes the root's output blocks from number `root.counter` on.
    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]);
}

/// The lower and the upper half of a counter.
#[inline(always)]
pub(crate) fn halves(counter: u64) -> [u32; 2] {
    [<u32 as Word>::truncate(counter.into()), <u32 as Word>::truncate((counter >> 32).into())]
}

/// Eight words as bytes.
#[inline(always)]
pub(crate) fn to_bytes(words: [u32; 8]) -> [u8; 32] {
    u32::to_bytes(words)
}

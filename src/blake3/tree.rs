//! The tree of a message: chunks of 1024 bytes are its leaves, and the chaining values of two neighbours make a parent.
//!
//! ```text
//!                 root             the left subtree of a node is complete, and the largest that leaves
//!            ┌─────┴─────┐         something for the right one
//!         parent         │
//!       ┌───┴───┐        │         a list of neighbouring subtrees becomes shorter by pairs; one that has no
//!     chunk   chunk    chunk       neighbour stays as it is
//! ```

use core::array;

use super::value::CHUNK_LEN;
use crate::backend::dispatch::{compress_block, compress_group, compress_settled_block};
use crate::backend::{Backend, Dispatch};
use crate::buffer::copy_words;
use crate::kernel::blake3::{Blake3Function, Chain, Ends, Group, MAX_INPUTS, Node, SingleBlock, flag, to_bytes};
use crate::kernel::{Block as _, Word, wipe};
use crate::lanes::ends::copy_rest;
use crate::stream::compress_message;

/// A chaining value: the digest of a subtree, or half of a parent's block.
pub(super) type Cv = [u8; 32];

/// Chunks that are gathered and hashed at a time: as many as the widest backend has lanes.
pub(super) const GROUP: usize = MAX_INPUTS;

/// Up to so many chunks have a list of this length: sixteen slices take longer to write.
const FEW: usize = 4;

/// The key, the flags of the mode, and the backend.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    /// Never copied: it may be a secret.
    pub(super) key: &'a [u32; 8],
    pub(super) flags: u8,
    pub(super) backend: Backend,
}

impl Base<'_> {
    /// Before the first block of chunk number `counter`.
    #[inline]
    pub(super) fn chunk(&self, counter: u64) -> Chain {
        Chain::chunk(*self.key, counter, self.flags)
    }

    /// The parent of two subtrees.
    pub(super) fn parent(&self, left: &Cv, right: &Cv) -> Node {
        Node { h: *self.key, block: joined(left, right), counter: 0, length: 64, flags: self.flags | flag::PARENT }
    }

    /// The digest of a whole message.
    #[inline]
    pub(super) fn hash(&self, message: &[u8]) -> Cv {
        if let Ok(block) = message.try_into() {
            return compress_settled_block(self.backend, self.whole(block, 64));
        }
        if let Ok(length @ ..64) = u8::try_from(message.len()) {
            let mut block = [0; 64];
            copy_words(&mut block, message);
            let cv = compress_block(self.backend, self.whole(&block, length));
            wipe(&mut block);
            return cv;
        }
        self.subtree(message, 0, flag::ROOT)
    }

    /// A message of one block.
    #[inline]
    fn whole<'b>(&'b self, bytes: &'b [u8; 64], length: u8) -> SingleBlock<'b> {
        let flags = self.flags | flag::CHUNK_START | flag::CHUNK_END | flag::ROOT;
        SingleBlock { key: self.key, bytes, counter: 0, length, flags }
    }

    /// The chaining value of a chunk of at most 1024 bytes, of which the last block has the flags `last`.
    ///
    /// Not inlined: LLVM would copy a kernel for its caller, which no proof knows.
    #[inline(never)]
    pub(super) fn hash_chunk(&self, chunk: &[u8], counter: u64, last: u8) -> Cv {
        let mut chain = self.chunk(counter);
        compress_message::<Blake3Function>(self.backend, &mut chain, &[], chunk, last);
        let cv = to_bytes(chain.h);
        u32::wipe(&mut chain.h);
        cv
    }

    /// The last node of a whole message, of any length.
    pub(super) fn node(&self, message: &[u8]) -> Node {
        if message.len() <= CHUNK_LEN {
            return self.chunk_node(message, 0);
        }
        let mut list = List::new();
        self.fill::<Serial>(&mut list, message, 0);
        self.last_parent(&mut list)
    }

    /// The last parent of these subtrees, at least two.
    pub(super) fn last_parent(&self, list: &mut List) -> Node {
        self.reduce(list);
        self.parent(&list.cvs[0], &list.cvs[1])
    }

    /// The last block of a chunk.
    pub(super) fn chunk_node(&self, chunk: &[u8], counter: u64) -> Node {
        let mut chain = self.chunk(counter);
        let (blocks, end) = match <[u8; 64]>::split(chunk) {
            ([blocks @ .., last], []) => (blocks, &last[..]),
            split => split,
        };
        if !blocks.is_empty() {
            Blake3Function::compress(self.backend, &mut chain, blocks, 0);
        }
        let node = last_block(&chain, end);
        u32::wipe(&mut chain.h);
        node
    }

    /// The chaining value of a subtree of any number of chunks, whose last block has the flags `last` in addition.
    #[inline]
    pub(super) fn subtree(&self, bytes: &[u8], counter: u64, last: u8) -> Cv {
        if bytes.len() <= CHUNK_LEN {
            return self.hash_chunk(bytes, counter, flag::CHUNK_END | last);
        }
        let mut list = List::new();
        self.fill::<Serial>(&mut list, bytes, counter);
        self.join(&mut list, last)
    }

    /// Fills `list` with up to sixteen subtrees that together are `bytes`.
    #[inline]
    pub(super) fn fill<J: Join>(&self, list: &mut List, bytes: &[u8], counter: u64) {
        list.length = self.subtrees::<J>((bytes, false), counter, &mut list.cvs);
    }

    /// The chaining value of these subtrees, at least two. The last parent has the flags `last` in addition.
    pub(super) fn join(&self, list: &mut List, last: u8) -> Cv {
        self.reduce(list);
        let flags = self.flags | flag::PARENT | last;
        let bytes = list.cvs.as_flattened().first_chunk().expect("two are a block");
        // Settled, as vectors wrote it.
        compress_settled_block(self.backend, SingleBlock { key: self.key, bytes, counter: 0, length: 64, flags })
    }

    /// Writes to `cvs` up to sixteen subtrees that together are the chunks of `bytes`, numbered from `counter` on, and
    /// tells how many. A larger tree is halved until there are that few. `followed` tells whether the bytes behind
    /// belong to the message too, and so are worth fetching.
    ///
    /// So all levels but the last four of the whole tree are compressed in full lanes.
    fn subtrees<J: Join>(&self, (bytes, followed): (&[u8], bool), counter: u64, cvs: &mut [Cv; GROUP]) -> usize {
        if bytes.len() <= GROUP * CHUNK_LEN {
            return self.chunks((bytes, followed), counter, cvs);
        }
        let left_length = left_length(bytes.len());
        let (left, right) = bytes.split_at(left_length);
        let right_counter = counter.wrapping_add((left_length / CHUNK_LEN) as u64);
        let mut halves = [[[0; 32]; GROUP]; 2];
        let [to_left, to_right] = &mut halves;
        // The left half is complete, so it fills its sixteen places.
        let (_, number) = if bytes.len() > J::ALONE {
            J::join(
                || self.subtrees::<J>((left, true), counter, to_left),
                || self.subtrees::<J>((right, followed), right_counter, to_right),
            )
        } else {
            (
                self.subtrees::<J>((left, true), counter, to_left),
                self.subtrees::<J>((right, followed), right_counter, to_right),
            )
        };
        let number = self.pair(&halves.as_flattened()[..GROUP + number], cvs);
        halves.as_flattened_mut().iter_mut().for_each(wipe);
        number
    }

    /// Writes the chaining values of the chunks of `bytes`, at most sixteen, and tells how many. The last one may be
    /// shorter. `followed` is that of `subtrees`.
    pub(super) fn chunks(&self, (bytes, followed): (&[u8], bool), counter: u64, cvs: &mut [Cv]) -> usize {
        let (whole, rest) = bytes.as_chunks::<CHUNK_LEN>();
        if rest.is_empty() {
            self.whole_chunks((whole, followed), counter, cvs);
            return whole.len();
        }
        // The one that is shorter shares the lanes of those for which there is no group of their own.
        let lanes = Blake3Function::lanes(self.backend);
        let (whole, beside) = whole.split_at(whole.len() / lanes * lanes);
        let (cvs_of_whole, cvs_of_rest) = cvs.split_at_mut(whole.len());
        self.whole_chunks((whole, true), counter, cvs_of_whole);
        let counter = counter.wrapping_add(whole.len() as u64);
        let number = beside.len();
        if is_faster_alone(rest, number, lanes) {
            self.whole_chunks((beside, true), counter, cvs_of_rest);
            cvs_of_rest[number] = self.hash_chunk(rest, counter.wrapping_add(number as u64), flag::CHUNK_END);
        } else {
            self.unequal_chunks(beside, rest, counter, &mut cvs_of_rest[..=number]);
        }
        whole.len() + number + 1
    }

    /// The chaining values of whole chunks, fewer than lanes, and of a shorter one behind them.
    fn unequal_chunks(&self, chunks: &[[u8; CHUNK_LEN]], shorter: &[u8], counter: u64, outputs: &mut [Cv]) {
        let mut memory = [[0; 64]; 2];
        let mut ends = Ends { counts: [before_last(&chunks[0]); MAX_INPUTS], blocks: [&[0; 64]; MAX_INPUTS] };
        let mut lengths = [64; MAX_INPUTS];
        let mut inputs = [&[][..]; MAX_INPUTS];
        for ((input, end), chunk) in inputs.iter_mut().zip(&mut ends.blocks).zip(chunks) {
            if let [before @ .., last] = chunk.as_chunks().0 {
                (*input, *end) = (before, last);
            }
        }
        let l = chunks.len();
        ends.counts[l] = before_last(shorter);
        (inputs[l], ends.blocks[l], lengths[l]) = split_last(shorter, &mut memory);
        let counters = array::from_fn(|i| counter.wrapping_add(i as u64));
        let begin = Begin::of_chunks(self, &[flag::CHUNK_END; MAX_INPUTS], &counters);
        let group = Group { ends: Some(&ends), ..begin.group(&inputs[..=l], &lengths, outputs) };
        compress_group(self.backend, group);
        memory.iter_mut().for_each(wipe);
    }

    /// The chaining values of whole chunks.
    fn whole_chunks(&self, (chunks, followed): (&[[u8; CHUNK_LEN]], bool), counter: u64, outputs: &mut [Cv]) {
        let lanes = Blake3Function::lanes(self.backend);
        let (mut counter, mut left) = (counter, chunks.len());
        for (chunks, outputs) in chunks.chunks(lanes).zip(outputs.chunks_mut(lanes)) {
            left -= chunks.len();
            let followed = followed || left > 0;
            if chunks.len() <= FEW {
                self.whole_group::<FEW>(chunks, followed, counter, outputs);
            } else {
                self.whole_group::<MAX_INPUTS>(chunks, followed, counter, outputs);
            }
            counter = counter.wrapping_add(chunks.len() as u64);
        }
    }

    /// The chaining values of as many whole chunks as there are lanes, and `N`, at most.
    fn whole_group<const N: usize>(
        &self,
        chunks: &[[u8; CHUNK_LEN]],
        followed: bool,
        counter: u64,
        outputs: &mut [Cv],
    ) {
        let mut inputs = [&[][..]; N];
        for (input, chunk) in inputs.iter_mut().zip(chunks) {
            *input = chunk.as_chunks().0;
        }
        let (inputs, outputs) = (&inputs[..chunks.len()], &mut outputs[..chunks.len()]);
        let counters = array::from_fn(|i| counter.wrapping_add(i as u64));
        let begin = Begin::of_chunks(self, &[flag::CHUNK_END; MAX_INPUTS], &counters);
        let group = Group { followed, ..begin.group(inputs, &[64; MAX_INPUTS], outputs) };
        compress_group(self.backend, group);
    }

    /// Writes the parents of neighbours to `parents`, and tells how many: half as many as `cvs`, and the last one of an odd
    /// number as it is.
    pub(super) fn pair(&self, cvs: &[Cv], parents: &mut [Cv]) -> usize {
        let (blocks, _) = cvs.as_flattened().as_chunks::<64>();
        let lanes = Blake3Function::lanes(self.backend);
        for (blocks, outputs) in blocks.chunks(lanes).zip(parents.chunks_mut(lanes)) {
            let mut inputs = [&[][..]; MAX_INPUTS];
            for (input, block) in inputs.iter_mut().zip(blocks) {
                *input = array::from_ref(block);
            }
            self.parents(&inputs[..blocks.len()], &[0; MAX_INPUTS], &mut outputs[..blocks.len()]);
        }
        if let ([.., last], 1) = (cvs, cvs.len() % 2) {
            parents[blocks.len()] = *last;
        }
        cvs.len().div_ceil(2)
    }

    /// Compresses up to as many parents as there are lanes, with these flags in addition.
    #[inline]
    pub(super) fn parents(&self, inputs: &[&[[u8; 64]]], last: &[u8; MAX_INPUTS], outputs: &mut [Cv]) {
        let begin = Begin::of_parents(self, last);
        compress_group(self.backend, begin.group(inputs, &[64; MAX_INPUTS], outputs));
    }

    /// Makes of all subtrees in `list`, at least two, the two that they are halves of.
    pub(super) fn reduce(&self, list: &mut List) {
        if list.length <= 2 {
            return;
        }
        let mut parents = [[0; 32]; GROUP / 2];
        while list.length > 2 {
            let number = self.pair(&list.cvs[..list.length], &mut parents);
            if number == 2 {
                list.cvs[..2].copy_from_slice(&parents[..2]);
                list.length = 2;
            } else {
                list.length = self.pair(&parents[..number], &mut list.cvs);
            }
        }
        parents.iter_mut().for_each(wipe);
    }
}

/// The backend, the chaining value, the flags and the counters of a group: of chunks, of parents, or of ends of chunks.
pub(super) struct Begin<'a> {
    pub(super) backend: Backend,
    /// The chaining value before the first block.
    h: &'a [u32; 8],
    flags: u8,
    /// The flags of the first block in addition.
    first: u8,
    /// The flags of each last block in addition.
    last: &'a [u8; MAX_INPUTS],
    /// The number of each chunk; 0 for parents.
    counters: &'a [u64; MAX_INPUTS],
}

impl<'a> Begin<'a> {
    /// Messages begin with the first block of chunk 0, and end with the root.
    #[inline]
    pub(super) fn of(base: &Base<'a>) -> Self {
        Self::of_chunks(base, &[flag::CHUNK_END | flag::ROOT; MAX_INPUTS], &[0; MAX_INPUTS])
    }

    /// Chunks of these numbers, which end with these flags.
    #[inline]
    pub(super) fn of_chunks(base: &Base<'a>, last: &'a [u8; MAX_INPUTS], counters: &'a [u64; MAX_INPUTS]) -> Self {
        let Base { key: h, flags, backend } = *base;
        Self { backend, h, flags, first: flag::CHUNK_START, last, counters }
    }

    /// Messages go on after `chain` in its chunk, and end with these flags. `counters` has the chunk's number for each.
    pub(super) fn after(
        backend: Backend,
        chain: &'a Chain,
        last: &'a [u8; MAX_INPUTS],
        counters: &'a [u64; MAX_INPUTS],
    ) -> Self {
        let Chain { h, flags, first, .. } = chain;
        Self { backend, h, flags: *flags, first: *first, last, counters }
    }

    /// Parents, whose blocks have the flags `last` in addition.
    #[inline]
    pub(super) fn of_parents(base: &Base<'a>, last: &'a [u8; MAX_INPUTS]) -> Self {
        Self { flags: base.flags | flag::PARENT, first: 0, ..Self::of_chunks(base, last, &[0; MAX_INPUTS]) }
    }

    /// A group of one length. `lengths` has the bytes of the last blocks.
    #[inline]
    pub(super) fn group<'b>(
        &'b self,
        inputs: &'b [&'b [[u8; 64]]],
        lengths: &'b [u8; MAX_INPUTS],
        outputs: &'b mut [Cv],
    ) -> Group<'b> {
        Group {
            key: self.h,
            flags: self.flags,
            first: self.first,
            last: self.last,
            lengths,
            counters: self.counters,
            count: inputs[0].len(),
            inputs,
            ends: None,
            followed: false,
            outputs,
        }
    }
}

/// The block of a parent.
#[inline]
pub(super) fn joined(left: &Cv, right: &Cv) -> [u8; 64] {
    let mut block = [0; 64];
    block[..32].copy_from_slice(left);
    block[32..].copy_from_slice(right);
    block
}

/// Whether the end of a message takes less time alone than beside so many whole chunks: where there are none, and where
/// one more takes a wider kernel, which on AVX-512 costs as much as 9 blocks. On Zen 4 two chunks take 1060 ns, three
/// 1550, eight 2000, nine 2800, and a block 57.
fn is_faster_alone(end: &[u8], beside: usize, lanes: usize) -> bool {
    beside == 0 || lanes == MAX_INPUTS && matches!(beside, 2 | 8) && end.len() <= 9 * 64
}

/// The number of blocks of a chunk before the last.
#[inline]
pub(super) fn before_last(chunk: &[u8]) -> u8 {
    #[expect(clippy::cast_possible_truncation, reason = "a chunk has 16 blocks")]
    let number = (chunk.len().saturating_sub(1) / 64) as u8;
    number
}

/// The blocks of a chunk before the last, the last one, and how many bytes that one has. If it is not whole, it is copied
/// to the second block of `memory`, which is zeros before.
#[inline]
pub(super) fn split_last<'a>(chunk: &'a [u8], memory: &'a mut [[u8; 64]; 2]) -> (&'a [[u8; 64]], &'a [u8; 64], u8) {
    let (blocks, rest) = chunk.as_chunks();
    if let ([before @ .., last], []) = (blocks, rest) {
        return (before, last, 64);
    }
    copy_rest(memory, chunk, rest);
    #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
    let length = rest.len() as u8;
    (blocks, &memory[1], length)
}

/// The last block of a chunk, of at most 64 bytes.
#[inline]
pub(super) fn last_block(chain: &Chain, bytes: &[u8]) -> Node {
    let mut block = [0; 64];
    block[..bytes.len()].copy_from_slice(bytes);
    #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
    let length = bytes.len() as u8;
    Node { h: chain.h, block, counter: chain.counter, length, flags: chain.flags | chain.first | flag::CHUNK_END }
}

impl Node {
    /// Compresses the node as the root, and wipes it: the digest.
    pub(super) fn root(&mut self, backend: Backend) -> Cv {
        self.flags |= flag::ROOT;
        self.cv(backend)
    }

    /// Compresses the node, and wipes it: its chaining value.
    #[inline]
    pub(super) fn cv(&mut self, backend: Backend) -> Cv {
        let cv = compress_block(backend, self.numbered(self.counter));
        self.wipe();
        cv
    }

    pub(super) fn wipe(&mut self) {
        u32::wipe(&mut self.h);
        wipe(&mut self.block);
    }
}

/// Up to sixteen neighbouring subtrees.
pub(super) struct List {
    pub(super) cvs: [Cv; GROUP],
    pub(super) length: usize,
}

impl List {
    #[inline]
    pub(super) fn new() -> Self {
        Self { cvs: [[0; 32]; GROUP], length: 0 }
    }
}

#[cfg(feature = "zeroize")]
impl Drop for List {
    fn drop(&mut self) {
        self.cvs.iter_mut().for_each(wipe);
    }
}

/// Bytes of the left subtree of a message of `length` bytes, more than a chunk: the largest power of two that leaves a
/// byte.
pub(super) fn left_length(length: usize) -> usize {
    let chunks = length.div_ceil(CHUNK_LEN);
    CHUNK_LEN << (chunks - 1).ilog2()
}

/// A way to compute two subtrees.
pub(super) trait Join {
    /// Subtrees of so many bytes are not shared out.
    const ALONE: usize;
    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B);
}

/// One after the other.
pub(super) enum Serial {}

impl Join for Serial {
    const ALONE: usize = usize::MAX;

    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        (a(), b())
    }
}

/// On the threads of rayon.
#[cfg(feature = "rayon")]
pub(super) enum OnThreads {}

#[cfg(feature = "rayon")]
impl Join for OnThreads {
    const ALONE: usize = 128 * 1024;

    fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        rayon::join(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_beside_whole_chunks() {
        let end = [0; 9 * 64 + 1];
        for (beside, lanes, is_alone) in [(2, 16, true), (8, 16, true), (1, 16, false), (9, 16, false), (2, 8, false)] {
            assert_eq!(is_faster_alone(&end[1..], beside, lanes), is_alone, "{beside} in {lanes} lanes");
            assert!(!is_faster_alone(&end, beside, lanes), "{beside} in {lanes} lanes");
        }
        assert!(is_faster_alone(&end, 0, 16) && is_faster_alone(&end, 0, 4), "beside nothing");
    }
}

//! Chunks side by side, in a group: messages of a chunk at most, or parts of longer ones.

use super::tree::{Base, Cv, split_last};
use crate::backend::Backend;
use crate::backend::dispatch::compress_group;
use crate::kernel::blake3::{Chain, Ends, Group, MAX_INPUTS, flag};

/// How messages begin and end that are a chunk at most, or the rest of one.
pub(super) struct Begin<'a> {
    pub(super) backend: Backend,
    /// The chaining value before the first block.
    h: &'a [u32; 8],
    flags: u8,
    /// The flags of the first block in addition.
    first: u8,
    /// The flags of each last block in addition.
    last: &'a [u8; MAX_INPUTS],
    /// The number of each chunk.
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

    /// Parents, which end with these flags.
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

/// Compresses the messages of these places side by side, each a chunk. `counts` are their blocks before the last, most
/// first.
#[inline]
pub(super) fn compress_chunks<const LANES: usize>(
    begin: &Begin<'_>,
    (messages, counts): (&[&[u8]], &[u8]),
    group: &[u8],
    memory: &mut [[[u8; 64]; 2]; LANES],
    digests: &mut [Cv],
) {
    let mut ends = Ends { counts: [counts[usize::from(group[0])]; MAX_INPUTS], blocks: [&[0; 64]; MAX_INPUTS] };
    let mut lengths = [64; MAX_INPUTS];
    let mut inputs = [&[][..]; LANES];
    for (l, (memory, i)) in memory.iter_mut().zip(group).enumerate() {
        let message = messages[usize::from(*i)];
        ends.counts[l] = counts[usize::from(*i)];
        memory[1] = [0; 64];
        (inputs[l], ends.blocks[l], lengths[l]) = split_last(message, memory);
    }
    let inputs = &inputs[..group.len()];
    compress_group(begin.backend, Group { ends: Some(&ends), ..begin.group(inputs, &lengths, digests) });
}

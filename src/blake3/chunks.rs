//! Chunks side by side, in a group: messages of a chunk at most, or parts of longer ones.

use super::tree::{Begin, Cv, split_last};
use crate::backend::dispatch::compress_group;
use crate::kernel::blake3::{Ends, Group, MAX_INPUTS};

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

//! Messages of 64 bytes side by side: the block that closes each is always the same.

use core::hint::black_box;

use super::{K, Nodes, PADDING_OF_64, Rounds};
use crate::kernel::sha2::Lane;
use crate::kernel::sha2::lanes::{add_all, compress_words, eight, load, rounds_in_memory, splat, splat_all};

/// A block of each of `L` messages.
#[derive(Clone, Copy)]
pub(crate) enum Blocks<'a, V, const L: usize> {
    InMemory(&'a [&'a [u8; 64]; L]),
    /// The blocks of messages that are digests: these hash values.
    OfDigests(&'a [V; 8]),
    /// The block that closes messages of 64 bytes, where words are [in memory](Lane::IN_MEMORY).
    Padding,
}

/// One block of each message.
#[inline(always)]
pub(crate) fn compress_blocks<V: Lane<u32, L>, const L: usize>(
    token: V::Token,
    h: &mut [V; 8],
    blocks: Blocks<'_, V, L>,
) {
    let mut w = [splat::<u32, V, L>(token, 0); 16];
    match blocks {
        Blocks::InMemory(blocks) => w = load::<u32, V, L>(token, blocks),
        Blocks::OfDigests(digests) => {
            w[..8].copy_from_slice(digests);
            w[8] = splat::<u32, V, L>(token, 0x8000_0000);
            w[15] = splat::<u32, V, L>(token, 256);
        }
        // Its words are in the sums.
        Blocks::Padding => {}
    }
    if V::IN_MEMORY {
        // The constants are chosen before the rounds, so that these are compiled once.
        let (mut scheduled, mut rest) = black_box(&K.0).split_at(3);
        if let Blocks::Padding = blocks {
            (scheduled, rest) = (&[], &PADDING_OF_64.0);
        }
        rounds_in_memory::<u32, V, L>(token, h, w, scheduled, rest);
    } else {
        debug_assert!(!matches!(blocks, Blocks::Padding), "it has no words");
        compress_words::<u32, V, L>(token, h, w);
    }
}

/// The digests of up to `L` messages of 64 bytes, or of these digests if `twice`. `compress` is [`compress_blocks`], as
/// [`compress_lanes`](crate::kernel::sha2::compress_lanes) has `compress_block`.
#[inline(always)]
pub(crate) fn hash_lanes<V: Lane<u32, L>, const L: usize>(
    token: V::Token,
    nodes: Nodes<'_>,
    compress: impl Fn(&mut [V; 8], Blocks<'_, V, L>),
) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    let iv = splat_all::<u32, V, L>(token, iv);
    let mut blocks = [nodes[0]; L];
    let all = nodes.first_chunk();
    if all.is_none() {
        for (block, node) in blocks.iter_mut().zip(nodes) {
            // Hidden, or a call would copy them.
            *block = black_box(node);
        }
    }
    let blocks = all.unwrap_or(&blocks);
    let (mut h, mut first) = (iv, iv);
    // In a loop the rounds are compiled once.
    for second in [false, true] {
        h = iv;
        let blocks = if second { Blocks::OfDigests(&first) } else { Blocks::InMemory(blocks) };
        if V::IS_SHARED {
            compress(&mut h, blocks);
        } else {
            // Not by the closure, which would be called: too much is inlined into it.
            compress_blocks::<V, L>(token, &mut h, blocks);
        }
        if second {
            break;
        }
        if V::IN_MEMORY {
            compress(&mut h, Blocks::Padding);
        } else {
            h = add_all::<u32, V, L>(h, scheduled_rounds::<V, L>(token, h, &PADDING_OF_64));
        }
        if !twice {
            break;
        }
        first = h;
    }
    for (i, h) in h.chunks(L).enumerate() {
        let mut columns = [splat::<u32, V, L>(token, 0); L];
        columns[..h.len()].copy_from_slice(h);
        for (digest, row) in digests.iter_mut().zip(V::transpose(columns)) {
            let (words, _) = digest.as_chunks_mut::<4>();
            for (to, word) in words[i * L..].iter_mut().zip(row.swap_bytes().words()) {
                *to = word.to_ne_bytes();
            }
        }
    }
}

/// The 64 rounds of a block whose schedule is known: `sums` are its words and the constants.
#[inline(always)]
fn scheduled_rounds<V: Lane<u32, L>, const L: usize>(token: V::Token, mut v: [V; 8], sums: &Rounds) -> [V; 8] {
    for sums in sums.0.as_flattened().as_chunks().0 {
        v = eight::<u32, V, L, false>(token, v, None, sums);
    }
    v
}

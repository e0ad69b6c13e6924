//! SHA-256 in scalar words, written apart from the vector kernel so that agreeing with it means something.

#[cfg(target_pointer_width = "32")]
use core::hint::black_box;

use super::Portable;
use super::sha2::{add_all, load, sixteen_rounds};
pub(in crate::backend) use super::sha2::{compress_whole, one_by_one};
use crate::backend::On;
use crate::kernel::sha256::{
    Chain, CompressNodes, CompressWhole, Iterate, K, Nodes, PADDING_OF_64, Rounds, Sha256Function, Whole, Written,
    next_word,
};
use crate::kernel::{Compress, Run};

impl Compress<Sha256Function> for On<Portable> {
    const LANES: usize = 1;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], _: Written) {
        compress(chain, blocks);
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        one_by_one(run, compress);
    }
}

impl CompressNodes for On<Portable> {
    fn nodes(self, nodes: Nodes<'_>) {
        hash_nodes(nodes);
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        hash_node(iv, node, digest, false);
    }
}

impl Iterate for On<Portable> {}

impl CompressWhole<u32> for On<Portable> {
    fn whole(self, messages: Whole<'_>) {
        compress_whole(messages, compress);
    }
}

/// The digests of messages of 64 bytes, or of these digests, one by one.
#[inline]
pub(in crate::backend) fn hash_nodes(nodes: Nodes<'_>) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    for (node, digest) in nodes.iter().zip(digests) {
        hash_node(iv, node, digest, twice);
    }
}

/// The digest of one message of 64 bytes, or of this digest. Not inlined, as [`compress`].
#[inline(never)]
pub(in crate::backend) fn hash_node(iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32], twice: bool) {
    let mut chain = Chain::new(*iv);
    let mut words = load::<u32>(node);
    // In a loop the rounds are compiled once.
    for second in [false, true] {
        compress_block(&mut chain.h, &words);
        if second {
            break;
        }
        compress_scheduled(&mut chain.h, &PADDING_OF_64);
        if !twice {
            break;
        }
        words = [0; 16];
        words[..8].copy_from_slice(&chain.h);
        words[8] = 0x8000_0000;
        words[15] = 256;
        chain.h = *iv;
    }
    *digest = chain.to_bytes();
}

/// One message. Not inlined, for several cells call it.
#[inline(never)]
pub(in crate::backend) fn compress(chain: &mut Chain, blocks: &[[u8; 64]]) {
    for block in blocks {
        compress_block(&mut chain.h, &load::<u32>(block));
    }
    chain.blocks = chain.blocks.wrapping_add(blocks.len() as u64);
}

#[inline(always)]
fn compress_block(state: &mut [u32; 8], words: &[u32; 16]) {
    let mut w = *words;
    let mut v = *state;
    // The sum at the end reads it again: kept from here on it would lie on the stack, and stay there.
    #[cfg(target_pointer_width = "32")]
    let state = black_box(state);
    let [first, later @ ..] = &K.0;
    sixteen_rounds!([14 5 6], [9 11 2], v, |t: usize| w[t].wrapping_add(first[t]));
    for k in later {
        sixteen_rounds!([14 5 6], [9 11 2], v, |t: usize| {
            w[t] = next_word([w[t], w[(t + 1) % 16], w[(t + 9) % 16], w[(t + 14) % 16]]);
            w[t].wrapping_add(k[t])
        });
    }
    add_all(state, v);
}

/// A block whose schedule is known: `sums` are its words and the constants.
#[inline(always)]
fn compress_scheduled(state: &mut [u32; 8], sums: &Rounds) {
    let mut v = *state;
    for sums in &sums.0 {
        sixteen_rounds!([14 5 6], [9 11 2], v, |t: usize| sums[t]);
    }
    add_all(state, v);
}

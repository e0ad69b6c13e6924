//! BLAKE3 in scalar words, written apart from the vector kernels so that agreeing with it means something.

use core::slice;

use super::Portable;
use crate::backend::On;
use crate::kernel::blake3::{Blake3Function, Chain, CompressGroup, Group, IV, SingleBlock, halves, to_bytes};
use crate::kernel::{Compress, Run};

impl Compress<Blake3Function> for On<Portable> {
    const LANES: usize = 1;

    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        compress_blocks(chain, blocks, last);
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        for ((chain, blocks), last) in run.chains.iter_mut().zip(run.blocks).zip(run.last) {
            let missing = core::mem::take(&mut chain.missing);
            for i in 0..run.count - 1 {
                compress_blocks(chain, slice::from_ref(&blocks[i * run.stride]), 0);
            }
            chain.missing = missing;
            compress_blocks(chain, slice::from_ref(&blocks[(run.count - 1) * run.stride]), *last);
        }
    }
}

impl CompressGroup for On<Portable> {
    fn group(self, inputs: Group<'_>) {
        group(inputs);
    }

    #[inline]
    fn block<const SETTLED: bool>(self, block: SingleBlock<'_>) -> [u8; 32] {
        self::block(block)
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        output(root, blocks);
    }
}

/// One message. Not inlined, for several cells call it.
#[inline(never)]
pub(in crate::backend) fn compress_blocks(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    let count = blocks.len();
    for (i, block) in blocks.iter().enumerate() {
        compress_next(chain, block, i + 1 == count, last);
    }
}

/// A group, input by input.
pub(in crate::backend) fn group(group: Group<'_>) {
    for (i, (input, output)) in group.inputs.iter().zip(group.outputs).enumerate() {
        let mut chain = Chain { first: group.first, ..Chain::chunk(*group.key, group.counters[i], group.flags) };
        let (blocks, end) = match group.ends {
            Some(ends) => (*input, ends.blocks[i]),
            None => (&input[..group.count - 1], &input[group.count - 1]),
        };
        compress_blocks(&mut chain, blocks, 0);
        chain.missing = 64 - group.lengths[i];
        compress_blocks(&mut chain, slice::from_ref(end), group.last[i]);
        *output = to_bytes(chain.h);
    }
}

/// The chaining value after a block.
#[inline(never)]
pub(in crate::backend) fn block(block: SingleBlock<'_>) -> [u8; 32] {
    let [h0, h1, h2, h3, h4, h5, h6, h7, ..] =
        compress(block.key, block.bytes, block.length, block.counter, block.flags);
    to_bytes([h0, h1, h2, h3, h4, h5, h6, h7])
}

/// Output blocks of a root, one by one.
#[inline(never)]
pub(in crate::backend) fn output(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    for (counter, block) in (0..).map(|i| root.counter.wrapping_add(i)).zip(blocks) {
        let words = compress(root.key, root.bytes, root.length, counter, root.flags);
        for (to, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
    }
}

/// Compresses the next block of a chunk or parent.
#[inline]
fn compress_next(chain: &mut Chain, block: &[u8; 64], ends: bool, last: u8) {
    let mut flags = chain.flags | chain.first;
    let mut length = 64_u8;
    if ends {
        flags |= last;
        length = length.wrapping_sub(chain.missing);
    }
    let words = compress(&chain.h, block, length, chain.counter, flags);
    chain.h.copy_from_slice(&words[..8]);
    chain.first = 0;
    if ends {
        chain.missing = 0;
    }
}

/// The compression function: all sixteen words, of which the first eight are the chaining value.
#[inline(always)]
fn compress(h: &[u32; 8], block: &[u8; 64], length: u8, counter: u64, flags: u8) -> [u32; 16] {
    let mut m = [0; 16];
    for (word, bytes) in m.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [low, high] = halves(counter);
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..12].copy_from_slice(&IV[..4]);
    v[12..].copy_from_slice(&[low, high, length.into(), flags.into()]);
    for round in 0..7 {
        if round > 0 {
            m = permute(&m);
        }
        g(&mut v, [0, 4, 8, 12], m[0], m[1]);
        g(&mut v, [1, 5, 9, 13], m[2], m[3]);
        g(&mut v, [2, 6, 10, 14], m[4], m[5]);
        g(&mut v, [3, 7, 11, 15], m[6], m[7]);
        g(&mut v, [0, 5, 10, 15], m[8], m[9]);
        g(&mut v, [1, 6, 11, 12], m[10], m[11]);
        g(&mut v, [2, 7, 8, 13], m[12], m[13]);
        g(&mut v, [3, 4, 9, 14], m[14], m[15]);
    }
    for i in 0..8 {
        v[i] ^= v[i + 8];
        v[i + 8] ^= h[i];
    }
    v
}

/// The quarter round.
#[inline(always)]
fn g(v: &mut [u32; 16], [a, b, c, d]: [usize; 4], x: u32, y: u32) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(12);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(8);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(7);
}

/// The words of the next round (the paper, table 2).
#[inline(always)]
fn permute(m: &[u32; 16]) -> [u32; 16] {
    [m[2], m[6], m[3], m[10], m[7], m[0], m[4], m[13], m[1], m[11], m[12], m[5], m[9], m[14], m[15], m[8]]
}

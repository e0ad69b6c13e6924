//! SHA-256 by AArch64's instructions: one stream, or up to four side by side, which hide each other's latency.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::Sha;
use crate::kernel::Run;
use crate::kernel::sha256::{Chain, K, Message, Nodes, PADDING_OF_64, Rounds, Sha256Function, Whole};

/// One message.
#[inline]
pub(in crate::backend) fn compress(_: Sha, chain: &mut Chain, blocks: &[[u8; 64]]) {
    // SAFETY: the argument proves `sha2`, and so NEON.
    unsafe { compress_alone(chain, blocks) }
}

/// Messages side by side, four at a time.
#[inline]
pub(in crate::backend) fn compress_streams(_: Sha, run: Run<'_, Sha256Function>) {
    // SAFETY: the argument proves `sha2`, and so NEON.
    unsafe { streams(run) }
}

/// Whole messages side by side, four at a time.
#[inline]
pub(in crate::backend) fn compress_whole(_: Sha, messages: Whole<'_>) {
    // SAFETY: the argument proves `sha2`, and so NEON.
    unsafe { whole_by_four(messages) }
}

/// The digests of messages of 64 bytes, or of these digests.
#[inline]
pub(in crate::backend) fn hash_nodes(_: Sha, nodes: Nodes<'_>) {
    // SAFETY: the argument proves `sha2`, and so NEON.
    unsafe { nodes_by_four(nodes) }
}

/// The digest of one message of 64 bytes.
#[inline]
pub(in crate::backend) fn hash_node(_: Sha, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    // SAFETY: the argument proves `sha2`, and so NEON.
    unsafe { node_alone(iv, node, digest) }
}

#[target_feature(enable = "sha2,neon")]
fn compress_alone(chain: &mut Chain, blocks: &[[u8; 64]]) {
    compress_together(Sha::here(), [chain], [blocks], blocks.len(), 1);
}

#[target_feature(enable = "sha2,neon")]
fn streams(run: Run<'_, Sha256Function>) {
    let Run { count, stride, chains, blocks, .. } = run;
    for (chains, blocks) in chains.chunks_mut(4).zip(blocks.chunks(4)) {
        match (chains, blocks) {
            ([a, b, c, d], &[e, f, g, h]) => compress_together(Sha::here(), [a, b, c, d], [e, f, g, h], count, stride),
            ([a, b, c], &[e, f, g]) => compress_together(Sha::here(), [a, b, c], [e, f, g], count, stride),
            ([a, b], &[e, f]) => compress_together(Sha::here(), [a, b], [e, f], count, stride),
            ([a], &[e]) => compress_together(Sha::here(), [a], [e], count, stride),
            _ => {}
        }
    }
}

/// Whole messages, four at a time: see `whole_by` of SHA-NI.
#[target_feature(enable = "sha2,neon")]
fn whole_by_four(whole: Whole<'_>) {
    let sha = Sha::here();
    let Whole { start, messages, chains } = whole;
    let start = state(sha, start);
    for (messages, chains) in messages.chunks(4).zip(chains.chunks_mut(4)) {
        let mut states = [start; 4];
        let mut done = 0;
        if let [a, b, c, d] = messages {
            done = go_on::<4>(sha, &mut states, [a, b, c, d], done);
        }
        if let [a, b, c, ..] = messages {
            done = go_on::<3>(sha, &mut states, [a, b, c], done);
        }
        if let [a, b, ..] = messages {
            done = go_on::<2>(sha, &mut states, [a, b], done);
        }
        if let [a, ..] = messages {
            go_on::<1>(sha, &mut states, [a], done);
        }
        for (chain, state) in chains.iter_mut().zip(states) {
            chain.h = words(sha, state);
        }
    }
}

/// The blocks of the first `N` messages from place `done` on, as many as the last of them has, and the place then.
#[inline(always)]
fn go_on<const N: usize>(sha: Sha, states: &mut [State; 4], messages: [&Message<'_>; N], done: usize) -> usize {
    let Some(states) = states.first_chunk_mut::<N>() else { return done };
    let count = messages[N - 1].number();
    for block in done..count {
        let mut w = [[states[0][0]; 4]; N];
        for (w, message) in w.iter_mut().zip(messages) {
            *w = load(sha, message.block(block));
        }
        compress_words(sha, states, w);
    }
    count
}

#[target_feature(enable = "sha2,neon")]
fn nodes_by_four(nodes: Nodes<'_>) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    for (nodes, digests) in nodes.chunks(4).zip(digests.chunks_mut(4)) {
        match (nodes, digests) {
            (&[a, b, c, d], [e, f, g, h]) => hash_together(Sha::here(), iv, [a, b, c, d], [e, f, g, h], twice),
            (&[a, b, c], [e, f, g]) => hash_together(Sha::here(), iv, [a, b, c], [e, f, g], twice),
            (&[a, b], [e, f]) => hash_together(Sha::here(), iv, [a, b], [e, f], twice),
            (&[a], [e]) => hash_together(Sha::here(), iv, [a], [e], twice),
            _ => {}
        }
    }
}

#[target_feature(enable = "sha2,neon")]
fn node_alone(iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    hash_together(Sha::here(), iv, [node], [digest], false);
}

/// The working variables `a b c d` and `e f g h`.
type State = [uint32x4_t; 2];

/// `count` blocks of each of `N` messages. The next block of a message is `stride` blocks further.
#[inline(always)]
fn compress_together<const N: usize>(
    sha: Sha,
    chains: [&mut Chain; N],
    blocks: [&[[u8; 64]]; N],
    count: usize,
    stride: usize,
) {
    let mut states = [[constant(sha, [0; 4]); 2]; N];
    for (to, chain) in states.iter_mut().zip(&chains) {
        *to = state(sha, &chain.h);
    }
    for block in 0..count {
        let mut w = [[states[0][0]; 4]; N];
        for (w, blocks) in w.iter_mut().zip(&blocks) {
            *w = load(sha, &blocks[block * stride]);
        }
        compress_words(sha, &mut states, w);
    }
    for (state, chain) in states.iter().zip(chains) {
        chain.h = words(sha, *state);
        chain.blocks = chain.blocks.wrapping_add(count as u64);
    }
}

/// The digests of `N` messages of 64 bytes, or of these digests.
#[inline(always)]
fn hash_together<const N: usize>(
    sha: Sha,
    iv: &[u32; 8],
    nodes: [&[u8; 64]; N],
    digests: [&mut [u8; 32]; N],
    twice: bool,
) {
    let iv = state(sha, iv);
    let mut states = [iv; N];
    let mut w = [[iv[0]; 4]; N];
    for (w, node) in w.iter_mut().zip(nodes) {
        *w = load(sha, node);
    }
    compress_words(sha, &mut states, w);
    compress_scheduled(sha, &mut states, &PADDING_OF_64);
    if twice {
        for (w, state) in w.iter_mut().zip(&mut states) {
            let [low, high] = *state;
            *w = [low, high, constant(sha, [0x8000_0000, 0, 0, 0]), constant(sha, [0, 0, 0, 256])];
            *state = iv;
        }
        compress_words(sha, &mut states, w);
    }
    for (state, digest) in states.iter().zip(digests) {
        for (to, word) in digest.as_chunks_mut().0.iter_mut().zip(words(sha, *state)) {
            *to = word.to_be_bytes();
        }
    }
}

#[inline(always)]
fn state(sha: Sha, h: &[u32; 8]) -> State {
    let ([low, high], _) = h.as_chunks::<4>() else { unreachable!() };
    [constant(sha, *low), constant(sha, *high)]
}

#[inline(always)]
fn words(_: Sha, state: State) -> [u32; 8] {
    let mut words = [0; 8];
    for (to, row) in words.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        // SAFETY: the array and the register have as many bytes, and all values of both are valid.
        *to = unsafe { core::mem::transmute::<uint32x4_t, [u32; 4]>(row) };
    }
    words
}

#[inline(always)]
fn constant(_: Sha, words: [u32; 4]) -> uint32x4_t {
    // SAFETY: the array and the register have as many bytes, and all values of both are valid.
    unsafe { core::mem::transmute::<[u32; 4], uint32x4_t>(words) }
}

/// The words of a block, four in a register.
#[inline(always)]
fn load(sha: Sha, block: &[u8; 64]) -> [uint32x4_t; 4] {
    let mut words = [constant(sha, [0; 4]); 4];
    for (words, row) in words.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: sha proves `sha2`, and so NEON. The array has the 16 bytes an unaligned load reads.
        *words = unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(row.as_ptr()))) };
    }
    words
}

/// One block of each message, of which `w` has the words.
#[inline(always)]
fn compress_words<const N: usize>(sha: Sha, states: &mut [State; N], mut w: [[uint32x4_t; 4]; N]) {
    let before = *states;
    let [first, second, third, last] = &K.0;
    sixteen_rounds::<N, true>(sha, states, &mut w, first);
    sixteen_rounds::<N, true>(sha, states, &mut w, second);
    sixteen_rounds::<N, true>(sha, states, &mut w, third);
    sixteen_rounds::<N, false>(sha, states, &mut w, last);
    add_all(sha, states, &before);
}

/// Sixteen rounds. If `MORE`, the words of the next sixteen take the place of these.
#[inline(always)]
fn sixteen_rounds<const N: usize, const MORE: bool>(
    sha: Sha,
    states: &mut [State; N],
    w: &mut [[uint32x4_t; 4]; N],
    k: &[u32; 16],
) {
    four_of_sixteen::<N, 0, MORE>(sha, states, w, k);
    four_of_sixteen::<N, 1, MORE>(sha, states, w, k);
    four_of_sixteen::<N, 2, MORE>(sha, states, w, k);
    four_of_sixteen::<N, 3, MORE>(sha, states, w, k);
}

/// Four rounds, number `J` of four.
#[inline(always)]
fn four_of_sixteen<const N: usize, const J: usize, const MORE: bool>(
    sha: Sha,
    states: &mut [State; N],
    w: &mut [[uint32x4_t; 4]; N],
    k: &[u32; 16],
) {
    let k = constant(sha, *k.as_chunks::<4>().0.get(J).expect("sixteen constants"));
    for s in 0..N {
        // SAFETY: sha proves `sha2`, and so NEON.
        let sums = unsafe { vaddq_u32(w[s][J], k) };
        states[s] = rounds(sha, states[s], sums);
        if MORE {
            let last = [w[s][J], w[s][(J + 1) % 4], w[s][(J + 2) % 4], w[s][(J + 3) % 4]];
            // SAFETY: sha proves `sha2`.
            w[s][J] = unsafe { next_words(last) };
        }
    }
}

/// One block of each message, whose schedule is known: `sums` are its words and the constants.
#[inline(always)]
fn compress_scheduled<const N: usize>(sha: Sha, states: &mut [State; N], sums: &Rounds) {
    let before = *states;
    for sums in sums.0.as_flattened().as_chunks::<4>().0 {
        let sums = constant(sha, *sums);
        for state in states.iter_mut() {
            *state = rounds(sha, *state, sums);
        }
    }
    add_all(sha, states, &before);
}

/// Four rounds: `sums` are their words and constants.
#[inline(always)]
fn rounds(_: Sha, state: State, sums: uint32x4_t) -> State {
    // SAFETY: the argument proves `sha2`.
    unsafe { four_rounds(state, sums) }
}

#[inline]
#[target_feature(enable = "sha2")]
fn four_rounds([abcd, efgh]: State, sums: uint32x4_t) -> State {
    [vsha256hq_u32(abcd, efgh, sums), vsha256h2q_u32(efgh, abcd, sums)]
}

/// The words of four rounds, from those of the four times four rounds before.
#[inline]
#[target_feature(enable = "sha2")]
fn next_words([first, second, third, fourth]: [uint32x4_t; 4]) -> uint32x4_t {
    vsha256su1q_u32(vsha256su0q_u32(first, second), third, fourth)
}

#[inline(always)]
fn add_all<const N: usize>(_: Sha, states: &mut [State; N], before: &[State; N]) {
    for (state, before) in states.iter_mut().zip(before) {
        for (row, before) in state.iter_mut().zip(before) {
            // SAFETY: the argument proves `sha2`, and so NEON.
            *row = unsafe { vaddq_u32(*row, *before) };
        }
    }
}

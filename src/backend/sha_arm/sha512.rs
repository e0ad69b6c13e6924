//! SHA-512 by AArch64's instructions: one stream, or two side by side, which hide each other's latency.
//!
//! Two rounds and their part of the schedule are eleven instructions. The next two rounds wait for three of them,
//! `ext`, `sha512h` and `add`, one after the other. A second stream computes meanwhile. Two streams fill the registers.
//!
//! Instructions for a block of a message, counted in the code of rustc 1.95 and not timed: one stream 480, two streams
//! 540, NEON's two lanes 1,900, scalar code 2,400. So lanes serve only CPUs without the extension.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::Sha512;
use crate::kernel::Run;
use crate::kernel::sha2::Message;
use crate::kernel::sha512::{Chain, Sha2Word, Sha512Function, Whole};

/// One message.
#[inline]
pub(in crate::backend) fn compress(_: Sha512, chain: &mut Chain, blocks: &[[u8; 128]]) {
    // SAFETY: the argument proves `sha3`, and so NEON.
    unsafe { compress_alone(chain, blocks) }
}

/// Messages side by side, two at most.
#[inline]
pub(in crate::backend) fn compress_streams(_: Sha512, run: Run<'_, Sha512Function>) {
    // SAFETY: the argument proves `sha3`, and so NEON.
    unsafe { streams_by_two(run) }
}

/// Whole messages side by side, two at most.
#[inline]
pub(in crate::backend) fn compress_whole(_: Sha512, messages: Whole<'_>) {
    // SAFETY: the argument proves `sha3`, and so NEON.
    unsafe { whole_by_two(messages) }
}

#[target_feature(enable = "sha2,sha3")]
fn compress_alone(chain: &mut Chain, blocks: &[[u8; 128]]) {
    compress_together(Sha512::here(), [chain], [blocks], blocks.len(), 1);
}

#[target_feature(enable = "sha2,sha3")]
fn streams_by_two(run: Run<'_, Sha512Function>) {
    let Run { count, stride, chains, blocks, .. } = run;
    match (chains, blocks) {
        ([a, b], &[c, d]) => compress_together(Sha512::here(), [a, b], [c, d], count, stride),
        ([a], &[b]) => compress_together(Sha512::here(), [a], [b], count, stride),
        _ => {}
    }
}

/// See `whole_by` of SHA-NI.
#[target_feature(enable = "sha2,sha3")]
fn whole_by_two(whole: Whole<'_>) {
    let sha = Sha512::here();
    let Whole { start, messages, chains } = whole;
    let mut states = [state(sha, start); 2];
    let mut done = 0;
    if let [a, b] = messages {
        done = go_on(sha, &mut states, [a, b], done);
    }
    if let ([a, ..], Some(states)) = (messages, states.first_chunk_mut()) {
        go_on(sha, states, [a], done);
    }
    for (chain, state) in chains.iter_mut().zip(states) {
        chain.h = words(sha, state);
    }
}

/// The blocks of messages from place `done` on, as many as the last message has, and the place then.
#[inline(always)]
fn go_on<const N: usize>(sha: Sha512, states: &mut [State; N], messages: [&Message<'_, u64>; N], done: usize) -> usize {
    let count = messages[N - 1].number();
    for place in done..count {
        compress_blocks(sha, states, messages.map(|message| message.block(place)));
    }
    count
}

/// The working variables `a b`, `c d`, `e f` and `g h`.
type State = [uint64x2_t; 4];

/// `count` blocks of each of `N` messages. The next block of a message is `stride` blocks further.
#[inline(always)]
fn compress_together<const N: usize>(
    sha: Sha512,
    chains: [&mut Chain; N],
    blocks: [&[[u8; 128]]; N],
    count: usize,
    stride: usize,
) {
    let mut states = [[constant(sha, [0; 2]); 4]; N];
    for (to, chain) in states.iter_mut().zip(&chains) {
        *to = state(sha, &chain.h);
    }
    for block in 0..count {
        compress_blocks(sha, &mut states, blocks.map(|blocks| &blocks[block * stride]));
    }
    for (state, chain) in states.iter().zip(chains) {
        chain.h = words(sha, *state);
        chain.blocks = chain.blocks.wrapping_add(count as u64);
    }
}

#[inline(always)]
fn state(sha: Sha512, h: &[u64; 8]) -> State {
    let mut state = [constant(sha, [0; 2]); 4];
    for (to, words) in state.iter_mut().zip(h.as_chunks().0) {
        *to = constant(sha, *words);
    }
    state
}

#[inline(always)]
fn words(_: Sha512, state: State) -> [u64; 8] {
    let mut words = [0; 8];
    for (to, row) in words.as_chunks_mut::<2>().0.iter_mut().zip(state) {
        // SAFETY: the array and the register have as many bytes, and all values of both are valid.
        *to = unsafe { core::mem::transmute::<uint64x2_t, [u64; 2]>(row) };
    }
    words
}

#[inline(always)]
fn constant(_: Sha512, words: [u64; 2]) -> uint64x2_t {
    // SAFETY: the array and the register have as many bytes, and all values of both are valid.
    unsafe { core::mem::transmute::<[u64; 2], uint64x2_t>(words) }
}

/// The words of a block, two in a register.
#[inline(always)]
fn load(sha: Sha512, block: &[u8; 128]) -> [uint64x2_t; 8] {
    let mut words = [constant(sha, [0; 2]); 8];
    for (words, row) in words.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: sha proves `sha3`, and so NEON. The array has the 16 bytes an unaligned load reads.
        *words = unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(row.as_ptr()))) };
    }
    words
}

/// One block of each message.
#[inline(always)]
fn compress_blocks<const N: usize>(sha: Sha512, states: &mut [State; N], blocks: [&[u8; 128]; N]) {
    let before = *states;
    let mut w = [[before[0][0]; 8]; N];
    for (w, block) in w.iter_mut().zip(blocks) {
        *w = load(sha, block);
    }
    let [first @ .., last] = <u64 as Sha2Word>::K else { return };
    for k in first {
        sixteen_rounds::<N, true>(sha, states, &mut w, k);
    }
    sixteen_rounds::<N, false>(sha, states, &mut w, last);
    for (row, before) in states.as_flattened_mut().iter_mut().zip(before.as_flattened()) {
        // SAFETY: sha proves `sha3`, and so NEON.
        *row = unsafe { vaddq_u64(*row, *before) };
    }
}

/// Sixteen rounds. If `MORE`, the words of the next sixteen take the place of these.
#[inline(always)]
fn sixteen_rounds<const N: usize, const MORE: bool>(
    sha: Sha512,
    states: &mut [State; N],
    w: &mut [[uint64x2_t; 8]; N],
    k: &[u64; 16],
) {
    two_of_sixteen::<N, 0, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 1, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 2, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 3, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 4, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 5, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 6, MORE>(sha, states, w, k);
    two_of_sixteen::<N, 7, MORE>(sha, states, w, k);
}

/// Two rounds, number `J` of eight.
#[inline(always)]
fn two_of_sixteen<const N: usize, const J: usize, const MORE: bool>(
    sha: Sha512,
    states: &mut [State; N],
    w: &mut [[uint64x2_t; 8]; N],
    k: &[u64; 16],
) {
    let k = constant(sha, [k[2 * J], k[2 * J + 1]]);
    for (state, w) in states.iter_mut().zip(w) {
        *state = rounds(sha, *state, w[J], k);
        if MORE {
            let last = [w[J], w[(J + 1) % 8], w[(J + 4) % 8], w[(J + 5) % 8], w[(J + 7) % 8]];
            // SAFETY: sha proves `sha3`, and so NEON.
            w[J] = unsafe { next_words(last) };
        }
    }
}

/// Two rounds with the words `w` and the constants `k`.
#[inline(always)]
fn rounds(_: Sha512, state: State, w: uint64x2_t, k: uint64x2_t) -> State {
    // SAFETY: the argument proves `sha3`, and so NEON.
    unsafe { two_rounds(state, w, k) }
}

#[inline]
#[target_feature(enable = "sha2,sha3")]
fn two_rounds([ab, cd, ef, gh]: State, w: uint64x2_t, k: uint64x2_t) -> State {
    let sums = vaddq_u64(w, k);
    let sums = vaddq_u64(vextq_u64::<1>(sums, sums), gh);
    let t1 = vsha512hq_u64(sums, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
    [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef]
}

/// The words of two rounds, from those 16, 14, 8, 6 and 2 rounds before.
#[inline]
#[target_feature(enable = "sha2,sha3")]
fn next_words([a, b, c, d, e]: [uint64x2_t; 5]) -> uint64x2_t {
    vsha512su1q_u64(vsha512su0q_u64(a, b), e, vextq_u64::<1>(c, d))
}

//! SHA-256 by SHA-NI: one stream, or two, three or four side by side.
//!
//! `sha256rnds2` takes four cycles for two rounds, and other streams begin theirs meanwhile. Its operands must be in
//! the first sixteen registers, for it has an SSE encoding alone. With AVX-512 the words of four streams fit into the
//! other sixteen.
//!
//! Where the CPU has AVX, code in SSE encoding waits for the upper halves of the registers if a caller has left
//! anything there: for more than twice as long, in pairs on Zen 4. So they are cleared first.
#![allow(unsafe_code)]

use core::arch::asm;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem;

use super::Sha;
use crate::backend::avx::Avx;
use crate::backend::avx512::Avx512;
use crate::backend::sse41::{load_halves, swap32};
use crate::backend::vector::fetch_ahead;
use crate::kernel::sha256::{
    Chain, Iteration, K, Message, Nodes, PADDING_OF_64, Rounds, Sha256Function, Whole, Written,
};
use crate::kernel::{FETCHED, Run};

/// The encoding of all instructions but SHA-NI's own, by the instruction set.
#[derive(Clone, Copy)]
pub(in crate::backend) enum Encoding {
    /// SSE. The CPU may have no AVX, so no instruction has an encoding of AVX.
    Sse,
    /// SSE, after the upper halves are cleared.
    Avx(Avx),
    /// EVEX, with 32 registers, after the upper halves are cleared. Where sixteen registers are enough, it may be as for
    /// AVX.
    Avx512(Avx512),
}

impl Encoding {
    /// Clears the upper halves of the registers, if they have any, for code in SSE encoding that follows.
    #[inline(always)]
    fn prepare_sse(self) {
        match self {
            Self::Sse => {}
            Self::Avx(avx) => clear_upper_halves(avx),
            // SAFETY: the argument proves AVX-512F, and so AVX.
            Self::Avx512(_) => clear_upper_halves(unsafe { Avx::here() }),
        }
    }
}

/// One message.
#[inline]
pub(in crate::backend) fn compress(_: Sha, encoding: Encoding, chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
    encoding.prepare_sse();
    // SAFETY: the argument proves SHA-NI and SSE4.1.
    unsafe { compress_sse(chain, blocks, last) }
}

/// Messages side by side, two or four at a time, as there are registers for.
pub(in crate::backend) fn compress_streams(_: Sha, encoding: Encoding, run: Run<'_, Sha256Function>) {
    match encoding {
        Encoding::Sse | Encoding::Avx(_) => {
            encoding.prepare_sse();
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            unsafe { streams_sse(run) }
        }
        // SAFETY: the arguments prove SHA-NI, and AVX-512F, VL and BW.
        Encoding::Avx512(_) => unsafe { streams_avx512(run) },
    }
}

/// Whole messages side by side, two or four at a time, as there are registers for.
pub(in crate::backend) fn compress_whole(_: Sha, encoding: Encoding, messages: Whole<'_>) {
    match encoding {
        Encoding::Sse | Encoding::Avx(_) => {
            encoding.prepare_sse();
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            unsafe { whole_sse(messages) }
        }
        // SAFETY: the arguments prove SHA-NI, and AVX-512F, VL and BW.
        Encoding::Avx512(_) => unsafe { whole_avx512(messages) },
    }
}

/// The digests of messages of 64 bytes, or of these digests.
pub(in crate::backend) fn hash_nodes(sha: Sha, encoding: Encoding, nodes: Nodes<'_>) {
    let fours = in_fours(nodes.nodes.len());
    match (encoding, nodes) {
        // One takes less time in the encoding with three operands.
        (
            Encoding::Avx512(_),
            Nodes { iv, nodes: [node], digests: [digest], written: Written::Before, twice: false },
        ) => {
            hash_node(sha, encoding, iv, node, digest);
        }
        (Encoding::Avx512(_), Nodes { iv, written, nodes, digests, twice }) if fours > 0 => {
            let ((nodes, few), (digests, digests_of_few)) = (nodes.split_at(fours), digests.split_at_mut(fours));
            // SAFETY: the arguments prove SHA-NI, and AVX-512F, VL and BW.
            unsafe { nodes_avx512(Nodes { iv, written, nodes, digests, twice }) }
            if !few.is_empty() {
                hash_nodes(sha, encoding, Nodes { iv, written, nodes: few, digests: digests_of_few, twice });
            }
        }
        (_, nodes) => {
            encoding.prepare_sse();
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            unsafe { nodes_sse(nodes) }
        }
    }
}

/// The digest of one message of 64 bytes.
#[inline]
pub(in crate::backend) fn hash_node(_: Sha, encoding: Encoding, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    match encoding {
        Encoding::Sse | Encoding::Avx(_) => {
            encoding.prepare_sse();
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            unsafe { node_sse(iv, node, digest) }
        }
        // SAFETY: the arguments prove SHA-NI, and AVX-512F, VL and BW.
        Encoding::Avx512(_) => unsafe { node_avx512(iv, node, digest) },
    }
}

/// Further tags of HMAC, `count` of each, for up to two or four at a time, as there are registers for.
pub(in crate::backend) fn iterate(_: Sha, encoding: Encoding, iterations: &mut [Iteration], count: u32) {
    match encoding {
        Encoding::Sse | Encoding::Avx(_) => {
            encoding.prepare_sse();
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            unsafe { iterate_sse(iterations, count) }
        }
        // SAFETY: the arguments prove SHA-NI, and AVX-512F, VL and BW.
        Encoding::Avx512(_) => unsafe { iterate_avx512(iterations, count) },
    }
}

/// How many of these nodes go by four, or the last by three. For two sixteen registers are enough.
#[inline]
const fn in_fours(number: usize) -> usize {
    if number % 4 == 3 { number } else { number - number % 4 }
}

/// Clears the upper halves of the vector registers. It must come before any of them is in use.
#[inline(always)]
fn clear_upper_halves(_: Avx) {
    // SAFETY: the argument proves AVX. The assembly names the eight registers whose upper halves it clears.
    #[cfg(target_arch = "x86")]
    unsafe {
        asm!(
            "vzeroupper",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            options(nomem, nostack, preserves_flags)
        );
    }
    // SAFETY: the argument proves AVX. The assembly names the sixteen registers whose upper halves it clears.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "vzeroupper",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nomem, nostack, preserves_flags)
        );
    }
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn compress_sse(chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
    compress_together(Sha::here(), [chain], [blocks], (blocks.len(), 1), last, None);
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn streams_sse(run: Run<'_, Sha256Function>) {
    pairs(Sha::here(), run);
}

#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512vl,avx512bw")]
fn streams_avx512(run: Run<'_, Sha256Function>) {
    clear_upper_halves(Avx::here());
    let Run { count, stride, chains, blocks, last, .. } = run;
    let last = last[0];
    let mut next = blocks.get(4..).unwrap_or_default().chunks(4);
    let mut ahead = [0; 4];
    for (chains, blocks) in chains.chunks_mut(4).zip(blocks.chunks(4)) {
        ahead = ahead_of(blocks, next.next(), ahead, count);
        match (chains, blocks) {
            ([a, b, c, d], &[e, f, g, h]) => {
                compress_together(Sha::here(), [a, b, c, d], [e, f, g, h], (count, stride), last, Some(ahead));
            }
            ([a, b, c], &[e, f, g]) => {
                compress_together(Sha::here(), [a, b, c], [e, f, g], (count, stride), last, None);
            }
            ([a, b], &[e, f]) => compress_together(Sha::here(), [a, b], [e, f], (count, stride), last, None),
            ([a], &[e]) => compress_together(Sha::here(), [a], [e], (count, stride), last, None),
            _ => {}
        }
    }
}

#[inline(always)]
fn pairs(sha: Sha, run: Run<'_, Sha256Function>) {
    let Run { count, stride, chains, blocks, last, .. } = run;
    let last = last[0];
    let mut next = blocks.get(2..).unwrap_or_default().chunks(2);
    let mut ahead = [0; 2];
    for (chains, blocks) in chains.chunks_mut(2).zip(blocks.chunks(2)) {
        ahead = ahead_of(blocks, next.next(), ahead, count);
        match (chains, blocks) {
            ([a, b], &[e, f]) => compress_together(sha, [a, b], [e, f], (count, stride), last, Some(ahead)),
            ([a], &[e]) => compress_together(sha, [a], [e], (count, stride), last, None),
            _ => {}
        }
    }
}

/// How far behind each message the `next` one of its place lies, in bytes, for the CPU to fetch it. After the last ones
/// it is as far as `before`: rows of a column lie together.
#[inline(always)]
fn ahead_of<const N: usize>(
    blocks: &[&[[u8; 64]]],
    next: Option<&[&[[u8; 64]]]>,
    before: [usize; N],
    count: usize,
) -> [usize; N] {
    let mut ahead = before;
    if FETCHED.contains(&(64 * count)) {
        for ((ahead, next), blocks) in ahead.iter_mut().zip(next.unwrap_or_default()).zip(blocks) {
            *ahead = next.as_ptr().addr().wrapping_sub(blocks.as_ptr().addr());
        }
    }
    ahead
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn whole_sse(whole: Whole<'_>) {
    whole_by::<2>(Sha::here(), whole);
}

#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512vl,avx512bw")]
fn whole_avx512(whole: Whole<'_>) {
    clear_upper_halves(Avx::here());
    whole_by::<4>(Sha::here(), whole);
}

/// Whole messages, `N` at a time. Hash values stay in registers from the first block to the last.
///
/// ```text
///   stream 0  █████████│███│█│▒    ▒ = the blocks that close a message, one or two
///   stream 1  █████████│██▒│▒│     │ = where a message ends, and the others go on
///   stream 2  ███████▒▒│█▒▒│
///   stream 3  ███████▒▒│           The next messages begin when all of these have ended.
/// ```
#[inline(always)]
fn whole_by<const N: usize>(sha: Sha, whole: Whole<'_>) {
    let Whole { start, messages, chains } = whole;
    let start = State::load(sha, start);
    for (messages, chains) in messages.chunks(N).zip(chains.chunks_mut(N)) {
        let mut states = [start; N];
        let mut done = 0;
        if let (4.., [a, b, c, d]) = (N, messages) {
            done = go_on::<4>(sha, &mut states, [a, b, c, d], done);
        }
        if let (3.., [a, b, c, ..]) = (N, messages) {
            done = go_on::<3>(sha, &mut states, [a, b, c], done);
        }
        if let [a, b, ..] = messages {
            done = go_on::<2>(sha, &mut states, [a, b], done);
        }
        if let [a, ..] = messages {
            go_on::<1>(sha, &mut states, [a], done);
        }
        for (chain, state) in chains.iter_mut().zip(states) {
            chain.h = state.words(sha);
        }
    }
}

/// The blocks of the first `N` messages from place `done` on, as many as the last of them has, and the place then.
#[inline(always)]
fn go_on<const N: usize>(sha: Sha, states: &mut [State], messages: [&Message<'_>; N], done: usize) -> usize {
    let Some(states) = states.first_chunk_mut::<N>() else { return done };
    let count = messages[N - 1].number();
    for block in done..count {
        let mut w = [[State::ZERO.0[0]; 4]; N];
        for (w, message) in w.iter_mut().zip(messages) {
            *w = load(sha, message.block(block), Written::JustNow);
        }
        compress_words(sha, states, w);
    }
    count
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn nodes_sse(nodes: Nodes<'_>) {
    nodes_by::<2>(Sha::here(), nodes);
}

#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512vl,avx512bw")]
fn nodes_avx512(nodes: Nodes<'_>) {
    clear_upper_halves(Avx::here());
    nodes_by::<4>(Sha::here(), nodes);
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn node_sse(iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    hash_together(Sha::here(), iv, ([node], Written::Before), [digest], false);
}

#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512vl,avx512bw")]
fn node_avx512(iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
    clear_upper_halves(Avx::here());
    hash_together(Sha::here(), iv, ([node], Written::Before), [digest], false);
}

#[inline(always)]
fn nodes_by<const N: usize>(sha: Sha, nodes: Nodes<'_>) {
    let Nodes { iv, written, nodes, digests, twice } = nodes;
    debug_assert!(N == 2 || nodes.len() == in_fours(nodes.len()), "by four and three alone");
    let (groups, rest) = nodes.as_chunks::<N>();
    let (digests_of_groups, digests_of_rest) = digests.as_chunks_mut::<N>();
    for (nodes, digests) in groups.iter().zip(digests_of_groups) {
        hash_together(sha, iv, (*nodes, written), digests.each_mut(), twice);
    }
    match (N, rest, digests_of_rest) {
        (4, &[a, b, c], [e, f, g]) => hash_together(sha, iv, ([a, b, c], written), [e, f, g], twice),
        (2, &[a], [e]) => hash_together(sha, iv, ([a], written), [e], twice),
        _ => {}
    }
}

#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn iterate_sse(iterations: &mut [Iteration], count: u32) {
    iterate_by::<2>(Sha::here(), iterations, count);
}

#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512vl,avx512bw")]
fn iterate_avx512(iterations: &mut [Iteration], count: u32) {
    clear_upper_halves(Avx::here());
    iterate_by::<4>(Sha::here(), iterations, count);
}

#[inline(always)]
fn iterate_by<const N: usize>(sha: Sha, iterations: &mut [Iteration], count: u32) {
    let (groups, rest) = iterations.as_chunks_mut::<N>();
    for group in groups {
        iterate_together(sha, group.each_mut(), count);
    }
    match rest {
        [a, b, c] => iterate_together(sha, [a, b, c], count),
        [a, b] => iterate_together(sha, [a, b], count),
        [a] => iterate_together(sha, [a], count),
        _ => {}
    }
}

/// `count` more tags of each of `N` keys.
///
/// A tag is two messages of one block: the key's block comes before each. The hash value of one is the first eight words
/// of the next, so no byte is swapped, and the other words are known.
///
/// ```text
///   tag ─▶ compress from inner ─▶ compress from outer ─▶ tag, and so on: all in registers
///                                                         └─▶ exclusive or with the sum
/// ```
#[inline(always)]
fn iterate_together<const N: usize>(sha: Sha, iterations: [&mut Iteration; N], count: u32) {
    let [mut inner, mut outer] = [[State::ZERO; N]; 2];
    let mut sums = [State::ZERO.0; N];
    for (s, iteration) in iterations.iter().enumerate() {
        (inner[s], outer[s]) = (State::load(sha, &iteration.inner), State::load(sha, &iteration.outer));
        sums[s] = rows_of(sha, &iteration.sum);
    }
    let mut tags = sums;
    for _ in 0..count {
        for start in [&inner, &outer] {
            let mut states = *start;
            compress_words(sha, &mut states, tags.map(|tag| after_a_block(sha, tag)));
            for (tag, state) in tags.iter_mut().zip(states) {
                *tag = state.rows(sha);
            }
        }
        for (sum, tag) in sums.iter_mut().zip(tags) {
            // SAFETY: sha proves SHA-NI and SSE4.1.
            *sum = unsafe { [_mm_xor_si128(sum[0], tag[0]), _mm_xor_si128(sum[1], tag[1])] };
        }
    }
    for (iteration, sum) in iterations.into_iter().zip(sums) {
        iteration.sum = words_of(sha, sum);
    }
}

/// The block of a message of 32 bytes after one block: a bit 1, zeros, and the length of both, 768 bits.
#[inline(always)]
fn after_a_block(sha: Sha, [low, high]: [__m128i; 2]) -> [__m128i; 4] {
    [low, high, constant(sha, [0x8000_0000, 0, 0, 0]), constant(sha, [0, 0, 0, 768])]
}

/// `count` blocks of each of `N` messages. The next block of a message is `stride` blocks further.
///
/// The blocks of messages that are closed together are all loaded as just written ones, which is not wrong for others.
#[inline(always)]
fn compress_together<const N: usize>(
    sha: Sha,
    chains: [&mut Chain; N],
    blocks: [&[[u8; 64]]; N],
    (count, stride): (usize, usize),
    last: Written,
    ahead: Option<[usize; N]>,
) {
    let mut states = [State::ZERO; N];
    for (state, chain) in states.iter_mut().zip(&chains) {
        *state = State::load(sha, &chain.h);
    }
    for block in 0..count {
        let mut w = [[State::ZERO.0[0]; 4]; N];
        for (w, blocks) in w.iter_mut().zip(&blocks) {
            *w = load(sha, &blocks[block * stride], last);
        }
        if let Some(ahead) = ahead {
            for (blocks, ahead) in blocks.iter().zip(ahead) {
                fetch_ahead(&blocks[block * stride], ahead);
            }
        }
        compress_words(sha, &mut states, w);
    }
    for (state, chain) in states.iter().zip(chains) {
        chain.h = state.words(sha);
        chain.blocks = chain.blocks.wrapping_add(count as u64);
    }
}

/// The digests of `N` messages of 64 bytes, or of these digests.
#[inline(always)]
fn hash_together<const N: usize>(
    sha: Sha,
    iv: &[u32; 8],
    (nodes, written): ([&[u8; 64]; N], Written),
    digests: [&mut [u8; 32]; N],
    twice: bool,
) {
    let start = [State::load(sha, iv); N];
    let mut states = start;
    let mut w = [[State::ZERO.0[0]; 4]; N];
    for (w, node) in w.iter_mut().zip(nodes) {
        *w = load(sha, node, written);
    }
    // In a loop the rounds are compiled once.
    for second in [false, true] {
        compress_words(sha, &mut states, w);
        if second {
            break;
        }
        compress_scheduled(sha, &mut states, &PADDING_OF_64);
        if !twice {
            break;
        }
        for (w, state) in w.iter_mut().zip(&states) {
            let [low, high] = state.rows(sha);
            *w = [low, high, constant(sha, [0x8000_0000, 0, 0, 0]), constant(sha, [0, 0, 0, 256])];
        }
        states = start;
    }
    for (state, digest) in states.iter().zip(digests) {
        for (to, row) in digest.as_chunks_mut::<16>().0.iter_mut().zip(state.rows(sha)) {
            // SAFETY: sha proves SHA-NI and SSE4.1. The array has the 16 bytes an unaligned store writes.
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), swap32(row)) };
        }
    }
}

/// The working variables as SHA-NI has them: `f e b a` and `h g d c`, from the low end.
#[derive(Clone, Copy)]
struct State([__m128i; 2]);

impl State {
    // SAFETY: all values of the register are valid.
    const ZERO: Self = Self([unsafe { mem::zeroed() }; 2]);

    #[inline(always)]
    fn load(sha: Sha, h: &[u32; 8]) -> Self {
        let [low, high] = rows_of(sha, h);
        // SAFETY: sha proves SHA-NI and SSE4.1.
        unsafe {
            let (badc, hgfe) = (_mm_shuffle_epi32::<0b10_11_00_01>(low), _mm_shuffle_epi32::<0b00_01_10_11>(high));
            Self([_mm_alignr_epi8::<8>(badc, hgfe), _mm_blend_epi16::<0xf0>(hgfe, badc)])
        }
    }

    /// `a` to `d` and `e` to `h`, from the low end.
    #[inline(always)]
    fn rows(self, _: Sha) -> [__m128i; 2] {
        let [feba, hgdc] = self.0;
        // SAFETY: the argument proves SHA-NI and SSE4.1.
        unsafe {
            let (abef, dchg) = (_mm_shuffle_epi32::<0b00_01_10_11>(feba), _mm_shuffle_epi32::<0b10_11_00_01>(hgdc));
            let (abcd, efgh) = (_mm_blend_epi16::<0xf0>(abef, dchg), _mm_alignr_epi8::<8>(dchg, abef));
            [abcd, efgh]
        }
    }

    #[inline(always)]
    fn words(self, sha: Sha) -> [u32; 8] {
        words_of(sha, self.rows(sha))
    }
}

#[inline(always)]
fn rows_of(sha: Sha, words: &[u32; 8]) -> [__m128i; 2] {
    let ([low, high], _) = words.as_chunks::<4>() else { unreachable!() };
    [constant(sha, *low), constant(sha, *high)]
}

#[inline(always)]
fn words_of(_: Sha, rows: [__m128i; 2]) -> [u32; 8] {
    let mut words = [0; 8];
    for (to, row) in words.as_chunks_mut::<4>().0.iter_mut().zip(rows) {
        // SAFETY: the array and the register have as many bytes, and all values of both are valid.
        *to = unsafe { mem::transmute::<__m128i, [u32; 4]>(row) };
    }
    words
}

#[inline(always)]
fn constant(_: Sha, words: [u32; 4]) -> __m128i {
    // SAFETY: the array and the register have as many bytes, and all values of both are valid.
    unsafe { mem::transmute::<[u32; 4], __m128i>(words) }
}

/// The words of a block, four in a register.
#[inline(always)]
fn load(sha: Sha, block: &[u8; 64], written: Written) -> [__m128i; 4] {
    let mut words = [constant(sha, [0; 4]); 4];
    for (words, row) in words.iter_mut().zip(block.as_chunks::<16>().0) {
        let row = match written {
            // SAFETY: sha proves SHA-NI and SSE4.1. The array has the 16 bytes an unaligned load reads.
            Written::Before => unsafe { _mm_loadu_si128(row.as_ptr().cast()) },
            // SAFETY: sha proves SHA-NI and SSE4.1.
            Written::JustNow => unsafe { load_halves(row) },
        };
        // SAFETY: sha proves SHA-NI and SSE4.1.
        *words = unsafe { swap32(row) };
    }
    words
}

/// One block of each message, of which `w` has the words.
#[inline(always)]
fn compress_words<const N: usize>(sha: Sha, states: &mut [State; N], mut w: [[__m128i; 4]; N]) {
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
    w: &mut [[__m128i; 4]; N],
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
    w: &mut [[__m128i; 4]; N],
    k: &[u32; 16],
) {
    let k = constant(sha, *k.as_chunks::<4>().0.get(J).expect("sixteen constants"));
    for s in 0..N {
        // SAFETY: sha proves SHA-NI and SSE4.1.
        let sums = unsafe { _mm_add_epi32(w[s][J], k) };
        states[s] = rounds(sha, states[s], sums);
        if MORE {
            // SAFETY: sha proves SHA-NI and SSE4.1.
            w[s][J] = unsafe {
                let [next, seven, last] = [w[s][(J + 1) % 4], w[s][(J + 2) % 4], w[s][(J + 3) % 4]];
                let sum = _mm_sha256msg1_epu32(w[s][J], next);
                _mm_sha256msg2_epu32(_mm_add_epi32(sum, _mm_alignr_epi8::<4>(last, seven)), last)
            };
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
fn rounds(_: Sha, state: State, sums: __m128i) -> State {
    let State([feba, hgdc]) = state;
    // SAFETY: the argument proves SHA-NI and SSE4.1.
    unsafe {
        let hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sums);
        let feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32::<0b00_00_11_10>(sums));
        State([feba, hgdc])
    }
}

#[inline(always)]
fn add_all<const N: usize>(_: Sha, states: &mut [State; N], before: &[State; N]) {
    for (state, before) in states.iter_mut().zip(before) {
        for (row, before) in state.0.iter_mut().zip(before.0) {
            // SAFETY: the argument proves SHA-NI and SSE4.1.
            *row = unsafe { _mm_add_epi32(*row, before) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::Cpu;
    use crate::backend::portable::sha256 as portable;

    #[target_feature(enable = "sha,sse4.1,ssse3")]
    fn streams<const N: usize>(
        chains: [&mut Chain; N],
        blocks: [&[[u8; 64]]; N],
        place: (usize, usize),
        last: Written,
    ) {
        compress_together(Sha::here(), chains, blocks, place, last, None);
    }

    #[target_feature(enable = "sha,sse4.1,ssse3")]
    fn nodes<const N: usize>(nodes: Nodes<'_>) {
        nodes_by::<N>(Sha::here(), nodes);
    }

    #[target_feature(enable = "sha,sse4.1,ssse3")]
    fn iterations<const N: usize>(iterations: &mut [Iteration], count: u32) {
        iterate_by::<N>(Sha::here(), iterations, count);
    }

    /// The tag of a tag, block by block.
    fn tag_of(iteration: &Iteration, tag: [u32; 8]) -> [u32; 8] {
        [iteration.inner, iteration.outer].into_iter().fold(tag, |words, h| {
            let (mut chain, mut block) = (Chain::new(h), [0; 64]);
            block[..32].copy_from_slice(&Chain::new(words).to_bytes());
            (block[32], block[62]) = (0x80, 3);
            portable::compress(&mut chain, &[block]);
            chain.h
        })
    }

    /// Three and four streams are for CPUs with AVX-512, which no emulator has together with SHA-NI: here the same code
    /// runs with fewer registers.
    #[test]
    fn three_and_four_streams_with_sixteen_registers() {
        if Sha::detect(Cpu::THIS).is_none() {
            return;
        }
        let mut seed = 0_u32;
        let mut next = || {
            seed = seed.wrapping_mul(0x915f_77f5).wrapping_add(1);
            seed.rotate_left(11)
        };
        let mut blocks = [[[0; 64]; 5]; 4];
        for byte in blocks.as_flattened_mut().as_flattened_mut() {
            *byte = next().to_le_bytes()[0];
        }
        let start = [(); 4].map(|()| Chain { h: [(); 8].map(|()| next()), blocks: 3 });
        for ((count, stride), last) in
            [((1, 1), Written::JustNow), ((5, 1), Written::Before), ((2, 4), Written::Before)]
        {
            let mut expected = start;
            for (chain, blocks) in expected.iter_mut().zip(&blocks) {
                (0..count).for_each(|i| portable::compress(chain, &blocks[i * stride..][..1]));
            }
            let mut chains = start;
            let [a, b, c, d] = &mut chains;
            let [e, f, g, h] = blocks.each_ref().map(<[_; 5]>::as_slice);
            // SAFETY: SHA-NI and SSE4.1 were detected.
            unsafe { streams([a, b, c, d], [e, f, g, h], (count, stride), last) };
            assert!(chains == expected, "four");
            let mut chains = start;
            let [a, b, c, _] = &mut chains;
            // SAFETY: SHA-NI and SSE4.1 were detected.
            unsafe { streams([a, b, c], [e, f, g], (count, stride), last) };
            assert!(chains[..3] == expected[..3], "three");
        }
        let messages: [&[u8; 64]; 7] = [0, 6, 12, 18, 4, 9, 15].map(|i| &blocks.as_flattened()[i]);
        let mut digests = [[[0; 32]; 7]; 4];
        let [a, b, c, d] = &mut digests;
        let of = |digests, twice| Nodes {
            iv: &crate::kernel::sha256::IV_256,
            written: Written::Before,
            nodes: &messages,
            digests,
            twice,
        };
        // SAFETY: SHA-NI and SSE4.1 were detected.
        unsafe { nodes::<4>(of(a, false)) };
        // SAFETY: SHA-NI and SSE4.1 were detected.
        unsafe { nodes::<4>(of(b, true)) };
        portable::hash_nodes(of(c, false));
        portable::hash_nodes(of(d, true));
        assert_eq!(digests[..2], digests[2..]);
        let start = [(); 7].map(|()| {
            let [inner, outer, sum] = [(); 3].map(|()| [(); 8].map(|()| next()));
            Iteration { inner, outer, sum }
        });
        for count in 0..3 {
            let mut given = start;
            // SAFETY: SHA-NI and SSE4.1 were detected.
            unsafe { iterations::<4>(&mut given, count) };
            for (given, start) in given.iter().zip(&start) {
                let (mut tag, mut sum) = (start.sum, start.sum);
                for _ in 0..count {
                    tag = tag_of(start, tag);
                    sum.iter_mut().zip(tag).for_each(|(sum, word)| *sum ^= word);
                }
                assert_eq!((given.inner, given.outer, given.sum), (start.inner, start.outer, sum), "{count} tags");
            }
        }
    }
}

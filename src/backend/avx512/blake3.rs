//! BLAKE3 on AVX-512: a message in rows of a register each, two or four in the parts of wider rows, or four, eight or
//! sixteen messages in lanes.
//!
//! Where a rotation takes one cycle (Emerald Rapids), four messages take 178 cycles a block in rows, and 345 in lanes
//! of 128 bits; where it takes two (Zen 4), 478 in rows and 308 in lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::convert::identity;

use super::{Avx512, Slow32x16, U32x4, U32x8, U32x16, in_parts, ror32x4, ror32x8, ror32x16};
use crate::backend::avx2::blake3::{join as join8, pick as pick8, with_last as with_last8};
use crate::backend::sse41::blake3::{alone, join as join4, next_words, pick as pick4, row, with_last as with_last4};
use crate::backend::vector::words;
use crate::backend::{On, opaque};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, Row, Rows, SingleBlock, TURN_1, TURN_2, TURN_3, compress_lanes,
    compress_row, compress_rows, equal_lanes, group_lanes, group_rows, order, output_lanes, output_rows,
};
use crate::kernel::g::G;
use crate::kernel::{Compress, Run, Words};

impl Compress<Blake3Function> for On<Avx512> {
    const LANES: usize = 16;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        match self.tuning.before_zen5() {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            false => unsafe { compress(chain, blocks, last) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            true => unsafe { compress_slow(chain, blocks, last) },
        }
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        match (run.chains.len(), self.tuning.before_zen5()) {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=2, false) => unsafe { compress2(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=2, true) => unsafe { compress2_slow(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=4, false) => unsafe { compress4(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=4, true) => unsafe { compress4_slow(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=8, _) => unsafe { compress8(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress16(run) },
        }
    }
}

impl CompressGroup for On<Avx512> {
    fn group(self, group: Group<'_>) {
        match (group.inputs.len(), self.tuning.before_zen5()) {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (1, false) => unsafe { group1(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (1, true) => unsafe { group1_slow(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=2, false) => unsafe { group2(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=2, true) => unsafe { group2_slow(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=4, false) => unsafe { group4(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=4, true) => unsafe { group4_slow(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (..=8, _) => unsafe { group8(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (_, true) if group.ends.is_none() => unsafe { group16_slow(group) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { group16(group) },
        }
    }

    #[inline]
    fn block<const SETTLED: bool>(
        self,
        SingleBlock { key, bytes, counter, length, flags }: SingleBlock<'_>,
    ) -> [u8; 32] {
        match self.tuning.before_zen5() {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            false => unsafe { block::<SETTLED>(key, bytes, counter, length, flags) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            true => unsafe { block_slow::<SETTLED>(key, bytes, counter, length, flags) },
        }
    }

    /// By a function for each kernel: one for all would prepare the registers of all first.
    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        let SingleBlock { key, bytes, counter, length, flags } = root;
        let rest = blocks.len() % 16;
        let (many, few) = blocks.split_at_mut(blocks.len() - if rest > 8 { 0 } else { rest });
        if !many.is_empty() {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            unsafe { output16(root, many) }
        }
        let counter = counter.wrapping_add(many.len() as u64);
        match (few, self.tuning.before_zen5()) {
            ([], _) => {}
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            ([block], false) => unsafe { output1(key, bytes, counter, length, flags, block) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            ([block], true) => unsafe { output1_slow(key, bytes, counter, length, flags, block) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (few, false) if few.len() <= 4 => unsafe { output_few(SingleBlock { counter, ..root }, few) },
            (few, is_slow) => match few.try_into() {
                // SAFETY: self.isa proves AVX-512F, VL and BW.
                Ok(two) if is_slow => unsafe { output2_slow(key, bytes, counter, length, flags, two) },
                // SAFETY: self.isa proves AVX-512F, VL and BW.
                _ => unsafe { output8(SingleBlock { counter, ..root }, few) },
            },
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<U32x4, 1>(Avx512::here(), alone(chain, &[blocks], &[last]));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress_slow(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<Slow32x4, 1>(Avx512::here(), alone(chain, &[blocks], &[last]));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress2(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x8, 2>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress2_slow(run: Run<'_, Blake3Function>) {
    compress_rows::<Slow32x8, 2>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x16, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4_slow(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x8, 8>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress16(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x16, 16>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group1(group: Group<'_>) {
    group_rows::<U32x4, 1>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group1_slow(group: Group<'_>) {
    group_rows::<Slow32x4, 1>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group2(group: Group<'_>) {
    group_rows::<U32x8, 2>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group2_slow(group: Group<'_>) {
    group_rows::<Slow32x8, 2>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group4(group: Group<'_>) {
    group_rows::<U32x16, 4>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group4_slow(group: Group<'_>) {
    group_lanes::<U32x4, 4, false>(Avx512::here(), group);
}

// Inputs of one length, as those of long messages are, have code for each round. A loop takes 8 % longer where a rotation
// takes one cycle (Emerald Rapids), and not where it takes two.

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group8(group: Group<'_>) {
    group_lanes::<U32x8, 8, true>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group16(group: Group<'_>) {
    group_lanes::<U32x16, 16, true>(Avx512::here(), group);
}

/// Inputs of one length alone. For others it would be as long again.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group16_slow(group: Group<'_>) {
    equal_lanes::<Slow32x16, 16, false>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn block<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<U32x4, SETTLED>(Avx512::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn block_slow<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<Slow32x4, SETTLED>(Avx512::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output1(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, block: &mut [u8; 64]) {
    let root = SingleBlock { key, bytes, counter, length, flags };
    output_rows::<U32x4, 1>(Avx512::here(), root, core::array::from_mut(block));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output1_slow(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, block: &mut [u8; 64]) {
    let root = SingleBlock { key, bytes, counter, length, flags };
    output_rows::<Slow32x4, 1>(Avx512::here(), root, core::array::from_mut(block));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output2_slow(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, blocks: &mut [[u8; 64]; 2]) {
    output_rows::<Slow32x8, 2>(Avx512::here(), SingleBlock { key, bytes, counter, length, flags }, blocks);
}

/// Two to four blocks, in rows.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output_few(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_rows::<U32x16, 4>(Avx512::here(), root, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output8(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x8, 8>(Avx512::here(), root, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output16(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x16, 16>(Avx512::here(), root, blocks);
}

// The shuffles that move message words are hidden. Otherwise LLVM makes one permutation of two vectors out of two. It
// takes three cycles, and its port cannot finish a shuffle of the chain in the cycle in which it finishes: see `blake2`.
// Then one message takes 7 % longer, and four 10 % (Emerald Rapids).
row!(U32x4 of 1 in "avx512f,avx512vl,avx512bw", Avx512, join4, identity, _mm_add_epi32, xor_ror4, _mm_shuffle_epi32, pick4,
    with_last4; hidden by opaque::xmm);
row!(U32x8 of 2 in "avx512f,avx512vl,avx512bw", Avx512, join8, _mm256_broadcastsi128_si256, _mm256_add_epi32, xor_ror8,
    _mm256_shuffle_epi32, pick8, with_last8; hidden by opaque::ymm);
row!(U32x16 of 4 in "avx512f,avx512vl,avx512bw", Avx512, join16, _mm512_broadcast_i32x4, _mm512_add_epi32, xor_ror16,
    _mm512_shuffle_epi32, pick16, with_last16; hidden by opaque::zmm);

words!(
    /// Four words of a message, where a rotation takes two cycles.
    Slow32x4: [u32; 4] in __m128i, Avx512, _mm_add_epi32, _mm_xor_si128, ror32x4
);
words!(
    /// Four words of each of two messages, where a rotation takes two cycles.
    Slow32x8: [u32; 8] in __m256i, Avx512, _mm256_add_epi32, _mm256_xor_si256, ror32x8
);
row!(Slow32x4 of 1 in "avx512f,avx512vl,avx512bw", Avx512, join4, identity, _mm_add_epi32, by_shifts4, _mm_shuffle_epi32,
    pick4, with_last4, _mm_permutex2var_epi32, _mm_unpackhi_epi32);
row!(Slow32x8 of 2 in "avx512f,avx512vl,avx512bw", Avx512, join8, _mm256_broadcastsi128_si256, _mm256_add_epi32, by_shifts8,
    _mm256_shuffle_epi32, pick8, with_last8, _mm256_permutex2var_epi32, _mm256_unpackhi_epi32);

/// Words `4 i` to `4 i + 4` of four blocks. By halves a block takes 198 cycles instead of 178 (Emerald Rapids).
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn join16<const SETTLED: bool>([a, b, c, d]: [&[u8; 64]; 4], i: usize) -> __m512i {
    let [a, b] = [join4::<SETTLED>([a], i), join4::<SETTLED>([b], i)];
    in_parts([a, b, join4::<SETTLED>([c], i), join4::<SETTLED>([d], i)])
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_ror4(a: __m128i, b: __m128i, bits: u32) -> __m128i {
    ror32x4(_mm_xor_si128(a, b), bits)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_ror8(a: __m256i, b: __m256i, bits: u32) -> __m256i {
    ror32x8(_mm256_xor_si256(a, b), bits)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_ror16(a: __m512i, b: __m512i, bits: u32) -> __m512i {
    ror32x16(_mm512_xor_si512(a, b), bits)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn pick16<const ORDER: i32>(a: __m512i, b: __m512i) -> __m512i {
    _mm512_castps_si512(_mm512_shuffle_ps::<ORDER>(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn with_last16(a: __m512i, b: __m512i) -> __m512i {
    _mm512_mask_blend_epi32(0x8888, a, b)
}

/// In each part of four words, those at these places: 0 to 3 of one vector, 4 to 7 of the other.
const fn places<const WORDS: usize>(four: [u32; 4]) -> [u32; WORDS] {
    let mut places = [0; WORDS];
    let mut i = 0;
    while i < WORDS {
        let place = four[i % 4];
        #[expect(clippy::cast_possible_truncation, reason = "sixteen at most")]
        let (part, words) = ((i - i % 4) as u32, WORDS as u32);
        places[i] = if place < 4 { part + place } else { words + part + place - 4 };
        i += 1;
    }
    places
}

/// Rotates an exclusive or, of which `early` is known some cycles before `late`: that side is rotated while the other
/// is still being computed, which is then shifted both ways and added by ternary logic. That takes two cycles instead of
/// three where a rotation takes two. Where it takes one, the shifts only fill the ports: 207 cycles a block instead of
/// 183 (Cascade Lake).
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn by_shifts4(early: __m128i, late: __m128i, bits: u32) -> __m128i {
    let down = _mm_cvtsi32_si128(bits.cast_signed());
    let up = _mm_cvtsi32_si128((32 - bits).cast_signed());
    let (early, down, up) = (ror32x4(early, bits), _mm_srl_epi32(late, down), _mm_sll_epi32(late, up));
    #[cfg(not(msan))]
    return _mm_ternarylogic_epi32::<0x96>(early, down, up);
    // The memory sanitizer does not follow ternary logic.
    #[cfg(msan)]
    return _mm_xor_si128(early, _mm_xor_si128(down, up));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn by_shifts8(early: __m256i, late: __m256i, bits: u32) -> __m256i {
    let down = _mm_cvtsi32_si128(bits.cast_signed());
    let up = _mm_cvtsi32_si128((32 - bits).cast_signed());
    let (early, down, up) = (ror32x8(early, bits), _mm256_srl_epi32(late, down), _mm256_sll_epi32(late, up));
    #[cfg(not(msan))]
    return _mm256_ternarylogic_epi32::<0x96>(early, down, up);
    // The memory sanitizer does not follow ternary logic.
    #[cfg(msan)]
    return _mm256_xor_si256(early, _mm256_xor_si256(down, up));
}

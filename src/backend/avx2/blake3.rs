//! BLAKE3 on AVX2: a message in rows of a register each, two in the halves of wider rows, twice if there are four, or
//! eight messages. On AMD's CPUs before Zen 5, groups of three and four go in AVX's lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Avx2, U32x8};
use crate::backend::On;
use crate::backend::avx::blake3 as avx;
use crate::backend::sse41::blake3::{self as sse41, alone, next_words, output_in_lanes, row};
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, Row, Rows, SingleBlock, TURN_1, TURN_2, TURN_3, compress_lanes,
    compress_row, compress_rows, group_lanes, group_rows, order, output_lanes, output_rows,
};
use crate::kernel::g::G;
use crate::kernel::{Compress, Run, Words};

impl Compress<Blake3Function> for On<Avx2> {
    const LANES: usize = 8;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        // SAFETY: self.isa proves AVX2.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        match run.chains.len() {
            // SAFETY: self.isa proves AVX2.
            ..=4 => unsafe { compress2(run) },
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { compress8(run) },
        }
    }
}

impl CompressGroup for On<Avx2> {
    fn group(self, group: Group<'_>) {
        match (group.inputs.len(), self.tuning.before_zen5()) {
            // SAFETY: self.isa proves AVX2.
            (1, _) => unsafe { group1(group) },
            // SAFETY: self.isa proves AVX2, and so AVX.
            (3 | 4, true) => unsafe { avx::group4(group) },
            // SAFETY: self.isa proves AVX2.
            (..=4, _) => unsafe { group2(group) },
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { group8(group) },
        }
    }

    #[inline]
    fn block<const SETTLED: bool>(
        self,
        SingleBlock { key, bytes, counter, length, flags }: SingleBlock<'_>,
    ) -> [u8; 32] {
        // SAFETY: self.isa proves AVX2.
        unsafe { block::<SETTLED>(key, bytes, counter, length, flags) }
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        output_in_lanes::<8>(
            root,
            blocks,
            // SAFETY: self.isa proves AVX2.
            |root, blocks| unsafe { output8(root, blocks) },
            // SAFETY: self.isa proves AVX2.
            |SingleBlock { key, bytes, counter, length, flags }, block| unsafe {
                output1(key, bytes, counter, length, flags, block);
            },
        );
    }
}

#[target_feature(enable = "avx2")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<U32x4, 1>(Sse41::here(), alone(chain, &[blocks], &[last]));
}

/// Two at a time.
#[target_feature(enable = "avx2")]
fn compress2(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x8, 2>(Avx2::here(), run);
}

#[target_feature(enable = "avx2")]
fn compress8(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x8, 8>(Avx2::here(), run);
}

#[target_feature(enable = "avx2")]
fn group1(group: Group<'_>) {
    group_rows::<U32x4, 1>(Sse41::here(), group);
}

/// Two at a time.
#[target_feature(enable = "avx2")]
fn group2(group: Group<'_>) {
    group_rows::<U32x8, 2>(Avx2::here(), group);
}

#[target_feature(enable = "avx2")]
fn group8(group: Group<'_>) {
    group_lanes::<U32x8, 8, false>(Avx2::here(), group);
}

#[target_feature(enable = "avx2")]
fn block<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<U32x4, SETTLED>(Sse41::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "avx2")]
fn output1(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, block: &mut [u8; 64]) {
    let root = SingleBlock { key, bytes, counter, length, flags };
    output_rows::<U32x4, 1>(Sse41::here(), root, core::array::from_mut(block));
}

#[target_feature(enable = "avx2")]
fn output8(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x8, 8>(Avx2::here(), root, blocks);
}

row!(U32x8 of 2 in "avx2", Avx2, join, _mm256_broadcastsi128_si256, _mm256_add_epi32, xor_ror, _mm256_shuffle_epi32, pick,
    with_last);

/// Words `4 i` to `4 i + 4` of both blocks.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn join<const SETTLED: bool>([a, b]: [&[u8; 64]; 2], i: usize) -> __m256i {
    _mm256_set_m128i(sse41::join::<SETTLED>([b], i), sse41::join::<SETTLED>([a], i))
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor_ror(a: __m256i, b: __m256i, bits: u32) -> __m256i {
    super::ror32(_mm256_xor_si256(a, b), bits)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn pick<const ORDER: i32>(a: __m256i, b: __m256i) -> __m256i {
    _mm256_castps_si256(_mm256_shuffle_ps::<ORDER>(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn with_last(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blend_epi32::<0b1000_1000>(a, b)
}

//! BLAKE3 on AVX-512: a message in rows of a register each, two in the halves of wider rows, or eight or sixteen
//! messages.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Avx512, U32x4, U32x8, U32x16};
use crate::backend::avx2::blake3 as avx2;
use crate::backend::sse41::blake3::{self as sse41, alone, row};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, Node, Row, compress_lanes, compress_rows, group_lanes, group_rows,
    output_lanes, output_rows,
};
use crate::kernel::{Compress, Run, Words};

impl Compress<Blake3Function> for Avx512 {
    const LANES: usize = 16;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        // SAFETY: self proves AVX-512F, VL and BW.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        match run.chains.len() {
            // SAFETY: self proves AVX-512F, VL and BW.
            2 => unsafe { compress2(run) },
            // SAFETY: self proves AVX-512F, VL and BW.
            ..=8 => unsafe { compress8(run) },
            // SAFETY: self proves AVX-512F, VL and BW.
            _ => unsafe { compress16(run) },
        }
    }
}

impl CompressGroup for Avx512 {
    fn group(self, group: Group<'_>) {
        match group.inputs.len() {
            // SAFETY: self proves AVX-512F, VL and BW.
            1 => unsafe { group1(group) },
            // SAFETY: self proves AVX-512F, VL and BW.
            2 => unsafe { group2(group) },
            // SAFETY: self proves AVX-512F, VL and BW.
            ..=8 => unsafe { group8(group) },
            // SAFETY: self proves AVX-512F, VL and BW.
            _ => unsafe { group16(group) },
        }
    }

    fn output(self, node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
        // SAFETY: self proves AVX-512F, VL and BW.
        unsafe { output(node, counter, blocks) }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<U32x4, 1>(Avx512::here(), alone(chain, &[blocks], &[last]));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress2(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x8, 2>(Avx512::here(), run);
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
fn group2(group: Group<'_>) {
    group_rows::<U32x8, 2>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group8(group: Group<'_>) {
    group_lanes::<U32x8, 8>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn group16(group: Group<'_>) {
    group_lanes::<U32x16, 16>(Avx512::here(), group);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn output(node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
    let mut counter = counter;
    for blocks in blocks.chunks_mut(16) {
        match blocks {
            [block] => output_rows::<U32x4>(Avx512::here(), node, counter, block),
            _ if blocks.len() <= 8 => output_lanes::<U32x8, 8>(Avx512::here(), node, counter, blocks),
            _ => output_lanes::<U32x16, 16>(Avx512::here(), node, counter, blocks),
        }
        counter = counter.wrapping_add(16);
    }
}

row!(U32x4 of 1, Avx512, join4, xor_ror4, _mm_shuffle_epi32, pick4, with_last4);
row!(U32x8 of 2, Avx512, join8, xor_ror8, _mm256_shuffle_epi32, pick8, with_last8);

use avx2::{join as join8, pick as pick8, with_last as with_last8};
use sse41::{join as join4, pick as pick4, with_last as with_last4};

/// Rotates what is known early, while the rest is still being computed, which is then shifted both ways and added by
/// ternary logic: two cycles after it where a rotation takes two (Zen 4), as many as by a rotation where that takes one
/// (Intel).
macro_rules! xor_ror {
    ($name:ident, $Register:ty, $ternary:ident, $ror:ident, $shr:ident, $shl:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
        fn $name(early: $Register, late: $Register, bits: u32) -> $Register {
            let down = _mm_cvtsi32_si128(bits.cast_signed());
            let up = _mm_cvtsi32_si128((32 - bits).cast_signed());
            $ternary(super::$ror(early, bits), $shr(late, down), $shl(late, up))
        }
    };
}
xor_ror!(xor_ror4, __m128i, xor3_4, ror32x4, _mm_srl_epi32, _mm_sll_epi32);
xor_ror!(xor_ror8, __m256i, xor3_8, ror32x8, _mm256_srl_epi32, _mm256_sll_epi32);

/// The exclusive or of three. In steps for MemorySanitizer, which does not follow `vpternlog`.
macro_rules! xor3 {
    ($name:ident, $Register:ty, $ternary:ident, $xor:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn $name(a: $Register, b: $Register, c: $Register) -> $Register {
            #[cfg(not(msan))]
            return $ternary::<0x96>(a, b, c);
            #[cfg(msan)]
            return $xor(a, $xor(b, c));
        }
    };
}
xor3!(xor3_4, __m128i, _mm_ternarylogic_epi32, _mm_xor_si128);
xor3!(xor3_8, __m256i, _mm256_ternarylogic_epi32, _mm256_xor_si256);

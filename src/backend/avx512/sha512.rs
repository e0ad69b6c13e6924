//! SHA-512 on AVX-512: one message with its schedule in vectors, or two to four, or up to eight, in lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(msan)]
use super::sha2::{
    _mm256_ternarylogic_epi32 as _mm256_ternarylogic_epi64, _mm512_ternarylogic_epi32 as _mm512_ternarylogic_epi64,
};
use super::sha2::{CH, MAJ, XOR3, sha2_lane};
use super::{Avx512, U64x4, U64x8};
use crate::backend::avx::{self, Avx};
use crate::backend::bmi2::Bmi2;
use crate::backend::portable::sha512 as portable;
use crate::backend::scheduled::{schedule, sha512 as scheduled};
use crate::backend::vector::sha2_rounds;
use crate::backend::{On, avx2};
use crate::kernel::sha512::{
    Chain, CompressWhole, Lane, Sha2Word, Sha512Function, Whole, Written, compress_block, compress_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Avx512> {
    /// One message.
    #[inline]
    fn sha512(self, chain: &mut Chain, blocks: &[[u8; 128]]) {
        match self.bmi2 {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            Some(bmi2) => unsafe { compress(bmi2, chain, blocks) },
            // SAFETY: self.isa proves AVX-512F, and so AVX.
            None => avx::sha512::compress_one(unsafe { Avx::here() }, chain, blocks),
        }
    }
}

impl Compress<Sha512Function> for On<Avx512> {
    const LANES: usize = 8;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 128]], _: Written) {
        self.sha512(chain, blocks);
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match live {
            ..=1 => Sides::Alone,
            2..=4 => Sides::Lanes(4, 13),
            _ => Sides::Lanes(8, 20),
        })
    }

    fn run(self, run: Run<'_, Sha512Function>) {
        match run.chains.len() {
            ..=1 => portable::one_by_one(run, |chain, blocks| self.sha512(chain, blocks)),
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            2..=4 => unsafe { compress4(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress8(run) },
        }
    }
}

impl CompressWhole<u64> for On<Avx512> {
    fn whole(self, messages: Whole<'_>) {
        match messages.chains.len() {
            ..=1 => portable::compress_whole(messages, |chain, blocks| self.sha512(chain, blocks)),
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            2..=4 => unsafe { whole4(messages) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { whole8(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(bmi2: Bmi2, chain: &mut Chain, blocks: &[[u8; 128]]) {
    scheduled::compress::<U64x4, _, 4>(Avx512::here(), bmi2, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn rounds4(h: &mut [U64x4; 8], blocks: &[&[u8; 128]; 4]) {
    compress_block::<u64, U64x4, 4>(Avx512::here(), h, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4(run: Run<'_, Sha512Function>) {
    compress_lanes::<u64, U64x4, 4>(Avx512::here(), run, |h, blocks| rounds4(h, blocks));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn rounds8(h: &mut [U64x8; 8], blocks: &[&[u8; 128]; 8]) {
    compress_block::<u64, U64x8, 8>(Avx512::here(), h, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, Sha512Function>) {
    compress_lanes::<u64, U64x8, 8>(Avx512::here(), run, |h, blocks| rounds8(h, blocks));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u64, U64x4, 4>(Avx512::here(), messages, |h, blocks| rounds4(h, blocks));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn whole8(messages: Whole<'_>) {
    whole_lanes::<u64, U64x8, 8>(Avx512::here(), messages, |h, blocks| rounds8(h, blocks));
}

sha2_lane!(
    U64x4 of u64, 4, __m256i, _mm256_add_epi64, _mm256_ternarylogic_epi64, ror64x4, shr4 by _mm256_srl_epi64,
    avx2::sha512::swap
);
sha2_lane!(U64x8 of u64, 8, __m512i, _mm512_add_epi64, _mm512_ternarylogic_epi64, ror64x8, shr8 by _mm512_srl_epi64, swap8);

schedule!(
    U64x4: [u64; 4] in "avx512f,avx512vl,avx512bw", avx2::sha256::rows, avx2::sha512::swap, _mm256_add_epi64,
    _mm256_ternarylogic_epi64::<XOR3>, super::ror64x4, shr4, _mm256_alignr_epi8::<8>
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn swap8(v: __m512i) -> __m512i {
    _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)))
}

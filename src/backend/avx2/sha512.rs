//! SHA-512 on AVX2: three or four messages in lanes, or one after the other with the schedule in vectors.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::sha256::{ch, maj, rows, xor3};
use super::{Avx2, U64x4};
use crate::backend::bmi2::Bmi2;
use crate::backend::portable::sha512 as portable;
use crate::backend::scheduled::{schedule, sha512 as scheduled};
use crate::backend::vector::sha2_rounds;
use crate::backend::{On, avx};
use crate::kernel::sha512::{
    Chain, CompressWhole, Lane, Sha2Word, Sha512Function, Whole, Written, compress_block, compress_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Avx2> {
    /// One message.
    #[inline]
    fn sha512(self, chain: &mut Chain, blocks: &[[u8; 128]]) {
        match self.bmi2 {
            // SAFETY: self.isa proves AVX2.
            Some(bmi2) => unsafe { compress(bmi2, chain, blocks) },
            None => avx::sha512::compress_one(self.isa.avx(), chain, blocks),
        }
    }
}

impl Compress<Sha512Function> for On<Avx2> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 128]], _: Written) {
        self.sha512(chain, blocks);
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match live {
            ..=2 => Sides::Alone,
            _ => Sides::Lanes(4, 24),
        })
    }

    fn run(self, run: Run<'_, Sha512Function>) {
        match run.chains.len() {
            ..=2 => portable::one_by_one(run, |chain, blocks| self.sha512(chain, blocks)),
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressWhole<u64> for On<Avx2> {
    fn whole(self, messages: Whole<'_>) {
        match messages.chains.len() {
            ..=2 => portable::compress_whole(messages, |chain, blocks| self.sha512(chain, blocks)),
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { whole4(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2")]
fn compress(bmi2: Bmi2, chain: &mut Chain, blocks: &[[u8; 128]]) {
    scheduled::compress::<U64x4, _, 4>(Avx2::here(), bmi2, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "avx2")]
fn rounds4(h: &mut [U64x4; 8], blocks: &[&[u8; 128]; 4]) {
    compress_block::<u64, U64x4, 4>(Avx2::here(), h, blocks);
}

#[target_feature(enable = "avx2")]
fn compress4(run: Run<'_, Sha512Function>) {
    compress_lanes::<u64, U64x4, 4>(Avx2::here(), run, |h, blocks| rounds4(h, blocks));
}

#[target_feature(enable = "avx2")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u64, U64x4, 4>(Avx2::here(), messages, |h, blocks| rounds4(h, blocks));
}

impl Lane<u64, 4> for U64x4 {
    const IN_MEMORY: bool = true;
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: self.1 proves AVX2.
        Self(unsafe { swap(self.0) }, self.1)
    }

    sha2_rounds!(U64x4 of u64 in "avx2", _mm256_add_epi64, xor3, super::ror64, shr, ch, maj);
}

schedule!(
    U64x4: [u64; 4] in "avx2", rows, swap, _mm256_add_epi64, xor3, super::ror64, shr, _mm256_alignr_epi8::<8>
);

#[inline]
#[target_feature(enable = "avx2")]
fn shr(v: __m256i, bits: u32) -> __m256i {
    _mm256_srl_epi64(v, _mm_cvtsi32_si128(bits.cast_signed()))
}

/// Every word with its bytes the other way round.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn swap(v: __m256i) -> __m256i {
    let places = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(places))
}

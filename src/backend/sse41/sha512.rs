//! SHA-512 on SSE4.1: one message after the other, with the schedule in vectors. Two lanes would gain nothing.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::sha256::{row, xor3};
use super::{Sse41, U64x2};
use crate::backend::portable::sha512::alone;
use crate::backend::scheduled::sha2::InPlace;
use crate::backend::scheduled::{schedule, sha512 as scheduled};
use crate::kernel::sha512::Sha2Word;

alone!(Sse41, compress_one);

#[inline]
fn compress_one(_: Sse41, chain: &mut Chain, blocks: &[[u8; 128]]) {
    // SAFETY: the argument proves SSE4.1.
    unsafe { compress(chain, blocks) }
}

#[inline(never)]
#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain, blocks: &[[u8; 128]]) {
    scheduled::compress::<U64x2, _, 2>(Sse41::here(), InPlace, chain, blocks);
}

schedule!(
    U64x2: [u64; 2] in "sse4.1", row, swap, _mm_add_epi64, xor3, super::ror64, shr, _mm_alignr_epi8::<8>
);

#[inline]
#[target_feature(enable = "sse2")]
fn shr(v: __m128i, bits: u32) -> __m128i {
    _mm_srl_epi64(v, _mm_cvtsi32_si128(bits.cast_signed()))
}

/// Every word with its bytes the other way round.
#[inline]
#[target_feature(enable = "ssse3")]
fn swap(v: __m128i) -> __m128i {
    _mm_shuffle_epi8(v, _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8))
}

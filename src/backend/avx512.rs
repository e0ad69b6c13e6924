//! AVX-512F and VL: rotation in one instruction, at 256 bits and at 512.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
use super::vector::u64s;
use super::{avx2, opaque};
use crate::kernel::{Lanes64, Row64};

mod blake2b;

isa!(
    /// Proves AVX-512F and AVX-512VL, and so AVX2.
    Avx512: "sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"
);

u64s!(
    /// Four 64-bit words.
    U64x4: [u64; 4] in __m256i, Avx512, _mm256_add_epi64, _mm256_xor_si256, ror256
);

u64s!(
    /// Eight 64-bit words.
    U64x8: [u64; 8] in __m512i, Avx512, _mm512_add_epi64, _mm512_xor_si512, ror512
);

/// By the rotation instruction, which has latency 2 on Zen 4, except for 32 bits, where a shuffle has 1.
///
/// The barrier keeps LLVM from shuffling both sides of an exclusive or instead of its result.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn ror256<const N: u32>(v: __m256i) -> __m256i {
    match N {
        16 => _mm256_ror_epi64::<16>(v),
        24 => _mm256_ror_epi64::<24>(v),
        32 => _mm256_shuffle_epi32::<0b10_11_00_01>(opaque::ymm(v)),
        63 => _mm256_ror_epi64::<63>(v),
        _ => unreachable!(),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn ror512<const N: u32>(v: __m512i) -> __m512i {
    match N {
        16 => _mm512_ror_epi64::<16>(v),
        24 => _mm512_ror_epi64::<24>(v),
        32 => _mm512_ror_epi64::<32>(v),
        63 => _mm512_ror_epi64::<63>(v),
        _ => unreachable!(),
    }
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose512([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    let ab_0246 = _mm512_unpacklo_epi64(a, b);
    let ab_1357 = _mm512_unpackhi_epi64(a, b);
    let cd_0246 = _mm512_unpacklo_epi64(c, d);
    let cd_1357 = _mm512_unpackhi_epi64(c, d);
    let ef_0246 = _mm512_unpacklo_epi64(e, f);
    let ef_1357 = _mm512_unpackhi_epi64(e, f);
    let gh_0246 = _mm512_unpacklo_epi64(g, h);
    let gh_1357 = _mm512_unpackhi_epi64(g, h);

    let abcd_04 = _mm512_shuffle_i64x2::<0b10_00_10_00>(ab_0246, cd_0246);
    let abcd_26 = _mm512_shuffle_i64x2::<0b11_01_11_01>(ab_0246, cd_0246);
    let abcd_15 = _mm512_shuffle_i64x2::<0b10_00_10_00>(ab_1357, cd_1357);
    let abcd_37 = _mm512_shuffle_i64x2::<0b11_01_11_01>(ab_1357, cd_1357);
    let efgh_04 = _mm512_shuffle_i64x2::<0b10_00_10_00>(ef_0246, gh_0246);
    let efgh_26 = _mm512_shuffle_i64x2::<0b11_01_11_01>(ef_0246, gh_0246);
    let efgh_15 = _mm512_shuffle_i64x2::<0b10_00_10_00>(ef_1357, gh_1357);
    let efgh_37 = _mm512_shuffle_i64x2::<0b11_01_11_01>(ef_1357, gh_1357);

    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_04, efgh_04),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_15, efgh_15),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_26, efgh_26),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_37, efgh_37),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_04, efgh_04),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_15, efgh_15),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_26, efgh_26),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_37, efgh_37),
    ]
}

impl Row64 for U64x4 {
    const AHEAD: bool = true;

    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Avx512, block: &[u8; 128], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::gather::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn load(token: Avx512, words: &[u64; 8], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::join(places.map(|place| words[place])) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::turn::<N>(self.0) }, self.1)
    }
}

impl Lanes64<4> for U64x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512VL, and so AVX2.
        unsafe { avx2::transpose(vectors.map(|v| v.0)) }.map(|v| Self(v, token))
    }
}

impl Lanes64<8> for U64x8 {
    #[inline(always)]
    fn transpose(vectors: [Self; 8]) -> [Self; 8] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512F.
        unsafe { transpose512(vectors.map(|v| v.0)) }.map(|v| Self(v, token))
    }
}

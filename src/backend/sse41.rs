//! SSE4.1: 128-bit vectors of two words of 64 bits, or four of 32.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
use super::opaque;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use super::vector::half_g;
use super::vector::words;
use crate::kernel::Lanes;

#[cfg(feature = "blake2")]
pub(super) mod blake2b;
#[cfg(feature = "blake2")]
pub(super) mod blake2s;
#[cfg(feature = "blake3")]
pub(super) mod blake3;
#[cfg(feature = "sha2")]
pub(super) mod sha256;
#[cfg(feature = "sha2")]
mod sha512;

isa!(
    /// Proves SSE4.1.
    Sse41: "sse2", "ssse3", "sse4.1"
);

words!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in __m128i, Sse41, _mm_add_epi64, _mm_xor_si128, ror64
);

words!(
    /// Four 32-bit words.
    U32x4: [u32; 4] in __m128i, Sse41, _mm_add_epi32, _mm_xor_si128, ror32
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift, others by two shifts.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result: 508 cycles without them, 433 with.
#[inline]
#[target_feature(enable = "sse4.1")]
fn ror64(v: __m128i, bits: u32) -> __m128i {
    match bits {
        16 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))),
        24 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))),
        32 => _mm_shuffle_epi32::<0b10_11_00_01>(opaque::xmm(v)),
        63 => _mm_xor_si128(_mm_add_epi64(v, v), _mm_srli_epi64::<63>(v)),
        _ => {
            let [low, high] = shifts(bits, 64);
            _mm_or_si128(_mm_srl_epi64(v, low), _mm_sll_epi64(v, high))
        }
    }
}

/// Whole bytes by a shuffle, others by two shifts.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(super) fn ror32(v: __m128i, bits: u32) -> __m128i {
    match bits {
        8 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))),
        16 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))),
        _ => {
            let [low, high] = shifts(bits, 32);
            _mm_or_si128(_mm_srl_epi32(v, low), _mm_sll_epi32(v, high))
        }
    }
}

/// The counts of the two shifts that make a rotation of words of `width` bits. They are constants where they are used,
/// so the shifts become those by an immediate.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn shifts(bits: u32, width: u32) -> [__m128i; 2] {
    [_mm_cvtsi32_si128(bits.cast_signed()), _mm_cvtsi32_si128((width - bits).cast_signed())]
}

impl U64x2 {
    /// The upper word of `self`, then the lower.
    #[inline(always)]
    fn swap(self) -> Self {
        // SAFETY: self.1 proves SSE4.1.
        Self(unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(self.0) }, self.1)
    }
}

impl Lanes<u64, 2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: a.1 proves SSE4.1.
        let (low, high) = unsafe { (_mm_unpacklo_epi64(a.0, b.0), _mm_unpackhi_epi64(a.0, b.0)) };
        [Self(low, a.1), Self(high, a.1)]
    }
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(super) fn transpose32([a, b, c, d]: [__m128i; 4]) -> [__m128i; 4] {
    let ab_01 = _mm_unpacklo_epi32(a, b);
    let ab_23 = _mm_unpackhi_epi32(a, b);
    let cd_01 = _mm_unpacklo_epi32(c, d);
    let cd_23 = _mm_unpackhi_epi32(c, d);
    [
        _mm_unpacklo_epi64(ab_01, cd_01),
        _mm_unpackhi_epi64(ab_01, cd_01),
        _mm_unpacklo_epi64(ab_23, cd_23),
        _mm_unpackhi_epi64(ab_23, cd_23),
    ]
}

/// Every word with its bytes the other way round.
#[inline]
#[cfg(feature = "sha2")]
#[target_feature(enable = "ssse3")]
pub(super) fn swap32(v: __m128i) -> __m128i {
    _mm_shuffle_epi8(v, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
}

/// 16 bytes that may have been written just before, by words of 64 bits: see `backend::reread`.
#[inline]
#[cfg(feature = "sha2")]
#[target_feature(enable = "sse2")]
pub(super) fn load_halves(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the array has the 16 bytes that two unaligned loads of 8 read.
    unsafe {
        // The barrier keeps LLVM from loading both halves at once.
        let low = opaque::xmm(_mm_loadl_epi64(bytes.as_ptr().cast()));
        _mm_unpacklo_epi64(low, _mm_loadl_epi64(bytes.as_ptr().add(8).cast()))
    }
}

impl Lanes<u32, 4> for U32x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves SSE4.1.
        Self::vectors(token, unsafe { transpose32(Self::registers(vectors)) })
    }
}

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x4: [u32; 4] in "sse4.1", _mm_add_epi32, _mm_xor_si128, ror32);

#[cfg(feature = "blake2")]
half_g!(U64x2: [u64; 2] in "sse4.1", _mm_add_epi64, _mm_xor_si128, ror64, loop by opaque::xmm);

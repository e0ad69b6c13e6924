//! AVX2: 256-bit vectors of four words of 64 bits, or eight of 32.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(feature = "sha2")]
use super::avx::Avx;
use super::isa::isa;
use super::opaque;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use super::sse41::U32x4;
use super::sse41::shifts;
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
pub(super) mod sha512;

isa!(
    /// Proves AVX2.
    Avx2: "sse2", "ssse3", "sse4.1", "avx", "avx2"
);

#[cfg(feature = "sha2")]
impl Avx2 {
    #[inline]
    fn avx(self) -> Avx {
        // SAFETY: self proves AVX2, and so AVX.
        unsafe { Avx::here() }
    }
}

words!(
    /// Four 64-bit words.
    U64x4: [u64; 4] in __m256i, Avx2, _mm256_add_epi64, _mm256_xor_si256, ror64
);

words!(
    /// Eight 32-bit words.
    U32x8: [u32; 8] in __m256i, Avx2, _mm256_add_epi32, _mm256_xor_si256, ror32
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift, others by two shifts.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result: 417 cycles without them, 387 with.
#[inline]
#[target_feature(enable = "avx2")]
fn ror64(v: __m256i, bits: u32) -> __m256i {
    let twice = |bytes| opaque::ymm(_mm256_broadcastsi128_si256(bytes));
    match bits {
        8 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8))),
        16 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))),
        24 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))),
        32 => _mm256_shuffle_epi32::<0b10_11_00_01>(opaque::ymm(v)),
        63 => _mm256_xor_si256(_mm256_add_epi64(v, v), _mm256_srli_epi64::<63>(v)),
        _ => {
            let [low, high] = shifts(bits, 64);
            _mm256_or_si256(_mm256_srl_epi64(v, low), _mm256_sll_epi64(v, high))
        }
    }
}

/// Whole bytes by a shuffle, with barriers for the same reasons, others by two shifts.
#[inline]
#[target_feature(enable = "avx2")]
fn ror32(v: __m256i, bits: u32) -> __m256i {
    let twice = |bytes| opaque::ymm(_mm256_broadcastsi128_si256(bytes));
    match bits {
        8 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))),
        16 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))),
        _ => {
            let [low, high] = shifts(bits, 32);
            _mm256_or_si256(_mm256_srl_epi32(v, low), _mm256_sll_epi32(v, high))
        }
    }
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose64([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let ab_02 = _mm256_unpacklo_epi64(a, b);
    let ab_13 = _mm256_unpackhi_epi64(a, b);
    let cd_02 = _mm256_unpacklo_epi64(c, d);
    let cd_13 = _mm256_unpackhi_epi64(c, d);
    [
        _mm256_permute2x128_si256::<0x20>(ab_02, cd_02),
        _mm256_permute2x128_si256::<0x20>(ab_13, cd_13),
        _mm256_permute2x128_si256::<0x31>(ab_02, cd_02),
        _mm256_permute2x128_si256::<0x31>(ab_13, cd_13),
    ]
}

/// Word `j` of vector `i` at place `i` of vector `j`, of eight.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose32([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    let [abcd_04, abcd_15, abcd_26, abcd_37] = transpose32x4([a, b, c, d]);
    let [efgh_04, efgh_15, efgh_26, efgh_37] = transpose32x4([e, f, g, h]);
    [
        _mm256_permute2x128_si256::<0x20>(abcd_04, efgh_04),
        _mm256_permute2x128_si256::<0x20>(abcd_15, efgh_15),
        _mm256_permute2x128_si256::<0x20>(abcd_26, efgh_26),
        _mm256_permute2x128_si256::<0x20>(abcd_37, efgh_37),
        _mm256_permute2x128_si256::<0x31>(abcd_04, efgh_04),
        _mm256_permute2x128_si256::<0x31>(abcd_15, efgh_15),
        _mm256_permute2x128_si256::<0x31>(abcd_26, efgh_26),
        _mm256_permute2x128_si256::<0x31>(abcd_37, efgh_37),
    ]
}

/// Word `j` of vector `i` at place `i` of vector `j`, for four vectors, in each 128-bit part.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose32x4([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let ab_01 = _mm256_unpacklo_epi32(a, b);
    let ab_23 = _mm256_unpackhi_epi32(a, b);
    let cd_01 = _mm256_unpacklo_epi32(c, d);
    let cd_23 = _mm256_unpackhi_epi32(c, d);
    [
        _mm256_unpacklo_epi64(ab_01, cd_01),
        _mm256_unpackhi_epi64(ab_01, cd_01),
        _mm256_unpacklo_epi64(ab_23, cd_23),
        _mm256_unpackhi_epi64(ab_23, cd_23),
    ]
}

/// Bytes `16 i` to `16 i + 16` of eight messages.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline(always)]
pub(super) fn parts([a, b, c, d, e, f, g, h]: [&[u8]; 8], i: usize) -> [__m128i; 8] {
    let part = |bytes| U32x4::register(bytes, i);
    [part(a), part(b), part(c), part(d), part(e), part(f), part(g), part(h)]
}

/// Words `4 i` to `4 i + 4` of eight messages, given those [`parts`].
///
/// They are put in place as they are loaded, which all ports for vectors do, and a shuffle one or two: BLAKE3 takes 0.96
/// of the time on AVX-512, and BLAKE2s 0.98 on AVX2 (Emerald Rapids).
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose_parts32([a, b, c, d, e, f, g, h]: [__m128i; 8]) -> [__m256i; 4] {
    transpose32x4([
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), e),
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(b), f),
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), g),
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(d), h),
    ])
}

impl Lanes<u64, 4> for U64x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX2.
        Self::vectors(token, unsafe { transpose64(Self::registers(vectors)) })
    }
}

impl Lanes<u32, 8> for U32x8 {
    #[inline(always)]
    fn transpose(vectors: [Self; 8]) -> [Self; 8] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX2.
        Self::vectors(token, unsafe { transpose32(Self::registers(vectors)) })
    }

    #[cfg(any(feature = "blake2", feature = "blake3"))]
    #[inline(always)]
    fn load_words(token: Avx2, messages: [&[u8]; 8], i: usize, to: &mut [Self]) {
        for (part, to) in to.chunks_exact_mut(4).enumerate() {
            let parts = parts(messages, 2 * i + part);
            // SAFETY: token proves AVX2.
            to.copy_from_slice(&Self::vectors(token, unsafe { transpose_parts32(parts) }));
        }
    }
}

// The last words as for those of 64 bits.
#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x8: [u32; 8] in "avx2", _mm256_add_epi32, _mm256_xor_si256, ror32, last by opaque::ymm_in_order);

// With sixteen registers, LLVM would take one G after the other to spare itself moves to memory, and the last of four
// then has the ports for itself, and waits. Joining more than the last row of each half costs more in moves than it
// gains.
#[cfg(feature = "blake2")]
half_g!(U64x4: [u64; 4] in "avx2", _mm256_add_epi64, _mm256_xor_si256, ror64, last by opaque::ymm_in_order);

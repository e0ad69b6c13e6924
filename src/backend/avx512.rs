//! AVX-512F, VL and BW: rotation in one instruction, at 128, 256 and 512 bits.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(all(target_arch = "x86_64", not(msan)))]
use super::staggered::staggered;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use super::vector::half_g;
use super::vector::words;
use super::{avx2, opaque, sse41};
use crate::kernel::Lanes;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use crate::kernel::Words;

#[cfg(feature = "blake2")]
#[cfg(target_arch = "x86_64")]
mod blake2;
#[cfg(feature = "blake2")]
mod blake2b;
#[cfg(feature = "blake2")]
mod blake2s;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "sha2")]
mod sha2;
#[cfg(feature = "sha2")]
mod sha256;
#[cfg(feature = "sha2")]
mod sha512;

isa!(
    /// Proves AVX-512F, VL and BW, and so AVX2. Every CPU with VL has BW.
    Avx512: "sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl", "avx512bw"
);

words!(
    /// Four 64-bit words.
    U64x4: [u64; 4] in __m256i, Avx512, _mm256_add_epi64, _mm256_xor_si256, ror64x4
);

words!(
    /// Eight 64-bit words.
    U64x8: [u64; 8] in __m512i, Avx512, _mm512_add_epi64, _mm512_xor_si512, ror64x8
);

words!(
    /// Four 32-bit words.
    U32x4: [u32; 4] in __m128i, Avx512, _mm_add_epi32, _mm_xor_si128, ror32x4
);

words!(
    /// Eight 32-bit words.
    U32x8: [u32; 8] in __m256i, Avx512, _mm256_add_epi32, _mm256_xor_si256, ror32x8
);

words!(
    /// Sixteen 32-bit words.
    U32x16: [u32; 16] in __m512i, Avx512, _mm512_add_epi32, _mm512_xor_si512, ror32x16
);

#[cfg(feature = "blake3")]
words!(
    /// Sixteen 32-bit words, for the order of instructions where a rotation takes two cycles.
    Slow32x16: [u32; 16] in __m512i, Avx512, _mm512_add_epi32, _mm512_xor_si512, ror32x16
);

/// By the rotation instruction, which has latency 2 on Zen 4, except for 32 bits, where a shuffle has 1.
///
/// The barrier keeps LLVM from shuffling both sides of an exclusive or instead of its result.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn ror64x4(v: __m256i, bits: u32) -> __m256i {
    match bits {
        32 => _mm256_shuffle_epi32::<0b10_11_00_01>(opaque::ymm(v)),
        _ => _mm256_rorv_epi64(v, _mm256_set1_epi64x(bits.into())),
    }
}

/// By the rotation instruction, as all that follow. The number of bits is constant where it is used.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn ror64x8(v: __m512i, bits: u32) -> __m512i {
    _mm512_rorv_epi64(v, _mm512_set1_epi64(bits.into()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn ror32x4(v: __m128i, bits: u32) -> __m128i {
    _mm_rorv_epi32(v, _mm_set1_epi32(bits.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn ror32x8(v: __m256i, bits: u32) -> __m256i {
    _mm256_rorv_epi32(v, _mm256_set1_epi32(bits.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn ror32x16(v: __m512i, bits: u32) -> __m512i {
    _mm512_rorv_epi32(v, _mm512_set1_epi32(bits.cast_signed()))
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose64x8([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
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

/// Word `j` of vector `i` at place `i` of vector `j`, of sixteen.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose32x16(rows: [__m512i; 16]) -> [__m512i; 16] {
    // By fours, the words that stand in one 128-bit part: `four[i][j]` has words j, j + 4, j + 8 and j + 12.
    let (fours, _) = rows.as_chunks::<4>();
    let fours = [transpose32x4(fours[0]), transpose32x4(fours[1]), transpose32x4(fours[2]), transpose32x4(fours[3])];
    let mut words = rows;
    for j in 0..4 {
        let [abcd, efgh, ijkl, mnop] = [fours[0][j], fours[1][j], fours[2][j], fours[3][j]];
        let ah_04 = _mm512_shuffle_i64x2::<0b01_00_01_00>(abcd, efgh);
        let ah_8c = _mm512_shuffle_i64x2::<0b11_10_11_10>(abcd, efgh);
        let ip_04 = _mm512_shuffle_i64x2::<0b01_00_01_00>(ijkl, mnop);
        let ip_8c = _mm512_shuffle_i64x2::<0b11_10_11_10>(ijkl, mnop);
        words[j] = _mm512_shuffle_i64x2::<0b10_00_10_00>(ah_04, ip_04);
        words[j + 4] = _mm512_shuffle_i64x2::<0b11_01_11_01>(ah_04, ip_04);
        words[j + 8] = _mm512_shuffle_i64x2::<0b10_00_10_00>(ah_8c, ip_8c);
        words[j + 12] = _mm512_shuffle_i64x2::<0b11_01_11_01>(ah_8c, ip_8c);
    }
    words
}

/// Words 0 to 3 of eight messages, given those of messages 0, 1, 4 and 5, and of the others.
///
/// Halves of 256 bits are put in place as they are loaded, which both ports for such vectors do, and a shuffle one
/// alone.
#[cfg(feature = "blake2")]
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose64x4([a, b, e, f]: [__m256i; 4], [c, d, g, h]: [__m256i; 4]) -> [__m512i; 4] {
    let ac = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), c);
    let bd = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(b), d);
    let eg = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(e), g);
    let fh = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(f), h);
    let [abcd_02, abcd_13] = [_mm512_unpacklo_epi64(ac, bd), _mm512_unpackhi_epi64(ac, bd)];
    let [efgh_02, efgh_13] = [_mm512_unpacklo_epi64(eg, fh), _mm512_unpackhi_epi64(eg, fh)];
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_02, efgh_02),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(abcd_13, efgh_13),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_02, efgh_02),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(abcd_13, efgh_13),
    ]
}

/// Words `16 i` to `16 i + 16` of sixteen messages, put in place by parts of 128 bits, in `HALVES` by two and two. Always
/// inlined, as [`load_parts32x16`], which Rust 1.89 would call.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline(always)]
fn load_words32x16<const HALVES: bool>(token: Avx512, messages: [&[u8]; 16], i: usize) -> [__m512i; 16] {
    let first = 4 * i;
    let [a, b, c, d] = load_parts32x16::<HALVES>(token, &messages, first);
    let [e, f, g, h] = load_parts32x16::<HALVES>(token, &messages, first + 1);
    let [i, j, k, l] = load_parts32x16::<HALVES>(token, &messages, first + 2);
    let [m, n, o, p] = load_parts32x16::<HALVES>(token, &messages, first + 3);
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

/// Words `4 i` to `4 i + 4` of sixteen messages.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline(always)]
fn load_parts32x16<const HALVES: bool>(token: Avx512, messages: &[&[u8]; 16], i: usize) -> [__m512i; 4] {
    let [a, b, c, d, e, f, g, h, j, k, l, m, n, o, p, q] = *messages;
    let quarters = [[a, e, j, n], [b, f, k, o], [c, g, l, p], [d, h, m, q]];
    // SAFETY: token proves AVX-512F and VL.
    unsafe {
        transpose32x4(if HALVES {
            [
                load_by_halves(token, quarters[0], i),
                load_by_halves(token, quarters[1], i),
                load_by_halves(token, quarters[2], i),
                load_by_halves(token, quarters[3], i),
            ]
        } else {
            [
                load_parts(token, quarters[0], i),
                load_parts(token, quarters[1], i),
                load_parts(token, quarters[2], i),
                load_parts(token, quarters[3], i),
            ]
        })
    }
}

/// Bytes `16 i` to `16 i + 16` of four messages.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline]
#[target_feature(enable = "avx512f")]
fn load_parts(token: Avx512, [a, b, c, d]: [&[u8]; 4], i: usize) -> __m512i {
    let [a, b, c, d] =
        [U32x4::load(token, a, i), U32x4::load(token, b, i), U32x4::load(token, c, i), U32x4::load(token, d, i)];
    in_parts([a.0, b.0, c.0, d.0])
}

/// Four parts of a vector, each put in its place as it is loaded. Two halves in registers would be joined by a shuffle of
/// three cycles.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline]
#[target_feature(enable = "avx512f")]
fn in_parts([a, b, c, d]: [__m128i; 4]) -> __m512i {
    let ab = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
    let abc = _mm512_inserti32x4::<2>(ab, c);
    _mm512_inserti32x4::<3>(abc, d)
}

/// Bytes `16 i` to `16 i + 16` of four messages, two and two: on Zen 4 that takes less time than one after the other.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load_by_halves(token: Avx512, [a, b, c, d]: [&[u8]; 4], i: usize) -> __m512i {
    let ab = _mm256_castsi128_si256(U32x4::load(token, a, i).0);
    let ab = _mm256_inserti32x4::<1>(ab, U32x4::load(token, b, i).0);
    let cd = _mm256_castsi128_si256(U32x4::load(token, c, i).0);
    let cd = _mm256_inserti32x4::<1>(cd, U32x4::load(token, d, i).0);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(ab), cd)
}

/// Word `j` of vector `i` at place `i` of vector `j`, for four vectors, in each 128-bit part.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose32x4([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let ab_01 = _mm512_unpacklo_epi32(a, b);
    let ab_23 = _mm512_unpackhi_epi32(a, b);
    let cd_01 = _mm512_unpacklo_epi32(c, d);
    let cd_23 = _mm512_unpackhi_epi32(c, d);
    [
        _mm512_unpacklo_epi64(ab_01, cd_01),
        _mm512_unpackhi_epi64(ab_01, cd_01),
        _mm512_unpacklo_epi64(ab_23, cd_23),
        _mm512_unpackhi_epi64(ab_23, cd_23),
    ]
}

impl Lanes<u64, 4> for U64x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self::vectors(token, unsafe { avx2::transpose64(Self::registers(vectors)) })
    }
}

impl Lanes<u64, 8> for U64x8 {
    #[inline(always)]
    fn transpose(vectors: [Self; 8]) -> [Self; 8] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512F.
        Self::vectors(token, unsafe { transpose64x8(Self::registers(vectors)) })
    }

    #[cfg(feature = "blake2")]
    #[inline(always)]
    fn load_words(token: Avx512, messages: [&[u8]; 8], i: usize, to: &mut [Self]) {
        for (part, to) in to.chunks_exact_mut(4).enumerate() {
            let mut halves = [[U64x4::load(token, messages[0], 2 * i + part); 4]; 2];
            for (lane, message) in messages.iter().enumerate() {
                // Lanes 0, 1, 4 and 5 are lower halves.
                halves[lane / 2 % 2][lane / 4 * 2 + lane % 2] = U64x4::load(token, message, 2 * i + part);
            }
            let [lows, highs] = [U64x4::registers(halves[0]), U64x4::registers(halves[1])];
            // SAFETY: token proves AVX-512F.
            to.copy_from_slice(&Self::vectors(token, unsafe { transpose64x4(lows, highs) }));
        }
    }
}

impl Lanes<u32, 4> for U32x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512VL, and so SSE4.1.
        Self::vectors(token, unsafe { sse41::transpose32(Self::registers(vectors)) })
    }
}

impl Lanes<u32, 8> for U32x8 {
    #[inline(always)]
    fn transpose(vectors: [Self; 8]) -> [Self; 8] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self::vectors(token, unsafe { avx2::transpose32(Self::registers(vectors)) })
    }

    #[cfg(any(feature = "blake2", feature = "blake3"))]
    #[inline(always)]
    fn load_words(token: Avx512, messages: [&[u8]; 8], i: usize, to: &mut [Self]) {
        for (part, to) in to.chunks_exact_mut(4).enumerate() {
            let parts = avx2::parts(messages, 2 * i + part);
            // SAFETY: token proves AVX-512VL, and so AVX2.
            to.copy_from_slice(&Self::vectors(token, unsafe { avx2::transpose_parts32(parts) }));
        }
    }
}

macro_rules! lanes {
    ($Vector:ident, $halves:literal) => {
        impl Lanes<u32, 16> for $Vector {
            #[inline(always)]
            fn transpose(vectors: [Self; 16]) -> [Self; 16] {
                let token = vectors[0].1;
                // SAFETY: token proves AVX-512F.
                Self::vectors(token, unsafe { transpose32x16(Self::registers(vectors)) })
            }

            #[cfg(any(feature = "blake2", feature = "blake3"))]
            #[inline(always)]
            fn load_words(token: Avx512, messages: [&[u8]; 16], i: usize, to: &mut [Self]) {
                to.copy_from_slice(&Self::vectors(token, load_words32x16::<$halves>(token, messages, i)));
            }
        }
    };
}
lanes!(U32x16, false);
#[cfg(feature = "blake3")]
lanes!(Slow32x16, true);

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x4: [u32; 4] in "avx512f,avx512vl,avx512bw", _mm_add_epi32, _mm_xor_si128, ror32x4, loop by opaque::xmm);

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x8: [u32; 8] in "avx512f,avx512vl,avx512bw", _mm256_add_epi32, _mm256_xor_si256, ror32x8, loop by opaque::ymm,
    sums by opaque::ymm_in_order);

#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(all(target_arch = "x86_64", not(msan)))]
staggered!(U32x16: [u32; 16] by "vpaddd", "vpxord", "vprord", fast_rotation);

#[cfg(feature = "blake3")]
#[cfg(all(target_arch = "x86_64", not(msan)))]
staggered!(Slow32x16: [u32; 16] by "vpaddd", "vpxord", "vprord", slow_rotation);

#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(any(not(target_arch = "x86_64"), msan))]
half_g!(U32x16: [u32; 16] in "avx512f,avx512vl,avx512bw", _mm512_add_epi32, _mm512_xor_si512, ror32x16);

#[cfg(feature = "blake3")]
#[cfg(any(not(target_arch = "x86_64"), msan))]
half_g!(Slow32x16: [u32; 16] in "avx512f,avx512vl,avx512bw", _mm512_add_epi32, _mm512_xor_si512, ror32x16);

#[cfg(feature = "blake2")]
half_g!(U64x4: [u64; 4] in "avx512f,avx512vl,avx512bw", _mm256_add_epi64, _mm256_xor_si256, ror64x4, loop by opaque::ymm);

#[cfg(feature = "blake2")]
#[cfg(all(target_arch = "x86_64", not(msan)))]
staggered!(U64x8: [u64; 8] by "vpaddq", "vpxorq", "vprorq", fast_rotation);

#[cfg(feature = "blake2")]
#[cfg(any(not(target_arch = "x86_64"), msan))]
half_g!(U64x8: [u64; 8] in "avx512f,avx512vl,avx512bw", _mm512_add_epi64, _mm512_xor_si512, ror64x8);

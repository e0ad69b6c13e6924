//! SSE4.1: 128-bit vectors of two words of 64 bits, or four of 32.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::{Cpu, isa};
use super::opaque;
use super::vector::words;
use crate::kernel::blake2::{self, Word};
use crate::kernel::{Lanes, Words};

mod blake2b;
mod blake2s;

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

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift.
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
        _ => unreachable!(),
    }
}

/// Whole bytes by a shuffle.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result.
#[inline]
#[target_feature(enable = "sse4.1")]
fn ror32(v: __m128i, bits: u32) -> __m128i {
    match bits {
        7 => _mm_or_si128(_mm_srli_epi32::<7>(v), _mm_slli_epi32::<25>(v)),
        8 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))),
        12 => _mm_or_si128(_mm_srli_epi32::<12>(v), _mm_slli_epi32::<20>(v)),
        16 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))),
        _ => unreachable!(),
    }
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

/// The words of `block` at `places`.
///
/// Each comes with a load of four words that puts it in its place, so three blends join them. A word that has no room
/// for that in the block is broadcast.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(super) fn gather32<const SETTLED: bool>(block: &[u8; 64], places: [usize; 4]) -> __m128i {
    let block = opaque::reference(block);
    if !SETTLED {
        let [i, j, k, l] = places;
        return join32([u32::load(block, i), u32::load(block, j), u32::load(block, k), u32::load(block, l)]);
    }
    let load = |lane: usize| {
        let word = places[lane];
        if lane <= word && word - lane <= 12 {
            let words = block[4 * (word - lane)..].first_chunk::<16>().expect("the last of them is word 15");
            // SAFETY: the array has the 16 bytes an unaligned load reads.
            _mm_castsi128_ps(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
        } else {
            _mm_castsi128_ps(_mm_set1_epi32(u32::load(block, word).cast_signed()))
        }
    };
    let ab = _mm_blend_ps::<0b0010>(load(0), load(1));
    let abc = _mm_blend_ps::<0b0100>(ab, load(2));
    _mm_castps_si128(_mm_blend_ps::<0b1000>(abc, load(3)))
}

/// Four words in memory, by a load of one word each.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(super) fn join32(words: [u32; 4]) -> __m128i {
    let word = |lane: usize| _mm_castsi128_ps(opaque::xmm(_mm_set1_epi32(words[lane].cast_signed())));
    let ab = _mm_blend_ps::<0b0010>(word(0), word(1));
    let cd = _mm_blend_ps::<0b1000>(word(2), word(3));
    _mm_castps_si128(_mm_blend_ps::<0b1100>(ab, cd))
}

/// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(super) fn turn32<const N: usize>(v: __m128i) -> __m128i {
    match N {
        1 => _mm_shuffle_epi32::<0b00_01_11_10>(v),
        2 => _mm_shuffle_epi32::<0b10_11_00_01>(v),
        3 => _mm_shuffle_epi32::<0b01_00_10_11>(v),
        _ => unreachable!(),
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

impl blake2::Row<u32> for U32x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Sse41, block: &[u8; 64], places: [usize; 4]) -> Self {
        // SAFETY: token proves SSE4.1.
        Self(unsafe { gather32::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Sse41, words: [u32; 4]) -> Self {
        // SAFETY: token proves SSE4.1.
        Self(unsafe { join32(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves SSE4.1.
        Self(unsafe { turn32::<N>(self.0) }, self.1)
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

/// A row of four 64-bit words in two vectors, columns 0 and 2 first.
#[derive(Clone, Copy)]
pub(super) struct Row(U64x2, U64x2);

impl Words<u64, 4> for Row {
    type Token = Sse41;

    #[inline(always)]
    fn new(token: Sse41, [w0, w1, w2, w3]: [u64; 4]) -> Self {
        Self(U64x2::new(token, [w0, w1]), U64x2::new(token, [w2, w3]))
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        let ([w0, w1], [w2, w3]) = (self.0.words(), self.1.words());
        [w0, w1, w2, w3]
    }

    #[inline(always)]
    fn load(token: Sse41, bytes: &[u8], i: usize) -> Self {
        Self(U64x2::load(token, bytes, 2 * i), U64x2::load(token, bytes, 2 * i + 1))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self(self.0.add(rhs.0), self.1.add(rhs.1))
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        Self(self.0.xor(rhs.0), self.1.xor(rhs.1))
    }

    #[inline(always)]
    fn ror(self, bits: u32) -> Self {
        Self(self.0.ror(bits), self.1.ror(bits))
    }
}

impl blake2::Row<u64> for Row {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Sse41, block: &[u8; 128], places: [usize; 4]) -> Self {
        let block = opaque::reference(block);
        let [i, j, k, l] = places;
        Self::new(token, [u64::load(block, i), u64::load(block, j), u64::load(block, k), u64::load(block, l)])
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        match N {
            1 => Self(self.1, self.0.swap()),
            2 => Self(self.0.swap(), self.1.swap()),
            3 => Self(self.1.swap(), self.0),
            _ => unreachable!(),
        }
    }
}

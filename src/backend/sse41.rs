//! SSE4.1: 128-bit vectors of two words.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
use super::opaque;
use super::vector::u64s;
use crate::kernel::{Lanes64, Row64, U64s, word64};

mod blake2b;

isa!(
    /// Proves SSE4.1.
    Sse41: "sse2", "ssse3", "sse4.1"
);

u64s!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in __m128i, Sse41, _mm_add_epi64, _mm_xor_si128, ror
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result: 508 cycles without them, 433 with.
#[inline]
#[target_feature(enable = "sse4.1")]
fn ror<const N: u32>(v: __m128i) -> __m128i {
    match N {
        16 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))),
        24 => _mm_shuffle_epi8(v, opaque::xmm(_mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))),
        32 => _mm_shuffle_epi32::<0b10_11_00_01>(opaque::xmm(v)),
        63 => _mm_xor_si128(_mm_add_epi64(v, v), _mm_srli_epi64::<63>(v)),
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

impl Lanes64<2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: a.1 proves SSE4.1.
        let (low, high) = unsafe { (_mm_unpacklo_epi64(a.0, b.0), _mm_unpackhi_epi64(a.0, b.0)) };
        [Self(low, a.1), Self(high, a.1)]
    }
}

/// A row of four words in two vectors, words 0 and 1 first.
#[derive(Clone, Copy)]
pub(super) struct Row(U64x2, U64x2);

impl U64s<4> for Row {
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
    fn add(self, rhs: Self) -> Self {
        Self(self.0.add(rhs.0), self.1.add(rhs.1))
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        Self(self.0.xor(rhs.0), self.1.xor(rhs.1))
    }

    #[inline(always)]
    fn ror<const N: u32>(self) -> Self {
        Self(self.0.ror::<N>(), self.1.ror::<N>())
    }
}

impl Row64 for Row {
    const AHEAD: bool = false;

    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Sse41, block: &[u8; 128], places: [usize; 4]) -> Self {
        let block = opaque::reference(block);
        let [i, j, k, l] = places;
        Self::new(token, [word64(block, i), word64(block, j), word64(block, k), word64(block, l)])
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

//! AVX-512F and VL: rotation in one instruction, at 256 bits and at 512.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
use super::opaque;
use crate::kernel::{Row64, U64s, word64};

mod blake2b;

isa!(
    /// Proves AVX-512F and AVX-512VL, and so AVX2.
    Avx512: "sse2", "ssse3", "sse4.1", "avx", "avx2", "avx512f", "avx512vl"
);

/// Four 64-bit words.
#[derive(Clone, Copy)]
pub(super) struct U64x4(__m256i, Avx512);

impl U64s for U64x4 {
    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        // SAFETY: self.1 proves AVX-512VL.
        Self(unsafe { _mm256_add_epi64(self.0, rhs.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        // SAFETY: self.1 proves AVX-512VL.
        Self(unsafe { _mm256_xor_si256(self.0, rhs.0) }, self.1)
    }

    #[inline(always)]
    fn ror<const N: u32>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL.
        let v = unsafe {
            match N {
                16 => _mm256_ror_epi64::<16>(self.0),
                24 => _mm256_ror_epi64::<24>(self.0),
                32 => _mm256_shuffle_epi32::<0b10_11_00_01>(opaque::ymm(self.0)),
                63 => _mm256_ror_epi64::<63>(self.0),
                _ => unreachable!(),
            }
        };
        Self(v, self.1)
    }
}

impl Row64 for U64x4 {
    type Token = Avx512;

    #[inline(always)]
    fn new(token: Avx512, [w0, w1, w2, w3]: [u64; 4]) -> Self {
        let [w0, w1, w2, w3] = [w0.cast_signed(), w1.cast_signed(), w2.cast_signed(), w3.cast_signed()];
        // SAFETY: token proves AVX-512VL.
        Self(unsafe { _mm256_setr_epi64x(w0, w1, w2, w3) }, token)
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        let mut words = [0; 4];
        // SAFETY: the array has the 32 bytes an unaligned store writes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    fn gather(token: Avx512, block: &[u8; 128], places: [usize; 4]) -> Self {
        let block = opaque::reference(block);
        let [i, j, k, l] = places;
        Self::new(token, [word64(block, i), word64(block, j), word64(block, k), word64(block, l)])
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL.
        let v = unsafe {
            match N {
                1 => _mm256_permute4x64_epi64::<0b00_11_10_01>(self.0),
                2 => _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0),
                3 => _mm256_permute4x64_epi64::<0b10_01_00_11>(self.0),
                _ => unreachable!(),
            }
        };
        Self(v, self.1)
    }
}

//! AVX: the 128-bit vectors of SSE4.1 under VEX encoding, which has three operands and spares the moves.
#![allow(unsafe_code)]

#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::isa;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use super::{
    opaque,
    sse41::{ror32, transpose32},
    vector::{half_g, words},
};
#[cfg(any(feature = "blake2", feature = "blake3"))]
use crate::kernel::Lanes;

#[cfg(feature = "blake2")]
mod blake2b;
#[cfg(feature = "blake2")]
pub(super) mod blake2s;
#[cfg(feature = "blake3")]
pub(super) mod blake3;
#[cfg(feature = "sha2")]
pub(super) mod sha256;
#[cfg(feature = "sha2")]
pub(super) mod sha512;

isa!(
    /// Proves AVX, and so SSE4.1.
    Avx: "sse2", "ssse3", "sse4.1", "avx"
);

#[cfg(any(feature = "blake2", feature = "blake3"))]
words!(
    /// Four 32-bit words, for rounds in a loop: with three operands it is faster than code for each round, and with the two
    /// of SSE4.1 it is slower.
    U32x4: [u32; 4] in __m128i, Avx, _mm_add_epi32, _mm_xor_si128, ror32
);

#[cfg(any(feature = "blake2", feature = "blake3"))]
impl Lanes<u32, 4> for U32x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX.
        Self::vectors(token, unsafe { transpose32(Self::registers(vectors)) })
    }
}

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x4: [u32; 4] in "avx", _mm_add_epi32, _mm_xor_si128, ror32, loop by opaque::xmm, last by opaque::xmm_in_order);

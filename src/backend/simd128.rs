//! WebAssembly's SIMD: 128-bit vectors of two words of 64 bits, or four of 32. Only a program that is compiled with
//! `simd128` has it, since a module with an instruction that its host does not know is refused as a whole.
#![allow(unsafe_code)]
#![allow(unused_unsafe, reason = "what is unsafe elsewhere is not here: a program without the feature does not begin")]

use core::arch::wasm32::*;

use super::isa::isa;
#[cfg(any(feature = "blake2", feature = "blake3"))]
use super::vector::half_g;
use super::vector::words;
use crate::kernel::Lanes;

#[cfg(feature = "blake2")]
mod blake2b;
#[cfg(feature = "blake2")]
mod blake2s;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "sha2")]
mod sha256;
#[cfg(feature = "sha2")]
mod sha512;

isa!(
    /// Proves `simd128`.
    static Simd128: "simd128"
);

words!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in v128, Simd128, u64x2_add, v128_xor, ror64
);

words!(
    /// Four 32-bit words.
    U32x4: [u32; 4] in v128, Simd128, u32x4_add, v128_xor, ror32
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift, others by two shifts.
#[inline]
#[target_feature(enable = "simd128")]
fn ror64(v: v128, bits: u32) -> v128 {
    match bits {
        16 => u8x16_shuffle::<2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9>(v, v),
        24 => u8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(v, v),
        32 => u32x4_shuffle::<1, 0, 3, 2>(v, v),
        63 => v128_xor(u64x2_add(v, v), u64x2_shr(v, 63)),
        _ => v128_or(u64x2_shr(v, bits), u64x2_shl(v, 64 - bits)),
    }
}

/// Whole bytes by a shuffle, others by two shifts.
#[inline]
#[target_feature(enable = "simd128")]
fn ror32(v: v128, bits: u32) -> v128 {
    match bits {
        8 => u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(v, v),
        16 => u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(v, v),
        _ => v128_or(u32x4_shr(v, bits), u32x4_shl(v, 32 - bits)),
    }
}

impl Lanes<u64, 2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        let (low, high) = (u64x2_shuffle::<0, 2>(a.0, b.0), u64x2_shuffle::<1, 3>(a.0, b.0));
        [Self(low, a.1), Self(high, a.1)]
    }
}

impl Lanes<u32, 4> for U32x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = Self::registers(vectors);
        let (ab_01, ab_23) = (u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<2, 6, 3, 7>(a, b));
        let (cd_01, cd_23) = (u32x4_shuffle::<0, 4, 1, 5>(c, d), u32x4_shuffle::<2, 6, 3, 7>(c, d));
        let registers = [
            u64x2_shuffle::<0, 2>(ab_01, cd_01),
            u64x2_shuffle::<1, 3>(ab_01, cd_01),
            u64x2_shuffle::<0, 2>(ab_23, cd_23),
            u64x2_shuffle::<1, 3>(ab_23, cd_23),
        ];
        Self::vectors(vectors[0].1, registers)
    }
}

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x4: [u32; 4] in "simd128", u32x4_add, v128_xor, ror32);

#[cfg(feature = "blake2")]
half_g!(U64x2: [u64; 2] in "simd128", u64x2_add, v128_xor, ror64);

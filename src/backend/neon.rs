//! NEON, also called Advanced SIMD: 128-bit vectors of two words of 64 bits, or four of 32.
//!
//! For little-endian AArch64. A big-endian one numbers the lanes of a register the other way round than memory does,
//! and no such machine is at hand to be tested; `portable` is its backend.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

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
    /// Proves NEON, which all AArch64 CPUs have that run an operating system for applications.
    static Neon: "neon"
);

words!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in uint64x2_t, Neon, vaddq_u64, veorq_u64, ror64
);

words!(
    /// Four 32-bit words.
    U32x4: [u32; 4] in uint32x4_t, Neon, vaddq_u32, veorq_u32, ror32
);

/// Half a word by a reversal, whole bytes by a table of bytes, one bit less than the word by a doubling and an
/// inserting shift, others by two shifts.
#[inline]
#[target_feature(enable = "neon")]
fn ror64(v: uint64x2_t, bits: u32) -> uint64x2_t {
    let by_table = |places| vreinterpretq_u64_u8(bytes(vreinterpretq_u8_u64(v), places));
    match bits {
        8 => by_table([1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8]),
        16 => by_table([2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9]),
        24 => by_table([3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10]),
        32 => vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(v))),
        63 => vsriq_n_u64::<63>(vaddq_u64(v, v), v),
        _ => {
            let [low, high] = [-i64::from(bits), 64 - i64::from(bits)];
            vorrq_u64(vshlq_u64(v, vdupq_n_s64(low)), vshlq_u64(v, vdupq_n_s64(high)))
        }
    }
}

/// Half a word by a reversal, whole bytes by a table of bytes, others by two shifts, of which one inserts
/// for 7 and 12.
#[inline]
#[target_feature(enable = "neon")]
fn ror32(v: uint32x4_t, bits: u32) -> uint32x4_t {
    let by_table = |places| vreinterpretq_u32_u8(bytes(vreinterpretq_u8_u32(v), places));
    match bits {
        7 => vsriq_n_u32::<7>(vshlq_n_u32::<25>(v), v),
        8 => by_table([1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12]),
        12 => vsriq_n_u32::<12>(vshlq_n_u32::<20>(v), v),
        16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(v))),
        _ => {
            let bits = bits.cast_signed();
            vorrq_u32(vshlq_u32(v, vdupq_n_s32(-bits)), vshlq_u32(v, vdupq_n_s32(32 - bits)))
        }
    }
}

/// The bytes of `v` at `places`.
#[inline]
#[target_feature(enable = "neon")]
fn bytes(v: uint8x16_t, places: [u8; 16]) -> uint8x16_t {
    // SAFETY: the array and the register have as many bytes, and all values of both are valid.
    vqtbl1q_u8(v, unsafe { core::mem::transmute::<[u8; 16], uint8x16_t>(places) })
}

impl Lanes<u64, 2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: a.1 proves NEON.
        let (low, high) = unsafe { (vzip1q_u64(a.0, b.0), vzip2q_u64(a.0, b.0)) };
        [Self(low, a.1), Self(high, a.1)]
    }
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "neon")]
fn transpose32([a, b, c, d]: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    let ab_02 = vreinterpretq_u64_u32(vtrn1q_u32(a, b));
    let ab_13 = vreinterpretq_u64_u32(vtrn2q_u32(a, b));
    let cd_02 = vreinterpretq_u64_u32(vtrn1q_u32(c, d));
    let cd_13 = vreinterpretq_u64_u32(vtrn2q_u32(c, d));
    [
        vreinterpretq_u32_u64(vzip1q_u64(ab_02, cd_02)),
        vreinterpretq_u32_u64(vzip1q_u64(ab_13, cd_13)),
        vreinterpretq_u32_u64(vzip2q_u64(ab_02, cd_02)),
        vreinterpretq_u32_u64(vzip2q_u64(ab_13, cd_13)),
    ]
}

impl Lanes<u32, 4> for U32x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves NEON.
        Self::vectors(token, unsafe { transpose32(Self::registers(vectors)) })
    }
}

#[cfg(any(feature = "blake2", feature = "blake3"))]
half_g!(U32x4: [u32; 4] in "neon", vaddq_u32, veorq_u32, ror32);

#[cfg(feature = "blake2")]
half_g!(U64x2: [u64; 2] in "neon", vaddq_u64, veorq_u64, ror64);

//! NEON, also called Advanced SIMD: 128-bit vectors of two words.
//!
//! For little-endian AArch64. A big-endian one numbers the lanes of a register the other way round than memory does,
//! and no such machine is at hand to be tested; `portable` is its backend.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::isa::isa;
use super::vector::u64s;
use crate::kernel::Lanes64;

mod blake2b;

isa!(
    /// Proves NEON, which all AArch64 CPUs have that run an operating system for applications.
    static Neon: "neon"
);

u64s!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in uint64x2_t, Neon, vaddq_u64, veorq_u64, ror
);

/// Half a word by a reversal, whole bytes by a table of bytes, one bit less than the word by a doubling and an
/// inserting shift.
#[inline]
#[target_feature(enable = "neon")]
fn ror<const N: u32>(v: uint64x2_t) -> uint64x2_t {
    match N {
        16 => bytes(v, [2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9]),
        24 => bytes(v, [3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10]),
        32 => vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(v))),
        63 => vsriq_n_u64::<63>(vaddq_u64(v, v), v),
        _ => unreachable!(),
    }
}

/// The bytes of `v` at `places`.
#[inline]
#[target_feature(enable = "neon")]
fn bytes(v: uint64x2_t, places: [u8; 16]) -> uint64x2_t {
    // SAFETY: the array and the register have as many bytes, and all values of both are valid.
    let places = unsafe { core::mem::transmute::<[u8; 16], uint8x16_t>(places) };
    vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(v), places))
}

impl Lanes64<2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        // SAFETY: a.1 proves NEON.
        let (low, high) = unsafe { (vzip1q_u64(a.0, b.0), vzip2q_u64(a.0, b.0)) };
        [Self(low, a.1), Self(high, a.1)]
    }
}

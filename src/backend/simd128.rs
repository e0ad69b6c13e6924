//! WebAssembly's SIMD: 128-bit vectors of two words. Only a program that is compiled with `simd128` has it, since a
//! module with an instruction that its host does not know is refused as a whole.
#![allow(unsafe_code)]
#![allow(unused_unsafe, reason = "what is unsafe elsewhere is not here: a program without the feature does not begin")]

use core::arch::wasm32::*;

use super::isa::isa;
use super::vector::u64s;
use crate::kernel::Lanes64;

mod blake2b;

isa!(
    /// Proves `simd128`.
    static Simd128: "simd128"
);

u64s!(
    /// Two 64-bit words.
    U64x2: [u64; 2] in v128, Simd128, u64x2_add, v128_xor, ror
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift.
#[inline]
#[target_feature(enable = "simd128")]
fn ror<const N: u32>(v: v128) -> v128 {
    match N {
        16 => u8x16_shuffle::<2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9>(v, v),
        24 => u8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(v, v),
        32 => u32x4_shuffle::<1, 0, 3, 2>(v, v),
        63 => v128_xor(u64x2_add(v, v), u64x2_shr(v, 63)),
        _ => unreachable!(),
    }
}

impl Lanes64<2> for U64x2 {
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        let (low, high) = (u64x2_shuffle::<0, 2>(a.0, b.0), u64x2_shuffle::<1, 3>(a.0, b.0));
        [Self(low, a.1), Self(high, a.1)]
    }
}

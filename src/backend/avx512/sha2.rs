//! Functions of three bits by ternary logic, for SHA-256 and SHA-512 on AVX-512.
#![allow(unsafe_code)]

#[cfg(msan)]
use core::arch::x86_64::*;

/// The truth tables of `vpternlog` for the functions of three bits.
pub(super) const XOR3: i32 = 0x96;
pub(super) const CH: i32 = 0xca;
pub(super) const MAJ: i32 = 0xe8;

/// Ternary logic in steps: MemorySanitizer does not follow `vpternlog`.
#[cfg(msan)]
macro_rules! in_steps {
    ($name:ident, $Register:ident, $xor:ident, $and:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn $name<const TABLE: i32>(a: $Register, b: $Register, c: $Register) -> $Register {
            match TABLE {
                XOR3 => $xor(a, $xor(b, c)),
                CH => $xor(c, $and(a, $xor(b, c))),
                MAJ => $xor($and(a, b), $and(c, $xor(a, b))),
                _ => unreachable!(),
            }
        }
    };
}
#[cfg(msan)]
in_steps!(_mm256_ternarylogic_epi32, __m256i, _mm256_xor_si256, _mm256_and_si256);
#[cfg(msan)]
in_steps!(_mm512_ternarylogic_epi32, __m512i, _mm512_xor_si512, _mm512_and_si512);

/// Implements [`Lane`] by ternary logic.
macro_rules! lane {
    ($Vector:ident of $word:ident, $L:literal, $Register:ident, $add:ident, $ternary:ident, $ror:ident, $shr:ident by $srl:ident, $swap:path) => {
        impl Lane<$word, $L> for $Vector {
            #[inline(always)]
            fn swap_bytes(self) -> Self {
                // SAFETY: self.1 proves AVX-512F, VL and BW.
                Self(unsafe { $swap(self.0) }, self.1)
            }

            sha2_rounds!(
                $Vector of $word in "avx512f,avx512vl,avx512bw", $add, $ternary::<XOR3>, super::$ror, $shr, $ternary::<CH>, $ternary::<MAJ>
            );
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
        fn $shr(v: $Register, bits: u32) -> $Register {
            $srl(v, _mm_cvtsi32_si128(bits.cast_signed()))
        }
    };
}
pub(super) use lane;

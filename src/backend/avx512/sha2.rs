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
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn _mm256_ternarylogic_epi32<const TABLE: i32>(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    match TABLE {
        XOR3 => _mm256_xor_si256(a, _mm256_xor_si256(b, c)),
        CH => _mm256_xor_si256(c, _mm256_and_si256(a, _mm256_xor_si256(b, c))),
        MAJ => _mm256_xor_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_xor_si256(a, b))),
        _ => unreachable!(),
    }
}

/// As above, at 512 bits.
#[cfg(msan)]
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn _mm512_ternarylogic_epi32<const TABLE: i32>(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    match TABLE {
        XOR3 => _mm512_xor_si512(a, _mm512_xor_si512(b, c)),
        CH => _mm512_xor_si512(c, _mm512_and_si512(a, _mm512_xor_si512(b, c))),
        MAJ => _mm512_xor_si512(_mm512_and_si512(a, b), _mm512_and_si512(c, _mm512_xor_si512(a, b))),
        _ => unreachable!(),
    }
}

/// Implements [`Lane`] by ternary logic.
macro_rules! sha2_lane {
    ($Vector:ident of $word:ident, $L:literal, $Register:ident, $add:ident, $ternary:ident, $ror:ident, $shr:ident by $srl:ident, $swap:path) => {
        impl Lane<$word, $L> for $Vector {
            const IN_MEMORY: bool = false;
            const IS_SHARED: bool = true;

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
pub(super) use sha2_lane;

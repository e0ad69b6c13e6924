//! Values that the optimiser cannot see through, by an empty line of assembly: no instruction, only a barrier.
//!
//! LLVM rewrites vector code freely, and on the critical path the result is sometimes slower than the source. Each use
//! says which rewriting it prevents; the figures are cycles a block of BLAKE2b, one message, on Golden Cove.
//!
//! The memory sanitizer takes every use of an undefined value by assembly for a mistake, so with `--cfg msan`, where
//! secrets are marked undefined to see where they go, nothing is opaque.
#![allow(unsafe_code)]
#![cfg_attr(msan, allow(unused_mut, unused_unsafe))]

#[cfg(not(msan))]
use core::arch::asm;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// A reference to `value`, through which words are loaded anew.
///
/// Otherwise the words of a block are loaded once, kept in vector registers and permuted between them twelve times
/// over, on the ports that the rotations need.
#[inline(always)]
pub(super) fn reference<T>(value: &T) -> &T {
    let mut pointer = core::ptr::from_ref(value);
    // SAFETY: the assembly is empty, so the reference is the one that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!("/* {0} */", inout(reg) pointer, options(readonly, nostack, preserves_flags));
        &*pointer
    }
}

/// `value` itself: see `backend::reread`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn word(mut value: u64) -> u64 {
    // SAFETY: the assembly is empty, so the word is the one that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!("/* {0:r} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn xmm(mut value: __m128i) -> __m128i {
    // SAFETY: the assembly is empty, so the vector is the one that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!("/* {0} */", inout(xmm_reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn ymm(mut value: __m256i) -> __m256i {
    // SAFETY: the assembly is empty, so the vector is the one that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!("/* {0} */", inout(ymm_reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

#[cfg(feature = "blake3")]
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn zmm(mut value: __m512i) -> __m512i {
    // SAFETY: the assembly is empty, so the vector is the one that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

/// These vectors, none of which is used before all are computed.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn xmm_in_order([mut a, mut b, mut c, mut d]: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: the assembly is empty, so the vectors are those that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!(
            "/* {0} {1} {2} {3} */",
            inout(xmm_reg) a,
            inout(xmm_reg) b,
            inout(xmm_reg) c,
            inout(xmm_reg) d,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    [a, b, c, d]
}

/// These vectors, none of which is used before all are computed.
#[inline]
#[target_feature(enable = "avx")]
pub(super) fn ymm_in_order([mut a, mut b, mut c, mut d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the assembly is empty, so the vectors are those that came in.
    unsafe {
        #[cfg(not(msan))]
        asm!(
            "/* {0} {1} {2} {3} */",
            inout(ymm_reg) a,
            inout(ymm_reg) b,
            inout(ymm_reg) c,
            inout(ymm_reg) d,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    [a, b, c, d]
}

//! SHA-NI, x86's instructions for SHA-256. They stand beside the instruction sets, for they work on registers of 128
//! bits. CPUs have them with AVX-512, with AVX2, and without AVX.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::__cpuid_count;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__cpuid_count;
use core::sync::atomic::{AtomicU32, Ordering};

use super::isa::{Cpu, isa};

#[cfg(feature = "sha2")]
pub(super) mod sha256;

isa!(
    /// Proves SHA-NI and SSE4.1. Every CPU with SHA-NI has SSE4.1, but an emulated one may lack it.
    Sha: "sse2", "ssse3", "sse4.1", "sha"
);

/// Whether SHA-NI takes more than twice the time of sixteen lanes of AVX-512, on a CPU that has both. This is so on Ice
/// Lake, Tiger Lake and Rocket Lake, which lack `AVX512_BF16`. All later CPUs with both have it.
pub(super) fn slower_than_lanes(cpu: Cpu) -> bool {
    !cpu.has(&["avx512bf16"], has_bf16)
}

/// `AVX512_BF16`, for a CPU with SHA-NI.
pub(super) fn has_bf16() -> bool {
    leaf_7_1() >> 5 & 1 == 1
}

/// AVX-VNNI, for a CPU with SHA-NI.
pub(super) fn has_avx_vnni() -> bool {
    leaf_7_1() >> 4 & 1 == 1
}

/// Features that the crate `cpufeatures` does not know. Asked of the CPU once, since a virtual machine takes long to
/// answer.
fn leaf_7_1() -> u32 {
    /// No CPU has the feature of this bit.
    const UNKNOWN: u32 = 1 << 31;
    static ANSWER: AtomicU32 = AtomicU32::new(UNKNOWN);
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            // SAFETY: the CPU has leaf 7, since SHA-NI was detected there.
            #[allow(unused_unsafe, reason = "newer compilers take it for safe")]
            let answer = unsafe { if __cpuid_count(7, 0).eax >= 1 { __cpuid_count(7, 1).eax } else { 0 } };
            ANSWER.store(answer & !UNKNOWN, Ordering::Relaxed);
            answer
        }
        answer => answer,
    }
}

//! SHA-NI, x86's instructions for SHA-256. They stand beside the instruction sets, for they work on registers of 128
//! bits. CPUs have them with AVX-512, with AVX2, and without AVX.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::__cpuid_count;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__cpuid_count;
use core::sync::atomic::{AtomicU8, Ordering};

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
    !cpu.has(&["avx512bf16"], bf16)
}

/// Asked of the CPU once, since a virtual machine takes long to answer. The crate `cpufeatures` does not know the
/// feature.
fn bf16() -> bool {
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            // SAFETY: the CPU has leaf 7, since SHA-NI was detected there.
            #[allow(unused_unsafe, reason = "newer compilers take it for safe")]
            let answer = unsafe { __cpuid_count(7, 0).eax >= 1 && __cpuid_count(7, 1).eax >> 5 & 1 == 1 };
            ANSWER.store(if answer { YES } else { NO }, Ordering::Relaxed);
            answer
        }
        answer => answer == YES,
    }
}

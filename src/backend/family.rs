//! Families of CPU whose AVX-512 differs in speed, by one reading of the vendor. A wrong guess costs speed, never a
//! digest.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::{__cpuid, __cpuid_count};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::sync::atomic::{AtomicU8, Ordering};

use super::isa::Cpu;

/// A family of CPU with AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// SHA-NI takes two to four times as long a message as sixteen lanes of AVX-512, if there is SHA-NI: on Emerald
    /// Rapids and before.
    Intel,
    /// A rotation takes two cycles, where a shift takes one.
    Zen4,
    /// All others, and those of vendors we do not know.
    Other,
}

impl Family {
    /// The family of `cpu`, which has AVX-512.
    pub(super) fn of(cpu: Cpu) -> Self {
        if cpu.has(&["intel"], || this() == Self::Intel) {
            Self::Intel
        } else if cpu.has(&["zen4"], || this() == Self::Zen4) {
            Self::Zen4
        } else {
            Self::Other
        }
    }
}

/// The family of this CPU. Asked of it once, since a virtual machine takes long to answer.
fn this() -> Family {
    const FAMILIES: [Family; 3] = [Family::Intel, Family::Zen4, Family::Other];
    const UNKNOWN: u8 = u8::MAX;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            let family = ask();
            ANSWER.store(family as u8, Ordering::Relaxed);
            family
        }
        answer => FAMILIES[usize::from(answer)],
    }
}

#[allow(unused_unsafe, reason = "newer compilers take the instruction for safe")]
fn ask() -> Family {
    // SAFETY: a CPU with AVX-512 has the instruction.
    let (leaf, features) = unsafe { (__cpuid(0), __cpuid_count(7, 0)) };
    match [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes).as_flattened() {
        b"GenuineIntel" => Family::Intel,
        b"AuthenticAMD" => {
            // SAFETY: the CPU has leaf 7, since AVX-512 was detected there.
            let features = unsafe { if features.eax >= 1 { __cpuid_count(7, 1).eax } else { 0 } };
            // AVX-VNNI, which Zen 5 has.
            if features >> 4 & 1 == 0 { Family::Zen4 } else { Family::Other }
        }
        _ => Family::Other,
    }
}

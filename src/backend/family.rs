//! Families of CPU whose instructions differ in speed, told apart by the vendor and a feature. A wrong guess costs speed,
//! never a digest.

use super::cpuid::{self, Answer, Vendor};
use super::isa::Cpu;

/// A family of CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// SHA-NI begins the next message before one has ended, and takes two to four times as long a message as sixteen lanes
    /// of AVX-512: on Emerald Rapids and before.
    Intel,
    /// A rotation takes two cycles, where a shift takes one.
    Zen4,
    /// All others, and those of vendors we do not know.
    Other,
}

impl Family {
    /// The family of `cpu`.
    pub(super) fn of(cpu: Cpu) -> Self {
        if cpu.has(&["intel"], || Self::told(cpuid::this()) == Self::Intel) {
            Self::Intel
        } else if cpu.has(&["zen4"], || Self::told(cpuid::this()) == Self::Zen4) {
            Self::Zen4
        } else {
            Self::Other
        }
    }

    /// The family of a CPU that says this of itself. Without AVX-512, `Zen4` means nothing.
    fn told(answer: Answer) -> Self {
        match answer.vendor {
            Vendor::Intel => Self::Intel,
            // Zen 5 has AVX-VNNI.
            Vendor::Amd if !answer.avx_vnni => Self::Zen4,
            Vendor::Amd | Vendor::Other => Self::Other,
        }
    }
}

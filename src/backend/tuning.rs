//! The part of a backend that is for one family of CPU alone.

#[cfg(feature = "sha2")]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use crate::kernel::Sides;

/// The choice among kernels, or orders of a kernel's instructions, where two families of CPU with one instruction set
/// differ. A wrong choice costs speed and never a digest. In one byte, since every hasher has a backend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code, reason = "x86 alone has a choice")]
pub(super) enum Tuning {
    First,
    /// SHA-NI of Intel's, which begins the next message before one has ended. On AVX-512 many messages go in lanes.
    IntelSha,
    /// A rotation by AVX-512 takes two cycles, where a shift takes one.
    SlowRotation,
    Both,
}

impl Tuning {
    pub(super) const fn new(intel_sha: bool, slow_rotation: bool) -> Self {
        match (intel_sha, slow_rotation) {
            (false, false) => Self::First,
            (true, false) => Self::IntelSha,
            (false, true) => Self::SlowRotation,
            (true, true) => Self::Both,
        }
    }

    #[inline]
    pub(super) const fn intel_sha(self) -> bool {
        matches!(self, Self::IntelSha | Self::Both)
    }

    /// The way in which SHA-NI computes up to so many messages.
    #[cfg(feature = "sha2")]
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[inline]
    pub(super) const fn streams(self, number: usize) -> Sides {
        if self.intel_sha() { Sides::Overlapping(number) } else { Sides::Streams(number) }
    }

    #[inline]
    pub(super) const fn slow_rotation(self) -> bool {
        matches!(self, Self::SlowRotation | Self::Both)
    }
}

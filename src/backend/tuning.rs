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
    /// A few short pieces of BLAKE3 go one by one.
    IntelSha,
    /// AMD's before Zen 5. A rotation by AVX-512 takes two cycles, where a shift takes one. On AVX2, four messages of BLAKE3
    /// take less time in lanes of 128 bits than two at a time in rows of 256, and SHA-NI begins the next message before a
    /// short one has ended.
    BeforeZen5,
    Both,
}

impl Tuning {
    pub(super) const fn new(intel_sha: bool, before_zen5: bool) -> Self {
        match (intel_sha, before_zen5) {
            (false, false) => Self::First,
            (true, false) => Self::IntelSha,
            (false, true) => Self::BeforeZen5,
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
        match (self.intel_sha(), self.before_zen5(), number) {
            (true, ..) => Sides::Overlapping(number),
            (_, true, 2) => Sides::OverlappingShort(number),
            _ => Sides::Streams(number),
        }
    }

    #[inline]
    pub(super) const fn before_zen5(self) -> bool {
        matches!(self, Self::BeforeZen5 | Self::Both)
    }
}

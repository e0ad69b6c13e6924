//! The backend that every machine has: scalar code, the measure of all the others.
#![forbid(unsafe_code)]

use super::cpu::Cpu;

#[cfg(feature = "blake2")]
pub(crate) mod blake2;
#[cfg(feature = "blake3")]
pub(super) mod blake3;
#[cfg(feature = "sha2")]
pub(super) mod sha2;
#[cfg(feature = "sha2")]
pub(super) mod sha256;
#[cfg(feature = "sha2")]
pub(super) mod sha512;

/// Proves nothing, because it asks nothing of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Portable;

impl Portable {
    #[cfg(test)]
    pub(crate) const FEATURES: &[&str] = &[];

    #[expect(clippy::unnecessary_wraps, reason = "the other instruction sets may be missing")]
    pub(crate) fn detect(_: Cpu) -> Option<Self> {
        Some(Self)
    }
}

//! AArch64's instructions for SHA-256, an extension that most of its CPUs have. They stand beside NEON, as SHA-NI
//! stands beside the instruction sets of x86.

use super::isa::{Cpu, isa};

#[cfg(feature = "sha2")]
pub(super) mod sha256;

isa!(
    /// Proves the instructions for SHA-256, and so NEON.
    Sha: "sha2"
);

//! AArch64's instructions for SHA-256, an extension that most of its CPUs have.

use super::isa::{Cpu, isa};

#[cfg(feature = "sha2")]
pub(super) mod sha256;

isa!(
    /// Proves the instructions for SHA-256.
    Sha: "sha2"
);

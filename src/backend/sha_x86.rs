//! SHA-NI, x86's instructions for SHA-256. They stand beside the instruction sets, for they work on registers of 128
//! bits. CPUs have them with AVX-512, with AVX2, and without AVX.

#![allow(unsafe_code)]

use super::isa::isa;

#[cfg(feature = "sha2")]
pub(super) mod sha256;

isa!(
    /// Proves SHA-NI and SSE4.1. Every CPU with SHA-NI has SSE4.1, but an emulated one may lack it.
    Sha: "sse2", "ssse3", "sse4.1", "sha"
);

//! SHA-NI, x86's instructions for SHA-256. They stand beside the instruction sets, for they work on registers of 128
//! bits and come with CPUs that have AVX-512, AVX2, or not even AVX.

use super::isa::{Cpu, isa};

isa!(
    /// Proves SHA-NI, and SSE4.1, which every CPU with it has.
    Sha: "sse2", "ssse3", "sse4.1", "sha"
);

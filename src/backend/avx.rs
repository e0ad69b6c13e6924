//! AVX: the 128-bit vectors of SSE4.1 under VEX encoding, which has three operands and spares the moves.
#![allow(unsafe_code)]

use super::isa::isa;

#[cfg(feature = "blake2")]
mod blake2b;
#[cfg(feature = "blake2")]
mod blake2s;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "sha2")]
pub(super) mod sha256;
#[cfg(feature = "sha2")]
pub(super) mod sha512;

isa!(
    /// Proves AVX, and so SSE4.1.
    Avx: "sse2", "ssse3", "sse4.1", "avx"
);

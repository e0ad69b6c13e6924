//! The names of the crate `blake3` 1, over `simd-digest`.
//!
//! # Compile errors
//!
//! ```text
//! error[E0277]: the trait bound `blake3::Hasher: …CoreProxy` is not satisfied
//! note: required for `blake3::Hasher` to implement `EagerHash`
//! ```
//!
//! As with `blake3`, `hmac::Hmac` does not take BLAKE3, which keeps its last block back. Take [`Hasher::new_keyed`], or
//! `hmac::SimpleHmac` where it must be HMAC.
//!
//! ```text
//! error[E0277]: the trait bound `blake3::Hasher: digest::Digest` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.10, and [`traits`] has the traits of 0.11. Take a version of the caller that needs 0.11.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "mmap")]
mod file;
#[deprecated(since = "1.8.0", note = "use the hazmat module instead")]
pub mod guts;
mod hash;
mod hasher;
pub mod hazmat;
mod output;
pub mod traits;

pub use hash::{Hash, HexError};
pub use hasher::Hasher;
pub use output::OutputReader;
use simd_digest::blake3 as ours;
pub use simd_digest::blake3::{BLOCK_LEN, CHUNK_LEN, KEY_LEN, OUT_LEN};

/// The digest of `input`.
pub fn hash(input: &[u8]) -> Hash {
    Hash::of(ours::hash(input))
}

/// The digest of `input` with a secret `key`: a MAC.
pub fn keyed_hash(key: &[u8; KEY_LEN], input: &[u8]) -> Hash {
    Hash::of(ours::keyed_hash(key, input))
}

/// A key out of `key_material`, for the purpose that `context` names.
pub fn derive_key(context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    ours::derive_key(context, key_material)
}

//! The names of the crate `sha2` 0.11 over `simd-digest`.
//!
//! # Compile errors
//!
//! ```text
//! error[E0277]: the trait bound `Sha2<Variant256>: CoreProxy` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.10, and this crate has the traits of 0.11. Take `sha2` 0.10, which has an adapter too,
//! or a version of the caller that needs 0.11, such as hmac, hkdf or pbkdf2 0.13.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

pub use digest::{self, Digest};
pub use simd_digest::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};

#[macro_use]
#[path = "../../sha2_shared.rs"]
mod shared;

pub mod block_api;

//! The names of the crate `sha2` 0.11: SHA-256 and SHA-224 of `simd-digest`, and the others over the compression
//! function of `sha2` 0.10.
//!
//! # Compile errors
//!
//! ```text
//! error[E0277]: the trait bound `Sha2<Variant256>: CoreProxy` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.10, and this crate has the traits of 0.11. Take a version of the caller that needs 0.11,
//! such as hmac, hkdf or pbkdf2 0.13. Otherwise keep `sha2` 0.10, which has no adapter.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

pub use digest::{self, Digest};
pub use simd_digest::{Sha224, Sha256};

use digest::block_api::CtOutWrapper;
use digest::consts::{U28, U32, U48, U64};

pub mod block_api;

digest::buffer_fixed!(
    /// SHA-384.
    pub struct Sha384(CtOutWrapper<block_api::Sha512VarCore, U48>);
    oid: "2.16.840.1.101.3.4.2.2";
    impl: FixedHashTraits;
);
digest::buffer_fixed!(
    /// SHA-512.
    pub struct Sha512(CtOutWrapper<block_api::Sha512VarCore, U64>);
    oid: "2.16.840.1.101.3.4.2.3";
    impl: FixedHashTraits;
);
digest::buffer_fixed!(
    /// SHA-512/224.
    pub struct Sha512_224(CtOutWrapper<block_api::Sha512VarCore, U28>);
    oid: "2.16.840.1.101.3.4.2.5";
    impl: FixedHashTraits;
);
digest::buffer_fixed!(
    /// SHA-512/256.
    pub struct Sha512_256(CtOutWrapper<block_api::Sha512VarCore, U32>);
    oid: "2.16.840.1.101.3.4.2.6";
    impl: FixedHashTraits;
);

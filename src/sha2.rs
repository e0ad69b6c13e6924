//! SHA-2, generic over a [`Variant`]: hashers, batches, HMAC, PBKDF2, and the `digest` traits
//! ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! Use it through [`sha256`](crate::sha256), [`sha512`](crate::sha512), [`sha224`](crate::sha224),
//! [`sha384`](crate::sha384), [`sha512_256`](crate::sha512_256) and [`sha512_224`](crate::sha512_224), which name these
//! types.
//!
//! # Differences from the crate `sha2`
//!
//! [`Sha256`](crate::Sha256), [`Sha512`](crate::Sha512) and the others replace the types of `sha2` 0.11. They have the
//! traits of `sha2`'s types, so `hmac::Hmac`, `hkdf::Hkdf` and `pbkdf2` take them, except:
//!
//! - **Name.** `AlgorithmName` writes `Sha256`. `sha2` writes `Sha256_32`.
//! - **Backend.** `with_backend` and [`Backend::set_default`](crate::Backend) choose how to compute. The options
//!   `sha2_backend`, `sha2_256_backend` and `sha2_512_backend` of the compiler have no effect.
//! - **Features.** Object identifiers are always there; `sha2` has them by its feature `oid`. The feature `zeroize`
//!   wipes values when they are dropped, as in `sha2`.
//! - **Single blocks.** The functions `compress256` and `compress512` of `sha2::block_api` are
//!   [`sha256::hazmat::compress`](crate::sha256::hazmat::compress) and
//!   [`sha512::hazmat::compress`](crate::sha512::hazmat::compress). `Sha256VarCore` is
//!   [`Sha256Core`](crate::sha256::hazmat::Sha256Core), whose digest has one length; each hash has such a type.
//! - **HMAC.** [`HmacSha256`](crate::HmacSha256) is no `CoreProxy`; `hmac::Hmac<Sha256>` is.
//!
//! A saved state (`SerializableState`) has the 104 bytes of `sha2`, or 208 where the block has 128 bytes, and each
//! crate restores those of the other: the hash value and the number of blocks, little-endian, then the number of bytes
//! held back, then these and zeros, a block less a byte. Hashes with blocks of 128 bytes refuse a state of a message of
//! 2^64 bytes or more.
#![forbid(unsafe_code)]

mod batch;
mod digest;
mod hasher;
pub mod hazmat;
mod hmac;
mod pbkdf2;
mod plan;
mod variant;

pub use self::batch::{Batch, finalize_many, update_each, update_many};
pub use self::digest::{Core, Sha2};
pub use self::hasher::Hasher;
pub use self::hmac::{Hmac, HmacHasher, HmacKey};
pub use self::variant::{
    Hash, Variant, Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256, lanes,
};

//! BLAKE2, generic over a [`Flavour`]: parameters, hashers, and the `digest` traits.
//!
//! Use it through [`blake2b`](crate::blake2b) and [`blake2s`](crate::blake2s), which name these types for their word
//! sizes.
//!
//! # Differences from the crate `blake2`
//!
//! `Blake2b<N>`, `Blake2bMac<N>`, `Blake2s<N>` and `Blake2sMac<N>` replace the types of `blake2` 0.11, except:
//!
//! - **Empty key.** `KeyInit::new_from_slice(&[])` is an error. `blake2` takes it, and computes a value that RFC 7693
//!   does not have.
//! - **Reset.** `Reset` keeps salt, personalisation and key. `blake2` forgets salt and personalisation.
//! - **Customisation.** `new_customized` takes any length. More than 16 bytes (BLAKE2s: 8), where `blake2` panics, are
//!   hashed first, so no other library computes that hash.
//! - **Long keys, salts and personalisations** are errors of the constructors. `blake2` panics.
//! - **Errors.** `Blake2Mac::new_with_salt_and_personal` returns [`ParamsError`], which `?` turns into
//!   `digest::InvalidLength`.
//! - **HMAC.** As with `blake2`, it is `SimpleHmac` and `SimpleHkdf`: BLAKE2 holds its last block back, so it is no
//!   `EagerHash`.
//! - **Blocks without the buffer.** `Blake2bVarCore` and `Blake2sVarCore` are in
//!   [`blake2b::hazmat`](crate::blake2b::hazmat) and [`blake2s::hazmat`](crate::blake2s::hazmat). Instead of
//!   `new_with_params` they have `from_parameter_block`, and an output of 0 bytes is an error.
//! - **Features.** `reset` does nothing, because `Reset` is always there. There is no `size_opt`.
//!
//! The folder `crates/compat` of the repository has a crate with the names of `blake2`, to use by `[patch.crates-io]`.
#![forbid(unsafe_code)]

mod digest;
mod flavour;
mod hasher;
pub mod hazmat;
mod mac;
mod many;
mod node;
mod parallel;
mod params;
mod plan;
#[cfg(feature = "alloc")]
mod tree;
mod var_core;
mod verify;
mod xof;

pub use self::digest::{Blake2, OutputSize};
pub(crate) use self::flavour::Sealed;
pub use self::flavour::{Flavour, lanes};
pub use self::hasher::Hasher;
pub(crate) use self::hasher::hash;
pub use self::mac::Blake2Mac;
#[cfg(feature = "alloc")]
pub(crate) use self::many::hash_many;
pub use self::many::{HashManyError, finalize_many, update_each, update_many};
pub(crate) use self::many::{hash_many_flat, hash_many_into};
pub use self::parallel::{Blake2p, Parallel};
pub use self::params::{Params, ParamsError};
#[cfg(feature = "alloc")]
pub use self::tree::{LeavesError, Part, Tree, TreeHasher};
pub use self::verify::VerifyError;
pub use self::xof::{Blake2x, OutputReader, XofError};

/// A digest of BLAKE2, its length chosen at run time.
pub type Hash<F> = crate::hash::Hash<F>;

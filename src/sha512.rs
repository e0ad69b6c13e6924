//! SHA-512: digests of 64 bytes, blocks of 128 ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! The module has the API of [`sha256`](crate::sha256); of the Merkle-tree functions it has [`hash_nodes`]. On CPUs
//! without SHA instructions, SHA-512 takes less time for a long message than SHA-256.
//!
//! ```
//! use simd_digest::sha512;
//!
//! assert!(sha512::hash(b"abc").to_string().starts_with("ddaf35a1"));
//! ```
//!
//! **A hash of a key and a message authenticates nothing.** Use [`HmacKey`].
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::backend::Backend;
use crate::error::{ManyError, Pbkdf2Error};
use crate::sha2::{self, Variant512};

/// As [`sha256::Hasher`](crate::sha256::Hasher), for SHA-512.
pub type Hasher = sha2::Hasher<Variant512>;

/// As [`sha256::Hash`](type@crate::sha256::Hash), for SHA-512: 64 bytes.
pub type Hash = sha2::Hash<Variant512>;

/// As [`sha256::Batch`](crate::sha256::Batch), for SHA-512.
pub type Batch = sha2::Batch<Variant512>;

/// As [`sha256::HmacKey`](crate::sha256::HmacKey), for HMAC-SHA-512.
pub type HmacKey = sha2::HmacKey<Variant512>;

/// As [`sha256::HmacHasher`](crate::sha256::HmacHasher), for HMAC-SHA-512.
pub type HmacHasher = sha2::HmacHasher<Variant512>;

/// As [`Sha256`](crate::Sha256), for SHA-512.
pub type Sha512 = sha2::Sha2<Variant512>;

/// As [`HmacSha256`](crate::HmacSha256), for HMAC-SHA-512.
pub type HmacSha512 = sha2::Hmac<Variant512>;

/// As [`sha256::hash`](crate::sha256::hash), for SHA-512.
#[inline]
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    Batch::new().hash(message)
}

/// As [`sha256::hash_many`](crate::sha256::hash_many), for SHA-512.
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<Hash> {
    Batch::new().hash_many(messages)
}

/// As [`sha256::hash_many_into`](crate::sha256::hash_many_into), for SHA-512.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each message. Then nothing is written.
pub fn hash_many_into<M: AsRef<[u8]>>(messages: &[M], hashes: &mut [Hash]) -> Result<(), ManyError> {
    Batch::new().hash_many_into(messages, hashes)
}

/// As [`sha256::hash_many_flat`](crate::sha256::hash_many_flat), for SHA-512.
///
/// # Errors
///
/// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
pub fn hash_many_flat<M: AsRef<[u8]>>(messages: &[M], bytes: &mut [u8]) -> Result<(), ManyError> {
    Batch::new().hash_many_flat(messages, bytes)
}

/// As [`sha256::update_many`](crate::sha256::update_many), for SHA-512.
pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    sha2::update_many(updates);
}

/// As [`sha256::update_each`](crate::sha256::update_each), for SHA-512.
pub fn update_each<'a, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    sha2::update_each(backend, jobs, done);
}

/// As [`sha256::finalize_many`](crate::sha256::finalize_many), for SHA-512.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
    sha2::finalize_many(hashers, hashes)
}

/// As [`sha256::pbkdf2`](crate::sha256::pbkdf2()), with HMAC-SHA-512.
///
/// # Errors
///
/// [`Pbkdf2Error`] if `out` is longer than 2^32 - 1 digests. Then nothing is written.
pub fn pbkdf2(password: &[u8], salt: &[u8], rounds: NonZeroU32, out: &mut [u8]) -> Result<(), Pbkdf2Error> {
    Batch::new().pbkdf2(password, salt, rounds, out)
}

/// As [`sha256::pbkdf2_many`](crate::sha256::pbkdf2_many), with HMAC-SHA-512.
///
/// # Errors
///
/// [`Pbkdf2Error`] if there is not one output for each input, or if an output is longer than 2^32 - 1 digests. Then
/// nothing is written.
pub fn pbkdf2_many<P: AsRef<[u8]>, S: AsRef<[u8]>, O: AsMut<[u8]>>(
    inputs: &[(P, S)],
    rounds: NonZeroU32,
    outs: &mut [O],
) -> Result<(), Pbkdf2Error> {
    Batch::new().pbkdf2_many(inputs, rounds, outs)
}

/// As [`sha256::lanes`](crate::sha256::lanes), for SHA-512: 1, 2, 4 or 8.
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    sha2::lanes::<Variant512>(backend)
}

/// As [`sha256::hash_nodes`](crate::sha256::hash_nodes), for SHA-512: nodes of 128 bytes.
///
/// # Errors
///
/// [`ManyError`] if there is not one digest for each node. Then nothing is written.
pub fn hash_nodes(nodes: &[[u8; 128]], digests: &mut [[u8; 64]]) -> Result<(), ManyError> {
    Batch::new().hash_nodes(nodes, digests)
}

/// As [`sha256::hazmat`](crate::sha256::hazmat), for SHA-512.
pub mod hazmat {
    use super::Variant512;

    /// As [`sha256::hazmat::State`](crate::sha256::hazmat::State), for SHA-512: 204 bytes.
    pub type State = crate::sha2::hazmat::State<Variant512>;

    /// As [`sha256::hazmat::Sha256Core`](crate::sha256::hazmat::Sha256Core), for SHA-512.
    pub type Sha512Core = crate::sha2::Core<Variant512>;

    /// As [`sha256::hazmat::compress`](crate::sha256::hazmat::compress), by section 6.4.2 of FIPS 180-4.
    pub fn compress(h: &mut [u64; 8], blocks: &[[u8; 128]]) {
        crate::sha2::hazmat::compress::<Variant512>(h, blocks);
    }
}

crate::traits::associated_oid! {
    Sha512: "2.16.840.1.101.3.4.2.3",
}

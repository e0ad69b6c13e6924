//! BLAKE2s: the flavour of 32-bit words, digests and keys of up to 32 bytes, blocks of 64 bytes
//! ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), [BLAKE2 paper](https://www.blake2.net/blake2.pdf)).
//!
//! BLAKE2s is for small machines and small messages. On 64-bit CPUs, [`blake2b`](crate::blake2b) is faster for long
//! messages. This module has the API of `blake2b`. Salt and personalisation have up to 8 bytes instead of 16. The node
//! offset has 48 bits instead of 64, so trees have at most 2^48 leaves. [`Blake2sp`] has eight leaves.
//!
//! ```
//! use simd_digest::blake2s::{self, Params};
//!
//! let hash = blake2s::hash(b"abc");
//! assert_eq!(hash.as_bytes().len(), 32);
//!
//! let tag = Params::new().hash_length(16).key(b"a key").hash(b"abc")?;
//! assert_eq!(tag.to_string().len(), 32);
//!
//! let error = Params::new().node_offset(1 << 48).hash(b"abc").unwrap_err();
//! assert_eq!(error.to_string(), "node_offset is 281474976710656, but must be 0 to 281474976710655");
//! # Ok::<(), simd_digest::blake2::ParamsError>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use digest::consts::{U8, U16, U20, U28, U32, U64, U122};

use crate::backend::Backend;
use crate::blake2::{self, Blake2, Blake2Mac, Blake2p, Blake2x, Flavour, Sealed};
use crate::error::ManyError;
pub use crate::kernel::blake2s::FlavourS;
use crate::traits::associated_oid;

pub mod hazmat;

/// As [`blake2b::hash`](crate::blake2b::hash), with a digest of 32 bytes.
#[inline]
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    blake2::hash(message)
}

/// As [`blake2b::hash_many`](crate::blake2b::hash_many), with digests of 32 bytes.
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<Hash> {
    blake2::hash_many(messages)
}

/// As [`blake2b::hash_many_into`](crate::blake2b::hash_many_into), with digests of 32 bytes.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each message. Then nothing is written.
pub fn hash_many_into<M: AsRef<[u8]>>(messages: &[M], hashes: &mut [Hash]) -> Result<(), ManyError> {
    blake2::hash_many_into(messages, hashes)
}

/// As [`blake2b::hash_many_flat`](crate::blake2b::hash_many_flat), with digests of 32 bytes.
///
/// # Errors
///
/// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
pub fn hash_many_flat<M: AsRef<[u8]>>(messages: &[M], bytes: &mut [u8]) -> Result<(), ManyError> {
    blake2::hash_many_flat::<FlavourS>(messages, bytes)
}

/// As [`blake2b::update_many`](crate::blake2b::update_many), for hashers of BLAKE2s.
pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    blake2::update_many(updates);
}

/// As [`blake2b::update_each`](crate::blake2b::update_each), for hashers of BLAKE2s.
pub fn update_each<'a, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    blake2::update_each(backend, jobs, done);
}

/// As [`blake2b::finalize_many`](crate::blake2b::finalize_many), for hashers of BLAKE2s.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
    blake2::finalize_many(hashers, hashes)
}

/// As [`blake2b::lanes`](crate::blake2b::lanes), for BLAKE2s: up to 16, where BLAKE2b has up to 8.
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    blake2::lanes::<FlavourS>(backend)
}

/// As [`blake2b::Params`](crate::blake2b::Params), with digests and keys of up to 32 bytes, salt and personalisation of
/// up to 8.
pub type Params = blake2::Params<FlavourS>;

/// An incremental BLAKE2s hasher, used as [`blake2b::Hasher`](crate::blake2b::Hasher).
pub type Hasher = blake2::Hasher<FlavourS>;

/// A digest of BLAKE2s, 1 to 32 bytes, used as [`blake2b::Hash`](crate::blake2b::Hash).
pub type Hash = blake2::Hash<FlavourS>;

/// An incremental BLAKE2sp hasher, used as [`blake2b::Parallel`](crate::blake2b::Parallel).
pub type Parallel = blake2::Parallel<FlavourS>;

/// The output of BLAKE2X over BLAKE2s, used as [`blake2b::OutputReader`](crate::blake2b::OutputReader).
pub type OutputReader = blake2::OutputReader<FlavourS>;

/// A way to hash messages as trees of BLAKE2s nodes, used as [`blake2b::Tree`](crate::blake2b::Tree).
#[cfg(feature = "alloc")]
pub type Tree = blake2::Tree<FlavourS>;

/// An incremental hasher of trees of BLAKE2s nodes, used as [`blake2b::TreeHasher`](crate::blake2b::TreeHasher).
#[cfg(feature = "alloc")]
pub type TreeHasher = blake2::TreeHasher<FlavourS>;

/// BLAKE2s with `N` bytes of output, `U1` to `U32`, used as [`Blake2b`](crate::Blake2b).
pub type Blake2s<N> = Blake2<FlavourS, N>;

/// [`Blake2s`] with 32 bytes of output.
pub type Blake2s256 = Blake2s<U32>;

/// [`Blake2s`] with 28 bytes of output.
pub type Blake2s224 = Blake2s<U28>;

/// [`Blake2s`] with 20 bytes of output.
pub type Blake2s160 = Blake2s<U20>;

/// [`Blake2s`] with 16 bytes of output.
pub type Blake2s128 = Blake2s<U16>;

/// BLAKE2s as a MAC with `N` bytes of tag, `U1` to `U32`, used as [`Blake2bMac`](crate::Blake2bMac).
pub type Blake2sMac<N> = Blake2Mac<FlavourS, N>;

/// [`Blake2sMac`] with 32 bytes of tag.
pub type Blake2sMac256 = Blake2sMac<U32>;

/// [`Blake2sMac`] with 16 bytes of tag.
pub type Blake2sMac128 = Blake2sMac<U16>;

/// BLAKE2sp with 32 bytes of output, for the `digest` traits; keyed and of other lengths by [`Params::parallel`].
///
/// One long message in eight lanes: several times as fast as sequential BLAKE2s, but another hash, and slower for
/// messages of less than about 1 KiB.
///
/// [`Params::parallel`]: crate::blake2::Params::parallel
pub type Blake2sp = Blake2p<FlavourS, U32>;

/// BLAKE2X of this flavour: output of any length, up to 2^16 − 2 bytes if it is known, else up to 2^37.
pub type Blake2xs = Blake2x<FlavourS>;

impl Flavour for FlavourS {
    const TITLE: &'static str = "BLAKE2s";
    const LONGEST: usize = 32;
    const MAX_NODE_OFFSET: u64 = (1 << 48) - 1;
    const LEAVES: u8 = 8;

    type SavedState = [u8; 171];
}

impl Sealed for FlavourS {
    const NAME: &'static str = "Blake2s";
    const MAC_NAME: &'static str = "Blake2sMac";
    const PARALLEL_NAME: &'static str = "Blake2sp";
    const XOF_NAME: &'static str = "Blake2xs";
    const NODE_OFFSET: usize = 6;

    type OutputSize = U32;
    type BlockSize = U64;
    type CollisionResistance = U16;
    type StateSize = U122;
    type Leaves = U8;
}

associated_oid! {
    Blake2s128: "1.3.6.1.4.1.1722.12.2.2.4",
    Blake2s160: "1.3.6.1.4.1.1722.12.2.2.5",
    Blake2s224: "1.3.6.1.4.1.1722.12.2.2.7",
    Blake2s256: "1.3.6.1.4.1.1722.12.2.2.8",
}

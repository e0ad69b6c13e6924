//! SHA-224 and SHA-256, which differ in the initial hash value and the length of the digest.

use core::fmt::Debug;

use digest::array::ArraySize;
use digest::consts::{U14, U16, U28, U32};
use digest::typenum::Unsigned;

use crate::backend::{Backend, Dispatch, hash_nodes};
use crate::hash::{self, Digested, Full};
use crate::kernel::sha256::{Chain, IV_224, IV_256, Nodes, Sha256Function, Written};
use crate::kernel::{Block, wipe};

/// SHA-224 or SHA-256: [`Variant224`] or [`Variant256`].
///
/// ```
/// use simd_digest::sha2::{Hasher, Variant, Variant224};
///
/// fn digest<V: Variant>(message: &[u8]) -> String {
///     Hasher::<V>::new().update(message).finalize().to_string()
/// }
///
/// assert!(digest::<Variant224>(b"abc").starts_with("23097d22"));
/// ```
pub trait Variant: Sealed + Copy + Debug + Eq + core::hash::Hash + Send + Sync + 'static {
    /// The name in the standard: `"SHA-224"` or `"SHA-256"`.
    const TITLE: &'static str;
    /// Bytes of a digest: 28 or 32.
    const LENGTH: usize;
}

/// The part of a variant that is no business of others.
pub trait Sealed: Digested {
    /// Names of the types of the `digest` traits.
    const NAME: &'static str;
    const MAC_NAME: &'static str;
    /// The initial hash value (FIPS 180-4, section 5.3).
    const IV: &'static [u32; 8];
    /// The first bytes of a state in Go.
    const MAGIC: [u8; 4];

    type OutputSize: ArraySize;
    type CollisionResistance: Unsigned;
}

/// The marker of SHA-224.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant224 {}

/// The marker of SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant256 {}

impl Variant for Variant224 {
    const TITLE: &'static str = "SHA-224";
    const LENGTH: usize = 28;
}

impl Sealed for Variant224 {
    const NAME: &'static str = "Sha224";
    const MAC_NAME: &'static str = "HmacSha224";
    const IV: &'static [u32; 8] = &IV_224;
    const MAGIC: [u8; 4] = *b"sha\x02";

    type OutputSize = U28;
    type CollisionResistance = U14;
}

impl Digested for Variant224 {
    type Bytes = [u8; 28];
}

impl Variant for Variant256 {
    const TITLE: &'static str = "SHA-256";
    const LENGTH: usize = 32;
}

impl Sealed for Variant256 {
    const NAME: &'static str = "Sha256";
    const MAC_NAME: &'static str = "HmacSha256";
    const IV: &'static [u32; 8] = &IV_256;
    const MAGIC: [u8; 4] = *b"sha\x03";

    type OutputSize = U32;
    type CollisionResistance = U16;
}

impl Digested for Variant256 {
    type Bytes = [u8; 32];
}

/// A digest of SHA-224 or SHA-256.
pub type Hash<V> = hash::Hash<V, Full>;

/// The digest in a hash value after the last block.
#[inline]
pub(super) fn digest<V: Variant>(chain: &Chain) -> V::Bytes {
    truncate::<V>(&chain.to_bytes())
}

/// The same for a hash value in bytes.
#[inline]
pub(super) fn truncate<V: Variant>(value: &[u8; 32]) -> V::Bytes {
    let mut bytes = V::Bytes::ZERO;
    bytes.bytes_mut().copy_from_slice(&value[..V::LENGTH]);
    bytes
}

/// The digest of a message of 64 bytes, from the hash value `iv`.
#[inline]
pub(super) fn digest_of_node<V: Variant>(
    backend: Backend,
    iv: &[u32; 8],
    node: &[u8; 64],
    written: Written,
) -> V::Bytes {
    let mut digests = [[0; 32]];
    hash_nodes(backend, Nodes { iv, written, nodes: &[node], digests: &mut digests, twice: false });
    let bytes = truncate::<V>(&digests[0]);
    wipe(&mut digests[0]);
    bytes
}

/// See [`sha256::lanes`](crate::sha256::lanes).
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    Sha256Function::lanes(backend)
}

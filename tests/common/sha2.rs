//! SHA-256 and SHA-224, for what is written once and run for both, and the crate `sha2` as their oracle.
#![allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "not every user has a use for everything")]

use ::sha2::block_api::compress256;
use simd_digest::digest::Digest;
use simd_digest::digest::block_api::{CoreProxy, EagerHash};
use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::consts::{U64, U104};
use simd_digest::sha2::{Batch, Hash, Hasher, Variant};
pub use simd_digest::sha2::{Variant224, Variant256};
use simd_digest::{Backend, sha224, sha256};

/// Facts of a variant that the tests need.
pub trait Family: Variant {
    /// The hash of the crate `sha2`.
    type Peer: EagerHash<BlockSize = U64> + CoreProxy + AssociatedOid + SerializableState<SerializedStateSize = U104>;

    /// `hash` of the module.
    fn one_shot(message: &[u8]) -> Hash<Self>;
}

impl Family for Variant256 {
    type Peer = ::sha2::Sha256;

    fn one_shot(message: &[u8]) -> Hash<Self> {
        sha256::hash(message)
    }
}

impl Family for Variant224 {
    type Peer = ::sha2::Sha224;

    fn one_shot(message: &[u8]) -> Hash<Self> {
        sha224::hash(message)
    }
}

/// Makes a test for each variant out of every generic function named.
macro_rules! for_both {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        mod of_sha256 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant256>(); })+
        }
        mod of_sha224 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant224>(); })+
        }
    };
}
pub(crate) use for_both;

/// The digest of `message`, by the crate `sha2`.
pub fn of_peer<V: Family>(message: &[u8]) -> Hash<V> {
    of_bytes(&V::Peer::digest(message))
}

/// A digest of these bytes.
pub fn of_bytes<V: Family>(bytes: &[u8]) -> Hash<V> {
    hex::encode(bytes).parse().unwrap()
}

/// A digest that is none of those expected.
pub fn other<V: Family>() -> Hash<V> {
    of_bytes(&vec![0xee; V::LENGTH])
}

/// Messages hashed on this backend.
pub fn on<V: Family>(backend: Backend) -> Batch<V> {
    Batch::new().with_backend(backend)
}

pub fn hasher_on<V: Family>(backend: Backend) -> Hasher<V> {
    Hasher::new().with_backend(backend)
}

/// A chaining value as the bytes of a digest.
pub fn to_bytes(h: [u32; 8]) -> Vec<u8> {
    h.map(u32::to_be_bytes).concat()
}

/// The chaining value after a message of which `blocks` blocks were compressed to `h` and `rest` is left, by FIPS 180-4
/// over the compression function of the crate `sha2`. Beyond 2^64 bits the length wraps around.
pub fn from_middle(mut h: [u32; 8], blocks: u64, rest: &[u8]) -> [u32; 8] {
    let bits = blocks.wrapping_mul(64).wrapping_add(rest.len() as u64).wrapping_mul(8);
    let mut padded = [rest, &[0x80]].concat();
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend(bits.to_be_bytes());
    compress256(&mut h, padded.as_chunks().0);
    h
}

//! The hashes of SHA-2, for what is written once and run for each, and the crate `sha2` as their oracle.
#![allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "not every user has a use for everything")]

use core::fmt::Debug;

use ::sha2::block_api::{compress256, compress512};
use simd_digest::digest::Digest;
use simd_digest::digest::block_api::{CoreProxy, EagerHash};
use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::sha2::{Batch, Hash, Hasher, Variant};
pub use simd_digest::sha2::{Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256};
use simd_digest::{Backend, sha224, sha256, sha384, sha512, sha512_224, sha512_256};

use super::random::Random;

/// The word of a variant.
pub trait Word: Copy + Eq + Debug + From<u8> + Send + Sync + 'static {
    /// Bytes of a block, and of the length at its end.
    const BLOCK: usize;
    const LENGTH: usize;

    fn any(random: &mut Random) -> Self;
    fn little_endian(h: [Self; 8]) -> Vec<u8>;
    fn big_endian(h: [Self; 8]) -> Vec<u8>;
    fn of_little_endian(bytes: &[u8]) -> [Self; 8];
    /// The compression function of the crate `sha2`. `blocks` are whole.
    fn compress(h: &mut [Self; 8], blocks: &[u8]);
}

macro_rules! word {
    ($word:ident, $bytes:literal, $compress:ident) => {
        impl Word for $word {
            const BLOCK: usize = 16 * $bytes;
            const LENGTH: usize = 2 * $bytes;

            fn any(random: &mut Random) -> Self {
                Self::try_from(random.number() >> (64 - Self::BITS)).unwrap()
            }

            fn little_endian(h: [Self; 8]) -> Vec<u8> {
                h.map(Self::to_le_bytes).concat()
            }

            fn big_endian(h: [Self; 8]) -> Vec<u8> {
                h.map(Self::to_be_bytes).concat()
            }

            fn of_little_endian(bytes: &[u8]) -> [Self; 8] {
                core::array::from_fn(|i| Self::from_le_bytes(bytes.as_chunks().0[i]))
            }

            fn compress(h: &mut [Self; 8], blocks: &[u8]) {
                $compress(h, blocks.as_chunks().0);
            }
        }
    };
}
word!(u32, 4, compress256);
word!(u64, 8, compress512);

/// Facts of a variant that the tests need.
pub trait Family: Variant {
    type Word: Word;
    /// The hash of the crate `sha2`.
    type Peer: EagerHash + CoreProxy + AssociatedOid + SerializableState;

    const BLOCK: usize = Self::Word::BLOCK;
    /// Bytes of a hash value, and of the state that the core of the crate `sha2` has.
    const VALUE: usize = Self::BLOCK / 2;
    const CORE_STATE: usize = Self::VALUE + Self::Word::LENGTH;

    /// `hash` of the module.
    fn one_shot(message: &[u8]) -> Hash<Self>;

    /// The length beside the edges of this variant's blocks that `length` is beside those of SHA-256: 55, 56, 63 and 64
    /// become 111, 112, 127 and 128 where a block has 128 bytes.
    fn at(length: usize) -> usize {
        if Self::BLOCK == 64 {
            return length;
        }
        let rest = match length % 64 {
            rest @ ..=31 => rest,
            rest @ 32..=57 => rest + 56,
            rest => rest + 64,
        };
        length / 64 * 128 + rest
    }
}

macro_rules! family {
    ($($Variant:ident of $word:ident: $module:ident, $Peer:ident;)+) => {$(
        impl Family for $Variant {
            type Word = $word;
            type Peer = ::sha2::$Peer;

            fn one_shot(message: &[u8]) -> Hash<Self> {
                $module::hash(message)
            }
        }
    )+};
}
family! {
    Variant224 of u32: sha224, Sha224;
    Variant256 of u32: sha256, Sha256;
    Variant384 of u64: sha384, Sha384;
    Variant512 of u64: sha512, Sha512;
    Variant512_224 of u64: sha512_224, Sha512_224;
    Variant512_256 of u64: sha512_256, Sha512_256;
}

/// Makes of every generic function named a test for each function, and for one that differs in the length of its
/// digest.
macro_rules! for_each {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        mod of_sha256 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant256>(); })+
        }
        mod of_sha224 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant224>(); })+
        }
        mod of_sha512 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant512>(); })+
        }
    };
}
pub(crate) use for_each;

/// Makes of every generic function named a test for each variant.
macro_rules! for_all {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        crate::common::sha2::for_each! { $($(#[$attribute])* $test,)+ }

        mod of_sha384 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant384>(); })+
        }
        mod of_sha512_256 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant512_256>(); })+
        }
        mod of_sha512_224 {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::sha2::Variant512_224>(); })+
        }
    };
}
pub(crate) use for_all;

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

/// The chaining value after a message of which `blocks` blocks were compressed to `h` and `rest` is left, by FIPS 180-4
/// over the compression function of the crate `sha2`. Beyond 2^64 bits the length of SHA-256 wraps around.
pub fn from_middle<W: Word>(mut h: [W; 8], blocks: u64, rest: &[u8]) -> [W; 8] {
    let bits = 8 * (u128::from(blocks) * W::BLOCK as u128 + rest.len() as u128);
    let mut padded = [rest, &[0x80]].concat();
    while padded.len() % W::BLOCK != W::BLOCK - W::LENGTH {
        padded.push(0);
    }
    padded.extend(&bits.to_be_bytes()[16 - W::LENGTH..]);
    W::compress(&mut h, &padded);
    h
}

//! Hash functions, and their keys.

use core::fmt;
use core::ops::RangeInclusive;

use simd_digest::sha256::{self, HmacKey};
use simd_digest::{blake2b, blake2s};
use zeroize::Zeroizing;

/// The hash function of an object's digests, which have 32 bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// BLAKE2b, the fastest in lanes of 64-bit machines.
    #[default]
    Blake2b,
    /// BLAKE2s, for 32-bit machines. Its stripes have 8 of the object's 16 random bytes.
    Blake2s,
    /// SHA-256, for those who must. With a key, HMAC.
    Sha256,
}

impl Hash {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Blake2b => 1,
            Self::Blake2s => 2,
            Self::Sha256 => 3,
        }
    }

    pub(crate) fn of_code(code: u8) -> Option<Self> {
        [Self::Blake2b, Self::Blake2s, Self::Sha256].into_iter().find(|hash| hash.code() == code)
    }

    /// The lengths that a key may have, in bytes.
    #[must_use]
    pub fn key_lengths(self) -> RangeInclusive<usize> {
        match self {
            Self::Blake2b => 1..=64,
            Self::Blake2s => 1..=32,
            Self::Sha256 => 1..=usize::MAX,
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blake2b => "BLAKE2b",
            Self::Blake2s => "BLAKE2s",
            Self::Sha256 => "SHA-256",
        })
    }
}

/// A key, wiped when dropped. `Debug` tells nothing.
pub(crate) struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// A key, if the hash takes one of this length.
    pub(crate) fn new(hash: Hash, key: &[u8]) -> Option<Self> {
        hash.key_lengths().contains(&key.len()).then(|| Self(Zeroizing::new(key.to_vec())))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// 16 bytes by which a header tells the key: a MAC over the header's fields. `None` if the hash takes no such key.
    pub(crate) fn check(&self, hash: Hash, random: &[u8; 16], fields: &[u8]) -> Option<[u8; 16]> {
        let key = self.bytes();
        let mut check = [0; 16];
        match hash {
            Hash::Blake2b => {
                let params = blake2b::Params::new().hash_length(16).key(key).salt(random).personal(b"header");
                check.copy_from_slice(params.hash(fields).ok()?.as_bytes());
            }
            Hash::Blake2s => {
                let params = blake2s::Params::new().hash_length(16).key(key).salt(&random[..8]).personal(b"header");
                check.copy_from_slice(params.hash(fields).ok()?.as_bytes());
            }
            Hash::Sha256 => check.copy_from_slice(&HmacKey::new(key).hash(fields).as_bytes()[..16]),
        }
        Some(check)
    }

    /// The two hashers of HMAC-SHA-256, each with its block of the key: for the message, and for the digest of it.
    pub(crate) fn hmac(&self) -> (sha256::Hasher, sha256::Hasher) {
        let mut block = Zeroizing::new([0; 64]);
        if self.0.len() > block.len() {
            block[..32].copy_from_slice(sha256::hash(&self.0).as_bytes());
        } else {
            block[..self.0.len()].copy_from_slice(&self.0);
        }
        let padded = |pad: u8| {
            let block = Zeroizing::new(block.map(|byte| byte ^ pad));
            let mut hasher = sha256::Hasher::new();
            hasher.update(block.as_slice());
            hasher
        };
        (padded(0x36), padded(0x5c))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

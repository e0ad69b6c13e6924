//! The kind of a digest: algorithm, tree or not, length and key; and the library's parameters of BLAKE2 for each kind.

use core::ops::RangeInclusive;

use clap::ValueEnum;
use simd_digest::blake2::{Flavour, Hash, Hasher, Parallel, Params, Tree};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::FlavourS;
use simd_digest::sha2::{Variant, Variant224, Variant256};

const IN_RANGE: &str = "all lengths were found in range";

/// A digest of any algorithm. The type of BLAKE2b's digests holds all lengths from 1 to 64 bytes.
pub(crate) type Digest = blake2b::Hash;

/// The digest with the bytes of `hash`.
pub(crate) fn digest(hash: impl AsRef<[u8]>) -> Digest {
    Digest::from_bytes(hash.as_ref()).expect("every digest has 1 to 64 bytes")
}

/// The hash functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    Blake2b,
    Blake2s,
    Blake2bp,
    Blake2sp,
    Sha256,
    Sha224,
}

impl Algorithm {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The name in lines.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Blake2b => "BLAKE2b",
            Self::Blake2s => "BLAKE2s",
            Self::Blake2bp => "BLAKE2bp",
            Self::Blake2sp => "BLAKE2sp",
            Self::Sha256 => "SHA256",
            Self::Sha224 => "SHA224",
        }
    }

    /// Whether the algorithm is of SHA-2, which has no key.
    pub(crate) fn is_sha2(self) -> bool {
        matches!(self, Self::Sha256 | Self::Sha224)
    }

    /// Whether s3git defines trees of the algorithm.
    pub(crate) fn makes_trees(self) -> bool {
        matches!(self, Self::Blake2b | Self::Blake2s)
    }

    /// The lengths of digests in bytes.
    pub(crate) fn lengths(self) -> RangeInclusive<usize> {
        match self {
            Self::Blake2b | Self::Blake2bp => 1..=FlavourB::LONGEST,
            Self::Blake2s | Self::Blake2sp => 1..=FlavourS::LONGEST,
            Self::Sha256 => Variant256::LENGTH..=Variant256::LENGTH,
            Self::Sha224 => Variant224::LENGTH..=Variant224::LENGTH,
        }
    }

    /// The length of the longest digest in bytes. The longest key of BLAKE2 has as many.
    pub(crate) fn longest(self) -> usize {
        *self.lengths().end()
    }
}

/// The kind of a digest, as far as a line of a check file may state it: all but the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub(crate) algorithm: Algorithm,
    /// The length of all digests in bytes, which the algorithm has. Leaves and root have the same length.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
}

/// The way from a message to a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A tree: a root over leaves of `chunk` bytes each, which is not 0.
    Tree { chunk: u32 },
    /// The algorithm over the message as a whole, as coreutils compute it.
    Sequential,
}

impl Shape {
    pub(crate) fn is_tree(self) -> bool {
        matches!(self, Self::Tree { .. })
    }
}

/// The key of every digest of a run, empty for none. The key is wiped when dropped, and has no `Debug`.
#[derive(Default)]
pub(crate) struct Secret {
    key: zeroize::Zeroizing<Vec<u8>>,
}

impl Secret {
    /// Wraps a key, which must be no longer than the flavour takes.
    pub(crate) fn new(key: zeroize::Zeroizing<Vec<u8>>) -> Self {
        Self { key }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// Makes sure that a hash without a key is given none. The command line has refused it before.
    pub(crate) fn refuse(&self) {
        assert!(self.is_empty(), "the hash takes no key");
    }
}

impl Scheme {
    /// The parameters of a message hashed as a whole, or those that all nodes of a tree share.
    fn params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        let params = Params::new().hash_length(self.size).key(&secret.key);
        match self.shape {
            Shape::Sequential => params,
            Shape::Tree { chunk } => {
                params.fanout(0).max_depth(2).max_leaf_length(chunk).inner_hash_length(self.size).last_node(true)
            }
        }
    }

    /// Hashes a message as a whole.
    pub(crate) fn hasher<F: Flavour>(self, secret: &Secret) -> Hasher<F> {
        self.params(secret).hasher().expect(IN_RANGE)
    }

    /// The same as BLAKE2bp or BLAKE2sp.
    pub(crate) fn parallel<F: Flavour>(self, secret: &Secret) -> Parallel<F> {
        self.params(secret).parallel().expect(IN_RANGE)
    }

    /// The parameters of the root, which hashes the digests of the leaves.
    fn root_params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret).node_depth(1)
    }

    /// The tree, if the shape is one.
    pub(crate) fn tree<F: Flavour>(self, secret: &Secret) -> Option<Tree<F>> {
        self.shape.is_tree().then(|| self.params(secret).tree().expect(IN_RANGE))
    }

    /// Hashes messages side by side. With a tree, each message has at most one leaf.
    pub(crate) fn hash_many<F: Flavour>(self, secret: &Secret, messages: &[&[u8]]) -> Vec<Hash<F>> {
        let hashes: Vec<Hash<F>> = self.params(secret).hash_many(messages).expect(IN_RANGE);
        match self.shape {
            Shape::Sequential => hashes,
            Shape::Tree { .. } => self.root_params(secret).hash_many(&hashes).expect(IN_RANGE),
        }
    }

    /// The digest of a root without leaves, which the Go tool prints for an empty input.
    pub(crate) fn no_leaf<F: Flavour>(self, secret: &Secret) -> Hash<F> {
        self.root_params(secret).hash(b"").expect(IN_RANGE)
    }
}

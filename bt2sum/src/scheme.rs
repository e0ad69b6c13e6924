//! What a digest is: its hash, tree or sequential, its length and its key.

use simd_digest::blake2::{Family, Hash, Params, Tree};
use simd_digest::blake2b::B;
use simd_digest::blake2s::S;

const IN_RANGE: &str = "all lengths were found in range";

/// A hash for all nodes of a tree, or for all of a message.
pub(crate) trait Flavour: Family {
    /// As lines have it.
    const HASH_NAME: &'static str;
    /// Bytes of the longest digest, and of the longest key.
    const LONGEST: usize;
    /// In files of leaves.
    const CODE: u8;
    /// Messages side by side for each of the 64-bit lanes that the backend tells of.
    const PER_LANE: usize;
}

impl Flavour for B {
    const HASH_NAME: &'static str = "BLAKE2b";
    const LONGEST: usize = 64;
    const CODE: u8 = 1;
    const PER_LANE: usize = 1;
}

impl Flavour for S {
    const HASH_NAME: &'static str = "BLAKE2s";
    const LONGEST: usize = 32;
    const CODE: u8 = 2;
    const PER_LANE: usize = 2;
}

/// Everything about a digest that the line of a check file may say, but for the flavour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// Bytes of all digests: 1 to the longest of the flavour.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A root over leaves of this many bytes, not 0.
    Tree { chunk: u32 },
    /// Plain BLAKE2b or BLAKE2s, as `b2sum` has it.
    Sequential,
    /// BLAKE2bp or BLAKE2sp.
    Parallel,
}

impl Shape {
    pub(crate) fn is_tree(self) -> bool {
        matches!(self, Self::Tree { .. })
    }

    /// The hash as lines have it.
    pub(crate) fn name<F: Flavour>(self) -> String {
        let suffix = if self == Self::Parallel { "p" } else { "" };
        format!("{}{suffix}", F::HASH_NAME)
    }
}

/// What applies to every digest of a run.
#[derive(Default)]
pub(crate) struct Secret {
    key: zeroize::Zeroizing<Vec<u8>>,
}

impl Secret {
    /// At most as many bytes as the flavour takes.
    pub(crate) fn new(key: zeroize::Zeroizing<Vec<u8>>) -> Self {
        Self { key }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key.is_empty()
    }
}

impl Scheme {
    /// The parameters of a message hashed as a whole, or of the nodes of the tree.
    fn params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        let params = Params::new().hash_length(self.size).key(&secret.key);
        match self.shape {
            Shape::Sequential | Shape::Parallel => params,
            Shape::Tree { chunk } => {
                params.fanout(0).max_depth(2).max_leaf_length(chunk).inner_hash_length(self.size).last_node(true)
            }
        }
    }

    /// Of a message of at most one leaf: that leaf, or all of a message that is no tree.
    pub(crate) fn only_leaf<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret)
    }

    /// Over the digests of the leaves.
    fn root_params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret).node_depth(1)
    }

    /// The tree, if it is one.
    pub(crate) fn tree<F: Flavour>(self, secret: &Secret) -> Option<Tree<F>> {
        self.shape.is_tree().then(|| self.params(secret).tree().expect(IN_RANGE))
    }

    /// The digests of messages of at most one leaf each, side by side.
    pub(crate) fn hash_small<F: Flavour>(self, secret: &Secret, messages: &[impl AsRef<[u8]>]) -> Vec<Hash<F>> {
        let params = self.only_leaf(secret);
        match self.shape {
            Shape::Sequential => params.hash_many(messages).expect(IN_RANGE),
            Shape::Tree { .. } => {
                let leaves: Vec<Hash<F>> = params.hash_many(messages).expect(IN_RANGE);
                self.root_params(secret).hash_many(&leaves).expect(IN_RANGE)
            }
            Shape::Parallel => {
                let hasher = params.parallel().expect(IN_RANGE);
                messages.iter().map(|message| hasher.clone().update(message.as_ref()).finalize()).collect()
            }
        }
    }

    /// The root over no leaf at all: what the Go tool prints for an empty input.
    pub(crate) fn no_leaf<F: Flavour>(self, secret: &Secret) -> Hash<F> {
        self.root_params(secret).hash(b"").expect(IN_RANGE)
    }
}

//! The kind of a digest: hash function, tree or not, length and key; and the library's parameters for each kind.

use simd_digest::blake2::{Flavour, Hash, Params, Tree};

const IN_RANGE: &str = "all lengths were found in range";

/// The kind of a digest, as far as a line of a check file may state it: all but flavour and key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// The length of all digests in bytes: 1 to the longest of the flavour. Leaves and root have the same length.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
}

/// The way from a message to a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A tree: a root over leaves of `chunk` bytes each, which is not 0.
    Tree { chunk: u32 },
    /// Plain BLAKE2b or BLAKE2s, as `b2sum` computes it.
    Sequential,
    /// BLAKE2bp or BLAKE2sp.
    Parallel,
}

impl Shape {
    pub(crate) fn is_tree(self) -> bool {
        matches!(self, Self::Tree { .. })
    }

    /// The name of the hash function in lines.
    pub(crate) fn name<F: Flavour>(self) -> String {
        let suffix = if self == Self::Parallel { "p" } else { "" };
        format!("{}{suffix}", F::TITLE)
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
}

impl Scheme {
    /// The parameters of a message hashed as a whole, or those that all nodes of a tree share.
    fn params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        let params = Params::new().hash_length(self.size).key(&secret.key);
        match self.shape {
            Shape::Sequential | Shape::Parallel => params,
            Shape::Tree { chunk } => {
                params.fanout(0).max_depth(2).max_leaf_length(chunk).inner_hash_length(self.size).last_node(true)
            }
        }
    }

    /// The parameters of the only leaf of a short message, or of a whole message if the shape is no tree.
    pub(crate) fn only_leaf<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret)
    }

    /// The parameters of the root, which hashes the digests of the leaves.
    fn root_params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret).node_depth(1)
    }

    /// The tree, if the shape is one.
    pub(crate) fn tree<F: Flavour>(self, secret: &Secret) -> Option<Tree<F>> {
        self.shape.is_tree().then(|| self.params(secret).tree().expect(IN_RANGE))
    }

    /// Hashes short messages side by side. With a tree, each message has at most one leaf.
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

    /// The digest of a root without leaves, which the Go tool prints for an empty input.
    pub(crate) fn no_leaf<F: Flavour>(self, secret: &Secret) -> Hash<F> {
        self.root_params(secret).hash(b"").expect(IN_RANGE)
    }
}

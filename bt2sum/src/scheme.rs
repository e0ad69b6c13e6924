//! What a digest is: tree or sequential, its length and its key.

use simd_digest::blake2b::{Hash, Params, Tree};

/// Everything about a digest that the line of a check file may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// Bytes of all digests, 1 to 64.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A root over leaves of this many bytes, not 0.
    Tree { chunk: u32 },
    /// Plain BLAKE2b, as `b2sum` has it.
    Sequential,
}

/// What applies to every digest of a run.
#[derive(Default)]
pub(crate) struct Secret {
    key: zeroize::Zeroizing<Vec<u8>>,
}

impl Secret {
    /// At most 64 bytes.
    pub(crate) fn new(key: zeroize::Zeroizing<Vec<u8>>) -> Self {
        Self { key }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key.is_empty()
    }
}

impl Scheme {
    /// The parameters of sequential hashing, or of the nodes of the tree.
    fn params(self, secret: &Secret) -> Params {
        let params = Params::new().hash_length(self.size).key(&secret.key);
        match self.shape {
            Shape::Sequential => params,
            Shape::Tree { chunk } => {
                params.fanout(0).max_depth(2).max_leaf_length(chunk).inner_hash_length(self.size).last_node(true)
            }
        }
    }

    /// Of a message of at most one leaf: that leaf, or all of a sequential message.
    pub(crate) fn only_leaf(self, secret: &Secret) -> Params {
        self.params(secret)
    }

    /// Over the digests of the leaves.
    pub(crate) fn root(self, secret: &Secret) -> Params {
        self.params(secret).node_depth(1)
    }

    /// The tree, if it is one.
    pub(crate) fn tree(self, secret: &Secret) -> Option<Tree> {
        let Shape::Tree { .. } = self.shape else { return None };
        Some(self.params(secret).tree().expect("all lengths were found in range"))
    }

    /// The digests of messages of at most one leaf each, side by side.
    pub(crate) fn hash_small(self, secret: &Secret, messages: &[impl AsRef<[u8]>]) -> Vec<Hash> {
        const IN_RANGE: &str = "all lengths were found in range";
        let leaves = self.only_leaf(secret).hash_many(messages).expect(IN_RANGE);
        match self.shape {
            Shape::Sequential => leaves,
            Shape::Tree { .. } => self.root(secret).hash_many(&leaves).expect(IN_RANGE),
        }
    }

    /// The root over no leaf at all: what the Go tool prints for an empty input.
    pub(crate) fn no_leaf(self, secret: &Secret) -> Hash {
        self.root(secret).hash(b"").expect("all lengths were found in range")
    }
}

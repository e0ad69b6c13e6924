//! A message as leaves of one length, and the way from these to its digest: trees of BLAKE2, and the tree that BLAKE3 is.
//!
//! ```text
//!   BLAKE2   a root over the digests of all leaves; a leaf has its number, and the last one a mark
//!   BLAKE3   parents of two up to the root; a leaf is a subtree of 2^n chunks, and has its chaining value (the
//!            paper, section 2), which is that of its place in the message
//! ```
//!
//! Bytes of leaves, one after the other, are all that other modules see: they compare, store and merge them for any hash.

use std::io;

use simd_digest::Backend;
use simd_digest::blake2::{self, Flavour, Hash, Hasher, Part};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::blake3::Mode;
use simd_digest::blake3::hazmat::{
    ChainingValue, merge_subtrees_non_root, merge_subtrees_root, merge_subtrees_root_xof,
};

use crate::scheme::{Algorithm, Digest, Scheme, Secret, Span, digest};

/// A tree over a message. All leaves have one length, except that the last may be shorter; an empty message has one leaf.
pub(crate) trait Tree: Send + Sync {
    /// The length of a leaf, in bytes.
    fn leaf_length(&self) -> u32;

    /// The length of the value of a leaf, in bytes.
    fn size(&self) -> usize;

    /// The number of leaves that are hashed side by side.
    fn lanes(&self) -> usize;

    /// The digests of messages of at most one leaf each, which are hashed side by side.
    fn of_only_leaves(&self, messages: &[&[u8]]) -> Vec<Digest>;

    /// The values of the leaves in `bytes`, which are numbered from `first`. Only the last leaf of a message of several
    /// leaves may be shorter.
    fn leaves(&self, first: u64, bytes: &[u8], part: Part) -> io::Result<Vec<u8>>;

    /// The values of all leaves of each message.
    fn leaves_of_each(&self, messages: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        messages.iter().map(|message| self.leaves(0, message, Part::Last)).collect()
    }

    /// The digest of the message whose leaves have these values.
    fn root(&self, leaves: &[u8]) -> io::Result<Digest>;

    /// The number of leaves of a message of `length` bytes.
    fn leaf_count(&self, length: u64) -> u64 {
        length.div_ceil(self.leaf_length().into()).max(1)
    }
}

/// The tree of a scheme, unless it has none.
pub(crate) fn tree(scheme: Scheme, secret: &Secret) -> Option<Box<dyn Tree + '_>> {
    match scheme.algorithm {
        Algorithm::Blake2b => Some(Box::new(Blake2::<FlavourB>::new(scheme, secret)?)),
        Algorithm::Blake2s => Some(Box::new(Blake2::<FlavourS>::new(scheme, secret)?)),
        _ => None,
    }
}

/// A tree of BLAKE2b or BLAKE2s.
struct Blake2<'a, F: Flavour> {
    scheme: Scheme,
    secret: &'a Secret,
    tree: blake2::Tree<F>,
}

impl<'a, F: Flavour> Blake2<'a, F> {
    fn new(scheme: Scheme, secret: &'a Secret) -> Option<Self> {
        Some(Self { scheme, secret, tree: scheme.tree(secret)? })
    }
}

impl<F: Flavour> Tree for Blake2<'_, F> {
    fn leaf_length(&self) -> u32 {
        self.tree.leaf_length()
    }

    fn size(&self) -> usize {
        self.scheme.size
    }

    fn lanes(&self) -> usize {
        blake2::lanes::<F>(Backend::best())
    }

    fn of_only_leaves(&self, messages: &[&[u8]]) -> Vec<Digest> {
        self.scheme.hash_many::<F>(self.secret, messages).iter().map(digest).collect()
    }

    fn leaves(&self, first: u64, bytes: &[u8], part: Part) -> io::Result<Vec<u8>> {
        Ok(side_by_side(&self.tree.hash_run(first, bytes, part).map_err(io::Error::other)?))
    }

    /// The leaves of all messages are hashed side by side.
    fn leaves_of_each(&self, messages: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        let chunk = self.leaf_length() as usize;
        let (mut hashers, mut leaves) = (Vec::new(), Vec::new());
        for message in messages {
            let count = message.len().div_ceil(chunk);
            for (i, leaf) in message.chunks(chunk).enumerate() {
                hashers.push(self.tree.leaf(i as u64, Part::last_if(i + 1 == count)).map_err(io::Error::other)?);
                leaves.push(leaf);
            }
        }
        blake2::update_many(&mut hashers.iter_mut().zip(leaves).collect::<Vec<_>>());
        let hashes: Vec<Hash<F>> = hashers.iter().map(Hasher::finalize).collect();
        let mut rest = &hashes[..];
        let own = messages.iter().map(|message| {
            let (own, others) = rest.split_at(message.len().div_ceil(chunk));
            rest = others;
            side_by_side(own)
        });
        Ok(own.collect())
    }

    fn root(&self, leaves: &[u8]) -> io::Result<Digest> {
        let hashes = leaves.chunks(self.scheme.size).map(|leaf| Hash::from_bytes(leaf).map_err(io::Error::other));
        let hashes: Vec<Hash<F>> = hashes.collect::<io::Result<_>>()?;
        Ok(digest(self.tree.root_from_leaves(hashes).map_err(io::Error::other)?))
    }
}

/// The bytes of these digests.
fn side_by_side<F: Flavour>(hashes: &[Hash<F>]) -> Vec<u8> {
    hashes.iter().flat_map(Hash::as_bytes).copied().collect()
}

/// Subtrees of BLAKE3 side by side that are not merged yet, each larger than the next one except the last two.
#[derive(Default)]
pub(crate) struct Stack {
    values: Vec<ChainingValue>,
    /// The number of subtrees pushed.
    count: u64,
}

impl Stack {
    /// Appends a subtree, and first merges those before it of which it tells that they are not the root. All subtrees have
    /// one length, which is a power of two, except that the last may be shorter.
    pub(crate) fn push(&mut self, value: ChainingValue, mode: &Mode) {
        // Whole subtrees are merged as a binary counter carries: a bit of the count stands for each that is left.
        while self.values.len() > self.count.count_ones() as usize
            && let [.., left, right] = self.values[..]
        {
            self.values.truncate(self.values.len() - 2);
            self.values.push(merge_subtrees_non_root(&left, &right, mode));
        }
        self.values.push(value);
        self.count += 1;
    }

    /// The digest over all subtrees, of which there are at least two.
    pub(crate) fn root(mut self, mode: &Mode, span: Span) -> Option<Digest> {
        let mut right = self.values.pop()?;
        let first = (!self.values.is_empty()).then(|| self.values.remove(0))?;
        while let Some(left) = self.values.pop() {
            right = merge_subtrees_non_root(&left, &right, mode);
        }
        Some(match span.within_hash() {
            Some(size) => digest(&merge_subtrees_root(&first, &right, mode).as_bytes()[..size]),
            None => span.read(merge_subtrees_root_xof(&first, &right, mode)),
        })
    }
}

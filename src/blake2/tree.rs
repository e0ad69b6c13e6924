//! Trees (BLAKE2 paper, section 2.10): leaves hashed side by side, nodes folded as they complete.
//!
//! ```text
//!   depth 2                 root              last of its depth, as are all nodes on the right edge
//!                       ┌────┴────┐
//!   depth 1           node 0    node 1        over the digests of up to fanout children
//!                    ┌──┴──┐    ┌──┴──┐
//!   depth 0        leaf 0 leaf 1 leaf 2 …     each over leaf length bytes of the message, the last over the rest
//! ```

use alloc::vec::Vec;
use core::{fmt, mem};

pub use self::hasher::TreeHasher;
use self::nodes::Nodes;
use super::flavour::Flavour;
use super::hasher::{Hasher, one_shot};
use super::node::Node;
use super::params::{Params, ParamsError, check};
use crate::backend::Backend;
use crate::hash::Hash;
use crate::kernel::Block;
use crate::many::{Message, schedule};

mod hasher;
mod nodes;

/// A way to hash messages as trees: what every node has in common.
///
/// The root lies over at least one leaf, even if the message is empty, so it never has depth 0. Unlimited fanout means
/// depth 2: the root lies over all leaves. A tree of limited fanout grows to its maximal depth, where the root takes all
/// nodes that there are below it. Leaves and nodes have the inner length as their digest length, the root has the hash
/// length. Key, salt and personalisation are those of every node.
///
/// ```
/// use simd_digest::blake2b::{Params, Tree};
///
/// // The tree of bt2sum, with leaves of 4 KiB, and one of fanout 2.
/// let tree = Tree::unlimited_fanout(4096)?;
/// let binary = Params::new().fanout(2).max_depth(255).max_leaf_length(4096).inner_hash_length(64).tree()?;
///
/// let message = [7; 10_000];
/// assert_ne!(tree.hash(&message), binary.hash(&message));
///
/// // The pieces, which other machines may hash.
/// let leaves = message.chunks(4096).enumerate().map(|(i, bytes)| {
///     let mut leaf = tree.leaf(i as u64, i == 2);
///     leaf.update(bytes);
///     leaf.finalize()
/// });
/// assert_eq!(tree.root_from_leaves(leaves)?, tree.hash(&message));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Tree<F: Flavour> {
    /// Leaf 0, not the last.
    node: Node<F>,
    hash_length: u8,
    fanout: usize,
    /// The depth at which a node is the root, however many children it has.
    root_depth: u8,
    leaf_length: u32,
    backend: Backend,
}

impl<F: Flavour> Params<F> {
    /// The tree with these lengths, fanout and maximal depth. The fields of a single node are set by the tree.
    ///
    /// # Errors
    ///
    /// If a field is out of its range, which for trees is: fanout 0 or 2 to 255, maximal depth 2 to 255, leaf length
    /// and inner length at least 1.
    pub fn tree(&self) -> Result<Tree<F>, ParamsError> {
        let block = self.node()?.parameter_block;
        let [hash_length, _, fanout, max_depth, ..] = *block.bytes() else { unreachable!("it is longer") };
        if fanout != 0 {
            check("fanout", fanout.into(), 2..=255)?;
        }
        check("max_depth", max_depth.into(), 2..=255)?;
        let (leaf_length, inner_hash_length) = self.tree_lengths();
        check("max_leaf_length", leaf_length as usize, 1..=u32::MAX as usize)?;
        check("inner_hash_length", inner_hash_length, 1..=F::LONGEST)?;
        let leaf = self.clone().hash_length(inner_hash_length).node_depth(0).node_offset(0).last_node(false);
        Ok(Tree {
            node: leaf.node()?,
            hash_length,
            fanout: fanout.into(),
            root_depth: if fanout == 0 { 1 } else { max_depth - 1 },
            leaf_length,
            backend: self.backend(),
        })
    }
}

impl<F: Flavour> Tree<F> {
    /// The tree of `bt2sum`: unlimited fanout, depth 2, all digests of full length.
    ///
    /// # Errors
    ///
    /// If `leaf_length` is 0.
    pub fn unlimited_fanout(leaf_length: u32) -> Result<Self, ParamsError> {
        let params = Params::new().fanout(0).max_depth(2).max_leaf_length(leaf_length);
        params.inner_hash_length(F::LONGEST).tree()
    }

    /// Message bytes of every leaf but the last.
    #[must_use]
    pub fn leaf_length(&self) -> u32 {
        self.leaf_length
    }

    /// Leaves of a message of `length` bytes.
    #[must_use]
    pub fn leaf_count(&self, length: u64) -> u64 {
        length.div_ceil(self.leaf_length.into()).max(1)
    }

    /// A hasher for the message that comes piece by piece.
    #[must_use]
    pub fn hasher(&self) -> TreeHasher<F> {
        TreeHasher::after(self, Nodes::new(self), 0)
    }

    /// The root over `message`.
    #[must_use]
    pub fn hash(&self, message: &[u8]) -> Hash<F> {
        self.hasher().finalize_over(message).0
    }

    /// The hasher of leaf `index`, which is to be given its part of the message. A leaf's digest depends on its place,
    /// and on whether it is the last.
    #[must_use]
    pub fn leaf(&self, index: u64, is_last: bool) -> Hasher<F> {
        Hasher::of(self.node(0, index, is_last), self.backend)
    }

    /// Whether leaf `index` with these bytes has this digest: finds which part of a message is damaged.
    #[must_use]
    pub fn verify_leaf(&self, index: u64, is_last: bool, bytes: &[u8], digest: &Hash<F>) -> bool {
        one_shot(&self.node(0, index, is_last), self.backend, bytes) == *digest
    }

    /// The digests of consecutive leaves, hashed side by side: of leaf `first`, the first of `bytes`, and those after it.
    ///
    /// For those who share a message out themselves; the numbers of leaves wrap around after 2^64 of them. With
    /// `has_last`, the message ends with `bytes`, and so the last leaf may be shorter. Without, what follows the last
    /// whole leaf is left out.
    ///
    /// ```
    /// use simd_digest::blake2b::Tree;
    ///
    /// let tree = Tree::unlimited_fanout(1000)?;
    /// let (head, tail) = ([1; 2000], [2; 1500]);
    /// let leaves = [tree.hash_run(0, &head, false), tree.hash_run(2, &tail, true)].concat();
    /// assert_eq!(tree.root_from_leaves(leaves)?, tree.hasher().update(&head).update(&tail).finalize());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hash_run(&self, first: u64, bytes: &[u8], has_last: bool) -> Vec<Hash<F>> {
        let length = self.leaf_bytes();
        let count = if has_last { bytes.len().div_ceil(length).max(1) } else { bytes.len() / length };
        let mut digests = alloc::vec![Hash::placeholder(); count];
        let leaves = Leaves { length, buffered: &[], direct: bytes };
        self.hash_leaves(first, |i| leaves.get(i), has_last, &mut digests);
        digests
    }

    /// The root over the digests of all leaves, in order.
    ///
    /// # Errors
    ///
    /// If there are none, or one has another length than the tree's inner digests.
    pub fn root_from_leaves(&self, leaves: impl IntoIterator<Item = Hash<F>>) -> Result<Hash<F>, LeavesError> {
        let mut nodes = Nodes::new(self);
        let mut count = 0_u64;
        for leaf in leaves {
            if leaf.as_bytes().len() != self.node.hash_length() {
                return Err(LeavesError::Length);
            }
            nodes.push(self, 1, leaf);
            count += 1;
        }
        if count == 0 { Err(LeavesError::None) } else { Ok(nodes.root(self)) }
    }

    /// A leaf or an inner node.
    fn node(&self, depth: u8, offset: u64, is_last: bool) -> Node<F> {
        let mut node = self.node.clone();
        node.set_node(depth, offset, is_last);
        node
    }

    /// The root, if that is its depth.
    fn root(&self, depth: u8) -> Node<F> {
        let mut root = self.node(depth, 0, true);
        root.parameter_block.bytes_mut()[0] = self.hash_length;
        root
    }

    #[expect(clippy::cast_possible_truncation, reason = "no slice is longer than a usize can tell")]
    fn leaf_bytes(&self) -> usize {
        (u64::from(self.leaf_length)).min(isize::MAX as u64) as usize
    }

    /// The digests of leaves `offset` and on, whose bytes are given by `leaf`. With `has_last`, the message ends here.
    fn hash_leaves<'a>(&self, offset: u64, leaf: impl Fn(usize) -> &'a [u8], has_last: bool, digests: &mut [Hash<F>]) {
        let key_block = self.node.key_block();
        let mut node = self.node.clone();
        let count = digests.len();
        let messages = (0..count).map(|i| {
            node.set_node(0, offset.wrapping_add(i as u64), has_last && i + 1 == count);
            Message::ending(i, node.chain(), key_block.as_slice(), leaf(i), node.last)
        });
        let length = self.node.hash_length();
        schedule::<F, _>(self.backend, messages, |i, chain| digests[i] = Hash::new(chain.to_bytes(), length));
    }
}

/// Tells the length of the leaves only, for there may be a key.
impl<F: Flavour> fmt::Debug for Tree<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("leaf_length", &self.leaf_length).finish_non_exhaustive()
    }
}

/// Whole leaves in one piece of memory, and more in another, of which the last may be shorter.
#[derive(Clone, Copy)]
struct Leaves<'a> {
    length: usize,
    buffered: &'a [u8],
    direct: &'a [u8],
}

impl<'a> Leaves<'a> {
    fn count(&self) -> usize {
        (self.buffered.len() + self.direct.len()).div_ceil(self.length)
    }

    fn get(&self, i: usize) -> &'a [u8] {
        let begin = i * self.length;
        let bytes = match begin.checked_sub(self.buffered.len()) {
            None => &self.buffered[begin..],
            Some(begin) => &self.direct[begin..],
        };
        &bytes[..self.length.min(bytes.len())]
    }
}

/// Why digests of leaves have no root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeavesError {
    /// There are none; even an empty message has a leaf.
    None,
    /// A digest has another length than the tree's inner digests.
    Length,
}

impl fmt::Display for LeavesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "a tree has at least one leaf",
            Self::Length => "a digest of a leaf has another length than the tree's inner digests",
        })
    }
}

impl core::error::Error for LeavesError {}

/// Appends what may be secret to `buffer`, which grows to `most` bytes at most.
fn append(buffer: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let length = buffer.len() + bytes.len();
    if length > buffer.capacity() {
        let room = buffer.capacity().saturating_mul(2).clamp(length, most.max(length));
        if cfg!(feature = "zeroize") {
            // What growing in place might move would stay behind.
            let mut larger = Vec::with_capacity(room);
            larger.extend_from_slice(buffer);
            wipe(&mut mem::replace(buffer, larger));
        } else {
            buffer.reserve_exact(room - buffer.len());
        }
    }
    buffer.extend_from_slice(bytes);
}

/// Overwrites a part of the message, or digests of it, with zeros, and what was there before them: with feature `zeroize`
/// only.
fn wipe(bytes: &mut Vec<u8>) {
    #[cfg(feature = "zeroize")]
    zeroize::Zeroize::zeroize(bytes);
    #[cfg(not(feature = "zeroize"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::backend::Backend;
    use crate::blake2b::Params;

    #[test]
    fn runs_are_leaves_one_by_one() {
        let message: Vec<u8> = (0..=250).cycle().take(2100).collect();
        for backend in Backend::available() {
            let params = Params::new().key(b"key").fanout(0).max_depth(2).inner_hash_length(40).with_backend(backend);
            for (leaf_length, length) in [(1, 33), (127, 2100), (128, 2048), (129, 1), (300, 0), (700, 2100)] {
                let (tree, bytes) = (params.clone().max_leaf_length(leaf_length).tree().unwrap(), &message[..length]);
                let run = tree.hash_run(7, bytes, true);
                assert_eq!(run.len() as u64, tree.leaf_count(length as u64));
                for (i, digest) in run.iter().enumerate() {
                    let begin = i * leaf_length as usize;
                    let leaf = &bytes[begin..length.min(begin + leaf_length as usize)];
                    assert!(tree.verify_leaf(7 + i as u64, i + 1 == run.len(), leaf, digest), "{leaf_length}, {i}");
                }
                let open = tree.hash_run(7, bytes, false);
                assert_eq!(open.len(), length / leaf_length as usize);
                assert!(open.iter().zip(&run).take(run.len() - 1).all(|(a, b)| a == b));
            }
        }
    }
}

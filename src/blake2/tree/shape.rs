//! The shape of a tree: its lengths, fanout and depth, and the nodes that it has.

use core::fmt;

use crate::backend::Backend;
use crate::blake2::flavour::Flavour;
use crate::blake2::node::Node;
use crate::blake2::params::{Params, ParamsError, check};
use crate::kernel::Block;

/// A way to hash messages as trees: the parameters that all nodes have in common.
///
/// The root lies over at least one leaf, even of an empty message. Unlimited fanout means
/// depth 2: the root lies over all leaves. A tree of limited fanout grows to its maximal depth, where the root takes all
/// nodes that there are below it. Leaves and nodes have the inner length as their digest length, the root has the hash
/// length. Key, salt and personalisation are those of every node.
///
/// BLAKE2s numbers the nodes of a level, and so the leaves, with 48 bits: [`Flavour::MAX_NODE_OFFSET`] is the last. A
/// larger number that a caller gives is an error. More leaves than that, which would take years to hash, are a panic.
///
/// ```
/// use simd_digest::{blake2::{ParamsError, Part}, blake2b::{Params, Tree}};
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
///     let mut leaf = tree.leaf(i as u64, Part::last_if(i == 2))?;
///     Ok(leaf.update(bytes).finalize())
/// });
/// let leaves = leaves.collect::<Result<Vec<_>, ParamsError>>()?;
/// assert_eq!(tree.root_from_leaves(leaves)?, tree.hash(&message));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Tree<F: Flavour> {
    /// Leaf 0, not the last.
    pub(super) node: Node<F>,
    pub(super) hash_length: u8,
    pub(super) fanout: usize,
    /// The depth at which a node is the root, however many children it has.
    pub(super) root_depth: u8,
    pub(super) leaf_length: u32,
    pub(super) backend: Backend,
}

/// More leaves or nodes than BLAKE2 can number.
pub(super) const TOO_MANY: &str = "a level of a tree has more nodes than can be numbered";

/// Moves to another node of the same tree, whose number must be in range: the parameter block would have a part of it.
#[inline]
pub(super) fn set_node<F: Flavour>(node: &mut Node<F>, depth: u8, offset: u64, is_last: bool) {
    assert!(offset <= F::MAX_NODE_OFFSET, "{TOO_MANY}");
    node.set_node(depth, offset, is_last);
}

impl<F: Flavour> Params<F> {
    /// The tree with the lengths, fanout and maximal depth of these parameters. It numbers the nodes itself: `node_depth`,
    /// `node_offset` and `last_node` have no effect.
    ///
    /// # Errors
    ///
    /// If a field is out of its range, which for trees is: fanout 0 (unlimited) or 2 to 255, maximal depth 2 to 255, at
    /// least 1 byte of `max_leaf_length` and of `inner_hash_length`.
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
    /// A tree of leaves of `leaf_length` bytes and their root, all digests of full length, as the program `bt2sum` has it.
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

    /// A leaf or an inner node, whose number must be in range.
    pub(super) fn node(&self, depth: u8, offset: u64, is_last: bool) -> Node<F> {
        let mut node = self.node.clone();
        set_node(&mut node, depth, offset, is_last);
        node
    }

    /// The root, if that is its depth.
    pub(super) fn root(&self, depth: u8) -> Node<F> {
        let mut root = self.node(depth, 0, true);
        root.parameter_block.bytes_mut()[0] = self.hash_length;
        root
    }

    #[expect(clippy::cast_possible_truncation, reason = "no slice is longer than a usize can tell")]
    pub(super) fn leaf_bytes(&self) -> usize {
        (u64::from(self.leaf_length)).min(isize::MAX as u64) as usize
    }
}

/// Tells the length of the leaves only, because there may be a key.
impl<F: Flavour> fmt::Debug for Tree<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("leaf_length", &self.leaf_length).finish_non_exhaustive()
    }
}

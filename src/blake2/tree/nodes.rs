//! The nodes above the leaves, folded as they complete.

use alloc::vec::Vec;
use core::{fmt, mem};

use super::held::append;
#[cfg(feature = "zeroize")]
use super::held::wipe;
use super::shape::{TOO_MANY, Tree};
use crate::blake2::flavour::Flavour;
use crate::blake2::hasher::{Hasher, one_shot};
use crate::hash::Hash;

/// The nodes above the leaves that have children, but are not complete.
#[derive(Clone)]
pub(super) struct Nodes<F: Flavour> {
    /// One node for each depth from 1.
    levels: Vec<Level>,
    /// The root at the maximal depth, if the tree grows to it. Not an `Option`, for the reason that
    /// `Node::key` gives.
    root: Hasher<F>,
}

/// The node of its depth that is not complete.
#[derive(Clone, Default)]
struct Level {
    offset: u64,
    /// The digests of its children, one after the other: at least one, at most as many as the fanout.
    children: Vec<u8>,
}

impl<F: Flavour> Nodes<F> {
    pub(super) fn new(tree: &Tree<F>) -> Self {
        Self { levels: Vec::new(), root: Hasher::of(tree.root(tree.root_depth), tree.backend) }
    }

    /// Adds the digest of the next node at depth `depth - 1`.
    ///
    /// A node with all its children waits for the next sibling: without one it is the last of its depth, or the root.
    pub(super) fn push(&mut self, tree: &Tree<F>, depth: u8, digest: Hash<F>) {
        if depth == tree.root_depth {
            self.root.update(digest.as_bytes());
            return;
        }
        let i = usize::from(depth) - 1;
        if self.levels.len() == i {
            self.levels.push(Level::default());
        }
        let most = tree.fanout * tree.node.hash_length();
        if self.levels[i].children.len() == most {
            let Level { offset, children } = &mut self.levels[i];
            let complete = one_shot(&tree.node(depth, *offset, false), tree.backend, children);
            *offset = offset.checked_add(1).expect(TOO_MANY);
            children.clear();
            self.push(tree, depth + 1, complete);
        }
        append(&mut self.levels[i].children, digest.as_bytes(), most);
    }

    /// The root over all that was pushed, which is the end: closes the last node of every depth, from below.
    pub(super) fn root(&mut self, tree: &Tree<F>) -> Hash<F> {
        let mut depth = 1;
        while let Some(level) = self.levels.get_mut(usize::from(depth) - 1) {
            let Level { offset, ref children } = mem::take(level);
            if offset == 0 {
                return one_shot(&tree.root(depth), tree.backend, children);
            }
            let last = one_shot(&tree.node(depth, offset, true), tree.backend, children);
            depth += 1;
            self.push(tree, depth, last);
        }
        self.root.finalize()
    }
}

impl<F: Flavour> Tree<F> {
    /// The root over the digests of all leaves, in order.
    ///
    /// # Errors
    ///
    /// [`LeavesError`] if there are none, or one has another length than the tree's inner digests.
    pub fn root_from_leaves(&self, leaves: impl IntoIterator<Item = Hash<F>>) -> Result<Hash<F>, LeavesError> {
        let mut nodes = Nodes::new(self);
        let mut any = false;
        for leaf in leaves {
            if leaf.as_bytes().len() != self.node.hash_length() {
                return Err(LeavesError::Length);
            }
            nodes.push(self, 1, leaf);
            any = true;
        }
        if any { Ok(nodes.root(self)) } else { Err(LeavesError::None) }
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Level {
    fn drop(&mut self) {
        wipe(&mut self.children);
    }
}

/// Why digests of leaves have no root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeavesError {
    /// There are no digests, but even an empty message has a leaf.
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

//! The nodes above the leaves, folded as they complete.

use alloc::vec::Vec;
use core::mem;

#[cfg(feature = "zeroize")]
use super::wipe;
use super::{Flavour, Hash, Hasher, Tree, append, one_shot};

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
            *offset += 1;
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

#[cfg(feature = "zeroize")]
impl Drop for Level {
    fn drop(&mut self) {
        wipe(&mut self.children);
    }
}

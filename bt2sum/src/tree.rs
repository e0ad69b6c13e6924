//! The tree of unlimited fanout: a root over the digests of all leaves.
//!
//! ```text
//!            root: depth 1, offset 0, a last node
//!      ┌──────────────┬──────────────┐
//!   leaf 0         leaf 1   …     leaf n: depth 0, offset n, a last node
//! ```

use simd_digest::blake2b::{Hash, Hasher, Params};

/// What all nodes of a tree have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    /// Bytes of every digest, 1 to 64.
    pub(crate) hash_length: usize,
    /// Bytes of every leaf but the last, which has at most as many; not 0.
    pub(crate) leaf_length: u32,
}

impl Tree {
    /// A tree over no bytes yet.
    pub(crate) fn hasher(self) -> TreeHasher {
        let mut root = self.node(1, 0);
        root.set_last_node(true);
        TreeHasher { tree: self, root, leaf: self.node(0, 0), room: self.leaf_length as usize, offset: 0 }
    }

    fn node(self, depth: u8, offset: u64) -> Hasher {
        Params::new()
            .hash_length(self.hash_length)
            .fanout(0)
            .max_depth(2)
            .max_leaf_length(self.leaf_length)
            .inner_hash_length(self.hash_length)
            .node_depth(depth)
            .node_offset(offset)
            .hasher()
            .expect("the length of the digest is in range")
    }
}

/// The tree of a message that comes piece by piece, in any pieces.
///
/// It holds no bytes of the message. A full leaf stays open until more follows, since only the end of the message tells
/// which leaf is the last.
#[derive(Debug)]
pub(crate) struct TreeHasher {
    tree: Tree,
    root: Hasher,
    leaf: Hasher,
    /// Bytes that still fit into `leaf`.
    room: usize,
    /// The number of `leaf`.
    offset: u64,
}

impl TreeHasher {
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.room == 0 {
                self.next_leaf();
            }
            let (here, rest) = bytes.split_at(bytes.len().min(self.room));
            self.leaf.update(here);
            self.room -= here.len();
            bytes = rest;
        }
    }

    /// The root. The leaf at hand is the last, even if it is empty, for there are no empty leaves but the first.
    pub(crate) fn finalize(mut self) -> Hash {
        self.leaf.set_last_node(true);
        self.root.update(self.leaf.finalize().as_bytes());
        self.root.finalize()
    }

    fn next_leaf(&mut self) {
        self.root.update(self.leaf.finalize().as_bytes());
        self.offset += 1;
        self.leaf = self.tree.node(0, self.offset);
        self.room = self.tree.leaf_length as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the definition: all leaves known beforehand.
    fn expected(tree: Tree, message: &[u8]) -> Hash {
        let node = |depth, offset, last, bytes: &[u8]| {
            let mut node = tree.node(depth, offset);
            node.set_last_node(last).update(bytes);
            node.finalize()
        };
        let mut leaves: Vec<&[u8]> = message.chunks(tree.leaf_length as usize).collect();
        if leaves.is_empty() {
            leaves.push(b"");
        }
        let count = leaves.len();
        let digests = (0..).zip(leaves).map(|(i, leaf)| node(0, i as u64, i + 1 == count, leaf));
        let digests: Vec<u8> = digests.flat_map(|digest| digest.as_bytes().to_vec()).collect();
        node(1, 0, true, &digests)
    }

    #[test]
    fn pieces_do_not_matter() {
        let message: Vec<u8> = (0..=250).cycle().take(700).collect();
        for leaf_length in [1, 2, 127, 128, 129, 350, 699, 700, 701, u32::MAX] {
            let tree = Tree { hash_length: 40, leaf_length };
            for length in [0, 1, 2, 127, 128, 129, 256, 350, 699, 700] {
                let message = &message[..length];
                for piece in [1, 2, 127, 128, 129, 350, 700] {
                    let mut hasher = tree.hasher();
                    for bytes in message.chunks(piece) {
                        hasher.update(bytes);
                        hasher.update(b"");
                    }
                    let hash = hasher.finalize();
                    assert_eq!(hash, expected(tree, message), "{length} bytes by {piece}, leaves of {leaf_length}");
                }
            }
        }
    }
}

//! Trees by their definition: every node hashed on its own.

use simd_digest::blake2::{Flavour, Hash, Params};

/// The fields of a tree that its definition has to know, too; `params` is to have them already.
pub(crate) struct Model<F: Flavour> {
    pub(crate) params: Params<F>,
    pub(crate) hash_length: usize,
    /// 0 is unlimited.
    pub(crate) fanout: usize,
    pub(crate) max_depth: u8,
    pub(crate) leaf_length: usize,
    pub(crate) inner_hash_length: usize,
}

impl<F: Flavour> Model<F> {
    pub(crate) fn new(hash_length: usize, fanout: u8, max_depth: u8, leaf_length: u32, inner: usize) -> Self {
        let params = Params::new().hash_length(hash_length).fanout(fanout).max_depth(max_depth);
        Self {
            params: params.max_leaf_length(leaf_length).inner_hash_length(inner),
            hash_length,
            fanout: fanout.into(),
            max_depth,
            leaf_length: usize::try_from(leaf_length).unwrap(),
            inner_hash_length: inner,
        }
    }

    /// The root over `message`, and the digests of the leaves.
    pub(crate) fn root(&self, message: &[u8]) -> (Hash<F>, Vec<Hash<F>>) {
        let leaves = self.nodes(0, message, self.leaf_length);
        let mut below = leaves.clone();
        for depth in 1.. {
            let children: Vec<u8> = below.iter().flat_map(|hash| hash.as_bytes().iter().copied()).collect();
            if self.fanout == 0 || depth + 1 == self.max_depth || below.len() <= self.fanout {
                return (self.node(depth, 0, true, self.hash_length, &children), leaves);
            }
            below = self.nodes(depth, &children, self.fanout * self.inner_hash_length);
        }
        unreachable!("the root is at some depth");
    }

    /// The digests of the nodes at `depth` that hash `length` bytes each.
    fn nodes(&self, depth: u8, bytes: &[u8], length: usize) -> Vec<Hash<F>> {
        let inputs: Vec<&[u8]> = if bytes.is_empty() { vec![bytes] } else { bytes.chunks(length).collect() };
        let hash = |i: usize| self.node(depth, i as u64, i + 1 == inputs.len(), self.inner_hash_length, inputs[i]);
        (0..inputs.len()).map(hash).collect()
    }

    fn node(&self, depth: u8, offset: u64, last: bool, hash_length: usize, bytes: &[u8]) -> Hash<F> {
        let node = self.params.clone().node_depth(depth).node_offset(offset).last_node(last);
        node.hash_length(hash_length).hash(bytes).unwrap()
    }
}

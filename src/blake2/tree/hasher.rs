//! The tree of one message, as it comes: leaves are found, hashed by the batch, and folded into the nodes.

use alloc::vec::Vec;
use core::{fmt, mem};

use super::held::{append, wipe};
use super::leaves::Leaves;
use super::nodes::Nodes;
use super::shape::{TOO_MANY, Tree};
use crate::blake2::flavour::Flavour;
use crate::hash::Hash;

/// Leaves that are hashed before their digests are folded into the nodes: a multiple of all lanes.
const BATCH: usize = 64;

/// The tree of a message that comes piece by piece.
///
/// Give [`update`](Self::update) several leaves at a time, best a multiple of
/// [`lanes`](crate::blake2::lanes): they are hashed side by side from where they lie. Smaller pieces are
/// collected first, in at most as many bytes as that many leaves have.
///
/// ```
/// use simd_digest::blake2b::Tree;
///
/// let tree = Tree::unlimited_fanout(1000)?;
/// let mut hasher = tree.hasher().keep_leaves();
/// hasher.update(&[1; 2500]).update(&[2; 2500]);
/// let (root, leaves) = hasher.finalize_with_leaves();
/// assert_eq!(leaves.len(), 5);
/// assert!(tree.verify_leaf(1, false, &[1; 1000], &leaves[1]));
/// assert_eq!(tree.root_from_leaves(leaves)?, root);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TreeHasher<F: Flavour> {
    tree: Tree<F>,
    /// What is not hashed yet, from the start of a leaf. The last leaf is always here, for it is hashed as such.
    buffer: Vec<u8>,
    nodes: Nodes<F>,
    /// Leaves hashed.
    leaves: u64,
    kept: Vec<Hash<F>>,
    keeps: bool,
}

impl<F: Flavour> Tree<F> {
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
}

impl<F: Flavour> TreeHasher<F> {
    /// Goes on after these nodes, which lie over so many leaves.
    fn after(tree: &Tree<F>, nodes: Nodes<F>, leaves: u64) -> Self {
        Self { tree: tree.clone(), buffer: Vec::new(), nodes, leaves, kept: Vec::new(), keeps: false }
    }

    /// The same hasher, which keeps the digests of its leaves from here on, until they are taken.
    #[must_use]
    pub fn keep_leaves(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// The digests of the leaves, in order, that were hashed since they were taken last.
    ///
    /// None without [`keep_leaves`](Self::keep_leaves). The last leaf comes with
    /// [`finalize_with_leaves`](Self::finalize_with_leaves).
    pub fn take_leaves(&mut self) -> Vec<Hash<F>> {
        mem::take(&mut self.kept)
    }

    /// Bytes of the message so far.
    #[must_use]
    pub fn count(&self) -> u128 {
        u128::from(self.leaves) * u128::from(self.tree.leaf_length) + self.buffer.len() as u128
    }

    /// Appends `bytes` to the message.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.update_by(bytes, Self::hash_leaves)
    }

    /// Appends `bytes` to the message, and hashes its leaves on all cores, on each in lanes.
    ///
    /// It pays off for many leaves at a time: cores times [`lanes`](crate::blake2::lanes), or a multiple.
    #[cfg(feature = "rayon")]
    pub fn update_rayon(&mut self, bytes: &[u8]) -> &mut Self {
        self.update_by(bytes, Self::hash_leaves_rayon)
    }

    /// The root over the message so far, to which more may be appended.
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        Self::after(&self.tree, self.nodes.clone(), self.leaves).finalize_over(&self.buffer).0
    }

    /// The root over the message, and the digests of the leaves that were not taken yet.
    ///
    /// Without [`keep_leaves`](Self::keep_leaves) that is none.
    #[must_use]
    pub fn finalize_with_leaves(mut self) -> (Hash<F>, Vec<Hash<F>>) {
        let mut buffer = mem::take(&mut self.buffer);
        let answer = self.finalize_over(&buffer);
        wipe(&mut buffer);
        answer
    }

    /// The root when `rest`, the end of the message from the start of a leaf, takes the place of the buffer.
    fn finalize_over(&mut self, rest: &[u8]) -> (Hash<F>, Vec<Hash<F>>) {
        let length = self.tree.leaf_bytes();
        self.hash_batches(&Leaves { length, buffered: &[], direct: rest }, true);
        (self.nodes.root(&self.tree), mem::take(&mut self.kept))
    }

    /// Finds the leaves that are whole and not the last, and gives them to `hash_leaves`.
    fn update_by(&mut self, bytes: &[u8], hash_leaves: impl FnOnce(&mut Self, &Leaves<'_>)) -> &mut Self {
        let length = self.tree.leaf_bytes();
        let most = length.saturating_mul(F::lanes(self.tree.backend));
        if !self.buffer.is_empty() && bytes.len() <= most - self.buffer.len() {
            append(&mut self.buffer, bytes, most);
            return self;
        }
        // Something follows the leaf that was begun, else all would have gone into the buffer.
        let begun = self.buffer.len().next_multiple_of(length) - self.buffer.len();
        let (head, bytes) = bytes.split_at(begun.min(bytes.len()));
        append(&mut self.buffer, head, most);
        let (direct, tail) = bytes.split_at(bytes.len().saturating_sub(1) / length * length);
        let mut buffered = mem::take(&mut self.buffer);
        hash_leaves(self, &Leaves { length, buffered: &buffered, direct });
        buffered.clear();
        self.buffer = buffered;
        append(&mut self.buffer, tail, most);
        self
    }

    /// Hashes and folds the next leaves, none of them the last.
    fn hash_leaves(&mut self, leaves: &Leaves<'_>) {
        self.hash_batches(leaves, false);
    }

    /// Hashes and folds the next leaves. With `has_last`, the message ends with them; it has a leaf even if it is empty.
    fn hash_batches(&mut self, leaves: &Leaves<'_>, has_last: bool) {
        let count = leaves.count().max(has_last.into());
        let mut digests = [Hash::placeholder(); BATCH];
        for first in (0..count).step_by(BATCH) {
            let digests = &mut digests[..BATCH.min(count - first)];
            let has_last = has_last && first + digests.len() == count;
            self.tree.hash_leaves(self.leaves, |i| leaves.get(first + i), has_last, digests);
            digests.iter().for_each(|&digest| self.fold(digest));
        }
    }

    /// The same, shared out among the cores.
    #[cfg(feature = "rayon")]
    fn hash_leaves_rayon(&mut self, leaves: &Leaves<'_>) {
        use rayon::prelude::*;

        let count = leaves.count();
        let threads = rayon::current_num_threads();
        let share = count.div_ceil(threads).clamp(1, BATCH);
        let most = count.min(4 * share * threads).max(1);
        let mut digests = alloc::vec![Hash::placeholder(); most];
        for first in (0..count).step_by(most) {
            let digests = &mut digests[..most.min(count - first)];
            let (tree, offset) = (&self.tree, self.leaves);
            digests.par_chunks_mut(share).enumerate().for_each(|(i, digests)| {
                tree.hash_leaves(offset + (i * share) as u64, |j| leaves.get(first + i * share + j), false, digests);
            });
            digests.iter().for_each(|&digest| self.fold(digest));
        }
    }

    /// Takes in the digest of the next leaf.
    fn fold(&mut self, digest: Hash<F>) {
        self.leaves = self.leaves.checked_add(1).expect(TOO_MANY);
        self.nodes.push(&self.tree, 1, digest);
        if self.keeps {
            self.kept.push(digest);
        }
    }
}

/// Tells the count only, for there may be a key.
impl<F: Flavour> fmt::Debug for TreeHasher<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeHasher").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::write_by_update!(impl[F: Flavour] TreeHasher<F>);

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for TreeHasher<F> {
    fn drop(&mut self) {
        wipe(&mut self.buffer);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for TreeHasher<F> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blake2s::FlavourS;

    /// The last three leaves that can be numbered, and so many more.
    fn last_leaves_and(more: usize) -> Vec<Hash<FlavourS>> {
        let mut hasher = Tree::<FlavourS>::unlimited_fanout(4).unwrap().hasher().keep_leaves();
        hasher.leaves = FlavourS::MAX_NODE_OFFSET - 2;
        hasher.update(&[7; 4 * 3]).update(&[7; 4][..4 * more]);
        hasher.finalize_with_leaves().1
    }

    #[test]
    fn leaves_up_to_the_last_number() {
        let tree = Tree::<FlavourS>::unlimited_fanout(4).unwrap();
        let expected = tree.hash_run(FlavourS::MAX_NODE_OFFSET - 2, &[7; 12], true).unwrap();
        assert_eq!(last_leaves_and(0), expected);
    }

    #[test]
    #[should_panic(expected = "more nodes than can be numbered")]
    fn numbers_of_leaves_do_not_wrap() {
        last_leaves_and(1);
    }
}

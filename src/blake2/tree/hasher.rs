//! The tree of one message, as it comes: leaves are found, hashed by the batch, and folded into the nodes.
//!
//! ```text
//!   short leaves   │ collected: whole leaves, and a part │ direct: whole leaves … │ collected for later
//!   long leaves    │ the end of the leaf that was begun  │ direct: whole leaves … │ the start of one more
//!                  └───────────── hashed side by side, from where they lie ─────────────┘
//! ```

use alloc::vec::Vec;
use core::{fmt, mem};

use super::held::append;
#[cfg(feature = "zeroize")]
use super::held::wipe;
use super::leaves::{Leaves, ending};
use super::nodes::Nodes;
use super::shape::{TOO_MANY, Tree, set_node};
use crate::blake2::flavour::Flavour;
use crate::blake2::hasher::Hasher;
use crate::hash::Hash;
use crate::kernel::ChainState;
use crate::kernel::blake2::Last;
use crate::lanes::scheduler::{Message, Start};
use crate::stream::Stream;

/// Leaves that are hashed before their digests are folded into the nodes: a multiple of all lanes.
const BATCH: usize = 64;

/// Bytes of a message that are collected at most.
const BOUND: usize = 1 << 20;

impl<F: Flavour> Tree<F> {
    /// A hasher for the message that comes piece by piece.
    #[must_use]
    pub fn hasher(&self) -> TreeHasher<F> {
        let length = self.leaf_bytes();
        let collected = F::lanes(self.backend).min(BOUND / length);
        TreeHasher {
            tree: self.clone(),
            // One leaf would be in one lane.
            most: if collected > 1 { collected * length } else { 0 },
            buffer: Vec::new(),
            begun: Hasher::of(self.node(0, 0, true), self.backend),
            hashed: Hashed::new(self),
        }
    }

    /// The root of the tree over `message`, whose leaves are hashed in place, side by side.
    #[must_use]
    pub fn hash(&self, message: &[u8]) -> Hash<F> {
        Hashed::new(self).end(self, message, None)
    }
}

/// The tree of a message that comes piece by piece.
///
/// Give [`update`](Self::update) several leaves at a time, best a multiple of [`lanes`](crate::blake2::lanes): they are
/// hashed in place, side by side.
///
/// Smaller pieces are collected first, until there is a leaf for each lane, but no more than 1 MiB of them. Leaves of
/// more than 512 KiB are not collected: each is hashed as it comes, and small pieces of it gain nothing from lanes.
///
/// So a hasher holds at most 1 MiB of the message. With feature `zeroize`, it holds up to
/// twice that while the memory grows. It also holds the digests of nodes without a parent, of each level
/// at most as many as the fanout, and those that [`keep_leaves`](Self::keep_leaves) keeps.
///
/// ```
/// use simd_digest::{blake2::Part, blake2b::Tree};
///
/// let tree = Tree::unlimited_fanout(1000)?;
/// let mut hasher = tree.hasher().keep_leaves();
/// hasher.update(&[1; 2500]).update(&[2; 2500]);
/// let (root, leaves) = hasher.finalize_with_leaves();
/// assert_eq!(leaves.len(), 5);
/// assert!(tree.verify_leaf(1, Part::NotLast, &[1; 1000], &leaves[1]));
/// assert_eq!(tree.root_from_leaves(leaves)?, root);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TreeHasher<F: Flavour> {
    tree: Tree<F>,
    /// Bytes that `buffer` holds at most: whole leaves. 0 if the leaves are too long to be collected.
    most: usize,
    /// The end of the message from the start of a leaf, if leaves are collected. The last leaf is always here, for it is
    /// hashed as such.
    buffer: Vec<u8>,
    /// The leaf after those that are hashed, if leaves are not collected: the last one, as long as nothing follows.
    begun: Hasher<F>,
    hashed: Hashed<F>,
}

impl<F: Flavour> TreeHasher<F> {
    /// Has the hasher keep the digests of its leaves from here on, until they are taken.
    #[must_use]
    pub fn keep_leaves(mut self) -> Self {
        self.hashed.keeps = true;
        self
    }

    /// The digests of the leaves, in order, that were hashed since they were taken last.
    ///
    /// None without [`keep_leaves`](Self::keep_leaves). The last leaf comes with
    /// [`finalize_with_leaves`](Self::finalize_with_leaves).
    pub fn take_leaves(&mut self) -> Vec<Hash<F>> {
        mem::take(&mut self.hashed.kept)
    }

    /// Bytes of the message so far.
    #[must_use]
    pub fn count(&self) -> u128 {
        let hashed = u128::from(self.hashed.count) * u128::from(self.tree.leaf_length);
        hashed + self.buffer.len() as u128 + self.begun.count()
    }

    /// Appends `bytes` to the message.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.update_by(bytes, Hashed::fold_leaves)
    }

    /// Appends `bytes` to the message, and hashes its leaves on all cores, on each in lanes.
    ///
    /// It pays off for many leaves at a time: cores times [`lanes`](crate::blake2::lanes), or a multiple.
    #[cfg(feature = "rayon")]
    pub fn update_rayon(&mut self, bytes: &[u8]) -> &mut Self {
        self.update_by(bytes, Hashed::fold_leaves_rayon)
    }

    /// The root over the message so far, to which more may be appended.
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        let Hashed { ref nodes, count, .. } = self.hashed;
        let mut hashed = Hashed { nodes: nodes.clone(), count, kept: Vec::new(), keeps: false };
        hashed.end(&self.tree, &self.buffer, (self.most == 0).then_some(&self.begun))
    }

    /// The root over the message, and the digests of the leaves that were not taken yet.
    ///
    /// Without [`keep_leaves`](Self::keep_leaves) that is none.
    #[must_use]
    pub fn finalize_with_leaves(mut self) -> (Hash<F>, Vec<Hash<F>>) {
        let root = self.hashed.end(&self.tree, &self.buffer, (self.most == 0).then_some(&self.begun));
        (root, self.take_leaves())
    }

    /// Finds the leaves that are whole and not the last, and gives them to `fold_leaves`.
    fn update_by(
        &mut self,
        bytes: &[u8],
        fold_leaves: impl FnOnce(&mut Hashed<F>, &Tree<F>, &Leaves<'_, F>) -> Option<F::Chain>,
    ) -> &mut Self {
        if self.most > 0 {
            self.collect(bytes, fold_leaves);
        } else {
            self.stream(bytes, fold_leaves);
        }
        self
    }

    /// As [`update_by`](Self::update_by), for leaves that are collected.
    fn collect(
        &mut self,
        bytes: &[u8],
        fold_leaves: impl FnOnce(&mut Hashed<F>, &Tree<F>, &Leaves<'_, F>) -> Option<F::Chain>,
    ) {
        let Self { tree, most, buffer, hashed, .. } = self;
        let length = tree.leaf_bytes();
        if !buffer.is_empty() && bytes.len() <= *most - buffer.len() {
            return append(buffer, bytes, *most);
        }
        // Something follows the leaf that was begun, else all would have gone into the buffer.
        let missing = buffer.len().next_multiple_of(length) - buffer.len();
        let (head, bytes) = bytes.split_at(missing.min(bytes.len()));
        append(buffer, head, *most);
        let (direct, tail) = bytes.split_at(bytes.len().saturating_sub(1) / length * length);
        fold_leaves(hashed, tree, &Leaves { buffered: buffer, ..Leaves::new(hashed.count, length, direct) });
        buffer.clear();
        append(buffer, tail, *most);
    }

    /// As [`update_by`](Self::update_by), for leaves that are hashed as they come.
    fn stream(
        &mut self,
        bytes: &[u8],
        fold_leaves: impl FnOnce(&mut Hashed<F>, &Tree<F>, &Leaves<'_, F>) -> Option<F::Chain>,
    ) {
        let Self { tree, begun, hashed, .. } = self;
        let missing = u128::from(tree.leaf_length) - begun.count();
        if bytes.len() as u128 <= missing {
            begun.update(bytes);
            return;
        }
        // Something follows the leaf that was begun, so it ends here and is not the last.
        let length = tree.leaf_bytes();
        let mut ended = (begun.count() > 0).then(|| begun.clone());
        #[allow(clippy::cast_possible_truncation, reason = "less than there are bytes")]
        let (head, bytes) = bytes.split_at(if ended.is_some() { missing as usize } else { 0 });
        let (direct, tail) = bytes.split_at((bytes.len() - 1) / length * length);
        let before = u64::from(ended.is_some()) + (direct.len() / length) as u64;
        set_node(&mut begun.node, 0, hashed.count.checked_add(before).expect(TOO_MANY), true);
        begun.reset();

        let Stream { chain, buffer, .. } = &mut begun.stream;
        let (first, whole) = buffer.ready(tail);
        let more = !first.is_empty() || !whole.is_empty();
        let begins = more.then_some(Message {
            owner: (),
            chain: Start::At(chain),
            held: false,
            first,
            whole,
            rest: None,
            last: Last::Not,
        });
        let ends = ended.as_mut().map(|leaf| ending(leaf, head));
        if let Some(reached) =
            fold_leaves(hashed, tree, &Leaves { ends, begins, ..Leaves::new(hashed.count, length, direct) })
        {
            *chain = reached;
        }
        buffer.hold(tail);
    }
}

/// The leaves that are hashed, and the nodes over them.
#[derive(Clone)]
struct Hashed<F: Flavour> {
    nodes: Nodes<F>,
    count: u64,
    kept: Vec<Hash<F>>,
    keeps: bool,
}

impl<F: Flavour> Hashed<F> {
    fn new(tree: &Tree<F>) -> Self {
        Self { nodes: Nodes::new(tree), count: 0, kept: Vec::new(), keeps: false }
    }

    /// The root, when the message ends with these leaves, or with the one that was `begun`.
    fn end(&mut self, tree: &Tree<F>, leaves: &[u8], begun: Option<&Hasher<F>>) -> Hash<F> {
        if let Some(last) = begun {
            self.fold(tree, last.finalize());
        } else {
            let leaves = Leaves { has_last: true, ..Leaves::new(self.count, tree.leaf_bytes(), leaves) };
            self.fold_leaves(tree, &leaves);
        }
        self.nodes.root(tree)
    }

    /// Hashes and folds the next leaves. Tells where the one that begins has come to.
    fn fold_leaves(&mut self, tree: &Tree<F>, leaves: &Leaves<'_, F>) -> Option<F::Chain> {
        let count = leaves.count();
        let mut chains = [F::Chain::UNUSED; BATCH];
        let mut reached = None;
        for first in (0..count).step_by(BATCH) {
            let chains = &mut chains[..BATCH.min(count - first)];
            tree.compress_leaves(leaves, first..first + chains.len(), |i, chain| chains[i - first] = chain);
            reached = self.fold_chains(tree, chains, leaves.begins.is_some() && first + chains.len() == count);
        }
        reached
    }

    /// As [`fold_leaves`](Self::fold_leaves), shared out among the cores.
    #[cfg(feature = "rayon")]
    fn fold_leaves_rayon(&mut self, tree: &Tree<F>, leaves: &Leaves<'_, F>) -> Option<F::Chain> {
        use rayon::prelude::*;

        let count = leaves.count();
        let threads = rayon::current_num_threads();
        let share = count.div_ceil(threads).clamp(1, BATCH);
        let most = count.min(4 * share * threads).max(1);
        let mut chains = alloc::vec![F::Chain::UNUSED; most];
        let mut reached = None;
        for first in (0..count).step_by(most) {
            let chains = &mut chains[..most.min(count - first)];
            chains.par_chunks_mut(share).enumerate().for_each(|(i, chains)| {
                let first = first + i * share;
                tree.compress_leaves(leaves, first..first + chains.len(), |i, chain| chains[i - first] = chain);
            });
            reached = self.fold_chains(tree, chains, leaves.begins.is_some() && first + chains.len() == count);
        }
        reached
    }

    /// Folds the leaves that ended with these chaining values, and wipes them. If the last of them `goes_on`, tells where
    /// it has come to.
    fn fold_chains(&mut self, tree: &Tree<F>, chains: &mut [F::Chain], goes_on: bool) -> Option<F::Chain> {
        let (ended, reached) = chains.split_at(chains.len() - usize::from(goes_on));
        for chain in ended {
            self.fold(tree, Hash::new(chain.to_bytes(), tree.node.hash_length()));
        }
        let reached = reached.first().copied();
        chains.iter_mut().for_each(F::wipe);
        reached
    }

    /// Takes in the digest of the next leaf.
    fn fold(&mut self, tree: &Tree<F>, digest: Hash<F>) {
        self.count = self.count.checked_add(1).expect(TOO_MANY);
        self.nodes.push(tree, 1, digest);
        if self.keeps {
            self.kept.push(digest);
        }
    }
}

/// Tells the count only, because there may be a key.
impl<F: Flavour> fmt::Debug for TreeHasher<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeHasher").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[F: Flavour] TreeHasher<F>);

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
    use crate::backend::Backend;
    use crate::blake2::params::Params;
    use crate::blake2::tree::Part;
    use crate::blake2b::FlavourB;
    use crate::blake2s::FlavourS;

    /// Numbers that look random and are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % bound
        }
    }

    /// Short leaves, as if they were so long that none, two or three of them had room: in pieces of any length, with a root
    /// and leaves on the way.
    fn any_number_of_leaves_is_collected<F: Flavour>() {
        let message: Vec<u8> = (0..=250).cycle().take(9000).collect();
        let mut random = Random(7);
        for backend in Backend::available() {
            for (i, length) in [1, 5, 127, 128, 129, 256, 300].into_iter().enumerate() {
                let params = Params::<F>::new().max_leaf_length(u32::try_from(length).unwrap()).with_backend(backend);
                let params = if i % 2 == 0 { params.key(b"key") } else { params };
                let params = if i % 3 == 0 { params.fanout(3).max_depth(4) } else { params.fanout(0).max_depth(2) };
                let tree = params.inner_hash_length(F::LONGEST).tree().unwrap();
                let message = &message[..message.len().min(30 * length)];
                let (whole, all) = (tree.hash(message), tree.hash_run(0, message, Part::Last).unwrap());
                // Leaves that another follows, whatever the message's end.
                let followed = tree.hash_run(0, message, Part::NotLast).unwrap();
                for collected in [0, 0, 0, 2, 3] {
                    let (mut hasher, mut taken, mut done) = (tree.hasher().keep_leaves(), Vec::new(), 0);
                    hasher.most = collected * length;
                    while done < message.len() {
                        let most = match random.below(4) {
                            0 => random.below(3),
                            1 => length * random.below(11) + random.below(2),
                            _ => random.below(2 * length + 1),
                        };
                        let piece = &message[done..][..most.min(message.len() - done)];
                        match random.below(3) {
                            #[cfg(feature = "rayon")]
                            0 => hasher.update_rayon(piece),
                            _ => hasher.update(piece),
                        };
                        done += piece.len();
                        assert!(hasher.buffer.len() <= hasher.most);
                        assert_eq!(hasher.count(), done as u128);
                        if random.below(5) == 0 {
                            let before = done.saturating_sub(1) / length;
                            let mut leaves = followed[..before].to_vec();
                            let last = &message[before * length..done];
                            leaves.extend(tree.hash_run(before as u64, last, Part::Last).unwrap());
                            let root = tree.root_from_leaves(leaves.iter().copied()).unwrap();
                            assert_eq!(hasher.finalize(), root, "{backend}, {length}, {collected}, {done} bytes");
                            taken.extend(hasher.take_leaves());
                            let (end, last) = hasher.clone().finalize_with_leaves();
                            assert_eq!((end, [&taken[..], &last].concat()), (root, leaves), "{backend}, a clone");
                        }
                    }
                    let (root, last) = hasher.finalize_with_leaves();
                    taken.extend(last);
                    assert_eq!((root, &taken), (whole, &all), "{backend}, {length}, {collected} leaves");
                }
            }
        }
    }

    #[test]
    fn any_number_of_leaves_of_blake2b_is_collected() {
        any_number_of_leaves_is_collected::<FlavourB>();
    }

    #[test]
    fn any_number_of_leaves_of_blake2s_is_collected() {
        any_number_of_leaves_is_collected::<FlavourS>();
    }

    /// The last three leaves that can be numbered, and so many more, collected or not.
    fn last_leaves_and<F: Flavour>(more: usize, collects: bool) -> Vec<Hash<F>> {
        let mut hasher = Tree::<F>::unlimited_fanout(4).unwrap().hasher().keep_leaves();
        hasher.hashed.count = F::MAX_NODE_OFFSET - 2;
        set_node(&mut hasher.begun.node, 0, hasher.hashed.count, true);
        hasher.begun.reset();
        hasher.most = if collects { 8 } else { 0 };
        hasher.update(&[7; 4 * 3]).update(&[7; 4][..4 * more]);
        hasher.finalize_with_leaves().1
    }

    #[test]
    fn leaves_up_to_the_last_number() {
        let tree = Tree::<FlavourS>::unlimited_fanout(4).unwrap();
        let expected = tree.hash_run(FlavourS::MAX_NODE_OFFSET - 2, &[7; 12], Part::Last).unwrap();
        for collects in [false, true] {
            assert_eq!(last_leaves_and::<FlavourS>(0, collects), expected);
        }
    }

    #[test]
    #[should_panic(expected = "more nodes than can be numbered")]
    fn numbers_of_leaves_do_not_wrap() {
        last_leaves_and::<FlavourS>(1, true);
    }

    #[test]
    #[should_panic(expected = "more nodes than can be numbered")]
    fn the_number_of_a_leaf_that_begins_does_not_wrap() {
        last_leaves_and::<FlavourS>(1, false);
    }

    #[test]
    #[should_panic(expected = "more nodes than can be numbered")]
    fn numbers_of_64_bits_do_not_wrap() {
        last_leaves_and::<FlavourB>(1, true);
    }
}

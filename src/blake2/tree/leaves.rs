//! The leaves of a tree, one by one or side by side.

use alloc::vec::Vec;

use super::shape::{TOO_MANY, Tree, set_node};
use crate::blake2::flavour::Flavour;
use crate::blake2::hasher::{Hasher, one_shot};
use crate::blake2::node::Node;
use crate::blake2::params::{ParamsError, check_range};
use crate::hash::Hash;
use crate::kernel::blake2::Last;
use crate::lanes::scheduler::{Message, Start, schedule};
use crate::stream::Stream;

/// Whether a message goes on after a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// More follows.
    NotLast,
    /// The message ends with it.
    Last,
}

impl Part {
    /// [`Last`](Self::Last) if the message `ends` with the part.
    #[must_use]
    pub const fn last_if(ends: bool) -> Self {
        if ends { Self::Last } else { Self::NotLast }
    }
}

impl<F: Flavour> Tree<F> {
    /// The hasher of leaf `index`, which is to be given its part of the message. A leaf's digest depends on its place,
    /// and on whether it is the last.
    ///
    /// # Errors
    ///
    /// If `index` is larger than [`Flavour::MAX_NODE_OFFSET`], which is 2^48 − 1 for BLAKE2s.
    pub fn leaf(&self, index: u64, part: Part) -> Result<Hasher<F>, ParamsError> {
        Self::check_numbers(index, 1)?;
        Ok(Hasher::of(self.node(0, index, part == Part::Last), self.backend))
    }

    /// Whether leaf `index` has this digest, if `bytes` are its part of the message: finds which part is damaged.
    ///
    /// If `index` is larger than [`Flavour::MAX_NODE_OFFSET`], the answer is `false`.
    #[must_use]
    pub fn verify_leaf(&self, index: u64, part: Part, bytes: &[u8], digest: &Hash<F>) -> bool {
        Self::check_numbers(index, 1).is_ok()
            && one_shot(&self.node(0, index, part == Part::Last), self.backend, bytes) == *digest
    }

    /// Hashes the consecutive leaves in `bytes` side by side, numbered from `first`, for callers who split the message
    /// themselves.
    ///
    /// With [`Part::Last`], the last leaf may be shorter, and there is one even if `bytes` is empty. With
    /// [`Part::NotLast`], bytes that follow the last whole leaf are left out.
    ///
    /// ```
    /// use simd_digest::{blake2::Part, blake2b::Tree};
    ///
    /// let tree = Tree::unlimited_fanout(1000)?;
    /// let (head, tail) = ([1; 2000], [2; 1500]);
    /// let leaves = [tree.hash_run(0, &head, Part::NotLast)?, tree.hash_run(2, &tail, Part::Last)?].concat();
    /// assert_eq!(tree.root_from_leaves(leaves)?, tree.hasher().update(&head).update(&tail).finalize());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of a leaf is larger than [`Flavour::MAX_NODE_OFFSET`]. The error has `first`, and the limit of it for
    /// this many leaves. Then nothing is hashed.
    pub fn hash_run(&self, first: u64, bytes: &[u8], part: Part) -> Result<Vec<Hash<F>>, ParamsError> {
        let leaves = self.run(first, bytes, part)?;
        let mut digests = alloc::vec![Hash::placeholder(); leaves.count()];
        let put = |i: usize, chain: F::Chain| digests[i] = Hash::new(chain.to_bytes(), self.node.hash_length());
        self.compress_leaves(&leaves, 0..leaves.count(), put);
        Ok(digests)
    }

    /// The leaves in `bytes` that end there.
    pub(super) fn run<'a>(&self, first: u64, bytes: &'a [u8], part: Part) -> Result<Leaves<'a, F>, ParamsError> {
        let length = self.leaf_bytes();
        let has_last = part == Part::Last;
        let left_out = if has_last { 0 } else { bytes.len() % length };
        let leaves = Leaves { has_last, ..Leaves::new(first, length, &bytes[..bytes.len() - left_out]) };
        Self::check_numbers(first, leaves.count())?;
        Ok(leaves)
    }

    /// Whether `count` leaves can have the numbers from `first` on.
    fn check_numbers(first: u64, count: usize) -> Result<(), ParamsError> {
        let Some(others) = (count as u64).checked_sub(1) else { return Ok(()) };
        // No place is left for as many leaves, wherever they begin.
        check_range("node_offset", others, 0..=F::MAX_NODE_OFFSET)?;
        check_range("node_offset", first, 0..=F::MAX_NODE_OFFSET - others)
    }

    /// Compresses the leaves with these places in `leaves`, and gives the chaining value of each to `done`, with its place.
    pub(super) fn compress_leaves(
        &self,
        leaves: &Leaves<'_, F>,
        places: impl Iterator<Item = usize>,
        mut done: impl FnMut(usize, F::Chain),
    ) {
        Self::check_numbers(leaves.first, leaves.count()).expect(TOO_MANY);
        let key_block = self.node.key_block();
        let mut node = self.node.clone();
        let messages = places.map(|i| leaves.message(i, &mut node, key_block.as_slice()));
        schedule::<F, _>(self.backend, messages, |place, chain| done(place, *chain));
    }
}

/// Consecutive leaves, and where the bytes of each lie.
pub(super) struct Leaves<'a, F: Flavour> {
    /// The number of the first.
    pub(super) first: u64,
    /// Bytes of a whole leaf.
    pub(super) length: usize,
    /// The end of a leaf that was begun before.
    pub(super) ends: Option<Message<'a, F, ()>>,
    /// Whole leaves.
    pub(super) buffered: &'a [u8],
    /// More of them, of which the last may be shorter.
    pub(super) direct: &'a [u8],
    /// The message ends with these, and has a leaf even if it is empty.
    pub(super) has_last: bool,
    /// The start of one more leaf.
    pub(super) begins: Option<Message<'a, F, ()>>,
}

impl<'a, F: Flavour> Leaves<'a, F> {
    /// The leaves in `direct` alone, of `length` bytes each.
    pub(super) fn new(first: u64, length: usize, direct: &'a [u8]) -> Self {
        Self { first, length, ends: None, buffered: &[], direct, has_last: false, begins: None }
    }

    /// Leaves that have at least a block here.
    pub(super) fn count(&self) -> usize {
        let whole = (self.buffered.len() + self.direct.len()).div_ceil(self.length);
        let count = usize::from(self.ends.is_some()) + whole + usize::from(self.begins.is_some());
        count.max(self.has_last.into())
    }

    /// The blocks of leaf `i`, whose `node` is changed to it.
    fn message<'m>(&'m self, i: usize, node: &mut Node<F>, key_block: &'m [F::Block]) -> Message<'m, F, usize> {
        let part = match (&self.ends, &self.begins) {
            (Some(ends), _) if i == 0 => ends,
            (_, Some(begins)) if i + 1 == self.count() => begins,
            _ => {
                let bytes = self.whole(i - usize::from(self.ends.is_some()));
                set_node(node, 0, self.first + i as u64, self.has_last && i + 1 == self.count());
                return Message::ending(i, Start::Of(node.chain()), key_block, bytes, node.last);
            }
        };
        let &Message { owner: (), chain, held, first, whole, rest, last } = part;
        Message { owner: i, chain, held, first, whole, rest, last }
    }

    /// The bytes of whole leaf `i`.
    fn whole(&self, i: usize) -> &'a [u8] {
        let begin = i * self.length;
        let bytes = match begin.checked_sub(self.buffered.len()) {
            None => &self.buffered[begin..],
            Some(begin) => &self.direct[begin..],
        };
        &bytes[..self.length.min(bytes.len())]
    }
}

/// The end of a leaf that is not the last: its hasher holds a part of it, `bytes` are the rest.
pub(super) fn ending<'a, F: Flavour>(leaf: &'a mut Hasher<F>, bytes: &'a [u8]) -> Message<'a, F, ()> {
    let Stream { chain, buffer, .. } = &mut leaf.stream;
    let free = buffer.free();
    if bytes.len() <= free {
        buffer.hold(bytes);
        return Message::ending((), Start::At(chain), &[], buffer.held(), Last::Block);
    }
    let (held, _) = buffer.ready(bytes);
    Message::ending((), Start::At(chain), held, &bytes[free..], Last::Block)
}

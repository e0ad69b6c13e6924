//! BLAKE2bp and BLAKE2sp: one message dealt out to a few leaves, block by block (BLAKE2 paper, section 2.10).
//!
//! ```text
//!   message   0 1 2 3 4 5 6 7 8 9 …         blocks
//!   leaf 0    0       4       8             each leaf hashes every fourth block (BLAKE2sp: every eighth of eight
//!                                           leaves), all leaves side by side
//!   leaf 1      1       5       9
//!   leaf 2        2       6
//!   leaf 3          3       7
//!   root      the digests of leaf 0, 1, 2, 3
//! ```

use core::fmt;
use core::marker::PhantomData;

use digest::array::Array;
use digest::typenum::Unsigned;
use digest::{HashMarker, Update};

use super::digest::OutputSize;
use super::flavour::{BlockOf, ChainOf, Flavour, LeavesOf};
use super::node::{KeyBlock, Node};
use super::params::{Params, ParamsError};
use crate::backend::Backend;
use crate::hash::Hash;
use crate::kernel::blake2::Last;
use crate::kernel::{Block, Known, Run, wipe};
use crate::lanes::ends::copy_short;
use crate::traits::fixed_output;

/// An incremental hasher of the parallel mode, BLAKE2bp or BLAKE2sp, with a digest length chosen at run time.
///
/// The digests differ from those of sequential BLAKE2. [`Params::parallel`](super::Params::parallel) makes the hasher.
#[derive(Clone)]
pub struct Parallel<F: Flavour> {
    /// Leaf 0. The key, if there is one, is the first block of every leaf, and of the leaves alone.
    leaf: Node<F>,
    chains: Array<ChainOf<F>, LeavesOf<F>>,
    /// Two rounds, each a block for every leaf.
    ///
    /// Each leaf must have a last block at the end, so a round is compressed only when the next round has reached the
    /// last leaf. At most one round and all but the last block of the next are held back.
    held: [Array<BlockOf<F>, LeavesOf<F>>; 2],
    length: usize,
    count: u128,
    backend: Backend,
}

/// Leaves of BLAKE2sp. BLAKE2bp has four.
const MOST_LEAVES: usize = 8;

/// The first block of every leaf, if there is a key and the leaves have not compressed it yet.
fn key_to_come<F: Flavour>(leaf: &Node<F>, chains: &[F::Chain]) -> KeyBlock<F> {
    if chains[0].count > 0 { KeyBlock::NONE } else { leaf.key_block() }
}

impl<F: Flavour> Params<F> {
    /// BLAKE2bp or BLAKE2sp with this digest length, key, salt and personalisation. The fields of the tree are the
    /// mode's.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn parallel(&self) -> Result<Parallel<F>, ParamsError> {
        Ok(Parallel::of_tree(self.node()?, self.backend()))
    }
}

impl<F: Flavour> Parallel<F> {
    const LEAVES: usize = F::Leaves::USIZE;
    const NOT_LAST: [Last; MOST_LEAVES] = [Last::Not; MOST_LEAVES];
    /// Bytes of a round.
    const ROUND: usize = Self::LEAVES * F::Block::LENGTH;

    /// With a digest of `length` bytes, which must be in range, and nothing else.
    fn unkeyed(length: usize) -> Self {
        Self::of_tree(Node::sequential(length, &[]), Backend::best())
    }

    /// The fields of the tree in `leaf` become the mode's.
    fn of_tree(mut leaf: Node<F>, backend: Backend) -> Self {
        leaf.set_tree(F::LEAVES, 2, F::LONGEST);
        Self::of(leaf, backend)
    }

    fn of(mut leaf: Node<F>, backend: Backend) -> Self {
        let mut offset = 0;
        let chains = Array::from_fn(|_| {
            leaf.set_node(0, offset, false);
            offset += 1;
            leaf.chain()
        });
        leaf.set_node(0, 0, false);
        let held = [(); 2].map(|()| Array::from_fn(|_| F::Block::ZERO));
        Self { leaf, chains, held, length: 0, count: 0, backend }
    }

    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Bytes of the message so far. A key does not count.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.count
    }

    /// Forgets the message; parameters, key and backend stay.
    pub fn reset(&mut self) -> &mut Self {
        *self = Self::of(self.leaf.clone(), self.backend);
        self
    }

    /// Appends `bytes` to the message. Whole rounds are compressed from where they lie.
    pub fn update(&mut self, mut bytes: &[u8]) -> &mut Self {
        self.count += bytes.len() as u128;
        let ready = Self::rounds_ready(self.length + bytes.len());
        if ready > 0 && self.length > 0 {
            let begun = self.length.div_ceil(Self::ROUND);
            let (head, rest) = bytes.split_at(bytes.len().min(begun * Self::ROUND - self.length));
            self.hold(head);
            bytes = rest;
            for _ in 0..begun.min(ready) {
                let Self { leaf, chains, held, backend, .. } = self;
                Self::compress_rounds(*backend, leaf, chains, &held[0]);
                self.held.swap(0, 1);
                self.length -= Self::ROUND;
            }
        }
        if self.length == 0 {
            let (rounds, tail) = bytes.split_at(Self::rounds_ready(bytes.len()) * Self::ROUND);
            Self::compress_rounds(self.backend, &self.leaf, &mut self.chains, F::Block::split(rounds).0);
            bytes = tail;
        }
        self.hold(bytes);
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        Hash::new(self.digest(), self.leaf.hash_length())
    }

    /// As [`finalize`](Self::finalize), in all the bytes of a chaining value.
    pub(super) fn digest(&self) -> F::Digest {
        let mut chains = self.chains.clone();
        let key_block = key_to_come(&self.leaf, &chains);
        let keyed = key_block.as_slice().len();
        // Writes block `place` of leaf `i`, the key's included, over zeros, and tells its bytes of the message.
        let write = |i: usize, place: usize, to: &mut F::Block| match key_block.as_slice() {
            [key] if place == 0 => {
                *to = *key;
                F::Block::LENGTH
            }
            _ => self.write_held(i, place - keyed, to),
        };
        let number = |i: usize| (keyed + self.held_blocks(i)).max(1);
        // No leaf has fewer blocks than the next one.
        for place in 0..number(0) - 1 {
            let live = (0..Self::LEAVES).take_while(|&i| number(i) > place + 1).count();
            let mut round = Array::<F::Block, F::Leaves>::from_fn(|_| F::Block::ZERO);
            round[..live].iter_mut().enumerate().for_each(|(i, to)| _ = write(i, place, to));
            Self::compress_lanes(self.backend, &mut chains[..live], &round, 1, &Self::NOT_LAST);
            round.iter_mut().for_each(wipe);
        }
        let mut ends = Array::<F::Block, F::Leaves>::from_fn(|_| F::Block::ZERO);
        for (i, (chain, end)) in chains.iter_mut().zip(&mut ends).enumerate() {
            let length = write(i, number(i) - 1, end);
            F::close(chain, &mut [], length);
        }
        let mut last = [Last::Block; MOST_LEAVES];
        last[Self::LEAVES - 1] = Last::Node;
        Self::compress_lanes(self.backend, &mut chains, &ends, 1, &last);
        ends.iter_mut().for_each(wipe);
        // The root's blocks, of two digests each, are half as many.
        let mut blocks = Array::<F::Block, F::Leaves>::from_fn(|_| F::Block::ZERO);
        for (i, chain) in chains.iter_mut().enumerate() {
            let halves = blocks[i / 2].bytes_mut().split_at_mut(F::Digest::LENGTH);
            let half = if i % 2 == 0 { halves.0 } else { halves.1 };
            half.copy_from_slice(chain.to_bytes().bytes());
            F::wipe(chain);
        }
        // Leaves alone compress the key.
        let mut root = Node::<F> {
            parameter_block: self.leaf.parameter_block,
            key: F::Digest::ZERO,
            keyed: false,
            last: Last::Not,
        };
        root.set_node(1, 0, true);
        let mut chain = root.chain();
        F::compress(self.backend, &mut chain, &blocks[..Self::LEAVES / 2], root.last);
        blocks.iter_mut().for_each(wipe);
        chain.to_bytes()
    }

    /// Blocks of leaf `i` that are held back.
    fn held_blocks(&self, i: usize) -> usize {
        (0..2).filter(|round| (round * Self::LEAVES + i) * F::Block::LENGTH < self.length).count()
    }

    /// Writes block `round` of leaf `i` that is held back over zeros, and tells how many bytes it has.
    fn write_held(&self, i: usize, round: usize, to: &mut F::Block) -> usize {
        let before = (round * Self::LEAVES + i) * F::Block::LENGTH;
        let length = self.length.saturating_sub(before).min(F::Block::LENGTH);
        copy_short(to.bytes_mut(), &self.held[round][i].bytes()[..length]);
        length
    }

    /// Rounds that can be compressed when `length` bytes are there.
    fn rounds_ready(length: usize) -> usize {
        length.saturating_sub(Self::ROUND - F::Block::LENGTH + 1) / Self::ROUND
    }

    /// Compresses whole rounds, on as many lanes as there are. The key comes before the first.
    fn compress_rounds(backend: Backend, leaf: &Node<F>, chains: &mut [F::Chain], mut rounds: &[F::Block]) {
        if !rounds.is_empty()
            && let [key_block] = key_to_come(leaf, chains).as_slice()
        {
            let mut round = Array::<_, F::Leaves>::from_fn(|_| *key_block);
            Self::compress_lanes(backend, chains, &round, 1, &Self::NOT_LAST);
            round.iter_mut().for_each(wipe);
        }
        while !rounds.is_empty() {
            let count = chains.iter().map(F::longest_run).fold(rounds.len() / Self::LEAVES, usize::min);
            Self::compress_lanes(backend, chains, rounds, count, &Self::NOT_LAST);
            rounds = &rounds[count * Self::LEAVES..];
        }
    }

    /// Compresses so many rounds of the first leaves, which have these chains, on as many lanes as there are.
    fn compress_lanes(backend: Backend, chains: &mut [F::Chain], rounds: &[F::Block], count: usize, last: &[Last]) {
        let lanes = F::lanes(backend).min(Self::LEAVES);
        let stride = Self::LEAVES;
        for (first, chains) in (0..).step_by(lanes).zip(chains.chunks_mut(lanes)) {
            let blocks = Array::<&[F::Block], F::Leaves>::from_fn(|i| rounds.get(first + i..).unwrap_or_default());
            let (blocks, last) = (&blocks[..chains.len()], &last[first..][..chains.len()]);
            // One message takes less time alone than in lanes.
            if let ([chain], 1) = (&mut *chains, count) {
                F::compress(backend, chain, &blocks[0][..1], last[0]);
                continue;
            }
            F::compress_lanes(backend, Run { count, stride, chains, blocks, last, hint: Known::Nothing, ends: None });
        }
    }

    /// Holds back `bytes` after those that are, for which there must be room.
    fn hold(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (round, place) = (self.length / Self::ROUND, self.length % Self::ROUND);
            let block = self.held[round][place / F::Block::LENGTH].bytes_mut();
            let block = &mut block[place % F::Block::LENGTH..];
            let (head, rest) = bytes.split_at(bytes.len().min(block.len()));
            block[..head.len()].copy_from_slice(head);
            self.length += head.len();
            bytes = rest;
        }
    }
}

impl<F: Flavour> Default for Parallel<F> {
    fn default() -> Self {
        Self::unkeyed(F::LONGEST)
    }
}

/// For code that knows the `digest` traits alone. `Parallel::update` takes precedence over this method.
impl<F: Flavour> Update for Parallel<F> {
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }
}

/// The count and the backend alone, because there may be a key.
impl<F: Flavour> fmt::Debug for Parallel<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel").field("count", &self.count).field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[F: Flavour] Parallel<F>);

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for Parallel<F> {
    fn drop(&mut self) {
        self.chains.iter_mut().for_each(F::wipe);
        self.held.iter_mut().flatten().for_each(wipe);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for Parallel<F> {}

/// BLAKE2bp or BLAKE2sp with `N` bytes of output, unkeyed, for the `digest` traits; see
/// [`blake2b::Blake2bp`](crate::blake2b::Blake2bp) and [`blake2s::Blake2sp`](crate::blake2s::Blake2sp).
///
/// `BlockSizeUser` is missing: HMAC over a parallel mode is not defined.
#[derive(Clone)]
pub struct Blake2p<F: Flavour, N: OutputSize<F>> {
    hasher: Parallel<F>,
    output: PhantomData<N>,
}

impl<F: Flavour, N: OutputSize<F>> Default for Blake2p<F, N> {
    fn default() -> Self {
        const { assert!(N::USIZE > 0, "a digest has at least one byte") }
        Self { hasher: Parallel::unkeyed(N::USIZE), output: PhantomData }
    }
}

impl<F: Flavour, N: OutputSize<F>> HashMarker for Blake2p<F, N> {}

fixed_output!(impl[F: Flavour, N: OutputSize<F>] Blake2p<F, N>, output: N, name: F::PARALLEL_NAME);

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::blake2b::FlavourB;
    use crate::blake2s::FlavourS;

    /// The counters of the leaves, which carry at the same round, or one after the other.
    fn counters_carry_in_every_leaf<F: Flavour>(edges: &[u128]) {
        let message: Vec<u8> = (0..251).cycle().take(6000).collect();
        let far = |backend, edge: u128, spread: u128| {
            let mut hasher = Parallel::<F>::default().with_backend(backend);
            let block = F::Block::LENGTH as u128;
            for (i, chain) in (0..).zip(&mut hasher.chains) {
                chain.count = edge.wrapping_sub(block * (3 + spread * i));
            }
            hasher
        };
        let portable = Backend::available().last().unwrap();
        for backend in Backend::available() {
            for &edge in edges {
                for spread in [0, 1, 2] {
                    let [ours, expected] =
                        [backend, portable].map(|backend| far(backend, edge, spread).update(&message).finalize());
                    assert_eq!(ours, expected, "{backend}, at {edge:#x}");
                }
            }
        }
    }

    /// The counter of each leaf carries in the run that closes it, or in the one before.
    fn counters_carry_at_the_end<F: Flavour>(edges: &[u128]) {
        let (block, leaves) = (F::Block::LENGTH, F::Leaves::USIZE);
        let message: Vec<u8> = (0..251).cycle().take(leaves * (block + 1)).collect();
        let portable = Backend::available().last().unwrap();
        for backend in Backend::available() {
            for &edge in edges {
                for before in [0, 1, block - 1, block, block + 1, 2 * block] {
                    for length in [0, 1, leaves * block, message.len()] {
                        let [ours, expected] = [backend, portable].map(|backend| {
                            let mut hasher = Parallel::<F>::default().with_backend(backend);
                            for chain in &mut hasher.chains {
                                chain.count = edge.wrapping_sub(before as u128);
                            }
                            hasher.update(&message[..length]).finalize()
                        });
                        assert_eq!(ours, expected, "{backend}, {length} bytes from {before} before {edge:#x} on");
                    }
                }
            }
        }
    }

    #[test]
    fn trap_counter_carry_in_every_leaf_of_blake2bp() {
        counters_carry_in_every_leaf::<FlavourB>(&[1 << 32, 1 << 63, 1 << 64, 1 << 127, 0]);
        counters_carry_at_the_end::<FlavourB>(&[1 << 32, 1 << 64, 0]);
    }

    #[test]
    fn trap_counter_carry_in_every_leaf_of_blake2sp() {
        counters_carry_in_every_leaf::<FlavourS>(&[1 << 31, 1 << 32, 1 << 63, 1 << 64]);
        counters_carry_at_the_end::<FlavourS>(&[1 << 32, 1 << 64]);
    }
}

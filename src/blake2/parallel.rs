//! BLAKE2bp and BLAKE2sp: one message dealt out to a few leaves, block by block (BLAKE2 paper, section 2.10).
//!
//! ```text
//!   message   0 1 2 3 4 5 6 7 8 9 …         blocks
//!   leaf 0    0       4       8             each leaf hashes every fourth block, all leaves side by side
//!   leaf 1      1       5       9
//!   leaf 2        2       6
//!   leaf 3          3       7
//!   root      the digests of leaf 0, 1, 2, 3
//! ```

use core::marker::PhantomData;
use core::{array, fmt, slice};

use digest::common::AlgorithmName;
use digest::{FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

use super::digest::{OutputSize, fixed_output};
use super::many::message;
use super::params::Start;
use super::sealed::Chain;
use super::{Family, Hash, Params, ParamsError};
use crate::backend::Backend;
use crate::buffer::Block;
#[cfg(feature = "zeroize")]
use crate::buffer::wipe;
use crate::kernel::blake2::Last;
use crate::kernel::{Kind, Run};
use crate::many::{Message, compress};

/// Leaves of BLAKE2bp. (BLAKE2sp has eight.)
const LEAVES: usize = 4;

/// The parallel mode BLAKE2bp of a message that comes piece by piece, with a digest length chosen at run time.
///
/// Its digests are other ones than those of sequential BLAKE2b. [`Params::parallel`](super::Params::parallel) makes it.
///
/// ```
/// use simd_digest::blake2b::Params;
///
/// let mut hasher = Params::new().hash_length(32).key(b"a key").parallel()?;
/// hasher.update(b"one, ").update(b"two");
/// assert_eq!(hasher.finalize().as_bytes().len(), 32);
/// # Ok::<(), simd_digest::blake2b::ParamsError>(())
/// ```
#[derive(Clone)]
pub struct Parallel<F: Family> {
    /// Of each leaf. The key, if there is one, is the first block of every leaf, and of the leaves alone.
    leaves: [Start<F>; LEAVES],
    root: Start<F>,
    chains: [F::Chain; LEAVES],
    /// Two rounds, each a block for every leaf.
    ///
    /// Each leaf must have a last block at the end, so a round is compressed only when the round after it has come to
    /// the last leaf. One round and all but the last block of the next are held back at most.
    held: [F::Block; 2 * LEAVES],
    length: usize,
    count: u128,
    backend: Backend,
}

impl<F: Family> Params<F> {
    /// BLAKE2bp with this digest length, key, salt and personalisation. The fields of the tree are the mode's.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn parallel(&self) -> Result<Parallel<F>, ParamsError> {
        let mut root = self.start()?;
        root.set_tree(4, 2, F::Words::LENGTH);
        let leaves = array::from_fn(|i| {
            let mut leaf = root.clone();
            leaf.set_node(0, i as u64, i + 1 == LEAVES);
            leaf
        });
        root.set_node(1, 0, true);
        root.key = None;
        Ok(Parallel::start(leaves, root, self.backend()))
    }
}

impl<F: Family> Parallel<F> {
    /// Bytes of a round.
    const ROUND: usize = LEAVES * F::Block::LENGTH;

    fn start(leaves: [Start<F>; LEAVES], root: Start<F>, backend: Backend) -> Self {
        let chains = array::from_fn(|i| F::Chain::new(&leaves[i].parameter_block));
        Self { leaves, root, chains, held: [F::Block::ZERO; 2 * LEAVES], length: 0, count: 0, backend }
    }

    /// The same hasher, computing on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Bytes of the message so far. A key does not count.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.count
    }

    /// Forgets the message; parameters, key and backend stay.
    pub fn reset(&mut self) {
        *self = Self::start(self.leaves.clone(), self.root.clone(), self.backend);
    }

    /// Appends `bytes` to the message. Whole rounds are compressed from where they lie.
    pub fn update(&mut self, mut bytes: &[u8]) -> &mut Self {
        self.count += bytes.len() as u128;
        let ready = Self::ready(self.length + bytes.len());
        if ready > 0 && self.length > 0 {
            let begun = self.length.div_ceil(Self::ROUND);
            let (head, rest) = bytes.split_at(bytes.len().min(begun * Self::ROUND - self.length));
            self.hold(head);
            bytes = rest;
            let whole = begun.min(ready);
            let held = self.held;
            self.compress(&held[..whole * LEAVES]);
            self.held.copy_within(whole * LEAVES.., 0);
            self.length -= whole * Self::ROUND;
        }
        if self.length == 0 {
            let (rounds, tail) = bytes.split_at(Self::ready(bytes.len()) * Self::ROUND);
            self.compress(F::Block::split(rounds).0);
            bytes = tail;
        }
        self.hold(bytes);
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        let key_block = if self.begun() { None } else { self.leaves[0].key_block() };
        let length = |block: usize| self.length.saturating_sub(block * F::Block::LENGTH).min(F::Block::LENGTH);
        let messages = (0..LEAVES).map(|i| {
            let (first, second) =
                (&self.held[i].bytes()[..length(i)], &self.held[LEAVES + i].bytes()[..length(LEAVES + i)]);
            let Start { last, .. } = self.leaves[i];
            if second.is_empty() {
                message(i, self.chains[i], key_block.as_slice(), first, last)
            } else {
                let whole = slice::from_ref(&self.held[i]);
                Message { owner: i, chain: self.chains[i], held: key_block.as_slice(), whole, rest: Some(second), last }
            }
        });
        let mut blocks = [F::Block::ZERO; LEAVES / 2];
        compress::<F, _>(self.backend, messages, |i, chain| {
            let halves = blocks[i / 2].bytes_mut().split_at_mut(F::Words::LENGTH);
            let half = if i % 2 == 0 { halves.0 } else { halves.1 };
            half.copy_from_slice(chain.to_words().bytes());
        });
        let mut chain = F::Chain::new(&self.root.parameter_block);
        for (i, block) in blocks.iter().enumerate() {
            let last = if i + 1 == blocks.len() { self.root.last } else { Last::Not };
            F::compress(self.backend, &mut chain, slice::from_ref(block), last);
        }
        Hash::new(chain.to_words(), self.root.hash_length())
    }

    /// Rounds that can be compressed when `length` bytes are there.
    fn ready(length: usize) -> usize {
        length.saturating_sub(Self::ROUND - F::Block::LENGTH + 1) / Self::ROUND
    }

    /// Whether the leaves have compressed anything.
    fn begun(&self) -> bool {
        self.chains[0].count() > 0
    }

    /// Compresses whole rounds, on as many lanes as there are.
    fn compress(&mut self, rounds: &[F::Block]) {
        if rounds.is_empty() {
            return;
        }
        if let (false, Some(key_block)) = (self.begun(), self.leaves[0].key_block()) {
            self.compress_lanes(&[key_block; LEAVES]);
        }
        self.compress_lanes(rounds);
    }

    fn compress_lanes(&mut self, mut rounds: &[F::Block]) {
        while !rounds.is_empty() {
            let count = self.chains.iter().map(F::longest_run).fold(rounds.len() / LEAVES, usize::min);
            let lanes = F::lanes(self.backend).min(LEAVES);
            for (first, chains) in (0..).step_by(lanes).zip(self.chains.chunks_mut(lanes)) {
                let blocks: [&[F::Block]; LEAVES] = array::from_fn(|i| rounds.get(first + i..).unwrap_or_default());
                let (blocks, last) = (&blocks[..chains.len()], &[Last::Not; LEAVES][..chains.len()]);
                F::compress_lanes(self.backend, Run { count, stride: LEAVES, chains, blocks, last, kind: Kind::Any });
            }
            rounds = &rounds[count * LEAVES..];
        }
    }

    /// Holds back `bytes` after those that are, for which there must be room.
    fn hold(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let block = &mut self.held[self.length / F::Block::LENGTH].bytes_mut()[self.length % F::Block::LENGTH..];
            let (head, rest) = bytes.split_at(bytes.len().min(block.len()));
            block[..head.len()].copy_from_slice(head);
            self.length += head.len();
            bytes = rest;
        }
    }
}

impl<F: Family> Default for Parallel<F> {
    fn default() -> Self {
        Params::new().parallel().expect("the defaults are in range")
    }
}

/// Tells the count and the backend only, for there may be a key.
impl<F: Family> fmt::Debug for Parallel<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel").field("count", &self.count).field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
write_by_update!(Parallel);

#[cfg(feature = "zeroize")]
impl<F: Family> Drop for Parallel<F> {
    fn drop(&mut self) {
        self.chains.iter_mut().for_each(F::wipe);
        self.held.iter_mut().for_each(wipe);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Family> zeroize::ZeroizeOnDrop for Parallel<F> {}

/// BLAKE2bp with `N` bytes of output, unkeyed, for the `digest` traits; see [`blake2b::Blake2bp`](crate::blake2b::Blake2bp).
///
/// It has no `BlockSizeUser`: HMAC over a parallel mode is not defined.
#[derive(Clone)]
pub struct Blake2p<F: Family, N: OutputSize<F>> {
    hasher: Parallel<F>,
    output: PhantomData<N>,
}

impl<F: Family, N: OutputSize<F>> Default for Blake2p<F, N> {
    fn default() -> Self {
        const { assert!(N::USIZE > 0, "a digest has at least one byte") }
        let hasher = Params::new().hash_length(N::USIZE).parallel().expect("the type has its length in range");
        Self { hasher, output: PhantomData }
    }
}

impl<F: Family, N: OutputSize<F>> HashMarker for Blake2p<F, N> {}

fixed_output!(Blake2p, PARALLEL_NAME);

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::blake2b::B;

    /// The counters of the leaves, which carry at the same round, or at four.
    #[test]
    fn counters_carry_in_every_leaf() {
        let message: Vec<u8> = (0..251).cycle().take(6000).collect();
        let far = |backend, edge: u128, spread: u128| {
            let mut hasher = Parallel::<B>::default().with_backend(backend);
            let leaf = |i: u8| Chain::resume(&[i; 64], edge.wrapping_sub(128 * (3 + spread * u128::from(i))));
            hasher.chains = [0, 1, 2, 3].map(leaf);
            hasher
        };
        let portable = Backend::available().last().unwrap();
        for backend in Backend::available() {
            for edge in [1 << 32, 1 << 63, 1 << 64, 1 << 127, 0_u128] {
                for spread in [0, 1, 2] {
                    let [ours, expected] =
                        [backend, portable].map(|backend| far(backend, edge, spread).update(&message).finalize());
                    assert_eq!(ours, expected, "{backend}, at {edge:#x}");
                }
            }
        }
    }
}

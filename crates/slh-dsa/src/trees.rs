//! Merkle trees, FORS, WOTS+ and the hypertree (FIPS 205, sections 5 to 8).

use crate::hashes::{Address, Kind, Lanes};
use crate::set::{HEIGHT, ParameterSet, TREES};

/// Steps of a chain: w - 1.
const STEPS: u8 = 15;

/// The steps of the chains in a signature of `message`: its digits, and those of their checksum.
fn digits(message: &[u8]) -> Vec<u8> {
    let mut digits: Vec<u8> = message.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let sum: u16 = digits.iter().map(|digit| u16::from(STEPS - digit)).sum();
    digits.extend([8, 4, 0].map(|shift| (sum >> shift) as u8 & 15));
    digits
}

/// The leaf of each FORS tree that `digest` chooses: a bits each.
fn leaves<P: ParameterSet>(digest: &[u8]) -> Vec<usize> {
    let bit = |at: usize| usize::from(digest[at / 8] >> (7 - at % 8) & 1);
    (0..TREES).map(|tree| (0..P::A).fold(0, |leaf, at| leaf << 1 | bit(tree * P::A + at))).collect()
}

/// Trees are hashed side by side: a tree of the hypertree alone, or all FORS trees. An index counts the nodes of all of
/// them, as in the addresses of FORS. A signature has a part for each, which ends with the path from a leaf.
impl<P: ParameterSet> Lanes<P> {
    /// Gives the roots above `level`, and writes the paths from `leaves`, one in each tree, if there is room.
    fn grow(&self, trees: Address, mut level: Vec<u8>, leaves: &[usize], parts: &mut [u8]) -> Vec<u8> {
        let length = (parts.len() / leaves.len()).max(1);
        let height = (level.len() / P::N / leaves.len()).ilog2() as usize;
        for at in 0..height {
            for ((tree, leaf), part) in leaves.iter().enumerate().zip(parts.chunks_exact_mut(length)) {
                let sibling = (tree << (height - at)) + (leaf >> at ^ 1);
                part[length - (height - at) * P::N..][..P::N].copy_from_slice(&level[sibling * P::N..][..P::N]);
            }
            level = self.many(&level, 2 * P::N, |i| trees.at(at + 1, i));
        }
        level
    }

    /// Gives the roots that the paths lead to from `nodes`, which are `leaves`, one in each tree.
    fn climb(&self, trees: Address, height: usize, mut nodes: Vec<u8>, leaves: &[usize], parts: &[u8]) -> Vec<u8> {
        let length = parts.len() / leaves.len();
        for at in 0..height {
            let pairs =
                nodes.chunks_exact(P::N).zip(leaves).zip(parts.chunks_exact(length)).map(|((node, leaf), part)| {
                    let sibling = &part[length - (height - at) * P::N..][..P::N];
                    if leaf >> at & 1 == 0 { [node, sibling] } else { [sibling, node] }.concat()
                });
            let index = |tree: usize| (tree << (height - at - 1)) + (leaves[tree] >> (at + 1));
            nodes = self.many(&pairs.collect::<Vec<_>>().concat(), 2 * P::N, |tree| trees.at(at + 1, index(tree)));
        }
        nodes
    }

    /// Signs `digest` with the FORS key of a leaf of the hypertree, and gives the public key (algorithms 16 and 17).
    pub(crate) fn sign_fors(&mut self, sk_seed: &[u8], leaf: u128, digest: &[u8], parts: &mut [u8]) -> Vec<u8> {
        let ((address, pair), chosen, size) = (Address::new(0, leaf), leaves::<P>(digest), 1 << P::A);
        let mut level = Vec::with_capacity(TREES * size * P::N);
        for begin in (0..TREES * size).step_by(self.number) {
            let number = self.number.min(TREES * size - begin);
            for lane in 0..number {
                self.set(lane, address.of(Kind::ForsPrf, pair).at(0, begin + lane), sk_seed);
            }
            self.hash(number);
            self.change(Address::KIND, Kind::ForsTree as u8);
            for (i, value) in (begin..).zip(self.values(number)).filter(|(i, _)| chosen[i / size] == i % size) {
                parts[i / size * (1 + P::A) * P::N..][..P::N].copy_from_slice(value);
            }
            self.hash(number);
            self.values(number).for_each(|value| level.extend_from_slice(value));
        }
        let roots = self.grow(address.of(Kind::ForsTree, pair), level, &chosen, parts);
        self.many(&roots, roots.len(), |_| address.of(Kind::ForsRoots, pair))
    }

    /// Gives the FORS key that a signature of `digest` leads to (algorithm 17).
    pub(crate) fn fors_key(&mut self, leaf: u128, digest: &[u8], parts: &[u8]) -> Vec<u8> {
        let ((address, pair), chosen) = (Address::new(0, leaf), leaves::<P>(digest));
        let trees = address.of(Kind::ForsTree, pair);
        for (tree, part) in parts.chunks_exact((1 + P::A) * P::N).enumerate() {
            self.set(tree, trees.at(0, (tree << P::A) + chosen[tree]), &part[..P::N]);
        }
        self.hash(TREES);
        let roots = self.climb(trees, P::A, self.values(TREES).collect::<Vec<_>>().concat(), &chosen, parts);
        self.many(&roots, roots.len(), |_| address.of(Kind::ForsRoots, pair))
    }

    /// Gives the root of the tree of `layer` above a leaf, and writes its signature of `node` if there is room.
    pub(crate) fn tree(&mut self, sk_seed: &[u8], layer: u8, leaf: u128, node: &[u8], part: &mut [u8]) -> Vec<u8> {
        let ((address, pair), digits, all) = (Address::new(layer, leaf), digits(node), self.number);
        for lane in 0..all {
            self.set(lane, address.of(Kind::WotsPrf, lane / P::CHAINS).at(lane % P::CHAINS, 0), sk_seed);
        }
        self.hash(all);
        self.change(Address::KIND, Kind::WotsHash as u8);
        for step in 0..=STEPS {
            let chains = self.values(all).skip(pair * P::CHAINS).zip(part.chunks_exact_mut(P::N)).zip(&digits);
            chains.filter(|(_, digit)| **digit == step).for_each(|((value, part), _)| part.copy_from_slice(value));
            if step < STEPS {
                self.change(Address::HASH, step);
                self.hash(all);
            }
        }
        let ends = self.values(all).collect::<Vec<_>>().concat();
        let leaves = self.many(&ends, P::CHAINS * P::N, |pair| address.of(Kind::WotsPk, pair));
        self.grow(address.of(Kind::Tree, 0), leaves, &[pair], part)
    }

    /// Gives the root that a signature of `node` leads to (algorithm 13).
    pub(crate) fn root_above(&mut self, leaf: u128, mut node: Vec<u8>, parts: &[u8]) -> Vec<u8> {
        for (layer, part) in (0..).zip(parts.chunks_exact((P::CHAINS + HEIGHT) * P::N)) {
            let ((address, pair), digits) = (Address::new(layer, leaf), digits(&node));
            let mut order: Vec<usize> = (0..digits.len()).collect();
            order.sort_unstable_by_key(|&chain| digits[chain]); // those that have begun are the first
            for (lane, &chain) in order.iter().enumerate() {
                self.set(lane, address.of(Kind::WotsHash, pair).at(chain, 0), &part[chain * P::N..][..P::N]);
            }
            for step in 0..STEPS {
                self.change(Address::HASH, step);
                self.hash(order.partition_point(|&chain| digits[chain] <= step));
            }
            let mut ends = vec![&[][..]; order.len()];
            order.iter().zip(self.values(order.len())).for_each(|(&chain, end)| ends[chain] = end);
            let leaf = self.many(&ends.concat(), order.len() * P::N, |_| address.of(Kind::WotsPk, pair));
            node = self.climb(address.of(Kind::Tree, 0), HEIGHT, leaf, &[pair], part);
        }
        node
    }
}

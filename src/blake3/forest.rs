//! The trees of several messages: chunks of all side by side, then parents of all, so that no lane waits for another
//! message's tree.

use core::slice::from_ref;

use super::chunks::compress_chunks;
use super::tree::{Base, Begin, Cv, before_last, joined};
use super::value::CHUNK_LEN;
use crate::backend::dispatch::compress_group;
use crate::backend::{Backend, Dispatch};
use crate::kernel::blake3::{Blake3Function, Chain, IV, MAX_INPUTS, flag, to_bytes};
use crate::kernel::{ChainState, Function, Known, wipe};
use crate::lanes::WINDOW;
use crate::lanes::ends::{End, close_each};
use crate::lanes::order::sort_by_blocks;
use crate::lanes::scheduler::{Job, Start, compress_sorted};

/// Subtrees that have a place: chunks are hashed, and parents made, when there is no room for more.
const ROOM: usize = WINDOW;

/// The last subtrees of some messages. Messages are `ALIKE` if they have one key and mode, and lie here whole.
pub(super) struct Forest<'a, const ALIKE: bool> {
    backend: Backend,
    trees: [Tree<'a>; ROOM],
    /// Trees in use.
    number: usize,
    /// Chunks still to be hashed.
    chunks: [Chunk<'a>; ROOM],
    /// Chunks in use.
    waiting: usize,
    cvs: [Cv; ROOM],
    /// Chaining values in use.
    used: usize,
}

/// A message.
#[derive(Clone, Copy)]
struct Tree<'a> {
    /// The caller's name for it.
    place: usize,
    base: Base<'a>,
    /// The complete subtrees to the left of those in the forest, the largest first.
    left: &'a [Cv],
    /// The place of its first subtree in the forest.
    first: usize,
    /// Its subtrees in the forest. They become fewer by half until there is one.
    subtrees: usize,
    /// Parents that are being made.
    parents: usize,
}

/// A chunk of a message, or what is left of one.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    tree: usize,
    /// The place of its chaining value in the forest.
    to: usize,
    origin: Origin<'a>,
    bytes: &'a [u8],
}

#[derive(Clone, Copy)]
enum Origin<'a> {
    /// A whole chunk of this number.
    Number(u64),
    /// One of which some blocks are compressed.
    Chain(&'a Chain),
}

impl<'a, const ALIKE: bool> Forest<'a, ALIKE> {
    pub(super) fn new(backend: Backend) -> Self {
        let base = Base { key: &IV, flags: 0, backend };
        let tree = Tree { place: 0, base, left: &[], first: 0, subtrees: 0, parents: 0 };
        let chunk = Chunk { tree: 0, to: 0, origin: Origin::Number(0), bytes: &[] };
        Self {
            backend,
            trees: [tree; ROOM],
            number: 0,
            chunks: [chunk; ROOM],
            waiting: 0,
            cvs: [[0; 32]; ROOM],
            used: 0,
        }
    }

    /// Whether there is no room for a message with so many subtrees.
    pub(super) fn is_full(&self, subtrees: usize) -> bool {
        self.used + subtrees > ROOM
    }

    /// Adds a message that consists of the subtrees `left`, the subtrees `last`, and the chunks of `bytes`, numbered
    /// from `counter` on. All except `left` take room.
    pub(super) fn add(
        &mut self,
        place: usize,
        base: Base<'a>,
        (left, last): (&'a [Cv], &[Cv]),
        (counter, bytes): (u64, &'a [u8]),
    ) {
        debug_assert!(!ALIKE || left.is_empty() && last.is_empty(), "they lie here whole");
        let first = self.used;
        self.cvs[first..][..last.len()].copy_from_slice(last);
        self.used += last.len();
        for (i, chunk) in (0..).zip(bytes.chunks(CHUNK_LEN)) {
            self.add_chunk(Origin::Number(counter.wrapping_add(i)), chunk);
        }
        if self.used == first {
            self.add_chunk(Origin::Number(counter), &[]);
        }
        self.add_tree(place, base, left, first);
    }

    fn add_chunk(&mut self, origin: Origin<'a>, bytes: &'a [u8]) {
        self.chunks[self.waiting] = Chunk { tree: self.number, to: self.used, origin, bytes };
        self.waiting += 1;
        self.used += 1;
    }

    fn add_tree(&mut self, place: usize, base: Base<'a>, left: &'a [Cv], first: usize) {
        self.trees[self.number] = Tree { place, base, left, first, subtrees: self.used - first, parents: 0 };
        self.number += 1;
    }

    /// Gives the digest of each message to `put`, and begins anew.
    pub(super) fn finish(&mut self, put: &mut dyn FnMut(usize, &[Cv])) {
        if ALIKE {
            self.compress_groups();
        } else {
            self.compress_chunks();
        }
        while self.compress_parents() {}
        for tree in &self.trees[..self.number] {
            put(tree.place, from_ref(&self.cvs[tree.first]));
        }
        [self.number, self.waiting, self.used] = [0; 3];
        self.cvs.iter_mut().for_each(wipe);
    }

    /// The chaining values of all chunks of messages that are alike. Chunks of equally many blocks go together.
    fn compress_groups(&mut self) {
        let chunks = &self.chunks[..self.waiting];
        let (mut messages, mut counts, mut order) = ([&[][..]; ROOM], [0; ROOM], [0; ROOM]);
        for (i, chunk) in (0..).zip(chunks) {
            let place = usize::from(i);
            (messages[place], counts[place], order[place]) = (chunk.bytes, before_last(chunk.bytes), i);
        }
        let order = &mut order[..chunks.len()];
        sort_by_blocks(order, |i| counts[i].into());
        let base = self.trees[0].base;
        let mut memory = [[[0; 64]; 2]; MAX_INPUTS];
        let mut cvs = [[0; 32]; MAX_INPUTS];
        for group in order.chunks(Blake3Function::lanes(self.backend)) {
            let (mut last, mut counters) = ([flag::CHUNK_END; MAX_INPUTS], [0; MAX_INPUTS]);
            let mut whole = [&[][..]; MAX_INPUTS];
            for (l, i) in group.iter().enumerate() {
                let Chunk { tree, origin, bytes, .. } = chunks[usize::from(*i)];
                last[l] |= root_if(self.trees[tree].subtrees == 1);
                if let Origin::Number(number) = origin {
                    counters[l] = number;
                }
                whole[l] = bytes.as_chunks().0;
            }
            let (begin, whole) = (Begin::of_chunks(&base, &last, &counters), &whole[..group.len()]);
            let cvs = &mut cvs[..group.len()];
            if group.iter().all(|i| messages[usize::from(*i)].len() == CHUNK_LEN) {
                compress_group(self.backend, begin.group(whole, &[64; MAX_INPUTS], cvs));
            } else {
                compress_chunks(&begin, (&messages, &counts), group, &mut memory, cvs);
            }
            for (i, cv) in group.iter().zip(cvs) {
                self.cvs[chunks[usize::from(*i)].to] = *cv;
            }
        }
        memory.iter_mut().flatten().for_each(wipe);
        cvs.iter_mut().for_each(wipe);
    }

    /// The chaining values of all chunks.
    fn compress_chunks(&mut self) {
        let (trees, cvs) = (&self.trees, &mut self.cvs);
        let job = |i: usize| {
            let Chunk { tree, to, origin, bytes } = self.chunks[i];
            let tree = &trees[tree];
            let chain = match origin {
                Origin::Number(number) => Start::Of(tree.base.chunk(number)),
                Origin::Chain(chain) => Start::At(chain),
            };
            let root = root_if(tree.subtrees == 1 && tree.left.is_empty());
            Job { place: to, chain, bytes, last: flag::CHUNK_END | root }
        };
        let mut put = |to: usize, chains: &[Chain]| {
            for (cv, chain) in cvs[to..].iter_mut().zip(chains) {
                *cv = to_bytes(chain.h);
            }
        };
        let lengths = self.chunks[..self.waiting].iter().map(|chunk| chunk.bytes.len()).enumerate();
        compress_sorted::<Blake3Function>(self.backend, lengths, job, false, &mut put);
    }

    /// Makes parents of all neighbours, or of the last subtree to the left and the only one here, in all messages, and
    /// tells whether there were any.
    fn compress_parents(&mut self) -> bool {
        let mut number = 0;
        for tree in &mut self.trees[..self.number] {
            tree.parents = if tree.subtrees == 1 { usize::from(!tree.left.is_empty()) } else { tree.subtrees / 2 };
            number += tree.parents;
        }
        if number == 0 {
            return false;
        }
        let mut parents = [[0; 32]; ROOM];
        if ALIKE {
            self.compress_pairs(&mut parents[..number]);
        } else {
            self.compress_parents_of_each(&mut parents);
        }
        let mut next = 0;
        for tree in &mut self.trees[..self.number] {
            let Tree { first, subtrees, parents: made, .. } = *tree;
            self.cvs[first..][..made].copy_from_slice(&parents[next..][..made]);
            next += made;
            if subtrees > 1 && subtrees % 2 == 1 {
                self.cvs[first + made] = self.cvs[first + subtrees - 1];
            }
            tree.subtrees = subtrees.div_ceil(2);
        }
        parents.iter_mut().for_each(wipe);
        true
    }

    /// The parents of whole messages that are alike.
    fn compress_pairs(&self, parents: &mut [Cv]) {
        let lanes = Blake3Function::lanes(self.backend);
        let mut pairs = self.trees[..self.number].iter().flat_map(|tree| {
            let last = root_if(tree.subtrees == 2);
            let two = self.cvs[tree.first..][..2 * tree.parents].as_flattened();
            two.as_chunks().0.chunks(1).map(move |block| (block, last))
        });
        for outputs in parents.chunks_mut(lanes) {
            let mut inputs = [&[][..]; MAX_INPUTS];
            let mut flags = [0; MAX_INPUTS];
            for ((input, last), pair) in inputs.iter_mut().zip(&mut flags).zip(pairs.by_ref().take(outputs.len())) {
                (*input, *last) = pair;
            }
            self.trees[0].base.parents(&inputs[..outputs.len()], &flags, outputs);
        }
    }

    /// The parents of messages with keys and modes of their own.
    fn compress_parents_of_each(&mut self, parents: &mut [Cv; ROOM]) {
        let mut blocks = [[0; 64]; ROOM];
        let mut chains = [(Chain::UNUSED, 0); ROOM];
        let mut number = 0;
        for tree in &mut self.trees[..self.number] {
            let Base { key, flags, .. } = tree.base;
            let chain = Chain { first: 0, ..Chain::chunk(*key, 0, flags | flag::PARENT) };
            let cvs = &self.cvs[tree.first..][..tree.subtrees];
            if let ([only], [left @ .., last]) = (cvs, tree.left) {
                blocks[number] = joined(last, only);
                chains[number] = (chain, root_if(left.is_empty()));
                number += 1;
                tree.left = left;
                continue;
            }
            for pair in cvs.chunks_exact(2) {
                blocks[number] = joined(&pair[0], &pair[1]);
                chains[number] = (chain, root_if(cvs.len() == 2 && tree.left.is_empty()));
                number += 1;
            }
        }
        let ends = blocks[..number].iter().zip(&chains);
        let ends = ends.map(|(block, (chain, last))| End::<Blake3Function> { chain, block, length: 64, last: *last });
        close_each(self.backend, Known::Nothing, ends, |i, chain| parents[i] = to_bytes(chain.h));
        blocks.iter_mut().for_each(wipe);
        chains.iter_mut().for_each(|(chain, _)| Blake3Function::wipe(chain));
    }
}

impl<'a> Forest<'a, false> {
    /// Adds a message that consists of the subtrees `left` and a chunk that goes on from `chain` with `bytes`.
    pub(super) fn add_begun(
        &mut self,
        place: usize,
        base: Base<'a>,
        left: &'a [Cv],
        chain: &'a Chain,
        bytes: &'a [u8],
    ) {
        let first = self.used;
        self.add_chunk(Origin::Chain(chain), bytes);
        self.add_tree(place, base, left, first);
    }
}

/// The flag of the root, if it is one.
fn root_if(is_root: bool) -> u8 {
    if is_root { flag::ROOT } else { 0 }
}

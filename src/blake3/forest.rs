//! The trees of several messages: chunks of all side by side, then parents of all, so that no lane waits for another
//! message's tree.

use core::slice::from_ref;

use super::tree::{Base, Cv, joined};
use super::value::CHUNK_LEN;
use crate::backend::Backend;
use crate::kernel::blake3::{Blake3Function, Chain, IV, flag, to_bytes};
use crate::kernel::wipe;
use crate::many::{Job, Message, Start, WINDOW, compress_sorted, schedule};

/// Subtrees that have a place: chunks are hashed, and parents made, when there is no room for more.
const ROOM: usize = WINDOW;

/// The last subtrees of some messages.
pub(super) struct Forest<'a> {
    backend: Backend,
    /// Whether all messages have one key and mode.
    alike: bool,
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
    begin: Begin<'a>,
    bytes: &'a [u8],
}

#[derive(Clone, Copy)]
enum Begin<'a> {
    /// A whole chunk of this number.
    Number(u64),
    /// One of which some blocks are compressed.
    Chain(&'a Chain),
}

impl<'a> Forest<'a> {
    /// A forest of messages that are `alike`: all have the same key and mode.
    pub(super) fn new(backend: Backend, alike: bool) -> Self {
        let base = Base { key: &IV, flags: 0, backend };
        let tree = Tree { place: 0, base, left: &[], first: 0, subtrees: 0, parents: 0 };
        let chunk = Chunk { tree: 0, to: 0, begin: Begin::Number(0), bytes: &[] };
        Self {
            backend,
            alike,
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
    /// from `counter` on. All but `left` take room.
    pub(super) fn add(
        &mut self,
        place: usize,
        base: Base<'a>,
        (left, last): (&'a [Cv], &[Cv]),
        (counter, bytes): (u64, &'a [u8]),
    ) {
        let first = self.used;
        self.cvs[first..][..last.len()].copy_from_slice(last);
        self.used += last.len();
        for (i, chunk) in (0..).zip(bytes.chunks(CHUNK_LEN)) {
            self.add_chunk(Begin::Number(counter.wrapping_add(i)), chunk);
        }
        if self.used == first {
            self.add_chunk(Begin::Number(counter), &[]);
        }
        self.add_tree(place, base, left, first);
    }

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
        self.add_chunk(Begin::Chain(chain), bytes);
        self.add_tree(place, base, left, first);
    }

    fn add_chunk(&mut self, begin: Begin<'a>, bytes: &'a [u8]) {
        self.chunks[self.waiting] = Chunk { tree: self.number, to: self.used, begin, bytes };
        self.waiting += 1;
        self.used += 1;
    }

    fn add_tree(&mut self, place: usize, base: Base<'a>, left: &'a [Cv], first: usize) {
        self.trees[self.number] = Tree { place, base, left, first, subtrees: self.used - first, parents: 0 };
        self.number += 1;
    }

    /// Gives the digest of each message to `put`, and begins anew.
    pub(super) fn finish(&mut self, put: &mut dyn FnMut(usize, &[Cv])) {
        self.compress_chunks();
        while self.compress_parents() {}
        for tree in &self.trees[..self.number] {
            put(tree.place, from_ref(&self.cvs[tree.first]));
        }
        [self.number, self.waiting, self.used] = [0; 3];
        self.cvs.iter_mut().for_each(wipe);
    }

    /// The chaining values of all chunks.
    fn compress_chunks(&mut self) {
        let (trees, cvs) = (&self.trees, &mut self.cvs);
        let job = |i: usize| {
            let Chunk { tree, to, begin, bytes } = self.chunks[i];
            let tree = &trees[tree];
            let chain = match begin {
                Begin::Number(number) => Start::Of(tree.base.chunk(number)),
                Begin::Chain(chain) => Start::At(chain),
            };
            let root = if tree.subtrees == 1 && tree.left.is_empty() { flag::ROOT } else { 0 };
            Job { place: to, chain, bytes, last: flag::CHUNK_END | root }
        };
        let mut put = |to: usize, chains: &[Chain]| {
            for (cv, chain) in cvs[to..].iter_mut().zip(chains) {
                *cv = to_bytes(chain.h);
            }
        };
        compress_sorted::<Blake3Function>(self.backend, 0..self.waiting, job, self.alike, &mut put);
    }

    /// Makes parents of all neighbours, or of the last subtree to the left and the only one here, in all messages, and
    /// tells whether there were any.
    fn compress_parents(&mut self) -> bool {
        let mut blocks = [[0; 64]; ROOM];
        let mut of = [(0, false); ROOM];
        let mut number = 0;
        for (i, tree) in self.trees[..self.number].iter_mut().enumerate() {
            let cvs = &self.cvs[tree.first..][..tree.subtrees];
            let before = number;
            match (cvs, tree.left) {
                ([_], []) => {}
                ([only], [left @ .., last]) => {
                    blocks[number] = joined(last, only);
                    of[number] = (i, left.is_empty());
                    number += 1;
                    tree.left = left;
                }
                _ => {
                    for pair in cvs.chunks_exact(2) {
                        blocks[number] = joined(&pair[0], &pair[1]);
                        of[number] = (i, cvs.len() == 2 && tree.left.is_empty());
                        number += 1;
                    }
                }
            }
            tree.parents = number - before;
        }
        if number == 0 {
            return false;
        }
        let mut parents = [[0; 32]; ROOM];
        self.compress_blocks(&blocks[..number], &of, &mut parents[..number]);
        let mut next = 0;
        for tree in &mut self.trees[..self.number] {
            let Tree { first, subtrees, parents: made, .. } = *tree;
            self.cvs[first..][..made].copy_from_slice(&parents[next..][..made]);
            next += made;
            if made > 0 && subtrees > 1 && subtrees % 2 == 1 {
                self.cvs[first + made] = self.cvs[first + subtrees - 1];
            }
            tree.subtrees = subtrees.div_ceil(2);
        }
        blocks.iter_mut().for_each(wipe);
        parents.iter_mut().for_each(wipe);
        true
    }

    /// The chaining values of `blocks`, each a parent of this tree, and whether it is the root.
    fn compress_blocks(&self, blocks: &[[u8; 64]], of: &[(usize, bool); ROOM], parents: &mut [Cv]) {
        if self.alike {
            return self.trees[0].base.parents(blocks, |i| of[i].1, parents);
        }
        let messages = blocks.iter().zip(of).enumerate().map(|(i, (block, &(tree, root)))| {
            let Base { key, flags, .. } = self.trees[tree].base;
            let chain = Chain { first: 0, ..Chain::chunk(*key, 0, flags | flag::PARENT) };
            Message::ending(i, Start::Of(chain), &[], block, if root { flag::ROOT } else { 0 })
        });
        schedule::<Blake3Function, _>(self.backend, messages, |i: usize, chain| parents[i] = to_bytes(chain.h));
    }
}

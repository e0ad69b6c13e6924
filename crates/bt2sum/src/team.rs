//! Divides a tree among threads, within a limit of memory, and computes the root from the leaves of all threads.
//!
//! A *group* is a run of whole leaves that one thread takes at a time.

use std::io;

use simd_digest::blake2::{Hash, Tree};

use crate::buffers::Buffers;
use simd_digest::blake2::Flavour;

/// The limit for all buffers together, in bytes, whatever the lengths of file and leaf. Each takes a page more, for its
/// alignment.
pub(crate) const MEMORY: usize = 128 << 20;

/// The least length of a group of small leaves, in bytes: enough to make the cost of locks and system calls negligible.
pub(crate) const GROUP: usize = 1 << 20;

/// The largest number of small leaves in a group.
const LEAVES: usize = 4096;

/// The number of threads and the length of a group, for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    /// The length of a group, in bytes. `None` if memory cannot hold even two leaves.
    pub(crate) group: Option<usize>,
}

impl Plan {
    /// A plan for leaves of `chunk` bytes, with at most this many lanes and threads.
    pub(crate) fn new(chunk: u32, lanes: usize, threads: usize) -> Self {
        let chunk = chunk as usize;
        let lanes = lanes.min(MEMORY / chunk);
        if lanes < 2 && threads.min(MEMORY / chunk) < 2 {
            return Self { threads: 1, group: None };
        }
        let repeats = GROUP.div_ceil(lanes * chunk).min(LEAVES / lanes).max(1);
        let group = repeats * lanes * chunk;
        Self { threads: threads.min(MEMORY / group).max(1), group: Some(group) }
    }
}

/// The threads that hash one tree, and what they share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team<'a> {
    pub(crate) threads: usize,
    /// The length of a group, in bytes.
    pub(crate) group: usize,
    pub(crate) buffers: &'a Buffers,
}

/// The result of hashing a message.
#[derive(Debug)]
pub(crate) struct Hashed<H> {
    pub(crate) hash: H,
    /// The length of the message, in bytes.
    pub(crate) length: u64,
}

/// Receives the digests of the leaves, in order. An error from the sink ends the hashing.
pub(crate) type LeafSink<'a, F> = &'a mut dyn FnMut(&Hash<F>) -> io::Result<()>;

/// The root over the digests of all leaves, group by group; each digest goes to `sink` first. The first error ends it.
pub(crate) fn root<F: Flavour>(
    tree: &Tree<F>,
    groups: impl Iterator<Item = io::Result<Vec<Hash<F>>>>,
    sink: LeafSink<'_, F>,
) -> io::Result<Hash<F>> {
    let mut failure = None;
    let leaves = groups.flat_map(|group| match group {
        Ok(leaves) => leaves.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    let good = leaves
        .map_while(|leaf| leaf.and_then(|leaf| sink(&leaf).map(|()| leaf)).map_err(|error| failure = Some(error)).ok());
    let root = tree.root_from_leaves(good);
    failure.map_or_else(|| root.map_err(io::Error::other), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        for chunk in [1, 100, 4096, 1 << 20, 5 << 20, 16 << 20, 60 << 20, 64 << 20, 65 << 20, 128 << 20, u32::MAX] {
            for lanes in [1, 2, 4, 8, 16] {
                for threads in [1, 2, 3, 64] {
                    let Plan { threads: used, group } = Plan::new(chunk, lanes, threads);
                    assert!((1..=threads).contains(&used));
                    let Some(group) = group else { continue };
                    assert!(used * group <= MEMORY, "{chunk} {lanes} {threads}");
                    assert!(group >= chunk as usize && group.is_multiple_of(chunk as usize));
                }
            }
        }
        assert_eq!(Plan::new(5 << 20, 8, 2), Plan { threads: 2, group: Some(40 << 20) });
        assert_eq!(Plan::new(u32::MAX, 8, 2), Plan { threads: 1, group: None });
    }
}

//! What all ways to hash a tree share: how much a thread takes at a time, how much memory that may take, and the root.

use std::io;
use std::sync::{Mutex, PoisonError};

use simd_digest::blake2::{Hash, Tree};

use crate::scheme::Flavour;

/// Bytes of all buffers together, whatever the size of file and leaf.
pub(crate) const MEMORY: usize = 128 << 20;

/// Bytes that a group of small leaves should have at least, so that the lock and the system calls do not count.
pub(crate) const GROUP: usize = 1 << 20;

/// Small leaves of a group at most.
const LEAVES: usize = 4096;

/// How a message is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    /// Bytes of a buffer: whole leaves. `None` if even two leaves are too many to hold.
    pub(crate) group: Option<usize>,
}

impl Plan {
    /// For leaves of this many bytes.
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

/// Who hashes the leaves of a tree.
#[derive(Debug)]
pub(crate) struct Team<'a, F: Flavour> {
    pub(crate) tree: &'a Tree<F>,
    pub(crate) threads: usize,
    /// Bytes that a thread takes at a time: whole leaves.
    pub(crate) group: usize,
    pub(crate) buffers: &'a Buffers,
}

/// What a message comes to.
#[derive(Debug)]
pub(crate) struct Hashed<F: Flavour> {
    pub(crate) hash: Hash<F>,
    /// Bytes of the message.
    pub(crate) length: u64,
}

/// Buffers that were used before.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    pub(crate) fn take(&self, length: usize) -> Vec<u8> {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        used.filter(|buffer| buffer.len() == length).unwrap_or_else(|| vec![0; length])
    }

    pub(crate) fn put(&self, buffer: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// What takes in the digests of the leaves, in order.
pub(crate) type LeafSink<'a, F> = &'a mut dyn FnMut(&Hash<F>) -> io::Result<()>;

/// The root over groups of digests that may stop with an error.
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

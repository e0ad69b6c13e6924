//! Hashes the tree of a stream of unknown length: one thread at a time reads a whole group, front to back, and all
//! threads hash the leaves of their groups in lanes.

use core::iter;
use std::io::{self, Read};

use simd_digest::blake2::{Hash, Part, Tree};

use crate::buffers::Buffer;
use crate::input::{fill, read};
use crate::team::{Hashed, LeafSink, Team, root};
use crate::threads::in_order;
use simd_digest::blake2::Flavour;

/// Bytes of one read where there is no group of leaves to fill.
const PIECE: usize = 256 << 10;

/// The number of bytes read beyond a group.
const BEYOND: usize = 64 << 10;

/// Hashes one leaf at a time on one thread, for leaves too long to hold in memory. A full leaf stays open until another
/// byte follows, since only the end of the stream tells which leaf is the last.
pub(crate) fn leaf_by_leaf<F: Flavour>(
    input: impl Read,
    tree: &Tree<F>,
    sink: LeafSink<'_, F>,
) -> io::Result<Hashed<Hash<F>>> {
    let mut leaves =
        LeafByLeaf { input, buffer: Buffer::new(PIECE), begin: 0, end: 0, index: 0, length: 0, ended: false };
    let hash = root(tree, iter::from_fn(|| leaves.next(tree).transpose()).map(|leaf| Ok(vec![leaf?])), sink)?;
    Ok(Hashed { hash, length: leaves.length })
}

/// A stream, and how far its leaves are hashed.
struct LeafByLeaf<R> {
    input: R,
    buffer: Buffer,
    /// The part of the buffer from `begin` to `end` is read, but in no leaf yet.
    begin: usize,
    end: usize,
    /// The number of the next leaf.
    index: u64,
    length: u64,
    ended: bool,
}

impl<R: Read> LeafByLeaf<R> {
    /// The digest of the next leaf, or `None` after the last.
    fn next<F: Flavour>(&mut self, tree: &Tree<F>) -> io::Result<Option<Hash<F>>> {
        if self.ended {
            return Ok(None);
        }
        let mut leaf = tree.leaf(self.index, Part::NotLast).map_err(io::Error::other)?;
        self.index += 1;
        let mut room = tree.leaf_length() as usize;
        loop {
            if self.begin == self.end {
                (self.begin, self.end) = (0, read(&mut self.input, &mut self.buffer)?);
            }
            self.ended = self.end == 0;
            if self.ended || room == 0 {
                return Ok(Some(leaf.set_last_node(self.ended).finalize()));
            }
            let here = room.min(self.end - self.begin);
            leaf.update(&self.buffer[self.begin..][..here]);
            self.begin += here;
            self.length += here as u64;
            room -= here;
        }
    }
}

/// Hashes groups of leaves on the threads of the team.
pub(crate) fn leaves_in_groups<F: Flavour>(
    input: impl Read + Send,
    tree: &Tree<F>,
    team: Team<'_>,
    sink: LeafSink<'_, F>,
) -> io::Result<Hashed<Hash<F>>> {
    let leaves_of_group = (team.group / tree.leaf_length() as usize) as u64;
    let hash = |number, group: &[u8], is_last| {
        tree.hash_run(number * leaves_of_group, group, Part::last_if(is_last)).map_err(io::Error::other)
    };
    in_groups(input, team, hash, |groups| root(tree, groups, sink))
}

/// Hashes groups on the threads of the team. `hash` gets the number of a group, its bytes, and whether it is the last;
/// `consume` gets the results in order.
pub(crate) fn in_groups<T: Send, H>(
    input: impl Read + Send,
    team: Team<'_>,
    hash: impl Fn(u64, &[u8], bool) -> io::Result<T> + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = io::Result<T>>) -> io::Result<H>,
) -> io::Result<Hashed<H>> {
    let Team { threads, group, buffers } = team;
    let mut reader = GroupReader { input, beyond: Vec::new(), length: 0, ended: false };
    let groups = iter::from_fn(|| {
        let mut buffer = (!reader.ended).then(|| buffers.take(group))?;
        let filled = reader.next(&mut buffer);
        Some((buffer, filled, reader.ended))
    });
    let work = |(number, (buffer, filled, is_last)): (u64, (Buffer, io::Result<usize>, bool))| {
        let hashed = filled.and_then(|filled| hash(number, &buffer[..filled], is_last));
        buffers.put(buffer);
        hashed
    };
    let hash = in_order(threads, (0..).zip(groups), work, consume)?;
    Ok(Hashed { hash, length: reader.length })
}

/// Reads a stream group after group.
struct GroupReader<R> {
    input: R,
    /// The beginning of the next group, read to learn whether the current group is the last.
    beyond: Vec<u8>,
    /// The number of bytes read.
    length: u64,
    /// Whether the stream ended or failed.
    ended: bool,
}

impl<R: Read> GroupReader<R> {
    /// Reads the next group, and returns its length. Only the last group is shorter than the buffer.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let filled = self.read_group(buffer);
        self.ended = self.beyond.is_empty() || filled.is_err();
        filled
    }

    /// Fills the buffer, then reads beyond the group.
    fn read_group(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let beyond = self.beyond.len();
        buffer[..beyond].copy_from_slice(&self.beyond);
        self.beyond.clear();
        let filled = beyond + fill(&mut self.input, &mut buffer[beyond..])?;
        if filled == buffer.len() {
            // At most the length of a group; for long groups, a multiple of a page.
            self.beyond.resize(buffer.len().min(BEYOND), 0);
            let more = read(&mut self.input, &mut self.beyond);
            self.beyond.truncate(*more.as_ref().unwrap_or(&0));
            more?;
        }
        self.length += (filled - beyond + self.beyond.len()) as u64;
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use simd_digest::blake2b::{Hash, Tree};

    use super::*;
    use crate::buffers::Buffers;
    use crate::paint::paint;

    /// Gives `message` in short reads of many lengths, each after an interruption, and then the end or an error.
    struct Restless<'a> {
        message: &'a [u8],
        reads: usize,
        end: Option<ErrorKind>,
    }

    impl Read for Restless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            if self.reads % 2 == 1 {
                return Err(ErrorKind::Interrupted.into());
            }
            if let (true, Some(error)) = (self.message.is_empty(), self.end) {
                return Err(error.into());
            }
            let short = (self.reads * 7919 % 1361).clamp(1, buffer.len());
            self.message.read(&mut buffer[..short])
        }
    }

    /// The lengths of a group: one group for all, many groups, and `None` for leaf by leaf.
    const PLANS: [Option<usize>; 4] = [Some(20_000), Some(1000), Some(3000), None];

    fn run(
        message: &[u8],
        end: Option<ErrorKind>,
        group: Option<usize>,
        leaves: &mut Vec<Hash>,
    ) -> io::Result<Hashed<Hash>> {
        let input = Restless { message, reads: 0, end };
        let tree = Tree::unlimited_fanout(1000).unwrap();
        let mut sink = |leaf: &Hash| {
            leaves.push(*leaf);
            Ok(())
        };
        match group {
            Some(group) => {
                let team = Team { threads: 3, group, buffers: &Buffers::default() };
                leaves_in_groups(input, &tree, team, &mut sink)
            }
            None => leaf_by_leaf(input, &tree, &mut sink),
        }
    }

    #[test]
    fn short_and_interrupted_reads() {
        let tree = Tree::unlimited_fanout(1000).unwrap();
        let message = paint(20_001);
        for length in [0, 1, 999, 1000, 1001, 2000, 2999, 3000, 3001, 20_000, 20_001] {
            for group in PLANS {
                let message = &message[..length];
                let mut leaves = Vec::new();
                let digest = run(message, None, group, &mut leaves).unwrap();
                assert_eq!((digest.hash, digest.length), (tree.hash(message), length as u64), "{length}, {group:?}");
                assert_eq!(leaves, tree.hash_run(0, message, Part::Last).unwrap(), "{length}, {group:?}");
            }
        }
    }

    #[test]
    fn an_error_is_never_a_digest() {
        for length in [0, 1, 1000, 3000, 20_000] {
            for group in PLANS {
                let run = run(&vec![7; length], Some(ErrorKind::ConnectionReset), group, &mut Vec::new());
                assert_eq!(run.unwrap_err().kind(), ErrorKind::ConnectionReset, "{length}, {group:?}");
            }
        }
    }
}

//! One message of unknown length, read front to back by one thread at a time and hashed by all.
//!
//! ```text
//!   thread 0   read  hash hash hash  read  hash hash …      a group of leaves is read whole, in order,
//!   thread 1         read  hash hash hash  read  hash …     under a lock, and hashed in lanes without it
//! ```

use core::iter;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use simd_digest::Backend;
use simd_digest::blake2::{Hash, Tree};

use crate::input::{Input, fill, read};
use crate::regular;
use crate::scheme::{Flavour, Scheme, Secret, Shape};
use crate::threads::in_order;
use crate::window::Pieces;

/// Bytes of all buffers together, whatever the size of file and leaf.
pub(crate) const MEMORY: usize = 128 << 20;

/// Bytes of one read where there is no group of leaves to fill.
const PIECE: usize = 256 << 10;

/// Bytes that a group of small leaves should have at least, so that the lock and the system calls do not count.
pub(crate) const GROUP: usize = 1 << 20;

/// Bytes read beyond a group.
const AHEAD: usize = 64 << 10;

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
        let rounds = GROUP.div_ceil(lanes * chunk).min(LEAVES / lanes).max(1);
        let group = rounds * lanes * chunk;
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
pub(crate) struct Digest<F: Flavour> {
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

/// The digest of all of `input`, or of as many bytes as `limit` says, or else an error. A limit is for trees only.
pub(crate) fn hash<F: Flavour>(
    input: &mut Input<'_>,
    limit: u64,
    scheme: Scheme,
    secret: &Secret,
    threads: usize,
    buffers: &Buffers,
    leaves: LeafSink<'_, F>,
) -> io::Result<Digest<F>> {
    let Some(tree) = scheme.tree(secret) else { return whole(input, scheme, secret) };
    let plan = Plan::new(tree.leaf_length(), Backend::best().lanes() * F::PER_LANE, threads);
    let Some(group) = plan.group else { return leaf_by_leaf(input.take(limit), &tree, leaves) };
    match input.rest(limit)?.filter(|rest| rest.end - rest.start > GROUP as u64) {
        Some(rest) => regular::hash(input, rest, &Team { tree: &tree, threads, group, buffers }, leaves),
        None => {
            let team = Team { tree: &tree, threads: plan.threads, group, buffers };
            in_groups(input.take(limit), &team, leaves)
        }
    }
}

/// The digest of what is no tree.
fn whole<F: Flavour>(input: &mut Input<'_>, scheme: Scheme, secret: &Secret) -> io::Result<Digest<F>> {
    let params = scheme.only_leaf(secret);
    if scheme.shape == Shape::Parallel {
        let mut hasher = params.parallel().map_err(io::Error::other)?;
        let length = in_pieces(input, |piece| _ = hasher.update(piece))?;
        return Ok(Digest { hash: hasher.finalize(), length });
    }
    let mut hasher = params.hasher().map_err(io::Error::other)?;
    let length = in_pieces(input, |piece| _ = hasher.update(piece))?;
    Ok(Digest { hash: hasher.finalize(), length })
}

/// Gives all that is left of the input to `update`, and returns its length.
fn in_pieces(input: &mut Input<'_>, mut update: impl FnMut(&[u8])) -> io::Result<u64> {
    let (mut pieces, mut buffer) = (Pieces::default(), vec![0; PIECE]);
    let mut length = 0;
    loop {
        let piece = pieces.next(input, &mut buffer)?;
        update(piece);
        length += piece.len() as u64;
        if piece.len() < PIECE {
            return Ok(length);
        }
    }
}

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

/// Holds no leaf: a full one stays open until more follows, since only the end of the message tells which is the last.
fn leaf_by_leaf<F: Flavour>(input: impl Read, tree: &Tree<F>, sink: LeafSink<'_, F>) -> io::Result<Digest<F>> {
    let mut leaves = LeafByLeaf { input, buffer: vec![0; PIECE], begin: 0, end: 0, index: 0, length: 0, ended: false };
    let hash = root(tree, iter::from_fn(|| leaves.next(tree).transpose()).map(|leaf| Ok(vec![leaf?])), sink)?;
    Ok(Digest { hash, length: leaves.length })
}

struct LeafByLeaf<R> {
    input: R,
    buffer: Vec<u8>,
    /// What is in the buffer, but in no leaf yet.
    begin: usize,
    end: usize,
    /// The number of the next leaf.
    index: u64,
    length: u64,
    ended: bool,
}

impl<R: Read> LeafByLeaf<R> {
    fn next<F: Flavour>(&mut self, tree: &Tree<F>) -> io::Result<Option<Hash<F>>> {
        if self.ended {
            return Ok(None);
        }
        let mut leaf = tree.leaf(self.index, false);
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

fn in_groups<F: Flavour>(input: impl Read + Send, team: &Team<'_, F>, sink: LeafSink<'_, F>) -> io::Result<Digest<F>> {
    let &Team { tree, threads, group, buffers } = team;
    let reader = Mutex::new(Groups { input, ahead: Vec::new(), number: 0, length: 0, ended: false });
    let leaves_of_group = (group / tree.leaf_length() as usize) as u64;
    let work = || {
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        if reader.ended {
            return None;
        }
        let mut buffer = buffers.take(group);
        let filled = reader.next(&mut buffer);
        let (number, is_last) = (reader.number - 1, reader.ended);
        drop(reader);
        let leaves = filled.map(|filled| tree.hash_run(number * leaves_of_group, &buffer[..filled], is_last));
        buffers.put(buffer);
        Some((number, leaves))
    };
    let hash = in_order(threads, work, |groups| root(tree, groups, sink))?;
    Ok(Digest { hash, length: reader.into_inner().unwrap_or_else(PoisonError::into_inner).length })
}

/// Reads group after group.
struct Groups<R> {
    input: R,
    /// The beginning of the next group, read to learn whether there is one.
    ahead: Vec<u8>,
    /// Groups read.
    number: u64,
    length: u64,
    /// Nothing follows, or nothing could be read.
    ended: bool,
}

impl<R: Read> Groups<R> {
    /// Reads the next group, as many bytes of it as there are.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.number += 1;
        let filled = self.fill(buffer);
        self.ended = self.ahead.is_empty() || filled.is_err();
        filled
    }

    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = self.ahead.len();
        buffer[..ahead].copy_from_slice(&self.ahead);
        self.ahead.clear();
        let filled = ahead + fill(&mut self.input, &mut buffer[ahead..])?;
        if filled == buffer.len() {
            // No longer than a group, and a multiple of a page if groups are long.
            self.ahead.resize(buffer.len().min(AHEAD), 0);
            let more = read(&mut self.input, &mut self.ahead);
            self.ahead.truncate(*more.as_ref().unwrap_or(&0));
            more?;
        }
        self.length += (filled - ahead + self.ahead.len()) as u64;
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{ErrorKind, Seek, SeekFrom};

    use simd_digest::blake2::Params;
    use simd_digest::blake2b::{B, Hash, Tree};
    use simd_digest::blake2s::S;

    use super::{Hash as AnyHash, *};
    use crate::input::Source;
    use crate::progress::Progress;

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

    /// In one group, in many, and leaf by leaf.
    const PLANS: [Option<usize>; 4] = [Some(20_000), Some(1000), Some(3000), None];

    fn run(
        message: &[u8],
        end: Option<ErrorKind>,
        group: Option<usize>,
        leaves: &mut Vec<Hash>,
    ) -> io::Result<Digest<B>> {
        let input = Restless { message, reads: 0, end };
        let tree = Tree::unlimited_fanout(1000).unwrap();
        let mut sink = |leaf: &Hash| {
            leaves.push(*leaf);
            Ok(())
        };
        match group {
            Some(group) => {
                let team = Team { tree: &tree, threads: 3, group, buffers: &Buffers::default() };
                in_groups(input, &team, &mut sink)
            }
            None => leaf_by_leaf(input, &tree, &mut sink),
        }
    }

    #[test]
    fn short_and_interrupted_reads() {
        let tree = Tree::unlimited_fanout(1000).unwrap();
        let message: Vec<u8> = (0..=250).cycle().take(20_001).collect();
        for length in [0, 1, 999, 1000, 1001, 2000, 2999, 3000, 3001, 20_000, 20_001] {
            for group in PLANS {
                let message = &message[..length];
                let mut leaves = Vec::new();
                let digest = run(message, None, group, &mut leaves).unwrap();
                assert_eq!((digest.hash, digest.length), (tree.hash(message), length as u64), "{length}, {group:?}");
                assert_eq!(leaves, tree.hash_run(0, message, true), "{length}, {group:?}");
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

    /// From its beginning or not, whole or up to a limit, read or mapped: as a regular file in groups of small leaves and in
    /// pieces of long ones, leaf by leaf, and sequentially.
    fn files_by_all_shapes<F: Flavour>() {
        let message: Vec<u8> = (0..=250).cycle().take((12 << 20) + 1).collect();
        let (secret, progress) = (Secret::default(), Progress::default());
        let file = tempfile::NamedTempFile::new().unwrap();
        let chunks = [1000, 300_000, 5 << 20, (12 << 20) / 8 + 1, u32::MAX];
        let shapes = chunks.map(|chunk| Shape::Tree { chunk }).into_iter().chain([Shape::Sequential, Shape::Parallel]);
        for (shape, length) in
            shapes.flat_map(|shape| [1 << 20, (1 << 20) + 1, (12 << 20) + 1].map(|length| (shape, length)))
        {
            fs::write(file.path(), &message[..length]).unwrap();
            let scheme = Scheme { size: 32, shape };
            for (mmap, threads, begin, cut) in
                [(false, 1, 0, 0), (false, 3, 7, 9), (true, 1, 0, 0), (true, 3, 7, 9), (true, 2, 4096, 0)]
            {
                let end = if shape.is_tree() { length - cut } else { length };
                let limit = if end == length { u64::MAX } else { (end - begin) as u64 };
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                input.seek(SeekFrom::Start(begin as u64)).unwrap();
                let mut leaves = Vec::new();
                let mut sink = |leaf: &AnyHash<F>| {
                    leaves.push(*leaf);
                    Ok(())
                };
                let digest = hash(&mut input, limit, scheme, &secret, threads, &Buffers::default(), &mut sink).unwrap();
                let part = &message[begin..end];
                let case = format!("{shape:?} {length} {mmap} {threads} {begin}");
                assert_eq!(digest.length, part.len() as u64, "{case}");
                assert_eq!(input.stream_position().unwrap(), end as u64, "{case}");
                match scheme.tree::<F>(&secret) {
                    Some(tree) => {
                        assert_eq!(digest.hash, tree.hash(part), "{case}");
                        assert_eq!(leaves, tree.hash_run(0, part, true), "{case}");
                    }
                    None if shape == Shape::Parallel => {
                        let mut hasher = Params::<F>::new().hash_length(32).parallel().unwrap();
                        assert_eq!(digest.hash, hasher.update(part).finalize(), "{case}");
                    }
                    None => assert_eq!(digest.hash, Params::new().hash_length(32).hash(part).unwrap(), "{case}"),
                }
            }
        }
    }

    #[test]
    fn files_by_blake2b() {
        files_by_all_shapes::<B>();
    }

    #[test]
    fn files_by_blake2s() {
        files_by_all_shapes::<S>();
    }

    /// What is not there any more is an error, whether it was to be read or is mapped: never a digest, nor a signal.
    #[test]
    fn files_that_became_shorter() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let progress = Progress::default();
        for shape in [Shape::Tree { chunk: 1000 }, Shape::Tree { chunk: 1 << 20 }, Shape::Sequential, Shape::Parallel] {
            for (mmap, left) in [(false, 0), (false, (9 << 20) - 1), (true, 0), (true, (9 << 20) - 1)] {
                file.as_file().set_len(9 << 20).unwrap();
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                file.as_file().set_len(left).unwrap();
                let (scheme, secret) = (Scheme { size: 32, shape }, Secret::default());
                let run = hash::<B>(&mut input, u64::MAX, scheme, &secret, 2, &Buffers::default(), &mut |_| Ok(()));
                // What is read front to back to its end is compared when that is reached.
                let run = run.and_then(|_| input.check_unchanged());
                assert!(run.unwrap_err().to_string().contains("changed"), "{shape:?} {mmap} {left}");
            }
        }
    }

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

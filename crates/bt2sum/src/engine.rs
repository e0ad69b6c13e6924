//! Hashes many sources: small files in batches, side by side on every core, and long files one by one on all cores.
//!
//! Long files that are no trees, except those of BLAKE3, are hashed in the lanes of one core, a file in each lane.

use core::mem;
use std::io::{self, Read};

use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Hash};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::sha2::{Variant224, Variant256, Variant384, Variant512};

use crate::buffers::{Buffer, Buffers};
use crate::function::{Blake2, Blake2p, Blake3, Function, Sha2};
use crate::input::{Input, Source, fill};
use crate::message;
use crate::progress::Progress;
use crate::scheme::{Algorithm, Digest, Scheme, Secret};
use crate::team::{Hashed, LeafSink, MEMORY};
use crate::threads::in_order;
use crate::walk;
use crate::window::Pieces;

/// The largest number of files in a batch. Fewer have together as many bytes of digests as a small file.
const BATCH: usize = 64;

/// The length of the longest small file, in bytes. Small files are read whole.
const SMALL: usize = 4 << 20;

/// The length of a piece of a file in a lane, in bytes.
const PIECE: usize = 128 << 10;

/// A source, and the kind of its digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) scheme: Scheme,
}

/// The settings and resources that all jobs share.
pub(crate) struct Engine {
    pub(crate) threads: usize,
    pub(crate) secret: Secret,
    /// Whether the tree of an empty message has no leaf, as with the Go tool.
    pub(crate) compat_empty: bool,
    /// Whether standard input was the key, and is no message.
    pub(crate) input_is_key: bool,
    pub(crate) progress: Progress,
    /// Whether long files are mapped.
    pub(crate) mmap: bool,
    pub(crate) buffers: Buffers,
}

/// One thread, and no key.
impl Default for Engine {
    fn default() -> Self {
        Self {
            threads: 1,
            secret: Secret::default(),
            compat_empty: false,
            input_is_key: false,
            progress: Progress::default(),
            mmap: false,
            buffers: Buffers::default(),
        }
    }
}

/// The outcome of a job in a batch.
enum Outcome {
    Done(io::Result<Hashed<Digest>>),
    /// Left for all cores: a long file, a pipe, a device.
    Later,
}

/// A small file.
struct Small {
    /// The place of the file in the batch.
    index: usize,
    scheme: Scheme,
    bytes: Vec<u8>,
}

/// A long file that is hashed in a lane.
struct Lane<'a, H: Function> {
    index: usize,
    input: Input<'a>,
    pieces: Pieces,
    hasher: H::Hasher,
    length: u64,
    buffer: Buffer,
}

impl<H: Function> Lane<'_, H> {
    /// Forgets what was hashed.
    fn begin(&mut self, scheme: Scheme, secret: &Secret) {
        (self.pieces, self.hasher, self.length) = (Pieces::default(), H::hasher(scheme, secret), 0);
    }
}

impl Engine {
    /// Opens a source.
    pub(crate) fn open<'a>(&'a self, source: Source<'a>) -> io::Result<Input<'a>> {
        if self.input_is_key && source == Source::StandardInput {
            return Err(io::Error::other("Cannot open `-` in keyed mode"));
        }
        source.open(&self.progress, self.mmap)
    }

    /// Tells which file is read from now on.
    fn begin(&self, source: Source<'_>) {
        if let Source::File(path) = source {
            self.progress.begin(path.as_os_str());
        }
    }

    /// Hashes one source on all threads.
    fn hash_one<H: Function>(&self, Job { source, scheme }: Job<'_>) -> io::Result<Hashed<Digest>> {
        self.begin(source);
        let mut input = self.open(source)?;
        let hash = |input: &mut Input<'_>| H::hash(input, scheme, &self.secret, self.threads, &self.buffers);
        let Hashed { hash, length } = input.steadily(hash)?;
        let empty = if length == 0 { self.of_nothing::<H>(scheme) } else { None };
        Ok(Hashed { hash: empty.unwrap_or(hash), length })
    }

    /// Hashes the tree of one source on all threads. `write` gets the digests of the leaves, and what `begin` gave. If
    /// the source is read again, that is dropped, and `begin` is called again.
    pub(crate) fn hash_leaves<F: Flavour, W>(
        &self,
        job: Job<'_>,
        begin: impl Fn() -> io::Result<W>,
        write: impl Fn(&mut W, &Hash<F>) -> io::Result<()>,
    ) -> io::Result<(W, Hashed<Hash<F>>)> {
        self.open(job.source)?.steadily(|input| {
            let mut writer = begin()?;
            let digest = self.hash_input(input, u64::MAX, job.scheme, &mut |leaf| write(&mut writer, leaf))?;
            Ok((writer, digest))
        })
    }

    /// Hashes the tree of an open input, to its end or at most `limit` bytes.
    pub(crate) fn hash_input<F: Flavour>(
        &self,
        input: &mut Input<'_>,
        limit: u64,
        scheme: Scheme,
        sink: LeafSink<'_, F>,
    ) -> io::Result<Hashed<Hash<F>>> {
        let tree = scheme.tree(&self.secret).ok_or(io::ErrorKind::Unsupported)?;
        message::tree(input, limit, &tree, self.threads, &self.buffers, sink)
    }

    /// The number of threads for batches: few enough that each may hold two small files within the limit of memory.
    fn batch_threads(&self) -> usize {
        self.threads.min(MEMORY / (2 * SMALL))
    }

    /// The limit for the small files that one thread holds, in bytes.
    fn batch_memory(&self) -> usize {
        MEMORY / self.batch_threads()
    }

    /// Hashes all jobs, and gives the digests to `consume` in the order of the jobs, until `consume` fails.
    pub(crate) fn hash_all(
        &self,
        jobs: &[Job<'_>],
        mut consume: impl FnMut(usize, io::Result<Hashed<Digest>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut begin = 0;
        for run in jobs.chunk_by(|a, b| a.scheme.algorithm == b.scheme.algorithm) {
            let hash_run = match run[0].scheme.algorithm {
                Algorithm::Blake2b => Self::hash_run::<Blake2<FlavourB>>,
                Algorithm::Blake2s => Self::hash_run::<Blake2<FlavourS>>,
                Algorithm::Blake2bp => Self::hash_run::<Blake2p<FlavourB>>,
                Algorithm::Blake2sp => Self::hash_run::<Blake2p<FlavourS>>,
                Algorithm::Sha256 => Self::hash_run::<Sha2<Variant256>>,
                Algorithm::Sha224 => Self::hash_run::<Sha2<Variant224>>,
                Algorithm::Sha512 => Self::hash_run::<Sha2<Variant512>>,
                Algorithm::Sha384 => Self::hash_run::<Sha2<Variant384>>,
                Algorithm::Blake3 => Self::hash_run::<Blake3>,
            };
            hash_run(self, run, &mut |i, hash| consume(begin + i, hash))?;
            begin += run.len();
        }
        Ok(())
    }

    /// Hashes jobs of one algorithm, as [`hash_all`](Self::hash_all). There is at least one.
    fn hash_run<H: Function>(
        &self,
        jobs: &[Job<'_>],
        consume: &mut dyn FnMut(usize, io::Result<Hashed<Digest>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let longest = jobs.iter().map(|job| job.scheme.size).max().unwrap_or(1);
        let most = BATCH.min(SMALL / longest.max(1));
        let size = jobs.len().div_ceil(self.batch_threads()).clamp(1, most);
        let threads = self.batch_threads().min(jobs.len().div_ceil(size));
        let hash = |jobs| self.batch::<H>(jobs);
        in_order(threads, jobs.chunks(size), hash, |batches| {
            for (i, outcome) in batches.flatten().enumerate() {
                let hash = match outcome {
                    Outcome::Done(hash) => hash,
                    Outcome::Later => self.hash_one::<H>(jobs[i]),
                };
                consume(i, hash)?;
            }
            Ok(())
        })
    }

    /// The digest of an empty message, if the Go tool's is wanted.
    fn of_nothing<H: Function>(&self, scheme: Scheme) -> Option<Digest> {
        if self.compat_empty { H::no_leaf(scheme, &self.secret) } else { None }
    }

    /// Hashes the small files of a batch, and in lanes the long ones that are no trees. Other jobs stay for later.
    fn batch<H: Function>(&self, jobs: &[Job<'_>]) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = jobs.iter().map(|_| Outcome::Later).collect();
        let (mut small, mut long) = (Vec::new(), Vec::new());
        let mut total = 0;
        for (index, &Job { source, scheme }) in jobs.iter().enumerate() {
            match self.read_small::<H>(source, scheme, &mut long, index) {
                Ok(None) => {}
                Ok(Some(bytes)) => {
                    total += bytes.len();
                    small.push(Small { index, scheme, bytes });
                }
                Err(error) => outcomes[index] = Outcome::Done(Err(error)),
            }
            if total > self.batch_memory() - SMALL {
                self.hash_small::<H>(mem::take(&mut small), &mut outcomes);
                total = 0;
            }
        }
        self.hash_small::<H>(small, &mut outcomes);
        self.hash_long::<H>(jobs, long, &mut outcomes);
        outcomes
    }

    /// Reads a small file; gives `None` for any other source. Adds `index` to `long` if a lane is to hash the file.
    fn read_small<H: Function>(
        &self,
        source: Source<'_>,
        scheme: Scheme,
        long: &mut Vec<usize>,
        index: usize,
    ) -> io::Result<Option<Vec<u8>>> {
        let Source::File(path) = source else { return Ok(None) };
        let before = walk::metadata(path)?;
        if !before.is_file() {
            return Ok(None);
        }
        let Some(length) = usize::try_from(before.len()).ok().filter(|&length| length <= SMALL) else {
            if H::long_in_lanes(scheme) {
                long.push(index);
            }
            return Ok(None);
        };
        self.begin(source);
        let mut too_long = false;
        let bytes = Input::new(walk::open(path)?, before, &self.progress).steadily(|input| {
            let mut bytes = vec![0; length + 1];
            let filled = fill(input, &mut bytes)?;
            bytes.truncate(filled);
            if filled > length {
                // The file is longer than its metadata says: one of `/proc`, or one that grows.
                input.by_ref().take((SMALL - length) as u64).read_to_end(&mut bytes)?;
                too_long = bytes.len() > SMALL;
            }
            Ok(bytes)
        });
        if too_long { Ok(None) } else { bytes.map(Some) }
    }

    /// Hashes small files side by side, all of one scheme at a time.
    fn hash_small<H: Function>(&self, mut files: Vec<Small>, outcomes: &mut [Outcome]) {
        while let Some(&Small { scheme, .. }) = files.first() {
            let like: Vec<Small>;
            (like, files) = files.into_iter().partition(|file| file.scheme == scheme);
            let messages: Vec<&[u8]> = like.iter().map(|file| &*file.bytes).collect();
            for (file, hash) in like.iter().zip(H::hash_many(scheme, &self.secret, &messages)) {
                let empty = if file.bytes.is_empty() { self.of_nothing::<H>(scheme) } else { None };
                let length = file.bytes.len() as u64;
                outcomes[file.index] = Outcome::Done(Ok(Hashed { hash: empty.unwrap_or(hash), length }));
            }
        }
    }

    /// Hashes long files piece by piece, each in a lane. A lane takes the next file when its file ends.
    fn hash_long<H: Function>(&self, jobs: &[Job<'_>], long: Vec<usize>, outcomes: &mut [Outcome]) {
        let mut waiting = long.into_iter();
        let mut lanes: Vec<Lane<'_, H>> = Vec::new();
        loop {
            while lanes.len() < H::lanes(Backend::best())
                && let Some(index) = waiting.next()
            {
                match self.lane(index, jobs[index]) {
                    Ok(lane) => lanes.push(lane),
                    Err(error) => outcomes[index] = Outcome::Done(Err(error)),
                }
            }
            if lanes.is_empty() {
                return;
            }
            let mut updates = Vec::with_capacity(lanes.len());
            let mut ended = Vec::with_capacity(lanes.len());
            for Lane { index, input, pieces, hasher, length, buffer } in &mut lanes {
                let most = buffer.len();
                let piece = pieces.next(input, buffer);
                ended.push(piece.as_ref().map_or(true, |piece| piece.len() < most));
                match piece {
                    Ok(piece) => {
                        *length += piece.len() as u64;
                        updates.push((hasher, piece));
                    }
                    Err(error) => outcomes[*index] = Outcome::Done(Err(error)),
                }
            }
            H::update_many(&mut updates);
            let mut ended = ended.into_iter();
            lanes.retain_mut(|lane| {
                if ended.next() != Some(true) {
                    return true;
                }
                let outcome = &mut outcomes[lane.index];
                if !matches!(outcome, Outcome::Later) {
                    return false;
                }
                let Lane { input, hasher, length, .. } = lane;
                match input.is_steady() {
                    Ok(true) => *outcome = Outcome::Done(Ok(Hashed { hash: H::finalize(hasher), length: *length })),
                    Ok(false) => {
                        lane.begin(jobs[lane.index].scheme, &self.secret);
                        return true;
                    }
                    Err(error) => *outcome = Outcome::Done(Err(error)),
                }
                false
            });
        }
    }

    /// Opens the file of a job for a lane.
    fn lane<'a, H: Function>(&'a self, index: usize, job: Job<'a>) -> io::Result<Lane<'a, H>> {
        self.begin(job.source);
        let input = self.open(job.source)?;
        let hasher = H::hasher(job.scheme, &self.secret);
        Ok(Lane { index, input, pieces: Pieces::default(), hasher, length: 0, buffer: Buffer::new(PIECE) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_all_threads_is_bounded() {
        for threads in (1..40).chain([64, 100, 256]) {
            let (secret, progress, buffers) = (Secret::default(), Progress::default(), Buffers::default());
            let (compat_empty, input_is_key, mmap) = (false, false, false);
            let engine = Engine { threads, secret, compat_empty, input_is_key, progress, mmap, buffers };
            assert!((threads.min(2)..=threads).contains(&engine.batch_threads()));
            assert!(engine.batch_memory() >= 2 * SMALL, "{threads}");
            assert!(engine.batch_threads() * engine.batch_memory() <= MEMORY, "{threads}");
        }
    }
}

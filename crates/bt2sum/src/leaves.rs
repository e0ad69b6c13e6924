//! Writes and reads files of leaves. Such a file has the digests of a message's leaves, and locates damage in them.
//!
//! ```text
//!   8 bytes   bt2leaf and NUL
//!   1         version of the format: 1
//!   1         hash: 1 is BLAKE2b, 2 is BLAKE2s
//!   1         bytes of a digest
//!   1         1 if the digests have a key, otherwise 0
//!   4         bytes of a leaf, little-endian
//!   …         the digests of all leaves, in order
//!   8         bytes of the message, little-endian
//!   32        BLAKE2b-256, without a key, of all of the above
//! ```

use core::mem;
use core::ops::Range;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use simd_digest::blake2::{Hash, Part, Tree};
use simd_digest::blake2b::FlavourB;

use crate::input::{is_unchanged, read};
use crate::output::reason;
use crate::scheme::{Algorithm, Digest, Scheme, Secret, Shape};
use crate::sealed::{self, array};
use crate::temporary::Temporary;
use simd_digest::blake2::Flavour;

/// The format. The shortest file has no leaf.
pub(crate) const FORMAT: sealed::Format =
    sealed::Format { magic: *b"bt2leaf\0", version: 1, title: "a file of leaves", least: HEADER + TRAILER };
/// The flavour, as the file has it.
const fn code<F: Flavour>() -> u8 {
    if F::LONGEST == FlavourB::LONGEST { 1 } else { 2 }
}
/// The length of the fields before the digests, in bytes.
const HEADER: u64 = 16;
/// The length of the fields after the digests, in bytes.
const TRAILER: u64 = 40;

/// Writes a file of leaves, leaf by leaf.
pub(crate) struct Writer<W = Temporary>(sealed::Writer<W>);

impl Writer {
    /// Begins the file with this name. The scheme must be a tree.
    pub(crate) fn create<F: Flavour>(path: &Path, scheme: Scheme, secret: &Secret) -> io::Result<Self> {
        Self::begin::<F>(Temporary::create(path)?, scheme, secret)
    }

    /// Ends the file after the last leaf of a message of `length` bytes, and gives the file its name.
    pub(crate) fn finish(self, length: u64) -> io::Result<()> {
        self.end(length)?.finish()
    }
}

impl<W: Write> Writer<W> {
    /// Begins a file. The scheme must be a tree.
    pub(crate) fn begin<F: Flavour>(file: W, scheme: Scheme, secret: &Secret) -> io::Result<Self> {
        let Shape::Tree { chunk } = scheme.shape else { return Err(ErrorKind::Unsupported.into()) };
        let mut writer = Self(sealed::Writer::begin(file, FORMAT)?);
        let size = u8::try_from(scheme.size).map_err(io::Error::other)?;
        writer.write(&[code::<F>(), size, u8::from(!secret.is_empty())])?;
        writer.write(&chunk.to_le_bytes())?;
        Ok(writer)
    }

    /// Appends the digest of a leaf, or another field.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write(bytes)
    }

    /// Ends the file after the last leaf of a message of `length` bytes.
    pub(crate) fn end(mut self, length: u64) -> io::Result<W> {
        self.write(&length.to_le_bytes())?;
        self.0.end()
    }
}

/// The kind of the digests in a file of leaves. Its checksum must match.
pub(crate) fn scheme_of(path: &Path) -> io::Result<Scheme> {
    let (mut file, ..) = sealed::open(path, FORMAT)?;
    let [hash, size, _, chunk @ ..] = array::<7>(&mut file)?;
    let algorithm = match hash {
        1 => Algorithm::Blake2b,
        2 => Algorithm::Blake2s,
        _ => return Err(io::Error::other("an unknown hash")),
    };
    let (size, chunk) = (usize::from(size), u32::from_le_bytes(chunk));
    if !algorithm.lengths().contains(&size) || chunk == 0 {
        return Err(io::Error::other("a parameter is out of its range"));
    }
    Ok(Scheme { algorithm, size, shape: Shape::Tree { chunk } })
}

/// An open file of leaves, found whole, undamaged, and to belong to the digest to check.
#[derive(Debug)]
pub(crate) struct LeafFile<F: Flavour> {
    file: BufReader<File>,
    /// The metadata when the file was opened.
    before: Metadata,
    tree: Tree<F>,
    size: usize,
    /// The length of the message, in bytes.
    pub(crate) length: u64,
}

impl<F: Flavour> LeafFile<F> {
    /// Opens the file and reads all of it. Its checksum must match, and the root over its leaves must be `root`.
    pub(crate) fn open(path: &Path, scheme: Scheme, secret: &Secret, root: &Digest) -> io::Result<Self> {
        let mut leaves = Self::open_any(path, scheme, secret)?;
        if leaves.root()? != *root.as_bytes() {
            return Err(io::Error::other("the leaves of another message, or of another key"));
        }
        Ok(leaves)
    }

    /// As [`open`](Self::open), with any root.
    pub(crate) fn open_any(path: &Path, scheme: Scheme, secret: &Secret) -> io::Result<Self> {
        let damaged = |what: &str| io::Error::other(what.to_owned());
        let (mut file, before, _) = sealed::open(path, FORMAT)?;
        let size_of_file = before.len();
        let [hash, size, keyed, chunk @ ..] = array::<7>(&mut file)?;
        file.seek(SeekFrom::Start(size_of_file - TRAILER))?;
        let length = u64::from_le_bytes(array(&mut file)?);
        let own_scheme =
            Scheme { size: size.into(), shape: Shape::Tree { chunk: u32::from_le_bytes(chunk) }, ..scheme };
        if hash != code::<F>() {
            return Err(damaged("made with another --algorithm than the digest to check"));
        }
        if own_scheme != scheme {
            return Err(damaged("made with another --size or --chunk than the digest to check"));
        }
        if keyed > 1 {
            return Err(damaged("a parameter is out of its range"));
        }
        if (keyed != 0) == secret.is_empty() {
            return Err(damaged(if keyed != 0 { "made with a key" } else { "made without a key" }));
        }
        let tree = scheme.tree(secret).ok_or(ErrorKind::Unsupported)?;
        let leaves = u128::from(tree.leaf_count(length)) * u128::from(size);
        if leaves != u128::from(size_of_file - HEADER - TRAILER) {
            return Err(damaged("another number of leaves than the length of the message needs"));
        }
        Ok(Self { file, before, tree, size: size.into(), length })
    }

    /// The digests of all leaves, one after the other.
    pub(crate) fn all(&mut self) -> io::Result<Vec<u8>> {
        self.seek(0)?;
        let length = self.tree.leaf_count(self.length) * self.size as u64;
        let mut leaves = Vec::new();
        self.file.by_ref().take(length).read_to_end(&mut leaves)?;
        Ok(leaves)
    }

    /// The root over the leaves in the file.
    pub(crate) fn root(&mut self) -> io::Result<Hash<F>> {
        self.seek(0)?;
        let mut failure = None;
        let (tree, count) = (self.tree.clone(), self.tree.leaf_count(self.length));
        let leaves = (0..count).map_while(|_| self.next().map_err(|error| failure = Some(error)).ok());
        let root = tree.root_from_leaves(leaves);
        failure.map_or_else(|| root.map_err(io::Error::other), Err)
    }

    /// Fails if the file has changed since its root was verified: then what was read since may be another's.
    pub(crate) fn check_unchanged(&self) -> io::Result<()> {
        let after = self.file.get_ref().metadata()?;
        if is_unchanged(&self.before, &after) {
            Ok(())
        } else {
            Err(io::Error::other("the leaves changed while they were read"))
        }
    }

    /// Moves to leaf `index`.
    pub(crate) fn seek(&mut self, index: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(HEADER + index * self.size as u64)).map(|_| ())
    }

    /// The digest of the next leaf.
    pub(crate) fn next(&mut self) -> io::Result<Hash<F>> {
        let mut digest = [0; 64];
        let digest = &mut digest[..self.size];
        self.file.read_exact(digest)?;
        Hash::from_bytes(digest).map_err(io::Error::other)
    }

    /// The bytes of the message that are in leaf `index`.
    pub(crate) fn bytes_of(&self, index: u64) -> Range<u64> {
        let chunk = u64::from(self.tree.leaf_length());
        (index * chunk).min(self.length)..(index * chunk).saturating_add(chunk).min(self.length)
    }

    /// The first and the last byte of a range of the message. `u64::MAX` for the last becomes the last byte of the
    /// message. A range that is not within the message is an error.
    pub(crate) fn within(&self, (first, last): (u64, u64)) -> io::Result<(u64, u64)> {
        let last = if last == u64::MAX { self.length.saturating_sub(1) } else { last };
        let verb = match self.length {
            length if first >= length => "begins",
            length if last >= length => "ends",
            _ => return Ok((first, last)),
        };
        Err(io::Error::other(format!("the range {verb} beyond the end of the file, which has {} bytes", self.length)))
    }

    /// The length of a leaf, in bytes.
    pub(crate) fn chunk(&self) -> u64 {
        self.tree.leaf_length().into()
    }

    /// Takes `length`, that of `input`, for the length of the message if the last leaf then matches: no digest covers
    /// the length in the file of leaves, but the last leaf tells.
    pub(crate) fn try_length(&mut self, input: &mut (impl Read + Seek), length: u64) -> io::Result<()> {
        if length == self.length || self.tree.leaf_count(length) != self.tree.leaf_count(self.length) {
            return Ok(());
        }
        let said = mem::replace(&mut self.length, length);
        let last = length.saturating_sub(1);
        if !self.check_range(input, (last, last))?.is_empty() {
            self.length = said;
        }
        input.seek(SeekFrom::Start(0)).map(|_| ())
    }

    /// The ranges of bytes of `input` that do not match or cannot be read, in the leaves that have bytes of `range`:
    /// its first and its last byte, both within the message. Afterwards, the position of the input is the end of
    /// these leaves, or of the input.
    pub(crate) fn check_range(&mut self, input: &mut (impl Read + Seek), range: (u64, u64)) -> io::Result<Damage> {
        let (first, last) = range;
        let (from, to) = (first / self.chunk(), last / self.chunk());
        self.seek(from)?;
        input.seek(SeekFrom::Start(from * self.chunk()))?;
        let mut damage = Damage::default();
        let mut buffer = vec![0; 1 << 18];
        for index in from..=to {
            let (bytes, own) = (self.bytes_of(index), self.next()?);
            match self.read_leaf(input, index, &mut buffer) {
                Ok(leaf) if leaf == Some(own) => {}
                Ok(_) => damage.add(bytes, None),
                Err(error) if error.raw_os_error().is_some() && error.kind() != ErrorKind::IsADirectory => {
                    input.seek(SeekFrom::Start(bytes.end))?;
                    damage.add(bytes, Some(reason(&error)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(damage)
    }

    /// The digest of leaf `index`, which is next in the input. `None` if the input ends before.
    fn read_leaf(&self, input: &mut impl Read, index: u64, buffer: &mut [u8]) -> io::Result<Option<Hash<F>>> {
        let bytes = self.bytes_of(index);
        let is_last = index + 1 == self.tree.leaf_count(self.length);
        let mut leaf = self.tree.leaf(index, Part::last_if(is_last)).map_err(io::Error::other)?;
        let mut left = bytes.end - bytes.start;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let length = read(input, &mut buffer[..most])?;
            if length == 0 {
                return Ok(None);
            }
            leaf.update(&buffer[..length]);
            left -= length as u64;
        }
        Ok(Some(leaf.finalize()))
    }
}

/// Ranges of bytes that do not match, or cannot be read for the reason beside them. They are in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage(Vec<(Range<u64>, Option<String>)>);

impl Damage {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a range that begins at or after the end of the last one.
    pub(crate) fn add(&mut self, bytes: Range<u64>, reason: Option<String>) {
        match self.0.last_mut() {
            Some((last, other)) if last.end == bytes.start && *other == reason => last.end = bytes.end,
            _ => self.0.push((bytes, reason)),
        }
    }

    /// Adds ranges that come after these.
    pub(crate) fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|(bytes, reason)| self.add(bytes, reason));
    }

    /// Removes what is at `begin` and after it from the last range.
    pub(crate) fn cut(&mut self, begin: u64) {
        if let Some((last, reason)) = self.0.pop_if(|(last, _)| last.end > begin)
            && last.start < begin
        {
            self.0.push((last.start..begin, reason));
        }
    }

    /// The ranges that have bytes, with the reasons.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = &(Range<u64>, Option<String>)> {
        self.0.iter().filter(|(bytes, _)| !bytes.is_empty())
    }

    /// The first and the last byte of each range.
    pub(crate) fn ends(&self) -> Vec<[u64; 2]> {
        self.ranges().map(|(bytes, _)| [bytes.start, bytes.end - 1]).collect()
    }

    /// A line for each range, with this word.
    pub(crate) fn lines(&self, word: &str) -> Vec<String> {
        let line = |(bytes, reason): &(Range<u64>, Option<String>)| {
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            format!("bytes {}-{}: {word}{reason}", bytes.start, bytes.end - 1)
        };
        self.ranges().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::paint;
    use crate::scheme::digest;

    /// A file of which some bytes cannot be read.
    struct Rotten {
        bytes: Vec<u8>,
        at: usize,
        bad: Vec<Range<usize>>,
    }

    impl Read for Rotten {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.bad.iter().any(|bad| bad.contains(&self.at)) {
                return Err(io::Error::from_raw_os_error(5));
            }
            let end = self.bad.iter().map(|bad| bad.start).filter(|&start| start > self.at).min();
            let rest = &self.bytes[self.at..end.unwrap_or(self.bytes.len())];
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            self.at += length;
            Ok(length)
        }
    }

    impl Seek for Rotten {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            let SeekFrom::Start(to) = to else { return Err(ErrorKind::Unsupported.into()) };
            self.at = to.try_into().map_err(io::Error::other)?;
            Ok(to)
        }
    }

    /// Reading goes on behind what cannot be read, and tells it from what does not match.
    #[test]
    fn leaves_that_cannot_be_read() {
        let _turn = crate::temporary::turn();
        let bytes = paint(10_500);
        let scheme = Scheme { algorithm: Algorithm::Blake2b, size: 32, shape: Shape::Tree { chunk: 1000 } };
        let tree = scheme.tree::<FlavourB>(&Secret::default()).unwrap();
        let path = tempfile::tempdir().unwrap();
        let path = path.path().join("leaves");
        let mut writer = Writer::create::<FlavourB>(&path, scheme, &Secret::default()).unwrap();
        tree.hash_run(0, &bytes, Part::Last).unwrap().iter().for_each(|leaf| writer.write(leaf.as_bytes()).unwrap());
        writer.finish(10_500).unwrap();
        let root = digest(tree.hash(&bytes));
        let mut leaves = LeafFile::<FlavourB>::open(&path, scheme, &Secret::default(), &root).unwrap();
        for (bad, changed, lines) in [
            (vec![], None, vec![]),
            (vec![1500..1600, 1700..1701], None, vec!["bytes 1000-1999: FAILED: *"]),
            (vec![0..1, 1999..2001], None, vec!["bytes 0-2999: FAILED: *"]),
            (
                vec![3000..4000, 10_499..10_500],
                Some(4500),
                vec!["bytes 3000-3999: FAILED: *", "bytes 4000-4999: FAILED", "bytes 10000-10499: FAILED: *"],
            ),
        ] {
            let mut bytes = bytes.clone();
            changed.into_iter().for_each(|place: usize| bytes[place] ^= 1);
            let mut file = Rotten { bytes, at: 0, bad };
            let damage = leaves.check_range(&mut file, (0, 10_499)).unwrap();
            let reason = reason(&io::Error::from_raw_os_error(5));
            assert_eq!(damage.lines("FAILED"), lines.iter().map(|line| line.replace('*', &reason)).collect::<Vec<_>>());
        }
    }
}

//! Writes and reads stores: what was found in a tree of files. `docs/formats.md` specifies their formats.
//!
//! ```text
//!   Writer   writes a store of format 2, entry by entry
//!   Store    an open store of either format, found whole
//!   Sampled  writes a store anew with other times of checks, in the format that it has
//!   fuzzing  seals what a fuzzer makes, and reads it
//!   entries  reads entries one after the other
//!   one two  the entries of the formats
//!   parser   reads fields
//!   format   what the formats have in common
//! ```

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

pub(super) use self::entries::Entries;
use self::format::{AUTHENTICATOR, END, FLAGS, KEYED, Sealing, TRAILER, damaged};
pub(super) use self::format::{
    Attributes, CAPABILITY, Entry, FORMAT, Header, Host, Inode, Kind, Meta, Owner, Record, Rights, Sums, Time,
    nanoseconds,
};
use self::parser::Parser;
use self::two::Last;
use crate::input::{is_same_file, is_unchanged};
use crate::scheme::{Digest, Secret, digest};
use crate::sealed::{self, BEGIN, SEAL};
use crate::temporary::Temporary;

/// Writes a store of format 2, entry by entry.
pub(super) struct Writer<W = Temporary> {
    file: sealed::Writer<W>,
    sealing: Sealing,
    header: Header,
    last: Last,
    entries: u64,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn begin(file: W, header: &Header, secret: &Secret) -> io::Result<Self> {
        let (file, sealing) = (sealed::Writer::begin(file, FORMAT)?, Sealing::begin(secret, FORMAT.version)?);
        let own = Header { version: FORMAT.version, ..header.clone() };
        let mut writer = Self { file, sealing, header: own, last: Last::default(), entries: 0, bytes: 0 };
        writer.covered(&writer.header.to_bytes()?)?;
        writer.uncovered(&header.host.0)?;
        Ok(writer)
    }

    /// Writes bytes that the root covers.
    fn covered(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sealing.covered(bytes);
        self.file.write(bytes)
    }

    /// Writes bytes that the root does not cover.
    fn uncovered(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sealing.uncovered(bytes);
        self.file.write(bytes)
    }

    /// Appends a file. Names must come in the order of `name::compare`.
    pub(super) fn file(&mut self, name: &[u8], record: &Record, leaves: &[u8]) -> io::Result<()> {
        if self.header.length_of_leaves(record.length) != Some(leaves.len() as u64) {
            return Err(io::Error::other("another number of leaves than the length of the file needs"));
        }
        let (mut covered, seen) = self.last.file(name, record, &self.header)?;
        covered.extend(record.digest.as_bytes());
        self.covered(&covered)?;
        self.covered(leaves)?;
        self.uncovered(&seen)?;
        self.entries += 1;
        self.bytes = self.bytes.checked_add(record.length).ok_or_else(|| io::Error::other("too many bytes"))?;
        Ok(())
    }

    /// Appends a symbolic link.
    pub(super) fn link(&mut self, name: &[u8], target: &[u8], owner: Option<Owner>) -> io::Result<()> {
        let bytes = self.last.link(name, target, owner, &self.header)?;
        self.entries += 1;
        self.covered(&bytes)
    }

    /// Appends an empty directory.
    pub(super) fn directory(&mut self, name: &[u8], rights: &Rights) -> io::Result<()> {
        let bytes = self.last.directory(name, rights, &self.header)?;
        self.entries += 1;
        self.covered(&bytes)
    }

    /// The number of entries so far.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Ends the store.
    fn end(mut self) -> io::Result<(W, Sums)> {
        let (entries, bytes) = (self.entries, self.bytes);
        self.covered(&[&[END][..], &entries.to_le_bytes(), &bytes.to_le_bytes()].concat())?;
        let root = digest(self.sealing.root.finalize());
        self.uncovered(root.as_bytes())?;
        if let Some(all) = &self.sealing.all {
            self.file.write(all.finalize().as_bytes())?;
        }
        Ok((self.file.end()?, Sums { entries, bytes, root }))
    }
}

impl Writer {
    /// Ends the store, and gives it its name.
    pub(super) fn finish(self) -> io::Result<Sums> {
        let (file, sums) = self.end()?;
        file.finish()?;
        Ok(sums)
    }
}

impl Writer<BufWriter<File>> {
    /// Ends a store in a file that nobody else can write to, and reads it.
    pub(super) fn reopen(self) -> io::Result<Store> {
        let header = self.header.clone();
        let begin = BEGIN + (header.to_bytes()?.len() + header.host.0.len()) as u64;
        let (file, sums) = self.end()?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Store { before: file.metadata()?, file, header, sums, begin, forgets_inodes: false })
    }
}

/// An open store, found whole and of the right key.
#[derive(Debug)]
pub(super) struct Store {
    file: File,
    before: Metadata,
    pub(super) header: Header,
    pub(super) sums: Sums,
    /// Where the entries begin.
    begin: u64,
    /// Whether readers leave out inodes, which are another host's.
    forgets_inodes: bool,
}

/// The number of entries of the store at `path`, whose checksum must match.
pub(super) fn number_of_entries(path: &Path) -> io::Result<u64> {
    let (file, before, _) = sealed::open(path, FORMAT)?;
    let (mut flags, mut number) = ([0], [0; 8]);
    file.get_ref().read_exact_at(&mut flags, FLAGS)?;
    let authenticator = if flags[0] & KEYED != 0 { AUTHENTICATOR as u64 } else { 0 };
    let at = before.len().checked_sub(SEAL + authenticator + TRAILER).ok_or_else(|| damaged("no end"))?;
    file.get_ref().read_exact_at(&mut number, at + 1)?;
    Ok(u64::from_le_bytes(number))
}

impl Store {
    /// Opens the store at `path` and reads all of it.
    pub(super) fn open(path: &Path, secret: &Secret) -> io::Result<Self> {
        let (file, before, version) = sealed::open(path, FORMAT)?;
        let end = before.len() - SEAL;
        let parser = Parser { input: file, at: BEGIN, end, sealing: None };
        let mut entries = Entries::begin(parser, version, secret)?;
        let begin = entries.parser.at;
        while entries.next_entry()?.is_some() {}
        let Entries { parser, header, sums, .. } = entries;
        let (sums, own) = sums.ok_or_else(|| damaged("no end"))?;
        if own.root != sums.root {
            return Err(if header.keyed { io::Error::other("the root of another key") } else { damaged("its root") });
        }
        if !own.authentic {
            return Err(damaged("changed by one without the key"));
        }
        Ok(Self { file: parser.input.into_inner(), before, header, sums, begin, forgets_inodes: false })
    }

    /// The entries, from the first on. Only the last reader of entries that was made can be used.
    pub(super) fn entries(&self) -> io::Result<Entries> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(self.begin))?;
        let input = BufReader::with_capacity(1 << 16, file);
        let parser = Parser { input, at: self.begin, end: self.before.len() - SEAL, sealing: None };
        Ok(Entries { forgets_inodes: self.forgets_inodes, ..Entries::new(parser, self.header.clone()) })
    }

    /// Leaves out inodes from now on: they are another host's.
    pub(super) fn forget_inodes(&mut self) {
        self.forgets_inodes = true;
    }

    /// The digests of the leaves of a file, one after the other.
    pub(super) fn leaves(&self, record: &Record, at: u64) -> io::Result<Vec<u8>> {
        let length = self.header.length_of_leaves(record.length).and_then(|length| usize::try_from(length).ok());
        let mut leaves = vec![0; length.ok_or(ErrorKind::OutOfMemory)?];
        self.file.read_exact_at(&mut leaves, at)?;
        Ok(leaves)
    }

    /// The digest of a file, before those of its leaves.
    pub(super) fn digest(&self, at: u64) -> io::Result<Digest> {
        let size = self.header.scheme.size;
        let mut bytes = vec![0; size];
        self.file.read_exact_at(&mut bytes, at.saturating_sub(size as u64))?;
        Ok(digest(bytes))
    }

    /// Fails if the store was written to since it was opened: entries that were read since may be another's.
    pub(super) fn check_unchanged(&self) -> io::Result<()> {
        let after = self.file.metadata()?;
        // A store that was replaced has lost its name, which changes one of its times, but not this one.
        let same = (self.before.len(), Time::of(&self.before)) == (after.len(), Time::of(&after));
        if after.nlink() == 0 && same || is_unchanged(&self.before, &after) {
            return Ok(());
        }
        Err(io::Error::other("the catalogue changed while it was read"))
    }

    /// Fails if another file has the name of the store now, which a new store would replace.
    pub(super) fn check_name(&self, path: &Path) -> io::Result<()> {
        if is_same_file(self.file.metadata(), fs::metadata(path)) {
            return Ok(());
        }
        Err(io::Error::other("another program replaced the catalogue"))
    }
}

/// Writes a store anew with other times of checks, in the format that it has. The root stays.
pub(super) enum Sampled<W = Temporary> {
    One(one::Copy<W>),
    Two(Writer<W>),
}

impl<W: Write> Sampled<W> {
    pub(super) fn begin(file: W, store: &Store, secret: &Secret) -> io::Result<Self> {
        if store.header.version == 1 {
            return one::Copy::begin(file, secret).map(Self::One);
        }
        Writer::begin(file, &store.header, secret).map(Self::Two)
    }

    /// Writes the next entry of the store, with this record if it is a file.
    pub(super) fn entry(&mut self, store: &Store, name: &[u8], kind: &Kind, record: Option<&Record>) -> io::Result<()> {
        match (self, kind) {
            (Self::One(copy), Kind::File(old, at)) => copy.file(&store.file, &store.header, record.unwrap_or(old), *at),
            (Self::One(_), _) => Ok(()),
            (Self::Two(writer), Kind::File(old, at)) => {
                writer.file(name, record.unwrap_or(old), &store.leaves(old, *at)?)
            }
            (Self::Two(writer), Kind::Link(target, owner)) => writer.link(name, target, *owner),
            (Self::Two(writer), Kind::Directory(rights)) => writer.directory(name, rights),
        }
    }

    /// Ends the store, unless the entries that were read have another root than the store.
    fn end(self, store: &Store) -> io::Result<W> {
        let (file, root) = match self {
            Self::One(copy) => {
                let authenticator = if store.header.keyed { AUTHENTICATOR as u64 } else { 0 };
                copy.end(&store.file, store.before.len() - SEAL - authenticator)?
            }
            Self::Two(writer) => writer.end().map(|(file, sums)| (file, sums.root))?,
        };
        if root != store.sums.root {
            return Err(io::Error::other("the catalogue had other bytes when it was read again"));
        }
        store.check_unchanged()?;
        Ok(file)
    }
}

impl Sampled {
    /// Ends the store, and gives it its name unless the entries that were read have another root than the store.
    pub(super) fn finish(self, store: &Store) -> io::Result<()> {
        self.end(store)?.finish()
    }
}

mod entries;
mod format;
pub(super) mod fuzzing;
mod one;
mod parser;
#[cfg(test)]
mod tests;
mod two;

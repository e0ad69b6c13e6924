//! Format 1: reads its entries, and writes other times of checks into a copy. Nothing else writes it.

use core::mem;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use super::format::{Entry, FILE, FORMAT, Header, Kind, LINK, Meta, ROOT, Record, Sealing, Time, damaged};
use super::parser::Parser;
use crate::scheme::{Digest, Secret, digest};
use crate::sealed::{self, BEGIN};
use crate::temporary::Temporary;

/// The length of the fields of a file that the root does not cover, in bytes.
const SEEN: u64 = 8 + 1;

impl Parser {
    /// Reads an entry after its first byte.
    pub(super) fn entry_of_one(&mut self, kind: u8, header: &Header) -> io::Result<Entry> {
        let parser = self;
        let name = parser.text()?;
        if kind == LINK {
            return Ok(Entry { name, kind: Kind::Link(parser.text()?, None) });
        }
        if kind != FILE {
            return Err(damaged("an unknown kind of entry"));
        }
        let length = u64::from_le_bytes(parser.covered()?);
        let modified =
            Time { seconds: i64::from_le_bytes(parser.covered()?), nanoseconds: u32::from_le_bytes(parser.covered()?) };
        let digest = digest(parser.bytes(header.scheme.size as u64)?);
        let leaves = header.length_of_leaves(length).ok_or_else(|| damaged("a length"))?;
        let at = parser.skip(leaves)?;
        let checked = u64::from_le_bytes(parser.uncovered()?);
        let [young] = parser.uncovered()?;
        if modified.nanoseconds >= 1_000_000_000 || young > 1 {
            return Err(damaged("a number"));
        }
        // Older versions marked times to come as young.
        let young = young == 1 && !modified.is_later(checked);
        let meta = Meta::default();
        Ok(Entry { name, kind: Kind::File(Record { length, modified, digest, checked, young, meta }, at) })
    }
}

/// A copy of a store of format 1 whose files have other times of checks.
pub(in crate::archive) struct Copy<W = Temporary> {
    file: sealed::Writer<W>,
    sealing: Sealing,
    /// The number of bytes of the store that were copied or replaced.
    done: u64,
}

impl<W: Write> Copy<W> {
    pub(super) fn begin(file: W, secret: &Secret) -> io::Result<Self> {
        let file = sealed::Writer::begin(file, sealed::Format { version: 1, ..FORMAT })?;
        Ok(Self { file, sealing: Sealing::begin(secret, 1)?, done: BEGIN })
    }

    /// Copies the store to `end`, all of which the root covers.
    fn copy(&mut self, store: &File, end: u64) -> io::Result<()> {
        while self.done < end {
            let mut bytes = vec![0; usize::try_from((end - self.done).min(1 << 16)).unwrap_or(0)];
            store.read_exact_at(&mut bytes, self.done)?;
            self.done += bytes.len() as u64;
            self.sealing.covered(&bytes);
            self.file.write(&bytes)?;
        }
        Ok(())
    }

    /// Writes bytes that the root does not cover.
    fn uncovered(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sealing.uncovered(bytes);
        self.file.write(bytes)
    }

    /// Writes when the next file was looked at. The digests of its leaves are at `at`.
    pub(super) fn file(&mut self, store: &File, header: &Header, record: &Record, at: u64) -> io::Result<()> {
        let leaves = header.length_of_leaves(record.length).ok_or_else(|| damaged("a length"))?;
        self.copy(store, at + leaves)?;
        self.done += SEEN;
        self.uncovered(&[&record.checked.to_le_bytes()[..], &[u8::from(record.young)]].concat())
    }

    /// Copies the rest to the root, which ends at `end`, and ends the copy. Returns its root.
    pub(super) fn end(mut self, store: &File, end: u64) -> io::Result<(W, Digest)> {
        self.copy(store, end - ROOT as u64)?;
        let root = digest(self.sealing.root.finalize());
        self.uncovered(root.as_bytes())?;
        if let Some(all) = mem::take(&mut self.sealing.all) {
            self.file.write(all.finalize().as_bytes())?;
        }
        Ok((self.file.end()?, root))
    }
}

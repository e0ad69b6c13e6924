//! Reads the fields of a store, entry by entry.

use std::fs::File;
use std::io::{self, BufReader, Read};

use super::format::{
    AUTHENTICATOR, END, Entry, FILE, Header, KEYED, Kind, LINK, ONE_FILE_SYSTEM, ROOT, Record, Sealing, Sums, Time,
    damaged,
};
use crate::archive::name;
use crate::scheme::{Algorithm, Digest, LONGEST_LEAF, Scheme, Secret, Shape, digest};
use crate::sealed::array;

/// Reads fields.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) input: BufReader<File>,
    /// The position, and the end of what the checksum covers.
    pub(super) at: u64,
    pub(super) end: u64,
    /// Hashes what is read, if the root is to be compared.
    pub(super) sealing: Option<Sealing>,
}

impl Parser {
    fn advance(&mut self, length: u64) -> io::Result<()> {
        let at = self.at.checked_add(length).filter(|&at| at <= self.end);
        self.at = at.ok_or_else(|| damaged("a field reaches beyond the end"))?;
        Ok(())
    }

    /// Reads a field that the root covers.
    fn covered<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let bytes = self.field()?;
        if let Some(sealing) = &mut self.sealing {
            sealing.covered(&bytes);
        }
        Ok(bytes)
    }

    /// Reads a field that the root does not cover.
    fn uncovered<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let bytes = self.field()?;
        if let Some(sealing) = &mut self.sealing {
            sealing.uncovered(&bytes);
        }
        Ok(bytes)
    }

    fn field<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.advance(N as u64)?;
        array(&mut self.input)
    }

    /// Reads a field of `length` bytes.
    fn bytes(&mut self, length: u64) -> io::Result<Vec<u8>> {
        self.advance(length)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.input.read_exact(&mut bytes)?;
        if let Some(sealing) = &mut self.sealing {
            sealing.covered(&bytes);
        }
        Ok(bytes)
    }

    /// Reads a length of 4 bytes, then as many bytes.
    fn text(&mut self) -> io::Result<Vec<u8>> {
        let length = u32::from_le_bytes(self.covered()?);
        self.bytes(length.into())
    }

    /// Passes over `length` bytes, and returns where they begin.
    fn skip(&mut self, length: u64) -> io::Result<u64> {
        let begin = self.at;
        if self.sealing.is_none() {
            self.advance(length)?;
            self.input.seek_relative(i64::try_from(length).map_err(io::Error::other)?)?;
            return Ok(begin);
        }
        let mut left = length;
        while left > 0 {
            let part = left.min(1 << 16);
            self.bytes(part)?;
            left -= part;
        }
        Ok(begin)
    }

    pub(super) fn header(&mut self, secret: &Secret) -> io::Result<Header> {
        let [hash, size, flags, chunk @ ..] = self.covered::<7>()?;
        let algorithm = match hash {
            1 => Algorithm::Blake2b,
            2 => Algorithm::Blake2s,
            _ => return Err(damaged("an unknown hash")),
        };
        let (size, chunk) = (usize::from(size), u32::from_le_bytes(chunk));
        if !algorithm.lengths().contains(&size)
            || !(1..=LONGEST_LEAF).contains(&chunk)
            || flags & !(KEYED | ONE_FILE_SYSTEM) != 0
        {
            return Err(damaged("a parameter is out of its range"));
        }
        let mut exclude = Vec::new();
        for _ in 0..u32::from_le_bytes(self.covered()?) {
            let pattern = String::from_utf8(self.text()?);
            exclude.push(pattern.map_err(|_| damaged("a pattern is no text"))?);
        }
        let keyed = flags & KEYED != 0;
        if keyed == secret.is_empty() {
            return Err(io::Error::other(if keyed { "made with a key" } else { "made without a key" }));
        }
        if !secret.suits(algorithm) {
            return Err(io::Error::other(format!("of {}, which takes no key so long", algorithm.name())));
        }
        let scheme = Scheme { algorithm, size, shape: Shape::Tree { chunk } };
        Ok(Header { scheme, keyed, one_file_system: flags & ONE_FILE_SYSTEM != 0, exclude })
    }
}

/// The root and the authenticator that were computed from the bytes that were read.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) root: Digest,
    /// Whether the authenticator is right, if there is a key.
    pub(super) authentic: bool,
}

/// The entries of a store, one after the other.
#[derive(Debug)]
pub(in crate::archive) struct Entries {
    pub(super) parser: Parser,
    pub(super) header: Header,
    /// The name of the last entry, and whether it is a file or a link, below which nothing can be.
    pub(super) last: Option<Vec<u8>>,
    pub(super) entries: u64,
    pub(super) bytes: u64,
    /// The sums at the end of the store, and those that were computed.
    pub(super) sums: Option<(Sums, Own)>,
}

impl Entries {
    /// The next entry, or `None` at the end of the store.
    pub(in crate::archive) fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        if self.sums.is_some() {
            return Ok(None);
        }
        let parser = &mut self.parser;
        let kind = match parser.covered::<1>()? {
            [END] => {
                let entries = u64::from_le_bytes(parser.covered()?);
                let bytes = u64::from_le_bytes(parser.covered()?);
                let root = digest(parser.uncovered::<ROOT>()?);
                let mut own = Own { root: digest([]), authentic: true };
                let sealing = parser.sealing.take();
                let authenticator = if self.header.keyed { Some(parser.field::<AUTHENTICATOR>()?) } else { None };
                if let Some(Sealing { root, all }) = sealing {
                    let authentic = all.map(|all| all.finalize()).zip(authenticator).is_none_or(|(all, it)| all == it);
                    own = Own { root: digest(root.finalize()), authentic };
                }
                if parser.at != parser.end || (entries, bytes) != (self.entries, self.bytes) {
                    return Err(damaged("its end"));
                }
                self.sums = Some((Sums { entries, bytes, root }, own));
                return Ok(None);
            }
            [kind @ (FILE | LINK)] => kind,
            _ => return Err(damaged("an unknown kind of entry")),
        };
        let name = parser.text()?;
        if !name::is_proper(&name) {
            return Err(damaged("a name that no file can have"));
        }
        if let Some(last) = &self.last
            && (name::compare(last, &name).is_ge() || name::is_below(&name, last))
        {
            return Err(damaged("names out of order"));
        }
        self.last = Some(name.clone());
        self.entries += 1;
        if kind == LINK {
            return Ok(Some(Entry { name, kind: Kind::Link(parser.text()?) }));
        }
        let length = u64::from_le_bytes(parser.covered()?);
        let modified =
            Time { seconds: i64::from_le_bytes(parser.covered()?), nanoseconds: u32::from_le_bytes(parser.covered()?) };
        let digest = digest(parser.bytes(self.header.scheme.size as u64)?);
        let leaves = self.header.length_of_leaves(length).ok_or_else(|| damaged("a length"))?;
        let at = parser.skip(leaves)?;
        let checked = u64::from_le_bytes(parser.uncovered()?);
        let [young] = parser.uncovered()?;
        let bytes = self.bytes.checked_add(length);
        self.bytes =
            bytes.filter(|_| modified.nanoseconds < 1_000_000_000 && young < 2).ok_or_else(|| damaged("a number"))?;
        // Older versions marked times to come as young.
        let young = young == 1 && !modified.is_later(checked);
        Ok(Some(Entry { name, kind: Kind::File(Record { length, modified, digest, checked, young }, at) }))
    }
}

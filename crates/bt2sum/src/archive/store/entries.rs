//! Reads a store entry by entry. Its format reads what is in an entry.

use std::io;

use super::format::{AUTHENTICATOR, END, Entry, Header, Kind, ROOT, Record, Sealing, Sums, damaged};
use super::parser::Parser;
use super::two::Last;
use crate::archive::name;
use crate::scheme::{Digest, Secret, digest};

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
    /// The name of the last entry. Nothing can be below it.
    pub(super) last: Option<Vec<u8>>,
    pub(super) last_of_two: Last,
    pub(super) forgets_inodes: bool,
    pub(super) entries: u64,
    pub(super) bytes: u64,
    /// The sums at the end of the store, and those that were computed.
    pub(super) sums: Option<(Sums, Own)>,
}

impl Entries {
    pub(super) fn new(parser: Parser, header: Header) -> Self {
        let (last, last_of_two) = (None, Last::default());
        Self { parser, header, last, last_of_two, forgets_inodes: false, entries: 0, bytes: 0, sums: None }
    }

    /// Reads the parameters of a store of this version, and hashes all that is read.
    pub(super) fn begin(mut parser: Parser, version: u8, secret: &Secret) -> io::Result<Self> {
        let header = parser.header(version, secret)?;
        let mut sealing = Sealing::begin(secret, version)?;
        sealing.covered(&header.to_bytes()?);
        if version > 1 {
            sealing.uncovered(&header.host.0);
        }
        parser.sealing = Some(sealing);
        Ok(Self::new(parser, header))
    }

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
            [kind] => kind,
        };
        let mut entry = if self.header.version == 1 {
            parser.entry_of_one(kind, &self.header)?
        } else {
            parser.entry_of_two(kind, &self.header, &mut self.last_of_two)?
        };
        if self.forgets_inodes
            && let Kind::File(record, _) = &mut entry.kind
        {
            record.meta.inode = None;
        }
        let Entry { name, kind } = &entry;
        if !name::is_proper(name) {
            return Err(damaged("a name that no file can have"));
        }
        if let Some(last) = &self.last
            && (name::compare(last, name).is_ge() || name::is_below(name, last))
        {
            return Err(damaged("names out of order"));
        }
        self.last = Some(name.clone());
        self.entries += 1;
        if let Kind::File(Record { length, .. }, _) = kind {
            self.bytes = self.bytes.checked_add(*length).ok_or_else(|| damaged("a number"))?;
        }
        Ok(Some(entry))
    }
}

//! The entries that an update will write. The new store is begun when all names are known, because what a name keeps
//! may depend on other names.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};

use super::store::{Header, Kind, Owner, Record, Rights, Store, Sums, Writer};
use crate::scheme::Secret;
use crate::temporary::Temporary;

/// A store under way in a file without a name, and what is to be written otherwise. Memory has only the latter.
pub(super) struct Draft {
    /// The file that becomes the new store, empty so far. Nobody else can write the store meanwhile.
    target: Temporary,
    writer: Writer<BufWriter<File>>,
    /// By the numbers of entries, the records to write in their place, and where the digests of their leaves are in the
    /// old store.
    instead: BTreeMap<u64, (Record, u64)>,
}

impl Draft {
    pub(super) fn begin(target: Temporary, header: &Header, secret: &Secret) -> io::Result<Self> {
        let writer = Writer::begin(BufWriter::new(target.nameless()?), header, secret)?;
        Ok(Self { target, writer, instead: BTreeMap::new() })
    }

    /// Appends a file. Names must come in the order of `name::compare`. Returns the number of the entry.
    pub(super) fn file(&mut self, name: &[u8], record: &Record, leaves: &[u8]) -> io::Result<u64> {
        self.writer.file(name, record, leaves)?;
        Ok(self.writer.entries() - 1)
    }

    /// Appends a symbolic link.
    pub(super) fn link(&mut self, name: &[u8], target: &[u8], owner: Option<Owner>) -> io::Result<()> {
        self.writer.link(name, target, owner)
    }

    /// Appends an empty directory.
    pub(super) fn directory(&mut self, name: &[u8], rights: &Rights) -> io::Result<()> {
        self.writer.directory(name, rights)
    }

    /// Gives the file with this number another record, that of a file in the old store.
    pub(super) fn replace(&mut self, number: u64, record: Record, at: u64) {
        self.instead.insert(number, (record, at));
    }

    /// Writes the new store. `before_end` may refuse to give it its name.
    pub(super) fn finish(
        self,
        old: &Store,
        secret: &Secret,
        before_end: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<Sums> {
        let Self { target, writer, mut instead } = self;
        let draft = writer.reopen()?;
        let mut writer = Writer::begin(target, &draft.header, secret)?;
        let mut entries = draft.entries()?;
        for number in 0.. {
            let Some(entry) = entries.next_entry()? else { break };
            match (entry.kind, instead.remove(&number)) {
                (Kind::Link(target, owner), _) => writer.link(&entry.name, &target, owner)?,
                (Kind::Directory(rights), _) => writer.directory(&entry.name, &rights)?,
                (Kind::File(..), Some((record, at))) => writer.file(&entry.name, &record, &old.leaves(&record, at)?)?,
                (Kind::File(record, at), None) => writer.file(&entry.name, &record, &draft.leaves(&record, at)?)?,
            }
        }
        old.check_unchanged()?;
        before_end()?;
        writer.finish()
    }
}

//! Reads stores that a fuzzer makes. Their sums, roots and checksums are put right, so that all fields are read.

use simd_digest::blake2b::Params;
use zeroize::Zeroizing;

use super::*;
use crate::memory::InMemory;

/// Reads these bytes as a store without its magic number and its end: the version, the parameters and the entries.
/// Returns whether the store is proper. Then reading agrees with writing.
///
/// # Panics
///
/// Panics if reading does not agree with writing.
pub(crate) fn catalogue(bytes: &[u8]) -> bool {
    let [version, contents @ ..] = bytes else { return false };
    let made = Made { version: *version, contents, keyed: contents.get(2).is_some_and(|flags| flags & KEYED != 0) };
    let Ok(end) = made.end() else {
        // No end of this length, which is that of a store, makes it one.
        for length in [0, 49, 49 + AUTHENTICATOR] {
            let whole = InMemory::new(&made.whole(&vec![END; length])).expect("a file in memory");
            assert!(Store::open(&whole.path(), &made.secret()).is_err());
            let _ = number_of_entries(&whole.path());
        }
        return false;
    };
    let bytes = made.whole(&end);
    let again = made.again(&bytes).expect("a store that was read can be written again");
    // A store that another program wrote may change, but only once.
    assert!(again == bytes || made.again(&again).is_ok_and(|third| third == again));
    true
}

/// A store without its end.
struct Made<'a> {
    version: u8,
    contents: &'a [u8],
    keyed: bool,
}

impl Made<'_> {
    fn secret(&self) -> Secret {
        Secret::new(Zeroizing::new(vec![7; if self.keyed { 32 } else { 0 }]))
    }

    /// The store up to its end.
    fn begin(&self) -> Vec<u8> {
        [&FORMAT.magic[..], &[self.version], self.contents].concat()
    }

    /// The store with this end and a checksum.
    fn whole(&self, end: &[u8]) -> Vec<u8> {
        let bytes = [self.begin(), end.to_vec()].concat();
        let seal = Params::new().hash_length(32).hash(&bytes).expect("the length is in range");
        [&bytes[..], seal.as_bytes()].concat()
    }

    /// The end that suits the entries, with the authenticator, or what is wrong with the entries.
    fn end(&self) -> io::Result<Vec<u8>> {
        if !(1..=FORMAT.version).contains(&self.version) {
            return Err(damaged("its version"));
        }
        let bytes = self.begin();
        let file = InMemory::new(&bytes)?;
        let mut input = BufReader::new(File::open(file.path())?);
        input.seek(SeekFrom::Start(BEGIN))?;
        let parser = Parser { input, at: BEGIN, end: bytes.len() as u64, sealing: None };
        let mut entries = Entries::begin(parser, self.version, &self.secret())?;
        while entries.parser.at < entries.parser.end {
            entries.next_entry()?.ok_or_else(|| damaged("an end of its own"))?;
        }
        let mut end = [&[END][..], &entries.entries.to_le_bytes(), &entries.bytes.to_le_bytes()].concat();
        let mut sealing = entries.parser.sealing.take().ok_or_else(|| damaged("its end"))?;
        sealing.covered(&end);
        let root = sealing.root.finalize();
        sealing.uncovered(root.as_bytes());
        end.extend(root.as_bytes());
        if let Some(all) = &sealing.all {
            end.extend(all.finalize().as_bytes());
        }
        Ok(end)
    }

    /// Reads a whole store, writes it again, and reads that: the entries must be equal.
    fn again(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let (store, entries) = read(bytes, &self.secret())?;
        let mut writer = Sampled::begin(Vec::new(), &store, &self.secret())?;
        for Entry { name, kind } in &entries {
            if let Kind::File(record, at) = kind {
                assert_eq!(store.digest(*at)?, record.digest);
            }
            writer.entry(&store, name, kind, None)?;
        }
        let again = writer.end(&store)?;
        let (other, others) = read(&again, &self.secret())?;
        assert_eq!((&other.header, &other.sums), (&store.header, &store.sums));
        assert_eq!(others.len(), entries.len());
        for (one, other_one) in entries.iter().zip(&others) {
            match (&one.kind, &other_one.kind) {
                (Kind::File(record, at), Kind::File(other_record, other_at)) => {
                    assert_eq!((&one.name, record), (&other_one.name, other_record));
                    assert_eq!(store.leaves(record, *at)?, other.leaves(other_record, *other_at)?);
                }
                _ => assert_eq!(one, other_one),
            }
        }
        Ok(again)
    }
}

/// Reads a whole store, which nobody can without its key, or with one if it has none.
fn read(bytes: &[u8], secret: &Secret) -> io::Result<(Store, Vec<Entry>)> {
    let file = InMemory::new(bytes)?;
    let store = Store::open(&file.path(), secret)?;
    let other = Secret::new(Zeroizing::new(vec![8; 32]));
    assert!(Store::open(&file.path(), &other).is_err(), "another key was taken");
    assert_eq!(number_of_entries(&file.path())?, store.sums.entries);
    let (mut all, mut entries) = (Vec::new(), store.entries()?);
    while let Some(entry) = entries.next_entry()? {
        all.push(entry);
    }
    assert_eq!(all.len() as u64, store.sums.entries);
    Ok((store, all))
}

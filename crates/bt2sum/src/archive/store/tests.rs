//! Stores that are whole, damaged, cut and forged.

use std::fs;
use std::path::PathBuf;
use std::sync::MutexGuard;

use simd_digest::blake2b::Params;
use zeroize::Zeroizing;

use super::*;
use crate::scheme::{Algorithm, LONGEST_LEAF, Scheme, Shape};
use crate::temporary::turn;

fn header(exclude: &[&str]) -> Header {
    Header {
        version: 2,
        host: Host([8; 16]),
        scheme: Scheme { algorithm: Algorithm::Blake2b, size: 20, shape: Shape::Tree { chunk: 1000 } },
        keyed: false,
        one_file_system: false,
        owner: false,
        xattrs: false,
        exclude: exclude.iter().map(|&pattern| pattern.to_owned()).collect(),
    }
}

fn with_mode(mode: Option<u16>) -> Rights {
    Rights { mode, ..Rights::default() }
}

fn file(length: u64) -> Record {
    let modified = Time { seconds: -5, nanoseconds: 7 };
    let meta = Meta { rights: with_mode(Some(0o644)), inode: Some(Inode { changed: -5, number: 17 }), born: None };
    Record { length, modified, digest: digest([3; 20]), checked: 11_000_000, young: true, meta }
}

/// A directory for a store.
struct Scratch {
    directory: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Scratch {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), _turn: turn() }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    /// Writes these bytes to a new file: some file systems write an old one to the disk when it is cut to nothing. A store
    /// that is open does not change.
    fn put(&self, bytes: impl AsRef<[u8]>) {
        let _ = fs::remove_file(self.path());
        fs::write(self.path(), bytes).unwrap();
    }

    /// Writes a store of these entries, each a file of this length with leaves of this byte.
    fn write(&self, header: &Header, secret: &Secret, entries: &[(&[u8], Record)]) -> Sums {
        let mut writer = Writer::begin(Temporary::create(&self.path()).unwrap(), header, secret).unwrap();
        for (name, record) in entries {
            let leaves = usize::try_from(header.length_of_leaves(record.length).unwrap()).unwrap();
            writer.file(name, record, &vec![9; leaves]).unwrap();
        }
        writer.finish().unwrap()
    }

    fn open(&self, secret: &Secret) -> io::Result<(Store, Vec<Entry>)> {
        let store = Store::open(&self.path(), secret)?;
        let (mut all, mut entries) = (Vec::new(), store.entries()?);
        while let Some(entry) = entries.next_entry()? {
            all.push(entry);
        }
        Ok((store, all))
    }

    fn error(&self) -> String {
        self.open(&Secret::default()).map(|_| ()).unwrap_err().to_string()
    }
}

#[test]
fn what_is_written_is_read() {
    let scratch = Scratch::new();
    let header = Header { one_file_system: true, ..header(&["*.tmp", "b/"]) };
    let mut writer = Writer::begin(Temporary::create(&scratch.path()).unwrap(), &header, &Secret::default()).unwrap();
    writer.file(b"a", &file(1000), &[]).unwrap();
    writer.link(b"a b", b"\xff/..", None).unwrap();
    writer.file(b"c/d", &file(1001), &[5; 40]).unwrap();
    assert!(writer.file(b"e", &file(1001), &[5; 20]).is_err(), "a leaf is missing");
    let sums = writer.finish().unwrap();
    let (store, entries) = scratch.open(&Secret::default()).unwrap();
    assert_eq!((&store.header, &store.sums, sums.entries, sums.bytes), (&header, &sums, 3, 2001));
    let [Entry { kind: Kind::File(one, at), .. }, link, Entry { name, kind: Kind::File(two, leaves) }] = &entries[..]
    else {
        panic!("{entries:?}");
    };
    assert_eq!((one, two, &**name), (&file(1000), &file(1001), &b"c/d"[..]));
    assert_eq!(*link, Entry { name: b"a b".to_vec(), kind: Kind::Link(b"\xff/..".to_vec(), None) });
    assert_eq!((store.leaves(one, *at).unwrap(), store.leaves(two, *leaves).unwrap()), (vec![], vec![5; 40]));
    store.check_unchanged().unwrap();
}

/// Catalogues that `make.py` wrote by the specification, of both formats and with a key, and their number of entries.
const GOLDEN: [(&[u8], &[u8], u64); 8] = [
    (include_bytes!("../../../tests/data/store/one"), b"", 6),
    (include_bytes!("../../../tests/data/store/one-keyed"), b"key", 6),
    (include_bytes!("../../../tests/data/store/two"), b"", 6),
    (include_bytes!("../../../tests/data/store/two-keyed"), b"key", 6),
    (include_bytes!("../../../tests/data/store/fields"), b"", 10),
    (include_bytes!("../../../tests/data/store/blake3"), b"", 6),
    (include_bytes!("../../../tests/data/store/blake3-keyed"), b"whats the Elvish word for friend", 6),
    (include_bytes!("../../../tests/data/store/owned"), b"key", 6),
];

fn secret_of(key: &[u8]) -> Secret {
    Secret::new(Zeroizing::new(key.to_vec()))
}

/// The short ones of both formats.
fn short() -> impl Iterator<Item = (&'static [u8], &'static [u8], u64)> {
    GOLDEN.into_iter().filter(|(whole, ..)| whole.len() < 1000)
}

/// A bit of every byte, every length, and bytes at the end.
#[test]
fn damage_and_cuts() {
    let scratch = Scratch::new();
    for (whole, key, count) in short() {
        let secret = secret_of(key);
        for at in 0..whole.len() {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1 << (at % 8);
            scratch.put(&bytes);
            assert!(scratch.open(&secret).is_err(), "{at}");
            scratch.put(&whole[..at]);
            assert!(scratch.open(&secret).is_err(), "{at}");
        }
        for more in [&[0][..], &[0; 32], whole] {
            scratch.put([whole, more].concat());
            assert!(scratch.open(&secret).is_err(), "{}", more.len());
        }
        scratch.put(whole);
        let (store, entries) = scratch.open(&secret).unwrap();
        assert_eq!((store.sums.entries, entries.len() as u64), (count, count));
        assert_eq!(number_of_entries(&scratch.path()).unwrap(), count);
    }
}

/// The checksum of bytes that somebody changed.
fn sealed_again(bytes: &[u8]) -> Vec<u8> {
    let contents = &bytes[..bytes.len() - usize::try_from(SEAL).unwrap()];
    let checksum = Params::new().hash_length(32).hash(contents).unwrap();
    [contents, checksum.as_bytes()].concat()
}

/// Stores with the right checksum and another byte: the fields are read, with lengths that may be anything.
#[test]
fn bytes_changed_with_the_checksum() {
    let scratch = Scratch::new();
    for (whole, key, _) in short() {
        let secret = secret_of(key);
        let contents = whole.len() - usize::try_from(SEAL).unwrap();
        for at in 0..contents {
            for change in [1 << (at % 8), 0xff] {
                let mut bytes = whole.to_vec();
                bytes[at] ^= change;
                scratch.put(sealed_again(&bytes));
                // Without a key, the root does not cover all.
                let result = scratch.open(&secret);
                assert!(result.is_err() || key.is_empty(), "{at} {change}");
                let _ = number_of_entries(&scratch.path());
            }
            // A store that ends early, with the right checksum.
            scratch.put(sealed_again(&[&whole[..at], &[0; 32]].concat()));
            assert!(scratch.open(&secret).is_err(), "{at}");
        }
    }
}

/// Every field of format 2 is written as it was read.
#[test]
fn the_writer_agrees_with_the_specification() {
    let scratch = Scratch::new();
    for (whole, key, _) in GOLDEN.into_iter().skip(2) {
        scratch.put(whole);
        let (store, entries) = scratch.open(&secret_of(key)).unwrap();
        let file = Temporary::create(&scratch.path()).unwrap();
        let mut writer = Writer::begin(file, &store.header, &secret_of(key)).unwrap();
        for Entry { name, kind } in entries {
            match kind {
                Kind::File(record, at) => writer.file(&name, &record, &store.leaves(&record, at).unwrap()).unwrap(),
                Kind::Link(target, owner) => writer.link(&name, &target, owner).unwrap(),
                Kind::Directory(rights) => writer.directory(&name, &rights).unwrap(),
            }
        }
        assert_eq!(writer.finish().unwrap(), store.sums);
        assert!(fs::read(scratch.path()).unwrap() == whole);
    }
}

/// A sample writes other times of checks, and nothing else, in the format that it found.
#[test]
fn samples_keep_the_format() {
    let scratch = Scratch::new();
    for (whole, key, count) in GOLDEN {
        let secret = secret_of(key);
        scratch.put(whole);
        for other in [true, false] {
            let (store, entries) = scratch.open(&secret).unwrap();
            let file = Temporary::create(&scratch.path()).unwrap();
            let mut sampled = Sampled::begin(file, &store, &secret).unwrap();
            for Entry { name, kind } in &entries {
                let record = if let Kind::File(record, _) = kind { Some(record.clone()) } else { None };
                let (change, other) = (|young, checked| (young != other, checked), other);
                let record = record.map(|record| {
                    let (young, checked) = change(record.young, record.checked ^ 1 << 22);
                    // Only the mark of a time near to that of the check is kept.
                    Record { young, checked: checked / 1_000_000 * 1_000_000, ..record }
                });
                let record = record.filter(|_| other);
                sampled.entry(&store, name, kind, record.as_ref()).unwrap();
            }
            sampled.finish(&store).unwrap();
            let (again, other_entries) = scratch.open(&secret).unwrap();
            assert_eq!((&again.header, &again.sums), (&store.header, &store.sums));
            assert_eq!(other_entries.len() as u64, count);
            assert!((fs::read(scratch.path()).unwrap() == whole) != other, "{other}");
            assert_eq!(other_entries != entries, other);
            scratch.put(whole);
        }
    }
}

/// All times that 64 bits have, also where the seconds alone are more.
#[test]
fn times_in_nanoseconds() {
    for (seconds, nanoseconds, expected) in [
        (-9_223_372_037, 145_224_192, Some(i64::MIN)),
        (-9_223_372_037, 145_224_191, None),
        (9_223_372_036, 854_775_807, Some(i64::MAX)),
        (9_223_372_036, 854_775_808, None),
        (i64::MIN, 999_999_999, None),
    ] {
        assert_eq!(format::in_nanoseconds(seconds, nanoseconds), expected, "{seconds} {nanoseconds}");
    }
}

/// A sample does not replace a store by what it read otherwise than before.
#[test]
fn samples_of_a_store_that_changes() {
    let scratch = Scratch::new();
    for (whole, key, _) in GOLDEN {
        let secret = secret_of(key);
        fs::write(scratch.path(), whole).unwrap();
        let (store, _) = scratch.open(&secret).unwrap();
        // The first byte of the digest of the first file.
        let mut entries = store.entries().unwrap();
        let Some(Entry { kind: Kind::File(_, at), .. }) = entries.next_entry().unwrap() else { unreachable!() };
        let mut bytes = whole.to_vec();
        bytes[usize::try_from(at).unwrap() - store.header.scheme.size] ^= 1;
        fs::write(scratch.path(), &bytes).unwrap();
        let mut sampled = Sampled::begin(Temporary::create(&scratch.path()).unwrap(), &store, &secret).unwrap();
        let mut entries = store.entries().unwrap();
        while let Some(Entry { name, kind }) = entries.next_entry().unwrap() {
            sampled.entry(&store, &name, &kind, None).unwrap();
        }
        let error = sampled.finish(&store).unwrap_err().to_string();
        assert_eq!(error, "the catalogue had other bytes when it was read again");
        assert!(fs::read(scratch.path()).unwrap() == bytes);
    }
}

/// Stores that somebody made, with the right checksum and the right root.
#[test]
fn names_that_no_walk_finds() {
    let scratch = Scratch::new();
    for name in ["", "/", "/etc/passwd", "a/", "a//b", ".", "..", "./a", "../a", "a/..", "a/../b", "a\0b"] {
        scratch.write(&header(&[]), &Secret::default(), &[(name.as_bytes(), file(1))]);
        assert_eq!(scratch.error(), "damaged: a name that no file can have", "{name:?}");
    }
    let long = vec![b'a'; format::LONGEST_NAME + 1];
    let mut writer =
        Writer::begin(Temporary::create(&scratch.path()).unwrap(), &header(&[]), &Secret::default()).unwrap();
    assert!(writer.link(&long, b"x", None).is_err());
    writer.link(&long[1..], b"x", None).unwrap();
    writer.finish().unwrap();
    scratch.open(&Secret::default()).unwrap();
    // The links have that length in the same place.
    let longer = fs::read(scratch.path()).unwrap();
    let at = usize::try_from(BEGIN).unwrap() + 11 + 16 + 2;
    assert_eq!(longer[at..at + 3], [0x80, 0x80, 0x40]);
    let longer = [&longer[..at], &[0x81, 0x80, 0x40, b'a'], &longer[at + 3..]].concat();
    scratch.put(sealed_again(&longer));
    assert_eq!(scratch.error(), "damaged: the length of a name");
    for names in [["b", "a"], ["a", "a"], ["a.b", "a/b"], ["ab", "a/b"], ["a/b", "a"], ["a", "a/b"]] {
        scratch.write(&header(&[]), &Secret::default(), &names.map(|name| (name.as_bytes(), file(1))));
        assert_eq!(scratch.error(), "damaged: names out of order", "{names:?}");
    }
    scratch.write(&header(&[]), &Secret::default(), &["a/b", "a.b", "ab"].map(|name| (name.as_bytes(), file(1))));
    scratch.open(&Secret::default()).unwrap();
}

/// Stores with the right checksum and the right root, and another field that is out of its range.
#[test]
fn fields_out_of_range() {
    let scratch = Scratch::new();
    let good = header(&[]);
    let with =
        |size, chunk| Header { scheme: Scheme { size, shape: Shape::Tree { chunk }, ..good.scheme }, ..good.clone() };
    let by_blake3 = |size, chunk| {
        let scheme = Scheme { algorithm: Algorithm::Blake3, size, shape: Shape::Tree { chunk } };
        Header { scheme, ..good.clone() }
    };
    let of_blake3 = [(32, 0), (32, 512), (32, 1000), (32, 1025), (32, 3072), (32, 5 << 20), (32, LONGEST_LEAF << 1)];
    let of_blake3 = of_blake3.into_iter().chain([(0, 1024), (20, 1024), (31, 1024), (33, 1024), (64, 1024)]);
    for header in [with(0, 1000), with(65, 1000), with(20, 0), with(20, LONGEST_LEAF + 1)]
        .into_iter()
        .chain(of_blake3.map(|(size, chunk)| by_blake3(size, chunk)))
    {
        let mut writer =
            Writer::begin(Temporary::create(&scratch.path()).unwrap(), &header, &Secret::default()).unwrap();
        writer.link(b"a", b"b", None).unwrap();
        writer.finish().unwrap();
        assert_eq!(scratch.error(), "damaged: a parameter is out of its range");
    }
    let time = Time { seconds: 0, nanoseconds: 1_000_000_000 };
    scratch.write(&good, &Secret::default(), &[(b"a", Record { modified: time, ..file(1) })]);
    assert_eq!(scratch.error(), "damaged: a number");
    let meta = Meta { rights: with_mode(Some(0o10_000)), inode: None, born: None };
    scratch.write(&good, &Secret::default(), &[(b"a", Record { meta, ..file(1) })]);
    assert_eq!(scratch.error(), "damaged: a mode");
    let long = Record { length: u64::MAX, ..file(1) };
    let mut writer = Writer::begin(Temporary::create(&scratch.path()).unwrap(), &good, &Secret::default()).unwrap();
    assert!(writer.file(b"a", &long, &[]).is_err());
}

/// Hashes that a format has not, in stores whose checksum is right.
#[test]
fn unknown_hashes() {
    let scratch = Scratch::new();
    let at = usize::try_from(BEGIN).unwrap();
    for ((whole, key, _), hashes) in GOLDEN.into_iter().zip([&[0, 3, 255][..], &[3, 4], &[0, 4, 255], &[4, 8]]) {
        for &hash in hashes {
            let mut bytes = whole.to_vec();
            bytes[at] = hash;
            scratch.put(sealed_again(&bytes));
            let error = scratch.open(&secret_of(key)).map(|_| ()).unwrap_err().to_string();
            assert_eq!(error, "damaged: an unknown hash", "{hash}");
        }
    }
    // A key that has not the length of those of the hash.
    scratch.put(GOLDEN[6].0);
    for length in [1, 31, 33, 64] {
        let error = scratch.open(&secret_of(&vec![7; length])).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, "of blake3, which takes no key of this length", "{length}");
    }
}

/// Entries of format 2 that say something in another way than the only one.
#[test]
fn entries_that_no_writer_writes() {
    let scratch = Scratch::new();
    scratch.write(&header(&[]), &Secret::default(), &[(b"a", file(1)), (b"ab", file(1))]);
    let whole = fs::read(scratch.path()).unwrap();
    // The first entry and the name of the second.
    let first = usize::try_from(BEGIN).unwrap() + 11 + 16;
    let second = 2 + (first..).find(|&at| whole[at..].starts_with(&[9, 1, 1, b'b'])).unwrap() - 1;
    assert_eq!(whole[first..first + 10], [9, 0, 1, b'a', 1, 9, 7, 0, 0, 0]);
    let flags = first + 10 + 20;
    assert_eq!(whole[flags], 3);
    let (kind, name, number, mode) = ("an unknown kind of entry", "the length of a name", "a number", "a mode");
    let overflow = [&[0xff; 9][..], &[2]].concat();
    let endless = [0xff; 12];
    for (at, instead, bytes, error) in [
        (first, 1, &[73][..], kind),
        (first, 1, &[8], kind),
        (first, 1, &[6], kind),
        (first, 1, &[10], kind),
        (first, 1, &[11], kind),
        // This catalogue has neither owners nor extended attributes.
        (first, 4, &[25, 0, 1, b'a', 1, 0], kind),
        (first, 4, &[41, 0, 1, b'a', 0], kind),
        (first + 1, 1, &[1], name),
        (first + 2, 1, &[0x81, 0x80, 0x40], name),
        (first + 1, 1, &[0x80, 0], number),
        (first + 1, 1, &overflow, number),
        (first + 1, 1, &endless, number),
        (first, 4, &[2, 0, 1, b'a', 0x81, 0x80, 0x40], "the length of a target"),
        (first, 4, &[13, 0, 1, b'a', 0xa4, 1], mode),
        (first, 4, &[13, 0, 1, b'a', 0, 0x10], mode),
        (first + 6, 1, &[0], number),
        (first + 6, 4, &1_000_000_000_u32.to_le_bytes(), number),
        (flags, 1, &[8], number),
        (flags, 1, &[4], number),
        (second, 3, &[0, 2, b'a', b'b'], "a name shares more than it says"),
    ] {
        let changed = [&whole[..at], bytes, &whole[at + instead..]].concat();
        scratch.put(sealed_again(&changed));
        assert_eq!(scratch.error(), format!("damaged: {error}"), "{} {bytes:?}", at - first);
    }
    scratch.put(sealed_again(&whole));
    scratch.open(&Secret::default()).unwrap();
}

/// Owners and extended attributes come back as they were, and the root covers them where a store has them.
#[test]
fn owners_and_attributes() {
    let scratch = Scratch::new();
    let none = Secret::default();
    let owner = |user, group| Some(Owner { user, group });
    let attributes = |digest, has_capability| Some(Attributes { digest, has_capability });
    let of = |owner, attributes| {
        let rights = Rights { mode: Some(0o644), owner, attributes };
        Record { meta: Meta { rights, ..file(1).meta }, ..file(1) }
    };
    let records = [
        of(owner(0, 0), attributes(None, false)),
        of(owner(0, 1), attributes(Some([0; 16]), false)),
        of(owner(u32::MAX, u32::MAX), attributes(Some([0; 16]), true)),
        of(owner(u32::MAX, u32::MAX), attributes(Some([1; 16]), true)),
        of(owner(1, 0), attributes(Some([1; 16]), true)),
        of(owner(1, 0), attributes(None, false)),
    ];
    let entries: Vec<(&[u8], Record)> =
        [b"a", b"b", b"c", b"d", b"e", b"f"].map(|name| &name[..]).into_iter().zip(records).collect();
    for (with_owner, xattrs) in [(false, false), (true, false), (false, true), (true, true)] {
        let header = Header { owner: with_owner, xattrs, ..header(&[]) };
        scratch.write(&header, &none, &entries);
        let (store, read) = scratch.open(&none).unwrap();
        assert_eq!((store.header.owner, store.header.xattrs), (with_owner, xattrs));
        for (entry, (name, record)) in read.iter().zip(&entries) {
            let Kind::File(read, _) = &entry.kind else { panic!("a file") };
            let Rights { mode, owner, attributes } = record.meta.rights;
            let (owner, attributes) = (owner.filter(|_| with_owner), attributes.filter(|_| xattrs));
            assert_eq!((&*entry.name, read.meta.rights), (*name, Rights { mode, owner, attributes }));
        }
        // A fact that the store has is never left out.
        let mut writer = Writer::begin(Temporary::create(&scratch.path()).unwrap(), &header, &none).unwrap();
        let directory = writer.directory(b"a", &with_mode(Some(0o755)));
        assert_eq!(directory.is_ok(), !with_owner && !xattrs);
        assert_eq!(writer.link(b"b", b"a", None).is_ok(), !with_owner);
    }
    let both = Header { owner: true, xattrs: true, ..header(&[]) };
    let root = |record: &Record| scratch.write(&both, &none, &[(b"a", record.clone())]).root;
    let mut roots: Vec<Digest> = entries.iter().map(|(_, record)| root(record)).collect();
    roots.push(scratch.write(&Header { owner: false, ..both.clone() }, &none, &entries[..1]).root);
    roots.push(scratch.write(&Header { xattrs: false, ..both.clone() }, &none, &entries[..1]).root);
    for (i, a) in roots.iter().enumerate() {
        assert!(roots[..i].iter().all(|b| a != b), "{i}");
    }
    // The first entry has what is so before the first, and the second says more.
    scratch.write(&both, &none, &entries[..2]);
    let whole = fs::read(scratch.path()).unwrap();
    let at = (0..whole.len()).find(|&at| whole[at..].starts_with(&[57, 0, 1, b'b', 0, 1, 1, 0, 0])).unwrap();
    let (numbers, flags) = (at + 4, at + 6);
    let (number, user, xattrs) = ("a number", "an owner", "extended attributes");
    for (at, instead, bytes, error) in [
        (numbers, 2, &[0, 0][..], user),
        (numbers, 1, &[0x80, 0x80, 0x80, 0x80, 0x10], user),
        (numbers + 1, 1, &[0x80, 0x80, 0x80, 0x80, 0x10], user),
        (numbers, 1, &[0x80, 0], number),
        (flags, 1, &[2], xattrs),
        (flags, 1, &[4], xattrs),
        (flags, 1, &[5], xattrs),
        (flags, 17, &[0], xattrs),
        (at, 4, &[34, 0, 1, b'b'], "an unknown kind of entry"),
    ] {
        let changed = [&whole[..at], bytes, &whole[at + instead..]].concat();
        scratch.put(sealed_again(&changed));
        assert_eq!(scratch.error(), format!("damaged: {error}"), "{at} {bytes:?}");
    }
}

/// Format 1 has neither.
#[test]
fn flags_of_format_1() {
    let scratch = Scratch::new();
    for flag in [4, 8, 16] {
        let mut bytes = GOLDEN[0].0.to_vec();
        bytes[usize::try_from(FLAGS).unwrap()] ^= flag;
        scratch.put(sealed_again(&bytes));
        assert_eq!(scratch.error(), "damaged: a parameter is out of its range", "{flag}");
    }
}

#[test]
fn roots_and_keys() {
    let scratch = Scratch::new();
    let secret = |byte| Secret::new(Zeroizing::new(vec![byte; 8]));
    let none = Secret::default();
    let root = |header: &Header, secret: &Secret, record: Record| scratch.write(header, secret, &[(b"a", record)]).root;
    let plain = root(&header(&[]), &none, file(5));
    let mode = file(5).meta.rights.mode;
    let meta = |mode, inode| Record { meta: Meta { rights: with_mode(mode), inode, born: None }, ..file(5) };
    let inode = |changed, number| Some(Inode { changed, number });
    for seen in [
        Record { checked: 12_000_000, ..file(5) },
        Record { young: false, ..file(5) },
        meta(mode, None),
        meta(mode, inode(-5, 18)),
        meta(mode, inode(-6, 17)),
        meta(mode, inode(-4_999_999_993, 17)),
    ] {
        assert_eq!(root(&header(&[]), &none, seen), plain, "when and where a file was looked at is no part of it");
    }
    assert_eq!(root(&Header { host: Host::default(), ..header(&[]) }, &none, file(5)), plain, "nor is the host");
    let other = Record { modified: Time { seconds: -5, nanoseconds: 8 }, ..file(5) };
    let mut roots = vec![plain, root(&header(&[]), &none, file(6)), root(&header(&[]), &none, other)];
    roots.push(root(&header(&["x"]), &none, file(5)));
    roots.push(root(&header(&[]), &none, meta(Some(0o600), None)));
    roots.push(root(&header(&[]), &none, meta(None, None)));
    roots.push(root(&Header { one_file_system: true, ..header(&[]) }, &none, file(5)));
    roots.push(root(&header(&[]), &none, Record { digest: digest([4; 20]), ..file(5) }));
    let keyed = Header { keyed: true, ..header(&[]) };
    roots.push(root(&keyed, &secret(1), file(5)));
    roots.push(root(&keyed, &secret(2), file(5)));
    for (i, a) in roots.iter().enumerate() {
        assert!(roots[..i].iter().all(|b| a != b), "{i}");
    }
    let error = |secret: &Secret| scratch.open(secret).map(|_| ()).unwrap_err().to_string();
    scratch.open(&secret(2)).unwrap();
    assert_eq!((error(&secret(1)), error(&none)), ("the root of another key".into(), "made with a key".into()));
    root(&header(&[]), &none, file(5));
    assert_eq!(error(&secret(1)), "made without a key");
}

/// Who has no key can make neither a new root nor a change on purpose out of rot.
#[test]
fn bytes_changed_without_the_key() {
    let scratch = Scratch::new();
    let secret = Secret::new(Zeroizing::new(vec![1; 8]));
    let keyed = Header { keyed: true, ..header(&[]) };
    scratch.write(&keyed, &secret, &[(b"a", file(5)), (b"b", file(1001))]);
    assert_eq!(number_of_entries(&scratch.path()).unwrap(), 2);
    let whole = fs::read(scratch.path()).unwrap();
    let contents = whole.len() - usize::try_from(SEAL).unwrap();
    let authenticator = &whole[contents - AUTHENTICATOR..contents];
    let params = Params::new().hash_length(32).personal(b"bt2store all").key(&[1; 8]);
    assert_eq!(params.hash(&whole[..contents - AUTHENTICATOR]).unwrap(), *authenticator);
    for at in 0..contents {
        let mut bytes = whole[..contents].to_vec();
        bytes[at] ^= 1;
        let checksum = Params::new().hash_length(32).hash(&bytes).unwrap();
        scratch.put([&bytes, checksum.as_bytes()].concat());
        assert!(scratch.open(&secret).is_err(), "{at}");
        let _ = number_of_entries(&scratch.path());
    }
    let young = {
        scratch.put(&whole);
        let (_, entries) = scratch.open(&secret).unwrap();
        let Kind::File(_, at) = entries[1].kind else { panic!("a file") };
        usize::try_from(at).unwrap() + 40
    };
    let mut bytes = whole[..contents].to_vec();
    assert_eq!(bytes[young] & 1, 1);
    bytes[young] ^= 1;
    let checksum = Params::new().hash_length(32).hash(&bytes).unwrap();
    scratch.put([&bytes, checksum.as_bytes()].concat());
    let error = scratch.open(&secret).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "damaged: changed by one without the key");
}

#[test]
fn young_times() {
    let now = 1_000_000_000_500;
    for (seconds, nanoseconds, young) in [
        (998, 500, false),
        (998, 501, true),
        (999, 0, true),
        (1002, 499, true),
        (1002, 500, false),
        (2000, 0, false),
        (-1, 0, false),
        (i64::MIN, 0, false),
        (i64::MAX, 999_999_999, false),
    ] {
        assert_eq!(Time { seconds, nanoseconds }.is_young(now), young, "{seconds} {nanoseconds}");
    }
}

/// Older versions marked every file as young whose time was to come.
#[test]
fn marks_of_older_versions() {
    let scratch = Scratch::new();
    let golden = GOLDEN[0].0;
    scratch.put(golden);
    let (_, entries) = scratch.open(&Secret::default()).unwrap();
    let Some(Kind::File(_, at)) = entries.last().map(|entry| &entry.kind) else { panic!("a file") };
    // The file has one leaf, so what the root does not cover comes after its digest. The root does not fit the time.
    let (seen, time) = (usize::try_from(*at).unwrap(), usize::try_from(*at).unwrap() - 64 - 12);
    let young = |modified: Time, checked: u64| {
        let mut bytes = golden.to_vec();
        bytes[seen..seen + 8].copy_from_slice(&checked.to_le_bytes());
        bytes[seen + 8] = 1;
        bytes[time..time + 8].copy_from_slice(&modified.seconds.to_le_bytes());
        scratch.put(&bytes);
        let file = File::open(scratch.path()).unwrap();
        let input = BufReader::new(file);
        let mut parser = Parser { input, at: BEGIN, end: bytes.len() as u64 - SEAL, sealing: None };
        parser.input.seek(SeekFrom::Start(BEGIN)).unwrap();
        let header = parser.header(1, &Secret::default()).unwrap();
        let mut entries = Entries::new(parser, header);
        let all = core::iter::from_fn(|| entries.next_entry().unwrap());
        matches!(all.last(), Some(Entry { kind: Kind::File(Record { young: true, .. }, _), .. }))
    };
    let checked = 1_000_000_000_000;
    for (seconds, kept) in [(999, true), (1001, true), (1002, false), (i64::MAX, false)] {
        assert_eq!(young(Time { seconds, nanoseconds: 0 }, checked), kept, "{seconds}");
    }
    // A sample that could not read the file came later: nothing is known about the time before.
    assert!(young(Time { seconds: 1001, nanoseconds: 0 }, 2 * checked));
}

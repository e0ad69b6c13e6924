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
        scheme: Scheme { algorithm: Algorithm::Blake2b, size: 20, shape: Shape::Tree { chunk: 1000 } },
        keyed: false,
        one_file_system: false,
        exclude: exclude.iter().map(|&pattern| pattern.to_owned()).collect(),
    }
}

fn file(length: u64) -> Record {
    let modified = Time { seconds: -5, nanoseconds: 7 };
    Record { length, modified, digest: digest([3; 20]), checked: 11, young: true }
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
    writer.link(b"a b", b"\xff/..").unwrap();
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
    assert_eq!(*link, Entry { name: b"a b".to_vec(), kind: Kind::Link(b"\xff/..".to_vec()) });
    assert_eq!((store.leaves(one, *at).unwrap(), store.leaves(two, *leaves).unwrap()), (vec![], vec![5; 40]));
    store.check_unchanged().unwrap();
}

/// Every bit of every byte, every length, and bytes at the end.
#[test]
fn damage_and_cuts() {
    let scratch = Scratch::new();
    scratch.write(&header(&["x"]), &Secret::default(), &[(b"a", file(5)), (b"b/c", file(2500))]);
    let whole = fs::read(scratch.path()).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            fs::write(scratch.path(), bytes).unwrap();
            assert!(scratch.open(&Secret::default()).is_err(), "{at} {bit}");
        }
        fs::write(scratch.path(), &whole[..at]).unwrap();
        assert!(scratch.open(&Secret::default()).is_err(), "{at}");
    }
    for more in [&[0][..], &[0; 32], &whole] {
        fs::write(scratch.path(), [&whole, more].concat()).unwrap();
        assert!(scratch.open(&Secret::default()).is_err(), "{}", more.len());
    }
    fs::write(scratch.path(), whole).unwrap();
    scratch.open(&Secret::default()).unwrap();
}

/// Stores that somebody made, with the right checksum and the right root.
#[test]
fn names_that_no_walk_finds() {
    let scratch = Scratch::new();
    for name in ["", "/", "/etc/passwd", "a/", "a//b", ".", "..", "./a", "../a", "a/..", "a/../b", "a\0b"] {
        scratch.write(&header(&[]), &Secret::default(), &[(name.as_bytes(), file(1))]);
        assert_eq!(scratch.error(), "damaged: a name that no file can have", "{name:?}");
    }
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
    for header in [with(0, 1000), with(65, 1000), with(20, 0), with(20, LONGEST_LEAF + 1)] {
        let mut writer =
            Writer::begin(Temporary::create(&scratch.path()).unwrap(), &header, &Secret::default()).unwrap();
        writer.link(b"a", b"b").unwrap();
        writer.finish().unwrap();
        assert_eq!(scratch.error(), "damaged: a parameter is out of its range");
    }
    let time = Time { seconds: 0, nanoseconds: 1_000_000_000 };
    scratch.write(&good, &Secret::default(), &[(b"a", Record { modified: time, ..file(1) })]);
    assert_eq!(scratch.error(), "damaged: a number");
    let long = Record { length: u64::MAX, ..file(1) };
    let mut writer = Writer::begin(Temporary::create(&scratch.path()).unwrap(), &good, &Secret::default()).unwrap();
    assert!(writer.file(b"a", &long, &[]).is_err());
}

#[test]
fn roots_and_keys() {
    let scratch = Scratch::new();
    let secret = |byte| Secret::new(Zeroizing::new(vec![byte; 8]));
    let none = Secret::default();
    let root = |header: &Header, secret: &Secret, record: Record| scratch.write(header, secret, &[(b"a", record)]).root;
    let plain = root(&header(&[]), &none, file(5));
    for seen in [Record { checked: 12, ..file(5) }, Record { young: false, ..file(5) }] {
        assert_eq!(root(&header(&[]), &none, seen), plain, "when a file was looked at is no part of it");
    }
    let other = Record { modified: Time { seconds: -5, nanoseconds: 8 }, ..file(5) };
    let mut roots = vec![plain, root(&header(&[]), &none, file(6)), root(&header(&[]), &none, other)];
    roots.push(root(&header(&["x"]), &none, file(5)));
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
        fs::write(scratch.path(), [&bytes, checksum.as_bytes()].concat()).unwrap();
        assert!(scratch.open(&secret).is_err(), "{at}");
        let _ = number_of_entries(&scratch.path());
    }
    let young = contents - AUTHENTICATOR - usize::try_from(TRAILER).unwrap() - 1;
    let mut bytes = whole[..contents].to_vec();
    assert_eq!(core::mem::replace(&mut bytes[young], 0), 1);
    let checksum = Params::new().hash_length(32).hash(&bytes).unwrap();
    fs::write(scratch.path(), [&bytes, checksum.as_bytes()].concat()).unwrap();
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
    let young = |modified, checked| {
        let record = Record { modified, checked, young: true, ..file(5) };
        scratch.write(&header(&[]), &Secret::default(), &[(b"a", record)]);
        let (_, entries) = scratch.open(&Secret::default()).unwrap();
        matches!(&entries[..], [Entry { kind: Kind::File(Record { young: true, .. }, _), .. }])
    };
    let checked = 1_000_000_000_000;
    for (seconds, kept) in [(999, true), (1001, true), (1002, false), (i64::MAX, false)] {
        assert_eq!(young(Time { seconds, nanoseconds: 0 }, checked), kept, "{seconds}");
    }
    // A sample that could not read the file came later: nothing is known about the time before.
    assert!(young(Time { seconds: 1001, nanoseconds: 0 }, 2 * checked));
}

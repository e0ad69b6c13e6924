//! Plain objects beside files of leaves, as bt2sum writes them and as hashlib computes them.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of one object")]

use core::pin::pin;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use core::task::{Context, Waker};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::chunked::ChunkedStore;
use object_store::limit::LimitStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    Error as StoreError, Extensions, GetOptions, GetRange, GetResult, GetResultPayload, ObjectStore, ObjectStoreExt,
};
use simd_digest::blake2::Part;
use simd_digest::blake2b;
use simd_digest_store::{Check, Corrupt, Error, LeafFileError, Problem, Sidecar, Verified};

#[path = "common/wrapper.rs"]
mod wrapper;
use wrapper::{Behaviour, Wrapper};

fn path(name: &str) -> Path {
    Path::from(name)
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| u8::try_from(char::from(*byte).to_digit(16).unwrap()).unwrap();
    text.as_bytes().chunks(2).map(|pair| digit(&pair[0]) << 4 | digit(&pair[1])).collect()
}

fn problem(error: &StoreError) -> LeafFileError {
    match Error::find(error).map(Error::problem) {
        Some(Problem::LeafFile(error)) => error.clone(),
        _ => panic!("{error}"),
    }
}

async fn bytes(store: &dyn ObjectStore, name: &str) -> Result<Bytes, StoreError> {
    store.get(&path(name)).await?.bytes().await
}

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sidecars");

fn roots() -> HashMap<String, Vec<u8>> {
    let text = std::fs::read_to_string(format!("{DIRECTORY}/roots")).unwrap();
    text.lines().map(|line| line.split_once(' ').map(|(name, root)| (name.to_owned(), unhex(root))).unwrap()).collect()
}

/// A copy of the files of bt2sum in memory.
async fn memory() -> Arc<InMemory> {
    let store = Arc::new(InMemory::new());
    for entry in std::fs::read_dir(DIRECTORY).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        store.put(&path(&name), std::fs::read(entry.path()).unwrap().into()).await.unwrap();
    }
    store
}

#[tokio::test]
async fn files_of_bt2sum() {
    let roots = roots();
    assert_eq!(roots.len(), 8);
    let files = Arc::new(LocalFileSystem::new_with_prefix(DIRECTORY).unwrap()) as Arc<dyn ObjectStore>;
    let memory = memory().await as Arc<dyn ObjectStore>;
    for inner in [files, memory] {
        for with_roots in [false, true] {
            let mut store = Verified::sidecar(Arc::clone(&inner));
            if with_roots {
                let roots = roots.clone();
                store = store.with_roots(move |path| roots.get(path.as_ref()).cloned());
            }
            for name in roots.keys() {
                let plain = std::fs::read(format!("{DIRECTORY}/{name}")).unwrap();
                assert_eq!(bytes(&store, name).await.unwrap(), plain, "{name}");
                let meta = store.head(&path(name)).await.unwrap();
                assert_eq!(meta.size, plain.len() as u64);
                if plain.len() > 1 {
                    for range in [0..1, 999..1001, 10..3999, 3999..4000] {
                        let own = store.get_range(&path(name), range.start..range.end).await.unwrap();
                        assert_eq!(
                            own,
                            plain[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()]
                        );
                    }
                    let ranges = [5..1005, 0..2, 3000..4000];
                    let own = store.get_ranges(&path(name), &ranges).await.unwrap();
                    assert_eq!(own, [&plain[5..1005], &plain[0..2], &plain[3000..4000]]);
                    let suffix = GetOptions::new().with_range(Some(GetRange::Suffix(7)));
                    let own = store.get_opts(&path(name), suffix).await.unwrap().bytes().await.unwrap();
                    assert_eq!(own, plain[plain.len() - 7..]);
                }
            }
            assert!(store.stats().verified_bytes > 0);
            let listed: Vec<_> = store.list(None).map_ok(|meta| meta.location).try_collect().await.unwrap();
            assert_eq!(listed.len(), 9, "{listed:?}"); // and the list of roots
            assert_eq!(store.list_with_delimiter(None).await.unwrap().objects.len(), 9);
            let listed: Vec<_> = store.list_with_offset(None, &path("blake2s")).try_collect().await.unwrap();
            assert_eq!(listed.len(), 5);
        }
    }
}

#[tokio::test]
async fn vectors_of_hashlib() {
    let mut count = 0;
    for line in include_str!("data/vectors.txt").lines().filter(|line| line.starts_with("bt2leaf")) {
        let fields: Vec<_> = line.split(' ').skip(1).collect();
        let [_, _, _, key, length, root, file] = fields[..] else { panic!("{line}") };
        let inner = Arc::new(InMemory::new());
        let length: u64 = length.parse().unwrap();
        let message: Bytes = (0..length).map(|i| u8::try_from(i % 251).unwrap()).collect();
        inner.put(&path("a"), message.clone().into()).await.unwrap();
        inner.put(&path("a.bt2leaf"), unhex(file).into()).await.unwrap();
        let store = |root: Vec<u8>, key: &[u8]| {
            let store = Verified::sidecar(Arc::clone(&inner)).with_roots(move |_| Some(root.clone()));
            if key.is_empty() { store } else { store.with_key(key).unwrap() }
        };
        let key = if key == "-" { vec![] } else { unhex(key) };
        let root = unhex(root);
        assert_eq!(bytes(&store(root.clone(), &key), "a").await.unwrap(), message, "{line}");
        let mut other = root.clone();
        other[0] ^= 1;
        for wrong in [other, root[1..].to_vec(), vec![]] {
            assert_eq!(problem(&bytes(&store(wrong, &key), "a").await.unwrap_err()), LeafFileError::Root);
        }
        if key.is_empty() {
            let error = bytes(&store(root, b"a key"), "a").await.unwrap_err();
            assert_eq!(problem(&error), LeafFileError::Unkeyed);
        } else {
            let error = bytes(&store(root.clone(), b""), "a").await.unwrap_err();
            assert_eq!(problem(&error), LeafFileError::NoKey);
            assert_eq!(problem(&bytes(&store(root, b"other"), "a").await.unwrap_err()), LeafFileError::Root);
            let unrooted = Verified::sidecar(Arc::clone(&inner)).with_key(b"other").unwrap();
            assert!(Corrupt::find(&bytes(&unrooted, "a").await.unwrap_err()).is_some());
        }
        count += 1;
    }
    assert_eq!(count, 30);
}

#[tokio::test]
async fn damage() {
    let name = "blake2b-odd";
    let inner = memory().await;
    let store = Verified::sidecar(Arc::clone(&inner));
    let plain = bytes(&*inner, name).await.unwrap();
    let leaves = bytes(&*inner, "blake2b-odd.bt2leaf").await.unwrap();
    let root = roots()[name].clone();

    // Of the object, in the middle and at the end.
    for i in (0..plain.len()).step_by(77).chain([plain.len() - 1]) {
        let mut damaged = plain.to_vec();
        damaged[i] ^= 0x10;
        inner.put(&path(name), damaged.into()).await.unwrap();
        let error = bytes(&store, name).await.unwrap_err();
        assert_eq!(Corrupt::find(&error).unwrap().stripe, i as u64 / 1000, "{error}");
        let error = store.get_ranges(&path(name), &[i as u64..i as u64 + 1]).await.unwrap_err();
        assert_eq!(Corrupt::find(&error).unwrap().stripe, i as u64 / 1000, "{error}");
    }
    // Of its length.
    for damaged in [&plain[..10_500], &plain[..0], &[&plain[..], b"x"].concat()] {
        inner.put(&path(name), damaged.to_vec().into()).await.unwrap();
        let error = problem(&bytes(&store, name).await.unwrap_err());
        assert_eq!(error, LeafFileError::Stale { object: damaged.len() as u64, leaves: 10_501 });
    }
    inner.put(&path(name), plain.clone().into()).await.unwrap();

    // Of the leaves.
    for i in 0..leaves.len() {
        let mut damaged = leaves.to_vec();
        damaged[i] ^= 1;
        for damaged in [damaged, leaves[..i].to_vec()] {
            inner.put(&path("blake2b-odd.bt2leaf"), damaged.into()).await.unwrap();
            let error = problem(&bytes(&store, name).await.unwrap_err());
            assert!(matches!(error, LeafFileError::Foreign | LeafFileError::Damaged), "{error}");
        }
    }
    // With a right checksum, by someone who means it: the root tells.
    let resealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = leaves[..leaves.len() - 32].to_vec();
        change(&mut file);
        let seal = blake2b::Params::new().hash_length(32).hash(&file).unwrap();
        [file, seal.as_bytes().to_vec()].concat()
    };
    let rooted = Verified::sidecar(Arc::clone(&inner)).with_roots(move |_| Some(root.clone()));
    inner.put(&path("blake2b-odd.bt2leaf"), resealed(&|file| file[20] ^= 1).into()).await.unwrap();
    assert_eq!(problem(&bytes(&rooted, name).await.unwrap_err()), LeafFileError::Root);
    assert!(Corrupt::find(&bytes(&store, name).await.unwrap_err()).is_some());
    // Hostile fields.
    for (at, value) in [(9, 0), (9, 3), (10, 65), (11, 2)] {
        inner.put(&path("blake2b-odd.bt2leaf"), resealed(&|file| file[at] = value).into()).await.unwrap();
        assert!(matches!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Field(_)), "{at}");
    }
    // A file that is longer than its fields say is not read.
    for (at, value) in [(10, 0), (13, 0xff), (15, 0xff)] {
        inner.put(&path("blake2b-odd.bt2leaf"), resealed(&|file| file[at] = value).into()).await.unwrap();
        assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Damaged, "{at}");
    }
    inner.put(&path("blake2b-odd.bt2leaf"), resealed(&|file| file[12..16].fill(0)).into()).await.unwrap();
    assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Field("length of a leaf"));
    // Another length of the object than that of so many leaves.
    for len in [0, 1, 5000, 10_000, 11_001, 20_000, u64::MAX] {
        let length = resealed(&|file| {
            let end = file.len();
            file[end - 8..].copy_from_slice(&u64::to_le_bytes(len));
        });
        inner.put(&path("blake2b-odd.bt2leaf"), length.into()).await.unwrap();
        let error = problem(&bytes(&store, name).await.unwrap_err());
        assert_eq!(error, LeafFileError::Field("number of leaves"), "{len}");
    }

    // Without any.
    inner.delete(&path("blake2b-odd.bt2leaf")).await.unwrap();
    assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Missing);
    assert!(matches!(bytes(&store, "none").await, Err(StoreError::NotFound { .. })));
    assert!(matches!(bytes(&rooted, "none").await, Err(StoreError::NotFound { .. })));
}

/// Counts the bytes that it gives.
#[derive(Debug, Default)]
struct Counting(Arc<AtomicU64>);

impl Behaviour for Counting {
    fn get(&self, mut result: GetResult) -> object_store::Result<GetResult> {
        let GetResultPayload::Stream(stream) = result.payload else { panic!("no stream") };
        let given = Arc::clone(&self.0);
        let count = move |bytes: &Bytes| _ = given.fetch_add(bytes.len() as u64, Relaxed);
        result.payload = GetResultPayload::Stream(stream.inspect_ok(count).boxed());
        Ok(result)
    }
}

/// The header of a file of leaves, which nothing has verified, does not have more of it read than 1 MiB beyond the
/// length of the object.
#[tokio::test]
async fn long_files_of_leaves() {
    let inner = Arc::new(InMemory::new());
    let file = |chunk: u32, size: u8, len: u64| {
        let count = len.div_ceil(chunk.into());
        let mut file = [b"bt2leaf\0\x01\x01", &[size, 0][..], &chunk.to_le_bytes()].concat();
        file.resize(file.len() + usize::try_from(count * u64::from(size)).unwrap(), 7);
        file.extend_from_slice(&len.to_le_bytes());
        file.extend_from_slice(blake2b::Params::new().hash_length(32).hash(&file).unwrap().as_bytes());
        file
    };
    for (chunk, size, len) in [(1, 64, 100_000), (1, 255, 100_000), (7, 200, 100_000), (33, 64, 2_000_000)] {
        let file = file(chunk, size, len);
        let length = file.len() as u64;
        let most = len + (1 << 20);
        assert!(length > most);
        let is_small = |bytes: u64| bytes < 100_000;
        for (object, expected) in [
            (len, LeafFileError::Long { length, most }),
            (len - 500, LeafFileError::Stale { object: len - 500, leaves: len }),
        ] {
            inner.put(&path("a"), vec![0; usize::try_from(object).unwrap()].into()).await.unwrap();
            // In pieces, as they come over a network.
            inner.put(&path("a.bt2leaf"), file.clone().into()).await.unwrap();
            let given = Arc::new(AtomicU64::new(0));
            let pieces = ChunkedStore::new(Arc::clone(&inner) as _, 10_000);
            let store = Verified::sidecar(Wrapper::new(Arc::new(pieces), Counting(Arc::clone(&given))));
            assert_eq!(problem(&bytes(&store, "a").await.unwrap_err()), expected);
            assert!(is_small(given.load(Relaxed)), "{} bytes of {length}", given.load(Relaxed));
        }
    }
    // One that is as long as that may be is read, and is what it says.
    let message = vec![0; 16_000];
    let tree = blake2b::Tree::unlimited_fanout(1).unwrap();
    let mut file = b"bt2leaf\0\x01\x01\x40\0\x01\0\0\0".to_vec();
    for (i, bytes) in (0..).zip(message.chunks(1)) {
        file.extend_from_slice(tree.leaf(i, Part::last_if(i == 15_999)).unwrap().update(bytes).finalize().as_bytes());
    }
    file.extend_from_slice(&16_000_u64.to_le_bytes());
    file.extend_from_slice(blake2b::Params::new().hash_length(32).hash(&file).unwrap().as_bytes());
    inner.put(&path("a"), message.clone().into()).await.unwrap();
    inner.put(&path("a.bt2leaf"), file.into()).await.unwrap();
    assert_eq!(bytes(&Verified::sidecar(inner), "a").await.unwrap(), message);
}

#[tokio::test]
async fn nothing_is_written() {
    let store = Verified::sidecar(memory().await);
    let object = path("blake2b-odd");
    let other = path("other");
    let is_read_only = |error: StoreError| {
        assert!(matches!(error, StoreError::NotSupported { .. }), "{error}");
        assert!(matches!(Error::find(&error).map(Error::problem), Some(Problem::ReadOnly)));
    };
    is_read_only(store.put(&object, "x".into()).await.unwrap_err());
    is_read_only(store.put_multipart(&object).await.unwrap_err());
    is_read_only(store.copy(&object, &other).await.unwrap_err());
    is_read_only(store.rename(&object, &other).await.unwrap_err());
    is_read_only(store.delete(&object).await.unwrap_err());
    assert!(bytes(&store, "blake2b-odd").await.is_ok());
    let store: Sidecar<_> = Verified::sidecar(InMemory::new()).with_key(b"SECRET").unwrap();
    assert!(!format!("{store:?} {store}").contains("SECRET"));
}

/// Each get asks for the root, and leaves that were kept have no other.
#[tokio::test]
async fn roots_that_change() {
    let name = "blake2b-odd";
    let root = Arc::new(Mutex::new(Some(roots()[name].clone())));
    let inner = memory().await;
    let store = {
        let root = Arc::clone(&root);
        Verified::sidecar(Arc::clone(&inner)).with_roots(move |_| root.lock().unwrap().clone())
    };
    assert!(bytes(&store, name).await.is_ok());
    for other in [None, Some(vec![0; 64])] {
        *root.lock().unwrap() = other;
        assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Root);
    }
    *root.lock().unwrap() = Some(roots()[name].clone());
    assert!(bytes(&store, name).await.is_ok());

    // Leaves that were read without a root, or without a key, before.
    let store = Verified::sidecar(Arc::clone(&inner));
    assert!(bytes(&store, name).await.is_ok());
    let store = store.with_roots(|_| Some(vec![0; 64]));
    assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Root);
    let store = Verified::sidecar(Arc::clone(&inner));
    assert!(bytes(&store, name).await.is_ok());
    let store = store.with_key(b"key").unwrap();
    assert_eq!(problem(&bytes(&store, name).await.unwrap_err()), LeafFileError::Unkeyed);
}

/// Over stores that give other names, count requests, or give pieces.
#[tokio::test]
async fn wrapping_stores() {
    let local = || LocalFileSystem::new_with_prefix(std::path::Path::new(DIRECTORY).parent().unwrap()).unwrap();
    let memory = memory().await;
    let stores: Vec<Arc<dyn ObjectStore>> = vec![
        Arc::new(PrefixStore::new(local(), "sidecars")),
        Arc::new(LimitStore::new(Arc::clone(&memory), 1)),
        Arc::new(ChunkedStore::new(memory as _, 5)),
    ];
    for inner in stores {
        let store = Verified::sidecar(inner);
        for name in roots().keys() {
            let plain = std::fs::read(format!("{DIRECTORY}/{name}")).unwrap();
            assert_eq!(bytes(&store, name).await.unwrap(), plain, "{name}");
            if plain.len() > 1000 {
                assert_eq!(store.get_range(&path(name), 5..1000).await.unwrap(), plain[5..1000]);
            }
        }
    }
}

#[tokio::test]
async fn skipped_checks_with_a_key() {
    let never = || {
        let mut extensions = Extensions::new();
        extensions.insert(Check::Never);
        GetOptions::new().with_extensions(extensions)
    };
    let inner = Arc::new(InMemory::new());
    let line = include_str!("data/vectors.txt").lines().find(|line| {
        let fields: Vec<_> = line.split(' ').collect();
        line.starts_with("bt2leaf") && fields[4] != "-" && fields[5] != "0"
    });
    let fields: Vec<_> = line.unwrap().split(' ').collect();
    let message: Bytes = (0..fields[5].parse::<u64>().unwrap()).map(|i| u8::try_from(i % 251).unwrap()).collect();
    inner.put(&path("a"), message.clone().into()).await.unwrap();
    inner.put(&path("a.bt2leaf"), unhex(fields[7]).into()).await.unwrap();
    let store = || Verified::sidecar(Arc::clone(&inner)).with_key(&unhex(fields[4])).unwrap();
    let error = store().get_opts(&path("a"), never()).await.unwrap_err();
    assert!(matches!(Error::find(&error).map(Error::problem), Some(Problem::Unchecked)), "{error}");
    let store = store().allow_unchecked();
    assert_eq!(store.get_opts(&path("a"), never()).await.unwrap().bytes().await.unwrap(), message);
    assert_eq!(store.stats().unverified_bytes, message.len() as u64);
}

/// Neither the seal of a file of leaves nor the root over it is hashed in one poll, but each by the MiB.
#[test]
fn roots_are_hashed_by_the_mib() {
    const MIB: usize = 4; // of digests
    let message = vec![7; 64 * (MIB << 20) / 64];
    let tree = blake2b::Tree::unlimited_fanout(64).unwrap();
    let last = message.len() as u64 / 64 - 1;
    let leaf = |(i, bytes)| tree.leaf(i, Part::last_if(i == last)).unwrap().update(bytes).finalize();
    let leaves: Vec<_> = (0..).zip(message.chunks(64)).map(leaf).collect();
    let root = tree.root_from_leaves(leaves.iter().copied()).unwrap();

    let mut file = b"bt2leaf\0\x01\x01\x40\0\x40\0\0\0".to_vec();
    leaves.iter().for_each(|leaf| file.extend_from_slice(leaf.as_bytes()));
    file.extend_from_slice(&(message.len() as u64).to_le_bytes());
    let seal = blake2b::Params::new().hash_length(32).hash(&file).unwrap();
    file.extend_from_slice(seal.as_bytes());

    let polls = |root: Option<Vec<u8>>| {
        let mut polls = 0;
        let mut read = pin!(async {
            let store = InMemory::new();
            store.put(&path("a"), message.clone().into()).await.unwrap();
            store.put(&path("a.bt2leaf"), file.clone().into()).await.unwrap();
            let store = Verified::sidecar(store);
            let store = if root.is_some() { store.with_roots(move |_| root.clone()) } else { store };
            assert_eq!(store.get_range(&path("a"), 100..200).await.unwrap(), [7; 100][..]);
        });
        while read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            polls += 1;
        }
        polls
    };
    let without = polls(None);
    assert!(without >= MIB, "{without}");
    let with = polls(Some(root.as_bytes().to_vec()));
    assert!(with >= without + MIB, "{with} polls with a root, and {without} without");
}

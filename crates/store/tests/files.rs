//! Local files that are overwritten while they are read: the file that was opened is read to its end.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of one object")]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error as StoreError, GetOptions, ObjectStore, ObjectStoreExt, PutPayload};
use simd_digest::blake2::Part;
use simd_digest::blake2b;
use simd_digest_store::{Format, Verified};

#[path = "common/wrapper.rs"]
mod wrapper;
use wrapper::{Behaviour, Wrapper};

fn object() -> Path {
    Path::from("object")
}

fn stored(bytes: Vec<u8>) -> PutPayload {
    let stripes = Format::default().stripes().unwrap();
    let mut stored = vec![Bytes::copy_from_slice(&stripes.header())];
    stored.extend(stripes.encode(0, [bytes.into()], Part::Last).unwrap());
    stored.into_iter().collect()
}

/// Overwrites the object before every get except the first, and counts them.
#[derive(Debug)]
struct Overwritten {
    gets: Arc<AtomicUsize>,
    with: PutPayload,
}

#[async_trait::async_trait]
impl Behaviour for Overwritten {
    async fn before(&self, store: &dyn ObjectStore, _: &Path, _: &GetOptions) {
        if self.gets.fetch_add(1, Relaxed) > 0 {
            store.put(&object(), self.with.clone()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn one_request_opens_a_file() {
    const LENGTH: usize = 3_000_000;
    for call in 0..4 {
        let directory = tempfile::tempdir().unwrap();
        let inner = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
        inner.put(&object(), stored(vec![1; LENGTH])).await.unwrap();
        let gets = Arc::new(AtomicUsize::new(0));
        let overwritten = Overwritten { gets: Arc::clone(&gets), with: stored(vec![2; LENGTH]) };
        let store = Verified::new(Wrapper::new(inner, overwritten), Format::default());
        let bytes = match call {
            0 => store.get(&object()).await.unwrap().bytes().await.unwrap(),
            1 => store.get_range(&object(), 0..LENGTH as u64).await.unwrap(),
            2 => store.get_ranges(&object(), &[0..9, 0..LENGTH as u64, 7..70_000]).await.unwrap().remove(1),
            _ => {
                // By a stream, whose file is overwritten and deleted meanwhile.
                let mut stream = store.get(&object()).await.unwrap().into_stream();
                let mut pieces = vec![stream.try_next().await.unwrap().unwrap()];
                store.put(&object(), vec![3; 5].into()).await.unwrap();
                store.delete(&object()).await.unwrap();
                pieces.extend(stream.try_collect::<Vec<_>>().await.unwrap());
                pieces.concat().into()
            }
        };
        assert!(bytes == vec![1; LENGTH], "call {call}");
        assert_eq!(gets.load(Relaxed), 1, "call {call}");
    }
}

/// A file of leaves of 1000 bytes, as bt2sum writes it.
fn leaves_of(message: &[u8]) -> Vec<u8> {
    let tree = blake2b::Tree::unlimited_fanout(1000).unwrap();
    let last = message.len().div_ceil(1000) - 1;
    let mut leaves = b"bt2leaf\0\x01\x01\x40\0\xe8\x03\0\0".to_vec();
    for (i, bytes) in message.chunks(1000).enumerate() {
        let mut leaf = tree.leaf(i as u64, Part::last_if(i == last)).unwrap();
        leaves.extend_from_slice(leaf.update(bytes).finalize().as_bytes());
    }
    leaves.extend_from_slice(&(message.len() as u64).to_le_bytes());
    leaves.extend_from_slice(blake2b::Params::new().hash_length(32).hash(&leaves).unwrap().as_bytes());
    leaves
}

fn beside() -> Path {
    Path::from("object.bt2leaf")
}

/// The object and its leaves are read from the two files that were opened.
#[tokio::test]
async fn two_requests_open_an_object_and_its_leaves() {
    let directory = tempfile::tempdir().unwrap();
    let inner = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    let message = vec![1; 10_000];
    inner.put(&object(), message.clone().into()).await.unwrap();
    inner.put(&beside(), leaves_of(&message).into()).await.unwrap();
    let gets = Arc::new(AtomicUsize::new(0));
    let overwritten = Overwritten { gets: Arc::clone(&gets), with: vec![2; 10_000].into() };
    let store = Verified::sidecar(Wrapper::new(inner, overwritten));
    assert_eq!(store.get(&object()).await.unwrap().bytes().await.unwrap(), message);
    assert_eq!(gets.load(Relaxed), 2);
}

/// Replaces the object and its leaves before the first request for leaves.
#[derive(Debug)]
struct Replaced {
    done: AtomicUsize,
    message: Vec<u8>,
}

#[async_trait::async_trait]
impl Behaviour for Replaced {
    async fn before(&self, store: &dyn ObjectStore, path: &Path, _: &GetOptions) {
        if *path == beside() && self.done.fetch_add(1, Relaxed) == 0 {
            store.put(&object(), self.message.clone().into()).await.unwrap();
            store.put(&beside(), leaves_of(&self.message).into()).await.unwrap();
        }
    }
}

/// The leaves are those of a newer object than the one that is open: reading begins anew, and nothing is corrupt.
#[tokio::test]
async fn an_object_that_is_replaced_with_its_leaves() {
    for length in [10_000, 7_001] {
        let directory = tempfile::tempdir().unwrap();
        let inner = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
        let before = vec![1; 10_000];
        inner.put(&object(), before.clone().into()).await.unwrap();
        inner.put(&beside(), leaves_of(&before).into()).await.unwrap();
        let message = vec![2; length];
        let replaced = Replaced { done: AtomicUsize::new(0), message: message.clone() };
        let store =
            Verified::sidecar(Wrapper::new(inner, replaced)).on_corrupt(|path, corrupt| panic!("{path}: {corrupt:?}"));
        assert_eq!(store.get_ranges(&object(), &[0..length as u64]).await.unwrap(), [Bytes::from(message)]);
        assert_eq!(store.stats().corrupt_stripes, 0);
    }
}

/// Who writes to the file itself changes what is read. That is not corruption.
#[tokio::test]
async fn files_that_are_written_in_place() {
    use std::io::Write as _;

    let directory = tempfile::tempdir().unwrap();
    let inner = LocalFileSystem::new_with_prefix(directory.path()).unwrap();
    let store = Verified::new(inner, Format::default()).on_corrupt(|path, corrupt| panic!("{path}: {corrupt:?}"));
    for is_cut in [false, true] {
        store.put(&object(), vec![1; 6 << 20].into()).await.unwrap();
        let mut stream = store.get(&object()).await.unwrap().into_stream();
        stream.try_next().await.unwrap().unwrap();
        let mut file = std::fs::OpenOptions::new().write(true).open(directory.path().join("object")).unwrap();
        if is_cut {
            file.set_len(3 << 20).unwrap();
        } else {
            file.write_all(&vec![9; 6 << 20]).unwrap();
        }
        file.set_modified(SystemTime::now() + Duration::from_secs(9)).unwrap();
        let error = loop {
            match stream.next().await.unwrap() {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Precondition { .. }), "{error}");
    }
    assert_eq!(store.stats().corrupt_stripes, 0);
}

/// Two writers and four readers of one key: no error, and each body is all of what one writer put.
#[test]
fn writers_and_readers_of_one_key() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    for (length, puts) in [(10_000, 100), (1 << 20, 8), (6 << 20, 3)] {
        let directory = tempfile::tempdir().unwrap();
        let inner = LocalFileSystem::new_with_prefix(directory.path()).unwrap();
        let store = Arc::new(Verified::new(inner, Format::default()));
        let bodies: Arc<Vec<Bytes>> = Arc::new((1..3_u8).map(|i| vec![i; length + usize::from(i)].into()).collect());
        let writers = Arc::new(AtomicUsize::new(2));
        let reads = runtime.block_on(async {
            store.put(&object(), bodies[0].clone().into()).await.unwrap();
            let write = |i: usize| {
                let (store, body, writers) = (Arc::clone(&store), bodies[i].clone(), Arc::clone(&writers));
                tokio::spawn(async move {
                    for _ in 0..puts {
                        store.put(&object(), body.clone().into()).await.unwrap();
                    }
                    writers.fetch_sub(1, Relaxed);
                })
            };
            let read = |i: usize| {
                let (store, bodies, writers) = (Arc::clone(&store), Arc::clone(&bodies), Arc::clone(&writers));
                tokio::spawn(async move {
                    let mut reads = 0;
                    while writers.load(Relaxed) > 0 {
                        let read = async {
                            if i.is_multiple_of(2) {
                                return store.get(&object()).await?.bytes().await;
                            }
                            Ok::<_, StoreError>(store.get_ranges(&object(), &[0..u64::MAX]).await?.remove(0))
                        };
                        let body = read.await.unwrap_or_else(|error| panic!("after {reads} reads: {error}"));
                        assert!(bodies.contains(&body), "{} bytes of two writers", body.len());
                        reads += 1;
                    }
                    reads
                })
            };
            let (writers, readers) = (join_all((0..2).map(write)), join_all((0..4).map(read)));
            writers.await.into_iter().for_each(|writer| writer.unwrap());
            readers.await.into_iter().map(|reader| reader.unwrap()).sum::<usize>()
        });
        println!("{length} bytes: {reads} reads");
    }
}

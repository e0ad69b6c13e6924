//! Puts: their modes and forms, short polls, puts that are dropped, and many at once.

use core::pin::pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use simd_digest_store::{Format, Hash, Part, Verified};

#[path = "common/in_time.rs"]
mod in_time;
#[path = "common/random.rs"]
mod random;
use in_time::in_time;
use random::Random;

fn format(stripe: u64) -> Format {
    Format::default().with_stripe_length(stripe).unwrap()
}

fn verified(stripe: u64) -> Verified<InMemory> {
    Verified::new(InMemory::new(), format(stripe))
}

fn path(name: &str) -> Path {
    Path::from(name)
}

#[tokio::test]
async fn put_modes() {
    let store = verified(64);
    let create = || PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    let first = store.put_opts(&path("a"), vec![1; 100].into(), create()).await.unwrap();
    let again = store.put_opts(&path("a"), vec![2; 100].into(), create()).await;
    assert!(matches!(again, Err(StoreError::AlreadyExists { .. })));
    let update = PutOptions { mode: PutMode::Update(first.clone().into()), ..PutOptions::default() };
    store.put_opts(&path("a"), vec![3; 100].into(), update.clone()).await.unwrap();
    let stale = store.put_opts(&path("a"), vec![4; 100].into(), update).await;
    assert!(matches!(stale, Err(StoreError::Precondition { .. })));
    assert_eq!(store.get(&path("a")).await.unwrap().bytes().await.unwrap(), vec![3; 100]);
    // Large objects, too, are not written over.
    let large = store.put_opts(&path("a"), vec![5; 20 << 20].into(), create()).await;
    assert!(matches!(large, Err(StoreError::AlreadyExists { .. })));
}

/// Every kind of store is handed what the specification says, in whatever form and by however many threads.
#[tokio::test]
async fn puts_of_all_forms() {
    let directory = tempfile::tempdir().unwrap();
    let local = |name: &str| {
        std::fs::create_dir_all(directory.path().join(name)).unwrap();
        LocalFileSystem::new_with_prefix(directory.path().join(name)).unwrap()
    };
    let memory = || Arc::new(InMemory::new()) as Arc<dyn ObjectStore>;
    let mut random = Random::new(21);
    for (stripe, lengths) in [
        (64, &[0, 1, 64, 65, 65_535, 65_536, 65_537, 200_000][..]),
        (65_536, &[0, 65_536, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, (5 << 20) + 7]),
        (1 << 20, &[1 << 20, (9 << 20) + 1]),
    ] {
        let stores: [(&str, Verified<Arc<dyn ObjectStore>>); 2] = [
            ("memory behind a pointer", Verified::new(memory(), format(stripe))),
            ("files behind a pointer", Verified::new(Arc::new(local("pointer")) as _, format(stripe))),
        ];
        let typed = (
            Verified::new(InMemory::new(), format(stripe)),
            Verified::new(InMemory::new(), format(stripe)).without_threads(),
            Verified::new(local("typed"), format(stripe)),
            Verified::new(local("alone"), format(stripe)).put_whole(),
        );
        for &length in lengths {
            let bytes = random.bytes(length);
            let payload: PutPayload = random.pieces(bytes.clone(), 1 + length / 3).into_iter().collect();
            let mut all: Vec<(&str, &dyn ObjectStore, &dyn ObjectStore)> = vec![
                ("memory", &typed.0, typed.0.inner()),
                ("memory, without threads", &typed.1, typed.1.inner()),
                ("files", &typed.2, typed.2.inner()),
                ("files, whole", &typed.3, typed.3.inner()),
            ];
            all.extend(stores.iter().map(|(name, store)| (*name, store as _, store.inner() as _)));
            for (name, store, inner) in all {
                store.put(&path("object"), payload.clone()).await.unwrap();
                let stored = inner.get(&path("object")).await.unwrap().bytes().await.unwrap();
                let stripes = format(stripe).open(&stored).unwrap();
                let mut expected = stripes.header().to_vec();
                let encoded = stripes.encode(0, [bytes.clone()], Part::Last).unwrap();
                encoded.iter().for_each(|piece| expected.extend_from_slice(piece));
                assert!(stored == expected, "{name}, {length} bytes in stripes of {stripe}");
            }
        }
    }
}

/// A put is dropped at every poll: the object before it is there, and nothing else.
#[tokio::test]
async fn puts_that_are_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let files = Verified::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap(), Format::default());
    let memory = Verified::new(InMemory::new(), Format::default());
    let object = path("object");
    let (old, new) = (vec![1; 100], Bytes::from(vec![2; (4 << 20) + 1]));
    let alone = Verified::new(InMemory::new(), Format::default()).without_threads();
    // Threads that help may leave the task nothing to do after its first poll.
    for (store, least) in [(&files as &dyn ObjectStore, 3), (&memory, 1), (&alone, 3)] {
        for polls in 0.. {
            store.put(&path("object"), old.clone().into()).await.unwrap();
            let is_ready = {
                let mut put = pin!(store.put(&object, new.clone().into()));
                let mut left = polls;
                // Each poll but the first follows a wake, and so does the drop.
                let polled = core::future::poll_fn(|context| {
                    if left == 0 {
                        return Poll::Ready(false);
                    }
                    left -= 1;
                    put.as_mut().poll(context).map(|_| true)
                });
                in_time("a put that wakes its task", polled).await
            };
            let bytes = store.get(&path("object")).await.unwrap().bytes().await.unwrap();
            assert!(bytes == new || (bytes == old && !is_ready), "{store}, {polls} polls, {} bytes", bytes.len());
            let listed: Vec<_> = store.list(None).try_collect().await.unwrap();
            assert_eq!(listed.len(), 1, "{store}");
            if is_ready {
                assert!(polls >= least, "{store}: a put of {polls} polls");
                break;
            }
        }
    }
}

/// More puts at once than there are processors, of which none waits for a thread that another has.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn puts_at_once() {
    let store = Arc::new(verified(65_536));
    let tasks = (0..12_u8).map(|i| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for round in 0..3 {
                let (name, bytes) = (path(&format!("{i}")), vec![i ^ round; (2 << 20) + usize::from(i)]);
                store.put(&name, bytes.clone().into()).await.unwrap();
                assert!(store.get(&name).await.unwrap().bytes().await.unwrap() == bytes);
            }
        })
    });
    futures_util::future::try_join_all(tasks.collect::<Vec<_>>()).await.unwrap();
    let total: u64 = (0..12).map(|i| 3 * ((2 << 20) + i)).sum();
    assert_eq!(store.stats().written_bytes, total);
}

/// A waker that counts.
struct Count(AtomicUsize);

impl std::task::Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// No poll hashes more than 1 MiB, and each unfinished one has woken its task.
#[test]
fn polls_are_short() {
    let bytes = Random::new(9).bytes(10 << 20);
    let large = Random::new(9).bytes(20 << 20);
    for (hash, stripe) in [(Hash::Blake2b, 65_536), (Hash::Sha256, 1000), (Hash::Blake2s, 4 << 20)] {
        // Behind a pointer, so that a large put is an upload.
        let inner = Arc::new(InMemory::new()) as Arc<dyn ObjectStore>;
        let store = Verified::new(inner, Format::new(hash).with_stripe_length(stripe).unwrap()).without_threads();
        let polls = |name: &str, length: u64, future: &mut dyn FnMut(&mut Context<'_>) -> Poll<()>| {
            let count = Arc::new(Count(AtomicUsize::new(0)));
            let waker = Waker::from(Arc::clone(&count));
            let hashed = || store.stats().verified_bytes + store.stats().written_bytes;
            let begin = hashed();
            let (mut polls, mut before) = (0, begin);
            loop {
                let is_ready = future(&mut Context::from_waker(&waker)).is_ready();
                polls += 1;
                // Batches count when they are done, so those of long stripes after some polls.
                let most = if stripe <= 65_536 { before + (1 << 20) } else { begin + (polls << 20) };
                assert!(hashed() <= most, "{name}: {} bytes in poll {polls}, {hash}, {stripe}", hashed() - before);
                before = hashed();
                if is_ready {
                    break;
                }
                assert!(count.0.load(Ordering::Relaxed) as u64 >= polls, "{name}: a task that is not woken");
            }
            assert_eq!(before - begin, length, "{name}");
        };
        let object = path("object");
        let mut put = pin!(store.put(&object, large.clone().into()));
        polls("large put", 20 << 20, &mut |context| put.as_mut().poll(context).map(|result| assert!(result.is_ok())));
        let mut put = pin!(store.put(&object, bytes.clone().into()));
        polls("put", 10 << 20, &mut |context| put.as_mut().poll(context).map(|result| assert!(result.is_ok())));
        let mut get = pin!(async {
            let mut stream = store.get(&object).await.unwrap().into_stream();
            while stream.next().await.is_some() {}
        });
        polls("get", 10 << 20, &mut |context| get.as_mut().poll(context));
        let ranges: Vec<_> = (0..10).map(|i| i << 20..(i + 1) << 20).collect();
        let mut get = pin!(store.get_ranges(&object, &ranges));
        polls("ranges", 10 << 20, &mut |context| get.as_mut().poll(context).map(|result| assert!(result.is_ok())));
        let mut upload = pin!(async {
            let mut upload = store.put_multipart(&object).await.unwrap();
            let parts = (0..5).map(|i| upload.put_part(bytes.slice(i << 21..(i + 1) << 21).into()));
            futures_util::future::try_join_all(parts.collect::<Vec<_>>()).await.unwrap();
            upload.complete().await.unwrap();
        });
        polls("upload", 10 << 20, &mut |context| upload.as_mut().poll(context));
    }
}

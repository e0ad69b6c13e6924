//! Uploads by parts: of any lengths, in any order, with faults, from several threads.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt, PutPayload, Result};
use simd_digest_store::{Error, Format, Problem, Verified};

#[path = "common/random.rs"]
mod random;
#[path = "common/wrapper.rs"]
mod wrapper;
use random::Random;
use wrapper::{Behaviour, Wrapper};

fn format(stripe: u64) -> Format {
    Format::default().with_stripe_length(stripe).unwrap()
}

fn verified(stripe: u64) -> Verified<InMemory> {
    Verified::new(InMemory::new(), format(stripe))
}

fn path(name: &str) -> Path {
    Path::from(name)
}

/// Notes the lengths of what the wrapped store is given.
#[derive(Debug, Default)]
struct Parts(Arc<Mutex<Vec<usize>>>);

#[derive(Debug)]
struct PartsUpload {
    inner: Box<dyn object_store::MultipartUpload>,
    lengths: Arc<Mutex<Vec<usize>>>,
}

#[async_trait::async_trait]
impl object_store::MultipartUpload for PartsUpload {
    fn put_part(&mut self, data: PutPayload) -> object_store::UploadPart {
        self.lengths.lock().unwrap().push(data.content_length());
        self.inner.put_part(data)
    }
    async fn complete(&mut self) -> Result<object_store::PutResult> {
        self.inner.complete().await
    }
    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}

#[async_trait::async_trait]
impl Behaviour for Parts {
    fn upload(&self, inner: Box<dyn object_store::MultipartUpload>) -> Box<dyn object_store::MultipartUpload> {
        Box::new(PartsUpload { inner, lengths: Arc::clone(&self.0) })
    }
}

/// Parts of any lengths, whose futures are polled in any order.
#[tokio::test]
async fn uploads_by_parts() {
    let mut random = Random::new(5);
    for round in 0..60 {
        let lengths = Arc::new(Mutex::new(Vec::new()));
        let inner = Wrapper::new(Arc::new(InMemory::new()), Parts(Arc::clone(&lengths)));
        let store = Verified::new(inner, format([64, 1000, 65_536][round % 3]));
        let mut whole = Vec::new();
        let mut upload = store.put_multipart(&path("object")).await.unwrap();
        let mut parts = Vec::new();
        let equal = round % 10 == 0 || round % 20 == 1;
        let count = random.below(8);
        for _ in 0..count {
            let bytes = match equal {
                true => Bytes::from(vec![u8::try_from(parts.len()).unwrap(); 5_500_000]),
                false => {
                    let length = random.below(150_000);
                    random.bytes(length)
                }
            };
            whole.extend_from_slice(&bytes);
            parts.push(upload.put_part(random.pieces(bytes, 400_000).into_iter().collect()));
        }
        match round % 4 {
            0 => futures_util::future::try_join_all(parts).await.map(|_| ()).unwrap(),
            1 => futures_util::future::try_join_all(parts.into_iter().rev()).await.map(|_| ()).unwrap(),
            _ => {
                let tasks: Vec<_> = parts.into_iter().map(tokio::spawn).collect();
                for task in tasks {
                    task.await.unwrap().unwrap();
                }
            }
        }
        upload.complete().await.unwrap();
        assert_eq!(store.get(&path("object")).await.unwrap().bytes().await.unwrap(), whole, "round {round}");
        let lengths = lengths.lock().unwrap();
        if equal && count > 0 {
            let (last, others) = lengths.split_last().unwrap();
            assert!(others.iter().all(|&length| length >= 5_500_000 && length == lengths[0]), "{lengths:?}");
            assert!(*last <= lengths[0] && lengths.len() as u64 <= count, "{lengths:?}");
        } else {
            // As S3 wants: none but the last is shorter than 5 MiB.
            assert_eq!(lengths.len(), 1);
        }
    }
}

#[tokio::test]
async fn uploads_that_do_not_end_well() {
    let store = verified(64);
    let mut upload = store.put_multipart(&path("object")).await.unwrap();
    let forgotten = upload.put_part(vec![1; 1000].into());
    let error = upload.complete().await.unwrap_err();
    assert!(matches!(Error::find(&error).map(Error::problem), Some(Problem::Part)), "{error}");
    drop(forgotten);
    upload.abort().await.unwrap();
    assert!(upload.abort().await.is_err());
    assert!(upload.put_part(vec![1; 1000].into()).await.is_err());
    assert!(upload.complete().await.is_err());
    assert!(matches!(store.get(&path("object")).await, Err(StoreError::NotFound { .. })));
}

/// The behaviour of an inner upload.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Faults {
    None,
    Part,
    Complete,
}

#[derive(Debug)]
struct FaultyUploads {
    fault: Faults,
    aborted: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct FaultyUpload {
    inner: Box<dyn object_store::MultipartUpload>,
    fault: Faults,
    aborted: Arc<AtomicUsize>,
    parts: usize,
}

impl Behaviour for FaultyUploads {
    fn upload(&self, inner: Box<dyn object_store::MultipartUpload>) -> Box<dyn object_store::MultipartUpload> {
        Box::new(FaultyUpload { inner, fault: self.fault, aborted: Arc::clone(&self.aborted), parts: 0 })
    }
}

fn forbidden() -> StoreError {
    StoreError::Generic { store: "FaultyUpload", source: "status 403".into() }
}

#[async_trait::async_trait]
impl object_store::MultipartUpload for FaultyUpload {
    fn put_part(&mut self, data: PutPayload) -> object_store::UploadPart {
        self.parts += 1;
        let part = self.inner.put_part(data);
        let fails = self.fault == Faults::Part && self.parts == 2;
        Box::pin(async move {
            tokio::task::yield_now().await;
            if fails { Err(forbidden()) } else { part.await }
        })
    }
    async fn complete(&mut self) -> Result<object_store::PutResult> {
        tokio::task::yield_now().await;
        if self.fault == Faults::Complete { Err(forbidden()) } else { self.inner.complete().await }
    }
    async fn abort(&mut self) -> Result<()> {
        self.aborted.fetch_add(1, Ordering::Relaxed);
        self.inner.abort().await
    }
}

/// An upload whose part or end fails tells why, can be aborted, and leaves no object; and so does a large put.
#[tokio::test]
async fn uploads_that_the_store_refuses() {
    for fault in [Faults::None, Faults::Part, Faults::Complete] {
        let aborted = Arc::new(AtomicUsize::new(0));
        let faulty = FaultyUploads { fault, aborted: Arc::clone(&aborted) };
        let store = Verified::new(Wrapper::new(Arc::new(InMemory::new()), faulty), format(65_536));
        let mut upload = store.put_multipart(&path("object")).await.unwrap();
        let parts = (0..3).map(|_| upload.put_part(vec![1; 6 << 20].into())).collect::<Vec<_>>();
        let parts = futures_util::future::try_join_all(parts).await;
        assert_eq!(parts.is_err(), fault == Faults::Part);
        let completed = upload.complete().await;
        assert_eq!(completed.is_ok(), fault == Faults::None);
        if fault == Faults::Complete {
            assert!(completed.unwrap_err().to_string().contains("403"));
        }
        assert_eq!(upload.abort().await.is_ok(), fault != Faults::None);
        assert!(upload.complete().await.is_err());
        assert_eq!(aborted.load(Ordering::Relaxed), usize::from(fault != Faults::None));

        let put = store.put(&path("large"), vec![1; 33 << 20].into()).await;
        assert_eq!(put.is_ok(), fault == Faults::None);
        assert_eq!(aborted.load(Ordering::Relaxed), 2 * usize::from(fault != Faults::None));
        for name in ["object", "large"] {
            assert_eq!(store.get(&path(name)).await.is_ok(), fault == Faults::None);
        }
        // As many users of uploads write, too.
        let upload = store.put_multipart(&path("written")).await.unwrap();
        let mut writer = object_store::WriteMultipart::new_with_chunk_size(upload, 6 << 20);
        writer.write(&[1; 13 << 20]);
        match writer.finish().await {
            Ok(_) => assert_eq!(fault, Faults::None),
            Err(error) => assert!(error.to_string().contains("403"), "{error}"),
        }
    }
}

/// `complete` may be dropped at any poll and called again: all of the object is there, or an error.
#[tokio::test]
async fn uploads_completed_again() {
    for (stripe, length) in [(16 << 20, 2 << 20), (16 << 20, 17 << 20), (65_536, 6 << 20)] {
        let bytes = Random::new(11).bytes(length);
        for patience in 1..9 {
            let faulty = FaultyUploads { fault: Faults::None, aborted: Arc::default() };
            let store = Verified::new(Wrapper::new(Arc::new(InMemory::new()), faulty), format(stripe));
            let mut upload = store.put_multipart(&path("object")).await.unwrap();
            upload.put_part(bytes.clone().into()).await.unwrap();
            let is_complete = loop {
                let mut complete = upload.complete();
                let mut result = Poll::Pending;
                for _ in 0..patience {
                    result = complete.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                    if result.is_ready() {
                        break;
                    }
                    tokio::task::yield_now().await; // which wakes those that gave way
                }
                match result {
                    Poll::Ready(result) => break result.is_ok(),
                    Poll::Pending if patience == 1 => {
                        // What is put now comes too late, and is not lost in silence.
                        drop(complete);
                        assert!(upload.put_part(vec![1].into()).await.is_err());
                        break upload.complete().await.is_ok();
                    }
                    Poll::Pending => {}
                }
            };
            assert_eq!(is_complete, patience > 1);
            if is_complete {
                assert_eq!(store.get(&path("object")).await.unwrap().bytes().await.unwrap(), bytes);
            }
            assert!(upload.complete().await.is_err());
        }
    }
}

/// A put of 16 MiB or more is an upload by parts, and one request if that is wanted.
#[tokio::test]
async fn large_objects() {
    let directory = tempfile::tempdir().unwrap();
    let local = || LocalFileSystem::new_with_prefix(directory.path()).unwrap();
    let bytes = Random::new(7).bytes((33 << 20) + 7);
    for stripe in [65_536, 1 << 20, 16 << 20] {
        let (memory, file) = (verified(stripe), Verified::new(local(), format(stripe)));
        for store in [&memory as &dyn ObjectStore, &file] {
            store.put(&path("large"), bytes.clone().into()).await.unwrap();
            assert_eq!(store.get(&path("large")).await.unwrap().bytes().await.unwrap(), bytes);
            assert_eq!(store.head(&path("large")).await.unwrap().size, bytes.len() as u64);
        }
        assert_eq!(memory.stats().written_bytes, bytes.len() as u64);
    }
    for (is_whole, expected) in [(false, 4), (true, 0)] {
        let lengths = Arc::new(Mutex::new(Vec::new()));
        let inner = Wrapper::new(Arc::new(InMemory::new()), Parts(Arc::clone(&lengths)));
        let store = Verified::new(inner, Format::default());
        let store = if is_whole { store.put_whole() } else { store };
        store.put(&path("large"), bytes.clone().into()).await.unwrap();
        assert_eq!(lengths.lock().unwrap().iter().filter(|length| **length > 5 << 20).count(), expected);
        assert_eq!(store.get(&path("large")).await.unwrap().bytes().await.unwrap(), bytes);
    }
}

/// Parts in tasks on several threads, of which some are dropped or polled late.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parts_on_threads() {
    let part = |i: u8| Bytes::from(vec![i; 1_100_000 + usize::from(i)]);
    let whole = (0..12).map(part).collect::<Vec<_>>().concat();
    for round in 0..20 {
        let store = verified(1000);
        let mut upload = store.put_multipart(&path("object")).await.unwrap();
        let mut parts: Vec<_> = (0..12).map(|i| upload.put_part(part(i).into())).collect();
        // The first is polled once, and then waits while others do its work.
        let mut first = parts.remove(0);
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let tasks: Vec<_> = parts.into_iter().map(tokio::spawn).collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        if round % 2 == 0 {
            drop(first);
            assert!(upload.complete().await.is_err());
            upload.abort().await.unwrap();
            continue;
        }
        first.await.unwrap();
        upload.complete().await.unwrap();
        assert_eq!(store.get(&path("object")).await.unwrap().bytes().await.unwrap(), whole);
    }
}

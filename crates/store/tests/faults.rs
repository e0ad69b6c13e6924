//! Damage, and stores that misbehave: nothing wrong is ever returned.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of one object")]

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Error as StoreError, GetOptions, GetRange, GetResult, GetResultPayload, ObjectStore, ObjectStoreExt, PutPayload,
    Result,
};
use simd_digest_store::{Corrupt, Error, Format, Hash, Part, Problem, Verified};

#[path = "common/in_time.rs"]
mod in_time;
#[path = "common/random.rs"]
mod random;
#[path = "common/wrapper.rs"]
mod wrapper;
use in_time::in_time;
use random::Random;
use wrapper::{Behaviour, Wrapper};

fn format(stripe: u64) -> Format {
    Format::default().with_stripe_length(stripe).unwrap()
}

fn path(name: &str) -> Path {
    Path::from(name)
}

async fn stored(store: &InMemory) -> Vec<u8> {
    store.get(&path("object")).await.unwrap().bytes().await.unwrap().to_vec()
}

/// Every flipped byte and every cut is an error of every way to read, and so are stripes from elsewhere.
#[tokio::test]
async fn damage() {
    let inner = Arc::new(InMemory::new());
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        let store = Verified::new(Arc::clone(&inner), Format::new(hash).with_stripe_length(64).unwrap());
        for length in [0, 1, 64, 150] {
            let bytes = Random::new(length).bytes(length);
            store.put(&path("object"), bytes.clone().into()).await.unwrap();
            let older = stored(&inner).await;
            store.put(&path("object"), bytes.clone().into()).await.unwrap();
            let good = stored(&inner).await;
            let mut bad: Vec<Vec<u8>> = Vec::new();
            for i in 0..good.len() {
                let mut flipped = good.clone();
                flipped[i] ^= 1 << (i % 8);
                bad.extend([flipped, good[..i].to_vec()]);
            }
            for from in (64..good.len()).step_by(96) {
                let end = (from + 96).min(good.len());
                let mut mixed = good.clone();
                mixed[from..end].copy_from_slice(&older[from..end]);
                bad.push(mixed);
                bad.push([&good[..from], &good[end..]].concat());
                bad.push([&good[..end], &good[from..]].concat());
            }
            for (i, damaged) in bad.into_iter().enumerate() {
                inner.put(&path("object"), damaged.into()).await.unwrap();
                let object = path("object");
                let failed = match store.get(&object).await {
                    Ok(result) => {
                        // Bytes before the first error are those of the object.
                        let mut at = 0;
                        let mut stream = result.into_stream();
                        loop {
                            match stream.next().await {
                                Some(Ok(piece)) => {
                                    assert_eq!(piece, bytes[at..at + piece.len()]);
                                    at += piece.len();
                                }
                                Some(Err(error)) => break Some(error),
                                None => break None,
                            }
                        }
                    }
                    Err(error) => Some(error),
                };
                let error = failed.unwrap_or_else(|| panic!("damage {i} of {length} bytes with {hash} was not seen"));
                assert!(Error::find(&error).is_some(), "{error}");
                let offset = Some(GetRange::Offset(0));
                for range in [offset, Some(GetRange::Bounded(0..length)), Some(GetRange::Suffix(length))] {
                    let options = GetOptions::new().with_range(range.clone());
                    if length == 0 {
                        continue; // a range of an empty object is an error anyway
                    }
                    let result = match store.get_opts(&object, options).await {
                        Ok(result) => result.bytes().await,
                        Err(error) => Err(error),
                    };
                    assert!(result.is_err(), "damage {i} of {length} bytes, {range:?}");
                }
                if let Ok(answers) = store.get_ranges(&object, &[0..length.max(1)]).await {
                    panic!("damage {i} of {length} bytes: {answers:?}");
                }
            }
        }
    }
}

/// The fault of a store with the bytes of a get.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Fewer bytes come.
    Short,
    /// Bytes come one by one, each after a while.
    Late,
    /// The first half comes twice.
    Duplicated,
    /// The second half is of another object.
    Torn,
    /// Every get has another ETag.
    Etag,
    /// The range is another one than that asked for.
    Elsewhere,
    /// An error in the middle.
    Error,
}

#[derive(Debug)]
struct Faulty {
    fault: Fault,
    gets: AtomicUsize,
    /// The first get that is faulty.
    from: usize,
}

impl Behaviour for Faulty {
    fn get(&self, mut result: GetResult) -> Result<GetResult> {
        let number = self.gets.fetch_add(1, Ordering::Relaxed);
        if number < self.from {
            return Ok(result);
        }
        let fault = self.fault;
        match fault {
            Fault::Etag => result.meta.e_tag = Some(format!("tag {number}")),
            Fault::Elsewhere => result.range = result.range.start + 1..result.range.end + 1,
            _ => {}
        }
        let GetResultPayload::Stream(payload) = result.payload else { panic!("no stream") };
        let payload = stream::once(async move {
            let bytes: Vec<Bytes> = payload.try_collect().await?;
            let bytes = Bytes::from(bytes.concat());
            let half = bytes.len() / 2;
            let mut pieces: Vec<Result<Bytes>> = match fault {
                Fault::Short => vec![Ok(bytes.slice(..bytes.len() - bytes.len().min(1 + half / 3)))],
                Fault::Late => bytes.chunks(1).map(|byte| Ok(Bytes::copy_from_slice(byte))).collect(),
                Fault::Duplicated => vec![Ok(bytes.slice(..half)), Ok(bytes.clone())],
                Fault::Torn => {
                    vec![Ok(bytes.slice(..half)), Ok(bytes.slice(half..).iter().map(|byte| byte ^ 0x55).collect())]
                }
                Fault::Error => {
                    let error = StoreError::Generic { store: "Faulty", source: "lost".into() };
                    vec![Ok(bytes.slice(..half)), Err(error)]
                }
                _ => vec![Ok(bytes)],
            };
            if fault == Fault::Late {
                pieces.push(Ok(Bytes::new()));
            }
            let is_late = fault == Fault::Late;
            let pieces = stream::iter(pieces).then(move |piece| async move {
                if is_late {
                    tokio::task::yield_now().await;
                }
                piece
            });
            Ok::<_, StoreError>(pieces)
        });
        result.payload = GetResultPayload::Stream(payload.try_flatten().boxed());
        Ok(result)
    }
}

#[tokio::test]
async fn faulty_stores() {
    let inner = Arc::new(InMemory::new());
    for length in [0, 1, 100, 64 * 40 + 1] {
        let bytes = Random::new(length).bytes(length);
        Verified::new(Arc::clone(&inner), format(64)).put(&path("object"), bytes.clone().into()).await.unwrap();
        for fault in [
            Fault::None,
            Fault::Short,
            Fault::Late,
            Fault::Duplicated,
            Fault::Torn,
            Fault::Etag,
            Fault::Elsewhere,
            Fault::Error,
        ] {
            for from in 0..3 {
                let store = || {
                    let faulty = Faulty { fault, gets: AtomicUsize::new(0), from };
                    Verified::new(Wrapper::new(Arc::clone(&inner) as _, faulty), format(64))
                };
                let whole = match store().get(&path("object")).await {
                    Ok(result) => result.bytes().await,
                    Err(error) => Err(error),
                };
                let ranged = store().get_ranges(&path("object"), &[0..length.max(1)]).await;
                let harmless = matches!(fault, Fault::None | Fault::Late);
                for answer in [whole, ranged.map(|mut ranges| ranges.remove(0))] {
                    match answer {
                        Ok(answer) => assert_eq!(answer, bytes, "{fault:?} from {from}"),
                        Err(_) if length == 0 => {}
                        Err(error) => assert!(!harmless, "{fault:?} from {from}: {error}"),
                    }
                }
            }
        }
    }
}

/// Writes the object anew before every get but the first.
#[derive(Debug)]
struct Writer {
    gets: AtomicU64,
    /// The writes that are left.
    writes: AtomicU64,
}

#[async_trait::async_trait]
impl Behaviour for Writer {
    async fn before(&self, store: &dyn ObjectStore, path: &Path, _: &GetOptions) {
        let is_first = self.gets.fetch_add(1, Ordering::Relaxed) == 0;
        let left = self.writes.load(Ordering::Relaxed);
        if !is_first && left > 0 {
            self.writes.store(left - 1, Ordering::Relaxed);
            let version = u8::try_from(left % 200).unwrap();
            let stripes = format(64).stripes().unwrap();
            let bytes = Bytes::from(vec![version; 1000 + usize::from(version)]);
            let mut payload = vec![Bytes::copy_from_slice(&stripes.header())];
            payload.extend(stripes.encode(0, [bytes], Part::Last).unwrap());
            store.put(path, payload.into_iter().collect::<PutPayload>()).await.unwrap();
        }
    }
}

/// Reading begins anew three times, and not a fourth.
#[tokio::test]
async fn objects_that_change_between_requests() {
    for writes in 0..20 {
        let inner = Arc::new(InMemory::new());
        Verified::new(Arc::clone(&inner), format(64)).put(&path("object"), vec![9; 900].into()).await.unwrap();
        let writer = Writer { gets: AtomicU64::new(0), writes: AtomicU64::new(writes) };
        let store = Verified::new(Wrapper::new(Arc::clone(&inner) as _, writer), format(64));
        let options = GetOptions::new().with_range(Some(1..800));
        let result = match store.get_opts(&path("object"), options).await {
            Ok(result) => result.bytes().await,
            Err(error) => Err(error),
        };
        // Each time takes two requests, and the first of all is not preceded by a write.
        match result {
            Ok(bytes) => {
                assert!(writes <= 6, "{writes}");
                assert!(bytes.iter().all(|byte| *byte == bytes[0]) && bytes.len() == 799);
            }
            Err(error) => {
                assert!(writes > 6, "{writes}");
                assert!(matches!(error, StoreError::Precondition { .. }), "{error}");
            }
        }
    }
}

/// Readers see one version or the other, or an error that says that the object changed; never damage.
#[test]
fn objects_that_change_while_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let memory = Arc::new(InMemory::new()) as Arc<dyn ObjectStore>;
        let files = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap()) as Arc<dyn ObjectStore>;
        for inner in [memory, files] {
            let store = Arc::new(Verified::new(inner, format(1000)));
            let version = |i: u8| Bytes::from(vec![i; 2_000_000 + usize::from(i)]);
            store.put(&path("object"), version(0).into()).await.unwrap();
            let writer = {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    for i in 1..=60 {
                        store.put(&path("object"), version(i).into()).await.unwrap();
                        tokio::time::sleep(core::time::Duration::from_millis(2)).await;
                    }
                })
            };
            let (mut good, mut changed) = (0, 0);
            let mut is_last = false;
            while !is_last {
                is_last = writer.is_finished();
                let read = async {
                    let all = store.get(&path("object")).await?.bytes().await?;
                    let ranges = store.get_ranges(&path("object"), &[5..70_000, 1_900_000..2_000_000]).await?;
                    Ok::<_, StoreError>((all, ranges))
                };
                match in_time("a read of an object that changes", read).await {
                    Ok((all, ranges)) => {
                        assert_eq!(all, version(all[0]));
                        assert!(ranges[1].iter().all(|byte| *byte == ranges[0][0]));
                        good += 1;
                    }
                    Err(StoreError::Precondition { .. }) if !is_last => changed += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            writer.await.unwrap();
            println!("{good} reads, and {changed} of objects that changed");
        }
    });
}

/// The hook is told of a corrupt stripe once, whoever reads it, and again of a new version.
#[tokio::test]
async fn corrupt_stripes_are_told_once() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let inner = Arc::new(InMemory::new());
    let store = {
        let told = Arc::clone(&told);
        let hook = move |path: &Path, corrupt: &Corrupt| told.lock().unwrap().push((path.clone(), corrupt.clone()));
        Arc::new(Verified::new(Arc::clone(&inner), format(64)).on_corrupt(hook))
    };
    store.put(&path("object"), vec![7; 64 * 100].into()).await.unwrap();
    let mut damaged = stored(&inner).await;
    for number in [3, 50] {
        damaged[64 + 96 * number + 40] ^= 1;
    }
    inner.put(&path("object"), damaged.clone().into()).await.unwrap();
    let corrupt = |stripe: u64| (path("object"), Corrupt { stripe, range: 64 * stripe..64 * (stripe + 1) });
    for _ in 0..3 {
        let readers = (0..4).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.get(&path("object")).await?.bytes().await })
        });
        for reader in readers.collect::<Vec<_>>() {
            let error = reader.await.unwrap().unwrap_err();
            assert_eq!(Corrupt::find(&error), Some(&corrupt(3).1), "{error}");
            let own = Error::find(&error).unwrap();
            assert_eq!((own.path(), own.problem()), (&path("object"), &Problem::Corrupt(corrupt(3).1)));
            let text = error.to_string();
            assert!(text.contains("object: stripe 3, bytes 192..256"), "{text}");
        }
        let error = store.get_ranges(&path("object"), &[0..10, 3200..3201, 3250..3300]).await.unwrap_err();
        assert_eq!(Corrupt::find(&error), Some(&corrupt(50).1));
        assert!(store.get_ranges(&path("object"), &[0..192, 256..3200, 3264..6400]).await.is_ok());
    }
    assert_eq!(*told.lock().unwrap(), [corrupt(3), corrupt(50)]);
    assert!(store.stats().corrupt_stripes >= 15);
    inner.put(&path("object"), damaged.into()).await.unwrap();
    assert!(store.get_range(&path("object"), 3200..3300).await.is_err());
    assert_eq!(told.lock().unwrap().len(), 3);
}

/// Good stripes before a corrupt one are given out, then the error, then nothing.
#[tokio::test]
async fn bytes_before_a_corrupt_stripe() {
    for stripe in [64, 65_536] {
        let inner = Arc::new(InMemory::new());
        let store = Verified::new(Arc::clone(&inner), format(stripe));
        let length = stripe * 40;
        let bytes = Random::new(3).bytes(length);
        store.put(&path("object"), bytes.clone().into()).await.unwrap();
        let mut damaged = stored(&inner).await;
        let at = 64 + (stripe + 32) * 33 + 31;
        damaged[usize::try_from(at).unwrap()] ^= 1;
        inner.put(&path("object"), damaged.into()).await.unwrap();
        let mut stream = store.get(&path("object")).await.unwrap().into_stream();
        let mut given = Vec::new();
        let error = loop {
            match stream.next().await.unwrap() {
                Ok(piece) => given.extend_from_slice(&piece),
                Err(error) => break error,
            }
        };
        assert_eq!(given, bytes[..usize::try_from(33 * stripe).unwrap()]);
        assert_eq!(Corrupt::find(&error).unwrap().stripe, 33);
        assert!(stream.next().await.is_none());
    }
}

/// A store without ETags tells versions apart by their time: an object that is overwritten is not told as corrupt.
#[derive(Debug)]
struct Untagged(AtomicU64);

#[async_trait::async_trait]
impl Behaviour for Untagged {
    async fn before(&self, store: &dyn ObjectStore, path: &Path, options: &GetOptions) {
        assert_eq!(options.if_match, None);
        if self.0.fetch_add(1, Ordering::Relaxed) == 1 {
            let stripes = format(64).stripes().unwrap();
            let mut payload = vec![Bytes::copy_from_slice(&stripes.header())];
            payload.extend(stripes.encode(0, [Bytes::from(vec![2; 1000])], Part::Last).unwrap());
            let payload: PutPayload = payload.into_iter().collect();
            let before = store.head(path).await.unwrap().last_modified;
            let later = async {
                while store.head(path).await.unwrap().last_modified == before {
                    store.put(path, payload.clone()).await.unwrap();
                    tokio::task::yield_now().await;
                }
            };
            in_time("a version with another time", later).await;
        }
    }
    fn get(&self, mut result: GetResult) -> Result<GetResult> {
        result.meta.e_tag = None;
        Ok(result)
    }
}

#[tokio::test]
async fn objects_without_tags() {
    let inner = Arc::new(InMemory::new());
    Verified::new(Arc::clone(&inner), format(64)).put(&path("object"), vec![1; 1000].into()).await.unwrap();
    let store = Verified::new(Wrapper::new(inner as _, Untagged(AtomicU64::new(0))), format(64))
        .on_corrupt(|path, corrupt| panic!("{path}: {corrupt:?}"));
    assert_eq!(store.get_range(&path("object"), 0..1000).await.unwrap(), vec![2; 1000]);
}

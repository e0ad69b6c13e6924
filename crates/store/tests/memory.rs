//! The most memory that each call holds at once, beside the bounds of the README. One test, since all threads count.

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use peak_alloc::PeakAlloc;
use simd_digest_store::{Format, Verified};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;
/// Bytes that futures, hashers, names and the runtime take.
const SMALL: usize = 300_000;

/// Bytes that `run` holds at most, more than were held before.
async fn peak<R>(name: &str, bound: usize, run: impl Future<Output = R>) -> R {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = run.await;
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    println!("{name:<60} {peak:>10} of {bound:>10}");
    assert!(peak <= bound, "{name}: {peak} bytes, and the bound is {bound}");
    result
}

async fn drain(store: &dyn ObjectStore, path: &Path) {
    let mut stream = store.get(path).await.unwrap().into_stream();
    while stream.try_next().await.unwrap().is_some() {}
}

async fn upload(store: &dyn ObjectStore, path: &Path, message: &Bytes) {
    let mut upload = store.put_multipart(path).await.unwrap();
    for begin in (0..message.len()).step_by(6 * MIB) {
        upload.put_part(message.slice(begin..message.len().min(begin + 6 * MIB)).into()).await.unwrap();
    }
    upload.complete().await.unwrap();
}

#[test]
fn bounds_of_the_readme() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).max_blocking_threads(1).enable_all().build();
    runtime.unwrap().block_on(bounds());
}

/// A disk that is slower than hashing: the one thread that writes files sleeps between two calls.
async fn slow_disk<R>(run: impl Future<Output = R>) -> R {
    let sleeps = tokio::spawn(async {
        loop {
            let sleep = || std::thread::sleep(core::time::Duration::from_millis(15));
            tokio::task::spawn_blocking(sleep).await.unwrap();
        }
    });
    let result = run.await;
    sleeps.abort();
    result
}

async fn bounds() {
    let path = &Path::from("object");
    let message = Bytes::from(vec![7; 24 * MIB]);
    for stripe in [64 << 10, 1 << 20] {
        let format = || Format::default().with_stripe_length(stripe).unwrap();
        let count = message.len() / usize::try_from(stripe).unwrap();
        let stored = message.len() + 32 * count + 64;
        // A digest, and what holds the pieces of a stripe.
        let digests = 400 * count;
        let batch = usize::try_from(stripe).unwrap().max(MIB).saturating_mul(if stripe > 64 << 10 { 8 } else { 1 });
        let directory = tempfile::tempdir().unwrap();
        let files = Verified::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap(), format());
        let memory = Verified::new(InMemory::new(), format());
        let other_directory = tempfile::tempdir().unwrap();
        let other: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(other_directory.path()).unwrap());
        let other = Verified::new(other, format());
        let name = |call: &str| format!("{call}, stripes of {stripe} bytes");

        // Four parts that are under way, and the next one.
        let put = 5 * batch + digests + SMALL;
        peak(&name("put to a file"), put, files.put(path, message.clone().into())).await.unwrap();
        let slow = slow_disk(files.put(path, message.clone().into()));
        peak(&name("put to a slow file"), put, slow).await.unwrap();
        let put = other.put(path, message.clone().into());
        peak(&name("put to a store of unknown type"), digests + SMALL, put).await.unwrap();
        let put = other.put_opts(path, message.slice(..15 * MIB).into(), object_store::PutOptions::default());
        peak(&name("put of 15 MiB to a store of unknown type"), digests + SMALL, put).await.unwrap();
        other.put(path, message.clone().into()).await.unwrap();
        let put = memory.put(path, message.clone().into());
        peak(&name("put to memory, which keeps it"), stored + digests + SMALL, put).await.unwrap();

        let bound = digests + SMALL;
        peak(&name("upload by parts of 6 MiB to a file"), bound, upload(&files, path, &message)).await;

        peak(&name("get from memory"), digests.min(400 * 1024) + SMALL, drain(&memory, path)).await;
        // The next is read ahead.
        peak(&name("get of a file"), 2 * batch + SMALL, drain(&files, path)).await;
        let ranges: Vec<_> = (0..6_u64).map(|i| (i << 22) + 12_345..(i << 22) + 112_345).collect();
        // The stripes around them, and the copies of those that have several pieces.
        let around = |range: &core::ops::Range<u64>| (range.end - 1) / stripe - range.start / stripe + 1;
        let around: u64 = ranges.iter().map(around).sum();
        let bound = usize::try_from(around * (stripe + 32)).unwrap() + 600_000 + SMALL;
        peak(&name("get_ranges of a file"), bound, files.get_ranges(path, &ranges)).await.unwrap();
    }
}

//! Reads and writes beside what they could take at best, and beside the plain store.
//!
//! ```sh
//! cargo bench -p simd-digest-store            # all rows
//! cargo bench -p simd-digest-store -- put     # those of this case: get, file, ranges, put
//! ```
//!
//! The rows of a case take turns, and each has the least time of all its turns.

use core::hint::black_box;
use core::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use simd_digest::blake2b;
use simd_digest_store::{Format, Part, Stripes, Verified};
use tokio::runtime::Runtime;

/// The length of the objects, in bytes.
const LENGTH: usize = 64 << 20;
const STRIPE: usize = 64 << 10;
const TURNS: usize = 15;

fn message() -> Bytes {
    (0..LENGTH).map(|i| (i.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect()
}

type Row<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// The least time of each row, in seconds.
fn measure(title: &str, bytes: usize, rows: &mut [Row<'_>]) -> Vec<f64> {
    measure_after(|| {}, title, bytes, rows)
}

/// As `measure`. `prepare` is done before each turn of a row, and its time does not count.
fn measure_after(prepare: impl Fn(), title: &str, bytes: usize, rows: &mut [Row<'_>]) -> Vec<f64> {
    for (_, row) in rows.iter_mut() {
        prepare();
        row(); // threads are begun, and memory is had
    }
    let mut least = vec![f64::INFINITY; rows.len()];
    for _ in 0..TURNS {
        for ((_, row), least) in rows.iter_mut().zip(&mut least) {
            prepare();
            let begin = Instant::now();
            row();
            *least = least.min(begin.elapsed().as_secs_f64());
        }
    }
    println!("\n{title}");
    for ((name, _), least) in rows.iter().zip(&least) {
        println!("  {name:<48} {:8.2} ms {:6.2} GB/s", least * 1e3, bytes as f64 / least / 1e9);
    }
    least
}

fn ratio(name: &str, ratio: f64, bar: f64, more_is_better: bool) {
    let (is_met, sign) = if more_is_better { (ratio >= bar, ">=") } else { (ratio <= bar, "<=") };
    println!("  {name:<48} {ratio:8.2}    {sign} {bar:.2}: {}", if is_met { "met" } else { "MISSED" });
}

/// As `update_many` hashes it: messages of 64 KiB, side by side.
fn update_many(message: &Bytes) {
    for group in message.chunks(16 * STRIPE) {
        let mut hashers = vec![blake2b::Hasher::new(); group.len().div_ceil(STRIPE)];
        let mut updates: Vec<_> = hashers.iter_mut().zip(group.chunks(STRIPE)).collect();
        blake2b::update_many(&mut updates);
        hashers.iter().for_each(|hasher| {
            black_box(hasher.finalize());
        });
    }
}

async fn read(store: &dyn ObjectStore) {
    let mut stream = store.get(&path()).await.unwrap().into_stream();
    let mut length = 0;
    while let Some(piece) = stream.try_next().await.unwrap() {
        length += black_box(piece).len();
    }
    assert_eq!(length, LENGTH);
}

fn path() -> Path {
    Path::from("object")
}

/// Verifies the stripes around a range one after the other. `stored` has these as they are stored.
fn singly(stripes: &Stripes, stored: &Bytes, range: Range<u64>, mut give: impl FnMut(&[u8])) {
    let begin = stripes.around(range.clone(), LENGTH as u64).unwrap().stored().start;
    let mut at = range.start;
    while at < range.end {
        let end = (at / STRIPE as u64 * STRIPE as u64 + STRIPE as u64).min(range.end);
        let run = stripes.around(at..end, LENGTH as u64).unwrap();
        let place = |number: u64| usize::try_from(number - begin).unwrap();
        let bytes = stored.slice(place(run.stored().start)..place(run.stored().end));
        stripes.decode(&run, [bytes]).unwrap().iter().for_each(|piece| give(piece));
        at = end;
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (runtime, message) = (&runtime, &message());
    if wants("get") {
        get(runtime, message);
    }
    if wants("file") {
        file(runtime, message);
    }
    if wants("ranges") {
        ranges(runtime, message);
    }
    if wants("put") {
        put(runtime, message);
    }
}

fn get(runtime: &Runtime, message: &Bytes) {
    let store = Verified::new(InMemory::new(), Format::default());
    runtime.block_on(store.put(&path(), message.clone().into())).unwrap();
    let stored = runtime.block_on(async { store.inner().get(&path()).await.unwrap().bytes().await.unwrap() });
    let stripes = Format::default().open(&stored).unwrap();
    let times = measure(
        "get from memory, 64 MiB in stripes of 64 KiB",
        LENGTH,
        &mut [
            ("update_many", Box::new(|| update_many(message))),
            (
                "stripes singly",
                Box::new(|| {
                    let stored = stored.slice(Stripes::HEADER_LENGTH..);
                    singly(&stripes, &stored, 0..LENGTH as u64, |piece| assert!(!black_box(piece).is_empty()));
                }),
            ),
            ("get", Box::new(|| runtime.block_on(read(&store)))),
        ],
    );
    ratio("get / update_many, as throughput", times[0] / times[2], 0.80, true);
    ratio("get / stripes singly, as throughput", times[1] / times[2], 2.3, true);
}

fn file(runtime: &Runtime, message: &Bytes) {
    let directory = tempfile::tempdir().unwrap();
    let local = || LocalFileSystem::new_with_prefix(directory.path()).unwrap();
    let store = Verified::new(local(), Format::default());
    runtime.block_on(store.put(&path(), message.clone().into())).unwrap();
    let plain_directory = tempfile::tempdir().unwrap();
    let plain = LocalFileSystem::new_with_prefix(plain_directory.path()).unwrap();
    runtime.block_on(plain.put(&path(), message.clone().into())).unwrap();
    let times = measure(
        "get of a local file, 64 MiB",
        LENGTH,
        &mut [
            ("plain store, as a stream", Box::new(|| runtime.block_on(read(&plain)))),
            ("verified, as a stream", Box::new(|| runtime.block_on(read(&store)))),
        ],
    );
    ratio("verified / plain, as throughput", times[0] / times[1], 1.0, true);
}

fn ranges(runtime: &Runtime, message: &Bytes) {
    let inner = Arc::new(InMemory::new());
    let store = Verified::new(Arc::clone(&inner), Format::default());
    runtime.block_on(store.put(&path(), message.clone().into())).unwrap();
    let ranges: Vec<_> = (0..32_u64).map(|i| (i << 21) + 12_345..(i << 21) + 112_345).collect();
    let header = runtime.block_on(inner.get_range(&path(), 0..Stripes::HEADER_LENGTH as u64)).unwrap();
    let stripes = Format::default().open(&header).unwrap();
    let stored: Vec<_> =
        ranges.iter().map(|range| stripes.around(range.clone(), LENGTH as u64).unwrap().stored()).collect();
    let times = measure(
        "get_ranges from memory, 32 ranges of 100 KB",
        3_200_000,
        &mut [
            (
                "the same call, stripes singly",
                Box::new(|| {
                    let got = runtime.block_on(inner.get_ranges(&path(), &stored)).unwrap();
                    let joined = |(range, stored): (&Range<u64>, Bytes)| {
                        let mut joined = Vec::with_capacity(100_000);
                        singly(&stripes, &stored, range.clone(), |piece| joined.extend_from_slice(piece));
                        joined
                    };
                    black_box(ranges.iter().zip(got).map(joined).collect::<Vec<_>>());
                }),
            ),
            ("get_ranges", Box::new(|| drop(runtime.block_on(store.get_ranges(&path(), &ranges)).unwrap()))),
        ],
    );
    ratio("get_ranges / singly, as time", times[1] / times[0], 0.7, false);
}

/// The pieces of the stored form: digests and slices, as a put hands them over.
fn pieces(message: &Bytes) -> PutPayload {
    let stripes = Format::default().stripes().unwrap();
    let header = Bytes::copy_from_slice(&stripes.header());
    core::iter::once(header).chain(stripes.encode(0, [message.clone()], Part::Last).unwrap()).collect()
}

fn put(runtime: &Runtime, message: &Bytes) {
    for length in [LENGTH, 8 << 20] {
        let message = message.slice(..length);
        let plain = InMemory::new();
        let store = Verified::new(InMemory::new(), Format::default());
        let alone = Verified::new(InMemory::new(), Format::default()).without_threads();
        let unknown = Verified::new(Arc::new(InMemory::new()) as Arc<dyn ObjectStore>, Format::default());
        let rope = pieces(&message);
        let put =
            |store: &dyn ObjectStore, payload: PutPayload| drop(runtime.block_on(store.put(&path(), payload)).unwrap());
        let times = measure(
            &format!("put to memory, {} MiB", length >> 20),
            length,
            &mut [
                ("update_many", Box::new(|| update_many(&message))),
                ("plain store, of the same pieces", Box::new(|| put(&plain, rope.clone()))),
                ("verified", Box::new(|| put(&store, message.clone().into()))),
                ("verified, without threads", Box::new(|| put(&alone, message.clone().into()))),
                ("verified, as a store of unknown type", Box::new(|| put(&unknown, message.clone().into()))),
            ],
        );
        ratio("verified / update_many, as throughput", times[0] / times[2], 0.7, true);
        println!("  {:<48} {:8.2}", "verified / plain store, same pieces", times[1] / times[2]);
    }
    // A file that replaces another is written to the disk at once by some file systems, which takes longer than all
    // else.
    for (length, replaces) in [(LENGTH, false), (8 << 20, false), (4 << 20, false), (1 << 20, false), (8 << 20, true)] {
        let message = message.slice(..length);
        let directory = tempfile::tempdir().unwrap();
        let local = |name: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir(&path).unwrap();
            LocalFileSystem::new_with_prefix(path).unwrap()
        };
        let (plain, other) = (local("plain"), local("other"));
        let store = Verified::new(local("verified"), Format::default());
        let unknown = Arc::new(local("unknown")) as Arc<dyn ObjectStore>;
        let pointer = Verified::new(unknown, Format::default());
        let whole = Verified::new(local("whole"), Format::default()).put_whole();
        let rope = pieces(&message);
        let put = |store: &dyn ObjectStore, payload: PutPayload| {
            drop(runtime.block_on(store.put(&path(), payload)).unwrap());
        };
        let prepare = || {
            for store in [&plain as &dyn ObjectStore, &other, &store, &pointer, &whole] {
                if !replaces {
                    let _ = runtime.block_on(store.delete(&path())); // there may be none
                }
            }
        };
        let times = measure_after(
            prepare,
            &format!("put to a local file, {} MiB, {}", length >> 20, if replaces { "over another" } else { "new" }),
            length,
            &mut [
                ("plain store", Box::new(|| put(&plain, message.clone().into()))),
                ("verified", Box::new(|| put(&store, message.clone().into()))),
                ("verified, as a store of unknown type", Box::new(|| put(&pointer, message.clone().into()))),
                ("verified, whole", Box::new(|| put(&whole, message.clone().into()))),
                ("plain store, of the same pieces", Box::new(|| put(&other, rope.clone()))),
            ],
        );
        ratio("verified / plain, as throughput", times[0] / times[1], 0.65, true);
    }
}

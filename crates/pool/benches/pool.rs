#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_lossless,
    clippy::cast_sign_loss,
    reason = "figures"
)]
//! Bytes per second of processor time, and the time of one update: streams in the pool, beside each on its own.
//!
//! `cargo bench -p simd-digest-pool --all-features -- [threads|tasks|idle] [blake2b|sha256|sha512] [STREAMS] [SIZE]`.
//! The column `of lanes` is the fraction of `update_many` over eight messages of 16 KiB (SHA-256: four), on as many
//! cores at once, in the same run.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Barrier;

use std::thread;
use std::time::Instant;

use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};
use simd_digest::{blake2b, sha256, sha512};
use simd_digest_pool::{LaneHasher, Pool};

const ROW: Duration = Duration::from_millis(250);

/// Seconds that all threads of this process ran.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The figures of a row.
#[derive(Clone, Copy)]
struct Row {
    /// GB per second of processor time, and of the wall.
    per_cpu: f64,
    per_wall: f64,
    /// Half of all updates take at most so many microseconds.
    p50: f64,
    p99: f64,
}

impl Row {
    fn new(bytes: usize, seconds: (f64, f64), mut times: Vec<u32>) -> Self {
        times.sort_unstable();
        let at = |part: f64| times.get((times.len() as f64 * part) as usize).map_or(0.0, |&ns| f64::from(ns) / 1e3);
        let gigabytes = bytes as f64 / 1e9;
        Self { per_cpu: gigabytes / seconds.0, per_wall: gigabytes / seconds.1, p50: at(0.5), p99: at(0.99) }
    }
}

/// `streams` threads, each of which updates a hasher of its own with a buffer of its own until the time is over.
fn threads<S: Send>(streams: usize, size: usize, new: impl Fn() -> S, update: impl Fn(&mut S, &[u8]) + Sync) -> Row {
    let (barrier, over) = (Barrier::new(streams + 1), AtomicBool::new(false));
    let mut states: Vec<(S, Vec<u8>)> = (0..streams).map(|i| (new(), vec![i as u8; size])).collect();
    let mut answer = None;
    thread::scope(|scope| {
        let workers: Vec<_> = states
            .iter_mut()
            .map(|(state, buffer)| {
                let (barrier, over, update) = (&barrier, &over, &update);
                scope.spawn(move || {
                    let mut times = Vec::with_capacity(1 << 16);
                    barrier.wait();
                    let mut before = Instant::now();
                    while !over.load(Ordering::Relaxed) {
                        update(state, buffer);
                        let now = Instant::now();
                        times.push((now, (now - before).as_nanos() as u32));
                        before = now;
                    }
                    times
                })
            })
            .collect();
        barrier.wait();
        thread::sleep(ROW / 10);
        // Many threads keep this one off, so an update counts by the time when it ended.
        let (cpu, begin) = (processor_time(), Instant::now());
        thread::sleep(ROW);
        let (cpu, end) = (processor_time() - cpu, Instant::now());
        over.store(true, Ordering::Relaxed);
        let times = workers.into_iter().flat_map(|worker| worker.join().unwrap());
        let times: Vec<u32> = times.filter(|(at, _)| (begin..end).contains(at)).map(|(_, time)| time).collect();
        answer = Some(Row::new(times.len() * size, (cpu, (end - begin).as_secs_f64()), times));
    });
    answer.unwrap()
}

/// `streams` tasks on tokio's threads, each of which gives pieces and lets others run after each.
fn tasks<H: LaneHasher + Sync>(streams: usize, size: usize, new: fn() -> H, update: Option<fn(&mut H, &[u8])>) -> Row
where
    H::Hash: Send,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let pool = Pool::new();
    let (cpu, wall) = (processor_time(), Instant::now());
    let tasks: Vec<_> = (0..streams)
        .map(|i| {
            let piece = Bytes::from(vec![i as u8; size]);
            let mut alone = new();
            let mut hasher = pool.async_hasher(new());
            runtime.spawn(async move {
                let mut times = Vec::with_capacity(1 << 12);
                while wall.elapsed() < ROW {
                    // Some pieces come together, as from a socket.
                    for _ in 0..usize::div_ceil(16 << 10, size).min(4) {
                        let before = Instant::now();
                        match update {
                            Some(update) => update(&mut alone, &piece),
                            None => hasher.update(piece.clone()).await,
                        }
                        times.push(before.elapsed().as_nanos() as u32);
                    }
                    tokio::task::yield_now().await;
                }
                black_box(hasher.finalize().await);
                times
            })
        })
        .collect();
    let times: Vec<u32> = runtime
        .block_on(async { futures_util::future::join_all(tasks).await })
        .into_iter()
        .flat_map(Result::unwrap)
        .collect();
    let seconds = (processor_time() - cpu, wall.elapsed().as_secs_f64());
    Row::new(times.len() * size, seconds, times)
}

/// One stream that is active, beside 31 hashers that have done something and are idle.
fn idle<H: LaneHasher + Sync>(size: usize, new: fn() -> H, update: fn(&mut H, &[u8])) {
    let pool = Pool::new();
    let idle: Vec<_> = (0..31).map(|_| _ = pool.hasher(new()).update(&[1; 20_000])).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let piece = Bytes::from(vec![7; size]);
    let (mut plain, mut pooled, mut tasked) = (new(), pool.hasher(new()), pool.async_hasher(new()));
    let mut times = [const { Vec::new() }; 3];
    let rounds = (40_000_000 / size).clamp(2_000, 20_000);
    for _ in 0..rounds {
        let mut note = |i: usize, before: Instant| times[i].push(before.elapsed().as_nanos() as u32);
        let before = Instant::now();
        update(&mut plain, &piece);
        note(0, before);
        let before = Instant::now();
        pooled.update(&piece);
        note(1, before);
    }
    runtime.block_on(async {
        for _ in 0..rounds {
            let before = Instant::now();
            tasked.update(piece.clone()).await;
            times[2].push(before.elapsed().as_nanos() as u32);
        }
    });
    for (name, times) in ["plain", "pool", "task"].into_iter().zip(times) {
        let row = Row::new(0, (1.0, 1.0), times);
        println!("  {name:>5} {:>8} B  p50 {:9.2} us  p99 {:9.2} us", size, row.p50, row.p99);
    }
    drop(idle);
}

struct Hash<H: LaneHasher> {
    name: &'static str,
    new: fn() -> H,
    update: fn(&mut H, &[u8]),
    many: fn(&mut [(&mut H, &[u8])]),
    lanes: usize,
}

fn run<H: LaneHasher<Hash: Send> + Sync>(hash: &Hash<H>, arguments: &[String]) {
    let chosen = |name: &str| arguments.iter().any(|argument| argument == name);
    let any = |names: &[&str]| !names.iter().any(|name| chosen(name));
    if !chosen(hash.name) && !any(&["blake2b", "sha256", "sha512"]) {
        return;
    }
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let lanes = || {
        let new = || (vec![(hash.new)(); hash.lanes], vec![vec![7; 16 << 10]; hash.lanes]);
        let row = threads(cores, 0, new, |(hashers, data), _| {
            let mut updates: Vec<(&mut H, &[u8])> = hashers.iter_mut().zip(data).map(|(h, d)| (h, &d[..])).collect();
            (hash.many)(&mut updates);
        });
        // Rows count their updates by the size, which is none here.
        row.p50
    };
    // By the median on all cores at once: nothing else runs in between.
    let reference = (hash.lanes * (16 << 10)) as f64 / 1e3 / lanes();
    println!("{}: {} messages of 16 KiB by update_many: {reference:.2} GB/s a core", hash.name, hash.lanes);
    let print = |kind: &str, streams: usize, size: usize, alone: Row, pool: Row| {
        println!(
            "  {kind:>7} {streams:>4} x {size:>8} B  alone {:5.2}  pool {:5.2} GB/cpu-s ({:4.2} of lanes, {:4.2} of \
             alone)  wall {:5.2} {:5.2}  p50 {:9.1} {:9.1}  p99 {:9.1} {:9.1} us",
            alone.per_cpu,
            pool.per_cpu,
            pool.per_cpu / reference,
            pool.per_cpu / alone.per_cpu,
            alone.per_wall,
            pool.per_wall,
            alone.p50,
            pool.p50,
            alone.p99,
            pool.p99,
        );
    };
    for streams in [1, 2, 8, 32, 256] {
        for size in [1 << 10, 16 << 10, 64 << 10, 1 << 20] {
            if !(numbers.is_empty() || numbers.contains(&streams) && numbers[1..].contains(&size)) {
                continue;
            }
            if chosen("threads") || any(&["threads", "tasks", "idle"]) {
                let pool = Pool::new();
                let alone = threads(streams, size, hash.new, hash.update);
                let pooled = threads(streams, size, || pool.hasher((hash.new)()), |h, data| _ = h.update(data));
                print("threads", streams, size, alone, pooled);
                println!("{:>10}{:?}", "", pool.stats());
            }
            if chosen("tasks") || any(&["threads", "tasks", "idle"]) {
                let alone = tasks(streams, size, hash.new, Some(hash.update));
                let pooled = tasks(streams, size, hash.new, None);
                print("tasks", streams, size, alone, pooled);
            }
        }
    }
    if chosen("idle") || any(&["threads", "tasks", "idle"]) {
        for size in [1 << 10, 16 << 10, 64 << 10] {
            idle(size, hash.new, hash.update);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    run(
        &Hash {
            name: "blake2b",
            new: blake2b::Hasher::new,
            update: |hasher, data| _ = hasher.update(data),
            many: blake2b::update_many,
            lanes: 8,
        },
        &arguments,
    );
    run(
        &Hash {
            name: "sha256",
            new: sha256::Hasher::new,
            update: |hasher, data| _ = hasher.update(data),
            many: sha256::update_many,
            lanes: 4,
        },
        &arguments,
    );
    run(
        &Hash {
            name: "sha512",
            new: sha512::Hasher::new,
            update: |hasher, data| _ = hasher.update(data),
            many: sha512::update_many,
            lanes: 8,
        },
        &arguments,
    );
}

//! Streams in tasks against digests of whole messages, on tokio's runtimes, on none, and by hand.
#![cfg(feature = "bytes")]

#[path = "common/paint.rs"]
mod common;

use core::future::Future;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Barrier, Mutex, TryLockError};
use std::task::Wake;
use std::thread;
use std::time::Instant;

use bytes::Bytes;
use common::{Random, paint};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use simd_digest::{blake2b, sha256};
use simd_digest_pool::{AsyncPoolHasher, Pool};

fn pools() -> impl Iterator<Item = Pool> {
    let pool = |(seats, ready, limit)| Pool::builder().seats(seats).ready(ready).limit(limit).threshold(0).build();
    [(1, 1, 0), (1, 4 << 10, 16 << 10), (2, 16 << 10, 128 << 10), (4, 1 << 10, 1 << 10)].into_iter().map(pool)
}

/// More than anything takes that a test waits for, on a busy machine and on an emulated one.
const LIMIT: Duration = Duration::from_secs(60);

/// The length of the longest piece: a fifth under the thread sanitizer, where bytes take long, and where what matters is
/// who touches them when.
fn shorter(longest: usize) -> usize {
    if std::env::var_os("SIMD_DIGEST_FEWER_CASES").is_some() { longest / 5 } else { longest }
}

/// Runs one future on this thread, by parking. Fails if nobody wakes it.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(answer) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return answer;
        }
        let begun = Instant::now();
        thread::park_timeout(LIMIT);
        assert!(begun.elapsed() < LIMIT, "waited {LIMIT:?} for a wake");
    }
}

/// Polls a future once.
fn poll_once<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// One stream of random pieces, some of whose futures are dropped or forgotten.
async fn stream(pool: Pool, seed: u64, longest: usize) {
    let message = Bytes::from(paint(longest + 256));
    let mut random = Random(seed);
    let mut hasher = pool.async_hasher(blake2b::Hasher::new());
    let mut whole = blake2b::Hasher::new();
    for _ in 0..60 {
        let (from, length) = (random.below(256), random.below(longest + 1));
        let piece = message.slice(from..from + length);
        let copy = piece.clone();
        match random.below(8) {
            0 => drop(hasher.update(copy)), // never polled
            action @ 1..4 => {
                // The bytes count if an earlier update was not still waiting; so let it be done first.
                hasher.update(Bytes::new()).await;
                let mut update = hasher.update(copy);
                core::future::poll_fn(|cx| {
                    let _ = Pin::new(&mut update).poll(cx);
                    Poll::Ready(())
                })
                .await;
                if action == 1 {
                    core::mem::forget(update);
                }
                whole.update(&piece);
            }
            _ => {
                hasher.update(copy).await;
                whole.update(&piece);
            }
        }
        if random.below(10) == 0 {
            assert_eq!(hasher.finalize().await, whole.finalize(), "stream {seed}, in the middle");
        }
    }
    assert_eq!(hasher.finalize().await, whole.finalize(), "stream {seed}");
}

/// Runs all at once, each in a task of its own.
async fn join(streams: impl Iterator<Item = impl Future<Output = ()> + Send + 'static>) {
    for task in streams.map(tokio::spawn).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[test]
fn on_the_runtimes_of_tokio() {
    for pool in pools() {
        for longest in [2 << 10, shorter(40 << 10)] {
            let current = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let many = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().unwrap();
            for (runtime, seed) in [(current, 1000), (many, 2000)] {
                runtime.block_on(async {
                    join((0..40).map(|i| stream(pool.clone(), seed + i, longest))).await;
                });
            }
        }
    }
}

#[test]
fn many_in_one_task() {
    for pool in pools() {
        let mut streams: FuturesUnordered<_> = (1..40).map(|i| stream(pool.clone(), i, shorter(20 << 10))).collect();
        block_on(async { while streams.next().await.is_some() {} });
    }
}

/// The losing branch of a `select!` stops waiting; its bytes count.
#[test]
fn select() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for pool in pools() {
        runtime.block_on(async {
            join((0..20_u64).map(|seed| {
                let pool = pool.clone();
                async move {
                    let piece = Bytes::from(paint(30_000));
                    let mut hasher = pool.async_hasher(sha256::Hasher::new());
                    for i in 0..50 {
                        hasher.update(Bytes::new()).await;
                        tokio::select! {
                            biased;
                            () = hasher.update(piece.clone()) => {}
                            () = tokio::task::yield_now(), if i % 3 > 0 => {}
                        }
                    }
                    assert_eq!(hasher.finalize().await, sha256::hash(&piece.repeat(50)), "task {seed}");
                }
            }))
            .await;
        });
    }
}

/// Tasks in threads that block share a queue with threads.
#[test]
fn blocked_threads_beside_threads() {
    for pool in pools() {
        thread::scope(|scope| {
            for i in 1..9 {
                let task = pool.clone();
                scope.spawn(move || block_on(stream(task, i, 30 << 10)));
                let pool = &pool;
                scope.spawn(move || {
                    let piece = paint(20_000);
                    let mut hasher = pool.hasher(blake2b::Hasher::new());
                    (0..60).for_each(|_| _ = hasher.update(&piece));
                    assert_eq!(hasher.finalize(), blake2b::hash(&piece.repeat(60)));
                });
            }
        });
    }
}

/// Hashers that are dropped with data queued, or while another hashes it.
#[test]
fn dropped_in_the_middle() {
    let piece = Bytes::from(paint(50_000));
    let digest = blake2b::hash(&piece.repeat(5));
    for pool in pools() {
        thread::scope(|scope| {
            for i in 0..8_usize {
                let (pool, piece) = (&pool, &piece);
                scope.spawn(move || {
                    for round in 0..60 {
                        let mut hasher = pool.async_hasher(blake2b::Hasher::new());
                        let mut updates = 0;
                        while updates < 5 {
                            let mut update = hasher.update(piece.clone());
                            if (i + round) % 2 == 0 && updates == 3 {
                                let _ = poll_once(&mut update, Waker::noop());
                                break;
                            }
                            block_on(update);
                            updates += 1;
                        }
                        if updates == 5 {
                            assert_eq!(block_on(hasher.finalize()), digest);
                        }
                    }
                });
            }
        });
    }
}

/// A waker that does something odd when it is woken.
struct Odd(Mutex<Box<dyn FnMut() + Send>>, AtomicUsize);

impl Wake for Odd {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        // What it does may wake it again.
        match self.0.try_lock() {
            Ok(mut call) => call(),
            Err(TryLockError::Poisoned(call)) => call.into_inner()(),
            Err(TryLockError::WouldBlock) => {}
        }
    }
}

fn odd(call: impl FnMut() + Send + 'static) -> (Arc<Odd>, Waker) {
    let odd = Arc::new(Odd(Mutex::new(Box::new(call)), AtomicUsize::new(0)));
    (odd.clone(), odd.into())
}

/// Polls `hasher` until its future is done or sleeps, and leaves it so: another stream's leader wakes `waker`.
fn sleep_with(hasher: &mut AsyncPoolHasher<sha256::Hasher>, piece: &Bytes, waker: &Waker) {
    let mut update = hasher.update(piece.clone());
    for _ in 0..3 {
        let _ = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| poll_once(&mut update, waker)));
    }
    core::mem::forget(update);
}

/// A waker that panics, or that calls back into the pool, harms no other stream, and leaves no seat taken.
#[test]
fn odd_wakers() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&"odd") {
            hook(info);
        }
    }));
    let piece = Bytes::from(paint(40_000));
    for pool in pools() {
        for _ in 0..20 {
            let again = pool.clone();
            let wakers = [
                odd(|| std::panic::panic_any("odd")).1,
                odd(move || {
                    let mut hasher = again.async_hasher(sha256::Hasher::new());
                    let mut update = hasher.update(Bytes::from_static(&[1; 9_000]));
                    let _ = poll_once(&mut update, Waker::noop());
                    drop(update);
                    let mut hasher = again.hasher(sha256::Hasher::new());
                    hasher.update(&[1; 100]);
                })
                .1,
            ];
            let mut odd_ones: Vec<_> = (0..6).map(|_| pool.async_hasher(sha256::Hasher::new())).collect();
            thread::scope(|scope| {
                for i in 0..4 {
                    let (pool, piece) = (&pool, &piece);
                    scope.spawn(move || {
                        let mut hasher = pool.async_hasher(sha256::Hasher::new());
                        for _ in 0..5 {
                            block_on(hasher.update(piece.clone()));
                        }
                        assert_eq!(block_on(hasher.finalize()), sha256::hash(&piece.repeat(5)), "stream {i}");
                    });
                }
                for (i, hasher) in odd_ones.iter_mut().enumerate() {
                    sleep_with(hasher, &piece, &wakers[i % 2]);
                }
                // Those that were woken and do not come pass the lead on.
                thread::sleep(Duration::from_millis(1));
                odd_ones.iter_mut().for_each(|hasher| drop(hasher.update(Bytes::new())));
                odd_ones.clear();
            });
        }
        // A seat is free still.
        let mut hasher = pool.async_hasher(sha256::Hasher::new());
        block_on(hasher.update(piece.clone()));
        assert_eq!(block_on(hasher.finalize()), sha256::hash(&piece));
    }
}

/// Fails if `call` does not end.
fn ends(call: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let call = thread::spawn(move || {
        call();
        let _ = sender.send(());
    });
    // A channel that is closed is the end of a panic.
    assert_ne!(receiver.recv_timeout(LIMIT), Err(RecvTimeoutError::Timeout), "nobody hashes");
    call.join().unwrap();
}

/// Wakers and owners of `Bytes` that hash in the pool themselves, while a thread has the only seat for long.
#[test]
fn code_of_others_that_waits_for_the_pool() {
    struct Owner(Vec<u8>, Pool);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            self.1.hasher(sha256::Hasher::new()).update(&[2; 40_000]);
        }
    }
    ends(|| {
        let pool = Pool::builder().seats(1).ready(1).limit(0).build();
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let long = paint(8 << 20);
                while done.load(Ordering::Relaxed) < 3 {
                    pool.hasher(sha256::Hasher::new()).update(&long);
                }
            });
            for _ in 0..3 {
                scope.spawn(|| {
                    let (this, again) = (thread::current(), pool.clone());
                    let (_, waker) = odd(move || {
                        again.hasher(sha256::Hasher::new()).update(&[1; 32 << 10]);
                        this.unpark();
                    });
                    let mut hasher = pool.async_hasher(sha256::Hasher::new());
                    for _ in 0..30 {
                        let bytes = Bytes::from_owner(Owner(paint(30_000), pool.clone()));
                        let mut update = hasher.update(bytes);
                        while poll_once(&mut update, &waker).is_pending() {
                            thread::park_timeout(Duration::from_millis(100));
                        }
                    }
                    assert_eq!(block_on(hasher.finalize()), sha256::hash(&paint(30_000).repeat(30)));
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
    });
}

/// A future that was woken to lead, and is kept and never polled again, keeps neither threads nor tasks waiting.
#[test]
fn woken_and_not_polled() {
    for threads in [true, false] {
        ends(move || {
            let pool = Pool::builder().seats(1).ready(1).limit(0).threshold(1).build();
            let (long, barrier) = (paint(4 << 20), Barrier::new(2));
            for _ in 0..10 {
                let mut kept: Vec<_> = (0..40).map(|_| pool.async_hasher(sha256::Hasher::new())).collect();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        let mut hasher = pool.hasher(sha256::Hasher::new());
                        barrier.wait();
                        hasher.update(&long);
                    });
                    // The seat is taken when these are polled.
                    barrier.wait();
                    for hasher in &mut kept {
                        let mut update = hasher.update(paint(50_000));
                        for _ in 0..3 {
                            let _ = poll_once(&mut update, Waker::noop());
                        }
                        core::mem::forget(update);
                    }
                    for _ in 0..12 {
                        scope.spawn(|| {
                            let piece = paint(50_000);
                            if threads {
                                pool.hasher(sha256::Hasher::new()).update(&piece);
                            } else {
                                let mut hasher = pool.async_hasher(sha256::Hasher::new());
                                block_on(hasher.update(piece.clone()));
                                assert_eq!(block_on(hasher.finalize()), sha256::hash(&piece));
                            }
                        });
                    }
                });
            }
        });
    }
}

/// An update that was polled once counts, though the one before it still waits.
#[test]
fn given_up_twice() {
    let pool = Pool::builder().seats(1).ready(1 << 10).limit(64 << 10).threshold(1).build();
    let piece = paint(60_000);
    thread::scope(|scope| {
        scope.spawn(|| _ = pool.hasher(sha256::Hasher::new()).update(&paint(16 << 20)));
        let mut hasher = pool.async_hasher(sha256::Hasher::new());
        for _ in 0..3 {
            let _ = poll_once(&mut hasher.update(piece.clone()), Waker::noop());
        }
        assert_eq!(block_on(hasher.finalize()), sha256::hash(&piece.repeat(3)));
    });
}

/// `Bytes` whose owner panics when it is dropped.
#[test]
fn odd_bytes() {
    struct Owner(Vec<u8>);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            if !thread::panicking() {
                std::panic::panic_any("odd");
            }
        }
    }
    for pool in pools() {
        let mut hasher = pool.async_hasher(sha256::Hasher::new());
        for _ in 0..4 {
            block_on(hasher.update(Bytes::from_owner(Owner(paint(20_000)))));
        }
        assert_eq!(block_on(hasher.finalize()), sha256::hash(&paint(20_000).repeat(4)));
    }
}

#[test]
fn finalize_is_repeatable() {
    for pool in pools() {
        let mut hasher = pool.async_hasher(sha256::Hasher::new().update(b"one, ").clone());
        assert_eq!(block_on(hasher.finalize()), sha256::hash(b"one, "));
        block_on(hasher.update(Bytes::from_static(b"two")));
        for _ in 0..3 {
            assert_eq!(block_on(hasher.finalize()), sha256::hash(b"one, two"));
        }
        drop(pool);
        block_on(hasher.update(Bytes::from(paint(300_000))));
        let whole = [b"one, two", &paint(300_000)[..]].concat();
        assert_eq!(block_on(hasher.finalize()), sha256::hash(&whole));
    }
}

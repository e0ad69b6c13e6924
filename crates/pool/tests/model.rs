//! All interleavings of a few threads, by loom, up to so many preemptions: the lending and the queue. Run by `.ci/pool`.
//!
//! A model cannot tell that a slice is read after its lender has returned, so each overwrites its buffer at once.
#![cfg(loom)]

use simd_digest::{Backend, sha256};
use simd_digest_pool::Pool;

/// Small, and each a message of its own.
fn message(seed: u8) -> [u8; 70] {
    core::array::from_fn(|i| seed.wrapping_mul(31).wrapping_add(i as u8))
}

fn hasher() -> sha256::Hasher {
    sha256::Hasher::new().with_backend(Backend::best().without_sha())
}

/// The digests of the first streams, each of so many messages. They and the settings are made once: an interleaving would
/// spend half of its time on them.
fn expected(updates: usize) -> [sha256::Hash; 3] {
    [0, 1, 2].map(|seed| sha256::hash(&message(seed).repeat(updates)))
}

fn check(threads: u8, seats: usize, preemptions: usize, updates: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 20_000;
    let (settings, expected) = (Pool::builder().seats(seats).threshold(0), expected(updates));
    model.check(move || {
        let pool = settings.clone().build();
        let stream = move |pool: Pool, seed: u8| {
            let mut hasher = pool.hasher(hasher());
            for _ in 0..updates {
                let mut buffer = message(seed);
                hasher.update(&buffer);
                buffer.fill(0xee);
            }
            assert_eq!(hasher.finalize(), expected[usize::from(seed)]);
        };
        let others: Vec<_> = (1..threads)
            .map(|seed| {
                let pool = pool.clone();
                loom::thread::spawn(move || stream(pool, seed))
            })
            .collect();
        stream(pool, 0);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn two_threads_and_one_seat() {
    check(2, 1, 3, 2);
}

#[test]
fn three_threads_and_one_seat() {
    check(3, 1, 2, 1);
}

#[test]
fn three_threads_and_two_seats() {
    check(3, 2, 2, 1);
}

/// Tasks of one or two updates each, which may be appended while another hashes. One leads and stays, or gives up after it was
/// polled twice and stays: then it, and not the end of its hasher, passes the lead on.
#[cfg(feature = "bytes")]
fn check_tasks(limit: usize, gives_up: bool) {
    use core::future::Future;
    use core::pin::pin;
    use core::task::{Context, Waker};

    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(if gives_up { 3 } else { 2 });
    model.max_branches = 20_000;
    let updates = if gives_up { 1 } else { 2 };
    let (settings, expected) = (Pool::builder().seats(1).ready(1).limit(limit), expected(updates));
    model.check(move || {
        let pool = settings.clone().build();
        let waits = move |pool: Pool, seed: u8| {
            let mut hasher = pool.async_hasher(hasher());
            loom::future::block_on(async {
                for _ in 0..updates {
                    hasher.update(message(seed).to_vec()).await;
                }
                assert_eq!(hasher.finalize().await, expected[usize::from(seed)]);
            });
            hasher
        };
        let others = [1, 2].map(|seed| {
            let pool = pool.clone();
            loom::thread::spawn(move || waits(pool, seed))
        });
        let mut hasher = pool.async_hasher(hasher());
        if gives_up {
            let mut update = pin!(hasher.update(message(3).to_vec()));
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..2 {
                loom::thread::yield_now();
                let _ = update.as_mut().poll(&mut context);
            }
            loom::thread::yield_now();
        } else {
            loom::future::block_on(hasher.update(message(3).to_vec()));
        }
        let others = others.map(|other| other.join().unwrap());
        drop((hasher, others));
    });
}

#[test]
#[cfg(feature = "bytes")]
fn three_tasks() {
    check_tasks(0, false);
}

#[test]
#[cfg(feature = "bytes")]
fn three_tasks_that_append_while_another_hashes() {
    check_tasks(100, false);
}

#[test]
#[cfg(feature = "bytes")]
fn a_task_that_gives_up_beside_two_that_wait() {
    check_tasks(0, true);
}

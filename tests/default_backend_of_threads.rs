//! The default backend when many threads are the first to use it, alone in its own process since it is chosen once.
#![cfg(all(feature = "std", feature = "blake2"))]

use std::sync::Barrier;
use std::thread;

use simd_digest::blake2b::{self, Hasher};
use simd_digest::{Backend, BackendError};

/// All see one choice, whoever was first.
#[test]
fn one_choice_of_the_backend() {
    let portable: Backend = "portable".parse().unwrap();
    let barrier = Barrier::new(8);
    let answers: Vec<_> = thread::scope(|scope| {
        let work = |i: usize| {
            let barrier = &barrier;
            move || {
                barrier.wait();
                let set = i.is_multiple_of(2).then(|| Backend::set_default(portable));
                (set, Hasher::new().backend(), Backend::best(), blake2b::hash(b"abc"))
            }
        };
        let threads: Vec<_> = (0..8).map(|i| scope.spawn(work(i))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let best = Backend::best();
    assert!(answers.iter().all(|(_, hasher, backend, _)| (*hasher, *backend) == (best, best)), "{answers:?}");
    assert!(answers.iter().all(|(.., hash)| *hash == answers[0].3));
    let set: Vec<_> = answers.iter().filter_map(|answer| answer.0).collect();
    assert!(set.iter().filter(|answer| answer.is_ok()).count() <= 1, "{set:?}");
    assert!(set.iter().all(|answer| answer.is_ok() || *answer == Err(BackendError::AlreadyChosen)), "{set:?}");
    // Whoever had set it, has it; else it was used before.
    let by_someone = set.contains(&Ok(()));
    assert!(if by_someone { best == portable } else { Backend::available().next() == Some(best) }, "{best}, {set:?}");
}

//! Streams in threads against digests of whole messages.

#[path = "common/paint.rs"]
mod common;

use std::io::Write;
use std::sync::Barrier;
use std::thread;

use common::{Random, paint};
use simd_digest::{Backend, blake2b, blake2s, sha224, sha256, sha384, sha512, sha512_224, sha512_256};
use simd_digest_pool::{LaneHasher, Pool};

/// `updates` updates in all from 64 threads, of up to `longest` bytes. The buffer is overwritten after each.
fn storm<H: LaneHasher<Hash: PartialEq + core::fmt::Debug> + Sync>(
    pool: &Pool,
    (updates, longest): (usize, usize),
    new: impl Fn(u64) -> H + Sync,
    append: impl Fn(&mut H, &[u8]) + Sync,
) {
    let paint = paint(longest + 256);
    let barrier = Barrier::new(64);
    thread::scope(|scope| {
        for seed in 1..=64 {
            let (paint, barrier, new, append) = (&paint, &barrier, &new, &append);
            scope.spawn(move || {
                let mut random = Random(seed);
                let mut buffer = vec![0; longest];
                barrier.wait();
                let mut left = updates / 64;
                while left > 0 {
                    let mut hasher = pool.hasher(new(seed));
                    let mut alone = new(seed);
                    for _ in 0..(1 + random.below(20)).min(left) {
                        let length = random.below(longest + 1);
                        let from = random.below(256);
                        buffer[..length].copy_from_slice(&paint[from..][..length]);
                        hasher.update(&buffer[..length]);
                        buffer[..length].fill(0xee);
                        append(&mut alone, &paint[from..][..length]);
                        left -= 1;
                        if random.below(50) == 0 {
                            hasher = hasher.clone();
                        }
                    }
                    assert_eq!(hasher.finalize(), alone.digest(), "thread {seed}");
                    assert_eq!(hasher.into_inner().digest(), alone.digest(), "thread {seed}");
                }
            });
        }
    });
}

fn storms(updates: usize) {
    for (threshold, longest) in [(0, 4 << 10), (16 << 10, 64 << 10)] {
        for seats in [1, 2, 4] {
            let pool = Pool::builder().seats(seats).threshold(threshold).build();
            storm(
                &pool,
                (updates / 6, longest),
                |seed| blake2b::Params::new().key(&seed.to_le_bytes()).hasher().unwrap(),
                |hasher, bytes| _ = hasher.update(bytes),
            );
            assert!(pool.stats().batches > 0 || blake2b::lanes(Backend::best()) == 1, "{:?}", pool.stats());
        }
    }
}

#[test]
fn two_hundred_thousand_updates() {
    storms(200_000);
}

/// Run with `--release -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn ten_million_updates() {
    storms(10_000_000);
}

macro_rules! every_hash {
    ($($module:ident $test:ident)+) => {$(
        #[test]
        fn $test() {
            for backend in Backend::available() {
                for seats in [1, 2] {
                    let pool = Pool::builder().seats(seats).threshold(0).build();
                    storm(
                        &pool,
                        (3_000, 9 << 10),
                        |_| $module::Hasher::new().with_backend(backend),
                        |hasher, bytes| _ = hasher.update(bytes),
                    );
                }
            }
        }
    )+};
}
every_hash! {
    blake2b every_backend_of_blake2b
    blake2s every_backend_of_blake2s
    sha224 every_backend_of_sha224
    sha256 every_backend_of_sha256
    sha512 every_backend_of_sha512
}

#[test]
fn one_pool_serves_all_hashes() {
    let pool = Pool::builder().threshold(0).build();
    let message = paint(50_000);
    thread::scope(|scope| {
        for i in 0..24 {
            let (pool, message) = (pool.clone(), &message);
            macro_rules! spawn {
                ($module:ident) => {
                    scope.spawn(move || {
                        let mut hasher = pool.hasher($module::Hasher::new());
                        drop(pool); // hashers keep what they need
                        message.chunks(5_000).for_each(|piece| hasher.write_all(piece).unwrap());
                        assert_eq!(hasher.finalize(), $module::hash(message));
                    })
                };
            }
            match i % 8 {
                0 => spawn!(blake2b),
                1 => spawn!(blake2s),
                2 => spawn!(sha256),
                3 => spawn!(sha224),
                4 => spawn!(sha512),
                5 => spawn!(sha384),
                6 => spawn!(sha512_256),
                _ => spawn!(sha512_224),
            };
        }
    });
}

/// Futures and hashers go where those of a server go.
#[test]
fn shared_and_sent() {
    fn shared<T: Send + Sync + Unpin>() {}
    shared::<Pool>();
    shared::<simd_digest_pool::PoolHasher<sha256::Hasher>>();
    #[cfg(feature = "bytes")]
    {
        shared::<simd_digest_pool::AsyncPoolHasher<sha256::Hasher>>();
        shared::<simd_digest_pool::Update<'_, sha256::Hasher>>();
        shared::<simd_digest_pool::Finalize<'_, sha256::Hasher>>();
    }
}

/// One stream alone, and then two in turn.
#[test]
fn alone() {
    let pool = Pool::builder().threshold(1).build();
    let piece = paint(1 << 10);
    let [mut a, mut b] = [(); 2].map(|()| pool.hasher(blake2b::Hasher::new()));
    for _ in 0..100 {
        a.update(&piece).update(&[]);
    }
    b.update(&piece);
    a.update(&piece);
    let stats = pool.stats();
    assert_eq!((stats.batches, stats.alone), (0, 102));
    assert_eq!(a.finalize(), blake2b::hash(&piece.repeat(101)));
}

/// An update of many quanta beside small ones.
#[test]
fn long_beside_short() {
    let pool = Pool::builder().threshold(0).build();
    let long = paint(8 << 20);
    thread::scope(|scope| {
        for i in 0..16 {
            let (pool, long) = (&pool, &long);
            scope.spawn(move || {
                let mut hasher = pool.hasher(sha256::Hasher::new());
                let mut whole = sha256::Hasher::new();
                for _ in 0..if i == 0 { 2 } else { 300 } {
                    let piece = &long[i..][..if i == 0 { (8 << 20) - 1 } else { 4_000 + i }];
                    hasher.update(piece);
                    whole.update(piece);
                }
                assert_eq!(hasher.finalize(), whole.finalize());
            });
        }
    });
}

//! Many messages at once against the crate `blake3`: numbers and lengths of messages, all modes, all backends.

use core::cell::RefCell;

use simd_digest::Backend;
use simd_digest::blake3::{
    self, Hash, Hasher, finalize_many, hash_many_flat, hash_many_into, lanes, update_each, update_many,
};
use test_crates::proptest::collection::vec;
use test_crates::proptest::prelude::*;

use super::all_backends;
use crate::common::blake3::{CHUNK, Kind, edges, other};
use crate::common::cases::{cases, fewer};
use crate::common::each;
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::random::Random;

/// Lengths around the ends of blocks, of chunks and of trees that have one level more.
const LENGTHS: [usize; 24] = [
    0, 1, 63, 64, 65, 127, 128, 129, 513, 1023, 1024, 1025, 1088, 2047, 2048, 2049, 3072, 3073, 4095, 4096, 4097, 5121,
    8193, 16_385,
];

/// No two begin alike, even if they have the same length.
fn messages(lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    lengths.into_iter().enumerate().map(|(i, length)| paint(length + i).split_off(i)).collect()
}

fn slices(messages: &[Vec<u8>]) -> Vec<&[u8]> {
    messages.iter().map(Vec::as_slice).collect()
}

/// Hashes `messages` in every way that there is, in this mode, on every backend.
fn check(kind: Kind, messages: &[&[u8]]) {
    let expected: Vec<Hash> = messages.iter().map(|message| kind.of_peer(message)).collect();
    let flat_expected: Vec<u8> = expected.iter().flat_map(|hash| *hash.as_bytes()).collect();
    let lengths: Vec<usize> = messages.iter().map(|message| message.len()).collect();
    for backend in all_backends() {
        let mode = kind.on(backend);
        #[cfg(feature = "alloc")]
        assert_eq!(mode.hash_many(messages), expected, "{backend:?}, {kind:?}, lengths {lengths:?}");

        let mut hashes = vec![other(); messages.len()];
        assert_eq!(mode.hash_many_into(messages, &mut hashes), Ok(()));
        assert_eq!(hashes, expected, "{backend:?}, {kind:?}, lengths {lengths:?}");

        let mut flat = vec![0xee; flat_expected.len()];
        assert_eq!(mode.hash_many_flat(messages, &mut flat), Ok(()));
        assert_eq!(flat, flat_expected, "{backend:?}, {kind:?}, lengths {lengths:?}");

        // Some of each message before, some of it now, and its end together with the others.
        let mut hashers: Vec<Hasher> = messages.iter().map(|_| kind.hasher_on(backend)).collect();
        for (hasher, message) in hashers.iter_mut().zip(messages) {
            hasher.update(&message[..message.len() / 3]);
        }
        let rest: Vec<&[u8]> = messages.iter().map(|message| &message[message.len() / 3..]).collect();
        // Their own backend stays, and another one computes.
        let portable = Backend::available().last().unwrap();
        let mut by_jobs: Vec<Hasher> = hashers.iter().map(|hasher| hasher.clone().with_backend(portable)).collect();
        each::update(lanes(backend), &mut by_jobs, &rest, |jobs, done| update_each(backend, jobs, done));
        assert!(by_jobs.iter().all(|hasher| hasher.backend() == portable));
        assert!(by_jobs.iter().map(Hasher::finalize).eq(expected.iter().copied()), "{backend:?}, {kind:?}, by jobs");
        update_many(&mut hashers.iter_mut().zip(rest).collect::<Vec<_>>());
        let mut hashes = vec![other(); messages.len()];
        assert_eq!(finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes), Ok(()));
        assert_eq!(hashes, expected, "{backend:?}, {kind:?}, updated, lengths {lengths:?}");
        assert!(hashers.iter().map(Hasher::finalize).eq(expected.iter().copied()), "{backend:?}, lengths {lengths:?}");
    }
}

/// The same in one mode after another.
fn check_in_turn(turn: &mut usize, messages: &[Vec<u8>]) {
    *turn += 1;
    check(Kind::ALL[*turn % 3], &slices(messages));
}

#[test]
fn up_to_33_messages_of_ragged_lengths() {
    let (mut random, mut turn) = (Random::new(33), 0);
    for count in 0..=33 {
        for kind in fewer(count % 4, 0..4) {
            let mut length = || if kind == 3 { random.below(700) } else { LENGTHS[random.below(LENGTHS.len() as u64)] };
            check_in_turn(&mut turn, &messages((0..count).map(|_| length())));
        }
    }
}

/// Messages of a chunk at most, each with blocks of its own number in its lane: every number of them, and around that
/// which is sorted at a time.
#[test]
fn ragged_chunks() {
    let (mut random, mut turn) = (Random::new(41), 0);
    for count in (0..=40).chain([127, 128, 129, 143, 144, 150, 260]) {
        let edges = [0, 1, 63, 64, 65, 127, 128, 129, 511, 512, 513, 960, 961, 1023, 1024];
        let windows: [Vec<usize>; 6] = [
            (0..count).map(|_| random.below(130)).collect(),
            (0..count).map(|_| random.below(513)).collect(),
            (0..count).map(|_| random.below(CHUNK as u64 + 1)).collect(),
            (0..count).map(|_| edges[random.below(edges.len() as u64)]).collect(),
            (0..count).map(|i| if i == count / 2 { 1024 } else { 0 }).collect(),
            (0..count).map(|i| if i + 1 == count { 1025 } else { 70 * (i % 15) }).collect(),
        ];
        for lengths in fewer(count, windows) {
            check_in_turn(&mut turn, &messages(lengths));
        }
    }
}

/// All lengths up to 40 KiB, short ones more often.
#[test]
fn lengths_up_to_40_kib() {
    let (mut random, mut turn) = (Random::new(40), 0);
    for count in [1, 2, 3, 5, 8, 13, 16, 17, 25, 33] {
        for _ in 0..3 {
            let lengths: Vec<usize> = (0..count)
                .map(|_| {
                    let bound = [65, 1025, 5000, 40 * CHUNK as u64 + 1][random.below(4)];
                    random.below(bound)
                })
                .collect();
            check_in_turn(&mut turn, &messages(lengths));
        }
    }
}

/// Around each number of live messages at which another kernel may run, of lengths in orders that the lanes may or may
/// not like.
#[test]
fn orders_of_lengths() {
    let mut turn = 0;
    for count in [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33] {
        let ascending = (0..count).map(|i| 300 * i);
        let orders: [Vec<usize>; 7] = [
            ascending.clone().collect(),
            ascending.rev().collect(),
            (0..count).map(|i| if i % 2 == 0 { 1 } else { 1700 }).collect(),
            (0..count).map(|_| 384).collect(),
            (0..count).map(|_| 2048).collect(),
            (0..count).map(|i| if i == 0 { 50_000 } else { 3 * i }).collect(),
            (0..count).map(|i| if i + 1 == count { 20_000 } else { 1024 * (i % 3) }).collect(),
        ];
        for lengths in orders {
            check_in_turn(&mut turn, &messages(lengths));
        }
    }
}

/// Messages of at most a block, after one another in lanes; and where a longer one comes after them.
#[test]
fn messages_of_a_block() {
    let (mut random, mut turn) = (Random::new(64), 0);
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64] {
        for limit in [1, 32, 33, 64, 65] {
            check_in_turn(&mut turn, &messages((0..count).map(|_| random.below(limit + 1))));
            check_in_turn(&mut turn, &messages((0..count).map(|_| usize::try_from(limit).unwrap())));
        }
        let lengths = [64, 32, 0, 55, 56, 63, 32, 1];
        check_in_turn(&mut turn, &messages((0..count).map(|i| lengths[i / 8])));
        check_in_turn(&mut turn, &messages((0..count).map(|i| if i + 3 == count { 3000 } else { lengths[i % 8] })));
    }
}

/// Lanes full of longer messages, then lanes full of shorter ones: what the longer left is not hashed.
#[test]
fn short_messages_after_longer_ones() {
    let mut turn = 0;
    for width in [2, 4, 8, 16] {
        for lengths in [[64, 32, 63, 32], [65, 64, 65, 64], [1025, 1024, 56, 0], [32, 33, 3, 0], [2049, 1, 2048, 0]] {
            let lengths = lengths.into_iter().flat_map(|length| core::iter::repeat_n(length, width));
            check_in_turn(&mut turn, &messages(lengths));
        }
    }
}

/// All lengths around the ends of blocks and chunks side by side, in orders that mix them.
#[test]
fn every_edge() {
    let lengths: Vec<usize> = edges(64, 2048).into_iter().chain(edges(CHUNK, 9 * CHUNK)).collect();
    for (kind, stride) in [(Kind::Plain, 1), (Kind::Keyed, 7), (Kind::DeriveKey, 31)] {
        let mixed = (0..lengths.len()).map(|i| lengths[i * stride % lengths.len()]);
        check(kind, &slices(&messages(mixed)));
    }
}

/// Trees of every shape side by side: chunks and parents of all messages share the lanes.
#[test]
fn trees_of_every_shape() {
    let mut turn = 0;
    for count in [2, 3, 5, 16, 17] {
        for beside in [0, 1, 1023] {
            check_in_turn(&mut turn, &messages((0..count).map(|i| CHUNK * (i + 1) + beside)));
            check_in_turn(&mut turn, &messages((0..count).rev().map(|i| CHUNK * (i * i % 37) + beside)));
        }
    }
    // Long ones, each with more levels than the lanes.
    check(Kind::Plain, &slices(&messages([300 * CHUNK, 0, 131 * CHUNK + 1, 65_536, 65_535, 1, 1024])));
}

/// Batches of every width, and all of them together.
#[test]
fn batches_of_every_width() {
    let messages = messages((0..31).map(|i| LENGTHS[i % LENGTHS.len()]));
    let messages = slices(&messages);
    let expected: Vec<Hash> = messages.iter().map(|message| Kind::Plain.of_peer(message)).collect();
    for backend in all_backends() {
        let mut hashes = vec![other(); 31];
        let (mut messages, mut rest) = (&messages[..], &mut hashes[..]);
        for batch in [16, 8, 4, 2, 1] {
            let (now, then) = rest.split_at_mut(batch);
            assert_eq!(Kind::Plain.on(backend).hash_many_into(&messages[..batch], now), Ok(()));
            (messages, rest) = (&messages[batch..], then);
        }
        assert_eq!(hashes, expected, "{backend:?}");
    }
}

#[test]
fn messages_in_the_same_memory() {
    let memory = paint(9000);
    check(Kind::Plain, &[&memory[..]; 9]);
    let overlapping: Vec<&[u8]> = (0..40).map(|i| &memory[13 * i..][..700 + 131 * (i % 8)]).collect();
    check(Kind::Keyed, &overlapping);
    let nested: Vec<&[u8]> = (0..20).map(|i| &memory[..9000 - 440 * i]).collect();
    check(Kind::DeriveKey, &nested);
}

/// Alike, a chunk each, and with trees: each way of hashing follows each, after a few messages or many.
#[test]
fn runs_of_messages() {
    let mut random = Random::new(3);
    let runs =
        [(3, 64), (100, 700), (1, 5000), (17, 2000), (70, 1024), (130, 30), (2, 9000), (65, 1), (20, 1025), (5, 64)];
    for start in 0..runs.len() {
        let lengths = runs.iter().cycle().skip(start).step_by(3).take(runs.len()).flat_map(|&(count, most)| {
            let is_alike = random.below(2) == 0;
            (0..count).map(|_| if is_alike { most } else { random.below(most as u64 + 1) }).collect::<Vec<_>>()
        });
        check(Kind::ALL[start % Kind::ALL.len()], &slices(&messages(lengths)));
    }
}

/// More messages than a scheduler may hold at a time.
#[test]
fn a_thousand_messages() {
    let mut random = Random::new(1000);
    let lengths = (0..1000).map(|_| {
        let bound = [65, 200, 1500, 3000][random.below(4)];
        random.below(bound)
    });
    check(Kind::Keyed, &slices(&messages(lengths)));
}

#[test]
fn wrong_output_lengths_are_errors() {
    let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
    for backend in all_backends() {
        let mode = Kind::Plain.on(backend);
        for given in [0, 1, 2, 4, 60] {
            let mut hashes = vec![other(); given];
            let error = mode.hash_many_into(&messages, &mut hashes).unwrap_err();
            assert_eq!(lengths(error), (given, 3));
            assert!(hashes.iter().all(|hash| *hash == other()), "{given} hashes, touched");
        }
        for given in [0, 3, 95, 97, 3 * 20, 3 * 64] {
            let mut bytes = vec![0xee; given];
            assert_eq!(mode.hash_many_flat(&messages, &mut bytes).map_err(lengths), Err((given, 96)));
            assert_eq!(bytes, vec![0xee; given], "touched");
        }
        assert!(mode.hash_many_into(&[[0; 0]; 0], &mut [other()]).is_err());
        assert!(mode.hash_many_flat(&[[0; 0]; 0], &mut [0]).is_err());
        assert_eq!(mode.hash_many_into(&[[0; 0]; 0], &mut []), Ok(()));
        assert_eq!(mode.hash_many_flat(&[[0; 0]; 0], &mut []), Ok(()));
    }
}

/// The functions of the module, on the best backend.
#[test]
fn functions_of_the_module() {
    for count in [0, 1, 2, 9, 33] {
        let messages = messages(LENGTHS.into_iter().cycle().take(count));
        let slices = slices(&messages);
        let expected: Vec<Hash> = messages.iter().map(|message| Kind::Plain.of_peer(message)).collect();
        assert!(messages.iter().map(|message| blake3::hash(message)).eq(expected.iter().copied()));
        #[cfg(feature = "alloc")]
        assert_eq!(blake3::hash_many(&messages), expected, "{count} messages");
        let mut hashes = vec![other(); count];
        hash_many_into(&messages, &mut hashes).unwrap();
        assert_eq!(hashes, expected, "{count} messages");
        let mut flat = vec![0; 32 * count];
        hash_many_flat(&slices, &mut flat).unwrap();
        assert_eq!(flat, expected.iter().flat_map(|hash| *hash.as_bytes()).collect::<Vec<u8>>());
        let mut hashers = vec![Hasher::new(); count];
        update_many(&mut hashers.iter_mut().zip(slices.iter().copied()).collect::<Vec<_>>());
        hashes.fill(other());
        finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
        assert_eq!(hashes, expected, "{count} messages");
        let error = hash_many_into(&messages, &mut [other(); 40]).unwrap_err();
        assert_eq!((error.given, error.needed), (40, count));
    }
    #[cfg(feature = "alloc")]
    assert_eq!(blake3::hash_many(&["", "one", "two"])[2], blake3::hash(b"two"));
}

#[test]
fn lanes_of_backends() {
    for backend in all_backends() {
        assert!((1..=16).contains(&lanes(backend)), "{backend:?}");
    }
    assert_eq!(lanes("portable".parse().unwrap()), 1);
}

/// The hashers of a batch, each updated alone.
fn update_one_by_one(hashers: &[Hasher], data: &[&[u8]]) -> Vec<(Hash, u64)> {
    let each = hashers.iter().zip(data).map(|(hasher, data)| {
        let mut hasher = hasher.clone().with_backend("portable".parse().unwrap());
        hasher.update(data);
        (hasher.finalize(), hasher.count())
    });
    each.collect()
}

/// Updates `hashers` together.
fn update_all(hashers: &mut [Hasher], data: &[&[u8]]) -> Vec<(Hash, u64)> {
    let mut updates: Vec<(&mut Hasher, &[u8])> = hashers.iter_mut().zip(data.iter().copied()).collect();
    update_many(&mut updates);
    hashers.iter().map(|hasher| (hasher.finalize(), hasher.count())).collect()
}

/// Hashers that hold anything: a part of a block, of a chunk, whole chunks, a full buffer; of each mode; with data up
/// to, at and beyond the end of that.
#[test]
fn update_many_of_hashers_that_hold_something() {
    let message = paint(90 * CHUNK);
    let held = [0, 1, 63, 64, 65, 1000, 1023, 1024, 1025, 1088, 2047, 2048, 3000, 4096, 16_383, 16_384, 16_385, 40_000];
    for backend in all_backends() {
        for length in [0, 1, 24, 64, 1023, 1024, 1025, 4096, 5000, 16_384, 16_385, 40_000] {
            let kind = |i: usize| Kind::ALL[i % 3];
            let begun = |i: usize| {
                let mut hasher = kind(i).hasher_on(backend);
                // Some by small writes, which gather.
                let begin = &message[i..][..held[i]];
                begin.chunks([300, 1024, 50_000][i / 3 % 3]).for_each(|piece| _ = hasher.update(piece));
                hasher
            };
            let mut hashers: Vec<Hasher> = (0..held.len()).map(begun).collect();
            let data: Vec<&[u8]> = (0..hashers.len()).map(|i| &message[i + held[i]..][..length]).collect();
            let expected: Vec<(Hash, u64)> = (0..hashers.len())
                .map(|i| {
                    let whole = &message[i..][..held[i] + length];
                    (kind(i).of_peer(whole), whole.len() as u64)
                })
                .collect();
            assert_eq!(update_all(&mut hashers, &data), expected, "{backend:?}, length {length}");
            // And the other way: together, then alone.
            for (i, hasher) in hashers.iter_mut().enumerate() {
                let whole = [&message[i..][..held[i] + length], b"more"].concat();
                assert_eq!(hasher.update(b"more").finalize(), kind(i).of_peer(&whole), "{backend:?}, {i}, {length}");
            }
        }
    }
}

/// Hashers of all backends and modes, several times in a row, with empty data among it.
#[test]
fn update_many_again_and_again() {
    let message = paint(8000);
    let mut random = Random::new(17);
    for first in all_backends() {
        for count in [1, 2, 3, 5, 8, 16, 17] {
            let backends = all_backends().collect::<Vec<_>>().into_iter().cycle();
            let kind = |i: usize| Kind::ALL[i * 5 % 3];
            let mut hashers: Vec<Hasher> =
                backends.take(count).enumerate().map(|(i, backend)| kind(i).hasher_on(backend)).collect();
            hashers[0] = hashers[0].clone().with_backend(first);
            for round in 0..6 {
                let lengths = (0..count).map(|_| match random.below(4) {
                    0 => 0,
                    1 => 64 * random.below(40),
                    _ => random.below(5000),
                });
                let data: Vec<&[u8]> = lengths.enumerate().map(|(i, length)| &message[7 * i..][..length]).collect();
                let expected = update_one_by_one(&hashers, &data);
                let backends: Vec<Backend> = hashers.iter().map(Hasher::backend).collect();
                assert_eq!(update_all(&mut hashers, &data), expected, "{first:?}, round {round}");
                assert_eq!(hashers.iter().map(Hasher::backend).collect::<Vec<_>>(), backends, "kept");
            }
            // They go on alone, and begin anew.
            let data = vec![&message[..3000]; count];
            let expected = update_one_by_one(&hashers, &data);
            for (hasher, (hash, _)) in hashers.iter_mut().zip(expected) {
                assert_eq!(hasher.update(data[0]).finalize(), hash, "{first:?}");
                hasher.reset();
            }
            let of_all: Vec<(Hash, u64)> = (0..count).map(|i| (kind(i).of_peer(data[0]), 3000)).collect();
            assert_eq!(update_all(&mut hashers, &data), of_all, "{first:?}, after a reset");
        }
    }
}

#[test]
fn update_many_with_nothing() {
    update_many(&mut []);
    for backend in all_backends() {
        for held in [0, 1, 64, 65, 1023, 1024, 1025, 5000, 20_000] {
            let mut hashers = vec![Kind::Keyed.hasher_on(backend); 9];
            hashers.iter_mut().for_each(|hasher| _ = hasher.update(&paint(held)));
            let expected = vec![(Kind::Keyed.of_peer(&paint(held)), held as u64); 9];
            assert_eq!(update_all(&mut hashers, &[&[][..]; 9]), expected, "{backend:?}, {held} held");
        }
    }
}

/// Of every state, mode and backend: each is what its hasher gives alone, and the hashers go on.
#[test]
fn finalize_many_of_any_hashers() {
    const LENGTHS: [usize; 13] = [0, 64, 100, 1024, 1025, 2048, 3000, 4097, 16_384, 17_408, 20_000, 32_768, 35_000];
    let message = paint(35 * CHUNK);
    let backends: Vec<Backend> = all_backends().collect();
    for backend in all_backends() {
        for count in [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 33, 90] {
            for mixed in [false, true] {
                let kind = |i: usize| Kind::ALL[if mixed { i % 3 } else { 1 }];
                let length = |i: usize| LENGTHS[i * 7 % LENGTHS.len()] + i % 3;
                let hasher = |i: usize| {
                    let mut hasher = kind(i).hasher_on(if mixed { backends[i % backends.len()] } else { backend });
                    message[..length(i)].chunks([700, 50_000][i % 2]).for_each(|piece| _ = hasher.update(piece));
                    hasher
                };
                let mut hashers: Vec<Hasher> = (0..count).map(hasher).collect();
                let expected: Vec<Hash> = (0..count).map(|i| kind(i).of_peer(&message[..length(i)])).collect();
                let mut hashes = vec![other(); count];
                finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
                assert_eq!(hashes, expected, "{backend:?}, {count} hashers, mixed {mixed}");
                for (i, hasher) in hashers.iter_mut().enumerate() {
                    let whole = [&message[..length(i)], b"more"].concat();
                    assert_eq!(hasher.update(b"more").finalize(), kind(i).of_peer(&whole), "{backend:?}, hasher {i}");
                }
            }
        }
    }
}

#[test]
fn finalize_many_of_wrong_lengths() {
    let hasher = Hasher::new();
    let mut hashes = [other(); 2];
    for (hashers, given) in [(&[&hasher][..], 2), (&[&hasher, &hasher, &hasher], 2), (&[], 1)] {
        let result = finalize_many(hashers, &mut hashes[..given]);
        assert_eq!(result.map_err(lengths), Err((given, hashers.len())));
    }
    assert_eq!(hashes, [other(); 2], "nothing was written");
    assert_eq!(finalize_many(&[], &mut []), Ok(()));
}

/// Sorting by a length that differs from call to call is a panic of the standard library. Some digest is given instead.
#[test]
fn trap_bytes_that_differ_from_call_to_call() {
    struct Fickle<'a>(&'a RefCell<Random>, &'a [u8]);
    impl AsRef<[u8]> for Fickle<'_> {
        fn as_ref(&self) -> &[u8] {
            let mut random = self.0.borrow_mut();
            let bound = [100, 3000][random.below(2)];
            &self.1[..random.below(bound)]
        }
    }
    let (random, message) = (RefCell::new(Random::new(7)), paint(3000));
    for backend in all_backends() {
        for count in (0..40).chain([64, 65, 130, 300]) {
            let messages: Vec<Fickle<'_>> = (0..count).map(|_| Fickle(&random, &message)).collect();
            let mut hashes = vec![other(); count];
            Kind::Plain.on(backend).hash_many_into(&messages, &mut hashes).unwrap();
            assert!(hashes.iter().all(|hash| *hash != other()), "{backend:?}, {count} messages");
        }
    }
}

#[test]
fn any_messages() {
    proptest!(cases(40), |(messages in vec(vec(any::<u8>(), 0..2200), 0..24))| {
        check(Kind::Plain, &slices(&messages));
    });
}

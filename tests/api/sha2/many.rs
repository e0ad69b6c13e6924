//! Many messages at once against the crate `sha2`: numbers and lengths of messages, all backends.

use core::cell::RefCell;

use simd_digest::sha2::{Hash, Hasher, finalize_many, lanes, update_each, update_many};
use simd_digest::{Backend, Digest, sha224, sha256, sha384, sha512, sha512_224, sha512_256};
use test_crates::proptest::collection::vec;
use test_crates::proptest::prelude::*;

use super::all_backends;
use crate::common::cases::{cases, fewer};
use crate::common::each;
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{Family, Variant256, Variant512, for_each, hasher_on, of_peer, on, other};

for_each! {
    up_to_33_messages_of_ragged_lengths,
    ragged_windows,
    orders_of_lengths,
    a_few_long_messages,
    messages_of_a_block,
    short_messages_after_longer_ones,
    every_length,
    one_or_two_closing_blocks,
    batches_of_every_width,
    messages_in_the_same_memory,
    wrong_output_lengths_are_errors,
    update_many_of_hashers_that_hold_something,
    update_many_again_and_again,
    update_many_with_nothing,
    finalize_many_of_any_hashers,
    finalize_many_of_wrong_lengths,
    trap_bytes_that_differ_from_call_to_call,
    any_messages,
}

/// Lengths around those where a message has one block more, and some that are longer.
const LENGTHS: [usize; 18] = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 183, 184, 513, 1025, 2048];

/// No two begin alike, even if they have the same length.
fn messages(lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    lengths.into_iter().enumerate().map(|(i, length)| paint(length + i).split_off(i)).collect()
}

fn slices(messages: &[Vec<u8>]) -> Vec<&[u8]> {
    messages.iter().map(Vec::as_slice).collect()
}

/// Hashes `messages` in every way that there is, on every backend.
fn check<V: Family>(messages: &[&[u8]]) {
    let expected: Vec<Hash<V>> = messages.iter().map(|message| of_peer::<V>(message)).collect();
    let flat_expected: Vec<u8> = expected.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
    let lengths: Vec<usize> = messages.iter().map(|message| message.len()).collect();
    for backend in all_backends() {
        let batch = on::<V>(backend);
        #[cfg(feature = "alloc")]
        assert_eq!(batch.hash_many(messages), expected, "{backend:?}, lengths {lengths:?}");

        let mut hashes = vec![other(); messages.len()];
        assert_eq!(batch.hash_many_into(messages, &mut hashes), Ok(()));
        assert_eq!(hashes, expected, "{backend:?}, lengths {lengths:?}");

        let mut flat = vec![0xee; flat_expected.len()];
        assert_eq!(batch.hash_many_flat(messages, &mut flat), Ok(()));
        assert_eq!(flat, flat_expected, "{backend:?}, lengths {lengths:?}");

        // Some of each message before, some of it now, and its end together with the others.
        let mut hashers: Vec<Hasher<V>> = messages.iter().map(|_| hasher_on::<V>(backend)).collect();
        for (hasher, message) in hashers.iter_mut().zip(messages) {
            hasher.update(&message[..message.len() / 3]);
        }
        let rest = messages.iter().map(|message| &message[message.len() / 3..]);
        update_many(&mut hashers.iter_mut().zip(rest).collect::<Vec<_>>());
        let mut hashes = vec![other(); messages.len()];
        assert_eq!(finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes), Ok(()));
        assert_eq!(hashes, expected, "{backend:?}, updated, lengths {lengths:?}");
        assert!(hashers.iter().map(Hasher::finalize).eq(expected.iter().copied()), "{backend:?}, lengths {lengths:?}");
    }
}

fn up_to_33_messages_of_ragged_lengths<V: Family>() {
    let mut random = Random::new(33);
    for count in 0..=33 {
        for kind in fewer(count, 0..5) {
            let mut length =
                || if kind == 4 { random.below(700) } else { V::at(LENGTHS[random.below(LENGTHS.len() as u64)]) };
            check::<V>(&slices(&messages((0..count).map(|_| length()))));
        }
    }
}

/// Messages with blocks of their own number, each in its lane: every number of them, around that which is sorted at a
/// time, and with one that is too long to take part.
fn ragged_windows<V: Family>() {
    let mut random = Random::new(41);
    for count in (0..=40).chain([127, 128, 129, 143, 144, 150, 260]) {
        let edges = [0, 1, 55, 56, 63, 64, 65, 119, 120, 511, 512, 960, 1015, 1016, 1023, 1024].map(V::at);
        let windows: [Vec<usize>; 6] = [
            (0..count).map(|_| random.below(130)).collect(),
            (0..count).map(|_| random.below(513)).collect(),
            (0..count).map(|_| random.below(1025)).collect(),
            (0..count).map(|_| edges[random.below(edges.len() as u64)]).collect(),
            (0..count).map(|i| if i == count / 2 { V::at(1024) } else { 0 }).collect(),
            (0..count).map(|i| if i + 1 == count { V::at(1025) } else { 70 * (i % 15) }).collect(),
        ];
        for lengths in fewer(count, windows) {
            check::<V>(&slices(&messages(lengths)));
        }
    }
}

/// Around each number of live messages at which another kernel may run, of lengths in an order that the lanes may or may
/// not like.
fn orders_of_lengths<V: Family>() {
    for count in [2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 31, 33] {
        let ascending = (0..count).map(|i| 100 * i);
        let orders: [Vec<usize>; 6] = [
            ascending.clone().collect(),
            ascending.rev().collect(),
            (0..count).map(|i| if i % 2 == 0 { 1 } else { 700 }).collect(),
            (0..count).map(|_| 384).collect(),
            (0..count).map(|i| if i == 0 { 20_000 } else { 3 * i }).collect(),
            (0..count).map(|i| if i + 1 == count { 20_000 } else { 128 * (i % 3) }).collect(),
        ];
        for lengths in fewer(count, orders) {
            check::<V>(&slices(&messages(lengths)));
        }
    }
}

/// As many as there can be streams, some of too many blocks for others to wait, in any order.
fn a_few_long_messages<V: Family>() {
    let lengths = [1100, 5000, 1023, 17_000, 0, 5000, 960, 64].map(V::at);
    for first in 0..lengths.len() {
        for count in 2..=5 {
            check::<V>(&slices(&messages(lengths.into_iter().cycle().skip(first).take(count))));
        }
    }
}

/// Messages of at most a block, after one another in lanes: all of a block, of half of one, or less; and where a longer
/// one comes after them.
fn messages_of_a_block<V: Family>() {
    let mut random = Random::new(64);
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64] {
        for limit in fewer(count, [1, 31, 33, 55, 56, 64, 65].map(|limit| V::at(limit) as u64)) {
            check::<V>(&slices(&messages((0..count).map(|_| random.below(limit + 1)))));
            check::<V>(&slices(&messages((0..count).map(|_| usize::try_from(limit).unwrap()))));
        }
        let lengths = [64, 32, 0, 55, 56, 63, 32, 1].map(V::at);
        check::<V>(&slices(&messages((0..count).map(|i| lengths[i / 8]))));
        check::<V>(&slices(&messages((0..count).map(|i| if i + 3 == count { V::at(300) } else { lengths[i % 8] }))));
    }
}

/// Lanes full of messages of up to a block, then lanes full of shorter ones: what the longer left is not hashed.
fn short_messages_after_longer_ones<V: Family>() {
    for width in [2, 3, 4, 8, 16] {
        for lengths in
            [[64, 32, 63, 32], [56, 55, 56, 55], [120, 119, 56, 0], [32, 33, 3, 0]].map(|four| four.map(V::at))
        {
            let lengths = lengths.into_iter().flat_map(|length| core::iter::repeat_n(length, width));
            check::<V>(&slices(&messages(lengths)));
        }
    }
}

/// All lengths up to some blocks side by side with messages of other lengths.
fn every_length<V: Family>() {
    for stride in [1, 7, 128] {
        check::<V>(&slices(&messages((0..=521).map(|i| i * stride % 521 * V::BLOCK / 64))));
    }
}

/// Messages of as many blocks that close by one block beside those that close by two.
fn one_or_two_closing_blocks<V: Family>() {
    for blocks in 0..3 {
        for count in [2, 4, 8, 16, 17] {
            for one_in in [2, 3, count] {
                let length = |i: usize| V::BLOCK * blocks + V::at(if i.is_multiple_of(one_in) { 56 } else { 55 });
                check::<V>(&slices(&messages((0..count).map(length))));
            }
        }
    }
}

/// Batches of every width, and all of them together.
fn batches_of_every_width<V: Family>() {
    let messages = messages((0..31).map(|i| V::at(LENGTHS[i % LENGTHS.len()])));
    let messages = slices(&messages);
    let expected: Vec<Hash<V>> = messages.iter().map(|message| of_peer::<V>(message)).collect();
    check::<V>(&messages);
    for backend in all_backends() {
        let mut hashes = vec![other(); 31];
        let (mut messages, mut rest) = (&messages[..], &mut hashes[..]);
        for batch in [16, 8, 4, 2, 1] {
            let (now, then) = rest.split_at_mut(batch);
            assert_eq!(on::<V>(backend).hash_many_into(&messages[..batch], now), Ok(()));
            (messages, rest) = (&messages[batch..], then);
        }
        assert_eq!(hashes, expected, "{backend:?}");
    }
}

fn messages_in_the_same_memory<V: Family>() {
    let memory = paint(3000);
    check::<V>(&[&memory[..]; 9]);
    let overlapping: Vec<&[u8]> = (0..40).map(|i| &memory[13 * i..][..700 + 31 * (i % 8)]).collect();
    check::<V>(&overlapping);
    let nested: Vec<&[u8]> = (0..20).map(|i| &memory[..3000 - 140 * i]).collect();
    check::<V>(&nested);
}

fn wrong_output_lengths_are_errors<V: Family>() {
    let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
    for backend in all_backends() {
        let batch = on::<V>(backend);
        for given in [0, 1, 2, 4, 60] {
            let mut hashes = vec![other::<V>(); given];
            let error = batch.hash_many_into(&messages, &mut hashes).unwrap_err();
            assert_eq!(lengths(error), (given, 3));
            assert_eq!(error.to_string(), format!("the output has length {given}, but must have 3"));
            assert!(hashes.iter().all(|hash| *hash == other::<V>()), "{given} hashes, touched");
        }
        let needed = 3 * V::LENGTH;
        for given in [0, 3, needed - 1, needed + 1, 3 * 20, 3 * 65] {
            let mut bytes = vec![0xee; given];
            assert_eq!(batch.hash_many_flat(&messages, &mut bytes).map_err(lengths), Err((given, needed)));
            assert_eq!(bytes, vec![0xee; given], "touched");
        }
        assert!(batch.hash_many_into(&[[0; 0]; 0], &mut [other()]).is_err());
        assert!(batch.hash_many_flat(&[[0; 0]; 0], &mut [0]).is_err());
        assert_eq!(batch.hash_many_into(&[[0; 0]; 0], &mut []), Ok(()));
        assert_eq!(batch.hash_many_flat(&[[0; 0]; 0], &mut []), Ok(()));
    }
}

/// The functions of the modules, on the best backend.
#[test]
fn functions_of_the_modules() {
    for count in [0, 1, 2, 9, 33] {
        let messages = messages(LENGTHS.into_iter().cycle().take(count));
        let slices = slices(&messages);
        macro_rules! check {
            ($($module:ident $Peer:ident)+) => {$(
                let expected: Vec<$module::Hash> = messages.iter().map(|message| $module::hash(message)).collect();
                for (message, hash) in messages.iter().zip(&expected) {
                    assert_eq!(*hash, <::sha2::$Peer as Digest>::digest(message)[..]);
                }
                #[cfg(feature = "alloc")]
                assert_eq!($module::hash_many(&messages), expected, "{count} messages");
                let mut hashes = vec![$module::hash(b"other"); count];
                $module::hash_many_into(&messages, &mut hashes).unwrap();
                assert_eq!(hashes, expected, "{count} messages");
                let mut flat = vec![0; expected.iter().map(|hash| hash.as_bytes().len()).sum()];
                $module::hash_many_flat(&slices, &mut flat).unwrap();
                assert_eq!(flat, expected.iter().flat_map(|hash| *hash.as_bytes()).collect::<Vec<u8>>());
                let mut hashers = vec![$module::Hasher::new(); count];
                let mut updates: Vec<_> = hashers.iter_mut().zip(slices.iter().copied()).collect();
                $module::update_many(&mut updates);
                hashes.fill($module::hash(b"other"));
                $module::finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
                assert_eq!(hashes, expected, "{count} messages");
                let error: simd_digest::ManyError =
                    $module::hash_many_into(&messages, &mut [$module::hash(b""); 40]).unwrap_err();
                assert_eq!((error.given, error.needed), (40, count));
            )+};
        }
        check!(sha256 Sha256 sha224 Sha224 sha384 Sha384 sha512 Sha512 sha512_224 Sha512_224 sha512_256 Sha512_256);
    }
    #[cfg(feature = "alloc")]
    assert_eq!(sha256::hash_many(&["", "one", "two"])[2], sha256::hash(b"two"));
}

#[test]
fn lanes_of_backends() {
    for backend in all_backends() {
        let of_sha256 = lanes::<Variant256>(backend);
        assert!((1..=16).contains(&of_sha256), "{backend:?}");
        assert_eq!([sha224::lanes(backend), sha256::lanes(backend)], [of_sha256; 2]);
        let of_sha512 = lanes::<Variant512>(backend);
        assert!((1..=8).contains(&of_sha512), "{backend:?}");
        assert_eq!([sha384::lanes(backend), sha512::lanes(backend)], [of_sha512; 2]);
        assert_eq!([sha512_224::lanes(backend), sha512_256::lanes(backend)], [of_sha512; 2]);
    }
    let portable = "portable".parse().unwrap();
    assert_eq!([lanes::<Variant256>(portable), lanes::<Variant512>(portable)], [1; 2]);
}

/// The hashers of a batch, each updated alone.
fn update_one_by_one<V: Family>(hashers: &[Hasher<V>], data: &[&[u8]]) -> Vec<(Hash<V>, u64)> {
    let each = hashers.iter().zip(data).map(|(hasher, data)| {
        let mut hasher = hasher.clone().with_backend("portable".parse().unwrap());
        hasher.update(data);
        (hasher.finalize(), hasher.count())
    });
    each.collect()
}

/// Updates `hashers` together, by `update_many` and by `update_each`.
fn update_all<V: Family>(hashers: &mut [Hasher<V>], data: &[&[u8]]) -> Vec<(Hash<V>, u64)> {
    let mut by_jobs = hashers.to_vec();
    let backend = hashers[0].backend();
    each::update(lanes::<V>(backend), &mut by_jobs, data, |jobs, done| update_each(backend, jobs, done));
    let mut updates: Vec<(&mut Hasher<V>, &[u8])> = hashers.iter_mut().zip(data.iter().copied()).collect();
    update_many(&mut updates);
    let answers = |hashers: &[Hasher<V>]| hashers.iter().map(|hasher| (hasher.finalize(), hasher.count())).collect();
    let answer: Vec<(Hash<V>, u64)> = answers(hashers);
    assert_eq!(answer, answers(&by_jobs), "update_each on {backend:?}");
    answer
}

/// Every number of bytes held, with data up to, at and beyond the end of that block.
fn update_many_of_hashers_that_hold_something<V: Family>() {
    let message = paint(V::at(1000));
    for backend in all_backends() {
        for length in [0, 1, 2, 55, 56, 62, 63, 64, 65, 127, 128, 129, 257, 640].map(V::at) {
            let begun = |held: usize| {
                let mut hasher = hasher_on::<V>(backend);
                hasher.update(&message[held..2 * held]);
                hasher
            };
            let mut hashers: Vec<Hasher<V>> = (0..=V::at(65)).map(begun).collect();
            let data: Vec<&[u8]> = (0..hashers.len()).map(|i| &message[i..][..length]).collect();
            let expected = update_one_by_one(&hashers, &data);
            for (i, (hash, _)) in expected.iter().enumerate() {
                assert_eq!(*hash, of_peer::<V>(&[&message[i..2 * i], data[i]].concat()), "{backend:?}, {i} held");
            }
            assert_eq!(update_all(&mut hashers, &data), expected, "{backend:?}, length {length}");
        }
    }
}

/// Hashers of all backends, several times in a row, with empty data among it.
fn update_many_again_and_again<V: Family>() {
    let message = paint(1500);
    let mut random = Random::new(17);
    for first in all_backends() {
        for count in [1, 2, 3, 4, 5, 8, 9, 16, 17] {
            let backends = all_backends().collect::<Vec<_>>().into_iter().cycle();
            let mut hashers: Vec<Hasher<V>> = backends.take(count).map(hasher_on::<V>).collect();
            hashers[0] = hashers[0].clone().with_backend(first);
            for round in 0..6 {
                let lengths = (0..count).map(|_| if random.below(4) == 0 { 0 } else { random.below(1000) });
                let data: Vec<&[u8]> = lengths.enumerate().map(|(i, length)| &message[7 * i..][..length]).collect();
                let expected = update_one_by_one(&hashers, &data);
                let backends: Vec<Backend> = hashers.iter().map(Hasher::backend).collect();
                assert_eq!(update_all(&mut hashers, &data), expected, "{first:?}, round {round}");
                assert_eq!(hashers.iter().map(Hasher::backend).collect::<Vec<_>>(), backends, "kept");
            }
            // They go on alone, and begin anew.
            let data = vec![&message[..300]; count];
            let expected = update_one_by_one(&hashers, &data);
            for (hasher, (hash, _)) in hashers.iter_mut().zip(expected) {
                assert_eq!(hasher.update(data[0]).finalize(), hash, "{first:?}");
                hasher.reset();
            }
            let of_all = vec![(of_peer::<V>(data[0]), 300); count];
            assert_eq!(update_all(&mut hashers, &data), of_all, "{first:?}, after a reset");
        }
    }
}

fn update_many_with_nothing<V: Family>() {
    update_many::<V>(&mut []);
    for backend in all_backends() {
        for held in [0, 1, 63, 64, 65, 127, 128, 129].map(V::at) {
            let mut hashers = vec![hasher_on::<V>(backend); 9];
            hashers.iter_mut().for_each(|hasher| _ = hasher.update(&paint(held)));
            let expected = vec![(of_peer::<V>(&paint(held)), held as u64); 9];
            assert_eq!(update_all(&mut hashers, &[&[][..]; 9]), expected, "{backend:?}, {held} held");
        }
    }
}

/// Of every number of bytes held, and each of several backends: each is what its hasher gives alone, and the hashers go
/// on.
fn finalize_many_of_any_hashers<V: Family>() {
    let message = paint(300);
    let backends: Vec<Backend> = all_backends().collect();
    for backend in all_backends() {
        for count in (1..=33).chain([130]) {
            for mixed in [false, true] {
                let length = |i: usize| i * 37 % V::at(131);
                let hasher = |i: usize| {
                    let mut hasher = hasher_on::<V>(if mixed { backends[i % backends.len()] } else { backend });
                    hasher.update(&message[..length(i)]);
                    hasher
                };
                let mut hashers: Vec<Hasher<V>> = (0..count).map(hasher).collect();
                let expected: Vec<Hash<V>> = (0..count).map(|i| of_peer::<V>(&message[..length(i)])).collect();
                let mut hashes = vec![other::<V>(); count];
                finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
                assert_eq!(hashes, expected, "{backend:?}, {count} hashers, mixed {mixed}");
                for (i, hasher) in hashers.iter_mut().enumerate() {
                    let whole = [&message[..length(i)], b"more"].concat();
                    assert_eq!(hasher.update(b"more").finalize(), of_peer::<V>(&whole), "{backend:?}, hasher {i}");
                }
            }
        }
    }
}

fn finalize_many_of_wrong_lengths<V: Family>() {
    let hasher = Hasher::<V>::new();
    let mut hashes = [other::<V>(); 2];
    for (hashers, given) in [(&[&hasher][..], 2), (&[&hasher, &hasher, &hasher], 2), (&[], 1)] {
        let result = finalize_many(hashers, &mut hashes[..given]);
        assert_eq!(result.map_err(lengths), Err((given, hashers.len())));
    }
    assert_eq!(hashes, [other::<V>(); 2], "nothing was written");
    assert_eq!(finalize_many::<V>(&[], &mut []), Ok(()));
}

/// Sorting by a length that differs from call to call is a panic of the standard library. Some digest is given instead.
fn trap_bytes_that_differ_from_call_to_call<V: Family>() {
    struct Fickle<'a>(&'a RefCell<Random>, &'a [u8]);
    impl AsRef<[u8]> for Fickle<'_> {
        fn as_ref(&self) -> &[u8] {
            &self.1[..self.0.borrow_mut().below(300)]
        }
    }
    let (random, message) = (RefCell::new(Random::new(7)), paint(300));
    for backend in all_backends() {
        for count in (0..130).chain([300]) {
            let messages: Vec<Fickle<'_>> = (0..count).map(|_| Fickle(&random, &message)).collect();
            let mut hashes = vec![other::<V>(); count];
            on::<V>(backend).hash_many_into(&messages, &mut hashes).unwrap();
            assert!(hashes.iter().all(|hash| *hash != other::<V>()), "{backend:?}, {count} messages");
        }
    }
}

fn any_messages<V: Family>() {
    proptest!(cases(60), |(messages in vec(vec(any::<u8>(), 0..400), 0..40))| {
        check::<V>(&slices(&messages));
    });
}

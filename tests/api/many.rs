//! Many messages at once against one by one: numbers and lengths of messages, parameters, backends.

use core::cell::RefCell;

use simd_digest::Backend;
use simd_digest::blake2::{
    Hash, HashManyError, Hasher, Params, ParamsError, finalize_many, lanes, update_each, update_many,
};
use test_crates::proptest::collection::vec;
use test_crates::proptest::prelude::*;

use crate::common::cases::{cases, fewer};
use crate::common::each;
use crate::common::flavour::{Flavour, for_both};
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::peer::{Fields, Peer};
use crate::common::random::Random;

for_both! {
    up_to_33_messages_of_ragged_lengths,
    orders_of_lengths,
    messages_of_a_block,
    whole_messages_that_end_at_any_block,
    short_messages_after_longer_ones,
    every_length,
    thirty_one_messages,
    messages_in_the_same_memory,
    wrong_output_lengths_are_errors,
    parameters_out_of_range_are_errors,
    update_many_of_hashers_that_hold_something_back,
    update_many_again_and_again,
    update_many_with_nothing,
    finalize_many_of_hashers_with_parameters_of_their_own,
    trap_bytes_that_differ_from_call_to_call,
    hash_many_of_the_peer,
    update_many_of_the_peer,
}

/// Ends of every length, held back or whole blocks, keyed and not: each is what its hasher gives alone, and the hashers
/// go on.
fn finalize_many_of_hashers_with_parameters_of_their_own<F: Flavour>() {
    let message = paint(3 * F::BLOCK);
    let ends = (0..=2 * F::BLOCK + 1).step_by(F::BLOCK / 8).flat_map(|length| [length, length + 1]);
    let lengths: Vec<usize> = ends.chain([F::BLOCK - 1, 2 * F::BLOCK - 1]).collect();
    for backend in Backend::available() {
        for count in (1..=lengths.len()).step_by(7).chain([2, 3, lengths.len()]) {
            let params = all_params::<F>();
            let hasher = |(i, &length): (usize, &usize)| {
                let mut hasher = params[i % 4].hasher().unwrap().with_backend(backend);
                hasher.update(&message[..length]).set_last_node(i % 3 == 0);
                hasher
            };
            let mut hashers: Vec<Hasher<F>> = lengths[..count].iter().enumerate().map(hasher).collect();
            let expected: Vec<Hash<F>> = hashers.iter().map(Hasher::finalize).collect();
            let mut hashes = vec![other::<F>(); count];
            finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
            assert_eq!(hashes, expected, "{backend}, {count} hashers");

            for (i, hasher) in hashers.iter_mut().enumerate() {
                let whole = [&message[..lengths[i]], b"more"].concat();
                let mut alone = params[i % 4].hasher().unwrap().with_backend(portable());
                alone.update(&whole).set_last_node(i % 3 == 0);
                assert_eq!(hasher.update(b"more").finalize(), alone.finalize(), "{backend}, hasher {i} goes on");
            }
        }
    }
    let hasher = Hasher::<F>::new();
    let mut hashes = [other::<F>(); 2];
    for (hashers, given) in [(&[&hasher][..], 2), (&[&hasher, &hasher, &hasher], 2), (&[], 1)] {
        let result = finalize_many(hashers, &mut hashes[..given]);
        assert_eq!(result.map_err(crate::common::lengths::lengths), Err((given, hashers.len())));
    }
    assert_eq!(hashes, [other::<F>(); 2], "nothing was written");
    assert_eq!(finalize_many::<F>(&[], &mut []), Ok(()));
}

/// Sorting by a length that differs from call to call is a panic of the standard library. Some digest is given instead.
fn trap_bytes_that_differ_from_call_to_call<F: Flavour>() {
    struct Fickle<'a>(&'a RefCell<Random>, &'a [u8]);
    impl AsRef<[u8]> for Fickle<'_> {
        fn as_ref(&self) -> &[u8] {
            &self.1[..self.0.borrow_mut().below(300)]
        }
    }
    let (random, message) = (RefCell::new(Random::new(7)), paint(300));
    for backend in Backend::available() {
        for (i, params) in all_params::<F>().into_iter().enumerate() {
            let params = params.with_backend(backend);
            for count in fewer(i, (0..130).chain([300])) {
                let messages: Vec<Fickle<'_>> = (0..count).map(|_| Fickle(&random, &message)).collect();
                let mut hashes = vec![other::<F>(); count];
                params.hash_many_into(&messages, &mut hashes).unwrap();
                assert!(hashes.iter().all(|hash| *hash != other::<F>()), "{backend}, {count} messages");
            }
        }
    }
}

/// Around every end of a block, up to the sixteen that a message in a lane has at most and beyond, in batches that fill
/// lanes and windows and do not.
fn whole_messages_that_end_at_any_block<F: Flavour>() {
    let mut random = Random::new(16);
    let mut length = |blocks: u64| (F::BLOCK * random.below(blocks + 1) + random.below(3)).saturating_sub(1);
    for (i, count) in (1..=20).chain([31, 33, 64, 127, 128, 129, 140]).enumerate() {
        for (j, most) in [1, 4, 16, 17].into_iter().enumerate() {
            let mut lengths: Vec<usize> = (0..count).map(|_| length(most)).collect();
            if i % 3 == 0 {
                lengths.iter_mut().step_by(5).for_each(|length| *length = 0);
            }
            let messages = messages(lengths);
            check(&all_params::<F>()[(i + j) % 4], &slices(&messages));
        }
        let [equal, empty] = [length(3), 0].map(|length| messages(core::iter::repeat_n(length, count)));
        for params in fewer(i % 4, &all_params::<F>()) {
            check(params, &slices(&equal));
            check(params, &slices(&empty));
        }
    }
}

/// No two begin alike, even if they have the same length.
fn messages(lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    lengths.into_iter().enumerate().map(|(i, length)| paint(length + i).split_off(i)).collect()
}

fn slices(messages: &[Vec<u8>]) -> Vec<&[u8]> {
    messages.iter().map(Vec::as_slice).collect()
}

/// Lengths at which a message has one block more, and some that are longer.
const LENGTHS: [usize; 16] = [0, 1, 63, 64, 65, 127, 128, 129, 256, 257, 384, 511, 513, 640, 1025, 2048];

/// Unkeyed and keyed, a node or not, of short and full length.
fn all_params<F: Flavour>() -> [Params<F>; 4] {
    let keyed = Params::new().key(&paint(F::LONGEST / 2 + 8)).salt(b"salt");
    [Params::new(), Params::new().hash_length(20).last_node(true), keyed.clone(), keyed.hash_length(1).node_offset(7)]
}

fn portable() -> Backend {
    "portable".parse().unwrap()
}

/// A digest that is none of those expected.
fn other<F: Flavour>() -> Hash<F> {
    Hash::from_bytes(&[0xee; 32]).unwrap()
}

fn one_by_one<F: Flavour>(params: &Params<F>, messages: &[&[u8]]) -> Vec<Hash<F>> {
    let params = params.clone().with_backend(portable());
    messages.iter().map(|message| params.hash(message).unwrap()).collect()
}

/// Hashes `messages` in every way that there is, on every backend.
fn check<F: Flavour>(params: &Params<F>, messages: &[&[u8]]) {
    let expected = one_by_one(params, messages);
    let flat_expected: Vec<u8> = expected.iter().flat_map(|hash| hash.as_bytes().to_vec()).collect();
    let lengths: Vec<usize> = messages.iter().map(|message| message.len()).collect();
    for backend in Backend::available() {
        let params = params.clone().with_backend(backend);
        #[cfg(feature = "alloc")]
        assert_eq!(params.hash_many(messages), Ok(expected.clone()), "{backend}, lengths {lengths:?}");

        let mut hashes = vec![other(); messages.len()];
        assert_eq!(params.hash_many_into(messages, &mut hashes), Ok(()));
        assert_eq!(hashes, expected, "{backend}, lengths {lengths:?}");

        let mut flat = vec![0xee; flat_expected.len()];
        assert_eq!(params.hash_many_flat(messages, &mut flat), Ok(()));
        assert_eq!(flat, flat_expected, "{backend}, lengths {lengths:?}");
    }
}

fn up_to_33_messages_of_ragged_lengths<F: Flavour>() {
    let mut random = Random::new(33);
    for count in 0..=33 {
        for params in fewer(count % 4, all_params::<F>()) {
            let messages = messages((0..count).map(|_| LENGTHS[random.below(LENGTHS.len() as u64)]));
            check(&params, &slices(&messages));
        }
    }
}

#[test]
#[cfg(feature = "alloc")]
fn full_length_unkeyed() {
    for count in [0, 1, 2, 9, 33] {
        let messages = messages(LENGTHS.into_iter().cycle().take(count));
        let expected = one_by_one(&Params::new(), &slices(&messages));
        assert_eq!(simd_digest::blake2b::hash_many(&messages), expected, "{count} messages");
        let expected = one_by_one(&Params::new(), &slices(&messages));
        assert_eq!(simd_digest::blake2s::hash_many(&messages), expected, "{count} messages");
    }
    let texts = ["", "one", "two"];
    assert_eq!(simd_digest::blake2b::hash_many(&texts)[2], simd_digest::blake2b::hash(b"two"));
}

/// As many messages as lanes, and one more or less, of lengths in an order that the lanes may or may not like.
fn orders_of_lengths<F: Flavour>() {
    let lanes = Backend::available().map(lanes::<F>).max().unwrap();
    for count in [2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 1] {
        let ascending = (0..count).map(|i| 100 * i);
        let orders: [Vec<usize>; 6] = [
            ascending.clone().collect(),
            ascending.rev().collect(),
            (0..count).map(|i| if i % 2 == 0 { 1 } else { 700 }).collect(),
            (0..count).map(|_| 384).collect(),
            (0..count).map(|i| if i == 0 { 20_000 } else { 3 * i }).collect(),
            (0..count).map(|i| if i + 1 == count { 20_000 } else { 128 * (i % 3) }).collect(),
        ];
        for lengths in orders {
            check(&Params::<F>::new().key(b"key"), &slices(&messages(lengths)));
        }
    }
}

/// Messages of at most a block, after one another in lanes: all of a block, of half of one, or less; and where a longer
/// one comes after them.
fn messages_of_a_block<F: Flavour>() {
    let mut random = Random::new(64);
    for (i, count) in [1, 2, 7, 8, 9, 16, 17, 33].into_iter().enumerate() {
        for params in fewer(i % 4, all_params::<F>()) {
            for limit in [1, 32, 33, 64, 65, 128, 129] {
                check(&params, &slices(&messages((0..count).map(|_| random.below(limit + 1)))));
            }
            // Nothing of the messages before is left in a block.
            let (block, half) = (F::BLOCK, F::BLOCK / 2);
            let lengths = [block, half, 0, half - 1, block, block - 1, half, 1];
            check(&params, &slices(&messages((0..count).map(|i| lengths[i / 8]))));
            check(&params, &slices(&messages((0..count).map(|i| if i + 3 == count { 300 } else { lengths[i % 8] }))));
        }
    }
}

/// Lanes full of messages of up to a block, then lanes full of shorter ones: what the longer left is not hashed.
fn short_messages_after_longer_ones<F: Flavour>() {
    for width in Backend::available().map(lanes::<F>) {
        for lengths in [[F::BLOCK, F::BLOCK / 2, F::BLOCK - 1, F::BLOCK / 2], [F::BLOCK / 2, F::BLOCK / 2 + 1, 3, 0]] {
            let messages = messages(lengths.into_iter().flat_map(|length| core::iter::repeat_n(length, width)));
            check(&Params::<F>::new(), &slices(&messages));
        }
    }
}

/// All lengths up to some blocks side by side with messages of other lengths.
fn every_length<F: Flavour>() {
    for stride in [1, 7, 128] {
        check(&Params::<F>::new(), &slices(&messages((0..=521).map(|i| i * stride % 521))));
    }
}

/// Batches of every width, and all of them together.
fn thirty_one_messages<F: Flavour>() {
    let messages = messages((0..31).map(|i| LENGTHS[i % LENGTHS.len()]));
    let messages = slices(&messages);
    let params = Params::<F>::new();
    let expected = one_by_one(&params, &messages);
    check(&params, &messages);
    for backend in Backend::available() {
        let params = params.clone().with_backend(backend);
        let mut hashes = vec![other(); 31];
        let (mut messages, mut rest) = (&messages[..], &mut hashes[..]);
        for batch in [16, 8, 4, 2, 1] {
            let (now, then) = rest.split_at_mut(batch);
            assert_eq!(params.hash_many_into(&messages[..batch], now), Ok(()));
            (messages, rest) = (&messages[batch..], then);
        }
        assert_eq!(hashes, expected, "{backend}");
    }
}

fn messages_in_the_same_memory<F: Flavour>() {
    let memory = paint(3000);
    check(&Params::<F>::new(), &[&memory[..]; 9]);
    let overlapping: Vec<&[u8]> = (0..40).map(|i| &memory[13 * i..][..700 + 31 * (i % 8)]).collect();
    check(&Params::<F>::new().key(b"key"), &overlapping);
    let nested: Vec<&[u8]> = (0..20).map(|i| &memory[..3000 - 140 * i]).collect();
    check(&Params::<F>::new(), &nested);
}

fn wrong_output_lengths_are_errors<F: Flavour>() {
    let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
    let params = Params::<F>::new().hash_length(20);
    for given in [0, 1, 2, 4, 60] {
        let mut hashes = vec![other(); given];
        let error = params.hash_many_into(&messages, &mut hashes).unwrap_err();
        assert!(matches!(error, HashManyError::Outputs(error) if lengths(error) == (given, 3)), "{error}");
        assert_eq!(error.to_string(), format!("the output has length {given}, but must have 3"));
        assert!(hashes.iter().all(|hash| *hash == other::<F>()), "{given} hashes, touched");
    }
    for given in [0, 3, 59, 61, 3 * 64, 2 * 65] {
        let mut bytes = vec![0xee; given];
        let error = params.hash_many_flat(&messages, &mut bytes).unwrap_err();
        assert!(matches!(error, HashManyError::Outputs(error) if lengths(error) == (given, 60)), "{error}");
        assert_eq!(bytes, vec![0xee; given], "touched");
    }
    assert!(params.hash_many_into(&[[0; 0]; 0], &mut [other()]).is_err());
    assert!(params.hash_many_flat(&[[0; 0]; 0], &mut [0]).is_err());
}

fn parameters_out_of_range_are_errors<F: Flavour>() {
    let params = Params::<F>::new().hash_length(65);
    let error = params.hash(b"").unwrap_err();
    let mut hashes = [other(); 2];
    assert_eq!(params.hash_many_into(&[b"one", b"two"], &mut hashes), Err(error.into()));
    assert_eq!(hashes, [other(); 2]);
    let mut bytes = [0xee; 2 * 65];
    assert_eq!(params.hash_many_flat(&[b"one", b"two"], &mut bytes), Err(error.into()));
    assert_eq!(HashManyError::from(error).to_string(), error.to_string());
    assert_eq!(bytes, [0xee; 2 * 65]);
    #[cfg(feature = "alloc")]
    assert_eq!(params.hash_many(&["one"]), Err(error));
}

/// What hashers of a batch would be, each updated alone.
fn update_one_by_one<F: Flavour>(hashers: &[Hasher<F>], data: &[&[u8]]) -> Vec<(Hash<F>, u128)> {
    let each = hashers.iter().zip(data).map(|(hasher, data)| {
        let mut hasher = hasher.clone().with_backend(portable());
        hasher.update(data);
        (hasher.finalize(), hasher.count())
    });
    each.collect()
}

/// Updates `hashers` together, by `update_many` and by `update_each`.
fn update_all<F: Flavour>(hashers: &mut [Hasher<F>], data: &[&[u8]]) -> Vec<(Hash<F>, u128)> {
    let mut by_jobs = hashers.to_vec();
    let backend = hashers[0].backend();
    each::update(lanes::<F>(backend), &mut by_jobs, data, |jobs, done| update_each(backend, jobs, done));
    let mut updates: Vec<(&mut Hasher<F>, &[u8])> = hashers.iter_mut().zip(data.iter().copied()).collect();
    update_many(&mut updates);
    let answers = |hashers: &[Hasher<F>]| hashers.iter().map(|hasher| (hasher.finalize(), hasher.count())).collect();
    let answer: Vec<(Hash<F>, u128)> = answers(hashers);
    assert_eq!(answer, answers(&by_jobs), "update_each on {backend:?}");
    answer
}

/// Every number of bytes held back, with data up to, at and beyond the end of that block.
fn update_many_of_hashers_that_hold_something_back<F: Flavour>() {
    let message = paint(1000);
    for backend in Backend::available() {
        for keyed in [false, true] {
            let params = if keyed { Params::<F>::new().key(b"key") } else { Params::new() };
            for length in [0, 1, 2, 63, 64, 65, 127, 128, 129, 257, 640] {
                let begun = |held: usize| {
                    let mut hasher = params.hasher().unwrap().with_backend(backend);
                    hasher.update(&message[held..2 * held]);
                    hasher
                };
                let mut hashers: Vec<Hasher<F>> = (0..=F::BLOCK + 1).map(begun).collect();
                let data: Vec<&[u8]> = (0..hashers.len()).map(|i| &message[i..][..length]).collect();
                let expected = update_one_by_one(&hashers, &data);
                assert_eq!(update_all(&mut hashers, &data), expected, "{backend}, length {length}, keyed {keyed}");
            }
        }
    }
}

/// Hashers of all parameters and backends, several times in a row, with empty data among it.
fn update_many_again_and_again<F: Flavour>() {
    let message = paint(1500);
    let mut random = Random::new(17);
    for first in Backend::available() {
        for count in [1, 2, 5, 8, 9, 16, 17] {
            let backends = Backend::available().collect::<Vec<_>>().into_iter().cycle();
            let hashers = all_params::<F>().into_iter().cycle().zip(backends).take(count);
            let mut hashers: Vec<Hasher<F>> =
                hashers.map(|(params, backend)| params.hasher().unwrap().with_backend(backend)).collect();
            hashers[0] = hashers[0].clone().with_backend(first);
            for round in 0..6 {
                let lengths = (0..count).map(|_| if random.below(4) == 0 { 0 } else { random.below(1000) });
                let data: Vec<&[u8]> = lengths.enumerate().map(|(i, length)| &message[7 * i..][..length]).collect();
                let expected = update_one_by_one(&hashers, &data);
                let backends: Vec<Backend> = hashers.iter().map(Hasher::backend).collect();
                assert_eq!(update_all(&mut hashers, &data), expected, "{first}, round {round}");
                assert_eq!(hashers.iter().map(Hasher::backend).collect::<Vec<_>>(), backends, "kept");
            }
            // They go on alone, and begin anew.
            let data = vec![&message[..300]; count];
            let expected = update_one_by_one(&hashers, &data);
            for (hasher, (hash, _)) in hashers.iter_mut().zip(expected) {
                assert_eq!(hasher.update(data[0]).finalize(), hash, "{first}");
                hasher.reset();
            }
            let expected = update_one_by_one(&hashers, &data);
            assert_eq!(update_all(&mut hashers, &data), expected, "{first}, after a reset");
        }
    }
}

fn update_many_with_nothing<F: Flavour>() {
    update_many::<F>(&mut []);
    for backend in Backend::available() {
        for held in [0, 1, 63, 64, 65, 127, 128, 129] {
            let mut hashers = vec![Hasher::<F>::new().with_backend(backend); 9];
            hashers.iter_mut().for_each(|hasher| _ = hasher.update(&paint(held)));
            let expected = update_one_by_one(&hashers, &[&[][..]; 9]);
            assert_eq!(update_all(&mut hashers, &[&[][..]; 9]), expected, "{backend}, {held} held back");
        }
    }
}

fn hash_many_of_the_peer<F: Peer>() {
    let key = vec(any::<u8>(), 0..=F::LONGEST);
    let input = (vec(vec(any::<u8>(), 0..900), 0..40), 1..=F::LONGEST, any::<bool>(), key);
    proptest!(cases(60), |((messages, hash_length, last_node, key) in input)| {
        let fields = Fields { hash_length, last_node, key, ..Fields::new::<F>() };
        let expected: Vec<u8> = F::hash_many(&fields, &messages).iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
        let params = Params::<F>::new().hash_length(hash_length).key(&fields.key).last_node(last_node);
        for backend in Backend::available() {
            let mut flat = vec![0; expected.len()];
            params.clone().with_backend(backend).hash_many_flat(&slices(&messages), &mut flat)?;
            prop_assert_eq!(&flat, &expected, "{}", backend);
        }
    });
}

fn update_many_of_the_peer<F: Peer>() {
    let key = vec(any::<u8>(), 0..=F::LONGEST);
    let stream = (key, 0..=F::MAX_NODE_OFFSET, vec(any::<u8>(), 0..900));
    proptest!(cases(60), |(streams in vec(stream, 0..20), seed in 1..u64::MAX)| {
        let fields = |(key, node_offset, message)| (Fields { key, node_offset, ..Fields::new::<F>() }, message);
        let streams: Vec<(Fields, Vec<u8>)> = streams.into_iter().map(fields).collect();
        let expected = F::update_many(&streams);

        let mut random = Random::new(seed);
        let pieces: Vec<Vec<&[u8]>> = streams.iter().map(|(_, message)| random.pieces(message)).collect();
        let rounds = pieces.iter().map(Vec::len).max().unwrap_or_default();
        for backend in Backend::available() {
            let start = |(fields, _): &(Fields, _)| {
                let params = Params::<F>::new().key(&fields.key).node_offset(fields.node_offset);
                Ok::<_, ParamsError>(params.hasher()?.with_backend(backend))
            };
            let mut hashers = streams.iter().map(start).collect::<Result<Vec<_>, _>>()?;
            for round in 0..rounds {
                let data: Vec<&[u8]> =
                    pieces.iter().map(|pieces| pieces.get(round).copied().unwrap_or_default()).collect();
                let _ = update_all(&mut hashers, &data);
            }
            for (hasher, expected) in hashers.iter().zip(&expected) {
                prop_assert!(hasher.finalize() == *expected.as_ref(), "{}", backend);
            }
        }
    });
}

//! What is secret is gone when it is dropped: keys, bytes held back, chaining values, digests of inner nodes.
#![cfg(all(unix, feature = "zeroize", feature = "alloc", feature = "blake2"))]

use std::collections::HashSet;

use simd_digest::Backend;
use simd_digest::blake2::hazmat::State;
use simd_digest::blake2::{Blake2, Blake2Mac, Blake2p, Hash, Hasher, OutputSize, Params, finalize_many, update_many};
use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::consts::U32;
use simd_digest::digest::{KeyInit, Update};

use self::common::flavour::{Flavour, for_both};
use self::common::random::Random;
use self::common::remains::{Searching, before_and_after_drop, freed_with, stack_after};

#[allow(dead_code, reason = "for other tests")]
mod common {
    pub(crate) mod flavour;
    pub(crate) mod pages;
    pub(crate) mod random;
    pub(crate) mod remains;
}

for_both! {
    trap_secrets_left_in_values,
    trap_secrets_left_on_the_heap,
    trap_secrets_left_on_the_stack,
}

#[global_allocator]
static SEARCHING: Searching = Searching;

/// Bytes that nothing else is likely to have.
fn secret(length: usize) -> Vec<u8> {
    let mut random = Random::new(length as u64 + 1);
    (0..length).map(|_| u8::try_from(random.below(255) + 1).unwrap()).collect()
}

/// Words that look random, wherever they begin, each once: no small numbers, no pointers, which have zeros, and no
/// constants of few bytes.
fn words(mut bytes: &[u8]) -> HashSet<[u8; 8]> {
    let looks_random = |word: &[u8; 8]| !word.contains(&0) && word.iter().collect::<HashSet<_>>().len() > 5;
    let mut words = HashSet::new();
    while let Some(word) = bytes.first_chunk() {
        let found = looks_random(word);
        if found {
            words.insert(*word);
        }
        bytes = &bytes[if found { 8 } else { 1 }..];
    }
    words
}

/// Bytes of a secret that are too many to be in a gap between the fields of a value, which carries along what was in
/// memory before: more than the largest alignment leaves free.
const PART: usize = 16;

/// `value` has `secrets` words to hide at least, and leaves no part of the key or the message. Not every word that
/// looks random is its own: see [`PART`].
fn leaves_nothing<T>(what: &str, secrets: usize, value: T) {
    leaves_nothing_of(what, secrets, &[], value);
}

/// The same, and no part of what else is `known` to be in the value.
fn leaves_nothing_of<T>(what: &str, secrets: usize, known: &[u8], value: T) {
    let (before, after) = before_and_after_drop(value);
    let looks_random = words(&before).len();
    assert!(looks_random >= secrets, "{what}: {looks_random} words, but there should be {secrets} to wipe");
    assert!(known.is_empty() || before.windows(known.len()).any(|bytes| bytes == known), "{what}: it is elsewhere");
    let own = [&secret(32)[..], &secret(5 * 128), known];
    let parts: HashSet<&[u8]> = own.into_iter().flat_map(|bytes| bytes.windows(PART)).collect();
    let left = after.windows(PART).filter(|bytes| parts.contains(bytes)).count();
    assert_eq!(left, 0, "{what}: of the key, the message or what is computed of them");
}

/// isa-l_crypto left secrets in lanes and padding: what is held by value.
fn trap_secrets_left_in_values<F: Flavour>()
where
    U32: OutputSize<F>,
{
    let message = secret(5 * 128);
    for backend in Backend::available() {
        let params = Params::<F>::new().key(&secret(32)).with_backend(backend);
        // A key has four words, or three where it is not aligned; a chaining value these, and what is held back three
        // at least.
        let chain = F::LONGEST / 8;
        let updated = 4 + chain + 3;
        leaves_nothing("Params", 4, params.clone());
        leaves_nothing("Hasher", 4, params.hasher().unwrap());
        let mut hasher = params.hasher().unwrap();
        hasher.update(&message[..570]);
        leaves_nothing("Hasher, updated", updated, hasher.clone());
        leaves_nothing("State", updated, State::of(&hasher));
        leaves_nothing(
            "State, restored",
            updated,
            State::<F>::from_bytes(State::of(&hasher).to_bytes().as_ref()).unwrap(),
        );
        hasher.reset();
        leaves_nothing("Hasher, reset", 4, hasher.clone());
        let mut other = hasher.clone();
        update_many(&mut [(&mut hasher, &message[..570]), (&mut other, &message)]);
        leaves_nothing("Hasher, updated in lanes", updated, other);

        let params = params.clone().hash_length(32);
        let mut parallel = params.parallel().unwrap();
        leaves_nothing("Parallel", 4, parallel.clone());
        parallel.update(&message);
        leaves_nothing("Parallel, updated", 40, parallel.clone());
        parallel.reset();
        leaves_nothing("Parallel, reset", 4, parallel);

        let tree = params.fanout(0).max_depth(2).max_leaf_length(100).inner_hash_length(32).tree().unwrap();
        leaves_nothing("Tree", 3, tree.clone());
        leaves_nothing("Tree, leaf", 3, tree.leaf(3, false).unwrap());
        let mut hasher = tree.hasher();
        hasher.update(&message);
        leaves_nothing_of("TreeHasher", updated, &secret(32), hasher);
        let params = Params::<F>::new().key(&secret(32)).fanout(0).max_depth(2).with_backend(backend);
        let mut hasher = params.max_leaf_length(1 << 20).inner_hash_length(32).tree().unwrap().hasher();
        hasher.update(&message[..570]);
        leaves_nothing_of("TreeHasher, long leaf", updated, &secret(32), hasher);

        let params = Params::<F>::new().key(&secret(32)).with_backend(backend);
        let mut xof = params.xof().unwrap();
        leaves_nothing("Blake2x", 4, xof.clone());
        xof.update(&message);
        leaves_nothing("Blake2x, updated", updated, xof.clone());
        let mut output = xof.finalize();
        leaves_nothing("OutputReader", chain, output.clone());
        let mut read = [0; 500];
        output.try_read(&mut read).unwrap();
        let held = &read[500 - 500 % F::LONGEST..];
        leaves_nothing_of("OutputReader, read", 2 * chain - 1, held, output);

        let mac = <Blake2Mac<F, U32>>::new_from_slice(&secret(31)).unwrap().with_backend(backend);
        leaves_nothing("Mac", 3, mac.clone());
        leaves_nothing("Mac, updated", updated, mac.chain(&message));
        let hasher = Blake2::<F, U32>::default().with_backend(backend).chain(&message);
        let state = hasher.serialize();
        let mut chain_value = state[1 + 2 * F::TEXT..][..F::LONGEST].to_vec();
        if cfg!(target_endian = "big") {
            chain_value.chunks_mut(F::LONGEST / 8).for_each(<[u8]>::reverse);
        }
        leaves_nothing_of("Blake2", chain + 3, &chain_value, hasher);
        leaves_nothing("Blake2p", 40, Blake2p::<F, U32>::default().with_backend(backend).chain(&message));
    }
}

/// Leaves that were collected, and digests of nodes, on the heap.
fn trap_secrets_left_on_the_heap<F: Flavour>() {
    let word = secret(8);
    assert_eq!(freed_with(&word, || drop(word.clone())), 1, "the allocator searches");
    let message = secret(3000);
    for backend in Backend::available() {
        for (fanout, depth) in [(0, 2), (2, 255), (3, 3)] {
            let params = Params::<F>::new().fanout(fanout).max_depth(depth).max_leaf_length(100).with_backend(backend);
            let tree = params.inner_hash_length(32).tree().unwrap();
            // The first leaf has a parent soon, the last but one waits for it.
            let leaf = |i: usize| tree.hash_run(i as u64, &message[100 * i..][..100], false).unwrap()[0];
            let [first, late] = [0, 28].map(leaf);
            for word in [&message[16..24], &message[2984..2992], &first.as_bytes()[..8], &late.as_bytes()[..8]] {
                let found = freed_with(word, || {
                    let mut hasher = tree.hasher();
                    message.chunks(17).for_each(|piece| _ = hasher.update(piece));
                    let _ = hasher.finalize();
                    hasher.update(&message);
                    let _ = hasher.clone().finalize_with_leaves();
                });
                assert_eq!(found, 0, "{backend}, fanout {fanout}");
            }
        }
    }
}

/// Of `secrets`, the words that are anywhere on the stack after `work`.
fn left_on_stack(secrets: &[u8], work: impl FnMut()) -> usize {
    let stack = stack_after(work);
    let words: HashSet<&[u8]> = stack.windows(8).filter(|window| window[0] != 0).collect();
    secrets.as_chunks::<8>().0.iter().filter(|word| words.contains(&word[..])).count()
}

fn hasher_of<F: Flavour>(params: &Params<F>, message: &[u8]) -> Hasher<F> {
    let mut hasher = params.hasher().unwrap();
    hasher.update(message);
    hasher
}

/// Kernels and calls leave behind what they had in registers and arguments, and nothing in Rust can promise that they
/// do not. But that is a block or two, and in lanes one of each message; and a key is not touched again once it was
/// hashed.
fn trap_secrets_left_on_the_stack<F: Flavour>() {
    let (key, message) = (secret(32), secret(1300));
    let copied = left_on_stack(&message, || _ = core::hint::black_box(*message.first_chunk::<512>().unwrap()));
    assert!(copied > 32, "{copied} words found of 64");
    for backend in Backend::available() {
        let params = Params::<F>::new().with_backend(backend);
        let mut hasher = params.clone().key(&key).hasher().unwrap();
        let mut hashes = vec![Hash::from_bytes(&[1]).unwrap(); 9];
        let messages: Vec<&[u8]> = (0..9).map(|i| &message[8 * i..][..130 * i]).collect();
        hasher.update(&message);
        let of_key = left_on_stack(&key, || {
            let _ = hasher.update(&message).finalize();
        });
        assert_eq!(of_key, 0, "{backend}: words of the key");
        let of_message = left_on_stack(&message, || _ = hasher.update(&message).finalize());
        assert!(of_message <= 32, "{backend}: {of_message} words of the message are more than two blocks");
        let of_message = left_on_stack(&message, || params.hash_many_into(&messages, &mut hashes).unwrap());
        let most = F::BLOCK / 8 * (simd_digest::blake2::lanes::<F>(backend) + 1);
        assert!(
            of_message <= most,
            "{backend}: {of_message} words of the messages are more than a block for each lane"
        );
        let hashers: Vec<_> = (0..9).map(|i| hasher_of(&params, &message[..140 * i])).collect();
        let hashers: Vec<_> = hashers.iter().collect();
        let of_message = left_on_stack(&message, || finalize_many(&hashers, &mut hashes).unwrap());
        assert!(of_message <= most, "{backend}: {of_message} words of the ends are more than a block for each lane");
    }
}

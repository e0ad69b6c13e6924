//! What is secret is gone when it is dropped: keys, bytes held back, chaining values, digests of inner nodes.
#![cfg(all(unix, feature = "zeroize", feature = "alloc", feature = "blake2"))]

use std::collections::HashSet;

use simd_digest::Backend;
use simd_digest::blake2::hazmat::{State, VarCore};
use simd_digest::blake2::{
    Blake2, Blake2Mac, Blake2p, Hash, Hasher, OutputSize, Params, Part, finalize_many, update_many,
};
use simd_digest::digest::block_api::{Buffer, VariableOutputCore};
use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::consts::U32;
use simd_digest::digest::{KeyInit, Output, Update};
use test_crates::memchr::memmem;

use self::common::flavour::{Flavour, for_both};
use self::common::random::Random;
use self::common::remains::{Searching, before_and_after_drop, freed_with, stack_after};

#[allow(dead_code, reason = "for other tests")]
mod common {
    #[cfg(any(feature = "blake3", feature = "sha2"))]
    pub(crate) mod backends;
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
    let looks_random = |mut word: [u8; 8]| {
        word.sort_unstable();
        word[0] != 0 && word.windows(2).filter(|pair| pair[0] != pair[1]).count() > 4
    };
    let mut words = HashSet::new();
    while let Some(word) = bytes.first_chunk() {
        let found = looks_random(*word);
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
    assert!(memmem::find(&before, known).is_some(), "{what}: it is elsewhere");
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
        leaves_nothing("State", updated, State::from(&hasher));
        leaves_nothing(
            "State, restored",
            updated,
            State::<F>::from_bytes(State::from(&hasher).to_bytes().as_ref()).unwrap(),
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
        leaves_nothing("Tree, leaf", 3, tree.leaf(3, Part::NotLast).unwrap());
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
        let mut core = VarCore::<F>::new(F::LONGEST).unwrap().with_backend(backend);
        let mut chaining_value = Output::<VarCore<F>>::default();
        core.finalize_variable_core(&mut Buffer::<VarCore<F>>::new(&message[..20]), &mut chaining_value);
        if cfg!(target_endian = "big") {
            chaining_value.chunks_mut(F::LONGEST / 8).for_each(<[u8]>::reverse);
        }
        leaves_nothing_of("VarCore", chain, &chaining_value, core);
        leaves_nothing("Blake2p", 40, Blake2p::<F, U32>::default().with_backend(backend).chain(&message));
    }
}

/// Leaves that were collected, and digests of nodes, on the heap.
fn trap_secrets_left_on_the_heap<F: Flavour>() {
    let word = secret(8);
    assert_eq!(freed_with(&word, || drop(core::hint::black_box(word.clone()))), 1, "the allocator searches");
    let message = secret(3000);
    for backend in Backend::available() {
        for (fanout, depth) in [(0, 2), (2, 255), (3, 3)] {
            let params = Params::<F>::new().fanout(fanout).max_depth(depth).max_leaf_length(100).with_backend(backend);
            let tree = params.inner_hash_length(32).tree().unwrap();
            // The first leaf has a parent soon, the last but one waits for it.
            let leaf = |i: usize| tree.hash_run(i as u64, &message[100 * i..][..100], Part::NotLast).unwrap()[0];
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
    let unused = stack.chunks(4096).take_while(|page| **page == [0; 4096]).count();
    let stack = &stack[4096 * unused..];
    secrets.as_chunks::<8>().0.iter().filter(|word| memmem::find(stack, &word[..]).is_some()).count()
}

/// The kernels of one message without SHA instructions keep the sums of words and constants in memory. `sums` are those
/// of the first rounds of each block.
#[cfg(feature = "sha2")]
fn schedules_are_wiped(sums: &[u8], update: impl Fn(Backend)) {
    let copies = sums.repeat(512 / sums.len());
    let found = left_on_stack(sums, || _ = core::hint::black_box(*copies.first_chunk::<512>().unwrap()));
    assert_eq!(found, sums.len() / 8);
    for backend in Backend::available() {
        assert_eq!(left_on_stack(sums, || update(backend.without_sha())), 0, "{backend}");
    }
}

#[cfg(feature = "sha2")]
#[test]
fn schedules_of_sha256_are_wiped() {
    const K: [u32; 4] = [0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5];
    let message = secret(256);
    let sum = |(bytes, k): (&[u8; 4], &u32)| u32::from_be_bytes(*bytes).wrapping_add(*k).to_le_bytes();
    let first_sums = |block: &[u8]| block.as_chunks().0.iter().zip(&K).flat_map(sum).collect::<Vec<_>>();
    schedules_are_wiped(&message.chunks(64).flat_map(first_sums).collect::<Vec<_>>(), |backend| {
        simd_digest::sha256::Hasher::new().with_backend(backend).update(&message);
    });
}

#[cfg(feature = "sha2")]
#[test]
fn schedules_of_sha512_are_wiped() {
    const K: [u64; 4] = [0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc];
    let message = secret(512);
    let sum = |(bytes, k): (&[u8; 8], &u64)| u64::from_be_bytes(*bytes).wrapping_add(*k).to_le_bytes();
    let first_sums = |block: &[u8]| block.as_chunks().0.iter().zip(&K).flat_map(sum).collect::<Vec<_>>();
    schedules_are_wiped(&message.chunks(128).flat_map(first_sums).collect::<Vec<_>>(), |backend| {
        simd_digest::sha512::Hasher::new().with_backend(backend).update(&message);
    });
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
        let begun = hasher_of(&params, &message[..310]);
        let of_message = left_on_stack(&message, || begun.hash_many_into(&messages, &mut hashes).unwrap());
        assert!(of_message <= most, "{backend}: {of_message} words of the tails are more than a block for each lane");
        let hashers: Vec<_> = (0..9).map(|i| hasher_of(&params, &message[..140 * i])).collect();
        let hashers: Vec<_> = hashers.iter().collect();
        let of_message = left_on_stack(&message, || finalize_many(&hashers, &mut hashes).unwrap());
        assert!(of_message <= most, "{backend}: {of_message} words of the ends are more than a block for each lane");
    }
}

#[cfg(feature = "sha2")]
mod of_sha2 {
    use simd_digest::digest::block_api::CoreProxy;
    use simd_digest::digest::common::hazmat::SerializableState;
    use simd_digest::digest::{KeyInit, Update};
    use simd_digest::sha2::hazmat::State;
    use simd_digest::sha2::{
        Batch, Hasher, HmacKey, Variant, Variant224, Variant256, Variant512, finalize_many, lanes, update_many,
    };
    use simd_digest::{HmacSha224, HmacSha256, Sha224, Sha256, Sha512, sha256};

    use super::common::backends::all_backends;
    use super::{leaves_nothing_of, left_on_stack, secret};

    /// Words that look random at least: of a chaining value of four, and of what is held.
    const CHAIN: usize = 3;
    const HELD: usize = 6;

    /// The chaining value of a state as it is in memory.
    fn chain_of(state: &[u8]) -> Vec<u8> {
        let words = state[..32].as_chunks::<4>().0;
        words.iter().flat_map(|word| u32::from_le_bytes(*word).to_ne_bytes()).collect()
    }

    /// The secrets that each type holds by value: the chaining value as `sha2` serialises it, and the bytes that no block has.
    #[test]
    fn trap_secrets_left_in_values() {
        let message = secret(5 * 128);
        for backend in all_backends() {
            let chain = chain_of(&Sha256::default().with_backend(backend).chain(&message[..570]).serialize());
            let mut hasher = Hasher::<Variant256>::new().with_backend(backend);
            hasher.update(&message[..570]);
            leaves_nothing_of("Hasher", CHAIN + HELD, &chain, hasher.clone());
            leaves_nothing_of("State", CHAIN + HELD, &chain, State::from(&hasher));
            let state = State::<Variant256>::from_bytes(&State::from(&hasher).to_bytes()).unwrap();
            leaves_nothing_of("State, restored", CHAIN + HELD, &chain, state);
            let mut other = Hasher::<Variant256>::new().with_backend(backend);
            update_many(&mut [(&mut other, &message[..570]), (&mut hasher, &message)]);
            leaves_nothing_of("Hasher, updated in lanes", CHAIN + HELD, &chain, other);
            let hash = Sha256::default().with_backend(backend).chain(&message[..570]);
            leaves_nothing_of("Sha256", CHAIN + HELD, &chain, hash.clone());
            leaves_nothing_of("Sha256Core", CHAIN, &chain, hash.decompose().0);
            let chain = chain_of(&Sha224::default().with_backend(backend).chain(&message[..570]).serialize());
            let hash = Sha224::default().with_backend(backend).chain(&message[..570]);
            leaves_nothing_of("Sha224", CHAIN + HELD, &chain, hash);

            for length in [32, 63, 64, 65, 200] {
                let (key, block) = (secret(length), key_block(length));
                let midstate = |pad: u8| chain_of(&Sha256::default().chain(block.map(|byte| byte ^ pad)).serialize());
                let (inner, outer) = (midstate(0x36), midstate(0x5c));
                let setup = HmacKey::<Variant256>::new(&key).with_backend(backend);
                leaves_nothing_of("HmacKey, inner", 2 * CHAIN, &inner, setup.clone());
                leaves_nothing_of("HmacKey, outer", 2 * CHAIN, &outer, setup.clone());
                leaves_nothing_of("HmacHasher", 2 * CHAIN, &outer, setup.hasher());
                let mut hasher = setup.hasher();
                hasher.update(&message[..570]);
                leaves_nothing_of("HmacHasher, updated", 2 * CHAIN + HELD, &inner, hasher.clone());
                hasher.reset();
                leaves_nothing_of("HmacHasher, reset", 2 * CHAIN, &inner, hasher);
                let mac = HmacSha256::new_from_slice(&key).unwrap().with_backend(backend).chain(&message[..570]);
                leaves_nothing_of("HmacSha256", 2 * CHAIN + HELD, &outer, mac);
                let mac = HmacSha224::new_from_slice(&key).unwrap().with_backend(backend).chain(&message[..570]);
                leaves_nothing_of("HmacSha224", 2 * CHAIN + HELD, &[], mac);
            }
        }
    }

    /// SHA-512's types are SHA-256's, of other words.
    #[test]
    fn trap_secrets_left_in_values_of_64_bit_words() {
        let message = secret(5 * 128);
        let native = |state: &[u8]| -> Vec<u8> {
            let words = state[..64].as_chunks::<8>().0;
            words.iter().flat_map(|word| u64::from_le_bytes(*word).to_ne_bytes()).collect()
        };
        for backend in all_backends() {
            let hash = Sha512::default().with_backend(backend).chain(&message[..570]);
            let chain = native(&hash.serialize());
            leaves_nothing_of("Sha512", 2 * CHAIN + HELD, &chain, hash.clone());
            leaves_nothing_of("Sha512Core", 2 * CHAIN, &chain, hash.decompose().0);
            let mut block = [0x36; 128];
            block.iter_mut().zip(secret(64)).for_each(|(byte, key)| *byte ^= key);
            let inner = native(&Sha512::default().chain(block).serialize());
            let setup = HmacKey::<Variant512>::new(&secret(64)).with_backend(backend);
            leaves_nothing_of("HmacKey of SHA-512", 4 * CHAIN, &inner, setup.clone());
            let mut hasher = setup.hasher();
            hasher.update(&message[..570]);
            leaves_nothing_of("HmacHasher of SHA-512", 4 * CHAIN + HELD, &inner, hasher);
        }
    }

    /// A key as the block that HMAC makes of it.
    fn key_block(length: usize) -> [u8; 64] {
        let key = secret(length);
        let mut block = [0; 64];
        if length > 64 {
            block[..32].copy_from_slice(sha256::hash(&key).as_bytes());
        } else {
            block[..length].copy_from_slice(&key);
        }
        block
    }

    /// The block that the key is exclusive-ored to is no argument of a kernel that runs later, so nothing of the key is
    /// left once a message was hashed. Of messages a block for each lane may be: see the test for BLAKE2.
    #[test]
    fn trap_secrets_left_on_the_stack() {
        left_by::<Variant256>(64);
        left_by::<Variant224>(64);
        left_by::<Variant512>(128);
    }

    /// The hash values after the block of the key and each pad.
    fn midstates<V: Variant>(key: &[u8], block: usize) -> Vec<u8> {
        let mut padded = key.to_vec();
        padded.resize(block, 0);
        let after = |pad: u8| {
            let mut hasher = Hasher::<V>::new();
            hasher.update(&padded.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>()).update(&[0]);
            let state = State::from(&hasher).to_bytes();
            let words = state.as_ref()[4..][..block / 2].chunks(block / 16);
            let native = |word: &[u8]| {
                let mut word = word.to_vec();
                if cfg!(target_endian = "little") {
                    word.reverse();
                }
                word
            };
            words.flat_map(native).collect::<Vec<u8>>()
        };
        [after(0x36), after(0x5c)].concat()
    }

    fn left_by<V: Variant>(block: usize) {
        let (key, message) = (secret(32), secret(1300));
        let padded = [0, 0x36, 0x5c].map(|pad| key.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>()).concat();
        for backend in all_backends() {
            let batch = Batch::<V>::new().with_backend(backend);
            let setup = HmacKey::<V>::new(&key).with_backend(backend);
            let of_key = left_on_stack(&padded, || _ = setup.hasher().update(&message).finalize());
            assert_eq!(of_key, 0, "{backend:?}: words of the key");

            let mut hasher = Hasher::<V>::new().with_backend(backend);
            let of_message = left_on_stack(&message, || _ = hasher.update(&message).finalize());
            assert!(of_message <= block / 4, "{backend:?}: {of_message} words of the message are more than two blocks");

            let most = block / 8 * (lanes::<V>(backend) + 1);
            let mut hashes = vec![batch.hash(b""); 9];
            let messages: Vec<&[u8]> = (0..9).map(|i| &message[8 * i..][..130 * i]).collect();
            let of_message = left_on_stack(&message, || batch.hash_many_into(&messages, &mut hashes).unwrap());
            assert!(of_message <= most, "{backend:?}: {of_message} words are more than a block for each lane");
            let midstates = midstates::<V>(&key, block);
            let (one, tag) = (&messages[..1], &mut hashes[..1]);
            let of_key = left_on_stack(&midstates, || setup.hash_many_into(one, tag).unwrap());
            assert_eq!(of_key, 0, "{backend:?}: words of the key's hash values");
            // A kernel for lanes may leave what it began with, until it runs again.
            let of_key = left_on_stack(&midstates, || setup.hash_many_into(&messages, &mut hashes).unwrap());
            assert!(of_key <= block / 8, "{backend:?}: {of_key} words are more than the key's two hash values");
            let of_key = left_on_stack(&midstates, || _ = setup.hash(&message));
            assert_eq!(of_key, 0, "{backend:?}: words of the key's hash values");
            let of_message = left_on_stack(&message, || setup.hash_many_into(&messages, &mut hashes).unwrap());
            assert!(of_message <= most, "{backend:?}: {of_message} words are more than a block for each lane");
            let mut begun = setup.hasher();
            begun.update(&message[..310]);
            let of_key = left_on_stack(&midstates, || begun.hash_many_into(&messages, &mut hashes).unwrap());
            assert!(of_key <= block / 8, "{backend:?}: {of_key} words are more than the key's two hash values");
            let mut begun = Hasher::<V>::new().with_backend(backend);
            begun.update(&message[..310]);
            let of_message = left_on_stack(&message, || begun.hash_many_into(&messages, &mut hashes).unwrap());
            assert!(of_message <= most, "{backend:?}: {of_message} words are more than a block for each lane");
            let begun = |i: usize| {
                let mut hasher = Hasher::<V>::new().with_backend(backend);
                hasher.update(&message[..140 * i]);
                hasher
            };
            let hashers: Vec<_> = (0..9).map(begun).collect();
            let hashers: Vec<_> = hashers.iter().collect();
            let of_message = left_on_stack(&message, || finalize_many(&hashers, &mut hashes).unwrap());
            assert!(
                of_message <= most,
                "{backend:?}: {of_message} words of the ends are more than a block for each lane"
            );
        }
    }
}

#[cfg(feature = "blake3")]
mod of_blake3 {
    use std::collections::HashSet;

    use simd_digest::Blake3;
    use simd_digest::blake3::hazmat::{ChainingValue, State, subtrees};
    use simd_digest::blake3::{Hasher, Mode, finalize_many, lanes, update_many};
    use simd_digest::digest::{KeyInit, Update};
    use test_crates::memchr::memmem;

    use super::common::backends::all_backends;
    use super::{PART, before_and_after_drop, freed_with, left_on_stack, secret, words};

    const CHUNK: usize = 1024;

    fn key() -> [u8; 32] {
        secret(32).try_into().unwrap()
    }

    fn mode() -> Mode {
        Mode::keyed(&key())
    }

    /// As the words are in memory.
    fn native(cv: &[u8; 32]) -> Vec<u8> {
        let words = cv.as_chunks::<4>().0;
        words.iter().flat_map(|word| u32::from_le_bytes(*word).to_ne_bytes()).collect()
    }

    /// The chaining values of all subtrees of whole chunks, by which the tree is known.
    fn chaining_values(mode: &Mode, message: &[u8]) -> Vec<ChainingValue> {
        let group = |group: u32| {
            let mut cvs = vec![[0; 32]; message.len().div_ceil(CHUNK << group)];
            subtrees(message, 0, group, mode, &mut cvs).unwrap();
            cvs
        };
        (0..6).flat_map(group).collect()
    }

    /// `value` has `secrets` words to hide at least, one of `known` in it, and leaves no part of any.
    fn leaves_nothing<T>(what: &str, secrets: usize, known: &[Vec<u8>], value: T) {
        let (before, after) = before_and_after_drop(value);
        let looks_random = words(&before).len();
        assert!(looks_random >= secrets, "{what}: {looks_random} words, but there should be {secrets} to wipe");
        let found = known.iter().any(|known| memmem::find(&before, known).is_some());
        assert!(found, "{what}: it is elsewhere");
        let known = known.concat();
        let mut left = after.windows(PART).filter(|part| **part != [0; PART] && memmem::find(&known, part).is_some());
        assert_eq!(left.next(), None, "{what}: of the key, the message or what is computed of them");
    }

    #[test]
    fn trap_secrets_left_in_values() {
        let message = secret(40 * CHUNK);
        let parts: HashSet<&[u8]> = message.windows(PART).collect();
        let key = vec![native(&key())];
        for backend in all_backends() {
            let mode = mode().with_backend(backend);
            leaves_nothing("Mode", 3, &key, mode.clone());
            leaves_nothing("Hasher", 3, &key, mode.hasher());
            let context_key = vec![native(&::blake3::hazmat::hash_derive_key_context("a context"))];
            leaves_nothing("Mode of a context", 3, &context_key, Mode::derive_key("a context").with_backend(backend));
            // In the first chunk, with all of a chunk, with chunks in the stack, gathered and not.
            for length in [100, 570, 1024, 1025, 3000, 5 * CHUNK + 100, 16 * CHUNK, 39 * CHUNK + 77] {
                let known: Vec<Vec<u8>> = chaining_values(&mode, &message[..length]).iter().map(native).collect();
                for size in [length, 700, 1024] {
                    let mut hasher = mode.hasher();
                    message[..length].chunks(size).for_each(|piece| _ = hasher.update(piece));
                    let case = |what: &str| format!("{what}, {length} bytes, pieces of {size}, {backend:?}");
                    let held = message[..length].chunks(32).map(<[u8]>::to_vec);
                    // Beyond a chunk, subtrees and what is gathered are on the heap.
                    let least = if length > CHUNK { 3 } else { 6 };
                    let all: Vec<Vec<u8>> = key.iter().cloned().chain(known.clone()).chain(held).collect();
                    leaves_nothing(&case("Hasher"), least, &all, hasher.clone());
                    leaves_nothing(&case("State"), least, &all, State::from(&hasher));
                    let mut bytes = [0; State::MAX_LEN];
                    let written = State::from(&hasher).to_bytes(&mut bytes).unwrap();
                    let restored = State::from_bytes(&bytes[..written]).unwrap();
                    leaves_nothing(&case("State, restored"), least, &all, restored);
                    let restored = Hasher::from(State::from_bytes(&bytes[..written]).unwrap());
                    leaves_nothing(&case("Hasher, restored"), least, &all, restored);
                    let mut other = mode.hasher();
                    update_many(&mut [(&mut hasher, &message[..570]), (&mut other, &message[..length])]);
                    leaves_nothing(&case("Hasher, updated in lanes"), least, &all, other);
                    // What was there before is gone with the reset.
                    hasher.reset();
                    let (before, _) = before_and_after_drop(hasher);
                    let left = before.windows(PART).any(|bytes| parts.contains(bytes));
                    assert!(!left, "{}", case("Hasher, reset"));
                    for known in &known {
                        assert_eq!(memmem::find(&before, known), None, "{}", case("Hasher, reset"));
                    }
                }
            }
            for length in [5, 64, 500, 5000] {
                let mut output = mode.hash_xof(&message[..length]);
                let root = vec![native(&key_of_root(&mode, &message[..length]))];
                leaves_nothing("OutputReader", 3, &root, output.clone());
                let mut read = [0; 500];
                output.fill(&mut read);
                let held = vec![root[0].clone(), read[448..480].to_vec()];
                leaves_nothing("OutputReader, read", 3, &held, output);
            }
            let mac = <Blake3 as KeyInit>::new_from_slice(&secret(32)).unwrap().with_backend(backend);
            leaves_nothing("Blake3", 3, &key, mac.clone());
            let all = [key[0].clone(), message[576..608].to_vec()];
            leaves_nothing("Blake3, updated", 6, &all, mac.chain(&message[..640]));
        }
    }

    /// The chaining value that the root's compression begins with: the key, or that of the blocks before.
    fn key_of_root(_: &Mode, message: &[u8]) -> [u8; 32] {
        if message.len() > CHUNK || message.len() <= 64 {
            return key();
        }
        let mut cv: [u32; 8] = {
            let words = key();
            core::array::from_fn(|i| u32::from_le_bytes(words[4 * i..][..4].try_into().unwrap()))
        };
        let blocks = message[..(message.len() - 1) / 64 * 64].as_chunks::<64>().0;
        for (i, block) in blocks.iter().enumerate() {
            simd_digest::blake3::hazmat::compress(&mut cv, block, 64, 0, 16 | u8::from(i == 0));
        }
        cv.map(u32::to_le_bytes).as_flattened().try_into().unwrap()
    }

    /// What is gathered and the chaining values of subtrees, on the heap: when a hasher or its clone is dropped, reset,
    /// or grows.
    #[test]
    fn trap_secrets_left_on_the_heap() {
        let message = secret(60 * CHUNK);
        // Of the first and the last complete subtree of each size.
        let cvs = |group: u32| {
            let mut cvs = vec![[0; 32]; message.len().div_ceil(CHUNK << group)];
            subtrees(&message, 0, group, &mode(), &mut cvs).unwrap();
            let whole = message.len() / (CHUNK << group);
            [cvs[0], cvs[whole - 1]]
        };
        let nodes: Vec<ChainingValue> = (0..6).flat_map(cvs).collect();
        let of_message = [16, 1500, 20_000, 61_000].map(|place| &message[place..][..8]);
        let wanted: Vec<&[u8]> = nodes.iter().map(|cv| &cv[..8]).chain(of_message).collect();
        for backend in all_backends() {
            for size in [17, 700, 1024, 3000, 20_000] {
                for word in &wanted {
                    let found = freed_with(word, || {
                        let mut hasher = mode().with_backend(backend).hasher();
                        for (i, piece) in message.chunks(size).enumerate() {
                            hasher.update(piece);
                            if i.is_multiple_of(19) {
                                drop(hasher.clone());
                                let mut copy = mode().hasher();
                                copy.update(&message[..3000]).update(b"more");
                                copy.clone_from(&hasher);
                            }
                        }
                        let _ = hasher.finalize();
                        let _ = hasher.finalize_xof();
                        let _ = Hasher::from(State::from(&hasher)).update(b"more").finalize();
                        hasher.reset();
                        message[..5000].chunks(size).for_each(|piece| _ = hasher.update(piece));
                        let moved = hasher;
                        drop(moved);
                    });
                    assert_eq!(found, 0, "{backend:?}, pieces of {size}");
                }
            }
        }
    }

    /// More subtrees than there was memory for at first: after a digest, nothing but the last chunk waits.
    #[test]
    fn trap_secrets_left_by_a_stack_that_grows() {
        let message = secret(511 * CHUNK + 1);
        let mut first = [[0; 32]];
        subtrees(&message[..256 * CHUNK], 0, 8, &mode(), &mut first).unwrap();
        for backend in all_backends() {
            let found = freed_with(&first[0][..8], || {
                let (most, last) = message.split_at(511 * CHUNK);
                let mut hasher = mode().with_backend(backend).hasher();
                let _ = hasher.update(most).finalize();
                let _ = hasher.update(last).clone().finalize();
            });
            assert_eq!(found, 0, "{backend:?}");
        }
    }

    /// The buffer of a reader is not the hasher's.
    #[cfg(feature = "std")]
    #[test]
    fn trap_secrets_left_in_the_buffer_of_a_reader() {
        let message = secret(100 * CHUNK);
        for word in [&message[16..24], &message[60_000..60_008], &message[102_000..102_008]] {
            let found = freed_with(word, || {
                let _ = mode().hasher().update_reader(&message[..]).unwrap().finalize();
            });
            assert_eq!(found, 0);
        }
    }

    /// Fills its buffer with the secret, and then fails in one of three ways.
    #[cfg(feature = "std")]
    struct Failing<'a>(&'a [u8], u8);

    #[cfg(feature = "std")]
    impl std::io::Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = buffer.len().min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            match self.1 {
                0 => Ok(buffer.len() + 1),
                1 => Err(std::io::ErrorKind::TimedOut.into()),
                _ => std::panic::resume_unwind(Box::new(())),
            }
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn trap_secrets_left_by_a_reader_that_fails() {
        let message = secret(64 * CHUNK);
        for how in 0..3 {
            for word in [&message[16..24], &message[60_000..60_008]] {
                let found = freed_with(word, || {
                    let mut hasher = mode().hasher();
                    let read = || hasher.update_reader(Failing(&message, how)).map(|_| ());
                    let result = std::panic::catch_unwind(core::panic::AssertUnwindSafe(read));
                    assert!(!matches!(result, Ok(Ok(()))));
                });
                assert_eq!(found, 0, "{how}");
            }
        }
    }

    /// Kernels leave behind what they had in registers: see the test for BLAKE2. That is a block for each lane, and the
    /// key as it begins every chunk and parent.
    #[test]
    fn trap_secrets_left_on_the_stack() {
        let (key, message) = (secret(32), secret(40 * CHUNK));
        for backend in all_backends() {
            let mode = mode().with_backend(backend);
            let most = 8 * (lanes(backend) + 1);
            let mut hasher = mode.hasher();
            let mut hashes = vec![mode.hash(b""); 9];
            let messages: Vec<&[u8]> = (0..9).map(|i| &message[8 * i..][..330 * i]).collect();
            let (mut output, mut short_output, mut other_output) = ([0; 3000], [0; 100], [0; 100]);
            type Work<'a> = (&'a str, Box<dyn FnMut() + 'a>);
            let mut works: Vec<Work<'_>> = vec![
                ("in one write", Box::new(|| _ = mode.hasher().update(&message).finalize())),
                ("at once", Box::new(|| _ = mode.hash(&message))),
                ("a block", Box::new(|| _ = mode.hash(&message[..64]))),
                ("a chunk", Box::new(|| _ = mode.hash(&message[..CHUNK]))),
                (
                    "in pieces",
                    Box::new(|| {
                        message.chunks(500).for_each(|piece| _ = hasher.update(piece));
                        let _ = hasher.finalize();
                    }),
                ),
                ("many", Box::new(|| mode.hash_many_into(&messages, &mut hashes).unwrap())),
                ("output", Box::new(|| mode.hash_xof(&message).fill(&mut output))),
                ("output of a block", Box::new(|| mode.hash_xof(&message[..64]).fill(&mut short_output))),
                (
                    "output of a hasher",
                    Box::new(|| mode.hasher().update(&message[..500]).finalize_xof().fill(&mut other_output)),
                ),
            ];
            for (what, work) in &mut works {
                let of_message = left_on_stack(&message, &mut *work);
                assert!(
                    of_message <= most,
                    "{backend:?}, {what}: {of_message} words are more than a block for each lane"
                );
                let of_key = left_on_stack(&key, &mut *work);
                assert!(of_key <= 4, "{backend:?}, {what}: {of_key} words are more than the key once");
            }
            drop(works);
            let begun = |i: usize| {
                let mut hasher = mode.hasher();
                message[..1400 * i].chunks(600).for_each(|piece| _ = hasher.update(piece));
                hasher
            };
            let hashers: Vec<Hasher> = (0..9).map(begun).collect();
            let hashers: Vec<&Hasher> = hashers.iter().collect();
            let of_message = left_on_stack(&message, || finalize_many(&hashers, &mut hashes).unwrap());
            assert!(
                of_message <= most,
                "{backend:?}: {of_message} words of the ends are more than a block for each lane"
            );
        }
    }
}

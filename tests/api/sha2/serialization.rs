//! The state of a hash as the crate `sha2` serialises it, and the state of a hasher as Go marshals it: their layout, there
//! and back, and states that no message leads to.

use simd_digest::Digest;
use simd_digest::StateError;
use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::sha2::Hasher;
use simd_digest::sha2::hazmat::State;
use simd_digest::{Backend, sha224, sha256, sha384, sha512};

use super::all_backends;
use super::traits::Traits;
use crate::common::cases::{fewer, fewer_far};
use crate::common::paint::paint;
use crate::common::sha2::{Word, for_all, hasher_on, of_peer};
use crate::common::vector::{Vector, bytes, number};

for_all! {
    layout_of_sha2,
    states_of_sha2_both_ways,
    another_hash_value_before_the_first_block,
    round_trip_at_every_position,
    more_held_than_there_can_be,
    something_after_what_is_held,
    states_of_go,
    layout_of_a_hasher,
    hashers_restored_at_every_position,
    of_no_hasher,
    flipped_bytes_are_refused_or_hash_on,
    nothing_secret_is_printed,
}

fn state<V: Traits>(length: usize) -> SerializedState<V::Digest> {
    V::Digest::new_with_prefix(paint(length)).serialize()
}

fn layout_of_sha2<V: Traits>() {
    let message = paint(V::at(200));
    for length in 0..=message.len() {
        let state = state::<V>(length);
        let blocks = length / V::BLOCK;
        let mut h = V::Word::of_little_endian(&V::Peer::new().serialize());
        V::Word::compress(&mut h, &message[..V::BLOCK * blocks]);
        let mut expected = V::Word::little_endian(h);
        expected.extend((blocks as u64).to_le_bytes());
        expected.resize(V::CORE_STATE, 0);
        expected.push(u8::try_from(length % V::BLOCK).unwrap());
        expected.extend(&message[V::BLOCK * blocks..length]);
        expected.resize(V::CORE_STATE + V::BLOCK, 0);
        assert_eq!(state[..], expected, "length {length}");
    }
}

/// The digest begins with the hash value of the state, also where a block has a way of its own.
fn another_hash_value_before_the_first_block<V: Traits>() {
    let message = paint(V::at(130));
    for length in [0, 1, 63, 64, 65, 128].map(V::at) {
        let mut state = state::<V>(0);
        state[3] ^= 1;
        let (mut ours, mut theirs) =
            (V::Digest::deserialize(&state).unwrap(), V::Peer::deserialize(&state[..].try_into().unwrap()).unwrap());
        ours.update(&message[..length]);
        theirs.update(&message[..length]);
        assert_eq!(ours.finalize()[..], theirs.finalize()[..], "length {length}");
    }
}

/// Whatever the one saves the other restores. Our buffer may hold a whole block, theirs never does.
fn states_of_sha2_both_ways<V: Traits>() {
    let message = paint(700);
    let digest = V::Peer::digest(&message);
    let positions = (0..=V::at(200)).step_by(V::BLOCK / 64).chain([127, 128, 255, 256, 257, 640]);
    for position in fewer_far(positions, |position| (position + 1) % V::BLOCK < 3) {
        let (begin, end) = message.split_at(position);
        let theirs = V::Peer::new_with_prefix(begin).serialize();
        for backend in all_backends() {
            for piece in [1, 7, 63, 64, 65, 127, 128, 700] {
                let mut hash = V::on(V::Digest::new(), backend);
                begin.chunks(piece).for_each(|piece| Digest::update(&mut hash, piece));
                assert_eq!(hash.serialize()[..], theirs[..], "{backend:?}, position {position}, pieces of {piece}");
            }
            let restored = V::on(V::Digest::deserialize(&theirs[..].try_into().unwrap()).unwrap(), backend);
            assert_eq!(restored.serialize()[..], theirs[..], "{backend:?}, position {position}");
            assert_eq!(restored.clone().finalize()[..], V::Peer::digest(begin)[..], "{backend:?}, {position}");
            assert_eq!(restored.chain_update(end).finalize(), digest, "{backend:?}, position {position}");
        }
        let restored = V::Peer::deserialize(&state::<V>(position)[..].try_into().unwrap()).unwrap();
        assert_eq!(restored.chain_update(end).finalize(), digest, "position {position}");
    }
}

fn round_trip_at_every_position<V: Traits>() {
    let message = paint(400);
    let digest = V::Digest::digest(&message);
    for position in 0..=300 {
        let (begin, end) = message.split_at(position);
        let state = state::<V>(begin.len());
        let resumed = V::Digest::deserialize(&state).unwrap();
        assert_eq!(resumed.serialize(), state, "position {position}");
        let mut resumed = resumed.chain_update(end);
        for _ in 0..2 {
            assert_eq!(resumed.finalize_reset(), digest, "position {position}");
            Digest::update(&mut resumed, &message);
        }
    }
}

fn more_held_than_there_can_be<V: Traits>() {
    for length in [0, 1, 64, 100] {
        for held in u8::try_from(V::BLOCK).unwrap()..=255 {
            let mut state = state::<V>(length);
            state[V::CORE_STATE] = held;
            assert!(V::Digest::deserialize(&state).is_err(), "{held} held");
            assert!(V::Peer::deserialize(&state[..].try_into().unwrap()).is_err(), "{held} held");
        }
    }
}

fn something_after_what_is_held<V: Traits>() {
    for length in [0, 1, 62, 63, 65, 96, 128].map(V::at) {
        let mut state = state::<V>(length);
        for place in V::CORE_STATE + 1 + length % V::BLOCK..V::CORE_STATE + V::BLOCK {
            state[place] = 1;
            assert!(V::Digest::deserialize(&state).is_err(), "length {length}, place {place}");
            assert!(V::Peer::deserialize(&state[..].try_into().unwrap()).is_err(), "length {length}, place {place}");
            state[place] = 0;
        }
        assert!(V::Digest::deserialize(&state).is_ok());
    }
}

fn save<V: Traits>(hasher: &Hasher<V>) -> Vec<u8> {
    State::from(hasher).to_bytes().as_ref().to_vec()
}

fn restore<V: Traits>(bytes: &[u8]) -> Result<Hasher<V>, StateError> {
    State::from_bytes(bytes).map(Hasher::from)
}

/// Made by Go itself: see `tests/data/sha2/go`.
fn states_of_go<V: Traits>() {
    let name = V::NAME_OF_HASH.to_lowercase();
    let mut states = 0;
    for vector in Vector::all(include_str!("../../data/sha2/go.txt")).filter(|vector| vector.text("hash") == name) {
        let message = paint(number(vector.text("length")));
        let state = bytes(vector.text("state"));
        let restored = restore::<V>(&state).unwrap();
        assert_eq!(restored.finalize().to_string(), vector.text("digest"), "{vector:?}");
        assert_eq!(restored.count(), message.len() as u64);
        for backend in all_backends() {
            let mut hasher = hasher_on::<V>(backend);
            hasher.update(&message);
            assert_eq!(save(&hasher), state, "{backend:?}, {vector:?}");
            let mut restored = restore::<V>(&state).unwrap().with_backend(backend);
            assert_eq!(save(&restored), state, "{backend:?}, {vector:?}");
            let whole = [&message[..], b"and more"].concat();
            assert_eq!(restored.update(b"and more").finalize(), of_peer::<V>(&whole), "{backend:?}, {vector:?}");
        }
        states += 1;
    }
    assert_eq!(states, 13);
}

/// Magic, chaining value, bytes held and zeros, bytes so far: all big-endian.
fn layout_of_a_hasher<V: Traits>() {
    let message = paint(300);
    for length in 0..=message.len() {
        let mut hasher = Hasher::<V>::new();
        hasher.update(&message[..length]);
        let theirs = V::Peer::new_with_prefix(&message[..length]).serialize();
        let mut expected = V::STATE_BEGINS.to_vec();
        expected.extend(V::Word::big_endian(V::Word::of_little_endian(&theirs[..V::VALUE])));
        expected.extend(&message[length - length % V::BLOCK..length]);
        expected.resize(4 + V::VALUE + V::BLOCK, 0);
        expected.extend((length as u64).to_be_bytes());
        assert_eq!(save(&hasher), expected, "length {length}");
    }
}

/// Lengths of the arrays of each module.
#[test]
fn states_of_the_modules() {
    let bytes: [u8; 108] = sha256::hazmat::State::from(&sha256::Hasher::new()).to_bytes();
    assert!(sha256::hazmat::State::from_bytes(&bytes).is_ok());
    assert!(sha224::hazmat::State::from_bytes(&bytes).is_err(), "of the other hash");
    let bytes: [u8; 108] = sha224::hazmat::State::from(&sha224::Hasher::new()).to_bytes();
    assert!(sha224::hazmat::State::from_bytes(&bytes).is_ok());
    assert!(sha256::hazmat::State::from_bytes(&bytes).is_err(), "of the other hash");
    let bytes: [u8; 204] = sha512::hazmat::State::from(&sha512::Hasher::new()).to_bytes();
    assert!(sha512::hazmat::State::from_bytes(&bytes).is_ok());
    assert!(sha384::hazmat::State::from_bytes(&bytes).is_err(), "of the other hash");
    assert_eq!(sha256::hazmat::State::from_bytes(&bytes).unwrap_err(), StateError::Length);
}

/// On every backend before and after.
fn hashers_restored_at_every_position<V: Traits>() {
    let message = paint(260);
    let digest = of_peer::<V>(&message);
    for position in 0..=200 {
        let (begin, end) = message.split_at(position);
        for before in all_backends() {
            let mut hasher = hasher_on::<V>(before);
            let state = save(hasher.update(begin));
            let restored = restore::<V>(&state).unwrap();
            assert_eq!(restored.backend(), Backend::best());
            assert_eq!(restored.count(), position as u64);
            assert_eq!(save(&restored), state, "position {position}");
            for after in all_backends() {
                let mut restored = restored.clone().with_backend(after);
                assert_eq!(restored.update(end).finalize(), digest, "position {position}, {before:?}, {after:?}");
                restored.reset();
                assert_eq!(restored.update(&message).finalize(), digest, "reset, position {position}, {after:?}");
            }
        }
    }
}

fn of_no_hasher<V: Traits>() {
    let mut hasher = Hasher::<V>::new();
    let state = save(hasher.update(&paint(100)));
    let error = |state: &[u8]| restore::<V>(state).map(|_| ()).unwrap_err();
    for length in (0..=300).filter(|&length| length != state.len()) {
        let mut other = state.clone();
        other.resize(length, 0);
        error(&other);
    }
    for place in 0..4 {
        for flip in 1..=255 {
            let mut other = state.clone();
            other[place] ^= flip;
            error(&other);
        }
    }
    // Something after the bytes that are held.
    for place in 4 + V::VALUE + 100 % V::BLOCK..4 + V::VALUE + V::BLOCK {
        let mut other = state.clone();
        other[place] = 1;
        error(&other);
    }
    // Nothing is compressed, so the chaining value is the first.
    for length in [0, 1, 63].map(V::at) {
        let state = save(Hasher::<V>::new().update(&paint(length)));
        for place in 4..4 + V::VALUE {
            let mut other = state.clone();
            other[place] ^= 1;
            error(&other);
        }
    }
}

/// Also counts that no message has: nothing panics, and all backends agree.
fn flipped_bytes_are_refused_or_hash_on<V: Traits>() {
    let message = paint(V::at(200));
    let (mut refused, mut taken) = (0, 0);
    for length in [0, 1, 63, 64, 65, 128, 192].map(V::at) {
        let mut state = save(Hasher::<V>::new().update(&message[..length]));
        for place in 0..state.len() {
            for flip in fewer(place, [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
                state[place] ^= flip;
                if let Ok(restored) = restore::<V>(&state) {
                    taken += 1;
                    assert_eq!(save(&restored), state, "length {length}, byte {place}, {flip:#x}");
                    let _ = format!("{restored:?}");
                    let digests: Vec<_> = all_backends()
                        .map(|backend| {
                            let mut restored = restored.clone().with_backend(backend);
                            let digest = restored.finalize();
                            (digest, restored.update(&message[..65]).finalize(), restored.count())
                        })
                        .collect();
                    assert!(digests.iter().all(|digest| *digest == digests[0]), "{length}, byte {place}, {flip:#x}");
                } else {
                    refused += 1;
                }
                state[place] ^= flip;
            }
        }
        assert!(restore::<V>(&state).is_ok());
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

fn nothing_secret_is_printed<V: Traits>() {
    let mut hasher = Hasher::<V>::new();
    hasher.update(&paint(100));
    assert_eq!(format!("{:?}", State::from(&hasher)), "State { .. }");
    let error = restore::<V>(b"").map(|_| ()).unwrap_err();
    assert!(!error.to_string().is_empty());
}

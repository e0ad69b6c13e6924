//! The compression function against the crate `sha2`'s, and counts of blocks that no message here reaches.

use simd_digest::digest::common::hazmat::{SerializableState, SerializedState};
use simd_digest::sha2::{Hash, Hasher, finalize_many, hazmat, update_many};
use simd_digest::{Backend, Digest};

use super::all_backends;
use super::traits::Traits;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{Word, for_each, from_middle, of_bytes, on, other};

for_each! {
    trap_two_different_blocks_in_one_call,
    trap_equal_blocks_in_lanes,
    trap_length_in_bits,
    counts_beyond_the_standard,
    lanes_with_counts_of_their_own,
}

fn any_chain<W: Word>(random: &mut Random) -> [W; 8] {
    core::array::from_fn(|_| W::any(random))
}

/// `sha2` 0.9.7 read the second block of a pair from the wrong place (RUSTSEC-2021-0100), which its test with equal
/// blocks did not notice. No two blocks here are equal.
fn trap_two_different_blocks_in_one_call<V: Traits>() {
    let mut random = Random::new(2021);
    let memory = paint(V::BLOCK * 251);
    for count in 0..=4 * 16 + 1 {
        for begin in [0, 1, 63] {
            let start = any_chain(&mut random);
            let blocks = &memory[begin..][..V::BLOCK * count];
            let (mut h, mut expected) = (start, start);
            V::compress(&mut h, blocks);
            V::Word::compress(&mut expected, blocks);
            assert_eq!(h, expected, "{count} blocks");

            for backend in all_backends() {
                let mut hash = resume::<V>(start, 0, b"", backend);
                Digest::update(&mut hash, blocks);
                let (state, core) = (hash.serialize(), V::CORE_STATE);
                let expected = state_of::<V>(expected, count as u64, b"");
                assert_eq!(state[..core], expected[..core], "{backend:?}, {count} blocks");
            }
        }
    }
}

/// The same side by side: messages of 1 to 4 times as many blocks as there are lanes, none of which is like another.
fn trap_equal_blocks_in_lanes<V: Traits>() {
    let memory = paint(V::BLOCK * 251);
    for backend in all_backends() {
        for blocks in 1..=4 * simd_digest::sha2::lanes::<V>(backend) + 1 {
            for count in [1, 2, 3, 4, 7, 8, 16, 17] {
                let messages: Vec<&[u8]> = (0..count).map(|i| &memory[V::BLOCK * i..][..V::BLOCK * blocks]).collect();
                let mut hashes = vec![other(); count];
                on::<V>(backend).hash_many_into(&messages, &mut hashes).unwrap();
                for (i, hash) in hashes.iter().enumerate() {
                    assert_eq!(*hash, V::Peer::digest(messages[i])[..], "{backend:?}, {blocks} blocks, {i} of {count}");
                }
            }
        }
    }
}

/// The serialised state of a hash of which `blocks` blocks were compressed to `h` and `held` are held: see
/// `tests/api/sha2/serialization.rs`.
fn state_of<V: Traits>(h: [V::Word; 8], blocks: u64, held: &[u8]) -> Vec<u8> {
    let mut bytes = V::Word::little_endian(h);
    bytes.extend(blocks.to_le_bytes());
    bytes.resize(V::CORE_STATE, 0);
    bytes.push(u8::try_from(held.len()).unwrap());
    bytes.extend(held);
    bytes.resize(V::CORE_STATE + V::BLOCK, 0);
    bytes
}

fn resume<V: Traits>(h: [V::Word; 8], blocks: u64, held: &[u8], backend: Backend) -> V::Digest {
    let state = SerializedState::<V::Digest>::try_from(&state_of::<V>(h, blocks, held)[..]).unwrap();
    V::on(V::Digest::deserialize(&state).unwrap(), backend)
}

/// The hash of what goes on from `h`, shortened as the variant is.
fn expected<V: Traits>(h: [V::Word; 8], blocks: u64, rest: &[u8]) -> Hash<V> {
    of_bytes(&V::Word::big_endian(from_middle(h, blocks, rest))[..V::LENGTH])
}

/// Blocks before those at which the length in bytes or bits reaches 2^32, 2^35 and others.
fn counts() -> impl Iterator<Item = u64> {
    let edges = [29, 32, 35, 38, 40, 48, 58].map(|bit| 1_u64 << bit);
    edges.into_iter().flat_map(|bits| (0..4).map(move |below| (bits / 64 * 8).div_ceil(8) - below))
}

/// isa-l took 4 GiB at a time; others counted bits in 32 bits. The state stands for the bytes that were hashed before.
fn trap_length_in_bits<V: Traits>() {
    let mut random = Random::new(32);
    let message = paint(V::at(400));
    for blocks in counts() {
        for (held, length) in
            [(0, 0), (0, 1), (1, 1), (1, 55), (1, 56), (63, 63), (63, 64), (5, 191), (5, 192), (0, 400)]
        {
            let (held, length) = (V::at(held), V::at(length));
            let h = any_chain(&mut random);
            let digest = expected::<V>(h, blocks, &message[..length]);
            for backend in all_backends() {
                let mut hash = resume::<V>(h, blocks, &message[..held], backend);
                for piece in random.pieces(&message[held..length]) {
                    Digest::update(&mut hash, piece);
                }
                assert_eq!(hash.finalize()[..], *digest.as_ref(), "{backend:?}, {length} bytes after {blocks} blocks");
            }
        }
    }
}

/// The standard of SHA-256 ends at 2^64 − 1 bits. Beyond them the length wraps around, and nothing panics. That of
/// SHA-512 goes on, and the count carries into the upper half of the length. A state of 2^64 bytes is refused.
fn counts_beyond_the_standard<V: Traits>() {
    let mut random = Random::new(64);
    let message = paint(V::at(300));
    let edges =
        [1 << 54, 1 << 55, 1 << 58, 1 << 61, 1 << 63, 0].map(|edge: u64| (1..=4).map(move |n| edge.wrapping_sub(n)));
    for blocks in edges.into_iter().flatten() {
        if V::BLOCK == 128 && blocks >> 57 != 0 {
            let state = SerializedState::<V::Digest>::try_from(&state_of::<V>([0.into(); 8], blocks, b"")[..]).unwrap();
            assert!(V::Digest::deserialize(&state).is_err(), "after {blocks} blocks");
            continue;
        }
        for (held, length) in [(0, 0), (1, 1), (1, 63), (63, 64), (0, 65), (0, 300)] {
            let (held, length) = (V::at(held), V::at(length));
            let h = any_chain(&mut random);
            let digest = expected::<V>(h, blocks, &message[..length]);
            for backend in all_backends() {
                let mut hash = resume::<V>(h, blocks, &message[..held], backend);
                Digest::update(&mut hash, &message[held..length]);
                let after = blocks.wrapping_add((length / V::BLOCK) as u64);
                let state = hash.serialize();
                assert_eq!(
                    state[V::VALUE..][..8],
                    after.to_le_bytes(),
                    "{backend:?}, {length} bytes after {blocks} blocks"
                );
                assert_eq!(hash.finalize()[..], *digest.as_ref(), "{backend:?}, {length} bytes after {blocks} blocks");
            }
        }
    }
}

/// A hasher of the state that Go marshals, in which bytes are counted.
fn hasher_of<V: Traits>(h: [V::Word; 8], blocks: u64, held: &[u8], backend: Backend) -> Hasher<V> {
    let mut bytes = V::STATE_BEGINS.to_vec();
    bytes.extend(V::Word::big_endian(h));
    bytes.extend(held);
    bytes.resize(4 + V::VALUE + V::BLOCK, 0);
    bytes.extend((V::BLOCK as u64 * blocks + held.len() as u64).to_be_bytes());
    let state = hazmat::State::<V>::from_bytes(&bytes).unwrap();
    Hasher::from(state).with_backend(backend)
}

/// Each lane has its own length.
fn lanes_with_counts_of_their_own<V: Traits>() {
    let mut random = Random::new(16);
    let message = paint(500);
    let counts: Vec<u64> = counts().filter(|count| *count < 1 << 56).collect();
    for backend in all_backends() {
        for number in [2, 3, 4, 5, 8, 9, 16, 17, 33] {
            let starts: Vec<_> =
                (0..number).map(|i| (any_chain(&mut random), counts[i * 5 % counts.len()], i * 7 % V::BLOCK)).collect();
            let mut hashers: Vec<Hasher<V>> =
                starts.iter().map(|&(h, blocks, held)| hasher_of(h, blocks, &message[..held], backend)).collect();
            let data: Vec<&[u8]> = starts.iter().enumerate().map(|(i, start)| &message[start.2..][..11 * i]).collect();
            update_many(&mut hashers.iter_mut().zip(data.iter().copied()).collect::<Vec<_>>());
            let mut hashes = vec![other(); number];
            finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
            for (i, &(h, blocks, held)) in starts.iter().enumerate() {
                let rest = &message[..held + data[i].len()];
                assert_eq!(hashes[i], expected::<V>(h, blocks, rest), "{backend:?}, {i} of {number}");
                assert_eq!(hashers[i].finalize(), hashes[i], "{backend:?}, {i} of {number}");
                assert_eq!(
                    hashers[i].count(),
                    V::BLOCK as u64 * blocks + rest.len() as u64,
                    "{backend:?}, {i} of {number}"
                );
            }
        }
    }
}

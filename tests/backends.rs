//! Every backend against `portable`, over lengths, pieces and places of the message.

use simd_digest::blake2::{Hash, Hasher, Params};
use simd_digest::{Backend, BackendError};

use self::flavour::{Flavour, for_both};
use self::paint::paint;
use self::random::Random;

#[path = "common/flavour.rs"]
mod flavour;
#[path = "common/paint.rs"]
mod paint;
#[path = "common/random.rs"]
mod random;

for_both! {
    every_length,
    any_pieces,
    any_place_in_memory,
    two_writes_of_every_length,
    two_writes_around_blocks_on_every_backend,
    relay,
    reset_begins_anew,
    the_message_may_be_overwritten,
}

fn portable() -> Backend {
    "portable".parse().unwrap()
}

/// Unkeyed and keyed, the last node of its depth or not.
fn all_params<F: Flavour>() -> [Params<F>; 4] {
    let keyed = Params::new().key(&paint(F::LONGEST / 2 + 8));
    [Params::new(), Params::new().last_node(true), keyed.clone(), keyed.last_node(true)]
}

fn hasher<F: Flavour>(params: &Params<F>, backend: Backend) -> Hasher<F> {
    params.hasher().unwrap().with_backend(backend)
}

fn every_length<F: Flavour>() {
    let message = paint(1100);
    for params in all_params::<F>() {
        for length in 0..=message.len() {
            let message = &message[..length];
            let digest = hasher(&params, portable()).update(message).finalize();
            for backend in Backend::available() {
                assert_eq!(hasher(&params, backend).update(message).finalize(), digest, "{backend}, length {length}");
            }
            assert_eq!(params.hash(message), Ok(digest), "one shot, length {length}");
        }
    }
}

fn any_pieces<F: Flavour>() {
    let message = paint(3000);
    let mut random = Random::new(12);
    for params in all_params::<F>() {
        for _ in 0..200 {
            let message = &message[..random.below(3000)];
            let digest = params.hash(message);
            for backend in Backend::available() {
                let mut hasher = hasher(&params, backend);
                let pieces = random.pieces(message);
                for piece in &pieces {
                    hasher.update(piece);
                }
                let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
                assert_eq!(Ok(hasher.finalize()), digest, "{backend}, pieces of {lengths:?}");
            }
        }
    }
}

/// Vectors are loaded from wherever the message lies.
fn any_place_in_memory<F: Flavour>() {
    let block = F::BLOCK;
    for length in [1, block / 2, block - 1, block, block + 1, 2 * block, 3 * block + 1] {
        let message = paint(length);
        let digest = hasher::<F>(&Params::new(), portable()).update(&message).finalize();
        for offset in 0..64 {
            let mut memory = vec![0xee; offset + length + 64];
            memory[offset..][..length].copy_from_slice(&message);
            for backend in Backend::available() {
                let mut hasher = hasher::<F>(&Params::new(), backend);
                assert_eq!(hasher.update(&memory[offset..][..length]).finalize(), digest, "{backend}, {offset}");
            }
        }
    }
}

/// The block held back: two writes are one, whether either ends inside, at or beyond a block.
fn two_writes<F: Flavour>(backend: Backend, lengths: &[usize]) {
    let message = paint(2 * (3 * F::BLOCK + 1));
    for params in all_params::<F>().iter().step_by(2) {
        let digests: Vec<Hash<F>> =
            (0..=message.len()).map(|length| params.hash(&message[..length]).unwrap()).collect();
        for &first in lengths {
            let mut begun = hasher(params, backend);
            begun.update(&message[..first]);
            for &second in lengths {
                let digest = begun.clone().update(&message[first..][..second]).finalize();
                assert_eq!(digest, digests[first + second], "{backend}, {first} + {second}");
            }
        }
    }
}

fn two_writes_of_every_length<F: Flavour>() {
    let lengths: Vec<usize> = (0..=3 * F::BLOCK + 1).collect();
    two_writes::<F>(portable(), &lengths);
}

fn two_writes_around_blocks_on_every_backend<F: Flavour>() {
    let near = |length: &usize| (length + 2) % F::BLOCK <= 4;
    let lengths: Vec<usize> = (0..=3 * F::BLOCK + 1).filter(near).collect();
    for backend in Backend::available() {
        two_writes::<F>(backend, &lengths);
    }
}

/// A hasher may change its backend in the middle of a message.
fn relay<F: Flavour>() {
    let message = paint(1000);
    let mut hasher = Hasher::<F>::new();
    for (piece, backend) in message.chunks(150).zip(Backend::available().collect::<Vec<_>>().into_iter().cycle()) {
        hasher = hasher.with_backend(backend);
        hasher.update(piece);
        assert_eq!(hasher.backend(), backend);
    }
    assert_eq!(Ok(hasher.finalize()), Params::new().hash(&message));
}

/// What a reset keeps: parameters, key and backend.
fn reset_begins_anew<F: Flavour>() {
    for params in all_params::<F>() {
        for backend in Backend::available() {
            let mut hasher = hasher(&params, backend);
            for length in [300, F::BLOCK, 0, 1] {
                hasher.update(&paint(length));
                assert_eq!(Ok(hasher.finalize()), params.hash(&paint(length)), "{backend}, length {length}");
                assert_eq!(hasher.count(), length as u128);
                hasher.reset();
                assert_eq!((hasher.count(), hasher.backend()), (0, backend));
            }
        }
    }
}

/// The bytes given to a hasher are its own from then on.
fn the_message_may_be_overwritten<F: Flavour>() {
    for backend in Backend::available() {
        let (mut hasher, mut bytes) = (Hasher::<F>::new().with_backend(backend), paint(300));
        hasher.update(&bytes);
        bytes.fill(0);
        assert_eq!(Ok(hasher.finalize()), Params::new().hash(&paint(300)), "{backend}");
    }
}

/// The digest is that of `head -c 4294967297 /dev/zero | b2sum`.
#[test]
#[ignore = "hashes 4 GiB on every backend"]
#[cfg(target_pointer_width = "64")]
fn more_than_4_gib_in_one_write() {
    more_than_4_gib::<simd_digest::blake2b::B>(
        "daaeb85783e53019eaded4ab665a2923adc72f57b7cb3ae163adc966f070f803\
         4222f5e9c9862b103c4c5ed38d5c10970c2fbc64d64b760a2be402af445afb59",
    );
}

/// The digest is that of Python's `hashlib.blake2s`.
#[test]
#[ignore = "hashes 4 GiB on every backend"]
#[cfg(target_pointer_width = "64")]
fn more_than_4_gib_of_blake2s_in_one_write() {
    more_than_4_gib::<simd_digest::blake2s::S>("bad88cce259c1bfc72612bd1968d14a9fe7766e36e1fcafc0aed77e08b8cc9e0");
}

#[cfg(target_pointer_width = "64")]
fn more_than_4_gib<F: Flavour>(expected: &str) {
    let zeros = vec![0; (1 << 32) + 1];
    for backend in Backend::available() {
        let digest = Hasher::<F>::new().with_backend(backend).update(&zeros).finalize();
        assert_eq!(digest.to_string(), expected, "{backend}");
    }
}

#[test]
fn chosen_by_name() {
    for backend in Backend::available() {
        assert_eq!(backend.to_string().parse(), Ok(backend));
        assert_eq!(format!("{backend:>9}|{backend:?}"), format!("{:>9}|Backend({})", backend.name(), backend.name()));
    }
    let unknown = "mmx".parse::<Backend>().unwrap_err();
    assert_eq!(unknown, BackendError::Unknown);
    assert!(unknown.to_string().contains("portable"), "{unknown}");
}

//! One message piece by piece: splits, digests in the middle, clones, resets, a change of the backend.

use simd_digest::Backend;
use simd_digest::digest::Update;
use simd_digest::sha2::Hasher;

use super::all_backends;
use crate::common::cases::fewer_far;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{Family, for_each, hasher_on, of_peer};

for_each! {
    all_splits,
    any_pieces,
    finalize_twice_and_go_on,
    reset_begins_anew,
    clones_go_their_own_way,
    relay,
    counts_bytes,
    updated_by_the_trait,
    #[cfg(feature = "std")] as_a_writer,
    debug_tells_no_secret,
    shared_between_threads,
}

/// In two at every place, and in three around the places where a block or its length ends.
fn all_splits<V: Family>() {
    let message = paint(V::at(4 * 64 + 3));
    let digests: Vec<_> = (0..=message.len()).map(|length| of_peer::<V>(&message[..length])).collect();
    let at_an_edge = |place: usize| [0, 1, 55, 56, 63].map(V::at).contains(&(place % V::BLOCK));
    for backend in all_backends() {
        for first in fewer_far(0..=message.len(), |&first| at_an_edge(first)) {
            let mut begun = hasher_on::<V>(backend);
            begun.update(&message[..first]);
            for second in fewer_far(first..=message.len(), |&second| at_an_edge(first) || at_an_edge(second)) {
                let mut hasher = begun.clone();
                hasher.update(&message[first..second]);
                assert_eq!(hasher.finalize(), digests[second], "{backend:?}, {first}, {second}");
                if at_an_edge(first) && at_an_edge(second) {
                    let hash = hasher.update(&message[second..]).finalize();
                    assert_eq!(hash, digests[message.len()], "{backend:?}, {first}, {second}, then all");
                }
            }
        }
    }
}

fn any_pieces<V: Family>() {
    let message = paint(5000);
    let mut random = Random::new(2561);
    for _ in 0..150 {
        let message = &message[random.below(100)..][..random.below(4900)];
        let digest = of_peer::<V>(message);
        for backend in all_backends() {
            let mut hasher = hasher_on::<V>(backend);
            let pieces = random.pieces(message);
            pieces.iter().for_each(|piece| _ = hasher.update(piece));
            let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
            assert_eq!(hasher.finalize(), digest, "{backend:?}, pieces of {lengths:?}");
        }
    }
}

/// A digest after every byte, twice.
fn finalize_twice_and_go_on<V: Family>() {
    let message = paint(200);
    for backend in all_backends() {
        let mut hasher = hasher_on::<V>(backend);
        for length in 0..message.len() {
            let digest = of_peer::<V>(&message[..length]);
            assert_eq!([hasher.finalize(), hasher.finalize()], [digest; 2], "{backend:?}, length {length}");
            hasher.update(&message[length..=length]);
        }
    }
}

/// A reset keeps the backend.
fn reset_begins_anew<V: Family>() {
    for backend in all_backends() {
        let mut hasher = hasher_on::<V>(backend);
        for length in [300, 64, 0, 1, 55, 56, 63, 128, 65].map(V::at) {
            hasher.update(&paint(length));
            assert_eq!(hasher.finalize(), of_peer::<V>(&paint(length)), "{backend:?}, length {length}");
            hasher.reset();
            assert_eq!((hasher.count(), hasher.backend()), (0, backend));
            assert_eq!(hasher.finalize(), of_peer::<V>(b""), "{backend:?}, after {length}");
        }
    }
}

fn clones_go_their_own_way<V: Family>() {
    let message = paint(500);
    for backend in all_backends() {
        for middle in [0, 1, 55, 63, 64, 65, 127, 128, 129, 256, 300] {
            let (begin, end) = message.split_at(middle);
            let mut first = hasher_on::<V>(backend);
            first.update(begin);
            let mut second = first.clone();
            assert_eq!(second.backend(), backend);
            assert_eq!(second.update(end).finalize(), of_peer::<V>(&message), "{backend:?}, {middle}");
            assert_eq!(first.finalize(), of_peer::<V>(begin), "{backend:?}, {middle}");
            assert_eq!(first.update(b"x").finalize(), of_peer::<V>(&[begin, b"x"].concat()), "{backend:?}, {middle}");
        }
    }
}

/// A hasher may change its backend in the middle of a message.
fn relay<V: Family>() {
    let message = paint(3000);
    let backends: Vec<Backend> = all_backends().collect();
    for size in [1, 63, 64, 150].map(V::at) {
        let mut hasher = Hasher::<V>::new();
        for (piece, backend) in message.chunks(size).zip(backends.iter().cycle()) {
            hasher = hasher.with_backend(*backend);
            hasher.update(piece);
            assert_eq!(hasher.backend(), *backend);
        }
        assert_eq!(hasher.finalize(), of_peer::<V>(&message));
    }
    assert_eq!(Hasher::<V>::new().backend(), Backend::best());
    assert_eq!(Hasher::<V>::default().finalize(), V::one_shot(b""));
}

fn counts_bytes<V: Family>() {
    for backend in all_backends() {
        let mut hasher = hasher_on::<V>(backend);
        let mut count = 0;
        for length in [0, 1, 62, 1, 64, 65, 0, 1000, 24].map(V::at) {
            hasher.update(&paint(length));
            count += length as u64;
            assert_eq!(hasher.count(), count, "{backend:?}");
        }
    }
}

/// Where the trait is in scope, the hasher's own `update` is called, which returns the hasher.
fn updated_by_the_trait<V: Family>() {
    fn absorb(hasher: &mut impl Update, message: &[u8]) {
        message.chunks(100).for_each(|piece| hasher.update(piece));
    }
    let message = paint(500);
    let mut hasher = Hasher::<V>::new();
    absorb(&mut hasher, &message);
    assert_eq!(hasher.finalize(), of_peer::<V>(&message));
    let chained = Hasher::<V>::new().chain(&message[..200]).chain(&message[200..]);
    assert_eq!(chained.finalize(), hasher.finalize());
    let own = Hasher::<V>::new().update(&message[..200]).update(&message[200..]).finalize();
    assert_eq!(own, hasher.finalize());
}

#[cfg(feature = "std")]
fn as_a_writer<V: Family>() {
    use std::io::{self, Write};

    let message = paint(100_000);
    let mut hasher = Hasher::<V>::new();
    assert_eq!(io::copy(&mut &message[..], &mut hasher).unwrap(), 100_000);
    hasher.flush().unwrap();
    assert_eq!(hasher.finalize(), of_peer::<V>(&message));
}

/// Neither the message nor what it was compressed to.
fn debug_tells_no_secret<V: Family>() {
    let mut hasher = Hasher::<V>::new();
    hasher.update(&paint(200));
    let backend = hasher.backend();
    assert_eq!(format!("{hasher:?}"), format!("Hasher {{ count: 200, backend: {backend:?}, .. }}"));
}

/// `zeebo/blake3` changed its hasher where it only made a digest of it.
fn shared_between_threads<V: Family>() {
    let message = paint(123);
    for backend in all_backends() {
        let mut hasher = hasher_on::<V>(backend);
        hasher.update(&message);
        let digests = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| hasher.finalize())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(digests, [of_peer::<V>(&message); 4], "{backend:?}");
    }
}

//! One message piece by piece: splits, digests in the middle, clones, resets, a change of the backend.

use simd_digest::Backend;
use simd_digest::blake3::{Hash, Hasher, finalize_many, hash};
use simd_digest::digest::Update;

use super::all_backends;
use crate::common::blake3::{CHUNK, CONTEXT, KEY, Kind, edges};
use crate::common::cases::fewer;
use crate::common::paint::paint;
use crate::common::random::Random;

/// Five chunks and a little more.
const MOST: usize = 5 * CHUNK + 1;

/// In two: all pairs of places beside the ends of blocks; in the other modes, which share the code, one of them is beside
/// the end of a chunk.
#[test]
fn trap_full_last_chunk_compressed_too_early() {
    let message = paint(MOST);
    let (blocks, chunks) = (edges(64, 5 * CHUNK), edges(CHUNK, 5 * CHUNK));
    for kind in Kind::ALL {
        let digests = kind.of_beginnings(&message);
        for backend in all_backends() {
            for (i, &first) in blocks.iter().enumerate() {
                let mut begun = kind.hasher_on(backend);
                begun.update(&message[..first]);
                let at_a_chunk = chunks.contains(&first);
                for &second in fewer(i, &blocks[i..]) {
                    if kind != Kind::Plain && !at_a_chunk && !chunks.contains(&second) {
                        continue;
                    }
                    let mut hasher = begun.clone();
                    hasher.update(&message[first..second]);
                    assert!(hasher.finalize() == digests[second], "{backend:?}, {kind:?}, {first}, {second}");
                }
            }
        }
    }
}

/// In three, all of them beside the end of a chunk; the digests in the middle are right, too.
#[test]
fn three_pieces() {
    let message = paint(MOST);
    let places = edges(CHUNK, 5 * CHUNK);
    let digests = Kind::Plain.of_beginnings(&message);
    for backend in all_backends() {
        for &first in &places {
            let mut begun = Kind::Plain.hasher_on(backend);
            begun.update(&message[..first]);
            for &second in places.iter().filter(|&&second| second >= first) {
                let mut middle = begun.clone();
                assert!(middle.update(&message[first..second]).finalize() == digests[second]);
                for &third in places.iter().filter(|&&third| third >= second) {
                    let mut hasher = middle.clone();
                    hasher.update(&message[second..third]);
                    assert!(hasher.finalize() == digests[third], "{backend:?}, {first}, {second}, {third}");
                }
            }
        }
    }
}

/// After every write of one size: the digest, twice, and the hasher goes on.
#[test]
fn finalize_after_every_write_and_go_on() {
    // Larger than all gathered bytes twice.
    let memory = paint(70 * CHUNK);
    let sizes = [
        (1, 2100),
        (63, 20 * CHUNK),
        (64, 36 * CHUNK),
        (65, 20 * CHUNK),
        (1000, 40 * CHUNK),
        (1023, 35 * CHUNK),
        (1024, 70 * CHUNK),
        (1025, 35 * CHUNK),
        (2048, 70 * CHUNK),
        (3000, 70 * CHUNK),
        (4096, 70 * CHUNK),
        (8192, 70 * CHUNK),
        (16_383, 70 * CHUNK),
        (16_384, 70 * CHUNK),
        (16_385, 70 * CHUNK),
        (33_000, 70 * CHUNK),
    ];
    for kind in [Kind::Plain, Kind::Keyed] {
        for (size, most) in sizes {
            let message = &memory[..most];
            let mut peer = kind.peer();
            let digests: Vec<Hash> =
                message.chunks(size).map(|piece| Hash::from_bytes(*peer.update(piece).finalize().as_bytes())).collect();
            for backend in all_backends() {
                let mut hasher = kind.hasher_on(backend);
                let mut count = 0;
                for (piece, digest) in message.chunks(size).zip(&digests) {
                    count += piece.len();
                    hasher.update(piece);
                    assert!(hasher.finalize() == *digest, "{backend:?}, {kind:?}, pieces of {size}, {count} bytes");
                    // The second time only now and then, which saves half of the time.
                    if count % 7 == 0 {
                        assert!(hasher.finalize() == *digest, "{backend:?}, {kind:?}, pieces of {size}, {count} twice");
                    }
                }
                assert_eq!(hasher.count(), most as u64);
            }
        }
    }
}

/// Pieces of any size, small and large in turn, and after some of them the digest of the bytes up to there.
#[test]
fn any_pieces() {
    let message = paint(150 * CHUNK);
    let mut random = Random::new(16_384);
    for round in 0..25 {
        let kind = Kind::ALL[round % 3];
        let message = &message[random.below(100)..][..random.below(148 * CHUNK as u64)];
        let mut ends = vec![0];
        while ends[ends.len() - 1] < message.len() {
            let length = match random.below(8) {
                0 => random.below(4),
                1 => random.below(200),
                2 => 64 * random.below(40),
                3 => CHUNK * random.below(5),
                4 => CHUNK * (1 << random.below(7)),
                5 => CHUNK * (1 + random.below(20)) - 1 + random.below(3),
                6 => random.below(3000),
                _ => random.below(40_000),
            };
            ends.push(message.len().min(ends[ends.len() - 1] + length));
        }
        let mut peer = kind.peer();
        let digests: Vec<Hash> = ends
            .windows(2)
            .map(|ends| Hash::from_bytes(*peer.update(&message[ends[0]..ends[1]]).finalize().as_bytes()))
            .collect();
        for backend in all_backends() {
            let mut hasher = kind.hasher_on(backend);
            for (ends, digest) in ends.windows(2).zip(&digests) {
                hasher.update(&message[ends[0]..ends[1]]);
                // A digest changes what the next write holds back.
                let told = match random.below(4) {
                    0 => continue,
                    1 => hasher.clone().finalize(),
                    2 => {
                        let mut hashes = [hash(b"")];
                        finalize_many(&[&hasher], &mut hashes).unwrap();
                        hashes[0]
                    }
                    _ => hasher.finalize(),
                };
                assert!(told == *digest, "{backend:?}, {kind:?}, pieces up to {ends:?}");
            }
            assert!(digests.last().is_none_or(|last| hasher.finalize() == *last), "{backend:?}, {kind:?}");
        }
    }
}

/// More than 256 KiB in odd pieces: the tree is deeper than what is gathered and whole subtrees end at other places.
#[test]
fn long_messages_in_odd_pieces() {
    let message = paint(300 * CHUNK + 77);
    let digest = Kind::Plain.of_peer(&message);
    for backend in all_backends() {
        assert_eq!(Kind::Plain.on(backend).hash(&message), digest, "{backend:?}");
        for size in [777, 1024, 4097, 16_383, 16_384, 16_385, 65_536, 65_537, 100_000, 262_143, 262_145] {
            let mut hasher = Kind::Plain.hasher_on(backend);
            message.chunks(size).for_each(|piece| _ = hasher.update(piece));
            assert_eq!(hasher.finalize(), digest, "{backend:?}, pieces of {size}");
        }
        // A first piece moves all others off the places where subtrees begin.
        for first in [1, 63, 64, 1023, 1024, 1025, 3 * CHUNK, 16 * CHUNK - 1, 17 * CHUNK] {
            let mut hasher = Kind::Plain.hasher_on(backend);
            hasher.update(&message[..first]).update(&message[first..]);
            assert_eq!(hasher.finalize(), digest, "{backend:?}, {first} bytes first");
        }
    }
}

/// A subtree is as large as the alignment of its beginning allows (BLAKE3 69): whatever came before, then much.
#[test]
fn trap_subtree_larger_than_its_alignment() {
    let message = paint(200 * CHUNK);
    for chunks in 0..=20 {
        for (i, beside) in [0, 1, 500, 1023].into_iter().enumerate() {
            let begin = CHUNK * chunks + beside;
            let lengths = [4 * CHUNK, 8 * CHUNK + 1, 16 * CHUNK, 31 * CHUNK, 64 * CHUNK, 64 * CHUNK + 1, 128 * CHUNK];
            for length in fewer(chunks + i, lengths) {
                let message = &message[..begin + length];
                let digest = Kind::Plain.of_peer(message);
                for backend in Backend::available() {
                    let mut hasher = Kind::Plain.hasher_on(backend);
                    hasher.update(&message[..begin]).update(&message[begin..]);
                    assert!(hasher.finalize() == digest, "{backend:?}, {begin}, then {length}");
                }
            }
        }
    }
}

/// A reset keeps key, mode and backend, at whatever state.
#[test]
fn reset_begins_anew() {
    let message = paint(40 * CHUNK);
    for kind in Kind::ALL {
        for backend in all_backends() {
            let mut hasher = kind.hasher_on(backend);
            for length in [300, 0, 1, 64, 1024, 1025, 5000, 16_384, 16_385, 40_000, 2048, 65] {
                let digest = kind.of_peer(&message[..length]);
                assert_eq!(hasher.update(&message[..length]).finalize(), digest, "{backend:?}, {kind:?}, {length}");
                assert_eq!(hasher.reset().count(), 0);
                assert_eq!(hasher.backend(), backend);
                assert_eq!(hasher.finalize(), kind.of_peer(b""), "{backend:?}, {kind:?}, after {length}");
                message[..length].chunks(100).for_each(|piece| _ = hasher.update(piece));
                assert_eq!(hasher.finalize(), digest, "{backend:?}, {kind:?}, {length} again");
                hasher.reset();
            }
        }
    }
}

#[test]
fn clones_go_their_own_way() {
    let message = paint(40 * CHUNK);
    for kind in Kind::ALL {
        for backend in all_backends() {
            for middle in [0, 1, 64, 1023, 1024, 1025, 2049, 5000, 16_383, 16_384, 16_385, 20_000, 33_000] {
                for piece in [100, 50_000] {
                    let (begin, end) = message.split_at(middle);
                    let mut first = kind.hasher_on(backend);
                    begin.chunks(piece).for_each(|piece| _ = first.update(piece));
                    let mut second = first.clone();
                    assert_eq!((second.backend(), second.count()), (backend, middle as u64));
                    assert_eq!(second.update(end).finalize(), kind.of_peer(&message), "{backend:?}, {middle}");
                    assert_eq!(first.finalize(), kind.of_peer(begin), "{backend:?}, {middle}");
                    let more = [begin, b"x"].concat();
                    assert_eq!(first.update(b"x").finalize(), kind.of_peer(&more), "{backend:?}, {middle}");
                }
            }
        }
    }
}

/// A clone into a hasher that was used: what that held is gone.
#[test]
fn cloned_into_another() {
    let message = paint(30 * CHUNK);
    for backend in all_backends() {
        for (ours, theirs) in [(5000, 300), (300, 5000), (20_000, 3000), (3000, 20_000), (0, 3000), (3000, 0)] {
            let begun = |kind: Kind, length: usize| {
                let mut hasher = kind.hasher_on(backend);
                message[..length].chunks(99).for_each(|piece| _ = hasher.update(piece));
                hasher
            };
            let (mut target, source) = (begun(Kind::Keyed, ours), begun(Kind::Plain, theirs));
            target.clone_from(&source);
            assert_eq!(target.finalize(), Kind::Plain.of_peer(&message[..theirs]), "{backend:?}");
            target.update(&message[theirs..]);
            assert_eq!(target.finalize(), Kind::Plain.of_peer(&message), "{backend:?}, {ours}, {theirs}");
        }
    }
}

/// A hasher may change its backend in the middle of a message, whatever is gathered.
#[test]
fn relay() {
    let message = paint(60 * CHUNK);
    let backends: Vec<Backend> = all_backends().collect();
    for size in [1000, 1024, 3000, 5000, 17_000] {
        let mut hasher = Hasher::new();
        for (piece, backend) in message.chunks(size).zip(backends.iter().cycle()) {
            hasher = hasher.with_backend(*backend);
            hasher.update(piece);
            assert_eq!(hasher.backend(), *backend);
        }
        for backend in all_backends() {
            hasher = hasher.with_backend(backend);
            assert_eq!(hasher.finalize(), Kind::Plain.of_peer(&message), "{backend:?}, {size}");
        }
    }
    assert_eq!(Hasher::new().backend(), Backend::best());
    assert_eq!(Hasher::default().finalize(), Kind::Plain.of_peer(b""));
}

/// Hashers of a mode begin as those of the constructors, and keep the mode's backend.
#[test]
fn hashers_of_a_mode() {
    let message = paint(3000);
    for kind in Kind::ALL {
        for backend in all_backends() {
            let mode = kind.on(backend);
            assert_eq!(mode.backend(), backend);
            for length in [0, 1, 1024, 3000] {
                let mut hasher = mode.hasher();
                assert_eq!((hasher.backend(), hasher.count()), (backend, 0));
                let digest = kind.of_peer(&message[..length]);
                assert_eq!(hasher.update(&message[..length]).finalize(), digest, "{backend:?}, {kind:?}, {length}");
                assert_eq!(mode.clone().hash(&message[..length]), digest, "{backend:?}, {kind:?}, {length}");
            }
        }
        assert_eq!(kind.mode().backend(), Backend::best());
    }
    assert_eq!(simd_digest::blake3::Mode::default().hash(b"abc"), Kind::Plain.of_peer(b"abc"));
}

#[test]
fn counts_bytes() {
    for backend in all_backends() {
        let mut hasher = Kind::Plain.hasher_on(backend);
        let mut count = 0;
        for length in [0, 1, 62, 1, 64, 896, 0, 1, 1023, 5000, 16_384, 3, 40_000, 0] {
            hasher.update(&paint(length));
            count += length as u64;
            assert_eq!(hasher.count(), count, "{backend:?}");
            let _ = hasher.finalize();
            assert_eq!(hasher.count(), count, "{backend:?}, after a digest");
        }
        hasher.reset();
        assert_eq!(hasher.count(), 0);
    }
}

/// Where the trait is in scope, the hasher's own `update` is called, which returns the hasher.
#[test]
fn updated_by_the_trait() {
    fn absorb(hasher: &mut impl Update, message: &[u8]) {
        message.chunks(100).for_each(|piece| hasher.update(piece));
    }
    let message = paint(5000);
    let mut hasher = Hasher::new();
    absorb(&mut hasher, &message);
    assert_eq!(hasher.finalize(), Kind::Plain.of_peer(&message));
    let chained = Hasher::new().chain(&message[..2000]).chain(&message[2000..]);
    assert_eq!(chained.finalize(), hasher.finalize());
    let own = Hasher::new().update(&message[..2000]).update(&message[2000..]).finalize();
    assert_eq!(own, hasher.finalize());
}

#[cfg(feature = "std")]
#[test]
fn as_a_writer() {
    use std::io::{self, Write};

    let message = paint(100_000);
    for kind in Kind::ALL {
        let mut hasher = kind.mode().hasher();
        assert_eq!(io::copy(&mut &message[..], &mut hasher).unwrap(), 100_000);
        hasher.flush().unwrap();
        assert_eq!(hasher.finalize(), kind.of_peer(&message));
    }
}

#[cfg(feature = "std")]
mod reader;

/// On all cores as on one, from any state and to any.
#[cfg(feature = "rayon")]
#[test]
fn on_all_cores() {
    let message = paint(5000 * CHUNK + 3);
    let around = |chunks: usize| [CHUNK * chunks - 1, CHUNK * chunks, CHUNK * chunks + 1];
    let long = [128, 256, 512, 1024, 5000].into_iter().flat_map(around);
    for length in fewer(0, edges(CHUNK, 4 * CHUNK).into_iter().chain(long)) {
        let digest = Kind::Keyed.of_peer(&message[..length]);
        for backend in Backend::available() {
            let begins = [0, 1, 1024, 3 * CHUNK, 17 * CHUNK + 5];
            for begin in fewer(length, begins).filter(|&begin| begin <= length) {
                let mut hasher = Kind::Keyed.hasher_on(backend);
                hasher.update(&message[..begin]).update_rayon(&message[begin..length]);
                assert_eq!(hasher.count(), length as u64);
                assert_eq!(hasher.finalize(), digest, "{backend:?}, {begin}, then up to {length}");
                if length < 300 * CHUNK {
                    let twice = [&message[..length], &message[..length]].concat();
                    hasher.update_rayon(&message[..length]);
                    assert_eq!(hasher.finalize(), Kind::Keyed.of_peer(&twice), "{backend:?}, {begin}, {length} twice");
                }
            }
        }
    }
}

/// Neither the message, nor the key, nor what they were compressed to.
#[test]
fn debug_tells_no_secret() {
    for kind in Kind::ALL {
        let mut hasher = kind.mode().hasher();
        hasher.update(&paint(5000));
        let backend = hasher.backend();
        assert_eq!(format!("{hasher:?}"), format!("Hasher {{ count: 5000, backend: {backend:?}, .. }}"));
        let text = format!("{:?}", kind.mode());
        assert!(text.starts_with("Mode {") && !text.contains('['), "{text}");
        for secret in [hex::encode(KEY), format!("{KEY:?}"), CONTEXT.to_owned()] {
            assert!(!text.contains(&secret), "{text}");
        }
    }
}

/// `zeebo/blake3` changed its hasher where it only made a digest of it.
#[test]
fn trap_finalize_changes_the_hasher() {
    fn thread_safe<T: Send + Sync + Unpin + Clone + 'static>() {}
    thread_safe::<Hasher>();
    thread_safe::<simd_digest::blake3::Mode>();
    thread_safe::<simd_digest::blake3::OutputReader>();
    thread_safe::<simd_digest::blake3::hazmat::State>();
    let message = paint(20_000);
    for backend in all_backends() {
        for length in [123, 1024, 1025, 5000, 16_384, 20_000] {
            for piece in [64, 20_000] {
                let mut hasher = Kind::Plain.hasher_on(backend);
                message[..length].chunks(piece).for_each(|piece| _ = hasher.update(piece));
                let digests = std::thread::scope(|scope| {
                    let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| hasher.finalize())).collect();
                    threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
                });
                assert_eq!(digests, [Kind::Plain.of_peer(&message[..length]); 4], "{backend:?}, {length}");
            }
        }
    }
}

//! BLAKE3 of what readers give, beside the crate `blake3`.

use std::io::ErrorKind;

use super::{CHUNK, Kind, Random, all_backends, paint};
use crate::common::reader::{Boastful, Fickle};

#[test]
fn of_any_length() {
    let memory = paint(200 * CHUNK);
    for (i, length) in [0, 1, 1023, 1024, 1025, 16_384, 16_385, 65_536, 65_537, 200_000].into_iter().enumerate() {
        let message = &memory[..length];
        for kind in Kind::ALL {
            for backend in all_backends() {
                for interruptions in [0, 3] {
                    let random = Random::new(i as u64 + 1);
                    let reader = Fickle { rest: message, random, error: None, interruptions };
                    let mut hasher = kind.hasher_on(backend);
                    let hash = hasher.update_reader(reader).unwrap().finalize();
                    assert_eq!(hash, kind.of_peer(message), "{backend:?}, {kind:?}, {length}");
                    assert_eq!(hasher.count(), length as u64);
                    // It goes on, from a slice.
                    let twice = [message, message].concat();
                    let hash = hasher.update_reader(message).unwrap().finalize();
                    assert_eq!(hash, kind.of_peer(&twice), "{backend:?}, {kind:?}, {length}");
                }
            }
        }
    }
}

/// The crate `blake3` panics. `Read` is a safe trait, so its word is no proof.
#[test]
fn trap_more_bytes_than_room() {
    let memory = paint(100 * CHUNK);
    for length in [0, 1, 70_000] {
        let message = &memory[..length];
        for claim in [1, 1000, usize::MAX] {
            let mut hasher = simd_digest::blake3::Hasher::new();
            let error = hasher.update_reader(Boastful { rest: message, claim }).map(|_| ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            assert!(error.to_string().contains("was given room for 65536"), "{error}");
            assert_eq!((hasher.count(), hasher.finalize()), (length as u64, Kind::Plain.of_peer(message)));
        }
    }
}

/// What came before the error is hashed, as in the crate `blake3`, and the hasher goes on.
#[test]
fn that_fails() {
    let memory = paint(100 * CHUNK);
    for length in [0, 1, 1024, 5000, 16_384, 70_000] {
        let message = &memory[..length];
        for backend in all_backends() {
            let fickle =
                || Fickle { rest: message, random: Random::new(5), error: Some(ErrorKind::TimedOut), interruptions: 2 };
            let mut hasher = Kind::Plain.hasher_on(backend);
            let error = hasher.update_reader(fickle()).map(|_| ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{backend:?}");
            let mut peer = ::blake3::Hasher::new();
            assert!(peer.update_reader(fickle()).is_err());
            assert_eq!((hasher.count(), peer.count()), (length as u64, length as u64), "{backend:?}");
            assert_eq!(hasher.finalize(), Kind::Plain.of_peer(message), "{backend:?}, {length}");
            let whole = [message, b"and more"].concat();
            assert_eq!(hasher.update(b"and more").finalize(), Kind::Plain.of_peer(&whole), "{backend:?}, {length}");
        }
    }
}

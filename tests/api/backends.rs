//! Every backend against `portable`, over lengths and pieces of the message.

use std::collections::{BTreeSet, HashSet};

use simd_digest::blake2::{Hasher, Params};
use simd_digest::{Backend, BackendError};

use crate::common::cases::{fewer, fewer_far};
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::random::Random;

for_both! {
    every_length,
    any_pieces,
    relay,
    reset_begins_anew,
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
        for length in fewer_far(0..=message.len(), |length| (length + 1) % F::BLOCK <= 2) {
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
        for _ in fewer(0, 0..200) {
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

#[test]
fn chosen_by_name() {
    for backend in Backend::available() {
        assert_eq!(backend.to_string().parse(), Ok(backend));
        let name = backend.name();
        assert_eq!(format!("{backend:>9}"), format!("{name:>9}"));
        let sha = if backend.sha() { ", sha" } else { "" };
        let tunings: Vec<_> = backend.tunings().map(|tuning| format!("{tuning:?}")).collect();
        let begin = format!("Backend({name}{sha}");
        assert!(tunings.iter().all(|tuning| tuning.starts_with(&begin)), "{tunings:?}");
        assert!(!tunings[1..].contains(&tunings[0]), "tunings are told apart: {tunings:?}");
    }
    let unknown = "mmx".parse::<Backend>().unwrap_err();
    assert_eq!(unknown, BackendError::Unknown);
    assert!(unknown.to_string().contains("portable"), "{unknown}");
}

#[test]
fn portable_is_always_there_and_last() {
    assert_eq!(Backend::available().last().map(Backend::name), Some("portable"));
}

/// The standard library detects by code of its own.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn features_are_those_of_the_standard_library() {
    use std::is_x86_feature_detected as has;

    let sse41 = has!("sse2") && has!("ssse3") && has!("sse4.1");
    let avx = sse41 && has!("avx");
    let avx2 = avx && has!("avx2");
    let avx512 = avx2 && has!("avx512f") && has!("avx512vl") && has!("avx512bw");
    let found = [("avx512", avx512), ("avx2", avx2), ("avx", avx), ("sse41", sse41), ("portable", true)];
    let names = found.into_iter().filter(|found| found.1).map(|found| found.0);
    assert!(Backend::available().map(Backend::name).eq(names), "{:?}", Backend::available().collect::<Vec<_>>());
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn sha_is_that_of_the_standard_library() {
    let sha = std::is_x86_feature_detected!("sha") && std::is_x86_feature_detected!("sse4.1");
    for backend in Backend::available() {
        assert_eq!(backend.sha(), sha && backend.name() != "portable");
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
#[test]
fn sha_is_that_of_the_standard_library() {
    for backend in Backend::available() {
        let has = backend.name() != "portable";
        assert_eq!(backend.sha(), has && std::arch::is_aarch64_feature_detected!("sha2"));
        let sha512 = format!("{backend:?}").contains(", sha512");
        assert_eq!(sha512, has && std::arch::is_aarch64_feature_detected!("sha3"));
    }
}

#[test]
fn order_and_hash_agree_with_equality() {
    let available: Vec<_> = Backend::available().collect();
    let mut sorted: Vec<_> = available.iter().copied().rev().collect();
    sorted.sort_unstable();
    assert_eq!(sorted, available);
    let all = || available.iter().copied().flat_map(Backend::tunings).flat_map(|one| [one, one.without_sha()]);
    let mut different = Vec::new();
    for backend in all() {
        if !different.contains(&backend) {
            different.push(backend);
        }
    }
    assert_eq!(all().collect::<BTreeSet<_>>().len(), different.len());
    assert_eq!(all().collect::<HashSet<_>>().len(), different.len());
}

#[test]
fn tunings_begin_with_the_backend_and_lead_back() {
    for backend in Backend::available() {
        let mut tunings = backend.tunings();
        assert_eq!(tunings.next(), Some(backend));
        for other in tunings {
            assert_ne!(other, backend);
            assert_eq!(other.name(), backend.name());
            assert!(other.tunings().any(|tuning| tuning == backend));
        }
    }
}

#[test]
fn names_are_the_way_back() {
    for backend in Backend::available() {
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.without_sha().name(), backend.name());
        assert_eq!(backend.without_sha().to_string(), backend.name());
    }
    assert_eq!("".parse::<Backend>(), Err(BackendError::Unknown));
    assert_eq!("AVX2".parse::<Backend>(), Err(BackendError::Unknown));
}

#[test]
fn a_few_bytes_with_or_without_an_option() {
    assert!(size_of::<Backend>() <= 4);
    assert!(size_of::<Option<Backend>>() <= 4);
}

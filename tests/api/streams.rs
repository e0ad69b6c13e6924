//! Many streams at once against one by one, written once for every hash: any number of them, with any number of bytes
//! held back and to come, of all backends.

use core::fmt::Debug;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::sha2::{Variant224, Variant256, Variant512};
use simd_digest::{Backend, blake2, blake2b, blake2s, blake3, sha2, sha256, sha512};

use crate::common::backends::all_backends;
use crate::common::paint::paint;
use crate::common::random::Random;

trait Streams: Clone {
    type Hash: Clone + Debug + PartialEq;

    /// A hasher whose key, if there is one, has to do with `number`.
    fn on(backend: Backend, number: usize) -> Self;
    fn append(&mut self, data: &[u8]);
    fn append_to_all(updates: &mut [(&mut Self, &[u8])]);
    fn end(&self) -> Self::Hash;
    fn end_all(hashers: &[&Self], hashes: &mut [Self::Hash]);
}

macro_rules! streams {
    ($($Hasher:ty, $Hash:ty, $family:ident: $make:expr;)+) => {
        $(impl Streams for $Hasher {
            type Hash = $Hash;

            fn on(backend: Backend, number: usize) -> Self {
                let make: fn(usize) -> Self = $make;
                make(number).with_backend(backend)
            }

            fn append(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn append_to_all(updates: &mut [(&mut Self, &[u8])]) {
                $family::update_many(updates);
            }

            fn end(&self) -> Self::Hash {
                self.finalize()
            }

            fn end_all(hashers: &[&Self], hashes: &mut [Self::Hash]) {
                $family::finalize_many(hashers, hashes).unwrap();
            }
        })+
    };
}

streams! {
    sha2::Hasher<Variant224>, sha2::Hash<Variant224>, sha2: |_| Self::new();
    sha2::Hasher<Variant256>, sha2::Hash<Variant256>, sha2: |_| Self::new();
    sha2::Hasher<Variant512>, sha2::Hash<Variant512>, sha2: |_| Self::new();
    blake2::Hasher<FlavourB>, blake2::Hash<FlavourB>, blake2: |number| {
        blake2::Params::new().key(&[7; 64][..number % 65]).last_node(number % 3 == 0).hasher().unwrap()
    };
    blake2::Hasher<FlavourS>, blake2::Hash<FlavourS>, blake2: |number| {
        blake2::Params::new().key(&[7; 32][..number % 33]).last_node(number % 3 == 0).hasher().unwrap()
    };
    blake3::Hasher, blake3::Hash, blake3: |number| match number % 3 {
        0 => Self::new(),
        _ => Self::new_keyed(&[u8::try_from(number).unwrap(); 32]),
    };
}

/// Data for one stream: of the lengths in a round there are one, a few, or many.
fn length(random: &mut Random, round: usize, equal: usize) -> usize {
    match round {
        0 => equal,
        1 => [0, 16, 64, 128, 200][random.below(5)],
        2 => random.below(130),
        3 => random.below(3000),
        _ => [0, 5000][random.below(2)] + random.below(70),
    }
}

fn any_number_of_streams<H: Streams>() {
    let message = paint(7000);
    let portable: Backend = "portable".parse().unwrap();
    let mut random = Random::new(33);
    for first in all_backends() {
        for number in [1, 2, 3, 4, 6, 7, 8, 9, 16, 17, 63, 64, 65, 130] {
            // Hashers of one backend, or of all in turn.
            let others: Vec<Backend> = if number % 2 == 0 { vec![first] } else { all_backends().collect() };
            let backends = core::iter::once(first).chain(others.into_iter().cycle());
            let mut together: Vec<H> = backends.take(number).enumerate().map(|(i, on)| H::on(on, i)).collect();
            let mut alone: Vec<H> = (0..number).map(|i| H::on(portable, i)).collect();
            let equal_begin = random.below(2) == 0;
            let [begin, equal] = [random.below(200), [64, 128, 100, 1000][random.below(4)]];
            for (a, b) in together.iter_mut().zip(&mut alone) {
                let held = if equal_begin { begin } else { random.below(200) };
                a.append(&message[..held]);
                b.append(&message[..held]);
            }
            for round in 0..5 {
                let data: Vec<&[u8]> =
                    (0..number).map(|i| &message[i..][..length(&mut random, round, equal)]).collect();
                H::append_to_all(&mut together.iter_mut().zip(data.iter().copied()).collect::<Vec<_>>());
                alone.iter_mut().zip(&data).for_each(|(hasher, data)| hasher.append(data));
                let expected: Vec<H::Hash> = alone.iter().map(H::end).collect();
                let name = format!("{first:?}, {number} streams, round {round}");
                assert_eq!(together.iter().map(H::end).collect::<Vec<_>>(), expected, "{name}");
                let mut hashes = vec![H::on(portable, 0).end(); number];
                H::end_all(&together.iter().collect::<Vec<_>>(), &mut hashes);
                assert_eq!(hashes, expected, "{name}, ended together");
            }
        }
    }
}

#[test]
fn any_number_of_streams_of_sha224() {
    any_number_of_streams::<sha2::Hasher<Variant224>>();
}

#[test]
fn any_number_of_streams_of_sha256() {
    any_number_of_streams::<sha2::Hasher<Variant256>>();
}

#[test]
fn any_number_of_streams_of_sha512() {
    any_number_of_streams::<sha2::Hasher<Variant512>>();
}

#[test]
fn any_number_of_streams_of_blake2b() {
    any_number_of_streams::<blake2::Hasher<FlavourB>>();
}

#[test]
fn any_number_of_streams_of_blake2s() {
    any_number_of_streams::<blake2::Hasher<FlavourS>>();
}

#[test]
fn any_number_of_streams_of_blake3() {
    any_number_of_streams::<blake3::Hasher>();
}

/// Jobs that were done have all their data, others have lost some, and all hashers can be used again.
macro_rules! panic_in_a_callback {
    ($($test:ident: $module:ident,)+) => {
        $(#[test]
        fn $test() {
            let message = paint(9000);
            for backend in all_backends() {
                let mut hashers = vec![$module::Hasher::new(); 40];
                let mut done = Vec::new();
                let jobs = hashers.iter_mut().enumerate().map(|(i, hasher)| (i, hasher, &message[..100 * i]));
                let result = catch_unwind(AssertUnwindSafe(|| {
                    $module::update_each(backend, jobs, |i| {
                        done.push(i);
                        assert!(done.len() < 20, "a callback that panics");
                    });
                }));
                assert!(result.is_err() && done.len() == 20);
                for (i, hasher) in hashers.iter_mut().enumerate() {
                    if done.contains(&i) {
                        assert_eq!(hasher.finalize(), $module::hash(&message[..100 * i]), "{backend:?}, job {i}");
                    }
                    assert!(u128::from(hasher.count()) <= 100 * i as u128);
                    hasher.update(&message);
                    _ = hasher.finalize();
                    hasher.reset();
                    assert_eq!(hasher.update(&message).finalize(), $module::hash(&message), "{backend:?}, job {i}");
                }
            }
        })+
    };
}

panic_in_a_callback! {
    panic_in_a_callback_of_sha256: sha256,
    panic_in_a_callback_of_sha512: sha512,
    panic_in_a_callback_of_blake2b: blake2b,
    panic_in_a_callback_of_blake2s: blake2s,
    panic_in_a_callback_of_blake3: blake3,
}

//! Many messages that share a beginning, against the digest of each whole message, written once for every hash: what the
//! hasher holds and the tails have any lengths, on all backends, and counts are about to carry.

use core::cell::RefCell;
use core::fmt::Debug;

use simd_digest::blake2::Flavour;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::blake3::hazmat::HasherExt;
use simd_digest::sha2::{Variant, Variant224, Variant256, Variant384, Variant512};
use simd_digest::{Backend, ManyError, blake2, blake3, sha2};

use crate::common::backends::all_backends;
use crate::common::cases::fewer;
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::random::Random;

trait Tails: Clone {
    const BLOCK: usize;
    type Hash: Clone + Debug + PartialEq + AsRef<[u8]>;

    /// A hasher whose key, if there is one, has to do with `number`.
    fn on(backend: Backend, number: usize) -> Self;
    fn append(&mut self, data: &[u8]);
    fn end(&self) -> Self::Hash;
    fn many_into(&self, tails: &[&[u8]], hashes: &mut [Self::Hash]) -> Result<(), ManyError>;
    fn many_flat(&self, tails: &[&[u8]], bytes: &mut [u8]) -> Result<(), ManyError>;
    fn with_all<T: AsRef<[u8]>>(&self, tails: &[T]) -> Vec<Self::Hash>;

    /// The hasher as if `bytes` had come, equally many beyond the last block or chunk, if it can be saved.
    fn counted(&self, bytes: u128) -> Option<Self>;

    /// The digest of each whole message.
    fn with_each(&self, tails: &[&[u8]]) -> Vec<Self::Hash> {
        let with = |tail: &&[u8]| {
            let mut own = self.clone();
            own.append(tail);
            own.end()
        };
        tails.iter().map(with).collect()
    }
}

macro_rules! tails {
    ($($Hasher:ty, $Hash:ty, $block:literal: $make:expr, $counted:expr;)+) => {
        $(impl Tails for $Hasher {
            const BLOCK: usize = $block;
            type Hash = $Hash;

            fn on(backend: Backend, number: usize) -> Self {
                let make: fn(usize) -> Self = $make;
                make(number).with_backend(backend)
            }

            fn append(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn counted(&self, bytes: u128) -> Option<Self> {
                let counted: fn(&Self, u128) -> Option<Self> = $counted;
                counted(self, bytes)
            }

            fn end(&self) -> Self::Hash {
                self.finalize()
            }

            fn many_into(&self, tails: &[&[u8]], hashes: &mut [Self::Hash]) -> Result<(), ManyError> {
                self.hash_many_into(tails, hashes)
            }

            fn many_flat(&self, tails: &[&[u8]], bytes: &mut [u8]) -> Result<(), ManyError> {
                self.hash_many_flat(tails, bytes)
            }

            fn with_all<T: AsRef<[u8]>>(&self, tails: &[T]) -> Vec<Self::Hash> {
                #[cfg(feature = "alloc")]
                return self.hash_many(tails);
                #[cfg(not(feature = "alloc"))]
                {
                    let mut hashes = vec![self.end(); tails.len()];
                    self.hash_many_into(tails, &mut hashes).unwrap();
                    hashes
                }
            }
        })+
    };
}

tails! {
    sha2::Hasher<Variant224>, sha2::Hash<Variant224>, 64: |_| Self::new(), counted_of_sha2;
    sha2::Hasher<Variant256>, sha2::Hash<Variant256>, 64: |_| Self::new(), counted_of_sha2;
    sha2::Hasher<Variant384>, sha2::Hash<Variant384>, 128: |_| Self::new(), counted_of_sha2;
    sha2::Hasher<Variant512>, sha2::Hash<Variant512>, 128: |_| Self::new(), counted_of_sha2;
    sha2::HmacHasher<Variant256>, sha2::Hash<Variant256>, 64: |number| {
        sha2::HmacKey::new(&[7; 99][..number % 100]).hasher()
    }, |_, _| None;
    sha2::HmacHasher<Variant512>, sha2::Hash<Variant512>, 128: |number| {
        sha2::HmacKey::new(&[7; 199][..number % 200]).hasher()
    }, |_, _| None;
    blake2::Hasher<FlavourB>, blake2::Hash<FlavourB>, 128: |number| {
        let params = blake2::Params::new().hash_length(1 + number % 64).key(&[7; 64][..number % 65]);
        params.salt(b"salt").last_node(number % 3 == 0).hasher().unwrap()
    }, counted_of_blake2;
    blake2::Hasher<FlavourS>, blake2::Hash<FlavourS>, 64: |number| {
        let params = blake2::Params::new().hash_length(1 + number % 32).key(&[7; 32][..number % 33]);
        params.salt(b"salt").last_node(number % 3 == 0).hasher().unwrap()
    }, counted_of_blake2;
    blake3::Hasher, blake3::Hash, 64: |number| match number % 3 {
        0 => Self::new(),
        1 => Self::new_keyed(&[u8::try_from(number % 256).unwrap(); 32]),
        _ => Self::new_derive_key("simd-digest 2026-11-27 tails"),
    }, counted_of_blake3;
}

/// The last field of a state is the length of the message in bytes.
fn counted_of_sha2<V: Variant>(hasher: &sha2::Hasher<V>, bytes: u128) -> Option<sha2::Hasher<V>> {
    let mut state = sha2::hazmat::State::from(hasher).to_bytes().as_ref().to_vec();
    let place = state.len() - 8;
    state[place..].copy_from_slice(&u64::try_from(bytes).ok()?.to_be_bytes());
    let state = sha2::hazmat::State::from_bytes(&state).ok()?;
    Some(sha2::Hasher::from(state).with_backend(hasher.backend()))
}

/// The count of compressed bytes, two words, lies after three fields of eight words.
fn counted_of_blake2<F: Flavour>(hasher: &blake2::Hasher<F>, bytes: u128) -> Option<blake2::Hasher<F>> {
    let mut state = blake2::hazmat::State::from(hasher).to_bytes().as_ref().to_vec();
    let place = 3 + 3 * F::LONGEST;
    let (block, words) = (2 * F::LONGEST, F::LONGEST / 4);
    let compressed = bytes.wrapping_sub(1) / block as u128 * block as u128;
    state[place..][..words].copy_from_slice(&compressed.to_le_bytes()[..words]);
    let state = blake2::hazmat::State::from_bytes(&state).ok()?;
    Some(blake2::Hasher::from(state).with_backend(hasher.backend()))
}

/// A part of a larger message, which begins with the chunk that `bytes` are in.
fn counted_of_blake3(hasher: &blake3::Hasher, bytes: u128) -> Option<blake3::Hasher> {
    let bytes = u64::try_from(bytes).ok()?;
    let mut part = hasher.clone();
    part.reset().set_input_offset(bytes / 1024 * 1024).ok()?;
    part.update(&paint(1024)[..usize::try_from(bytes % 1024).unwrap()]);
    Some(part)
}

/// Instantiates a test for each hasher, or for those that can be saved.
macro_rules! for_all {
    ($($test:ident,)+) => {
        for_saved! {
            $($test: {
                #[test]
                fn of_hmac_sha256() {
                    super::$test::<sha2::HmacHasher<Variant256>>();
                }

                #[test]
                fn of_hmac_sha512() {
                    super::$test::<sha2::HmacHasher<Variant512>>();
                }
            },)+
        }
    };
}

macro_rules! for_saved {
    ($($test:ident: {$($others:item)*},)+) => {
        $(mod $test {
            use super::*;

            $($others)*

            #[test]
            fn of_sha224() {
                super::$test::<sha2::Hasher<Variant224>>();
            }

            #[test]
            fn of_sha256() {
                super::$test::<sha2::Hasher<Variant256>>();
            }

            #[test]
            fn of_sha384() {
                super::$test::<sha2::Hasher<Variant384>>();
            }

            #[test]
            fn of_sha512() {
                super::$test::<sha2::Hasher<Variant512>>();
            }

            #[test]
            fn of_blake2b() {
                super::$test::<blake2::Hasher<FlavourB>>();
            }

            #[test]
            fn of_blake2s() {
                super::$test::<blake2::Hasher<FlavourS>>();
            }

            #[test]
            fn of_blake3() {
                super::$test::<blake3::Hasher>();
            }
        })+
    };
}

for_all! {
    every_length_held_with_every_length_behind_it,
    any_number_of_tails,
    long_beginnings,
    tails_that_differ_from_call_to_call,
    errors,
}

for_saved! {
    counts_that_carry: {},
}

fn check<H: Tails>(hasher: &H, tails: &[&[u8]], name: impl Fn() -> String) {
    let before = hasher.end();
    let expected = hasher.with_each(tails);
    assert!(hasher.with_all(tails) == expected, "{}", name());
    let flat: Vec<u8> = expected.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
    let mut bytes = vec![0; flat.len()];
    hasher.many_flat(tails, &mut bytes).unwrap();
    assert!(bytes == flat, "{}, flat", name());
    assert_eq!(hasher.end(), before, "the hasher has changed");
}

/// Tails of every length up to some blocks, after beginnings of up to a block and one byte.
fn every_length_held_with_every_length_behind_it<H: Tails>() {
    let message = paint(3000);
    let longest = 6 * H::BLOCK + 3;
    for backend in all_backends() {
        // Lengths of many residues, and those beside a whole block.
        for begin in fewer(0, (0..H::BLOCK).step_by(13)).chain([H::BLOCK - 1, H::BLOCK, H::BLOCK + 1]) {
            let mut hasher = H::on(backend, begin);
            hasher.append(&message[..begin]);
            // As they come, and with the lengths mixed.
            for step in [1, 7] {
                let lengths = fewer(begin, (0..=longest).map(|i| i * step % (longest + 1)));
                let tails: Vec<&[u8]> =
                    lengths.enumerate().map(|(i, length)| &message[begin + i % 11..][..length]).collect();
                check(&hasher, &tails, || format!("{backend:?}, {begin} bytes before, step {step}"));
            }
        }
    }
}

/// Batches of any number, of one length, of a few, or of many.
fn any_number_of_tails<H: Tails>() {
    let message = paint(9000);
    let mut random = Random::new(39);
    for backend in all_backends() {
        for (i, number) in (0..=20).chain([31, 33, 63, 64, 65, 127, 129, 130, 257]).enumerate() {
            let begins = [0, 1000, 1, 1023, 16, 1024, H::BLOCK - 1, 1025, H::BLOCK, H::BLOCK + 1];
            for begin in fewer(i / 2, begins.into_iter().skip(i % 2).step_by(2)) {
                let mut hasher = H::on(backend, number);
                hasher.append(&message[..begin]);
                let equal = random.below(300);
                let kind = random.below(5);
                let mut length = || match kind {
                    0 => equal,
                    1 => [0, 1, 64, 128][random.below(4)],
                    2 => random.below(200),
                    3 => random.below(1200),
                    _ => [0, 3000][random.below(2)] + random.below(70),
                };
                let tails: Vec<&[u8]> = (0..number).map(|i| &message[i..][..length()]).collect();
                check(&hasher, &tails, || format!("{backend:?}, {begin} bytes before {number} tails, kind {kind}"));
            }
        }
    }
}

/// Beginnings of many blocks or chunks, and tails that complete them.
fn long_beginnings<H: Tails>() {
    let message = paint(1 << 20 | 100_000);
    for backend in all_backends() {
        for begin in
            [2047, 2048, 2049, 3 * 1024, 15 * 1024, 16 * 1024, 16 * 1024 + 1, 17 * 1024, 31 * 1024 + 5, 1 << 20]
        {
            let mut hasher = H::on(backend, begin);
            // In two pieces: a hasher of BLAKE3 holds others then.
            let (head, rest) = message[..begin].split_at(begin / 3);
            hasher.append(head);
            hasher.append(rest);
            let lengths = [0, 1, 63, 64, 65, 1, 1018, 1019, 1020, 1023, 1024, 1025, 0, 2048, 5000, 17_000, 40_000];
            let tails: Vec<&[u8]> = lengths.iter().enumerate().map(|(i, length)| &message[i..][..*length]).collect();
            check(&hasher, &tails, || format!("{backend:?}, {begin} bytes before"));
            check(&hasher, &tails[1..6], || format!("{backend:?}, {begin} bytes before short tails"));
        }
    }
}

/// Beginnings so long that a count carries into its next word in some lanes, or in all.
fn counts_that_carry<H: Tails>() {
    let message = paint(9000);
    let mut counted = 0;
    for backend in all_backends() {
        for held in [0, 1, H::BLOCK / 2, H::BLOCK - 1, H::BLOCK] {
            for (i, power) in [32, 41, 42, 61, 63, 64, 128].into_iter().enumerate() {
                for blocks in fewer(i, [0, 1, 2, 3, 8, 15, 16, 17, 18, 40]) {
                    let mut hasher = H::on(backend, held);
                    hasher.append(&message[..4096 + held]);
                    let most = 1_u128.checked_shl(power).unwrap_or(0);
                    let bytes = most.wrapping_sub(blocks * H::BLOCK as u128).wrapping_add(held as u128);
                    let Some(hasher) = hasher.counted(bytes) else { continue };
                    counted += 1;
                    let lengths = [0, 1, 63, 64, 65, 127, 128, 129, 200, 256, 1000, 1024, 1025, 2048, 2049, 5000];
                    let kind = counted % 3;
                    let length = |i| lengths[if kind == 2 { i % 4 } else { (1 + kind * i) % 16 }];
                    let tails: Vec<&[u8]> = (0..20).map(|i| &message[i..][..length(i)]).collect();
                    check(&hasher, &tails, || {
                        format!("{backend:?}, {blocks} blocks before 2^{power}, {held} held, lengths {kind}")
                    });
                }
            }
        }
    }
    assert!(counted > 0);
}

/// Some digest is given for a tail whose bytes differ from call to call, and nothing panics.
fn tails_that_differ_from_call_to_call<H: Tails>() {
    struct Fickle<'a>(&'a RefCell<Random>, &'a [u8]);
    impl AsRef<[u8]> for Fickle<'_> {
        fn as_ref(&self) -> &[u8] {
            let mut random = self.0.borrow_mut();
            let most = [20, 300, 2000][random.below(3)];
            &self.1[..random.below(most)]
        }
    }
    let (random, message) = (RefCell::new(Random::new(7)), paint(2000));
    for backend in all_backends() {
        for begin in [0, 1, H::BLOCK, 900, 1024, 1500] {
            let mut hasher = H::on(backend, begin);
            hasher.append(&message[..begin]);
            for count in fewer(begin, (0..20).chain([33, 64, 130])) {
                let tails: Vec<Fickle<'_>> = (0..count).map(|_| Fickle(&random, &message)).collect();
                assert_eq!(hasher.with_all(&tails).len(), count);
            }
        }
    }
}

/// The output has another length than the digests: nothing is written.
fn errors<H: Tails>() {
    let mut hasher = H::on(Backend::best(), 5);
    hasher.append(b"beginning");
    let tails: [&[u8]; 3] = [b"one", b"", b"three"];
    let expected = hasher.with_each(&tails);
    let other = H::on(Backend::best(), 5).end();
    let mut hashes = vec![other.clone(); 4];
    assert_eq!(hasher.many_into(&tails, &mut hashes).map_err(lengths), Err((4, 3)));
    assert_eq!(hasher.many_into(&tails, &mut hashes[..2]).map_err(lengths), Err((2, 3)));
    assert_eq!(hashes, vec![other; 4]);
    hasher.many_into(&tails, &mut hashes[..3]).unwrap();
    assert_eq!(hashes[..3], expected);

    let flat: Vec<u8> = expected.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
    let mut bytes = vec![7; flat.len() + 1];
    assert_eq!(hasher.many_flat(&tails, &mut bytes).map_err(lengths), Err((flat.len() + 1, flat.len())));
    assert!(bytes.iter().all(|byte| *byte == 7));
    bytes.pop();
    hasher.many_flat(&tails, &mut bytes).unwrap();
    assert_eq!(bytes, flat);
    hasher.many_into(&[], &mut []).unwrap();
}

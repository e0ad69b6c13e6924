//! Digests as values: text there and back, comparison, bytes.

use core::hash::BuildHasher;
use std::collections::HashSet;
use std::hash::RandomState;

use simd_digest::blake2::{Hash, Hasher, ParseHashError};
use simd_digest::blake2b;

use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;

for_both! {
    text_there_and_back,
    text_that_is_no_digest,
    bytes_there_and_back,
    unequal_in_any_bit,
    unequal_to_other_lengths,
    a_key_in_a_set,
    #[cfg(feature = "zeroize")] wiped,
}

/// A digest for each length.
fn hashes<F: Flavour>() -> impl Iterator<Item = Hash<F>> {
    (1..=F::LONGEST).map(|length| Hash::from_bytes(&paint(251)[100..][..length]).unwrap())
}

fn abc<F: Flavour>() -> Hash<F> {
    Hasher::new().update(b"abc").finalize()
}

fn text_there_and_back<F: Flavour>() {
    for hash in hashes::<F>() {
        let text = hex::encode(hash.as_bytes());
        assert_eq!(hash.to_string(), text);
        assert_eq!(format!("{hash:x}"), text);
        assert_eq!(format!("{hash:X}"), text.to_uppercase());
        assert_eq!(format!("{hash:?}"), format!("Hash({text})"));
        assert_eq!(text.parse(), Ok(hash));
        assert_eq!(text.to_uppercase().parse(), Ok(hash));
    }
}

#[test]
fn every_digit() {
    for character in 0..=0x7f_u8 {
        let character = char::from(character);
        let value = character.to_digit(16).map(|digit| u8::try_from(digit).unwrap());
        let low = format!("0{character}").parse().map(|hash: blake2b::Hash| hash.as_bytes()[0]);
        assert_eq!(low, value.ok_or(ParseHashError::Digit), "{character:?}");
        let high = format!("{character}0").parse().map(|hash: blake2b::Hash| hash.as_bytes()[0]);
        assert_eq!(high, value.map(|value| value << 4).ok_or(ParseHashError::Digit), "{character:?}");
    }
}

fn text_that_is_no_digest<F: Flavour>() {
    let digits = 2 * F::LONGEST;
    for length in [0, 1, 3, digits - 1, digits + 1, digits + 2, digits + 3, 2 * digits, 4 * digits, 1000] {
        assert_eq!("a".repeat(length).parse::<Hash<F>>(), Err(ParseHashError::Length), "length {length}");
    }
    for text in ["é", "ée", "aé0", "１", "0x", "+1", "-1", " a", "a ", "a\n", "\0\0", "gg", "@@", "``"] {
        assert!(text.parse::<Hash<F>>().is_err(), "{text:?}");
    }
    for place in 0..digits {
        let mut text = "a".repeat(digits);
        text.replace_range(place..=place, "g");
        assert_eq!(text.parse::<Hash<F>>(), Err(ParseHashError::Digit), "place {place}");
    }
    assert_eq!(ParseHashError::Length.to_string(), "a digest of this length is not possible");
    assert_eq!(ParseHashError::Digit.to_string(), "a character is not a hexadecimal digit");
}

fn bytes_there_and_back<F: Flavour>() {
    for hash in hashes::<F>() {
        assert_eq!(Hash::from_bytes(hash.as_ref()), Ok(hash));
    }
    for length in [0, F::LONGEST + 1, 2 * F::LONGEST, 4 * F::LONGEST, 256, 1 << 16] {
        assert_eq!(Hash::<F>::from_bytes(&paint(length)), Err(ParseHashError::Length), "length {length}");
    }
}

fn unequal_in_any_bit<F: Flavour>() {
    for hash in hashes::<F>() {
        for bit in 0..8 * hash.as_bytes().len() {
            let mut bytes = hash.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(hash, bytes[..], "bit {bit}");
            assert_ne!(hash, Hash::from_bytes(&bytes).unwrap(), "bit {bit}");
            // Two differences that are alike do not make up for each other.
            bytes[(bit / 8 + 1) % hash.as_bytes().len()] ^= 1 << (bit % 8);
            assert!(hash != bytes[..] || bytes.len() == 1, "bit {bit} of two bytes");
        }
    }
}

/// Not even to what begins or goes on in the same way, be it zeros.
fn unequal_to_other_lengths<F: Flavour>() {
    for bytes in [paint(70), vec![0; 70]] {
        for length in 1..=F::LONGEST {
            let hash = Hash::<F>::from_bytes(&bytes[..length]).unwrap();
            for other in 0..=70 {
                assert_eq!(hash == bytes[..other], other == length, "{length} and {other} bytes");
                let Ok(hash_of_other) = Hash::from_bytes(&bytes[..other]) else { continue };
                assert_eq!(hash == hash_of_other, other == length, "{length} and {other} bytes");
            }
        }
    }
    let hash = abc::<F>();
    let bytes: [u8; 32] = hash.as_bytes()[..32].try_into().unwrap();
    assert_eq!(hash == bytes, F::LONGEST == 32);
    assert_ne!(hash, [0; 32]);
    assert_ne!(hash, [0; 64]);
    assert_ne!(hash, [0; 0]);
}

fn a_key_in_a_set<F: Flavour>() {
    let set: HashSet<Hash<F>> = hashes::<F>().chain(hashes()).collect();
    assert_eq!(set.len(), F::LONGEST);
    assert!(set.contains(&Hash::from_bytes(&paint(251)[100..100 + F::LONGEST]).unwrap()));
    assert!(!set.contains(&abc::<F>()));
    let state = RandomState::new();
    let numbers: HashSet<u64> = set.iter().map(|hash| state.hash_one(hash)).collect();
    assert_eq!(numbers.len(), F::LONGEST);
}

#[cfg(feature = "zeroize")]
fn wiped<F: Flavour>() {
    let mut hash = abc::<F>();
    zeroize::Zeroize::zeroize(&mut hash);
    assert_eq!(hash, [0]);
}

/// Width, alignment and `#` work as for other values.
#[test]
fn format_flags() {
    let hash: blake2b::Hash = "0aff".parse().unwrap();
    assert_eq!(format!("{hash:>6}|{hash:<6}|{hash:^6}"), "  0aff|0aff  | 0aff ");
    assert_eq!(format!("{hash:#x} {hash:#X}"), "0x0aff 0x0AFF");
}

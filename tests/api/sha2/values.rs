//! Digests as values: their only length, text and bytes there and back, comparison.

use core::hash::BuildHasher;
use std::collections::HashSet;
use std::hash::RandomState;

use simd_digest::hash::ParseHashError;
use simd_digest::sha2::Hash;
use simd_digest::{sha224, sha256};
#[cfg(feature = "serde")]
use test_crates::{ciborium, serde_json};

use crate::common::cases::fewer;
use crate::common::paint::paint;
use crate::common::sha2::{Family, for_all, of_bytes};

for_all! {
    text_there_and_back,
    text_that_is_no_digest,
    unequal_in_any_bit,
    unequal_to_other_lengths,
    ordered_by_bytes,
    a_key_in_a_set,
    #[cfg(feature = "serde")] serialized,
}

fn text_there_and_back<V: Family>() {
    for i in 0..100 {
        let bytes = &paint(200)[i..][..V::LENGTH];
        let text = hex::encode(bytes);
        let hash: Hash<V> = text.parse().unwrap();
        assert_eq!(hash.as_ref(), bytes);
        assert_eq!(hash.to_string(), text);
        assert_eq!(&*hash.to_hex(), text);
        assert_eq!(format!("{hash:X}"), text.to_uppercase());
        assert_eq!(format!("{hash:#x}"), format!("0x{text}"));
        assert_eq!(format!("{hash:?}"), format!("Hash({text})"));
        assert_eq!(text.to_uppercase().parse(), Ok(hash));
    }
}

/// Only digests of full length are.
fn text_that_is_no_digest<V: Family>() {
    for length in (0..=130).filter(|&length| length != 2 * V::LENGTH) {
        assert_eq!("a".repeat(length).parse::<Hash<V>>(), Err(ParseHashError::Length), "length {length}");
    }
    for place in 0..2 * V::LENGTH {
        let mut text = "a".repeat(2 * V::LENGTH);
        text.replace_range(place..=place, "g");
        assert_eq!(text.parse::<Hash<V>>(), Err(ParseHashError::Digit), "place {place}");
    }
}

#[test]
fn bytes_there_and_back() {
    let hash = sha256::hash(b"abc");
    let bytes: &[u8; 32] = hash.as_bytes();
    assert_eq!(sha256::Hash::from_bytes(*bytes), hash);
    assert_eq!(sha256::Hash::from(*bytes), hash);
    assert_eq!(<[u8; 32]>::from(hash), *bytes);
    let hash = sha224::hash(b"abc");
    let bytes: &[u8; 28] = hash.as_bytes();
    assert_eq!(sha224::Hash::from_bytes(*bytes), hash);
    assert_eq!(sha224::Hash::from(*bytes), hash);
    assert_eq!(<[u8; 28]>::from(hash), *bytes);
    for length in 0..=65 {
        let bytes = paint(length);
        let hash = sha256::Hash::from_slice(&bytes);
        assert_eq!(
            hash.map(|hash| hash.as_bytes().to_vec()),
            if length == 32 { Ok(bytes.clone()) } else { Err(ParseHashError::Length) }
        );
        let hash = sha224::Hash::from_slice(&bytes);
        assert_eq!(
            hash.map(|hash| hash.as_bytes().to_vec()),
            if length == 28 { Ok(bytes) } else { Err(ParseHashError::Length) }
        );
    }
}

fn unequal_in_any_bit<V: Family>() {
    let hash = V::one_shot(b"abc");
    for bit in 0..8 * V::LENGTH {
        let mut bytes = hash.as_ref().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(hash, bytes[..], "bit {bit}");
        assert_ne!(hash, of_bytes(&bytes), "bit {bit}");
        // Two differences that are alike do not make up for each other.
        bytes[(bit / 8 + 1) % V::LENGTH] ^= 1 << (bit % 8);
        assert_ne!(hash, of_bytes(&bytes), "bit {bit} of two bytes");
    }
}

fn unequal_to_other_lengths<V: Family>() {
    for bytes in [paint(70), vec![0; 70]] {
        let hash = of_bytes::<V>(&bytes[..V::LENGTH]);
        for other in 0..=70 {
            assert_eq!(hash == bytes[..other], other == V::LENGTH, "{other} bytes");
        }
    }
}

fn ordered_by_bytes<V: Family>() {
    let bytes: Vec<Vec<u8>> = (0..60).map(|i| paint(300)[i * i * 31 % 200..][..V::LENGTH].to_vec()).collect();
    for a in fewer(0, &bytes) {
        for b in &bytes {
            assert_eq!(of_bytes::<V>(a).cmp(&of_bytes(b)), a.cmp(b), "{a:?} {b:?}");
            assert_eq!(of_bytes::<V>(a) == of_bytes(b), a == b, "{a:?} {b:?}");
        }
    }
}

fn a_key_in_a_set<V: Family>() {
    let hashes = || (0..100).map(|length| V::one_shot(&paint(length)));
    let set: HashSet<Hash<V>> = hashes().chain(hashes()).collect();
    assert_eq!(set.len(), 100);
    assert!(set.contains(&V::one_shot(&paint(77))) && !set.contains(&V::one_shot(b"abc")));
    let state = RandomState::new();
    assert_eq!(set.iter().map(|hash| state.hash_one(hash)).collect::<HashSet<u64>>().len(), 100);
}

#[cfg(feature = "serde")]
fn serialized<V: Family>() {
    let hash = V::one_shot(b"abc");
    let json = format!("\"{hash}\"");
    assert_eq!(serde_json::to_string(&hash).unwrap(), json);
    assert_eq!(serde_json::from_str::<Hash<V>>(&json).unwrap(), hash);
    assert!(serde_json::from_str::<Hash<V>>("\"abcd\"").is_err(), "a shorter digest");
    let mut binary = Vec::new();
    ciborium::into_writer(&hash, &mut binary).unwrap();
    let length = u8::try_from(V::LENGTH).unwrap();
    assert_eq!(binary, [&[0x58, length], hash.as_ref()].concat());
    assert_eq!(ciborium::from_reader::<Hash<V>, _>(&binary[..]).unwrap(), hash);
    binary.pop();
    binary[1] -= 1;
    assert!(ciborium::from_reader::<Hash<V>, _>(&binary[..]).is_err(), "a byte is missing");
}

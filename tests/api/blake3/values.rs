//! Digests as values: text and bytes there and back, comparison.

use core::hash::BuildHasher;
use std::collections::HashSet;
use std::hash::RandomState;

use simd_digest::blake3::{self, Hash};
use simd_digest::hash::ParseHashError;
#[cfg(feature = "serde")]
use test_crates::{ciborium, serde_json};

use crate::common::paint::paint;

#[test]
fn constants() {
    assert_eq!((blake3::OUT_LEN, blake3::KEY_LEN, blake3::BLOCK_LEN, blake3::CHUNK_LEN), (32, 32, 64, 1024));
    assert_eq!((::blake3::OUT_LEN, ::blake3::KEY_LEN, ::blake3::BLOCK_LEN, ::blake3::CHUNK_LEN), (32, 32, 64, 1024));
}

#[test]
fn text_there_and_back() {
    for i in 0..100 {
        let bytes = &paint(200)[i..][..32];
        let text = hex::encode(bytes);
        let hash: Hash = text.parse().unwrap();
        assert_eq!(hash.as_ref(), bytes);
        assert_eq!(hash.to_string(), text);
        assert_eq!(&*hash.to_hex(), text);
        assert_eq!(format!("{hash:X}"), text.to_uppercase());
        assert_eq!(format!("{hash:#x}"), format!("0x{text}"));
        assert_eq!(format!("{hash:?}"), format!("Hash({text})"));
        assert_eq!(text.to_uppercase().parse(), Ok(hash));
        assert_eq!(Hash::from_hex(&text), Ok(hash));
        assert_eq!(Hash::from_hex(text.as_bytes()), Ok(hash));
        assert_eq!(Hash::from_hex(text.to_uppercase()), Ok(hash));
        assert_eq!(::blake3::Hash::from_hex(&text).unwrap().as_bytes(), hash.as_bytes());
    }
}

#[test]
fn text_that_is_no_digest() {
    for length in (0..=130).filter(|&length| length != 64) {
        assert_eq!("a".repeat(length).parse::<Hash>(), Err(ParseHashError::Length), "length {length}");
        assert_eq!(Hash::from_hex("a".repeat(length)), Err(ParseHashError::Length), "length {length}");
    }
    for place in 0..64 {
        for wrong in [b'g', b'G', b'/', b':', b'@', b'`', b' ', 0, 0x80, 0xff] {
            let mut text = [b'a'; 64];
            text[place] = wrong;
            assert_eq!(Hash::from_hex(text), Err(ParseHashError::Digit), "place {place}, {wrong}");
        }
        let mut text = "a".repeat(64);
        text.replace_range(place..=place, "g");
        assert_eq!(text.parse::<Hash>(), Err(ParseHashError::Digit), "place {place}");
    }
}

#[test]
fn bytes_there_and_back() {
    let hash = blake3::hash(b"abc");
    let bytes: &[u8; 32] = hash.as_bytes();
    assert_eq!(hash.as_slice(), bytes);
    assert_eq!(Hash::from_bytes(*bytes), hash);
    assert_eq!(Hash::from(*bytes), hash);
    assert_eq!(<[u8; 32]>::from(hash), *bytes);
    for length in 0..=65 {
        let bytes = paint(length);
        let hash = Hash::from_slice(&bytes);
        let expected = if length == 32 { Ok(bytes) } else { Err(ParseHashError::Length) };
        assert_eq!(hash.map(|hash| hash.as_slice().to_vec()), expected);
    }
}

/// The other hashes whose digests have one length have the same names.
#[cfg(feature = "sha2")]
#[test]
fn names_of_other_hashes() {
    let hash = simd_digest::sha256::hash(b"abc");
    assert_eq!(simd_digest::sha256::Hash::from_hex(hash.to_string()), Ok(hash));
    assert_eq!(hash.as_slice(), hash.as_bytes());
    let hash = simd_digest::sha224::hash(b"abc");
    assert_eq!(simd_digest::sha224::Hash::from_hex(hash.to_string()), Ok(hash));
    assert_eq!(simd_digest::sha224::Hash::from_hex("ab".repeat(32)), Err(ParseHashError::Length));
    assert_eq!(hash.as_slice().len(), 28);
}

#[test]
fn unequal_in_any_bit() {
    let hash = blake3::hash(b"abc");
    for bit in 0..256 {
        let mut bytes = *hash.as_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(hash, bytes, "bit {bit}");
        assert_ne!(hash, bytes[..], "bit {bit}");
        assert_ne!(hash, Hash::from_bytes(bytes), "bit {bit}");
        // Two differences that are alike do not make up for each other.
        bytes[(bit / 8 + 1) % 32] ^= 1 << (bit % 8);
        assert_ne!(hash, Hash::from_bytes(bytes), "bit {bit} of two bytes");
    }
}

#[test]
fn unequal_to_other_lengths() {
    for bytes in [paint(70), vec![0; 70]] {
        let hash = Hash::from_slice(&bytes[..32]).unwrap();
        for other in 0..=70 {
            assert_eq!(hash == bytes[..other], other == 32, "{other} bytes");
        }
    }
}

#[test]
fn ordered_by_bytes() {
    let bytes: Vec<Vec<u8>> = (0..60).map(|i| paint(300)[i * i * 31 % 251..][..32].to_vec()).collect();
    let of_bytes = |bytes: &[u8]| Hash::from_slice(bytes).unwrap();
    for a in &bytes {
        for b in &bytes {
            assert_eq!(of_bytes(a).cmp(&of_bytes(b)), a.cmp(b), "{a:?} {b:?}");
            assert_eq!(of_bytes(a) == of_bytes(b), a == b, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_key_in_a_set() {
    let hashes = || (0..100).map(|length| blake3::hash(&paint(length)));
    let set: HashSet<Hash> = hashes().chain(hashes()).collect();
    assert_eq!(set.len(), 100);
    assert!(set.contains(&blake3::hash(&paint(77))) && !set.contains(&blake3::hash(b"abc")));
    let state = RandomState::new();
    assert_eq!(set.iter().map(|hash| state.hash_one(hash)).collect::<HashSet<u64>>().len(), 100);
}

#[cfg(feature = "serde")]
#[test]
fn serialized() {
    let hash = blake3::hash(b"abc");
    let json = format!("\"{hash}\"");
    assert_eq!(serde_json::to_string(&hash).unwrap(), json);
    assert_eq!(serde_json::from_str::<Hash>(&json).unwrap(), hash);
    assert!(serde_json::from_str::<Hash>("\"abcd\"").is_err(), "a shorter digest");
    let mut binary = Vec::new();
    ciborium::into_writer(&hash, &mut binary).unwrap();
    assert_eq!(binary, [&[0x58, 32], hash.as_ref()].concat());
    assert_eq!(ciborium::from_reader::<Hash, _>(&binary[..]).unwrap(), hash);
    binary.pop();
    binary[1] -= 1;
    assert!(ciborium::from_reader::<Hash, _>(&binary[..]).is_err(), "a byte is missing");
}

//! Digests as values: text there and back, comparison, bytes.

use std::collections::HashSet;

use simd_digest::blake2b::{self, Hash, ParseHashError};

use self::paint::paint;

#[path = "common/paint.rs"]
mod paint;

/// A digest for each length.
fn hashes() -> impl Iterator<Item = Hash> {
    (1..=64).map(|length| Hash::from_bytes(&paint(251)[100..][..length]).unwrap())
}

#[test]
fn text_there_and_back() {
    for hash in hashes() {
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
        let low = format!("0{character}").parse().map(|hash: Hash| hash.as_bytes()[0]);
        assert_eq!(low, value.ok_or(ParseHashError::Digit), "{character:?}");
        let high = format!("{character}0").parse().map(|hash: Hash| hash.as_bytes()[0]);
        assert_eq!(high, value.map(|value| value << 4).ok_or(ParseHashError::Digit), "{character:?}");
    }
}

#[test]
fn text_that_is_no_digest() {
    for length in [0, 1, 3, 127, 129, 130, 131, 256, 512, 1000] {
        assert_eq!("a".repeat(length).parse::<Hash>(), Err(ParseHashError::Length), "length {length}");
    }
    for text in ["é", "ée", "aé0", "１", "0x", "+1", "-1", " a", "a ", "a\n", "\0\0", "gg", "@@", "``"] {
        assert!(text.parse::<Hash>().is_err(), "{text:?}");
    }
    for place in 0..128 {
        let mut text = "a".repeat(128);
        text.replace_range(place..=place, "g");
        assert_eq!(text.parse::<Hash>(), Err(ParseHashError::Digit), "place {place}");
    }
    assert_eq!(ParseHashError::Length.to_string(), "a digest of this length is not possible");
    assert_eq!(ParseHashError::Digit.to_string(), "a character is not a hexadecimal digit");
}

#[test]
fn bytes_there_and_back() {
    for hash in hashes() {
        assert_eq!(Hash::from_bytes(hash.as_ref()), Ok(hash));
    }
    for length in [0, 65, 128, 256, 1 << 16] {
        assert_eq!(Hash::from_bytes(&paint(length)), Err(ParseHashError::Length), "length {length}");
    }
}

#[test]
fn unequal_in_any_bit() {
    for hash in hashes() {
        for bit in 0..8 * hash.as_bytes().len() {
            let mut bytes = hash.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(hash, bytes[..], "bit {bit}");
            assert_ne!(hash, Hash::from_bytes(&bytes).unwrap(), "bit {bit}");
        }
    }
}

/// Not even to what begins or goes on in the same way, be it zeros.
#[test]
fn unequal_to_other_lengths() {
    for bytes in [paint(70), vec![0; 70]] {
        for length in 1..=64 {
            let hash = Hash::from_bytes(&bytes[..length]).unwrap();
            for other in 0..=70 {
                assert_eq!(hash == bytes[..other], other == length, "{length} and {other} bytes");
                let Ok(hash_of_other) = Hash::from_bytes(&bytes[..other]) else { continue };
                assert_eq!(hash == hash_of_other, other == length, "{length} and {other} bytes");
            }
        }
    }
    let hash = blake2b::hash(b"abc");
    let bytes: [u8; 64] = hash.as_bytes().try_into().unwrap();
    assert_eq!(hash, bytes);
    assert_ne!(hash, [0; 64]);
    assert_ne!(hash, [0; 0]);
}

#[test]
fn a_key_in_a_set() {
    let set: HashSet<Hash> = hashes().chain(hashes()).collect();
    assert_eq!(set.len(), 64);
    assert!(set.contains(&Hash::from_bytes(&paint(251)[100..164]).unwrap()));
    assert!(!set.contains(&blake2b::hash(b"abc")));
}

#[test]
#[cfg(feature = "zeroize")]
fn wiped() {
    let mut hash = blake2b::hash(b"abc");
    zeroize::Zeroize::zeroize(&mut hash);
    assert_eq!(hash, [0]);
}

/// Width, alignment and `#` work as for other values.
#[test]
fn format_flags() {
    let hash: Hash = "0aff".parse().unwrap();
    assert_eq!(format!("{hash:>6}|{hash:<6}|{hash:^6}"), "  0aff|0aff  | 0aff ");
    assert_eq!(format!("{hash:#x} {hash:#X}"), "0x0aff 0x0AFF");
}

//! Digests as values: text there and back, comparison, bytes.

use core::hash::BuildHasher;
use std::collections::{BTreeSet, HashSet};
use std::hash::RandomState;

use simd_digest::blake2::{Hash, Hasher};
use simd_digest::blake2b;
use simd_digest::hash::ParseHashError;
#[cfg(feature = "serde")]
use test_crates::{ciborium, serde_json};

use crate::common::cases::fewer;
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;

for_both! {
    text_there_and_back,
    text_that_is_no_digest,
    bytes_there_and_back,
    arrays_there_and_back,
    hexadecimal,
    unequal_in_any_bit,
    unequal_to_other_lengths,
    equal_in_every_form,
    ordered_by_bytes,
    a_key_in_a_set,
    #[cfg(feature = "serde")] serialized_as_text,
    #[cfg(feature = "serde")] serialized_as_bytes,
    #[cfg(feature = "serde")] text_that_is_not_deserialized,
    #[cfg(feature = "serde")] bytes_that_are_not_deserialized,
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

fn arrays_there_and_back<F: Flavour>() {
    fn of_length<F: Flavour, const N: usize>() {
        for hash in hashes::<F>() {
            // As slices: what compares and prints arrays would be compiled for each length.
            let expected = (hash.as_bytes().len() == N).then(|| hash.as_bytes());
            assert_eq!(hash.as_array::<N>().map(|array| &array[..]), expected);
            assert_eq!(<[u8; N]>::try_from(hash).ok().as_ref().map(|array| &array[..]), expected);
        }
    }
    macro_rules! of_lengths {
        ($($length:literal)+) => { $(of_length::<F, $length>();)+ };
    }
    for hash in hashes::<F>() {
        assert_eq!(Hash::from_bytes(hash.as_bytes()), Ok(hash));
    }
    of_lengths!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33);
    of_lengths!(34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65);
}

fn hexadecimal<F: Flavour>() {
    for hash in hashes::<F>() {
        let text = hash.to_string();
        let hex = hash.to_hex();
        assert_eq!(hex.len(), 2 * hash.as_bytes().len());
        assert_eq!(&*hex, text);
        assert_eq!(hex.as_ref(), text);
        assert_eq!(hex.to_string(), text);
        assert_eq!(format!("{hex:?}"), format!("{text:?}"));
        assert_eq!(hex.parse(), Ok(hash));
        assert!(hex == *text.as_str() && hex == text.as_str() && hex == hash.to_hex());
        for place in 0..text.len() {
            let mut other = text.clone();
            let digit = if &text[place..=place] == "0" { "1" } else { "0" };
            other.replace_range(place..=place, digit);
            assert!(hex != *other.as_str() && hex != other.as_str(), "place {place}");
            assert_ne!(hex, other.parse::<Hash<F>>().unwrap().to_hex(), "place {place}");
            assert_ne!(hex, &text[..place]);
        }
        assert_ne!(hex, format!("{text}0").as_str());
        assert_ne!(hex, format!("{text}\0\0").as_str());
    }
    let hex = Hash::<F>::from_bytes(&[0x0a, 0xff]).unwrap().to_hex();
    assert_eq!(format!("{hex:>6}|{hex:<6}|{hex:^6}|{hex:.2}"), "  0aff|0aff  | 0aff |0a");
    assert_ne!(hex, "0AFF");
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

fn equal_in_every_form<F: Flavour>() {
    for hash in hashes::<F>() {
        let same = hash.as_bytes().to_vec();
        let mut other = same.clone();
        *other.last_mut().unwrap() ^= 1;
        let longer = [&same[..], &[0]].concat();
        assert!(hash == same[..] && hash == same.as_slice());
        for other in [&other, &longer, &same[1..].to_vec(), &Vec::new()] {
            assert!(hash != other[..] && hash != other.as_slice());
        }
        #[cfg(feature = "alloc")]
        assert!(hash == same && hash != other && hash != longer);
    }
}

/// As slices are: digests of all lengths, some of which begin others.
fn ordered_by_bytes<F: Flavour>() {
    let same = vec![0x7f; F::LONGEST];
    let mut higher = same.clone();
    *higher.last_mut().unwrap() = 0x80;
    let mut high_first = same.clone();
    high_first[0] = 0xff;
    let of_all_lengths = |bytes: Vec<u8>| (1..=F::LONGEST).map(move |length| bytes[..length].to_vec());
    let all: Vec<Vec<u8>> = [same, higher, high_first, vec![0; F::LONGEST], paint(F::LONGEST)]
        .into_iter()
        .flat_map(of_all_lengths)
        .collect();
    let hash = |bytes: &Vec<u8>| Hash::<F>::from_bytes(bytes).unwrap();
    for a in fewer(0, &all) {
        for b in &all {
            assert_eq!(hash(a).cmp(&hash(b)), a.cmp(b), "{a:?} {b:?}");
            assert_eq!(hash(a).partial_cmp(&hash(b)), a.partial_cmp(b), "{a:?} {b:?}");
            assert_eq!(hash(a) == hash(b), hash(a).cmp(&hash(b)).is_eq(), "{a:?} {b:?}");
        }
    }
    let sorted: BTreeSet<Hash<F>> = all.iter().map(hash).collect();
    let expected: BTreeSet<&[u8]> = all.iter().map(Vec::as_slice).collect();
    assert!(sorted.iter().map(Hash::as_bytes).eq(expected));
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

#[cfg(feature = "serde")]
fn serialized_as_text<F: Flavour>() {
    for hash in hashes::<F>() {
        let json = format!("\"{hash}\"");
        assert_eq!(serde_json::to_string(&hash).unwrap(), json);
        assert_eq!(serde_json::from_str::<Hash<F>>(&json).unwrap(), hash);
        assert_eq!(serde_json::from_str::<Hash<F>>(&json.to_uppercase()).unwrap(), hash);
        assert_eq!(serde_json::from_value::<Hash<F>>(serde_json::to_value(hash).unwrap()).unwrap(), hash);
    }
    // The first digit escaped, so that the format has to copy.
    assert_eq!(serde_json::from_str::<Hash<F>>(r#""\u0061b""#).unwrap(), [0xab]);
    let map = hashes::<F>().zip(0..).collect::<std::collections::BTreeMap<Hash<F>, u8>>();
    let json = serde_json::to_string(&map).unwrap();
    assert_eq!(serde_json::from_str::<std::collections::BTreeMap<Hash<F>, u8>>(&json).unwrap(), map);
}

#[cfg(feature = "serde")]
fn cbor(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

#[cfg(feature = "serde")]
fn serialized_as_bytes<F: Flavour>() {
    for hash in hashes::<F>() {
        let bytes = hash.as_bytes();
        let length = u8::try_from(bytes.len()).unwrap();
        let header = if length < 24 { vec![0x40 + length] } else { vec![0x58, length] };
        let binary = cbor(&hash);
        assert_eq!(binary, [&header[..], bytes].concat());
        assert_eq!(ciborium::from_reader::<Hash<F>, _>(&binary[..]).unwrap(), hash);

        let array = cbor(&bytes);
        assert_eq!(array[0] & 0xe0, 0x80, "a sequence of numbers");
        assert_eq!(ciborium::from_reader::<Hash<F>, _>(&array[..]).unwrap(), hash);

        // As serde hands on what it keeps for an untagged enum: as of a human-readable format, whichever it was.
        let kept = serde::de::value::BytesDeserializer::<serde::de::value::Error>::new(bytes);
        assert_eq!(<Hash<F> as serde::Deserialize>::deserialize(kept), Ok(hash));
    }
}

#[cfg(feature = "serde")]
fn text_that_is_not_deserialized<F: Flavour>() {
    let error = |json: &str| serde_json::from_str::<Hash<F>>(json).unwrap_err().to_string();
    let expected = format!("expected a digest of 1 to {} bytes", F::LONGEST);
    let digits = 2 * F::LONGEST;
    for length in [0, 1, 3, digits - 1, digits + 1, digits + 2, 1000] {
        let error = error(&format!("\"{}\"", "a".repeat(length)));
        let stated = format!("a digest of this length is not possible, {expected} in hexadecimal at ");
        assert!(error.starts_with(&stated), "{length} digits: {error}");
    }
    for text in ["gg", "0x", " a", "é", "a\0"] {
        let error = error(&serde_json::to_string(text).unwrap());
        let stated = format!("a character is not a hexadecimal digit, {expected} in hexadecimal at ");
        assert!(error.starts_with(&stated), "{text:?}: {error}");
    }
    for json in ["12", "-1", "1.5", "true", "null", "[1,2]", "[]", "{}", "{\"a\":1}"] {
        let error = error(json);
        assert!(error.starts_with("invalid type: ") && error.contains(&expected), "{json}: {error}");
    }
    for json in ["", "\"", "\"ab", "ab", "\"ab\" 1", "\"\\ud800\""] {
        error(json);
    }
}

#[cfg(feature = "serde")]
fn bytes_that_are_not_deserialized<F: Flavour>() {
    let error = |binary: &[u8]| ciborium::from_reader::<Hash<F>, _>(binary).unwrap_err().to_string();
    for length in [0, F::LONGEST + 1, F::LONGEST + 2, 2 * F::LONGEST, 256, 256 + 1, 4096] {
        for value in [vec![7; length].into(), ciborium::Value::Array(vec![7.into(); length])] {
            let error = error(&cbor(&value));
            // Those in a sequence are counted until they are too many.
            let counted = if value.is_array() { length.min(F::LONGEST + 1) } else { length };
            let stated = format!("invalid length {counted}, expected a digest of 1 to {} bytes", F::LONGEST);
            assert!(error.contains(&stated), "length {length}: {error}");
        }
    }
    assert!(error(&cbor(&[1, 256])).contains("expected u8"));
    error(&cbor(&[1, -1]));
    error(&cbor(&("ab", 1)));
    for other in [cbor(&"abcd"), cbor(&7), cbor(&true), cbor(&()), cbor(&serde_json::json!({"a": 1}))] {
        assert!(error(&other).contains("invalid type: "), "{other:02x?}");
    }
    let whole = cbor(&abc::<F>());
    for length in 0..whole.len() {
        error(&whole[..length]);
    }
}

/// Width, alignment and `#` work as for other values.
#[test]
fn format_flags() {
    let hash: blake2b::Hash = "0aff".parse().unwrap();
    assert_eq!(format!("{hash:>6}|{hash:<6}|{hash:^6}"), "  0aff|0aff  | 0aff ");
    assert_eq!(format!("{hash:#x} {hash:#X}"), "0x0aff 0x0AFF");
}

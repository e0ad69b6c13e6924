//! Digests of one length, as values: those of SHA-224. Digests of BLAKE2, whose length is chosen at run time, are in `hash`.

use core::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};

use simd_digest::digest::Output;
use simd_digest::hash::ParseHashError;
use simd_digest::sha224::Hash;
use simd_digest::{Sha224, Sha256};
#[cfg(feature = "serde")]
use test_crates::{ciborium, serde_json};

const LENGTH: usize = 28;
const BYTES: [u8; LENGTH] = *b"\0\x01\x7f\x80\xff abc, no hash!! 224 bit";
const TEXT: &str = "00017f80ff206162632c206e6f206861736821212032323420626974";
const HASH: Hash = Hash::from_bytes(BYTES);

#[test]
fn arrays_there_and_back() {
    const AGAIN: &[u8; LENGTH] = HASH.as_bytes();
    assert_eq!(AGAIN, &BYTES);
    assert_eq!(<[u8; LENGTH]>::from(HASH), BYTES);
    assert_eq!(Hash::from(BYTES), HASH);
    assert_eq!(HASH.as_ref(), BYTES);
    assert_eq!(Hash::from([0; LENGTH]).as_bytes(), &[0; LENGTH]);
    assert_eq!(size_of::<Hash>(), LENGTH);
}

#[test]
fn outputs_there_and_back() {
    let output: Output<Sha224> = HASH.into();
    assert_eq!(output[..], BYTES);
    assert_eq!(Hash::from(output), HASH);
    assert_eq!((HASH == output, output == HASH, BYTES == HASH), (true, true, true));
    for bit in 0..8 * LENGTH {
        let mut other = output;
        other[bit / 8] ^= 1 << (bit % 8);
        let bytes: [u8; LENGTH] = other.into();
        assert_eq!((HASH == other, other == HASH, bytes == HASH), (false, false, false), "bit {bit}");
    }
    let longer = Output::<Sha256>::try_from(&[&BYTES[..], &[0; 4]].concat()[..]).unwrap();
    assert_eq!((HASH == longer, longer == HASH), (false, false));
}

#[test]
fn maps_are_asked_by_bytes() {
    let map = HashMap::from([(HASH, 1), (Hash::default(), 2)]);
    assert_eq!((map.get(&BYTES), map.get(&BYTES[..]), map.get(&[0; LENGTH])), (Some(&1), Some(&1), Some(&2)));
    assert_eq!((map.get(&[1; LENGTH]), map.get(&BYTES[1..])), (None, None));
    assert_eq!((Borrow::<[u8]>::borrow(&HASH), Borrow::<[u8; LENGTH]>::borrow(&HASH)), (&BYTES[..], &BYTES));
}

#[test]
fn slices_of_one_length_alone() {
    assert_eq!(Hash::from_slice(&BYTES), Ok(HASH));
    for length in (0..LENGTH).chain(LENGTH + 1..70).chain([256 + LENGTH, 1 << 16]) {
        assert_eq!(Hash::from_slice(&vec![0; length]), Err(ParseHashError::Length), "length {length}");
    }
}

#[test]
fn text_there_and_back() {
    let hex = HASH.to_hex();
    assert_eq!(hex, TEXT);
    assert_eq!(HASH.to_string(), TEXT);
    assert_eq!(format!("{HASH:X}"), TEXT.to_uppercase());
    assert_eq!(format!("{HASH:#x}"), format!("0x{TEXT}"));
    assert_eq!(format!("{HASH:?}"), format!("Hash({TEXT})"));
    assert_eq!(hex.parse(), Ok(HASH));
    assert_eq!(TEXT.to_uppercase().parse(), Ok(HASH));
}

#[test]
fn text_that_is_no_digest() {
    for length in (0..2 * LENGTH).chain(2 * LENGTH + 1..150) {
        assert_eq!("a".repeat(length).parse::<Hash>(), Err(ParseHashError::Length), "length {length}");
    }
    for place in 0..2 * LENGTH {
        let mut text = TEXT.to_string();
        text.replace_range(place..=place, "g");
        assert_eq!(text.parse::<Hash>(), Err(ParseHashError::Digit), "place {place}");
    }
}

#[test]
fn equal_to_the_same_bytes_alone() {
    for bit in 0..8 * LENGTH {
        let mut bytes = BYTES;
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(HASH, Hash::from(bytes), "bit {bit}");
        assert_ne!(HASH, bytes, "bit {bit}");
    }
    for length in 0..=70 {
        let mut bytes = vec![0; length];
        bytes.iter_mut().zip(BYTES).for_each(|(to, byte)| *to = byte);
        assert_eq!(HASH == bytes[..], length == LENGTH, "length {length}");
        assert_eq!(HASH == bytes.as_slice(), length == LENGTH, "length {length}");
        #[cfg(feature = "alloc")]
        assert_eq!(HASH == bytes, length == LENGTH, "length {length}");
    }
    assert_eq!(HASH, BYTES);
    assert_ne!(HASH, [0; LENGTH - 1]);
}

#[test]
fn ordered_by_bytes() {
    let hashes: Vec<Hash> =
        (0..=255).rev().map(|i| Hash::from(core::array::from_fn(|at| [7, i, 255 - i][at % 3]))).collect();
    let sorted: BTreeSet<Hash> = hashes.iter().copied().collect();
    assert!(sorted.iter().eq(hashes.iter().rev()));
    for (a, b) in hashes.iter().zip(&hashes[1..]) {
        assert!(a > b && a.max(b) == a && a.cmp(b) == a.as_bytes().cmp(b.as_bytes()));
    }
}

#[cfg(feature = "zeroize")]
#[test]
fn wiped() {
    let mut hash = HASH;
    zeroize::Zeroize::zeroize(&mut hash);
    assert_eq!(hash, [0; LENGTH]);
}

#[cfg(feature = "serde")]
#[test]
fn serialized() {
    let text = format!("\"{TEXT}\"");
    assert_eq!(serde_json::to_string(&HASH).unwrap(), text);
    assert_eq!(serde_json::from_str::<Hash>(&text).unwrap(), HASH);
    assert_eq!(serde_json::from_str::<Hash>(&text.to_uppercase()).unwrap(), HASH);
    for digits in (0..2 * LENGTH).chain(2 * LENGTH + 1..130) {
        let error = serde_json::from_str::<Hash>(&format!("\"{}\"", "a".repeat(digits))).unwrap_err().to_string();
        assert!(error.contains("expected a digest of 28 bytes"), "{digits} digits: {error}");
    }

    let cbor = |value: &ciborium::Value| {
        let mut bytes = Vec::new();
        ciborium::into_writer(value, &mut bytes).unwrap();
        bytes
    };
    let mut binary = Vec::new();
    ciborium::into_writer(&HASH, &mut binary).unwrap();
    assert_eq!(binary, cbor(&BYTES.to_vec().into()));
    for length in 0..70 {
        for value in [vec![7; length].into(), ciborium::Value::Array(vec![7.into(); length])] {
            // Those in a sequence are counted until they are too many.
            let counted = if value.is_array() { length.min(LENGTH + 1) } else { length };
            match ciborium::from_reader::<Hash, _>(&cbor(&value)[..]) {
                Ok(hash) => assert!(length == LENGTH && hash == [7; LENGTH], "length {length}"),
                Err(error) => {
                    let stated = format!("invalid length {counted}, expected a digest of 28 bytes");
                    assert!(length != LENGTH && error.to_string().contains(&stated), "length {length}: {error}");
                }
            }
        }
    }
}

//! HMAC: RFC 4231, Wycheproof, Python's `hmac`, and the crate `hmac` over the crate `sha2`.

use core::fmt;
use core::marker::PhantomData;

use hmac::Hmac;
use simd_digest::Backend;
use simd_digest::digest::common::AlgorithmName;
use simd_digest::digest::dev::{MacTestVector, MacTruncSide, mac_test, reset_mac_test};
use simd_digest::digest::{FixedOutputReset, KeyInit, Mac, MacError};
use simd_digest::sha2::{Hash, HmacHasher, HmacKey};

use super::all_backends;
use super::traits::Traits;
use crate::common::cases::fewer;
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{
    Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256, for_all, of_bytes, other,
};
use crate::common::vector::{Vector, bytes, number};

for_all! {
    rfc_4231,
    wycheproof,
    python,
    trap_hmac_block_size,
    in_lanes,
    wrong_output_lengths_are_errors,
    hashers_go_on,
    mac_passes_the_tests_of_digest,
    tags_are_verified,
    keys_verify_tags,
    debug_tells_no_secret,
    every_type_tells_its_backend,
}

/// The vectors of a variant.
trait Known: Traits {
    const RFC: &str;
    const WYCHEPROOF: &str;
    /// How many there are of Wycheproof.
    const VECTORS: usize;
    const PYTHON: &str;
}

macro_rules! known {
    ($($Variant:ident: $name:literal, $vectors:literal;)+) => {$(
        impl Known for $Variant {
            const RFC: &str = $name;
            const WYCHEPROOF: &str = include_str!(concat!("../../data/sha2/wycheproof_hmac_", $name, ".txt"));
            const VECTORS: usize = $vectors;
            const PYTHON: &str = include_str!(concat!("../../data/sha2/hmac_", $name, ".txt"));
        }
    )+};
}
known! {
    Variant224: "sha224", 172;
    Variant256: "sha256", 174;
    Variant384: "sha384", 174;
    Variant512: "sha512", 174;
    Variant512_224: "sha512_224", 173;
    Variant512_256: "sha512_256", 175;
}

fn key_on<V: Traits>(key: &[u8], backend: Backend) -> HmacKey<V> {
    HmacKey::new(key).with_backend(backend)
}

fn mac_on<V: Traits>(key: &[u8], backend: Backend) -> V::Mac {
    V::mac_on(<V::Mac as KeyInit>::new_from_slice(key).unwrap(), backend)
}

/// The tags of a message, by all ways on all backends, and whether each takes `tag`, or its beginning, for the tag.
fn tags_of<V: Traits>(key: &[u8], message: &[u8], tag: &[u8]) -> (Hash<V>, bool) {
    let mut all = Vec::new();
    for backend in all_backends() {
        let hmac = key_on::<V>(key, backend);
        let (head, tail) = message.split_at(message.len() / 3);
        let mut hashes = [other(); 2];
        hmac.hash_many_into(&[message, head], &mut hashes).unwrap();
        all.extend([hmac.hash(message), hmac.hasher().update(head).update(tail).finalize(), hashes[0]]);
        let mac = mac_on::<V>(key, backend).chain_update(head).chain_update(tail);
        let verified = mac.clone().verify_truncated_left(tag).is_ok();
        if tag.len() == V::LENGTH {
            assert_eq!(mac.clone().verify_slice(tag).is_ok(), verified);
        }
        all.push(of_bytes(&mac.finalize().into_bytes()));
        let begins = all[all.len() - 1].as_ref().starts_with(tag);
        assert_eq!(verified, begins, "{backend:?}");
    }
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:?}");
    (all[0], all[0].as_ref().starts_with(tag))
}

fn rfc_4231<V: Known>() {
    if V::RFC.contains('_') {
        return; // the RFC is older than SHA-512/t
    }
    let mut cases = 0;
    for vector in Vector::all(include_str!("../../data/sha2/rfc4231.txt")) {
        let tag = bytes(vector.text(V::RFC));
        let (hash, right) = tags_of::<V>(&bytes(vector.text("key")), &bytes(vector.text("message")), &tag);
        assert!(right, "{hash}, {vector:?}");
        cases += 1;
    }
    assert_eq!(cases, 7);
}

/// Half a tag and whole ones, and tags with a bit changed.
fn wycheproof<V: Known>() {
    let (mut valid, mut invalid) = (0, 0);
    for vector in Vector::all(V::WYCHEPROOF) {
        let tag = bytes(vector.text("tag"));
        let (hash, right) = tags_of::<V>(&bytes(vector.text("key")), &bytes(vector.text("message")), &tag);
        assert_eq!(right, vector.text("valid") == "1", "{hash}, {vector:?}");
        *if right { &mut valid } else { &mut invalid } += 1;
    }
    assert_eq!((valid, valid + invalid), (66, V::VECTORS));
}

fn python<V: Known>() {
    let mut vectors = 0;
    for vector in Vector::all(V::PYTHON) {
        let (key, message) = (bytes(vector.text("key")), paint(number(vector.text("length"))));
        let tag = bytes(vector.text("digest"));
        let (hash, right) = tags_of::<V>(&key, &message, &tag);
        assert!(right, "{hash}, {vector:?}");
        let hmac = Hmac::<V::Digest>::new_from_slice(&key).unwrap().chain_update(&message);
        assert_eq!(hmac.finalize().into_bytes()[..], tag, "{vector:?}");
        vectors += 1;
    }
    // A key as long as the digest of SHA-512 is among the other keys.
    assert_eq!(vectors, if V::LENGTH == 64 { 120 } else { 132 });
}

/// A block size that is taken from a buffer of more than a block (zeebo/blake3 19), or is wrong (RUSTSEC-2019-0019),
/// makes another function: keys of every length up to beyond three blocks.
fn trap_hmac_block_size<V: Known>() {
    let message = paint(70);
    for key_length in (0..=V::at(200)).step_by(V::BLOCK / 64).chain([127, 129]) {
        let key = &paint(700)[250..][..key_length];
        let mut peer = Hmac::<V::Peer>::new_from_slice(key).unwrap();
        Mac::update(&mut peer, &message);
        let tag = peer.finalize().into_bytes();
        for backend in all_backends() {
            let hash = key_on::<V>(key, backend).hash(&message);
            assert_eq!(hash, tag[..], "{backend:?}, key of {key_length}");
        }
        let own = <V::Mac as KeyInit>::new_from_slice(key).unwrap().chain_update(&message);
        assert_eq!(own.finalize().into_bytes()[..], tag[..], "key of {key_length}");
    }
}

fn of_peer<V: Traits>(key: &[u8], message: &[u8]) -> Hash<V> {
    let mac = Hmac::<V::Peer>::new_from_slice(key).unwrap();
    of_bytes(&mac.chain_update(message).finalize().into_bytes())
}

/// Batches of 0 to 33 messages of mixed lengths, of 64, and of more than are closed together.
fn in_lanes<V: Known>() {
    let mut random = Random::new(4231);
    let memory = paint(3000);
    for count in (0..=33).chain([64, 150]) {
        let key = &memory[count..][..random.below(130)];
        let lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 700].map(V::at);
        let messages: Vec<&[u8]> = (0..count).map(|i| &memory[i..][..lengths[random.below(11)]]).collect();
        let expected: Vec<Hash<V>> = messages.iter().map(|message| of_peer::<V>(key, message)).collect();
        let flat_expected: Vec<u8> = expected.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
        for backend in all_backends() {
            let hmac = key_on::<V>(key, backend);
            #[cfg(feature = "alloc")]
            assert_eq!(hmac.hash_many(&messages), expected, "{backend:?}, {count} messages");
            let mut hashes = vec![other(); count];
            assert_eq!(hmac.hash_many_into(&messages, &mut hashes), Ok(()));
            assert_eq!(hashes, expected, "{backend:?}, {count} messages");
            let mut flat = vec![0xee; flat_expected.len()];
            assert_eq!(hmac.hash_many_flat(&messages, &mut flat), Ok(()));
            assert_eq!(flat, flat_expected, "{backend:?}, {count} messages");
        }
    }
}

fn wrong_output_lengths_are_errors<V: Known>() {
    let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
    for backend in all_backends() {
        let hmac = key_on::<V>(b"key", backend);
        for given in [0, 1, 2, 4, 60] {
            let mut hashes = vec![other::<V>(); given];
            assert_eq!(hmac.hash_many_into(&messages, &mut hashes).map_err(lengths), Err((given, 3)));
            assert!(hashes.iter().all(|hash| *hash == other::<V>()), "{given} hashes, touched");
        }
        let needed = 3 * V::LENGTH;
        for given in [0, 3, needed - 1, needed + 1, 3 * 65] {
            let mut bytes = vec![0xee; given];
            assert_eq!(hmac.hash_many_flat(&messages, &mut bytes).map_err(lengths), Err((given, needed)));
            assert_eq!(bytes, vec![0xee; given], "touched");
        }
        assert_eq!(hmac.hash_many_into(&[[0; 0]; 0], &mut []), Ok(()));
        assert!(hmac.hash_many_into(&[[0; 0]; 0], &mut [other()]).is_err());
    }
}

/// After a tag, a reset, or from a clone; from a key that is used again.
fn hashers_go_on<V: Known>() {
    let (key, message) = (paint(40), paint(300));
    for backend in all_backends() {
        let hmac = key_on::<V>(&key, backend);
        let mut hasher: HmacHasher<V> = hmac.hasher();
        for length in 0..message.len() {
            let tag = of_peer::<V>(&key, &message[..length]);
            assert_eq!([hasher.finalize(), hasher.clone().finalize()], [tag; 2], "{backend:?}, {length}");
            hasher.update(&message[length..=length]);
        }
        for length in [0, 1, 55, 64, 200] {
            hasher.reset();
            hasher.update(&message[..length]);
            assert_eq!(hasher.finalize(), of_peer::<V>(&key, &message[..length]), "{backend:?}, reset, {length}");
        }
        let mut clone = hmac.clone().hasher();
        assert_eq!(clone.update(&message).finalize(), of_peer::<V>(&key, &message));
    }
}

fn mac_passes_the_tests_of_digest<V: Known>() {
    fn passes<M: Mac + KeyInit + FixedOutputReset + Clone>(vector: Vector) {
        let (key, input) = (bytes(vector.text("key")).leak(), paint(number(vector.text("length"))).leak());
        let tag = bytes(vector.text("digest")).leak();
        let whole = MacTestVector { key, input, tag };
        assert_eq!(reset_mac_test::<M>(&whole, MacTruncSide::None), Ok(()), "{vector:?}");
        let left = MacTestVector { tag: &tag[..tag.len().div_ceil(2)], ..whole };
        assert_eq!(mac_test::<M>(&left, MacTruncSide::Left), Ok(()), "{vector:?}");
        let right = MacTestVector { tag: &tag[tag.len() / 2..], ..whole };
        assert_eq!(reset_mac_test::<M>(&right, MacTruncSide::Right), Ok(()), "{vector:?}");
    }
    fewer(0, Vector::all(V::PYTHON)).for_each(passes::<V::Mac>);
}

fn tags_are_verified<V: Known>() {
    let mac = || <V::Mac as KeyInit>::new_from_slice(b"key").unwrap().chain_update(b"abc");
    let tag = mac().finalize().into_bytes();
    assert_eq!(tag[..], *of_peer::<V>(b"key", b"abc").as_ref());
    assert!(mac().verify(&tag).is_ok());
    assert!(mac().verify_slice(&tag).is_ok());
    assert!(mac().verify_truncated_left(&tag[..20]).is_ok());
    assert!(mac().verify_truncated_right(&tag[V::LENGTH - 20..]).is_ok());
    for bit in 0..8 * tag.len() {
        let mut forged = tag.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert!(mac().verify(&forged).is_err(), "bit {bit}");
        assert!(mac().verify_slice(&forged).is_err(), "bit {bit}");
    }
    for wrong in [&[][..], &tag[..V::LENGTH - 1], &[&tag[..], &[0]].concat()] {
        assert!(mac().verify_slice(wrong).is_err(), "length {}", wrong.len());
    }
    assert!(mac().verify_truncated_left(&[]).is_err());
    assert!(mac().verify_truncated_left(&tag[1..20]).is_err());
    assert!(mac().verify_truncated_right(&tag[..20]).is_err());
    let mut mac = mac();
    assert!(mac.verify_slice_reset(&tag).is_ok());
    Mac::update(&mut mac, b"abc");
    assert!(mac.verify_reset(&tag).is_ok());
    assert!(mac.verify(&tag).is_err());
}

fn keys_verify_tags<V: Known>() {
    let tag = of_peer::<V>(b"key", b"abc");
    let tag = tag.as_ref();
    for backend in all_backends() {
        let key = key_on::<V>(b"key", backend);
        assert_eq!(key.verify(b"abc", tag), Ok(()), "{backend:?}");
        assert_eq!(key.verify(b"abd", tag), Err(MacError), "{backend:?}");
        for bit in 0..8 * tag.len() {
            let mut forged = tag.to_vec();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.verify(b"abc", &forged), Err(MacError), "{backend:?}, bit {bit}");
        }
        for wrong in [&[][..], &tag[..20], &tag[1..], &tag[..tag.len() - 1], &[tag, &[0]].concat(), &tag.repeat(2)] {
            assert_eq!(key.verify(b"abc", wrong), Err(MacError), "{backend:?}, length {}", wrong.len());
        }
    }
}

struct Name<M>(PhantomData<M>);

impl<M: AlgorithmName> fmt::Display for Name<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        M::write_alg_name(f)
    }
}

/// Neither key nor message, nor what they were compressed to.
fn debug_tells_no_secret<V: Known>() {
    let backend = Backend::best();
    let key = HmacKey::<V>::new(&paint(40));
    for text in [format!("{key:?}"), format!("{:?}", key.hasher()), format!("{:?}", mac_on::<V>(b"k", backend))] {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        // Those of the count, the names, and the backend's.
        assert!(text.contains("..") && digits < 12, "{text}");
    }
    assert_eq!(Name::<V::Mac>(PhantomData).to_string(), V::NAME_OF_MAC);
}

fn every_type_tells_its_backend<V: Known>() {
    assert_eq!(HmacKey::<V>::new(b"key").backend(), Backend::best());
    for backend in all_backends() {
        let key = key_on::<V>(b"key", backend);
        assert_eq!(key.backend(), backend);
        assert_eq!(key.hasher().backend(), backend);
    }
}

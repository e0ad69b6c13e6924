//! What code that knows the `digest` traits alone does with the hash and the MAC.

use hmac::SimpleHmac;
use simd_digest::blake2b::{Blake2b, Blake2bMac};
use simd_digest::digest::common::{AlgorithmName, BlockSizeUser, KeySizeUser};
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::consts::{U1, U32, U64};
use simd_digest::digest::dev::{
    MacTestVector, MacTruncSide, TestVector, feed_rand_16mib, fixed_reset_test, fixed_test, mac_test, reset_mac_test,
};
use simd_digest::digest::typenum::Unsigned;
use simd_digest::digest::{
    CollisionResistance, Digest, DynDigest, FixedOutput, FixedOutputReset, HashMarker, InvalidLength, Key, KeyInit,
    Mac, OutputSizeUser,
};
use simd_digest::{Blake2b160, Blake2b256, Blake2b384, Blake2b512, Blake2bMac256, Blake2bMac512, blake2b};

use self::paint::paint;
use self::vector::{Vector, bytes, number};

#[path = "common/paint.rs"]
mod paint;
#[path = "common/vector.rs"]
mod vector;

/// Those vectors of `blake2b.txt` that have digests of `length` bytes, and a key or not, but nothing else set.
fn vectors(length: usize, keyed: bool) -> impl Iterator<Item = Vector> {
    Vector::all(include_str!("data/blake2b.txt")).filter(move |vector| {
        let sequential = ["length", "hash_length", "key", "digest"];
        vector.text("digest").len() == 2 * length
            && vector.fields().any(|field| field.0 == "key") == keyed
            && vector.fields().all(|field| sequential.contains(&field.0))
    })
}

fn message(vector: Vector) -> Vec<u8> {
    paint(number(vector.text("length")))
}

fn hash_passes<D: FixedOutputReset + Clone + Default + HashMarker>(least: usize) {
    let mut passed = 0;
    for vector in vectors(D::OutputSize::USIZE, false) {
        let test = TestVector { input: message(vector).leak(), output: bytes(vector.text("digest")).leak() };
        assert_eq!(fixed_reset_test::<D>(&test), Ok(()), "{vector:?}");
        assert_eq!(fixed_test::<D>(&test), Ok(()), "{vector:?}");
        passed += 1;
    }
    assert!(passed >= least, "only {passed} vectors");
}

#[test]
fn hash_passes_the_tests_of_digest() {
    hash_passes::<Blake2b512>(300);
    hash_passes::<Blake2b384>(4);
    hash_passes::<Blake2b256>(4);
    hash_passes::<Blake2b160>(4);
    hash_passes::<Blake2b<U1>>(4);
}

fn mac_passes<M: Mac + KeyInit + FixedOutputReset + Clone>(least: usize) {
    let mut passed = 0;
    for vector in vectors(M::OutputSize::USIZE, true) {
        let (key, input) = (bytes(vector.text("key")).leak(), message(vector).leak());
        let tag = bytes(vector.text("digest")).leak();
        let whole = MacTestVector { key, input, tag };
        assert_eq!(reset_mac_test::<M>(&whole, MacTruncSide::None), Ok(()), "{vector:?}");
        let left = MacTestVector { tag: &tag[..tag.len().div_ceil(2)], ..whole };
        assert_eq!(mac_test::<M>(&left, MacTruncSide::Left), Ok(()), "{vector:?}");
        let right = MacTestVector { tag: &tag[tag.len() / 2..], ..whole };
        assert_eq!(reset_mac_test::<M>(&right, MacTruncSide::Right), Ok(()), "{vector:?}");
        passed += 1;
    }
    assert!(passed >= least, "only {passed} vectors");
}

#[test]
fn mac_passes_the_tests_of_digest() {
    mac_passes::<Blake2bMac512>(260);
    mac_passes::<Blake2bMac256>(4);
    mac_passes::<Blake2bMac<U1>>(4);
}

#[test]
fn tags_are_verified() {
    let key = Key::<Blake2bMac512>::try_from(&paint(64)[..]).unwrap();
    let mac = || <Blake2bMac512 as KeyInit>::new(&key).chain_update(b"abc");
    let tag = mac().finalize().into_bytes();
    assert_eq!(tag[..], *blake2b::Params::new().key(&key).hash(b"abc").unwrap().as_bytes());
    assert!(mac().verify(&tag).is_ok());
    assert!(mac().verify_slice(&tag).is_ok());
    assert!(mac().verify_truncated_left(&tag[..20]).is_ok());
    assert!(mac().verify_truncated_right(&tag[44..]).is_ok());

    for bit in 0..8 * tag.len() {
        let mut forged = tag;
        forged[bit / 8] ^= 1 << (bit % 8);
        assert!(mac().verify(&forged).is_err(), "bit {bit}");
        assert!(mac().verify_slice(&forged).is_err(), "bit {bit}");
    }
    for wrong in [&[][..], &tag[..63], &[&tag[..], &[0]].concat()] {
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

#[test]
fn keys_of_1_to_64_bytes() {
    assert_eq!(<Blake2bMac256 as KeySizeUser>::key_size(), 64);
    for length in 0..=130 {
        let mac = Blake2bMac256::new_from_slice(&paint(length)).map(|_| ());
        assert_eq!(mac, if (1..=64).contains(&length) { Ok(()) } else { Err(InvalidLength) }, "length {length}");
    }
}

/// HMAC over a hash that tells a wrong size of its blocks is another function (RUSTSEC-2019-0019).
#[test]
fn trap_hmac_block_size() {
    assert_eq!(Blake2b512::block_size(), 128);
    let mut passed = 0;
    for vector in Vector::all(include_str!("data/hmac.txt")) {
        let mac = SimpleHmac::<Blake2b512>::new_from_slice(&bytes(vector.text("key"))).unwrap();
        let tag = mac.chain_update(message(vector)).finalize().into_bytes();
        assert_eq!(hex::encode(tag), vector.text("digest"), "{vector:?}");
        passed += 1;
    }
    assert!(passed > 80, "only {passed} vectors");
}

/// As signatures of RSA name their hash.
#[test]
fn object_identifiers() {
    fn oid<D: Digest + AssociatedOid>() -> String {
        D::OID.to_string()
    }
    assert_eq!(oid::<Blake2b160>(), "1.3.6.1.4.1.1722.12.2.1.5");
    assert_eq!(oid::<Blake2b256>(), "1.3.6.1.4.1.1722.12.2.1.8");
    assert_eq!(oid::<Blake2b384>(), "1.3.6.1.4.1.1722.12.2.1.12");
    assert_eq!(oid::<Blake2b512>(), "1.3.6.1.4.1.1722.12.2.1.16");
}

/// As curves take a hash to scalars, and transcripts to keys.
#[test]
fn bounds_of_users() {
    fn wide<D: Digest<OutputSize = U64> + Default>() -> [u8; 64] {
        D::default().chain_update(b"abc").finalize().into()
    }
    fn narrow<D: FixedOutput<OutputSize = U32> + Default + HashMarker>() -> [u8; 32] {
        Digest::chain_update(D::default(), b"abc").finalize_fixed().into()
    }
    fn thread_safe<T: Send + Sync + Unpin + Clone + 'static>() {}
    assert_eq!(blake2b::hash(b"abc"), wide::<Blake2b512>());
    assert_eq!(narrow::<Blake2b256>()[..], Blake2b256::digest(b"abc")[..]);
    thread_safe::<Blake2b512>();
    thread_safe::<Blake2bMac512>();
    thread_safe::<blake2b::Hasher>();
    thread_safe::<blake2b::Params>();
    thread_safe::<blake2b::Hash>();
}

#[test]
fn sizes() {
    assert_eq!(Blake2b160::block_size(), 128);
    assert_eq!(Blake2bMac512::block_size(), 128);
    let output_sizes = [<Blake2b512 as Digest>::output_size(), <Blake2b384 as Digest>::output_size()];
    assert_eq!(output_sizes, [64, 48]);
    assert_eq!(<Blake2bMac256 as OutputSizeUser>::output_size(), 32);
    assert_eq!(<Blake2b512 as CollisionResistance>::CollisionResistance::USIZE, 32);
}

struct Name<D>(core::marker::PhantomData<D>);

impl<D: AlgorithmName> core::fmt::Display for Name<D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        D::write_alg_name(f)
    }
}

#[test]
fn names() {
    assert_eq!(Name::<Blake2b512>(core::marker::PhantomData).to_string(), "Blake2b");
    assert_eq!(Name::<Blake2bMac512>(core::marker::PhantomData).to_string(), "Blake2bMac");
}

/// Neither key nor message, nor what they were compressed to.
#[test]
fn debug_tells_no_secret() {
    let hash = Blake2b512::new_with_prefix(paint(200));
    assert_eq!(format!("{hash:?}"), "Blake2b { .. }");
    assert_eq!(format!("{hash:#?}"), "Blake2b { .. }");
    let mac = Blake2bMac512::new_from_slice(&paint(64)).unwrap();
    assert_eq!(format!("{mac:?}"), "Blake2bMac { .. }");
    let params = blake2b::Params::new().key(&paint(64));
    assert_eq!(format!("{params:?}"), "Params { .. }");
    let mut hasher = params.hasher().unwrap();
    hasher.update(&paint(200));
    let backend = hasher.backend();
    assert_eq!(format!("{hasher:?}"), format!("Hasher {{ count: 200, backend: {backend:?}, .. }}"));
}

#[test]
fn clones_go_their_own_way() {
    let message = paint(500);
    for middle in [0, 1, 127, 128, 129, 256, 300] {
        let first = Blake2b512::new_with_prefix(&message[..middle]);
        let second = first.clone().chain_update(&message[middle..]);
        assert_eq!(second.finalize(), Blake2b512::digest(&message), "middle {middle}");
        assert_eq!(first.finalize(), Blake2b512::digest(&message[..middle]), "middle {middle}");
    }
}

#[test]
fn a_long_message() {
    let (mut ours, mut theirs) = (Blake2b256::new(), blake2::Blake2b256::new());
    feed_rand_16mib(&mut ours);
    feed_rand_16mib(&mut theirs);
    assert_eq!(ours.finalize(), theirs.finalize());
}

#[test]
fn through_a_trait_object() {
    let mut hash = Blake2b256::new();
    let object: &mut dyn DynDigest = &mut hash;
    assert_eq!(object.output_size(), 32);
    let mut output = [0; 32];
    for _ in 0..2 {
        object.update(b"abc");
        assert!(object.finalize_into_reset(&mut [0; 31]).is_err());
        object.reset();
        object.update(b"abc");
        object.finalize_into_reset(&mut output).unwrap();
        assert_eq!(output[..], Blake2b256::digest(b"abc")[..]);
    }
}

#[test]
#[cfg(feature = "alloc")]
fn through_a_boxed_trait_object() {
    let mut hashes: Vec<Box<dyn DynDigest>> = vec![Box::new(Blake2b512::new()), Box::new(Blake2b160::new())];
    hashes.extend(hashes.clone());
    let lengths: Vec<_> = hashes.into_iter().map(|hash| hash.finalize().len()).collect();
    assert_eq!(lengths, [64, 20, 64, 20]);
}

#[test]
#[cfg(feature = "std")]
fn as_a_writer() {
    use std::io::{self, Write};

    let message = paint(100_000);
    let mut hash = Blake2b512::new();
    assert_eq!(io::copy(&mut &message[..], &mut hash).unwrap(), 100_000);
    assert_eq!(hash.finalize(), Blake2b512::digest(&message));

    let mut mac = Blake2bMac512::new_from_slice(b"key").unwrap();
    mac.write_all(&message).unwrap();
    mac.flush().unwrap();
    let expected = blake2b::Params::new().key(b"key").hash(&message).unwrap();
    assert_eq!(expected, mac.finalize().into_bytes()[..]);

    let mut hasher = blake2b::Hasher::new();
    io::copy(&mut &message[..], &mut hasher).unwrap();
    assert_eq!(hasher.finalize(), blake2b::hash(&message));
}

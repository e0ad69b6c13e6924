//! The hash for code that knows the `digest` traits alone.

use core::fmt;
use core::marker::PhantomData;

use simd_digest::digest::common::{AlgorithmName, BlockSizeUser, KeySizeUser};
use simd_digest::digest::consts::{U32, U64};
use simd_digest::digest::dev::{
    MacTestVector, MacTruncSide, TestVector, fixed_reset_test, fixed_test, mac_test, reset_mac_test, xof_reset_test,
};
use simd_digest::digest::typenum::Unsigned;
use simd_digest::digest::{
    CollisionResistance, Digest, DynDigest, ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset,
    HashMarker, KeyInit, Mac, MacMarker, Output, Reset, Update, XofReader,
};
use simd_digest::{Backend, Blake3, blake3};

use super::all_backends;
use crate::common::blake3::{KEY, Kind};
use crate::common::feed::feed_16_mib;
use crate::common::paint::paint;
use crate::common::random::Random;

fn keyed() -> Blake3 {
    <Blake3 as KeyInit>::new_from_slice(KEY).unwrap()
}

/// Output of `length` bytes, by the crate `blake3`.
fn output(kind: Kind, message: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    kind.output_of_peer(message).fill(&mut bytes);
    bytes
}

fn lengths() -> impl Iterator<Item = usize> {
    (0..=66).chain([127, 128, 129, 300, 1000, 1023, 1024, 1025, 2048, 3000, 5000])
}

#[test]
fn hash_passes_the_tests_of_digest() {
    for length in lengths() {
        let input = paint(length).leak();
        let test = TestVector { input, output: output(Kind::Plain, input, 32).leak() };
        assert_eq!(fixed_reset_test::<Blake3>(&test), Ok(()), "length {length}");
        assert_eq!(fixed_test::<Blake3>(&test), Ok(()), "length {length}");
        for longer in [0, 1, 64, 65, 500, 1024] {
            let test = TestVector { input, output: output(Kind::Plain, input, longer).leak() };
            assert_eq!(xof_reset_test::<Blake3>(&test), Ok(()), "length {length}, output of {longer}");
        }
    }
}

#[test]
fn mac_passes_the_tests_of_digest() {
    for length in lengths() {
        let input = paint(length).leak();
        let vector = MacTestVector { key: KEY, input, tag: output(Kind::Keyed, input, 32).leak() };
        assert_eq!(mac_test::<Blake3>(&vector, MacTruncSide::None), Ok(()), "length {length}");
        assert_eq!(reset_mac_test::<Blake3>(&vector, MacTruncSide::None), Ok(()), "length {length}");
        let vector = MacTestVector { tag: &vector.tag[..16], ..vector };
        assert_eq!(mac_test::<Blake3>(&vector, MacTruncSide::Left), Ok(()), "length {length}");
    }
}

#[test]
fn on_every_backend() {
    let mut random = Random::new(2104);
    let message = paint(20_000);
    for backend in all_backends() {
        for (kind, begin) in [(Kind::Plain, Blake3::default()), (Kind::Keyed, keyed())] {
            let mut hash = begin.with_backend(backend);
            for length in (0..=130).chain([1000, 1024, 1025, 5000, 20_000]) {
                let expected = kind.of_peer(&message[..length]);
                let pieces = random.pieces(&message[..length]);
                pieces.iter().for_each(|piece| Update::update(&mut hash, piece));
                let clone = FixedOutput::finalize_fixed(hash.clone());
                assert_eq!(expected, clone[..], "{backend:?}, {kind:?}, {length}");
                let mut tag = Output::<Blake3>::default();
                FixedOutputReset::finalize_into_reset(&mut hash, &mut tag);
                assert_eq!(expected, tag[..], "{backend:?}, {kind:?}, {length}");

                pieces.iter().for_each(|piece| Update::update(&mut hash, piece));
                let mut reader = ExtendableOutput::finalize_xof(hash.clone());
                let mut bytes = [0; 200];
                let (head, tail) = bytes.split_at_mut(33);
                XofReader::read(&mut reader, head);
                XofReader::read(&mut reader, tail);
                assert!(bytes[..] == output(kind, &message[..length], 200), "{backend:?}, {kind:?}, {length}");
                let mut reader = ExtendableOutputReset::finalize_xof_reset(&mut hash);
                let mut bytes = [0; 100];
                XofReader::read(&mut reader, &mut bytes);
                assert!(bytes[..] == output(kind, &message[..length], 100), "{backend:?}, {kind:?}, {length}");
                Update::update(&mut hash, b"forgotten");
                Reset::reset(&mut hash);
            }
        }
    }
}

struct Name<D>(PhantomData<D>);

impl<D: AlgorithmName> fmt::Display for Name<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        D::write_alg_name(f)
    }
}

#[test]
fn sizes_and_names() {
    fn bounds<D>()
    where
        D: BlockSizeUser<BlockSize = U64> + FixedOutput<OutputSize = U32> + HashMarker + MacMarker + KeyInit,
    {
    }
    bounds::<Blake3>();
    assert_eq!(Blake3::block_size(), 64);
    assert_eq!(<Blake3 as Digest>::output_size(), 32);
    assert_eq!(<Blake3 as CollisionResistance>::CollisionResistance::USIZE, 16);
    assert_eq!(<Blake3 as KeySizeUser>::key_size(), 32);
    assert_eq!(Name::<Blake3>(PhantomData).to_string(), "Blake3");
}

/// Keys have 32 bytes, no more and no fewer.
#[test]
fn keys_of_wrong_lengths() {
    for length in 0..=130 {
        let mac = <Blake3 as KeyInit>::new_from_slice(&paint(length));
        assert_eq!(mac.is_ok(), length == 32, "{length}");
        if let Ok(mac) = mac {
            let tag = Mac::chain_update(mac, b"abc");
            let tag = Mac::finalize(tag).into_bytes();
            let key = paint(32).try_into().unwrap();
            assert_eq!(tag[..], *::blake3::keyed_hash(&key, b"abc").as_bytes());
        }
    }
    let key = (*KEY).into();
    let mac = Mac::chain_update(<Blake3 as KeyInit>::new(&key), b"abc");
    let tag = Mac::finalize(mac).into_bytes();
    assert_eq!(tag[..], *::blake3::keyed_hash(KEY, b"abc").as_bytes());
}

#[test]
fn tags_are_verified() {
    for backend in all_backends() {
        let mac = keyed().with_backend(backend);
        for length in [0, 1, 64, 1024, 1025, 5000] {
            let mac = Mac::chain_update(mac.clone(), paint(length));
            let tag = *Kind::Keyed.of_peer(&paint(length)).as_bytes();
            assert!(mac.clone().verify(&tag.into()).is_ok());
            assert!(mac.clone().verify_slice(&tag).is_ok());
            assert!(mac.clone().verify_slice(&tag[..31]).is_err());
            assert!(mac.clone().verify_truncated_left(&tag[..8]).is_ok());
            for bit in [0, 7, 100, 255] {
                let mut other = tag;
                other[bit / 8] ^= 1 << (bit % 8);
                assert!(mac.clone().verify_slice(&other).is_err(), "{backend:?}, bit {bit}");
            }
            let mut mac = mac;
            assert!(mac.verify_slice_reset(&tag).is_ok());
            assert_eq!(Mac::finalize(mac).into_bytes()[..], *Kind::Keyed.of_peer(b"").as_bytes(), "{backend:?}");
        }
    }
}

#[test]
fn debug_tells_no_secret() {
    let hash = Blake3::new_with_prefix(paint(200));
    assert_eq!(format!("{hash:?}"), "Blake3 { .. }");
    assert_eq!(format!("{:#?}", keyed()), "Blake3 { .. }");
}

#[test]
fn clones_go_their_own_way() {
    let message = paint(5000);
    for middle in [0, 1, 63, 64, 65, 1024, 1025, 3000] {
        let first = Blake3::new_with_prefix(&message[..middle]);
        let second = Digest::chain_update(first.clone(), &message[middle..]);
        assert_eq!(Digest::finalize(second), Blake3::digest(&message), "middle {middle}");
        assert_eq!(Digest::finalize(first), Blake3::digest(&message[..middle]), "middle {middle}");
    }
}

#[test]
fn a_long_message() {
    let (mut ours, mut theirs) = (Blake3::default(), ::blake3::Hasher::new());
    feed_16_mib(|bytes| {
        Update::update(&mut ours, bytes);
        theirs.update(bytes);
    });
    assert_eq!(Digest::finalize(ours)[..], *theirs.finalize().as_bytes());
}

#[test]
fn through_a_trait_object() {
    let mut hash = Blake3::default();
    let object: &mut dyn DynDigest = &mut hash;
    assert_eq!(object.output_size(), 32);
    let mut output = [0; 32];
    for _ in 0..2 {
        object.update(b"abc");
        assert!(object.finalize_into_reset(&mut [0; 31]).is_err());
        object.reset();
        object.update(b"abc");
        object.finalize_into_reset(&mut output).unwrap();
        assert_eq!(output, *blake3::hash(b"abc").as_bytes());
    }
}

/// As signatures and transcripts take a hash.
#[test]
fn bounds_of_users() {
    fn narrow<D: FixedOutput<OutputSize = U32> + Default + HashMarker>() -> [u8; 32] {
        Digest::chain_update(D::default(), b"abc").finalize_fixed().into()
    }
    fn wide<D: ExtendableOutput + Default>() -> [u8; 70] {
        let mut bytes = [0; 70];
        D::default().chain(b"abc").finalize_xof_into(&mut bytes);
        bytes
    }
    fn thread_safe<T: Send + Sync + Unpin + Clone + 'static>() {}
    assert_eq!(blake3::hash(b"abc"), narrow::<Blake3>());
    assert_eq!(wide::<Blake3>()[..], output(Kind::Plain, b"abc", 70));
    thread_safe::<Blake3>();
    thread_safe::<blake3::Hash>();
}

/// HMAC and HKDF over it are other functions than its keyed modes, but some protocols ask for them.
#[test]
fn hmac_and_hkdf_by_definition() {
    for key in [0, 1, 32, 63, 64, 65, 200].map(paint) {
        let mut block = [0; 64];
        if key.len() > 64 {
            block[..32].copy_from_slice(::blake3::hash(&key).as_bytes());
        } else {
            block[..key.len()].copy_from_slice(&key);
        }
        let padded = |pad: u8, end: &[u8]| {
            let mut hasher = ::blake3::Hasher::new();
            *hasher.update(&block.map(|byte| byte ^ pad)).update(end).finalize().as_bytes()
        };
        for message in [0, 1, 64, 2000].map(paint) {
            let expected = padded(0x5c, &padded(0x36, &message));
            let mac = hmac::SimpleHmac::<Blake3>::new_from_slice(&key).unwrap();
            let tag = mac.chain_update(&message).finalize().into_bytes();
            assert_eq!(tag[..], expected, "key of {}", key.len());
        }
    }
    let (mut okm, mut other) = ([0; 100], [1; 100]);
    hkdf::SimpleHkdf::<Blake3>::new(Some(b"salt"), b"material").expand(b"info", &mut okm).unwrap();
    hkdf::SimpleHkdf::<Blake3>::new(None, b"material").expand(b"info", &mut other).unwrap();
    assert_ne!(okm, other);
}

#[test]
fn the_hash_tells_its_backend() {
    assert_eq!(Blake3::default().backend(), Backend::best());
    for backend in all_backends() {
        assert_eq!(Blake3::default().with_backend(backend).backend(), backend);
        assert_eq!(keyed().with_backend(backend).backend(), backend);
    }
}

#[test]
#[cfg(feature = "std")]
fn as_a_writer() {
    use std::io::{self, Write};

    let message = paint(100_000);
    let mut hash = Blake3::default();
    io::copy(&mut &message[..], &mut hash).unwrap();
    hash.flush().unwrap();
    assert_eq!(Digest::finalize(hash), Blake3::digest(&message));
}

#[test]
#[cfg(feature = "zeroize")]
fn wiped_on_drop() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<Blake3>();
    wiped::<blake3::Hasher>();
    wiped::<blake3::Mode>();
    wiped::<blake3::OutputReader>();
}

//! The hashes in the place of the crate `sha2`'s, for code that knows the `digest` traits alone: HMAC, HKDF and PBKDF2
//! are among it.

use core::fmt;
use core::marker::PhantomData;

use hkdf::Hkdf;
use hmac::{Hmac, SimpleHmac};
use simd_digest::digest::block_api::{Block, Buffer, CoreProxy, EagerHash, FixedOutputCore, UpdateCore};
use simd_digest::digest::common::{AlgorithmName, BlockSizeUser};
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::consts::{U28, U32};
use simd_digest::digest::dev::{TestVector, fixed_reset_test, fixed_test};
use simd_digest::digest::typenum::Unsigned;
use simd_digest::digest::{
    CollisionResistance, Digest, DynDigest, FixedOutput, FixedOutputReset, HashMarker, KeyInit, Mac, Output,
};
use simd_digest::{
    Backend, HmacSha224, HmacSha256, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256, sha224, sha256,
};

use super::all_backends;
use super::traits::Traits;
use crate::common::cases::fewer_far;
use crate::common::feed::feed_16_mib;
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{Variant224, Variant256, for_all};

for_all! {
    hash_passes_the_tests_of_digest,
    on_every_backend,
    sizes_and_names,
    core_taken_apart_and_put_together,
    core_by_blocks,
    hmac_of_the_crate,
    hkdf_of_the_crate,
    pbkdf2_of_the_crate,
    debug_tells_no_secret,
    clones_go_their_own_way,
    a_long_message,
    through_a_trait_object,
}

fn hash_passes_the_tests_of_digest<V: Traits>() {
    for length in (0..=130).chain([183, 184, 192, 300, 1000]) {
        let input = paint(length).leak();
        let test = TestVector { input, output: V::Peer::digest(&input).to_vec().leak() };
        assert_eq!(fixed_reset_test::<V::Digest>(&test), Ok(()), "length {length}");
        assert_eq!(fixed_test::<V::Digest>(&test), Ok(()), "length {length}");
    }
}

fn on_every_backend<V: Traits>() {
    let mut random = Random::new(2104);
    let message = paint(2000);
    for backend in all_backends() {
        let mut hash = V::on(V::Digest::new(), backend);
        for length in (0..=200).chain([1000, 2000]) {
            random.pieces(&message[..length]).into_iter().for_each(|piece| Digest::update(&mut hash, piece));
            assert_eq!(hash.clone().finalize(), V::Peer::digest(&message[..length]), "{backend:?}, {length}");
            let mut output = Output::<V::Digest>::default();
            FixedOutputReset::finalize_into_reset(&mut hash, &mut output);
            assert_eq!(output, V::Peer::digest(&message[..length]), "{backend:?}, {length}");
            Digest::update(&mut hash, b"forgotten");
            Digest::reset(&mut hash);
        }
    }
}

struct Name<D>(PhantomData<D>);

impl<D: AlgorithmName> fmt::Display for Name<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        D::write_alg_name(f)
    }
}

/// As those of the crate `sha2`, the number that certificates and signatures have for the hash among them. But `sha2` has
/// one name for both.
fn sizes_and_names<V: Traits>() {
    assert_eq!(V::Digest::block_size(), V::BLOCK);
    assert_eq!(<V::Digest as Digest>::output_size(), V::LENGTH);
    assert_eq!(<V::Digest as CollisionResistance>::CollisionResistance::USIZE, V::LENGTH / 2);
    assert_eq!(V::Digest::OID, V::Peer::OID);
    assert_eq!(Name::<V::Digest>(PhantomData).to_string(), V::NAME_OF_HASH);
}

#[test]
fn object_identifiers() {
    assert_eq!(Sha256::OID.to_string(), "2.16.840.1.101.3.4.2.1");
    assert_eq!(Sha224::OID.to_string(), "2.16.840.1.101.3.4.2.4");
    assert_eq!(Sha384::OID.to_string(), "2.16.840.1.101.3.4.2.2");
    assert_eq!(Sha512::OID.to_string(), "2.16.840.1.101.3.4.2.3");
    assert_eq!(Sha512_224::OID.to_string(), "2.16.840.1.101.3.4.2.5");
    assert_eq!(Sha512_256::OID.to_string(), "2.16.840.1.101.3.4.2.6");
}

/// An eager buffer holds 0 to 63 bytes, ours may hold 64.
fn core_taken_apart_and_put_together<V: Traits>() {
    let message = paint(400);
    for backend in all_backends() {
        let positions = (0..=130).chain([191, 192, 193, 320]);
        for position in fewer_far(positions, |position| (position + 1) % V::BLOCK < 3) {
            for piece in [1, 63, 64, 65, 400] {
                let (begin, end) = message.split_at(position);
                let mut hash = V::on(V::Digest::new(), backend);
                begin.chunks(piece).for_each(|piece| Digest::update(&mut hash, piece));
                let (core, buffer) = hash.decompose();
                assert_eq!(buffer.get_data(), &begin[position - position % V::BLOCK..], "{backend:?}, {position}");
                let hash = V::Digest::compose(core, buffer);
                assert_eq!(hash.clone().finalize(), V::Peer::digest(begin), "{backend:?}, {position}");
                assert_eq!(hash.chain_update(end).finalize(), V::Peer::digest(&message), "{backend:?}, {position}");
            }
        }
    }
}

/// As the crate `hmac` uses it.
fn core_by_blocks<V: Traits>() {
    fn digest<D: EagerHash>(blocks: &[u8], rest: &[u8]) -> Vec<u8> {
        let blocks: Vec<_> =
            blocks.chunks(D::Core::block_size()).map(|block| Block::<D::Core>::try_from(block).unwrap()).collect();
        let mut core = D::Core::default();
        let (first, second) = blocks.split_at(blocks.len() / 2);
        core.update_blocks(first);
        core.update_blocks(second);
        let mut output = Output::<D::Core>::default();
        core.finalize_fixed_core(&mut Buffer::<D::Core>::new(rest), &mut output);
        output.to_vec()
    }
    let message = paint(V::at(64 * 9 + 63));
    for blocks in 0..=9 {
        for rest in [0, 1, 55, 56, 63].map(V::at) {
            let message = &message[..V::BLOCK * blocks + rest];
            let (whole, end) = message.split_at(V::BLOCK * blocks);
            assert_eq!(digest::<V::Digest>(whole, end), V::Peer::digest(message)[..], "{blocks} blocks, {rest} bytes");
        }
    }
}

fn hmac_of_the_crate<V: Traits>() {
    for key in [0, 1, 32, 63, 64, 65, 127, 128, 129, 200].map(paint) {
        for message in [0, 1, 55, 56, 63, 64, 65, 200].map(V::at).map(paint) {
            let theirs = Hmac::<V::Peer>::new_from_slice(&key).unwrap().chain_update(&message).finalize();
            let ours = Hmac::<V::Digest>::new_from_slice(&key).unwrap().chain_update(&message).finalize();
            assert_eq!(ours.into_bytes()[..], theirs.clone().into_bytes()[..], "key of {}", key.len());
            let simple = SimpleHmac::<V::Digest>::new_from_slice(&key).unwrap().chain_update(&message).finalize();
            assert_eq!(simple.into_bytes()[..], theirs.into_bytes()[..], "key of {}", key.len());
        }
    }
}

fn hkdf_of_the_crate<V: Traits>() {
    for salt in [None, Some(&b""[..]), Some(&paint(80)[..])] {
        for length in [0, 1, 32, 33, 255, 255 * V::LENGTH] {
            let (mut ours, mut theirs) = (vec![0; length], vec![1; length]);
            Hkdf::<V::Digest>::new(salt, b"material").expand(b"info", &mut ours).unwrap();
            Hkdf::<V::Peer>::new(salt, b"material").expand(b"info", &mut theirs).unwrap();
            assert_eq!(ours, theirs, "length {length}");
        }
    }
}

fn pbkdf2_of_the_crate<V: Traits>() {
    for (password, rounds) in [(&b"password"[..], 1), (b"password", 2), (b"", 3), (&paint(100), 100)] {
        let (mut ours, mut theirs) = ([0; 70], [1; 70]);
        pbkdf2::pbkdf2_hmac::<V::Digest>(password, b"salt", rounds, &mut ours);
        pbkdf2::pbkdf2_hmac::<V::Peer>(password, b"salt", rounds, &mut theirs);
        assert_eq!(ours, theirs, "{rounds} rounds");
    }
}

/// RFC 5869, test case 1, and RFC 7914, section 11.
#[test]
fn key_derivation_of_the_rfcs() {
    let mut key = [0; 42];
    let info: Vec<u8> = (0xf0..=0xf9).collect();
    Hkdf::<Sha256>::new(Some(&paint(13)), &[0x0b; 22]).expand(&info, &mut key).unwrap();
    let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
    assert_eq!(hex::encode(key), expected);
    let mut key = [0; 64];
    pbkdf2::pbkdf2_hmac::<Sha256>(b"passwd", b"salt", 1, &mut key);
    let expected = "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
                    49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783";
    assert_eq!(hex::encode(key), expected);
    let mut of_ours = [0; 64];
    pbkdf2::pbkdf2::<HmacSha256>(b"passwd", b"salt", 1, &mut of_ours).unwrap();
    assert_eq!(of_ours, key);
}

fn debug_tells_no_secret<V: Traits>() {
    let hash = V::Digest::new_with_prefix(paint(200));
    assert_eq!(format!("{hash:?}"), format!("{} {{ .. }}", V::NAME_OF_HASH));
    assert_eq!(format!("{hash:#?}"), format!("{} {{ .. }}", V::NAME_OF_HASH));
}

fn clones_go_their_own_way<V: Traits>() {
    let message = paint(500);
    for middle in [0, 1, 63, 64, 65, 127, 128, 129, 256, 300] {
        let first = V::Digest::new_with_prefix(&message[..middle]);
        let second = first.clone().chain_update(&message[middle..]);
        assert_eq!(second.finalize(), V::Digest::digest(&message), "middle {middle}");
        assert_eq!(first.finalize(), V::Digest::digest(&message[..middle]), "middle {middle}");
    }
}

fn a_long_message<V: Traits>() {
    let (mut ours, mut theirs) = (V::Digest::new(), V::Peer::new());
    feed_16_mib(|bytes| {
        Digest::update(&mut ours, bytes);
        Digest::update(&mut theirs, bytes);
    });
    assert_eq!(ours.finalize(), theirs.finalize());
}

fn through_a_trait_object<V: Traits>() {
    let mut hash = V::Digest::new();
    let object: &mut dyn DynDigest = &mut hash;
    assert_eq!(object.output_size(), V::LENGTH);
    let mut output = vec![0; V::LENGTH];
    for _ in 0..2 {
        object.update(b"abc");
        assert!(object.finalize_into_reset(&mut [0; 31]).is_err());
        object.reset();
        object.update(b"abc");
        object.finalize_into_reset(&mut output).unwrap();
        assert_eq!(output[..], V::Peer::digest(b"abc")[..]);
    }
}

#[test]
#[cfg(feature = "alloc")]
fn through_a_boxed_trait_object() {
    let mut hashes: Vec<Box<dyn DynDigest>> = vec![Box::new(Sha256::new()), Box::new(Sha224::new())];
    hashes.extend(hashes.clone());
    let lengths: Vec<_> = hashes.into_iter().map(|hash| hash.finalize().len()).collect();
    assert_eq!(lengths, [32, 28, 32, 28]);
}

/// As signatures and transcripts take a hash.
#[test]
fn bounds_of_users() {
    fn narrow<D: FixedOutput<OutputSize = U32> + Default + HashMarker>() -> [u8; 32] {
        Digest::chain_update(D::default(), b"abc").finalize_fixed().into()
    }
    fn shorter<D: Digest<OutputSize = U28> + BlockSizeUser>() -> [u8; 28] {
        D::new_with_prefix(b"abc").finalize().into()
    }
    fn thread_safe<T: Send + Sync + Unpin + Clone + 'static>() {}
    assert_eq!(sha256::hash(b"abc"), narrow::<Sha256>());
    assert_eq!(sha224::hash(b"abc"), shorter::<Sha224>());
    thread_safe::<Sha256>();
    thread_safe::<Sha224>();
    thread_safe::<HmacSha256>();
    thread_safe::<HmacSha224>();
    thread_safe::<sha256::HmacKey>();
    thread_safe::<sha256::HmacHasher>();
    thread_safe::<sha256::Batch>();
    thread_safe::<sha256::Hasher>();
    thread_safe::<sha256::Hash>();
    thread_safe::<sha256::hazmat::State>();
}

/// The names of the root are those of the modules.
#[test]
fn names_of_the_modules() {
    fn same<V: Traits<Digest = D, Mac = M>, D, M>() {}
    same::<Variant256, Sha256, HmacSha256>();
    same::<Variant224, Sha224, HmacSha224>();
}

#[test]
fn every_hash_tells_its_backend() {
    assert_eq!(Sha256::default().backend(), Backend::best());
    for backend in all_backends() {
        assert_eq!(Sha256::default().with_backend(backend).backend(), backend);
        assert_eq!(Sha224::default().with_backend(backend).backend(), backend);
        assert_eq!(HmacSha256::new_from_slice(b"key").unwrap().with_backend(backend).backend(), backend);
        assert_eq!(HmacSha224::new_from_slice(b"key").unwrap().with_backend(backend).backend(), backend);
    }
}

#[test]
#[cfg(feature = "std")]
fn as_a_writer() {
    use std::io::{self, Write};

    let message = paint(100_000);
    let mut hash = Sha256::new();
    assert_eq!(io::copy(&mut &message[..], &mut hash).unwrap(), 100_000);
    hash.flush().unwrap();
    assert_eq!(hash.finalize(), Sha256::digest(&message));
    let mut hash = Sha224::new();
    hash.write_all(&message).unwrap();
    assert_eq!(hash.finalize(), Sha224::digest(&message));
    let mut mac = HmacSha256::new_from_slice(b"key").unwrap();
    mac.write_all(&message).unwrap();
    assert_eq!(mac.finalize().into_bytes()[..], *sha256::HmacKey::new(b"key").hash(&message).as_bytes());
}

#[test]
#[cfg(feature = "zeroize")]
fn wiped_on_drop() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<Sha256>();
    wiped::<Sha224>();
    wiped::<HmacSha256>();
    wiped::<HmacSha224>();
    wiped::<sha256::Hasher>();
    wiped::<sha256::HmacKey>();
    wiped::<sha256::HmacHasher>();
    wiped::<sha256::hazmat::Sha256Core>();
    wiped::<sha224::hazmat::Sha224Core>();
}

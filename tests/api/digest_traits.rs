//! What code that knows the `digest` traits alone does with the hash and the MAC.

use core::fmt::Debug;

use hmac::SimpleHmac;
use simd_digest::blake2::{self, Flavour, OutputSize};
use simd_digest::blake2b::{self, Blake2b, Blake2bMac, FlavourB};
use simd_digest::blake2s::{self, Blake2s, Blake2sMac, FlavourS};
use simd_digest::digest::array::ArraySize;
use simd_digest::digest::common::{AlgorithmName, BlockSizeUser, KeySizeUser};
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::consts::{U1, U32, U64};
use simd_digest::digest::dev::{
    MacTestVector, MacTruncSide, TestVector, fixed_reset_test, fixed_test, mac_test, reset_mac_test,
};
use simd_digest::digest::typenum::{IsLessOrEqual, True, Unsigned};
use simd_digest::digest::{
    CollisionResistance, Digest, DynDigest, FixedOutput, FixedOutputReset, HashMarker, InvalidLength, Key, KeyInit,
    Mac, OutputSizeUser, Update,
};
use simd_digest::{Backend, Blake2b160, Blake2b256, Blake2b384, Blake2b512, Blake2bMac256, Blake2bMac512};
use simd_digest::{Blake2s128, Blake2s160, Blake2s224, Blake2s256, Blake2sMac128, Blake2sMac256};

use crate::common::cases::fewer;
use crate::common::feed::feed_16_mib;
use crate::common::flavour::for_both;
use crate::common::paint::paint;
use crate::common::vector::{Vector, bytes, number};

for_both! {
    tags_are_verified,
    key_lengths,
    trap_hmac_block_size,
    sizes,
    names,
    debug_tells_no_secret,
    clones_go_their_own_way,
    hashers_are_updated_by_the_trait,
    every_hasher_tells_its_backend,
}

/// What the `digest` traits have of a flavour: hash and MAC of full length.
trait Traits: Flavour {
    const VECTORS: &str;
    const HMAC: &str;
    const NAME_OF_HASH: &str;
    const NAME_OF_MAC: &str;
    type Hash: Digest
        + Default
        + Clone
        + Debug
        + FixedOutputReset
        + BlockSizeUser
        + CollisionResistance
        + AlgorithmName
        + HashMarker;
    type Mac: Mac + Clone + Debug + KeyInit + FixedOutputReset + BlockSizeUser + AlgorithmName;
}

impl Traits for FlavourB {
    const VECTORS: &str = include_str!("../data/blake2b.txt");
    const HMAC: &str = include_str!("../data/hmac.txt");
    const NAME_OF_HASH: &str = "Blake2b";
    const NAME_OF_MAC: &str = "Blake2bMac";
    type Hash = Blake2b512;
    type Mac = Blake2bMac512;
}

impl Traits for FlavourS {
    const VECTORS: &str = include_str!("../data/blake2s.txt");
    const HMAC: &str = include_str!("../data/hmac_blake2s.txt");
    const NAME_OF_HASH: &str = "Blake2s";
    const NAME_OF_MAC: &str = "Blake2sMac";
    type Hash = Blake2s256;
    type Mac = Blake2sMac256;
}

/// Those vectors that have digests of `length` bytes, and a key or not, but nothing else set.
fn vectors<F: Traits>(length: usize, keyed: bool) -> impl Iterator<Item = Vector> {
    Vector::all(F::VECTORS).filter(move |vector| {
        let sequential = ["length", "hash_length", "key", "digest"];
        vector.text("digest").len() == 2 * length
            && vector.fields().any(|field| field.0 == "key") == keyed
            && vector.fields().all(|field| sequential.contains(&field.0))
    })
}

fn message(vector: Vector) -> Vec<u8> {
    paint(number(vector.text("length")))
}

fn hash_passes<F: Traits, D: FixedOutputReset + Clone + Default + HashMarker>(least: usize) {
    let mut passed = 0;
    for vector in fewer(0, vectors::<F>(D::OutputSize::USIZE, false)) {
        let test = TestVector { input: message(vector).leak(), output: bytes(vector.text("digest")).leak() };
        assert_eq!(fixed_reset_test::<D>(&test), Ok(()), "{vector:?}");
        assert_eq!(fixed_test::<D>(&test), Ok(()), "{vector:?}");
        passed += 1;
    }
    assert!(passed >= fewer(0, 0..least).count(), "only {passed} vectors");
}

#[test]
fn hash_passes_the_tests_of_digest() {
    hash_passes::<FlavourB, Blake2b512>(300);
    hash_passes::<FlavourB, Blake2b384>(4);
    hash_passes::<FlavourB, Blake2b256>(4);
    hash_passes::<FlavourB, Blake2b160>(4);
    hash_passes::<FlavourB, Blake2b<U1>>(4);
    hash_passes::<FlavourS, Blake2s256>(300);
    hash_passes::<FlavourS, Blake2s224>(4);
    hash_passes::<FlavourS, Blake2s160>(4);
    hash_passes::<FlavourS, Blake2s128>(190);
    hash_passes::<FlavourS, Blake2s<U1>>(4);
}

fn mac_passes<F: Traits, M: Mac + KeyInit + FixedOutputReset + Clone>(least: usize) {
    let mut passed = 0;
    for vector in fewer(0, vectors::<F>(M::OutputSize::USIZE, true)) {
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
    assert!(passed >= fewer(0, 0..least).count(), "only {passed} vectors");
}

#[test]
fn mac_passes_the_tests_of_digest() {
    mac_passes::<FlavourB, Blake2bMac512>(260);
    mac_passes::<FlavourB, Blake2bMac256>(4);
    mac_passes::<FlavourB, Blake2bMac<U1>>(4);
    mac_passes::<FlavourS, Blake2sMac256>(150);
    mac_passes::<FlavourS, Blake2sMac128>(4);
    mac_passes::<FlavourS, Blake2sMac<U1>>(4);
}

fn tags_are_verified<F: Traits>() {
    let key = Key::<F::Mac>::try_from(&paint(F::LONGEST)[..]).unwrap();
    let mac = || <F::Mac as KeyInit>::new(&key).chain_update(b"abc");
    let tag = mac().finalize().into_bytes();
    assert_eq!(tag[..], *blake2::Params::<F>::new().key(&key).hash(b"abc").unwrap().as_bytes());
    assert!(mac().verify(&tag).is_ok());
    assert!(mac().verify_slice(&tag).is_ok());
    assert!(mac().verify_truncated_left(&tag[..20]).is_ok());
    assert!(mac().verify_truncated_right(&tag[F::LONGEST - 20..]).is_ok());

    for bit in 0..8 * tag.len() {
        let mut forged = tag.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert!(mac().verify(&forged).is_err(), "bit {bit}");
        assert!(mac().verify_slice(&forged).is_err(), "bit {bit}");
    }
    for wrong in [&[][..], &tag[..F::LONGEST - 1], &[&tag[..], &[0]].concat()] {
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

fn key_lengths<F: Traits>() {
    assert_eq!(<F::Mac as KeySizeUser>::key_size(), F::LONGEST);
    for length in 0..=130 {
        let mac = <F::Mac as KeyInit>::new_from_slice(&paint(length)).map(|_| ());
        let possible = (1..=F::LONGEST).contains(&length);
        assert_eq!(mac, if possible { Ok(()) } else { Err(InvalidLength) }, "length {length}");
    }
}

/// HMAC over a hash that tells a wrong size of its blocks is another function (RUSTSEC-2019-0019).
fn trap_hmac_block_size<F: Traits>() {
    assert_eq!(F::Hash::block_size(), F::BLOCK);
    let mut passed = 0;
    for vector in Vector::all(F::HMAC) {
        let mac = SimpleHmac::<F::Hash>::new_from_slice(&bytes(vector.text("key"))).unwrap();
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
    assert_eq!(oid::<Blake2s128>(), "1.3.6.1.4.1.1722.12.2.2.4");
    assert_eq!(oid::<Blake2s160>(), "1.3.6.1.4.1.1722.12.2.2.5");
    assert_eq!(oid::<Blake2s224>(), "1.3.6.1.4.1.1722.12.2.2.7");
    assert_eq!(oid::<Blake2s256>(), "1.3.6.1.4.1.1722.12.2.2.8");
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
    assert_eq!(blake2s::hash(b"abc"), narrow::<Blake2s256>());
    thread_safe::<Blake2b512>();
    thread_safe::<Blake2bMac512>();
    thread_safe::<Blake2s256>();
    thread_safe::<Blake2sMac256>();
    of_any_flavour::<FlavourB>();
    of_any_flavour::<FlavourS>();

    of_any_length::<U1>();
    of_any_length::<U32>();

    /// The bound of the `blake2` crate.
    fn of_any_length<N: ArraySize + IsLessOrEqual<U32, Output = True> + IsLessOrEqual<U64, Output = True>>() {
        fn hash<D: Digest>() -> usize {
            D::digest(b"abc").len()
        }
        assert_eq!([hash::<Blake2b<N>>(), hash::<Blake2s<N>>()], [N::USIZE; 2]);
        assert_eq!(<Blake2bMac<N>>::new_from_slice(b"key").unwrap().finalize().into_bytes().len(), N::USIZE);
        assert_eq!(hash::<blake2::Blake2p<FlavourB, N>>(), N::USIZE);
    }

    /// Nor need code that is generic over the flavour ask for it.
    fn of_any_flavour<F: Flavour + Unpin>() {
        fn thread_safe<T: Send + Sync + Clone + 'static>() {}
        thread_safe::<blake2::Hasher<F>>();
        thread_safe::<blake2::Params<F>>();
        thread_safe::<blake2::Hash<F>>();
    }
}

fn sizes<F: Traits>() {
    assert_eq!(F::Hash::block_size(), F::BLOCK);
    assert_eq!(F::Mac::block_size(), F::BLOCK);
    assert_eq!(<F::Hash as Digest>::output_size(), F::LONGEST);
    assert_eq!(<F::Mac as OutputSizeUser>::output_size(), F::LONGEST);
    assert_eq!(<F::Hash as CollisionResistance>::CollisionResistance::USIZE, F::LONGEST / 2);
}

#[test]
fn shorter_sizes() {
    fn size<D: OutputSizeUser>() -> usize {
        D::output_size()
    }
    assert_eq!([size::<Blake2b384>(), size::<Blake2b256>(), size::<Blake2b160>()], [48, 32, 20]);
    assert_eq!([size::<Blake2s224>(), size::<Blake2s160>(), size::<Blake2s128>()], [28, 20, 16]);
    assert_eq!([size::<Blake2bMac256>(), size::<Blake2sMac128>()], [32, 16]);
}

struct Name<D>(core::marker::PhantomData<D>);

impl<D: AlgorithmName> core::fmt::Display for Name<D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        D::write_alg_name(f)
    }
}

fn names<F: Traits>() {
    assert_eq!(Name::<F::Hash>(core::marker::PhantomData).to_string(), F::NAME_OF_HASH);
    assert_eq!(Name::<F::Mac>(core::marker::PhantomData).to_string(), F::NAME_OF_MAC);
}

/// Neither key nor message, nor what they were compressed to.
fn debug_tells_no_secret<F: Traits>() {
    let hash = F::Hash::new_with_prefix(paint(200));
    assert_eq!(format!("{hash:?}"), format!("{} {{ .. }}", F::NAME_OF_HASH));
    assert_eq!(format!("{hash:#?}"), format!("{} {{ .. }}", F::NAME_OF_HASH));
    let mac = <F::Mac as KeyInit>::new_from_slice(&paint(F::LONGEST)).unwrap();
    assert_eq!(format!("{mac:?}"), format!("{} {{ .. }}", F::NAME_OF_MAC));
    let params = blake2::Params::<F>::new().key(&paint(F::LONGEST));
    assert_eq!(format!("{params:?}"), "Params { .. }");
    let mut hasher = params.hasher().unwrap();
    hasher.update(&paint(200));
    let backend = hasher.backend();
    assert_eq!(format!("{hasher:?}"), format!("Hasher {{ count: 200, backend: {backend:?}, .. }}"));
}

fn clones_go_their_own_way<F: Traits>() {
    let message = paint(500);
    for middle in [0, 1, 63, 64, 65, 127, 128, 129, 256, 300] {
        let first = F::Hash::new_with_prefix(&message[..middle]);
        let second = Digest::chain_update(first.clone(), &message[middle..]);
        assert_eq!(Digest::finalize(second), F::Hash::digest(&message), "middle {middle}");
        assert_eq!(Digest::finalize(first), F::Hash::digest(&message[..middle]), "middle {middle}");
    }
}

/// Hashers with a key, tree parameters or a length of run time in code that knows `Update` alone. Where the trait is in
/// scope, the hasher's own `update` is called, which returns the hasher.
fn hashers_are_updated_by_the_trait<F: Traits>() {
    fn absorb(hasher: &mut impl Update, message: &[u8]) {
        message.chunks(100).for_each(|piece| hasher.update(piece));
    }
    let message = paint(500);
    let params = blake2::Params::<F>::new().key(b"key").hash_length(20);
    let (mut hasher, mut parallel) = (params.hasher().unwrap(), params.parallel().unwrap());
    let mut xof = params.xof_with_length(50).unwrap();
    absorb(&mut hasher, &message);
    absorb(&mut parallel, &message);
    absorb(&mut xof, &message);
    assert_eq!(hasher.finalize(), params.hash(&message).unwrap());
    assert_eq!(parallel.finalize(), params.parallel().unwrap().update(&message).finalize());
    let expected = params.xof_with_length(50).unwrap().update(&message[..1]).update(&message[1..]).finalize();
    let read = |mut output: blake2::OutputReader<F>| {
        let mut bytes = [0; 50];
        output.try_read(&mut bytes).map(|()| bytes)
    };
    assert_eq!(read(xof.finalize()), read(expected));
    let chained = params.hasher().unwrap().chain(&message[..200]).chain(&message[200..]);
    assert_eq!(chained.finalize(), hasher.finalize());
    let own = params.hasher().unwrap().update(&message[..200]).update(&message[200..]).finalize();
    assert_eq!(own, hasher.finalize());
}

fn every_hasher_tells_its_backend<F: Traits>()
where
    U32: OutputSize<F>,
{
    let params = blake2::Params::<F>::new();
    assert_eq!(blake2::Hasher::<F>::new().backend(), Backend::best());
    for backend in Backend::available() {
        let params = params.clone().with_backend(backend);
        assert_eq!(params.backend(), backend);
        assert_eq!(params.hasher().unwrap().backend(), backend);
        assert_eq!(params.parallel().unwrap().backend(), backend);
        assert_eq!(params.xof().unwrap().backend(), backend);
        assert_eq!(blake2::Hasher::<F>::new().with_backend(backend).backend(), backend);
        assert_eq!(blake2::Parallel::<F>::default().with_backend(backend).backend(), backend);
        assert_eq!(blake2::Blake2x::<F>::default().with_backend(backend).backend(), backend);
        assert_eq!(blake2::Blake2::<F, U32>::default().with_backend(backend).backend(), backend);
        assert_eq!(blake2::Blake2p::<F, U32>::default().with_backend(backend).backend(), backend);
        let mac = blake2::Blake2Mac::<F, U32>::new_from_slice(b"key").unwrap();
        assert_eq!(mac.with_backend(backend).backend(), backend);
    }
}

#[test]
fn a_long_message() {
    let (mut ours, mut theirs) = (Blake2b256::new(), ::blake2::Blake2b256::new());
    let (mut ours_s, mut theirs_s) = (Blake2s256::new(), ::blake2::Blake2s256::new());
    feed_16_mib(|bytes| {
        Digest::update(&mut ours, bytes);
        Digest::update(&mut theirs, bytes);
        Digest::update(&mut ours_s, bytes);
        Digest::update(&mut theirs_s, bytes);
    });
    assert_eq!(ours.finalize(), theirs.finalize());
    assert_eq!(ours_s.finalize(), theirs_s.finalize());
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
    let mut hashes: Vec<Box<dyn DynDigest>> =
        vec![Box::new(Blake2b512::new()), Box::new(Blake2b160::new()), Box::new(Blake2s256::new())];
    hashes.extend(hashes.clone());
    let lengths: Vec<_> = hashes.into_iter().map(|hash| hash.finalize().len()).collect();
    assert_eq!(lengths, [64, 20, 32, 64, 20, 32]);
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

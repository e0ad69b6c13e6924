//! The crates `blake2b_simd`, `blake2s_simd` and `blake2` as oracles; then, one test each, what they or others got
//! wrong.

use core::fmt::Debug;

use simd_digest::Backend;
use simd_digest::blake2::{Params, ParamsError};
use simd_digest::blake2b::{Blake2bMac512, FlavourB};
use simd_digest::blake2s::{Blake2sMac256, FlavourS};
use simd_digest::digest::{CustomizedInit, Digest, FixedOutputReset, KeyInit, Mac, OutputSizeUser, Reset};
use test_crates::proptest::collection::vec;
use test_crates::proptest::prelude::*;

use crate::common::cases::cases;
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::peer::{Fields, Peer, set_all};
use crate::common::random::Random;

for_both! {
    the_simd_crate,
    blake2_unkeyed,
    blake2_customised,
    blake2_mac,
    customisation_survives_reset,
    long_keys_are_errors,
    long_salts_and_personalisations_are_errors,
    long_customisations_are_hashed,
    an_empty_mac_key_is_an_error,
    an_empty_key_is_no_key,
    impossible_hash_lengths_are_errors,
    parameters_are_not_changed_by_their_use,
    #[cfg(feature = "zeroize")] everything_is_wiped_on_drop,
}

/// Everything that can be set, of every length and every number that there can be.
fn fields<F: Flavour>() -> impl Strategy<Value = Fields> {
    let lengths = (1..=F::LONGEST, 0..=F::LONGEST);
    let bytes = |most| vec(any::<u8>(), 0..=most);
    let texts = (bytes(F::LONGEST), bytes(F::TEXT), bytes(F::TEXT));
    let tree = (any::<u8>(), any::<u8>(), any::<u32>(), 0..=F::MAX_NODE_OFFSET, any::<u8>(), any::<bool>());
    (lengths, texts, tree).prop_map(|(lengths, (key, salt, personal), tree)| {
        let (hash_length, inner_hash_length) = lengths;
        let (fanout, max_depth, max_leaf_length, node_offset, node_depth, last_node) = tree;
        Fields {
            hash_length,
            key,
            salt,
            personal,
            fanout,
            max_depth,
            max_leaf_length,
            node_offset,
            node_depth,
            inner_hash_length,
            last_node,
        }
    })
}

/// With all parameters.
fn the_simd_crate<F: Peer>() {
    proptest!(cases(300), |(fields in fields::<F>(), message in vec(any::<u8>(), 0..1000), seed in 1..u64::MAX)| {
        let digest = F::digest(&fields, &message);
        let params = set_all!(Params::<F>::new(), fields);
        let ours = params.hash(&message)?;
        prop_assert_eq!(ours.as_bytes(), digest.as_ref());
        let mut random = Random::new(seed);
        for backend in Backend::available() {
            let mut hasher = params.hasher()?.with_backend(backend);
            for piece in random.pieces(&message) {
                hasher.update(piece);
            }
            prop_assert_eq!(hasher.finalize(), ours, "{}", backend);
        }
    });
}

/// What the crate `blake2` and this one have for a flavour: a hash of full length, a shorter one, and a MAC.
trait Blake2: Peer {
    type Full: Digest + CustomizedInit + Reset + FixedOutputReset;
    type Short: Digest + CustomizedInit;
    type Mac: Mac + KeyInit + FixedOutputReset + Debug;
    type TheirFull: Digest<OutputSize = <Self::Full as OutputSizeUser>::OutputSize> + CustomizedInit;
    type TheirShort: Digest<OutputSize = <Self::Short as OutputSizeUser>::OutputSize>;
    type TheirMac: Mac<OutputSize = <Self::Mac as OutputSizeUser>::OutputSize> + KeyInit;

    fn customised(salt: &[u8], personal: &[u8]) -> Result<Self::Full, ParamsError>;
    fn mac(key: Option<&[u8]>, salt: &[u8], personal: &[u8]) -> Result<Self::Mac, ParamsError>;
    fn their_mac(key: Option<&[u8]>, salt: &[u8], personal: &[u8]) -> Self::TheirMac;
}

macro_rules! blake2 {
    ($Flavour:ident, $Full:ident, $Short:ident, $Mac:ty, $TheirMac:ty) => {
        impl Blake2 for $Flavour {
            type Full = simd_digest::$Full;
            type Short = simd_digest::$Short;
            type Mac = $Mac;
            type TheirFull = blake2::$Full;
            type TheirShort = blake2::$Short;
            type TheirMac = $TheirMac;

            fn customised(salt: &[u8], personal: &[u8]) -> Result<Self::Full, ParamsError> {
                Self::Full::new_with_salt_and_personal(salt, personal)
            }

            fn mac(key: Option<&[u8]>, salt: &[u8], personal: &[u8]) -> Result<Self::Mac, ParamsError> {
                Self::Mac::new_with_salt_and_personal(key, salt, personal)
            }

            fn their_mac(key: Option<&[u8]>, salt: &[u8], personal: &[u8]) -> Self::TheirMac {
                Self::TheirMac::new_with_salt_and_personal(key, salt, personal).unwrap()
            }
        }
    };
}
blake2!(FlavourB, Blake2b512, Blake2b256, Blake2bMac512, blake2::Blake2bMac512);
blake2!(FlavourS, Blake2s256, Blake2s128, Blake2sMac256, blake2::Blake2sMac256);

fn blake2_unkeyed<F: Blake2>() {
    proptest!(cases(300), |(message in vec(any::<u8>(), 0..1000))| {
        prop_assert_eq!(F::Full::digest(&message), F::TheirFull::digest(&message));
        prop_assert_eq!(F::Short::digest(&message), F::TheirShort::digest(&message));
    });
}

fn blake2_customised<F: Blake2>() {
    proptest!(cases(300), |(text in vec(any::<u8>(), 0..=F::TEXT), message in vec(any::<u8>(), 0..300))| {
        let theirs = F::TheirFull::new_customized(&text).chain_update(&message).finalize();
        prop_assert_eq!(F::Full::new_customized(&text).chain_update(&message).finalize(), theirs);
    });
}

fn blake2_mac<F: Blake2>() {
    let texts = (vec(any::<u8>(), 0..=F::TEXT), vec(any::<u8>(), 0..=F::TEXT));
    let input = (vec(any::<u8>(), 1..=F::LONGEST), texts, vec(any::<u8>(), 0..600), 1..u64::MAX);
    proptest!(cases(300), |((key, (salt, personal), message, seed) in input)| {
        let theirs = <F::TheirMac as KeyInit>::new_from_slice(&key)?.chain_update(&message).finalize().into_bytes();
        let mut ours = <F::Mac as KeyInit>::new_from_slice(&key)?;
        for piece in Random::new(seed).pieces(&message) {
            Mac::update(&mut ours, piece);
        }
        prop_assert_eq!(ours.finalize().into_bytes(), theirs);

        for key in [None, Some(&key[..])] {
            let ours = F::mac(key, &salt, &personal)?;
            prop_assert_eq!(
                ours.chain_update(&message).finalize().into_bytes(),
                F::their_mac(key, &salt, &personal).chain_update(&message).finalize().into_bytes()
            );
        }
    });
}

/// `blake2`: reset gave the plain hash.
fn customisation_survives_reset<F: Blake2>() {
    let fields = Fields { salt: b"salt".into(), personal: b"personal".into(), ..Fields::new::<F>() };
    let digest = F::digest(&fields, b"abc");
    let customised = || F::customised(b"salt", b"personal").unwrap();
    let mut hasher = Digest::chain_update(customised(), b"forgotten");
    Reset::reset(&mut hasher);
    Digest::update(&mut hasher, b"abc");
    assert_eq!(hasher.finalize_fixed_reset()[..], *digest.as_ref());
    Digest::update(&mut hasher, b"abc");
    assert_eq!(Digest::finalize_reset(&mut hasher)[..], *digest.as_ref());
    assert_eq!(Digest::finalize(hasher), Digest::finalize(customised()));

    let keyed = || F::mac(Some(b"key"), b"salt", b"personal").unwrap();
    let mut mac = keyed().chain_update(b"forgotten");
    Mac::reset(&mut mac);
    Mac::update(&mut mac, b"abc");
    assert!(mac.finalize_reset() == keyed().chain_update(b"abc").finalize());
    assert!(mac.finalize() == keyed().finalize());
}

/// `blake2`: a key that is too long panicked.
fn long_keys_are_errors<F: Blake2>() {
    for length in F::LONGEST + 1..=130 {
        let key = paint(length);
        assert!(<F::Mac as KeyInit>::new_from_slice(&key).is_err(), "length {length}");
        assert!(F::mac(Some(&key), b"", b"").is_err(), "length {length}");
        assert!(Params::<F>::new().key(&key).hasher().is_err(), "length {length}");
    }
}

/// `blake2`: a salt or a personalisation that is too long panicked.
fn long_salts_and_personalisations_are_errors<F: Blake2>() {
    for length in F::TEXT + 1..=130 {
        let text = paint(length);
        for (salt, personal) in [(&text[..], &[][..]), (&[], &text)] {
            assert!(F::customised(salt, personal).is_err(), "length {length}");
            assert!(F::mac(Some(b"key"), salt, personal).is_err(), "{length}");
            assert!(Params::<F>::new().salt(salt).personal(personal).hash(b"").is_err(), "length {length}");
        }
    }
}

/// `blake2`: a customisation that is too long panicked. Here its digest becomes salt and personalisation.
fn long_customisations_are_hashed<F: Blake2>() {
    for length in [F::TEXT + 1, 17, 32, 64, 128, 129, 1000] {
        let plain = Fields::new::<F>();
        let texts = F::digest(&Fields { hash_length: 2 * F::TEXT, ..plain.clone() }, &paint(length));
        let (salt, personal) = texts.as_ref().split_at(F::TEXT);
        let hash_length = <F::Short as Digest>::output_size();
        let fields = Fields { hash_length, salt: salt.into(), personal: personal.into(), ..plain };
        let digest = F::digest(&fields, b"abc");
        let ours = F::Short::new_customized(&paint(length)).chain_update(b"abc").finalize();
        assert_eq!(ours[..], *digest.as_ref(), "length {length}");
    }
}

/// `blake2`: `new_from_slice(&[])` gave the hash of a zero block and the message.
fn an_empty_mac_key_is_an_error<F: Blake2>() {
    assert!(<F::Mac as KeyInit>::new_from_slice(b"").is_err());
    let error = F::mac(Some(b""), b"", b"").unwrap_err();
    assert_eq!(error.to_string(), format!("key has 0 bytes, but must have 1 to {}", F::LONGEST));
    let unkeyed = F::mac(None, b"", b"").unwrap();
    assert_eq!(unkeyed.chain_update(b"abc").finalize().into_bytes()[..], F::Full::digest(b"abc")[..]);
}

/// minio/blake2b-simd: an empty key that was there was hashed as a zero block.
fn an_empty_key_is_no_key<F: Blake2>() {
    let params = Params::<F>::new().key(b"key").key(b"");
    assert_eq!(params.hash(b"abc"), Params::<F>::new().hash(b"abc"));
    assert_eq!(params.hasher().unwrap().update(b"abc").finalize(), params.hash(b"abc").unwrap());
}

/// `blake2b_simd`: a length read from a file of checksums could end the process.
fn impossible_hash_lengths_are_errors<F: Blake2>() {
    for length in [0, F::LONGEST + 1, 65, 128, 256, 257, usize::MAX] {
        assert!(Params::<F>::new().hash_length(length).hasher().is_err(), "length {length}");
        assert!(Params::<F>::new().hash_length(length).hash(b"").is_err(), "length {length}");
    }
}

/// minio/blake2b-simd: making a hasher changed the caller's parameters.
fn parameters_are_not_changed_by_their_use<F: Blake2>() {
    let params = Params::<F>::new().key(&paint(F::LONGEST)).personal(b"personal").node_offset(7);
    let digest = params.hash(b"abc");
    let mut first = params.hasher().unwrap();
    first.update(b"something else").reset();
    assert_eq!(params.hash(b"abc"), digest);
    assert_eq!(Ok(params.hasher().unwrap().update(b"abc").finalize()), digest);
    assert_eq!(Ok(first.update(b"abc").finalize()), digest);
}

/// `blake2`: the key survived, and the hash did not say that it is wiped.
#[cfg(feature = "zeroize")]
fn everything_is_wiped_on_drop<F: Blake2>() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<simd_digest::blake2::Hasher<F>>();
    wiped::<Params<F>>();
    wiped::<simd_digest::Blake2b256>();
    wiped::<simd_digest::Blake2s256>();
    wiped::<Blake2bMac512>();
    wiped::<Blake2sMac256>();
}

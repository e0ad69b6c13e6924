//! The crates `blake2b_simd` and `blake2` as oracles; then, one test each, what they or others got wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use simd_digest::blake2b::Params;
use simd_digest::digest::{CustomizedInit, Digest, FixedOutputReset, KeyInit, Mac, Reset};
use simd_digest::{Backend, Blake2b256, Blake2b512, Blake2bMac256, Blake2bMac512};

use self::paint::paint;
use self::random::Random;

#[path = "common/paint.rs"]
mod paint;
#[path = "common/random.rs"]
mod random;

/// What can be set, of every length and every number that BLAKE2b knows.
#[derive(Debug)]
struct Fields {
    hash_length: usize,
    key: Vec<u8>,
    salt: Vec<u8>,
    personal: Vec<u8>,
    fanout: u8,
    max_depth: u8,
    max_leaf_length: u32,
    node_offset: u64,
    node_depth: u8,
    inner_hash_length: usize,
    last_node: bool,
}

prop_compose! {
    fn fields()(
        hash_length in 1..=64_usize,
        key in vec(any::<u8>(), 0..=64),
        salt in vec(any::<u8>(), 0..=16),
        personal in vec(any::<u8>(), 0..=16),
        (fanout, max_depth, node_depth) in any::<(u8, u8, u8)>(),
        (max_leaf_length, node_offset) in any::<(u32, u64)>(),
        inner_hash_length in 0..=64_usize,
        last_node in any::<bool>(),
    ) -> Fields {
        Fields {
            hash_length, key, salt, personal, fanout, max_depth, max_leaf_length, node_offset, node_depth,
            inner_hash_length, last_node,
        }
    }
}

/// The parameters of `fields`, of whichever crate `params` is: both have the same setters.
macro_rules! set_all {
    ($params:expr, $fields:expr) => {
        $params
            .hash_length($fields.hash_length)
            .key(&$fields.key)
            .salt(&$fields.salt)
            .personal(&$fields.personal)
            .fanout($fields.fanout)
            .max_depth($fields.max_depth)
            .max_leaf_length($fields.max_leaf_length)
            .node_offset($fields.node_offset)
            .node_depth($fields.node_depth)
            .inner_hash_length($fields.inner_hash_length)
            .last_node($fields.last_node)
    };
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn blake2b_simd_with_all_parameters(fields in fields(), message in vec(any::<u8>(), 0..1000), seed in 1..u64::MAX) {
        let digest = set_all!(blake2b_simd::Params::new(), fields).hash(&message);
        let params = set_all!(Params::new(), fields);
        let ours = params.hash(&message)?;
        prop_assert_eq!(ours.as_bytes(), digest.as_bytes());
        prop_assert_eq!(ours.to_string(), &digest.to_hex()[..]);
        let mut random = Random::new(seed);
        for backend in Backend::available() {
            let mut hasher = params.hasher()?.with_backend(backend);
            for piece in random.pieces(&message) {
                hasher.update(piece);
            }
            prop_assert_eq!(hasher.finalize(), ours, "{}", backend);
        }
    }

    #[test]
    fn blake2_unkeyed(message in vec(any::<u8>(), 0..1000)) {
        prop_assert_eq!(Blake2b512::digest(&message), blake2::Blake2b512::digest(&message));
        prop_assert_eq!(Blake2b256::digest(&message), blake2::Blake2b256::digest(&message));
    }

    #[test]
    fn blake2_customised(text in vec(any::<u8>(), 0..=16), message in vec(any::<u8>(), 0..300)) {
        let theirs = blake2::Blake2b512::new_customized(&text).chain_update(&message).finalize();
        prop_assert_eq!(Blake2b512::new_customized(&text).chain_update(&message).finalize(), theirs);
    }

    #[test]
    fn blake2_mac(
        key in vec(any::<u8>(), 1..=64),
        salt in vec(any::<u8>(), 0..=16),
        personal in vec(any::<u8>(), 0..=16),
        message in vec(any::<u8>(), 0..600),
        seed in 1..u64::MAX,
    ) {
        let theirs = blake2::Blake2bMac512::new_from_slice(&key)?.chain_update(&message).finalize().into_bytes();
        let mut ours = Blake2bMac512::new_from_slice(&key)?;
        for piece in Random::new(seed).pieces(&message) {
            Mac::update(&mut ours, piece);
        }
        prop_assert_eq!(ours.finalize().into_bytes(), theirs);

        for key in [None, Some(&key[..])] {
            let theirs = blake2::Blake2bMac512::new_with_salt_and_personal(key, &salt, &personal)?;
            let ours = Blake2bMac512::new_with_salt_and_personal(key, &salt, &personal)?;
            prop_assert_eq!(
                ours.chain_update(&message).finalize().into_bytes(),
                theirs.chain_update(&message).finalize().into_bytes()
            );
        }
    }
}

/// `blake2`: reset gave the plain hash.
#[test]
fn customisation_survives_reset() {
    let digest = blake2b_simd::Params::new().salt(b"salt").personal(b"personal").hash(b"abc");
    let customised = || Blake2b512::new_with_salt_and_personal(b"salt", b"personal").unwrap();
    let mut hasher = customised().chain_update(b"forgotten");
    Reset::reset(&mut hasher);
    Digest::update(&mut hasher, b"abc");
    assert_eq!(hasher.finalize_fixed_reset()[..], *digest.as_bytes());
    Digest::update(&mut hasher, b"abc");
    assert_eq!(Digest::finalize_reset(&mut hasher)[..], *digest.as_bytes());
    assert_eq!(hasher.finalize(), customised().finalize());

    let keyed = || Blake2bMac256::new_with_salt_and_personal(Some(b"key"), b"salt", b"personal").unwrap();
    let mut mac = keyed().chain_update(b"forgotten");
    Mac::reset(&mut mac);
    Mac::update(&mut mac, b"abc");
    assert!(mac.finalize_reset() == keyed().chain_update(b"abc").finalize());
    assert!(mac.finalize() == keyed().finalize());
}

/// `blake2`: a key longer than 64 bytes panicked.
#[test]
fn long_keys_are_errors() {
    for length in 65..=130 {
        let key = paint(length);
        assert!(Blake2bMac512::new_from_slice(&key).is_err(), "length {length}");
        assert!(Blake2bMac256::new_with_salt_and_personal(Some(&key), b"", b"").is_err(), "length {length}");
        assert!(Params::new().key(&key).hasher().is_err(), "length {length}");
    }
}

/// `blake2`: a salt or a personalisation longer than 16 bytes panicked.
#[test]
fn long_salts_and_personalisations_are_errors() {
    for length in 17..=130 {
        let text = paint(length);
        for (salt, personal) in [(&text[..], &[][..]), (&[], &text)] {
            assert!(Blake2b512::new_with_salt_and_personal(salt, personal).is_err(), "length {length}");
            assert!(Blake2bMac512::new_with_salt_and_personal(Some(b"key"), salt, personal).is_err(), "{length}");
            assert!(Params::new().salt(salt).personal(personal).hash(b"").is_err(), "length {length}");
        }
    }
}

/// `blake2`: a customisation longer than 16 bytes panicked. Here its digest becomes salt and personalisation.
#[test]
fn long_customisations_are_hashed() {
    for length in [17, 32, 64, 128, 129, 1000] {
        let texts = blake2b_simd::Params::new().hash_length(32).hash(&paint(length));
        let (salt, personal) = texts.as_bytes().split_at(16);
        let digest = blake2b_simd::Params::new().hash_length(32).salt(salt).personal(personal).hash(b"abc");
        let ours = Blake2b256::new_customized(&paint(length)).chain_update(b"abc").finalize();
        assert_eq!(ours[..], *digest.as_bytes(), "length {length}");
    }
}

/// `blake2`: `new_from_slice(&[])` gave the hash of a zero block and the message.
#[test]
fn an_empty_mac_key_is_an_error() {
    assert!(Blake2bMac512::new_from_slice(b"").is_err());
    assert!(Blake2bMac256::new_from_slice(b"").is_err());
    let error = Blake2bMac512::new_with_salt_and_personal(Some(b""), b"", b"").unwrap_err();
    assert_eq!(error.to_string(), "key length is 0, but must be 1 to 64");
    let unkeyed = Blake2bMac512::new_with_salt_and_personal(None, b"", b"").unwrap();
    assert_eq!(unkeyed.chain_update(b"abc").finalize().into_bytes(), Blake2b512::digest(b"abc"));
}

/// minio/blake2b-simd: an empty key that was there was hashed as a zero block.
#[test]
fn an_empty_key_is_no_key() {
    let params = Params::new().key(b"key").key(b"");
    assert_eq!(params.hash(b"abc"), Params::new().hash(b"abc"));
    assert_eq!(params.hasher().unwrap().update(b"abc").finalize(), params.hash(b"abc").unwrap());
}

/// `blake2b_simd`: a length read from a file of checksums could end the process.
#[test]
fn impossible_hash_lengths_are_errors() {
    for length in [0, 65, 128, 256, 257, usize::MAX] {
        assert!(Params::new().hash_length(length).hasher().is_err(), "length {length}");
        assert!(Params::new().hash_length(length).hash(b"").is_err(), "length {length}");
    }
}

/// minio/blake2b-simd: making a hasher changed the caller's parameters.
#[test]
fn parameters_are_not_changed_by_their_use() {
    let params = Params::new().key(&paint(64)).personal(b"personal").node_offset(7);
    let digest = params.hash(b"abc");
    let mut first = params.hasher().unwrap();
    first.update(b"something else").reset();
    assert_eq!(params.hash(b"abc"), digest);
    assert_eq!(Ok(params.hasher().unwrap().update(b"abc").finalize()), digest);
    assert_eq!(Ok(first.update(b"abc").finalize()), digest);
}

/// `blake2`: the key survived, and the hash did not say that it is wiped.
#[test]
#[cfg(feature = "zeroize")]
fn everything_is_wiped_on_drop() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<simd_digest::blake2b::Hasher>();
    wiped::<Params>();
    wiped::<Blake2b512>();
    wiped::<Blake2b256>();
    wiped::<Blake2bMac512>();
    wiped::<Blake2bMac256>();
}

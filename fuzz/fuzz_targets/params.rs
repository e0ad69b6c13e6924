//! Parameters of any value against `blake2b_simd`: the same digest if they are in range, an error if they are not.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simd_digest::digest::{CustomizedInit, KeyInit, Mac};
use simd_digest::{Blake2b512, Blake2bMac512, Digest};
use simd_digest_fuzz::Fields;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    message: &'a [u8],
}

/// What is out of range, by the name that errors have for it.
fn refused(fields: &Fields<'_>) -> Vec<&'static str> {
    let limits = [
        ("hash_length", fields.hash_length, 1..=64),
        ("key length", fields.key.len(), 0..=64),
        ("salt length", fields.salt.len(), 0..=16),
        ("personal length", fields.personal.len(), 0..=16),
        ("inner_hash_length", fields.inner_hash_length, 0..=64),
    ];
    limits.into_iter().filter(|(_, value, limits)| !limits.contains(value)).map(|(field, ..)| field).collect()
}

/// The peer panics out of range.
fn peer(fields: &Fields<'_>) -> blake2b_simd::Params {
    let mut params = blake2b_simd::Params::new();
    params
        .hash_length(fields.hash_length)
        .key(fields.key)
        .salt(fields.salt)
        .personal(fields.personal)
        .fanout(fields.fanout)
        .max_depth(fields.max_depth)
        .max_leaf_length(fields.max_leaf_length)
        .node_offset(fields.node_offset)
        .node_depth(fields.node_depth)
        .inner_hash_length(fields.inner_hash_length)
        .last_node(fields.last_node);
    params
}

fuzz_target!(|input: Input<'_>| {
    let Input { fields, message } = &input;
    let params = fields.params();
    let refused = refused(fields);
    match (params.hash(message), params.hasher()) {
        (Ok(digest), Ok(mut hasher)) => {
            assert!(refused.is_empty(), "accepted, although out of range: {refused:?}");
            let expected = peer(fields).hash(message);
            assert_eq!(digest.as_bytes(), expected.as_bytes());
            assert_eq!(hasher.update(message).finalize(), digest);
        }
        (Err(error), Err(same)) => {
            assert_eq!(error, same.clone());
            assert!(refused.contains(&error.field()), "{error}, although out of range is: {refused:?}");
            assert!(!error.limits().contains(&error.value()), "{error}");
            assert!(!error.to_string().is_empty());
        }
        (digest, hasher) => panic!("{digest:?}, but {hasher:?}"),
    }
    by_the_traits(fields, message);
});

/// The constructors of the traits, which take key, salt and personalisation only.
fn by_the_traits(fields: &Fields<'_>, message: &[u8]) {
    let &Fields { key, salt, personal, .. } = fields;
    let refused = salt.len() > 16 || personal.len() > 16;
    match Blake2b512::new_with_salt_and_personal(salt, personal) {
        Ok(hasher) => {
            assert!(!refused);
            let expected = blake2b_simd::Params::new().salt(salt).personal(personal).hash(message);
            assert_eq!(hasher.chain_update(message).finalize()[..], *expected.as_bytes());
        }
        Err(error) => assert!(refused, "{error}"),
    }

    // An empty key is refused here, and only here: a MAC without a key authenticates nothing.
    let key_refused = key.is_empty() || key.len() > 64;
    match Blake2bMac512::new_with_salt_and_personal(Some(key), salt, personal) {
        Ok(mac) => {
            assert!(!refused && !key_refused);
            let expected = blake2b_simd::Params::new().key(key).salt(salt).personal(personal).hash(message);
            assert_eq!(mac.chain_update(message).finalize().into_bytes()[..], *expected.as_bytes());
        }
        Err(error) => assert!(refused || key_refused, "{error}"),
    }
    assert_eq!(Blake2bMac512::new_from_slice(key).is_err(), key_refused);

    let customized = Blake2b512::new_customized(personal).chain_update(message).finalize();
    if personal.len() <= 16 {
        let expected = blake2b_simd::Params::new().personal(personal).hash(message);
        assert_eq!(customized[..], *expected.as_bytes());
    }
}

//! Parameters of any value against `blake2b_simd` and `blake2s_simd`: the same digest if they are in range, an error if they are not.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simd_digest::blake2b::{Blake2b512, Blake2bMac512, FlavourB};
use simd_digest::blake2s::{Blake2s256, Blake2sMac256, FlavourS};
use simd_digest::digest::{CustomizedInit, Digest, KeyInit, Mac};
use simd_digest_fuzz::{Fields, Flavour};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fields: Fields<'a>,
    message: &'a [u8],
}

/// What is out of range, by the name that errors have for it.
fn refused<F: Flavour>(fields: &Fields<'_>) -> Vec<&'static str> {
    let limits = [
        ("hash_length", fields.hash_length as u64, 1..=F::LONGEST as u64),
        ("key", fields.key.len() as u64, 0..=F::LONGEST as u64),
        ("salt", fields.salt.len() as u64, 0..=F::TEXT as u64),
        ("personal", fields.personal.len() as u64, 0..=F::TEXT as u64),
        ("inner_hash_length", fields.inner_hash_length as u64, 0..=F::LONGEST as u64),
        ("node_offset", fields.node_offset, 0..=F::MAX_NODE_OFFSET),
    ];
    limits.into_iter().filter(|(_, value, limits)| !limits.contains(value)).map(|(field, ..)| field).collect()
}

/// The peer, which panics out of range, and what the traits have beside them.
trait Peer: Flavour {
    fn peer(fields: &Fields<'_>, message: &[u8]) -> Vec<u8>;
    fn by_the_traits(fields: &Fields<'_>, message: &[u8]);
}

macro_rules! peer {
    ($Flavour:ident, $peer:ident, $Hash:ident, $Mac:ident) => {
        impl Peer for $Flavour {
            fn peer(fields: &Fields<'_>, message: &[u8]) -> Vec<u8> {
                let mut params = $peer::Params::new();
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
                params.hash(message).as_bytes().to_vec()
            }

            /// The constructors of the traits, which take key, salt and personalisation only.
            fn by_the_traits(fields: &Fields<'_>, message: &[u8]) {
                let &Fields { key, salt, personal, .. } = fields;
                let refused = salt.len() > Self::TEXT || personal.len() > Self::TEXT;
                match $Hash::new_with_salt_and_personal(salt, personal) {
                    Ok(hasher) => {
                        assert!(!refused);
                        let expected = $peer::Params::new().salt(salt).personal(personal).hash(message);
                        assert_eq!(hasher.chain_update(message).finalize()[..], *expected.as_bytes());
                    }
                    Err(error) => assert!(refused, "{error}"),
                }

                // An empty key is refused here, and only here: a MAC without a key authenticates nothing.
                let key_refused = key.is_empty() || key.len() > Self::LONGEST;
                match $Mac::new_with_salt_and_personal(Some(key), salt, personal) {
                    Ok(mac) => {
                        assert!(!refused && !key_refused);
                        let expected = $peer::Params::new().key(key).salt(salt).personal(personal).hash(message);
                        assert_eq!(mac.chain_update(message).finalize().into_bytes()[..], *expected.as_bytes());
                    }
                    Err(error) => assert!(refused || key_refused, "{error}"),
                }
                assert_eq!($Mac::new_from_slice(key).is_err(), key_refused);

                let customized = $Hash::new_customized(personal).chain_update(message).finalize();
                if personal.len() <= Self::TEXT {
                    let expected = $peer::Params::new().personal(personal).hash(message);
                    assert_eq!(customized[..], *expected.as_bytes());
                }
            }
        }
    };
}
peer!(FlavourB, blake2b_simd, Blake2b512, Blake2bMac512);
peer!(FlavourS, blake2s_simd, Blake2s256, Blake2sMac256);

fuzz_target!(|input: Input<'_>| {
    check::<FlavourB>(&input);
    check::<FlavourS>(&input);
});

fn check<F: Peer>(Input { fields, message }: &Input<'_>) {
    let fields = &fields.limited::<F>();
    let params = fields.params::<F>();
    let refused = refused::<F>(fields);
    match (params.hash(message), params.hasher()) {
        (Ok(digest), Ok(mut hasher)) => {
            assert!(refused.is_empty(), "accepted, although out of range: {refused:?}");
            assert_eq!(digest.as_bytes(), F::peer(fields, message));
            assert_eq!(hasher.update(message).finalize(), digest);
        }
        (Err(error), Err(same)) => {
            assert_eq!(error, same);
            assert!(refused.contains(&error.field()), "{error}, although out of range is: {refused:?}");
            assert!(!error.limits().contains(&error.value()), "{error}");
            assert!(!error.to_string().is_empty());
        }
        (digest, hasher) => panic!("{digest:?}, but {hasher:?}"),
    }
    F::by_the_traits(fields, message);
}

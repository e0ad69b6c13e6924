//! Which parameters are accepted, what the others are told, and where each stands in the parameter block.

use core::error::Error;

use simd_digest::blake2b::hazmat::compress;
use simd_digest::blake2b::{Params, ParamsError};
use simd_digest::digest::InvalidLength;

use self::paint::paint;

#[path = "common/paint.rs"]
mod paint;

/// The error that both ways to use `params` give.
fn error(params: &Params) -> Option<ParamsError> {
    let error = params.hash(b"abc").err();
    assert_eq!(params.hasher().err(), error);
    error
}

/// Accepts `limits` and refuses what is given beside them, telling `name`, and what was given.
fn accepts(name: &str, limits: (usize, usize), beside: &[usize], set: impl Fn(usize) -> Params) {
    for value in limits.0..=limits.1 {
        assert_eq!(error(&set(value)), None, "{name} {value}");
    }
    for &value in beside {
        let error = error(&set(value)).unwrap_or_else(|| panic!("{name} {value} was accepted"));
        assert_eq!(error.field(), name);
        assert_eq!(error.value(), value as u64);
        assert_eq!(error.limits(), limits.0 as u64..=limits.1 as u64);
        let (low, high) = limits;
        assert_eq!(error.to_string(), format!("{name} is {value}, but must be {low} to {high}"));
        assert_eq!(InvalidLength::from(error), InvalidLength);
        assert!((&error as &dyn Error).source().is_none());
    }
}

#[test]
fn lengths() {
    let new = Params::new;
    accepts("hash_length", (1, 64), &[0, 65, 256, 257, usize::MAX], |length| new().hash_length(length));
    accepts("inner_hash_length", (0, 64), &[65, 256, 257, usize::MAX], |length| new().inner_hash_length(length));
    accepts("key length", (0, 64), &[65, 128, 129, 256, 1000], |length| new().key(&paint(length)));
    accepts("salt length", (0, 16), &[17, 32, 64, 65, 256, 1000], |length| new().salt(&paint(length)));
    accepts("personal length", (0, 16), &[17, 32, 64, 65, 256, 1000], |length| new().personal(&paint(length)));
}

#[test]
fn any_place_in_a_tree() {
    for byte in 0..=255 {
        assert_eq!(error(&Params::new().fanout(byte)), None);
        assert_eq!(error(&Params::new().max_depth(byte)), None);
        assert_eq!(error(&Params::new().node_depth(byte)), None);
    }
    for bit in 0..64 {
        assert_eq!(error(&Params::new().node_offset(u64::MAX >> bit)), None);
        assert_eq!(error(&Params::new().max_leaf_length(u32::MAX >> (bit / 2))), None);
    }
    assert_eq!(error(&Params::new().last_node(true).fanout(0)), None);
}

/// The first field out of range is told, and a later setter repairs an earlier one.
#[test]
fn setters_replace() {
    let params = Params::new().hash_length(65).key(&[1; 65]).salt(&[2; 17]).personal(&[3; 17]).inner_hash_length(65);
    assert_eq!(error(&params).unwrap().field(), "hash_length");
    let params = params.hash_length(64);
    assert_eq!(error(&params).unwrap().field(), "key length");
    let params = params.key(b"").salt(b"").personal(b"");
    assert_eq!(error(&params).unwrap().field(), "inner_hash_length");
    assert_eq!(params.inner_hash_length(0).hash(b"abc"), Params::new().hash(b"abc"));
    assert_eq!(Params::default().hash(b"abc"), Params::new().hash(b"abc"));
}

/// Zeros fill up what is shorter: other than for a key, they make no difference.
#[test]
fn zeros_fill_up() {
    let hash = |params: Params| params.hash(b"abc").unwrap();
    let padded = [b"text".as_slice(), &[0; 12]].concat();
    assert_eq!(hash(Params::new().salt(b"text")), hash(Params::new().salt(&padded)));
    assert_eq!(hash(Params::new().personal(b"text")), hash(Params::new().personal(&padded)));
    assert_ne!(hash(Params::new().key(b"text")), hash(Params::new().key(&padded)));
    assert_ne!(hash(Params::new().salt(b"text")), hash(Params::new().personal(b"text")));
}

/// BLAKE2 paper, section 2.5: every field at its place in the parameter block, the compression function over it.
#[test]
fn parameter_block() {
    let params = Params::new()
        .hash_length(0x40)
        .fanout(0xa2)
        .max_depth(0)
        .max_leaf_length(0xa7a6_a5a4)
        .node_offset(0xafae_adac_abaa_a9a8)
        .node_depth(0xb0)
        .inner_hash_length(0x31)
        .salt(&(0xc0..0xd0).collect::<Vec<u8>>())
        .personal(&(0xd0..0xe0).collect::<Vec<u8>>());
    let tree = [0x40, 0, 0xa2, 0, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb0, 0x31];
    let block: Vec<u8> = tree.into_iter().chain([0; 14]).chain(0xc0..0xe0).collect();

    // Of zeros, no rounds leave the initialisation vector.
    let mut h = [0; 8];
    compress(0, &mut h, &[0; 16], 0, false);
    for (h, word) in h.iter_mut().zip(block.as_chunks().0) {
        *h ^= u64::from_le_bytes(*word);
    }
    let mut m = [0; 16];
    m[0] = u64::from_le_bytes(*b"abc\0\0\0\0\0");
    compress(12, &mut h, &m, 3, true);
    let digest = h.map(u64::to_le_bytes).concat();
    assert_eq!(params.hash(b"abc").unwrap().as_bytes(), digest);
}

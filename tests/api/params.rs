//! Which parameters are accepted, what the others are told, and where each stands in the parameter block.

use core::error::Error;

use simd_digest::Backend;
use simd_digest::blake2::{Params, ParamsError};
use simd_digest::blake2b;
use simd_digest::blake2s::{self, FlavourS};
use simd_digest::digest::{CustomizedInit, InvalidLength};
use simd_digest::{Blake2b256, Blake2s256, Digest};

use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::rfc::{Rfc, f};

for_both! {
    lengths,
    any_place_in_a_tree,
    setters_replace,
    constants,
    zeros_fill_up,
    parameter_block,
    the_backend_is_that_which_was_set,
    equal_in_all_fields,
    nothing_secret_is_printed,
}

/// The error that both ways to use `params` give.
fn error<F: Flavour>(params: &Params<F>) -> Option<ParamsError> {
    let error = params.hash(b"abc").err();
    assert_eq!(params.hasher().err(), error);
    error
}

/// Accepts `limits` and refuses what is given beside them, telling `name`, and what was given.
fn accepts<F: Flavour>(name: &str, limits: (usize, usize), beside: &[usize], set: impl Fn(usize) -> Params<F>) {
    for value in limits.0..=limits.1 {
        assert_eq!(error(&set(value)), None, "{name} {value}");
    }
    for &value in beside {
        let error = error(&set(value)).unwrap_or_else(|| panic!("{name} {value} was accepted"));
        assert_eq!(error.field(), name);
        assert_eq!(error.value(), value as u64);
        assert_eq!(error.limits(), limits.0 as u64..=limits.1 as u64);
        let ((low, high), bytes) = (limits, ["key", "salt", "personal"].contains(&name));
        let (has, have) = if bytes { (format!("has {value} bytes"), "have") } else { (format!("is {value}"), "be") };
        assert_eq!(error.to_string(), format!("{name} {has}, but must {have} {low} to {high}"));
        assert_eq!(InvalidLength::from(error), InvalidLength);
        assert!((&error as &dyn Error).source().is_none());
    }
}

fn lengths<F: Flavour>() {
    let new = Params::<F>::new;
    let (longest, text) = (F::LONGEST, F::TEXT);
    accepts("hash_length", (1, longest), &[0, longest + 1, 65, 256, 257, usize::MAX], |length| {
        new().hash_length(length)
    });
    accepts("inner_hash_length", (0, longest), &[longest + 1, 65, 256, 257, usize::MAX], |length| {
        new().inner_hash_length(length)
    });
    accepts("key", (0, longest), &[longest + 1, 65, 128, 129, 256, 1000], |length| new().key(&paint(length)));
    accepts("salt", (0, text), &[text + 1, 17, 32, 64, 65, 256, 1000], |length| new().salt(&paint(length)));
    accepts("personal", (0, text), &[text + 1, 17, 32, 64, 65, 256, 1000], |length| new().personal(&paint(length)));
}

fn any_place_in_a_tree<F: Flavour>() {
    for byte in 0..=255 {
        assert_eq!(error(&Params::<F>::new().fanout(byte)), None);
        assert_eq!(error(&Params::<F>::new().max_depth(byte)), None);
        assert_eq!(error(&Params::<F>::new().node_depth(byte)), None);
    }
    for bit in 0..64 {
        assert_eq!(error(&Params::<F>::new().node_offset(F::MAX_NODE_OFFSET >> bit)), None);
        assert_eq!(error(&Params::<F>::new().max_leaf_length(u32::MAX >> (bit / 2))), None);
    }
    assert_eq!(error(&Params::<F>::new().last_node(true).fanout(0)), None);
}

/// The first field out of range is told, and a later setter repairs an earlier one.
fn setters_replace<F: Flavour>() {
    let params =
        Params::<F>::new().hash_length(65).key(&[1; 65]).salt(&[2; 17]).personal(&[3; 17]).inner_hash_length(65);
    assert_eq!(error(&params).unwrap().field(), "hash_length");
    let params = params.hash_length(F::LONGEST);
    assert_eq!(error(&params).unwrap().field(), "key");
    let params = params.key(b"").salt(b"").personal(b"");
    assert_eq!(error(&params).unwrap().field(), "inner_hash_length");
    assert_eq!(params.inner_hash_length(0).hash(b"abc"), Params::new().hash(b"abc"));
    assert_eq!(Params::<F>::default().hash(b"abc"), Params::new().hash(b"abc"));
}

/// Every setter, in a constant of a flavour and in one that is generic.
fn constants<F: Flavour>() {
    struct Of<F>(core::marker::PhantomData<F>);
    impl<F: Flavour> Of<F> {
        const APP: Params<F> = Params::new().personal(b"app").hash_length(20);
        const LEAF: Params<F> = Params::new()
            .key(&[7; 32])
            .salt(b"salt")
            .fanout(2)
            .max_depth(3)
            .max_leaf_length(4096)
            .node_offset(5)
            .node_depth(1)
            .inner_hash_length(32)
            .last_node(true);
        const TOO_LONG: Params<F> = Params::new().key(&[1; 65]);
    }
    assert_eq!(Of::<F>::APP.hash(b"abc"), Params::new().hash_length(20).personal(b"app").hash(b"abc"));
    let leaf = Params::<F>::new().key(&[7; 32]).salt(b"salt").fanout(2).max_depth(3).max_leaf_length(4096);
    let leaf = leaf.node_offset(5).node_depth(1).inner_hash_length(32).last_node(true);
    assert_eq!(Of::<F>::LEAF.hash(b"abc"), leaf.hash(b"abc"));
    assert_ne!(Of::<F>::LEAF.last_node(false).hash(b"abc"), leaf.hash(b"abc"));
    assert_eq!(error(&Of::<F>::TOO_LONG).unwrap().value(), 65);
}

#[test]
fn constants_of_the_modules() {
    const APP_B: blake2b::Params = blake2b::Params::new().personal(b"app").hash_length(32);
    const APP_S: blake2s::Params = blake2s::Params::new().personal(b"app").hash_length(32);
    static LONG_SALT: blake2s::Params = blake2s::Params::new().salt(&[0; 9]);
    assert_eq!(APP_B.hash(b"abc").unwrap(), Blake2b256::new_customized(b"app").chain_update(b"abc").finalize()[..]);
    assert_eq!(APP_S.hash(b"abc").unwrap(), Blake2s256::new_customized(b"app").chain_update(b"abc").finalize()[..]);
    assert_eq!(error(&LONG_SALT).unwrap().limits(), 0..=8);
}

/// Zeros fill up what is shorter: other than for a key, they make no difference.
fn zeros_fill_up<F: Flavour>() {
    let hash = |params: Params<F>| params.hash(b"abc").unwrap();
    let padded = [b"text".as_slice(), &vec![0; F::TEXT - 4]].concat();
    assert_eq!(hash(Params::new().salt(b"text")), hash(Params::new().salt(&padded)));
    assert_eq!(hash(Params::new().personal(b"text")), hash(Params::new().personal(&padded)));
    assert_ne!(hash(Params::new().key(b"text")), hash(Params::new().key(&padded)));
    assert_ne!(hash(Params::new().salt(b"text")), hash(Params::new().personal(b"text")));
}

/// BLAKE2s has 48 bits for it.
#[test]
fn node_offset_of_blake2s() {
    let params = |offset| Params::<FlavourS>::new().node_offset(offset);
    assert_eq!(error(&params((1 << 48) - 1)), None);
    for offset in (48..64).map(|bit| 1 << bit).chain([(1 << 48) + 1, u64::MAX]) {
        let error = error(&params(offset)).unwrap();
        assert_eq!((error.field(), error.value(), error.limits()), ("node_offset", offset, 0..=(1 << 48) - 1));
        assert_eq!(error.to_string(), format!("node_offset is {offset}, but must be 0 to 281474976710655"));
    }
    let hash = |offset| params(offset).hash(b"abc").unwrap();
    assert_ne!(hash(1 << 47), hash(0));
}

/// BLAKE2 paper, section 2.5: every field at its place in the parameter block, the compression function over it.
fn parameter_block<F: Rfc>() {
    let texts: Vec<u8> = (0xc0..).take(2 * F::TEXT).collect();
    let (salt, personal) = texts.split_at(F::TEXT);
    // BLAKE2s has the lower 48 bits of the node offset.
    let params = Params::<F>::new()
        .hash_length(F::LONGEST)
        .fanout(0xa2)
        .max_depth(0)
        .max_leaf_length(0xa7a6_a5a4)
        .node_offset(0xafae_adac_abaa_a9a8 & F::MAX_NODE_OFFSET)
        .node_depth(0xb0)
        .inner_hash_length(0x11)
        .salt(salt)
        .personal(personal);
    let mut block = vec![u8::try_from(F::LONGEST).unwrap(), 0, 0xa2, 0, 0xa4, 0xa5, 0xa6, 0xa7];
    block.extend(0xa8..if F::LONGEST == 64 { 0xb0 } else { 0xae });
    block.extend([0xb0, 0x11]);
    block.resize(2 * F::TEXT, 0);
    block.extend(texts);

    let start = core::array::from_fn(|i| F::iv(i) ^ F::words::<8>(&block)[i]);
    let h = f::<F>(<F as Rfc>::ROUNDS, start, &F::block(b"abc"), 3, true);
    assert_eq!(params.hash(b"abc").unwrap().as_bytes(), F::bytes(&h));
}

fn the_backend_is_that_which_was_set<F: Flavour>() {
    assert_eq!(Params::<F>::new().backend(), Backend::best());
    for backend in Backend::available() {
        assert_eq!(Params::<F>::new().with_backend(backend).backend(), backend);
    }
}

fn equal_in_all_fields<F: Flavour>() {
    let new = Params::<F>::new;
    let key = paint(F::LONGEST);
    let mut all = vec![
        new(),
        new().hash_length(1),
        new().salt(b"a"),
        new().personal(b"a"),
        new().fanout(2),
        new().max_depth(2),
        new().max_leaf_length(1),
        new().node_offset(1),
        new().node_depth(1),
        new().inner_hash_length(1),
        new().last_node(true),
        new().with_backend(Backend::best()),
        // Zeros that fill up the same block as no key.
        new().key(&[0]),
        new().key(&[0, 0]),
        new().key(&key),
    ];
    all.extend((0..key.len()).map(|i| {
        let mut other = key.clone();
        other[i] ^= 0x80;
        new().key(&other)
    }));
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            assert_eq!(a == b, i == j, "{i} {j}");
        }
        assert_eq!(*a, a.clone());
    }
}

fn nothing_secret_is_printed<F: Flavour>() {
    assert_eq!(format!("{:?}", Params::<F>::new().key(b"key")), "Params { .. }");
}

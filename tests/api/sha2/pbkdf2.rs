//! PBKDF2: RFC 7914, Wycheproof, and the crate `pbkdf2` over the crate `sha2`.

use core::num::NonZeroU32;

use simd_digest::sha2::Batch;
use simd_digest::{Backend, ManyError, Pbkdf2Error};
use simd_digest::{sha224, sha256, sha384, sha512, sha512_224, sha512_256};

use super::all_backends;
use super::traits::Traits;
use crate::common::cases::{are_fewer, fewer};
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{
    Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256, for_all, on,
};
use crate::common::vector::{Vector, bytes, number};

for_all! {
    wycheproof,
    passwords_of_any_length,
    salts_of_any_length,
    outputs_of_any_length,
    any_number_of_rounds,
    in_lanes,
    wrong_numbers_of_outputs_are_errors,
}

/// The calls of a variant's module, and its vectors.
trait Known: Traits {
    const WYCHEPROOF: Option<&str>;

    fn derive(password: &[u8], salt: &[u8], rounds: NonZeroU32, out: &mut [u8]) -> Result<(), Pbkdf2Error>;
    fn derive_many(inputs: &[(&[u8], &[u8])], rounds: NonZeroU32, outs: &mut [&mut [u8]]) -> Result<(), Pbkdf2Error>;
}

macro_rules! known {
    ($($Variant:ident of $module:ident: $vectors:expr;)+) => {$(
        impl Known for $Variant {
            const WYCHEPROOF: Option<&str> = $vectors;

            fn derive(password: &[u8], salt: &[u8], rounds: NonZeroU32, out: &mut [u8]) -> Result<(), Pbkdf2Error> {
                $module::pbkdf2(password, salt, rounds, out)
            }

            fn derive_many(
                inputs: &[(&[u8], &[u8])],
                rounds: NonZeroU32,
                outs: &mut [&mut [u8]],
            ) -> Result<(), Pbkdf2Error> {
                $module::pbkdf2_many(inputs, rounds, outs)
            }
        }
    )+};
}
known! {
    Variant224 of sha224: Some(include_str!("../../data/sha2/wycheproof_pbkdf2_sha224.txt"));
    Variant256 of sha256: Some(include_str!("../../data/sha2/wycheproof_pbkdf2_sha256.txt"));
    Variant384 of sha384: Some(include_str!("../../data/sha2/wycheproof_pbkdf2_sha384.txt"));
    Variant512 of sha512: Some(include_str!("../../data/sha2/wycheproof_pbkdf2_sha512.txt"));
    Variant512_224 of sha512_224: None;
    Variant512_256 of sha512_256: None;
}

fn rounds(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

fn of_peer<V: Known>(password: &[u8], salt: &[u8], rounds: u32, length: usize) -> Vec<u8> {
    let mut out = vec![0xcc; length];
    pbkdf2::pbkdf2_hmac::<V::Peer>(password, salt, rounds, &mut out);
    out
}

fn derived<V: Known>(batch: Batch<V>, password: &[u8], salt: &[u8], number: u32, length: usize) -> Vec<u8> {
    let mut out = vec![0xee; length];
    assert_eq!(batch.pbkdf2(password, salt, rounds(number), &mut out), Ok(()));
    out
}

/// Compares all backends, and the function of the module, with the peer.
fn compare<V: Known>(password: &[u8], salt: &[u8], number: u32, length: usize) {
    let expected = of_peer::<V>(password, salt, number, length);
    let case = [password.len(), salt.len(), number as usize, length];
    let mut out = vec![0xee; length];
    assert_eq!(V::derive(password, salt, rounds(number), &mut out), Ok(()));
    assert_eq!(out, expected, "{case:?}");
    for backend in all_backends() {
        assert_eq!(derived::<V>(on(backend), password, salt, number, length), expected, "{backend:?}, {case:?}");
    }
}

/// SHA-256 begins with the two vectors of RFC 7914, section 11. All vectors on the fastest backend, and each on another one:
/// nearly all have 4096 rounds. Where there are fewer cases, the fastest has a share as well, and
/// each a fifth of its share.
fn wycheproof<V: Known>() {
    let Some(file) = V::WYCHEPROOF else { return };
    let vectors: Vec<Vector> = Vector::all(file).collect();
    assert_eq!(vectors.len(), if V::NAME_OF_HASH == "Sha256" { 60 } else { 58 });
    let others = all_backends().count() - 1;
    for (i, backend) in all_backends().enumerate() {
        let step = if i == 0 && !are_fewer() { 1 } else { others.max(1) };
        for vector in fewer(i, vectors.iter().skip(i % step).step_by(step)) {
            let [password, salt, expected] = ["password", "salt", "out"].map(|name| bytes(vector.text(name)));
            let out = derived::<V>(on(backend), &password, &salt, number(vector.text("rounds")), expected.len());
            assert_eq!(out, expected, "{backend:?}, {vector:?}");
        }
    }
}

/// RFC 7914, section 11, as it is printed there.
#[test]
fn rfc_7914() {
    let vectors = [
        (
            ["passwd", "salt"],
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            ["Password", "NaCl"],
            80_000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ];
    for ([password, salt], number, expected) in vectors {
        let mut out = [0; 64];
        assert_eq!(sha256::pbkdf2(password.as_bytes(), salt.as_bytes(), rounds(number), &mut out), Ok(()));
        assert_eq!(hex::encode(out), expected);
    }
}

/// Beside the block, beyond which a password is hashed, and long ones.
fn passwords_of_any_length<V: Known>() {
    let memory = paint(1000);
    for length in [0, 1, 8, V::LENGTH, V::BLOCK - 1, V::BLOCK, V::BLOCK + 1, 2 * V::BLOCK, 1000] {
        compare::<V>(&memory[..length], b"salt", 3, V::LENGTH);
    }
}

/// All lengths until the number of the block of output is in a block of its own, twice, and long ones.
fn salts_of_any_length<V: Known>() {
    let memory = paint(3000);
    for length in fewer(V::LENGTH, (0..=2 * V::BLOCK + 9).chain([1000, 3000])) {
        compare::<V>(b"password", &memory[..length], 2, V::LENGTH + 1);
    }
}

/// More blocks of output than any backend has lanes.
fn outputs_of_any_length<V: Known>() {
    for digests in fewer(V::LENGTH, 0..=35) {
        for length in [(digests * V::LENGTH).saturating_sub(1), digests * V::LENGTH, digests * V::LENGTH + 1] {
            compare::<V>(b"password", b"salt", 2, length);
        }
    }
}

fn any_number_of_rounds<V: Known>() {
    for number in [1, 2, 3, 4, 5, 100] {
        for digests in fewer(number as usize, [1, 2, 3, 4, 5]) {
            compare::<V>(b"password", b"sodium chloride", number, digests * V::LENGTH);
        }
    }
    compare::<V>(b"password", b"sodium chloride", 1000, V::LENGTH);
}

/// Up to 35 passwords, whose outputs have 0 to 4 digests, or all one.
fn in_lanes<V: Known>() {
    let mut random = Random::new(8018);
    let memory = paint(2000);
    for count in fewer(V::LENGTH, 0..=35) {
        for longest in [0, 4 * V::LENGTH as u64] {
            let inputs: Vec<(&[u8], &[u8])> = (0..count)
                .map(|i| {
                    let [password, salt] = [140, 300].map(|below| random.below(below));
                    (&memory[i..][..password], &memory[3 * i..][..salt])
                })
                .collect();
            let lengths: Vec<usize> =
                inputs.iter().map(|_| if longest == 0 { V::LENGTH } else { random.below(longest) }).collect();
            let number = 1 + u32::try_from(count).unwrap() % 4;
            let expected: Vec<Vec<u8>> = inputs
                .iter()
                .zip(&lengths)
                .map(|((password, salt), length)| of_peer::<V>(password, salt, number, *length))
                .collect();
            let mut outs: Vec<Vec<u8>> = lengths.iter().map(|length| vec![0xee; *length]).collect();
            let mut slices: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
            assert_eq!(V::derive_many(&inputs, rounds(number), &mut slices), Ok(()));
            assert_eq!(outs, expected, "{count} passwords");
            for backend in all_backends() {
                let mut outs: Vec<Vec<u8>> = lengths.iter().map(|length| vec![0xee; *length]).collect();
                assert_eq!(on::<V>(backend).pbkdf2_many(&inputs, rounds(number), &mut outs), Ok(()));
                assert_eq!(outs, expected, "{backend:?}, {count} passwords");
            }
        }
    }
}

/// Nothing is written then.
fn wrong_numbers_of_outputs_are_errors<V: Known>() {
    let inputs = [("one", "salt"), ("two", "salt"), ("three", "salt")];
    for backend in all_backends() {
        for given in [0, 1, 2, 4, 40] {
            let mut outs = vec![[0xee; 20]; given];
            let error = on::<V>(backend).pbkdf2_many(&inputs, rounds(2), &mut outs).unwrap_err();
            assert!(matches!(error, Pbkdf2Error::Outputs(ManyError { given: g, needed: 3, .. }) if g == given));
            assert_eq!(error.to_string(), format!("there are {given} outputs for 3 inputs"));
            assert_eq!(outs, vec![[0xee; 20]; given], "touched");
        }
        let none: [(&[u8], &[u8]); 0] = [];
        assert_eq!(on::<V>(backend).pbkdf2_many(&none, rounds(2), &mut [[0_u8; 4]; 0]), Ok(()));
    }
}

/// An answer of `as_mut` that is longer when it is asked again.
#[test]
fn outputs_that_change_their_lengths_do_not_panic() {
    struct Growing(Vec<u8>);

    impl AsMut<[u8]> for Growing {
        fn as_mut(&mut self) -> &mut [u8] {
            self.0.push(0);
            &mut self.0
        }
    }

    let mut outs: Vec<Growing> = (0..20).map(|length| Growing(vec![0; 2 * length])).collect();
    let inputs = vec![("password", "salt"); 20];
    assert_eq!(sha256::Batch::new().with_backend(Backend::best()).pbkdf2_many(&inputs, rounds(1), &mut outs), Ok(()));
}

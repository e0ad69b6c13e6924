//! Parts that no test of blake2 or its dependents reaches, compared with the published blake2.
#![cfg(test)]

use std::panic::catch_unwind;

use ours::digest::block_api::{Buffer, CoreProxy, UpdateCore, VariableOutputCore};
use ours::digest::consts::{U0, U10, U32, U64};
use ours::digest::{CustomizedInit, Digest, FixedOutputReset, KeyInit, Mac, Reset};

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// The whole output of a core after a message.
fn finish<C: UpdateCore + VariableOutputCore>(core: &mut C, message: &[u8]) -> Vec<u8> {
    let mut buffer = Buffer::<C>::default();
    buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
    let mut out = Default::default();
    core.finalize_variable_core(&mut buffer, &mut out);
    out.to_vec()
}

/// Two digests of a customised hasher, before and after a reset, and one after another kind of reset.
fn customised<H: CustomizedInit + Digest + FixedOutputReset + Reset>(customisation: &[u8]) -> Vec<Vec<u8>> {
    let mut hasher = H::new_customized(customisation);
    let mut digests = vec![];
    for _ in 0..2 {
        Digest::update(&mut hasher, b"message");
        digests.push(Digest::finalize_reset(&mut hasher).to_vec());
    }
    let mut hasher = H::new_customized(customisation);
    Digest::update(&mut hasher, b"some");
    Digest::reset(&mut hasher);
    Digest::update(&mut hasher, b"other");
    digests.push(hasher.finalize().to_vec());
    digests
}

/// Tags of a MAC, before and after a reset.
fn tags<M: Mac + FixedOutputReset + Reset>(mut mac: M) -> Vec<Vec<u8>> {
    (0..3).map(|i| {
        Mac::update(&mut mac, &paint(100 * i));
        mac.finalize_reset().into_bytes().to_vec()
    }).collect()
}

macro_rules! beside {
    ($module:ident, $VarCore:ident, $Hash:ident, $Mac:ident, $Size:ident, $length:literal) => {
        mod $module {
            use super::*;

            #[test]
            fn customised_hashers_reset_as_theirs() {
                for length in 0..=$length / 4 {
                    let text = paint(length);
                    assert_eq!(
                        customised::<ours::$Hash<U10>>(&text), customised::<theirs::$Hash<U10>>(&text), "{length}");
                    assert_eq!(
                        customised::<ours::$Hash<$Size>>(&text), customised::<theirs::$Hash<$Size>>(&text), "{length}");
                }
            }

            #[test]
            fn customisations_have_the_same_limit() {
                for length in [$length / 4 + 1, $length] {
                    assert!(catch_unwind(|| ours::$Hash::<U10>::new_customized(&paint(length))).is_err());
                    assert!(catch_unwind(|| theirs::$Hash::<U10>::new_customized(&paint(length))).is_err());
                }
            }

            #[test]
            fn parts_and_names_are_theirs() {
                fn parts<H: CoreProxy<Core: UpdateCore> + Default>(hash: H, message: &[u8]) -> (H::Core, Buffer<H::Core>) {
                    let (mut core, mut buffer) = hash.decompose();
                    buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
                    (core, buffer)
                }
                let (core, buffer) = parts(ours::$Hash::<U10>::default(), &paint(300));
                let (their_core, their_buffer) = parts(theirs::$Hash::<U10>::default(), &paint(300));
                assert_eq!(
                    ours::$Hash::<U10>::compose(core, buffer).finalize(),
                    theirs::$Hash::<U10>::compose(their_core, their_buffer).finalize()
                );
                assert_eq!(format!("{:?}", ours::$Hash::<U10>::new()), format!("{:?}", theirs::$Hash::<U10>::new()));
                assert_eq!(ours::$Hash::<U0>::new().finalize(), theirs::$Hash::<U0>::new().finalize());
            }

            #[test]
            fn cores_with_parameters_are_theirs() {
                for i in 0..300 {
                    let (salt, persona) = (paint(i % ($length / 4 + 1)), paint(i / 3 % ($length / 4 + 1)));
                    let (key_size, output_size) = (i % ($length + 1), i * 7 % ($length + 1));
                    let mut ours = ours::$VarCore::new_with_params(&salt, &persona, key_size, output_size);
                    let mut theirs = theirs::$VarCore::new_with_params(&salt, &persona, key_size, output_size);
                    for round in 0..2 {
                        assert_eq!(finish(&mut ours, &paint(i)), finish(&mut theirs, &paint(i)), "{i}, {round}");
                        ours.reset();
                        theirs.reset();
                    }
                }
            }

            #[test]
            fn macs_are_theirs() {
                for i in 0..=$length {
                    let key = paint(i);
                    assert_eq!(
                        tags(ours::$Mac::<U10>::new_from_slice(&key).unwrap()),
                        tags(theirs::$Mac::<U10>::new_from_slice(&key).unwrap()),
                        "{i}"
                    );
                    let (salt, persona) = (paint(i % ($length / 4 + 1)), paint(i / 3 % ($length / 4 + 1)));
                    for key in [None, Some(&key[..])] {
                        let ours = ours::$Mac::<$Size>::new_with_salt_and_personal(key, &salt, &persona);
                        let theirs = theirs::$Mac::<$Size>::new_with_salt_and_personal(key, &salt, &persona);
                        assert_eq!(ours.map(tags).ok(), theirs.map(tags).ok(), "{i}");
                    }
                }
                assert!(ours::$Mac::<U10>::new_from_slice(&paint($length + 1)).is_err());
                assert!(theirs::$Mac::<U10>::new_from_slice(&paint($length + 1)).is_err());
                assert_eq!(
                    tags(ours::$Mac::<U0>::new_from_slice(b"key").unwrap()),
                    tags(theirs::$Mac::<U0>::new_from_slice(b"key").unwrap())
                );
            }

            /// Documented by theirs as an error, which it is here; theirs panics.
            #[test]
            fn parameters_that_are_too_long_are_errors() {
                let long = [0; $length + 1];
                let mac = ours::$Mac::<U10>::new_with_salt_and_personal;
                assert!(mac(Some(&long), &[], &[]).is_err());
                assert!(mac(None, &long[..$length / 4 + 1], &[]).is_err());
                assert!(mac(None, &[], &long[..$length / 4 + 1]).is_err());
            }
        }
    };
}

beside!(blake2b, Blake2bVarCore, Blake2b, Blake2bMac, U64, 64);
beside!(blake2s, Blake2sVarCore, Blake2s, Blake2sMac, U32, 32);

//! Parts that no test of blake2 0.10 or its dependents reaches, compared with the published blake2 0.10.
#![cfg(test)]

use ours::digest::core_api::{Buffer, UpdateCore, VariableOutputCore};
use ours::digest::consts::{U10, U256};
use ours::digest::typenum::{IsLess, Le, NonZero};
use ours::digest::{FixedOutputReset, Mac, Reset};

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// The whole output of a core after a message.
fn finish<C: UpdateCore + VariableOutputCore>(core: &mut C, message: &[u8]) -> Vec<u8>
where
    C::BlockSize: IsLess<U256>,
    Le<C::BlockSize, U256>: NonZero,
{
    let mut buffer = Buffer::<C>::default();
    buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
    let mut out = Default::default();
    core.finalize_variable_core(&mut buffer, &mut out);
    out.to_vec()
}

/// Tags of a MAC, before and after a reset.
fn tags<M: Mac + FixedOutputReset + Reset>(mut mac: M) -> Vec<Vec<u8>> {
    (0..3).map(|i| {
        Mac::update(&mut mac, &paint(100 * i));
        mac.finalize_reset().into_bytes().to_vec()
    }).collect()
}

macro_rules! beside {
    ($module:ident, $VarCore:ident, $Mac:ident, $length:literal) => {
        mod $module {
            use super::*;

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
                    let ours = ours::$Mac::<U10>::new_with_salt_and_personal(&key, &salt, &persona);
                    let theirs = theirs::$Mac::<U10>::new_with_salt_and_personal(&key, &salt, &persona);
                    assert_eq!(tags(ours.unwrap()), tags(theirs.unwrap()), "{i}");
                }
            }

            /// Documented by theirs as an error, which it is here; theirs panics.
            #[test]
            fn parameters_that_are_too_long_are_errors() {
                let long = [0; $length + 1];
                let mac = ours::$Mac::<U10>::new_with_salt_and_personal;
                assert!(mac(&long, &[], &[]).is_err());
                assert!(mac(&[], &long[..$length / 4 + 1], &[]).is_err());
                assert!(mac(&[], &[], &long[..$length / 4 + 1]).is_err());
            }
        }
    };
}

beside!(blake2b, Blake2bVarCore, Blake2bMac, 64);
beside!(blake2s, Blake2sVarCore, Blake2sMac, 32);

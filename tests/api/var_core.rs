//! The blocks without the buffer: hashlib's vectors with every parameter, and the whole chaining value of the crate
//! `blake2`.

use simd_digest::Backend;
use simd_digest::digest::Reset;
use simd_digest::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use simd_digest::digest::typenum::Unsigned;

use crate::common::paint::paint;
use crate::common::vector::{Vector, bytes, number};

/// Compresses a key block, if there is one, and a message in two pieces, and gives the whole chaining value.
fn finish<C: UpdateCore + VariableOutputCore>(core: &mut C, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut buffer = Buffer::<C>::default();
    let mut block = vec![0; C::BlockSize::USIZE];
    block[..key.len()].copy_from_slice(key);
    let (head, tail) = message.split_at(message.len() / 3);
    for piece in [if key.is_empty() { &[] } else { &block[..] }, head, tail] {
        buffer.digest_blocks(piece, |blocks| core.update_blocks(blocks));
    }
    let mut output = Default::default();
    core.finalize_variable_core(&mut buffer, &mut output);
    output.to_vec()
}

macro_rules! of {
    ($of:ident, $Core:ident, $length:literal, $offset:literal, $vectors:literal) => {
        mod $of {
            use simd_digest::$of::hazmat::$Core;

            use super::*;

            /// The parameter block of a vector, and its key.
            fn parameter_block(vector: Vector) -> ([u8; $length], Vec<u8>) {
                let (mut block, mut key) = ([0; $length], vec![]);
                [block[0], block[2], block[3]] = [$length, 1, 1];
                let mut put = |place: usize, bytes: &[u8]| block[place..][..bytes.len()].copy_from_slice(bytes);
                for (name, value) in vector.fields() {
                    match name {
                        "length" | "digest" | "last_node" => {}
                        "hash_length" => put(0, &[number(value)]),
                        "key" => {
                            key = bytes(value);
                            put(1, &[u8::try_from(key.len()).unwrap()]);
                        }
                        "fanout" => put(2, &[number(value)]),
                        "max_depth" => put(3, &[number(value)]),
                        "max_leaf_length" => put(4, &number::<u32>(value).to_le_bytes()),
                        "node_offset" => put(8, &number::<u64>(value).to_le_bytes()[..$offset]),
                        "node_depth" => put(8 + $offset, &[number(value)]),
                        "inner_hash_length" => put(9 + $offset, &[number(value)]),
                        "salt" => put($length / 2, &bytes(value)),
                        "personal" => put($length / 4 * 3, &bytes(value)),
                        _ => panic!("unknown field {name}"),
                    }
                }
                (block, key)
            }

            #[test]
            fn computes_the_vectors_of_hashlib() {
                // The last node of a level has a flag beside the parameter block, which the block API cannot say.
                let of_block = |vector: &Vector| vector.fields().all(|(name, _)| name != "last_node");
                for vector in Vector::all(include_str!($vectors)).filter(of_block) {
                    let (block, key) = parameter_block(vector);
                    let message = paint(number(vector.text("length")));
                    let digest = bytes(vector.text("digest"));
                    for backend in Backend::available() {
                        let mut core = $Core::from_parameter_block(&block).with_backend(backend);
                        assert_eq!(core.backend(), backend);
                        let output = finish(&mut core, &key, &message);
                        assert_eq!(output[..digest.len()], digest, "{backend}, {vector:?}");
                        core.reset();
                        assert_eq!(finish(&mut core, &key, &message), output, "{backend}, after a reset");
                    }
                }
            }

            /// The bytes after the digest, too, and key lengths without a key.
            #[test]
            fn gives_the_whole_chaining_value() {
                for i in 0..600 {
                    let (message, key) = (paint(i), paint(i % ($length + 1)));
                    let (salt, personal) = (paint(i % ($length / 4 + 1)), paint(i / 7 % ($length / 4 + 1)));
                    let hash_length = i % $length + 1;
                    let mut block = [0; $length];
                    let byte = |length: usize| u8::try_from(length).unwrap();
                    block[..4].copy_from_slice(&[byte(hash_length), byte(key.len()), 1, 1]);
                    block[$length / 2..][..salt.len()].copy_from_slice(&salt);
                    block[$length / 4 * 3..][..personal.len()].copy_from_slice(&personal);
                    for key_block in [&key[..], &[]] {
                        let mut theirs = ::blake2::$Core::new_with_params(&salt, &personal, key.len(), hash_length);
                        let expected = finish(&mut theirs, key_block, &message);
                        for backend in Backend::available() {
                            let mut ours = $Core::from_parameter_block(&block).with_backend(backend);
                            assert_eq!(finish(&mut ours, key_block, &message), expected, "{backend}, case {i}");
                        }
                    }
                }
            }

            #[test]
            fn starts_without_a_key() {
                for length in 1..=$length {
                    let mut ours = $Core::new(length).unwrap();
                    let mut theirs = <::blake2::$Core as VariableOutputCore>::new(length).unwrap();
                    assert_eq!(finish(&mut ours, &[], b"abc"), finish(&mut theirs, &[], b"abc"));
                }
                for length in [0, $length + 1, usize::MAX] {
                    assert!($Core::new(length).is_err());
                }
            }
        }
    };
}

of!(blake2b, Blake2bVarCore, 64, 8, "../data/blake2b.txt");
of!(blake2s, Blake2sVarCore, 32, 6, "../data/blake2s.txt");

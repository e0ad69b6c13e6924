//! Mistakes that other implementations made and that passed the official vectors. Those that are not here stand where
//! their tools are:
//!
//! | trap                                          | its test                                                       |
//! |-----------------------------------------------|----------------------------------------------------------------|
//! | a full last chunk is compressed too early     | `trap_full_last_chunk_compressed_too_early` in `hasher.rs`     |
//! | a subtree larger than its place allows        | `trap_subtree_larger_than_its_alignment` in `hasher.rs`        |
//! | finalize changes the hasher                   | `trap_finalize_changes_the_hasher` in `hasher.rs`              |
//! | partial words of the output are read twice    | `trap_partial_words_read_twice` in `output.rs`                 |
//! | positions beyond 2^63                         | `trap_seek_anywhere` in `output.rs`                            |
//! | the counter of output carries in lanes        | `trap_carry_in_lanes` in `output.rs`                           |
//! | counters beyond 2^32 chunks in lanes          | `trap_counters_in_lanes` in `hazmat.rs`                        |
//! | a stack too short for the longest message     | `trap_stack_of_54_levels` in `state.rs`                        |
//! | contexts with partial words                   | `trap_contexts_of_any_length` in `vectors.rs`                  |
//! | messages that change while they are sorted    | `trap_bytes_that_differ_from_call_to_call` in `many.rs`        |
//! | reads past the end, prefetch                  | `trap_reads_past_the_end` in `guard_pages.rs`                  |
//! | secrets left after use                        | `trap_secrets_left…` in `tests/wiping.rs`                      |

use simd_digest::blake3::{Hasher, update_many};
use simd_digest::digest::Update;

use super::all_backends;
use crate::common::blake3::{CHUNK, KEY, Kind, Last, other};
use crate::common::cases::fewer;
use crate::common::paint::paint;

/// A lane server (minio/sha256-simd 1.0.1) kept the caller's buffer beyond the call: what is given is overwritten at
/// once, whether it is gathered or hashed from where it lies.
#[test]
fn trap_buffer_of_the_caller() {
    let message = paint(40_000);
    let change = |buffer: &mut Vec<u8>, piece: &[u8]| {
        buffer.fill(0x55);
        buffer.clear();
        buffer.extend_from_slice(piece);
    };
    for backend in all_backends() {
        for size in [63, 64, 100, 1000, 1024, 1025, 3000, 4096, 16_383, 16_384, 20_000] {
            let mut hasher = Kind::Keyed.hasher_on(backend);
            let mut traits = simd_digest::Blake3::default().with_backend(backend);
            let mut side_by_side = vec![Kind::Plain.hasher_on(backend); 9];
            let (mut buffer, mut other) = (Vec::new(), Vec::new());
            for piece in message.chunks(size) {
                change(&mut buffer, piece);
                hasher.update(&buffer);
                change(&mut buffer, piece);
                Update::update(&mut traits, &buffer);
                change(&mut buffer, piece);
                change(&mut other, &vec![7; piece.len() + 1]);
                let of = |i| if i % 2 == 0 { &buffer[..] } else { &other };
                let mut updates: Vec<(&mut Hasher, &[u8])> =
                    side_by_side.iter_mut().enumerate().map(|(i, hasher)| (hasher, of(i))).collect();
                update_many(&mut updates);
                change(&mut buffer, b"");
                change(&mut other, b"");
            }
            assert_eq!(hasher.finalize(), Kind::Keyed.of_peer(&message), "{backend:?}, {size}");
            let digest = Kind::Plain.of_peer(&message);
            assert_eq!(digest, simd_digest::Digest::finalize(traits)[..], "{backend:?}, {size}");
            for hasher in side_by_side.iter().step_by(2) {
                assert_eq!(hasher.finalize(), digest, "{backend:?}, {size}");
            }
        }
    }
}

/// libsodium and `sha2` used aligned loads on what lies anywhere: all 64 misalignments of input and output.
#[test]
fn trap_aligned_loads() {
    let lengths = [1, 32, 63, 64, 65, 1000, 1024, 1025, 5000, 20_000];
    let contents: Vec<Vec<u8>> = lengths.iter().map(|&length| paint(length)).collect();
    let digests: Vec<_> = contents.iter().map(|bytes| Kind::Plain.of_peer(bytes)).collect();
    let flat_expected: Vec<u8> = digests.iter().flat_map(|hash| *hash.as_bytes()).collect();
    let mut output_expected = vec![0; 3000];
    Kind::Plain.output_of_peer(b"").fill(&mut output_expected);
    for offset in 0..64 {
        let place = |bytes: &Vec<u8>| [&vec![0xee; offset], &bytes[..], &[0xee; 64]].concat();
        let memory: Vec<Vec<u8>> = contents.iter().map(place).collect();
        let messages: Vec<&[u8]> =
            memory.iter().zip(lengths).map(|(memory, length)| &memory[offset..][..length]).collect();
        for backend in all_backends() {
            let mode = Kind::Plain.on(backend);
            for (message, digest) in messages.iter().zip(&digests) {
                assert_eq!(mode.hash(message), *digest, "{backend:?}, {offset}");
                assert_eq!(mode.hasher().update(message).finalize(), *digest, "{backend:?}, {offset}");
            }
            let mut flat = vec![0xee; offset + flat_expected.len() + 1];
            let end = flat.len() - 1;
            mode.hash_many_flat(&messages, &mut flat[offset..end]).unwrap();
            assert_eq!(flat[offset..end], flat_expected, "{backend:?}, {offset}");
            assert!(flat[..offset].iter().chain(&flat[end..]).all(|&byte| byte == 0xee), "{backend:?}, {offset}");

            for length in [1, 64, 700, 2048, 3000] {
                let mut output = vec![0xee; offset + length + 1];
                mode.hash_xof(b"").fill(&mut output[offset..offset + length]);
                assert!(output[offset..offset + length] == output_expected[..length], "{backend:?}, {offset}");
                assert!(output[..offset].iter().all(|&byte| byte == 0xee) && output[offset + length] == 0xee);
            }
        }
    }
}

/// The flags of a chunk's start and end are both on the block of a chunk that has one; the root's is on the last
/// compression alone; the counter of a root is that of the output, and of a parent it is 0; the last block has its own
/// length. For every number of blocks in the last chunk, as first and as later chunk.
#[test]
fn trap_flags_of_the_last_block() {
    let message = paint(4 * CHUNK);
    for kind in Kind::ALL {
        for chunks in 0..=3 {
            let rests = (1..=16).flat_map(|blocks| [64 * blocks - 63, 64 * blocks - 1, 64 * blocks]).chain([0]);
            for rest in fewer(chunks, rests) {
                let message = &message[..CHUNK * chunks + rest];
                let last = Last::of(kind, message, 0);
                let expected: Vec<u8> = (0..3).flat_map(|number| last.output(number)).collect();
                for backend in all_backends() {
                    let mut output = vec![0; 3 * 64];
                    let mut hasher = kind.hasher_on(backend);
                    hasher.update(message).finalize_xof().fill(&mut output);
                    assert!(output == expected, "{backend:?}, {kind:?}, {} bytes", message.len());
                    assert!(kind.on(backend).hash(message) == expected[..32], "{backend:?}, {kind:?}");
                }
            }
        }
    }
}

/// Two different blocks in one call, `sha2` 0.9.7 (RUSTSEC-2021-0100): no two blocks of the message are equal, nor two
/// chunks in any lane, and each chunk is hashed at each place.
#[test]
fn trap_equal_chunks_in_lanes() {
    let memory = paint(251 * CHUNK);
    for backend in all_backends() {
        for chunks in 2..=2 * simd_digest::blake3::lanes(backend) + 1 {
            for first in [0, 1, 3, 16, 100] {
                let message = &memory[CHUNK * first + first..][..CHUNK * chunks];
                let digest = Kind::Plain.of_peer(message);
                assert!(Kind::Plain.on(backend).hash(message) == digest, "{backend:?}, {chunks} from {first}");
            }
        }
    }
}

/// Designs with lanes that are not used read some message there, and must not write its digest: of every number of
/// messages, one longer than all others, at every place.
#[test]
fn trap_spare_lanes() {
    let memory = paint(6000);
    for backend in all_backends() {
        for count in 1..=20 {
            for long in 0..count {
                let length = |i: usize| if i == long { 5000 } else { 30 + 137 * (i % 9) };
                let messages: Vec<&[u8]> = (0..count).map(|i| &memory[i..][..length(i)]).collect();
                let mut hashes = vec![other(); count + 1];
                Kind::Plain.on(backend).hash_many_into(&messages, &mut hashes[..count]).unwrap();
                for (i, message) in messages.iter().enumerate() {
                    let digest = Kind::Plain.of_peer(message);
                    assert!(hashes[i] == digest, "{backend:?}, {i} of {count}, long {long}");
                }
                assert_eq!(hashes[count], other());
            }
        }
    }
}

/// The modes are apart: the same words as key, as context's hash or as nothing give other digests, and a reset or a
/// clone does not mix them.
#[test]
fn trap_modes_mixed_up() {
    let message = paint(5000);
    let context_key = ::blake3::hazmat::hash_derive_key_context("context");
    for length in [0, 1, 64, 1024, 1025, 5000] {
        let message = &message[..length];
        let keyed = simd_digest::blake3::keyed_hash(&context_key, message);
        let derived = simd_digest::blake3::derive_key("context", message);
        assert_ne!(keyed, derived, "{length}");
        assert_ne!(keyed, simd_digest::blake3::hash(message), "{length}");
        let digests = Kind::ALL.map(|kind| kind.of_peer(message));
        for backend in all_backends() {
            let mut hashers = Kind::ALL.map(|kind| kind.hasher_on(backend));
            for _ in 0..2 {
                let [a, b, c] = &mut hashers;
                update_many(&mut [(a, message), (b, message), (c, message)]);
                assert_eq!(hashers.each_ref().map(Hasher::finalize), digests, "{backend:?}, {length}");
                hashers.iter_mut().for_each(|hasher| _ = hasher.reset());
            }
        }
    }
    assert_eq!(Kind::Keyed.mode().hash(b""), *::blake3::keyed_hash(KEY, b"").as_bytes());
}

#[cfg(target_pointer_width = "64")]
mod long {
    use simd_digest::Backend;
    use simd_digest::blake3::Hash;

    use crate::common::blake3::{Kind, other};
    use crate::common::paint::paint;

    /// More than 4 GiB, most of it pages of zeros that take no memory. Some are others, for then not all blocks are
    /// equal.
    fn sparse() -> Vec<u8> {
        let mut message = vec![0; 5 * (1 << 30) + 10_001];
        for place in [0, (1 << 32) - 500, message.len() - 1000] {
            message[place..][..1000].copy_from_slice(&paint(1000));
        }
        message
    }

    /// XKCP (CVE-2022-37454) and liboqs added lengths in 32 bits.
    #[test]
    #[ignore = "hashes 5 GiB several times"]
    fn trap_more_than_4_gib_in_one_update() {
        let message = sparse();
        // By the crate `blake3` 1.8.
        let digest: Hash = "79561ea3c2bfd4692b660e023b77f503c1b42ac4f2535462413272304773258f".parse().unwrap();
        let backend = Backend::best();
        let mut hasher = Kind::Plain.hasher_on(backend);
        hasher.update(b"").update(&message);
        assert_eq!(hasher.count(), message.len() as u64);
        assert_eq!(hasher.finalize(), digest);
        let mut hashes = [other(); 3];
        Kind::Plain.on(backend).hash_many_into(&[&message[..], b"short", &message], &mut hashes).unwrap();
        assert_eq!([hashes[0], hashes[2]], [digest; 2]);
    }
}

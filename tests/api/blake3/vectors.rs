//! Known answers: the official vectors, the crate `blake3` at every length, and the function by its definition.

use simd_digest::Backend;
use simd_digest::blake3::{self, Hash};
use test_crates::serde_json::{self, Value};

use crate::common::backends::all_backends;
use crate::common::blake3::{CHUNK, CONTEXT, KEY, Kind, Last, edges, other};
use crate::common::cases::{fewer, fewer_far};
use crate::common::paint::paint;
use crate::common::random::Random;

/// An input length, and 131 bytes of output for each mode.
struct Official {
    length: usize,
    outputs: [Vec<u8>; 3],
}

impl Official {
    fn all() -> Vec<Self> {
        let file: Value = serde_json::from_str(include_str!("../../data/blake3/test_vectors.json")).unwrap();
        assert_eq!(file["key"].as_str().unwrap().as_bytes(), KEY);
        assert_eq!(file["context_string"].as_str().unwrap(), CONTEXT);
        let vector = |case: &Value| Self {
            length: usize::try_from(case["input_len"].as_u64().unwrap()).unwrap(),
            outputs: ["hash", "keyed_hash", "derive_key"]
                .map(|name| hex::decode(case[name].as_str().unwrap()).unwrap()),
        };
        let vectors: Vec<Self> = file["cases"].as_array().unwrap().iter().map(vector).collect();
        assert_eq!(vectors.len(), 35);
        assert!(vectors.iter().flat_map(|vector| &vector.outputs).all(|output| output.len() == 131));
        vectors
    }

    /// What it says of each mode: message, digest, output.
    fn cases(&self) -> impl Iterator<Item = (Kind, Vec<u8>, Hash, &[u8])> {
        Kind::ALL
            .into_iter()
            .zip(&self.outputs)
            .map(|(kind, output)| (kind, paint(self.length), Hash::from_slice(&output[..32]).unwrap(), &output[..]))
    }
}

#[test]
fn official_in_one_shot() {
    for vector in Official::all() {
        for (kind, message, digest, expected) in vector.cases() {
            let module = match kind {
                Kind::Plain => blake3::hash(&message),
                Kind::Keyed => blake3::keyed_hash(KEY, &message),
                Kind::DeriveKey => Hash::from_bytes(blake3::derive_key(CONTEXT, &message)),
            };
            assert_eq!(module, digest, "{kind:?}, {}", message.len());
            for backend in all_backends() {
                let mode = kind.on(backend);
                assert_eq!(mode.hash(&message), digest, "{backend:?}, {kind:?}, {}", message.len());
                let mut output = [0xee; 131];
                mode.hash_xof(&message).fill(&mut output);
                assert_eq!(output, *expected, "{backend:?}, {kind:?}, {}", message.len());
            }
        }
    }
}

#[test]
fn official_in_pieces() {
    let mut random = Random::new(131);
    for vector in Official::all() {
        for (kind, message, digest, expected) in vector.cases() {
            for backend in all_backends() {
                let whole = vec![&message[..]];
                let blocks = message.chunks(64).collect();
                let chunks = message.chunks(CHUNK).collect();
                let beside_chunks = message.chunks(CHUNK + 1).collect();
                for pieces in fewer(random.below(5), [whole, blocks, chunks, beside_chunks, random.pieces(&message)]) {
                    let mut hasher = kind.hasher_on(backend);
                    pieces.iter().for_each(|piece| _ = hasher.update(piece));
                    let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
                    assert_eq!(hasher.finalize(), digest, "{backend:?}, {kind:?}, pieces of {lengths:?}");
                    let mut output = [0xee; 131];
                    hasher.finalize_xof().fill(&mut output);
                    assert_eq!(output, *expected, "{backend:?}, {kind:?}, pieces of {lengths:?}");
                }
            }
        }
    }
}

/// All of them side by side, in an order that the lanes do not like.
#[test]
fn official_in_lanes() {
    let vectors = Official::all();
    let mixed: Vec<&Official> = (0..35).map(|i| &vectors[i * 11 % 35]).collect();
    let memory = paint(102_400);
    let messages: Vec<&[u8]> = mixed.iter().map(|vector| &memory[..vector.length]).collect();
    for (i, kind) in Kind::ALL.into_iter().enumerate() {
        for backend in all_backends() {
            let mut hashes = [other(); 35];
            kind.on(backend).hash_many_into(&messages, &mut hashes).unwrap();
            for (hash, vector) in hashes.iter().zip(&mixed) {
                assert_eq!(*hash, vector.outputs[i][..32], "{backend:?}, {kind:?}, {}", vector.length);
            }
        }
    }
}

/// What follows is compared with the crate: here both are compared with the definition.
#[test]
fn peer_and_definition_agree() {
    let message = paint(20 * CHUNK);
    let lengths = edges(64, 130).into_iter().chain(edges(CHUNK, 9 * CHUNK)).chain([16 * CHUNK, 20 * CHUNK]);
    for length in lengths.filter(|&length| length <= message.len()) {
        for kind in Kind::ALL {
            let last = Last::of(kind, &message[..length], 0);
            assert_eq!(last.hash(), kind.of_peer(&message[..length]), "{kind:?}, length {length}");
            assert_eq!(kind.mode().hash(&message[..length]), last.hash(), "{kind:?}, length {length}");
        }
    }
}

#[test]
fn every_length_up_to_three_chunks() {
    let message = paint(3 * CHUNK + 1);
    for kind in Kind::ALL {
        let digests = kind.of_beginnings(&message);
        for backend in all_backends() {
            let mode = kind.on(backend);
            for (length, digest) in fewer_far(digests.iter().enumerate(), |(length, _)| (length + 1) % 64 <= 2) {
                let message = &message[..length];
                let mut hasher = mode.hasher();
                hasher.update(message);
                let mut outputs = [[0xee; 32]; 2];
                mode.hash_xof(message).fill(&mut outputs[0]);
                hasher.finalize_xof().fill(&mut outputs[1]);
                let [first, second] = outputs.map(Hash::from_bytes);
                let ways = [mode.hash(message), hasher.finalize(), first, second];
                assert_eq!(ways, [*digest; 4], "{backend:?}, {kind:?}, length {length}");
            }
        }
    }
}

/// Every number of chunks up to twice what the lanes take and a little more, and powers of two beyond: at, one byte
/// before and one byte behind the end of a chunk, and in its middle.
#[test]
fn lengths_around_every_chunk() {
    let message = paint(257 * CHUNK + 1);
    for kind in Kind::ALL {
        for backend in all_backends() {
            let mode = kind.on(backend);
            let dense = 0..=2 * blake3::lanes(backend) + 3;
            let powers = (5..=8).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
            for chunks in dense.chain(powers) {
                let end = CHUNK * chunks;
                for length in fewer(chunks, [end.saturating_sub(1), end, end + 1, end + 64, end + 65, end + 500]) {
                    let message = &message[..length.min(message.len())];
                    let digest = kind.of_peer(message);
                    assert_eq!(mode.hash(message), digest, "{backend:?}, {kind:?}, {}", message.len());
                    let mut hasher = kind.hasher_on(backend);
                    assert_eq!(hasher.update(message).finalize(), digest, "{backend:?}, {kind:?}, {}", message.len());
                }
            }
        }
    }
}

/// With bytes that have no period.
#[test]
fn random_bytes() {
    let mut random = Random::new(256);
    let memory: Vec<u8> = (0..70_000).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
    for _ in fewer(0, 0..60) {
        let begin = random.below(1000);
        let bound = [100, 2000, 20_000, 69_000][random.below(4)];
        let length = random.below(bound);
        let message = &memory[begin..][..length];
        for kind in Kind::ALL {
            let digest = kind.of_peer(message);
            for backend in all_backends() {
                assert_eq!(kind.on(backend).hash(message), digest, "{backend:?}, {kind:?}, {length} at {begin}");
            }
        }
    }
}

/// zeebo's `DeriveKey` was suspected of mistakes with partial words: contexts and materials of many lengths, output in
/// odd pieces.
#[test]
fn trap_contexts_of_any_length() {
    let text: String = (0..9000_u32).map(|i| char::from(b'!' + u8::try_from(i % 90).unwrap())).collect();
    let lengths = (0..=130).chain(edges(CHUNK, 3 * CHUNK)).chain([4095, 4096, 8191, 8192, 8193]);
    let backends: Vec<Backend> = all_backends().collect();
    for (i, length) in lengths.enumerate() {
        let context = &text[..length];
        let material = paint(7 * i % 200);
        let expected = ::blake3::derive_key(context, &material);
        assert_eq!(blake3::derive_key(context, &material), expected, "context of {length}");
        let backend = backends[i % backends.len()];
        let mode = blake3::Mode::derive_key(context).with_backend(backend);
        let context_key = blake3::hazmat::hash_derive_key_context(context);
        assert_eq!(context_key, ::blake3::hazmat::hash_derive_key_context(context), "context of {length}");
        let hashed = blake3::Mode::from_context_key(&context_key).with_backend(backend);
        assert_eq!(hashed.hash(&material), expected, "{backend:?}, context of {length}");
        assert_eq!(mode.hash(&material), expected, "{backend:?}, context of {length}");
        let mut hasher = blake3::Hasher::new_derive_key(context);
        assert_eq!(hasher.update(&material).finalize(), expected, "context of {length}");
        assert_eq!(mode.hasher().update(&material).finalize(), expected, "{backend:?}, context of {length}");

        let mut theirs = vec![0; 200];
        ::blake3::Hasher::new_derive_key(context).update(&material).finalize_xof().fill(&mut theirs);
        let (mut ours, mut output) = (vec![0; 200], mode.hash_xof(&material));
        for piece in ours.chunks_mut(1 + i % 17) {
            output.fill(piece);
        }
        assert_eq!(ours, theirs, "{backend:?}, context of {length}");
    }
    // Not only ASCII.
    for context in ["é", "日本語 2024-01-01", "\0", "🦀".repeat(300).as_str()] {
        assert_eq!(blake3::derive_key(context, b"x"), ::blake3::derive_key(context, b"x"), "{context}");
    }
}

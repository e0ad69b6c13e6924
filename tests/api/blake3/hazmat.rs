//! Chaining values of chunks and subtrees, and how they are merged, against the same functions of the crate `blake3`.

use ::blake3::hazmat as peer;
use simd_digest::blake3::hazmat::{
    ChainingValue, HasherExt, SubtreeError, left_subtree_len, max_subtree_len, merge_subtrees_non_root,
    merge_subtrees_root, merge_subtrees_root_xof, subtrees,
};

use super::all_backends;
use crate::common::blake3::{CHUNK, Kind, Last, edges};
use crate::common::cases::{fewer, fewer_far};
use crate::common::paint::paint;
use crate::common::random::Random;

/// The chaining value of a subtree that begins at `offset`, by the crate `blake3`.
fn of_peer(kind: Kind, input: &[u8], offset: u64) -> ChainingValue {
    let mut hasher = kind.peer();
    peer::HasherExt::set_input_offset(&mut hasher, offset);
    peer::HasherExt::finalize_non_root(hasher.update(input))
}

/// Bytes of the largest subtree at `offset`, or fewer.
fn limited(offset: u64, length: usize) -> usize {
    peer::max_subtree_len(offset).map_or(length, |most| length.min(usize::try_from(most).unwrap_or(usize::MAX)))
}

/// Offsets at which subtrees of many sizes begin: small ones, those where the chunk's number needs another word or bit,
/// and the last ones of the longest message.
fn offsets() -> Vec<u64> {
    let small = (0..=20).chain([31, 32, 33, 48, 63, 64, 96]);
    let large = [31, 32, 33, 40, 52, 53].into_iter().flat_map(|bit| {
        [1, 2, 3, 16, 48].into_iter().flat_map(move |by| [(1_u64 << bit) - by, (1 << bit) + by]).chain([1 << bit])
    });
    let chunks = small.chain(large).filter(|&chunk| chunk < 1 << 54);
    chunks.chain([1, 2, 3, 16, 64].map(|before| (1 << 54) - before)).map(|chunk| chunk * 1024).collect()
}

#[test]
fn limits_of_subtrees() {
    assert_eq!(max_subtree_len(0), Ok(None));
    let powers = (0..54).map(|bit| 1_u64 << bit);
    let around = powers.flat_map(|chunk| [chunk.saturating_sub(1), chunk, chunk + 1, 3 * chunk, 5 * chunk]);
    for chunk in (0..5000).chain(around).filter(|&chunk| chunk < 1 << 54) {
        assert_eq!(max_subtree_len(1024 * chunk), Ok(peer::max_subtree_len(1024 * chunk)), "chunk {chunk}");
    }
    // Not at the beginning of a chunk.
    for offset in [1, 2, 63, 64, 512, 1023, 1025, 1536, (1 << 42) + 1, u64::MAX, u64::MAX - 1022] {
        assert!(max_subtree_len(offset).is_err(), "{offset}");
    }
}

#[test]
fn left_subtrees() {
    let powers = (10..63).map(|bit| 1_u64 << bit);
    let around = powers.flat_map(|length| [length - 1, length, length + 1, length + length / 2]);
    for length in (1025..70_000).chain(around).filter(|&length| length > 1024) {
        assert_eq!(left_subtree_len(length), Ok(peer::left_subtree_len(length)), "{length}");
    }
    // The largest power of two that leaves something. The crate adds one before it halves, and overflows at the end.
    for length in [(1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX] {
        let expected = if length <= 1 << 63 { 1 << 62 } else { 1 << 63 };
        assert_eq!(left_subtree_len(length), Ok(expected), "{length}");
    }
    // A chunk is not divided.
    for length in 0..=1024 {
        assert!(left_subtree_len(length).is_err(), "{length}");
    }
}

/// Each subtree there can be, in one write and in several, of every mode.
#[test]
fn trap_counters_in_lanes() {
    let memory = paint(70 * CHUNK);
    let lengths = [1, 64, 1023, 1024, 1025, 2048, 3000, 4096, 7000, 16_384, 20_000, 32_768, 65_536, 65_537, 70_000];
    for (i, offset) in offsets().into_iter().enumerate() {
        let kind = Kind::ALL[i % 3];
        let mut last = 0;
        for length in fewer(i, lengths.map(|length| limited(offset, length))) {
            if length == last {
                continue;
            }
            last = length;
            let input = &memory[i % 100..][..length];
            let expected = of_peer(kind, input, offset);
            if length <= 3000 {
                assert_eq!(Last::of(kind, input, offset / 1024).chaining_value(), expected);
            }
            for backend in all_backends() {
                let mut begun = kind.hasher_on(backend);
                begun.set_input_offset(offset).unwrap();
                assert_eq!(begun.count(), 0);
                for size in [length, 1000, 4096] {
                    let mut hasher = begun.clone();
                    input.chunks(size).for_each(|piece| _ = hasher.update(piece));
                    let case = format!("{backend:?}, {kind:?}, {length} at {offset}, pieces of {size}");
                    assert_eq!(hasher.finalize_non_root(), Ok(expected), "{case}");
                    assert_eq!(hasher.finalize_non_root(), Ok(expected), "{case}, twice");
                    assert_eq!(hasher.count(), length as u64, "{case}");
                }
            }
        }
    }
}

/// All lengths up to some chunks, at the beginning of a message and far from it.
#[test]
fn every_length() {
    let message = paint(4 * CHUNK);
    let lengths: Vec<usize> = fewer_far(1..=message.len(), |length| [0, 1, 63].contains(&(length % 64))).collect();
    for offset in [0, 4096, (1 << 42) - 4096] {
        let mut peer = Kind::Keyed.peer();
        peer::HasherExt::set_input_offset(&mut peer, offset);
        let mut given = 0;
        for &length in &lengths {
            peer.update(&message[given..length]);
            given = length;
            let expected = peer::HasherExt::finalize_non_root(&peer);
            for backend in all_backends() {
                let mut hasher = Kind::Keyed.hasher_on(backend);
                let cv = hasher.set_input_offset(offset).unwrap().update(&message[..length]).finalize_non_root();
                assert!(cv == Ok(expected), "{backend:?}, {length} at {offset}");
                let mut cvs = [[0; 32]];
                subtrees(&message[..length], offset, 2, &Kind::Keyed.on(backend), &mut cvs).unwrap();
                assert!(cvs == [expected], "{backend:?}, {length} at {offset}, as a group");
            }
        }
    }
}

/// After every write: a full subtree may be finalized, and until then the hasher goes on.
#[test]
fn finalize_non_root_and_go_on() {
    let memory = paint(64 * CHUNK);
    for offset in [0, 64 * 1024, (1 << 42) - 64 * 1024, 1 << 42] {
        for size in [500, 1024, 3000, 4096, 16_384, 20_000] {
            let mut peer = Kind::Keyed.peer();
            peer::HasherExt::set_input_offset(&mut peer, offset);
            let expected: Vec<ChainingValue> =
                memory.chunks(size).map(|piece| peer::HasherExt::finalize_non_root(peer.update(piece))).collect();
            for backend in all_backends() {
                let mut hasher = Kind::Keyed.hasher_on(backend);
                hasher.set_input_offset(offset).unwrap();
                for (piece, expected) in memory.chunks(size).zip(&expected) {
                    let cv = hasher.update(piece).finalize_non_root();
                    assert!(cv == Ok(*expected), "{backend:?}, {offset}, pieces of {size}, {}", hasher.count());
                }
            }
        }
    }
}

/// The subtree that is the whole message is finalized as the root and not as the root by one hasher.
#[test]
fn at_the_beginning() {
    let memory = paint(40 * CHUNK);
    for backend in all_backends() {
        for length in [1, 64, 1024, 1025, 2048, 5000, 16_384, 40_000] {
            let mut hasher = Kind::Plain.hasher_on(backend);
            hasher.set_input_offset(0).unwrap();
            hasher.update(&memory[..length]);
            let input = &memory[..length];
            assert_eq!(hasher.finalize_non_root(), Ok(of_peer(Kind::Plain, input, 0)), "{backend:?}, {length}");
            assert_eq!(hasher.finalize(), Kind::Plain.of_peer(input), "{backend:?}, {length}");
        }
    }
}

/// Merged by the rule for the left subtree, down to chunks or to groups of them.
fn root_by_halves(kind: Kind, input: &[u8], offset: u64, most: usize, backend: simd_digest::Backend) -> ChainingValue {
    if input.len() <= most {
        let mut hasher = kind.hasher_on(backend);
        return hasher.set_input_offset(offset).unwrap().update(input).finalize_non_root().unwrap();
    }
    let [left, right] = halves(kind, input, offset, most, backend);
    let merged = merge_subtrees_non_root(&left, &right, &kind.on(backend));
    let theirs = kind.with_peer_mode(|mode| peer::merge_subtrees_non_root(&left, &right, mode));
    assert_eq!(merged, theirs, "{backend:?}, {kind:?}");
    merged
}

fn halves(kind: Kind, input: &[u8], offset: u64, most: usize, backend: simd_digest::Backend) -> [ChainingValue; 2] {
    let middle = usize::try_from(left_subtree_len(input.len() as u64).unwrap()).unwrap();
    let (left, right) = input.split_at(middle);
    [(left, offset), (right, offset + middle as u64)]
        .map(|(input, offset)| root_by_halves(kind, input, offset, most, backend))
}

#[test]
fn merged_to_the_root() {
    let memory = paint(40 * CHUNK);
    let lengths = edges(CHUNK, 9 * CHUNK).into_iter().chain([16_384, 20_000, 40_000]);
    for (i, length) in lengths.filter(|&length| length > CHUNK).enumerate() {
        let (kind, input) = (Kind::ALL[i % 3], &memory[..length]);
        let mut expected = vec![0; 200];
        kind.output_of_peer(input).fill(&mut expected);
        for backend in all_backends() {
            for most in [CHUNK, 4 * CHUNK] {
                let [left, right] = halves(kind, input, 0, most, backend);
                let mode = kind.on(backend);
                let root = merge_subtrees_root(&left, &right, &mode);
                assert_eq!(root, kind.of_peer(input), "{backend:?}, {kind:?}, {length}");
                let mut output = merge_subtrees_root_xof(&left, &right, &mode);
                assert_eq!(output.position(), 0);
                let mut bytes = vec![0; 200];
                let (head, tail) = bytes.split_at_mut(77);
                output.fill(head);
                output.fill(tail);
                assert_eq!(bytes, expected, "{backend:?}, {kind:?}, {length}");
                // The same parent, by the definition.
                assert_eq!(Last::parent(kind, &left, &right).hash(), root);
                output.set_position((1 << 38) - 30);
                output.fill(&mut bytes);
                let mut theirs = kind.with_peer_mode(|mode| peer::merge_subtrees_root_xof(&left, &right, mode));
                theirs.set_position((1 << 38) - 30);
                let mut others = vec![1; 200];
                theirs.fill(&mut others);
                assert_eq!(bytes, others, "{backend:?}, {kind:?}, {length}");
            }
        }
    }
}

/// The crate's subtree for each group.
fn groups_of_peer(kind: Kind, input: &[u8], offset: u64, group: u32) -> Vec<ChainingValue> {
    let size = CHUNK << group;
    let cv = |(i, input): (usize, &[u8])| of_peer(kind, input, offset + (i * size) as u64);
    input.chunks(size).enumerate().map(cv).collect()
}

/// Groups of all sizes, whole and not, from many offsets.
#[test]
fn groups() {
    let memory = paint(70 * CHUNK);
    let mut random = Random::new(54);
    for group in 0..=7 {
        let size = CHUNK << group;
        let numbers = [0, 1, 5, (1 << 32 >> group) - 1, (1 << 33 >> group) - 2, (1 << 54 >> group) - 1];
        for (i, number) in numbers.into_iter().enumerate() {
            let offset: u64 = number * size as u64;
            let left = usize::try_from((u64::MAX - offset).min(69_999)).unwrap() + 1;
            let fixed = [1, 64, 1023, 1024, 1025, 2 * size, 3 * size - 1, 3 * size, 3 * size + 1, 17 * size, 35_000];
            let some = (0..4).map(|_| 1 + random.below(69_999)).collect::<Vec<_>>();
            for length in fewer(i, fixed.into_iter().chain(some)).map(|length| length.min(left).min(70_000)) {
                let (kind, input) = (Kind::ALL[i % 3], &memory[..length]);
                let expected = groups_of_peer(kind, input, offset, group);
                for backend in all_backends() {
                    let mut cvs = vec![[0xee; 32]; expected.len()];
                    let result = subtrees(input, offset, group, &kind.on(backend), &mut cvs);
                    assert_eq!(result, Ok(()), "{backend:?}, {kind:?}, group {group}, {length} at {offset}");
                    assert!(cvs == expected, "{backend:?}, {kind:?}, group {group}, {length} at {offset}");
                }
            }
        }
    }
}

/// Every number of chunks up to more than the lanes twice: as a Merkle tree stores them.
#[test]
fn chunks() {
    let memory = paint(36 * CHUNK);
    for count in 1..=35 {
        for rest in [1, 1024] {
            let input = &memory[..CHUNK * (count - 1) + rest];
            let expected = groups_of_peer(Kind::Plain, input, 1 << 42, 0);
            for backend in all_backends() {
                let mut cvs = vec![[0xee; 32]; count];
                subtrees(input, 1 << 42, 0, &Kind::Plain.on(backend), &mut cvs).unwrap();
                assert!(cvs == expected, "{backend:?}, {count} chunks, the last of {rest}");
            }
        }
    }
}

/// Where the crate panics there are errors, and nothing is written.
#[test]
fn errors_of_groups() {
    let memory = paint(10 * CHUNK);
    for backend in all_backends() {
        let mode = Kind::Plain.on(backend);
        let fails = |length: usize, offset: u64, group: u32, cvs: usize| {
            let mut cvs = vec![[0xee; 32]; cvs];
            let error = subtrees(&memory[..length], offset, group, &mode, &mut cvs).unwrap_err();
            assert!(cvs.iter().all(|cv| *cv == [0xee; 32]), "{error}");
            assert!(!error.to_string().is_empty());
        };
        // Wrong numbers of chaining values.
        for (length, group, right) in [(1, 0, 1), (1024, 0, 1), (1025, 0, 2), (5000, 1, 3), (5000, 10, 1)] {
            for cvs in (0..=right + 2).filter(|&cvs| cvs != right) {
                fails(length, 0, group, cvs);
            }
            assert!(subtrees(&memory[..length], 0, group, &mode, &mut vec![[0; 32]; right]).is_ok());
        }
        // Offsets at which no group begins.
        for (offset, group) in [(1, 0), (1023, 0), (1025, 0), (1024, 1), (3072, 1), (2048, 2), (1 << 20, 11)] {
            fails(1024, offset, group, 1);
        }
        // Groups longer than there are, that do not begin there.
        for group in [55, 63, 64, 65, 1000, u32::MAX] {
            fails(1024, 1024, group, 1);
        }
        // No message has bytes at 2^64 and beyond: an error or not, nothing panics.
        for (length, offset, cvs) in
            [(1024, u64::MAX - 1023, 1), (1025, u64::MAX - 1023, 2), (5000, u64::MAX - 2047, 5)]
        {
            let _ = subtrees(&memory[..length], offset, 0, &mode, &mut vec![[0; 32]; cvs]);
        }
        // One group, however large.
        for group in [20, 53, 54, 63, 64, 1000, u32::MAX] {
            let mut cvs = [[0; 32]];
            assert_eq!(subtrees(&memory[..5000], 0, group, &mode, &mut cvs), Ok(()), "group {group}");
            assert_eq!(cvs, [of_peer(Kind::Plain, &memory[..5000], 0)], "group {group}");
        }
        fails(0, 0, 0, 0);
        fails(0, 0, 0, 1);
    }
}

/// Where the crate panics there are errors: no input, an offset in a chunk, input before the offset, too much input.
#[test]
fn errors_of_hashers() {
    let memory = paint(70 * CHUNK);
    for backend in all_backends() {
        let begun = || Kind::Plain.hasher_on(backend);
        assert!(begun().finalize_non_root().is_err(), "an empty subtree");
        for offset in [1, 2, 64, 1023, 1025, 1536, u64::MAX] {
            let mut hasher = begun();
            let error: SubtreeError = hasher.set_input_offset(offset).map(|_| ()).unwrap_err();
            assert!(!error.to_string().is_empty());
            // As it was before.
            assert_eq!(hasher.update(b"abc").finalize(), Kind::Plain.of_peer(b"abc"));
        }
        for length in [1, 64, 1024, 1025, 20_000] {
            for offset in [0, 1024, 1 << 42] {
                let mut hasher = begun();
                assert!(hasher.update(&memory[..length]).set_input_offset(offset).is_err(), "{length}");
                assert_eq!(hasher.finalize(), Kind::Plain.of_peer(&memory[..length]), "unchanged");
                // After a reset there is no input.
                assert!(hasher.reset().set_input_offset(offset).is_ok());
                let cv = hasher.update(&memory[..100]).finalize_non_root();
                assert_eq!(cv, Ok(of_peer(Kind::Plain, &memory[..100], offset)), "{length}, {offset}");
            }
        }
        // Twice is once; nothing was hashed in between.
        let mut hasher = begun();
        hasher.set_input_offset(2048).unwrap().set_input_offset(1024).unwrap();
        assert_eq!(hasher.update(b"abc").finalize_non_root(), Ok(of_peer(Kind::Plain, b"abc", 1024)));
        // A byte too much, in one piece or in several.
        for (offset, most) in [(1024, 1024), (3072, 1024), (2048, 2048), (64 << 10, 64 << 10), ((1 << 42) + 1024, 1024)]
        {
            for size in [1, 1000, 1024, 4096, 1 << 20] {
                if size == 1 && most > 2048 {
                    continue;
                }
                let mut hasher = begun();
                hasher.set_input_offset(offset).unwrap();
                memory[..most].chunks(size).for_each(|piece| _ = hasher.update(piece));
                let whole = of_peer(Kind::Plain, &memory[..most], offset);
                assert_eq!(hasher.finalize_non_root(), Ok(whole), "{backend:?}, {most} at {offset}");
                hasher.update(&memory[most..][..1]);
                assert!(hasher.finalize_non_root().is_err(), "{backend:?}, {most} and one more at {offset}");
                hasher.update(&memory[..5000]);
                assert!(hasher.finalize_non_root().is_err(), "{backend:?}, {most} and many more at {offset}");
                let mut hasher = begun();
                hasher.set_input_offset(offset).unwrap();
                memory[..=most].chunks(size).for_each(|piece| _ = hasher.update(piece));
                assert!(hasher.finalize_non_root().is_err(), "{backend:?}, {most} + 1 at {offset}, {size}");
                // A reset begins anew, at the beginning.
                assert_eq!(hasher.reset().update(b"abc").finalize(), Kind::Plain.of_peer(b"abc"));
                assert_eq!(hasher.count(), 3);
                let input = &memory[..20_000];
                input.chunks(900).fold(hasher.reset(), |hasher, piece| hasher.update(piece));
                assert_eq!(hasher.finalize(), Kind::Plain.of_peer(input), "{backend:?}, after {offset}");
                assert_eq!(hasher.finalize_non_root(), Ok(of_peer(Kind::Plain, input, 0)), "{backend:?}");
            }
        }
    }
}

//! Trees: known answers, a model that hashes node by node, pieces of every kind, and what a tree hands out.

use simd_digest::Backend;
use simd_digest::blake2::{Hash, LeavesError, Params, Part, Tree, VerifyError};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use crate::common::cases::fewer;
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::params::params;
use crate::common::random::Random;
use crate::common::tree::Model;
use crate::common::vector::{Vector, number};

for_both! {
    hashlib_in_one_shot_on_every_backend,
    hashlib_in_pieces_on_every_backend,
    any_pieces_on_every_backend,
    roots_on_the_way,
    many_leaves_at_once,
    leaves_around_the_bound_of_memory,
    leaves_are_handed_out,
    leaves_kept_late,
    leaf_count,
    damage_is_found,
    damage_is_found_in_runs,
    runs_that_cannot_be_verified,
    numbers_beyond_the_last,
    leaves_without_a_root,
    impossible_trees_are_errors,
    fields_of_a_node_are_ignored,
    nothing_secret_is_printed,
    #[cfg(feature = "std")] write,
    #[cfg(feature = "rayon")] rayon_is_sequential_in_its_result,
    #[cfg(feature = "rayon")] trees_side_by_side,
}

/// The vectors of a flavour.
trait Known: Flavour {
    const FILE: &str;
    const LEAST: usize;
}

impl Known for FlavourB {
    const FILE: &str = include_str!("../data/tree.txt");
    const LEAST: usize = 1200;
}

impl Known for FlavourS {
    const FILE: &str = include_str!("../data/tree_blake2s.txt");
    const LEAST: usize = 400;
}

/// Parameters, length of the message, and root of every vector.
fn tree_vectors<F: Known>() -> Vec<(Params<F>, usize, Hash<F>)> {
    let vectors: Vec<_> = Vector::all(F::FILE)
        .map(|vector| (params(vector), number(vector.text("length")), vector.text("digest").parse().unwrap()))
        .collect();
    assert!(vectors.len() > F::LEAST, "only {} vectors", vectors.len());
    vectors
}

/// The root over `message` in these pieces.
fn in_pieces<'a, F: Flavour>(tree: &Tree<F>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Hash<F> {
    let mut hasher = tree.hasher();
    for piece in pieces {
        hasher.update(piece);
    }
    hasher.finalize()
}

/// Long messages on one backend each, and in turn.
fn hashlib_in_one_shot_on_every_backend<F: Known>() {
    let message = paint(70_000);
    let every: Vec<Backend> = Backend::available().collect();
    // Where there are fewer, none of 65 025 leaves is among them.
    for (i, (params, length, root)) in fewer(4, tree_vectors::<F>()).enumerate() {
        let backends = if length < 700 { &every[..] } else { &every[i % every.len()..][..1] };
        for &backend in backends {
            let tree = params.clone().with_backend(backend).tree().unwrap();
            assert_eq!(tree.hash(&message[..length]), root, "{backend}, length {length}");
        }
    }
}

fn hashlib_in_pieces_on_every_backend<F: Known>() {
    let message = paint(5000);
    let mut random = Random::new(207);
    for (i, (params, length, root)) in fewer(1, tree_vectors::<F>()).enumerate() {
        let Some(message) = message.get(..length) else { continue };
        let backend = Backend::available().cycle().nth(i).unwrap();
        let tree = params.with_backend(backend).tree().unwrap();
        let pieces = random.pieces(message);
        let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
        assert_eq!(in_pieces(&tree, pieces), root, "{backend}, pieces of {lengths:?}");
        if length < 700 {
            assert_eq!(in_pieces(&tree, message.chunks(1)), root, "{backend}, {length} pieces of a byte");
        }
    }
}

/// The tree that `bt2sum` makes of a file.
#[test]
fn bt2sum() {
    let message = paint(21_000);
    for vector in Vector::all(include_str!("../data/bt2sum.txt")) {
        let [length, chunk, hash_length] =
            ["length", "chunk", "hash_length"].map(|name| number::<usize>(vector.text(name)));
        let chunk = u32::try_from(chunk).unwrap();
        let params = Params::<FlavourB>::new().hash_length(hash_length).inner_hash_length(hash_length);
        let tree = params.fanout(0).max_depth(2).max_leaf_length(chunk).tree().unwrap();
        let root = tree.hash(&message[..length]);
        assert_eq!(root.to_string(), vector.text("digest"), "{vector:?}");
        if hash_length == 64 {
            assert_eq!(Tree::<FlavourB>::unlimited_fanout(chunk).unwrap().hash(&message[..length]), root, "{vector:?}");
        }
    }
}

/// Some trees, small enough to look at every length.
fn models<F: Flavour>() -> impl Iterator<Item = Model<F>> {
    let shapes = [(0, 2), (2, 2), (2, 3), (2, 4), (2, 255), (3, 3), (3, 5), (4, 255), (255, 3)];
    shapes.into_iter().enumerate().map(|(i, (fanout, max_depth))| {
        let (leaf_length, inner) = ([1, 7, 16, F::BLOCK][i % 4], [F::LONGEST, 24, 1][i % 3]);
        let mut model = Model::new(F::LONGEST - 4, fanout, max_depth, u32::try_from(leaf_length).unwrap(), inner);
        if i % 2 == 1 {
            model.params = model.params.key(&paint(31)).salt(b"salt").personal(b"personal");
        }
        model
    })
}

/// Pieces of some whole leaves and a bit more or less, of one byte, and of everything: a leaf is hashed as soon as
/// something follows it, and not before.
fn any_pieces_on_every_backend<F: Flavour>() {
    let mut random = Random::new(210);
    for model in models::<F>() {
        let message = paint(70 * model.leaf_length + 1);
        for backend in Backend::available() {
            let tree = model.params.clone().with_backend(backend).tree().unwrap();
            for _ in 0..8 {
                let mut rest = &message[..random.below(message.len() as u64 + 1)];
                let (root, leaves) = model.root(rest);
                let mut hasher = tree.hasher().keep_leaves();
                let mut lengths = Vec::new();
                while !rest.is_empty() {
                    let length = match random.below(4) {
                        0 => random.below(3),
                        1 => random.below(2 * model.leaf_length as u64),
                        _ => model.leaf_length * random.below(12) + random.below(2),
                    };
                    let (piece, then) = rest.split_at(length.min(rest.len()));
                    hasher.update(piece);
                    lengths.push(piece.len());
                    rest = then;
                }
                assert_eq!(hasher.finalize(), root, "{backend}, pieces of {lengths:?}");
                assert_eq!(hasher.finalize_with_leaves(), (root, leaves), "{backend}, pieces of {lengths:?}");
            }
        }
    }
}

/// The root may be asked for at any time.
fn roots_on_the_way<F: Flavour>() {
    for (shape, model) in models::<F>().enumerate() {
        let message = paint(28 * model.leaf_length + 1);
        let tree = model.params.tree().unwrap();
        let (mut hasher, mut clone) = (tree.hasher(), tree.hasher());
        let leaves: Vec<usize> = fewer(shape, 0..=29).collect();
        for (i, byte) in message.iter().enumerate() {
            if (i + 1) % model.leaf_length < 3 && leaves.contains(&((i + 1) / model.leaf_length)) {
                let (root, _) = model.root(&message[..i]);
                assert_eq!(hasher.finalize(), root, "length {i}");
                assert_eq!(hasher.finalize(), root, "length {i}, once more");
                assert_eq!(clone.finalize(), root, "length {i}, a clone");
                assert_eq!(tree.hash(&message[..i]), root, "length {i}, at once");
                clone = hasher.clone();
            }
            assert_eq!(hasher.count(), i as u128);
            hasher.update(&[*byte]);
            clone.update(&[*byte]);
        }
        assert_eq!(format!("{hasher:?}"), format!("TreeHasher {{ count: {}, .. }}", message.len()));
    }
}

/// Larger batches of leaves than are folded at a time, from every place within a leaf.
fn many_leaves_at_once<F: Flavour>() {
    for (fanout, max_depth) in [(0, 2), (3, 4)] {
        let model = Model::<F>::new(F::LONGEST, fanout, max_depth, 9, F::LONGEST);
        let message = paint(9 * 150 + 4);
        let (root, leaves) = model.root(&message);
        for backend in Backend::available() {
            let tree = model.params.clone().with_backend(backend).tree().unwrap();
            for first in [0, 1, 8, 9, 10, 71, 72, 73, 9 * 64 - 1, 9 * 64, 9 * 64 + 1] {
                let mut hasher = tree.hasher().keep_leaves();
                hasher.update(&message[..first]).update(&[]).update(&message[first..]).update(&[]);
                assert_eq!(hasher.finalize_with_leaves(), (root, leaves.clone()), "{backend}, after {first} bytes");
            }
        }
    }
}

/// Leaves of which as many as there are lanes, some, two, or only one have room in the memory that a hasher may take: in
/// small, ragged and large pieces.
fn leaves_around_the_bound_of_memory<F: Flavour>() {
    const BOUND: usize = 1 << 20;
    let message = paint((5 << 19) + 3);
    let mut random = Random::new(1 << 20);
    let mut backends = Backend::available().collect::<Vec<_>>().into_iter().cycle();
    for length in [BOUND / 16, BOUND / 8 + 1, BOUND / 4, BOUND / 2, BOUND / 2 + 1, BOUND, BOUND + 1] {
        let model = Model::<F>::new(F::LONGEST, 0, 2, u32::try_from(length).unwrap(), F::LONGEST);
        let (root, leaves) = model.root(&message);
        let sizes = [1000, 65_536, length - 1, length, length + 1, 3 * length, message.len()];
        let mut divisions: Vec<Vec<&[u8]>> = sizes.map(|size| message.chunks(size).collect()).into();
        divisions.push(random.pieces(&message));
        for pieces in fewer(length, divisions) {
            let backend = backends.next().unwrap();
            let tree = model.params.clone().with_backend(backend).tree().unwrap();
            let (mut hasher, mut taken, mut count) = (tree.hasher().keep_leaves(), Vec::new(), 0);
            let case = format!("{backend}, leaves of {length}, {} pieces", pieces.len());
            for (i, piece) in pieces.iter().enumerate() {
                match i % 3 {
                    #[cfg(feature = "rayon")]
                    2 => hasher.update_rayon(piece),
                    _ => hasher.update(piece),
                };
                count += piece.len();
                if i == pieces.len() / 2 {
                    assert_eq!(hasher.finalize(), tree.hash(&message[..count]), "{case}, {count} bytes");
                    taken.extend(hasher.take_leaves());
                }
            }
            assert_eq!(hasher.count(), message.len() as u128, "{case}");
            assert_eq!(hasher.finalize(), root, "{case}");
            let (end, rest) = hasher.finalize_with_leaves();
            taken.extend(rest);
            assert_eq!((end, &taken), (root, &leaves), "{case}");
        }
    }
}

fn leaves_are_handed_out<F: Flavour>() {
    for model in models::<F>() {
        let message = paint(50 * model.leaf_length + 1);
        let tree = model.params.tree().unwrap();
        for length in [0, 1, model.leaf_length, 9 * model.leaf_length, 9 * model.leaf_length + 1, message.len()] {
            let message = &message[..length];
            let (root, leaves) = model.root(message);
            assert_eq!(tree.leaf_count(length as u64), leaves.len() as u64);
            assert_eq!(tree.leaf_length() as usize, model.leaf_length);

            // Without keep_leaves there are none.
            let mut hasher = tree.hasher();
            hasher.update(message);
            assert!(hasher.take_leaves().is_empty());
            assert_eq!(hasher.finalize_with_leaves(), (root, vec![]));

            // Taken on the way, in whatever portions they are made, each is there once.
            let (mut hasher, mut taken) = (tree.hasher().keep_leaves(), Vec::new());
            for piece in message.chunks(3 * model.leaf_length + 1) {
                hasher.update(piece);
                taken.extend(hasher.take_leaves());
                assert!(hasher.take_leaves().is_empty(), "taken just now");
                assert!((taken.len() as u128) < hasher.count().div_ceil(model.leaf_length as u128), "not the last");
            }
            let (last_root, rest) = hasher.keep_leaves().finalize_with_leaves();
            taken.extend(rest);
            assert_eq!((last_root, &taken), (root, &leaves));

            // Each is what its own hasher makes, and together they have the same root.
            let pieces: Vec<&[u8]> =
                if message.is_empty() { vec![message] } else { message.chunks(model.leaf_length).collect() };
            for (i, piece) in pieces.iter().enumerate() {
                let mut leaf = tree.leaf(i as u64, Part::last_if(i + 1 == pieces.len())).unwrap();
                assert_eq!(leaf.update(piece).finalize(), leaves[i], "leaf {i}");
            }
            assert_eq!(tree.root_from_leaves(leaves), Ok(root));
        }
    }
}

/// Leaves kept from the middle of a message on.
fn leaves_kept_late<F: Flavour>() {
    let tree = Tree::<F>::unlimited_fanout(10).unwrap();
    let message = paint(400);
    let (root, leaves) = Model::<F>::new(F::LONGEST, 0, 2, 10, F::LONGEST).root(&message);
    let mut hasher = tree.hasher();
    hasher.update(&message[..205]);
    let mut hasher = hasher.keep_leaves();
    hasher.update(&message[205..]);
    let (late_root, kept) = hasher.finalize_with_leaves();
    assert_eq!(late_root, root);
    assert!(kept.len() >= 20, "{}", kept.len());
    assert_eq!(kept, leaves[leaves.len() - kept.len()..]);
}

fn leaf_count<F: Flavour>() {
    let tree = Tree::<F>::unlimited_fanout(4096).unwrap();
    let counts = [(0, 1), (1, 1), (4095, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3)];
    assert_eq!(counts.map(|(length, _)| (length, tree.leaf_count(length))), counts);
    assert_eq!(Tree::<F>::unlimited_fanout(1).unwrap().leaf_count(u64::MAX), u64::MAX);
    assert_eq!(Tree::<F>::unlimited_fanout(u32::MAX).unwrap().leaf_count(u64::MAX), (1 << 32) + 1);
}

fn damage_is_found<F: Flavour>() {
    let params = Params::<F>::new().key(b"key").fanout(2).max_depth(255).max_leaf_length(100).inner_hash_length(24);
    let tree = params.tree().unwrap();
    let mut message = paint(1050);
    let mut hasher = tree.hasher().keep_leaves();
    hasher.update(&message);
    let (_, leaves) = hasher.finalize_with_leaves();
    assert_eq!(leaves.len(), 11);
    let damaged = |message: &[u8]| -> Vec<usize> {
        let verify = |i: usize, bytes| tree.verify_leaf(i as u64, Part::last_if(i == 10), bytes, &leaves[i]);
        message.chunks(100).enumerate().filter(|&(i, bytes)| !verify(i, bytes)).map(|(i, _)| i).collect()
    };
    assert_eq!(damaged(&message), [0; 0]);
    for byte in (0..message.len()).step_by(7).chain([99, 100, 999, 1000, 1049]) {
        message[byte] ^= 1 << (byte % 8);
        assert_eq!(damaged(&message), [byte / 100], "byte {byte}");
        message[byte] ^= 1 << (byte % 8);
    }

    // A leaf is known at its own place only, and with all its bytes.
    assert!(!tree.verify_leaf(1, Part::NotLast, &message[..100], &leaves[0]));
    assert!(!tree.verify_leaf(0, Part::Last, &message[..100], &leaves[0]));
    assert!(!tree.verify_leaf(10, Part::NotLast, &message[1000..], &leaves[10]));
    assert!(!tree.verify_leaf(0, Part::NotLast, &message[..99], &leaves[0]));
    let longer = Hash::from_bytes(&[leaves[0].as_bytes(), &[0]].concat()).unwrap();
    assert!(!tree.verify_leaf(0, Part::NotLast, &message[..100], &longer));
}

/// The first bad leaf, and no other, wherever it is and whatever is bad about it.
fn damage_is_found_in_runs<F: Flavour>() {
    let mut random = Random::new(400);
    for backend in Backend::available() {
        for (leaf_length, count) in [(7, 40), (128, 17), (300, 150), (1, 1)] {
            let params = Params::<F>::new().key(b"key").fanout(0).max_depth(2).max_leaf_length(leaf_length);
            let tree = params.inner_hash_length(24).with_backend(backend).tree().unwrap();
            let length = leaf_length as usize;
            let mut message = paint(length * count - length / 2);
            let mut digests = tree.hash_run(5, &message, Part::Last).unwrap();
            assert_eq!(digests.len(), count);
            assert_eq!(tree.verify_run(5, &message, Part::Last, &digests), Ok(()), "{backend}");
            let (whole, before) = (&message[..length * (count - 1)], &digests[..count - 1]);
            assert_eq!(tree.verify_run(5, whole, Part::NotLast, before), Ok(()), "{backend}");
            for _ in 0..40 {
                // The message and the digests, in any order, and sometimes both of the same leaf.
                let (byte, leaf) = (random.below(message.len() as u64), random.below(count as u64));
                let bit = 1 << random.below(8);
                message[byte] ^= bit;
                let bad = digests[leaf];
                let mut bytes = bad.as_bytes().to_vec();
                match random.below(3) {
                    0 => bytes.truncate(23),
                    1 => bytes.push(0),
                    _ => bytes[random.below(24)] ^= 0x80,
                }
                digests[leaf] = Hash::from_bytes(&bytes).unwrap();
                let first = (byte / length).min(leaf);
                let expected = Err(VerifyError::Leaf(5 + first as u64));
                let case = format!("{backend}, byte {byte}, digest {leaf} of {count}");
                assert_eq!(tree.verify_run(5, &message, Part::Last, &digests), expected, "{case}");
                let after = first + 1;
                if after < count {
                    let rest =
                        tree.verify_run(5 + after as u64, &message[after * length..], Part::Last, &digests[after..]);
                    let second = (byte / length).max(leaf);
                    let expected = if second > first { Err(VerifyError::Leaf(5 + second as u64)) } else { Ok(()) };
                    assert_eq!(rest, expected, "{case}, after the first");
                }
                let before = tree.verify_run(5, &message[..first * length], Part::NotLast, &digests[..first]);
                assert_eq!(before, Ok(()), "{case}, before");
                message[byte] ^= bit;
                digests[leaf] = bad;
            }
        }
    }
}

fn runs_that_cannot_be_verified<F: Flavour>() {
    let params = Params::<F>::new().fanout(0).max_depth(2).max_leaf_length(10).inner_hash_length(F::LONGEST);
    let message = paint(35);
    let last = F::MAX_NODE_OFFSET;
    for backend in Backend::available() {
        let tree = params.clone().with_backend(backend).tree().unwrap();
        let verify = |first, bytes, part, digests: &[Hash<F>]| tree.verify_run(first, bytes, part, digests);
        let digests = tree.hash_run(last - 3, &message, Part::Last).unwrap();
        assert_eq!(verify(last - 3, &message, Part::Last, &digests), Ok(()), "{backend}");

        // What follows the last whole leaf is a leaf only if it is the last.
        assert_eq!(verify(last - 3, &message, Part::NotLast, &digests[..3]), Ok(()));
        assert_eq!(
            verify(last - 3, &message, Part::Last, &digests[..3]),
            Err(VerifyError::Count { given: 3, needed: 4 })
        );
        let error = verify(last - 3, &message, Part::NotLast, &digests).unwrap_err();
        assert_eq!(error, VerifyError::Count { given: 4, needed: 3 });
        assert_eq!(error.to_string(), "there are 3 leaves, but 4 digests were given");

        // The last leaf is another one than the same bytes in the middle, and an empty message has one.
        assert_eq!(verify(last - 3, &message[..30], Part::Last, &digests[..3]), Err(VerifyError::Leaf(last - 1)));
        assert_eq!(verify(0, b"", Part::NotLast, &[]), Ok(()));
        assert_eq!(verify(0, b"", Part::Last, &[]), Err(VerifyError::Count { given: 0, needed: 1 }));
        let empty = tree.leaf(0, Part::Last).unwrap().finalize();
        assert_eq!(verify(0, b"", Part::Last, &[empty]), Ok(()));
        assert_eq!(verify(1, b"", Part::Last, &[empty]).unwrap_err().to_string(), "leaf 1 has another digest");

        // The numbers end, and do not wrap.
        let VerifyError::Params(error) = verify(last - 2, &message, Part::Last, &digests).unwrap_err() else {
            panic!("it is out of range");
        };
        assert_eq!((error.field(), error.value(), error.limits()), ("node_offset", last - 2, 0..=last - 3));
        assert_eq!(VerifyError::from(error).to_string(), error.to_string());
        assert_eq!(verify(u64::MAX, b"", Part::NotLast, &[]), Ok(()));
        if let Some(first) = last.checked_add(1) {
            let zero = tree.hash_run(0, &message, Part::Last).unwrap();
            assert!(matches!(verify(first, &message, Part::Last, &zero), Err(VerifyError::Params(_))), "{backend}");
        }
    }
}

/// The parameter block of BLAKE2s has 48 bits for the number of a leaf: the upper 16 must not be dropped.
fn numbers_beyond_the_last<F: Flavour>() {
    let model = Model::<F>::new(F::LONGEST, 0, 2, 16, 24);
    let bytes = paint(5 * 16 - 3);
    let last = F::MAX_NODE_OFFSET;
    for backend in Backend::available() {
        let params = model.params.clone().with_backend(backend);
        let tree = params.tree().unwrap();
        let by_definition = |number: u64, is_last: bool, bytes: &[u8]| {
            params.clone().hash_length(24).node_offset(number).last_node(is_last).hash(bytes).unwrap()
        };

        // The last five numbers there are.
        let run = tree.hash_run(last - 4, &bytes, Part::Last).unwrap();
        assert_eq!(run.len(), 5);
        for ((number, bytes), digest) in (last - 4..=last).zip(bytes.chunks(16)).zip(&run) {
            let is_last = number == last;
            assert_eq!(*digest, by_definition(number, is_last, bytes), "{backend}, {number}");
            assert_eq!(tree.leaf(number, Part::last_if(is_last)).unwrap().update(bytes).finalize(), *digest);
            assert!(tree.verify_leaf(number, Part::last_if(is_last), bytes, digest));
        }
        assert!(tree.hash_run(last, &bytes[..16], Part::NotLast).is_ok());

        // One more.
        for first in [last - 3, last] {
            let error = tree.hash_run(first, &bytes, Part::Last).unwrap_err();
            assert_eq!(
                (error.field(), error.value(), error.limits()),
                ("node_offset", first, 0..=last - 4),
                "{backend}"
            );
        }
        assert_eq!(tree.hash_run(last, &bytes[..31], Part::NotLast).unwrap().len(), 1);
        assert!(tree.hash_run(last, &bytes[..32], Part::NotLast).is_err());
        assert_eq!(tree.hash_run(u64::MAX, &bytes[..15], Part::NotLast), Ok(vec![]), "there is no leaf");

        // Beyond all.
        let leaf0 = tree.leaf(0, Part::NotLast).unwrap().update(&bytes[..16]).finalize();
        assert!(tree.verify_leaf(0, Part::NotLast, &bytes[..16], &leaf0));
        for number in last.checked_add(1).into_iter().flat_map(|first| [first, first << 8, u64::MAX]) {
            assert!(!tree.verify_leaf(number, Part::NotLast, &bytes[..16], &leaf0), "{backend}, {number}");
            let error = tree.leaf(number, Part::NotLast).unwrap_err();
            assert_eq!((error.field(), error.value(), error.limits()), ("node_offset", number, 0..=last));
            assert_eq!(error.to_string(), format!("node_offset is {number}, but must be 0 to {last}"));
            assert_eq!(tree.hash_run(number, &bytes[..16], Part::NotLast).unwrap_err(), error);
            assert_eq!(tree.hash_run(number, b"", Part::Last).unwrap_err(), error);
        }
    }
}

fn leaves_without_a_root<F: Flavour>() {
    let tree = Params::<F>::new().fanout(2).max_depth(4).max_leaf_length(10).inner_hash_length(24).tree().unwrap();
    let leaf = |length| Hash::from_bytes(&paint(length)).unwrap();
    let length = "a digest of a leaf has another length than the tree's inner digests";
    let errors = [
        (vec![], LeavesError::None, "a tree has at least one leaf"),
        (vec![leaf(23)], LeavesError::Length, length),
        (vec![leaf(F::LONGEST)], LeavesError::Length, length),
        (vec![leaf(24), leaf(24), leaf(25)], LeavesError::Length, length),
    ];
    for (leaves, error, text) in errors {
        assert_eq!(tree.root_from_leaves(leaves), Err(error));
        assert_eq!(error.to_string(), text);
    }
    assert!(tree.root_from_leaves([leaf(24)]).is_ok());
}

fn impossible_trees_are_errors<F: Flavour>() {
    let longest = F::LONGEST;
    let params = || Params::<F>::new().fanout(2).max_depth(2).max_leaf_length(1).inner_hash_length(1);
    let errors = [
        (params().fanout(1), "fanout is 1, but must be 2 to 255".to_string()),
        (params().max_depth(0), "max_depth is 0, but must be 2 to 255".to_string()),
        (params().max_depth(1), "max_depth is 1, but must be 2 to 255".to_string()),
        (params().max_leaf_length(0), "max_leaf_length is 0, but must be 1 to 4294967295".to_string()),
        (params().inner_hash_length(0), format!("inner_hash_length is 0, but must be 1 to {longest}")),
        (params().inner_hash_length(65), format!("inner_hash_length is 65, but must be 0 to {longest}")),
        (params().hash_length(0), format!("hash_length is 0, but must be 1 to {longest}")),
        (params().key(&[0; 65]), format!("key has 65 bytes, but must have 0 to {longest}")),
        (Params::<F>::new(), "fanout is 1, but must be 2 to 255".to_string()),
    ];
    for (params, text) in errors {
        let error = params.tree().unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(!error.limits().contains(&error.value()), "{error}");
    }
    assert!(Tree::<F>::unlimited_fanout(0).is_err());
    for params in [params(), params().fanout(0), params().fanout(255).max_depth(255).max_leaf_length(u32::MAX)] {
        assert!(params.tree().is_ok());
    }
}

/// Node offset, depth and flag are the tree's to set.
fn fields_of_a_node_are_ignored<F: Flavour>() {
    let params = Params::<F>::new().fanout(3).max_depth(3).max_leaf_length(5).inner_hash_length(F::LONGEST);
    let tree = params.clone().node_offset(7).node_depth(1).last_node(true).tree().unwrap();
    assert_eq!(tree.hash(&paint(70)), params.tree().unwrap().hash(&paint(70)));
}

#[cfg(feature = "std")]
fn write<F: Flavour>() {
    use std::io::Write;

    let tree = Tree::<F>::unlimited_fanout(10).unwrap();
    let mut hasher = tree.hasher();
    assert_eq!(hasher.write(&paint(35)).unwrap(), 35);
    hasher.flush().unwrap();
    assert_eq!(hasher.finalize(), tree.hash(&paint(35)));
}

fn nothing_secret_is_printed<F: Flavour>() {
    let tree = Tree::<F>::unlimited_fanout(100).unwrap();
    assert_eq!(format!("{tree:?}"), "Tree { leaf_length: 100, .. }");
}

#[cfg(feature = "rayon")]
fn rayon_is_sequential_in_its_result<F: Flavour>() {
    let mut random = Random::new(7);
    let pools = [1, 2, 7].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for (model, backend) in models::<F>().step_by(4).zip(Backend::available().collect::<Vec<_>>().into_iter().cycle()) {
        let tree = model.params.clone().with_backend(backend).tree().unwrap();
        let message = paint(800 * model.leaf_length);
        for leaves in [0, 1, 2, 7, 9, 64, 65, 449, 797] {
            let length = leaves * model.leaf_length + random.below(3);
            let expected = model.root(&message[..length]);
            for pool in &pools {
                let (first, second) = message[..length].split_at(random.below(20).min(length));
                let mut hasher = tree.hasher().keep_leaves();
                pool.install(|| hasher.update_rayon(first).update_rayon(second).update_rayon(&[]).update(&[]));
                let threads = pool.current_num_threads();
                assert_eq!(hasher.finalize_with_leaves(), expected, "{threads} threads, {backend}, {length}");
            }
        }
    }
}

/// One tree, used by many threads, of which each uses all.
#[cfg(feature = "rayon")]
fn trees_side_by_side<F: Flavour>() {
    let tree = Tree::<F>::unlimited_fanout(1000).unwrap();
    let message = paint(100_500);
    let root = tree.hash(&message);
    std::thread::scope(|scope| {
        for size in [1, 3000, 50_000, 100_500] {
            let (tree, message) = (&tree, &message);
            scope.spawn(move || {
                let mut hasher = tree.hasher();
                message.chunks(size.max(700)).for_each(|piece| _ = hasher.update_rayon(piece));
                assert_eq!(hasher.finalize(), root, "pieces of {size}");
            });
        }
    });
}

#[test]
fn runs_are_leaves_one_by_one() {
    let message: Vec<u8> = (0..=250).cycle().take(2100).collect();
    for backend in Backend::available() {
        let params = Params::<FlavourB>::new().key(b"key").fanout(0).max_depth(2).inner_hash_length(40);
        let params = params.with_backend(backend);
        for (leaf_length, length) in [(1, 33), (127, 2100), (128, 2048), (129, 1), (300, 0), (700, 2100)] {
            let (tree, bytes) = (params.clone().max_leaf_length(leaf_length).tree().unwrap(), &message[..length]);
            let run = tree.hash_run(7, bytes, Part::Last).unwrap();
            assert_eq!(run.len() as u64, tree.leaf_count(length as u64));
            for (i, digest) in run.iter().enumerate() {
                let begin = i * leaf_length as usize;
                let leaf = &bytes[begin..length.min(begin + leaf_length as usize)];
                assert!(
                    tree.verify_leaf(7 + i as u64, Part::last_if(i + 1 == run.len()), leaf, digest),
                    "{leaf_length}, {i}"
                );
            }
            let open = tree.hash_run(7, bytes, Part::NotLast).unwrap();
            assert_eq!(open.len(), length / leaf_length as usize);
            assert!(open.iter().zip(&run).take(run.len() - 1).all(|(a, b)| a == b));
        }
    }
}

#[test]
fn the_last_node_may_be_known_late() {
    let params = || Params::<FlavourB>::new().key(b"key").fanout(0).max_depth(2).inner_hash_length(64);
    for message in [&b""[..], &[7; 128], &[7; 300]] {
        let hashes = [false, true].map(|last| params().last_node(last).hash(message).unwrap());
        assert_ne!(hashes[0], hashes[1]);
        for (at_first, late) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut hasher = params().last_node(at_first).hasher().unwrap();
            let expected = |last| hashes[usize::from(last)];

            hasher.update(message).set_last_node(late);
            assert_eq!(hasher.finalize(), expected(late));
            assert_eq!(hasher.clone().finalize(), expected(late));
            hasher.set_last_node(!late);
            assert_eq!(hasher.finalize(), expected(!late), "digests do not use the flag up");

            hasher.reset();
            hasher.set_last_node(late).update(message);
            assert_eq!(hasher.finalize(), expected(late), "before the message");
            hasher.reset();
            assert_eq!(hasher.update(message).finalize(), expected(at_first), "as the parameters said");
        }
    }
}

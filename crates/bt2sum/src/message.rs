//! Reads one message, which is an input from its current position on, in the way that suits the input.
//!
//! A tree of a regular file of more than 1 MiB is read in any order, any other tree front to back. Leaves too long for
//! memory are hashed one after the other. A message that is no tree is read piece by piece. BLAKE3, whose tree is its
//! own, is in [`crate::subtrees`].

use std::io::{self, Read};

use simd_digest::Backend;

use crate::buffers::{Buffer, Buffers};
use crate::input::Input;
use crate::team::{GROUP, Hashed, LeafSink, Plan, Team};
use crate::window::Pieces;
use crate::{regular, stream};
use simd_digest::blake2::{self, Flavour, Hash, Tree};

/// The length of a piece, in bytes.
const PIECE: usize = 256 << 10;

/// Hashes the tree of `input` to its end, or of at most `limit` bytes. The digests of the leaves go to `sink`.
pub(crate) fn tree<F: Flavour>(
    input: &mut Input<'_>,
    limit: u64,
    tree: &Tree<F>,
    threads: usize,
    buffers: &Buffers,
    sink: LeafSink<'_, F>,
) -> io::Result<Hashed<Hash<F>>> {
    let plan = Plan::new(tree.leaf_length(), blake2::lanes::<F>(Backend::best()), threads);
    let Some(group) = plan.group else { return stream::leaf_by_leaf(input.take(limit), tree, sink) };
    match input.rest(limit)?.filter(|rest| rest.end - rest.start > GROUP as u64) {
        Some(rest) => regular::leaves(input, rest, tree, Team { threads, group, buffers }, sink),
        None => {
            let team = Team { threads: plan.threads, group, buffers };
            stream::leaves_in_groups(input.take(limit), tree, team, sink)
        }
    }
}

/// Gives the rest of the input to `update`, piece by piece, and returns its length.
pub(crate) fn in_pieces(input: &mut Input<'_>, mut update: impl FnMut(&[u8])) -> io::Result<u64> {
    let (mut pieces, mut buffer) = (Pieces::default(), Buffer::new(PIECE));
    let mut length = 0;
    loop {
        let piece = pieces.next(input, &mut buffer)?;
        update(piece);
        length += piece.len() as u64;
        if piece.len() < PIECE {
            return Ok(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Seek, SeekFrom};

    use simd_digest::blake2::{Params, Part};
    use simd_digest::blake2b::FlavourB;
    use simd_digest::blake2s::FlavourS;
    use simd_digest::blake3;
    use simd_digest::sha2::{Batch, Variant, Variant224, Variant256, Variant512};

    use super::*;
    use crate::function::{Blake2, Blake2p, Blake3, Function, Sha2};
    use crate::input::Source;
    use crate::paint::paint;
    use crate::progress::Progress;
    use crate::scheme::{Algorithm, Scheme, Secret, Shape};

    /// The message of the files, and the lengths of their beginnings that are hashed.
    fn message() -> (Vec<u8>, [usize; 3]) {
        let lengths = [1_usize << 20, (1 << 20) + 1, (12 << 20) + 1];
        (paint(lengths[2]), lengths)
    }

    /// Hashes the tree of a regular file in all ways: from its beginning or later, whole or up to a limit, read or
    /// mapped; of small leaves, of long leaves and leaf by leaf.
    fn trees_of_files<F: Flavour>(algorithm: Algorithm) {
        let (message, lengths) = message();
        let progress = Progress::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        let chunks = [1000, 300_000, 5 << 20, (12 << 20) / 8 + 1, u32::MAX];
        for (chunk, length) in chunks.into_iter().flat_map(|chunk| lengths.map(|length| (chunk, length))) {
            fs::write(file.path(), &message[..length]).unwrap();
            let tree = Scheme { algorithm, size: 32, shape: Shape::Tree { chunk } }.tree::<F>(&Secret::default());
            let tree = tree.unwrap();
            for (begin, cut, ways) in
                [(0, 0, &[(false, 1), (true, 1)][..]), (7, 9, &[(false, 3), (true, 3)]), (4096, 0, &[(true, 2)])]
            {
                let end = length - cut;
                let limit = if end == length { u64::MAX } else { (end - begin) as u64 };
                let part = &message[begin..end];
                let (expected, expected_leaves) = (tree.hash(part), tree.hash_run(0, part, Part::Last).unwrap());
                for &(mmap, threads) in ways {
                    let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                    input.seek(SeekFrom::Start(begin as u64)).unwrap();
                    let mut leaves = Vec::new();
                    let mut sink = |leaf: &Hash<F>| {
                        leaves.push(*leaf);
                        Ok(())
                    };
                    let buffers = Buffers::default();
                    let digest = super::tree(&mut input, limit, &tree, threads, &buffers, &mut sink).unwrap();
                    let case = format!("{chunk} {length} {mmap} {threads} {begin}");
                    assert_eq!(digest.length, part.len() as u64, "{case}");
                    assert_eq!(input.stream_position().unwrap(), end as u64, "{case}");
                    assert_eq!(digest.hash, expected, "{case}");
                    assert_eq!(leaves, expected_leaves, "{case}");
                }
            }
        }
    }

    /// Hashes a regular file as a whole in all ways: from its beginning or later, read or mapped.
    fn whole_files<H: Function>(algorithm: Algorithm, size: usize, expected: impl Fn(&[u8]) -> Vec<u8>) {
        let (message, lengths) = message();
        let progress = Progress::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        let scheme = Scheme { algorithm, size, shape: Shape::Sequential };
        for length in lengths {
            fs::write(file.path(), &message[..length]).unwrap();
            for (begin, ways) in [(0, &[false, true][..]), (7, &[false, true]), (4096, &[true])] {
                let part = &message[begin..length];
                let expected = expected(part);
                for &mmap in ways {
                    let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                    input.seek(SeekFrom::Start(begin as u64)).unwrap();
                    let digest = H::hash(&mut input, scheme, &Secret::default(), 3, &Buffers::default()).unwrap();
                    let case = format!("{algorithm:?} {length} {mmap} {begin}");
                    assert_eq!(digest.length, part.len() as u64, "{case}");
                    assert_eq!(input.stream_position().unwrap(), length as u64, "{case}");
                    assert_eq!(digest.hash.as_bytes(), expected, "{case}");
                }
            }
        }
    }

    fn files_by_blake2<F: Flavour>(alone: Algorithm, parallel: Algorithm) {
        trees_of_files::<F>(alone);
        let params = || Params::<F>::new().hash_length(32);
        whole_files::<Blake2<F>>(alone, 32, |part| params().hash(part).unwrap().as_bytes().to_vec());
        whole_files::<Blake2p<F>>(parallel, 32, |part| {
            params().parallel().unwrap().update(part).finalize().as_bytes().to_vec()
        });
    }

    #[test]
    fn files_by_blake2b_and_blake2bp() {
        files_by_blake2::<FlavourB>(Algorithm::Blake2b, Algorithm::Blake2bp);
    }

    #[test]
    fn files_by_blake2s_and_blake2sp() {
        files_by_blake2::<FlavourS>(Algorithm::Blake2s, Algorithm::Blake2sp);
    }

    fn files_by_sha2<V: Variant>(algorithm: Algorithm) {
        let hash = |part: &[u8]| Batch::<V>::new().hash(part).as_ref().to_vec();
        whole_files::<Sha2<V>>(algorithm, V::LENGTH, hash);
    }

    #[test]
    fn files_by_sha256_and_sha224() {
        files_by_sha2::<Variant256>(Algorithm::Sha256);
        files_by_sha2::<Variant224>(Algorithm::Sha224);
    }

    #[test]
    fn files_by_sha512() {
        files_by_sha2::<Variant512>(Algorithm::Sha512);
    }

    #[test]
    fn files_by_blake3() {
        for size in [20, 32, 100] {
            whole_files::<Blake3>(Algorithm::Blake3, size, |part| {
                let mut output = vec![0; size];
                blake3::Mode::HASH.hash_xof(part).fill(&mut output);
                output
            });
        }
    }

    /// A file cut off after it was opened gives an error, read or mapped: never a digest, nor a signal.
    fn files_that_became_shorter<H: Function>(scheme: Scheme) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let progress = Progress::default();
        for (mmap, left) in [(false, 0), (false, (9 << 20) - 1), (true, 0), (true, (9 << 20) - 1)] {
            file.as_file().set_len(9 << 20).unwrap();
            let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
            file.as_file().set_len(left).unwrap();
            let run = H::hash(&mut input, scheme, &Secret::default(), 2, &Buffers::default());
            // Reading front to back does not notice the change. The check at the end does.
            let run = run.and_then(|_| input.is_steady());
            assert!(run.unwrap_err().to_string().contains("changed"), "{scheme:?} {mmap} {left}");
        }
    }

    #[test]
    fn files_that_became_shorter_by_all_functions() {
        let scheme = |algorithm, shape| Scheme { algorithm, size: 32, shape };
        for chunk in [1000, 1 << 20] {
            files_that_became_shorter::<Blake2<FlavourB>>(scheme(Algorithm::Blake2b, Shape::Tree { chunk }));
        }
        files_that_became_shorter::<Blake2<FlavourB>>(scheme(Algorithm::Blake2b, Shape::Sequential));
        files_that_became_shorter::<Blake2p<FlavourB>>(scheme(Algorithm::Blake2bp, Shape::Sequential));
        files_that_became_shorter::<Sha2<Variant256>>(scheme(Algorithm::Sha256, Shape::Sequential));
        files_that_became_shorter::<Blake3>(scheme(Algorithm::Blake3, Shape::Sequential));
    }
}

//! Hashes one message, which is an input from its current position on, in the way that suits the input.
//!
//! A tree of a regular file of more than 1 MiB is read in any order, any other tree front to back. Leaves too long for
//! memory are hashed one after the other. A message that is no tree is read piece by piece.

use std::io::{self, Read};

use simd_digest::Backend;

use crate::input::Input;
use crate::scheme::{Scheme, Secret, Shape};
use crate::team::{Buffers, GROUP, Hashed, LeafSink, Plan, Team};
use crate::window::Pieces;
use crate::{regular, stream};
use simd_digest::blake2::{self, Flavour};

/// The length of a piece, in bytes.
const PIECE: usize = 256 << 10;

/// Hashes `input` to its end, or at most `limit` bytes of a tree; a message that is no tree has no limit. The digests
/// of the leaves go to `sink`.
pub(crate) fn hash<F: Flavour>(
    input: &mut Input<'_>,
    limit: u64,
    scheme: Scheme,
    secret: &Secret,
    threads: usize,
    buffers: &Buffers,
    sink: LeafSink<'_, F>,
) -> io::Result<Hashed<F>> {
    let Some(tree) = scheme.tree(secret) else { return whole(input, scheme, secret) };
    let plan = Plan::new(tree.leaf_length(), blake2::lanes::<F>(Backend::best()), threads);
    let Some(group) = plan.group else { return stream::leaf_by_leaf(input.take(limit), &tree, sink) };
    match input.rest(limit)?.filter(|rest| rest.end - rest.start > GROUP as u64) {
        Some(rest) => regular::hash(input, rest, &Team { tree: &tree, threads, group, buffers }, sink),
        None => {
            let team = Team { tree: &tree, threads: plan.threads, group, buffers };
            stream::in_groups(input.take(limit), &team, sink)
        }
    }
}

/// Hashes an input to its end, as no tree.
fn whole<F: Flavour>(input: &mut Input<'_>, scheme: Scheme, secret: &Secret) -> io::Result<Hashed<F>> {
    let params = scheme.only_leaf(secret);
    if scheme.shape == Shape::Parallel {
        let mut hasher = params.parallel().map_err(io::Error::other)?;
        let length = in_pieces(input, |piece| _ = hasher.update(piece))?;
        return Ok(Hashed { hash: hasher.finalize(), length });
    }
    let mut hasher = params.hasher().map_err(io::Error::other)?;
    let length = in_pieces(input, |piece| _ = hasher.update(piece))?;
    Ok(Hashed { hash: hasher.finalize(), length })
}

/// Gives the rest of the input to `update`, piece by piece, and returns its length.
fn in_pieces(input: &mut Input<'_>, mut update: impl FnMut(&[u8])) -> io::Result<u64> {
    let (mut pieces, mut buffer) = (Pieces::default(), vec![0; PIECE]);
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

    use simd_digest::blake2::{Hash, Params};
    use simd_digest::blake2b::FlavourB;
    use simd_digest::blake2s::FlavourS;

    use super::*;
    use crate::input::Source;
    use crate::progress::Progress;

    /// Hashes a regular file in all ways: from its beginning or later, whole or up to a limit, read or mapped; as a
    /// tree of small leaves, of long leaves and leaf by leaf, and as no tree.
    fn files_by_all_shapes<F: Flavour>() {
        let message: Vec<u8> = (0..=250).cycle().take((12 << 20) + 1).collect();
        let (secret, progress) = (Secret::default(), Progress::default());
        let file = tempfile::NamedTempFile::new().unwrap();
        let chunks = [1000, 300_000, 5 << 20, (12 << 20) / 8 + 1, u32::MAX];
        let shapes = chunks.map(|chunk| Shape::Tree { chunk }).into_iter().chain([Shape::Sequential, Shape::Parallel]);
        for (shape, length) in
            shapes.flat_map(|shape| [1 << 20, (1 << 20) + 1, (12 << 20) + 1].map(|length| (shape, length)))
        {
            fs::write(file.path(), &message[..length]).unwrap();
            let scheme = Scheme { size: 32, shape };
            for (mmap, threads, begin, cut) in
                [(false, 1, 0, 0), (false, 3, 7, 9), (true, 1, 0, 0), (true, 3, 7, 9), (true, 2, 4096, 0)]
            {
                let end = if shape.is_tree() { length - cut } else { length };
                let limit = if end == length { u64::MAX } else { (end - begin) as u64 };
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                input.seek(SeekFrom::Start(begin as u64)).unwrap();
                let mut leaves = Vec::new();
                let mut sink = |leaf: &Hash<F>| {
                    leaves.push(*leaf);
                    Ok(())
                };
                let digest = hash(&mut input, limit, scheme, &secret, threads, &Buffers::default(), &mut sink).unwrap();
                let part = &message[begin..end];
                let case = format!("{shape:?} {length} {mmap} {threads} {begin}");
                assert_eq!(digest.length, part.len() as u64, "{case}");
                assert_eq!(input.stream_position().unwrap(), end as u64, "{case}");
                match scheme.tree::<F>(&secret) {
                    Some(tree) => {
                        assert_eq!(digest.hash, tree.hash(part), "{case}");
                        assert_eq!(leaves, tree.hash_run(0, part, true).unwrap(), "{case}");
                    }
                    None if shape == Shape::Parallel => {
                        let mut hasher = Params::<F>::new().hash_length(32).parallel().unwrap();
                        assert_eq!(digest.hash, hasher.update(part).finalize(), "{case}");
                    }
                    None => assert_eq!(digest.hash, Params::new().hash_length(32).hash(part).unwrap(), "{case}"),
                }
            }
        }
    }

    #[test]
    fn files_by_blake2b() {
        files_by_all_shapes::<FlavourB>();
    }

    #[test]
    fn files_by_blake2s() {
        files_by_all_shapes::<FlavourS>();
    }

    /// A file cut off after it was opened gives an error, read or mapped: never a digest, nor a signal.
    #[test]
    fn files_that_became_shorter() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let progress = Progress::default();
        for shape in [Shape::Tree { chunk: 1000 }, Shape::Tree { chunk: 1 << 20 }, Shape::Sequential, Shape::Parallel] {
            for (mmap, left) in [(false, 0), (false, (9 << 20) - 1), (true, 0), (true, (9 << 20) - 1)] {
                file.as_file().set_len(9 << 20).unwrap();
                let mut input = Source::File(file.path()).open(&progress, mmap).unwrap();
                file.as_file().set_len(left).unwrap();
                let (scheme, secret) = (Scheme { size: 32, shape }, Secret::default());
                let run =
                    hash::<FlavourB>(&mut input, u64::MAX, scheme, &secret, 2, &Buffers::default(), &mut |_| Ok(()));
                // Reading front to back does not notice the change. The check at the end does.
                let run = run.and_then(|_| input.check_unchanged());
                assert!(run.unwrap_err().to_string().contains("changed"), "{shape:?} {mmap} {left}");
            }
        }
    }
}

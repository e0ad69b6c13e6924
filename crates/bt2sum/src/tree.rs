//! A message as leaves of one length, and the way from these to its digest: trees of BLAKE2, and the tree that BLAKE3 is.
//!
//! ```text
//!   BLAKE2   a root over the digests of all leaves; a leaf has its number, and the last one a mark
//!   BLAKE3   parents of two up to the root; a leaf is a subtree of 2^n chunks, and has its chaining value (the
//!            paper, section 2) at its place in the message
//! ```
//!
//! Bytes of leaves, one after the other, are all that other modules see: they compare, store and merge them for any hash.

use std::io;

use simd_digest::Backend;
use simd_digest::blake2::{self, Flavour, Hash, Hasher, Part};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::blake3::hazmat::{
    ChainingValue, merge_subtrees_non_root, merge_subtrees_root, merge_subtrees_root_xof, subtrees,
};
use simd_digest::blake3::{CHUNK_LEN, Mode, OUT_LEN};

use crate::scheme::{Algorithm, Digest, Scheme, Secret, Shape, Span, digest};

/// A tree over a message. All leaves have one length, except that the last may be shorter; an empty message has one leaf.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "catalogues, which hash many files, are for Linux"))]
pub(crate) trait Tree: Send + Sync {
    /// The length of a leaf, in bytes.
    fn leaf_length(&self) -> u32;

    /// The length of the value of a leaf, in bytes.
    fn size(&self) -> usize;

    /// The number of leaves that are hashed side by side.
    fn lanes(&self) -> usize;

    /// The digests of messages of at most one leaf each, which are hashed side by side.
    fn of_only_leaves(&self, messages: &[&[u8]]) -> Vec<Digest>;

    /// The values of the leaves in `bytes`, which are numbered from `first`. Only the last leaf of a message of several
    /// leaves may be shorter.
    fn leaves(&self, first: u64, bytes: &[u8], part: Part) -> io::Result<Vec<u8>>;

    /// The values of all leaves of each message.
    fn leaves_of_each(&self, messages: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        messages.iter().map(|message| self.leaves(0, message, Part::Last)).collect()
    }

    /// The digest of the message whose leaves have these values.
    fn root(&self, leaves: &[u8]) -> io::Result<Digest>;

    /// The number of leaves of a message of `length` bytes.
    fn leaf_count(&self, length: u64) -> u64 {
        length.div_ceil(self.leaf_length().into()).max(1)
    }
}

/// The tree of a scheme, unless it has none.
pub(crate) fn tree(scheme: Scheme, secret: &Secret) -> Option<Box<dyn Tree + '_>> {
    match scheme.algorithm {
        Algorithm::Blake2b => Some(Box::new(Blake2::<FlavourB>::new(scheme, secret)?)),
        Algorithm::Blake2s => Some(Box::new(Blake2::<FlavourS>::new(scheme, secret)?)),
        Algorithm::Blake3 => Some(Box::new(Blake3::new(scheme, secret)?)),
        _ => None,
    }
}

/// A tree of BLAKE2b or BLAKE2s.
struct Blake2<'a, F: Flavour> {
    scheme: Scheme,
    secret: &'a Secret,
    tree: blake2::Tree<F>,
}

impl<'a, F: Flavour> Blake2<'a, F> {
    fn new(scheme: Scheme, secret: &'a Secret) -> Option<Self> {
        Some(Self { scheme, secret, tree: scheme.tree(secret)? })
    }
}

impl<F: Flavour> Tree for Blake2<'_, F> {
    fn leaf_length(&self) -> u32 {
        self.tree.leaf_length()
    }

    fn size(&self) -> usize {
        self.scheme.size
    }

    fn lanes(&self) -> usize {
        blake2::lanes::<F>(Backend::best())
    }

    fn of_only_leaves(&self, messages: &[&[u8]]) -> Vec<Digest> {
        self.scheme.hash_many::<F>(self.secret, messages).iter().map(digest).collect()
    }

    fn leaves(&self, first: u64, bytes: &[u8], part: Part) -> io::Result<Vec<u8>> {
        Ok(side_by_side(&self.tree.hash_run(first, bytes, part).map_err(io::Error::other)?))
    }

    /// The leaves of all messages are hashed side by side.
    fn leaves_of_each(&self, messages: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        let chunk = self.leaf_length() as usize;
        let (mut hashers, mut leaves) = (Vec::new(), Vec::new());
        for message in messages {
            let count = message.len().div_ceil(chunk);
            for (i, leaf) in message.chunks(chunk).enumerate() {
                hashers.push(self.tree.leaf(i as u64, Part::last_if(i + 1 == count)).map_err(io::Error::other)?);
                leaves.push(leaf);
            }
        }
        blake2::update_many(&mut hashers.iter_mut().zip(leaves).collect::<Vec<_>>());
        let hashes: Vec<Hash<F>> = hashers.iter().map(Hasher::finalize).collect();
        let mut rest = &hashes[..];
        let own = messages.iter().map(|message| {
            let (own, others) = rest.split_at(message.len().div_ceil(chunk));
            rest = others;
            side_by_side(own)
        });
        Ok(own.collect())
    }

    fn root(&self, leaves: &[u8]) -> io::Result<Digest> {
        let hashes = leaves.chunks(self.scheme.size).map(|leaf| Hash::from_bytes(leaf).map_err(io::Error::other));
        let hashes: Vec<Hash<F>> = hashes.collect::<io::Result<_>>()?;
        Ok(digest(self.tree.root_from_leaves(hashes).map_err(io::Error::other)?))
    }
}

/// The bytes of these digests.
fn side_by_side<F: Flavour>(hashes: &[Hash<F>]) -> Vec<u8> {
    hashes.iter().flat_map(Hash::as_bytes).copied().collect()
}

/// BLAKE3, whose leaves are subtrees of a power of two of chunks.
struct Blake3 {
    mode: Mode,
    span: Span,
    leaf_length: u32,
}

impl Blake3 {
    fn new(scheme: Scheme, secret: &Secret) -> Option<Self> {
        let Shape::Tree { chunk: leaf_length } = scheme.shape else { return None };
        let can_be = scheme.size == OUT_LEN && scheme.algorithm.takes_leaf(leaf_length);
        can_be.then(|| Self { mode: secret.mode(), span: secret.span(OUT_LEN), leaf_length })
    }
}

impl Tree for Blake3 {
    fn leaf_length(&self) -> u32 {
        self.leaf_length
    }

    fn size(&self) -> usize {
        OUT_LEN
    }

    /// The chunks of one leaf fill all lanes.
    fn lanes(&self) -> usize {
        1
    }

    fn of_only_leaves(&self, messages: &[&[u8]]) -> Vec<Digest> {
        self.mode.hash_many(messages).iter().map(|hash| digest(hash.as_bytes())).collect()
    }

    fn leaves(&self, first: u64, bytes: &[u8], _: Part) -> io::Result<Vec<u8>> {
        let length = self.leaf_length as usize;
        let offset = first.checked_mul(length as u64).ok_or(io::ErrorKind::InvalidInput)?;
        let mut values = vec![[0; OUT_LEN]; bytes.len().div_ceil(length)];
        subtrees(bytes, offset, (length / CHUNK_LEN).ilog2(), &self.mode, &mut values).map_err(io::Error::other)?;
        Ok(values.into_flattened())
    }

    fn root(&self, leaves: &[u8]) -> io::Result<Digest> {
        let mut stack = Stack::default();
        let (values, rest) = leaves.as_chunks();
        values.iter().for_each(|value| stack.push(*value, &self.mode));
        let root = stack.root(&self.mode, self.span).filter(|_| rest.is_empty());
        root.ok_or_else(|| io::Error::other("no leaves of a message"))
    }
}

/// Subtrees of BLAKE3 side by side that are not merged yet, each larger than the next one except the last two.
#[derive(Default)]
pub(crate) struct Stack {
    values: Vec<ChainingValue>,
    /// The number of subtrees pushed.
    count: u64,
}

impl Stack {
    /// Appends a subtree, and first merges those before it, which are not the root if it follows. All subtrees have
    /// one length, which is a power of two, except that the last may be shorter.
    pub(crate) fn push(&mut self, value: ChainingValue, mode: &Mode) {
        // Whole subtrees are merged as a binary counter carries: a bit of the count stands for each that is left.
        while self.values.len() > self.count.count_ones() as usize
            && let [.., left, right] = self.values[..]
        {
            self.values.truncate(self.values.len() - 2);
            self.values.push(merge_subtrees_non_root(&left, &right, mode));
        }
        self.values.push(value);
        self.count += 1;
    }

    /// The digest over all subtrees, at least two.
    pub(crate) fn root(mut self, mode: &Mode, span: Span) -> Option<Digest> {
        let mut right = self.values.pop()?;
        let first = (!self.values.is_empty()).then(|| self.values.remove(0))?;
        while let Some(left) = self.values.pop() {
            right = merge_subtrees_non_root(&left, &right, mode);
        }
        Some(match span.within_hash() {
            Some(size) => digest(&merge_subtrees_root(&first, &right, mode).as_bytes()[..size]),
            None => span.read(merge_subtrees_root_xof(&first, &right, mode)),
        })
    }
}

#[cfg(test)]
mod tests {
    use simd_digest::blake3::{Hasher, hazmat::HasherExt};
    use zeroize::Zeroizing;

    use super::*;
    use crate::paint::paint;

    const KEY: &[u8; 32] = b"whats the Elvish word for friend";

    fn scheme(algorithm: Algorithm, size: usize, chunk: u32) -> Scheme {
        Scheme { algorithm, size, shape: Shape::Tree { chunk } }
    }

    /// Secrets without a key and with one.
    fn secrets() -> [Secret; 2] {
        [Secret::default(), Secret::new(Zeroizing::new(KEY.to_vec()))]
    }

    /// Lengths at the borders of blocks, chunks and leaves, and of what is merged.
    fn lengths(leaf: usize) -> Vec<usize> {
        let borders = [64, 1024, 2048].into_iter().chain([1, 2, 3, 4, 7, 8, 9, 16].map(|count| count * leaf));
        let mut lengths: Vec<usize> = [0, 1].into_iter().chain(borders.flat_map(|at| [at - 1, at, at + 1])).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// The leaves of a message, taken in runs of so many.
    fn in_runs(tree: &dyn Tree, message: &[u8], run: usize) -> Vec<u8> {
        let parts: Vec<&[u8]> = message.chunks(run * tree.leaf_length() as usize).collect();
        let is_last = |i| Part::last_if(i + 1 == parts.len());
        let leaves = parts.iter().enumerate().map(|(i, part)| tree.leaves((i * run) as u64, part, is_last(i)).unwrap());
        leaves.collect::<Vec<_>>().concat()
    }

    /// The digest of a message by its leaves is that of the message, however its leaves are taken.
    fn digests_by_leaves(scheme: Scheme, secret: &Secret, leaf: usize, expected: impl Fn(&[u8]) -> Digest) {
        let tree = tree(scheme, secret).unwrap();
        let whole = paint(16 * leaf + 2049);
        for length in lengths(leaf) {
            let message = &whole[..length];
            let case = format!("{scheme:?} {length}");
            let count = length.div_ceil(leaf).max(1);
            assert_eq!(tree.leaf_count(length as u64), count as u64, "{case}");
            if count == 1 {
                assert_eq!(tree.of_only_leaves(&[message, b"x"])[0], expected(message), "{case}");
                continue;
            }
            let leaves = in_runs(&*tree, message, 1);
            assert_eq!(leaves.len(), count * tree.size(), "{case}");
            assert_eq!(tree.root(&leaves).unwrap(), expected(message), "{case}");
            for run in [2, 3, 16, 17] {
                assert!(in_runs(&*tree, message, run) == leaves, "{case} {run}");
            }
            let each = tree.leaves_of_each(&[message, &whole[..leaf + 1], message]).unwrap();
            assert!(each[0] == leaves && each[1] == tree.leaves(0, &whole[..leaf + 1], Part::Last).unwrap(), "{case}");
            assert!(each[2] == leaves, "{case}");
            for changed in [0, count / 2, count - 1] {
                let mut other = leaves.clone();
                other[changed * tree.size()] ^= 1;
                assert_ne!(tree.root(&other).unwrap(), expected(message), "{case} {changed}");
            }
        }
    }

    #[test]
    fn digests_of_blake2() {
        for secret in secrets() {
            for (algorithm, size, leaf) in [(Algorithm::Blake2b, 64, 1000), (Algorithm::Blake2s, 20, 300)] {
                let scheme = scheme(algorithm, size, leaf);
                digests_by_leaves(scheme, &secret, leaf as usize, |message| match algorithm {
                    Algorithm::Blake2b => digest(scheme.tree::<FlavourB>(&secret).unwrap().hash(message)),
                    _ => digest(scheme.tree::<FlavourS>(&secret).unwrap().hash(message)),
                });
            }
        }
    }

    #[test]
    fn digests_of_blake3() {
        for secret in secrets() {
            for leaf in [1024, 2048, 16 << 10] {
                let expected = |message: &[u8]| digest(secret.mode().hash(message).as_bytes());
                digests_by_leaves(scheme(Algorithm::Blake3, 32, leaf), &secret, leaf as usize, expected);
            }
        }
    }

    /// The vectors of the BLAKE3 team, with each length of a leaf that makes several.
    #[test]
    fn published_digests_of_blake3() {
        let vectors = include_str!("../../../tests/data/blake3/test_vectors.json");
        let vectors: serde_json::Value = serde_json::from_str(vectors).unwrap();
        assert_eq!(vectors["key"].as_str().unwrap().as_bytes(), KEY);
        for (secret, field) in secrets().iter().zip(["hash", "keyed_hash"]) {
            for case in vectors["cases"].as_array().unwrap() {
                let message = paint(usize::try_from(case["input_len"].as_u64().unwrap()).unwrap());
                let expected: Digest = case[field].as_str().unwrap()[..64].parse().unwrap();
                for leaf in (10..27).map(|exponent| 1 << exponent) {
                    let tree = tree(scheme(Algorithm::Blake3, 32, leaf), secret).unwrap();
                    let found = if message.len() <= leaf as usize {
                        tree.of_only_leaves(&[&message]).remove(0)
                    } else {
                        tree.root(&tree.leaves(0, &message, Part::Last).unwrap()).unwrap()
                    };
                    assert_eq!(found, expected, "{field} {} {leaf}", message.len());
                }
            }
        }
    }

    /// A leaf is the subtree of its chunks at its place, also far behind the beginning.
    #[test]
    fn leaves_of_blake3_know_their_place() {
        let message = paint(5000);
        for (secret, mut hasher) in secrets().iter().zip([Hasher::new(), Hasher::new_keyed(KEY)]) {
            let tree = tree(scheme(Algorithm::Blake3, 32, 4096), secret).unwrap();
            for first in [0, 1, 7, 1 << 20, (1 << 52) - 2] {
                let leaves = tree.leaves(first, &message, Part::Last).unwrap();
                for (i, part) in message.chunks(4096).enumerate() {
                    hasher.reset();
                    hasher.set_input_offset((first + i as u64) * 4096).unwrap().update(part);
                    assert_eq!(leaves[32 * i..][..32], hasher.finalize_non_root().unwrap(), "{first} {i}");
                }
            }
            assert!(tree.leaves(1 << 52, &message, Part::Last).is_err());
        }
    }

    /// Trees that no catalogue has, and roots of too little.
    #[test]
    fn no_trees() {
        let secret = Secret::default();
        for (algorithm, size, chunk) in [
            (Algorithm::Blake3, 31, 1024),
            (Algorithm::Blake3, 64, 1024),
            (Algorithm::Blake3, 32, 0),
            (Algorithm::Blake3, 32, 512),
            (Algorithm::Blake3, 32, 1000),
            (Algorithm::Blake3, 32, 3072),
            (Algorithm::Blake3, 32, 128 << 20),
            (Algorithm::Sha256, 32, 1024),
            (Algorithm::Blake2bp, 32, 1024),
        ] {
            assert!(tree(scheme(algorithm, size, chunk), &secret).is_none(), "{algorithm:?} {size} {chunk}");
        }
        let whole = Scheme { algorithm: Algorithm::Blake3, size: 32, shape: Shape::Sequential };
        assert!(tree(whole, &secret).is_none());
        let tree = tree(scheme(Algorithm::Blake3, 32, 1024), &secret).unwrap();
        for leaves in [&[][..], &[1; 32], &[1; 65]] {
            assert!(tree.root(leaves).is_err(), "{}", leaves.len());
        }
        assert!(tree.leaves(0, b"", Part::Last).is_err());
    }

    /// The left subtree has the most leaves that leave one for the right: merged from the top, as the paper has it.
    fn merged(leaves: &[ChainingValue], mode: &Mode) -> ChainingValue {
        if let [leaf] = leaves {
            return *leaf;
        }
        let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
        merge_subtrees_non_root(&merged(left, mode), &merged(right, mode), mode)
    }

    /// Numbers of leaves as of files of terabytes take no more than a few values.
    #[test]
    fn roots_over_many_leaves() {
        let mode = Mode::keyed(KEY);
        let values: Vec<ChainingValue> = (0..4099_u32).map(|i| mode.hash(&i.to_le_bytes()).into()).collect();
        let mut stack = Stack::default();
        for (i, value) in values.iter().enumerate() {
            stack.push(*value, &mode);
            assert!(stack.values.len() <= 14, "{i}");
        }
        for count in (2..70).chain([127, 128, 129, 1000, 4095, 4096, 4097, 4099]) {
            let values = &values[..count];
            let mut stack = Stack::default();
            values.iter().for_each(|value| stack.push(*value, &mode));
            let (left, right) = values.split_at(1 << (count - 1).ilog2());
            let expected = merge_subtrees_root(&merged(left, &mode), &merged(right, &mode), &mode);
            let span = Secret::default().span(32);
            assert_eq!(stack.root(&mode, span).unwrap(), digest(expected.as_bytes()), "{count}");
        }
    }
}

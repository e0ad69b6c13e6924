//! The questions that the program has for a hash function, and the functions that it knows.

use core::marker::PhantomData;
use std::io;

use simd_digest::Backend;
use simd_digest::blake2::{self, Flavour, Parallel};
use simd_digest::blake3;
use simd_digest::sha2::{self, Variant};

use crate::buffers::Buffers;
use crate::input::Input;
use crate::scheme::{Digest, Scheme, Secret, Span, digest};
use crate::team::Hashed;
use crate::{message, subtrees};

/// A hash function, which hashes messages side by side and piece by piece. The methods about trees have defaults for
/// functions that make none.
pub(crate) trait Function {
    /// A message that comes piece by piece, and is hashed as a whole.
    type Hasher;

    /// Whether long files are hashed in the lanes of one core, a file in each lane. Otherwise each file gets all cores.
    fn long_in_lanes(scheme: Scheme) -> bool {
        !scheme.shape.is_tree()
    }

    /// The number of messages that `backend` hashes side by side.
    fn lanes(backend: Backend) -> usize;

    /// A hasher for a message of this scheme, which is no tree.
    fn hasher(scheme: Scheme, secret: &Secret) -> Self::Hasher;

    fn update(hasher: &mut Self::Hasher, piece: &[u8]);

    /// Appends to each message its piece, side by side.
    fn update_many(updates: &mut [(&mut Self::Hasher, &[u8])]);

    fn finalize(hasher: &Self::Hasher) -> Digest;

    /// Hashes messages that are in memory, side by side.
    fn hash_many(scheme: Scheme, secret: &Secret, messages: &[&[u8]]) -> Vec<Digest>;

    /// Hashes an input to its end as a whole.
    fn hash_whole(input: &mut Input<'_>, scheme: Scheme, secret: &Secret) -> io::Result<Hashed<Digest>> {
        let mut hasher = Self::hasher(scheme, secret);
        let length = message::in_pieces(input, |piece| Self::update(&mut hasher, piece))?;
        Ok(Hashed { hash: Self::finalize(&hasher), length })
    }

    /// Hashes an input to its end. The threads and buffers are for trees.
    fn hash(
        input: &mut Input<'_>,
        scheme: Scheme,
        secret: &Secret,
        _threads: usize,
        _buffers: &Buffers,
    ) -> io::Result<Hashed<Digest>> {
        Self::hash_whole(input, scheme, secret)
    }

    /// The digest of a tree without leaves, if the scheme is a tree.
    fn no_leaf(_scheme: Scheme, _secret: &Secret) -> Option<Digest> {
        None
    }
}

/// BLAKE2b or BLAKE2s, over a message as a whole or as a tree.
pub(crate) struct Blake2<F>(PhantomData<F>);

/// BLAKE2bp or BLAKE2sp. A message is hashed in lanes of its own, so several are hashed one after the other.
pub(crate) struct Blake2p<F>(PhantomData<F>);

/// SHA-256, SHA-224, SHA-512 or SHA-384.
pub(crate) struct Sha2<V>(PhantomData<V>);

/// BLAKE3.
pub(crate) struct Blake3;

impl<F: Flavour> Function for Blake2<F> {
    type Hasher = blake2::Hasher<F>;

    fn lanes(backend: Backend) -> usize {
        blake2::lanes::<F>(backend)
    }

    fn hasher(scheme: Scheme, secret: &Secret) -> Self::Hasher {
        scheme.hasher(secret)
    }

    fn update(hasher: &mut Self::Hasher, piece: &[u8]) {
        hasher.update(piece);
    }

    fn update_many(updates: &mut [(&mut Self::Hasher, &[u8])]) {
        blake2::update_many(updates);
    }

    fn finalize(hasher: &Self::Hasher) -> Digest {
        digest(hasher.finalize())
    }

    /// Trees of one leaf are hashed side by side, those of several leaves one after the other.
    fn hash_many(scheme: Scheme, secret: &Secret, messages: &[&[u8]]) -> Vec<Digest> {
        let Some(tree) = scheme.tree::<F>(secret) else {
            return scheme.hash_many::<F>(secret, messages).iter().map(digest).collect();
        };
        let is_leaf = |message: &[u8]| message.len() as u64 <= tree.leaf_length().into();
        let leaves: Vec<&[u8]> = messages.iter().copied().filter(|message| is_leaf(message)).collect();
        let mut of_leaves = scheme.hash_many::<F>(secret, &leaves).into_iter();
        let mut of_leaf = || of_leaves.next().expect("each leaf has a digest");
        messages.iter().map(|message| digest(if is_leaf(message) { of_leaf() } else { tree.hash(message) })).collect()
    }

    fn hash(
        input: &mut Input<'_>,
        scheme: Scheme,
        secret: &Secret,
        threads: usize,
        buffers: &Buffers,
    ) -> io::Result<Hashed<Digest>> {
        let Some(tree) = scheme.tree::<F>(secret) else { return Self::hash_whole(input, scheme, secret) };
        let Hashed { hash, length } = message::tree(input, u64::MAX, &tree, threads, buffers, &mut |_| Ok(()))?;
        Ok(Hashed { hash: digest(hash), length })
    }

    fn no_leaf(scheme: Scheme, secret: &Secret) -> Option<Digest> {
        scheme.shape.is_tree().then(|| digest(scheme.no_leaf::<F>(secret)))
    }
}

impl<F: Flavour> Function for Blake2p<F> {
    type Hasher = Parallel<F>;

    fn lanes(_: Backend) -> usize {
        1
    }

    fn hasher(scheme: Scheme, secret: &Secret) -> Self::Hasher {
        scheme.parallel(secret)
    }

    fn update(hasher: &mut Self::Hasher, piece: &[u8]) {
        hasher.update(piece);
    }

    fn update_many(updates: &mut [(&mut Self::Hasher, &[u8])]) {
        for (hasher, piece) in updates {
            hasher.update(piece);
        }
    }

    fn finalize(hasher: &Self::Hasher) -> Digest {
        digest(hasher.finalize())
    }

    fn hash_many(scheme: Scheme, secret: &Secret, messages: &[&[u8]]) -> Vec<Digest> {
        let hasher = scheme.parallel::<F>(secret);
        messages.iter().map(|message| digest(hasher.clone().update(message).finalize())).collect()
    }
}

impl<V: Variant> Function for Sha2<V> {
    type Hasher = sha2::Hasher<V>;

    fn lanes(backend: Backend) -> usize {
        sha2::lanes::<V>(backend)
    }

    fn hasher(_: Scheme, secret: &Secret) -> Self::Hasher {
        secret.refuse();
        sha2::Hasher::new()
    }

    fn update(hasher: &mut Self::Hasher, piece: &[u8]) {
        hasher.update(piece);
    }

    fn update_many(updates: &mut [(&mut Self::Hasher, &[u8])]) {
        sha2::update_many(updates);
    }

    fn finalize(hasher: &Self::Hasher) -> Digest {
        digest(hasher.finalize())
    }

    fn hash_many(_: Scheme, secret: &Secret, messages: &[&[u8]]) -> Vec<Digest> {
        secret.refuse();
        sha2::Batch::<V>::new().hash_many(messages).iter().map(digest).collect()
    }
}

impl Function for Blake3 {
    /// The hasher, and the part of its output that is the digest.
    type Hasher = (blake3::Hasher, Span);

    /// The subtrees of a file fill all lanes of all cores.
    fn long_in_lanes(_: Scheme) -> bool {
        false
    }

    fn lanes(backend: Backend) -> usize {
        blake3::lanes(backend)
    }

    fn hasher(scheme: Scheme, secret: &Secret) -> Self::Hasher {
        (secret.mode().hasher(), secret.span(scheme.size))
    }

    fn update((hasher, _): &mut Self::Hasher, piece: &[u8]) {
        hasher.update(piece);
    }

    fn update_many(updates: &mut [(&mut Self::Hasher, &[u8])]) {
        let mut updates: Vec<_> = updates.iter_mut().map(|((hasher, _), piece)| (hasher, *piece)).collect();
        blake3::update_many(&mut updates);
    }

    fn finalize((hasher, span): &Self::Hasher) -> Digest {
        span.read(hasher.finalize_xof())
    }

    fn hash_many(scheme: Scheme, secret: &Secret, messages: &[&[u8]]) -> Vec<Digest> {
        let (mode, span) = (secret.mode(), secret.span(scheme.size));
        let Some(size) = span.within_hash() else {
            return messages.iter().map(|message| span.read(mode.hash_xof(message))).collect();
        };
        mode.hash_many(messages).iter().map(|hash| digest(&hash.as_bytes()[..size])).collect()
    }

    fn hash(
        input: &mut Input<'_>,
        scheme: Scheme,
        secret: &Secret,
        threads: usize,
        buffers: &Buffers,
    ) -> io::Result<Hashed<Digest>> {
        subtrees::hash(input, &secret.mode(), secret.span(scheme.size), threads, buffers)
    }
}

//! Parts of the tree. Misuse panics, as in `blake3`.

pub use simd_digest::blake3::hazmat::ChainingValue;
use simd_digest::blake3::hazmat::{self as ours_hazmat, HasherExt as _};

use crate::{CHUNK_LEN, Hash, Hasher, KEY_LEN, OutputReader, ours};

/// The key that a context stands for. [`hash_derive_key_context`] alone gives such a key.
pub type ContextKey = [u8; KEY_LEN];

/// Methods of a [`Hasher`] for a part of a message.
pub trait HasherExt {
    /// A hasher to derive a key, for the context that [`hash_derive_key_context`] has hashed.
    fn new_from_context_key(context_key: &ContextKey) -> Self;

    /// Makes the bytes to come those from `offset` on of a larger message.
    ///
    /// # Panics
    ///
    /// If `offset` is no multiple of a chunk, or the hasher has bytes already.
    fn set_input_offset(&mut self, offset: u64) -> &mut Self;

    /// The chaining value of the bytes so far.
    ///
    /// # Panics
    ///
    /// If there are none.
    fn finalize_non_root(&self) -> ChainingValue;
}

impl HasherExt for Hasher {
    fn new_from_context_key(context_key: &ContextKey) -> Self {
        Self::of(ours::Mode::from_context_key(context_key).hasher())
    }

    fn set_input_offset(&mut self, offset: u64) -> &mut Self {
        self.hasher.set_input_offset(offset).unwrap_or_else(|error| panic!("{error}"));
        self.offset = offset;
        self
    }

    fn finalize_non_root(&self) -> ChainingValue {
        self.hasher.finalize_non_root().unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Bytes at most of a subtree that begins at `input_offset`, or none if there is no limit.
///
/// # Panics
///
/// If `input_offset` is no multiple of a chunk.
pub fn max_subtree_len(input_offset: u64) -> Option<u64> {
    ours_hazmat::max_subtree_len(input_offset).unwrap_or_else(|error| panic!("{error}"))
}

/// Bytes of the left subtree of `input_len` bytes. A chunk or less has no subtrees: then the number means nothing, and a
/// debug build panics, as in `blake3`.
pub fn left_subtree_len(input_len: u64) -> u64 {
    debug_assert!(input_len > CHUNK_LEN as u64, "a chunk or less has no subtrees");
    ours_hazmat::left_subtree_len(input_len).unwrap_or_else(|_| input_len.div_ceil(2).next_power_of_two())
}

/// A mode: the chaining values of a tree depend on it beside the message.
#[derive(Copy, Clone, Debug)]
pub enum Mode<'a> {
    /// Plain hashing.
    Hash,
    /// Hashing with a secret key.
    KeyedHash(&'a [u8; KEY_LEN]),
    /// Key derivation, with the context hashed.
    DeriveKeyMaterial(&'a ContextKey),
}

impl Mode<'_> {
    fn ours(self) -> ours::Mode {
        match self {
            Self::Hash => ours::Mode::HASH,
            Self::KeyedHash(key) => ours::Mode::keyed(key),
            Self::DeriveKeyMaterial(key) => ours::Mode::from_context_key(key),
        }
    }
}

/// The chaining value of the parent of two subtrees, which is not the root.
pub fn merge_subtrees_non_root(
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> ChainingValue {
    ours_hazmat::merge_subtrees_non_root(left_child, right_child, &mode.ours())
}

/// The digest of the message of which these are the two subtrees.
pub fn merge_subtrees_root(left_child: &ChainingValue, right_child: &ChainingValue, mode: Mode<'_>) -> Hash {
    Hash::of(ours_hazmat::merge_subtrees_root(left_child, right_child, &mode.ours()))
}

/// As [`merge_subtrees_root`], to any length.
pub fn merge_subtrees_root_xof(
    left_child: &ChainingValue,
    right_child: &ChainingValue,
    mode: Mode<'_>,
) -> OutputReader {
    OutputReader::of(ours_hazmat::merge_subtrees_root_xof(left_child, right_child, &mode.ours()))
}

/// The key that `context` stands for.
pub fn hash_derive_key_context(context: &str) -> ContextKey {
    ours_hazmat::hash_derive_key_context(context)
}

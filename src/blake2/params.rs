//! The parameter block (BLAKE2 paper, section 2.5 and 2.10), every field, validated.

use core::fmt;
use core::ops::RangeInclusive;

use digest::InvalidLength;

use super::hasher::one_shot;
use super::{Family, Hash, Hasher, quarter};
use crate::backend::Backend;
use crate::buffer::{Block, copy_words, wipe};
use crate::kernel::blake2::Last;

/// Everything that can be set about a BLAKE2 hash: digest length, key, salt, personalisation, and the node's place in
/// a tree.
///
/// Setters accept anything; what turns the parameters into a hash, [`hash`](Self::hash) and [`hasher`](Self::hasher),
/// returns an error that names the field out of range and its limits. Lengths are in bytes, and `W` below is 8 for
/// BLAKE2b, 4 for BLAKE2s.
///
/// ```
/// use simd_digest::blake2b::Params;
///
/// let tag = Params::new().hash_length(32).key(b"a key").personal(b"my application").hash(b"message")?;
/// assert_eq!(tag.as_bytes().len(), 32);
///
/// let error = Params::new().hash_length(65).hash(b"message").unwrap_err();
/// assert_eq!(error.to_string(), "hash_length is 65, but must be 1 to 64");
/// # Ok::<(), simd_digest::blake2b::ParamsError>(())
/// ```
#[derive(Clone)]
pub struct Params<F: Family> {
    hash_length: usize,
    key: Field<F::Words>,
    salt: Field<F::Words>,
    personal: Field<F::Words>,
    fanout: u8,
    max_depth: u8,
    max_leaf_length: u32,
    node_offset: u64,
    node_depth: u8,
    inner_hash_length: usize,
    last_node: bool,
    backend: Option<Backend>,
}

/// Bytes of a limited number, zeros after them, and how many were given, which may be too many.
#[derive(Clone, Copy)]
struct Field<Words> {
    bytes: Words,
    length: usize,
}

impl<Words: Block> Field<Words> {
    const EMPTY: Self = Self { bytes: Words::ZERO, length: 0 };

    fn new(bytes: &[u8]) -> Self {
        let mut field = Self { bytes: Words::ZERO, length: bytes.len() };
        let kept = bytes.len().min(Words::LENGTH);
        field.bytes.bytes_mut()[..kept].copy_from_slice(&bytes[..kept]);
        field
    }
}

impl<F: Family> Params<F> {
    /// The sequential, unkeyed hash of `8 W` bytes: fanout and maximal depth 1, all else 0 or empty.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            hash_length: F::Words::LENGTH,
            key: Field::EMPTY,
            salt: Field::EMPTY,
            personal: Field::EMPTY,
            fanout: 1,
            max_depth: 1,
            max_leaf_length: 0,
            node_offset: 0,
            node_depth: 0,
            inner_hash_length: 0,
            last_node: false,
            backend: None,
        }
    }

    /// Bytes of the digest, 1 to `8 W`. Digests of different lengths are unrelated.
    #[must_use]
    pub fn hash_length(mut self, length: usize) -> Self {
        self.hash_length = length;
        self
    }

    /// The secret that makes the hash a MAC, at most `8 W` bytes. An empty key is no key.
    #[must_use]
    pub fn key(mut self, key: &[u8]) -> Self {
        self.key = Field::new(key);
        self
    }

    /// At most `2 W` bytes, filled up with zeros.
    #[must_use]
    pub fn salt(mut self, salt: &[u8]) -> Self {
        self.salt = Field::new(salt);
        self
    }

    /// What separates one application's digests from another's: at most `2 W` bytes, filled up with zeros.
    #[must_use]
    pub fn personal(mut self, personal: &[u8]) -> Self {
        self.personal = Field::new(personal);
        self
    }

    /// Children of each node of the tree; 0 is unlimited, 1 is sequential hashing.
    #[must_use]
    pub fn fanout(mut self, fanout: u8) -> Self {
        self.fanout = fanout;
        self
    }

    /// Levels of the tree; 255 is unlimited, 1 is sequential hashing, 0 is used by BLAKE2X alone.
    #[must_use]
    pub fn max_depth(mut self, depth: u8) -> Self {
        self.max_depth = depth;
        self
    }

    /// Message bytes of each leaf of the tree; 0 is unlimited.
    #[must_use]
    pub fn max_leaf_length(mut self, length: u32) -> Self {
        self.max_leaf_length = length;
        self
    }

    /// The number of this node among those of its depth, from 0. BLAKE2s has 48 bits for it.
    #[must_use]
    pub fn node_offset(mut self, offset: u64) -> Self {
        self.node_offset = offset;
        self
    }

    /// The distance of this node from the leaves, which have 0.
    #[must_use]
    pub fn node_depth(mut self, depth: u8) -> Self {
        self.node_depth = depth;
        self
    }

    /// Bytes of the digests between the nodes of the tree, at most `8 W`; 0 in sequential hashing.
    #[must_use]
    pub fn inner_hash_length(mut self, length: usize) -> Self {
        self.inner_hash_length = length;
        self
    }

    /// Whether this node is the last of its depth. It is not in the parameter block, but a flag of the last block.
    #[must_use]
    pub fn last_node(mut self, last: bool) -> Self {
        self.last_node = last;
        self
    }

    /// Computes on `backend` instead of [`Backend::best`].
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::best)
    }

    /// The digest of `message`, without a hasher in between.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn hash(&self, message: &[u8]) -> Result<Hash<F>, ParamsError> {
        Ok(one_shot(&self.start()?, self.backend(), message))
    }

    /// A hasher that has these parameters and no message yet.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn hasher(&self) -> Result<Hasher<F>, ParamsError> {
        Ok(Hasher::start(self.start()?, self.backend()))
    }

    /// The leaf length and the inner hash length.
    #[cfg(feature = "alloc")]
    pub(super) fn tree_lengths(&self) -> (u32, usize) {
        (self.max_leaf_length, self.inner_hash_length)
    }

    /// The parameters in the form a hasher starts from.
    pub(super) fn start(&self) -> Result<Start<F>, ParamsError> {
        let words = F::Words::LENGTH;
        check("hash_length", self.hash_length, 1..=words)?;
        check("key length", self.key.length, 0..=words)?;
        check("salt length", self.salt.length, 0..=quarter::<F>())?;
        check("personal length", self.personal.length, 0..=quarter::<F>())?;
        check("inner_hash_length", self.inner_hash_length, 0..=words)?;
        check_range("node_offset", self.node_offset, 0..=u64::MAX >> (64 - 8 * F::NODE_OFFSET))?;
        let offset = self.node_offset.to_le_bytes();

        let mut parameter_block = F::Words::ZERO;
        let (tree, texts) = parameter_block.bytes_mut().split_at_mut(words / 2);
        tree[0] = byte(self.hash_length);
        tree[1] = byte(self.key.length);
        tree[2] = self.fanout;
        tree[3] = self.max_depth;
        tree[4..8].copy_from_slice(&self.max_leaf_length.to_le_bytes());
        let (offset_field, depths) = tree[8..].split_at_mut(F::NODE_OFFSET);
        offset_field.copy_from_slice(&offset[..F::NODE_OFFSET]);
        depths[0] = self.node_depth;
        depths[1] = byte(self.inner_hash_length);
        let (salt, personal) = texts.split_at_mut(quarter::<F>());
        salt.copy_from_slice(&self.salt.bytes.bytes()[..quarter::<F>()]);
        personal.copy_from_slice(&self.personal.bytes.bytes()[..quarter::<F>()]);

        Ok(Start {
            parameter_block,
            key: self.key.bytes,
            keyed: self.key.length > 0,
            last: if self.last_node { Last::Node } else { Last::Block },
        })
    }
}

impl<F: Family> Default for Params<F> {
    fn default() -> Self {
        Self::new()
    }
}

/// Tells nothing, for there may be a key.
impl<F: Family> fmt::Debug for Params<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Params").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<F: Family> Drop for Params<F> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self.key.bytes.bytes_mut());
    }
}

#[cfg(feature = "zeroize")]
impl<F: Family> zeroize::ZeroizeOnDrop for Params<F> {}

/// Parameters in the form that hashing starts from.
#[derive(Clone)]
pub(super) struct Start<F: Family> {
    pub(super) parameter_block: F::Words,
    /// Zeros after it, and if there is none. Not an option, since one that is empty is moved with whatever lies there.
    pub(super) key: F::Words,
    pub(super) keyed: bool,
    /// What the last block of the message is.
    pub(super) last: Last,
}

impl<F: Family> Start<F> {
    /// Sequential hashing to `length` bytes, which must be in range, as must the key.
    #[inline]
    pub(super) fn sequential(length: usize, key: &[u8]) -> Self {
        let mut parameter_block = F::Words::ZERO;
        parameter_block.bytes_mut()[..4].copy_from_slice(&[byte(length), byte(key.len()), 1, 1]);
        let mut words = F::Words::ZERO;
        copy_words(words.bytes_mut(), key);
        Self { parameter_block, key: words, keyed: !key.is_empty(), last: Last::Block }
    }

    /// Moves to the first leaf of another tree, whose leaves have no limit.
    pub(super) fn set_tree(&mut self, fanout: u8, max_depth: u8, inner_hash_length: usize) {
        let (tree, _) = self.parameter_block.bytes_mut().split_at_mut(F::Words::LENGTH / 2);
        tree[2..].fill(0);
        [tree[2], tree[3]] = [fanout, max_depth];
        tree[8 + F::NODE_OFFSET + 1] = byte(inner_hash_length);
    }

    /// Moves to another node of the same tree. Of `offset` BLAKE2s has the lower 48 bits.
    pub(super) fn set_node(&mut self, depth: u8, offset: u64, is_last: bool) {
        let (offset_field, depths) = self.parameter_block.bytes_mut()[8..].split_at_mut(F::NODE_OFFSET);
        offset_field.copy_from_slice(&offset.to_le_bytes()[..F::NODE_OFFSET]);
        depths[0] = depth;
        self.last = if is_last { Last::Node } else { Last::Block };
    }

    /// Bytes of the digest.
    #[inline]
    pub(super) fn hash_length(&self) -> usize {
        self.parameter_block.bytes()[0].into()
    }

    /// The key filled up with zeros, which is the first block of a keyed message.
    #[inline]
    pub(super) fn key_block(&self) -> KeyBlock<F> {
        KeyBlock(self.keyed.then(|| {
            let mut block = F::Block::ZERO;
            block.bytes_mut()[..F::Words::LENGTH].copy_from_slice(self.key.bytes());
            block
        }))
    }
}

/// One block, or none, wiped after its use.
pub(super) struct KeyBlock<F: Family>(Option<F::Block>);

impl<F: Family> KeyBlock<F> {
    /// For messages that began before.
    pub(super) const NONE: Self = Self(None);

    #[inline]
    pub(super) fn as_slice(&self) -> &[F::Block] {
        self.0.as_slice()
    }
}

impl<F: Family> Drop for KeyBlock<F> {
    #[inline]
    fn drop(&mut self) {
        self.0.iter_mut().for_each(wipe);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Family> Drop for Start<F> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(self.key.bytes_mut());
    }
}

/// A length that was found in range, as the parameter block has it.
#[expect(clippy::cast_possible_truncation, reason = "lengths in range are at most 64")]
fn byte(length: usize) -> u8 {
    length as u8
}

pub(super) fn check(field: &'static str, value: usize, limits: RangeInclusive<usize>) -> Result<(), ParamsError> {
    check_range(field, value as u64, *limits.start() as u64..=*limits.end() as u64)
}

pub(super) fn check_range(field: &'static str, value: u64, limits: RangeInclusive<u64>) -> Result<(), ParamsError> {
    if limits.contains(&value) {
        return Ok(());
    }
    Err(ParamsError { field, value, limits: limits.into_inner() })
}

/// A field of [`Params`] that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsError {
    field: &'static str,
    value: u64,
    limits: (u64, u64),
}

impl ParamsError {
    /// A key that was given, but has no bytes.
    pub(super) fn empty_key<F: Family>() -> Self {
        Self { field: "key length", value: 0, limits: (1, F::Words::LENGTH as u64) }
    }

    /// What is out of range, such as `hash_length` or `key length`.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// What was given.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// What could have been given.
    #[must_use]
    pub fn limits(&self) -> RangeInclusive<u64> {
        self.limits.0..=self.limits.1
    }
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.limits;
        write!(f, "{} is {}, but must be {low} to {high}", self.field, self.value)
    }
}

impl core::error::Error for ParamsError {}

/// For `?` in code that speaks of keys by the `digest` traits alone.
impl From<ParamsError> for InvalidLength {
    fn from(_: ParamsError) -> Self {
        InvalidLength
    }
}

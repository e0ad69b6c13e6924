//! The parameter block (BLAKE2 paper, section 2.5 and 2.10), every field, validated.

use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use digest::InvalidLength;

use super::flavour::Flavour;
use super::hasher::{Hasher, one_shot};
use super::node::{Node, byte, is_same};
use crate::backend::Backend;
use crate::hash::Hash;
use crate::kernel::Block;
use crate::kernel::blake2::Last;
use crate::kernel::blake2b::FlavourB;

/// Everything that can be set about a BLAKE2 hash: digest length, key, salt, personalisation, and the node's place in
/// a tree.
///
/// Setters accept anything. [`hash`](Self::hash), [`hasher`](Self::hasher) and the other methods that use the
/// parameters return an error, which names the field out of range and its limits. Lengths are in bytes.
///
/// ```
/// use simd_digest::blake2b::Params;
///
/// let tag = Params::new().hash_length(32).key(b"a key").personal(b"my application").hash(b"message")?;
/// assert_eq!(tag.as_bytes().len(), 32);
///
/// let error = Params::new().hash_length(65).hash(b"message").unwrap_err();
/// assert_eq!(error.to_string(), "hash_length is 65, but must be 1 to 64");
/// # Ok::<(), simd_digest::blake2::ParamsError>(())
/// ```
///
/// Each setter takes the parameters and returns them changed, also in constants.
#[derive(Clone)]
pub struct Params<F: Flavour> {
    hash_length: usize,
    key: Field<{ FlavourB::LONGEST }>,
    salt: Field<{ FlavourB::TEXT }>,
    personal: Field<{ FlavourB::TEXT }>,
    fanout: u8,
    max_depth: u8,
    max_leaf_length: u32,
    node_offset: u64,
    node_depth: u8,
    inner_hash_length: usize,
    last_node: bool,
    backend: Option<Backend>,
    flavour: PhantomData<F>,
}

/// Bytes of a limited number, zeros after them, and how many were given, which may be too many.
///
/// `LONGEST` is that of BLAKE2b for BLAKE2s too: an array of the flavour's own length is reached by methods of a trait,
/// which no `const fn` may call.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Field<const LONGEST: usize> {
    bytes: [u8; LONGEST],
    length: usize,
}

impl<const LONGEST: usize> Field<LONGEST> {
    const EMPTY: Self = Self { bytes: [0; LONGEST], length: 0 };

    const fn new(bytes: &[u8]) -> Self {
        let mut field = Self { bytes: [0; LONGEST], length: bytes.len() };
        let kept = if bytes.len() < LONGEST { bytes.len() } else { LONGEST };
        field.bytes.split_at_mut(kept).0.copy_from_slice(bytes.split_at(kept).0);
        field
    }
}

impl<F: Flavour> Params<F> {
    /// The sequential, unkeyed hash with the longest digest: fanout and maximal depth 1, all else 0 or empty.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            hash_length: F::Digest::LENGTH,
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
            flavour: PhantomData,
        }
    }

    /// Bytes of the digest, 1 to 64 (BLAKE2s: 32). Digests of different lengths are unrelated.
    #[must_use]
    pub const fn hash_length(mut self, length: usize) -> Self {
        self.hash_length = length;
        self
    }

    /// The secret that makes the hash a MAC, at most 64 bytes (BLAKE2s: 32). An empty key is no key.
    #[must_use]
    pub const fn key(mut self, key: &[u8]) -> Self {
        self.key = Field::new(key);
        self
    }

    /// The salt: at most 16 bytes (BLAKE2s: 8), filled up with zeros.
    #[must_use]
    pub const fn salt(mut self, salt: &[u8]) -> Self {
        self.salt = Field::new(salt);
        self
    }

    /// Separates an application's digests from those of all others: at most 16 bytes (BLAKE2s: 8), filled up with
    /// zeros.
    #[must_use]
    pub const fn personal(mut self, personal: &[u8]) -> Self {
        self.personal = Field::new(personal);
        self
    }

    /// Children of each node of the tree; 0 is unlimited, 1 is sequential hashing.
    #[must_use]
    pub const fn fanout(mut self, fanout: u8) -> Self {
        self.fanout = fanout;
        self
    }

    /// Levels of the tree; 255 is unlimited, 1 is sequential hashing, 0 is used by BLAKE2X alone.
    #[must_use]
    pub const fn max_depth(mut self, depth: u8) -> Self {
        self.max_depth = depth;
        self
    }

    /// Message bytes of each leaf of the tree; 0 is unlimited.
    #[must_use]
    pub const fn max_leaf_length(mut self, length: u32) -> Self {
        self.max_leaf_length = length;
        self
    }

    /// The number of this node among those of its depth, from 0. BLAKE2s has 48 bits for it.
    #[must_use]
    pub const fn node_offset(mut self, offset: u64) -> Self {
        self.node_offset = offset;
        self
    }

    /// The distance of this node from the leaves, which have 0.
    #[must_use]
    pub const fn node_depth(mut self, depth: u8) -> Self {
        self.node_depth = depth;
        self
    }

    /// Bytes of the digests between the nodes of the tree, at most 64 (BLAKE2s: 32); 0 in sequential hashing.
    #[must_use]
    pub const fn inner_hash_length(mut self, length: usize) -> Self {
        self.inner_hash_length = length;
        self
    }

    /// Whether this node is the last of its depth: a flag of the last block, which the parameter block does not have.
    #[must_use]
    pub const fn last_node(mut self, last: bool) -> Self {
        self.last_node = last;
        self
    }

    /// Computes on `backend` instead of [`Backend::best`].
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
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
        Ok(one_shot(&self.node()?, self.backend(), message))
    }

    /// A hasher that has these parameters and no message yet.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn hasher(&self) -> Result<Hasher<F>, ParamsError> {
        Ok(Hasher::of(self.node()?, self.backend()))
    }

    /// The leaf length and the inner hash length.
    #[cfg(feature = "alloc")]
    pub(super) fn tree_lengths(&self) -> (u32, usize) {
        (self.max_leaf_length, self.inner_hash_length)
    }

    /// The node with these parameters.
    ///
    /// Always inlined, and by words of 64 bits: a node that was written by pieces and is read by wide loads would have
    /// them wait until all before is done, see `backend::reread`.
    #[inline(always)]
    pub(super) fn node(&self) -> Result<Node<F>, ParamsError> {
        if !self.is_in_range() {
            return Err(self.error());
        }
        let words = F::Digest::LENGTH;
        let mut parameter_block = F::Digest::ZERO;
        let (tree, texts) = parameter_block.bytes_mut().split_at_mut(words / 2);
        let first = u64::from(byte(self.hash_length))
            | u64::from(byte(self.key.length)) << 8
            | u64::from(self.fanout) << 16
            | u64::from(self.max_depth) << 24
            | u64::from(self.max_leaf_length) << 32;
        let depths = u64::from(self.node_depth) | u64::from(byte(self.inner_hash_length)) << 8;
        // The offset has all of the second word, or the lower 48 bits of it.
        let tree = tree.as_chunks_mut::<8>().0;
        tree[0] = first.to_le_bytes();
        if let [_, offset, rest, ..] = tree {
            (*offset, *rest) = (self.node_offset.to_le_bytes(), depths.to_le_bytes());
        } else {
            tree[1] = (self.node_offset | depths << 48).to_le_bytes();
        }
        let (salt, personal) = texts.split_at_mut(F::TEXT);
        salt.copy_from_slice(&self.salt.bytes[..F::TEXT]);
        personal.copy_from_slice(&self.personal.bytes[..F::TEXT]);
        let mut key = F::Digest::ZERO;
        key.bytes_mut().copy_from_slice(&self.key.bytes[..words]);

        Ok(Node {
            parameter_block,
            key,
            keyed: self.key.length > 0,
            last: if self.last_node { Last::Node } else { Last::Block },
        })
    }

    #[inline]
    fn is_in_range(&self) -> bool {
        let words = F::Digest::LENGTH;
        (1..=words).contains(&self.hash_length)
            && self.key.length <= words
            && self.salt.length <= F::TEXT
            && self.personal.length <= F::TEXT
            && self.inner_hash_length <= words
            && self.node_offset <= F::MAX_NODE_OFFSET
    }

    /// Names the first field that is out of range. There must be one.
    #[cold]
    #[inline(never)]
    fn error(&self) -> ParamsError {
        let words = F::Digest::LENGTH;
        let checks = [
            check("hash_length", self.hash_length, 1..=words),
            check_bytes("key", self.key.length, 0..=words),
            check_bytes("salt", self.salt.length, 0..=F::TEXT),
            check_bytes("personal", self.personal.length, 0..=F::TEXT),
            check("inner_hash_length", self.inner_hash_length, 0..=words),
        ];
        let offset = ParamsError {
            field: "node_offset",
            is_bytes: false,
            value: self.node_offset,
            limits: (0, F::MAX_NODE_OFFSET),
        };
        checks.into_iter().find_map(Result::err).unwrap_or(offset)
    }
}

impl<F: Flavour> Default for Params<F> {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether all fields and the backend are the same. Where keys of one length differ makes no difference to the time.
impl<F: Flavour> PartialEq for Params<F> {
    fn eq(&self, other: &Self) -> bool {
        let Self { hash_length, key, salt, personal, fanout, max_depth, max_leaf_length, .. } = self;
        let Self { node_offset, node_depth, inner_hash_length, last_node, backend, flavour: _, .. } = self;
        (hash_length, key.length, salt, personal)
            == (&other.hash_length, other.key.length, &other.salt, &other.personal)
            && (fanout, max_depth, max_leaf_length) == (&other.fanout, &other.max_depth, &other.max_leaf_length)
            && (node_offset, node_depth) == (&other.node_offset, &other.node_depth)
            && (inner_hash_length, last_node) == (&other.inner_hash_length, &other.last_node)
            && backend == &other.backend
            && is_same(&key.bytes, &other.key.bytes)
    }
}

impl<F: Flavour> Eq for Params<F> {}

/// Tells nothing, because there may be a key.
impl<F: Flavour> fmt::Debug for Params<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Params").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for Params<F> {
    fn drop(&mut self) {
        crate::kernel::wipe(&mut self.key.bytes);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for Params<F> {}

pub(super) fn check(field: &'static str, value: usize, limits: RangeInclusive<usize>) -> Result<(), ParamsError> {
    check_range(field, value as u64, *limits.start() as u64..=*limits.end() as u64)
}

pub(super) fn check_range(field: &'static str, value: u64, limits: RangeInclusive<u64>) -> Result<(), ParamsError> {
    if limits.contains(&value) {
        return Ok(());
    }
    Err(ParamsError { field, is_bytes: false, value, limits: limits.into_inner() })
}

/// As [`check`], for a field that is bytes, of which `length` were given.
fn check_bytes(field: &'static str, length: usize, limits: RangeInclusive<usize>) -> Result<(), ParamsError> {
    check(field, length, limits).map_err(|error| ParamsError { is_bytes: true, ..error })
}

/// A field of [`Params`] that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsError {
    field: &'static str,
    /// The field is bytes, and their number is out of range.
    is_bytes: bool,
    value: u64,
    limits: (u64, u64),
}

impl ParamsError {
    /// A key that was given, but has no bytes.
    pub(super) fn empty_key<F: Flavour>() -> Self {
        Self { field: "key", is_bytes: true, value: 0, limits: (1, F::LONGEST as u64) }
    }

    /// The name of the field: that of its setter, such as `hash_length` or `key`; `xof_length` for the length of a BLAKE2X
    /// output.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// The number given, or the length of the bytes given.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// The numbers, or lengths, that the field may have.
    #[must_use]
    pub fn limits(&self) -> RangeInclusive<u64> {
        self.limits.0..=self.limits.1
    }
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { field, is_bytes, value, limits: (low, high) } = self;
        if low == high {
            write!(f, "{field} is {value}, but must be {low}")
        } else if is_bytes {
            write!(f, "{field} has {value} bytes, but must have {low} to {high}")
        } else {
            write!(f, "{field} is {value}, but must be {low} to {high}")
        }
    }
}

impl core::error::Error for ParamsError {}

/// For `?` in code that speaks of keys by the `digest` traits alone.
impl From<ParamsError> for InvalidLength {
    fn from(_: ParamsError) -> Self {
        InvalidLength
    }
}

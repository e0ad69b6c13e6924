//! Parameters, hasher and digest, for both flavours.

use core::{fmt, mem};

use arrayvec::ArrayString;
use simd_digest::Backend;

pub use crate::flavour::OUTBYTES;
use crate::flavour::{Count, MAX_NODE_OFFSET, ours};

/// Bytes of the longest key.
pub const KEYBYTES: usize = OUTBYTES;
/// Bytes of the longest salt.
pub const SALTBYTES: usize = OUTBYTES / 4;
/// Bytes of the longest personalisation.
pub const PERSONALBYTES: usize = OUTBYTES / 4;
/// Bytes of a block.
pub const BLOCKBYTES: usize = 2 * OUTBYTES;

/// Setters check what they are given.
const CHECKED: &str = "setters take only what is in range";

/// Scalar code.
pub(crate) fn portable() -> Backend {
    Backend::available().last().expect("the last backend is portable")
}

/// All parameters. Setters panic if what they are given is out of its range.
#[derive(Clone, PartialEq)]
pub struct Params {
    params: ours::Params,
    /// Whether there is a key.
    pub(crate) keyed: bool,
}

impl Params {
    /// The sequential hash of full length, without a key.
    #[inline]
    pub fn new() -> Self {
        Self { params: ours::Params::new(), keyed: false }
    }

    fn set(&mut self, set: impl FnOnce(ours::Params) -> ours::Params) -> &mut Self {
        self.params = set(mem::take(&mut self.params));
        self
    }

    pub(crate) fn force(&mut self, backend: Backend) {
        self.set(|params| params.with_backend(backend));
    }

    /// The digest of `input`.
    #[inline]
    pub fn hash(&self, input: &[u8]) -> Hash {
        Hash::of(self.params.hash(input).expect(CHECKED))
    }

    pub(crate) fn hash_many(&self, inputs: &[&[u8]], hashes: &mut [ours::Hash]) {
        self.params.hash_many_into(inputs, hashes).expect(CHECKED);
    }

    pub(crate) fn hasher(&self) -> ours::Hasher {
        self.params.hasher().expect(CHECKED)
    }

    /// A hasher with these parameters.
    pub fn to_state(&self) -> State {
        State { hasher: self.hasher() }
    }

    /// Bytes of the digest, from 1 to `OUTBYTES`.
    #[inline]
    pub fn hash_length(&mut self, length: usize) -> &mut Self {
        assert!((1..=OUTBYTES).contains(&length), "Bad hash length: {length}");
        self.set(|params| params.hash_length(length))
    }

    /// A secret of at most `KEYBYTES` bytes. An empty key is none.
    #[inline]
    pub fn key(&mut self, key: &[u8]) -> &mut Self {
        assert!(key.len() <= KEYBYTES, "Bad key length: {}", key.len());
        self.keyed = !key.is_empty();
        self.set(|params| params.key(key))
    }

    /// At most `SALTBYTES` bytes, filled up with zeros.
    #[inline]
    pub fn salt(&mut self, salt: &[u8]) -> &mut Self {
        assert!(salt.len() <= SALTBYTES, "Bad salt length: {}", salt.len());
        self.set(|params| params.salt(salt))
    }

    /// At most `PERSONALBYTES` bytes, filled up with zeros.
    #[inline]
    pub fn personal(&mut self, personalization: &[u8]) -> &mut Self {
        assert!(personalization.len() <= PERSONALBYTES, "Bad personalization length: {}", personalization.len());
        self.set(|params| params.personal(personalization))
    }

    /// Children of a node: 1 is sequential, 0 is unlimited.
    #[inline]
    pub fn fanout(&mut self, fanout: u8) -> &mut Self {
        self.set(|params| params.fanout(fanout))
    }

    /// Levels of the tree: 1 is sequential, 255 is unlimited.
    #[inline]
    pub fn max_depth(&mut self, depth: u8) -> &mut Self {
        self.set(|params| params.max_depth(depth))
    }

    /// Bytes of a leaf: 0 is unlimited.
    #[inline]
    pub fn max_leaf_length(&mut self, length: u32) -> &mut Self {
        self.set(|params| params.max_leaf_length(length))
    }

    /// The number of the node in its level.
    #[inline]
    pub fn node_offset(&mut self, offset: u64) -> &mut Self {
        assert!((0..=MAX_NODE_OFFSET).contains(&offset), "Bad node offset: {offset}");
        self.set(|params| params.node_offset(offset))
    }

    /// The level of the node, 0 for leaves.
    #[inline]
    pub fn node_depth(&mut self, depth: u8) -> &mut Self {
        self.set(|params| params.node_depth(depth))
    }

    /// Bytes of the digests within the tree, at most `OUTBYTES`.
    #[inline]
    pub fn inner_hash_length(&mut self, length: usize) -> &mut Self {
        assert!(length <= OUTBYTES, "Bad inner hash length: {length}");
        self.set(|params| params.inner_hash_length(length))
    }

    /// Whether the node is the last of its level.
    #[inline]
    pub fn last_node(&mut self, last_node: bool) -> &mut Self {
        self.set(|params| params.last_node(last_node))
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Params").finish_non_exhaustive()
    }
}

/// A hasher.
#[derive(Clone)]
pub struct State {
    pub(crate) hasher: ours::Hasher,
}

impl State {
    /// With default parameters.
    pub fn new() -> Self {
        Params::new().to_state()
    }

    /// Appends `input` to the message.
    pub fn update(&mut self, input: &[u8]) -> &mut Self {
        self.hasher.update(input);
        self
    }

    /// The digest of the message so far.
    pub fn finalize(&self) -> Hash {
        Hash::of(self.hasher.finalize())
    }

    /// Whether the node is the last of its level.
    pub fn set_last_node(&mut self, last_node: bool) -> &mut Self {
        self.hasher.set_last_node(last_node);
        self
    }

    /// Bytes of the message so far.
    pub fn count(&self) -> Count {
        self.hasher.count() as Count
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl std::io::Write for State {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.update(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A digest, compared in constant time.
#[derive(Clone, Copy)]
pub struct Hash {
    bytes: [u8; OUTBYTES],
    len: u8,
}

impl Hash {
    #[inline]
    pub(crate) fn of(hash: ours::Hash) -> Self {
        let from = hash.as_bytes();
        let mut bytes = [0; OUTBYTES];
        bytes[..from.len()].copy_from_slice(from);
        Self { bytes, len: from.len() as u8 }
    }

    /// The digest as bytes. A slice is not compared in constant time.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }

    /// The digest of full length as bytes. One that is shorter has zeros after it, and panics in a debug build.
    #[inline]
    pub fn as_array(&self) -> &[u8; OUTBYTES] {
        debug_assert_eq!(self.len as usize, OUTBYTES);
        &self.bytes
    }

    /// The digest as lower-case hexadecimal digits.
    pub fn to_hex(&self) -> ArrayString<{ 2 * OUTBYTES }> {
        let hash = ours::Hash::from_bytes(self.as_bytes()).expect("a digest has a length of a digest");
        ArrayString::from(&hash.to_hex()).expect("two digits a byte")
    }
}

impl From<[u8; OUTBYTES]> for Hash {
    fn from(bytes: [u8; OUTBYTES]) -> Self {
        Self { bytes, len: OUTBYTES as u8 }
    }
}

impl From<&[u8; OUTBYTES]> for Hash {
    fn from(bytes: &[u8; OUTBYTES]) -> Self {
        Self::from(*bytes)
    }
}

impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        constant_time_eq::constant_time_eq(self.as_bytes(), other.as_bytes())
    }
}

impl PartialEq<[u8]> for Hash {
    fn eq(&self, other: &[u8]) -> bool {
        constant_time_eq::constant_time_eq(self.as_bytes(), other)
    }
}

impl Eq for Hash {}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash(0x{})", self.to_hex())
    }
}

//! One message, as it comes or all at once.

use core::fmt;

use digest::Update;

use super::flavour::Flavour;
use super::node::{Node, is_same, is_zero};
use crate::backend::Backend;
use crate::buffer::Buffer;
use crate::hash::Hash;
use crate::kernel::Block;
use crate::kernel::blake2::Last;
use crate::stream::{Stream, compress_message};

/// An incremental hasher.
#[derive(Clone)]
pub struct Hasher<F: Flavour> {
    pub(super) node: Node<F>,
    pub(super) stream: Stream<F>,
    /// The flag of the last block, at first that of `node`.
    pub(super) last: Last,
}

impl<F: Flavour> Hasher<F> {
    /// The sequential, unkeyed hash of full length. [`Params`](super::Params) makes all others.
    #[must_use]
    pub fn new() -> Self {
        Self::of(Node::sequential(F::LONGEST, &[]), Backend::best())
    }

    /// The hasher of a node.
    #[inline]
    pub(super) fn of(node: Node<F>, backend: Backend) -> Self {
        let mut hasher = Self { stream: Stream::new(node.chain(), backend), last: node.last, node };
        hasher.hold_key();
        hasher
    }

    /// A hasher in the middle of a message, if hashing leads there: whole blocks are compressed, and the last block is
    /// held back, zeros after its `held` bytes.
    pub(super) fn resumed(node: Node<F>, chain: &F::Chain, block: &F::Block, held: usize) -> Option<Self> {
        let mut hasher = Self::of(node, Backend::best());
        let Stream { chain: first, buffer, .. } = &hasher.stream;
        // A key block that nothing follows is held back, too.
        let begins = is_same(chain.to_bytes().bytes(), first.to_bytes().bytes())
            && (!hasher.node.keyed || held == F::Block::LENGTH && is_same(block.bytes(), buffer.block().bytes()));
        let possible = block.bytes().get(held..).is_some_and(is_zero)
            && chain.count.is_multiple_of(F::Block::LENGTH as u128)
            && if chain.count == 0 { begins } else { held > 0 };
        if !possible {
            return None;
        }
        hasher.stream.chain = *chain;
        hasher.stream.buffer = Buffer::holding(*block, held);
        Some(hasher)
    }

    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.stream.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.stream.backend
    }

    /// Appends `bytes` to the message.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.stream.update(bytes);
        self
    }

    /// Marks this node as the last of its level, or not. May be called at any time before [`finalize`](Self::finalize).
    ///
    /// [`reset`](Self::reset) returns to the flag of [`Params::last_node`](super::Params::last_node).
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let leaf = Params::new().fanout(0).max_depth(2).max_leaf_length(4096).inner_hash_length(64);
    /// let mut hasher = leaf.hasher()?;
    /// hasher.update(b"the end of a stream, as it turned out").set_last_node(true);
    /// assert_eq!(hasher.finalize(), leaf.last_node(true).hash(b"the end of a stream, as it turned out")?);
    /// # Ok::<(), simd_digest::blake2::ParamsError>(())
    /// ```
    pub fn set_last_node(&mut self, last: bool) -> &mut Self {
        self.last = if last { Last::Node } else { Last::Block };
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[inline]
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        Hash::new(self.digest(), self.node.hash_length())
    }

    /// As [`finalize`](Self::finalize), in all the bytes of a chaining value. Always inlined: see [`Stream::finalize`].
    #[inline(always)]
    pub(super) fn digest(&self) -> F::Digest {
        self.stream.finalize(self.last, |chain| chain.to_bytes())
    }

    /// Forgets the message; parameters, key and backend stay.
    pub fn reset(&mut self) -> &mut Self {
        self.stream.chain = self.node.chain();
        self.stream.buffer = Buffer::EMPTY;
        self.last = self.node.last;
        self.hold_key();
        self
    }

    /// Bytes of the message so far. A key does not count.
    #[must_use]
    pub fn count(&self) -> u128 {
        let key_block = if self.node.keyed { F::Block::LENGTH } else { 0 };
        let Stream { chain, buffer, .. } = &self.stream;
        // A restored state may tell a count that no message has.
        chain.count.wrapping_add(buffer.held().len() as u128).wrapping_sub(key_block as u128)
    }

    /// A keyed message begins with the key block, held back since it may be the only one.
    #[inline]
    fn hold_key(&mut self) {
        if self.node.keyed {
            self.stream.hold_block(self.node.key.bytes());
        }
    }
}

/// The digest of a whole message, compressed from where it lies.
#[inline]
pub(super) fn one_shot<F: Flavour>(node: &Node<F>, backend: Backend, message: &[u8]) -> Hash<F> {
    Hash::new(digest_at_once(node, backend, message), node.hash_length())
}

/// As [`one_shot`], in all the bytes of a chaining value.
#[inline]
pub(super) fn digest_at_once<F: Flavour>(node: &Node<F>, backend: Backend, message: &[u8]) -> F::Digest {
    let mut chain = node.chain();
    compress_message::<F>(backend, &mut chain, node.key_block().as_slice(), message, node.last);
    let digest = chain.to_bytes();
    F::wipe(&mut chain);
    digest
}

/// The digest of full length of `message`, unkeyed and sequential.
#[inline]
pub(crate) fn hash<F: Flavour>(message: &[u8]) -> Hash<F> {
    one_shot(&Node::sequential(F::LONGEST, &[]), Backend::best(), message)
}

impl<F: Flavour> Default for Hasher<F> {
    fn default() -> Self {
        Self::new()
    }
}

/// For code that knows the `digest` traits alone. `Hasher::update` takes precedence over this method.
impl<F: Flavour> Update for Hasher<F> {
    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        self.stream.update(bytes);
    }
}

/// The count and the backend alone, because there may be a key.
impl<F: Flavour> fmt::Debug for Hasher<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("count", &self.count()).field("backend", &self.backend()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[F: Flavour] Hasher<F>);

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for Hasher<F> {
    fn drop(&mut self) {
        self.stream.wipe();
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for Hasher<F> {}

//! One message, as it comes or all at once.

use core::{fmt, slice};

use super::params::Start;
use super::{Family, Hash};
use crate::backend::{Backend, Blake2Word};
use crate::buffer::{Block, Buffer, copy_words, split_last, wipe};
use crate::kernel::blake2::{Chain, Last};

/// The hash of a message that comes piece by piece.
///
/// ```
/// use simd_digest::blake2b;
///
/// let mut hasher = blake2b::Params::new().key(b"a key").hasher()?;
/// hasher.update(b"one, ").update(b"two");
/// let tag = hasher.finalize();
///
/// hasher.reset(); // the key and the parameters stay
/// hasher.update(b"one, two");
/// assert_eq!(hasher.finalize(), tag);
/// # Ok::<(), simd_digest::blake2b::ParamsError>(())
/// ```
#[derive(Clone)]
pub struct Hasher<F: Family> {
    pub(super) start: Start<F>,
    pub(super) chain: F::Chain,
    pub(super) buffer: Buffer<F::Block>,
    pub(super) backend: Backend,
    /// What the last block will be: at first as `start` has it.
    last: Last,
}

impl<F: Family> Hasher<F> {
    /// The sequential, unkeyed hash of full length. [`Params`](super::Params) makes all others.
    #[must_use]
    pub fn new() -> Self {
        Self::start(Start::sequential(F::Words::LENGTH, &[]), Backend::best())
    }

    #[inline]
    pub(super) fn start(start: Start<F>, backend: Backend) -> Self {
        let mut hasher =
            Self { chain: Chain::new(&start.parameter_block), last: start.last, start, buffer: Buffer::EMPTY, backend };
        hasher.buffer_key();
        hasher
    }

    /// The same hasher, computing on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Appends `bytes` to the message.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        let Self { chain, buffer, backend, .. } = self;
        buffer.update(bytes, |blocks| F::compress(*backend, chain, blocks, Last::Not));
        self
    }

    /// Whether this node is the last of its depth, for those who learn it after they began to hash: the flag takes
    /// part in [`finalize`](Self::finalize) only. [`reset`](Self::reset) returns to what
    /// [`Params::last_node`](super::Params::last_node) said.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let leaf = Params::new().fanout(0).max_depth(2).max_leaf_length(4096).inner_hash_length(64);
    /// let mut hasher = leaf.hasher()?;
    /// hasher.update(b"the end of a stream, as it turned out").set_last_node(true);
    /// assert_eq!(hasher.finalize(), leaf.last_node(true).hash(b"the end of a stream, as it turned out")?);
    /// # Ok::<(), simd_digest::blake2b::ParamsError>(())
    /// ```
    pub fn set_last_node(&mut self, last: bool) -> &mut Self {
        self.last = if last { Last::Node } else { Last::Block };
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[inline]
    #[must_use]
    pub fn finalize(&self) -> Hash<F> {
        Hash::new(self.digest(), self.start.hash_length())
    }

    /// The same, in all the bytes of a chaining value.
    ///
    /// No reference to the hasher leaves this function, and all of it is loaded by words: so the compiler need not move
    /// a hasher that is consumed, which would cost as much as a quarter of a block.
    #[inline(always)]
    pub(super) fn digest(&self) -> F::Words {
        let mut chain = reread::<F>(&self.chain);
        F::discount(&mut chain, self.buffer.free());
        let mut block = F::Block::ZERO;
        reread_words(block.bytes_mut(), self.buffer.block().bytes());
        F::compress(self.backend, &mut chain, slice::from_ref(&block), self.last);
        let digest = chain.to_bytes();
        F::wipe(&mut chain);
        wipe(&mut block);
        digest
    }

    /// Forgets the message; parameters, key and backend stay.
    pub fn reset(&mut self) {
        self.chain = Chain::new(&self.start.parameter_block);
        self.last = self.start.last;
        self.buffer = Buffer::EMPTY;
        self.buffer_key();
    }

    /// Bytes of the message so far. A key does not count.
    #[must_use]
    pub fn count(&self) -> u128 {
        let key_block = if self.start.keyed { F::Block::LENGTH } else { 0 };
        self.chain.count + self.buffer.held().len() as u128 - key_block as u128
    }

    /// A keyed message begins with the key block, held back since it may be the only one.
    #[inline]
    fn buffer_key(&mut self) {
        if self.start.keyed {
            self.buffer.hold_block(|block| reread_words(block, self.start.key.bytes()));
        }
    }
}

/// The digest of a whole message, compressed from where it lies.
#[inline]
pub(super) fn one_shot<F: Family>(start: &Start<F>, backend: Backend, message: &[u8]) -> Hash<F> {
    let mut chain = Chain::new(&start.parameter_block);
    if let key_block @ [_] = start.key_block().as_slice() {
        let last = if message.is_empty() { start.last } else { Last::Not };
        F::compress(backend, &mut chain, key_block, last);
    }
    if !message.is_empty() || !start.keyed {
        let (whole, rest) = split_last::<F::Block>(message);
        if !whole.is_empty() {
            F::compress(backend, &mut chain, whole, Last::Not);
        }
        close::<F>(&mut chain, backend, rest, start.last);
    }
    let digest = Hash::new(chain.to_bytes(), start.hash_length());
    F::wipe(&mut chain);
    digest
}

/// A copy, word by word: see [`copy_words`].
#[inline]
fn reread<F: Family>(chain: &F::Chain) -> F::Chain {
    Chain { h: chain.h.map(Blake2Word::opaque), count: chain.count }
}

/// Copies `from`, which is whole words of 64 bits, to the start of `to`, likewise.
#[inline(always)]
fn reread_words(to: &mut [u8], from: &[u8]) {
    let ((to, _), (from, _)) = (to.as_chunks_mut(), from.as_chunks());
    for (to, from) in to.iter_mut().zip(from) {
        *to = u64::from_ne_bytes(*from).opaque().to_ne_bytes();
    }
}

/// Compresses the last block, of which `rest` is message.
#[inline]
fn close<F: Family>(chain: &mut F::Chain, backend: Backend, rest: &[u8], last: Last) {
    if let ([block], _) = F::Block::split(rest) {
        F::compress(backend, chain, slice::from_ref(block), last);
    } else {
        let mut block = F::Block::ZERO;
        copy_words(block.bytes_mut(), rest);
        F::discount(chain, F::Block::LENGTH - rest.len());
        F::compress(backend, chain, slice::from_ref(&block), last);
        wipe(&mut block);
    }
}

impl<F: Family> Default for Hasher<F> {
    fn default() -> Self {
        Self::new()
    }
}

/// Tells the count and the backend only, for there may be a key.
impl<F: Family> fmt::Debug for Hasher<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("count", &self.count()).field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
write_by_update!(Hasher);

#[cfg(feature = "zeroize")]
impl<F: Family> Drop for Hasher<F> {
    fn drop(&mut self) {
        F::wipe(&mut self.chain);
        self.buffer.wipe();
    }
}

#[cfg(feature = "zeroize")]
impl<F: Family> zeroize::ZeroizeOnDrop for Hasher<F> {}

#[cfg(test)]
mod tests {
    use crate::blake2b::Params;

    #[test]
    fn the_last_node_may_be_known_late() {
        let params = || Params::new().key(b"key").fanout(0).max_depth(2).inner_hash_length(64);
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
}

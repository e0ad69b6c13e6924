//! Hazardous parts: the state of a hasher as bytes, and the compression function alone.
//!
//! Use them through [`sha256::hazmat`](crate::sha256::hazmat) and the like.

use core::fmt;

use super::hasher::Hasher;
use super::variant::{BlockOf, ValueOf, Variant, WordOf};
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer;
use crate::error::StateError;
use crate::kernel::sha2::{Chain, Written};
use crate::kernel::{Block, Function, Word, wipe};
use crate::stream::Stream;

/// The state of a [`Hasher`] in the middle of its message, to be stored as bytes and restored: the bytes of Go's
/// `crypto/sha256` or `crypto/sha512`.
///
/// **A state is as secret as the message.** The bytes hold up to a block of the message, and a hash value, from which
/// anybody can compute the digest of any continuation of the message. With feature `zeroize`, the state itself is
/// wiped when it is dropped.
///
/// A state is not authenticated. Changed bytes are an error where they make no hasher, but may make another hasher.
///
/// # Layout
///
/// | field                                                            | bytes of SHA-256 | of SHA-512 |
/// |------------------------------------------------------------------|------------------|------------|
/// | `sha` and a byte                                                 | 4                | 4          |
/// | hash value, eight words, big-endian                              | 32               | 64         |
/// | bytes of the message after its last whole block, zeros after them | 64              | 128        |
/// | length of the message so far, in bytes, big-endian               | 8                | 8          |
/// | all                                                              | 108              | 204        |
///
/// The byte is 2 for SHA-224, 3 for SHA-256, 4 for SHA-384, 5 for SHA-512/224, 6 for SHA-512/256 and 7 for SHA-512.
#[derive(Clone)]
pub struct State<V: Variant> {
    hasher: Hasher<V>,
}

impl<V: Variant> State<V> {
    /// Bytes of a state.
    pub const LENGTH: usize = V::SavedState::LENGTH;

    /// The state as bytes, which are as secret as the message.
    #[must_use]
    pub fn to_bytes(&self) -> V::SavedState {
        let Stream { chain, buffer, .. } = &self.hasher.stream;
        let mut state = V::SavedState::ZERO;
        let (magic, rest) = state.bytes_mut().split_at_mut(4);
        magic.copy_from_slice(&V::MAGIC);
        let (words, rest) = rest.split_at_mut(ValueOf::<V>::LENGTH);
        let mut value = chain.to_bytes();
        words.copy_from_slice(value.bytes());
        wipe(&mut value);
        let (held, length) = rest.split_at_mut(BlockOf::<V>::LENGTH);
        held.copy_from_slice(buffer.block().bytes());
        let bytes = chain.blocks.wrapping_mul(BlockOf::<V>::LENGTH as u64);
        length.copy_from_slice(&bytes.wrapping_add(buffer.held().len() as u64).to_be_bytes());
        state
    }

    /// The state that has these bytes.
    ///
    /// # Errors
    ///
    /// [`StateError::Length`] if there are not [`LENGTH`](Self::LENGTH) bytes, [`StateError::Hash`] if they do not
    /// begin as those of this hash do, and [`StateError::Impossible`] if fields contradict each other.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        if bytes.len() != Self::LENGTH {
            return Err(StateError::Length);
        }
        let (magic, rest) = bytes.split_at(4);
        if magic != V::MAGIC {
            return Err(StateError::Hash);
        }
        let (words, rest) = rest.split_at(ValueOf::<V>::LENGTH);
        let (held, length) = rest.split_at(BlockOf::<V>::LENGTH);
        let length = u64::from_be_bytes(length.try_into().map_err(|_| StateError::Length)?);
        let mut chain = Chain::new([WordOf::<V>::ZERO; 8]);
        for (i, word) in chain.h.iter_mut().enumerate() {
            *word = WordOf::<V>::load_be(words, i);
        }
        let block = BlockOf::<V>::LENGTH as u64;
        chain.blocks = length / block;
        #[expect(clippy::cast_possible_truncation, reason = "it is less than a block")]
        let number = (length % block) as usize;
        let begins = chain.blocks > 0 || chain.h == *V::IV;
        if !begins || held[number..].iter().any(|&byte| byte != 0) {
            V::Function::wipe(&mut chain);
            return Err(StateError::Impossible);
        }
        let mut block = BlockOf::<V>::ZERO;
        block.bytes_mut().copy_from_slice(held);
        let mut stream = Stream::new(chain, Backend::best());
        V::Function::wipe(&mut chain);
        stream.buffer = Buffer::holding(block, number);
        wipe(&mut block);
        Ok(Self { hasher: Hasher::of(stream) })
    }
}

/// The state of a hasher after its message so far. The hasher may go on.
impl<V: Variant> From<&Hasher<V>> for State<V> {
    fn from(hasher: &Hasher<V>) -> Self {
        Self { hasher: hasher.clone() }
    }
}

/// A hasher that goes on from a state.
///
/// A state has no backend, since another machine may restore it. The hasher computes on [`Backend::best`], until
/// [`with_backend`](Self::with_backend) gives it another.
impl<V: Variant> From<State<V>> for Hasher<V> {
    fn from(state: State<V>) -> Self {
        state.hasher.with_backend(Backend::best())
    }
}

/// Says nothing: a state is a secret.
impl<V: Variant> fmt::Debug for State<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for State<V> {}

/// Compresses `blocks` into the hash value `h` on [`Backend::best`].
#[inline]
pub(crate) fn compress<V: Variant>(h: &mut [WordOf<V>; 8], blocks: &[BlockOf<V>]) {
    let mut chain = Chain::new(*h);
    V::Function::compress(Backend::best(), &mut chain, blocks, Written::Before);
    *h = chain.h;
    V::Function::wipe(&mut chain);
}

//! Hazardous parts: the state of a hasher as bytes, and the compression function alone.
//!
//! Use them through [`sha256::hazmat`](crate::sha256::hazmat) and [`sha224::hazmat`](crate::sha224::hazmat).

use core::fmt;

use super::hasher::Hasher;
use super::variant::Variant;
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer;
use crate::kernel::sha256::{Chain, Sha256Function, Written};
use crate::kernel::{Function, wipe};
use crate::stream::Stream;

/// The state of a [`Hasher`] in the middle of its message, to be stored as bytes and restored: the bytes of Go's
/// `crypto/sha256`.
///
/// **A state is as secret as the message.** The bytes hold up to 63 bytes of the message, and a hash value, from which
/// anybody can compute the digest of any continuation of the message. With feature `zeroize`, the state itself is
/// wiped when it is dropped.
///
/// A state is not authenticated. Changed bytes are an error where they make no hasher, but may make another hasher.
///
/// ```
/// use simd_digest::sha256::{Hasher, hazmat::State};
///
/// let mut hasher = Hasher::new();
/// hasher.update(b"one, ");
/// let bytes = State::of(&hasher).to_bytes();
///
/// // Later, or on another machine.
/// let mut restored = State::from_bytes(&bytes)?.into_hasher();
/// assert_eq!(restored.update(b"two").finalize(), hasher.update(b"two").finalize());
/// # Ok::<(), simd_digest::sha256::hazmat::StateError>(())
/// ```
///
/// # Layout
///
/// | field                                                        | bytes | at  |
/// |--------------------------------------------------------------|-------|-----|
/// | `sha\x03` for SHA-256, `sha\x02` for SHA-224                 | 4     | 0   |
/// | hash value, eight words, big-endian                          | 32    | 4   |
/// | bytes of the message after its last whole block, 0 to 63, zeros after them | 64 | 36 |
/// | length of the message so far, in bytes, big-endian           | 8     | 100 |
/// | end                                                          |       | 108 |
#[derive(Clone)]
pub struct State<V: Variant> {
    hasher: Hasher<V>,
}

impl<V: Variant> State<V> {
    /// Bytes of a state.
    pub const LENGTH: usize = 108;

    /// The state of `hasher`, which may go on.
    #[must_use]
    pub fn of(hasher: &Hasher<V>) -> Self {
        Self { hasher: hasher.clone() }
    }

    /// A hasher that goes on from this state.
    ///
    /// A state has no backend, since another machine may restore it. The hasher computes on [`Backend::best`], until
    /// [`with_backend`](Hasher::with_backend) gives it another.
    #[must_use]
    pub fn into_hasher(self) -> Hasher<V> {
        self.hasher.with_backend(Backend::best())
    }

    /// The state as bytes, which are as secret as the message.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 108] {
        let Stream { chain, buffer, .. } = &self.hasher.stream;
        let mut bytes = [0; 108];
        bytes[..4].copy_from_slice(&V::MAGIC);
        let mut value = chain.to_bytes();
        bytes[4..36].copy_from_slice(&value);
        wipe(&mut value);
        bytes[36..100].copy_from_slice(buffer.block());
        let length = chain.blocks.wrapping_mul(64).wrapping_add(buffer.held().len() as u64);
        bytes[100..].copy_from_slice(&length.to_be_bytes());
        bytes
    }

    /// The state that has these bytes.
    ///
    /// # Errors
    ///
    /// [`StateError::Length`] if there are not 108 bytes, [`StateError::Hash`] if they do not begin as those of this
    /// hash do, and [`StateError::Impossible`] if fields contradict each other.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let bytes: &[u8; 108] = bytes.try_into().map_err(|_| StateError::Length)?;
        let (magic, rest) = bytes.split_at(4);
        if magic != V::MAGIC {
            return Err(StateError::Hash);
        }
        let (words, rest) = rest.split_at(32);
        let (held, length) = rest.split_at(64);
        let length = u64::from_be_bytes(length.try_into().map_err(|_| StateError::Length)?);
        let mut chain = Chain::new([0; 8]);
        for (word, bytes) in chain.h.iter_mut().zip(words.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        chain.blocks = length / 64;
        let number = (length % 64) as usize;
        let begins = chain.blocks > 0 || chain.h == *V::IV;
        if !begins || held[number..].iter().any(|&byte| byte != 0) {
            Sha256Function::wipe(&mut chain);
            return Err(StateError::Impossible);
        }
        let mut block = [0; 64];
        block.copy_from_slice(held);
        let mut stream = Stream::new(chain, Backend::best());
        Sha256Function::wipe(&mut chain);
        stream.buffer = Buffer::holding(block, number);
        wipe(&mut block);
        Ok(Self { hasher: Hasher::of(stream) })
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

/// Why bytes are no state of a hasher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The first bytes are those of another hash.
    Hash,
    /// There are more or fewer than 108 bytes.
    Length,
    /// No hasher has these fields together: something other than zeros stands behind the bytes held back, or a message
    /// without a whole block has another hash value than the initial one.
    Impossible,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash => "the state is that of another hash",
            Self::Length => "the state has another length than 108 bytes",
            Self::Impossible => "the state is not that of a hasher",
        })
    }
}

impl core::error::Error for StateError {}

/// Compresses `blocks` into the hash value `h` on [`Backend::best`].
#[inline]
pub(crate) fn compress(h: &mut [u32; 8], blocks: &[[u8; 64]]) {
    let mut chain = Chain::new(*h);
    Sha256Function::compress(Backend::best(), &mut chain, blocks, Written::Before);
    *h = chain.h;
    Sha256Function::wipe(&mut chain);
}

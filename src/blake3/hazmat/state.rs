//! A hasher as bytes.

use core::fmt;

use super::super::hasher::{Hasher, depth};
use super::super::stack::{DEEPEST, Stack};
use super::super::tree::Base;
use super::super::value::{CHUNK_LEN, KEY_LEN};
use crate::backend::Backend;
use crate::buffer::Buffer;
use crate::error::StateError;
use crate::hash::equal;
use crate::kernel::blake3::{IV, flag};
use crate::kernel::{Word, wipe};

/// The first byte of a state.
const VERSION: u8 = 1;
/// Bytes before the subtrees.
const HEAD: usize = 4 + 2 * 8 + KEY_LEN + 32 + 64;

/// The state of a hasher, to be stored as bytes and restored.
///
/// **In the modes with a key the state is a secret: it has the key.** Whoever can change the bytes chooses the digest.
///
/// | bytes | field, numbers little-endian |
/// |---|---|
/// | 1 | the version, 1 |
/// | 1 | flags of the mode |
/// | 2 | length of the current chunk |
/// | 8, 8 | number of the first chunk, and of the current chunk |
/// | 32 | key words: the initial value without a key |
/// | 32 | chaining value of the current chunk |
/// | 64 | last 1 to 64 bytes of the current chunk, if it has any, then zeros |
/// | 32 each | chaining values of the complete subtrees before the current chunk, the largest first |
///
/// ```
/// use simd_digest::blake3::hazmat::State;
/// use simd_digest::blake3::{self, Hasher};
///
/// let (mut hasher, mut bytes) = (Hasher::new(), [0; State::MAX_LEN]);
/// hasher.update(b"one, ");
/// let length = State::from(&hasher).to_bytes(&mut bytes)?;
///
/// let mut hasher = Hasher::from(State::from_bytes(&bytes[..length])?);
/// assert_eq!(hasher.update(b"two").finalize(), blake3::hash(b"one, two"));
/// # Ok::<(), simd_digest::StateError>(())
/// ```
#[derive(Clone)]
pub struct State {
    /// Nothing is gathered, and of the subtrees all neighbours are merged, but for the root.
    hasher: Hasher,
}

impl State {
    /// Bytes at most of a state: 2 KiB suffice for every message.
    pub const MAX_LEN: usize = HEAD + 32 * (DEEPEST - 1);

    /// Bytes of the state: 148, and 32 for each complete subtree.
    #[must_use]
    pub fn len(&self) -> usize {
        HEAD + 32 * self.hasher.stack.cvs().len()
    }

    /// Always false: every state has bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Writes the state to the start of `bytes`, and tells its length.
    ///
    /// # Errors
    ///
    /// [`StateError::TooSmall`] if there is no room for [`len`](Self::len) bytes. Then nothing is written.
    pub fn to_bytes(&self, bytes: &mut [u8]) -> Result<usize, StateError> {
        let needed = self.len();
        let given = bytes.len();
        let mut rest = bytes.get_mut(..needed).ok_or(StateError::TooSmall { given, needed })?;
        let mut write = |bytes: &[u8]| {
            let (to, after) = core::mem::take(&mut rest).split_at_mut(bytes.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        let Hasher { chunk, filled, key, first, stack, .. } = &self.hasher;
        let [low, high, ..] = filled.to_le_bytes();
        write(&[VERSION, chunk.chain.flags, low, high]);
        write(&first.to_le_bytes());
        write(&chunk.chain.counter.to_le_bytes());
        for words in [key, &chunk.chain.h] {
            let mut bytes = u32::to_bytes(*words);
            write(&bytes);
            wipe(&mut bytes);
        }
        write(chunk.buffer.block());
        write(stack.cvs().as_flattened());
        Ok(needed)
    }

    /// The state that these bytes are, all of them.
    ///
    /// # Errors
    ///
    /// [`StateError`] if no hasher has this state: another length or version, an unknown mode, numbers that no message
    /// has. Not every change of the bytes is found; the state is to be stored where nobody can change it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let (head, cvs) = bytes.split_at_checked(HEAD).ok_or(StateError::Length)?;
        let mut rest = head;
        let mut read = |length| {
            let (bytes, after) = rest.split_at(length);
            rest = after;
            bytes
        };
        if read(1) != [VERSION] {
            return Err(StateError::Version);
        }
        let flags = read(1)[0];
        let filled = usize::from(u16::from_le_bytes(array(read(2))));
        let first = u64::from_le_bytes(array(read(8)));
        let counter = u64::from_le_bytes(array(read(8)));
        let mut key = u32::from_bytes(&array(read(KEY_LEN)));
        let mut h = u32::from_bytes(&array(read(32)));
        let mut block: [u8; 64] = array(read(64));
        if !matches!(flags, 0 | flag::KEYED_HASH | flag::DERIVE_KEY_MATERIAL) || flags == 0 && key != IV {
            return Err(StateError::Mode);
        }
        let chunks = counter.wrapping_sub(first);
        let held = if filled == 0 { 0 } else { (filled - 1) % 64 + 1 };
        let (cvs, gap) = cvs.as_chunks::<32>();
        if !gap.is_empty() || cvs.len() != depth(chunks, filled) {
            return Err(StateError::Length);
        }
        let [mut of_h, mut of_key] = [u32::to_bytes(h), u32::to_bytes(key)];
        let fresh = filled > 64 || equal(&of_h, &of_key);
        [&mut of_h, &mut of_key].into_iter().for_each(wipe);
        let numbers = filled <= CHUNK_LEN && first < 1 << 54 && chunks < 1 << 54 && (chunks != 1 || filled > 0);
        if !numbers || !fresh || block[held..].iter().any(|&byte| byte != 0) {
            return Err(StateError::Impossible);
        }
        let mut hasher = Hasher::of(&Base { key: &key, flags, backend: Backend::best() });
        hasher.first = first;
        hasher.filled = filled;
        hasher.chunk.chain = hasher.base().chunk(counter);
        if filled > 64 {
            hasher.chunk.chain.h = h;
            hasher.chunk.chain.first = 0;
        }
        hasher.chunk.buffer = Buffer::holding(block, held);
        hasher.stack = Stack::EMPTY;
        cvs.iter().for_each(|cv| hasher.stack.push(cv));
        u32::wipe(&mut key);
        u32::wipe(&mut h);
        wipe(&mut block);
        Ok(Self { hasher })
    }
}

/// The state of a hasher, which stays as it is. Complete chunks that it has gathered are hashed.
impl From<&Hasher> for State {
    fn from(hasher: &Hasher) -> Self {
        let mut hasher = hasher.clone();
        hasher.settle();
        Self { hasher }
    }
}

/// A hasher that goes on from a state, on [`Backend::best`] if the state was read from bytes.
impl From<State> for Hasher {
    fn from(state: State) -> Self {
        state.hasher
    }
}

/// `bytes` as an array of its length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

/// The count alone, because key and message may be secret.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("count", &self.hasher.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for State {}

const _: () = assert!(State::MAX_LEN <= 2048);

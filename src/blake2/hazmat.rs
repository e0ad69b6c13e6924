//! Hazardous parts: the state of a hasher as bytes, hashing of whole blocks, and the compression function alone.
//!
//! Use them through [`blake2b::hazmat`](crate::blake2b::hazmat) and [`blake2s::hazmat`](crate::blake2s::hazmat).

use core::{fmt, mem, slice};

use super::flavour::Flavour;
use super::hasher::Hasher;
use super::node::Node;
pub use super::var_core::VarCore;
use crate::backend::{Backend, blake2_rounds};
use crate::error::StateError;
use crate::kernel::blake2::{Chain, Last};
use crate::kernel::{Block, Word, wipe};

/// The state of a [`Hasher`] in the middle of its message, to be stored as bytes and restored: with its key, all its
/// parameters, and a digest length of run time.
///
/// **A state is a secret.** The bytes hold the key, up to a block of the message, and a chaining value, from which
/// anybody can compute the digest of any continuation of the message. Store the bytes as you would store the key, and
/// wipe them after use. With feature `zeroize`, the state itself is wiped when it is dropped.
///
/// A state is not authenticated. Changed bytes are an error where they make no hasher, but may make another hasher.
///
/// [`Blake2`](super::Blake2), which has no key, has [`SerializableState`](digest::common::hazmat::SerializableState) of
/// the `digest` traits too, with a layout of its own.
///
/// # Layout
///
/// The layout is fixed. A later version of this crate that needs another layout will give it another first byte, and
/// still read this one. The fields follow each other, with `W` bytes in a word, 8 for BLAKE2b and 4 for BLAKE2s:
///
/// | field                                               | bytes  | at, in BLAKE2b | at, in BLAKE2s |
/// |-----------------------------------------------------|--------|----------------|----------------|
/// | version, which is 1                                 | 1      | 0              | 0              |
/// | flags                                               | 1      | 1              | 1              |
/// | number of bytes held back                           | 1      | 2              | 2              |
/// | parameter block                                     | `8 W`  | 3              | 3              |
/// | key, zeros after it                                 | `8 W`  | 67             | 35             |
/// | chaining value                                      | `8 W`  | 131            | 67             |
/// | number of bytes compressed, little-endian           | `2 W`  | 195            | 99             |
/// | bytes held back, zeros after them                   | `16 W` | 211            | 107            |
/// | end                                                 |        | 339            | 171            |
///
/// Bit 0 of the flags tells that the node is the last of its level, bit 1 that it will be after
/// [`reset`](Hasher::reset). The other bits are 0. The message of a keyed hasher begins with the key, filled up with
/// zeros to `16 W` bytes. A block is compressed when more follows, so 1 to `16 W` bytes are held back, and none only
/// before the first byte.
#[derive(Clone)]
pub struct State<F: Flavour> {
    hasher: Hasher<F>,
}

const VERSION: u8 = 1;

/// Bits of the second byte.
const LAST_NODE: u8 = 1;
const LAST_NODE_AFTER_RESET: u8 = 2;

impl<F: Flavour> State<F> {
    /// The number of bytes of a stored state: 339 for BLAKE2b, 171 for BLAKE2s.
    pub const LENGTH: usize = {
        assert!(F::SavedState::LENGTH == 3 + 3 * F::LONGEST + F::TEXT + F::BLOCK, "all fields, and nothing else");
        F::SavedState::LENGTH
    };

    /// The state to be stored, `[u8; 339]` for BLAKE2b and `[u8; 171]` for BLAKE2s. With a key the bytes are as
    /// secret as the key.
    #[must_use]
    pub fn to_bytes(&self) -> F::SavedState {
        let Hasher { node, stream, last } = &self.hasher;
        let mut state = F::SavedState::ZERO;
        let mut rest = state.bytes_mut();
        let mut write = |bytes: &[u8]| {
            let (to, after) = mem::take(&mut rest).split_at_mut(bytes.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        let bit = |last, bit| if last == Last::Node { bit } else { 0 };
        #[expect(clippy::cast_possible_truncation, reason = "a block has at most 128 bytes")]
        let held = stream.buffer.held().len() as u8;
        write(&[VERSION, bit(*last, LAST_NODE) | bit(node.last, LAST_NODE_AFTER_RESET), held]);
        write(node.parameter_block.bytes());
        write(node.key.bytes());
        let mut h = stream.chain.to_bytes();
        write(h.bytes());
        write(&stream.chain.count.to_le_bytes()[..F::TEXT]);
        write(stream.buffer.block().bytes());
        wipe(&mut h);
        state
    }

    /// The state that has these bytes.
    ///
    /// # Errors
    ///
    /// If the version is not known, the length is another, a field is out of its range, or fields contradict each
    /// other.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        if bytes.first().is_some_and(|&version| version != VERSION) {
            return Err(StateError::Version);
        }
        if bytes.len() != Self::LENGTH {
            return Err(StateError::Length);
        }
        let mut rest = bytes;
        let mut read = |to: &mut [u8]| {
            let (bytes, after) = rest.split_at(to.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        let mut lead = [0; 3];
        read(&mut lead);
        let [_, flags, held] = lead;
        let (mut parameter_block, mut key) = (F::Digest::ZERO, F::Digest::ZERO);
        read(parameter_block.bytes_mut());
        read(key.bytes_mut());
        let (mut h, mut count, mut block) = (F::Digest::ZERO, [0; 16], F::Block::ZERO);
        read(h.bytes_mut());
        read(&mut count[..F::TEXT]);
        read(block.bytes_mut());

        let last = |bit| if flags & bit == 0 { Last::Block } else { Last::Node };
        let mut chain = Chain { h: F::Word::from_bytes(&h), count: u128::from_le_bytes(count) };
        let hasher = Node::checked(parameter_block, &key, last(LAST_NODE_AFTER_RESET))
            .and_then(|node| Hasher::resumed(node, &chain, &block, held.into()))
            .filter(|_| flags & !(LAST_NODE | LAST_NODE_AFTER_RESET) == 0);
        F::wipe(&mut chain);
        wipe(&mut key);
        wipe(&mut h);
        wipe(&mut block);
        let mut hasher = hasher.ok_or(StateError::Impossible)?;
        hasher.last = last(LAST_NODE);
        Ok(Self { hasher })
    }
}

/// The state of a hasher after its message so far. The hasher may go on.
impl<F: Flavour> From<&Hasher<F>> for State<F> {
    fn from(hasher: &Hasher<F>) -> Self {
        Self { hasher: hasher.clone() }
    }
}

/// A hasher that goes on from a state.
///
/// A state has no backend, since another machine may restore it. The hasher computes on [`Backend::best`], until
/// [`with_backend`](Self::with_backend) gives it another.
impl<F: Flavour> From<State<F>> for Hasher<F> {
    fn from(state: State<F>) -> Self {
        state.hasher.with_backend(Backend::best())
    }
}

/// Says nothing: a state is a secret.
impl<F: Flavour> fmt::Debug for State<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for State<F> {}

/// The compression function F of RFC 7693, section 3.2: the flavour's own number of rounds on `backend`, others on
/// scalar code.
pub(crate) fn compress<F: Flavour>(
    backend: Backend,
    rounds: u32,
    h: &mut [F::Word; 8],
    m: &[F::Word; 16],
    t: u128,
    f: bool,
) {
    let last = if f { Last::Block } else { Last::Not };
    if rounds as usize != F::ROUNDS {
        blake2_rounds::<F>(rounds, h, m, t, last);
        return;
    }
    let mut block = F::Block::ZERO;
    for (to, words) in block.bytes_mut().chunks_exact_mut(F::LONGEST).zip(m.as_chunks().0) {
        to.copy_from_slice(F::Word::to_bytes(*words).bytes());
    }
    // A backend counts the bytes of a block before it compresses it.
    let mut chain = Chain { h: *h, count: t.wrapping_sub(F::Block::LENGTH as u128) };
    F::compress(backend, &mut chain, slice::from_ref(&block), last);
    *h = chain.h;
    wipe(&mut block);
    F::wipe(&mut chain);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blake2b::FlavourB;
    use crate::blake2s::FlavourS;

    /// Users reach the best backend alone.
    fn every_backend_counts_to_t<F: Flavour>() {
        let mut noise = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
        let mut word = || {
            noise = noise.rotate_left(7);
            F::Word::truncate(noise)
        };
        let (start, m) = ([(); 8].map(|()| word()), [(); 16].map(|()| word()));
        let rounds = u32::try_from(F::ROUNDS).unwrap();
        for backend in Backend::available() {
            for edge in [0, 1, 3, F::BLOCK as u128, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 1 << 127] {
                for t in [edge, edge.wrapping_sub(1), edge + 1, edge + F::BLOCK as u128 - 1] {
                    for f in [false, true] {
                        let (mut ours, mut expected) = (start, start);
                        compress::<F>(backend, rounds, &mut ours, &m, t, f);
                        let last = if f { Last::Block } else { Last::Not };
                        blake2_rounds::<F>(rounds, &mut expected, &m, t, last);
                        assert!(ours == expected, "{backend}, counter {t:#x}, last {f}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_backend_counts_to_t_of_blake2b() {
        every_backend_counts_to_t::<FlavourB>();
    }

    #[test]
    fn every_backend_counts_to_t_of_blake2s() {
        every_backend_counts_to_t::<FlavourS>();
    }
}

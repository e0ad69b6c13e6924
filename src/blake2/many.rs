//! Many messages at once, each in a lane.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::{array, fmt, slice};

use super::hasher::{Hasher, one_shot};
use super::params::Start;
use super::{Family, Hash, Params, ParamsError};
use crate::backend::Backend;
use crate::buffer::{Block, wipe};
use crate::kernel::blake2::{Chain, Last};
use crate::kernel::{Kind, Run};
use crate::many::{Message, compress, for_lanes, longest_first};

/// Hashes of many messages, all with these parameters.
///
/// Messages are hashed side by side, each in a lane of the vector registers, as many as [`Backend::lanes`] tells. That
/// is several times faster than one after the other if there are that many messages, best a multiple; lengths may
/// differ, but the more alike they are, the longer all lanes are in use. A batch of one costs what a single hash does.
/// The order of the hashes is that of the messages.
impl<F: Family> Params<F> {
    /// The digests of `messages`.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let params = Params::new().hash_length(32);
    /// let hashes = params.hash_many(&["one", "two", "three"])?;
    /// assert_eq!(hashes[2], params.hash(b"three")?);
    /// # Ok::<(), simd_digest::blake2b::ParamsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    #[cfg(feature = "alloc")]
    pub fn hash_many(&self, messages: &[impl AsRef<[u8]>]) -> Result<Vec<Hash<F>>, ParamsError> {
        Ok(collect(&self.start()?, self.backend(), messages))
    }

    /// Writes the digests of `messages` to `hashes`, without touching the heap.
    ///
    /// # Errors
    ///
    /// If a field is out of its range, or there is not one hash for each message. Then nothing is written.
    pub fn hash_many_into(&self, messages: &[&[u8]], hashes: &mut [Hash<F>]) -> Result<(), ManyError> {
        let start = self.start()?;
        ManyError::check(messages.len(), hashes.len())?;
        each_hash(&start, self.backend(), messages, |i, hash| hashes[i] = hash);
        Ok(())
    }

    /// Writes the digests of `messages` to `bytes`, one after the other without gaps, without touching the heap.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let mut column = [0; 2 * 20];
    /// Params::new().hash_length(20).hash_many_flat(&[b"one", b"two"], &mut column)?;
    /// assert_eq!(*Params::new().hash_length(20).hash(b"two")?.as_bytes(), column[20..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a field is out of its range, or `bytes` is not `messages.len()` digests long. Then nothing is written.
    pub fn hash_many_flat(&self, messages: &[&[u8]], bytes: &mut [u8]) -> Result<(), ManyError> {
        let start = self.start()?;
        let length = start.hash_length();
        ManyError::check(messages.len().saturating_mul(length), bytes.len())?;
        let put = |i, hash: Hash<F>| bytes[i * length..][..length].copy_from_slice(hash.as_bytes());
        each_hash(&start, self.backend(), messages, put);
        Ok(())
    }
}

/// The digests of full length of `messages`, unkeyed and sequential.
#[cfg(feature = "alloc")]
pub(crate) fn hash_many<F: Family>(messages: &[impl AsRef<[u8]>]) -> Vec<Hash<F>> {
    collect(&Start::sequential(F::Words::LENGTH, &[]), Backend::best(), messages)
}

#[cfg(feature = "alloc")]
fn collect<F: Family>(start: &Start<F>, backend: Backend, messages: &[impl AsRef<[u8]>]) -> Vec<Hash<F>> {
    let mut hashes = alloc::vec![Hash::new(F::Words::ZERO, 1); messages.len()];
    each_hash(start, backend, messages, |i, hash| hashes[i] = hash);
    hashes
}

/// Gives the digest of each message to `put`, with its place in `messages`.
fn each_hash<F: Family>(
    start: &Start<F>,
    backend: Backend,
    messages: &[impl AsRef<[u8]>],
    mut put: impl FnMut(usize, Hash<F>),
) {
    // Two short ones are faster one after the other: the first blocks of a call begin before the last of another end.
    let alone = match messages {
        [_] => true,
        [_, _] => messages.iter().all(|message| message.as_ref().len() <= 2 * F::Block::LENGTH),
        _ => false,
    };
    if alone {
        let hashes = messages.iter().map(|message| one_shot(start, backend, message.as_ref()));
        return hashes.enumerate().for_each(|(i, hash)| put(i, hash));
    }
    let chain = Chain::new(&start.parameter_block);
    let key_block = start.key_block();
    let mut put = |i, chain: F::Chain| put(i, Hash::new(chain.to_bytes(), start.hash_length()));
    let done = if key_block.as_slice().is_empty() {
        for_lanes!(F, MAX_LANES => short::<F, MAX_LANES>(backend, chain, start.last, messages, &mut put))
    } else {
        0
    };
    let order = longest_first(messages.len() - done, |i| messages[done + i].as_ref().len()).map(|i| done + i);
    let messages = order.map(|i| message(i, chain, key_block.as_slice(), messages[i].as_ref(), start.last));
    compress::<F, _>(backend, messages, put);
}

/// Hashes the first messages, a lane each, as long as none of those side by side is longer than a block, and tells how
/// many it did.
///
/// The scheduler would do the same, but where a message costs a third of a single compression, its care for each is
/// as much again.
#[inline]
fn short<F: Family, const MAX_LANES: usize>(
    backend: Backend,
    chain: F::Chain,
    last: Last,
    messages: &[impl AsRef<[u8]>],
    put: &mut impl FnMut(usize, F::Chain),
) -> usize {
    let lanes = F::lanes(backend).min(MAX_LANES);
    let mut ends = [F::Block::ZERO; MAX_LANES];
    let mut half_empty = true;
    let mut done = 0;
    for group in messages.chunks(lanes) {
        let live = group.len();
        let group: [&[u8]; MAX_LANES] = array::from_fn(|i| group.get(i).map(AsRef::as_ref).unwrap_or_default());
        let longest = group.iter().map(|message| message.len()).fold(0, usize::max);
        if live == 1 || longest > F::Block::LENGTH {
            break;
        }
        let (kind, compressed) = match F::Block::LENGTH {
            whole if longest > whole / 2 => (Kind::Alike, whole),
            whole => (Kind::Half, whole / 2),
        };
        if kind == Kind::Half && !half_empty {
            ends = [F::Block::ZERO; MAX_LANES];
        }
        half_empty = kind == Kind::Half;
        let mut chains = [chain; MAX_LANES];
        for ((end, chain), message) in ends.iter_mut().zip(&mut chains).zip(&group[..live]) {
            if message.len() != compressed {
                *end = F::Block::ZERO;
            }
            end.bytes_mut()[..message.len()].copy_from_slice(message);
            F::discount(chain, F::Block::LENGTH - message.len());
        }
        let blocks: [&[F::Block]; MAX_LANES] = array::from_fn(|i| slice::from_ref(&ends[i]));
        let (chains, blocks, last) = (&mut chains[..live], &blocks[..live], &[last; MAX_LANES][..live]);
        F::compress_lanes(backend, Run { count: 1, stride: 1, chains, blocks, last, kind });
        for chain in chains {
            put(done, *chain);
            F::wipe(chain);
            done += 1;
        }
    }
    ends.iter_mut().for_each(wipe);
    done
}

/// Appends to each message its data, all at once: what [`Hasher::update`] does for one.
///
/// The hashers may differ in everything, and so may the lengths; see [`Params::hash_many`] for what is a good batch.
/// The backend of the first hasher computes.
///
/// ```
/// use simd_digest::blake2b::{self, Hasher, Params};
///
/// let (mut a, mut b) = (Hasher::new(), Params::new().key(b"a key").hasher()?);
/// blake2b::update_many(&mut [(&mut a, b"one"), (&mut b, b"two")]);
/// assert_eq!(a.finalize(), blake2b::hash(b"one"));
/// # Ok::<(), blake2b::ParamsError>(())
/// ```
pub fn update_many<F: Family>(updates: &mut [(&mut Hasher<F>, &[u8])]) {
    let Some((first, _)) = updates.first() else { return };
    let backend = first.backend;
    let messages = updates.iter_mut().filter_map(|(hasher, data)| {
        let Hasher { chain, buffer, .. } = &mut **hasher;
        let (held, whole) = buffer.ready(data);
        let more = !held.is_empty() || !whole.is_empty();
        more.then_some(Message { chain: *chain, owner: chain, held, whole, rest: None, last: Last::Not })
    });
    compress::<F, _>(backend, messages, |to, chain| *to = chain);
    for (hasher, data) in updates {
        hasher.buffer.hold(data);
    }
}

/// A whole message that begins with the key block, if there is one.
#[inline]
pub(super) fn message<'a, F: Family, T>(
    owner: T,
    chain: F::Chain,
    key_block: &'a [F::Block],
    bytes: &'a [u8],
    last: Last,
) -> Message<'a, F, T> {
    let (whole, rest) = F::Block::split(bytes);
    let empty = key_block.is_empty() && bytes.is_empty();
    let rest = (empty || !rest.is_empty()).then_some(rest);
    Message { owner, chain, held: key_block, whole, rest, last }
}

/// Why a batch was not hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManyError {
    /// A parameter is out of its range.
    Params(ParamsError),
    /// The output has another length than the digests of all messages.
    OutputLength {
        /// Its length: hashes, or bytes.
        given: usize,
        /// The length it must have.
        needed: usize,
    },
}

impl ManyError {
    fn check(needed: usize, given: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self::OutputLength { given, needed }) }
    }
}

impl From<ParamsError> for ManyError {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

impl fmt::Display for ManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Params(error) => error.fmt(f),
            Self::OutputLength { given, needed } => write!(f, "the output has length {given}, but must have {needed}"),
        }
    }
}

impl core::error::Error for ManyError {}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::blake2b::B;
    use crate::blake2s::S;
    use crate::kernel::blake2::Word;

    /// A hasher of which `count` bytes were compressed, so many that no message is as long.
    fn far<F: Family>(count: u128, backend: Backend, seed: u8) -> Hasher<F> {
        let mut words = F::Words::ZERO;
        words.bytes_mut().fill(seed);
        let mut hasher = Hasher::new().with_backend(backend);
        hasher.chain = Chain { h: F::Word::from_bytes(&words), count };
        hasher
    }

    /// Side by side with messages whose counters carry in another block, or do not.
    fn counters_carry_in_every_lane<F: Family>(edges: &[u128]) {
        let message: Vec<u8> = (0..251).cycle().take(3000).collect();
        let portable = Backend::available().last().unwrap();
        for backend in Backend::available() {
            for &edge in edges {
                for number in [2, 3, 4, 5, 8, 9, 16] {
                    let count = |i: usize| edge.wrapping_sub(F::Block::LENGTH as u128 * (3 * i as u128 % 8));
                    let seed = |i: usize| u8::try_from(i).unwrap();
                    let mut together: Vec<_> = (0..number).map(|i| far::<F>(count(i), backend, seed(i))).collect();
                    let mut updates: Vec<_> = together
                        .iter_mut()
                        .enumerate()
                        .map(|(i, hasher)| (hasher, &message[i..][..1500 + 90 * i]))
                        .collect();
                    update_many(&mut updates);
                    for (i, hasher) in together.into_iter().enumerate() {
                        let mut alone = far::<F>(count(i), portable, seed(i));
                        alone.update(&message[i..][..1500 + 90 * i]);
                        assert!(hasher.chain == alone.chain, "{backend}, message {i} of {number} from {:#x}", count(i));
                        assert_eq!(hasher.finalize(), alone.finalize());
                    }
                }
            }
        }
    }

    #[test]
    fn trap_counter_carry_in_every_lane_of_blake2b() {
        counters_carry_in_every_lane::<B>(&[1 << 32, 1 << 63, 1 << 64, 1 << 127, 0]);
    }

    #[test]
    fn trap_counter_carry_in_every_lane_of_blake2s() {
        counters_carry_in_every_lane::<S>(&[1 << 31, 1 << 32, 1 << 63, 1 << 64]);
    }
}

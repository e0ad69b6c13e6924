//! Many messages at once, each in a lane.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};
use core::fmt;

use super::flavour::Flavour;
use super::hasher::Hasher;
#[cfg(feature = "alloc")]
use super::hasher::hash;
use super::node::{KeyBlock, Node};
use super::params::{Params, ParamsError};
use crate::backend::Backend;
use crate::error::ManyError;
use crate::hash::Hash;
use crate::kernel::Known;
use crate::lanes::alone::{ends_are_faster_alone, messages_are_faster_alone};
use crate::lanes::ends::{End, close_each};
use crate::lanes::streams::{self, HasStream};
use crate::lanes::tails::{are_faster_alone, compress_tails};
use crate::lanes::{Common, compress_alone};
use crate::stream::Stream;
use crate::traits::{digest_after, hash_many};

/// Hashes of many messages, all with these parameters.
///
/// Messages are hashed side by side, each in a lane of the vector registers, as many as [`lanes`](super::lanes) tells.
/// That is several times faster than one after the other if there are that many messages, best a multiple; lengths may
/// differ, but the more alike they are, the longer all lanes are in use. A batch of one costs what a single hash does.
/// The order of the hashes is that of the messages.
impl<F: Flavour> Params<F> {
    /// The digests of `messages`.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    #[cfg(feature = "alloc")]
    pub fn hash_many<M: AsRef<[u8]>>(&self, messages: &[M]) -> Result<Vec<Hash<F>>, ParamsError> {
        // Its parameters stay in registers.
        if let [message] = messages {
            return Ok(vec![self.hash(message.as_ref())?]);
        }
        Ok(Alike::of(&self.node()?, self.backend()).hash_many(messages))
    }

    /// Writes the digests of `messages` to `hashes`, without allocating.
    ///
    /// # Errors
    ///
    /// If there is not one hash for each message, or a field is out of its range. Then nothing is written.
    pub fn hash_many_into<M: AsRef<[u8]>>(&self, messages: &[M], hashes: &mut [Hash<F>]) -> Result<(), HashManyError> {
        Ok(Alike::of(&self.node()?, self.backend()).hash_many_into(messages, hashes)?)
    }

    /// Writes the digests of `messages` to `bytes`, one after the other without gaps, without allocating.
    ///
    /// # Errors
    ///
    /// If `bytes` is not `messages.len()` digests long, or a field is out of its range. Then nothing is written.
    pub fn hash_many_flat<M: AsRef<[u8]>>(&self, messages: &[M], bytes: &mut [u8]) -> Result<(), HashManyError> {
        Ok(Alike::of(&self.node()?, self.backend()).hash_many_flat(messages, bytes)?)
    }
}

/// An error of a call of [`Params`] that writes many digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HashManyError {
    /// A parameter is out of range.
    Params(ParamsError),
    /// The output has another length than the digests.
    Outputs(ManyError),
}

impl From<ParamsError> for HashManyError {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

impl From<ManyError> for HashManyError {
    fn from(error: ManyError) -> Self {
        Self::Outputs(error)
    }
}

impl fmt::Display for HashManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Params(error) => error.fmt(f),
            Self::Outputs(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for HashManyError {}

/// As [`Params::hash_many_into`], for the default parameters.
pub(crate) fn hash_many_into<F: Flavour>(
    messages: &[impl AsRef<[u8]>],
    hashes: &mut [Hash<F>],
) -> Result<(), ManyError> {
    Alike::of(&Node::<F>::sequential(F::LONGEST, &[]), Backend::best()).hash_many_into(messages, hashes)
}

/// As [`Params::hash_many_flat`], for the default parameters.
pub(crate) fn hash_many_flat<F: Flavour>(messages: &[impl AsRef<[u8]>], bytes: &mut [u8]) -> Result<(), ManyError> {
    Alike::of(&Node::<F>::sequential(F::LONGEST, &[]), Backend::best()).hash_many_flat(messages, bytes)
}

/// The digests of full length of `messages`, unkeyed and sequential.
#[cfg(feature = "alloc")]
pub(crate) fn hash_many<F: Flavour>(messages: &[impl AsRef<[u8]>]) -> Vec<Hash<F>> {
    // Its parameters stay in registers.
    if let [message] = messages {
        return vec![hash(message.as_ref())];
    }
    Alike::of(&Node::sequential(F::LONGEST, &[]), Backend::best()).hash_many(messages)
}

/// Messages of one node.
struct Alike<'a, F: Flavour> {
    node: &'a Node<F>,
    /// Before the first block of each.
    chain: F::Chain,
    backend: Backend,
}

impl<'a, F: Flavour> Alike<'a, F> {
    /// Always inlined: see [`Params::node`].
    #[inline(always)]
    fn of(node: &'a Node<F>, backend: Backend) -> Self {
        Self { node, chain: node.chain(), backend }
    }

    #[inline]
    fn common<'b>(&'b self, key_block: &'b KeyBlock<F>) -> Common<'b, F> {
        let &Self { node, ref chain, backend } = self;
        Common { backend, chain, first: key_block.as_slice(), last: node.last }
    }

    #[inline]
    fn digest(&self, message: &[u8]) -> F::Digest {
        compress_alone(&self.common(&self.node.key_block()), message, |chain| chain.to_bytes())
    }

    /// Gives the digest of each message to `put`, with its place in `messages`.
    fn each_digest(&self, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, F::Digest)) {
        F::compress_in_lanes(&self.common(&self.node.key_block()), &messages, &mut |begin, chains| {
            (begin..).zip(chains).for_each(|(i, chain)| put(i, chain.to_bytes()));
        });
    }
}

hash_many! {
    impl[F: Flavour] Alike<'_, F>, Hash<F>,
    alone: messages_are_faster_alone::<F>(alike.backend, alike.node.keyed, messages),
    one: |message| alike.digest(message),
    hash: |alike, bytes| Hash::new(bytes, alike.node.hash_length()), length: alike.node.hash_length(),
    what: "the digests of `messages`", of: "message", as: "digest", how: ", without allocating",
    (messages) -> hashes
}

impl<F: Flavour> Hasher<F> {
    /// Gives the digest with each tail to `put`, with the tail's place.
    fn each_digest(&self, tails: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, F::Digest)) {
        compress_tails(&self.stream, self.last, tails, &mut |begin, chains| {
            (begin..).zip(chains).for_each(|(i, chain)| put(i, chain.to_bytes()));
        });
    }
}

hash_many! {
    impl[F: Flavour] Hasher<F>, Hash<F>,
    alone: are_faster_alone(&hasher.stream, tails), one: |tail| digest_after!(hasher, tail),
    hash: |hasher, bytes| Hash::new(bytes, hasher.node.hash_length()), length: hasher.node.hash_length(),
    what: "the digests of the message so far with each of `tails` behind it", of: "tail", as: "digest",
    how: ", without allocating",
    /// The digests of the message so far with each of `tails` behind it, in their order, side by side. The hasher stays as
    /// it is.
    pub (tails) -> hashes
}

impl<F: Flavour> HasStream for Hasher<F> {
    type Function = F;

    #[inline]
    fn stream(&mut self) -> &mut Stream<F> {
        &mut self.stream
    }
}

/// As [`blake2b::update_many`](crate::blake2b::update_many), for either flavour.
pub fn update_many<F: Flavour>(updates: &mut [(&mut Hasher<F>, &[u8])]) {
    let Some((first, _)) = updates.first() else { return };
    streams::update_many(first.backend(), updates);
}

/// As [`blake2b::update_each`](crate::blake2b::update_each), for either flavour.
pub fn update_each<'a, F: Flavour, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher<F>, &'a [u8])>,
    done: impl FnMut(T),
) {
    let jobs = jobs.into_iter().map(|(owner, hasher, data)| (owner, &mut hasher.stream, data));
    streams::update_each(backend, jobs, done);
}

/// As [`blake2b::finalize_many`](crate::blake2b::finalize_many), for either flavour.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many<F: Flavour>(hashers: &[&Hasher<F>], hashes: &mut [Hash<F>]) -> Result<(), ManyError> {
    ManyError::check(hashers.len(), hashes.len())?;
    let Some(first) = hashers.first() else { return Ok(()) };
    if ends_are_faster_alone::<F>(first.backend(), hashers.len()) {
        hashes.iter_mut().zip(hashers).for_each(|(hash, hasher)| *hash = hasher.finalize());
    } else {
        let ends = hashers.iter().map(|hasher| End::of(&hasher.stream, hasher.last));
        let put = |i: usize, chain: &F::Chain| hashes[i] = Hash::new(chain.to_bytes(), hashers[i].node.hash_length());
        close_each(first.backend(), Known::Nothing, ends, put);
    }
    Ok(())
}

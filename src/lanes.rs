//! Messages side by side, each in a lane: whole ones, pieces of some, or the ends of some.
//!
//! This module knows no hash. The plan of a hash says which messages share lanes: `blake2::plan`, `blake3::plan` and
//! `sha2::plan`.
#![forbid(unsafe_code)]

use crate::backend::{Backend, Dispatch};
use crate::kernel::Function;
use crate::stream::compress_message;

pub(crate) mod alone;
pub(crate) mod ends;
pub(crate) mod order;
pub(crate) mod scheduler;
pub(crate) mod streams;
pub(crate) mod tails;

/// The beginning that whole messages share, and how they end.
#[allow(missing_debug_implementations, reason = "the beginning may be a key; not every hash makes it public")]
pub struct Common<'a, H: Dispatch> {
    pub(crate) backend: Backend,
    /// Not copied where it need not be: the beginning may be a key.
    pub(crate) chain: &'a H::Chain,
    /// Blocks before each message: one or none.
    pub(crate) first: &'a [H::Block],
    pub(crate) last: H::Last,
}

/// Messages. `as_ref` is called more than once. If its answers differ, the digest is unspecified, but nothing panics.
pub trait Messages {
    fn number(&self) -> usize;
    /// Writes the messages from `begin` on to `window`, as many as there are and it has room for, and tells how many.
    fn read<'a>(&'a self, begin: usize, window: &mut [&'a [u8]]) -> usize;
    /// Gives each message to `take`, with its place.
    fn each(&self, take: &mut dyn FnMut(usize, &[u8]));
}

impl<M: AsRef<[u8]>> Messages for &[M] {
    #[inline]
    fn number(&self) -> usize {
        self.len()
    }

    #[inline]
    fn read<'a>(&'a self, begin: usize, window: &mut [&'a [u8]]) -> usize {
        let messages = &self[begin..];
        for (to, message) in window.iter_mut().zip(messages) {
            *to = message.as_ref();
        }
        messages.len().min(window.len())
    }

    fn each(&self, take: &mut dyn FnMut(usize, &[u8])) {
        self.iter().enumerate().for_each(|(i, message)| take(i, message.as_ref()));
    }
}

/// How the messages of a window are compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// One by one.
    #[cfg(feature = "sha2")]
    Alone,
    /// Side by side, each in its lane from its first block to its last.
    Whole,
    /// Side by side, and a lane that is free gets the next message.
    Scheduled,
}

/// A hash function that compresses batches. Its method takes `dyn Messages`, so that it is compiled once instead of once
/// for each type of message.
pub trait InLanes: Dispatch {
    /// Compresses whole messages, and gives each chain to `put`, with the message's place.
    fn compress_in_lanes(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>);
}

/// Takes the chains of messages that are neighbours, with the place of the first.
pub(crate) type Put<'a, H> = &'a mut dyn FnMut(usize, &[<H as Function>::Chain]);

#[inline]
pub(crate) fn compress_alone<H: Dispatch, R>(
    common: &Common<'_, H>,
    message: &[u8],
    answer: impl FnOnce(&H::Chain) -> R,
) -> R {
    let mut chain = *common.chain;
    compress_message::<H>(common.backend, &mut chain, common.first, message, common.last);
    let answer = answer(&chain);
    H::wipe(&mut chain);
    answer
}

/// Messages that the scheduler sorts together.
pub(crate) const WINDOW: usize = 64;

/// The lengths of the shortest and the longest message. From a constant on, qemu 10.0 computes the least wrongly.
pub(crate) fn extremes(messages: &[&[u8]]) -> (usize, usize) {
    let first = messages.first().map_or(0, |message| message.len());
    messages
        .iter()
        .map(|message| message.len())
        .fold((first, first), |(shortest, longest), length| (shortest.min(length), longest.max(length)))
}

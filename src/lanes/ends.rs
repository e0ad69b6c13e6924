//! The last blocks of messages: closed side by side, or copied so that zeros follow them.
#![forbid(unsafe_code)]

use digest::array::Array;
use digest::typenum::Unsigned;

use super::scheduler::Memory;
use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Known, Run};
use crate::stream::Stream;

/// The end of a message, of which all blocks before are compressed.
#[derive(Clone, Copy)]
pub(crate) struct End<'a, H: Dispatch> {
    pub(crate) chain: &'a H::Chain,
    /// Zeros after the first `length` bytes.
    pub(crate) block: &'a H::Block,
    pub(crate) length: usize,
    pub(crate) last: H::Last,
}

impl<'a, H: Dispatch> End<'a, H> {
    #[inline]
    pub(crate) fn of(stream: &'a Stream<H>, last: H::Last) -> Self {
        Self { chain: &stream.chain, block: stream.buffer.block(), length: stream.buffer.held().len(), last }
    }
}

/// Closes messages side by side, those that are closed by equally many blocks together, and gives each chain to `put`,
/// with its place. `hint` is a fact about all of them.
pub(crate) fn close_each<'a, H: Dispatch>(
    backend: Backend,
    hint: Known,
    ends: impl Iterator<Item = End<'a, H>> + Clone,
    mut put: impl FnMut(usize, &H::Chain),
) {
    let lanes = H::lanes(backend);
    let mut memory = Memory::<H>::new();
    for count in 1..=H::MaxClosing::USIZE {
        let mut messages = ends.clone().enumerate().filter(|(_, end)| H::closing(end.length) == count);
        loop {
            let Memory { chains, ends } = &mut memory;
            let mut places = Array::<usize, H::MaxLanes>::default();
            let mut last = Array::<H::Last, H::MaxLanes>::from_fn(|_| H::NOT_LAST);
            let mut live = 0;
            for (place, end) in messages.by_ref().take(lanes) {
                let to = &mut ends[live][..count];
                to[0] = *end.block;
                // Not by `fill`, which may be a call for each message.
                if let [_, second] = to {
                    *second = H::Block::ZERO;
                }
                chains[live] = *end.chain;
                H::close(&mut chains[live], to, end.length);
                (places[live], last[live]) = (place, end.last);
                live += 1;
            }
            if live == 0 {
                break;
            }
            let blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|i| &ends[i][..count]);
            let (chains, blocks, last) = (&mut chains[..live], &blocks[..live], &last[..live]);
            if let ([chain], [blocks], [last]) = (&mut *chains, blocks, last) {
                H::compress(backend, chain, blocks, *last);
            } else {
                H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, hint, ends: None });
            }
            for (place, chain) in places.iter().zip(chains) {
                put(*place, chain);
            }
        }
    }
    memory.wipe();
}

/// Copies the last bytes `rest` of a message, less than a block, to the second block of `memory`.
///
/// A copy of a fixed length takes a few cycles, and a call that copies any length some twenty. So the last bytes are
/// copied, as many as a block has if there are as many, to where `rest` begins the second block.
#[inline]
pub(crate) fn copy_rest<B: Block>(memory: &mut [B], message: &[u8], rest: &[u8]) {
    if let Some(last) = B::last(message) {
        B::flatten(memory)[rest.len()..][..B::LENGTH].copy_from_slice(last.bytes());
    } else {
        copy_short(memory[1].bytes_mut(), rest);
    }
}

/// Copies up to 128 bytes, most often by two copies of a fixed length that overlap.
#[inline]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
    #[inline(always)]
    fn twice<const N: usize>(to: &mut [u8], from: &[u8]) -> bool {
        let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return false };
        to[..N].copy_from_slice(first);
        to[from.len() - N..][..N].copy_from_slice(last);
        true
    }
    let to = &mut to[..from.len()];
    let done = if from.len() < 8 {
        from.is_empty() || twice::<4>(to, from) || twice::<2>(to, from)
    } else {
        twice::<64>(to, from) || twice::<32>(to, from) || twice::<16>(to, from) || twice::<8>(to, from)
    };
    if !done && let ([to], [from]) = (to, from) {
        *to = *from;
    }
}

/// Copies both to `memory`, one behind the other.
#[inline]
pub(crate) fn join<'a>(memory: &'a mut [u8], held: &[u8], tail: &[u8]) -> &'a [u8] {
    let (begin, rest) = memory.split_at_mut(held.len());
    copy_short(begin, held);
    if tail.len() <= 128 {
        copy_short(rest, tail);
    } else {
        rest[..tail.len()].copy_from_slice(tail);
    }
    &memory[..held.len() + tail.len()]
}

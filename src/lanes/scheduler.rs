//! Messages of any lengths side by side: a lane that is free gets the next one.
//!
//! ```text
//!   lane 0  ████████████████▒        ▒ = the block that closes a message; SHA-256 may need two
//!   lane 1  ██████▒██████████████▒   its lane is given to the next message at once
//!   lane 2  ███████████▒█████▒       nothing left: the run goes on with fewer lanes
//!           |run   |r|run|r| run |
//! ```
#![forbid(unsafe_code)]

use core::slice::from_ref;

use digest::array::Array;

use super::alone::are_faster_alone;
use super::order::{Key, blocks, sort};
use super::{Common, Put, WINDOW, compress_alone};
use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, ChainState, Known, Run, closes_whole_blocks, wipe};

/// The blocks of one message that are still to be compressed: `first`, `whole`, `rest`, in this order. If all are empty,
/// the message is done at once.
pub(crate) struct Message<'a, H: Dispatch, T> {
    /// Given back when the message ends.
    pub(crate) owner: T,
    pub(crate) chain: Start<'a, H>,
    /// Whether one more block, before all others, lies in the memory of the lane; `first` and `rest` are empty then.
    pub(crate) held: bool,
    pub(crate) first: &'a [H::Block],
    pub(crate) whole: &'a [H::Block],
    /// The end of the message, at most a block, still to be closed.
    pub(crate) rest: Option<&'a [u8]>,
    /// The place of the very last block in the message.
    pub(crate) last: H::Last,
}

/// The chaining value before a message's next block.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a, H: Dispatch> {
    /// One that many messages share. It may be a key's, so no copy is left anywhere.
    At(&'a H::Chain),
    Of(H::Chain),
}

impl<H: Dispatch> Start<'_, H> {
    fn get(&self) -> &H::Chain {
        match self {
            Self::At(chain) => chain,
            Self::Of(chain) => chain,
        }
    }
}

impl<'a, H: Dispatch, T> Message<'a, H, T> {
    /// A message that goes on with `first` and ends with `bytes`.
    #[inline]
    pub(crate) fn ending(owner: T, chain: Start<'a, H>, first: &'a [H::Block], bytes: &'a [u8], last: H::Last) -> Self {
        let (whole, rest) = H::Block::split(bytes);
        let closed = !closes_whole_blocks::<H>() && rest.is_empty() && !(first.is_empty() && whole.is_empty());
        Self { owner, chain, held: false, first, whole, rest: (!closed).then_some(rest), last }
    }
}

/// Where in its message a lane is.
struct Slot<'a, H: Dispatch, T> {
    owner: Option<T>,
    /// Blocks to come, those that close the message included.
    left: usize,
    /// Whether the next block lies in the memory of the lane.
    held: bool,
    /// Blocks that lie together; none if those that close the message are next.
    blocks: &'a [H::Block],
    /// Blocks that follow these.
    then: &'a [H::Block],
    /// Bytes of the message in the blocks that close the message.
    rest: usize,
    last: H::Last,
}

/// Compresses all `messages` and gives each chain to `done`, in the order in which they end.
#[cfg(all(feature = "alloc", feature = "blake2"))]
pub(crate) fn schedule<'a, H: Dispatch, T>(
    backend: Backend,
    messages: impl IntoIterator<Item = Message<'a, H, T>>,
    done: impl FnMut(T, &H::Chain),
) {
    let mut messages = messages.into_iter();
    let mut memory = Memory::new();
    memory.schedule(backend, |_| messages.next(), false, done);
    memory.wipe();
}

/// Each lane's chaining value, and the blocks that close its message.
pub(super) struct Memory<H: Dispatch> {
    pub(super) chains: Array<H::Chain, H::MaxLanes>,
    pub(super) ends: Array<Array<H::Block, H::MaxClosing>, H::MaxLanes>,
}

impl<H: Dispatch> Memory<H> {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            chains: Array::from_fn(|_| H::Chain::UNUSED),
            ends: Array::from_fn(|_| Array::from_fn(|_| H::Block::ZERO)),
        }
    }

    #[inline]
    pub(super) fn wipe(&mut self) {
        self.chains.iter_mut().for_each(H::wipe);
        self.ends.iter_mut().flatten().for_each(wipe);
    }

    /// See [`schedule`]. The messages are `alike` if all begin with the same words `h` and, in BLAKE2, the same count.
    ///
    /// `next` is asked whenever a lane is free, also after it had nothing. A message without a `rest` may have written
    /// its first block to the memory of the lane, which `next` is given; then the message is `held`.
    #[inline]
    pub(super) fn schedule<'a, T>(
        &mut self,
        backend: Backend,
        mut next: impl FnMut(&mut [H::Block]) -> Option<Message<'a, H, T>>,
        alike: bool,
        mut done: impl FnMut(T, &H::Chain),
    ) {
        let Self { chains, ends } = self;
        let lanes = H::lanes(backend);
        let mut slots = Array::<Slot<'a, H, T>, H::MaxLanes>::from_fn(|_| Slot::FREE);
        let mut live = 0;
        let mut all_begin_alike = alike;
        loop {
            while live < lanes {
                let Some(message) = next(&mut ends[live]) else { break };
                chains[live] = *message.chain.get();
                slots[live] = Slot::new(message, &mut ends[live]);
                if slots[live].left > 0 {
                    live += 1;
                } else if let Some(owner) = slots[live].owner.take() {
                    done(owner, &chains[live]);
                }
            }
            if live == 0 {
                break;
            }

            let mut count = usize::MAX;
            for ((slot, chain), end) in slots[..live].iter_mut().zip(&mut *chains).zip(&mut *ends) {
                let together = slot.next(chain, end);
                count = count.min(together).min(H::longest_run(chain));
            }
            compress_run::<H, T>(backend, count, &slots[..live], &mut chains[..live], ends, all_begin_alike);
            all_begin_alike = false;

            for i in (0..live).rev() {
                let slot = &mut slots[i];
                slot.left -= count;
                slot.blocks = slot.blocks.get(count..).unwrap_or_default();
                slot.held = false;
                if slot.left == 0 {
                    if let Some(owner) = slot.owner.take() {
                        done(owner, &chains[i]);
                    }
                    live -= 1;
                    if i < live {
                        slots.swap(i, live);
                        chains.swap(i, live);
                        ends.swap(i, live);
                    }
                }
            }
        }
    }
}

/// Compresses the next `count` blocks of every lane.
#[inline]
fn compress_run<H: Dispatch, T>(
    backend: Backend,
    count: usize,
    slots: &[Slot<'_, H, T>],
    chains: &mut [H::Chain],
    ends: &[Array<H::Block, H::MaxClosing>],
    all_begin_alike: bool,
) {
    let mut blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|_| &[]);
    let mut last = Array::<H::Last, H::MaxLanes>::from_fn(|_| H::NOT_LAST);
    for (i, slot) in slots.iter().enumerate() {
        blocks[i] = match slot.blocks {
            [] if slot.held => &ends[i][..1],
            [] => &ends[i][H::closing(slot.rest) - slot.left..],
            blocks => blocks,
        };
        if slot.left == count {
            last[i] = slot.last;
        }
    }
    if let [chain] = chains {
        H::compress(backend, chain, &blocks[0][..count], last[0]);
    } else {
        // A message that ends has another place of its last block, and in BLAKE2 another count.
        let alike = all_begin_alike && slots.iter().all(|slot| slot.left > count);
        let hint = if alike { Known::Alike } else { Known::Nothing };
        let (blocks, last) = (&blocks[..slots.len()], &last[..slots.len()]);
        H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, hint, ends: None });
    }
}

impl<'a, H: Dispatch, T> Slot<'a, H, T> {
    const FREE: Self = Self { owner: None, left: 0, held: false, blocks: &[], then: &[], rest: 0, last: H::NOT_LAST };

    /// The start of `message`. Its rest is copied to `end`.
    #[inline]
    fn new(message: Message<'a, H, T>, end: &mut [H::Block]) -> Self {
        let Message { owner, held, first, whole, rest, last, .. } = message;
        let mut left = usize::from(held) + first.len() + whole.len();
        if let Some(rest) = rest {
            end.fill(H::Block::ZERO);
            end[0].bytes_mut()[..rest.len()].copy_from_slice(rest);
            left += H::closing(rest.len());
        }
        Self { owner: Some(owner), left, held, blocks: first, then: whole, rest: rest.map_or(0, <[u8]>::len), last }
    }

    /// Moves on, if all blocks that lie together are compressed, and tells how many lie together now.
    #[inline]
    fn next(&mut self, chain: &mut H::Chain, end: &mut [H::Block]) -> usize {
        if self.held {
            return 1;
        }
        if self.blocks.is_empty() {
            self.blocks = core::mem::take(&mut self.then);
        }
        if !self.blocks.is_empty() {
            return self.blocks.len();
        }
        if self.left == H::closing(self.rest) {
            H::close(chain, &mut end[..self.left], self.rest);
        }
        self.left
    }
}

/// A whole message, or the end of one.
pub(crate) struct Job<'a, H: Dispatch> {
    pub(crate) place: usize,
    pub(crate) chain: Start<'a, H>,
    pub(crate) bytes: &'a [u8],
    pub(crate) last: H::Last,
}

impl<H: Dispatch> Job<'_, H> {
    fn compress_alone(&self, backend: Backend, put: Put<'_, H>) {
        let common = Common::<H> { backend, chain: self.chain.get(), first: &[], last: self.last };
        compress_alone(&common, self.bytes, |chain| put(self.place, from_ref(chain)));
    }
}

/// Compresses up to [`WINDOW`] jobs side by side, of these numbers and lengths in bytes, and gives the chain of each to
/// `put`, with its place. They are `alike` as in [`Memory::schedule`].
///
/// The longest come first. The scheduler keeps all lanes in use, but messages of different lengths soon end at different
/// times in it, so that every run is of one block, and costs a fourth of a block more. So where neighbours end together
/// no lane is given to another message.
pub(crate) fn compress_sorted<'a, H: Dispatch>(
    backend: Backend,
    lengths: impl Iterator<Item = (usize, usize)>,
    job: impl Fn(usize) -> Job<'a, H>,
    alike: bool,
    put: Put<'_, H>,
) {
    let mut keys = [Key::NONE; WINDOW];
    let mut number = 0;
    for (to, (i, length)) in keys.iter_mut().zip(lengths) {
        *to = Key::new(blocks::<H>(length), i);
        number += 1;
    }
    let keys = &mut keys[..number];
    match keys {
        [] => return,
        // It needs no memory.
        [key] => return job(key.number()).compress_alone(backend, put),
        _ => {}
    }
    sort(keys);
    let lanes = H::lanes(backend);
    let together = if end_together(keys, lanes) { lanes } else { number };
    let mut memory = Memory::new();
    for keys in keys.chunks(together) {
        let jobs = keys.iter().map(|key| job(key.number()));
        let total = keys.iter().map(|key| key.blocks()).sum();
        if are_faster_alone(H::sides(backend, keys.len()), keys.len(), total, keys[0].blocks()) {
            jobs.for_each(|job| job.compress_alone(backend, put));
        } else {
            let mut messages =
                jobs.map(|Job { place, chain, bytes, last }| Message::ending(place, chain, &[], bytes, last));
            memory.schedule(backend, |_| messages.next(), alike, |place, chain| put(place, from_ref(chain)));
        }
    }
    memory.wipe();
}

/// Compresses messages, where a lane that is free gets the next one, up to [`WINDOW`] of those that `order` names at a time.
/// They lie from place `begin` on, and `chain` is what they begin with.
pub(crate) fn compress_scheduled<H: Dispatch>(
    common: &Common<'_, H>,
    chain: &H::Chain,
    messages: &[&[u8]],
    order: &[u8],
    begin: usize,
    put: Put<'_, H>,
) {
    let job = |i: usize| Job { place: begin + i, chain: Start::<H>::At(chain), bytes: messages[i], last: common.last };
    // Empty messages end with the block before them, and so are all alike.
    let empty = |&(_, length): &(usize, usize)| !common.first.is_empty() && length == 0;
    for places in order.chunks(WINDOW) {
        let lengths = places.iter().map(|&i| (usize::from(i), messages[usize::from(i)].len()));
        let mut empties = lengths.clone().filter(empty).peekable();
        if empties.peek().is_some() {
            compress_alone(common, &[], |chain| empties.for_each(|(i, _)| put(begin + i, from_ref(chain))));
        }
        compress_sorted(common.backend, lengths.filter(|job| !empty(job)), job, true, put);
    }
}

/// Whether lanes stand idle for at most a fifth of the time, if each has one of neighbouring messages, the longest first.
fn end_together(keys: &[Key], lanes: usize) -> bool {
    let used: u64 = keys.iter().map(|key| key.blocks()).sum();
    let all: u64 = keys.chunks(lanes).map(|group| group[0].blocks() * group.len() as u64).sum();
    all - used <= all / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_long_messages() {
        let long = Key::new(u64::from(u32::MAX / 64), 3);
        assert!(end_together(&[long; WINDOW], 16) && !end_together(&[long, Key::new(1, 0)], 2));
    }
}

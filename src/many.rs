//! Many messages at once: whole ones, pieces of some, or the ends of some, each in a lane.
//!
//! ```text
//!   lane 0  ████████████████▒        ▒ = the block that closes a message; SHA-256 may need two
//!   lane 1  ██████▒██████████████▒   its lane is given to the next message at once
//!   lane 2  ███████████▒█████▒       nothing left: the run goes on with fewer lanes
//!           |run   |r|run|r| run |
//! ```
#![forbid(unsafe_code)]

use core::fmt;

use digest::array::Array;
use digest::typenum::Unsigned;

use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Run, wipe};
use crate::stream::Stream;

pub(crate) mod batch;
pub(crate) mod jobs;

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
        let closed = !H::CLOSES_WHOLE_BLOCKS && rest.is_empty() && !(first.is_empty() && whole.is_empty());
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

/// Of each lane the chaining value, and the blocks that close its message.
struct Memory<H: Dispatch> {
    chains: Array<H::Chain, H::MaxLanes>,
    ends: Array<Array<H::Block, H::MaxClosing>, H::MaxLanes>,
}

impl<H: Dispatch> Memory<H> {
    #[inline]
    fn new() -> Self {
        Self { chains: Array::from_fn(|_| H::NO_CHAIN), ends: Array::from_fn(|_| Array::from_fn(|_| H::Block::ZERO)) }
    }

    #[inline]
    fn wipe(&mut self) {
        self.chains.iter_mut().for_each(H::wipe);
        self.ends.iter_mut().flatten().for_each(wipe);
    }

    /// See [`schedule`]. The messages are `alike` if all begin with the same words `h` and, in BLAKE2, the same count.
    ///
    /// `next` is asked whenever a lane is free, also after it had nothing. A message without a `rest` may have written
    /// its first block to the memory of the lane, which `next` is given; then the message is `held`.
    #[inline]
    fn schedule<'a, T>(
        &mut self,
        backend: Backend,
        mut next: impl FnMut(&mut [H::Block]) -> Option<Message<'a, H, T>>,
        alike: bool,
        mut done: impl FnMut(T, &H::Chain),
    ) {
        let Self { chains, ends } = self;
        let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
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
        let hint = if alike { H::hint(usize::MAX) } else { H::NO_HINT };
        let (blocks, last) = (&blocks[..slots.len()], &last[..slots.len()]);
        H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, hint });
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

/// Appends to each stream its data, and gives each owner to `done` when its stream has all of it.
pub(crate) fn update_each<'a, H: Dispatch, T>(
    backend: Backend,
    mut jobs: impl Iterator<Item = (T, &'a mut Stream<H>, &'a [u8])>,
    mut done: impl FnMut(T),
) {
    let next = |memory: &mut [H::Block]| {
        let (owner, Stream { chain, buffer, .. }, data) = jobs.next()?;
        let (first, whole) = buffer.ready(data);
        let held = first.len();
        memory[..held].copy_from_slice(first);
        buffer.hold(data);
        let (start, held) = (Start::<H>::Of(*chain), held > 0);
        Some(Message { chain: start, owner: (owner, chain), held, first: &[], whole, rest: None, last: H::NOT_LAST })
    };
    let mut memory = Memory::new();
    memory.schedule(backend, next, false, |(owner, to), chain| {
        *to = *chain;
        done(owner);
    });
    memory.wipe();
}

/// Closes the messages of streams, to which more may be appended, and gives each chain to `put`, with its place. The
/// backend of the first computes.
pub(crate) fn finalize_each<'a, H: Dispatch>(
    streams: impl Iterator<Item = (&'a Stream<H>, H::Last)> + Clone,
    put: impl FnMut(usize, &H::Chain),
) {
    let Some((first, _)) = streams.clone().next() else { return };
    let messages = streams
        .enumerate()
        .map(|(i, (stream, last))| Message::ending(i, Start::At(&stream.chain), &[], stream.buffer.held(), last));
    schedule::<H, _>(first.backend, messages, put);
}

/// The output has another length than the digests of all messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// Its length: hashes, nodes or bytes.
    pub given: usize,
    /// The length it must have.
    pub needed: usize,
}

impl LengthError {
    pub(crate) fn check(needed: usize, given: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self { given, needed }) }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output has length {}, but must have {}", self.given, self.needed)
    }
}

impl core::error::Error for LengthError {}

//! Many messages at once: whole ones, pieces of some, or the ends of some, each in a lane.
//!
//! ```text
//!   lane 0  ████████████████▒        ▒ = the block that closes a message; SHA-256 may need two
//!   lane 1  ██████▒██████████████▒   its lane is given to the next message at once
//!   lane 2  ███████████▒█████▒       nothing left: the run goes on with fewer lanes
//!           |run   |r|run|r| run |
//! ```
#![forbid(unsafe_code)]

use core::cmp::Reverse;
use core::fmt;

use digest::array::Array;
use digest::typenum::Unsigned;

use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Run, wipe};
use crate::stream::{Stream, compress_message};

/// The blocks of one message that are still to be compressed: `first`, `whole`, `rest`, in this order; not all are
/// empty.
pub(crate) struct Message<'a, H: Dispatch, T> {
    /// Given back when the message ends.
    pub(crate) owner: T,
    pub(crate) chain: Start<'a, H>,
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

impl<'a, H: Dispatch, T> Message<'a, H, T> {
    /// A message that goes on with `first` and ends with `bytes`.
    #[inline]
    pub(crate) fn ending(owner: T, chain: Start<'a, H>, first: &'a [H::Block], bytes: &'a [u8], last: H::Last) -> Self {
        let (whole, rest) = H::Block::split(bytes);
        let closed = !H::CLOSES_WHOLE_BLOCKS && rest.is_empty() && !(first.is_empty() && whole.is_empty());
        Self { owner, chain, first, whole, rest: (!closed).then_some(rest), last }
    }
}

/// Where in its message a lane is.
struct Slot<'a, H: Dispatch, T> {
    owner: Option<T>,
    /// Blocks to come, those that close the message included.
    left: usize,
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
    mut done: impl FnMut(T, &H::Chain),
) {
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
    let mut messages = messages.into_iter();
    let mut slots = Array::<Slot<'a, H, T>, H::MaxLanes>::from_fn(|_| Slot::FREE);
    let mut chains = Array::<H::Chain, H::MaxLanes>::from_fn(|_| H::NO_CHAIN);
    let mut ends =
        Array::<Array<H::Block, H::MaxClosing>, H::MaxLanes>::from_fn(|_| Array::from_fn(|_| H::Block::ZERO));
    let mut live = 0;
    loop {
        while live < lanes {
            let Some(message) = messages.next() else { break };
            chains[live] = match message.chain {
                Start::At(chain) => *chain,
                Start::Of(chain) => chain,
            };
            slots[live] = Slot::new(message, &mut ends[live]);
            live += 1;
        }
        if live == 0 {
            break;
        }

        let mut count = usize::MAX;
        for ((slot, chain), end) in slots[..live].iter_mut().zip(&mut chains).zip(&mut ends) {
            let together = slot.next(chain, end);
            count = count.min(together).min(H::longest_run(chain));
        }
        compress_run::<H, T>(backend, count, &slots[..live], &mut chains[..live], &ends);

        for i in (0..live).rev() {
            let slot = &mut slots[i];
            slot.left -= count;
            slot.blocks = slot.blocks.get(count..).unwrap_or_default();
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
    chains.iter_mut().for_each(H::wipe);
    ends.iter_mut().flatten().for_each(wipe);
}

/// Compresses the next `count` blocks of every lane.
#[inline]
fn compress_run<H: Dispatch, T>(
    backend: Backend,
    count: usize,
    slots: &[Slot<'_, H, T>],
    chains: &mut [H::Chain],
    ends: &[Array<H::Block, H::MaxClosing>],
) {
    let mut blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|_| &[]);
    let mut last = Array::<H::Last, H::MaxLanes>::from_fn(|_| H::NOT_LAST);
    for (i, slot) in slots.iter().enumerate() {
        blocks[i] = match slot.blocks {
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
        let (blocks, last) = (&blocks[..slots.len()], &last[..slots.len()]);
        H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, hint: H::NO_HINT });
    }
}

impl<'a, H: Dispatch, T> Slot<'a, H, T> {
    const FREE: Self = Self { owner: None, left: 0, blocks: &[], then: &[], rest: 0, last: H::NOT_LAST };

    /// The start of `message`. Its rest is copied to `end`.
    #[inline]
    fn new(message: Message<'a, H, T>, end: &mut [H::Block]) -> Self {
        let Message { owner, first, whole, rest, last, .. } = message;
        let mut left = first.len() + whole.len();
        if let Some(rest) = rest {
            end.fill(H::Block::ZERO);
            end[0].bytes_mut()[..rest.len()].copy_from_slice(rest);
            left += H::closing(rest.len());
        }
        Self { owner: Some(owner), left, blocks: first, then: whole, rest: rest.map_or(0, <[u8]>::len), last }
    }

    /// Moves on, if all blocks that lie together are compressed, and tells how many lie together now.
    #[inline]
    fn next(&mut self, chain: &mut H::Chain, end: &mut [H::Block]) -> usize {
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

/// The beginning that whole messages share, and how they end.
pub(crate) struct Common<'a, H: Dispatch> {
    pub(crate) backend: Backend,
    /// Not copied where it need not be: the beginning may be a key.
    pub(crate) chain: &'a H::Chain,
    /// Blocks before each message: one or none.
    pub(crate) first: &'a [H::Block],
    pub(crate) last: H::Last,
}

/// Compresses whole messages, and gives each chain to `put`, with the message's place in `messages`.
///
/// Each message is asked for its bytes once for each use of them, so one that answers differently gets some digest.
pub(crate) fn compress_each<H: Dispatch>(
    common: &Common<'_, H>,
    messages: &[impl AsRef<[u8]>],
    mut put: impl FnMut(usize, &H::Chain),
) {
    let mut alone = |i: usize, message: &[u8]| {
        let mut chain = *common.chain;
        compress_message::<H>(common.backend, &mut chain, common.first, message, common.last);
        put(i, &chain);
        H::wipe(&mut chain);
    };
    match messages {
        [message] => return alone(0, message.as_ref()),
        [one, two] if !H::PAIRS => {
            let (one, two) = (one.as_ref(), two.as_ref());
            if one.len().max(two.len()) <= 2 * H::Block::LENGTH {
                alone(0, one);
                return alone(1, two);
            }
        }
        _ => {}
    }
    compress_batch(common, messages, put);
}

/// The same for more than one message. Apart, so that a message alone needs no memory for lanes.
#[inline(never)]
fn compress_batch<H: Dispatch>(
    common: &Common<'_, H>,
    messages: &[impl AsRef<[u8]>],
    mut put: impl FnMut(usize, &H::Chain),
) {
    let &Common { backend, chain, first, last } = common;
    let done = if first.is_empty() { compress_short(common, messages, &mut put) } else { 0 };
    if done == messages.len() {
        return;
    }
    let messages = longest_first(&messages[done..])
        .map(|(i, bytes)| Message::ending(done + i, Start::At(chain), first, bytes, last));
    schedule::<H, _>(backend, messages, put);
}

/// The messages with their places, by windows, in each the longest first.
///
/// Messages of one length then share their runs, and the last lane to end is a short one. A window is large enough to
/// fill the lanes several times over, and small enough to need no heap.
fn longest_first<M: AsRef<[u8]>>(messages: &[M]) -> impl Iterator<Item = (usize, &[u8])> {
    const WINDOW: usize = 64;
    let mut window: [(u8, &[u8]); WINDOW] = [(0, &[]); WINDOW];
    (0..messages.len()).map(move |i| {
        let begin = i - i % WINDOW;
        if i == begin {
            let messages = &messages[begin..];
            let window = &mut window[..WINDOW.min(messages.len())];
            for ((slot, message), offset) in window.iter_mut().zip(messages).zip(0..) {
                *slot = (offset, message.as_ref());
            }
            window.sort_unstable_by_key(|(_, bytes)| Reverse(bytes.len()));
        }
        let (offset, bytes) = window[i - begin];
        (begin + usize::from(offset), bytes)
    })
}

/// Compresses the first messages, a lane each, as long as those side by side have at most a block each and are closed
/// by equally many, and tells how many it did.
///
/// The scheduler would do the same, but where a message costs a third of a single compression, its care for each is
/// as much again.
#[inline]
fn compress_short<H: Dispatch>(
    common: &Common<'_, H>,
    messages: &[impl AsRef<[u8]>],
    put: &mut impl FnMut(usize, &H::Chain),
) -> usize {
    let lanes = H::lanes(common.backend).min(H::MaxLanes::USIZE);
    let mut ends =
        Array::<Array<H::Block, H::MaxClosing>, H::MaxLanes>::from_fn(|_| Array::from_fn(|_| H::Block::ZERO));
    let mut chains = Array::<H::Chain, H::MaxLanes>::from_fn(|_| *common.chain);
    // Blocks, and bytes at the start of a block, that may not be zeros.
    let (mut used_blocks, mut used) = (0, 0);
    let mut done = 0;
    let mut bytes = Array::<&[u8], H::MaxLanes>::default();
    for group in messages.chunks(lanes) {
        let live = group.len();
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for (bytes, message) in bytes.iter_mut().zip(group) {
            *bytes = message.as_ref();
            (shortest, longest) = (shortest.min(bytes.len()), longest.max(bytes.len()));
        }
        if live == 1 || longest > H::Block::LENGTH || H::closing(shortest) != H::closing(longest) {
            break;
        }
        let count = H::closing(longest);
        for ((end, chain), message) in ends.iter_mut().zip(&mut chains).zip(&bytes[..live]) {
            if message.len() < used || count < used_blocks {
                end[..count.max(used_blocks)].fill(H::Block::ZERO);
            }
            end[0].bytes_mut()[..message.len()].copy_from_slice(message);
            *chain = *common.chain;
            H::close(chain, &mut end[..count], message.len());
        }
        used = if H::CLOSES_WHOLE_BLOCKS { H::Block::LENGTH } else { longest.max(used) };
        used_blocks = count;
        let blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|i| &ends[i][..count]);
        let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| common.last);
        let (chains, blocks, last) = (&mut chains[..live], &blocks[..live], &last[..live]);
        let hint = H::hint(longest);
        H::compress_lanes(common.backend, Run { count, stride: 1, chains, blocks, last, hint });
        for chain in chains {
            put(done, chain);
            done += 1;
        }
    }
    chains.iter_mut().for_each(H::wipe);
    ends.iter_mut().flatten().for_each(wipe);
    done
}

/// Appends to each stream its data. The backend of the first computes.
pub(crate) fn update_each<H: Dispatch, U>(updates: &mut [(U, &[u8])], stream: impl Fn(&mut U) -> &mut Stream<H>) {
    let Some((first, _)) = updates.first_mut() else { return };
    let backend = stream(first).backend;
    let messages = updates.iter_mut().filter_map(|(owner, data)| {
        let Stream { chain, buffer, .. } = stream(owner);
        let (first, whole) = buffer.ready(data);
        let more = !first.is_empty() || !whole.is_empty();
        more.then_some(Message { chain: Start::Of(*chain), owner: chain, first, whole, rest: None, last: H::NOT_LAST })
    });
    schedule::<H, _>(backend, messages, |to, chain| *to = *chain);
    for (owner, data) in updates {
        stream(owner).buffer.hold(data);
    }
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

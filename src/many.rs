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
use core::{fmt, slice};

use digest::array::Array;
use digest::typenum::Unsigned;

use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer;
use crate::kernel::{Block, Few, Run, wipe};
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

/// Streams of which [`update_many`] compresses the next blocks together.
const WINDOW: usize = 64;

/// A hasher, and data to be appended to it.
pub(crate) trait Update<H: Dispatch> {
    fn data(&self) -> &[u8];
    /// The hasher's stream, and what it takes of the data.
    fn parts(&mut self) -> (&mut Stream<H>, &[u8]);
    /// Appends all data, alone.
    fn append(&mut self);
    /// Appends the data that the stream does not take. It has all other.
    fn append_rest(&mut self) {}

    /// Appends all data, unless the stream would compress blocks. Tells whether it did.
    #[inline]
    fn hold(&mut self) -> bool {
        let (stream, data) = self.parts();
        let can_hold = stream.buffer.can_hold(data);
        if can_hold {
            stream.buffer.append(data);
        }
        can_hold
    }
}

/// Appends to each hasher its data. What can be held back is so at once, in no lane.
#[inline]
pub(crate) fn update_many<H: Dispatch>(backend: Backend, updates: &mut [impl Update<H>]) {
    if updates.len() <= FEW && are_short::<H>(backend, updates.iter().map(Update::data)) {
        return updates.iter_mut().for_each(Update::append);
    }
    if updates.iter().all(|update| update.data().is_empty()) {
        return;
    }
    for window in updates.chunks_mut(WINDOW) {
        // A bit for each hasher with blocks to be compressed.
        let mut waiting = 0_u64;
        for (i, update) in window.iter_mut().enumerate() {
            waiting |= u64::from(!update.hold()) << i;
        }
        if waiting != 0 {
            append_marked(backend, window, waiting);
        }
    }
}

/// Appends to each hasher with a bit in `marks` its data. Apart, so that data which is held back needs no memory.
#[inline(never)]
fn append_marked<H: Dispatch>(backend: Backend, window: &mut [impl Update<H>], marks: u64) {
    let number = marks.count_ones() as usize;
    let by_streams = H::CLOSES_WHOLE_BLOCKS && backend.sha() && H::lanes(backend) <= FEW;
    if (number <= FEW || by_streams) && are_short::<H>(backend, marked(window, marks).map(|update| update.data())) {
        return marked(window, marks).for_each(Update::append);
    }
    if number <= FEW {
        append_together::<H, FEW>(backend, marked(window, marks));
    } else {
        append_together::<H, WINDOW>(backend, marked(window, marks));
    }
    marked(window, marks).for_each(Update::append_rest);
}

/// Appends to up to `N` hashers what their streams take.
fn append_together<'a, H: Dispatch, const N: usize>(
    backend: Backend,
    updates: impl Iterator<Item = &'a mut (impl Update<H> + 'a)>,
) {
    let mut pieces = [const { None }; N];
    let mut number = 0;
    for (to, update) in pieces.iter_mut().zip(updates) {
        let (stream, data) = update.parts();
        *to = Some(Piece { stream, data });
        number += 1;
    }
    append_pieces(backend, &mut pieces[..number]);
}

/// Pieces at most that may take less time one after the other than side by side, except with the SHA extension.
const FEW: usize = 8;

/// Whether pieces take less time one after the other than side by side. Only blocks that lie whole in the data count,
/// because one that the data completes is a run of its own.
#[inline]
fn are_short<'a, H: Dispatch>(backend: Backend, pieces: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut number, mut total, mut longest) = (0, 0_usize, 0);
    for data in pieces {
        (number, total, longest) = (number + 1, total.saturating_add(data.len()), longest.max(data.len()));
    }
    let blocks = longest / H::Block::LENGTH;
    let one_after_the_other = if !H::CLOSES_WHOLE_BLOCKS {
        number <= 3 && blocks <= 1
    } else {
        // The SHA extension begins the next message before one has ended.
        backend.sha() && (longest <= H::Block::LENGTH || number <= 6 && blocks <= 1)
    };
    one_after_the_other || are_faster_alone::<H>(backend, number, (total / H::Block::LENGTH) as u64, blocks as u64)
}

/// Those with a bit in `marks`.
fn marked<U>(window: &mut [U], marks: u64) -> impl Iterator<Item = &mut U> {
    window.iter_mut().enumerate().filter(move |(i, _)| marks >> i & 1 == 1).map(|(_, update)| update)
}

/// A stream, and bytes still to be appended to it.
struct Piece<'a, H: Dispatch> {
    stream: &'a mut Stream<H>,
    data: &'a [u8],
}

impl<H: Dispatch> Piece<'_, H> {
    /// The whole blocks in the data, if nothing is held back.
    fn whole(&self) -> &[H::Block] {
        Buffer::<H>::whole(self.data).0
    }

    /// Completes the block that is held back, if there is one.
    fn complete(&mut self) -> Option<(&mut H::Chain, &[H::Block])> {
        let Stream { chain, buffer, .. } = &mut *self.stream;
        if buffer.held().is_empty() {
            return None;
        }
        let (head, rest) = self.data.split_at(buffer.free());
        buffer.append(head);
        self.data = rest;
        Some((chain, slice::from_ref(buffer.block())))
    }
}

/// Appends pieces none of which can be held back whole: all are there.
fn append_pieces<H: Dispatch>(backend: Backend, pieces: &mut [Option<Piece<'_, H>>]) {
    if pieces.iter().flatten().any(|piece| !piece.stream.buffer.held().is_empty()) {
        compress_groups::<H>(backend, pieces.iter_mut().flatten().filter_map(Piece::complete));
    }
    let (mut used, mut most, mut least) = (0, 0, usize::MAX);
    for piece in pieces.iter_mut().flatten() {
        if piece.stream.buffer.free() == 0 {
            piece.stream.buffer = Buffer::EMPTY;
        }
        let count = piece.whole().len();
        (used, most, least) = (used + count, most.max(count), least.min(count));
    }
    if most != least {
        let count = |piece: &Option<Piece<'_, H>>| piece.as_ref().map_or(0, |piece| piece.whole().len());
        pieces.sort_unstable_by_key(|piece| Reverse(count(piece)));
        let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
        let all: usize = pieces.chunks(lanes).map(|group| count(&group[0]) * group.len()).sum();
        // Lanes that would stand idle for long are given to another stream.
        if most > 8 && all - used > all / 5 {
            let jobs = pieces.iter_mut().flatten().map(|Piece { stream, data }| ((), &mut **stream, *data));
            return update_each(backend, jobs, |()| {});
        }
    }
    if most > 0 {
        let pieces = pieces.iter_mut().flatten();
        compress_groups::<H>(backend, pieces.map(|piece| (&mut piece.stream.chain, Buffer::<H>::whole(piece.data).0)));
    }
    for Piece { stream, data } in pieces.iter_mut().flatten() {
        stream.buffer.append(Buffer::<H>::whole(data).1);
    }
}

/// Whether messages of `total` blocks, the longest of `longest`, take less time one after the other than side by side.
fn are_faster_alone<H: Dispatch>(backend: Backend, number: usize, total: u64, longest: u64) -> bool {
    let (lanes, pairs) = (H::lanes(backend), H::pairs(backend));
    H::are_faster_alone(&Few { number: number as u64, total, longest, lanes, pairs })
}

/// Compresses blocks that do not end their messages. No message has more of them than the one before.
fn compress_groups<'a, H: Dispatch>(
    backend: Backend,
    mut messages: impl Iterator<Item = (&'a mut H::Chain, &'a [H::Block])>,
) {
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
    let mut values = Array::<H::Chain, H::MaxLanes>::from_fn(|_| H::NO_CHAIN);
    loop {
        let mut chains = Array::<Option<&mut H::Chain>, H::MaxLanes>::from_fn(|_| None);
        let mut blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|_| &[]);
        let mut live = 0;
        for (chain, whole) in messages.by_ref().take(lanes) {
            values[live] = *chain;
            (chains[live], blocks[live]) = (Some(chain), whole);
            live += 1;
        }
        if live == 0 {
            break;
        }
        compress_group::<H>(backend, &mut values[..live], &mut blocks[..live]);
        for (chain, value) in chains.iter_mut().flatten().zip(&values) {
            **chain = *value;
        }
    }
    values.iter_mut().for_each(H::wipe);
}

/// Compresses all `blocks` of messages for all of which there are lanes.
fn compress_group<H: Dispatch>(backend: Backend, mut chains: &mut [H::Chain], mut blocks: &mut [&[H::Block]]) {
    let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| H::NOT_LAST);
    while let [.., shortest] = &*blocks {
        let count = chains.iter().map(H::longest_run).fold(shortest.len(), usize::min);
        if count > 0 {
            if let ([chain], [blocks]) = (&mut *chains, &*blocks) {
                H::compress(backend, chain, &blocks[..count], H::NOT_LAST);
            } else {
                let last = &last[..blocks.len()];
                H::compress_lanes(
                    backend,
                    Run { count, stride: 1, chains, blocks, last, hint: H::NO_HINT, ends: None },
                );
            }
            blocks.iter_mut().for_each(|blocks| *blocks = &blocks[count..]);
        }
        let live = blocks.iter().take_while(|blocks| !blocks.is_empty()).count();
        (chains, blocks) = (&mut chains[..live], &mut blocks[..live]);
    }
}

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
    hint: H::Hint,
    ends: impl Iterator<Item = End<'a, H>> + Clone,
    mut put: impl FnMut(usize, &H::Chain),
) {
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
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
                to.fill(H::Block::ZERO);
                to[0] = *end.block;
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

/// Whether so many ends of messages take less time one after the other than side by side.
pub(crate) fn ends_are_faster_alone<H: Dispatch>(backend: Backend, number: usize) -> bool {
    let most = match (H::CLOSES_WHOLE_BLOCKS, backend.sha()) {
        (true, true) => 7,
        (true, false) => 1,
        (false, _) => 2,
    };
    number <= most || H::lanes(backend) == 1
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

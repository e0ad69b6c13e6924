//! Streams side by side, each of which takes what data it is given.
#![forbid(unsafe_code)]

use core::slice;

use digest::array::Array;

use super::alone::{most_short_alone, pieces_are_faster_alone};
use super::order::{put_in_order, sort_by_blocks};
use super::scheduler::{Memory, Message, Start};
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer;
use crate::kernel::{Block, ChainState, Known, Run, Sides};
use crate::stream::Stream;

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
const STREAMS: usize = 64;

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

/// A hasher whose stream takes all data.
pub(crate) trait HasStream {
    type Function: Dispatch;

    fn stream(&mut self) -> &mut Stream<Self::Function>;
}

impl<S: HasStream> Update<S::Function> for (&mut S, &[u8]) {
    #[inline]
    fn data(&self) -> &[u8] {
        self.1
    }

    #[inline]
    fn parts(&mut self) -> (&mut Stream<S::Function>, &[u8]) {
        (self.0.stream(), self.1)
    }

    #[inline]
    fn append(&mut self) {
        self.0.stream().update(self.1);
    }
}

/// Appends to each hasher its data. Data that can be held back is held at once, and takes no lane, nor do a few short
/// pieces.
#[inline]
pub(crate) fn update_many<H: Dispatch>(backend: Backend, updates: &mut [impl Update<H>]) {
    let number = updates.len();
    if number == 1 || H::lanes(backend) == 1 {
        return updates.iter_mut().for_each(Update::append);
    }
    // Other CPUs need to know that all are short.
    let are_few = || backend.overlaps() && number <= most_short_alone::<H>(backend);
    for window in updates.chunks_mut(STREAMS) {
        // A bit for each hasher with blocks to be compressed side by side.
        let mut waiting = 0_u64;
        for (i, update) in window.iter_mut().enumerate() {
            // To hold nothing would take as long as a copy.
            if update.data().is_empty() || update.hold() {
                continue;
            }
            if update.data().len() < 2 * H::Block::LENGTH && are_few() {
                update.append();
            } else {
                waiting |= 1 << i;
            }
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
    let by_streams =
        matches!(H::sides(backend, number), Sides::Streams(2) | Sides::Overlapping(_) | Sides::OverlappingShort(_));
    if (number <= FEW_STREAMS || by_streams)
        && pieces_are_faster_alone::<H>(backend, marked(window, marks).map(|update| update.data()))
    {
        return marked(window, marks).for_each(Update::append);
    }
    if number <= FEW_STREAMS {
        append_together::<H, FEW_STREAMS>(backend, marked(window, marks));
    } else {
        append_together::<H, STREAMS>(backend, marked(window, marks));
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

/// Pieces at most that may take less time one by one, except with the SHA extension.
const FEW_STREAMS: usize = 8;

/// The elements of `window` with a bit in `marks`.
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
        let mut order = [0; STREAMS];
        let order = &mut order[..pieces.len()];
        sort_by_blocks(order, |i| count(&pieces[i]) as u64);
        put_in_order(pieces, order);
        let lanes = H::lanes(backend);
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

/// Compresses blocks that do not end their messages. No message has more of them than the one before.
pub(super) fn compress_groups<'a, H: Dispatch>(
    backend: Backend,
    mut messages: impl Iterator<Item = (&'a mut H::Chain, &'a [H::Block])>,
) {
    let lanes = H::lanes(backend);
    let mut values = Array::<H::Chain, H::MaxLanes>::from_fn(|_| H::Chain::UNUSED);
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
        compress_together::<H>(backend, &mut values[..live], &mut blocks[..live]);
        for (chain, value) in chains.iter_mut().flatten().zip(&values) {
            **chain = *value;
        }
    }
    values.iter_mut().for_each(H::wipe);
}

/// Compresses all `blocks` of messages for all of which there are lanes.
fn compress_together<H: Dispatch>(backend: Backend, mut chains: &mut [H::Chain], mut blocks: &mut [&[H::Block]]) {
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
                    Run { count, stride: 1, chains, blocks, last, hint: Known::Nothing, ends: None },
                );
            }
            blocks.iter_mut().for_each(|blocks| *blocks = &blocks[count..]);
        }
        let live = blocks.iter().take_while(|blocks| !blocks.is_empty()).count();
        (chains, blocks) = (&mut chains[..live], &mut blocks[..live]);
    }
}

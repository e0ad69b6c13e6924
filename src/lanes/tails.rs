//! Messages that share a beginning, which a stream has taken, and go on with a tail each.
//!
//! ```text
//!   stream  ████████▒▒▒      ████ = compressed once
//!   tail 0          ▒▒▒░░░   ▒▒▒  = held back: copied before each tail, unless it is a whole block
//!   tail 1          ▒▒▒░░░░░░░
//! ```
#![forbid(unsafe_code)]

use core::slice::from_ref;

use super::alone::{by_extension, messages_are_faster_alone};
use super::ends::join;
use super::order::blocks;
use super::scheduler::{Job, Start, compress_sorted};
use super::streams::compress_groups;
use super::{Common, InLanes, Messages, Put, compress_alone};
use crate::backend::Dispatch;
use crate::kernel::{Block, wipe};
use crate::stream::Stream;

/// Whether the tails take less time one by one, each behind a clone of the stream.
///
/// To join a tail to what is held back takes 45 cycles on Zen 4, and a block of the SHA extension 126. The numbers below
/// were measured there, by `hash_many_into` in turns with a loop of clones.
#[inline]
pub(crate) fn are_faster_alone<H: Dispatch>(stream: &Stream<H>, tails: &[impl AsRef<[u8]>]) -> bool {
    let (backend, held, number) = (stream.backend, stream.buffer.held().len(), tails.len());
    let begun = held % H::Block::LENGTH;
    let are_blocks = || tails.iter().all(|tail| blocks::<H>(begun + tail.as_ref().len()) == 1);
    if number <= 1 {
        true
    } else if begun == 0 {
        by_extension::<H>(backend) && number <= 5 && are_blocks()
            || messages_are_faster_alone::<H>(backend, held > 0, tails)
    } else {
        number <= 3
            || H::lanes(backend) == 1
            || by_extension::<H>(backend) && (number <= 5 || number <= 24 && are_blocks())
    }
}

/// Compresses the message of `stream` with each tail behind it, side by side, and gives each chain to `put`, with the
/// tail's place.
#[inline]
pub(crate) fn compress_tails<H: InLanes>(
    stream: &Stream<H>,
    last: H::Last,
    tails: &[impl AsRef<[u8]>],
    put: Put<'_, H>,
) {
    let first = match stream.buffer.held().len() {
        0 => &[][..],
        length if length == H::Block::LENGTH => from_ref(stream.buffer.block()),
        _ => return compress_joined(stream, last, &tails, put),
    };
    H::compress_in_lanes(&Common { backend: stream.backend, chain: &stream.chain, first, last }, &tails, put);
}

/// Tails that are joined to what is held back at a time.
const WINDOW: usize = 16;

/// Tails of which a call needs less memory.
const FEW: usize = 4;

/// Blocks of memory for what is held back and a tail. A longer tail is compressed from where it lies, after its block that
/// begins with what is held back.
const BLOCKS: usize = 4;

/// As [`compress_tails`], where a block has begun. Not generic over the type of the tails, so that it is compiled once.
fn compress_joined<H: InLanes>(stream: &Stream<H>, last: H::Last, tails: &dyn Messages, put: Put<'_, H>) {
    if tails.number() <= FEW {
        compress_windows::<H, FEW>(stream, last, tails, put);
    } else {
        compress_windows::<H, WINDOW>(stream, last, tails, put);
    }
}

fn compress_windows<H: InLanes, const W: usize>(
    stream: &Stream<H>,
    last: H::Last,
    tails: &dyn Messages,
    put: Put<'_, H>,
) {
    let (backend, held) = (stream.backend, stream.buffer.held());
    let common = Common::<H> { backend, chain: &stream.chain, first: &[], last };
    let mut memory = [[H::Block::ZERO; BLOCKS]; W];
    let mut begin = 0;
    while begin < tails.number() {
        let mut window = [&[][..]; W];
        let read = tails.read(begin, &mut window);
        let window = &window[..read];
        // Joined ones first, then those that are too long.
        let (mut places, mut joined, mut long) = ([0; W], 0, W);
        for (place, tail) in window.iter().enumerate() {
            if held.len() + tail.len() <= BLOCKS * H::Block::LENGTH {
                places[joined] = place;
                joined += 1;
            } else {
                long -= 1;
                places[long] = place;
            }
        }
        let mut messages = [&[][..]; W];
        for ((message, memory), &place) in messages.iter_mut().zip(&mut memory).zip(&places[..joined]) {
            *message = join(H::Block::flatten(memory), held, window[place]);
        }
        let (messages, places_of) = (&messages[..joined], &places[..joined]);
        if messages_are_faster_alone::<H>(backend, false, messages) {
            for (message, place) in messages.iter().zip(places_of) {
                compress_alone(&common, message, |chain| put(begin + place, from_ref(chain)));
            }
        } else {
            H::compress_in_lanes(&common, &messages, &mut |from, chains| {
                for (chain, place) in chains.iter().zip(&places_of[from..]) {
                    put(begin + place, from_ref(chain));
                }
            });
        }
        compress_long::<H, W>(stream, last, &places[long..], window, &mut |place, chains| put(begin + place, chains));
        begin += read;
    }
    memory.iter_mut().flatten().for_each(wipe);
}

/// The tails at these places, at most `W`, each longer than what its first block lacks.
fn compress_long<H: Dispatch, const W: usize>(
    stream: &Stream<H>,
    last: H::Last,
    places: &[usize],
    tails: &[&[u8]],
    put: Put<'_, H>,
) {
    if places.is_empty() {
        return;
    }
    let backend = stream.backend;
    let (mut chains, mut blocks) = ([stream.chain; W], [H::Block::ZERO; W]);
    for (block, &place) in blocks.iter_mut().zip(places) {
        let (held, to) = block.bytes_mut().split_at_mut(stream.buffer.held().len());
        held.copy_from_slice(stream.buffer.held());
        to.copy_from_slice(&tails[place][..to.len()]);
    }
    compress_groups::<H>(backend, chains.iter_mut().zip(blocks.chunks(1)).take(places.len()));
    let rest = |i: usize| &tails[places[i]][stream.buffer.free()..];
    let lengths = (0..places.len()).map(|i| (i, rest(i).len()));
    let job = |i: usize| Job { place: places[i], chain: Start::<H>::At(&chains[i]), bytes: rest(i), last };
    compress_sorted(backend, lengths, job, false, put);
    chains.iter_mut().for_each(H::wipe);
    blocks.iter_mut().for_each(wipe);
}

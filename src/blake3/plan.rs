//! Which messages of a batch are compressed side by side.

use core::slice::from_ref;

use super::chunks::compress_chunks;
use super::forest::Forest;
use super::tree::{Base, Begin, Cv, before_last};
use super::value::CHUNK_LEN;
use crate::backend::Dispatch;
use crate::backend::dispatch::compress_group;
use crate::kernel::blake3::{Blake3Function, Group, MAX_INPUTS};
use crate::kernel::wipe;
use crate::lanes::order::{WIDE_WINDOW, sort_by_blocks};
use crate::lanes::{Messages, extremes};

/// Gives the digests of all messages, more than one, to `put`, those of neighbours with the place of the first.
///
/// Not generic, so that it is compiled once instead of once for each type of messages.
pub(super) fn each(base: &Base<'_>, messages: &dyn Messages, put: Put<'_>) {
    if Blake3Function::lanes(base.backend) == 1 {
        return messages.each(&mut |i, message| put(i, &[base.hash(message)]));
    }
    let begin = Begin::of(base);
    if messages.number() <= FEW {
        let mut few = [&[][..]; FEW];
        let read = messages.read(0, &mut few);
        if are_chunks(&few[..read]) {
            return each_chunk::<FEW, FEW>(&begin, &few[..read], 0, put);
        }
    }
    if messages.number() <= MAX_INPUTS {
        each_window::<MAX_INPUTS>((base, &begin), messages, put);
    } else {
        each_window::<WIDE_WINDOW>((base, &begin), messages, put);
    }
}

/// Takes the digests of messages that are neighbours, with the place of the first.
pub(super) type Put<'a> = &'a mut dyn FnMut(usize, &[Cv]);

/// The digests of all messages, up to `NUMBER` of which are sorted together. A smaller window is cheaper to clear.
fn each_window<const NUMBER: usize>((base, begin): (&Base<'_>, &Begin<'_>), messages: &dyn Messages, put: Put<'_>) {
    let mut done = each_equal(begin, messages, 0, put);
    while done < messages.number() {
        let mut window = [&[][..]; NUMBER];
        let read = messages.read(done, &mut window);
        let window = &window[..read];
        if are_chunks(window) {
            each_chunk::<NUMBER, MAX_INPUTS>(begin, window, done, put);
            done += read;
        } else {
            done = each_tree(base, messages, done, put);
        }
        // After a few that are not alike, the next ones may be.
        done += each_equal(begin, messages, done, put);
    }
}

/// Messages that share the registers of one message, as rows, or four lanes.
const FEW: usize = 4;

/// Whether none of the messages is longer than a chunk.
fn are_chunks(messages: &[&[u8]]) -> bool {
    messages.iter().all(|message| message.len() <= CHUNK_LEN)
}

/// The digests of up to `NUMBER` messages, each a chunk, from place `from` on. Messages with the most blocks come
/// first, at most `LANES` side by side.
pub(super) fn each_chunk<const NUMBER: usize, const LANES: usize>(
    begin: &Begin<'_>,
    messages: &[&[u8]],
    from: usize,
    put: Put<'_>,
) {
    let lanes = Blake3Function::lanes(begin.backend).min(LANES);
    let mut counts = [0; NUMBER];
    for (count, message) in counts.iter_mut().zip(messages) {
        *count = before_last(message);
    }
    let counts = &counts[..messages.len()];
    let in_order = messages.len() <= lanes || counts.iter().all(|count| *count == counts[0]);
    let mut order = [0; NUMBER];
    if in_order {
        for (i, to) in (0..).zip(&mut order) {
            *to = i;
        }
    } else {
        sort_by_blocks(&mut order[..messages.len()], |i| counts[i].into());
    }
    let mut memory = [[[0; 64]; 2]; LANES];
    let mut digests = [[0; 32]; LANES];
    for group in order[..messages.len()].chunks(lanes) {
        let digests = &mut digests[..group.len()];
        compress_chunks(begin, (messages, counts), group, &mut memory, digests);
        if in_order {
            put(from + usize::from(group[0]), digests);
        } else {
            for (i, digest) in group.iter().zip(digests) {
                put(from + usize::from(*i), from_ref(digest));
            }
        }
    }
    memory.iter_mut().flatten().for_each(wipe);
    digests.iter_mut().for_each(wipe);
}

/// Hashes the messages from `done` on, until those for all lanes are a chunk each, and tells how many are done then.
/// Apart, so that others need no memory for a forest.
#[inline(never)]
fn each_tree(base: &Base<'_>, messages: &dyn Messages, mut done: usize, put: Put<'_>) -> usize {
    let mut forest = Forest::<true>::new(base.backend);
    loop {
        let mut window = [&[][..]; MAX_INPUTS];
        let read = messages.read(done, &mut window[..Blake3Function::lanes(base.backend).max(2)]);
        for (i, message) in (done..).zip(&window[..read]) {
            let chunks = message.len().div_ceil(CHUNK_LEN).max(1);
            if chunks >= MAX_INPUTS {
                put(i, &[base.hash(message)]);
            } else {
                if forest.is_full(chunks) {
                    forest.finish(put);
                }
                forest.add(i, *base, (&[], &[]), (0, message));
            }
        }
        done += read;
        let next = messages.read(done, &mut window);
        if are_chunks(&window[..next]) {
            break;
        }
    }
    forest.finish(put);
    done
}

/// Compresses the messages from `from` on, a lane each, as long as those side by side have a block each, or equally many
/// whole blocks of one chunk, and tells how many it did.
pub(super) fn each_equal(begin: &Begin<'_>, messages: &dyn Messages, from: usize, put: Put<'_>) -> usize {
    let lanes = Blake3Function::lanes(begin.backend);
    let [mut bytes, mut next_bytes] = [&mut [&[][..]; MAX_INPUTS], &mut [&[][..]; MAX_INPUTS]];
    let Some(mut equal) = read_equal(messages, from, &mut bytes[..lanes]) else { return 0 };
    let mut blocks = [[0; 64]; MAX_INPUTS];
    let mut digests = [[0; 32]; MAX_INPUTS];
    let mut done = 0;
    loop {
        let (live, whole) = equal;
        let messages_of_lanes = &bytes[..live];
        let next = read_equal(messages, from + done + live, &mut next_bytes[..lanes]);
        let mut lengths = [64; MAX_INPUTS];
        if !whole {
            for ((block, length), bytes) in blocks.iter_mut().zip(&mut lengths).zip(messages_of_lanes) {
                block[..bytes.len()].copy_from_slice(bytes);
                block[bytes.len()..].fill(0);
                #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
                let bytes_in_block = bytes.len() as u8;
                *length = bytes_in_block;
            }
        }
        let mut inputs = [&[][..]; MAX_INPUTS];
        for ((input, bytes), block) in inputs.iter_mut().zip(messages_of_lanes).zip(&blocks) {
            *input = if whole { bytes.as_chunks().0 } else { from_ref(block) };
        }
        let followed = whole && next.is_some() && follow(messages_of_lanes, next_bytes[0]);
        let group = begin.group(&inputs[..live], &lengths, &mut digests[..live]);
        compress_group(begin.backend, Group { followed, ..group });
        put(from + done, &digests[..live]);
        done += live;
        let Some(next) = next else { break };
        equal = next;
        core::mem::swap(&mut bytes, &mut next_bytes);
    }
    blocks.iter_mut().for_each(wipe);
    digests.iter_mut().for_each(wipe);
    done
}

/// Whether messages of one length seem to lie one behind the other, and `next` behind the last.
fn follow(messages: &[&[u8]], next: &[u8]) -> bool {
    let [first, second, ..] = messages else { return false };
    let behind = |bytes: &[u8]| bytes.as_ptr().addr().wrapping_sub(first.as_ptr().addr());
    behind(second) == first.len() && behind(next) == messages.len() * first.len()
}

/// The number of messages for the lanes from `begin` on, if they are as [`each_equal`] needs them, and whether they are
/// whole blocks.
fn read_equal<'a>(messages: &'a dyn Messages, begin: usize, lanes: &mut [&'a [u8]]) -> Option<(usize, bool)> {
    let live = messages.read(begin, lanes);
    let (shortest, longest) = extremes(&lanes[..live]);
    let whole = shortest == longest && longest > 0 && longest <= CHUNK_LEN && longest.is_multiple_of(64);
    (live > 1 && (whole || longest <= 64)).then_some((live, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_column_follow() {
        let column = [0; 64 * 6];
        let rows: [&[u8]; 6] = core::array::from_fn(|i| &column[i * 64..][..64]);
        assert!(follow(&rows[..4], rows[4]) && follow(&rows[..2], rows[2]));
        assert!(!follow(&rows[..4], rows[5]), "one is left out");
        assert!(!follow(&[rows[0], rows[2], rows[1]], rows[3]), "in another order");
        assert!(!follow(&rows[..1], rows[1]) && !follow(&[], rows[0]), "fewer than two");
    }
}

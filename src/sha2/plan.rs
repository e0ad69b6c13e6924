//! Which messages of a batch are compressed side by side.

use core::cmp::Reverse;
use core::slice::from_ref;

use crate::backend::{Backend, Dispatch, compress_whole, sides};
use crate::kernel::sha256::{Chain, Message, Sha256Function, Whole};
use crate::kernel::{Block, Function, Sides, wipe};
use crate::many::batch::{
    Batch, Common, Messages, Put, WIDE_WINDOW, compress_alone, compress_scheduled, copy_end, sort_by_blocks,
};

/// Messages side by side at most.
const LANES: usize = 16;

/// Messages of which a call needs less memory: to fill it would take as long as a block.
pub(super) const FEW: usize = 4;

/// Blocks of a message at most that is side by side with others to its end. Of more, the scheduler gives a lane that
/// is free to the next message.
const MOST_BLOCKS: usize = 17;

/// The blocks of a message, those that close it included.
fn number_of_blocks(length: usize) -> usize {
    length / 64 + Sha256Function::closing(length % 64)
}

/// Whether messages take less time one by one than side by side, of so many blocks in `total` and in the longest.
///
/// To go side by side takes as long as some blocks, and saves the latency of the others. How many these are depends on how
/// far a CPU itself begins the next message before one has ended. Cycles of all messages together, with either answer of
/// this function, the minimum of many calls:
///
/// | kernel                        | messages  | blocks except the longest's | one by one | side by side |
/// |-------------------------------|-----------|-----------------------------|------------|--------------|
/// | three streams, Emerald Rapids | 3 × 300 B | 10                          | 1368       | 1347         |
/// | pairs, Emerald Rapids         | 2 × 300 B | 5                           | 916        | 860          |
/// | pairs, Rocket Lake            | 5 × 36 B  | 4                           | 485        | 595          |
/// |                               | 4 × 100 B | 6                           | 736        | 716          |
///
/// - Zen 4 begins the next message late: a block of short messages takes 116 cycles in a loop, and 55 in four streams.
///   So two blocks are enough, computed and not measured.
/// - Arm's CPUs are taken for ones that overlap messages.
/// - Lanes without the extension: see the figures for a block in `backend::choice`.
fn are_faster_alone(sides: Sides, number: usize, total: usize, longest: usize) -> bool {
    match sides {
        Sides::Alone => true,
        Sides::Overlapping(2) => total - longest < 4 || 2 * total < 3 * number,
        Sides::Overlapping(_) => total - longest < 10,
        Sides::Streams(4) => total - longest < 2,
        Sides::Streams(_) => total - longest < 4,
        Sides::Lanes(16) => false,
        Sides::Lanes(_) => 2 * total <= 3 * longest,
    }
}

/// Messages at most that may take less time one by one than side by side.
const MOST_ALONE: usize = 6;

/// Whether there are at most [`MOST_ALONE`] messages, and they take less time one by one. Asked where a call is compiled
/// for their type: a function for all types would take as long as half of a block for its start.
#[inline]
pub(super) fn few_are_faster_alone(backend: Backend, messages: &[impl AsRef<[u8]>]) -> bool {
    let (mut total, mut longest) = (0, 0);
    for message in messages.iter().take(MOST_ALONE) {
        let count = number_of_blocks(message.as_ref().len());
        total += count;
        longest = longest.max(count);
    }
    let number = messages.len();
    number <= 1 || number <= MOST_ALONE && are_faster_alone(sides(backend, number), number, total, longest)
}

/// How the messages of a window are compressed.
enum Plan {
    Alone,
    /// Side by side, each to its end, sorted by their number of blocks.
    Whole,
    /// Side by side, and a lane that is free gets the next message.
    Scheduled,
}

/// The plan for up to 128 messages. Writes the number of blocks of each to `counts`, and their order for [`Plan::Whole`].
fn plan(backend: Backend, messages: &[&[u8]], counts: &mut [usize], order: &mut [u8]) -> Plan {
    let (mut total, mut longest, mut shortest) = (0, 0, usize::MAX);
    for (count, message) in counts.iter_mut().zip(messages) {
        *count = number_of_blocks(message.len());
        total += *count;
        longest = longest.max(*count);
        shortest = shortest.min(*count);
    }
    let lanes = Sha256Function::lanes(backend);
    let sides = sides(backend, messages.len().min(lanes));
    if messages.len() <= lanes && are_faster_alone(sides, messages.len(), total, longest) {
        return Plan::Alone;
    }
    let most_blocks = match sides {
        Sides::Streams(n) | Sides::Overlapping(n) if messages.len() <= n => usize::MAX,
        // Eight lanes of AVX-512, whose loads begin late: 8 messages of 1 KiB take 1060 cycles each, and so 1114.
        Sides::Lanes(8) if messages.len() <= 8 => 8,
        _ => MOST_BLOCKS,
    };
    if longest > most_blocks {
        return Plan::Scheduled;
    }
    if longest == shortest {
        for (to, i) in order.iter_mut().zip(0..) {
            *to = i;
        }
    } else {
        // From 15 on numbers are not told apart.
        #[expect(clippy::cast_possible_truncation, reason = "fifteen at most")]
        sort_by_blocks(counts.iter().map(|count| (*count).min(15) as u8), order);
        let most = counts.iter().filter(|count| **count >= 15).count();
        order[..most].sort_unstable_by_key(|i| Reverse(counts[usize::from(*i)]));
    }
    Plan::Whole
}

impl Batch for Sha256Function {
    fn compress_batch(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        match messages.number() {
            ..=FEW => compress_windows::<FEW, FEW>(common, messages, put),
            5..=8 => compress_windows::<8, 8>(common, messages, put),
            9..=LANES => compress_windows::<LANES, LANES>(common, messages, put),
            _ => compress_windows::<WIDE_WINDOW, LANES>(common, messages, put),
        }
    }
}

/// Compresses all messages, up to `W` by one plan, and `L` at a time.
fn compress_windows<const W: usize, const L: usize>(
    common: &Common<'_, Sha256Function>,
    messages: &dyn Messages,
    put: Put<'_, Sha256Function>,
) {
    let mut window = [&[][..]; W];
    let mut begin = 0;
    loop {
        let read = messages.read(begin, &mut window);
        if read == 0 {
            break;
        }
        let messages = &window[..read];
        let (mut counts, mut order) = ([0; W], [0; W]);
        let (counts, order) = (&mut counts[..read], &mut order[..read]);
        let put: Put<'_, Sha256Function> = &mut |place, chains| put(begin + place, chains);
        match plan(common.backend, messages, counts, order) {
            Plan::Alone => each_alone(common, messages, 0..read, put),
            Plan::Whole => {
                let (mut memory, mut chains) = ([Message::NONE; L], [Sha256Function::NO_CHAIN; L]);
                compress_groups(common, messages, counts, order, (&mut memory, &mut chains), put);
            }
            Plan::Scheduled => {
                let mut done = 0;
                while done < read {
                    done += compress_scheduled(common, common.chain, &messages[done..], done, put);
                }
            }
        }
        begin += read;
    }
}

/// The messages at these places, one by one.
fn each_alone(
    common: &Common<'_, Sha256Function>,
    messages: &[&[u8]],
    places: impl Iterator<Item = usize>,
    put: Put<'_, Sha256Function>,
) {
    for i in places {
        compress_alone(common, messages[i], |chain| put(i, from_ref(chain)));
    }
}

/// The messages in their order, as many at a time as there is memory and as the backend has lanes.
fn compress_groups<'a>(
    common: &Common<'_, Sha256Function>,
    messages: &[&'a [u8]],
    counts: &[usize],
    order: &[u8],
    (memory, chains): (&mut [Message<'a>], &mut [Chain]),
    put: Put<'_, Sha256Function>,
) {
    let backend = common.backend;
    let count = |i: u8| counts[usize::from(i)];
    let are_equal = order.first().map(|i| count(*i)) == order.last().map(|i| count(*i));
    for group in order.chunks(Sha256Function::lanes(backend).min(memory.len())) {
        let (number, total) = (group.len(), group.iter().map(|i| count(*i)).sum());
        if number <= MOST_ALONE && are_faster_alone(sides(backend, number), number, total, count(group[0])) {
            each_alone(common, messages, group.iter().map(|i| usize::from(*i)), put);
            continue;
        }
        for (to, i) in memory.iter_mut().zip(group) {
            close(to, messages[usize::from(*i)], common.chain.blocks);
        }
        let (memory, chains) = (&memory[..group.len()], &mut chains[..group.len()]);
        compress_whole(backend, Whole { start: &common.chain.h, messages: memory, chains });
        if are_equal {
            put(group[0].into(), chains);
        } else {
            for (i, chain) in group.iter().zip(chains) {
                put(usize::from(*i), from_ref(chain));
            }
        }
    }
    memory.iter_mut().flat_map(|message| &mut message.end).for_each(wipe);
    chains.iter_mut().for_each(Sha256Function::wipe);
}

/// Writes the blocks that close a message, which has `before` blocks before it.
#[inline]
fn close<'a>(to: &mut Message<'a>, message: &'a [u8], before: u64) {
    let (blocks, rest) = <[u8; 64]>::split(message);
    (to.blocks, to.closing) = (blocks, Sha256Function::closing(rest.len()));
    // Bytes before the length in the second block that closes a message are zeros in every message.
    copy_end(&mut to.end, message, rest);
    let mut chain = Chain { blocks: before.wrapping_add(blocks.len() as u64), ..Sha256Function::NO_CHAIN };
    Sha256Function::close(&mut chain, &mut to.end[1..=to.closing], rest.len());
}

//! Which messages of a batch are compressed side by side.

use core::ops::RangeInclusive;
use core::slice::{from_mut, from_ref};

use digest::array::Array;

use crate::backend::{Backend, Dispatch};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Block, ChainState, Ends, Function, Known, Run, Sides, wipe};
use crate::lanes::alone::are_faster_alone;
use crate::lanes::ends::{copy_rest, copy_short};
use crate::lanes::order::{WIDE_WINDOW, blocks, sort_by_blocks};
use crate::lanes::scheduler::compress_scheduled;
use crate::lanes::{Common, InLanes, Messages, Plan, Put, extremes};

/// Blocks of a message at most that shares lanes with others from its first block to its last. A longer one would have
/// the others wait.
const SHORT: usize = 16;

/// Blocks of `all` that lanes may be idle for.
fn most_idle(all: u64, waits: bool) -> u64 {
    all / if waits { 2 } else { 6 }
}

/// The plan for up to 128 messages, and in `order` their places for it. Messages of lengths in `whole` may have a lane
/// each.
fn plan<H: Dispatch>(backend: Backend, messages: &[&[u8]], whole: &RangeInclusive<usize>, order: &mut [u8]) -> Plan {
    order.iter_mut().zip(0..).for_each(|(to, place)| *to = place);
    let lanes = H::lanes(backend);
    let (shortest, longest) = extremes(messages);
    if lanes == 1 || !(whole.contains(&shortest) && whole.contains(&longest)) {
        Plan::Scheduled
    } else if blocks::<H>(shortest) == blocks::<H>(longest) || order_is_good::<H>(messages, lanes, order) {
        Plan::Whole
    } else {
        Plan::Scheduled
    }
}

/// The lengths of messages that may have a lane each, all after `chain`.
///
/// An empty message has no block of its own after another. If the lower word of the count may carry in one lane, and not
/// in another, their upper words differ.
fn lengths_of_whole<H: Function>(are_begun: bool, chain: &H::Chain) -> RangeInclusive<usize> {
    let mut least = *chain;
    // After a block, the least count is that of a message of one byte.
    H::close(&mut least, &mut [], 1);
    let carries = H::longest_run(&least) <= SHORT;
    H::wipe(&mut least);
    usize::from(are_begun)..=if carries { 0 } else { SHORT * H::Block::LENGTH }
}

/// Tells whether so few lanes stand idle, if each has one of neighbouring messages to the end of the longest, that it is
/// not better to give them up or to other messages. Writes the places of messages to `order` for it, those with the most
/// blocks first, except where one group would wait too long in any order.
fn order_is_good<H: Function>(messages: &[&[u8]], lanes: usize, order: &mut [u8]) -> bool {
    let mut counts = [0; WIDE_WINDOW];
    let (mut used, mut longest) = (0, 0);
    for (count, message) in counts.iter_mut().zip(messages) {
        let blocks = blocks::<H>(message.len());
        used += blocks;
        longest = longest.max(blocks);
        *count = blocks.to_le_bytes()[0]; // 16 at most
    }
    let is_full = messages.len() == lanes;
    let all = longest * messages.len() as u64;
    if messages.len() <= lanes && all - used > most_idle(all, is_full) {
        return false;
    }
    sort_by_blocks(order, |i| counts[i].into());
    let blocks = |i: u8| u64::from(counts[usize::from(i)]);
    let all: u64 = order.chunks(lanes).map(|group| blocks(group[0]) * group.len() as u64).sum();
    // One or two messages that are left take less time in rows. If there are as many as lanes, a few others may wait.
    let tail = |third: u8| blocks(order[0]) - blocks(third);
    let waits = is_full && order.get(2).is_none_or(|&third| 4 * tail(third) <= blocks(order[0]));
    all - used <= most_idle(all, waits)
}

/// Whether messages of so many blocks have a lane each. Others are left to the scheduler.
fn have_lanes<H: Dispatch>(backend: Backend, number: usize, total: u64, longest: u64) -> bool {
    let sides = H::sides(backend, number);
    sides != Sides::Pair && !are_faster_alone(sides, number, total, longest)
}

// Not generic: see `InLanes`.
impl InLanes for FlavourB {
    fn compress_in_lanes(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        compress_batch(common, messages, put);
    }
}

impl InLanes for FlavourS {
    fn compress_in_lanes(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        compress_batch(common, messages, put);
    }
}

fn compress_batch<H: Dispatch>(common: &Common<'_, H>, messages: &dyn Messages, put: Put<'_, H>) {
    let mut chain = *common.chain;
    if !common.first.is_empty() {
        H::compress(common.backend, &mut chain, common.first, H::NOT_LAST);
    }
    let whole = lengths_of_whole::<H>(!common.first.is_empty(), &chain);
    Windows { common, chain: &chain, whole, memory: None }.compress(messages, put);
    H::wipe(&mut chain);
}

/// The windows of one batch, compressed one after the other.
struct Windows<'a, H: Dispatch> {
    common: &'a Common<'a, H>,
    /// The chaining value before each message.
    chain: &'a H::Chain,
    /// Lengths of messages that may have a lane each.
    whole: RangeInclusive<usize>,
    memory: Option<Ended<H>>,
}

/// Each lane's chain, and room for the last block of its message.
struct Ended<H: Function> {
    chains: Array<H::Chain, H::MaxLanes>,
    ends: Array<[H::Block; 2], H::MaxLanes>,
    /// Bytes of the second blocks that may not be zeros.
    used: usize,
}

impl<H: Dispatch> Windows<'_, H> {
    fn compress(mut self, messages: &dyn Messages, put: Put<'_, H>) {
        let (backend, number) = (self.common.backend, messages.number());
        let mut few = Array::<&[u8], H::MaxLanes>::default();
        let mut done = 0;
        while done < number {
            let read = messages.read(done, &mut few[..H::lanes(backend)]);
            let few = &few[..read];
            // Messages for all lanes need no window if they have equally many blocks.
            let (shortest, longest) = extremes(few);
            let each = blocks::<H>(longest);
            let are_equal = blocks::<H>(shortest) == each && [shortest, longest].iter().all(|n| self.whole.contains(n));
            if are_equal && have_lanes::<H>(backend, read, each * read as u64, each) {
                put(done, self.compress_whole(few));
                done += read;
            } else if done + read < number {
                done += self.compress_window(messages, done, put);
            } else {
                self.compress_planned(few, done, put);
                done += read;
            }
        }
        if let Some(Ended { chains, ends, .. }) = &mut self.memory {
            chains.iter_mut().for_each(H::wipe);
            ends.iter_mut().flatten().for_each(wipe);
        }
    }

    /// Compresses the messages from `begin` on for which there is one plan, and tells how many. Apart, so that others need
    /// no window.
    #[inline(never)]
    fn compress_window(&mut self, messages: &dyn Messages, begin: usize, put: Put<'_, H>) -> usize {
        let mut window = [&[][..]; WIDE_WINDOW];
        let read = messages.read(begin, &mut window);
        self.compress_planned(&window[..read], begin, put);
        read
    }

    /// Compresses messages which lie from place `begin` on.
    fn compress_planned(&mut self, messages: &[&[u8]], begin: usize, put: Put<'_, H>) {
        let backend = self.common.backend;
        let mut order = [0; WIDE_WINDOW];
        let order = &mut order[..messages.len()];
        if plan::<H>(backend, messages, &self.whole, order) == Plan::Scheduled {
            return compress_scheduled(self.common, self.chain, messages, order, begin, put);
        }
        for group in order.chunks(H::lanes(backend)) {
            let mut side_by_side = Array::<&[u8], H::MaxLanes>::default();
            for (to, i) in side_by_side.iter_mut().zip(group) {
                *to = messages[usize::from(*i)];
            }
            let side_by_side = &side_by_side[..group.len()];
            let counts = side_by_side.iter().map(|message| blocks::<H>(message.len()));
            if have_lanes::<H>(backend, group.len(), counts.sum(), blocks::<H>(side_by_side[0].len())) {
                let chains = self.compress_whole(side_by_side);
                for (i, chain) in group.iter().zip(chains) {
                    put(begin + usize::from(*i), from_ref(chain));
                }
            } else {
                compress_scheduled(self.common, self.chain, messages, group, begin, put);
            }
        }
    }

    /// The chains of messages that have a lane each, those with the most blocks first.
    fn compress_whole(&mut self, messages: &[&[u8]]) -> &[H::Chain] {
        let (live, last) = (messages.len(), self.common.last);
        let memory = self.memory.get_or_insert_with(|| Ended {
            chains: Array::from_fn(|_| H::Chain::UNUSED),
            ends: Array::from_fn(|_| [H::Block::ZERO; 2]),
            used: 0,
        });
        if messages.iter().all(|message| message.len() <= H::Block::LENGTH) {
            return compress_blocks(self.common, self.chain, messages, memory);
        }
        let Ended { chains, ends: memory, used } = memory;
        let chains = &mut chains[..live];
        let zero = H::Block::ZERO;
        let mut blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|_| &[]);
        let mut ends = Array::<&H::Block, H::MaxLanes>::from_fn(|_| &zero);
        let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| last);
        let (mut longest, mut using) = (0, *used);
        for ((((message, memory), chain), blocks), end) in
            messages.iter().zip(memory).zip(&mut *chains).zip(&mut blocks).zip(&mut ends)
        {
            let (whole, rest) = H::Block::split(message);
            longest = longest.max(message.len());
            let mut own = *self.chain;
            if let ([before @ .., last], []) = (whole, rest) {
                (*blocks, *end) = (before, last);
            } else {
                if rest.len() < *used {
                    memory[1] = H::Block::ZERO;
                }
                using = using.max(rest.len());
                copy_rest(memory, message, rest);
                H::close(&mut own, &mut memory[1..], rest.len());
                (*blocks, *end) = (whole, &memory[1]);
            }
            *chain = own;
        }
        *used = using;
        let whole = Ends { start: self.chain, blocks: &ends[..live] };
        let run = Run {
            count: blocks[0].len() + 1,
            stride: 1,
            chains: &mut *chains,
            blocks: &blocks[..live],
            last: &last[..live],
            hint: Known::alike::<H::Block>(longest),
            ends: Some(&whole),
        };
        H::compress_lanes(self.common.backend, run);
        chains
    }
}

/// As [`Windows::compress_whole`], of messages of a block each, of which there is less to ask.
fn compress_blocks<'a, H: Dispatch>(
    common: &Common<'_, H>,
    start: &H::Chain,
    messages: &[&[u8]],
    Ended { chains, ends, used }: &'a mut Ended<H>,
) -> &'a [H::Chain] {
    let live = messages.len();
    let chains = &mut chains[..live];
    let mut longest = 0;
    for ((message, end), chain) in messages.iter().zip(&mut *ends).zip(&mut *chains) {
        let end = &mut end[1];
        if message.len() < *used {
            *end = H::Block::ZERO;
        }
        copy_short(end.bytes_mut(), message);
        longest = longest.max(message.len());
        let mut own = *start;
        H::close(&mut own, from_mut(end), message.len());
        *chain = own;
    }
    *used = longest.max(*used);
    let blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|l| &ends[l][1..]);
    let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| common.last);
    let (blocks, last) = (&blocks[..live], &last[..live]);
    let hint = Known::alike::<H::Block>(longest);
    H::compress_lanes(
        common.backend,
        Run { count: 1, stride: 1, chains: &mut *chains, blocks, last, hint, ends: None },
    );
    chains
}

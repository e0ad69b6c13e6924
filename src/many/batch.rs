//! Whole messages side by side. Those of a hash are compiled once, and not for every type of messages in every program.
#![forbid(unsafe_code)]

use core::cmp::Reverse;
use core::iter::repeat_n;
use core::slice::{from_mut, from_ref};

use digest::array::Array;
use digest::typenum::Unsigned;

use super::{Memory, Message, Start};
use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Ends, Function, Run, wipe};
use crate::stream::compress_message;

/// The beginning that whole messages share, and how they end.
#[allow(missing_debug_implementations, reason = "the beginning may be a key; not every hash makes it public")]
pub struct Common<'a, H: Dispatch> {
    pub(crate) backend: Backend,
    /// Not copied where it need not be: the beginning may be a key.
    pub(crate) chain: &'a H::Chain,
    /// Blocks before each message: one or none.
    pub(crate) first: &'a [H::Block],
    pub(crate) last: H::Last,
}

/// Messages that lie anywhere, of any type that gives bytes.
pub trait Messages {
    fn number(&self) -> usize;
    /// Writes the messages from `begin` on to `window`, as many as there are and it has room for, and tells how many.
    fn read<'a>(&'a self, begin: usize, window: &mut [&'a [u8]]) -> usize;
}

impl<M: AsRef<[u8]>> Messages for &[M] {
    #[inline]
    fn number(&self) -> usize {
        self.len()
    }

    #[inline]
    fn read<'a>(&'a self, begin: usize, window: &mut [&'a [u8]]) -> usize {
        let messages = &self[begin..];
        for (to, message) in window.iter_mut().zip(messages) {
            *to = message.as_ref();
        }
        messages.len().min(window.len())
    }
}

/// Compresses whole messages, and gives each chain to `put`, with the message's place in `messages`.
///
/// Each message is asked for its bytes once for each use of them, so one that answers differently gets some digest.
#[inline]
pub(crate) fn compress_each<H: Batch>(
    common: &Common<'_, H>,
    messages: &[impl AsRef<[u8]>],
    mut put: impl FnMut(usize, &H::Chain),
) {
    match messages {
        [] => {}
        [message] => compress_alone(common, message.as_ref(), |chain| put(0, chain)),
        _ if few_are_faster_alone::<H>(common.backend, !common.first.is_empty(), messages) => {
            for (i, message) in messages.iter().enumerate() {
                compress_alone(common, message.as_ref(), |chain| put(i, chain));
            }
        }
        _ => H::compress_batch(common, &messages, &mut |begin, chains| {
            for (i, chain) in (begin..).zip(chains) {
                put(i, chain);
            }
        }),
    }
}

/// The function of a hash that compresses more than one message. It is no generic one, so it is compiled once, and not
/// for every type of messages in every program.
pub trait Batch: Dispatch {
    /// See [`compress_each`].
    fn compress_batch(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>);
}

/// Takes the chains of messages that are neighbours, with the place of the first.
pub(crate) type Put<'a, H> = &'a mut dyn FnMut(usize, &[<H as Function>::Chain]);

macro_rules! batch {
    ($Function:ty) => {
        impl Batch for $Function {
            fn compress_batch(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
                compress_whole(common, messages, put);
            }
        }
    };
}
#[cfg(feature = "blake2")]
batch!(crate::kernel::blake2b::FlavourB);
#[cfg(feature = "blake2")]
batch!(crate::kernel::blake2s::FlavourS);

#[inline]
pub(crate) fn compress_alone<H: Dispatch>(common: &Common<'_, H>, message: &[u8], done: impl FnOnce(&H::Chain)) {
    let mut chain = *common.chain;
    compress_message::<H>(common.backend, &mut chain, common.first, message, common.last);
    done(&chain);
    H::wipe(&mut chain);
}

/// Messages that are sorted together: enough to fill the lanes several times over, and few enough to need no heap.
pub(crate) const WINDOW: usize = 64;

/// Blocks of a message at most that shares lanes with others from its first block to its last. A longer one would have
/// the others wait.
const SHORT: usize = 16;

/// See [`Batch::compress_batch`], for a hash whose lanes take whole messages.
#[cfg_attr(not(feature = "blake2"), expect(dead_code, reason = "BLAKE2 alone has such lanes"))]
fn compress_whole<H: Dispatch>(common: &Common<'_, H>, messages: &dyn Messages, put: Put<'_, H>) {
    let number = messages.number();
    let mut chain = *common.chain;
    if !common.first.is_empty() {
        H::compress(common.backend, &mut chain, common.first, H::NOT_LAST);
    }
    let lanes = H::lanes(common.backend).min(H::MaxLanes::USIZE);
    let mut memory = None;
    let mut few = Array::<&[u8], H::MaxLanes>::default();
    let mut done = 0;
    while done < number {
        let read = messages.read(done, &mut few[..lanes]);
        let few = &few[..read];
        let alike = Alike::of::<H>(few, !common.first.is_empty());
        let blocks = || repeat_n(blocks::<H>(few[0].len()), read);
        if alike == Alike::Blocks && have_lanes::<H, _>(common.backend, read, blocks) {
            // Those for all lanes need no window.
            put(done, compress_group(common, &chain, few.iter().copied(), &mut memory));
            done += read;
        } else if done + read < number {
            done += compress_wide_window(common, &chain, messages, done, &mut memory, put);
        } else if alike == Alike::Short {
            done += compress_window(common, &chain, few, done, alike, &mut memory, put);
        } else {
            done += compress_scheduled(common, &chain, few, done, put);
        }
    }
    if let Some(Ended { chains, ends, .. }) = &mut memory {
        chains.iter_mut().for_each(H::wipe);
        ends.iter_mut().flatten().for_each(wipe);
    }
    H::wipe(&mut chain);
}

/// Of each lane the chain, and room for the last block of its message.
struct Ended<H: Function> {
    chains: Array<H::Chain, H::MaxLanes>,
    ends: Array<[H::Block; 2], H::MaxLanes>,
    /// Bytes of the second blocks that may not be zeros.
    used: usize,
}

/// Compresses the next messages, sorted together, and tells how many. Apart, so that others need no window.
#[inline(never)]
fn compress_wide_window<H: Dispatch>(
    common: &Common<'_, H>,
    chain: &H::Chain,
    messages: &dyn Messages,
    begin: usize,
    memory: &mut Option<Ended<H>>,
    put: Put<'_, H>,
) -> usize {
    let mut window = [&[][..]; WIDE_WINDOW];
    let read = messages.read(begin, &mut window);
    let window = &window[..read];
    let alike = Alike::of::<H>(window, !common.first.is_empty());
    compress_window(common, chain, window, begin, alike, memory, put)
}

/// Compresses the first of `messages`, which lie from place `begin` on, and tells how many. `chain` is what they begin
/// with.
fn compress_window<H: Dispatch>(
    common: &Common<'_, H>,
    chain: &H::Chain,
    messages: &[&[u8]],
    begin: usize,
    alike: Alike,
    memory: &mut Option<Ended<H>>,
    put: Put<'_, H>,
) -> usize {
    let backend = common.backend;
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
    if lanes == 1 || alike == Alike::Nothing {
        return compress_scheduled(common, chain, messages, begin, put);
    }
    let job = |i: usize| Job { place: begin + i, chain: Start::<H>::At(chain), bytes: messages[i], last: common.last };
    let mut order = [0; WIDE_WINDOW];
    let order = &mut order[..messages.len()];
    order.iter_mut().zip(0..).for_each(|(to, place)| *to = place);
    if alike != Alike::Blocks && !order_is_good::<H>(messages, lanes, order) {
        for places in order.chunks(WINDOW) {
            let lengths = places.iter().map(|&i| (usize::from(i), messages[usize::from(i)].len()));
            compress_sorted(backend, lengths, job, true, put);
        }
        return messages.len();
    }
    for group in order.chunks(lanes) {
        let places = group.iter().copied().map(usize::from);
        if have_lanes::<H, _>(backend, group.len(), || places.clone().map(|i| blocks::<H>(messages[i].len()))) {
            let chains = compress_group(common, chain, places.clone().map(|i| messages[i]), memory);
            for (i, chain) in places.zip(chains) {
                put(begin + i, from_ref(chain));
            }
        } else {
            compress_sorted(backend, places.map(|i| (i, messages[i].len())), job, true, put);
        }
    }
    messages.len()
}

/// Compresses the first of `messages`, up to [`WINDOW`], where a lane that is free gets the next one, and tells how
/// many. They lie from place `begin` on, and `chain` is what they begin with.
pub(crate) fn compress_scheduled<H: Dispatch>(
    common: &Common<'_, H>,
    chain: &H::Chain,
    messages: &[&[u8]],
    begin: usize,
    put: Put<'_, H>,
) -> usize {
    let number = messages.len().min(WINDOW);
    let job = |i: usize| Job { place: begin + i, chain: Start::<H>::At(chain), bytes: messages[i], last: common.last };
    let lengths = messages[..number].iter().map(|message| message.len()).enumerate();
    // An empty message ends with the block before it.
    let empty = |&(_, length): &(usize, usize)| !common.first.is_empty() && length == 0;
    for (i, _) in lengths.clone().filter(empty) {
        compress_alone(common, &[], |chain| put(begin + i, from_ref(chain)));
    }
    compress_sorted(common.backend, lengths.filter(|job| !empty(job)), job, true, put);
    number
}

/// Blocks of `all` that lanes may be idle for: more if they are for all messages.
fn most_idle(all: u64, waits: bool) -> u64 {
    all / if waits { 2 } else { 6 }
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
    let counts = &counts[..messages.len()];
    let is_full = counts.len() == lanes;
    let all = longest * counts.len() as u64;
    if counts.len() <= lanes && all - used > most_idle(all, is_full) {
        return false;
    }
    sort_by_blocks(counts.iter().map(|count| count - 1), order);
    let blocks = |i: u8| u64::from(counts[usize::from(i)]);
    let all: u64 = order.chunks(lanes).map(|group| blocks(group[0]) * group.len() as u64).sum();
    // One or two messages that are left take less time in rows. If there are as many as lanes, a few others may wait.
    let tail = |third: u8| blocks(order[0]) - blocks(third);
    let waits = is_full && order.get(2).is_none_or(|&third| 4 * tail(third) <= blocks(order[0]));
    all - used <= most_idle(all, waits)
}

/// What messages have in common.
#[derive(Clone, Copy, PartialEq)]
enum Alike {
    /// One is too long for lanes of whole messages, or it is empty and has a block before it.
    Nothing,
    Short,
    /// They are short, and have equally many blocks.
    Blocks,
}

impl Alike {
    fn of<H: Function>(messages: &[&[u8]], are_begun: bool) -> Self {
        let (shortest, longest) = extremes(messages);
        if longest > SHORT * H::Block::LENGTH || are_begun && shortest == 0 {
            Self::Nothing
        } else if blocks::<H>(shortest) == blocks::<H>(longest) {
            Self::Blocks
        } else {
            Self::Short
        }
    }
}

/// Whether messages of so many blocks have a lane each. Others are left to [`compress_sorted`], which knows of pairs and
/// of messages that take less time one by one.
fn have_lanes<H: Dispatch, B: Iterator<Item = u64>>(backend: Backend, number: usize, blocks: impl Fn() -> B) -> bool {
    number > FEW || !(are_faster_alone::<H>(backend, number, blocks()) || number == 2 && H::pairs(backend))
}

/// The chains of messages that have a lane each, those with the most blocks first.
fn compress_group<'m, 'a, H: Dispatch>(
    common: &Common<'_, H>,
    start: &H::Chain,
    messages: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
    memory: &'m mut Option<Ended<H>>,
) -> &'m [H::Chain] {
    let live = messages.len();
    let memory = memory.get_or_insert_with(|| Ended {
        chains: Array::from_fn(|_| H::NO_CHAIN),
        ends: Array::from_fn(|_| [H::Block::ZERO; 2]),
        used: 0,
    });
    if messages.clone().all(|message| message.len() <= H::Block::LENGTH) {
        return compress_blocks(common, start, messages, memory);
    }
    let Ended { chains, ends: memory, used } = memory;
    let zero = H::Block::ZERO;
    let mut blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|_| &[]);
    let mut ends = Array::<&H::Block, H::MaxLanes>::from_fn(|_| &zero);
    let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| common.last);
    let chains = &mut chains[..live];
    let (mut longest, mut using) = (0, *used);
    for ((((message, memory), chain), blocks), end) in
        messages.zip(memory).zip(&mut *chains).zip(&mut blocks).zip(&mut ends)
    {
        let (whole, rest) = H::Block::split(message);
        longest = longest.max(message.len());
        let mut own = *start;
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
    let ends = Ends { start, blocks: &ends[..live] };
    let run = Run {
        count: blocks[0].len() + 1,
        stride: 1,
        chains: &mut *chains,
        blocks: &blocks[..live],
        last: &last[..live],
        hint: H::hint(longest),
        ends: Some(&ends),
    };
    H::compress_lanes(common.backend, run);
    chains
}

/// As [`compress_group`], of messages of a block each: they are a run like any other, and there is less to ask of them.
fn compress_blocks<'m, 'a, H: Dispatch>(
    common: &Common<'_, H>,
    start: &H::Chain,
    messages: impl ExactSizeIterator<Item = &'a [u8]>,
    memory: &'m mut Ended<H>,
) -> &'m [H::Chain] {
    let live = messages.len();
    let chains = &mut memory.chains[..live];
    let mut longest = 0;
    for ((message, memory_of_lane), chain) in messages.zip(&mut memory.ends).zip(&mut *chains) {
        let end = &mut memory_of_lane[1];
        if message.len() < memory.used {
            *end = H::Block::ZERO;
        }
        copy_short(end.bytes_mut(), message);
        longest = longest.max(message.len());
        let mut own = *start;
        H::close(&mut own, from_mut(end), message.len());
        *chain = own;
    }
    memory.used = longest.max(memory.used);
    let blocks = Array::<&[H::Block], H::MaxLanes>::from_fn(|l| &memory.ends[l][1..]);
    let last = Array::<H::Last, H::MaxLanes>::from_fn(|_| common.last);
    let (blocks, last) = (&blocks[..live], &last[..live]);
    let hint = H::hint(longest);
    H::compress_lanes(
        common.backend,
        Run { count: 1, stride: 1, chains: &mut *chains, blocks, last, hint, ends: None },
    );
    chains
}

/// A whole message, or the end of one.
pub(crate) struct Job<'a, H: Dispatch> {
    pub(crate) place: usize,
    pub(crate) chain: Start<'a, H>,
    pub(crate) bytes: &'a [u8],
    pub(crate) last: H::Last,
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
    let mut keys = [Key(0); WINDOW];
    let mut number = 0;
    for (to, (i, length)) in keys.iter_mut().zip(lengths) {
        *to = Key::new(blocks::<H>(length), i);
        number += 1;
    }
    if number == 0 {
        return;
    }
    let keys = &mut keys[..number];
    if !keys.is_sorted_by(|one, next| one.blocks() >= next.blocks()) {
        keys.sort_unstable_by_key(|&key| Reverse(key));
    }
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
    let together = if end_together(keys, lanes) { lanes } else { number };
    let mut memory = Memory::new();
    for keys in keys.chunks(together) {
        let jobs = keys.iter().map(|key| job(key.number()));
        if are_faster_alone::<H>(backend, keys.len(), keys.iter().map(|key| key.blocks())) {
            for Job { place, chain, bytes, last } in jobs {
                let common = Common::<H> { backend, chain: chain.get(), first: &[], last };
                compress_alone(&common, bytes, |chain| put(place, from_ref(chain)));
            }
        } else {
            let mut messages =
                jobs.map(|Job { place, chain, bytes, last }| Message::ending(place, chain, &[], bytes, last));
            memory.schedule(backend, |_| messages.next(), alike, |place, chain| put(place, from_ref(chain)));
        }
    }
    memory.wipe();
}

/// Messages at most that may take less time one by one than side by side.
const FEW: usize = 4;

/// Whether messages of so many blocks take less time one by one than side by side.
fn are_faster_alone<H: Dispatch>(backend: Backend, number: usize, blocks: impl Iterator<Item = u64>) -> bool {
    let (mut total, mut longest) = (0, 0);
    for blocks in blocks {
        total += blocks;
        longest = blocks.max(longest);
    }
    super::are_faster_alone::<H>(backend, number, total, longest)
}

/// Whether there are at most four messages, and they take less time one by one. If they `are_begun`, they have blocks
/// before them.
///
/// Asked where a call is compiled for their type: a function for all types would take as long as half of a block for its
/// start.
#[inline]
pub(crate) fn few_are_faster_alone<H: Dispatch>(
    backend: Backend,
    are_begun: bool,
    messages: &[impl AsRef<[u8]>],
) -> bool {
    let lengths = || messages.iter().map(|message| message.as_ref().len());
    // A batch compresses the blocks before all messages once. Alone, each of these messages would do so.
    let again = || lengths().filter(|&length| length > 0).count() > 1;
    messages.len() <= FEW
        && !(are_begun && again())
        && are_faster_alone::<H>(backend, messages.len(), lengths().map(blocks::<H>))
}

/// The blocks of a message of `length` bytes, those that close it included.
fn blocks<H: Function>(length: usize) -> u64 {
    (length / H::Block::LENGTH + closing::<H>(length)) as u64
}

/// The blocks that close a message of `length` bytes: none if its last block lies in it whole.
fn closing<H: Function>(length: usize) -> usize {
    let rest = length % H::Block::LENGTH;
    if !H::CLOSES_WHOLE_BLOCKS && rest == 0 && length > 0 { 0 } else { H::closing(rest) }
}

/// The blocks of a job, and its number in the window below them: one word, which sorts faster than jobs. It has 64 bits,
/// for a message of 1 GiB has too many blocks for the upper part of 32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    #[inline]
    fn new(blocks: u64, number: usize) -> Self {
        Self(blocks << 8 | number as u64)
    }

    #[inline]
    fn blocks(self) -> u64 {
        self.0 >> 8
    }

    #[inline]
    fn number(self) -> usize {
        usize::from(self.0.to_le_bytes()[0])
    }
}

/// Short messages that are sorted together. The more there are, the less do lanes differ.
pub(crate) const WIDE_WINDOW: usize = 128;

/// Blocks from which on [`sort_by_blocks`] tells no numbers apart.
const BINS: u8 = 16;

/// Writes to `order` the places of messages of so many blocks, those with the most first. The order of equals stays.
///
/// Numbers are counted, since a sort by comparisons takes a wrong branch for every second one.
pub(crate) fn sort_by_blocks(blocks: impl Iterator<Item = u8> + Clone, order: &mut [u8]) {
    let mut ends = [0_u8; BINS as usize + 1];
    let bin = |blocks: u8| usize::from(BINS - 1 - blocks.min(BINS - 1));
    for blocks in blocks.clone() {
        ends[bin(blocks) + 1] += 1;
    }
    for i in 1..usize::from(BINS) {
        ends[i] += ends[i - 1];
    }
    for (i, blocks) in (0..).zip(blocks) {
        let to = &mut ends[bin(blocks)];
        order[usize::from(*to)] = i;
        *to += 1;
    }
}

/// Copies the last bytes `rest` of a message, less than a block, to the second block of `memory`, with zeros after
/// them.
///
/// A copy of a fixed length takes a few cycles, and a call that copies any length some twenty. So the last bytes are
/// copied, as many as a block has if there are as many, to where `rest` begins the second block.
#[inline]
#[cfg(any(feature = "blake3", feature = "sha2"))]
pub(crate) fn copy_end<B: Block>(memory: &mut [B], message: &[u8], rest: &[u8]) {
    memory[1] = B::ZERO;
    copy_rest(memory, message, rest);
}

/// As [`copy_end`], where zeros lie already.
#[inline]
fn copy_rest<B: Block>(memory: &mut [B], message: &[u8], rest: &[u8]) {
    if let Some(last) = B::last(message) {
        B::flatten(memory)[rest.len()..][..B::LENGTH].copy_from_slice(last.bytes());
    } else {
        copy_short(memory[1].bytes_mut(), rest);
    }
}

/// Copies up to 128 bytes, most often by two copies of a fixed length that overlap.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
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

/// Whether lanes stand idle for at most a fifth of the time, if each has one of neighbouring messages, the longest first.
fn end_together(keys: &[Key], lanes: usize) -> bool {
    let used: u64 = keys.iter().map(|key| key.blocks()).sum();
    let all: u64 = keys.chunks(lanes).map(|group| group[0].blocks() * group.len() as u64).sum();
    all - used <= all / 5
}

/// The lengths of the shortest and the longest message. From a constant on, qemu 10.0 computes the least wrongly.
pub(crate) fn extremes(messages: &[&[u8]]) -> (usize, usize) {
    let first = messages.first().map_or(0, |message| message.len());
    messages
        .iter()
        .map(|message| message.len())
        .fold((first, first), |(shortest, longest), length| (shortest.min(length), longest.max(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of messages of 4 GiB, which one slice can be many of, where a word may have 32 bits.
    #[test]
    fn keys_of_long_messages() {
        let long = Key::new(u64::from(u32::MAX / 64), 3);
        assert_eq!((long.blocks(), long.number()), (u64::from(u32::MAX / 64), 3));
        assert!(long > Key::new(1 << 25, 63) && Key::new(2, 0) > Key::new(1, 63));
        assert!(end_together(&[long; WINDOW], 16) && !end_together(&[long, Key::new(1, 0)], 2));
    }
}

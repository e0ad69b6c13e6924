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
use core::slice::from_ref;

use digest::array::Array;
use digest::typenum::Unsigned;

use crate::backend::{Backend, Dispatch};
use crate::kernel::{Block, Function, Run, wipe};
use crate::stream::{Stream, compress_message};

impl<H: Dispatch> Start<'_, H> {
    fn get(&self) -> &H::Chain {
        match self {
            Self::At(chain) => chain,
            Self::Of(chain) => chain,
        }
    }
}

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
            chains[live] = *message.chain.get();
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
type Put<'a, H> = &'a mut dyn FnMut(usize, &[<H as Function>::Chain]);

macro_rules! batch {
    ($Function:ty) => {
        impl Batch for $Function {
            fn compress_batch(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
                compress_batch(common, messages, put);
            }
        }
    };
}
#[cfg(feature = "blake2")]
batch!(crate::kernel::blake2b::FlavourB);
#[cfg(feature = "blake2")]
batch!(crate::kernel::blake2s::FlavourS);
#[cfg(feature = "sha2")]
batch!(crate::kernel::sha256::Sha256Function);

#[inline]
fn compress_alone<H: Dispatch>(common: &Common<'_, H>, message: &[u8], done: impl FnOnce(&H::Chain)) {
    let mut chain = *common.chain;
    compress_message::<H>(common.backend, &mut chain, common.first, message, common.last);
    done(&chain);
    H::wipe(&mut chain);
}

/// Messages that are sorted together: enough to fill the lanes several times over, and few enough to need no heap.
pub(crate) const WINDOW: usize = 64;

fn compress_batch<H: Dispatch>(common: &Common<'_, H>, messages: &dyn Messages, put: Put<'_, H>) {
    let number = messages.number();
    if number == 2 && !H::PAIRS {
        let mut two = [&[][..]; 2];
        messages.read(0, &mut two);
        if two.iter().all(|message| message.len() <= 2 * H::Block::LENGTH) {
            for (i, message) in two.iter().enumerate() {
                compress_alone(common, message, |chain| put(i, from_ref(chain)));
            }
            return;
        }
    }
    // What comes before all messages is compressed once. An empty message ends with it.
    let mut chain = *common.chain;
    let is_begun = !common.first.is_empty();
    if is_begun {
        H::compress(common.backend, &mut chain, common.first, H::NOT_LAST);
    }
    let after = Common { chain: &chain, first: &[], ..*common };
    let mut done = compress_short(&after, messages, usize::from(is_begun), put);
    let mut window = [&[][..]; WINDOW];
    while done < number {
        let read = messages.read(done, &mut window);
        let job =
            |i: usize| Job { place: done + i, chain: Start::<H>::At(&chain), bytes: window[i], last: common.last };
        let lengths = window[..read].iter().map(|message| message.len()).enumerate();
        let empty = |&(_, length): &(usize, usize)| is_begun && length == 0;
        for (i, _) in lengths.clone().filter(empty) {
            compress_alone(common, &[], |chain| put(done + i, from_ref(chain)));
        }
        compress_sorted(common.backend, lengths.filter(|job| !empty(job)), job, true, put);
        done += read;
    }
    H::wipe(&mut chain);
}

/// A whole message, or the end of one.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a, H: Dispatch> {
    pub(crate) place: usize,
    pub(crate) chain: Start<'a, H>,
    pub(crate) bytes: &'a [u8],
    pub(crate) last: H::Last,
}

/// Compresses up to [`WINDOW`] jobs side by side, of these numbers and lengths in bytes, and gives the chain of each to
/// `put`, with its place. They are `alike` if they have one chaining value.
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
        *to = Key::new(length / H::Block::LENGTH + closing::<H>(length), i);
        number += 1;
    }
    if number == 0 {
        return;
    }
    let keys = &mut keys[..number];
    if keys.iter().any(|key| key.blocks() != keys[0].blocks()) {
        keys.sort_unstable_by_key(|&key| Reverse(key));
    }
    let lanes = H::lanes(backend).min(H::MaxLanes::USIZE);
    let job = |key: &Key| job(key.number());
    if end_together(keys, lanes) {
        let first = job(&keys[0]);
        let mut group = Array::<Job<'_, H>, H::MaxLanes>::from_fn(|_| first);
        let mut memory = Memory::new();
        for keys in keys.chunks(lanes) {
            for (to, key) in group.iter_mut().zip(keys) {
                *to = job(key);
            }
            compress_together(backend, &group[..keys.len()], alike, &mut memory, put);
        }
        memory.wipe();
    } else {
        let messages = keys.iter().map(|key| {
            let Job { place, chain, bytes, last } = job(key);
            Message::ending(place, chain, &[], bytes, last)
        });
        schedule::<H, _>(backend, messages, |place, chain| put(place, from_ref(chain)));
    }
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
    fn new(blocks: usize, number: usize) -> Self {
        Self((blocks as u64) << 8 | number as u64)
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

/// Whether lanes stand idle for at most a fifth of the time, if each has one of neighbouring messages, the longest first.
fn end_together(keys: &[Key], lanes: usize) -> bool {
    let used: u64 = keys.iter().map(|key| key.blocks()).sum();
    let all: u64 = keys.chunks(lanes).map(|group| group[0].blocks() * group.len() as u64).sum();
    all - used <= all / 5
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
}

/// Compresses jobs, a lane each, the longest first. No lane is given to another when its own ends.
///
/// The scheduler makes better use of lanes, but messages of different lengths soon end at different times in it, so that
/// every run is of one block. A run costs as much as a fourth of a block, beside its blocks.
fn compress_together<H: Dispatch>(
    backend: Backend,
    jobs: &[Job<'_, H>],
    alike: bool,
    Memory { chains, ends }: &mut Memory<H>,
    put: Put<'_, H>,
) {
    let alone = match jobs {
        [_] => true,
        [longest, _] => !H::PAIRS && longest.bytes.len() <= 2 * H::Block::LENGTH,
        _ => false,
    };
    if alone {
        for &Job { place, chain, bytes, last } in jobs {
            let common = Common::<H> { backend, chain: chain.get(), first: &[], last };
            compress_alone(&common, bytes, |chain| put(place, from_ref(chain)));
        }
        return;
    }
    // Blocks that lie in the message, bytes of the message in those that close it, and their number.
    let mut parts = Array::<(&[H::Block], usize, usize), H::MaxLanes>::default();
    for (((part, end), chain), job) in parts.iter_mut().zip(&mut *ends).zip(&mut *chains).zip(jobs) {
        let (whole, rest) = H::Block::split(job.bytes);
        end.fill(H::Block::ZERO);
        end[0].bytes_mut()[..rest.len()].copy_from_slice(rest);
        *chain = *job.chain.get();
        *part = (whole, rest.len(), closing::<H>(job.bytes.len()));
    }
    let (mut live, mut done) = (jobs.len(), 0);
    while live > 0 {
        let mut count = usize::MAX;
        for ((&(whole, rest, closing), chain), end) in parts[..live].iter().zip(&mut *chains).zip(&mut *ends) {
            if done == whole.len() {
                H::close(chain, &mut end[..closing], rest);
            }
            let together = if done < whole.len() { whole.len() - done } else { whole.len() + closing - done };
            count = count.min(together).min(H::longest_run(chain));
        }
        let mut blocks = Array::<&[H::Block], H::MaxLanes>::default();
        let mut last = Array::<H::Last, H::MaxLanes>::from_fn(|_| H::NOT_LAST);
        let mut ending = 0;
        for (i, &(whole, _, closing)) in parts[..live].iter().enumerate() {
            blocks[i] = if done < whole.len() { &whole[done..] } else { &ends[i][done - whole.len()..closing] };
            if done + count == whole.len() + closing {
                last[i] = jobs[i].last;
                ending += 1;
            }
        }
        if live == 1 {
            H::compress(backend, &mut chains[0], &blocks[0][..count], last[0]);
        } else {
            let hint = if alike && done == 0 && ending == 0 { H::hint(usize::MAX) } else { H::NO_HINT };
            let (chains, blocks, last) = (&mut chains[..live], &blocks[..live], &last[..live]);
            H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, hint });
        }
        done += count;
        // Those that end stand behind the others.
        for _ in 0..ending {
            live -= 1;
            put(jobs[live].place, from_ref(&chains[live]));
        }
    }
}

/// Compresses the first messages, a lane each, as long as those side by side have `least` bytes to a block each and are
/// closed by equally many, and tells how many it did.
///
/// The scheduler would do the same, but where a message costs a third of a single compression, its care for each is
/// as much again.
#[inline]
fn compress_short<H: Dispatch>(
    common: &Common<'_, H>,
    messages: &dyn Messages,
    least: usize,
    put: Put<'_, H>,
) -> usize {
    let lanes = H::lanes(common.backend).min(H::MaxLanes::USIZE);
    let mut bytes = Array::<&[u8], H::MaxLanes>::default();
    let Some(mut group) = read_short::<H>(messages, 0, least, &mut bytes[..lanes]) else { return 0 };
    let mut ends =
        Array::<Array<H::Block, H::MaxClosing>, H::MaxLanes>::from_fn(|_| Array::from_fn(|_| H::Block::ZERO));
    let mut chains = Array::<H::Chain, H::MaxLanes>::from_fn(|_| *common.chain);
    // Blocks, and bytes at the start of a block, that may not be zeros.
    let (mut used_blocks, mut used) = (0, 0);
    let mut done = 0;
    loop {
        let (live, longest) = group;
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
        put(done, chains);
        done += live;
        let Some(next) = read_short::<H>(messages, done, least, &mut bytes[..lanes]) else { break };
        group = next;
    }
    chains.iter_mut().for_each(H::wipe);
    ends.iter_mut().flatten().for_each(wipe);
    done
}

/// The number of messages for the lanes from `begin` on, and the length of the longest, if they are as
/// [`compress_short`] needs them.
fn read_short<'a, H: Dispatch>(
    messages: &'a dyn Messages,
    begin: usize,
    least: usize,
    lanes: &mut [&'a [u8]],
) -> Option<(usize, usize)> {
    let live = messages.read(begin, lanes);
    let (mut shortest, mut longest) = (usize::MAX, 0);
    for bytes in &lanes[..live] {
        (shortest, longest) = (shortest.min(bytes.len()), longest.max(bytes.len()));
    }
    let alike = longest <= H::Block::LENGTH && H::closing(shortest) == H::closing(longest);
    (live > usize::from(!H::PAIRS) + 1 && shortest >= least && alike).then_some((live, longest))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of messages of 4 GiB, which one slice can be many of, where a word may have 32 bits.
    #[test]
    fn keys_of_long_messages() {
        let long = Key::new(u32::MAX as usize / 64, 3);
        assert_eq!((long.blocks(), long.number()), (u64::from(u32::MAX / 64), 3));
        assert!(long > Key::new(1 << 25, 63) && Key::new(2, 0) > Key::new(1, 63));
        assert!(end_together(&[long; WINDOW], 16) && !end_together(&[long, Key::new(1, 0)], 2));
    }
}

//! The lane scheduler: messages in, lanes filled, run to the shortest, retired, refilled.
//!
//! ```text
//!   lane 0  ████████████████▒        ▒ = the last block of a message, filled up with zeros
//!   lane 1  ██████▒██████████████▒   its lane is given to the next message at once
//!   lane 2  ███████████▒█████▒       nothing left: the run goes on with fewer lanes
//!           |run   |r|run|r| run |
//! ```
#![forbid(unsafe_code)]

use core::array;
use core::cmp::Reverse;
use core::slice;

use crate::backend::Backend;
use crate::buffer::{Block, wipe};
use crate::kernel::{Kind, Run};

/// Evaluates `$answer` with a constant `$MAX_LANES` that is enough for the hash `$H`: an array cannot be as long as a
/// constant of a generic type says.
macro_rules! for_lanes {
    ($H:ident, $MAX_LANES:ident => $answer:expr) => {
        if $H::MAX_LANES <= 8 {
            const $MAX_LANES: usize = 8;
            $answer
        } else {
            const $MAX_LANES: usize = 16;
            const { assert!($H::MAX_LANES <= $MAX_LANES) }
            $answer
        }
    };
}
pub(crate) use for_lanes;

/// What a hash that runs in lanes provides.
pub trait Laned: Copy + 'static {
    /// What one block hands to the next.
    type Chain: Copy;
    /// What is compressed at a time.
    type Block: Block;
    /// What is told of the last block of a run.
    type Last: Copy;

    /// Lanes at most on any backend: 1 to 16.
    const MAX_LANES: usize;
    /// Fills lanes that were never used.
    const NO_CHAIN: Self::Chain;
    /// The message goes on after this run.
    const NOT_LAST: Self::Last;

    /// Messages at most that [`compress_lanes`](Self::compress_lanes) takes.
    fn lanes(backend: Backend) -> usize;
    /// Compresses blocks of one message.
    fn compress(backend: Backend, chain: &mut Self::Chain, blocks: &[Self::Block], last: Self::Last);
    /// Compresses as many blocks of each of several messages.
    fn compress_lanes(backend: Backend, run: Run<'_, Self::Chain, Self::Block, Self::Last>);
    /// Blocks at most that one run may have for this message.
    fn longest_run(chain: &Self::Chain) -> usize;
    /// Told before a last block of which `padding` bytes are not message.
    fn discount(chain: &mut Self::Chain, padding: usize);
    /// Overwrites a chaining value with zeros: with feature `zeroize` only.
    fn wipe(chain: &mut Self::Chain);
}

/// One message, or what came of it: `held`, then `whole`, then `rest`, of which at least one is there.
pub(crate) struct Message<'a, H: Laned, T> {
    /// Whose message it is.
    pub(crate) owner: T,
    pub(crate) chain: H::Chain,
    pub(crate) held: &'a [H::Block],
    pub(crate) whole: &'a [H::Block],
    /// Less than a block, to be filled up with zeros; `None` if the last block is a whole one.
    pub(crate) rest: Option<&'a [u8]>,
    /// What the very last block is.
    pub(crate) last: H::Last,
}

/// Where in its message a lane is.
struct Slot<'a, H: Laned, T> {
    owner: Option<T>,
    /// Blocks to come, the one filled up with zeros included.
    left: usize,
    /// Blocks that lie together; none if the one filled up with zeros is next.
    blocks: &'a [H::Block],
    /// Blocks that follow these.
    then: &'a [H::Block],
    padding: usize,
    last: H::Last,
}

/// Compresses all `messages` and gives each chain to `done`, in the order in which they end.
#[inline]
pub(crate) fn compress<'a, H: Laned, T>(
    backend: Backend,
    messages: impl IntoIterator<Item = Message<'a, H, T>>,
    done: impl FnMut(T, H::Chain),
) {
    for_lanes!(H, MAX_LANES => compress_in::<H, T, MAX_LANES>(backend, messages, done));
}

fn compress_in<'a, H: Laned, T, const MAX_LANES: usize>(
    backend: Backend,
    messages: impl IntoIterator<Item = Message<'a, H, T>>,
    mut done: impl FnMut(T, H::Chain),
) {
    let lanes = H::lanes(backend).min(MAX_LANES);
    let mut messages = messages.into_iter();
    let mut slots: [Slot<'a, H, T>; MAX_LANES] = array::from_fn(|_| Slot::FREE);
    let mut chains = [H::NO_CHAIN; MAX_LANES];
    let mut ends = [H::Block::ZERO; MAX_LANES];
    let mut live = 0;
    loop {
        while live < lanes {
            let Some(message) = messages.next() else { break };
            chains[live] = message.chain;
            slots[live] = Slot::new(message, &mut ends[live]);
            live += 1;
        }
        if live == 0 {
            break;
        }

        let mut count = usize::MAX;
        for (slot, chain) in slots[..live].iter_mut().zip(&mut chains) {
            let together = slot.next(chain);
            count = count.min(together).min(H::longest_run(chain));
        }
        let blocks: [&[H::Block]; MAX_LANES] = array::from_fn(|i| match slots[i].blocks {
            [] => slice::from_ref(&ends[i]),
            blocks => blocks,
        });
        let last: [_; MAX_LANES] = array::from_fn(|i| if slots[i].left == count { slots[i].last } else { H::NOT_LAST });
        if live == 1 {
            H::compress(backend, &mut chains[0], &blocks[0][..count], last[0]);
        } else {
            let (chains, blocks, last) = (&mut chains[..live], &blocks[..live], &last[..live]);
            H::compress_lanes(backend, Run { count, stride: 1, chains, blocks, last, kind: Kind::Any });
        }

        for i in (0..live).rev() {
            let slot = &mut slots[i];
            slot.left -= count;
            slot.blocks = slot.blocks.get(count..).unwrap_or_default();
            if slot.left == 0 {
                if let Some(owner) = slot.owner.take() {
                    done(owner, chains[i]);
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
    ends.iter_mut().for_each(wipe);
}

impl<'a, H: Laned, T> Slot<'a, H, T> {
    const FREE: Self = Self { owner: None, left: 0, blocks: &[], then: &[], padding: 0, last: H::NOT_LAST };

    /// The start of `message`, its last block made in `end` if it has to be filled up.
    #[inline]
    fn new(message: Message<'a, H, T>, end: &mut H::Block) -> Self {
        let Message { owner, held, whole, rest, last, .. } = message;
        let mut padding = 0;
        if let Some(rest) = rest {
            *end = H::Block::ZERO;
            end.bytes_mut()[..rest.len()].copy_from_slice(rest);
            padding = H::Block::LENGTH - rest.len();
        }
        let left = held.len() + whole.len() + usize::from(rest.is_some());
        Self { owner: Some(owner), left, blocks: held, then: whole, padding, last }
    }

    /// Moves on to what follows, if all blocks that lie together are compressed, and tells how many do now.
    #[inline]
    fn next(&mut self, chain: &mut H::Chain) -> usize {
        if self.blocks.is_empty() {
            self.blocks = core::mem::take(&mut self.then);
        }
        if self.blocks.is_empty() {
            H::discount(chain, self.padding);
        }
        self.blocks.len().max(1)
    }
}

/// The numbers below `count`, by windows, in each the longest first.
///
/// Messages of one length then share their runs, and the last lane to end is a short one. A window is large enough to
/// fill the lanes several times over, and small enough to need no heap.
pub(crate) fn longest_first(count: usize, length: impl Fn(usize) -> usize) -> impl Iterator<Item = usize> {
    const WINDOW: usize = 64;
    let mut window = [0_u8; WINDOW];
    (0..count).map(move |i| {
        let begin = i - i % WINDOW;
        if i == begin {
            let window = &mut window[..WINDOW.min(count - begin)];
            (0..).zip(&mut *window).for_each(|(place, offset)| *offset = place);
            window.sort_unstable_by_key(|&offset| Reverse(length(begin + usize::from(offset))));
        }
        begin + usize::from(window[i - begin])
    })
}

//! Which messages of a batch are compressed side by side.
//!
//! The answer of a backend to `Dispatch::sides` decides, and so do the figures of `lanes::alone`. Cells choose their
//! kernels by detected features and by the family of the CPU, so, for SHA-256 on 64-bit machines:
//!
//! | features                 | CPUs                             | 1        | more                                 |
//! |--------------------------|----------------------------------|----------|--------------------------------------|
//! | SHA-NI, AVX-512          | AMD's: Zen 4 and 5               | SHA-NI   | SHA-NI, up to 4 streams              |
//! | SHA-NI, AVX-512          | Intel's: Ice Lake and later      | SHA-NI   | SHA-NI, pairs; from 7 on lanes       |
//! | SHA-NI                   | Zen 1 to 3, Alder Lake, Goldmont | SHA-NI   | SHA-NI, pairs                        |
//! | AVX-512                  | Skylake-X, Cascade Lake          | mixed    | from 2 on 8 lanes, from 9 on 16      |
//! | AVX2                     | Haswell to Skylake               | mixed    | from 3 on 8 lanes                    |
//! | SSE4.1, AVX              | Penryn to Ivy Bridge             | mixed    | from 3 on 4 lanes                    |
//! | Arm's `sha2`             | most of AArch64                  | `sha2`   | `sha2`, up to 4 streams              |
//! | NEON; simd128            | AArch64 without `sha2`; wasm     | portable | from 3 on 4 lanes                    |
//!
//! Mixed is scalar code beside a schedule in vectors: see `backend::scheduled`. On 32-bit x86 lanes begin with two.

use core::slice::from_ref;

use super::variant::Family;
use crate::backend::Backend;
use crate::kernel::sha2::{Chain, Message, Whole};
use crate::kernel::sha256::Sha256Function;
use crate::kernel::sha512::Sha512Function;
use crate::kernel::{Block, ChainState, wipe};
use crate::lanes::alone::{MOST_ALONE, are_faster_alone, most_blocks};
use crate::lanes::ends::copy_rest;
use crate::lanes::order::{WIDE_WINDOW, blocks, sort_by_blocks};
use crate::lanes::scheduler::compress_scheduled;
use crate::lanes::{Common, InLanes, Messages, Plan, Put, compress_alone, extremes};

/// Messages side by side at most.
const LANES: usize = 16;

/// Messages of which a call needs less memory: to fill it would take as long as a block.
pub(super) const FEW: usize = 4;

/// The plan for up to 128 messages. Writes the number of blocks of each to `counts`, and their places to
/// `order`, as they are to be taken.
fn plan<H: Family>(backend: Backend, messages: &[&[u8]], counts: &mut [u64], order: &mut [u8]) -> Plan {
    let (shortest, longest) = extremes(messages);
    let (shortest, longest) = (blocks::<H>(shortest), blocks::<H>(longest));
    let mut total = longest * messages.len() as u64;
    if shortest == longest {
        counts.fill(longest);
    } else {
        total = 0;
        for (count, message) in counts.iter_mut().zip(messages) {
            *count = blocks::<H>(message.len());
            total += *count;
        }
    }
    let lanes = H::lanes(backend);
    let sides = H::sides(backend, messages.len().min(lanes));
    if messages.len() <= lanes && are_faster_alone(sides, messages.len(), total, longest) {
        return Plan::Alone;
    }
    order.iter_mut().zip(0..).for_each(|(to, place)| *to = place);
    if longest > most_blocks(sides, messages.len()) {
        return Plan::Scheduled;
    }
    if longest != shortest {
        sort_by_blocks(order, |i| counts[i]);
    }
    Plan::Whole
}

impl InLanes for Sha256Function {
    fn compress_in_lanes(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        match messages.number() {
            ..=FEW => compress_windows::<Self, FEW, FEW>(common, messages, put),
            5..=8 => compress_windows::<Self, 8, 8>(common, messages, put),
            9..=LANES => compress_windows::<Self, LANES, LANES>(common, messages, put),
            _ => compress_windows::<Self, WIDE_WINDOW, LANES>(common, messages, put),
        }
    }
}

impl InLanes for Sha512Function {
    fn compress_in_lanes(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        match messages.number() {
            ..=FEW => compress_windows::<Self, FEW, FEW>(common, messages, put),
            5..=8 => compress_windows::<Self, 8, 8>(common, messages, put),
            _ => compress_windows::<Self, WIDE_WINDOW, 8>(common, messages, put),
        }
    }
}

/// Compresses all messages, up to `W` by one plan, and `L` at a time.
fn compress_windows<H: Family, const W: usize, const L: usize>(
    common: &Common<'_, H>,
    messages: &dyn Messages,
    put: Put<'_, H>,
) {
    let (mut window, mut counts, mut order) = ([&[][..]; W], [0; W], [0; W]);
    let mut begin = 0;
    loop {
        let read = messages.read(begin, &mut window);
        if read == 0 {
            break;
        }
        let put: Put<'_, H> = &mut |place, chains| put(begin + place, chains);
        let messages = &window[..read];
        if compress_window(common, messages, &mut counts[..read], &mut order[..read], put) == Plan::Whole {
            let (mut memory, mut chains) = ([Message::NONE; L], [H::Chain::UNUSED; L]);
            compress_groups(common, messages, &counts[..read], &order[..read], (&mut memory, &mut chains), put);
        }
        begin += read;
    }
}

/// Compresses all messages of a window, and tells its plan. If that is to compress them whole, the caller does, which
/// has the memory. Not inlined, so that it is compiled once for all sizes of windows.
#[inline(never)]
fn compress_window<H: Family>(
    common: &Common<'_, H>,
    messages: &[&[u8]],
    counts: &mut [u64],
    order: &mut [u8],
    put: Put<'_, H>,
) -> Plan {
    let plan = plan::<H>(common.backend, messages, counts, order);
    match plan {
        Plan::Alone => each_alone(common, messages, 0..messages.len(), put),
        Plan::Whole => {}
        Plan::Scheduled => compress_scheduled(common, common.chain, messages, order, 0, put),
    }
    plan
}

/// The messages at these places, one by one.
fn each_alone<H: Family>(
    common: &Common<'_, H>,
    messages: &[&[u8]],
    places: impl Iterator<Item = usize>,
    put: Put<'_, H>,
) {
    for i in places {
        compress_alone(common, messages[i], |chain| put(i, from_ref(chain)));
    }
}

/// The messages in their order, as many at a time as there is memory and as the backend has lanes.
fn compress_groups<'a, H: Family>(
    common: &Common<'_, H>,
    messages: &[&'a [u8]],
    counts: &[u64],
    order: &[u8],
    (memory, chains): (&mut [Message<'a, H::Word>], &mut [H::Chain]),
    put: Put<'_, H>,
) {
    let backend = common.backend;
    let count = |i: u8| counts[usize::from(i)];
    let are_equal = order.first().map(|i| count(*i)) == order.last().map(|i| count(*i));
    for group in order.chunks(H::lanes(backend).min(memory.len())) {
        let (number, total) = (group.len(), || group.iter().map(|i| count(*i)).sum());
        if number <= MOST_ALONE && are_faster_alone(H::sides(backend, number), number, total(), count(group[0])) {
            each_alone(common, messages, group.iter().map(|i| usize::from(*i)), put);
            continue;
        }
        for (to, i) in memory.iter_mut().zip(group) {
            close::<H>(to, messages[usize::from(*i)], common.chain.blocks);
        }
        let (memory, chains) = (&memory[..group.len()], &mut chains[..group.len()]);
        H::compress_whole(backend, Whole { start: &common.chain.h, messages: memory, chains });
        if are_equal {
            put(group[0].into(), chains);
        } else {
            for (i, chain) in group.iter().zip(chains) {
                put(usize::from(*i), from_ref(chain));
            }
        }
    }
    memory.iter_mut().flat_map(|message| &mut message.end).for_each(wipe);
    chains.iter_mut().for_each(H::wipe);
}

/// Writes the blocks that close a message, which has `before` blocks before it.
#[inline]
fn close<'a, H: Family>(to: &mut Message<'a, H::Word>, message: &'a [u8], before: u64) {
    let (blocks, rest) = H::Block::split(message);
    (to.blocks, to.closing) = (Some(blocks), H::closing(rest.len()));
    // Bytes before the length in the second block that closes a message are zeros in every message.
    to.end[1] = H::Block::ZERO;
    // Before the bytes are there: it reads the word that it changes, and would wait for them.
    let mut chain = Chain { blocks: before.wrapping_add(blocks.len() as u64), ..H::Chain::UNUSED };
    H::close(&mut chain, &mut to.end[1..=to.closing], rest.len());
    copy_rest(&mut to.end, message, rest);
}

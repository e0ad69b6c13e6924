//! Many messages of any lengths in lanes, each with blocks of its own number.

use core::slice::from_ref;

use crate::backend::{Dispatch, compress_ragged, takes_ragged};
use crate::kernel::sha256::{Chain, Ragged, Sha256Function};
use crate::kernel::{Block, Function, wipe};
use crate::many::batch::{
    Batch, Common, Messages, Put, WIDE_WINDOW, compress_alone, compress_batch, compress_short, copy_end, sort_by_blocks,
};

/// Lanes at most.
const LANES: usize = 16;

/// Bytes of a message at most that takes part: a longer one would have the others wait.
const LONGEST: usize = 1024;

impl Batch for Sha256Function {
    fn compress_batch(common: &Common<'_, Self>, messages: &dyn Messages, put: Put<'_, Self>) {
        let number = messages.number();
        if !takes_ragged(common.backend, number.min(Self::lanes(common.backend))) {
            return compress_batch(common, messages, put);
        }
        let mut done = compress_short(common, messages, 0, put);
        let mut window = [&[][..]; WIDE_WINDOW];
        while done < number {
            let read = messages.read(done, &mut window);
            if !compress_window(common, &window[..read], done, put) {
                let part = &window[..read];
                compress_batch(common, &part, &mut |place, chains| put(done + place, chains));
            }
            done += read;
        }
    }
}

/// The same for the messages of a window, from place `begin` on, if they are short and have different numbers of blocks.
fn compress_window(
    common: &Common<'_, Sha256Function>,
    messages: &[&[u8]],
    begin: usize,
    put: Put<'_, Sha256Function>,
) -> bool {
    if messages.iter().any(|message| message.len() > LONGEST) {
        return false;
    }
    let mut counts = [0; WIDE_WINDOW];
    for (count, message) in counts.iter_mut().zip(messages) {
        *count = blocks(message);
    }
    let counts = &counts[..messages.len()];
    let lanes = Sha256Function::lanes(common.backend);
    if !takes_ragged(common.backend, lanes.min(messages.len())) || counts.iter().all(|count| *count == counts[0]) {
        return false;
    }
    let mut order = [0; WIDE_WINDOW];
    sort_by_blocks(counts.iter().copied(), &mut order);
    let mut memory = [[[0; 64]; 3]; LANES];
    let mut chains = [*common.chain; LANES];
    for group in order[..messages.len()].chunks(lanes) {
        if !takes_ragged(common.backend, group.len()) {
            // By the extension, the next message begins before one has ended.
            if common.backend.sha() {
                for i in group.iter().copied().map(usize::from) {
                    compress_alone(common, messages[i], |chain| put(begin + i, from_ref(chain)));
                }
            } else {
                let mut few = [&[][..]; LANES];
                for (to, i) in few.iter_mut().zip(group) {
                    *to = messages[usize::from(*i)];
                }
                compress_batch(common, &&few[..group.len()], &mut |place, chains| {
                    for (i, chain) in group[place..].iter().zip(chains) {
                        put(begin + usize::from(*i), from_ref(chain));
                    }
                });
            }
            continue;
        }
        let (mut whole, mut ends) = ([&[][..]; LANES], [&[][..]; LANES]);
        for (l, (memory, i)) in memory.iter_mut().zip(group).enumerate() {
            let message = messages[usize::from(*i)];
            let (blocks, rest) = <[u8; 64]>::split(message);
            memory[2] = [0; 64];
            copy_end(memory, message, rest);
            let end = &mut memory[1..][..Sha256Function::closing(rest.len())];
            // A key may have been compressed before, and counts.
            let mut before = Chain { blocks: common.chain.blocks + blocks.len() as u64, ..Sha256Function::NO_CHAIN };
            Sha256Function::close(&mut before, end, rest.len());
            (whole[l], ends[l]) = (blocks, end);
        }
        let chains = &mut chains[..group.len()];
        chains.fill(*common.chain);
        compress_ragged(common.backend, Ragged { whole: &whole[..group.len()], ends: &ends[..group.len()], chains });
        for (i, chain) in group.iter().zip(chains) {
            put(begin + usize::from(*i), from_ref(chain));
        }
    }
    memory.iter_mut().flatten().for_each(wipe);
    chains.iter_mut().for_each(Sha256Function::wipe);
    true
}

/// The number of blocks of a short message, those that close it included.
fn blocks(message: &[u8]) -> u8 {
    #[expect(clippy::cast_possible_truncation, reason = "seventeen at most")]
    let number = (message.len() / 64 + Sha256Function::closing(message.len() % 64)) as u8;
    number
}

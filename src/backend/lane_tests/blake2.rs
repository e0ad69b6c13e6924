//! Both flavours of BLAKE2.

use std::vec;
use std::vec::Vec;

use super::{all_backends, all_widths, blocks, check_lanes, noise};
use crate::backend::{Backend, Dispatch};
use crate::kernel::blake2::{Chain, Constants, Last};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Block, Ends, Function, Known, Run, Word};

fn words<W: Word>(seed: &mut u64) -> [W; 8] {
    [(); 8].map(|()| W::truncate(noise(seed).into()))
}

const LASTS: [Last; 3] = [Last::Not, Last::Block, Last::Node];

/// One message in its rows, with the counter carrying after any of its blocks.
fn messages_are_those_of_portable<F: Constants + Dispatch>(edge: u128) {
    let mut seed = 2011;
    let portable = Backend::available().last().unwrap();
    let block = F::Block::LENGTH as u128;
    for (backend, count) in all_backends().flat_map(|backend| (0..6).map(move |count| (backend, count))) {
        let starts = (0..6).map(|before| edge.wrapping_sub(before * block));
        for start in starts.chain([0, 97, edge - 1, u128::MAX, u128::MAX - 2 * block]) {
            let start = Chain { h: words(&mut seed), count: start };
            let blocks = blocks::<F::Block>(&mut seed, count);
            for last in LASTS {
                let [mut chain, mut expected] = [start; 2];
                F::compress(backend, &mut chain, &blocks, last);
                F::compress(portable, &mut expected, &blocks, last);
                assert!(chain == expected, "{backend:?}, {count} blocks, {last:?}, count {:#x}", start.count);
            }
        }
    }
}

#[test]
fn messages_of_blake2b_are_those_of_portable() {
    messages_are_those_of_portable::<FlavourB>(1 << 64);
}

#[test]
fn messages_of_blake2s_are_those_of_portable() {
    messages_are_those_of_portable::<FlavourS>(1 << 32);
}

/// With its own chaining value, counter, blocks and end.
fn lanes_are_messages<F: Constants + Dispatch>(counts: [u128; 8]) {
    let mut seed = 2012;
    for (backend, lanes) in all_widths::<F>() {
        for (stride, shift) in [1, 4].into_iter().flat_map(|stride| (0..8).map(move |shift| (stride, shift))) {
            let start = |i: usize| Chain { h: words(&mut seed), count: counts[(i + shift) % 8] };
            let starts: Vec<Chain<F::Word>> = (0..lanes).map(start).collect();
            let last: Vec<Last> = (0..lanes).map(|i| LASTS[(i + shift) % 3]).collect();
            let blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, 2 * stride + 1)).collect();
            check_lanes::<F>(backend, &starts, &last, &blocks, (stride, Known::Nothing));
        }
    }
}

#[test]
fn lanes_of_blake2b_are_messages_of_blake2b() {
    // Without a carry after the first of three blocks: the last two carry in that.
    let edge = 1 << 64;
    lanes_are_messages::<FlavourB>([
        0,
        1 << 32,
        (1 << 63) - 128,
        edge - 129 - 2 * 128,
        1 << 127,
        edge,
        edge - 128,
        u128::MAX,
    ]);
}

#[test]
fn lanes_of_blake2s_are_messages_of_blake2s() {
    let edge = 1 << 32;
    lanes_are_messages::<FlavourS>([
        0,
        1 << 31,
        (1 << 63) - 64,
        edge - 65 - 2 * 64,
        1 << 63,
        edge,
        edge - 64,
        u128::MAX,
    ]);
}

/// Messages that begin alike, of one block that is whole or half empty.
fn lanes_may_be_alike<F: Constants + Dispatch>(edge: u128) {
    let mut seed = 2013;
    for (backend, lanes) in all_widths::<F>() {
        for (last, high) in LASTS.into_iter().flat_map(|last| [0, 7].map(|high| (last, high * edge))) {
            let h = words(&mut seed);
            let starts: Vec<Chain<F::Word>> = (0..lanes).map(|i| Chain { h, count: high + 97 * i as u128 }).collect();
            let mut blocks: Vec<Vec<F::Block>> = (0..lanes).map(|_| blocks(&mut seed, 1)).collect();
            let last = vec![last; lanes];
            check_lanes::<F>(backend, &starts, &last, &blocks, (1, Known::Alike));
            blocks.iter_mut().for_each(|blocks| blocks[0].bytes_mut()[F::Block::LENGTH / 2..].fill(0));
            check_lanes::<F>(backend, &starts, &last, &blocks, (1, Known::Half));
        }
    }
}

#[test]
fn lanes_of_blake2b_may_be_alike() {
    lanes_may_be_alike::<FlavourB>(1 << 64);
}

#[test]
fn lanes_of_blake2s_may_be_alike() {
    lanes_may_be_alike::<FlavourS>(1 << 32);
}

/// Whole messages, from one block to several of their own number, the last of any length, from a start that may have
/// counted a key.
fn whole_messages_are_messages<F: Constants + Dispatch>() {
    let mut seed = 2015;
    let portable = Backend::available().last().unwrap();
    let length = F::Block::LENGTH;
    for (backend, lanes) in all_widths::<F>() {
        for (most, half) in [(1, true), (1, false), (2, false), (3, false), (5, false), (16, false)] {
            let start = Chain { h: words(&mut seed), count: if most % 2 == 0 { length as u128 } else { 0 } };
            let last = LASTS[1 + most % 2];
            let mut any = |least: usize, most: usize| least + usize::from(noise(&mut seed).to_le_bytes()[0]) % most;
            let mut counts: Vec<usize> = (0..lanes).map(|_| any(0, most)).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let full = if half { length / 2 } else { length };
            // The whole last block, none of it if it is the only one, and any number of bytes.
            let filled: Vec<usize> =
                counts.iter().map(|&count| [full, usize::from(count > 0), any(1, full)][any(0, 3)]).collect();
            let messages: Vec<Vec<F::Block>> = counts.iter().map(|&count| blocks(&mut seed, count)).collect();
            let mut ends: Vec<F::Block> = blocks(&mut seed, lanes);
            let mut chains = Vec::new();
            for (end, &filled) in ends.iter_mut().zip(&filled) {
                end.bytes_mut()[filled..].fill(0);
                chains.push(Chain { h: words(&mut seed), count: start.count.wrapping_sub((length - filled) as u128) });
            }
            let before: Vec<Chain<F::Word>> = chains.clone();
            F::compress_lanes(
                backend,
                Run {
                    count: counts[0] + 1,
                    stride: 1,
                    chains: &mut chains,
                    blocks: &messages.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                    last: &vec![last; lanes],
                    hint: if half { Known::Half } else { Known::Alike },
                    ends: Some(&Ends { start: &start, blocks: &ends.iter().collect::<Vec<_>>() }),
                },
            );
            for i in 0..lanes {
                let mut alone = start;
                F::compress(portable, &mut alone, &messages[i], Last::Not);
                alone.count = alone.count.wrapping_sub((length - filled[i]) as u128);
                F::compress(portable, &mut alone, &ends[i..=i], last);
                let what = (backend, i, lanes, &counts, &filled);
                assert!(chains[i].h == alone.h && chains[i].count == before[i].count, "{what:?}");
            }
        }
    }
}

#[test]
fn whole_messages_of_blake2b_are_messages_of_blake2b() {
    whole_messages_are_messages::<FlavourB>();
}

#[test]
fn whole_messages_of_blake2s_are_messages_of_blake2s() {
    whole_messages_are_messages::<FlavourS>();
}

/// A number of blocks, or as many as an address space has.
fn at_most(blocks: u64) -> usize {
    usize::try_from(blocks).unwrap_or(usize::MAX)
}

/// A run may have as many blocks as that, and the next one would carry.
#[test]
fn runs_end_at_the_carry() {
    // The last block of a run may be counted to the edge less one; the first may be counted to anything.
    let edge = 1_u128 << 64;
    let limits = [
        (edge - 128 * 5 - 1, 5),
        (edge - 128 * 5, 4),
        (edge - 128 * 2, 1),
        (edge - 129, 1),
        (edge - 128, 1 << 57),
        (edge - 1, 1 << 57),
        (u128::MAX - 127, 1 << 57),
        (0, (1 << 57) - 1),
    ];
    for (count, limit) in limits {
        assert_eq!(FlavourB::longest_run(&Chain { h: [0; 8], count }), at_most(limit), "{count:#x}");
    }
    let edge = 1_u128 << 32;
    let limits = [
        (edge - 64 * 5 - 1, 5),
        (edge - 64 * 5, 4),
        (edge - 65, 1),
        (edge - 64, 1 << 26),
        (7 * edge - 65, 1),
        ((1 << 64) - 64, 1 << 26),
        (0, (1 << 26) - 1),
    ];
    for (count, limit) in limits {
        assert_eq!(FlavourS::longest_run(&Chain { h: [0; 8], count }), at_most(limit), "{count:#x}");
    }
}

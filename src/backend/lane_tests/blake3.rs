//! BLAKE3, which has rows for a few messages and lanes for many.

use core::array;
use std::vec;
use std::vec::Vec;

use super::{all_backends, blocks, check_lanes, noise};
use crate::backend::dispatch::{compress_block, compress_group, compress_settled_block, output_blocks};
use crate::backend::{Backend, Dispatch};
use crate::kernel::Known;
use crate::kernel::blake3::{Blake3Function, Chain, Ends, Group, MAX_INPUTS, Node, SingleBlock};

/// Counters around the carry into the upper word.
const COUNTERS: [u64; 6] = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 54) - 1, u64::MAX];

fn key(seed: &mut u64) -> [u32; 8] {
    #[expect(clippy::cast_possible_truncation, reason = "any bits")]
    [(); 8].map(|()| noise(seed) as u32)
}

fn byte(seed: &mut u64) -> u8 {
    noise(seed).to_le_bytes()[0]
}

/// With its own chaining value, counter, flags, length and blocks.
#[test]
fn lanes_of_blake3_are_messages_of_blake3() {
    let mut seed = 2105;
    for backend in all_backends() {
        for lanes in 1..=Blake3Function::lanes(backend) {
            for (stride, count) in [(1, 1), (1, 2), (1, 5), (4, 1), (4, 3)] {
                let mut chain = |i: usize| Chain {
                    h: key(&mut seed),
                    counter: COUNTERS[(i + count) % 6],
                    flags: byte(&mut seed),
                    first: byte(&mut seed),
                    missing: byte(&mut seed) % 65,
                    padding: [0; 5],
                };
                let starts: Vec<Chain> = (0..lanes).map(&mut chain).map(without_overlap).collect();
                let last: Vec<u8> = starts.iter().map(|chain| !chain.flags & !chain.first & byte(&mut seed)).collect();
                let blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, (count - 1) * stride + 1)).collect();
                check_lanes::<Blake3Function>(backend, &starts, &last, &blocks, (stride, Known::Nothing));
            }
        }
    }
}

/// No block has a flag twice.
fn without_overlap(chain: Chain) -> Chain {
    Chain { first: chain.first & !chain.flags, ..chain }
}

/// Any number of inputs, each with its own counter, length and flags of the last block.
#[test]
fn groups_of_blake3_are_messages_of_blake3() {
    let mut seed = 2106;
    let portable = Backend::available().last().unwrap();
    for backend in all_backends() {
        for live in 1..=Blake3Function::lanes(backend) {
            for count in [1, 2, 3, 16] {
                let key = key(&mut seed);
                let blocks: Vec<Vec<[u8; 64]>> = (0..live).map(|_| blocks(&mut seed, count)).collect();
                let inputs: Vec<&[[u8; 64]]> = blocks.iter().map(Vec::as_slice).collect();
                let last = [(); MAX_INPUTS].map(|()| byte(&mut seed) & 0xf0);
                let lengths = [(); MAX_INPUTS].map(|()| byte(&mut seed) % 65);
                let mut counters = [0; MAX_INPUTS];
                for (i, counter) in counters.iter_mut().enumerate() {
                    *counter = COUNTERS[(i + live) % 6];
                }
                let outputs = |backend| {
                    let mut outputs = vec![[0; 32]; live];
                    let group = Group {
                        key: &key,
                        flags: 4,
                        first: 1,
                        last: &last,
                        lengths: &lengths,
                        counters: &counters,
                        count,
                        inputs: &inputs,
                        ends: None,
                        followed: false,
                        outputs: &mut outputs,
                    };
                    compress_group(backend, group);
                    outputs
                };
                if live > 1 {
                    let alone: Vec<_> =
                        (0..live).flat_map(|i| one(portable, i, &key, &inputs, &last, &lengths, &counters)).collect();
                    assert_eq!(outputs(backend), alone, "{backend:?}, {live} of {count} blocks");
                } else {
                    assert_eq!(outputs(backend), outputs(portable), "{backend:?}, {live} of {count} blocks");
                }
            }
        }
    }
}

/// Inputs with blocks of their own number, from none before the last on. In the longest lane, in the first and in any
/// other, the last block must not be taken from elsewhere.
#[test]
fn mixed_groups_of_blake3_are_messages_of_blake3() {
    let mut seed = 2108;
    let portable = Backend::available().last().unwrap();
    for backend in all_backends() {
        for live in 1..=Blake3Function::lanes(backend) {
            for most in [1, 2, 3, 5, 16] {
                let key = key(&mut seed);
                let mut any = |_| {
                    let count = 1 + usize::from(byte(&mut seed)) % most;
                    blocks(&mut seed, count)
                };
                let blocks: Vec<Vec<[u8; 64]>> = (0..live).map(&mut any).collect();
                let inputs: Vec<&[[u8; 64]]> = blocks.iter().map(Vec::as_slice).collect();
                let last = [(); MAX_INPUTS].map(|()| byte(&mut seed) & 0xf0);
                let lengths = [(); MAX_INPUTS].map(|()| byte(&mut seed) % 65);
                let counters = [(); MAX_INPUTS].map(|()| COUNTERS[usize::from(byte(&mut seed)) % 6]);
                let before: Vec<&[[u8; 64]]> = inputs.iter().map(|input| &input[..input.len() - 1]).collect();
                let end = |i: usize| inputs.get(i).map_or(&[0; 64], |input| &input[input.len() - 1]);
                let count = |i: usize| u8::try_from(before[if i < live { i } else { 0 }].len()).unwrap();
                let ends = Ends { counts: array::from_fn(count), blocks: array::from_fn(end) };
                let mut outputs = vec![[0; 32]; live];
                let group = Group {
                    key: &key,
                    flags: 4,
                    first: 1,
                    last: &last,
                    lengths: &lengths,
                    counters: &counters,
                    count: 0,
                    inputs: &before,
                    ends: Some(&ends),
                    followed: false,
                    outputs: &mut outputs,
                };
                compress_group(backend, group);
                let alone: Vec<_> =
                    (0..live).flat_map(|i| one(portable, i, &key, &inputs, &last, &lengths, &counters)).collect();
                assert_eq!(outputs, alone, "{backend:?}, {:?}", &ends.counts[..live]);
            }
        }
    }
}

/// A group of one of the inputs.
fn one(
    backend: Backend,
    i: usize,
    key: &[u32; 8],
    inputs: &[&[[u8; 64]]],
    last: &[u8; MAX_INPUTS],
    lengths: &[u8; MAX_INPUTS],
    counters: &[u64; MAX_INPUTS],
) -> [[u8; 32]; 1] {
    let mut outputs = [[0; 32]];
    let group = Group {
        key,
        flags: 4,
        first: 1,
        last: &[last[i]; MAX_INPUTS],
        lengths: &[lengths[i]; MAX_INPUTS],
        counters: &[counters[i]; MAX_INPUTS],
        count: inputs[i].len(),
        inputs: &inputs[i..=i],
        ends: None,
        followed: false,
        outputs: &mut outputs,
    };
    compress_group(backend, group);
    outputs
}

/// A single block, settled or not, and output blocks by any number, around the carry of the counter.
#[test]
fn single_blocks_and_outputs_of_blake3_on_every_backend() {
    let mut seed = 2107;
    let portable = Backend::available().last().unwrap();
    for counter in COUNTERS {
        let bytes = blocks::<[u8; 64]>(&mut seed, 1)[0];
        let node = Node { h: key(&mut seed), block: bytes, counter, length: byte(&mut seed), flags: byte(&mut seed) };
        let Node { length, flags, .. } = node;
        let block = SingleBlock { key: &node.h, bytes: &bytes, counter, length, flags };
        let expected = compress_settled_block(portable, block);
        for number in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 20, 40] {
            let mut outputs = vec![[0; 64]; number];
            output_blocks(portable, node.numbered(counter), &mut outputs);
            assert_eq!(outputs[0][..32], expected);
            for backend in all_backends() {
                let mut blocks = vec![[0; 64]; number];
                output_blocks(backend, node.numbered(counter), &mut blocks);
                assert_eq!(blocks, outputs, "{backend:?}, {number} blocks from {counter}");
            }
        }
        for backend in all_backends() {
            assert_eq!(compress_settled_block(backend, block), expected, "{backend:?}");
            assert_eq!(compress_block(backend, block), expected, "{backend:?}");
        }
    }
}

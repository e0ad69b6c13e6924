//! SHA-256, of which a backend has several kernels.

use std::vec;
use std::vec::Vec;

use super::{all_backends, blocks, check_lanes, noise};
use crate::backend::dispatch::{DispatchWhole, hash_node, hash_nodes};
use crate::backend::{Backend, Dispatch};
use crate::kernel::sha256::{Chain, IV_224, Message, NODES, Nodes, Sha256Function, Whole, Written};
use crate::kernel::{Block, Known};

fn chain(seed: &mut u64, blocks: u64) -> Chain {
    #[expect(clippy::cast_possible_truncation, reason = "any bits")]
    let h = [(); 8].map(|()| noise(seed) as u32);
    Chain { h, blocks }
}

/// Numbers of blocks around the carries, of the number and of the length in bits.
const COUNTS: [u64; 6] = [0, 1, (1 << 23) - 2, (1 << 32) - 1, (1 << 55) - 1, u64::MAX - 1];

/// With its own chaining value, number of blocks, and blocks: one at a time, and in runs with gaps.
#[test]
fn lanes_of_sha256_are_messages_of_sha256() {
    let mut seed = 2104;
    for backend in all_backends() {
        for lanes in 1..=Sha256Function::lanes(backend) {
            for (stride, count) in [(1, 1), (1, 2), (1, 3), (1, 5), (4, 1), (4, 3)] {
                let starts: Vec<Chain> = (0..lanes).map(|i| chain(&mut seed, COUNTS[(i + count) % 6])).collect();
                let blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, (count - 1) * stride + 1)).collect();
                check_lanes::<Sha256Function>(
                    backend,
                    &starts,
                    &vec![Written::JustNow; lanes],
                    &blocks,
                    (stride, Known::Nothing),
                );
            }
        }
    }
}

/// A lane may have more blocks than the run takes, and the chaining values of others stay apart.
#[test]
fn one_lane_of_sha256_is_another() {
    let mut seed = 2105;
    for backend in all_backends() {
        let lanes = Sha256Function::lanes(backend);
        let starts = vec![chain(&mut seed, 7); lanes];
        let same = blocks::<[u8; 64]>(&mut seed, 2);
        for lane in 0..lanes {
            let mut blocks = vec![same.clone(); lanes];
            blocks[lane][1].bytes_mut()[lane] ^= 1;
            check_lanes::<Sha256Function>(
                backend,
                &starts,
                &vec![Written::JustNow; lanes],
                &blocks,
                (1, Known::Nothing),
            );
            check_lanes::<Sha256Function>(backend, &starts, &vec![Written::JustNow; lanes], &blocks, (1, Known::Alike));
        }
    }
}

/// One message of many blocks, at once.
#[test]
fn one_stream_of_sha256_on_every_backend() {
    let mut seed = 2106;
    let portable = Backend::available().last().unwrap();
    for count in 0..=9 {
        let (start, blocks) = (chain(&mut seed, u64::MAX - 3), blocks::<[u8; 64]>(&mut seed, count));
        let mut expected = start;
        Sha256Function::compress(portable, &mut expected, &blocks, Written::Before);
        for backend in all_backends() {
            let mut chain = start;
            Sha256Function::compress(backend, &mut chain, &blocks, Written::Before);
            assert!(chain == expected, "{backend:?}, {count} blocks");
        }
    }
}

/// The schedule of the closing block is a table.
#[test]
fn nodes_of_sha256_on_every_backend() {
    let mut seed = 2107;
    let portable = Backend::available().last().unwrap();
    for count in 1..=NODES {
        let nodes = blocks::<[u8; 64]>(&mut seed, count);
        let nodes: Vec<&[u8; 64]> = nodes.iter().collect();
        let digests = |backend| {
            [(false, Written::Before), (false, Written::JustNow), (true, Written::JustNow)].map(|(twice, written)| {
                let mut digests = [[0; 32]; NODES];
                hash_nodes(
                    backend,
                    Nodes { iv: &IV_224, written, nodes: &nodes, digests: &mut digests[..count], twice },
                );
                digests
            })
        };
        let expected = digests(portable);
        for backend in all_backends() {
            assert!(digests(backend) == expected, "{backend:?}, {count} nodes");
            let mut alone = [0; 32];
            hash_node(backend, &IV_224, nodes[count - 1], &mut alone);
            assert!(alone == expected[0][count - 1], "{backend:?}, one node");
        }
    }
}

/// Whole messages, of as many blocks each or of numbers of their own, closed by one block or two, on every kernel.
/// Bytes before the closing blocks and behind them must not be read.
#[test]
fn whole_messages_of_sha256_on_every_backend() {
    let mut seed = 2108;
    let portable = Backend::available().last().unwrap();
    for backend in all_backends() {
        for live in 1..=Sha256Function::lanes(backend) {
            for most in [0, 1, 2, 3, 5, 17] {
                for mixed in [false, true] {
                    let memory: Vec<_> = (0..live).map(|_| blocks::<[u8; 64]>(&mut seed, most)).collect();
                    let mut messages = vec![Message::NONE; live];
                    for (i, (message, memory)) in messages.iter_mut().zip(&memory).enumerate() {
                        let [count, closing] = [0, 1].map(|j| usize::from(noise(&mut seed).to_le_bytes()[j]));
                        message.blocks = Some(if mixed { &memory[..count % (most + 1)] } else { memory });
                        message.closing = if mixed { 1 + closing % 2 } else { 1 + (most + live) % 2 };
                        message.end.copy_from_slice(&blocks(&mut seed, 3));
                        message.end[0][0] ^= i.to_le_bytes()[0];
                    }
                    messages.sort_by_key(|message| core::cmp::Reverse(message.number()));
                    let start = chain(&mut seed, 3);
                    let mut expected = vec![start; live];
                    for (chain, message) in expected.iter_mut().zip(&messages) {
                        for blocks in [message.blocks(), message.closing()] {
                            Sha256Function::compress(portable, chain, blocks, Written::Before);
                        }
                        chain.blocks = 5;
                    }
                    let mut chains = vec![Chain::new([9; 8]); live];
                    chains.iter_mut().for_each(|chain| chain.blocks = 5);
                    Sha256Function::compress_whole(
                        backend,
                        Whole { start: &start.h, messages: &messages, chains: &mut chains },
                    );
                    assert!(chains == expected, "{backend:?}, {live} of up to {most} blocks, mixed: {mixed}");
                }
            }
        }
    }
}

//! SHA-256, of which a backend has several kernels.

use std::vec;
use std::vec::Vec;

use super::{all_backends, blocks, check_lanes, noise};
use crate::backend::{Backend, Dispatch, compress_ragged, hash_nodes};
use crate::kernel::Block;
use crate::kernel::sha256::{Chain, IV_224, Known, NODES, Nodes, Ragged, Sha256Function, Written};

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
        }
    }
}

/// Messages with blocks of their own number, closed by one block or two, on every kernel that has lanes for them.
#[test]
fn ragged_messages_of_sha256_on_every_backend() {
    let mut seed = 2108;
    let portable = Backend::available().last().unwrap();
    for backend in all_backends() {
        for live in 1..=Sha256Function::lanes(backend) {
            for most in [1, 2, 3, 5, 17] {
                let mut any = |least: usize| {
                    let count = least + usize::from(noise(&mut seed).to_le_bytes()[0]) % most;
                    blocks::<[u8; 64]>(&mut seed, count)
                };
                let whole: Vec<_> = (0..live).map(|_| any(0)).collect();
                let ends: Vec<_> = (0..live).map(|i| any(2)[..1 + (i + most) % 2].to_vec()).collect();
                let start = chain(&mut seed, 3);
                let messages = whole.iter().zip(&ends).map(|(whole, end)| [&whole[..], end].concat());
                let expected: Vec<_> = messages
                    .map(|blocks| {
                        let mut chain = start;
                        Sha256Function::compress(portable, &mut chain, &blocks, Written::Before);
                        chain.h
                    })
                    .collect();
                let mut chains = vec![start; live];
                let whole: Vec<_> = whole.iter().map(Vec::as_slice).collect();
                let ends: Vec<_> = ends.iter().map(Vec::as_slice).collect();
                compress_ragged(backend, Ragged { whole: &whole, ends: &ends, chains: &mut chains });
                let h: Vec<_> = chains.iter().map(|chain| chain.h).collect();
                assert!(h == expected, "{backend:?}, {live} of up to {most} blocks");
                assert!(chains.iter().all(|chain| chain.blocks == start.blocks), "{backend:?}");
            }
        }
    }
}

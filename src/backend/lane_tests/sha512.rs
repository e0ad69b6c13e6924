//! SHA-512: lanes against messages alone, for every kernel.

use std::vec;
use std::vec::Vec;

use super::{all_backends, blocks, check_lanes, noise};
use crate::backend::dispatch::DispatchWhole;
use crate::backend::{Backend, Dispatch};
use crate::kernel::sha2::Message;
use crate::kernel::sha512::{Chain, Sha512Function, Whole, Written};
use crate::kernel::{Block, Known};

fn chain(seed: &mut u64, blocks: u64) -> Chain {
    Chain { h: [(); 8].map(|()| noise(seed)), blocks }
}

/// With its own chaining value, number of blocks, and blocks: one at a time, in runs with gaps, and all alike except
/// for one byte of one lane.
#[test]
fn lanes_of_sha512_are_messages_of_sha512() {
    let mut seed = 2109;
    for backend in all_backends() {
        let last = [Written::JustNow; 8];
        for lanes in 1..=Sha512Function::lanes(backend) {
            for (stride, count) in [(1, 1), (1, 2), (1, 5), (4, 3)] {
                let starts: Vec<Chain> = (0..lanes).map(|i| chain(&mut seed, u64::MAX - 1 - i as u64)).collect();
                let blocks: Vec<_> = (0..lanes).map(|_| blocks(&mut seed, (count - 1) * stride + 1)).collect();
                check_lanes::<Sha512Function>(backend, &starts, &last[..lanes], &blocks, (stride, Known::Nothing));
            }
            let starts = vec![chain(&mut seed, 7); lanes];
            let mut alike = vec![blocks::<[u8; 128]>(&mut seed, 2); lanes];
            alike[lanes - 1][1].bytes_mut()[lanes] ^= 1;
            check_lanes::<Sha512Function>(backend, &starts, &last[..lanes], &alike, (1, Known::Alike));
        }
    }
}

/// Whole messages, of as many blocks each or of numbers of their own, closed by one block or two. Bytes before the
/// closing blocks and behind them must not be read.
#[test]
fn whole_messages_of_sha512_on_every_backend() {
    let mut seed = 2110;
    let portable = Backend::available().last().unwrap();
    for backend in all_backends() {
        for live in 1..=Sha512Function::lanes(backend) {
            for most in [0, 1, 3, 17] {
                for mixed in [false, true] {
                    let memory: Vec<_> = (0..live).map(|_| blocks::<[u8; 128]>(&mut seed, most)).collect();
                    let mut messages = vec![Message::NONE; live];
                    for (message, memory) in messages.iter_mut().zip(&memory) {
                        let [count, closing] = [0, 1].map(|j| usize::from(noise(&mut seed).to_le_bytes()[j]));
                        message.blocks = Some(if mixed { &memory[..count % (most + 1)] } else { memory });
                        message.closing = if mixed { 1 + closing % 2 } else { 1 + (most + live) % 2 };
                        message.end.copy_from_slice(&blocks(&mut seed, 3));
                    }
                    messages.sort_by_key(|message| core::cmp::Reverse(message.number()));
                    let start = chain(&mut seed, 5);
                    let mut expected = vec![start; live];
                    for (chain, message) in expected.iter_mut().zip(&messages) {
                        for blocks in [message.blocks(), message.closing()] {
                            Sha512Function::compress(portable, chain, blocks, Written::Before);
                        }
                        chain.blocks = 5;
                    }
                    let mut chains = vec![Chain { h: [9; 8], blocks: 5 }; live];
                    Sha512Function::compress_whole(
                        backend,
                        Whole { start: &start.h, messages: &messages, chains: &mut chains },
                    );
                    assert!(chains == expected, "{backend:?}, {live} of up to {most} blocks, mixed: {mixed}");
                }
            }
        }
    }
}

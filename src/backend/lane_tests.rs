//! Every lane of every kernel against its message alone, and the rotations of every vector against the word's.

use std::vec;
use std::vec::Vec;

use super::*;
use crate::kernel::blake2::{Chain, Constants, Known, Last};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Block, Word, Words};

/// Numbers that look random.
fn noise(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    seed.rotate_left(29)
}

fn words<W: Word>(seed: &mut u64) -> [W; 8] {
    [(); 8].map(|()| W::truncate(noise(seed).into()))
}

fn blocks<B: Block>(seed: &mut u64, number: usize) -> Vec<B> {
    let mut blocks = vec![B::ZERO; number];
    blocks.iter_mut().flat_map(B::bytes_mut).for_each(|byte| *byte = noise(seed).to_le_bytes()[0]);
    blocks
}

/// Every lane must agree with its message alone.
fn check_lanes<F: Constants + Dispatch>(
    backend: Backend,
    starts: &[Chain<F::Word>],
    last: &[Last],
    blocks: &[Vec<F::Block>],
    (stride, hint): (usize, Known),
) {
    let mut chains = starts.to_vec();
    let slices: Vec<&[F::Block]> = blocks.iter().map(Vec::as_slice).collect();
    let count = blocks[0].len().div_ceil(stride);
    F::compress_lanes(backend, Run { count, stride, chains: &mut chains, blocks: &slices, last, hint });

    let portable = Backend::available().last().unwrap();
    for (i, mut alone) in starts.iter().copied().enumerate() {
        let blocks: Vec<_> = blocks[i].iter().copied().step_by(stride).collect();
        F::compress(portable, &mut alone, &blocks, last[i]);
        let lanes = starts.len();
        assert!(chains[i] == alone, "{backend}, lane {i} of {lanes}, {hint:?}, stride {stride}");
    }
}

fn all_widths<F: Dispatch>() -> impl Iterator<Item = (Backend, usize)> {
    Backend::available().flat_map(|backend| (1..=F::lanes(backend)).map(move |lanes| (backend, lanes)))
}

const LASTS: [Last; 3] = [Last::Not, Last::Block, Last::Node];

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

/// By every number of bits: a hash to come may need one that none has needed yet.
fn rotates<W: Word + fmt::Debug, V: Words<W, L>, const L: usize>(token: V::Token) {
    let mut seed = 2014;
    let words = [(); L].map(|()| W::truncate(noise(&mut seed).into()));
    for bits in 1..W::BITS {
        assert_eq!(V::new(token, words).ror(bits).words(), words.map(|word| word.ror(bits)), "{bits}");
    }
}

#[test]
fn vectors_rotate_by_every_number_of_bits() {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let Some(token) = sse41::Sse41::detect(Cpu::THIS) {
            rotates::<u64, sse41::U64x2, 2>(token);
            rotates::<u32, sse41::U32x4, 4>(token);
        }
        if let Some(token) = avx2::Avx2::detect(Cpu::THIS) {
            rotates::<u64, avx2::U64x4, 4>(token);
            rotates::<u32, avx2::U32x8, 8>(token);
        }
        if let Some(token) = avx512::Avx512::detect(Cpu::THIS) {
            rotates::<u64, avx512::U64x4, 4>(token);
            rotates::<u64, avx512::U64x8, 8>(token);
            rotates::<u32, avx512::U32x4, 4>(token);
            rotates::<u32, avx512::U32x8, 8>(token);
            rotates::<u32, avx512::U32x16, 16>(token);
        }
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    if let Some(token) = neon::Neon::detect(Cpu::THIS) {
        rotates::<u64, neon::U64x2, 2>(token);
        rotates::<u32, neon::U32x4, 4>(token);
    }
}

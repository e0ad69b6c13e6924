//! Every lane of every kernel against its message alone, and the rotations of every vector against the word's.

use std::vec;
use std::vec::Vec;

use super::*;
use crate::kernel::{Block, Known, Run, Word, Words};

#[cfg(feature = "blake2")]
mod blake2;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "sha2")]
mod sha256;
#[cfg(feature = "sha2")]
mod sha512;

/// Every backend, with the SHA extension and without it, for either family of CPU.
fn all_backends() -> impl Iterator<Item = Backend> {
    let kinds = |backend: Backend| [Some(backend), backend.sha().then(|| backend.without_sha())].into_iter().flatten();
    Backend::available().flat_map(kinds).flat_map(Backend::tunings)
}

/// Numbers that look random.
fn noise(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    seed.rotate_left(29)
}

fn blocks<B: Block>(seed: &mut u64, number: usize) -> Vec<B> {
    let mut blocks = vec![B::ZERO; number];
    blocks.iter_mut().flat_map(B::bytes_mut).for_each(|byte| *byte = noise(seed).to_le_bytes()[0]);
    blocks
}

/// Every lane must agree with its message alone.
fn check_lanes<H: Dispatch<Chain: PartialEq>>(
    backend: Backend,
    starts: &[H::Chain],
    last: &[H::Last],
    blocks: &[Vec<H::Block>],
    (stride, hint): (usize, Known),
) {
    let mut chains = starts.to_vec();
    let slices: Vec<&[H::Block]> = blocks.iter().map(Vec::as_slice).collect();
    let count = blocks[0].len().div_ceil(stride);
    H::compress_lanes(backend, Run { count, stride, chains: &mut chains, blocks: &slices, last, hint, ends: None });

    let portable = Backend::available().last().unwrap();
    for (i, mut alone) in starts.iter().copied().enumerate() {
        let blocks: Vec<_> = blocks[i].iter().copied().step_by(stride).collect();
        H::compress(portable, &mut alone, &blocks, last[i]);
        let lanes = starts.len();
        assert!(chains[i] == alone, "{backend:?}, lane {i} of {lanes}, {hint:?}, stride {stride}");
    }
}

fn all_widths<H: Dispatch>() -> impl Iterator<Item = (Backend, usize)> {
    all_backends().flat_map(|backend| (1..=H::lanes(backend)).map(move |lanes| (backend, lanes)))
}

/// By every number of bits: a hash to come may need one that none has needed yet.
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
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

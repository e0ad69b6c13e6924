//! BLAKE3 on SSE4.1: a message in rows of a register each, or four messages. Two are as fast one after the other.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::slice;

use super::{Sse41, U32x4};
use crate::backend::{Beside, reread};
use crate::kernel::blake3::{
    Blake3Function, Block, Chain, CompressGroup, Group, Known, Node, Row, compress_lanes, compress_row, compress_rows,
    group_lanes, group_rows, output_lanes, output_rows,
};
use crate::kernel::{Compress, Run, Words};

impl Compress<Blake3Function> for Beside<Sse41> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        match run.chains.len() {
            // SAFETY: self.isa proves SSE4.1.
            ..=2 => unsafe { compress1(run) },
            // SAFETY: self.isa proves SSE4.1.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressGroup for Beside<Sse41> {
    fn group(self, group: Group<'_>) {
        match group.inputs.len() {
            // SAFETY: self.isa proves SSE4.1.
            ..=2 => unsafe { group1(group) },
            // SAFETY: self.isa proves SSE4.1.
            _ => unsafe { group4(group) },
        }
    }

    #[inline]
    fn block<const SETTLED: bool>(self, block: Block<'_>) -> [u8; 32] {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { self::block::<SETTLED>(block) }
    }

    fn output(self, node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { output(node, counter, blocks) }
    }
}

/// The same message as a run of one.
#[inline(always)]
pub(in crate::backend) fn alone<'a>(
    chain: &'a mut Chain,
    blocks: &'a [&'a [[u8; 64]]],
    last: &'a [u8],
) -> Run<'a, Blake3Function> {
    Run { count: blocks[0].len(), stride: 1, chains: slice::from_mut(chain), blocks, last, hint: Known::Nothing }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<U32x4, 1>(Sse41::here(), alone(chain, &[blocks], &[last]));
}

/// One after the other.
#[target_feature(enable = "sse4.1")]
fn compress1(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x4, 1>(Sse41::here(), run);
}

#[target_feature(enable = "sse4.1")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Sse41::here(), run);
}

/// One after the other.
#[target_feature(enable = "sse4.1")]
fn group1(group: Group<'_>) {
    group_rows::<U32x4, 1>(Sse41::here(), group);
}

#[target_feature(enable = "sse4.1")]
fn group4(group: Group<'_>) {
    group_lanes::<U32x4, 4>(Sse41::here(), group);
}

#[target_feature(enable = "sse4.1")]
fn block<const SETTLED: bool>(block: Block<'_>) -> [u8; 32] {
    compress_row::<U32x4, SETTLED>(Sse41::here(), block)
}

#[target_feature(enable = "sse4.1")]
fn output(node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
    let mut counter = counter;
    for blocks in blocks.chunks_mut(4) {
        match blocks {
            [block] => output_rows::<U32x4>(Sse41::here(), node, counter, block),
            _ => output_lanes::<U32x4, 4>(Sse41::here(), node, counter, blocks),
        }
        counter = counter.wrapping_add(4);
    }
}

/// Implements [`Row`] for a vector of `N` messages, by the operations on its register.
macro_rules! row {
    ($Vector:ident of $N:literal, $Token:ty, $join:ident, $xor_ror:ident, $shuffle:ident, $pick:ident, $with_last:ident
     $(, $permute:ident, $high:ident)?) => {
        impl Row<$N> for $Vector {
            type Token = $Token;

            #[inline(always)]
            fn new(token: $Token, words: [[u32; 4]; $N]) -> Self {
                let mut flat = [0; 4 * $N];
                flat.copy_from_slice(words.as_flattened());
                Words::new(token, flat)
            }

            #[inline(always)]
            fn words(self) -> [[u32; 4]; $N] {
                let mut words = [[0; 4]; $N];
                words.as_flattened_mut().copy_from_slice(&Words::words(self));
                words
            }

            #[inline(always)]
            fn load<const SETTLED: bool>(token: $Token, blocks: [&[u8; 64]; $N], i: usize) -> Self {
                // SAFETY: token proves the instruction set.
                Self(unsafe { $join::<SETTLED>(blocks, i) }, token)
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                Words::add(self, rhs)
            }

            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                Words::xor(self, rhs)
            }

            #[inline(always)]
            fn xor_ror(self, late: Self, bits: u32) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $xor_ror(self.0, late.0, bits) }, self.1)
            }

            #[inline(always)]
            fn shuffle<const ORDER: i32>(self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $shuffle::<ORDER>(self.0) }, self.1)
            }

            #[inline(always)]
            fn pick<const ORDER: i32>(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $pick::<ORDER>(self.0, rhs.0) }, self.1)
            }

            #[inline(always)]
            fn with_last(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $with_last(self.0, rhs.0) }, self.1)
            }

            $(
                /// By permutations of two vectors.
                #[inline(always)]
                fn next_words([x, y, z, w]: [Self; 4]) -> [Self; 4] {
                    const PLACES: [[u32; 4 * $N]; 4] =
                        [places([1, 5, 7, 2]), places([3, 6, 0, 7]), places([0, 4, 7, 1]), places([1, 4, 5, 0])];
                    let permute = |a: Self, b: Self, places: [u32; 4 * $N]| {
                        let places = <Self as Words<u32, { 4 * $N }>>::new(a.1, places);
                        // SAFETY: a.1 proves the instruction set.
                        Self(unsafe { $permute(a.0, places.0, b.0) }, a.1)
                    };
                    // SAFETY: w.1 proves the instruction set.
                    let u = Self(unsafe { $high(w.0, y.0) }, w.1);
                    [
                        permute(x, y, PLACES[0]),
                        permute(x, z.with_last(w), PLACES[1]),
                        permute(w, y.with_last(z), PLACES[2]),
                        permute(z, u, PLACES[3]),
                    ]
                }
            )?
        }
    };
}
pub(in crate::backend) use row;

row!(U32x4 of 1, Sse41, join, xor_ror, _mm_shuffle_epi32, pick, with_last);

/// Words `4 i` to `4 i + 4` of the block.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn join<const SETTLED: bool>([block]: [&[u8; 64]; 1], i: usize) -> __m128i {
    let (halves, _) = block.as_chunks();
    let (low, high) = (u64::from_le_bytes(halves[2 * i]), u64::from_le_bytes(halves[2 * i + 1]));
    let (low, high) = if SETTLED { (low, high) } else { (reread(low), reread(high)) };
    _mm_set_epi64x(high.cast_signed(), low.cast_signed())
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn xor_ror(a: __m128i, b: __m128i, bits: u32) -> __m128i {
    super::ror32(_mm_xor_si128(a, b), bits)
}

#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn pick<const ORDER: i32>(a: __m128i, b: __m128i) -> __m128i {
    _mm_castps_si128(_mm_shuffle_ps::<ORDER>(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
}

#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn with_last(a: __m128i, b: __m128i) -> __m128i {
    _mm_castps_si128(_mm_blend_ps::<0b1000>(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
}

//! BLAKE3 on SSE4.1: a message in rows of a register each, or four messages. Two are as fast one after the other.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::convert::identity;
use core::slice;

use super::{Sse41, U32x4};
use crate::backend::{On, opaque, reread};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, Row, Rows, SingleBlock, TURN_1, TURN_2, TURN_3, compress_lanes,
    compress_row, compress_rows, group_lanes, group_rows, order, output_lanes, output_rows,
};
use crate::kernel::g::G;
use crate::kernel::{Compress, Known, Run, Words};

impl Compress<Blake3Function> for On<Sse41> {
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

impl CompressGroup for On<Sse41> {
    fn group(self, group: Group<'_>) {
        match group.inputs.len() {
            // SAFETY: self.isa proves SSE4.1.
            ..=2 => unsafe { group1(group) },
            // SAFETY: self.isa proves SSE4.1.
            _ => unsafe { group4(group) },
        }
    }

    #[inline]
    fn block<const SETTLED: bool>(
        self,
        SingleBlock { key, bytes, counter, length, flags }: SingleBlock<'_>,
    ) -> [u8; 32] {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { block::<SETTLED>(key, bytes, counter, length, flags) }
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        output_in_lanes::<4>(
            root,
            blocks,
            // SAFETY: self.isa proves SSE4.1.
            |root, blocks| unsafe { output4(root, blocks) },
            // SAFETY: self.isa proves SSE4.1.
            |SingleBlock { key, bytes, counter, length, flags }, block| unsafe {
                output1(key, bytes, counter, length, flags, block);
            },
        );
    }
}

/// A message as a run of one.
#[inline(always)]
pub(in crate::backend) fn alone<'a>(
    chain: &'a mut Chain,
    blocks: &'a [&'a [[u8; 64]]],
    last: &'a [u8],
) -> Run<'a, Blake3Function> {
    Run {
        count: blocks[0].len(),
        stride: 1,
        chains: slice::from_mut(chain),
        blocks,
        last,
        hint: Known::Nothing,
        ends: None,
    }
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
    group_lanes::<U32x4, 4, false>(Sse41::here(), group);
}

#[target_feature(enable = "sse4.1")]
fn block<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<U32x4, SETTLED>(Sse41::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "sse4.1")]
fn output1(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, block: &mut [u8; 64]) {
    let root = SingleBlock { key, bytes, counter, length, flags };
    output_rows::<U32x4, 1>(Sse41::here(), root, core::array::from_mut(block));
}

#[target_feature(enable = "sse4.1")]
fn output4(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x4, 4>(Sse41::here(), root, blocks);
}

/// Writes output blocks: by `many` those that lanes take, and by `one` the last if it would be alone in them.
#[inline]
pub(in crate::backend) fn output_in_lanes<const LANES: usize>(
    root: SingleBlock<'_>,
    blocks: &mut [[u8; 64]],
    many: impl FnOnce(SingleBlock<'_>, &mut [[u8; 64]]),
    one: impl FnOnce(SingleBlock<'_>, &mut [u8; 64]),
) {
    let left = usize::from(blocks.len() % LANES == 1);
    let (in_lanes, alone) = blocks.split_at_mut(blocks.len() - left);
    let counter = root.counter.wrapping_add(in_lanes.len() as u64);
    if !in_lanes.is_empty() {
        many(root, in_lanes);
    }
    if let [block] = alone {
        one(SingleBlock { counter, ..root }, block);
    }
}

/// Implements [`Row`] for a vector of `N` messages, by the operations on its register. `xor_ror` rotates an exclusive
/// or, whose first side is known some cycles before the second.
///
/// Like `half_g!`, it makes functions of the parts of a round, so that the compiler simplifies each once.
macro_rules! row {
    ($Vector:ident of $N:literal in $features:literal, $Token:ty, $join:ident, $repeat:ident, $add:ident, $xor_ror:ident,
     $shuffle:ident, $pick:ident, $with_last:ident $(, $permute:ident, $high:ident)? $(; hidden by $hide:path)?) => {
        impl Row<$N> for $Vector {
            type Token = $Token;

            #[inline(always)]
            fn new(token: $Token, words: [[u32; 4]; $N]) -> Self {
                let mut flat = [0; 4 * $N];
                flat.copy_from_slice(words.as_flattened());
                Words::new(token, flat)
            }

            #[inline(always)]
            fn of_halves(token: $Token, halves: [[u64; 2]; $N]) -> Self {
                let mut bytes = [[0; 8]; 2 * $N];
                for (bytes, half) in bytes.iter_mut().zip(halves.as_flattened()) {
                    *bytes = half.to_le_bytes();
                }
                Words::load(token, bytes.as_flattened(), 0)
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
            fn repeat(token: $Token, block: &[u8; 64], i: usize) -> Self {
                // SAFETY: token proves the instruction set.
                Self(unsafe { $repeat($crate::backend::sse41::blake3::join::<false>([block], i)) }, token)
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
            fn shuffle<const ORDER: i32>(self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $($hide)?($shuffle::<ORDER>(self.0)) }, self.1)
            }

            #[inline(always)]
            fn pick<const ORDER: i32>(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $($hide)?($pick::<ORDER>(self.0, rhs.0)) }, self.1)
            }

            #[inline(always)]
            fn step<const DIAGONALS: bool>(rows: Rows<Self>, second: Self) -> Rows<Self> {
                #[inline]
                #[target_feature(enable = $features)]
                fn step<const DIAGONALS: bool>(rows: Rows<$Vector>, second: $Vector) -> Rows<$Vector> {
                    let [r1, r2, r3, r4] = u32::ROTATIONS;
                    let Rows { sum: $Vector(sum, token), b: $Vector(b, _), c: $Vector(c, _), d: $Vector(d, _), .. } = rows;
                    let a = $add(sum, b);
                    let d = $xor_ror(d, a, r1);
                    let c = $add(c, d);
                    let b = $xor_ror(b, c, r2);
                    let a = $add($add(a, second.0), b);
                    let d = $xor_ror(d, a, r3);
                    let c = $add(c, d);
                    let b = $xor_ror(b, c, r4);
                    let sum = if DIAGONALS { $shuffle::<TURN_1>(a) } else { $shuffle::<TURN_3>(a) };
                    let c = if DIAGONALS { $shuffle::<TURN_3>(c) } else { $shuffle::<TURN_1>(c) };
                    let d = $shuffle::<TURN_2>(d);
                    Rows {
                        sum: $Vector(sum, token),
                        a: $Vector(a, token),
                        b: $Vector(b, token),
                        c: $Vector(c, token),
                        d: $Vector(d, token),
                    }
                }

                // SAFETY: second.1 proves the instruction set.
                unsafe { step::<DIAGONALS>(rows, second) }
            }

            #[inline(always)]
            fn next_words(words: [Self; 4]) -> [Self; 4] {
                next_words!($Vector of $N in $features, $with_last $(, $permute, $high)?);
                // SAFETY: words[0].1 proves the instruction set.
                unsafe { next_words(words) }
            }
        }
    };
}
pub(in crate::backend) use row;

/// The function `next_words` for the method of [`Row`]: by shuffles, or by permutations of two vectors.
macro_rules! next_words {
    ($Vector:ident of $N:literal in $features:literal, $with_last:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn next_words([x, y, z, w]: [$Vector; 4]) -> [$Vector; 4] {
            const SWAP_MIDDLE: i32 = order(0, 2, 1, 3);
            const LAST_SECOND: i32 = order(0, 2, 3, 1);
            let [zw, yz] = [$Vector($with_last(z.0, w.0), x.1), $Vector($with_last(y.0, z.0), x.1)];
            [
                x.pick::<{ order(1, 2, 1, 3) }>(y).shuffle::<LAST_SECOND>(),
                x.pick::<{ order(3, 0, 2, 3) }>(zw).shuffle::<SWAP_MIDDLE>(),
                w.pick::<{ order(0, 1, 0, 3) }>(yz).shuffle::<LAST_SECOND>(),
                z.pick::<{ order(1, 0, 0, 2) }>(w.pick::<{ order(2, 2, 2, 2) }>(y)).shuffle::<LAST_SECOND>(),
            ]
        }
    };
    ($Vector:ident of $N:literal in $features:literal, $with_last:ident, $permute:ident, $high:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn next_words([x, y, z, w]: [$Vector; 4]) -> [$Vector; 4] {
            const PLACES: [[u32; 4 * $N]; 4] =
                [places([1, 5, 7, 2]), places([3, 6, 0, 7]), places([0, 4, 7, 1]), places([1, 4, 5, 0])];
            let (token, x, y, z, w) = (x.1, x.0, y.0, z.0, w.0);
            let places = |i: usize| <$Vector as Words<u32, { 4 * $N }>>::new(token, PLACES[i]).0;
            [
                $Vector($permute(x, places(0), y), token),
                $Vector($permute(x, places(1), $with_last(z, w)), token),
                $Vector($permute(w, places(2), $with_last(y, z)), token),
                $Vector($permute(z, places(3), $high(w, y)), token),
            ]
        }
    };
}
pub(in crate::backend) use next_words;

row!(U32x4 of 1 in "sse4.1", Sse41, join, identity, _mm_add_epi32, xor_ror, _mm_shuffle_epi32, pick, with_last);

/// Words `4 i` to `4 i + 4` of the block.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn join<const SETTLED: bool>([block]: [&[u8; 64]; 1], i: usize) -> __m128i {
    // Hidden, or LLVM would load once for both kinds.
    let block = if SETTLED { block } else { opaque::reference(block) };
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

//! BLAKE2b on AVX2: a message in rows of a register each, or four messages.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Avx2, U64x4};
use crate::backend::On;
use crate::backend::opaque;
use crate::kernel::blake2::{Chain, Last, Row, Rows, SIGMA, compress_lanes, compress_rows};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::g::G;
use crate::kernel::{Compress, Run, Word, Words};

impl Compress<FlavourB> for On<Avx2> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self.isa proves AVX2.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourB>) {
        // SAFETY: self.isa proves AVX2.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "avx2")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<FlavourB, U64x4>(Avx2::here(), chain, blocks, last);
}

#[target_feature(enable = "avx2")]
fn compress4(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x4, 4>(Avx2::here(), run);
}

impl Row<FlavourB> for U64x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Avx2, block: &[u8; 128], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX2.
        Self(unsafe { gather64::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Avx2, words: [u64; 4]) -> Self {
        // SAFETY: token proves AVX2.
        Self(unsafe { join64(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX2.
        Self(unsafe { turn64::<N>(self.0) }, self.1)
    }

    #[inline(always)]
    fn rounds<const SETTLED: bool>(token: Avx2, rows: &mut Rows<FlavourB, Self>, block: &[u8; 128]) {
        if SETTLED { rounds(token, rows, block) } else { rows.rounds::<SETTLED>(token, block) }
    }
}

/// All rounds of a block, as [`Rows::rounds`] has them, but with the turn of row `a` begun a cycle earlier.
///
/// The message words of the next half round are added before `a` is known, to the terms of `a`, and that sum is
/// turned. The addition more pays because a turn takes three cycles here.
#[inline(always)]
fn rounds(token: Avx2, rows: &mut Rows<FlavourB, U64x4>, block: &[u8; 128]) {
    round::<0, 1>(token, rows, block);
    round::<1, 2>(token, rows, block);
    round::<2, 3>(token, rows, block);
    round::<3, 4>(token, rows, block);
    round::<4, 5>(token, rows, block);
    round::<5, 6>(token, rows, block);
    round::<6, 7>(token, rows, block);
    round::<7, 8>(token, rows, block);
    round::<8, 9>(token, rows, block);
    round::<9, 0>(token, rows, block);
    round::<0, 1>(token, rows, block);
    round::<1, 2>(token, rows, block);
}

#[inline(always)]
fn round<const SCHEDULE: usize, const NEXT: usize>(token: Avx2, rows: &mut Rows<FlavourB, U64x4>, block: &[u8; 128]) {
    let (s, next) = (&SIGMA[SCHEDULE], &SIGMA[NEXT]);
    let gather = |places| <U64x4 as Row<FlavourB>>::gather::<true>(token, block, places);
    let [r1, r2, r3, r4] = u64::ROTATIONS;
    rows.half_g([r1, r2]);
    rows.sum = rows.a.add(gather([s[1], s[5], s[3], s[7]]));
    let ahead = rows.sum.add(gather([s[8], s[12], s[10], s[14]])).add(rows.b);
    rows.half_g([r3, r4]);
    rows.sum = Row::<FlavourB>::turn::<3>(ahead);
    rows.c = Row::<FlavourB>::turn::<1>(rows.c);
    rows.d = Row::<FlavourB>::turn::<2>(rows.d);

    rows.half_g([r1, r2]);
    rows.sum = rows.a.add(gather([s[15], s[11], s[9], s[13]]));
    let ahead = rows.sum.add(gather([next[6], next[2], next[0], next[4]])).add(rows.b);
    rows.half_g([r3, r4]);
    rows.sum = Row::<FlavourB>::turn::<1>(ahead);
    rows.c = Row::<FlavourB>::turn::<3>(rows.c);
    rows.d = Row::<FlavourB>::turn::<2>(rows.d);
}

/// The words of `block` at `places`.
///
/// Each comes with a load of four words that puts it in its place, so three blends join them, which any vector port
/// takes. A word that has no room for that in the block is broadcast. Loading single words and joining them by two
/// unpacks and an insertion takes longer.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn gather64<const SETTLED: bool>(block: &[u8; 128], places: [usize; 4]) -> __m256i {
    let block = opaque::reference(block);
    if !SETTLED {
        let [i, j, k, l] = places;
        return join64([u64::load(block, i), u64::load(block, j), u64::load(block, k), u64::load(block, l)]);
    }
    let load = |lane: usize| {
        let word = places[lane];
        if lane <= word && word - lane <= 12 {
            let words = block[8 * (word - lane)..].first_chunk::<32>().expect("the last of them is word 15");
            // SAFETY: the array has the 32 bytes an unaligned load reads.
            unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
        } else {
            _mm256_set1_epi64x(u64::load(block, word).cast_signed())
        }
    };
    let ab = _mm256_blend_epi32::<0b00_00_11_00>(load(0), load(1));
    let abc = _mm256_blend_epi32::<0b00_11_00_00>(ab, load(2));
    _mm256_blend_epi32::<0b11_00_00_00>(abc, load(3))
}

/// Four words in memory, by a load of one word each.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn join64(words: [u64; 4]) -> __m256i {
    let word = |lane: usize| opaque::ymm(_mm256_set1_epi64x(words[lane].cast_signed()));
    let ab = _mm256_blend_epi32::<0b00_00_11_00>(word(0), word(1));
    let cd = _mm256_blend_epi32::<0b11_00_00_00>(word(2), word(3));
    _mm256_blend_epi32::<0b11_11_00_00>(ab, cd)
}

/// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn turn64<const N: usize>(v: __m256i) -> __m256i {
    match N {
        1 => _mm256_permute4x64_epi64::<0b00_01_11_10>(v),
        2 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
        3 => _mm256_permute4x64_epi64::<0b01_00_10_11>(v),
        _ => unreachable!(),
    }
}

//! BLAKE2s on SSE4.1: a message in rows of a register each, or four messages.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Sse41, U32x4};
use crate::backend::On;
use crate::backend::opaque;
use crate::kernel::blake2::{Chain, Last, Row, compress_lanes, compress_rows};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run, Word};

impl Compress<FlavourS> for On<Sse41> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourS>) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<FlavourS, U32x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "sse4.1")]
fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Sse41::here(), run);
}

impl Row<FlavourS> for U32x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Sse41, block: &[u8; 64], places: [usize; 4]) -> Self {
        // SAFETY: token proves SSE4.1.
        Self(unsafe { gather32::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Sse41, words: [u32; 4]) -> Self {
        // SAFETY: token proves SSE4.1.
        Self(unsafe { join32(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves SSE4.1.
        Self(unsafe { turn32::<N>(self.0) }, self.1)
    }
}

/// The words of `block` at `places`.
///
/// Each comes with a load of four words that puts it in its place, so three blends join them. A word that has no room
/// for that in the block is broadcast.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn gather32<const SETTLED: bool>(block: &[u8; 64], places: [usize; 4]) -> __m128i {
    let block = opaque::reference(block);
    if !SETTLED {
        let [i, j, k, l] = places;
        return join32([u32::load(block, i), u32::load(block, j), u32::load(block, k), u32::load(block, l)]);
    }
    let load = |lane: usize| {
        let word = places[lane];
        if lane <= word && word - lane <= 12 {
            let words = block[4 * (word - lane)..].first_chunk::<16>().expect("the last of them is word 15");
            // SAFETY: the array has the 16 bytes an unaligned load reads.
            _mm_castsi128_ps(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
        } else {
            _mm_castsi128_ps(_mm_set1_epi32(u32::load(block, word).cast_signed()))
        }
    };
    let ab = _mm_blend_ps::<0b0010>(load(0), load(1));
    let abc = _mm_blend_ps::<0b0100>(ab, load(2));
    _mm_castps_si128(_mm_blend_ps::<0b1000>(abc, load(3)))
}

/// Four words in memory, by a load of one word each.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn join32(words: [u32; 4]) -> __m128i {
    let word = |lane: usize| _mm_castsi128_ps(opaque::xmm(_mm_set1_epi32(words[lane].cast_signed())));
    let ab = _mm_blend_ps::<0b0010>(word(0), word(1));
    let cd = _mm_blend_ps::<0b1000>(word(2), word(3));
    _mm_castps_si128(_mm_blend_ps::<0b1100>(ab, cd))
}

/// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(in crate::backend) fn turn32<const N: usize>(v: __m128i) -> __m128i {
    match N {
        1 => _mm_shuffle_epi32::<0b00_01_11_10>(v),
        2 => _mm_shuffle_epi32::<0b10_11_00_01>(v),
        3 => _mm_shuffle_epi32::<0b01_00_10_11>(v),
        _ => unreachable!(),
    }
}

//! AVX2: 256-bit vectors of four words of 64 bits, or eight of 32.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::isa::{Cpu, isa};
use super::opaque;
use super::vector::words;
use crate::kernel::Lanes;
use crate::kernel::blake2::{self, Word};

mod blake2b;
mod blake2s;

isa!(
    /// Proves AVX2.
    Avx2: "sse2", "ssse3", "sse4.1", "avx", "avx2"
);

words!(
    /// Four 64-bit words.
    U64x4: [u64; 4] in __m256i, Avx2, _mm256_add_epi64, _mm256_xor_si256, ror64
);

words!(
    /// Eight 32-bit words.
    U32x8: [u32; 8] in __m256i, Avx2, _mm256_add_epi32, _mm256_xor_si256, ror32
);

/// Whole bytes by a shuffle, one bit less than the word by a doubling and a shift.
///
/// The barriers keep LLVM from making two shuffles of 16-bit words out of one of bytes, and from shuffling both sides
/// of an exclusive or instead of its result: 417 cycles without them, 387 with.
#[inline]
#[target_feature(enable = "avx2")]
fn ror64(v: __m256i, bits: u32) -> __m256i {
    let twice = |bytes| opaque::ymm(_mm256_broadcastsi128_si256(bytes));
    match bits {
        16 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))),
        24 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))),
        32 => _mm256_shuffle_epi32::<0b10_11_00_01>(opaque::ymm(v)),
        63 => _mm256_xor_si256(_mm256_add_epi64(v, v), _mm256_srli_epi64::<63>(v)),
        _ => unreachable!(),
    }
}

/// Whole bytes by a shuffle, with barriers for the same reasons.
#[inline]
#[target_feature(enable = "avx2")]
fn ror32(v: __m256i, bits: u32) -> __m256i {
    let twice = |bytes| opaque::ymm(_mm256_broadcastsi128_si256(bytes));
    match bits {
        7 => _mm256_or_si256(_mm256_srli_epi32::<7>(v), _mm256_slli_epi32::<25>(v)),
        8 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12))),
        12 => _mm256_or_si256(_mm256_srli_epi32::<12>(v), _mm256_slli_epi32::<20>(v)),
        16 => _mm256_shuffle_epi8(v, twice(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))),
        _ => unreachable!(),
    }
}

/// The words of `block` at `places`.
///
/// Each comes with a load of four words that puts it in its place, so three blends join them, which any vector port
/// takes. A word that has no room for that in the block is broadcast. Loading single words and joining them by two
/// unpacks and an insertion takes 388 cycles instead of 372, and with AVX-512 352 instead of 342.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gather64<const SETTLED: bool>(block: &[u8; 128], places: [usize; 4]) -> __m256i {
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
pub(super) fn join64(words: [u64; 4]) -> __m256i {
    let word = |lane: usize| opaque::ymm(_mm256_set1_epi64x(words[lane].cast_signed()));
    let ab = _mm256_blend_epi32::<0b00_00_11_00>(word(0), word(1));
    let cd = _mm256_blend_epi32::<0b11_00_00_00>(word(2), word(3));
    _mm256_blend_epi32::<0b11_11_00_00>(ab, cd)
}

/// The word of column `(i + N) % 4` at column `i`, columns being in the order 0 2 1 3.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn turn64<const N: usize>(v: __m256i) -> __m256i {
    match N {
        1 => _mm256_permute4x64_epi64::<0b00_01_11_10>(v),
        2 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
        3 => _mm256_permute4x64_epi64::<0b01_00_10_11>(v),
        _ => unreachable!(),
    }
}

/// Word `j` of vector `i` at place `i` of vector `j`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose64([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let ab_02 = _mm256_unpacklo_epi64(a, b);
    let ab_13 = _mm256_unpackhi_epi64(a, b);
    let cd_02 = _mm256_unpacklo_epi64(c, d);
    let cd_13 = _mm256_unpackhi_epi64(c, d);
    [
        _mm256_permute2x128_si256::<0x20>(ab_02, cd_02),
        _mm256_permute2x128_si256::<0x20>(ab_13, cd_13),
        _mm256_permute2x128_si256::<0x31>(ab_02, cd_02),
        _mm256_permute2x128_si256::<0x31>(ab_13, cd_13),
    ]
}

/// The same for eight.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose32([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    let ab_0145 = _mm256_unpacklo_epi32(a, b);
    let ab_2367 = _mm256_unpackhi_epi32(a, b);
    let cd_0145 = _mm256_unpacklo_epi32(c, d);
    let cd_2367 = _mm256_unpackhi_epi32(c, d);
    let ef_0145 = _mm256_unpacklo_epi32(e, f);
    let ef_2367 = _mm256_unpackhi_epi32(e, f);
    let gh_0145 = _mm256_unpacklo_epi32(g, h);
    let gh_2367 = _mm256_unpackhi_epi32(g, h);

    let abcd_04 = _mm256_unpacklo_epi64(ab_0145, cd_0145);
    let abcd_15 = _mm256_unpackhi_epi64(ab_0145, cd_0145);
    let abcd_26 = _mm256_unpacklo_epi64(ab_2367, cd_2367);
    let abcd_37 = _mm256_unpackhi_epi64(ab_2367, cd_2367);
    let efgh_04 = _mm256_unpacklo_epi64(ef_0145, gh_0145);
    let efgh_15 = _mm256_unpackhi_epi64(ef_0145, gh_0145);
    let efgh_26 = _mm256_unpacklo_epi64(ef_2367, gh_2367);
    let efgh_37 = _mm256_unpackhi_epi64(ef_2367, gh_2367);

    [
        _mm256_permute2x128_si256::<0x20>(abcd_04, efgh_04),
        _mm256_permute2x128_si256::<0x20>(abcd_15, efgh_15),
        _mm256_permute2x128_si256::<0x20>(abcd_26, efgh_26),
        _mm256_permute2x128_si256::<0x20>(abcd_37, efgh_37),
        _mm256_permute2x128_si256::<0x31>(abcd_04, efgh_04),
        _mm256_permute2x128_si256::<0x31>(abcd_15, efgh_15),
        _mm256_permute2x128_si256::<0x31>(abcd_26, efgh_26),
        _mm256_permute2x128_si256::<0x31>(abcd_37, efgh_37),
    ]
}

impl blake2::Row<u64> for U64x4 {
    const AHEAD: bool = true;

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
}

impl Lanes<u64, 4> for U64x4 {
    #[inline(always)]
    fn transpose(vectors: [Self; 4]) -> [Self; 4] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX2.
        Self::vectors(token, unsafe { transpose64(Self::registers(vectors)) })
    }

    /// With sixteen registers, LLVM would take one G after the other to spare itself moves to memory, and the last of
    /// four then has the ports for itself, and waits: 735 cycles for four blocks instead of 685. Joining more than the
    /// last row of each half costs more in moves than it gains.
    #[inline(always)]
    fn together([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: a.1 proves AVX2.
        let [w, x, y, z] = unsafe { opaque::ymm_together([a.0, b.0, c.0, d.0]) };
        [Self(w, a.1), Self(x, a.1), Self(y, a.1), Self(z, a.1)]
    }
}

impl Lanes<u32, 8> for U32x8 {
    #[inline(always)]
    fn transpose(vectors: [Self; 8]) -> [Self; 8] {
        let token = vectors[0].1;
        // SAFETY: token proves AVX2.
        Self::vectors(token, unsafe { transpose32(Self::registers(vectors)) })
    }

    /// As for 64-bit words.
    #[inline(always)]
    fn together([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: a.1 proves AVX2.
        let [w, x, y, z] = unsafe { opaque::ymm_together([a.0, b.0, c.0, d.0]) };
        [Self(w, a.1), Self(x, a.1), Self(y, a.1), Self(z, a.1)]
    }
}

//! BLAKE2b on AVX-512: one message or two in rows of a 256-bit register each, or four or eight messages in lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::blake2::{compress_in_order, compress_pair_in_order};
use super::{Avx512, U64x4, U64x8};
use crate::backend::On;
use crate::backend::avx2::blake2b as avx2;
#[cfg(target_arch = "x86")]
use crate::kernel::blake2::compress_rows;
use crate::kernel::blake2::{Chain, Last, Row, compress_lanes};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run, Sides};

/// Byte shuffles that rotate words by 24 and by 16 bits: the loops may take them or not.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const PATTERNS: [[u64; 4]; 2] = [
    [0x0201_0007_0605_0403, 0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403, 0x0a09_080f_0e0d_0c0b],
    [0x0100_0706_0504_0302, 0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302, 0x0908_0f0e_0d0c_0b0a],
];

/// Whether two messages have a kernel of their own, which is faster for each than the one for more.
const PAIRS: bool = cfg!(target_arch = "x86_64") && !cfg!(msan);

impl Compress<FlavourB> for On<Avx512> {
    const LANES: usize = 8;

    #[inline]
    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        match self.tuning.before_zen5() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            true => unsafe { compress_slow_rotation(chain, blocks, last) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress(chain, blocks, last) },
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        (live == 2 && PAIRS).then_some(Sides::Pair)
    }

    fn run(self, run: Run<'_, FlavourB>) {
        match run.chains.len() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            2 if PAIRS && run.ends.is_none() => unsafe { compress2(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress8(run) },
        }
    }
}

/// By assembly, but on 32-bit x86, which has too few registers for it.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    #[cfg(target_arch = "x86")]
    compress_rows::<FlavourB, U64x4>(Avx512::here(), chain, blocks, last);
    #[cfg(target_arch = "x86_64")]
    compress_in_order!("blake2b_fast_rotation", FlavourB, U64x4, chain, blocks, last);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress_slow_rotation(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_in_order!("blake2b_slow_rotation", FlavourB, U64x4, chain, blocks, last);
}

/// By assembly too.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress2(run: Run<'_, FlavourB>) {
    compress_pair_in_order!("blake2b_pair", FlavourB, U64x4, run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x8, 8>(Avx512::here(), run);
}

impl Row<FlavourB> for U64x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Avx512, block: &[u8; 128], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::gather64::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Avx512, words: [u64; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::join64(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::turn64::<N>(self.0) }, self.1)
    }
}

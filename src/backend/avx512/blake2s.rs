//! BLAKE2s on AVX-512: one message or two in rows of a 128-bit register each, or four, eight or sixteen messages in
//! lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::blake2::{compress_in_order, compress_pair_in_order};
use super::{Avx512, U32x4, U32x8, U32x16};
use crate::backend::On;
use crate::backend::sse41::blake2s as sse41;
#[cfg(target_arch = "x86")]
use crate::kernel::blake2::compress_rows;
use crate::kernel::blake2::{Chain, Last, Row, compress_lanes};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run, Sides};

/// Byte shuffles that rotate words by 16 and by 8 bits: the loops may take them or not.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const PATTERNS: [[u32; 4]; 2] = [
    [0x0100_0302, 0x0504_0706, 0x0908_0b0a, 0x0d0c_0f0e],
    [0x0003_0201, 0x0407_0605, 0x080b_0a09, 0x0c0f_0e0d],
];

/// Whether two messages have a kernel of their own, which is faster for each than the one for more.
const PAIRS: bool = cfg!(target_arch = "x86_64") && !cfg!(msan);

impl Compress<FlavourS> for On<Avx512> {
    const LANES: usize = 16;

    #[inline]
    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
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

    fn run(self, run: Run<'_, FlavourS>) {
        match run.chains.len() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            2 if PAIRS && run.ends.is_none() => unsafe { compress2(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            5..=8 => unsafe { compress8(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress16(run) },
        }
    }
}

/// By assembly, but on 32-bit x86, which has too few registers for it.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    #[cfg(target_arch = "x86")]
    compress_rows::<FlavourS, U32x4>(Avx512::here(), chain, blocks, last);
    #[cfg(target_arch = "x86_64")]
    compress_in_order!("blake2s_fast_rotation", FlavourS, U32x4, chain, blocks, last);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress_slow_rotation(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_in_order!("blake2s_slow_rotation", FlavourS, U32x4, chain, blocks, last);
}

/// By assembly too.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress2(run: Run<'_, FlavourS>) {
    compress_pair_in_order!("blake2s_pair", FlavourS, U32x4, run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x8, 8>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress16(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x16, 16>(Avx512::here(), run);
}

impl Row<FlavourS> for U32x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Avx512, block: &[u8; 64], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so SSE4.1.
        Self(unsafe { sse41::gather32::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Avx512, words: [u32; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so SSE4.1.
        Self(unsafe { sse41::join32(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL, and so SSE4.1.
        Self(unsafe { sse41::turn32::<N>(self.0) }, self.1)
    }
}

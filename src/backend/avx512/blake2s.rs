//! BLAKE2s on AVX-512: a message in rows of a 128-bit register each, or four, eight or sixteen messages.
#![allow(unsafe_code)]

use super::{Avx512, U32x4, U32x8, U32x16};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress<u32> for Avx512 {
    const LANES: usize = 16;

    fn compress(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self proves AVX-512F and VL.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u32>) {
        match run.chains.len() {
            // SAFETY: self proves AVX-512F and VL.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self proves AVX-512F and VL.
            5..=8 => unsafe { compress8(run) },
            // SAFETY: self proves AVX-512F and VL.
            _ => unsafe { compress16(run) },
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<u32, U32x4>(Avx512::here(), chain, blocks, last);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress4(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress8(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x8, 8>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress16(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x16, 16>(Avx512::here(), run);
}

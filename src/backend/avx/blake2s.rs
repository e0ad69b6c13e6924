//! BLAKE2s on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress<u32> for Avx {
    const LANES: usize = 4;

    fn compress(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self proves AVX.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u32>) {
        // SAFETY: self proves AVX.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<u32, U32x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "avx")]
fn compress4(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x4, 4>(Sse41::here(), run);
}

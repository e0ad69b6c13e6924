//! BLAKE2b on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::sse41::{Row, Sse41, U64x2};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress<u64> for Avx {
    const LANES: usize = 2;

    fn compress(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self proves AVX.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u64>) {
        // SAFETY: self proves AVX.
        unsafe { compress2(run) }
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<u64, Row>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "avx")]
fn compress2(run: Run<'_, u64>) {
    compress_lanes::<u64, U64x2, 2>(Sse41::here(), run);
}

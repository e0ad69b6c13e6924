//! BLAKE2b on AVX2: a message in rows of a register each, or four messages.
#![allow(unsafe_code)]

use super::{Avx2, U64x4};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress<u64> for Avx2 {
    const LANES: usize = 4;

    fn compress(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self proves AVX2.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u64>) {
        // SAFETY: self proves AVX2.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "avx2")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<u64, U64x4>(Avx2::here(), chain, blocks, last);
}

#[target_feature(enable = "avx2")]
fn compress4(run: Run<'_, u64>) {
    compress_lanes::<u64, U64x4, 4>(Avx2::here(), run);
}

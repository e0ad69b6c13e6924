//! BLAKE2b on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::On;
use crate::backend::sse41::blake2b::U64x4;
use crate::backend::sse41::{Sse41, U64x2};
use crate::kernel::blake2::{Chain, Last, compress_lanes, compress_rows};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run};

impl Compress<FlavourB> for On<Avx> {
    const LANES: usize = 2;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self.isa proves AVX.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourB>) {
        // SAFETY: self.isa proves AVX.
        unsafe { compress2(run) }
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<FlavourB, U64x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "avx")]
fn compress2(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x2, 2>(Sse41::here(), run);
}

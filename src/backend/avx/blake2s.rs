//! BLAKE2s on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::{Avx, U32x4};
use crate::backend::On;
use crate::backend::sse41::{self, Sse41};
use crate::kernel::blake2::{Chain, Last, compress_lanes, compress_rows};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run};

impl Compress<FlavourS> for On<Avx> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self.isa proves AVX.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourS>) {
        // SAFETY: self.isa proves AVX.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "avx")]
pub(in crate::backend) fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<FlavourS, sse41::U32x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "avx")]
pub(in crate::backend) fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Avx::here(), run);
}

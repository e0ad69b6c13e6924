//! BLAKE2s on AVX2: one message, or up to four, as on AVX, or eight in lanes.
#![allow(unsafe_code)]

use super::{Avx2, U32x8};
use crate::backend::On;
use crate::backend::avx::blake2s as avx;
use crate::kernel::blake2::{Chain, Last, compress_lanes};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run};

impl Compress<FlavourS> for On<Avx2> {
    const LANES: usize = 8;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self.isa proves AVX2, and so AVX.
        unsafe { avx::compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourS>) {
        match run.chains.len() {
            // SAFETY: self.isa proves AVX2, and so AVX.
            ..=4 => unsafe { avx::compress4(run) },
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { compress8(run) },
        }
    }
}

#[target_feature(enable = "avx2")]
fn compress8(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x8, 8>(Avx2::here(), run);
}

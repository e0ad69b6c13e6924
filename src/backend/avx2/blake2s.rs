//! BLAKE2s on AVX2: a message in the rows of SSE4.1, which four words fill, or four or eight messages.
#![allow(unsafe_code)]

use super::{Avx2, U32x8};
use crate::backend::On;
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::blake2::{Chain, Last, compress_lanes, compress_rows};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run};

impl Compress<FlavourS> for On<Avx2> {
    const LANES: usize = 8;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self.isa proves AVX2.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourS>) {
        match run.chains.len() {
            // SAFETY: self.isa proves AVX2.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { compress8(run) },
        }
    }
}

#[target_feature(enable = "avx2")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<FlavourS, U32x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "avx2")]
fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Sse41::here(), run);
}

#[target_feature(enable = "avx2")]
fn compress8(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x8, 8>(Avx2::here(), run);
}

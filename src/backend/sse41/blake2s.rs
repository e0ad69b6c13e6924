//! BLAKE2s on SSE4.1: a message in rows of a register each, or four messages.
#![allow(unsafe_code)]

use super::{Sse41, U32x4};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress<u32> for Sse41 {
    const LANES: usize = 4;

    fn compress(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        // SAFETY: self proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u32>) {
        // SAFETY: self proves SSE4.1.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
    compress_rows::<u32, U32x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "sse4.1")]
fn compress4(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x4, 4>(Sse41::here(), run);
}

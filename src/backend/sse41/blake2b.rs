//! BLAKE2b on SSE4.1: a message in rows of two registers each, or two messages.
#![allow(unsafe_code)]

use super::{Row, Sse41, U64x2};
use crate::kernel::blake2b::{Block, Chain, Compress, Last, Run, compress_lanes, compress_rows};

impl Compress for Sse41 {
    const LANES: usize = 2;

    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        // SAFETY: self proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_>) {
        // SAFETY: self proves SSE4.1.
        unsafe { compress2(run) }
    }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain, blocks: &[Block], last: Last) {
    compress_rows::<Row>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "sse4.1")]
fn compress2(run: Run<'_>) {
    compress_lanes::<U64x2, 2>(Sse41::here(), run);
}

//! BLAKE2b on SSE4.1: one message, each row in two registers.
#![allow(unsafe_code)]

use super::{Row, Sse41};
use crate::kernel::blake2b::{Block, Chain, Compress, Last, compress_rows};

impl Compress for Sse41 {
    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        // SAFETY: self proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain, blocks: &[Block], last: Last) {
    compress_rows::<Row>(Sse41::here(), chain, blocks, last);
}

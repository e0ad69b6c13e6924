//! BLAKE2b on AVX: SSE4.1's rows, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::sse41::{Row, Sse41};
use crate::kernel::blake2b::{Block, Chain, Compress, Last, compress_rows};

impl Compress for Avx {
    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        // SAFETY: self proves AVX.
        unsafe { compress(chain, blocks, last) }
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[Block], last: Last) {
    compress_rows::<Row>(Sse41::here(), chain, blocks, last);
}

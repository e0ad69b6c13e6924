//! BLAKE2b on AVX2: one message, a row a register.
#![allow(unsafe_code)]

use super::{Avx2, U64x4};
use crate::kernel::blake2b::{Block, Chain, Compress, Last, compress_rows};

impl Compress for Avx2 {
    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        // SAFETY: self proves AVX2.
        unsafe { compress(chain, blocks, last) }
    }
}

#[target_feature(enable = "avx2")]
fn compress(chain: &mut Chain, blocks: &[Block], last: Last) {
    compress_rows::<U64x4>(Avx2::here(), chain, blocks, last);
}

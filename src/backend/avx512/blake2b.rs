//! BLAKE2b on AVX-512: one message, a row a register.
#![allow(unsafe_code)]

use super::{Avx512, U64x4};
use crate::kernel::blake2b::{Block, Chain, Compress, Last, compress_rows};

impl Compress for Avx512 {
    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last) {
        // SAFETY: self proves AVX-512.
        unsafe { compress(chain, blocks, last) }
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(chain: &mut Chain, blocks: &[Block], last: Last) {
    compress_rows::<U64x4>(Avx512::here(), chain, blocks, last);
}

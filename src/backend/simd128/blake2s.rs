//! BLAKE2s on WebAssembly's SIMD: four messages in lanes; one is for scalar code, as for BLAKE2b.

use super::{Simd128, U32x4};
use crate::backend::portable::Portable;
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes};

impl Compress<u32> for Simd128 {
    const LANES: usize = 4;

    fn compress(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        Portable.compress(chain, blocks, last);
    }

    fn compress_lanes(self, run: Run<'_, u32>) {
        compress4(run);
    }
}

#[target_feature(enable = "simd128")]
fn compress4(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x4, 4>(Simd128::here(), run);
}

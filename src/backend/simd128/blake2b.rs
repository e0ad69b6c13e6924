//! BLAKE2b on WebAssembly's SIMD: two messages in lanes; one is for scalar code, which has 64-bit words and rotations
//! there, as NEON has it, one of the instruction sets that a host makes of these vectors.

use super::{Simd128, U64x2};
use crate::backend::portable::Portable;
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes};

impl Compress<u64> for Simd128 {
    const LANES: usize = 2;

    fn compress(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        Portable.compress(chain, blocks, last);
    }

    fn compress_lanes(self, run: Run<'_, u64>) {
        compress2(run);
    }
}

#[target_feature(enable = "simd128")]
fn compress2(run: Run<'_, u64>) {
    compress_lanes::<u64, U64x2, 2>(Simd128::here(), run);
}

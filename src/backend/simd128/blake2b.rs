//! BLAKE2b on WebAssembly's SIMD: two messages in lanes; one is for scalar code, which has 64-bit words and rotations
//! there, as NEON has it, one of the instruction sets that a host makes of these vectors.

use super::{Simd128, U64x2};
use crate::backend::On;
use crate::backend::portable::blake2 as portable;
use crate::kernel::blake2::{Chain, Last, compress_lanes};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run};

impl Compress<FlavourB> for On<Simd128> {
    const LANES: usize = 2;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        portable::compress::<FlavourB>(chain, blocks, last);
    }

    fn run(self, run: Run<'_, FlavourB>) {
        compress2(run);
    }
}

#[target_feature(enable = "simd128")]
fn compress2(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x2, 2>(Simd128::here(), run);
}

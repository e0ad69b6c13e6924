//! BLAKE2s on WebAssembly's SIMD: four messages in lanes; one is for scalar code, as for BLAKE2b.

use super::{Simd128, U32x4};
use crate::backend::On;
use crate::backend::portable::blake2 as portable;
use crate::kernel::blake2::{Chain, Last, compress_lanes};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run};

impl Compress<FlavourS> for On<Simd128> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        portable::compress::<FlavourS>(chain, blocks, last);
    }

    fn run(self, run: Run<'_, FlavourS>) {
        compress4(run);
    }
}

#[target_feature(enable = "simd128")]
fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Simd128::here(), run);
}

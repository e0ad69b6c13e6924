//! BLAKE3 on WebAssembly's SIMD: four messages in lanes; one is for scalar code, as for BLAKE2s.

use super::{Simd128, U32x4};
use crate::backend::On;
use crate::backend::portable::blake3 as portable;
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, SingleBlock, compress_lanes, group_lanes, output_lanes,
};
use crate::kernel::{Compress, Run};

impl Compress<Blake3Function> for On<Simd128> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        portable::compress_blocks(chain, blocks, last);
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        compress4(run);
    }
}

impl CompressGroup for On<Simd128> {
    fn group(self, group: Group<'_>) {
        if group.inputs.len() == 1 {
            return portable::group(group);
        }
        group4(group);
    }

    #[inline]
    fn block<const SETTLED: bool>(self, block: SingleBlock<'_>) -> [u8; 32] {
        portable::block(block)
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        if blocks.len() == 1 {
            return portable::output(root, blocks);
        }
        output4(root, blocks);
    }
}

#[target_feature(enable = "simd128")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Simd128::here(), run);
}

#[target_feature(enable = "simd128")]
fn group4(group: Group<'_>) {
    group_lanes::<U32x4, 4, false>(Simd128::here(), group);
}

#[target_feature(enable = "simd128")]
fn output4(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x4, 4>(Simd128::here(), root, blocks);
}

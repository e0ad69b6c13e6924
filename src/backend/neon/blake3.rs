//! BLAKE3 on NEON: four messages in lanes; one is for scalar code, as for BLAKE2s.
#![allow(unsafe_code)]

use super::{Neon, U32x4};
use crate::backend::On;
use crate::backend::portable::blake3 as portable;
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, SingleBlock, compress_lanes, group_lanes, output_lanes,
};
use crate::kernel::{Compress, Run};

impl Compress<Blake3Function> for On<Neon> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        portable::compress_blocks(chain, blocks, last);
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        // SAFETY: self.isa proves NEON.
        unsafe { compress4(run) }
    }
}

impl CompressGroup for On<Neon> {
    fn group(self, group: Group<'_>) {
        if group.inputs.len() == 1 {
            return portable::group(group);
        }
        // SAFETY: self.isa proves NEON.
        unsafe { group4(group) }
    }

    #[inline]
    fn block<const SETTLED: bool>(self, block: SingleBlock<'_>) -> [u8; 32] {
        portable::block(block)
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        if blocks.len() == 1 {
            return portable::output(root, blocks);
        }
        // SAFETY: self.isa proves NEON.
        unsafe { output4(root, blocks) }
    }
}

#[target_feature(enable = "neon")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Neon::here(), run);
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn group4(group: Group<'_>) {
    group_lanes::<U32x4, 4, false>(Neon::here(), group);
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn output4(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x4, 4>(Neon::here(), root, blocks);
}

//! BLAKE3 on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::{Avx, U32x4};
use crate::backend::On;
use crate::backend::sse41::blake3::{alone, output_in_lanes};
use crate::backend::sse41::{Sse41, U32x4 as Row};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, SingleBlock, compress_lanes, compress_row, compress_rows, group_lanes,
    group_rows, output_lanes, output_rows,
};
use crate::kernel::{Compress, Run};

impl Compress<Blake3Function> for On<Avx> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
        // SAFETY: self.isa proves AVX.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, Blake3Function>) {
        match run.chains.len() {
            // SAFETY: self.isa proves AVX.
            ..=2 => unsafe { compress1(run) },
            // SAFETY: self.isa proves AVX.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressGroup for On<Avx> {
    fn group(self, group: Group<'_>) {
        match group.inputs.len() {
            // SAFETY: self.isa proves AVX.
            ..=2 => unsafe { group1(group) },
            // SAFETY: self.isa proves AVX.
            _ => unsafe { group4(group) },
        }
    }

    #[inline]
    fn block<const SETTLED: bool>(
        self,
        SingleBlock { key, bytes, counter, length, flags }: SingleBlock<'_>,
    ) -> [u8; 32] {
        // SAFETY: self.isa proves AVX.
        unsafe { block::<SETTLED>(key, bytes, counter, length, flags) }
    }

    fn output(self, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
        output_in_lanes::<4>(
            root,
            blocks,
            // SAFETY: self.isa proves AVX.
            |root, blocks| unsafe { output4(root, blocks) },
            // SAFETY: self.isa proves AVX.
            |SingleBlock { key, bytes, counter, length, flags }, block| unsafe {
                output1(key, bytes, counter, length, flags, block);
            },
        );
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<Row, 1>(Sse41::here(), alone(chain, &[blocks], &[last]));
}

/// One after the other.
#[target_feature(enable = "avx")]
fn compress1(run: Run<'_, Blake3Function>) {
    compress_rows::<Row, 1>(Sse41::here(), run);
}

#[target_feature(enable = "avx")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Avx::here(), run);
}

/// One after the other.
#[target_feature(enable = "avx")]
fn group1(group: Group<'_>) {
    group_rows::<Row, 1>(Sse41::here(), group);
}

#[target_feature(enable = "avx")]
pub(in crate::backend) fn group4(group: Group<'_>) {
    group_lanes::<U32x4, 4, false>(Avx::here(), group);
}

#[target_feature(enable = "avx")]
fn block<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<Row, SETTLED>(Sse41::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "avx")]
fn output1(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8, block: &mut [u8; 64]) {
    let root = SingleBlock { key, bytes, counter, length, flags };
    output_rows::<Row, 1>(Sse41::here(), root, core::array::from_mut(block));
}

#[target_feature(enable = "avx")]
fn output4(root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    output_lanes::<U32x4, 4>(Avx::here(), root, blocks);
}

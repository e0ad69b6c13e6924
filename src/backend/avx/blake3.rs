//! BLAKE3 on AVX: SSE4.1's rows and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::On;
use crate::backend::sse41::blake3::alone;
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::blake3::{
    Blake3Function, Chain, CompressGroup, Group, Node, SingleBlock, compress_lanes, compress_row, compress_rows,
    group_lanes, group_rows, output_lanes, output_rows,
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

    fn output(self, node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
        // SAFETY: self.isa proves AVX.
        unsafe { output(node, counter, blocks) }
    }
}

#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]], last: u8) {
    compress_rows::<U32x4, 1>(Sse41::here(), alone(chain, &[blocks], &[last]));
}

/// One after the other.
#[target_feature(enable = "avx")]
fn compress1(run: Run<'_, Blake3Function>) {
    compress_rows::<U32x4, 1>(Sse41::here(), run);
}

#[target_feature(enable = "avx")]
fn compress4(run: Run<'_, Blake3Function>) {
    compress_lanes::<U32x4, 4>(Sse41::here(), run);
}

/// One after the other.
#[target_feature(enable = "avx")]
fn group1(group: Group<'_>) {
    group_rows::<U32x4, 1>(Sse41::here(), group);
}

#[target_feature(enable = "avx")]
fn group4(group: Group<'_>) {
    group_lanes::<U32x4, 4>(Sse41::here(), group);
}

#[target_feature(enable = "avx")]
fn block<const SETTLED: bool>(key: &[u32; 8], bytes: &[u8; 64], counter: u64, length: u8, flags: u8) -> [u8; 32] {
    compress_row::<U32x4, SETTLED>(Sse41::here(), SingleBlock { key, bytes, counter, length, flags })
}

#[target_feature(enable = "avx")]
fn output(node: &Node, counter: u64, blocks: &mut [[u8; 64]]) {
    let mut counter = counter;
    for blocks in blocks.chunks_mut(4) {
        match blocks {
            [block] => output_rows::<U32x4>(Sse41::here(), node, counter, block),
            _ => output_lanes::<U32x4, 4>(Sse41::here(), node, counter, blocks),
        }
        counter = counter.wrapping_add(4);
    }
}

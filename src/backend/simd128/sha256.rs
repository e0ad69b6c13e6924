//! SHA-256 on WebAssembly's SIMD: four messages in lanes; one or two are for scalar code.

use core::arch::wasm32::*;

use super::{Simd128, U32x4};
use crate::backend::On;
use crate::backend::portable::sha256 as portable;
use crate::backend::vector::sha2_rounds;
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Lane, Nodes, Sha2Word, Sha256Function, Whole, Written,
    compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

/// Messages at most that take less time one by one than in lanes.
const FEW: usize = 2;

impl Compress<Sha256Function> for On<Simd128> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], _: Written) {
        portable::compress(chain, blocks);
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(if live <= FEW { Sides::Alone } else { Sides::Lanes(4, 17) })
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match run.chains.len() {
            ..=FEW => portable::one_by_one(run, portable::compress),
            _ => compress4(run),
        }
    }
}

impl CompressNodes for On<Simd128> {
    fn nodes(self, nodes: Nodes<'_>) {
        for nodes in nodes.chunks(4) {
            match nodes.nodes.len() {
                ..=FEW => portable::hash_nodes(nodes),
                _ => nodes4(nodes),
            }
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        portable::hash_node(iv, node, digest, false);
    }
}

impl Iterate for On<Simd128> {}

impl CompressWhole<u32> for On<Simd128> {
    fn whole(self, messages: Whole<'_>) {
        match messages.chains.len() {
            ..=FEW => portable::compress_whole(messages, portable::compress),
            _ => whole4(messages),
        }
    }
}

#[target_feature(enable = "simd128")]
fn compress4(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x4, 4>(Simd128::here(), run, |h, blocks| {
        compress_blocks::<U32x4, 4>(Simd128::here(), h, Blocks::InMemory(blocks));
    });
}

#[target_feature(enable = "simd128")]
fn nodes4(nodes: Nodes<'_>) {
    hash_lanes::<U32x4, 4>(Simd128::here(), nodes, |h, blocks| {
        compress_blocks::<U32x4, 4>(Simd128::here(), h, blocks);
    });
}

#[target_feature(enable = "simd128")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u32, U32x4, 4>(Simd128::here(), messages, |h, blocks| {
        compress_blocks::<U32x4, 4>(Simd128::here(), h, Blocks::InMemory(blocks));
    });
}

impl Lane<u32, 4> for U32x4 {
    const IN_MEMORY: bool = false;
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self(u8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(self.0, self.0), self.1)
    }

    sha2_rounds!(U32x4 of u32 in "simd128", u32x4_add, xor3, super::ror32, u32x4_shr, ch, maj);
}

#[inline]
#[target_feature(enable = "simd128")]
fn xor3(a: v128, b: v128, c: v128) -> v128 {
    v128_xor(v128_xor(a, b), c)
}

#[inline]
#[target_feature(enable = "simd128")]
fn ch(e: v128, f: v128, g: v128) -> v128 {
    v128_bitselect(f, g, e)
}

#[inline]
#[target_feature(enable = "simd128")]
fn maj(a: v128, b: v128, c: v128) -> v128 {
    v128_bitselect(c, b, v128_xor(a, b))
}

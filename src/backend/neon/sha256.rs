//! SHA-256 on NEON: the instructions for SHA-256, or four messages in lanes.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::{Neon, U32x4};
use crate::backend::On;
use crate::backend::portable::sha256 as portable;
use crate::backend::sha_arm::sha256 as sha;
use crate::backend::vector::sha2_rounds;
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Lane, Nodes, Sha2Word, Sha256Function, Whole, Written,
    compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

/// Messages at most that take less time one by one than in lanes.
const FEW: usize = 2;

impl Compress<Sha256Function> for On<Neon> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], _: Written) {
        match self.sha {
            Some(sha) => sha::compress(sha, chain, blocks),
            None => portable::compress(chain, blocks),
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match (self.sha, live) {
            (Some(_), _) => Sides::Overlapping(4),
            (None, ..=FEW) => Sides::Alone,
            _ => Sides::Lanes(4, 17),
        })
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match (self.sha, run.chains.len()) {
            (Some(sha), _) => sha::compress_streams(sha, run),
            (None, ..=FEW) => portable::one_by_one(run, portable::compress),
            // SAFETY: self.isa proves NEON.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressNodes for On<Neon> {
    fn nodes(self, nodes: Nodes<'_>) {
        if let Some(sha) = self.sha {
            return sha::hash_nodes(sha, nodes);
        }
        for nodes in nodes.chunks(4) {
            match nodes.nodes.len() {
                ..=FEW => portable::hash_nodes(nodes),
                // SAFETY: self.isa proves NEON.
                _ => unsafe { nodes4(nodes) },
            }
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        match self.sha {
            Some(sha) => sha::hash_node(sha, iv, node, digest),
            None => portable::hash_node(iv, node, digest, false),
        }
    }
}

impl Iterate for On<Neon> {}

impl CompressWhole<u32> for On<Neon> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha, messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, messages),
            (None, ..=FEW) => portable::compress_whole(messages, portable::compress),
            // SAFETY: self.isa proves NEON.
            _ => unsafe { whole4(messages) },
        }
    }
}

// Not inlined, so that a proof finds it.
#[inline(never)]
#[target_feature(enable = "neon")]
fn compress4(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x4, 4>(Neon::here(), run, |h, blocks| {
        compress_blocks::<U32x4, 4>(Neon::here(), h, Blocks::InMemory(blocks));
    });
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn nodes4(nodes: Nodes<'_>) {
    hash_lanes::<U32x4, 4>(Neon::here(), nodes, |h, blocks| {
        compress_blocks::<U32x4, 4>(Neon::here(), h, blocks);
    });
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u32, U32x4, 4>(Neon::here(), messages, |h, blocks| {
        compress_blocks::<U32x4, 4>(Neon::here(), h, Blocks::InMemory(blocks));
    });
}

impl Lane<u32, 4> for U32x4 {
    const IN_MEMORY: bool = false;
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: self.1 proves NEON.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(self.0))) }, self.1)
    }

    sha2_rounds!(U32x4 of u32 in "neon", vaddq_u32, xor3, super::ror32, shr, vbslq_u32, maj);
}

#[inline]
#[target_feature(enable = "neon")]
fn xor3(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    veorq_u32(veorq_u32(a, b), c)
}

#[inline]
#[target_feature(enable = "neon")]
fn shr(v: uint32x4_t, bits: u32) -> uint32x4_t {
    vshlq_u32(v, vdupq_n_s32(-bits.cast_signed()))
}

#[inline]
#[target_feature(enable = "neon")]
fn maj(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    vbslq_u32(veorq_u32(a, b), c, b)
}

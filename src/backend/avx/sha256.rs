//! SHA-256 on AVX: SHA-NI, or SSE4.1's schedule and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::On;
use crate::backend::portable::sha256 as portable;
use crate::backend::scheduled::sha2::InPlace;
use crate::backend::scheduled::sha256::{self as scheduled, FEW};
use crate::backend::sha_x86::sha256::{self as sha, Encoding};
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Iteration, Nodes, Sha256Function, Whole, Written,
    compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Avx> {
    #[inline]
    fn sha256(self, chain: &mut Chain, blocks: &[[u8; 64]]) {
        compress_one(self.isa, chain, blocks);
    }
}

/// One message without SHA-NI, also on AVX2 without BMI2.
#[inline]
pub(in crate::backend) fn compress_one(_: Avx, chain: &mut Chain, blocks: &[[u8; 64]]) {
    // SAFETY: the argument proves AVX.
    unsafe { compress(chain, blocks) }
}

impl Compress<Sha256Function> for On<Avx> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
        match self.sha {
            Some(sha) => sha::compress(sha, Encoding::Avx(self.isa), chain, blocks, last),
            None => self.sha256(chain, blocks),
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match (self.sha, live) {
            (Some(_), _) => self.tuning.streams(2),
            (None, ..=FEW) => Sides::Alone,
            _ => Sides::Lanes(4, 24),
        })
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match (self.sha, run.chains.len()) {
            (Some(sha), _) => sha::compress_streams(sha, Encoding::Avx(self.isa), run),
            (None, ..=FEW) => portable::one_by_one(run, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressNodes for On<Avx> {
    fn nodes(self, nodes: Nodes<'_>) {
        for nodes in nodes.chunks(4) {
            match (self.sha, nodes.nodes.len()) {
                (Some(sha), _) => sha::hash_nodes(sha, Encoding::Avx(self.isa), nodes),
                (None, ..=FEW) => scheduled::nodes_in_blocks(nodes, &|chain, blocks| self.sha256(chain, blocks)),
                // SAFETY: self.isa proves AVX.
                _ => unsafe { nodes4(nodes) },
            }
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        match self.sha {
            Some(sha) => sha::hash_node(sha, Encoding::Avx(self.isa), iv, node, digest),
            None => scheduled::node_in_blocks(iv, node, digest, |chain, blocks| self.sha256(chain, blocks)),
        }
    }
}

impl Iterate for On<Avx> {
    fn iterate(self, iterations: &mut [Iteration], count: u32) -> bool {
        let Some(sha) = self.sha else { return false };
        sha::iterate(sha, Encoding::Avx(self.isa), iterations, count);
        true
    }
}

impl CompressWhole<u32> for On<Avx> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha, messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, Encoding::Avx(self.isa), messages),
            (None, ..=FEW) => portable::compress_whole(messages, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX.
            _ => unsafe { whole4(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]]) {
    scheduled::compress::<U32x4, _, 4>(Sse41::here(), InPlace, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "avx")]
fn rounds4(h: &mut [U32x4; 8], blocks: Blocks<'_, U32x4, 4>) {
    compress_blocks::<U32x4, 4>(Sse41::here(), h, blocks);
}

#[target_feature(enable = "avx")]
fn compress4(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x4, 4>(Sse41::here(), run, |h, blocks| rounds4(h, Blocks::InMemory(blocks)));
}

#[target_feature(enable = "avx")]
fn nodes4(nodes: Nodes<'_>) {
    hash_lanes::<U32x4, 4>(Sse41::here(), nodes, |h, blocks| rounds4(h, blocks));
}

#[target_feature(enable = "avx")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u32, U32x4, 4>(Sse41::here(), messages, |h, blocks| rounds4(h, Blocks::InMemory(blocks)));
}

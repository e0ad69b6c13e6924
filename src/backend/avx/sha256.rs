//! SHA-256 on AVX: SHA-NI, or SSE4.1's schedule and lanes, compiled for VEX.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::On;
use crate::backend::choice::{self, Kernel};
use crate::backend::portable::sha256 as portable;
use crate::backend::scheduled::sha2::InPlace;
use crate::backend::scheduled::sha256 as scheduled;
use crate::backend::sha::sha256::{self as sha, Encoding};
use crate::backend::sse41::{Sse41, U32x4};
use crate::kernel::sha256::{
    Chain, CompressNodes, CompressWhole, Iterate, Iteration, Nodes, Sha256Function, Whole, Written, compress_lanes,
    hash_lanes, whole_lanes,
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
    fn sides(&self, live: usize) -> Sides {
        choice::sse41(self.sha, live).sides(self.tuning, 2, 24)
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match choice::sse41(self.sha, run.chains.len()) {
            Kernel::Streams(sha) => sha::compress_streams(sha, Encoding::Avx(self.isa), run),
            Kernel::Alone => portable::one_by_one(run, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX.
            Kernel::Lanes4 | Kernel::Lanes8 | Kernel::Lanes16 => unsafe { compress4(run) },
        }
    }
}

impl CompressNodes for On<Avx> {
    fn nodes(self, nodes: Nodes<'_>) {
        for nodes in nodes.chunks(4) {
            match choice::sse41(self.sha, nodes.nodes.len()) {
                Kernel::Streams(sha) => sha::hash_nodes(sha, Encoding::Avx(self.isa), nodes),
                Kernel::Alone => scheduled::nodes_in_blocks(nodes, |chain, blocks| self.sha256(chain, blocks)),
                // SAFETY: self.isa proves AVX.
                Kernel::Lanes4 | Kernel::Lanes8 | Kernel::Lanes16 => unsafe { nodes4(nodes) },
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
        let Kernel::Streams(sha) = choice::sse41(self.sha, iterations.len()) else { return false };
        sha::iterate(sha, Encoding::Avx(self.isa), iterations, count);
        true
    }
}

impl CompressWhole<u32> for On<Avx> {
    fn whole(self, messages: Whole<'_>) {
        match choice::sse41(self.sha, messages.chains.len()) {
            Kernel::Streams(sha) => sha::compress_whole(sha, Encoding::Avx(self.isa), messages),
            Kernel::Alone => portable::compress_whole(messages, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX.
            Kernel::Lanes4 | Kernel::Lanes8 | Kernel::Lanes16 => unsafe { whole4(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]]) {
    scheduled::compress::<U32x4, _, 4>(Sse41::here(), InPlace, chain, blocks);
}

#[target_feature(enable = "avx")]
fn compress4(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x4, 4>(Sse41::here(), run);
}

#[target_feature(enable = "avx")]
fn nodes4(nodes: Nodes<'_>) {
    hash_lanes::<U32x4, 4>(Sse41::here(), nodes);
}

#[target_feature(enable = "avx")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u32, U32x4, 4>(Sse41::here(), messages);
}

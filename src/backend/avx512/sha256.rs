//! SHA-256 on AVX-512: SHA-NI with 32 registers, or one message with its schedule in vectors, or eight or sixteen in
//! lanes, with ternary logic.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(msan)]
use super::sha2::{_mm256_ternarylogic_epi32, _mm512_ternarylogic_epi32};
use super::sha2::{CH, MAJ, XOR3, sha2_lane};
use super::{Avx512, U32x8, U32x16};
use crate::backend::avx::{self, Avx};
use crate::backend::bmi2::Bmi2;
use crate::backend::portable::sha256 as portable;
use crate::backend::scheduled::{schedule, sha256 as scheduled};
use crate::backend::sha_x86::Sha;
use crate::backend::sha_x86::sha256::{self as sha, Encoding};
use crate::backend::vector::sha2_rounds;
use crate::backend::{On, avx2};
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Iteration, Lane, Nodes, Sha2Word, Sha256Function, Whole,
    Written, compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Avx512> {
    /// One message without SHA-NI.
    #[inline]
    fn sha256(self, chain: &mut Chain, blocks: &[[u8; 64]]) {
        match self.bmi2 {
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            Some(bmi2) => unsafe { compress(bmi2, chain, blocks) },
            // SAFETY: self.isa proves AVX-512F, and so AVX.
            None => avx::sha256::compress_one(unsafe { Avx::here() }, chain, blocks),
        }
    }

    /// SHA-NI, where so many messages take less time by it than in lanes.
    #[inline]
    fn sha_of(self, live: usize) -> Option<Sha> {
        self.sha.filter(|_| !self.tuning.intel_sha() || live <= 6)
    }

    /// Four streams, or pairs where these take less.
    fn encoding(self, number: usize) -> Encoding {
        if self.tuning.intel_sha() && number > 3 {
            // SAFETY: self.isa proves AVX-512F, and so AVX.
            Encoding::Avx(unsafe { Avx::here() })
        } else {
            Encoding::Avx512(self.isa)
        }
    }
}

impl Compress<Sha256Function> for On<Avx512> {
    const LANES: usize = 16;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
        match self.sha {
            Some(sha) => sha::compress(sha, Encoding::Avx512(self.isa), chain, blocks, last),
            None => self.sha256(chain, blocks),
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        let streams = match live {
            3 if self.tuning.intel_sha() => 3,
            _ if self.tuning.intel_sha() => 2,
            _ => 4,
        };
        Some(match (self.sha_of(live), live) {
            (Some(_), _) => self.tuning.streams(streams),
            (None, ..=1) => Sides::Alone,
            // A block in sixteen lanes takes one and a half times as long as in eight.
            (None, ..=8) => Sides::Lanes(8, if self.sha.is_some() { 55 } else { 14 }),
            _ => Sides::Lanes(16, if self.sha.is_some() { 81 } else { 21 }),
        })
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match (self.sha_of(run.chains.len()), run.chains.len()) {
            (Some(sha), _) => sha::compress_streams(sha, self.encoding(run.chains.len()), run),
            (None, ..=1) => portable::one_by_one(run, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (None, ..=8) => unsafe { compress8(run) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { compress16(run) },
        }
    }
}

impl CompressNodes for On<Avx512> {
    fn nodes(self, nodes: Nodes<'_>) {
        match (self.sha_of(nodes.nodes.len()), nodes.nodes.len()) {
            (Some(sha), _) => sha::hash_nodes(sha, self.encoding(nodes.nodes.len()), nodes),
            (None, ..=1) => scheduled::nodes_in_blocks(nodes, &|chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (None, ..=8) => unsafe { nodes8(nodes) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { nodes16(nodes) },
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        match self.sha {
            Some(sha) => sha::hash_node(sha, Encoding::Avx512(self.isa), iv, node, digest),
            None => scheduled::node_in_blocks(iv, node, digest, |chain, blocks| self.sha256(chain, blocks)),
        }
    }
}

impl Iterate for On<Avx512> {
    fn iterate(self, iterations: &mut [Iteration], count: u32) -> bool {
        let Some(sha) = self.sha_of(iterations.len()) else { return false };
        sha::iterate(sha, self.encoding(iterations.len()), iterations, count);
        true
    }
}

impl CompressWhole<u32> for On<Avx512> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha_of(messages.chains.len()), messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, self.encoding(messages.messages.len()), messages),
            (None, ..=1) => portable::compress_whole(messages, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            (None, ..=8) => unsafe { whole8(messages) },
            // SAFETY: self.isa proves AVX-512F, VL and BW.
            _ => unsafe { whole16(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(bmi2: Bmi2, chain: &mut Chain, blocks: &[[u8; 64]]) {
    scheduled::compress::<U32x8, _, 8>(Avx512::here(), bmi2, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn rounds8(h: &mut [U32x8; 8], blocks: Blocks<'_, U32x8, 8>) {
    compress_blocks::<U32x8, 8>(Avx512::here(), h, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x8, 8>(Avx512::here(), run, |h, blocks| rounds8(h, Blocks::InMemory(blocks)));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn rounds16(h: &mut [U32x16; 8], blocks: Blocks<'_, U32x16, 16>) {
    compress_blocks::<U32x16, 16>(Avx512::here(), h, blocks);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress16(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x16, 16>(Avx512::here(), run, |h, blocks| rounds16(h, Blocks::InMemory(blocks)));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn nodes8(nodes: Nodes<'_>) {
    hash_lanes::<U32x8, 8>(Avx512::here(), nodes, |h, blocks| rounds8(h, blocks));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn nodes16(nodes: Nodes<'_>) {
    hash_lanes::<U32x16, 16>(Avx512::here(), nodes, |h, blocks| rounds16(h, blocks));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn whole8(messages: Whole<'_>) {
    whole_lanes::<u32, U32x8, 8>(Avx512::here(), messages, |h, blocks| rounds8(h, Blocks::InMemory(blocks)));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn whole16(messages: Whole<'_>) {
    whole_lanes::<u32, U32x16, 16>(Avx512::here(), messages, |h, blocks| rounds16(h, Blocks::InMemory(blocks)));
}

sha2_lane!(
    U32x8 of u32, 8, __m256i, _mm256_add_epi32, _mm256_ternarylogic_epi32, ror32x8, shr8 by _mm256_srl_epi32,
    avx2::sha256::swap
);
sha2_lane!(U32x16 of u32, 16, __m512i, _mm512_add_epi32, _mm512_ternarylogic_epi32, ror32x16, shr16 by _mm512_srl_epi32, swap16);

schedule!(
    U32x8: [u32; 8] in "avx512f,avx512vl,avx512bw", avx2::sha256::rows, avx2::sha256::swap, _mm256_add_epi32, _mm256_ternarylogic_epi32::<XOR3>,
    super::ror32x8, shr8, _mm256_alignr_epi8::<4>, _mm256_bsrli_epi128::<8>, _mm256_bslli_epi128::<8>
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn swap16(v: __m512i) -> __m512i {
    _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)))
}

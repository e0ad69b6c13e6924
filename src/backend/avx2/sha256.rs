//! SHA-256 on AVX2: SHA-NI, or one message with its schedule in vectors, or eight in lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Avx2, U32x8};
use crate::backend::bmi2::Bmi2;
use crate::backend::portable::sha256 as portable;
use crate::backend::scheduled::schedule;
use crate::backend::scheduled::sha256::{self as scheduled, FEW};
use crate::backend::sha_x86::sha256::{self as sha, Encoding};
use crate::backend::vector::sha2_rounds;
use crate::backend::{On, avx, sse41};
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Iteration, Lane, Nodes, Sha2Word, Sha256Function, Whole,
    Written, compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Avx2> {
    /// One message without SHA-NI.
    #[inline]
    fn sha256(self, chain: &mut Chain, blocks: &[[u8; 64]]) {
        match self.bmi2 {
            // SAFETY: self.isa proves AVX2.
            Some(bmi2) => unsafe { compress(bmi2, chain, blocks) },
            None => avx::sha256::compress_one(self.isa.avx(), chain, blocks),
        }
    }
}

impl Compress<Sha256Function> for On<Avx2> {
    const LANES: usize = 8;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
        match self.sha {
            Some(sha) => sha::compress(sha, Encoding::Avx(self.isa.avx()), chain, blocks, last),
            None => self.sha256(chain, blocks),
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match (self.sha, live) {
            (Some(_), _) => self.tuning.streams(2),
            (None, ..=FEW) => Sides::Alone,
            _ => Sides::Lanes(8, 25),
        })
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        match (self.sha, run.chains.len()) {
            (Some(sha), _) => sha::compress_streams(sha, Encoding::Avx(self.isa.avx()), run),
            (None, ..=FEW) => portable::one_by_one(run, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { compress8(run) },
        }
    }
}

impl CompressNodes for On<Avx2> {
    fn nodes(self, nodes: Nodes<'_>) {
        for nodes in nodes.chunks(8) {
            match (self.sha, nodes.nodes.len()) {
                (Some(sha), _) => sha::hash_nodes(sha, Encoding::Avx(self.isa.avx()), nodes),
                (None, ..=FEW) => scheduled::nodes_in_blocks(nodes, &|chain, blocks| self.sha256(chain, blocks)),
                // SAFETY: self.isa proves AVX2.
                _ => unsafe { nodes8(nodes) },
            }
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        match self.sha {
            Some(sha) => sha::hash_node(sha, Encoding::Avx(self.isa.avx()), iv, node, digest),
            None => scheduled::node_in_blocks(iv, node, digest, |chain, blocks| self.sha256(chain, blocks)),
        }
    }
}

impl Iterate for On<Avx2> {
    fn iterate(self, iterations: &mut [Iteration], count: u32) -> bool {
        let Some(sha) = self.sha else { return false };
        sha::iterate(sha, Encoding::Avx(self.isa.avx()), iterations, count);
        true
    }
}

impl CompressWhole<u32> for On<Avx2> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha, messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, Encoding::Avx(self.isa.avx()), messages),
            (None, ..=FEW) => portable::compress_whole(messages, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves AVX2.
            _ => unsafe { whole8(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2")]
fn compress(bmi2: Bmi2, chain: &mut Chain, blocks: &[[u8; 64]]) {
    scheduled::compress::<U32x8, _, 8>(Avx2::here(), bmi2, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "avx2")]
fn rounds8(h: &mut [U32x8; 8], blocks: Blocks<'_, U32x8, 8>) {
    compress_blocks::<U32x8, 8>(Avx2::here(), h, blocks);
}

#[target_feature(enable = "avx2")]
fn compress8(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x8, 8>(Avx2::here(), run, |h, blocks| rounds8(h, Blocks::InMemory(blocks)));
}

#[target_feature(enable = "avx2")]
fn nodes8(nodes: Nodes<'_>) {
    hash_lanes::<U32x8, 8>(Avx2::here(), nodes, |h, blocks| rounds8(h, blocks));
}

#[target_feature(enable = "avx2")]
fn whole8(messages: Whole<'_>) {
    whole_lanes::<u32, U32x8, 8>(Avx2::here(), messages, |h, blocks| rounds8(h, Blocks::InMemory(blocks)));
}

impl Lane<u32, 8> for U32x8 {
    const IN_MEMORY: bool = true;
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: self.1 proves AVX2.
        Self(unsafe { swap(self.0) }, self.1)
    }

    sha2_rounds!(U32x8 of u32 in "avx2", _mm256_add_epi32, xor3, super::ror32, shr, ch, maj);
}

schedule!(
    U32x8: [u32; 8] in "avx2", rows, swap, _mm256_add_epi32, xor3, super::ror32, shr, _mm256_alignr_epi8::<4>,
    _mm256_bsrli_epi128::<8>, _mm256_bslli_epi128::<8>
);

/// 16 bytes of each of two blocks.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn rows(first: &[u8; 16], second: &[u8; 16]) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(sse41::load_halves(first)), sse41::load_halves(second))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

#[inline]
#[target_feature(enable = "avx2")]
fn shr(v: __m256i, bits: u32) -> __m256i {
    _mm256_srl_epi32(v, _mm_cvtsi32_si128(bits.cast_signed()))
}

/// The bits of `f` where `e` has ones, and of `g` elsewhere.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ch(e: __m256i, f: __m256i, g: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(f, g), e), g)
}

/// The bits in which `a` and `b` agree, else those of `c`. The next round has `a` and `b` as `b` and `c`, so the
/// compiler computes one exclusive or for both.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn maj(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(b, c)), b)
}

/// Every word with its bytes the other way round.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::backend) fn swap(v: __m256i) -> __m256i {
    let places = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(places))
}

//! SHA-256 on SSE4.1: SHA-NI, or one message with its schedule in vectors, or four in lanes.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Sse41, U32x4, load_halves, swap32};
use crate::backend::On;
use crate::backend::portable::sha256 as portable;
use crate::backend::scheduled::schedule;
use crate::backend::scheduled::sha2::InPlace;
use crate::backend::scheduled::sha256::{self as scheduled, FEW};
use crate::backend::sha_x86::sha256::{self as sha, Encoding};
use crate::backend::vector::sha2_rounds;
use crate::kernel::sha256::{
    Blocks, Chain, CompressNodes, CompressWhole, Iterate, Iteration, Lane, Nodes, Sha2Word, Sha256Function, Whole,
    Written, compress_blocks, compress_lanes, hash_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl On<Sse41> {
    /// One message without SHA-NI.
    #[inline]
    fn sha256(self, chain: &mut Chain, blocks: &[[u8; 64]]) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress(chain, blocks) }
    }
}

impl Compress<Sha256Function> for On<Sse41> {
    const LANES: usize = 4;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], last: Written) {
        match self.sha {
            Some(sha) => sha::compress(sha, Encoding::Sse, chain, blocks, last),
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
            (Some(sha), _) => sha::compress_streams(sha, Encoding::Sse, run),
            (None, ..=FEW) => portable::one_by_one(run, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves SSE4.1.
            _ => unsafe { compress4(run) },
        }
    }
}

impl CompressNodes for On<Sse41> {
    fn nodes(self, nodes: Nodes<'_>) {
        for nodes in nodes.chunks(4) {
            match (self.sha, nodes.nodes.len()) {
                (Some(sha), _) => sha::hash_nodes(sha, Encoding::Sse, nodes),
                (None, ..=FEW) => scheduled::nodes_in_blocks(nodes, &|chain, blocks| self.sha256(chain, blocks)),
                // SAFETY: self.isa proves SSE4.1.
                _ => unsafe { nodes4(nodes) },
            }
        }
    }

    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]) {
        match self.sha {
            Some(sha) => sha::hash_node(sha, Encoding::Sse, iv, node, digest),
            None => scheduled::node_in_blocks(iv, node, digest, |chain, blocks| self.sha256(chain, blocks)),
        }
    }
}

impl Iterate for On<Sse41> {
    fn iterate(self, iterations: &mut [Iteration], count: u32) -> bool {
        let Some(sha) = self.sha else { return false };
        sha::iterate(sha, Encoding::Sse, iterations, count);
        true
    }
}

impl CompressWhole<u32> for On<Sse41> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha, messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, Encoding::Sse, messages),
            (None, ..=FEW) => portable::compress_whole(messages, |chain, blocks| self.sha256(chain, blocks)),
            // SAFETY: self.isa proves SSE4.1.
            _ => unsafe { whole4(messages) },
        }
    }
}

#[inline(never)]
#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain, blocks: &[[u8; 64]]) {
    scheduled::compress::<U32x4, _, 4>(Sse41::here(), InPlace, chain, blocks);
}

#[inline(never)]
#[target_feature(enable = "sse4.1")]
fn rounds4(h: &mut [U32x4; 8], blocks: Blocks<'_, U32x4, 4>) {
    compress_blocks::<U32x4, 4>(Sse41::here(), h, blocks);
}

#[target_feature(enable = "sse4.1")]
fn compress4(run: Run<'_, Sha256Function>) {
    compress_lanes::<u32, U32x4, 4>(Sse41::here(), run, |h, blocks| rounds4(h, Blocks::InMemory(blocks)));
}

#[target_feature(enable = "sse4.1")]
fn nodes4(nodes: Nodes<'_>) {
    hash_lanes::<U32x4, 4>(Sse41::here(), nodes, |h, blocks| rounds4(h, blocks));
}

#[target_feature(enable = "sse4.1")]
fn whole4(messages: Whole<'_>) {
    whole_lanes::<u32, U32x4, 4>(Sse41::here(), messages, |h, blocks| rounds4(h, Blocks::InMemory(blocks)));
}

impl Lane<u32, 4> for U32x4 {
    const IN_MEMORY: bool = true;
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: self.1 proves SSE4.1.
        Self(unsafe { swap32(self.0) }, self.1)
    }

    sha2_rounds!(U32x4 of u32 in "sse4.1", _mm_add_epi32, xor3, super::ror32, shr, ch, maj);
}

schedule!(
    U32x4: [u32; 4] in "sse4.1", row, swap32, _mm_add_epi32, xor3, super::ror32, shr, _mm_alignr_epi8::<4>, _mm_bsrli_si128::<8>,
    _mm_bslli_si128::<8>
);

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn row(bytes: &[u8; 16], _: &[u8; 16]) -> __m128i {
    load_halves(bytes)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_xor_si128(_mm_xor_si128(a, b), c)
}

#[inline]
#[target_feature(enable = "sse2")]
fn shr(v: __m128i, bits: u32) -> __m128i {
    _mm_srl_epi32(v, _mm_cvtsi32_si128(bits.cast_signed()))
}

/// The bits of `f` where `e` has ones, and of `g` elsewhere.
#[inline]
#[target_feature(enable = "sse2")]
fn ch(e: __m128i, f: __m128i, g: __m128i) -> __m128i {
    _mm_xor_si128(_mm_and_si128(_mm_xor_si128(f, g), e), g)
}

/// The bits in which `a` and `b` agree, else those of `c`. The next round has `a` and `b` as `b` and `c`, so the
/// compiler computes one exclusive or for both.
#[inline]
#[target_feature(enable = "sse2")]
fn maj(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_xor_si128(_mm_and_si128(_mm_xor_si128(a, b), _mm_xor_si128(b, c)), b)
}

//! SHA-512 on NEON: the instructions for SHA-512, or two messages in lanes and one in scalar code.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::{Neon, U64x2};
use crate::backend::On;
use crate::backend::portable::sha512 as portable;
use crate::backend::sha_arm::sha512 as sha;
use crate::backend::vector::sha2_rounds;
use crate::kernel::sha512::{
    Chain, CompressWhole, Lane, Sha2Word, Sha512Function, Whole, Written, compress_block, compress_lanes, whole_lanes,
};
use crate::kernel::{Compress, Run, Sides};

impl Compress<Sha512Function> for On<Neon> {
    const LANES: usize = 2;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 128]], _: Written) {
        match self.sha512 {
            Some(sha) => sha::compress(sha, chain, blocks),
            None => portable::compress(chain, blocks),
        }
    }

    #[inline]
    fn sides(&self, live: usize) -> Option<Sides> {
        Some(match (self.sha512, live) {
            (Some(_), _) => Sides::Overlapping(2),
            (None, ..=1) => Sides::Alone,
            _ => Sides::Lanes(2, 15),
        })
    }

    fn run(self, run: Run<'_, Sha512Function>) {
        match (self.sha512, run.chains.len()) {
            (Some(sha), _) => sha::compress_streams(sha, run),
            (None, ..=1) => portable::one_by_one(run, portable::compress),
            // SAFETY: self.isa proves NEON.
            _ => unsafe { compress2(run) },
        }
    }
}

impl CompressWhole<u64> for On<Neon> {
    fn whole(self, messages: Whole<'_>) {
        match (self.sha512, messages.chains.len()) {
            (Some(sha), _) => sha::compress_whole(sha, messages),
            (None, ..=1) => portable::compress_whole(messages, portable::compress),
            // SAFETY: self.isa proves NEON.
            _ => unsafe { whole2(messages) },
        }
    }
}

// Not inlined, so that a proof finds it.
#[inline(never)]
#[target_feature(enable = "neon")]
fn compress2(run: Run<'_, Sha512Function>) {
    compress_lanes::<u64, U64x2, 2>(Neon::here(), run, |h, blocks| {
        compress_block::<u64, U64x2, 2>(Neon::here(), h, blocks);
    });
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn whole2(messages: Whole<'_>) {
    whole_lanes::<u64, U64x2, 2>(Neon::here(), messages, |h, blocks| {
        compress_block::<u64, U64x2, 2>(Neon::here(), h, blocks);
    });
}

impl Lane<u64, 2> for U64x2 {
    const IN_MEMORY: bool = false;
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: self.1 proves NEON.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(self.0))) }, self.1)
    }

    sha2_rounds!(U64x2 of u64 in "neon", vaddq_u64, xor3, super::ror64, shr, vbslq_u64, maj);
}

#[inline]
#[target_feature(enable = "neon")]
fn xor3(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
    veorq_u64(veorq_u64(a, b), c)
}

#[inline]
#[target_feature(enable = "neon")]
fn shr(v: uint64x2_t, bits: u32) -> uint64x2_t {
    vshlq_u64(v, vdupq_n_s64(-i64::from(bits)))
}

#[inline]
#[target_feature(enable = "neon")]
fn maj(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
    vbslq_u64(veorq_u64(a, b), c, b)
}

//! SHA-512 on AVX: SSE4.1's kernel of one message, compiled for VEX. Two lanes would gain nothing.
#![allow(unsafe_code)]

use super::Avx;
use crate::backend::portable::sha512::alone;
use crate::backend::scheduled::sha2::InPlace;
use crate::backend::scheduled::sha512 as scheduled;
use crate::backend::sse41::{Sse41, U64x2};

alone!(Avx, compress_one);

/// One message, also on AVX2 and AVX-512 without BMI2.
#[inline]
pub(in crate::backend) fn compress_one(_: Avx, chain: &mut Chain, blocks: &[[u8; 128]]) {
    // SAFETY: the argument proves AVX.
    unsafe { compress(chain, blocks) }
}

#[inline(never)]
#[target_feature(enable = "avx")]
fn compress(chain: &mut Chain, blocks: &[[u8; 128]]) {
    scheduled::compress::<U64x2, _, 2>(Sse41::here(), InPlace, chain, blocks);
}

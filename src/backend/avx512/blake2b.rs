//! BLAKE2b on AVX-512: a message in rows of a 256-bit register each, or four or eight messages.
#![allow(unsafe_code)]

use super::{Avx512, U64x4, U64x8};
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes, compress_rows};

pub(super) use self::rounds::rounds;

mod rounds;

impl Compress<u64> for Avx512 {
    const LANES: usize = 8;

    fn compress(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self proves AVX-512F and VL.
        unsafe { compress(chain, blocks, last) }
    }

    fn compress_lanes(self, run: Run<'_, u64>) {
        match run.chains.len() {
            // SAFETY: self proves AVX-512F and VL.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self proves AVX-512F and VL.
            _ => unsafe { compress8(run) },
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<u64, U64x4>(Avx512::here(), chain, blocks, last);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress4(run: Run<'_, u64>) {
    compress_lanes::<u64, U64x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn compress8(run: Run<'_, u64>) {
    compress_lanes::<u64, U64x8, 8>(Avx512::here(), run);
}

//! BLAKE2b on AVX-512: a message in rows of a 256-bit register each, or four or eight messages.
#![allow(unsafe_code)]

use super::{Avx512, U64x4, U64x8};
use crate::backend::avx2::blake2b as avx2;
use crate::kernel::blake2::{Chain, Last, Row, Rows, compress_lanes, compress_rows};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run};

use self::rounds::rounds;

mod rounds;

impl Compress<FlavourB> for Avx512 {
    const LANES: usize = 8;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self proves AVX-512F and VL.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourB>) {
        match run.chains.len() {
            // SAFETY: self proves AVX-512F and VL.
            ..=4 => unsafe { compress4(run) },
            // SAFETY: self proves AVX-512F and VL.
            _ => unsafe { compress8(run) },
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<FlavourB, U64x4>(Avx512::here(), chain, blocks, last);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress4(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x4, 4>(Avx512::here(), run);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress8(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x8, 8>(Avx512::here(), run);
}

impl Row<FlavourB> for U64x4 {
    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Avx512, block: &[u8; 128], places: [usize; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::gather64::<SETTLED>(block, places) }, token)
    }

    #[inline(always)]
    fn join(token: Avx512, words: [u64; 4]) -> Self {
        // SAFETY: token proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::join64(words) }, token)
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        // SAFETY: self.1 proves AVX-512VL, and so AVX2.
        Self(unsafe { avx2::turn64::<N>(self.0) }, self.1)
    }

    #[inline(always)]
    fn rounds<const SETTLED: bool>(token: Avx512, rows: &mut Rows<FlavourB, Self>, block: &[u8; 128]) {
        if cfg!(msan) {
            rows.rounds::<SETTLED>(token, block);
        } else {
            // SAFETY: token proves AVX-512F and VL.
            unsafe { rounds::<SETTLED>(rows, block) }
        }
    }
}

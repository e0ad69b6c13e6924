//! BLAKE2b on SSE4.1: a message in rows of two registers each, or two messages.
#![allow(unsafe_code)]

use super::{Sse41, U64x2};
use crate::backend::On;
use crate::backend::opaque;
use crate::kernel::blake2::{Chain, Last, Row, compress_lanes, compress_rows};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run, Word, Words};

impl Compress<FlavourB> for On<Sse41> {
    const LANES: usize = 2;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress(chain, blocks, last) }
    }

    fn run(self, run: Run<'_, FlavourB>) {
        // SAFETY: self.isa proves SSE4.1.
        unsafe { compress2(run) }
    }
}

#[target_feature(enable = "sse4.1")]
fn compress(chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
    compress_rows::<FlavourB, U64x4>(Sse41::here(), chain, blocks, last);
}

#[target_feature(enable = "sse4.1")]
fn compress2(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x2, 2>(Sse41::here(), run);
}

/// A row of four 64-bit words in two vectors, columns 0 and 2 first.
#[derive(Clone, Copy)]
pub(in crate::backend) struct U64x4(U64x2, U64x2);

impl Words<u64, 4> for U64x4 {
    type Token = Sse41;

    #[inline(always)]
    fn new(token: Sse41, [w0, w1, w2, w3]: [u64; 4]) -> Self {
        Self(U64x2::new(token, [w0, w1]), U64x2::new(token, [w2, w3]))
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        let ([w0, w1], [w2, w3]) = (self.0.words(), self.1.words());
        [w0, w1, w2, w3]
    }

    #[inline(always)]
    fn load(token: Sse41, bytes: &[u8], i: usize) -> Self {
        Self(U64x2::load(token, bytes, 2 * i), U64x2::load(token, bytes, 2 * i + 1))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self(self.0.add(rhs.0), self.1.add(rhs.1))
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        Self(self.0.xor(rhs.0), self.1.xor(rhs.1))
    }

    #[inline(always)]
    fn ror(self, bits: u32) -> Self {
        Self(self.0.ror(bits), self.1.ror(bits))
    }
}

impl Row<FlavourB> for U64x4 {
    const LOADS_WORDS: bool = true;

    #[inline(always)]
    fn gather<const SETTLED: bool>(token: Sse41, block: &[u8; 128], places: [usize; 4]) -> Self {
        let block = opaque::reference(block);
        let [i, j, k, l] = places;
        Self::new(token, [u64::load(block, i), u64::load(block, j), u64::load(block, k), u64::load(block, l)])
    }

    #[inline(always)]
    fn turn<const N: usize>(self) -> Self {
        match N {
            1 => Self(self.1, self.0.swap()),
            2 => Self(self.0.swap(), self.1.swap()),
            3 => Self(self.1.swap(), self.0),
            _ => unreachable!(),
        }
    }
}

//! BLAKE2b on NEON: two messages in lanes; one is for the scalar registers.
//!
//! A row of four words would be two registers of two, and NEON's operations take two cycles at least, where scalar ones
//! take one: the chain of operations through a message would be twice as long. Nor would there be fewer of them by
//! enough: rows would take about 1100 vector instructions a block, of which cores begin one or two a cycle, and scalar
//! code, whose state fits into 31 registers, takes 1550, of which they begin two to six.
//!
//! In two lanes nothing is turned or gathered: two G are 15 instructions, and 28 of scalar code.
#![allow(unsafe_code)]

use super::{Neon, U64x2};
use crate::backend::On;
use crate::backend::portable::blake2 as portable;
use crate::kernel::blake2::{Chain, Last, compress_lanes};
use crate::kernel::blake2b::FlavourB;
use crate::kernel::{Compress, Run};

impl Compress<FlavourB> for On<Neon> {
    const LANES: usize = 2;

    fn blocks(self, chain: &mut Chain<u64>, blocks: &[[u8; 128]], last: Last) {
        portable::compress::<FlavourB>(chain, blocks, last);
    }

    fn run(self, run: Run<'_, FlavourB>) {
        // SAFETY: self.isa proves NEON.
        unsafe { compress2(run) }
    }
}

#[target_feature(enable = "neon")]
fn compress2(run: Run<'_, FlavourB>) {
    compress_lanes::<FlavourB, U64x2, 2>(Neon::here(), run);
}

//! BLAKE2s on NEON: four messages in lanes; one is for the scalar registers.
//!
//! A row of four words fills a register, so rows would take a third of the instructions that scalar code does. But a
//! message is a chain. An instruction that waits for a scalar operation waits one cycle, and for a NEON operation at
//! least two; a rotation is two or three of them. Only a core that begins one instruction at a time would gain.
#![allow(unsafe_code)]

use super::{Neon, U32x4};
use crate::backend::On;
use crate::backend::portable::blake2 as portable;
use crate::kernel::blake2::{Chain, Last, compress_lanes};
use crate::kernel::blake2s::FlavourS;
use crate::kernel::{Compress, Run};

impl Compress<FlavourS> for On<Neon> {
    const LANES: usize = 4;

    fn blocks(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        portable::compress::<FlavourS>(chain, blocks, last);
    }

    fn run(self, run: Run<'_, FlavourS>) {
        // SAFETY: self.isa proves NEON.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "neon")]
fn compress4(run: Run<'_, FlavourS>) {
    compress_lanes::<FlavourS, U32x4, 4>(Neon::here(), run);
}

//! BLAKE2s on NEON: four messages in lanes; one is for the scalar registers.
//!
//! A row of four words fills a register, so rows would take a third of the instructions that scalar code does. But a
//! message is a chain: what follows a scalar operation waits one cycle for it, and what follows NEON's two at least,
//! and a rotation is two of them or three. Only a core that begins one instruction at a time would gain.
#![allow(unsafe_code)]

use super::{Neon, U32x4};
use crate::backend::portable::Portable;
use crate::kernel::blake2::{Chain, Compress, Last, Run, compress_lanes};

impl Compress<u32> for Neon {
    const LANES: usize = 4;

    fn compress(self, chain: &mut Chain<u32>, blocks: &[[u8; 64]], last: Last) {
        Portable.compress(chain, blocks, last);
    }

    fn compress_lanes(self, run: Run<'_, u32>) {
        // SAFETY: self proves NEON.
        unsafe { compress4(run) }
    }
}

#[target_feature(enable = "neon")]
fn compress4(run: Run<'_, u32>) {
    compress_lanes::<u32, U32x4, 4>(Neon::here(), run);
}

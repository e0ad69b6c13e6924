//! The names of the crate `blake2b_simd` 1, over `simd-digest`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

#[cfg(feature = "std")]
extern crate std;

mod flavour {
    pub(crate) use simd_digest::blake2b as ours;

    /// Bytes of a message.
    pub(crate) type Count = u128;
    /// Bytes of the longest digest.
    pub const OUTBYTES: usize = 64;
    pub(crate) const MAX_NODE_OFFSET: u64 = <ours::FlavourB as simd_digest::blake2::Flavour>::MAX_NODE_OFFSET;
    /// Lanes of the widest backend.
    pub const MAX_DEGREE: usize = 8;
}

#[path = "../../blake2_simd/many.rs"]
pub mod many;
#[path = "../../blake2_simd/parallel.rs"]
mod parallel;
#[path = "../../blake2_simd/sequential.rs"]
mod sequential;

pub use sequential::{BLOCKBYTES, Hash, KEYBYTES, OUTBYTES, PERSONALBYTES, Params, SALTBYTES, State};

/// The BLAKE2b digest of `input`, of full length.
pub fn blake2b(input: &[u8]) -> Hash {
    Hash::of(flavour::ours::hash(input))
}

/// BLAKE2bp.
pub mod blake2bp {
    pub use crate::parallel::{Params, State};

    /// The BLAKE2bp digest of `input`, of full length.
    pub fn blake2bp(input: &[u8]) -> crate::Hash {
        Params::new().hash(input)
    }
}

/// For benchmarks.
#[doc(hidden)]
pub mod benchmarks {
    pub fn force_portable(params: &mut crate::Params) {
        params.force(crate::sequential::portable());
    }

    pub fn force_portable_blake2bp(params: &mut crate::blake2bp::Params) {
        params.force(crate::sequential::portable());
    }
}

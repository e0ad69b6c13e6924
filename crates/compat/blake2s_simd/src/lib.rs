//! The names of the crate `blake2s_simd` 1, over `simd-digest`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

#[cfg(feature = "std")]
extern crate std;

mod flavour {
    pub(crate) use simd_digest::blake2s as ours;

    /// Bytes of a message.
    pub(crate) type Count = u64;
    /// Bytes of the longest digest.
    pub const OUTBYTES: usize = 32;
    pub(crate) const MAX_NODE_OFFSET: u64 = <ours::FlavourS as simd_digest::blake2::Flavour>::MAX_NODE_OFFSET;
    /// Lanes of the widest backend.
    pub const MAX_DEGREE: usize = 16;
}

#[path = "../../blake2_simd/many.rs"]
pub mod many;
#[path = "../../blake2_simd/parallel.rs"]
mod parallel;
#[path = "../../blake2_simd/sequential.rs"]
mod sequential;

pub use sequential::{BLOCKBYTES, Hash, KEYBYTES, OUTBYTES, PERSONALBYTES, Params, SALTBYTES, State};

/// The BLAKE2s digest of `input`, of full length.
pub fn blake2s(input: &[u8]) -> Hash {
    Hash::of(flavour::ours::hash(input))
}

/// BLAKE2sp.
pub mod blake2sp {
    pub use crate::parallel::{Params, State};

    /// The BLAKE2sp digest of `input`, of full length.
    pub fn blake2sp(input: &[u8]) -> crate::Hash {
        Params::new().hash(input)
    }
}

/// For benchmarks.
#[doc(hidden)]
pub mod benchmarks {
    pub fn force_portable(params: &mut crate::Params) {
        params.force(crate::sequential::portable());
    }

    pub fn force_portable_blake2sp(params: &mut crate::blake2sp::Params) {
        params.force(crate::sequential::portable());
    }
}

//! BLAKE2b: the flavour of 64-bit words, digests and keys of up to 64 bytes, blocks of 128 bytes
//! ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), [BLAKE2 paper](https://www.blake2.net/blake2.pdf)).
//!
//! ```
//! use simd_digest::blake2b::{self, Params};
//!
//! let hash = blake2b::hash(b"abc");
//! assert_eq!(hash.as_bytes().len(), 64);
//!
//! let tag = Params::new().hash_length(16).key(b"a key").hash(b"abc")?;
//! assert_eq!(tag.to_string().len(), 32);
//! # Ok::<(), blake2b::ParamsError>(())
//! ```
#![forbid(unsafe_code)]

use digest::consts::{U4, U16, U20, U32, U48, U64, U128, U242};

use crate::blake2::{Blake2p, Blake2x, Flavour, Sealed, fixed_lengths, module};
#[cfg(feature = "alloc")]
pub use crate::blake2::{LeavesError, VerifyError};
pub use crate::blake2::{ManyError, OutputSize, ParamsError, ParseHashError, XofError};
pub use crate::kernel::blake2b::FlavourB;
use crate::traits::associated_oid;

pub mod hazmat;

module!(FlavourB, "blake2b", "BLAKE2b", longest: 64);

fixed_lengths! {
    FlavourB, "BLAKE2b", longest: 64,
    hashes: Blake2b {
        Blake2b512: U64, 64;
        Blake2b384: U48, 48;
        Blake2b256: U32, 32;
        Blake2b160: U20, 20;
        Blake2b128: U16, 16;
    },
    macs: Blake2bMac {
        Blake2bMac512: U64, 64;
        Blake2bMac256: U32, 32;
    },
}

/// BLAKE2bp with 64 bytes of output, for the `digest` traits; keyed and of other lengths by [`Params::parallel`].
///
/// One long message in four lanes: about twice as fast as sequential BLAKE2b, but another hash, and slower for messages
/// of less than about 1 KiB.
///
/// ```
/// use simd_digest::Digest;
/// use simd_digest::blake2b::Blake2bp;
///
/// let digest = Blake2bp::digest(b"a long message");
/// assert_eq!(digest.len(), 64);
/// ```
///
/// [`Params::parallel`]: crate::blake2::Params::parallel
pub type Blake2bp = Blake2p<FlavourB, U64>;

/// BLAKE2X of this flavour: output of any length, up to 2^32 − 2 bytes if it is known, else up to 2^38.
///
/// ```
/// use simd_digest::Blake2xb;
/// use simd_digest::digest::{ExtendableOutput, Update, XofReader};
///
/// let mut hasher = Blake2xb::default();
/// Update::update(&mut hasher, b"a seed");
/// let mut output = hasher.finalize_xof();
/// let mut bytes = [0; 1000];
/// output.read(&mut bytes);
/// ```
pub type Blake2xb = Blake2x<FlavourB>;

impl Flavour for FlavourB {
    const TITLE: &'static str = "BLAKE2b";
    const LONGEST: usize = 64;
    const MAX_NODE_OFFSET: u64 = u64::MAX;
    const LEAVES: u8 = 4;
}

impl Sealed for FlavourB {
    const NAME: &'static str = "Blake2b";
    const MAC_NAME: &'static str = "Blake2bMac";
    const PARALLEL_NAME: &'static str = "Blake2bp";
    const XOF_NAME: &'static str = "Blake2xb";
    const NODE_OFFSET: usize = 8;

    type OutputSize = U64;
    type BlockSize = U128;
    type CollisionResistance = U32;
    type StateSize = U242;
    type SavedState = [u8; 339];
    type Leaves = U4;
}

associated_oid! {
    Blake2b160: "1.3.6.1.4.1.1722.12.2.1.5",
    Blake2b256: "1.3.6.1.4.1.1722.12.2.1.8",
    Blake2b384: "1.3.6.1.4.1.1722.12.2.1.12",
    Blake2b512: "1.3.6.1.4.1.1722.12.2.1.16",
}

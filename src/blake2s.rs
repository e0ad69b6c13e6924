//! BLAKE2s: the flavour of 32-bit words, digests and keys of up to 32 bytes, blocks of 64 bytes
//! ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), [BLAKE2 paper](https://www.blake2.net/blake2.pdf)).
//!
//! BLAKE2s is for small machines and small messages. On 64-bit CPUs, [`blake2b`](crate::blake2b) is faster for long
//! messages. This module has the API of `blake2b`. Salt and personalisation have up to 8 bytes instead of 16. The node
//! offset has 48 bits instead of 64, so trees have at most 2^48 leaves. [`Blake2sp`] has eight leaves.
//!
//! ```
//! use simd_digest::blake2s::{self, Params};
//!
//! let hash = blake2s::hash(b"abc");
//! assert_eq!(hash.as_bytes().len(), 32);
//!
//! let tag = Params::new().hash_length(16).key(b"a key").hash(b"abc")?;
//! assert_eq!(tag.to_string().len(), 32);
//!
//! let error = Params::new().node_offset(1 << 48).hash(b"abc").unwrap_err();
//! assert_eq!(error.to_string(), "node_offset is 281474976710656, but must be 0 to 281474976710655");
//! # Ok::<(), blake2s::ParamsError>(())
//! ```
#![forbid(unsafe_code)]

use digest::consts::{U8, U16, U20, U28, U32, U64, U122};

use crate::blake2::{Blake2p, Blake2x, Flavour, Sealed, fixed_lengths, module};
#[cfg(feature = "alloc")]
pub use crate::blake2::{LeavesError, VerifyError};
pub use crate::blake2::{ManyError, OutputSize, ParamsError, ParseHashError, XofError};
pub use crate::kernel::blake2s::FlavourS;
use crate::traits::associated_oid;

pub mod hazmat;

module!(FlavourS, "blake2s", "BLAKE2s", longest: 32);

fixed_lengths! {
    FlavourS, "BLAKE2s", longest: 32,
    hashes: Blake2s {
        Blake2s256: U32, 32;
        Blake2s224: U28, 28;
        Blake2s160: U20, 20;
        Blake2s128: U16, 16;
    },
    macs: Blake2sMac {
        Blake2sMac256: U32, 32;
        Blake2sMac128: U16, 16;
    },
}

/// BLAKE2sp with 32 bytes of output, for the `digest` traits; keyed and of other lengths by [`Params::parallel`].
///
/// One long message in eight lanes: several times as fast as sequential BLAKE2s, but another hash, and slower for
/// messages of less than about 1 KiB.
///
/// ```
/// use simd_digest::Digest;
/// use simd_digest::blake2s::Blake2sp;
///
/// let digest = Blake2sp::digest(b"a long message");
/// assert_eq!(digest.len(), 32);
/// ```
///
/// [`Params::parallel`]: crate::blake2::Params::parallel
pub type Blake2sp = Blake2p<FlavourS, U32>;

/// BLAKE2X of this flavour: output of any length, up to 2^16 − 2 bytes if it is known, else up to 2^37.
///
/// ```
/// use simd_digest::Blake2xs;
/// use simd_digest::digest::{ExtendableOutput, Update, XofReader};
///
/// let mut hasher = Blake2xs::default();
/// Update::update(&mut hasher, b"a seed");
/// let mut output = hasher.finalize_xof();
/// let mut bytes = [0; 1000];
/// output.read(&mut bytes);
/// ```
pub type Blake2xs = Blake2x<FlavourS>;

impl Flavour for FlavourS {
    const TITLE: &'static str = "BLAKE2s";
    const LONGEST: usize = 32;
    const MAX_NODE_OFFSET: u64 = (1 << 48) - 1;
    const LEAVES: u8 = 8;
}

impl Sealed for FlavourS {
    const NAME: &'static str = "Blake2s";
    const MAC_NAME: &'static str = "Blake2sMac";
    const PARALLEL_NAME: &'static str = "Blake2sp";
    const XOF_NAME: &'static str = "Blake2xs";
    const NODE_OFFSET: usize = 6;

    type OutputSize = U32;
    type BlockSize = U64;
    type CollisionResistance = U16;
    type StateSize = U122;
    type SavedState = [u8; 171];
    type Leaves = U8;
}

associated_oid! {
    Blake2s128: "1.3.6.1.4.1.1722.12.2.2.4",
    Blake2s160: "1.3.6.1.4.1.1722.12.2.2.5",
    Blake2s224: "1.3.6.1.4.1.1722.12.2.2.7",
    Blake2s256: "1.3.6.1.4.1.1722.12.2.2.8",
}

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

use digest::const_oid::{AssociatedOid, ObjectIdentifier};
use digest::consts::{U20, U32, U48, U64, U128, U242};

use crate::backend::{Backend, opaque_word};
#[cfg(feature = "alloc")]
pub use crate::blake2::LeavesError;
use crate::blake2::{self, Blake2, Blake2Mac, Blake2p, Family, sealed};
pub use crate::blake2::{ManyError, OutputSize, ParamsError, ParseHashError, update_many};
use crate::kernel::blake2b::{BLOCK, Block, Chain, Last, Run};
use crate::many::Laned;

pub mod hazmat;

/// The [`Family`] of BLAKE2b: `W` is 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum B {}

/// All parameters of BLAKE2b.
pub type Params = blake2::Params<B>;
/// BLAKE2b of a message that comes piece by piece.
pub type Hasher = blake2::Hasher<B>;
/// A digest of BLAKE2b, 1 to 64 bytes.
pub type Hash = blake2::Hash<B>;

/// A way to hash messages as trees of BLAKE2b nodes.
#[cfg(feature = "alloc")]
pub type Tree = blake2::Tree<B>;
/// The tree of a message that comes piece by piece.
#[cfg(feature = "alloc")]
pub type TreeHasher = blake2::TreeHasher<B>;

/// BLAKE2b with `N` bytes of output, for the `digest` traits.
pub type Blake2b<N> = Blake2<B, N>;
/// BLAKE2b with 64 bytes of output.
pub type Blake2b512 = Blake2b<U64>;
/// BLAKE2b with 48 bytes of output.
pub type Blake2b384 = Blake2b<U48>;
/// BLAKE2b with 32 bytes of output.
pub type Blake2b256 = Blake2b<U32>;
/// BLAKE2b with 20 bytes of output.
pub type Blake2b160 = Blake2b<U20>;

/// BLAKE2b as a MAC with `N` bytes of tag, for the `digest` traits.
pub type Blake2bMac<N> = Blake2Mac<B, N>;
/// BLAKE2b as a MAC with 64 bytes of tag.
pub type Blake2bMac512 = Blake2bMac<U64>;
/// BLAKE2b as a MAC with 32 bytes of tag.
pub type Blake2bMac256 = Blake2bMac<U32>;

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
pub type Blake2bp = Blake2p<B, U64>;
/// BLAKE2bp of a message that comes piece by piece.
pub type Parallel = blake2::Parallel<B>;

/// The 64-byte BLAKE2b digest of `message`.
#[inline]
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    blake2::hash(message)
}

/// The 64-byte BLAKE2b digests of `messages`, side by side: see [`Params::hash_many`].
///
/// ```
/// use simd_digest::blake2b;
///
/// let hashes = blake2b::hash_many(&["one", "two", "three"]);
/// assert_eq!(hashes[2], blake2b::hash(b"three"));
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many(messages: &[impl AsRef<[u8]>]) -> alloc::vec::Vec<Hash> {
    blake2::hash_many(messages)
}

impl Family for B {}

impl sealed::Family for B {
    const NAME: &'static str = "Blake2b";
    const MAC_NAME: &'static str = "Blake2bMac";
    const PARALLEL_NAME: &'static str = "Blake2bp";
    const NODE_OFFSET: usize = 8;

    type Words = [u8; 64];
    type OutputSize = U64;
    type BlockSize = U128;
    type CollisionResistance = U32;
    type StateSize = U242;
}

impl Laned for B {
    type Chain = Chain;
    type Block = Block;
    type Last = Last;

    const NO_CHAIN: Chain = Chain { h: [0; 8], count: 0 };
    const NOT_LAST: Last = Last::Not;

    fn lanes(backend: Backend) -> usize {
        backend.lanes()
    }

    #[inline]
    fn compress(backend: Backend, chain: &mut Chain, blocks: &[Block], last: Last) {
        backend.blake2b(chain, blocks, last);
    }

    #[inline]
    fn compress_lanes(backend: Backend, run: Run<'_>) {
        backend.blake2b_lanes(run);
    }

    #[inline]
    fn longest_run(chain: &Chain) -> usize {
        usize::try_from(chain.blocks_to_carry()).unwrap_or(usize::MAX)
    }

    #[inline]
    fn discount(chain: &mut Chain, padding: usize) {
        debug_assert!(padding <= BLOCK);
        chain.count = chain.count.wrapping_sub(padding as u128);
    }

    #[inline]
    fn wipe(chain: &mut Chain) {
        #[cfg(feature = "zeroize")]
        zeroize::Zeroize::zeroize(&mut chain.h);
        #[cfg(not(feature = "zeroize"))]
        let _ = chain;
    }
}

impl sealed::Chain<[u8; 64]> for Chain {
    const COUNT: usize = 16;

    #[inline]
    fn new(parameter_block: &[u8; 64]) -> Self {
        Chain::new(parameter_block)
    }

    fn resume(h: &[u8; 64], count: u128) -> Self {
        Chain { h: Chain::words(h), count }
    }

    #[inline]
    fn reread(&self) -> Self {
        Chain { h: self.h.map(opaque_word), count: self.count }
    }

    #[inline]
    fn to_words(self) -> [u8; 64] {
        self.to_bytes()
    }

    #[inline]
    fn count(&self) -> u128 {
        self.count
    }
}

/// Object identifiers of RFC 7693, section 4.
macro_rules! associated_oid {
    ($($Type:ty: $oid:literal,)+) => {
        $(impl AssociatedOid for $Type {
            const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap($oid);
        })+
    };
}

associated_oid! {
    Blake2b160: "1.3.6.1.4.1.1722.12.2.1.5",
    Blake2b256: "1.3.6.1.4.1.1722.12.2.1.8",
    Blake2b384: "1.3.6.1.4.1.1722.12.2.1.12",
    Blake2b512: "1.3.6.1.4.1.1722.12.2.1.16",
}

//! What the BLAKE2 family shares: the parameter block, hashers and the digest traits, generic over a [`Family`].
//!
//! Use it through [`blake2b`](crate::blake2b) and [`blake2s`](crate::blake2s), which name these types for their word
//! sizes.
#![forbid(unsafe_code)]

/// Implements `io::Write` for a hasher by its `update`.
#[cfg(feature = "std")]
macro_rules! write_by_update {
    ($Type:ident) => {
        /// Appends to the message; never fails.
        impl<F: Family> std::io::Write for $Type<F> {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.update(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
    };
}

mod digest;
mod hash;
mod hasher;
mod mac;
mod many;
mod parallel;
mod params;
#[cfg(feature = "alloc")]
mod tree;
mod xof;

pub use self::digest::{Blake2, OutputSize};
pub use self::hash::{Hash, ParseHashError};
pub use self::hasher::Hasher;
pub use self::mac::Blake2Mac;
#[cfg(feature = "alloc")]
pub(crate) use self::many::hash_many;
pub use self::many::{ManyError, update_many};
pub use self::parallel::{Blake2p, Parallel};
pub use self::params::{Params, ParamsError};
#[cfg(feature = "alloc")]
pub use self::tree::{LeavesError, Tree, TreeHasher};
pub use self::xof::{Blake2x, OutputReader, XofError};

/// One of the two flavours of BLAKE2: [`blake2b::B`](crate::blake2b::B) or [`blake2s::S`](crate::blake2s::S).
pub trait Family: sealed::Family {}

pub(crate) mod sealed {
    use core::fmt::Debug;
    use core::hash::Hash;

    use ::digest::array::ArraySize;

    use crate::backend::Blake2Word;
    use crate::buffer::Block;
    use crate::kernel::blake2::{Chain, Last, Word};
    use crate::many::Laned;

    /// The constants of a flavour.
    ///
    /// With `W` bytes in a word: digest, key and parameter block have 8 W bytes, a message block has 16 W, salt and
    /// personalisation have 2 W each.
    pub trait Family:
        Laned<Chain = Chain<Self::Word>, Block = <Self::Word as Word>::Block, Last = Last>
        + Debug
        + Eq
        + Hash
        + Send
        + Sync
    {
        /// As `Debug` and `AlgorithmName` print it.
        const NAME: &'static str;
        const MAC_NAME: &'static str;
        const PARALLEL_NAME: &'static str;
        const XOF_NAME: &'static str;
        /// Bytes of the node offset in the parameter block.
        const NODE_OFFSET: usize;

        /// Has all that the compression function takes, and the kernels.
        type Word: Blake2Word<Bytes = Self::Words, Block: Block + Send + Sync>;
        /// Eight words: a digest, a key or the parameter block.
        type Words: Words;

        /// `Words` as a type-level number.
        type OutputSize: ArraySize;
        /// `Block` as a type-level number.
        type BlockSize: ArraySize;
        /// Half of the output size: bytes of collision resistance.
        type CollisionResistance: ArraySize;
        /// Bytes of a serialised hasher: see `Blake2::serialize`.
        type StateSize: ArraySize;
        /// Leaves of the parallel mode.
        type Leaves: ArraySize;
    }

    /// Bytes of eight words.
    pub trait Words: Block + Debug + Eq + Hash + Send + Sync {}
    impl<const N: usize> Words for [u8; N] {}
}

use crate::backend::{Backend, Blake2Word};
use crate::buffer::Block;
use crate::kernel::blake2::{Chain, Last, Run, Word};
use crate::many::Laned;

impl<F: sealed::Family> Laned for F {
    type Chain = Chain<F::Word>;
    type Block = <F::Word as Word>::Block;
    type Last = Last;

    const MAX_LANES: usize = F::Word::MAX_LANES;
    const NO_CHAIN: Chain<F::Word> = Chain { h: [F::Word::ZERO; 8], count: 0 };
    const NOT_LAST: Last = Last::Not;

    #[inline]
    fn lanes(backend: Backend) -> usize {
        F::Word::lanes(backend)
    }

    #[inline]
    fn compress(backend: Backend, chain: &mut Chain<F::Word>, blocks: &[F::Block], last: Last) {
        F::Word::compress(backend, chain, blocks, last);
    }

    #[inline]
    fn compress_lanes(backend: Backend, run: Run<'_, F::Word>) {
        F::Word::compress_lanes(backend, run);
    }

    #[inline]
    fn longest_run(chain: &Chain<F::Word>) -> usize {
        usize::try_from(F::Word::blocks_to_carry(chain.count)).unwrap_or(usize::MAX)
    }

    #[inline]
    fn discount(chain: &mut Chain<F::Word>, padding: usize) {
        debug_assert!(padding <= F::Block::LENGTH);
        chain.count = chain.count.wrapping_sub(padding as u128);
    }

    #[inline]
    fn wipe(chain: &mut Chain<F::Word>) {
        F::Word::wipe(&mut chain.h);
    }
}

/// Names the types and functions of a flavour in its module.
macro_rules! flavour {
    ($Family:ident, $module:literal, $name:literal, longest: $longest:literal) => {
        #[doc = concat!("All parameters of ", $name, ".")]
        pub type Params = $crate::blake2::Params<$Family>;
        #[doc = concat!($name, " of a message that comes piece by piece.")]
        pub type Hasher = $crate::blake2::Hasher<$Family>;
        #[doc = concat!("A digest of ", $name, ", 1 to ", $longest, " bytes.")]
        pub type Hash = $crate::blake2::Hash<$Family>;
        #[doc = concat!($name, "p of a message that comes piece by piece.")]
        pub type Parallel = $crate::blake2::Parallel<$Family>;
        #[doc = concat!("The output of ", $name, "'s mode of any output length, BLAKE2X.")]
        pub type OutputReader = $crate::blake2::OutputReader<$Family>;
        #[doc = concat!("A way to hash messages as trees of ", $name, " nodes.")]
        #[cfg(feature = "alloc")]
        pub type Tree = $crate::blake2::Tree<$Family>;
        /// The tree of a message that comes piece by piece.
        #[cfg(feature = "alloc")]
        pub type TreeHasher = $crate::blake2::TreeHasher<$Family>;

        #[doc = concat!("The ", $longest, "-byte ", $name, " digest of `message`.")]
        #[inline]
        #[must_use]
        pub fn hash(message: &[u8]) -> Hash {
            $crate::blake2::hash(message)
        }

        #[doc = concat!("The ", $longest, "-byte ", $name, " digests of `messages`, side by side: see")]
        /// [`Params::hash_many`](crate::blake2::Params::hash_many).
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, ";")]
        ///
        #[doc = concat!("let hashes = ", $module, "::hash_many(&[\"one\", \"two\", \"three\"]);")]
        #[doc = concat!("assert_eq!(hashes[2], ", $module, "::hash(b\"three\"));")]
        /// ```
        #[cfg(feature = "alloc")]
        #[must_use]
        pub fn hash_many(messages: &[impl AsRef<[u8]>]) -> alloc::vec::Vec<Hash> {
            $crate::blake2::hash_many(messages)
        }

        impl $crate::blake2::Family for $Family {}
    };
}
pub(crate) use flavour;

/// Object identifiers of RFC 7693, section 4.
macro_rules! associated_oid {
    ($($Type:ty: $oid:literal,)+) => {
        $(impl ::digest::const_oid::AssociatedOid for $Type {
            const OID: ::digest::const_oid::ObjectIdentifier = ::digest::const_oid::ObjectIdentifier::new_unwrap($oid);
        })+
    };
}
pub(crate) use associated_oid;

/// Bytes of salt, and of personalisation.
const fn quarter<F: Family>() -> usize {
    F::Words::LENGTH / 4
}

/// The digest of full length of `message`, unkeyed and sequential.
#[inline]
pub(crate) fn hash<F: Family>(message: &[u8]) -> Hash<F> {
    hasher::one_shot(&params::Start::sequential(F::Words::LENGTH, &[]), Backend::best(), message)
}

//! What the BLAKE2 family shares: the parameter block, hashers and the digest traits, generic over a [`Family`].
//!
//! Use it through [`blake2b`](crate::blake2b), which names these types for its word size.
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

/// One of the two flavours of BLAKE2. Implemented by [`blake2b::B`](crate::blake2b::B) only.
pub trait Family: sealed::Family {}

pub(crate) mod sealed {
    use core::fmt::Debug;
    use core::hash::Hash;

    use ::digest::array::ArraySize;

    use crate::buffer::Block;
    use crate::kernel::blake2::Last;
    use crate::many::Laned;

    /// The constants of a flavour and its compression function.
    ///
    /// With `W` bytes in a word: digest, key and parameter block have 8 W bytes, a message block has 16 W, salt and
    /// personalisation have 2 W each.
    pub trait Family: Laned<Chain: Chain<Self::Words>, Last = Last> + Debug + Eq + Hash + Send + Sync {
        /// As `Debug` and `AlgorithmName` print it.
        const NAME: &'static str;
        const MAC_NAME: &'static str;
        const PARALLEL_NAME: &'static str;
        /// Bytes of the node offset in the parameter block.
        const NODE_OFFSET: usize;

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
    }

    /// Bytes of eight words.
    pub trait Words: Block + Debug + Eq + Hash + Send + Sync {}
    impl<const N: usize> Words for [u8; N] {}

    /// What one block hands to the next.
    pub trait Chain<Words>: Copy + Eq + Send + Sync {
        /// Bytes of the counter.
        const COUNT: usize;
        /// Before the first block.
        fn new(parameter_block: &Words) -> Self;
        /// The chaining value and the counter as they were.
        fn resume(h: &Words, count: u128) -> Self;
        /// A copy, word by word: see [`copy_words`](crate::buffer::copy_words).
        fn reread(&self) -> Self;
        /// The chaining value, little-endian.
        fn to_words(self) -> Words;
        /// Message bytes compressed so far, the key block included.
        fn count(&self) -> u128;
    }
}

use crate::backend::Backend;
use crate::buffer::Block;

/// Bytes of salt, and of personalisation.
const fn quarter<F: Family>() -> usize {
    F::Words::LENGTH / 4
}

/// The digest of full length of `message`, unkeyed and sequential.
#[inline]
pub(crate) fn hash<F: Family>(message: &[u8]) -> Hash<F> {
    hasher::one_shot(&params::Start::sequential(F::Words::LENGTH, &[]), Backend::best(), message)
}

//! BLAKE2: the parameter block, hashers and the digest traits, generic over a [`Flavour`].
//!
//! Use it through [`blake2b`](crate::blake2b) and [`blake2s`](crate::blake2s), which name these types for their word
//! sizes.
#![forbid(unsafe_code)]

mod digest;
mod flavour;
mod hasher;
pub mod hazmat;
mod mac;
mod many;
mod node;
mod parallel;
mod params;
#[cfg(feature = "alloc")]
mod tree;
mod xof;

pub use self::digest::{Blake2, OutputSize};
pub(crate) use self::flavour::Sealed;
pub use self::flavour::{Flavour, lanes};
pub use self::hasher::Hasher;
pub(crate) use self::hasher::hash;
pub use self::mac::Blake2Mac;
#[cfg(feature = "alloc")]
pub(crate) use self::many::hash_many;
pub use self::many::{ManyError, finalize_many, update_many};
pub use self::parallel::{Blake2p, Parallel};
pub use self::params::{Params, ParamsError};
#[cfg(feature = "alloc")]
pub use self::tree::{LeavesError, Tree, TreeHasher};
pub use self::xof::{Blake2x, OutputReader, XofError};
pub use crate::hash::{Hash, ParseHashError};

/// Names the types and functions of a flavour in its module.
macro_rules! module {
    ($Flavour:ident, $module:literal, $name:literal, longest: $longest:literal) => {
        #[doc = concat!("All parameters of ", $name, ".")]
        pub type Params = $crate::blake2::Params<$Flavour>;
        #[doc = concat!("An incremental ", $name, " hasher.")]
        pub type Hasher = $crate::blake2::Hasher<$Flavour>;
        #[doc = concat!("A digest of ", $name, ", 1 to ", $longest, " bytes.")]
        pub type Hash = $crate::blake2::Hash<$Flavour>;
        #[doc = concat!("An incremental ", $name, "p hasher.")]
        pub type Parallel = $crate::blake2::Parallel<$Flavour>;
        #[doc = concat!("The output of ", $name, "'s mode of any output length, BLAKE2X.")]
        pub type OutputReader = $crate::blake2::OutputReader<$Flavour>;
        #[doc = concat!("A way to hash messages as trees of ", $name, " nodes.")]
        #[cfg(feature = "alloc")]
        pub type Tree = $crate::blake2::Tree<$Flavour>;
        #[doc = concat!("An incremental hasher of trees of ", $name, " nodes.")]
        #[cfg(feature = "alloc")]
        pub type TreeHasher = $crate::blake2::TreeHasher<$Flavour>;

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

        /// Appends to each message its data, side by side: [`Hasher::update`](crate::blake2::Hasher::update) for many.
        ///
        /// The hashers may differ in everything, and so may the lengths; see
        /// [`Params::hash_many`](crate::blake2::Params::hash_many) for good batches. The backend of the first hasher
        /// computes.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hasher, Params};")]
        ///
        /// let (mut a, mut b) = (Hasher::new(), Params::new().key(b"a key").hasher()?);
        #[doc = concat!($module, "::update_many(&mut [(&mut a, b\"one\"), (&mut b, b\"two\")]);")]
        #[doc = concat!("assert_eq!(a.finalize(), ", $module, "::hash(b\"one\"));")]
        #[doc = concat!("# Ok::<(), ", $module, "::ParamsError>(())")]
        /// ```
        pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
            $crate::blake2::update_many(updates);
        }

        /// Writes the digest of each hasher to `hashes`, their last blocks compressed side by side:
        /// [`Hasher::finalize`](crate::blake2::Hasher::finalize) for many, without touching the heap.
        ///
        /// The hashers may differ in everything, and more may be appended to their messages. The backend of the first
        /// hasher computes.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Params};")]
        ///
        /// let rows = [b"row 1", b"row 2"];
        /// let mut hashers = rows.map(|_| Params::new().personal(b"rows").salt(b"salt").hasher().unwrap());
        /// hashers.iter_mut().zip(rows).for_each(|(hasher, row)| drop(hasher.update(row)));
        #[doc = concat!("let mut hashes = [", $module, "::hash(b\"\"); 2];")]
        #[doc = concat!($module, "::finalize_many(&[&hashers[0], &hashers[1]], &mut hashes)?;")]
        /// assert_eq!(hashes[1], hashers[1].finalize());
        #[doc = concat!("# Ok::<(), ", $module, "::ManyError>(())")]
        /// ```
        ///
        /// # Errors
        ///
        /// [`ManyError::OutputLength`] if there is not one hash for each hasher. Then nothing is written.
        pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
            $crate::blake2::finalize_many(hashers, hashes)
        }

        /// Messages that `backend` hashes side by side. A multiple of it is a good batch for [`update_many`] and the
        /// like.
        #[must_use]
        pub fn lanes(backend: $crate::Backend) -> usize {
            $crate::blake2::lanes::<$Flavour>(backend)
        }
    };
}
pub(crate) use module;

//! SHA-224 and SHA-256, generic over a [`Variant`]: hashers, batches, HMAC, and the `digest` traits
//! ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! Use it through [`sha256`](crate::sha256) and [`sha224`](crate::sha224), which name these types.
//!
//! # Differences from the crate `sha2`
//!
//! [`Sha256`](crate::Sha256) and [`Sha224`](crate::Sha224) replace the types of `sha2` 0.11. `hmac::Hmac`,
//! `hkdf::Hkdf` and `pbkdf2` take them. They have the traits of `sha2`'s types, except:
//!
//! - **Name.** `AlgorithmName` writes `Sha256`. `sha2` writes `Sha256_32`.
//! - **Backend.** `with_backend` and [`Backend::set_default`](crate::Backend) choose how to compute. The options
//!   `sha2_backend` and `sha2_256_backend` of the compiler have no effect.
//! - **Features.** Object identifiers are always there; `sha2` has them by its feature `oid`. The feature `zeroize`
//!   wipes values when they are dropped, as in `sha2`.
//! - **Single blocks.** The function `compress256` of `sha2::block_api` is
//!   [`sha256::hazmat::compress`](crate::sha256::hazmat::compress), and `Sha256VarCore` is
//!   [`Sha256Core`](crate::sha256::hazmat::Sha256Core), whose digest has one length.
//! - **HMAC.** [`HmacSha256`](crate::HmacSha256) is no `CoreProxy`; `hmac::Hmac<Sha256>` is.
//! - **Not there:** SHA-384, SHA-512, SHA-512/224 and SHA-512/256.
//!
//! A saved state (`SerializableState`) has the 104 bytes of `sha2`, and each crate restores those of the other: the
//! hash value and the number of blocks, little-endian, then the number of bytes held back, then these and zeros, 63
//! bytes.
#![forbid(unsafe_code)]

mod batch;
mod digest;
mod hasher;
pub mod hazmat;
mod hmac;
mod plan;
mod variant;

pub use self::batch::{Batch, finalize_many, update_each, update_many};
pub use self::digest::{Core, Sha2};
pub use self::hasher::Hasher;
pub use self::hmac::{Hmac, HmacHasher, HmacKey};
pub use self::variant::{Hash, Variant, Variant224, Variant256, lanes};
pub use crate::hash::ParseHashError;
pub use crate::many::LengthError as ManyError;

/// Names the types and functions of a variant in its module.
macro_rules! module {
    ($Variant:ident, $module:literal, $name:literal, $length:literal, $Digest:ident, $Mac:ident, $Core:ident) => {
        #[doc = concat!("An incremental ", $name, " hasher.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hasher};")]
        ///
        /// let mut hasher = Hasher::new();
        /// hasher.update(b"one, ").update(b"two");
        #[doc = concat!("assert_eq!(hasher.finalize(), ", $module, "::hash(b\"one, two\"));")]
        /// ```
        pub type Hasher = $crate::sha2::Hasher<$Variant>;

        #[doc = concat!("A digest of ", $name, ", ", $length, " bytes.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hash};")]
        ///
        #[doc = concat!("let hash: Hash = ", $module, "::hash(b\"abc\");")]
        #[doc = concat!("let bytes: &[u8; ", $length, "] = hash.as_bytes();")]
        /// assert_eq!(hash.to_string().parse::<Hash>()?, Hash::from_bytes(*bytes));
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParseHashError>(())")]
        /// ```
        pub type Hash = $crate::sha2::Hash<$Variant>;

        #[doc = concat!("All ways to hash whole messages with ", $name, ", on a chosen backend.")]
        ///
        /// The functions of this module are its methods on [`Backend::best`](crate::Backend::best).
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Batch};")]
        ///
        #[doc = concat!("let mut digests = [0; 2 * ", $length, "];")]
        /// Batch::new().hash_many_flat(&["one", "two"], &mut digests)?;
        #[doc = concat!("assert_eq!(digests[", $length, "..], *", $module, "::hash(b\"two\").as_bytes());")]
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ManyError>(())")]
        /// ```
        pub type Batch = $crate::sha2::Batch<$Variant>;

        #[doc = concat!("A key of HMAC-", $name, ", of any length, set up for any number of messages.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::HmacKey;")]
        ///
        #[doc = concat!("let tag = HmacKey::new(b\"a key\").hash(b\"abc\");")]
        #[doc = concat!("assert_eq!(tag.as_bytes().len(), ", $length, ");")]
        /// ```
        pub type HmacKey = $crate::sha2::HmacKey<$Variant>;

        #[doc = concat!("An incremental HMAC-", $name, " hasher.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{HmacHasher, HmacKey};")]
        ///
        /// let mut hasher: HmacHasher = HmacKey::new(b"a key").hasher();
        /// hasher.update(b"one, ").update(b"two");
        /// assert_eq!(hasher.finalize(), HmacKey::new(b"a key").hash(b"one, two"));
        /// ```
        pub type HmacHasher = $crate::sha2::HmacHasher<$Variant>;

        #[doc = concat!($name, " for the `digest` traits, in the place of `sha2::", stringify!($Digest), "`.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::{Digest, ", stringify!($Digest), "};")]
        ///
        #[doc = concat!("let digest: [u8; ", $length, "] = ", stringify!($Digest), "::digest(b\"abc\").into();")]
        /// ```
        pub type $Digest = $crate::sha2::Sha2<$Variant>;

        #[doc = concat!("HMAC-", $name, " for the `digest` traits. A key may have any length.")]
        ///
        /// ```
        /// use simd_digest::digest::{KeyInit, Mac};
        #[doc = concat!("use simd_digest::", stringify!($Mac), ";")]
        ///
        #[doc = concat!("let mac = ", stringify!($Mac), "::new_from_slice(b\"a key\")?.chain_update(b\"abc\");")]
        #[doc = concat!("let tag: [u8; ", $length, "] = mac.finalize().into_bytes().into();")]
        /// # Ok::<(), simd_digest::digest::InvalidLength>(())
        /// ```
        pub type $Mac = $crate::sha2::Hmac<$Variant>;

        #[doc = concat!("The ", $name, " digest of `message`.")]
        ///
        /// ```
        #[doc = concat!("let hash = simd_digest::", $module, "::hash(b\"abc\");")]
        #[doc = concat!("assert_eq!(hash.as_bytes().len(), ", $length, ");")]
        /// ```
        #[inline]
        #[must_use]
        pub fn hash(message: &[u8]) -> Hash {
            Batch::new().hash(message)
        }

        #[doc = concat!("The ", $name, " digests of `messages`, side by side: see")]
        /// [`Batch`](crate::sha2::Batch).
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
            Batch::new().hash_many(messages)
        }

        /// Writes the digests of `messages` to `hashes`, side by side, without touching the heap.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, ";")]
        ///
        #[doc = concat!("let mut hashes = [", $module, "::hash(b\"\"); 3];")]
        #[doc = concat!($module, "::hash_many_into(&[\"one\", \"two\", \"three\"], &mut hashes)?;")]
        #[doc = concat!("assert_eq!(hashes[2], ", $module, "::hash(b\"three\"));")]
        #[doc = concat!("# Ok::<(), ", $module, "::ManyError>(())")]
        /// ```
        ///
        /// # Errors
        ///
        /// [`ManyError`] if there is not one hash for each message. Then nothing is written.
        pub fn hash_many_into(messages: &[impl AsRef<[u8]>], hashes: &mut [Hash]) -> Result<(), ManyError> {
            Batch::new().hash_many_into(messages, hashes)
        }

        /// Writes the digests of `messages` to `bytes`, one after the other without gaps, side by side, without
        /// touching the heap.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, ";")]
        ///
        #[doc = concat!("let mut column = [0; 2 * ", $length, "];")]
        #[doc = concat!($module, "::hash_many_flat(&[\"one\", \"two\"], &mut column)?;")]
        #[doc = concat!("assert_eq!(column[", $length, "..], *", $module, "::hash(b\"two\").as_bytes());")]
        #[doc = concat!("# Ok::<(), ", $module, "::ManyError>(())")]
        /// ```
        ///
        /// # Errors
        ///
        /// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
        pub fn hash_many_flat(messages: &[impl AsRef<[u8]>], bytes: &mut [u8]) -> Result<(), ManyError> {
            Batch::new().hash_many_flat(messages, bytes)
        }

        /// Appends to each message its data, side by side: [`Hasher::update`](crate::sha2::Hasher::update) for many.
        ///
        /// Lengths may differ; see [`Batch`](crate::sha2::Batch) for good batches. What is compressed side by side is so
        /// on the backend of the first hasher. A few short pieces are appended one after the other.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hasher};")]
        ///
        /// let (mut a, mut b) = (Hasher::new(), Hasher::new());
        #[doc = concat!($module, "::update_many(&mut [(&mut a, b\"one\"), (&mut b, b\"two\")]);")]
        #[doc = concat!("assert_eq!(a.finalize(), ", $module, "::hash(b\"one\"));")]
        /// ```
        pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
            $crate::sha2::update_many(updates);
        }

        $crate::many::function!($module, sha2);

        /// Writes the digest of each hasher to `hashes`, their last blocks compressed side by side:
        /// [`Hasher::finalize`](crate::sha2::Hasher::finalize) for many, without touching the heap.
        ///
        /// More may be appended to the messages. The backend of the first hasher computes, except for a few hashers, which
        /// are finalized one after the other.
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hasher};")]
        ///
        /// let (mut a, mut b) = (Hasher::new(), Hasher::new());
        #[doc = concat!($module, "::update_many(&mut [(&mut a, b\"one\"), (&mut b, b\"two\")]);")]
        #[doc = concat!("let mut hashes = [", $module, "::hash(b\"\"); 2];")]
        #[doc = concat!($module, "::finalize_many(&[&a, &b], &mut hashes)?;")]
        #[doc = concat!("assert_eq!(hashes[1], ", $module, "::hash(b\"two\"));")]
        #[doc = concat!("# Ok::<(), ", $module, "::ManyError>(())")]
        /// ```
        ///
        /// # Errors
        ///
        /// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
        pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
            $crate::sha2::finalize_many(hashers, hashes)
        }

        /// Messages at most that `backend` takes side by side: 1, 4, 8 or 16. A multiple of it is a good batch for
        /// [`hash_many_into`], [`update_many`] and the like.
        ///
        /// With the [SHA extension](crate::Backend::sha), a backend hashes as many, two to four at a time.
        ///
        /// ```
        #[doc = concat!("use simd_digest::{Backend, ", $module, "};")]
        ///
        #[doc = concat!("assert_eq!(", $module, "::lanes(\"portable\".parse()?), 1);")]
        #[doc = concat!("println!(\"{} messages\", ", $module, "::lanes(Backend::best()));")]
        /// # Ok::<(), simd_digest::BackendError>(())
        /// ```
        #[must_use]
        pub fn lanes(backend: $crate::Backend) -> usize {
            $crate::sha2::lanes(backend)
        }

        /// Hazardous parts: the state of a hasher as bytes, and the compression function alone.
        ///
        /// States are as secret as the message. The compression function alone is no hash.
        pub mod hazmat {
            use super::$Variant;
            pub use crate::sha2::hazmat::StateError;

            #[doc = concat!("The state of a hasher of ", $name, ", to be stored as bytes and restored.")]
            ///
            /// ```
            #[doc = concat!("use simd_digest::", $module, "::{Hasher, hazmat::State};")]
            ///
            /// let state: State = State::of(Hasher::new().update(b"abc"));
            /// let bytes: [u8; 108] = state.to_bytes();
            #[doc = concat!("assert_eq!(state.into_hasher().finalize(), simd_digest::", $module, "::hash(b\"abc\"));")]
            /// ```
            pub type State = $crate::sha2::hazmat::State<$Variant>;

            #[doc = concat!("The blocks of ", $name, " without the buffer, for code that is generic over")]
            /// [`EagerHash`](crate::digest::block_api::EagerHash), such as the crate `hmac`.
            pub type $Core = $crate::sha2::Core<$Variant>;

            /// The compression function of FIPS 180-4, section 6.2.2: compresses `blocks`, one after the other, into
            /// the hash value `h`, on [`Backend::best`](crate::Backend::best).
            ///
            /// The caller brings the initial hash value and the padding. Words of `h` are numbers: the standard writes
            /// them to a digest big-endian.
            ///
            /// ```
            #[doc = concat!("use simd_digest::", $module, "::hazmat::compress;")]
            ///
            /// let mut h = [0; 8];
            /// compress(&mut h, &[[1; 64], [2; 64]]);
            /// # assert_ne!(h, [0; 8]);
            /// ```
            pub fn compress(h: &mut [u32; 8], blocks: &[[u8; 64]]) {
                $crate::sha2::hazmat::compress(h, blocks);
            }
        }
    };
}
pub(crate) use module;

//! SHA-224 and SHA-256, generic over a [`Variant`]: hashers, batches, HMAC, and the `digest` traits
//! ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! Use it through [`sha256`](crate::sha256) and [`sha224`](crate::sha224), which name these types.
#![forbid(unsafe_code)]

mod batch;
mod digest;
mod hasher;
pub mod hazmat;
mod hmac;
mod variant;

pub use self::batch::{Batch, finalize_many, update_many};
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

        #[doc = concat!("Batches of ", $name, " on a chosen backend.")]
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

        #[doc = concat!("A key of HMAC-", $name, ", set up.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::HmacKey;")]
        ///
        #[doc = concat!("let tag = HmacKey::new(b\"a key\").hash(b\"abc\");")]
        #[doc = concat!("assert_eq!(tag.as_bytes().len(), ", $length, ");")]
        /// ```
        pub type HmacKey = $crate::sha2::HmacKey<$Variant>;

        #[doc = concat!("HMAC-", $name, " of one message, as it comes.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{HmacHasher, HmacKey};")]
        ///
        /// let mut hasher: HmacHasher = HmacKey::new(b"a key").hasher();
        /// hasher.update(b"one, ").update(b"two");
        /// assert_eq!(hasher.finalize(), HmacKey::new(b"a key").hash(b"one, two"));
        /// ```
        pub type HmacHasher = $crate::sha2::HmacHasher<$Variant>;

        #[doc = concat!($name, " for the `digest` traits.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::{Digest, ", stringify!($Digest), "};")]
        ///
        #[doc = concat!("let digest: [u8; ", $length, "] = ", stringify!($Digest), "::digest(b\"abc\").into();")]
        /// ```
        pub type $Digest = $crate::sha2::Sha2<$Variant>;

        #[doc = concat!("HMAC-", $name, " for the `digest` traits.")]
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
        /// If there is not one hash for each message. Then nothing is written.
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
        /// If `bytes` is not `messages.len()` digests long. Then nothing is written.
        pub fn hash_many_flat(messages: &[impl AsRef<[u8]>], bytes: &mut [u8]) -> Result<(), ManyError> {
            Batch::new().hash_many_flat(messages, bytes)
        }

        /// Appends to each message its data, side by side: [`Hasher::update`](crate::sha2::Hasher::update) for many.
        ///
        /// Lengths may differ; see [`Batch`](crate::sha2::Batch) for good batches. The backend of the first hasher
        /// computes.
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

        /// Writes the digest of each hasher to `hashes`, their last blocks compressed side by side:
        /// [`Hasher::finalize`](crate::sha2::Hasher::finalize) for many, without touching the heap.
        ///
        /// More may be appended to the messages. The backend of the first hasher computes.
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
        /// If there is not one hash for each hasher. Then nothing is written.
        pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
            $crate::sha2::finalize_many(hashers, hashes)
        }

        /// Messages that `backend` takes side by side. A multiple of it is a good batch for [`update_many`] and the
        /// like.
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
            /// [`EagerHash`](crate::digest::block_api::EagerHash).
            pub type $Core = $crate::sha2::Core<$Variant>;

            /// The compression function of FIPS 180-4, section 6.2.2: compresses `blocks`, one after the other, into
            /// the hash value `h`. The padding is the caller's business.
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

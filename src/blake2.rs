//! BLAKE2, generic over a [`Flavour`]: parameters, hashers, and the `digest` traits.
//!
//! Use it through [`blake2b`](crate::blake2b) and [`blake2s`](crate::blake2s), which name these types for their word
//! sizes.
//!
//! # Differences from the crate `blake2`
//!
//! `Blake2b<N>`, `Blake2bMac<N>`, `Blake2s<N>` and `Blake2sMac<N>` replace the types of `blake2` 0.11, except:
//!
//! - **Empty key.** `KeyInit::new_from_slice(&[])` is an error. `blake2` takes it, and computes a value that RFC 7693
//!   does not have.
//! - **Reset.** `Reset` keeps salt, personalisation and key. `blake2` forgets salt and personalisation.
//! - **Customisation.** `new_customized` takes any length; beyond `2 W` bytes `blake2` panics. More than `2 W` bytes
//!   are hashed first, so no other library computes that hash.
//! - **Long keys, salts and personalisations** are errors of the constructors. `blake2` panics.
//! - **Errors.** `Blake2Mac::new_with_salt_and_personal` returns [`ParamsError`], which `?` turns into
//!   `digest::InvalidLength`.
//! - **HMAC.** As with `blake2`, it is `SimpleHmac` and `SimpleHkdf`: BLAKE2 holds its last block back, so it is no
//!   `EagerHash`.
//! - **Blocks without the buffer.** `Blake2bVarCore` and `Blake2sVarCore` are in
//!   [`blake2b::hazmat`](crate::blake2b::hazmat) and [`blake2s::hazmat`](crate::blake2s::hazmat). Instead of
//!   `new_with_params` they have `from_parameter_block`, and an output of 0 bytes is an error.
//! - **Features.** `reset` does nothing, because `Reset` is always there. There is no `size_opt`.
//!
//! The folder `crates/compat` of the repository has a crate with the names of `blake2`, to use by `[patch.crates-io]`.
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
mod plan;
#[cfg(feature = "alloc")]
mod tree;
mod var_core;
mod xof;

pub use self::digest::{Blake2, OutputSize};
pub(crate) use self::flavour::Sealed;
pub use self::flavour::{Flavour, lanes};
pub use self::hasher::Hasher;
pub(crate) use self::hasher::hash;
pub use self::mac::Blake2Mac;
#[cfg(feature = "alloc")]
pub(crate) use self::many::hash_many;
pub use self::many::{ManyError, finalize_many, update_each, update_many};
pub use self::parallel::{Blake2p, Parallel};
pub use self::params::{Params, ParamsError};
#[cfg(feature = "alloc")]
pub use self::tree::{LeavesError, Tree, TreeHasher, VerifyError};
pub use self::xof::{Blake2x, OutputReader, XofError};
pub use crate::hash::ParseHashError;

/// A digest of BLAKE2, its length chosen at run time.
pub type Hash<F> = crate::hash::Hash<F>;

/// Names the types and functions of a flavour in its module.
macro_rules! module {
    ($Flavour:ident, $module:literal, $name:literal, longest: $longest:literal) => {
        #[doc = concat!("All parameters of ", $name, ".")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::Params;")]
        ///
        /// const APP: Params = Params::new().hash_length(32).personal(b"my app");
        ///
        /// let tag = APP.key(b"a key").hash(b"message")?;
        /// assert_eq!(tag.as_bytes().len(), 32);
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParamsError>(())")]
        /// ```
        pub type Params = $crate::blake2::Params<$Flavour>;

        #[doc = concat!("An incremental ", $name, " hasher.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hasher};")]
        ///
        /// let mut hasher = Hasher::new();
        /// hasher.update(b"one, ").update(b"two");
        #[doc = concat!("assert_eq!(hasher.finalize(), ", $module, "::hash(b\"one, two\"));")]
        /// ```
        pub type Hasher = $crate::blake2::Hasher<$Flavour>;

        #[doc = concat!("A digest of ", $name, ", 1 to ", $longest, " bytes.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{self, Hash};")]
        ///
        #[doc = concat!("let hash: Hash = ", $module, "::hash(b\"abc\");")]
        /// assert_eq!(hash.to_string().parse::<Hash>()?, hash);
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParseHashError>(())")]
        /// ```
        pub type Hash = $crate::blake2::Hash<$Flavour>;

        #[doc = concat!("An incremental ", $name, "p hasher.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{Parallel, Params};")]
        ///
        /// let mut hasher: Parallel = Params::new().hash_length(20).key(b"a key").parallel()?;
        /// hasher.update(b"a long message, ").update(b"piece by piece");
        /// assert_eq!(hasher.finalize().as_bytes().len(), 20);
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParamsError>(())")]
        /// ```
        pub type Parallel = $crate::blake2::Parallel<$Flavour>;

        #[doc = concat!("The output of ", $name, "'s mode of any output length, BLAKE2X.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{OutputReader, Params};")]
        ///
        /// let mut output: OutputReader = Params::new().xof()?.update(b"a seed").finalize();
        /// let mut bytes = [0; 1000];
        /// output.try_read(&mut bytes)?;
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub type OutputReader = $crate::blake2::OutputReader<$Flavour>;

        #[doc = concat!("A way to hash messages as trees of ", $name, " nodes.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::Tree;")]
        ///
        /// let tree = Tree::unlimited_fanout(4096)?;
        /// let root = tree.hash(&[7; 10_000]);
        /// assert_eq!(root, tree.hasher().update(&[7; 10_000]).finalize());
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParamsError>(())")]
        /// ```
        #[cfg(feature = "alloc")]
        pub type Tree = $crate::blake2::Tree<$Flavour>;

        #[doc = concat!("An incremental hasher of trees of ", $name, " nodes.")]
        ///
        /// ```
        #[doc = concat!("use simd_digest::", $module, "::{Tree, TreeHasher};")]
        ///
        /// let mut hasher: TreeHasher = Tree::unlimited_fanout(4096)?.hasher();
        /// hasher.update(&[7; 5000]).update(&[7; 5000]);
        /// assert_eq!(hasher.finalize(), Tree::unlimited_fanout(4096)?.hash(&[7; 10_000]));
        #[doc = concat!("# Ok::<(), simd_digest::", $module, "::ParamsError>(())")]
        /// ```
        #[cfg(feature = "alloc")]
        pub type TreeHasher = $crate::blake2::TreeHasher<$Flavour>;

        #[doc = concat!("The ", $longest, "-byte ", $name, " digest of `message`.")]
        ///
        /// ```
        #[doc = concat!("let hash = simd_digest::", $module, "::hash(b\"abc\");")]
        #[doc = concat!("assert_eq!(hash.as_bytes().len(), ", $longest, ");")]
        /// ```
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
        /// [`Params::hash_many`](crate::blake2::Params::hash_many) for good batches. What is compressed side by side is
        /// so on the backend of the first hasher. A few short pieces are appended one after the other.
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

        $crate::many::function!($module, blake2);

        /// Writes the digest of each hasher to `hashes`, their last blocks compressed side by side:
        /// [`Hasher::finalize`](crate::blake2::Hasher::finalize) for many, without touching the heap.
        ///
        /// The hashers may differ in everything, and more may be appended to their messages. The backend of the first
        /// hasher computes, except for a few hashers, which are finalized one after the other.
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
            $crate::blake2::lanes::<$Flavour>(backend)
        }
    };
}
pub(crate) use module;

/// Names the hashes and MACs of the `digest` traits, of any length and of common ones. The root of the crate must
/// export all of them.
macro_rules! fixed_lengths {
    (
        $Flavour:ident, $name:literal, longest: $longest:literal,
        hashes: $Hash:ident { $($Digest:ident: $Length:ident, $length:literal;)+ },
        macs: $Mac:ident { $($Tag:ident: $TagLength:ident, $tag_length:literal;)+ },
    ) => {
        #[doc = concat!($name, " with `N` bytes of output, `U1` to `U", $longest, "`, for the `digest` traits.")]
        ///
        /// ```
        /// use simd_digest::digest::consts::U24;
        #[doc = concat!("use simd_digest::{", stringify!($Hash), ", Digest};")]
        ///
        #[doc = concat!("let digest: [u8; 24] = ", stringify!($Hash), "::<U24>::digest(b\"abc\").into();")]
        /// ```
        pub type $Hash<N> = $crate::blake2::Blake2<$Flavour, N>;

        #[doc = concat!($name, " as a MAC with `N` bytes of tag, `U1` to `U", $longest, "`, for the `digest` traits.")]
        ///
        /// ```
        /// use simd_digest::digest::consts::U24;
        /// use simd_digest::digest::{KeyInit, Mac};
        #[doc = concat!("use simd_digest::", stringify!($Mac), ";")]
        ///
        #[doc = concat!("let mac = ", stringify!($Mac), "::<U24>::new_from_slice(b\"a key\")?;")]
        /// let tag: [u8; 24] = mac.chain_update(b"abc").finalize().into_bytes().into();
        /// # Ok::<(), simd_digest::digest::InvalidLength>(())
        /// ```
        pub type $Mac<N> = $crate::blake2::Blake2Mac<$Flavour, N>;

        $(
            #[doc = concat!($name, " with ", $length, " bytes of output.")]
            ///
            /// ```
            #[doc = concat!("use simd_digest::{", stringify!($Digest), ", Digest};")]
            ///
            #[doc = concat!("let digest: [u8; ", $length, "] = ", stringify!($Digest), "::digest(b\"abc\").into();")]
            /// ```
            pub type $Digest = $Hash<$Length>;
        )+

        $(
            #[doc = concat!($name, " as a MAC with ", $tag_length, " bytes of tag.")]
            ///
            /// ```
            /// use simd_digest::digest::{KeyInit, Mac};
            #[doc = concat!("use simd_digest::", stringify!($Tag), ";")]
            ///
            #[doc = concat!("let mac = ", stringify!($Tag), "::new_from_slice(b\"a key\")?.chain_update(b\"abc\");")]
            #[doc = concat!("let tag: [u8; ", $tag_length, "] = mac.finalize().into_bytes().into();")]
            /// # Ok::<(), simd_digest::digest::InvalidLength>(())
            /// ```
            pub type $Tag = $Mac<$TagLength>;
        )+
    };
}
pub(crate) use fixed_lengths;

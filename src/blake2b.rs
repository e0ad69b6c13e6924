//! BLAKE2b: the flavour of 64-bit words, digests and keys of up to 64 bytes, blocks of 128 bytes
//! ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), [BLAKE2 paper](https://www.blake2.net/blake2.pdf)).
//!
//! ```
//! use simd_digest::blake2b::{self, Params};
//!
//! let hash = blake2b::hash(b"abc"); // 64 bytes; prints, parses, compares in constant time
//! assert!(hash.to_string().starts_with("ba80a53f"));
//!
//! let params = Params::new().hash_length(32).key(b"a key").salt(b"salt").personal(b"my application");
//! assert_eq!(params.hash(b"message")?.as_bytes().len(), 32);
//!
//! // A leaf of a tree: the second of unlimited many, 4 KiB each, and the last.
//! let leaf = Params::new().fanout(0).max_depth(2).max_leaf_length(4096).inner_hash_length(64);
//! let leaf = leaf.node_offset(1).node_depth(0).last_node(true).hash(b"the end of a file")?;
//! # Ok::<(), simd_digest::blake2::ParamsError>(())
//! ```
//!
//! | to …                       | take                                                                    |
//! |----------------------------|-------------------------------------------------------------------------|
//! | hash one message           | [`hash`], or [`Hasher`] piece by piece                                  |
//! | set parameters, a key too  | [`Params`]                                                              |
//! | hash many messages         | `hash_many`, `Params::hash_many`                                        |
//! | … without allocating       | [`hash_many_into`], [`hash_many_flat`], and those of [`Params`]         |
//! | … after one beginning      | `Hasher::hash_many`                                                     |
//! | go on with many hashers    | [`update_many`], [`update_each`], [`finalize_many`]                     |
//! | hash one long message      | [`Parallel`], `Tree`, `TreeHasher`                                      |
//! | get any number of bytes    | [`Params::xof`], [`OutputReader`]                                       |
//! | use the traits of `digest` | [`Blake2b512`], [`Blake2b256`], [`Blake2b`], [`Blake2bp`], [`Blake2xb`] |
//! | … with a key               | [`Blake2bMac512`], [`Blake2bMac256`], [`Blake2bMac`]                    |
//! | hold a digest              | [`type@Hash`]                                                           |
//! | save and restore a hasher  | [`hazmat::State`], or `SerializableState` of [`Blake2b`]                |
//! | compress a single block    | [`hazmat::compress`]                                                    |
//! | hash without a buffer      | [`hazmat::Blake2bVarCore`]                                              |
//! | choose the backend         | `with_backend` of every type                                            |
//!
//! [`Params::xof`]: crate::blake2::Params::xof
//!
//! [`blake2`] lists the differences from the crate `blake2`.
//!
//! # Many messages
//!
//! Messages that are given together share SIMD lanes; [`lanes`] tells how many. `cargo run --example many` finds a
//! damaged shard.
//!
//! ```
//! use simd_digest::blake2b::{self, Hasher, Params};
//!
//! // 32 bytes each, into one piece of memory.
//! let mut column = [0; 3 * 32];
//! Params::new().hash_length(32).hash_many_flat(&["one", "two", "three"], &mut column)?;
//!
//! // Streams that go on, each with its own parameters, and their ends.
//! let (mut a, mut b) = (Hasher::new(), Params::new().key(b"a key").hasher()?);
//! blake2b::update_many(&mut [(&mut a, b"data for a"), (&mut b, b"and for b")]);
//! let mut ends = [blake2b::hash(b""); 2];
//! blake2b::finalize_many(&[&a, &b], &mut ends)?;
//! assert_eq!(ends[0], blake2b::hash(b"data for a"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Trees
//!
//! The leaves of one long message share lanes, and with feature `rayon` all cores. Their digests tell later which part
//! of the message is damaged: `cargo run --example tree` locates a flipped bit. `Params::tree` makes trees of any
//! fanout and depth. [`Blake2bp`] is the fixed mode of four leaves.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use simd_digest::{blake2::Part, blake2b::Tree};
//!
//! let tree = Tree::unlimited_fanout(4096)?; // the tree of bt2sum
//! let message = vec![7; 100_000];
//! let mut hasher = tree.hasher().keep_leaves();
//! hasher.update(&message[..60_000]).update(&message[60_000..]);
//! let (root, leaves) = hasher.finalize_with_leaves();
//!
//! assert_eq!(root, tree.hash(&message));
//! assert!(tree.verify_leaf(3, Part::NotLast, &message[3 * 4096..][..4096], &leaves[3]));
//! # }
//! # Ok::<(), simd_digest::blake2::ParamsError>(())
//! ```
//!
//! # Output of any length
//!
//! BLAKE2X makes subkeys, masks, or a stream of bytes from a seed. Blocks of the output share lanes, from any position.
//!
//! ```
//! use simd_digest::blake2b::{Blake2xb, Params};
//!
//! // The length takes part: an output is not the beginning of a longer one.
//! let mut output = Blake2xb::with_length(1000)?.update(b"message").finalize();
//! let mut bytes = [0; 1000];
//! output.try_read(&mut bytes)?;
//!
//! // Keyed, of unknown length: up to 256 GiB, from anywhere.
//! let mut output = Params::new().key(b"a key").xof()?.update(b"seed").finalize();
//! output.set_position(200 << 30)?;
//! output.try_read(&mut bytes)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use digest::consts::{U4, U16, U20, U32, U48, U64, U128, U242};

use crate::backend::Backend;
use crate::blake2::{self, Blake2, Blake2Mac, Blake2p, Blake2x, Flavour, Sealed};
use crate::error::ManyError;
pub use crate::kernel::blake2b::FlavourB;
use crate::traits::associated_oid;

pub mod hazmat;

/// The 64-byte BLAKE2b digest of `message`.
#[inline]
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    blake2::hash(message)
}

/// The 64-byte BLAKE2b digests of `messages`, side by side: see
/// [`Params::hash_many`](crate::blake2::Params::hash_many).
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<Hash> {
    blake2::hash_many(messages)
}

/// As [`sha256::hash_many_into`](crate::sha256::hash_many_into), with digests of 64 bytes.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each message. Then nothing is written.
pub fn hash_many_into<M: AsRef<[u8]>>(messages: &[M], hashes: &mut [Hash]) -> Result<(), ManyError> {
    blake2::hash_many_into(messages, hashes)
}

/// As [`sha256::hash_many_flat`](crate::sha256::hash_many_flat), with digests of 64 bytes.
///
/// # Errors
///
/// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
pub fn hash_many_flat<M: AsRef<[u8]>>(messages: &[M], bytes: &mut [u8]) -> Result<(), ManyError> {
    blake2::hash_many_flat::<FlavourB>(messages, bytes)
}

/// As [`sha256::update_many`](crate::sha256::update_many), for hashers of BLAKE2b, which may differ in all parameters.
pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    blake2::update_many(updates);
}

/// As [`sha256::update_each`](crate::sha256::update_each), for hashers of BLAKE2b, which may differ in all parameters.
pub fn update_each<'a, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    blake2::update_each(backend, jobs, done);
}

/// As [`sha256::finalize_many`](crate::sha256::finalize_many), for hashers of BLAKE2b, which may differ in all parameters.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
    blake2::finalize_many(hashers, hashes)
}

/// Messages that `backend` hashes side by side. A multiple of it is a good batch for [`update_many`] and the like.
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    blake2::lanes::<FlavourB>(backend)
}

/// All parameters of BLAKE2b.
///
/// ```
/// use simd_digest::blake2b::Params;
///
/// const APP: Params = Params::new().hash_length(32).personal(b"my app");
///
/// let tag = APP.key(b"a key").hash(b"message")?;
/// assert_eq!(tag.as_bytes().len(), 32);
/// # Ok::<(), simd_digest::blake2::ParamsError>(())
/// ```
pub type Params = blake2::Params<FlavourB>;

/// An incremental BLAKE2b hasher.
///
/// ```
/// use simd_digest::blake2b::{self, Hasher};
///
/// let mut hasher = Hasher::new();
/// hasher.update(b"one, ").update(b"two");
/// assert_eq!(hasher.finalize(), blake2b::hash(b"one, two"));
/// ```
pub type Hasher = blake2::Hasher<FlavourB>;

/// A digest of BLAKE2b, 1 to 64 bytes.
///
/// ```
/// use simd_digest::blake2b::{self, Hash};
///
/// let hash: Hash = blake2b::hash(b"abc");
/// assert_eq!(hash.to_string().parse::<Hash>()?, hash);
/// # Ok::<(), simd_digest::hash::ParseHashError>(())
/// ```
pub type Hash = blake2::Hash<FlavourB>;

/// An incremental BLAKE2bp hasher.
///
/// ```
/// use simd_digest::blake2b::{Parallel, Params};
///
/// let mut hasher: Parallel = Params::new().hash_length(20).key(b"a key").parallel()?;
/// hasher.update(b"a long message, ").update(b"piece by piece");
/// assert_eq!(hasher.finalize().as_bytes().len(), 20);
/// # Ok::<(), simd_digest::blake2::ParamsError>(())
/// ```
pub type Parallel = blake2::Parallel<FlavourB>;

/// Reads the output of a [`Blake2xb`], of the length that this was made with.
pub type OutputReader = blake2::OutputReader<FlavourB>;

/// A way to hash messages as trees of BLAKE2b nodes.
///
/// ```
/// use simd_digest::blake2b::Tree;
///
/// let tree = Tree::unlimited_fanout(4096)?;
/// let root = tree.hash(&[7; 10_000]);
/// assert_eq!(root, tree.hasher().update(&[7; 10_000]).finalize());
/// # Ok::<(), simd_digest::blake2::ParamsError>(())
/// ```
#[cfg(feature = "alloc")]
pub type Tree = blake2::Tree<FlavourB>;

/// An incremental hasher of trees of BLAKE2b nodes.
#[cfg(feature = "alloc")]
pub type TreeHasher = blake2::TreeHasher<FlavourB>;

/// BLAKE2b with `N` bytes of output, `U1` to `U64`, for the `digest` traits.
///
/// ```
/// use simd_digest::digest::consts::U24;
/// use simd_digest::{Blake2b, Digest};
///
/// let digest: [u8; 24] = Blake2b::<U24>::digest(b"abc").into();
/// ```
pub type Blake2b<N> = Blake2<FlavourB, N>;

/// [`Blake2b`] with 64 bytes of output.
pub type Blake2b512 = Blake2b<U64>;

/// [`Blake2b`] with 48 bytes of output.
pub type Blake2b384 = Blake2b<U48>;

/// [`Blake2b`] with 32 bytes of output.
pub type Blake2b256 = Blake2b<U32>;

/// [`Blake2b`] with 20 bytes of output.
pub type Blake2b160 = Blake2b<U20>;

/// [`Blake2b`] with 16 bytes of output.
pub type Blake2b128 = Blake2b<U16>;

/// BLAKE2b as a MAC with `N` bytes of tag, `U1` to `U64`, for the `digest` traits.
///
/// ```
/// use simd_digest::digest::consts::U24;
/// use simd_digest::digest::{KeyInit, Mac};
/// use simd_digest::Blake2bMac;
///
/// let mac = Blake2bMac::<U24>::new_from_slice(b"a key")?;
/// let tag: [u8; 24] = mac.chain_update(b"abc").finalize().into_bytes().into();
/// # Ok::<(), simd_digest::digest::InvalidLength>(())
/// ```
pub type Blake2bMac<N> = Blake2Mac<FlavourB, N>;

/// [`Blake2bMac`] with 64 bytes of tag.
pub type Blake2bMac512 = Blake2bMac<U64>;

/// [`Blake2bMac`] with 32 bytes of tag.
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

    type SavedState = [u8; 339];
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
    type Leaves = U4;
}

associated_oid! {
    Blake2b160: "1.3.6.1.4.1.1722.12.2.1.5",
    Blake2b256: "1.3.6.1.4.1.1722.12.2.1.8",
    Blake2b384: "1.3.6.1.4.1.1722.12.2.1.12",
    Blake2b512: "1.3.6.1.4.1.1722.12.2.1.16",
}

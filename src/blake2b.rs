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
//! # Ok::<(), blake2b::ParamsError>(())
//! ```
//!
//! | to …                       | take                                                                    |
//! |----------------------------|-------------------------------------------------------------------------|
//! | hash one message           | [`hash`], or [`Hasher`] piece by piece                                  |
//! | set parameters, a key too  | [`Params`]                                                              |
//! | hash many messages         | `hash_many`, `Params::hash_many`                                        |
//! | … without allocating       | [`Params::hash_many_into`], [`Params::hash_many_flat`]                  |
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
//! [`Params::hash_many_into`]: crate::blake2::Params::hash_many_into
//! [`Params::hash_many_flat`]: crate::blake2::Params::hash_many_flat
//! [`Params::xof`]: crate::blake2::Params::xof
//!
//! [`blake2`](crate::blake2) lists the differences from the crate `blake2`.
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
//! use simd_digest::blake2b::Tree;
//!
//! let tree = Tree::unlimited_fanout(4096)?; // the tree of bt2sum
//! let message = vec![7; 100_000];
//! let mut hasher = tree.hasher().keep_leaves();
//! hasher.update(&message[..60_000]).update(&message[60_000..]);
//! let (root, leaves) = hasher.finalize_with_leaves();
//!
//! assert_eq!(root, tree.hash(&message));
//! assert!(tree.verify_leaf(3, false, &message[3 * 4096..][..4096], &leaves[3]));
//! # }
//! # Ok::<(), simd_digest::blake2b::ParamsError>(())
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
//! // Of unknown length, keyed: up to 256 GiB, from anywhere.
//! let mut output = Params::new().key(b"a key").xof()?.update(b"seed").finalize();
//! output.set_position(200 << 30)?;
//! output.try_read(&mut bytes)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
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

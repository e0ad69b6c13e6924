//! SHA-256: digests of 32 bytes, blocks of 64 ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! ```
//! use simd_digest::sha256;
//!
//! let hash = sha256::hash(b"abc");
//! assert!(hash.to_string().starts_with("ba7816bf"));
//!
//! # #[cfg(feature = "alloc")]
//! let hashes = sha256::hash_many(&["one", "two", "three"]); // side by side
//! # #[cfg(feature = "alloc")]
//! assert_eq!(hashes[1], sha256::hash(b"two"));
//! ```
//!
//! | to …                       | take                                                                             |
//! |----------------------------|----------------------------------------------------------------------------------|
//! | hash one message           | [`hash`], or [`Hasher`] piece by piece                                           |
//! | authenticate               | [`HmacKey`], or [`HmacHasher`] piece by piece                                    |
//! | hash many messages         | `hash_many`, `HmacKey::hash_many`                                                |
//! | … without allocating       | [`hash_many_into`], [`hash_many_flat`]                                           |
//! | go on with many hashers    | [`update_many`], [`update_each`], [`finalize_many`]                              |
//! | make a Merkle tree         | [`hash_nodes`], [`hash_nodes_in_place`], [`hash_nodes_twice`]                    |
//! | use the traits of `digest` | [`Sha256`], [`HmacSha256`], `hmac::Hmac<Sha256>`                                 |
//! | hold a digest              | [`type@Hash`]                                                                    |
//! | save and restore a hasher  | [`hazmat::State`], as Go; `SerializableState` of [`Sha256`], as the crate `sha2` |
//! | hash whole blocks          | [`hazmat::compress`], [`hazmat::Sha256Core`]                                     |
//! | choose the backend         | [`Batch`], and `with_backend` of the other types                                 |
//!
//! `cargo run --example merkle` builds a tree, and proves that a part of a file belongs to it.
//!
//! **A hash of a key and a message authenticates nothing.** Anybody who knows the digest of a message and its length
//! can compute the digest of a longer one. Use [`HmacKey`].
//!
//! Several messages are interleaved where the CPU has SHA instructions, and share SIMD lanes where it has none;
//! [`Backend`](crate::Backend) has the details. [`sha2`](crate::sha2) lists the differences from the crate `sha2`.
#![forbid(unsafe_code)]

pub use crate::sha2::{ManyError, ParseHashError, Variant256};

crate::sha2::module!(Variant256, "sha256", "SHA-256", 32, Sha256, HmacSha256, Sha256Core);

crate::traits::associated_oid! {
    Sha256: "2.16.840.1.101.3.4.2.1",
}

/// Writes the SHA-256 digest of each node of 64 bytes to `digests`: the nodes of SSZ's Merkle trees, two digests each.
///
/// Nodes are hashed side by side, and the schedule of their closing block is prepared. The digest of a node is that of
/// [`hash`]. Where a leaf may have 64 bytes, the format must tell leaves and nodes apart.
///
/// ```
/// use simd_digest::sha256;
///
/// let nodes = [[1; 64], [2; 64]];
/// let mut digests = [[0; 32]; 2];
/// sha256::hash_nodes(&nodes, &mut digests)?;
/// assert_eq!(digests[1], *sha256::hash(&[2; 64]).as_bytes());
/// # Ok::<(), sha256::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if there is not one digest for each node. Then nothing is written.
pub fn hash_nodes(nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) -> Result<(), ManyError> {
    Batch::new().hash_nodes(nodes, digests)
}

/// Writes the SHA-256 digest of the SHA-256 digest of each node of 64 bytes to `digests`: the nodes of Bitcoin's Merkle
/// trees.
///
/// ```
/// use simd_digest::sha256;
///
/// let mut digests = [[0; 32]];
/// sha256::hash_nodes_twice(&[[1; 64]], &mut digests)?;
/// assert_eq!(digests[0], *sha256::hash(sha256::hash(&[1; 64]).as_bytes()).as_bytes());
/// # Ok::<(), sha256::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if there is not one digest for each node. Then nothing is written.
pub fn hash_nodes_twice(nodes: &[[u8; 64]], digests: &mut [[u8; 32]]) -> Result<(), ManyError> {
    Batch::new().hash_nodes_twice(nodes, digests)
}

/// Hashes neighbours of a level of a Merkle tree, and gives the next level: the front half of `level`, which holds the
/// SHA-256 digest of each pair. The back half stays as it was.
///
/// A level that has an odd number of nodes must be completed first, in the way of its format: SSZ appends the root of
/// an empty subtree, and Bitcoin the last node once more.
///
/// ```
/// use simd_digest::sha256;
///
/// let mut leaves = [[1; 32], [2; 32], [3; 32], [4; 32]];
/// let mut level = &mut leaves[..];
/// while level.len() > 1 {
///     level = sha256::hash_nodes_in_place(level)?;
/// }
/// let root = level[0];
/// # assert_ne!(root, [1; 32]);
/// # Ok::<(), sha256::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if the number is odd. Then nothing is written, and [`needed`](ManyError::needed) is the next even
/// number.
pub fn hash_nodes_in_place(level: &mut [[u8; 32]]) -> Result<&mut [[u8; 32]], ManyError> {
    Batch::new().hash_nodes_in_place(level)
}

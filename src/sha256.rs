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
//! | derive keys from passwords | [`pbkdf2()`], [`pbkdf2_many`]                                                    |
//! | hash many messages         | `hash_many`, `HmacKey::hash_many`                                                |
//! | … without allocating       | [`hash_many_into`], [`hash_many_flat`]                                           |
//! | … after one beginning      | `Hasher::hash_many`, `HmacHasher::hash_many`                                     |
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
//! [`Backend`] has the details. [`sha2`] lists the differences from the crate `sha2`.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::backend::Backend;
use crate::error::{ManyError, Pbkdf2Error};
use crate::sha2::{self, Variant256};

/// An incremental SHA-256 hasher.
///
/// ```
/// use simd_digest::sha256::{self, Hasher};
///
/// let mut hasher = Hasher::new();
/// hasher.update(b"one, ").update(b"two");
/// assert_eq!(hasher.finalize(), sha256::hash(b"one, two"));
/// ```
///
/// Many messages after one beginning, the tagged hashes of
/// [BIP 340](https://github.com/bitcoin/bips/blob/master/bip-0340.mediawiki):
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use simd_digest::sha256::{self, Hasher};
///
/// let tag = sha256::hash(b"TapLeaf");
/// let mut tagged = Hasher::new();
/// tagged.update(tag.as_bytes()).update(tag.as_bytes()); // one block, compressed once
/// let leaves = tagged.hash_many(&["script 1", "script 2"]);
/// assert_eq!(leaves[1], tagged.update(b"script 2").finalize());
/// # }
/// ```
pub type Hasher = sha2::Hasher<Variant256>;

/// A digest of SHA-256, 32 bytes.
///
/// ```
/// use simd_digest::sha256::{self, Hash};
///
/// let hash: Hash = sha256::hash(b"abc");
/// let bytes: &[u8; 32] = hash.as_bytes();
/// assert_eq!(hash.to_string().parse::<Hash>()?, Hash::from_bytes(*bytes));
/// # Ok::<(), simd_digest::hash::ParseHashError>(())
/// ```
pub type Hash = sha2::Hash<Variant256>;

/// The functions of this module that hash whole messages, as methods of a value that has a backend. The functions use
/// [`Backend::best`](crate::Backend::best).
///
/// ```
/// use simd_digest::Backend;
/// use simd_digest::sha256::{self, Batch};
///
/// let mut digests = [0; 2 * 32];
/// Batch::new().with_backend(Backend::best()).hash_many_flat(&["one", "two"], &mut digests)?;
/// assert_eq!(digests[32..], *sha256::hash(b"two").as_bytes());
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
pub type Batch = sha2::Batch<Variant256>;

/// A key of HMAC-SHA-256, of any length, set up for any number of messages: see [`HmacKey`](crate::sha2::HmacKey).
pub type HmacKey = sha2::HmacKey<Variant256>;

/// An incremental HMAC-SHA-256 hasher.
///
/// ```
/// use simd_digest::sha256::{HmacHasher, HmacKey};
///
/// let mut hasher: HmacHasher = HmacKey::new(b"a key").hasher();
/// hasher.update(b"one, ").update(b"two");
/// assert_eq!(hasher.finalize(), HmacKey::new(b"a key").hash(b"one, two"));
/// ```
pub type HmacHasher = sha2::HmacHasher<Variant256>;

/// SHA-256 for the `digest` traits, in the place of `sha2::Sha256`.
///
/// ```
/// use simd_digest::{Digest, Sha256};
///
/// let digest: [u8; 32] = Sha256::digest(b"abc").into();
/// ```
pub type Sha256 = sha2::Sha2<Variant256>;

/// HMAC-SHA-256 for the `digest` traits. A key may have any length.
///
/// ```
/// use simd_digest::digest::{KeyInit, Mac};
/// use simd_digest::HmacSha256;
///
/// let mac = HmacSha256::new_from_slice(b"a key")?.chain_update(b"abc");
/// let tag: [u8; 32] = mac.finalize().into_bytes().into();
/// # Ok::<(), simd_digest::digest::InvalidLength>(())
/// ```
pub type HmacSha256 = sha2::Hmac<Variant256>;

/// The SHA-256 digest of `message`.
#[inline]
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    Batch::new().hash(message)
}

/// The SHA-256 digests of `messages`, side by side: see
/// [`Batch`](crate::sha2::Batch).
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<Hash> {
    Batch::new().hash_many(messages)
}

/// Writes the digests of `messages` to `hashes`, side by side, without allocating.
///
/// ```
/// use simd_digest::sha256;
///
/// let mut hashes = [sha256::hash(b""); 3];
/// sha256::hash_many_into(&["one", "two", "three"], &mut hashes)?;
/// assert_eq!(hashes[2], sha256::hash(b"three"));
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each message. Then nothing is written.
pub fn hash_many_into<M: AsRef<[u8]>>(messages: &[M], hashes: &mut [Hash]) -> Result<(), ManyError> {
    Batch::new().hash_many_into(messages, hashes)
}

/// Writes the digests of `messages` to `bytes`, one after the other without gaps, side by side, without allocating.
///
/// ```
/// use simd_digest::sha256;
///
/// let mut column = [0; 2 * 32];
/// sha256::hash_many_flat(&["one", "two"], &mut column)?;
/// assert_eq!(column[32..], *sha256::hash(b"two").as_bytes());
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
pub fn hash_many_flat<M: AsRef<[u8]>>(messages: &[M], bytes: &mut [u8]) -> Result<(), ManyError> {
    Batch::new().hash_many_flat(messages, bytes)
}

/// Appends to each hasher its data, side by side: [`Hasher::update`](crate::sha2::Hasher::update) for many.
///
/// Lengths may differ; see [`Batch`](crate::sha2::Batch) for good batches. Blocks that share lanes are compressed on
/// the backend of the first hasher. Pieces that take less time alone are appended on the backend of their hasher. No
/// hasher's own backend changes.
///
/// ```
/// use simd_digest::sha256::{self, Hasher};
///
/// let (mut a, mut b) = (Hasher::new(), Hasher::new());
/// sha256::update_many(&mut [(&mut a, b"one"), (&mut b, b"two")]);
/// assert_eq!(a.finalize(), sha256::hash(b"one"));
/// ```
pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    sha2::update_many(updates);
}

/// Appends to each hasher its data, side by side, and gives the owner of each job to `done` as soon as its hasher
/// has all of its data: [`update_many`] for jobs that come as others end.
///
/// `jobs` is asked for the next job only when a lane is free, and again later if there was none. Owners come in
/// the order in which their jobs end, which is not that of `jobs`. All hashers compute on `backend`.
///
/// If `jobs` or `done` panics, the hashers of jobs that are not done are as if they had lost some of their data.
///
/// ```
/// use simd_digest::{Backend, sha256};
///
/// let mut hashers = [sha256::Hasher::new(), sha256::Hasher::new()];
/// let jobs = hashers.iter_mut().zip([&[1; 3000][..], &[2; 1000]]).enumerate();
/// let mut ended = Vec::new();
/// sha256::update_each(
///     Backend::best(),
///     jobs.map(|(i, (hasher, data))| (i, hasher, data)),
///     |i| ended.push(i),
/// );
/// assert_eq!(ended.len(), 2);
/// assert_eq!(hashers[1].finalize(), sha256::hash(&[2; 1000]));
/// ```
pub fn update_each<'a, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    sha2::update_each(backend, jobs, done);
}

/// Writes the digest of each hasher to `hashes`, their last blocks compressed side by side:
/// [`Hasher::finalize`](crate::sha2::Hasher::finalize) for many, without allocating.
///
/// More may be appended to the messages. The backend of the first hasher computes, except for a few hashers, which
/// are finalized one after the other.
///
/// ```
/// use simd_digest::sha256::{self, Hasher};
///
/// let (mut a, mut b) = (Hasher::new(), Hasher::new());
/// sha256::update_many(&mut [(&mut a, b"one"), (&mut b, b"two")]);
/// let mut hashes = [sha256::hash(b""); 2];
/// sha256::finalize_many(&[&a, &b], &mut hashes)?;
/// assert_eq!(hashes[1], sha256::hash(b"two"));
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
    sha2::finalize_many(hashers, hashes)
}

/// Fills `out` with bytes derived from `password` and `salt`, by PBKDF2 with HMAC-SHA-256
/// ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018), section 5.2).
///
/// A round takes two blocks of SHA-256. The more rounds, the longer a guess of the password takes. Formats that exist
/// need PBKDF2. New ones should take a function that needs memory, too, such as Argon2 or scrypt.
///
/// Each 32 bytes of `out` take all rounds, side by side. A salt may have any length; NIST
/// advises 16 random bytes or more ([SP 800-132](https://doi.org/10.6028/NIST.SP.800-132), section 5.1).
///
/// ```
/// use core::num::NonZeroU32;
/// use simd_digest::sha256;
///
/// let rounds = NonZeroU32::new(600_000).unwrap();
/// # let rounds = NonZeroU32::new(6).unwrap();
/// let mut key = [0; 32];
/// sha256::pbkdf2(b"a password", b"16 random bytes.", rounds, &mut key)?;
/// # Ok::<(), simd_digest::Pbkdf2Error>(())
/// ```
///
/// # Errors
///
/// [`Pbkdf2Error`] if `out` is longer than 2^32 - 1 digests. Then nothing is written.
pub fn pbkdf2(password: &[u8], salt: &[u8], rounds: NonZeroU32, out: &mut [u8]) -> Result<(), Pbkdf2Error> {
    Batch::new().pbkdf2(password, salt, rounds, out)
}

/// Fills each of `outs` with bytes derived from the password and the salt at its place in `inputs`, side by side:
/// [`pbkdf2()`] for many passwords.
///
/// Outputs may differ in length. `as_mut` is called twice for each; if its answers differ, outputs are unspecified, but
/// nothing panics.
///
/// ```
/// use core::num::NonZeroU32;
/// use simd_digest::sha256;
///
/// let rounds = NonZeroU32::new(1000).unwrap();
/// let mut keys = [[0; 32]; 2];
/// sha256::pbkdf2_many(&[("one", "salt of one"), ("two", "salt of two")], rounds, &mut keys)?;
///
/// let mut key = [0; 32];
/// sha256::pbkdf2(b"two", b"salt of two", rounds, &mut key)?;
/// assert_eq!(keys[1], key);
/// # Ok::<(), simd_digest::Pbkdf2Error>(())
/// ```
///
/// # Errors
///
/// [`Pbkdf2Error`] if there is not one output for each input, or if an output is longer than 2^32 - 1 digests. Then
/// nothing is written.
pub fn pbkdf2_many<P: AsRef<[u8]>, S: AsRef<[u8]>, O: AsMut<[u8]>>(
    inputs: &[(P, S)],
    rounds: NonZeroU32,
    outs: &mut [O],
) -> Result<(), Pbkdf2Error> {
    Batch::new().pbkdf2_many(inputs, rounds, outs)
}

/// The number of messages that `backend` hashes side by side: 1, 4, 8 or 16. [`hash_many_into`], [`update_many`] and the
/// others leave no lane empty if a batch of messages of one length has a multiple of it.
///
/// With the [SHA extension](crate::Backend::sha), a backend hashes as many, two to four at a time.
///
/// ```
/// use simd_digest::{Backend, sha256};
///
/// assert_eq!(sha256::lanes("portable".parse()?), 1);
/// println!("{} messages", sha256::lanes(Backend::best()));
/// # Ok::<(), simd_digest::BackendError>(())
/// ```
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    sha2::lanes::<Variant256>(backend)
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
/// # Ok::<(), simd_digest::ManyError>(())
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
/// # Ok::<(), simd_digest::ManyError>(())
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
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
///
/// # Errors
///
/// [`ManyError`] if the number is odd. Then nothing is written, and [`needed`](ManyError::needed) is the next even
/// number.
pub fn hash_nodes_in_place(level: &mut [[u8; 32]]) -> Result<&mut [[u8; 32]], ManyError> {
    Batch::new().hash_nodes_in_place(level)
}

/// Hazardous parts: the state of a hasher as bytes, and the compression function alone.
///
/// States are as secret as the message. The compression function alone is no hash.
pub mod hazmat {
    use super::Variant256;

    /// The state of a hasher of SHA-256, to be stored as bytes and restored.
    ///
    /// ```
    /// use simd_digest::sha256::{Hasher, hazmat::State};
    ///
    /// let mut hasher = Hasher::new();
    /// hasher.update(b"abc");
    /// let state = State::from(&hasher);
    /// let bytes: [u8; 108] = state.to_bytes();
    /// assert_eq!(Hasher::from(state).finalize(), simd_digest::sha256::hash(b"abc"));
    /// ```
    pub type State = crate::sha2::hazmat::State<Variant256>;

    /// SHA-256 over whole blocks, without a buffer, for code that is generic over
    /// [`EagerHash`](crate::digest::block_api::EagerHash), such as the crate `hmac`.
    pub type Sha256Core = crate::sha2::Core<Variant256>;

    /// The compression function of FIPS 180-4, section 6.2.2: compresses `blocks`, one after the other, into
    /// the hash value `h`, on [`Backend::best`](crate::Backend::best).
    ///
    /// The caller brings the initial hash value and the padding. Words of `h` are numbers: the standard writes
    /// them to a digest big-endian.
    ///
    /// ```
    /// use simd_digest::sha256::hazmat::compress;
    ///
    /// let mut h = [0; 8];
    /// compress(&mut h, &[[1; 64], [2; 64]]);
    /// # assert_ne!(h, [0; 8]);
    /// ```
    pub fn compress(h: &mut [u32; 8], blocks: &[[u8; 64]]) {
        crate::sha2::hazmat::compress::<Variant256>(h, blocks);
    }
}

crate::traits::associated_oid! {
    Sha256: "2.16.840.1.101.3.4.2.1",
}

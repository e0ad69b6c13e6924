//! BLAKE3: digests of 32 bytes or any length, plain, keyed, or to derive keys
//! ([the paper](https://github.com/BLAKE3-team/BLAKE3-specs)).
//!
//! ```
//! use simd_digest::blake3::{self, Hasher, Mode};
//!
//! let hash = blake3::hash(b"abc");
//! assert!(hash.to_string().starts_with("6437b3ac"));
//!
//! // Piece by piece; `finalize` changes nothing, so the message can go on.
//! let mut hasher = Hasher::new();
//! hasher.update(b"a").update(b"bc");
//! assert_eq!(hasher.finalize(), hash);
//!
//! // Output of any length, from any position.
//! let mut bytes = [0; 1000];
//! let mut output = hasher.finalize_xof();
//! output.set_position(1 << 40);
//! output.fill(&mut bytes);
//!
//! # #[cfg(feature = "alloc")] {
//! let hashes = blake3::hash_many(&["one", "two", "three"]); // side by side
//! assert_eq!(hashes[1], blake3::hash(b"two"));
//!
//! let tenants = Mode::derive_key("example.com 2026-11-22 keys of tenants"); // the context is hashed once
//! let keys = tenants.hash_many(&["first secret", "second secret"]);
//! assert_ne!(keys[0], keys[1]);
//! # }
//! ```
//!
//! | to …                       | take                                                                           |
//! |----------------------------|--------------------------------------------------------------------------------|
//! | hash one message           | [`hash`], or [`Hasher`] piece by piece                                         |
//! | authenticate               | [`keyed_hash`], [`Mode::keyed`], or [`Blake3`] as a `Mac`                      |
//! | derive keys                | [`derive_key`]; [`Mode::derive_key`] for many of one context                   |
//! | hash many messages         | `hash_many`, `Mode::hash_many`                                                 |
//! | … without allocating       | [`hash_many_into`], [`hash_many_flat`]                                         |
//! | … after one beginning      | `Hasher::hash_many`                                                            |
//! | go on with many hashers    | [`update_many`], [`update_each`], [`finalize_many`]                            |
//! | get more than 32 bytes     | [`Hasher::finalize_xof`], [`Mode::hash_xof`], `ExtendableOutput` of [`Blake3`] |
//! | hash what a reader gives   | `Hasher::update_reader`, or `io::copy` into a [`Hasher`]                       |
//! | use all cores              | `Hasher::update_rayon`, which uses one if the message is short                 |
//! | use the traits of `digest` | [`Blake3`]                                                                     |
//! | store or check parts       | [`hazmat::subtrees`], [`hazmat::merge_subtrees_root`], [`hazmat::HasherExt`]   |
//! | save and restore a hasher  | [`hazmat::State`]                                                              |
//! | compress a single block    | [`hazmat::compress`]                                                           |
//! | choose the backend         | [`Mode::with_backend`], [`Hasher::with_backend`]                               |
//!
//! `cargo run --example subtrees` finds the damaged part of a message by the chaining values of its parts.
//!
//! # Memory and time
//!
//! A message is a tree of chunks of 1024 bytes. Lanes take chunks, of one message or of many, so that mixed lengths
//! leave no lane idle. Up to one chunk, a hasher compresses blocks as they come and allocates nothing. Past that, it
//! allocates 16 KiB, in which small writes gather until sixteen chunks can be hashed side by side. Writes of 16 KiB or
//! more are hashed in place, except the bytes that complete the buffer and the remainder. The price:
//!
//! - [`Hasher::finalize`] hashes the bytes gathered, at most sixteen chunks side by side, and keeps them for the bytes
//!   to come. A program that finalizes after every small write pays for them each time.
//! - A clone of a hasher copies the bytes gathered, and no more than that.
//! - With feature `zeroize` the buffer is wiped when the hasher is dropped or reset.
//!
//! Without feature `alloc` a hasher works chunk by chunk, and only large writes are hashed side by side.
//!
//! # Differences from the crate `blake3`
//!
//! The names and digests are those of `blake3` 1.8, except:
//!
//! - The traits of [`digest`](crate::digest) 0.11 are implemented by [`Blake3`].
//! - There is no `mmap`: a file that shrinks while it is mapped kills the program.
//! - [`Mode`] stands for key and mode without a message.
//! - Functions of [`hazmat`] return errors where those of `blake3` panic. A hasher with an input offset is ended by
//!   `finalize_non_root`; `finalize` cannot return an error, so there it gives a digest that no message has.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

pub use self::digest::Blake3;
pub use self::hasher::Hasher;
pub use self::mode::Mode;
pub use self::output::OutputReader;
pub use self::value::{BLOCK_LEN, Blake3Variant, CHUNK_LEN, Hash, KEY_LEN, OUT_LEN};
use crate::backend::{Backend, Dispatch};
use crate::error::ManyError;
use crate::kernel::blake3::Blake3Function;

mod chunks;
mod digest;
mod forest;
mod hasher;
pub mod hazmat;
#[cfg(feature = "alloc")]
mod held;
mod many;
mod mode;
mod output;
mod plan;
mod stack;
mod tails;
mod tree;
mod value;

/// The digest of `message`.
#[must_use]
pub fn hash(message: &[u8]) -> Hash {
    Mode::HASH.hash(message)
}

/// The digest of `message` with a secret `key`: a MAC.
///
/// ```
/// use simd_digest::blake3;
///
/// let tag = blake3::keyed_hash(&[7; 32], b"message");
/// assert_ne!(tag, blake3::hash(b"message"));
/// ```
#[must_use]
pub fn keyed_hash(key: &[u8; KEY_LEN], message: &[u8]) -> Hash {
    Mode::keyed(key).hash(message)
}

/// A key of 32 bytes out of `key_material`, for the purpose that `context` names.
///
/// The context is a constant of the program, globally unique: application, date, purpose. [`Mode::derive_key`] hashes it
/// once for many keys.
///
/// ```
/// use simd_digest::blake3;
///
/// let key = blake3::derive_key("example.com 2026-11-22 file encryption", b"secret of high entropy");
/// assert_ne!(key, blake3::derive_key("example.com 2026-11-22 file names", b"secret of high entropy"));
/// ```
#[must_use]
pub fn derive_key(context: &str, key_material: &[u8]) -> [u8; OUT_LEN] {
    *Mode::derive_key(context).hash(key_material).as_bytes()
}

/// The digests of `messages`, side by side; see [`Mode::hash_many`].
#[cfg(feature = "alloc")]
#[must_use]
pub fn hash_many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<Hash> {
    Mode::HASH.hash_many(messages)
}

/// As [`sha256::hash_many_into`](crate::sha256::hash_many_into), for BLAKE3.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each message. Then nothing is written.
pub fn hash_many_into<M: AsRef<[u8]>>(messages: &[M], hashes: &mut [Hash]) -> Result<(), ManyError> {
    Mode::HASH.hash_many_into(messages, hashes)
}

/// As [`sha256::hash_many_flat`](crate::sha256::hash_many_flat), for BLAKE3.
///
/// # Errors
///
/// [`ManyError`] if `bytes` is not `messages.len()` digests long. Then nothing is written.
pub fn hash_many_flat<M: AsRef<[u8]>>(messages: &[M], bytes: &mut [u8]) -> Result<(), ManyError> {
    Mode::HASH.hash_many_flat(messages, bytes)
}

/// Appends to each hasher its bytes. Messages of up to a chunk are compressed side by side, on the backend of the first
/// hasher; longer ones fill the lanes with chunks of their own, on the backend of their hasher.
///
/// ```
/// use simd_digest::blake3::{self, Hasher};
///
/// let (mut a, mut b) = (Hasher::new(), Hasher::new_keyed(&[1; 32]));
/// blake3::update_many(&mut [(&mut a, b"one"), (&mut b, b"two")]);
/// assert_eq!(a.finalize(), blake3::hash(b"one"));
/// assert_eq!(b.finalize(), blake3::keyed_hash(&[1; 32], b"two"));
/// ```
pub fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    many::update_many(updates);
}

/// As [`sha256::update_each`](crate::sha256::update_each), for BLAKE3: data that goes on within a chunk is compressed
/// side by side, and longer data fills the lanes alone.
///
/// If `jobs` or `done` panics, the digests of the hashers whose jobs are not done are unspecified until they are reset.
pub fn update_each<'a, T>(
    backend: Backend,
    jobs: impl IntoIterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    many::update_each(backend, jobs.into_iter(), done);
}

/// Writes the digest of `hashers[i]` to `hashes[i]`. The hashers keep their messages, which may go on, and may differ in
/// mode and key. The last chunks of all messages share lanes, and then the parents, on the backend of the first hasher.
///
/// # Errors
///
/// [`ManyError`] if there is not one hash for each hasher. Then nothing is written.
pub fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) -> Result<(), ManyError> {
    ManyError::check(hashers.len(), hashes.len())?;
    many::finalize_many(hashers, hashes);
    Ok(())
}

/// Chunks or messages at most that `backend` compresses side by side: 16, 8, 4 or 1.
#[must_use]
pub fn lanes(backend: Backend) -> usize {
    Blake3Function::lanes(backend)
}

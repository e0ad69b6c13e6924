//! SHA-256, SHA-512 and their kin, BLAKE3, BLAKE2b and BLAKE2s on the fastest instructions of each CPU: one message,
//! many messages side by side, files, HMAC, and trees.
//!
//! ```
//! use simd_digest::{Blake2b256, Digest, Sha256, blake3, sha256};
//!
//! let hash = Sha256::digest(b"hello world"); // by the traits of `digest`
//! assert_eq!(hash[..4], [0xb9, 0x4d, 0x27, 0xb9]);
//! let hash = Blake2b256::digest(b"hello world");
//! assert_eq!(hash[..4], [0x25, 0x6c, 0x83, 0xb2]);
//!
//! let hash = blake3::hash(b"hello world"); // prints, parses, compares in constant time
//! assert!(hash.to_string().starts_with("d74981ef"));
//!
//! # #[cfg(feature = "alloc")]
//! let hashes = sha256::hash_many(&["one", "two", "three"]); // side by side
//! # #[cfg(feature = "alloc")]
//! assert_eq!(hashes[1], sha256::hash(b"two"));
//! ```
//!
//! The [README](https://github.com/simd-digest/simd-digest#readme) has figures beside other crates, and tells when to
//! take another one.
//!
//! # Tasks
//!
//! Each module's page has the whole table of its hash. [`sha2`], [`blake2`] and [`blake3`](mod@blake3) list the
//! differences from the crates of these names. The traits are those of [`digest`](https://docs.rs/digest/0.11) 0.11.
//!
//! | to hash …           | [`sha256`], [`sha512`], … | [`blake3`](mod@blake3)    | [`blake2b`], [`blake2s`]          |
//! |---------------------|---------------------------|---------------------------|-----------------------------------|
//! | by traits           | [`Sha256`], [`Sha512`], … | [`Blake3`]                | [`Blake2b512`], [`Blake2s256`], … |
//! | one message         | [`sha256::hash`]          | [`blake3::hash`]          | [`blake2b::hash`]                 |
//! | a file or stream    | [`sha256::Hasher`]        | [`blake3::Hasher`]        | [`blake2b::Hasher`]               |
//! | many messages       | [`sha256::hash_many`]     | [`blake3::hash_many`]     | [`blake2b::hash_many`]            |
//! | … of one beginning  | `Hasher::hash_many`       | `Hasher::hash_many`       | `Hasher::hash_many`               |
//! | many streams        | [`sha256::update_many`]   | [`blake3::update_many`]   | [`blake2b::update_many`]          |
//! | with a key          | [`sha256::HmacKey`]       | [`blake3::keyed_hash`]    | [`Params::key`]                   |
//! | to verify a tag     | `HmacKey::verify`         | `Mode::verify`            | `Params::verify`                  |
//! | to derive keys      | `hkdf::Hkdf<Sha256>`      | [`blake3::derive_key`]    | [`Params::xof`]                   |
//! | from a password     | [`sha256::pbkdf2()`]      |                           |                                   |
//! | with parameters     |                           | [`blake3::Mode`]          | [`blake2b::Params`]               |
//! | to any length       |                           | [`blake3::OutputReader`]  | [`Params::xof`]                   |
//! | as a tree           | [`sha256::hash_nodes`]    | [`blake3::hazmat`]        | [`blake2b::Tree`], [`Blake2bp`]   |
//! | on all cores        |                           | `Hasher::update_rayon`    | `TreeHasher::update_rayon`        |
//! | and save the hasher | [`sha256::hazmat::State`] | [`blake3::hazmat::State`] | [`blake2b::hazmat::State`]        |
//!
//! SHA-2 is [`sha256`], [`sha224`], [`sha512`], [`sha384`], [`sha512_256`] and [`sha512_224`].
//!
//! [`Params::key`]: blake2::Params::key
//! [`Params::xof`]: blake2::Params::xof
//!
//! # Calls
//!
//! | call                                                      | SHA-2   | BLAKE2  | BLAKE3  |
//! |-----------------------------------------------------------|---------|---------|---------|
//! | `hash`, `hash_many`, `hash_many_into`, `hash_many_flat`   | yes     | yes     | yes     |
//! | `update_many`, `update_each`, `finalize_many`, `lanes`    | yes     | yes     | yes     |
//! | `Hasher::new`, `with_backend`, `backend`                  | yes     | yes     | yes     |
//! | `Hasher::update`, `update_reader`, `count`                | yes     | yes     | yes     |
//! | `Hasher::finalize`, `reset`                               | yes     | yes     | yes     |
//! | `Hasher::hash_many`, `hash_many_into`, `hash_many_flat`   | yes     | yes     | yes     |
//! | `pbkdf2`, `pbkdf2_many`                                   | yes     | no      | no      |
//! | `hazmat::State::from_bytes`, `to_bytes`                   | yes     | yes     | yes     |
//! | `Digest`, `Mac`, `ZeroizeOnDrop` by a type                | yes     | yes     | yes     |
//! | `ExtendableOutput` by a type                              | no      | yes     | yes     |
//! | `SerializableState`, `AssociatedOid` by a type            | yes     | yes     | no      |
//!
//! `no`: no standard defines it.
//!
//! [`Backend`] lists the instruction sets, and chooses one for the process or for a hasher.
//!
//! A file, a key, and a Merkle tree:
//!
//! ```no_run
//! use simd_digest::sha256::{self, HmacKey};
//! use simd_digest::blake3;
//! use std::{fs::File, io};
//!
//! # #[cfg(feature = "std")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut hasher = sha256::Hasher::new();
//! io::copy(&mut File::open("archive.tar")?, &mut hasher)?;
//! println!("{}", hasher.finalize());
//!
//! let mut hasher = blake3::Hasher::new();
//! hasher.update_reader(File::open("archive.tar")?)?;
//!
//! let tag = HmacKey::new(b"a secret key").hash(b"message");
//! let tag = blake3::keyed_hash(&[7; 32], b"message");
//!
//! let mut leaves = [[1; 32], [2; 32], [3; 32], [4; 32]];
//! let mut level = &mut leaves[..];
//! while level.len() > 1 {
//!     level = sha256::hash_nodes_in_place(level)?;
//! }
//! let root = level[0];
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "std"))]
//! # fn main() {}
//! ```
//!
//! # Features
//!
//! - `std` (default): `io::Write` for the hashers, `Backend::set_default`, the choice of the backend cached. Without
//!   it the crate is `no_std`, and still finds the instruction sets of the CPU.
//! - `alloc` (by `std`): results in a `Vec`, trees of BLAKE2, the parts of `digest` that return boxes, a buffer for
//!   small writes of BLAKE3.
//! - `sha2`, `blake3`, `blake2` (default): the hashes.
//! - `rayon`: `TreeHasher::update_rayon` and `blake3::Hasher::update_rayon`, one message on all cores.
//! - `serde`: digests as values, hexadecimal in readable formats and bytes in others.
//! - `zeroize`: keys, chaining values and buffers are wiped when they are dropped.
//! - `reset`: nothing, for code that asks `blake2` for it.
//!
//! The minimum supported Rust version is 1.89.

#![cfg_attr(
    not(feature = "blake2"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        unused_macros,
        reason = "BLAKE2 has a use for all that hashes share, others may have none"
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "blake2")]
pub mod blake2;
#[cfg(feature = "blake2")]
pub mod blake2b;
#[cfg(feature = "blake2")]
pub mod blake2s;
#[cfg(feature = "blake3")]
pub mod blake3;
pub mod hash;
#[cfg(feature = "sha2")]
pub mod sha2;
#[cfg(feature = "sha2")]
pub mod sha224;
#[cfg(feature = "sha2")]
pub mod sha256;
#[cfg(feature = "sha2")]
pub mod sha384;
#[cfg(feature = "sha2")]
pub mod sha512;
#[cfg(feature = "sha2")]
pub mod sha512_224;
#[cfg(feature = "sha2")]
pub mod sha512_256;

mod backend;
mod buffer;
mod error;
#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(dead_code, unreachable_pub, unused_imports, reason = "x86 has a use for every kernel, others may have none")
)]
mod kernel;
mod lanes;
#[cfg(feature = "std")]
mod reader;
mod stream;
mod traits;

pub use digest::{self, Digest};

pub use self::backend::{Backend, BackendError};
#[cfg(feature = "blake2")]
pub use self::blake2b::{
    Blake2b, Blake2b128, Blake2b160, Blake2b256, Blake2b384, Blake2b512, Blake2bMac, Blake2bMac256, Blake2bMac512,
    Blake2bp, Blake2xb,
};
#[cfg(feature = "blake2")]
pub use self::blake2s::{
    Blake2s, Blake2s128, Blake2s160, Blake2s224, Blake2s256, Blake2sMac, Blake2sMac128, Blake2sMac256, Blake2sp,
    Blake2xs,
};
#[cfg(feature = "blake3")]
pub use self::blake3::Blake3;
#[cfg(feature = "sha2")]
pub use self::error::Pbkdf2Error;
pub use self::error::{ManyError, StateError};
#[cfg(feature = "sha2")]
pub use self::sha224::{HmacSha224, Sha224};
#[cfg(feature = "sha2")]
pub use self::sha256::{HmacSha256, Sha256};
#[cfg(feature = "sha2")]
pub use self::sha384::{HmacSha384, Sha384};
#[cfg(feature = "sha2")]
pub use self::sha512::{HmacSha512, Sha512};
#[cfg(feature = "sha2")]
pub use self::sha512_224::{HmacSha512_224, Sha512_224};
#[cfg(feature = "sha2")]
pub use self::sha512_256::{HmacSha512_256, Sha512_256};

#[cfg(all(doctest, feature = "std", feature = "blake2", feature = "blake3", feature = "sha2"))]
#[doc = include_str!("../README.md")]
struct Readme;

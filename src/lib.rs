//! SHA-256, SHA-224, BLAKE3 and BLAKE2 on SIMD, chosen at run time: one message, many messages side by side, HMAC, or
//! trees.
//!
//! ```
//! use simd_digest::{Blake2b256, Digest, Sha256, blake2b, blake3, sha256};
//!
//! let hash = Sha256::digest(b"hello world"); // by the traits of `digest`
//! assert_eq!(hash[..4], [0xb9, 0x4d, 0x27, 0xb9]);
//! let hash = Blake2b256::digest(b"hello world");
//! assert_eq!(hash[..4], [0x25, 0x6c, 0x83, 0xb2]);
//!
//! # #[cfg(feature = "alloc")]
//! let hashes = sha256::hash_many(&["one", "two", "three"]); // side by side
//! # #[cfg(feature = "alloc")]
//! assert_eq!(hashes[1], sha256::hash(b"two"));
//! assert_eq!(blake2b::hash(b"abc").as_bytes().len(), 64);
//! assert_eq!(blake3::hash(b"hello world").as_bytes()[..4], [0xd7, 0x49, 0x81, 0xef]);
//! ```
//!
//! ```toml
//! [dependencies]
//! simd-digest = { git = "https://github.com/simd-digest/simd-digest" }
//! ```
//!
//! # Why this crate, and when not
//!
//! The backend is the fastest that this CPU has: AVX-512, AVX2, AVX, SSE4.1, NEON, WebAssembly's SIMD, or scalar code,
//! and for SHA-256 the SHA instructions of x86 and AArch64 beside it. Messages that are given together run side by
//! side, whatever their lengths. BLAKE3 needs no C compiler, and is fast for small writes, too. Every parameter of
//! BLAKE2 can be set, and one out of its range is an error, never a panic. The types stand behind the traits of
//! [`digest`] 0.11.
//!
//! One stream of SHA-256 by SHA instructions takes the same time in every crate. One message of BLAKE3 of 2 KiB to
//! 1 MiB takes longer on AVX-512 than with the crate `blake3`, which also hashes memory maps. A digest after each small
//! write of a long message costs more here: `finalize` of [`blake3::Hasher`] hashes what is gathered, at most 16 chunks
//! in lanes.
//!
//! The [repository](https://github.com/simd-digest/simd-digest#how-fast-how-sure) has figures, and `bt2sum`, a program
//! for checksums of files.
//!
//! # All of it on one screen
//!
//! [`sha256`] and [`sha224`] have the same names, but for Merkle trees. Those of SHA-256:
//!
//! | to hash …              | by the traits of `digest`                    | with all that there is                    |
//! |------------------------|----------------------------------------------|-------------------------------------------|
//! | one message            | [`Sha256`]                                   | [`sha256::hash`]                          |
//! | piece by piece         | the same                                     | [`sha256::Hasher`]                        |
//! | with a key: HMAC       | [`HmacSha256`], `hmac::Hmac<Sha256>`         | [`sha256::HmacKey`], [`sha256::HmacHasher`] |
//! | many messages          |                                              | [`sha256::hash_many`], [`sha256::update_many`], [`sha256::update_each`], [`sha256::finalize_many`], [`HmacKey::hash_many`](sha2::HmacKey::hash_many) |
//! | without the heap       |                                              | [`sha256::hash_many_into`], [`sha256::hash_many_flat`] |
//! | nodes of Merkle trees  |                                              | [`sha256::hash_nodes`], [`sha256::hash_nodes_in_place`], [`sha256::hash_nodes_twice`] |
//! | digests as values      |                                              | [`sha256::Hash`]                          |
//! | save and restore       | `SerializableState`, as the crate `sha2`     | [`sha256::hazmat::State`], as Go          |
//! | whole blocks           | [`sha256::hazmat::Sha256Core`]               | [`sha256::hazmat::compress`]              |
//! | on a chosen backend    | `with_backend` of every type                 | [`sha256::Batch`], [`Backend`]            |
//!
//! [The module `sha2`](sha2) lists the differences from the crate `sha2`.
//!
//! [`blake3`](mod@blake3) has the names of the crate `blake3`:
//!
//! | to hash …              | by the traits of `digest`                    | with all that there is                    |
//! |------------------------|----------------------------------------------|-------------------------------------------|
//! | one message            | [`Blake3`]                                   | [`blake3::hash`]                          |
//! | piece by piece         | the same                                     | [`blake3::Hasher`]                        |
//! | with a key             | `<Blake3 as KeyInit>::new_from_slice`        | [`blake3::keyed_hash`], [`blake3::Mode::keyed`] |
//! | to derive keys         |                                              | [`blake3::derive_key`], [`blake3::Mode::derive_key`] |
//! | many messages          |                                              | [`blake3::hash_many`], [`blake3::update_many`], [`blake3::finalize_many`], [`Mode::hash_many`](blake3::Mode::hash_many) |
//! | without the heap       |                                              | [`blake3::hash_many_into`], [`blake3::hash_many_flat`] |
//! | on all cores           |                                              | `Hasher::update_rayon`                    |
//! | to any length          | `ExtendableOutput` of [`Blake3`]             | [`blake3::OutputReader`]                  |
//! | digests as values      |                                              | [`blake3::Hash`]                          |
//! | parts of its tree      |                                              | [`blake3::hazmat::subtrees`], [`blake3::hazmat::merge_subtrees_root`], [`blake3::hazmat::HasherExt`] |
//! | save and restore       |                                              | [`blake3::hazmat::State`]                 |
//! | a single block         |                                              | [`blake3::hazmat::compress`]              |
//! | on a chosen backend    | `with_backend` of every type                 | [`blake3::Mode`], [`Backend`]             |
//!
//! [`blake2b`] and [`blake2s`] have the same names. Those of BLAKE2b:
//!
//! | to hash …              | by the traits of `digest`                    | with all parameters                       |
//! |------------------------|----------------------------------------------|-------------------------------------------|
//! | one message            | [`Blake2b512`], [`Blake2b256`], [`Blake2b`]  | [`blake2b::hash`], [`blake2b::Params`]     |
//! | piece by piece         | the same                                     | [`blake2b::Hasher`]                       |
//! | with a key             | [`Blake2bMac512`], [`Blake2bMac256`], [`Blake2bMac`] | [`Params::key`](blake2::Params::key) |
//! | many messages          |                                              | [`blake2b::hash_many`], [`blake2b::update_many`], [`blake2b::update_each`], [`blake2b::finalize_many`] |
//! | without the heap       |                                              | [`Params::hash_many_into`](blake2::Params::hash_many_into), [`hash_many_flat`](blake2::Params::hash_many_flat) |
//! | one long message       | [`Blake2bp`]                                 | [`blake2b::Parallel`], [`blake2b::Tree`], [`blake2b::TreeHasher`] |
//! | to any length          | [`Blake2xb`]                                 | [`Params::xof`](blake2::Params::xof), [`blake2b::OutputReader`] |
//! | digests as values      |                                              | [`blake2b::Hash`]                         |
//! | save and restore       | `SerializableState`                          | [`blake2b::hazmat::State`]                |
//! | a single block         |                                              | [`blake2b::hazmat::compress`]             |
//! | blocks without a buffer | [`blake2b::hazmat::Blake2bVarCore`]         |                                           |
//! | on a chosen backend    | `with_backend` of every type                 | [`Backend`]                               |
//!
//! # Features
//!
//! - `std` (default): `io::Write` for the hashers, `Backend::set_default`, the choice of the backend cached.
//! - `blake2` (default): BLAKE2b and BLAKE2s.
//! - `sha2` (default): SHA-256 and SHA-224, with HMAC and the nodes of Merkle trees.
//! - `blake3` (default): BLAKE3 with keys, derived keys, output of any length, and parts of its tree.
//! - `reset`: nothing, for code that asks `blake2` for it.
//! - `alloc` (by `std`): results in a `Vec`, trees, the parts of `digest` that return boxes, small writes of BLAKE3
//!   gathered.
//! - `rayon`: `TreeHasher::update_rayon` and `blake3::Hasher::update_rayon`, one message on all cores.
//! - `serde`: digests as values, hexadecimal in readable formats and bytes in others.
//! - `zeroize`: keys, chaining values and buffers are wiped when dropped.
//!
//! Without `std` the crate is `no_std` and still finds the instruction sets of the CPU. The minimum supported Rust
//! version is 1.89, by clippy's lint `incompatible_msrv`: the crate was not compiled with that version.

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
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
pub mod hash;
#[cfg(feature = "sha2")]
pub mod sha2;
#[cfg(feature = "sha2")]
pub mod sha224;
#[cfg(feature = "sha2")]
pub mod sha256;

mod backend;
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod buffer;
#[cfg_attr(
    not(any(target_arch = "x86", target_arch = "x86_64")),
    allow(dead_code, unreachable_pub, unused_imports, reason = "x86 has a use for every kernel, others may have none")
)]
mod kernel;
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod many;
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod stream;
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
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
pub use self::sha224::{HmacSha224, Sha224};
#[cfg(feature = "sha2")]
pub use self::sha256::{HmacSha256, Sha256};

#[cfg(all(doctest, feature = "std", feature = "blake2", feature = "blake3", feature = "sha2"))]
#[doc = include_str!("../README.md")]
struct Readme;

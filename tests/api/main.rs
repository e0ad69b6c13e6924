//! The public interface, tested as its users see it. Beside it stand tests that need a process of their own: for an
//! allocator, or for the default backend.

#[path = "../common"]
mod common {
    #[cfg(any(feature = "blake3", feature = "sha2"))]
    pub(crate) mod backends;
    #[cfg(feature = "blake3")]
    pub(crate) mod blake3;
    #[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
    pub(crate) mod cases;
    #[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
    pub(crate) mod each;
    #[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
    pub(crate) mod feed;
    #[cfg(feature = "blake2")]
    pub(crate) mod flavour;
    #[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
    pub(crate) mod lengths;
    #[cfg(all(unix, feature = "alloc"))]
    pub(crate) mod pages;
    pub(crate) mod paint;
    #[cfg(feature = "blake2")]
    pub(crate) mod params;
    #[cfg(feature = "blake2")]
    pub(crate) mod peer;
    #[cfg(all(unix, feature = "alloc"))]
    pub(crate) mod places;
    pub(crate) mod random;
    #[cfg(all(feature = "std", feature = "blake3"))]
    pub(crate) mod reader;
    #[cfg(feature = "blake2")]
    pub(crate) mod rfc;
    #[cfg(feature = "sha2")]
    pub(crate) mod sha2;
    #[cfg(all(feature = "alloc", feature = "blake2"))]
    pub(crate) mod tree;
    #[cfg(any(feature = "blake2", feature = "sha2"))]
    pub(crate) mod vector;
}

#[cfg(feature = "blake2")]
mod backends;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "blake2")]
mod compress;
#[cfg(feature = "blake2")]
mod digest_traits;
#[cfg(all(unix, feature = "alloc", feature = "blake2"))]
mod guard_pages;
#[cfg(feature = "blake2")]
mod hash;
#[cfg(feature = "sha2")]
mod hash_of_one_length;
#[cfg(feature = "blake2")]
mod many;
#[cfg(any(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod no_messages;
#[cfg(feature = "blake2")]
mod parallel;
#[cfg(feature = "blake2")]
mod params;
#[cfg(feature = "blake2")]
mod peers;
#[cfg(all(feature = "std", feature = "blake2", feature = "blake3", feature = "sha2"))]
mod readers;
#[cfg(feature = "blake2")]
mod serialization;
#[cfg(feature = "sha2")]
mod sha2;
#[cfg(all(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod streams;
#[cfg(all(feature = "blake2", feature = "blake3", feature = "sha2"))]
mod tails;
#[cfg(feature = "blake2")]
mod traps;
#[cfg(all(feature = "alloc", feature = "blake2"))]
mod tree;
#[cfg(feature = "blake2")]
mod var_core;
#[cfg(feature = "blake2")]
mod vectors;
#[cfg(all(feature = "blake2", feature = "blake3"))]
mod verify;
#[cfg(feature = "blake2")]
mod xof;

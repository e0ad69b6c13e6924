//! SHA-256 and SHA-224.

mod compress;
mod digest_traits;
#[cfg(all(unix, feature = "alloc"))]
mod guard_pages;
mod hasher;
mod hmac;
mod many;
mod nodes;
mod serialization;
mod traits;
mod traps;
mod values;
mod vectors;

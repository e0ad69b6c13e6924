//! BLAKE3.

mod compress;
mod digest_traits;
#[cfg(all(unix, feature = "alloc"))]
mod guard_pages;
mod hasher;
mod hazmat;
mod many;
mod output;
mod state;
mod traps;
mod values;
mod vectors;

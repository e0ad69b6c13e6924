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

use simd_digest::Backend;

/// Every backend, in every tuning. No code of BLAKE3 asks for the SHA extension, so only `vectors` takes
/// each backend without it, too.
fn all_backends() -> impl Iterator<Item = Backend> + Clone {
    Backend::available().flat_map(Backend::tunings)
}

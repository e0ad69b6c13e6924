//! SHA-256 and SHA-224.

mod compress;
mod digest_traits;
#[cfg(all(unix, feature = "alloc"))]
mod guard_pages;
mod hasher;
mod hmac;
mod many;
mod nodes;
mod pbkdf2;
mod serialization;
mod traits;
mod traps;
mod values;
mod vectors;

use simd_digest::Backend;

/// Every backend, with the SHA extension and without it. The other tuning has another kernel of SHA-2
/// only with the extension, so only `vectors` takes it without, too.
fn all_backends() -> impl Iterator<Item = Backend> + Clone {
    let kinds = |backend: Backend| {
        let other = backend.tunings().nth(1).filter(|other| other.sha());
        [Some(backend), other, backend.sha().then(|| backend.without_sha())]
    };
    Backend::available().flat_map(kinds).flatten()
}

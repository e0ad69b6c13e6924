//! All ways to run a kernel.

use simd_digest::Backend;

/// Every backend of this CPU, with the SHA extension and without it, in every tuning.
pub(crate) fn all_backends() -> impl Iterator<Item = Backend> + Clone {
    let kinds = |backend: Backend| [Some(backend), backend.sha().then(|| backend.without_sha())].into_iter().flatten();
    Backend::available().flat_map(kinds).flat_map(Backend::tunings)
}

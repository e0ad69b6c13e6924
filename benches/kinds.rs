//! Every way to run a kernel, with a name that tells it from the others.
#![allow(dead_code, reason = "not every bench has a use for everything")]

use simd_digest::Backend;

use self::backends::all_backends;

#[path = "../tests/common/backends.rs"]
mod backends;

/// As `avx512`, without the SHA extension; `avx512+sha`, with it; `avx512+sha 2nd`, in the second order, with lanes for
/// many messages.
pub(crate) fn kind(backend: Backend) -> String {
    let sha = if backend.sha() { "+sha" } else { "" };
    let order = if format!("{backend:?}").contains("second order") { " 2nd" } else { "" };
    format!("{backend}{sha}{order}")
}

/// All that this CPU has, by the speed of many messages.
pub(crate) fn kinds() -> Vec<(String, Backend)> {
    all_backends().map(|backend| (kind(backend), backend)).collect()
}

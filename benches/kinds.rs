//! Every way to run a kernel, with a name that tells it from the others.
#![allow(dead_code, reason = "not every bench has a use for everything")]

use simd_digest::Backend;

use self::backends::all_backends;

#[path = "../tests/common/backends.rs"]
mod backends;

/// As `avx512`, without the SHA extension; `avx512+sha`, with it; with `lanes` where SHA-256 of many messages takes lanes
/// though there is the extension, with `slow` where the kernels are for slow rotations, and with `four` where four
/// messages of BLAKE3 take lanes on `avx2`.
pub(crate) fn kind(backend: Backend) -> String {
    let text = format!("{backend:?}");
    let add = |part: &str, name: &'static str| if text.contains(part) { name } else { "" };
    let tuning = [add("sha in lanes", " lanes"), add("slow rotation", " slow"), add("four in lanes", " four")];
    format!("{backend}{}{}", add(", sha", "+sha"), tuning.concat())
}

/// All that this CPU has, by the speed of many messages.
pub(crate) fn kinds() -> Vec<(String, Backend)> {
    all_backends().map(|backend| (kind(backend), backend)).collect()
}

//! Which kernel of SHA-256 takes how many messages side by side, by CPU.
//!
//! The choice is by detected features and, where SHA-NI is, by the family of CPU. Digests do not
//! depend on it.
//!
//! | features                 | CPUs                             | 1        | more                                 |
//! |--------------------------|----------------------------------|----------|--------------------------------------|
//! | SHA-NI, AVX-512          | AMD's: Zen 4 and 5               | SHA-NI   | SHA-NI, up to 4 streams              |
//! | SHA-NI, AVX-512          | Intel's: Ice Lake and later      | SHA-NI   | SHA-NI, pairs; from 7 on lanes       |
//! | SHA-NI                   | Zen 1 to 3, Alder Lake, Goldmont | SHA-NI   | SHA-NI, pairs                        |
//! | AVX-512                  | Skylake-X, Cascade Lake          | mixed    | from 2 on 8 lanes, from 9 on 16      |
//! | AVX2                     | Haswell to Skylake               | mixed    | from 3 on 8 lanes                    |
//! | SSE4.1, AVX              | Penryn to Ivy Bridge             | mixed    | from 3 on 4 lanes                    |
//! | Arm's `sha2`             | most of AArch64                  | `sha2`   | `sha2`, up to 4 streams              |
//! | NEON; simd128            | AArch64 without `sha2`; wasm     | portable | from 3 on 4 lanes                    |
//!
//! - Mixed is scalar code beside a schedule in vectors: see `backend::scheduled`.
//! - `docs/experiments.md` of the repository has the figures.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use super::Tuning;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use super::sha::Sha;

/// Messages that go one by one, on instruction sets without masks. The rounds of 32-bit programs are slower.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
const FEW: usize = if cfg!(target_arch = "x86") { 1 } else { 2 };

/// A kernel of SHA-256 for one message or several.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(super) enum Kernel {
    /// SHA-NI, a few streams at a time.
    Streams(Sha),
    /// One message after the other.
    Alone,
    /// A lane for each message, of 4, 8 or 16.
    Lanes4,
    Lanes8,
    Lanes16,
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
impl Kernel {
    /// The way in which it computes, by up to `streams` at a time if it has the extension. A block in four or eight lanes
    /// takes `tenths` of one alone, and in sixteen one and a half times as long.
    #[inline]
    pub(super) fn sides(&self, tuning: Tuning, streams: usize, tenths: u64) -> super::Sides {
        match self {
            Self::Streams(_) if tuning.intel_sha() => super::Sides::Overlapping(streams),
            Self::Streams(_) => super::Sides::Streams(streams),
            Self::Alone => super::Sides::Alone,
            Self::Lanes4 => super::Sides::Lanes(4, tenths),
            Self::Lanes8 => super::Sides::Lanes(8, tenths),
            Self::Lanes16 => super::Sides::Lanes(16, tenths / 2 * 3),
        }
    }
}

/// On AVX-512, for `live` messages.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline]
pub(super) fn avx512(sha: Option<Sha>, tuning: Tuning, live: usize) -> Kernel {
    match (sha, tuning.intel_sha(), live) {
        (Some(sha), false, _) | (Some(sha), true, ..=6) => Kernel::Streams(sha),
        (_, _, ..=1) => Kernel::Alone,
        (_, _, ..=8) => Kernel::Lanes8,
        _ => Kernel::Lanes16,
    }
}

/// On AVX2, for `live` messages.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline]
pub(super) fn avx2(sha: Option<Sha>, live: usize) -> Kernel {
    match (sha, live) {
        (Some(sha), _) => Kernel::Streams(sha),
        (None, ..=FEW) => Kernel::Alone,
        _ => Kernel::Lanes8,
    }
}

/// On AVX and on SSE4.1, for `live` messages.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline]
pub(super) fn sse41(sha: Option<Sha>, live: usize) -> Kernel {
    match (sha, live) {
        (Some(sha), _) => Kernel::Streams(sha),
        (None, ..=FEW) => Kernel::Alone,
        _ => Kernel::Lanes4,
    }
}

/// On NEON without the extension, and on simd128, for `live` messages.
#[cfg(any(
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
#[inline]
pub(super) fn four_lanes(live: usize) -> super::Sides {
    if live >= 3 { super::Sides::Lanes(4, 17) } else { super::Sides::Alone }
}

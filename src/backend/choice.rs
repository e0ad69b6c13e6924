//! Which kernel of SHA-256 takes how many messages side by side, by CPU.
//!
//! The choice is by detected features alone. Digests do not depend on it.
//!
//! | features                 | CPUs                             | 1        | more                                 |
//! |--------------------------|----------------------------------|----------|--------------------------------------|
//! | SHA-NI, AVX-512, BF16    | Zen 4 and 5, Sapphire Rapids     | SHA-NI   | SHA-NI, up to 4 streams              |
//! | SHA-NI, AVX-512          | Ice Lake, Tiger Lake             | SHA-NI   | SHA-NI, from 7 on 8 or 16 lanes      |
//! | SHA-NI                   | Zen 1 to 3, Alder Lake, Goldmont | SHA-NI   | SHA-NI, pairs                        |
//! | AVX-512                  | Skylake-X, Cascade Lake          | portable | from 2 on 8 lanes, from 9 on 16      |
//! | AVX2                     | Haswell to Skylake               | portable | from 2 on 8 lanes                    |
//! | SSE4.1, AVX              | Penryn to Ivy Bridge             | portable | from 2 on 4 lanes                    |
//!
//! - SHA-NI on Zen 4 takes 2.01 cycles a byte for one stream, 1.01 for two, 0.94 for three and 0.90 for four, and
//!   sixteen lanes take 1.02. These figures are of drafts of the kernels.
//! - SHA-NI on Ice Lake takes 2.6 cycles a byte and sixteen lanes take 1.0, by the figures of Firedancer. Lanes from 7
//!   on are the choice of isa-l.
//! - A block in each of eight lanes takes 573 cycles on AVX-512 and 1002 on AVX2 (Zen 4, drafts). A block in scalar
//!   code takes 855 (Cascade Lake). So lanes win from two messages on, though six lanes compute nothing.
//! - The other rows were not measured.
use super::Order;
use super::sha::Sha;

/// A kernel of SHA-256 for one message or several.
pub(super) enum Kernel {
    /// SHA-NI, a few streams at a time.
    Streams(Sha),
    /// One message after the other, in scalar code.
    Portable,
    /// A lane for each message, of 4, 8 or 16.
    Lanes4,
    Lanes8,
    Lanes16,
}

/// On AVX-512, for `live` messages.
#[inline]
pub(super) fn avx512(sha: Option<Sha>, order: Order, live: usize) -> Kernel {
    match (sha, order, live) {
        (Some(sha), Order::First, _) | (Some(sha), Order::Second, ..=6) => Kernel::Streams(sha),
        (_, _, ..=1) => Kernel::Portable,
        (_, _, ..=8) => Kernel::Lanes8,
        _ => Kernel::Lanes16,
    }
}

/// On AVX2, for `live` messages.
#[inline]
pub(super) fn avx2(sha: Option<Sha>, live: usize) -> Kernel {
    match (sha, live) {
        (Some(sha), _) => Kernel::Streams(sha),
        (None, ..=1) => Kernel::Portable,
        _ => Kernel::Lanes8,
    }
}

/// On AVX and on SSE4.1, for `live` messages.
#[inline]
pub(super) fn sse41(sha: Option<Sha>, live: usize) -> Kernel {
    match (sha, live) {
        (Some(sha), _) => Kernel::Streams(sha),
        (None, ..=1) => Kernel::Portable,
        _ => Kernel::Lanes4,
    }
}

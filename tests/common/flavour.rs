//! The two flavours of BLAKE2, for what is written once and run for both.
#![allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "not every user has a use for everything")]

use simd_digest::Backend;
use simd_digest::blake2::Family;
use simd_digest::blake2b::B;
use simd_digest::blake2s::S;

/// The sizes of a flavour, in bytes where nothing else is said.
pub trait Flavour: Family {
    const TITLE: &'static str;
    /// The longest digest, and the longest key.
    const LONGEST: usize;
    const BLOCK: usize = 2 * Self::LONGEST;
    /// The longest salt, and the longest personalisation.
    const TEXT: usize = Self::LONGEST / 4;
    const MAX_NODE_OFFSET: u64;
    /// Leaves of the parallel mode.
    const LEAVES: u8;

    /// Messages side by side.
    fn width(backend: Backend) -> usize;
}

impl Flavour for B {
    const TITLE: &'static str = "BLAKE2b";
    const LONGEST: usize = 64;
    const MAX_NODE_OFFSET: u64 = u64::MAX;
    const LEAVES: u8 = 4;

    fn width(backend: Backend) -> usize {
        backend.lanes()
    }
}

impl Flavour for S {
    const TITLE: &'static str = "BLAKE2s";
    const LONGEST: usize = 32;
    const MAX_NODE_OFFSET: u64 = (1 << 48) - 1;
    const LEAVES: u8 = 8;

    fn width(backend: Backend) -> usize {
        if backend.lanes() == 1 { 1 } else { 2 * backend.lanes() }
    }
}

/// Makes a test for each flavour out of every generic function named.
macro_rules! for_both {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        mod of_blake2b {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::blake2b::B>(); })+
        }
        mod of_blake2s {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::blake2s::S>(); })+
        }
    };
}
pub(crate) use for_both;

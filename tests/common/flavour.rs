//! The two flavours of BLAKE2, for what is written once and run for both.
#![allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "not every user has a use for everything")]

pub use simd_digest::blake2::Flavour;

/// Makes a test for each flavour out of every generic function named.
macro_rules! for_both {
    ($($(#[$attribute:meta])* $test:ident,)+) => {
        mod of_blake2b {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::blake2b::FlavourB>(); })+
        }
        mod of_blake2s {
            $($(#[$attribute])* #[test] fn $test() { super::$test::<simd_digest::blake2s::FlavourS>(); })+
        }
    };
}
pub(crate) use for_both;

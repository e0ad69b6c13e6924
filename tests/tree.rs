//! The tests of trees in `tests/api` as a program of their own, for the thread sanitizer: it has no use for the others,
//! and all of them take a minute more to compile. Only who names this program builds it.
#![cfg(all(feature = "alloc", feature = "blake2"))]

#[path = "common"]
mod common {
    #[expect(dead_code, reason = "these tests draw no cases of their own")]
    pub(crate) mod cases;
    pub(crate) mod flavour;
    pub(crate) mod paint;
    pub(crate) mod params;
    pub(crate) mod random;
    pub(crate) mod tree;
    pub(crate) mod vector;
}

#[path = "api/tree.rs"]
mod tree;

//! The public interface, tested as its users see it. Beside it stand tests that need a process of their own: for an
//! allocator, or for the default backend.

#[path = "../common"]
mod common {
    pub(crate) mod backends;
    pub(crate) mod flavour;
    #[cfg(all(unix, feature = "alloc"))]
    pub(crate) mod pages;
    pub(crate) mod paint;
    pub(crate) mod params;
    pub(crate) mod peer;
    pub(crate) mod random;
    pub(crate) mod rfc;
    #[cfg(feature = "sha2")]
    pub(crate) mod sha2;
    #[cfg(feature = "alloc")]
    pub(crate) mod tree;
    pub(crate) mod vector;
}

mod backends;
mod compress;
mod digest_traits;
#[cfg(all(unix, feature = "alloc"))]
mod guard_pages;
mod hash;
mod many;
mod parallel;
mod params;
mod peers;
mod serialization;
#[cfg(feature = "sha2")]
mod sha2;
mod traps;
#[cfg(feature = "alloc")]
mod tree;
mod vectors;
mod xof;

#![cfg_attr(feature = "std", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "std"),
    doc = "BLAKE2 on SIMD chosen at run time. The documentation is that of feature `std`."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "blake2")]
pub mod blake2;
#[cfg(feature = "blake2")]
pub mod blake2b;
#[cfg(feature = "blake2")]
pub mod blake2s;
#[cfg(feature = "blake2")]
pub mod hash;

#[cfg_attr(
    not(feature = "blake2"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        unused_macros,
        reason = "a library without a hash tells its backends alone"
    )
)]
mod backend;
#[cfg(feature = "blake2")]
mod buffer;
#[cfg_attr(
    not(all(any(target_arch = "x86", target_arch = "x86_64"), feature = "blake2")),
    allow(dead_code, unreachable_pub, unused_imports, reason = "x86 has a use for every kernel, others may have none")
)]
mod kernel;
#[cfg(feature = "blake2")]
mod many;
#[cfg(feature = "blake2")]
mod stream;
#[cfg(feature = "blake2")]
mod traits;

pub use digest::{self, Digest};

pub use self::backend::{Backend, BackendError};
#[cfg(feature = "blake2")]
pub use self::blake2b::{
    Blake2b, Blake2b160, Blake2b256, Blake2b384, Blake2b512, Blake2bMac, Blake2bMac256, Blake2bMac512, Blake2bp,
    Blake2xb,
};
#[cfg(feature = "blake2")]
pub use self::blake2s::{
    Blake2s, Blake2s128, Blake2s160, Blake2s224, Blake2s256, Blake2sMac, Blake2sMac128, Blake2sMac256, Blake2sp,
    Blake2xs,
};

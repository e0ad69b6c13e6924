//! SHA-224: SHA-256 from another initial hash value, to 28 bytes ([FIPS
//! 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
//!
//! The module has the API of [`sha256`](crate::sha256), except the Merkle-tree functions. SHA-224 takes the time
//! of SHA-256. Where no standard asks for 28 bytes, use SHA-256.
//!
//! ```
//! use simd_digest::sha224;
//!
//! assert!(sha224::hash(b"abc").to_string().starts_with("23097d22"));
//! ```
#![forbid(unsafe_code)]

pub use crate::sha2::{ManyError, ParseHashError, Variant224};

crate::sha2::module!(Variant224, "sha224", "SHA-224", 28, Sha224, HmacSha224, Sha224Core);

crate::traits::associated_oid! {
    Sha224: "2.16.840.1.101.3.4.2.4",
}

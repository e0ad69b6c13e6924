//! Crates that the library's tests take and its package does not need, so that a build of it loads 25 crates less.

pub use {ciborium, memchr, proptest, serde_json};

#![doc = include_str!("../README.md")]

mod hashes;
mod keys;
mod set;
mod trees;

pub use keys::{Error, SigningKey, VerifyingKey};
pub use set::{ParameterSet, Sha2_128f, Sha2_192f};

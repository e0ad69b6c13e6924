//! The error of the calls for many messages, and for many hashers.
#![forbid(unsafe_code)]

use core::fmt;

/// The output has another length than the digests of all messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// The length of the output: hashes, nodes or bytes.
    pub given: usize,
    /// The length that the output must have.
    pub needed: usize,
}

impl LengthError {
    pub(crate) fn check(needed: usize, given: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self { given, needed }) }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output has length {}, but must have {}", self.given, self.needed)
    }
}

impl core::error::Error for LengthError {}

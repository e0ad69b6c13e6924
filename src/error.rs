//! The errors of more than one hash.
#![forbid(unsafe_code)]

use core::fmt;

/// The output of a call for many messages, nodes or hashers has another length than their digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManyError {
    /// The length of the output: hashes, nodes or bytes.
    pub given: usize,
    /// The length that the output must have.
    pub needed: usize,
}

impl ManyError {
    pub(crate) fn check(needed: usize, given: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self { given, needed }) }
    }
}

impl fmt::Display for ManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output has length {}, but must have {}", self.given, self.needed)
    }
}

impl core::error::Error for ManyError {}

/// Bytes are no state of a hasher, or there is no room for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes begin as a state of another hash.
    Hash,
    /// The version of the layout is not known.
    Version,
    /// The mode of BLAKE3 is not known.
    Mode,
    /// There are more or fewer bytes than the state has.
    Length,
    /// No hasher has these fields together.
    Impossible,
    /// There is less room than the state needs.
    TooSmall {
        /// Bytes that there are.
        given: usize,
        /// Bytes that there must be.
        needed: usize,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash => "the state is that of another hash",
            Self::Version => "the state has a version that is not known",
            Self::Mode => "the state has a mode that is not known",
            Self::Length => "the state has another length than that of a hasher",
            Self::Impossible => "the state is not that of a hasher",
            Self::TooSmall { given, needed } => {
                return write!(f, "the state has {needed} bytes, but there is room for {given}");
            }
        })
    }
}

impl core::error::Error for StateError {}

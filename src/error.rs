//! The errors of more than one hash.
#![forbid(unsafe_code)]

use core::fmt;

/// The output of a call for many messages, nodes or hashers has another length than their digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManyError {
    /// The length of the output: hashes, nodes, chaining values, outputs or bytes.
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

/// PBKDF2 cannot derive so many bytes, or there is not one output for each input.
#[cfg(feature = "sha2")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pbkdf2Error {
    /// An output is longer than 2^32 - 1 digests.
    TooLong {
        /// Bytes of the output.
        given: usize,
        /// Bytes that an output may have.
        most: u64,
    },
    /// There are more or fewer outputs than inputs.
    Outputs(ManyError),
}

#[cfg(feature = "sha2")]
impl Pbkdf2Error {
    /// RFC 8018, section 5.2, step 1.
    pub(crate) fn check(given: usize, digest: usize) -> Result<(), Self> {
        let most = u64::from(u32::MAX) * digest as u64;
        if given as u64 <= most { Ok(()) } else { Err(Self::TooLong { given, most }) }
    }
}

#[cfg(feature = "sha2")]
impl fmt::Display for Pbkdf2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { given, most } => {
                write!(f, "PBKDF2 derives at most {most} bytes, but the output has {given}")
            }
            Self::Outputs(ManyError { given, needed }) => write!(f, "there are {given} outputs for {needed} inputs"),
        }
    }
}

#[cfg(feature = "sha2")]
impl core::error::Error for Pbkdf2Error {}

#[cfg(feature = "sha2")]
impl From<ManyError> for Pbkdf2Error {
    fn from(error: ManyError) -> Self {
        Self::Outputs(error)
    }
}

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

#[cfg(all(test, feature = "sha2"))]
mod tests {
    use std::string::ToString;

    use super::*;

    /// No slice of a 32-bit program is that long.
    #[test]
    fn outputs_of_more_digests_than_can_be_counted_are_errors() {
        for digest in [28, 32, 48, 64] {
            let most = u64::from(u32::MAX) * digest as u64;
            assert_eq!(Pbkdf2Error::check(0, digest), Ok(()));
            let Ok(given) = usize::try_from(most) else { continue };
            assert_eq!(Pbkdf2Error::check(given, digest), Ok(()));
            let error = Pbkdf2Error::TooLong { given: given + 1, most };
            assert_eq!(Pbkdf2Error::check(given + 1, digest), Err(error));
            let text = std::format!("PBKDF2 derives at most {most} bytes, but the output has {}", given + 1);
            assert_eq!(error.to_string(), text);
        }
    }
}

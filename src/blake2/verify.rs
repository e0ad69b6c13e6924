//! Tags compared with those of messages.

use core::fmt;

use super::flavour::Flavour;
use super::hasher::digest_at_once;
use super::params::{Params, ParamsError};
use crate::hash::verify;

impl<F: Flavour> Params<F> {
    /// Verifies in constant time that `tag` is the digest of `message`, all bytes of it. Without a [`key`](Self::key)
    /// anybody can make one.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let params = Params::new().key(b"a key").hash_length(32);
    /// let tag = params.hash(b"message")?;
    /// params.verify(b"message", tag.as_bytes())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`VerifyError::Tag`] if it differs, or has another length, and [`VerifyError::Params`] if a field is out of its
    /// range.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), VerifyError> {
        let node = self.node()?;
        let mut expected = digest_at_once(&node, self.backend(), message);
        verify(&mut expected, node.hash_length(), tag).map_err(|_| VerifyError::Tag)
    }
}

/// Why a message does not have the given tag, or the given digests of leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The tag differs, or has another length.
    Tag,
    /// The leaf with this number is the first that has another digest than the given one.
    Leaf(u64),
    /// There is not one digest for each leaf.
    Count {
        /// The number of digests.
        given: usize,
        /// The number of leaves.
        needed: usize,
    },
    /// A parameter, or the number of a leaf, is out of range.
    Params(ParamsError),
}

impl From<ParamsError> for VerifyError {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag => f.write_str("the tag is not that of the message"),
            Self::Leaf(number) => write!(f, "leaf {number} has another digest"),
            Self::Count { given, needed } => write!(f, "there are {needed} leaves, but {given} digests were given"),
            Self::Params(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for VerifyError {}

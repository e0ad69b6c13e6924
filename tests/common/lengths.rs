//! What an error of a call for many says, to be compared: the error itself cannot be made outside of the library.

use simd_digest::ManyError;

/// The length that was given, and the length that was needed.
pub(crate) fn lengths(error: ManyError) -> (usize, usize) {
    (error.given, error.needed)
}

//! The message of all tests.

/// The message of `length` bytes that the files in `tests/data` mean. No two of its first 251 blocks are equal.
pub(crate) fn paint(length: usize) -> Vec<u8> {
    (0..251).cycle().take(length).collect()
}

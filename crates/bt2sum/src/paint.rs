//! The bytes that tests hash.

/// Byte `i` is `i` modulo 251, so that no two blocks or leaves near each other are equal.
pub(crate) fn paint(length: usize) -> Vec<u8> {
    // Megabytes that an iterator counts out take a tenth of a second if it is not optimised.
    let mut bytes = (0..=250).collect::<Vec<u8>>().repeat(length.div_ceil(251));
    bytes.truncate(length);
    bytes
}

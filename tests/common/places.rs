//! Where messages lie beside guard pages, and how long they are.

/// The lengths of messages that end at a guard: all up to `most` where the code is optimised. Elsewhere the kernels have
/// the same loads and the tests take ten times as long, so beyond 4 KiB only lengths beside the ends of blocks count.
#[cfg(any(feature = "blake2", feature = "sha2"))]
pub(crate) fn all_lengths(most: usize) -> impl Iterator<Item = usize> {
    (0..=most).filter(|length| cfg!(not(debug_assertions)) || *length <= 4 << 10 || (length + 1) % 256 < 3)
}

/// Distances from the beginning of a cache line: all where the code is optimised, elsewhere every seventh, among which
/// are all residues of 8.
pub(crate) fn misalignments() -> impl Iterator<Item = usize> {
    (0..64).step_by(if cfg!(debug_assertions) { 7 } else { 1 })
}

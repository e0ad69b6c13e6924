//! Where messages lie beside guard pages, and how long they are.

/// The lengths of messages that end at a guard: all up to `most` where the code is optimised. Elsewhere the kernels have
/// the same loads and the tests take ten times as long, so beyond 4 KiB only lengths beside the ends of blocks count.
#[cfg(any(feature = "blake2", feature = "sha2"))]
pub(crate) fn all_lengths(most: usize) -> impl Iterator<Item = usize> {
    (0..=most).filter(|length| cfg!(not(debug_assertions)) || *length <= 4 << 10 || (length + 1) % 256 < 3)
}

/// The lengths that [`all_lengths`] gives, with what is known of each, as they are hashed side by side: each by itself up
/// to 4 KiB, and beyond it five at a time. Blocks have no such number of bytes, so each place in a group has every
/// distance from the end of a block.
#[cfg(any(feature = "blake2", feature = "sha2"))]
pub(crate) fn groups<T>(lengths: &mut [(usize, T)]) -> impl Iterator<Item = &mut [(usize, T)]> {
    let (near, far) = lengths.split_at_mut(lengths.partition_point(|(length, _)| *length <= 4 << 10));
    near.chunks_mut(1).chain(far.chunks_mut(5))
}

/// Distances from the beginning of a cache line: all where the code is optimised, elsewhere every seventh, among which
/// are all residues of 8.
pub(crate) fn misalignments() -> impl Iterator<Item = usize> {
    (0..64).step_by(if cfg!(debug_assertions) { 7 } else { 1 })
}

/// Puts the content into the memory at this place.
pub(crate) fn placed<'a>(memory: &'a mut [u8], place: usize, content: &[u8]) -> &'a [u8] {
    let message = &mut memory[place..][..content.len()];
    message.copy_from_slice(content);
    message
}

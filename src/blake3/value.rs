//! The digest as a value, and the sizes of all that there is.

use crate::hash::{Digested, Full};

/// Bytes of a default digest.
pub const OUT_LEN: usize = 32;
/// Bytes of a key of the keyed mode.
pub const KEY_LEN: usize = 32;
/// Bytes of a block, the input of the compression function.
pub const BLOCK_LEN: usize = 64;
/// Bytes of a chunk, a leaf of the tree.
pub const CHUNK_LEN: usize = 1024;

/// BLAKE3 as the first parameter of [`hash::Hash`](crate::hash::Hash).
#[derive(Debug)]
pub enum Blake3Variant {}

impl Digested for Blake3Variant {
    type Bytes = [u8; OUT_LEN];
}

/// A BLAKE3 digest of 32 bytes.
///
/// Prints as lower-case hexadecimal and parses from either case. Comparison with `==` takes constant time; ordering does
/// not.
pub type Hash = crate::hash::Hash<Blake3Variant, Full>;

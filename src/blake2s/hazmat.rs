//! Hazardous parts: the compression function alone, hashing of whole blocks, and the state of a hasher as bytes, its
//! key included.

use crate::backend::Backend;
use crate::blake2::hazmat;
use crate::kernel::blake2s::FlavourS;

/// As [`blake2b::hazmat::State`](crate::blake2b::hazmat::State), for BLAKE2s: 171 bytes.
pub type State = hazmat::State<FlavourS>;

/// As [`Blake2bVarCore`](crate::blake2b::hazmat::Blake2bVarCore), for BLAKE2s.
pub type Blake2sVarCore = hazmat::VarCore<FlavourS>;

/// The compression function F of [RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2, with `rounds` rounds.
///
/// `h` is the chaining value, `m` the sixteen words of the message block, `t` the number of message bytes up to the end
/// of this block, and `f` whether this block is the last.
///
/// BLAKE2s has 10 rounds, which [`Backend::best`] computes. Scalar code computes any other number. Time is proportional to
/// the number: 2^32 − 1 rounds take a minute or two.
///
/// ```
/// use simd_digest::blake2s::hazmat::compress;
///
/// // The block of RFC 7693, appendix B: "abc", unkeyed, 32 bytes of digest.
/// let mut h = [
///     0x6b08e647, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
/// ];
/// let mut m = [0; 16];
/// m[0] = u32::from_le_bytes(*b"abc\0");
/// compress(10, &mut h, &m, 3, true);
/// assert_eq!(h[0].to_le_bytes(), [0x50, 0x8c, 0x5e, 0x8c]);
/// ```
pub fn compress(rounds: u32, h: &mut [u32; 8], m: &[u32; 16], t: u64, f: bool) {
    hazmat::compress::<FlavourS>(Backend::best(), rounds, h, m, t.into(), f);
}

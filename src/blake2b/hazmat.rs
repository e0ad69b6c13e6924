//! Hazardous parts: the compression function alone, hashing of whole blocks, and the state of a hasher as bytes, its
//! key included.

use crate::backend::Backend;
use crate::blake2::hazmat;
use crate::kernel::blake2b::FlavourB;

/// The state of a [`Hasher`](crate::blake2::Hasher) of BLAKE2b as 339 bytes.
///
/// ```
/// use simd_digest::blake2b::{Hasher, Params};
/// use simd_digest::blake2b::hazmat::State;
///
/// let mut hasher = Params::new().key(b"a key").hasher()?;
/// hasher.update(b"one, ");
/// let bytes: [u8; 339] = State::from(&hasher).to_bytes();
///
/// let mut restored = Hasher::from(State::from_bytes(&bytes)?);
/// assert_eq!(restored.update(b"two").finalize(), hasher.update(b"two").finalize());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type State = hazmat::State<FlavourB>;

/// The blocks of BLAKE2b without the buffer: see [`VarCore`](hazmat::VarCore).
///
/// ```
/// use simd_digest::blake2b::{self, hazmat::Blake2bVarCore};
/// use simd_digest::digest::block_api::VariableOutputCore;
///
/// let mut core = Blake2bVarCore::new(64)?;
/// let mut chaining_value = [0; 64].into();
/// core.finalize_variable_core(&mut Default::default(), &mut chaining_value);
/// assert_eq!(blake2b::hash(b""), chaining_value[..]);
/// # Ok::<(), simd_digest::digest::InvalidOutputSize>(())
/// ```
pub type Blake2bVarCore = hazmat::VarCore<FlavourB>;

/// The compression function F of [RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2, with `rounds` rounds.
///
/// `h` is the chaining value, `m` the sixteen words of the message block, `t` the number of message bytes up to the end
/// of this block, and `f` whether this block is the last.
///
/// BLAKE2b has 12 rounds, which [`Backend::best`] computes. Scalar code computes any other number, for the precompiled
/// contract of [EIP-152](https://eips.ethereum.org/EIPS/eip-152). Time is proportional to the number: 2^32 − 1 rounds
/// take a minute or two.
///
/// ```
/// use simd_digest::blake2b::hazmat::compress;
///
/// // The block of RFC 7693, appendix A: "abc", unkeyed, 64 bytes of digest.
/// let mut h = [
///     0x6a09e667f2bdc948, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
///     0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
/// ];
/// let mut m = [0; 16];
/// m[0] = u64::from_le_bytes(*b"abc\0\0\0\0\0");
/// compress(12, &mut h, &m, 3, true);
/// assert_eq!(h[0].to_le_bytes(), [0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d]);
/// ```
pub fn compress(rounds: u32, h: &mut [u64; 8], m: &[u64; 16], t: u128, f: bool) {
    hazmat::compress::<FlavourB>(Backend::best(), rounds, h, m, t, f);
}

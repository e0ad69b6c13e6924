//! Hazardous parts: the state of a hasher as bytes, its key included.

use crate::blake2::hazmat;
pub use crate::blake2::hazmat::StateError;
use crate::kernel::blake2s::FlavourS;

/// The state of a [`Hasher`](crate::blake2::Hasher) of BLAKE2s as 171 bytes.
///
/// ```
/// use simd_digest::blake2s::Params;
/// use simd_digest::blake2s::hazmat::State;
///
/// let mut hasher = Params::new().key(b"a key").hasher()?;
/// hasher.update(b"one, ");
/// let bytes: [u8; 171] = State::of(&hasher).to_bytes();
///
/// let mut restored = State::from_bytes(&bytes)?.into_hasher();
/// assert_eq!(restored.update(b"two").finalize(), hasher.update(b"two").finalize());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type State = hazmat::State<FlavourS>;

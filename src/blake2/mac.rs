//! The keyed hash of the `digest` traits: output length in the type.

use core::marker::PhantomData;

use digest::common::{BlockSizeUser, KeySizeUser};
use digest::{InvalidLength, Key, KeyInit, MacMarker};

use super::digest::OutputSize;
use super::flavour::Flavour;
use super::hasher::Hasher;
use super::node::Node;
use super::params::{Params, ParamsError};
use crate::backend::Backend;
use crate::traits::fixed_output;

/// BLAKE2 as a MAC with `N` bytes of tag; see the aliases of [`blake2b`](crate::blake2b).
///
/// `KeyInit::new` takes a key of 64 bytes (BLAKE2s: 32), and `KeyInit::new_from_slice` one of 1 to 64 (BLAKE2s: 32).
/// The empty key is refused: BLAKE2 would compute the plain hash, which anybody can, so it authenticates nothing.
///
/// ```
/// use simd_digest::Blake2bMac256;
/// use simd_digest::digest::{KeyInit, Mac};
///
/// let mut mac = Blake2bMac256::new_from_slice(b"a key")?;
/// mac.update(b"message");
/// let tag = mac.finalize().into_bytes();
///
/// let mac = Blake2bMac256::new_from_slice(b"a key")?;
/// assert!(mac.chain_update(b"message").verify(&tag).is_ok());
/// # Ok::<(), simd_digest::digest::InvalidLength>(())
/// ```
#[derive(Clone)]
pub struct Blake2Mac<F: Flavour, N: OutputSize<F>> {
    hasher: Hasher<F>,
    output: PhantomData<N>,
}

impl<F: Flavour, N: OutputSize<F>> Blake2Mac<F, N> {
    /// A MAC with at most 64 bytes of key, 16 of salt and 16 of personalisation (BLAKE2s: 32, 8 and 8). `None` is the
    /// unkeyed hash.
    ///
    /// # Errors
    ///
    /// If one of them is longer, or there is a key but it is empty.
    pub fn new_with_salt_and_personal(key: Option<&[u8]>, salt: &[u8], personal: &[u8]) -> Result<Self, ParamsError> {
        const { assert!(N::USIZE > 0, "a tag has at least one byte") }
        let mut params = Params::new().hash_length(N::USIZE).salt(salt).personal(personal);
        if let Some(key) = key {
            if key.is_empty() {
                return Err(ParamsError::empty_key::<F>());
            }
            params = params.key(key);
        }
        Ok(Self { hasher: params.hasher()?, output: PhantomData })
    }
}

impl<F: Flavour, N: OutputSize<F>> KeySizeUser for Blake2Mac<F, N> {
    type KeySize = F::OutputSize;
}

impl<F: Flavour, N: OutputSize<F>> KeyInit for Blake2Mac<F, N> {
    fn new(key: &Key<Self>) -> Self {
        Self::new_from_slice(key).expect("a key of full length is in range")
    }

    /// Always inlined, or the hasher would be moved: see `Stream::finalize`.
    #[inline(always)]
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(N::USIZE > 0, "a tag has at least one byte") }
        if key.is_empty() || key.len() > F::LONGEST {
            return Err(InvalidLength);
        }
        let hasher = Hasher::of(Node::sequential(N::USIZE, key), Backend::best());
        Ok(Self { hasher, output: PhantomData })
    }
}

impl<F: Flavour, N: OutputSize<F>> BlockSizeUser for Blake2Mac<F, N> {
    type BlockSize = F::BlockSize;
}

impl<F: Flavour, N: OutputSize<F>> MacMarker for Blake2Mac<F, N> {}

fixed_output!(impl[F: Flavour, N: OutputSize<F>] Blake2Mac<F, N>, output: N, name: F::MAC_NAME);

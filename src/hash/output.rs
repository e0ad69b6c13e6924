//! Digests and [`digest::Output`], the arrays of the `digest` traits.

use digest::array::{Array, ArraySize};

use super::{Full, Function, Hash, Length, equal};

/// In constant time for all outputs of the digest's length; unequal to all others.
impl<H: Function, L: Length, U: ArraySize> PartialEq<Array<u8, U>> for Hash<H, L> {
    fn eq(&self, other: &Array<u8, U>) -> bool {
        equal(self.slice(), other)
    }
}

/// In constant time for all outputs of the digest's length; unequal to all others.
impl<H: Function, L: Length, U: ArraySize> PartialEq<Hash<H, L>> for Array<u8, U> {
    fn eq(&self, other: &Hash<H, L>) -> bool {
        other == self
    }
}

/// ```
/// use simd_digest::{Digest, Sha256, sha256};
///
/// let hash: sha256::Hash = Sha256::digest(b"abc").into();
/// assert_eq!(hash, sha256::hash(b"abc"));
/// ```
impl<H, U, const N: usize> From<Array<u8, U>> for Hash<H, Full>
where
    H: Function<Bytes = [u8; N]>,
    U: ArraySize<ArrayType<u8> = [u8; N]>,
{
    fn from(output: Array<u8, U>) -> Self {
        Self::from_bytes(output.0)
    }
}

impl<H, U, const N: usize> From<Hash<H, Full>> for Array<u8, U>
where
    H: Function<Bytes = [u8; N]>,
    U: ArraySize<ArrayType<u8> = [u8; N]>,
{
    fn from(hash: Hash<H, Full>) -> Self {
        Self(hash.bytes)
    }
}

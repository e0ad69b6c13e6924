//! Digests as values: compared in constant time, ordered by their bytes, printed and parsed as hexadecimal.
//!
//! The module of each hash names its digest type. The length of a BLAKE2 digest is chosen at run time. A hash with a
//! single length has [`Full`] digests.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::array::TryFromSliceError;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hint::black_box;

use digest::MacError;

pub use self::hex::Hex;
pub(crate) use self::sealed::Digested;
use crate::kernel::{Block, wipe};

mod hex;
mod output;
#[cfg(feature = "serde")]
mod serde;

/// The parts of the public traits that are no business of others.
mod sealed {
    use crate::kernel::Block;

    /// A hash whose digests are values.
    pub trait Digested: 'static {
        /// A digest of full length, at most 64 bytes.
        type Bytes: Block;
    }

    /// How many bytes of a full digest count.
    pub trait Counted: Copy {
        fn new(length: usize) -> Self;
        fn get(self, full: usize) -> usize;
        /// Bytes of the shortest digest.
        fn shortest(full: usize) -> usize;
    }
}

/// The hash of a [`struct@Hash`]: `Variant256` and the like of [`sha2`](crate::sha2), `FlavourB`, `FlavourS`, or
/// `Blake3Variant`.
///
/// ```
/// use simd_digest::hash::{Function, Hash, Length};
/// use simd_digest::{blake2b, blake3};
///
/// fn beginning<H: Function, L: Length>(hash: &Hash<H, L>) -> String {
///     hash.to_string()[..8].to_owned()
/// }
///
/// assert_eq!(beginning(&blake3::hash(b"")), "af1349b9");
/// assert_eq!(beginning(&blake2b::hash(b"")), "786a02f7");
/// ```
pub trait Function: Digested {}

impl<H: Digested> Function for H {}

/// How a [`struct@Hash`] has its length: [`Full`], or `u8`, a number of bytes that is chosen at run time.
pub trait Length: sealed::Counted {}

/// Chosen at run time.
impl Length for u8 {}

impl sealed::Counted for u8 {
    #[inline]
    fn new(length: usize) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a digest has at most 64 bytes")]
        let length = length as u8;
        length
    }

    #[inline]
    fn get(self, _: usize) -> usize {
        self.into()
    }

    fn shortest(_: usize) -> usize {
        1
    }
}

/// The length of a digest that always has all bytes its hash makes.
#[derive(Clone, Copy, Debug)]
pub struct Full;

impl Length for Full {}

impl sealed::Counted for Full {
    #[inline]
    fn new(_: usize) -> Self {
        Self
    }

    #[inline]
    fn get(self, full: usize) -> usize {
        full
    }

    fn shortest(full: usize) -> usize {
        full
    }
}

/// A digest.
///
/// Prints as lower-case hexadecimal and parses from either case.
///
/// `==`, to a digest, bytes or an output of the `digest` traits, takes the same time wherever two of one length differ,
/// since a digest may be a MAC. **Ordering does not**: `<`, `cmp` and sorting stop at the first byte that differs. Do not
/// check a MAC with them.
///
/// With feature `serde`, a digest is a string of hexadecimal digits in human-readable formats, and bytes in others.
///
/// ```
/// use simd_digest::blake2b::{self, Hash};
///
/// let hash = blake2b::hash(b"abc");
/// let text = hash.to_string();
/// assert!(text.starts_with("ba80a53f981c4d0d"));
/// assert_eq!(text.parse::<Hash>()?, hash);
/// # Ok::<(), simd_digest::hash::ParseHashError>(())
/// ```
pub struct Hash<H: Function, L: Length = u8> {
    /// The digest, then zeros.
    bytes: H::Bytes,
    length: L,
}

impl<H: Function, L: Length> Clone for Hash<H, L> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Function, L: Length> Copy for Hash<H, L> {}

/// The length is chosen at run time.
impl<H: Function> Hash<H> {
    /// The first `length` bytes of `bytes`.
    #[inline]
    pub(crate) fn new(mut bytes: H::Bytes, length: usize) -> Self {
        if length < H::Bytes::LENGTH {
            bytes.bytes_mut()[length..].fill(0);
        }
        Self { bytes, length: sealed::Counted::new(length) }
    }

    /// One byte, to be overwritten.
    #[cfg(feature = "alloc")]
    pub(crate) fn placeholder() -> Self {
        Self::new(H::Bytes::ZERO, 1)
    }

    /// The digest, 1 to 64 bytes.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.slice()
    }

    /// The bytes of the digest, if there are `N`.
    ///
    /// `<[u8; N]>::try_from(hash)` gives them by value.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let hash = Params::new().hash_length(32).hash(b"abc")?;
    /// let key: &[u8; 32] = hash.as_array().unwrap();
    /// assert_eq!(hash.as_array::<64>(), None);
    /// assert_eq!(<[u8; 32]>::try_from(hash).unwrap(), *key);
    /// # Ok::<(), simd_digest::blake2::ParamsError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_array<const N: usize>(&self) -> Option<&[u8; N]> {
        self.slice().try_into().ok()
    }

    /// Takes these bytes as a digest.
    ///
    /// # Errors
    ///
    /// [`ParseHashError::Length`] if there are none, or more than the hash can make.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseHashError> {
        Self::copied(bytes)
    }
}

/// The length is fixed: `N` bytes, all that the hash makes.
impl<H: Function<Bytes = [u8; N]>, const N: usize> Hash<H, Full> {
    /// The `N` bytes of the digest.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.bytes
    }

    /// Takes these `N` bytes as a digest.
    #[inline]
    #[must_use]
    pub const fn from_bytes(bytes: [u8; N]) -> Self {
        Self { bytes, length: Full }
    }

    /// The `N` bytes of the digest, as a slice.
    #[inline]
    #[must_use]
    pub const fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes these hexadecimal digits, of either case, as a digest.
    ///
    /// # Errors
    ///
    /// [`ParseHashError`] if there are not exactly `2 N`, or one is no digit.
    pub fn from_hex(hex: impl AsRef<[u8]>) -> Result<Self, ParseHashError> {
        core::str::from_utf8(hex.as_ref()).map_err(|_| ParseHashError::Digit)?.parse()
    }

    /// Takes these bytes as a digest.
    ///
    /// # Errors
    ///
    /// [`ParseHashError::Length`] if there are not exactly `N`.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, ParseHashError> {
        Self::copied(bytes)
    }
}

impl<H: Function> Hash<H, Full> {
    /// Takes these bytes as a digest.
    #[cfg(feature = "sha2")]
    #[inline]
    pub(crate) fn full(bytes: H::Bytes) -> Self {
        Self { bytes, length: Full }
    }
}

impl<H: Function, L: Length> Hash<H, L> {
    #[inline]
    fn slice(&self) -> &[u8] {
        &self.bytes.bytes()[..self.length.get(H::Bytes::LENGTH)]
    }

    /// `length` zeros, if a digest may have this length.
    fn zeros(length: usize) -> Result<Self, ParseHashError> {
        if !(L::shortest(H::Bytes::LENGTH)..=H::Bytes::LENGTH).contains(&length) {
            return Err(ParseHashError::Length);
        }
        Ok(Self { bytes: H::Bytes::ZERO, length: L::new(length) })
    }

    fn copied(bytes: &[u8]) -> Result<Self, ParseHashError> {
        let mut hash = Self::zeros(bytes.len())?;
        hash.bytes.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        Ok(hash)
    }
}

/// Whether two slices are equal, in constant time if they have one length.
#[inline(never)]
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| black_box(difference | (a ^ b)));
    a.len() == b.len() && difference == 0
}

/// Verifies in constant time that `tag` is the `expected` one, which is wiped.
#[inline]
pub(crate) fn verify(expected: &mut impl Block, length: usize, tag: &[u8]) -> Result<(), MacError> {
    let is_right = equal(&expected.bytes()[..length], tag);
    wipe(expected);
    if is_right { Ok(()) } else { Err(MacError) }
}

impl<H: Function, L: Length> AsRef<[u8]> for Hash<H, L> {
    fn as_ref(&self) -> &[u8] {
        self.slice()
    }
}

/// Fills `to` with the first bytes of `from`. Usual lengths are told apart, for moves of a fixed length take a cycle, and
/// a call that copies any length a dozen.
#[inline]
pub(crate) fn copy_first(to: &mut [u8], from: &[u8]) {
    match to.len() {
        16 => to.copy_from_slice(&from[..16]),
        20 => to.copy_from_slice(&from[..20]),
        32 => to.copy_from_slice(&from[..32]),
        64 => to.copy_from_slice(&from[..64]),
        length => to.copy_from_slice(&from[..length]),
    }
}

/// In constant time for digests of one length; unequal to all others.
impl<H: Function, L: Length> PartialEq for Hash<H, L> {
    fn eq(&self, other: &Self) -> bool {
        equal(self.slice(), other.slice())
    }
}

impl<H: Function, L: Length> Eq for Hash<H, L> {}

/// In constant time for all slices of the digest's length; unequal to all others.
impl<H: Function, L: Length> PartialEq<[u8]> for Hash<H, L> {
    fn eq(&self, other: &[u8]) -> bool {
        equal(self.slice(), other)
    }
}

/// In constant time for all slices of the digest's length; unequal to all others.
impl<H: Function, L: Length> PartialEq<&[u8]> for Hash<H, L> {
    fn eq(&self, other: &&[u8]) -> bool {
        equal(self.slice(), other)
    }
}

/// In constant time for all arrays of the digest's length; unequal to all others.
impl<H: Function, L: Length, const N: usize> PartialEq<[u8; N]> for Hash<H, L> {
    fn eq(&self, other: &[u8; N]) -> bool {
        equal(self.slice(), other)
    }
}

/// In constant time for all vectors of the digest's length; unequal to all others.
#[cfg(feature = "alloc")]
impl<H: Function, L: Length> PartialEq<Vec<u8>> for Hash<H, L> {
    fn eq(&self, other: &Vec<u8>) -> bool {
        equal(self.slice(), other)
    }
}

/// In constant time for all arrays of the digest's length; unequal to all others.
impl<H: Function, L: Length, const N: usize> PartialEq<Hash<H, L>> for [u8; N] {
    fn eq(&self, other: &Hash<H, L>) -> bool {
        other == self
    }
}

/// By the bytes, as [`Ord`]. **Not in constant time.**
impl<H: Function, L: Length> PartialOrd for Hash<H, L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By the bytes from the first on; a digest comes after its own beginnings. **Not in constant time.**
impl<H: Function, L: Length> Ord for Hash<H, L> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.slice().cmp(other.slice())
    }
}

/// The bytes of a digest, if there are `N`.
impl<H: Function, const N: usize> TryFrom<Hash<H>> for [u8; N] {
    type Error = TryFromSliceError;

    /// # Errors
    ///
    /// If the digest does not have exactly `N` bytes.
    fn try_from(hash: Hash<H>) -> Result<Self, TryFromSliceError> {
        hash.slice().try_into()
    }
}

impl<H: Function<Bytes = [u8; N]>, const N: usize> From<Hash<H, Full>> for [u8; N] {
    fn from(hash: Hash<H, Full>) -> Self {
        hash.bytes
    }
}

impl<H: Function<Bytes = [u8; N]>, const N: usize> From<[u8; N]> for Hash<H, Full> {
    fn from(bytes: [u8; N]) -> Self {
        Self::from_bytes(bytes)
    }
}

/// Zeros: room for a digest.
impl<H: Function> Default for Hash<H, Full> {
    fn default() -> Self {
        Self { bytes: H::Bytes::ZERO, length: Full }
    }
}

/// A map with digests as its keys is asked by their bytes, too.
///
/// ```
/// use simd_digest::sha256::{self, Hash};
/// use std::collections::HashMap;
///
/// let names = HashMap::from([(sha256::hash(b"abc"), "abc")]);
/// let bytes: [u8; 32] = *sha256::hash(b"abc").as_bytes();
/// assert_eq!(names.get(&bytes), Some(&"abc"));
/// ```
impl<H: Function<Bytes = [u8; N]>, const N: usize> Borrow<[u8; N]> for Hash<H, Full> {
    fn borrow(&self) -> &[u8; N] {
        &self.bytes
    }
}

/// For maps whose keys are digests of BLAKE2, as `Borrow<[u8; N]>` is for the others.
impl<H: Function, L: Length> Borrow<[u8]> for Hash<H, L> {
    fn borrow(&self) -> &[u8] {
        self.slice()
    }
}

impl<H: Function, L: Length> core::hash::Hash for Hash<H, L> {
    fn hash<S: core::hash::Hasher>(&self, state: &mut S) {
        self.slice().hash(state);
    }
}

/// Why something is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseHashError {
    /// A number of bytes that no digest of the hash has, or half a byte.
    Length,
    /// A character that is not a hexadecimal digit.
    Digit,
}

impl fmt::Display for ParseHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a digest of this length is not possible",
            Self::Digit => "a character is not a hexadecimal digit",
        })
    }
}

impl core::error::Error for ParseHashError {}

#[cfg(feature = "zeroize")]
impl<H: Function, L: Length> zeroize::Zeroize for Hash<H, L> {
    /// Leaves zeros: one, or as many as the digest has if its length is fixed.
    fn zeroize(&mut self) {
        self.bytes.bytes_mut().zeroize();
        self.length = L::new(L::shortest(H::Bytes::LENGTH));
    }
}

//! Digests as values: compared in constant time, printed and parsed as hexadecimal.
#![forbid(unsafe_code)]

use core::fmt;
use core::hint::black_box;
use core::str::FromStr;

use crate::kernel::Block;

/// A hash whose digests are values.
pub trait Digested: Copy + 'static {
    /// A digest of full length.
    type Bytes: Block;
}

/// How many bytes of a full digest count.
pub trait Length: Copy {
    fn new(length: usize) -> Self;
    fn get(self, full: usize) -> usize;
}

/// Chosen at run time.
impl Length for u8 {
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
}

/// A digest.
///
/// Prints as lower-case hexadecimal and parses from either case. Comparison takes the same time wherever two digests
/// of one length differ, since a digest may be a MAC.
///
/// ```
/// use simd_digest::blake2b::{self, Hash};
///
/// let hash = blake2b::hash(b"abc");
/// let text = hash.to_string();
/// assert!(text.starts_with("ba80a53f981c4d0d"));
/// assert_eq!(text.parse::<Hash>()?, hash);
/// # Ok::<(), simd_digest::blake2b::ParseHashError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Hash<H: Digested, L: Length = u8> {
    /// The digest, then zeros.
    bytes: H::Bytes,
    length: L,
}

impl<H: Digested> Hash<H> {
    /// The first `length` bytes of `bytes`.
    #[inline]
    pub(crate) fn new(mut bytes: H::Bytes, length: usize) -> Self {
        if length < H::Bytes::LENGTH {
            bytes.bytes_mut()[length..].fill(0);
        }
        Self { bytes, length: Length::new(length) }
    }

    /// One byte, to be overwritten.
    #[cfg(feature = "alloc")]
    pub(crate) fn placeholder() -> Self {
        Self::new(H::Bytes::ZERO, 1)
    }

    /// The bytes of the digest.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.slice()
    }

    /// A digest of these bytes.
    ///
    /// # Errors
    ///
    /// If there are none, or more than the hash can make.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseHashError> {
        let mut words = H::Bytes::ZERO;
        let to = words.bytes_mut().get_mut(..bytes.len()).ok_or(ParseHashError::Length)?;
        if bytes.is_empty() {
            return Err(ParseHashError::Length);
        }
        to.copy_from_slice(bytes);
        Ok(Self::new(words, bytes.len()))
    }
}

impl<H: Digested, L: Length> Hash<H, L> {
    #[inline]
    fn slice(&self) -> &[u8] {
        &self.bytes.bytes()[..self.length.get(H::Bytes::LENGTH)]
    }

    /// Prints with these digits, after `0x` if the format says `#`, padded as it says.
    fn pad_hex(&self, f: &mut fmt::Formatter<'_>, digits: &[u8; 16]) -> fmt::Result {
        let mut text = [0; 2 + 2 * 64];
        text[..2].copy_from_slice(b"0x");
        let (pairs, _) = text[2..].as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(self.slice()) {
            *pair = [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
        }
        let begin = if f.alternate() { 0 } else { 2 };
        let text = &text[begin..2 + 2 * self.slice().len()];
        f.pad(core::str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

impl<H: Digested, L: Length> AsRef<[u8]> for Hash<H, L> {
    fn as_ref(&self) -> &[u8] {
        self.slice()
    }
}

impl<H: Digested, L: Length> PartialEq for Hash<H, L> {
    fn eq(&self, other: &Self) -> bool {
        self == other.slice()
    }
}

impl<H: Digested, L: Length> Eq for Hash<H, L> {}

/// In constant time for all slices of the digest's length; unequal to all others.
impl<H: Digested, L: Length> PartialEq<[u8]> for Hash<H, L> {
    #[inline(never)]
    fn eq(&self, other: &[u8]) -> bool {
        let bytes = self.slice();
        let difference = bytes.iter().zip(other).fold(0, |difference, (a, b)| black_box(difference | (a ^ b)));
        bytes.len() == other.len() && difference == 0
    }
}

impl<H: Digested, L: Length, const N: usize> PartialEq<[u8; N]> for Hash<H, L> {
    fn eq(&self, other: &[u8; N]) -> bool {
        self == other.as_slice()
    }
}

impl<H: Digested, L: Length> core::hash::Hash for Hash<H, L> {
    fn hash<S: core::hash::Hasher>(&self, state: &mut S) {
        self.slice().hash(state);
    }
}

impl<H: Digested, L: Length> fmt::LowerHex for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789abcdef")
    }
}

impl<H: Digested, L: Length> fmt::UpperHex for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789ABCDEF")
    }
}

impl<H: Digested, L: Length> fmt::Display for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl<H: Digested, L: Length> fmt::Debug for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl<H: Digested> FromStr for Hash<H> {
    type Err = ParseHashError;

    /// From an even number of hexadecimal digits of either case.
    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        let mut words = H::Bytes::ZERO;
        let bytes = words.bytes_mut().get_mut(..pairs.len()).ok_or(ParseHashError::Length)?;
        if pairs.is_empty() || !odd.is_empty() {
            return Err(ParseHashError::Length);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self::new(words, pairs.len()))
    }
}

fn digit(character: u8) -> Result<u8, ParseHashError> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        b'A'..=b'F' => Ok(character - b'A' + 10),
        _ => Err(ParseHashError::Digit),
    }
}

/// Why something is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseHashError {
    /// No bytes, half a byte, or more bytes than the hash can make.
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
impl<H: Digested> zeroize::Zeroize for Hash<H> {
    /// Leaves a digest of one zero.
    fn zeroize(&mut self) {
        self.bytes.bytes_mut().zeroize();
        self.length = 1;
    }
}

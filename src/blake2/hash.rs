//! A digest of a length chosen at run time.

use core::fmt;
use core::hint::black_box;
use core::str::FromStr;

use super::Family;
use crate::buffer::Block;

/// A digest: 1 to `8 W` bytes, where `W` is 8 for BLAKE2b, 4 for BLAKE2s.
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
pub struct Hash<F: Family> {
    /// The digest, then zeros.
    words: F::Words,
    length: u8,
}

impl<F: Family> Hash<F> {
    /// The first `length` bytes of `words`.
    #[inline]
    pub(super) fn new(mut words: F::Words, length: usize) -> Self {
        if length < F::Words::LENGTH {
            words.bytes_mut()[length..].fill(0);
        }
        #[expect(clippy::cast_possible_truncation, reason = "eight words have at most 64 bytes")]
        let length = length as u8;
        Self { words, length }
    }

    /// The bytes of the digest.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.words.bytes()[..self.length.into()]
    }

    /// A digest of these bytes.
    ///
    /// # Errors
    ///
    /// If there are none, or more than the hash can make.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseHashError> {
        let mut words = F::Words::ZERO;
        let to = words.bytes_mut().get_mut(..bytes.len()).ok_or(ParseHashError::Length)?;
        if bytes.is_empty() {
            return Err(ParseHashError::Length);
        }
        to.copy_from_slice(bytes);
        Ok(Self::new(words, bytes.len()))
    }
}

impl<F: Family> Hash<F> {
    /// Prints with these digits, after `0x` if the format says `#`, padded as it says.
    fn pad_hex(&self, f: &mut fmt::Formatter<'_>, digits: &[u8; 16]) -> fmt::Result {
        let mut text = [0; 2 + 2 * 64];
        text[..2].copy_from_slice(b"0x");
        let (pairs, _) = text[2..].as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(self.as_bytes()) {
            *pair = [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
        }
        let begin = if f.alternate() { 0 } else { 2 };
        let text = &text[begin..2 + 2 * self.as_bytes().len()];
        f.pad(core::str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

impl<F: Family> AsRef<[u8]> for Hash<F> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<F: Family> PartialEq for Hash<F> {
    fn eq(&self, other: &Self) -> bool {
        self == other.as_bytes()
    }
}

impl<F: Family> Eq for Hash<F> {}

/// In constant time for all slices of the digest's length; unequal to all others.
impl<F: Family> PartialEq<[u8]> for Hash<F> {
    #[inline(never)]
    fn eq(&self, other: &[u8]) -> bool {
        let bytes = self.as_bytes();
        let difference = bytes.iter().zip(other).fold(0, |difference, (a, b)| black_box(difference | (a ^ b)));
        bytes.len() == other.len() && difference == 0
    }
}

impl<F: Family, const N: usize> PartialEq<[u8; N]> for Hash<F> {
    fn eq(&self, other: &[u8; N]) -> bool {
        self == other.as_slice()
    }
}

impl<F: Family> core::hash::Hash for Hash<F> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl<F: Family> fmt::LowerHex for Hash<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789abcdef")
    }
}

impl<F: Family> fmt::UpperHex for Hash<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789ABCDEF")
    }
}

impl<F: Family> fmt::Display for Hash<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl<F: Family> fmt::Debug for Hash<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl<F: Family> FromStr for Hash<F> {
    type Err = ParseHashError;

    /// From an even number of hexadecimal digits of either case.
    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        let mut words = F::Words::ZERO;
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
impl<F: Family> zeroize::Zeroize for Hash<F> {
    /// Leaves a digest of one zero.
    fn zeroize(&mut self) {
        self.words.bytes_mut().zeroize();
        self.length = 1;
    }
}

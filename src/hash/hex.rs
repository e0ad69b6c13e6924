//! Digests as hexadecimal digits, and back.

use core::fmt;
use core::ops::Deref;
use core::str::FromStr;

use super::{Function, Hash, Length, ParseHashError, equal};
use crate::kernel::Block;

impl<H: Function, L: Length> Hash<H, L> {
    /// The digest as text, two lower-case hexadecimal digits a byte, without allocating.
    ///
    /// ```
    /// use simd_digest::blake2s;
    ///
    /// let hex = blake2s::hash(b"abc").to_hex();
    /// assert_eq!(&hex[..8], "508c5e8c");
    /// assert_eq!(hex.len(), 64);
    /// ```
    #[must_use]
    pub fn to_hex(&self) -> Hex {
        let mut text = [0; MAX_DIGITS];
        self.write_hex(&mut text, b"0123456789abcdef");
        Hex { text, length: 2 * self.slice().len() }
    }

    fn write_hex(&self, text: &mut [u8], digits: &[u8; 16]) {
        const { assert!(2 * H::Bytes::LENGTH <= MAX_DIGITS) }
        let (pairs, _) = text.as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(self.slice()) {
            *pair = [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
        }
    }

    /// Prints with these digits, after `0x` if the format says `#`, padded as it says.
    fn pad_hex(&self, f: &mut fmt::Formatter<'_>, digits: &[u8; 16]) -> fmt::Result {
        let mut text = [0; 2 + MAX_DIGITS];
        text[..2].copy_from_slice(b"0x");
        self.write_hex(&mut text[2..], digits);
        let begin = if f.alternate() { 0 } else { 2 };
        let text = &text[begin..2 + 2 * self.slice().len()];
        f.pad(core::str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

impl<H: Function, L: Length> fmt::LowerHex for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789abcdef")
    }
}

impl<H: Function, L: Length> fmt::UpperHex for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pad_hex(f, b"0123456789ABCDEF")
    }
}

impl<H: Function, L: Length> fmt::Display for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl<H: Function, L: Length> fmt::Debug for Hash<H, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl<H: Function, L: Length> FromStr for Hash<H, L> {
    type Err = ParseHashError;

    /// From two hexadecimal digits of either case for each byte, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ParseHashError::Length`] if the hash makes no digest of as many bytes, or half a byte is left.
    /// [`ParseHashError::Digit`] if a character is not a hexadecimal digit.
    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        let mut hash = Self::zeros(pairs.len())?;
        if !odd.is_empty() {
            return Err(ParseHashError::Length);
        }
        for (byte, [high, low]) in hash.bytes.bytes_mut().iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(hash)
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

/// Digits of the longest digest.
const MAX_DIGITS: usize = 2 * 64;

/// A digest as lower-case hexadecimal digits, two for each byte, made by [`Hash::to_hex`]. Derefs to `str`.
///
/// `==` of a `Hex` with a `Hex` or a `str` takes equal time wherever two texts of one length differ. `==` of two `str`,
/// borrowed from a `Hex` or not, does not.
#[derive(Clone, Copy)]
pub struct Hex {
    /// The digits, then zeros.
    text: [u8; MAX_DIGITS],
    length: usize,
}

impl Deref for Hex {
    type Target = str;

    fn deref(&self) -> &str {
        // Digits are always UTF-8.
        core::str::from_utf8(&self.text[..self.length]).unwrap_or_default()
    }
}

impl AsRef<str> for Hex {
    fn as_ref(&self) -> &str {
        self
    }
}

/// In constant time for texts of one length; unequal to all others.
impl PartialEq for Hex {
    fn eq(&self, other: &Self) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for Hex {}

/// In constant time for all texts of this length; unequal to all others, and to upper case.
impl PartialEq<str> for Hex {
    fn eq(&self, other: &str) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

/// In constant time for all texts of this length; unequal to all others, and to upper case.
impl PartialEq<&str> for Hex {
    fn eq(&self, other: &&str) -> bool {
        equal(self.as_bytes(), other.as_bytes())
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

/// Writes the text in quotes, as a `str`.
impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

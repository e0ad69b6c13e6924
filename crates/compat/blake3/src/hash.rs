//! The digest as a value. Apart from ours, for serde: 32 numbers here, and hexadecimal there.

use core::array::TryFromSliceError;
use core::{fmt, str};

use arrayvec::ArrayString;

use crate::{OUT_LEN, ours};

/// A digest of 32 bytes, compared in constant time.
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[derive(Clone, Copy, Eq)]
pub struct Hash([u8; OUT_LEN]);

impl Hash {
    #[inline]
    pub(crate) fn of(hash: ours::Hash) -> Self {
        Self(*hash.as_bytes())
    }

    fn ours(&self) -> ours::Hash {
        ours::Hash::from_bytes(self.0)
    }

    /// The bytes of the digest.
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; OUT_LEN] {
        &self.0
    }

    /// A digest of these bytes.
    pub const fn from_bytes(bytes: [u8; OUT_LEN]) -> Self {
        Self(bytes)
    }

    /// The bytes of the digest, as a slice.
    #[inline]
    pub const fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// A digest of these bytes.
    ///
    /// # Errors
    ///
    /// If there are not exactly 32.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, TryFromSliceError> {
        Ok(Self(bytes.try_into()?))
    }

    /// The digest as lower-case hexadecimal digits.
    pub fn to_hex(&self) -> ArrayString<{ 2 * OUT_LEN }> {
        ArrayString::from(&self.ours().to_hex()).expect("two digits a byte")
    }

    /// A digest of these hexadecimal digits, of either case.
    ///
    /// # Errors
    ///
    /// If there are not exactly 64, or one is no digit.
    pub fn from_hex(hex: impl AsRef<[u8]>) -> Result<Self, HexError> {
        let hex = hex.as_ref();
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            b'A'..=b'F' => Ok(byte - b'A' + 10),
            _ => Err(HexError(Inner::Byte(byte))),
        };
        let (pairs, []) = hex.as_chunks() else {
            return Err(HexError(Inner::Length(hex.len())));
        };
        let pairs: &[[u8; 2]; OUT_LEN] = pairs.try_into().map_err(|_| HexError(Inner::Length(hex.len())))?;
        let mut bytes = [0; OUT_LEN];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl From<[u8; OUT_LEN]> for Hash {
    #[inline]
    fn from(bytes: [u8; OUT_LEN]) -> Self {
        Self(bytes)
    }
}

impl From<Hash> for [u8; OUT_LEN] {
    #[inline]
    fn from(hash: Hash) -> Self {
        hash.0
    }
}

impl str::FromStr for Hash {
    type Err = HexError;

    fn from_str(hex: &str) -> Result<Self, HexError> {
        Self::from_hex(hex)
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Hash {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl PartialEq for Hash {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.ours() == other.ours()
    }
}

impl PartialEq<[u8; OUT_LEN]> for Hash {
    #[inline]
    fn eq(&self, other: &[u8; OUT_LEN]) -> bool {
        self.ours() == *other
    }
}

impl PartialEq<[u8]> for Hash {
    #[inline]
    fn eq(&self, other: &[u8]) -> bool {
        self.ours() == *other
    }
}

impl core::hash::Hash for Hash {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hash").field(&self.to_hex().as_str()).finish()
    }
}

/// Why digits are no digest.
#[derive(Clone, Debug)]
pub struct HexError(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Byte(u8),
    Length(usize),
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Inner::Byte(byte) if byte.is_ascii() => write!(f, "invalid hex character: {:?}", byte as char),
            Inner::Byte(byte) => write!(f, "invalid hex character: 0x{byte:x}"),
            Inner::Length(length) => write!(f, "expected 64 hex bytes, received {length}"),
        }
    }
}

impl core::error::Error for HexError {}

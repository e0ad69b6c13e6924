//! The header of an object: its fields, their bytes and the checksum over them.

use core::fmt;
use core::ops::RangeInclusive;

use simd_digest::blake2b;

use crate::hashing::MAGIC;
use crate::key::Hash;
use crate::layout::{HEADER, Layout};

/// The lengths that a stripe may have, in bytes.
pub(crate) const STRIPE_LENGTHS: RangeInclusive<u64> = 64..=16 << 20;

/// A length that a stripe may have.
pub(crate) fn stripe_length(bytes: u64) -> Option<u32> {
    STRIPE_LENGTHS.contains(&bytes).then(|| u32::try_from(bytes).ok()).flatten()
}

/// BLAKE2b with 16 bytes, over the header before it.
pub(crate) fn checksum(fields: &[u8]) -> Option<[u8; 16]> {
    let hash = blake2b::Params::new().hash_length(16).hash(fields).ok()?;
    hash.as_bytes().try_into().ok()
}

/// The fields of a header, all but checksums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) hash: Hash,
    pub(crate) keyed: bool,
    pub(crate) stripe: u32,
    pub(crate) random: [u8; 16],
}

impl Fields {
    pub(crate) fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = self.hash.code();
        bytes[9] = self.keyed.into();
        bytes[12..16].copy_from_slice(&self.stripe.to_le_bytes());
        bytes[16..].copy_from_slice(&self.random);
        bytes
    }

    /// The fields at the beginning of an object, of any key.
    pub(crate) fn parse(header: &[u8]) -> Result<Self, HeaderError> {
        let Some(header) = header.first_chunk::<HEADER>() else { return Err(HeaderError::Foreign) };
        if header[..7] != MAGIC[..7] {
            return Err(HeaderError::Foreign);
        }
        if header[7] != MAGIC[7] {
            return Err(HeaderError::Version(header[7]));
        }
        if checksum(&header[..48]).is_none_or(|checksum| checksum != header[48..]) {
            return Err(HeaderError::Checksum);
        }
        let hash = Hash::of_code(header[8]).ok_or(HeaderError::Field("hash"))?;
        let keyed = match header[9] {
            0 => false,
            1 => true,
            _ => return Err(HeaderError::Field("keyed flag")),
        };
        if header[10..12] != [0, 0] {
            return Err(HeaderError::Field("reserved bytes"));
        }
        let mut stripe = [0; 4];
        stripe.copy_from_slice(&header[12..16]);
        let stripe = stripe_length(u32::from_le_bytes(stripe).into()).ok_or(HeaderError::Field("stripe length"))?;
        let mut random = [0; 16];
        random.copy_from_slice(&header[16..32]);
        Ok(Self { hash, keyed, stripe, random })
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::of_stripes(self.stripe)
    }
}

/// Why the beginning of an object is no header that we can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// There is no header: the object was not written in this format, or its first bytes are damaged.
    Foreign,
    /// This version of the format is not known.
    Version(u8),
    /// The header is damaged.
    Checksum,
    /// A field, which is named, has a value that is not known.
    Field(&'static str),
    /// The object has a key, and we have none.
    NoKey,
    /// The object has no key, and we have one: anybody could have written the object.
    Unkeyed,
    /// The object has another key than ours.
    OtherKey,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("not written in stripes with digests, or damaged in its first bytes"),
            Self::Version(version) => {
                write!(f, "version {version} of the format is not known, or the header is damaged")
            }
            Self::Checksum => f.write_str("the header is damaged"),
            Self::Field(field) => write!(f, "the header has a {field} that is not known"),
            Self::NoKey => f.write_str("written with a key, and none was given"),
            Self::Unkeyed => f.write_str("written without a key, but only objects with the key are to be read"),
            Self::OtherKey => f.write_str("written with another key"),
        }
    }
}

impl core::error::Error for HeaderError {}

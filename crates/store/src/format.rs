//! How objects are written, and which are read.

use core::fmt;
use core::ops::RangeInclusive;
use std::sync::Arc;

use crate::hashing::Leaves;
use crate::header::{Fields, HeaderError, STRIPE_LENGTHS, checksum, stripe_length};
use crate::key::{Hash, Key};
use crate::layout::Layout;
use crate::stripes::Stripes;

/// How objects are written, and which objects can be read: a hash, the length of a stripe, and a key.
///
/// The default is BLAKE2b, 64 KiB, and no key. [`stripes`](Self::stripes) begins an object, and [`open`](Self::open)
/// reads the header of one, which may have another hash and another length of stripes.
///
/// ```
/// use simd_digest_store::{Format, Hash};
///
/// let format = Format::new(Hash::Blake2b).with_stripe_length(16 << 10)?.with_key(b"a secret")?;
/// let stripes = format.stripes()?;
/// assert_eq!(stripes.stored(100_000), Some(64 + 7 * 32 + 100_000));
/// # Ok::<(), simd_digest_store::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Format {
    hash: Hash,
    stripe: u32,
    key: Option<Arc<Key>>,
}

impl Format {
    /// The lengths that a stripe may have, in bytes: 64 to 16 MiB.
    pub const STRIPE_LENGTHS: RangeInclusive<u64> = STRIPE_LENGTHS;

    /// Stripes of 64 KiB with digests of this hash, without a key.
    #[must_use]
    pub fn new(hash: Hash) -> Self {
        Self { hash, stripe: 64 << 10, key: None }
    }

    /// This format with stripes of `bytes` bytes of the object each. A range is read by whole stripes, so short ranges
    /// want short stripes, and each stripe has a digest more to store.
    ///
    /// # Errors
    ///
    /// [`FormatError::StripeLength`] if the length is not one of [`STRIPE_LENGTHS`](Self::STRIPE_LENGTHS).
    pub fn with_stripe_length(self, bytes: u64) -> Result<Self, FormatError> {
        let stripe = stripe_length(bytes).ok_or(FormatError::StripeLength(bytes))?;
        Ok(Self { stripe, ..self })
    }

    /// This format with a key, which is copied, and wiped when dropped: BLAKE2 with a key, or HMAC-SHA-256.
    ///
    /// A key authenticates the stripes of an object as one whole. **Which object lies under a name, and how old the
    /// object is, are not authenticated**: whoever can write to the store can put an older object back, or another one.
    ///
    /// # Errors
    ///
    /// [`FormatError::KeyLength`] if the hash takes no key of this length: see [`Hash::key_lengths`].
    pub fn with_key(self, key: &[u8]) -> Result<Self, FormatError> {
        let error = FormatError::KeyLength { hash: self.hash, given: key.len() };
        let key = Key::new(self.hash, key).ok_or(error)?;
        Ok(Self { key: Some(Arc::new(key)), ..self })
    }

    /// The hash of new objects.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The length of the stripes of new objects, in bytes.
    #[must_use]
    pub fn stripe_length(&self) -> u32 {
        self.stripe
    }

    /// Whether there is a key. Then only objects with this key are read, and otherwise only objects without one.
    #[must_use]
    pub fn is_keyed(&self) -> bool {
        self.key.is_some()
    }

    /// The stripes of a new object, whose header gets 16 random bytes of the operating system: stripes of two objects
    /// cannot be exchanged unnoticed.
    ///
    /// # Errors
    ///
    /// [`FormatError::Random`] if the system gives no random bytes.
    pub fn stripes(&self) -> Result<Stripes, FormatError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| FormatError::Random)?;
        self.stripes_with(random)
    }

    /// As [`stripes`](Self::stripes), with these random bytes. **Stripes of two objects with equal random bytes can be
    /// exchanged** unnoticed, so this is for tests, and for callers with a source of their own.
    ///
    /// # Errors
    ///
    /// [`FormatError::KeyLength`] never happens: the lengths were checked before.
    pub fn stripes_with(&self, random: [u8; 16]) -> Result<Stripes, FormatError> {
        let fields = Fields { hash: self.hash, keyed: self.is_keyed(), stripe: self.stripe, random };
        self.of_fields(fields).ok_or(FormatError::KeyLength { hash: self.hash, given: self.key().len() })
    }

    /// The format of an object that begins with these bytes: its hash and its stripes, with our key.
    ///
    /// Bytes after the first [`Stripes::HEADER_LENGTH`] are not looked at.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if the bytes are no header, or have another key than ours, or none where we have one.
    pub fn open(&self, header: &[u8]) -> Result<Stripes, HeaderError> {
        let fields = Fields::parse(header)?;
        match (fields.keyed, &self.key) {
            (true, None) => return Err(HeaderError::NoKey),
            (false, Some(_)) => return Err(HeaderError::Unkeyed),
            _ => {}
        }
        let stripes = self.of_fields(fields).ok_or(HeaderError::OtherKey)?;
        // In constant time, for it may be a MAC.
        let same = stripes.header()[32..48]
            .iter()
            .zip(&header[32..48])
            .fold(0, |all, (a, b)| core::hint::black_box(all | (a ^ b)));
        if same != 0 {
            return Err(if fields.keyed { HeaderError::OtherKey } else { HeaderError::Field("key check") });
        }
        Ok(stripes)
    }

    /// The layout of new objects.
    pub(crate) fn layout(&self) -> Layout {
        Layout::of_stripes(self.stripe)
    }

    fn key(&self) -> &[u8] {
        self.key.as_deref().map_or(&[], Key::bytes)
    }

    /// The object with these fields and our key. `None` if the hash takes no such key.
    fn of_fields(&self, fields: Fields) -> Option<Stripes> {
        let key = self.key.as_deref();
        let leaves = Leaves::new(fields.hash, fields.stripe, key, &fields.random).ok()?;
        let mut header = [0; Stripes::HEADER_LENGTH];
        header[..32].copy_from_slice(&fields.bytes());
        if let Some(key) = key {
            header[32..48].copy_from_slice(&key.check(fields.hash, &fields.random, &fields.bytes())?);
        }
        let checksum = checksum(&header[..48])?;
        header[48..].copy_from_slice(&checksum);
        Some(Stripes { fields, header, leaves })
    }
}

impl Default for Format {
    fn default() -> Self {
        Self::new(Hash::default())
    }
}

/// Settings that are out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The length of a stripe.
    StripeLength(u64),
    /// The length of a key.
    KeyLength {
        /// The hash, which has the limits.
        hash: Hash,
        /// The length, in bytes.
        given: usize,
    },
    /// The operating system has no random bytes.
    Random,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StripeLength(given) => {
                let (least, most) = (Format::STRIPE_LENGTHS.start(), Format::STRIPE_LENGTHS.end());
                write!(f, "a stripe of {given} bytes, but it must have {least} to {most}")
            }
            Self::KeyLength { given: 0, .. } => f.write_str("the key is empty"),
            Self::KeyLength { hash, given } => {
                write!(f, "a key of {given} bytes, but {hash} takes at most {}", hash.key_lengths().end())
            }
            Self::Random => f.write_str("the operating system has no random bytes"),
        }
    }
}

impl core::error::Error for FormatError {}

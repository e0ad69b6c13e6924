//! The format of one object, without I/O.

use core::fmt;
use core::ops::{Range, RangeInclusive};
use std::sync::Arc;

use bytes::Bytes;
use simd_digest::blake2b;

use crate::hashing::{Hashing, Leaves, MAGIC};
use crate::key::{Hash, Key};
use crate::layout::{Layout, RangeError, Run};
use crate::rope::{Rope, trim};

/// The length of a digest, in bytes.
pub(crate) const DIGEST: usize = 32;

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
    pub const STRIPE_LENGTHS: RangeInclusive<u64> = 64..=16 << 20;

    /// Stripes of 64 KiB with digests of this hash, without a key.
    #[must_use]
    pub fn new(hash: Hash) -> Self {
        Self { hash, stripe: 64 << 10, key: None }
    }

    /// The same with stripes of `bytes` each: smaller ones for small ranges, since a range is read by whole stripes.
    ///
    /// # Errors
    ///
    /// [`FormatError::StripeLength`] if the length is not one of [`STRIPE_LENGTHS`](Self::STRIPE_LENGTHS).
    pub fn with_stripe_length(self, bytes: u64) -> Result<Self, FormatError> {
        let stripe = stripe_length(bytes).ok_or(FormatError::StripeLength(bytes))?;
        Ok(Self { stripe, ..self })
    }

    /// The same with a key, which is copied, and wiped when dropped: BLAKE2 with a key, or HMAC-SHA-256.
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

    /// Begins an object, with random bytes of the operating system.
    ///
    /// # Errors
    ///
    /// [`FormatError::Random`] if the system has none.
    pub fn stripes(&self) -> Result<Stripes, FormatError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| FormatError::Random)?;
        self.stripes_with(random)
    }

    /// Begins an object with these random bytes. **Two objects with the same bytes can exchange stripes** unnoticed, so
    /// this is for tests and for those who have a better source.
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
        let same = stripes.header[32..48]
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
        Layout { header: Stripes::HEADER_LENGTH as u64, digest: DIGEST as u64, stripe: self.stripe }
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

fn stripe_length(bytes: u64) -> Option<u32> {
    Format::STRIPE_LENGTHS.contains(&bytes).then(|| u32::try_from(bytes).ok()).flatten()
}

/// BLAKE2b with 16 bytes, over the header before it.
fn checksum(fields: &[u8]) -> Option<[u8; 16]> {
    let hash = blake2b::Params::new().hash_length(16).hash(fields).ok()?;
    hash.as_bytes().try_into().ok()
}

/// The fields of a header, all but checksums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    hash: Hash,
    keyed: bool,
    stripe: u32,
    random: [u8; 16],
}

impl Fields {
    fn bytes(&self) -> [u8; 32] {
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
        let Some(header) = header.first_chunk::<{ Stripes::HEADER_LENGTH }>() else { return Err(HeaderError::Foreign) };
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
        Layout { header: Stripes::HEADER_LENGTH as u64, digest: DIGEST as u64, stripe: self.stripe }
    }
}

/// The format of one object: a header, then stripes, each behind its digest. No method reads or writes anything.
///
/// ```
/// use bytes::Bytes;
/// use simd_digest_store::Format;
///
/// let format = Format::default().with_stripe_length(1000)?;
/// let stripes = format.stripes()?;
/// let message = Bytes::from(vec![7; 10_500]);
///
/// // To be stored: the header, and a rope of digests and slices of the message.
/// let mut stored = stripes.header().to_vec();
/// stripes.encode(0, [message.clone()], true)?.iter().for_each(|piece| stored.extend_from_slice(piece));
/// assert_eq!(Some(stored.len() as u64), stripes.stored(10_500));
///
/// // A range is read from the stripes around it.
/// let stripes = format.open(&stored)?;
/// let run = stripes.around(3210..3220, stripes.length(stored.len() as u64).unwrap())?;
/// let bytes = Bytes::copy_from_slice(&stored[run.stored().start as usize..run.stored().end as usize]);
/// assert_eq!(stripes.decode(&run, [bytes.clone()])?.concat(), [7; 10]);
///
/// // A bit flips.
/// let mut bytes = bytes.to_vec();
/// bytes[500] ^= 1;
/// let corrupt = stripes.decode(&run, [bytes.into()]).unwrap_err();
/// assert_eq!((corrupt.stripe, corrupt.range), (3, 3000..4000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Stripes {
    fields: Fields,
    header: [u8; Self::HEADER_LENGTH],
    pub(crate) leaves: Leaves,
}

impl Stripes {
    /// The length of a header, in bytes.
    pub const HEADER_LENGTH: usize = 64;

    /// The header, with which the stored object begins.
    #[must_use]
    pub fn header(&self) -> [u8; Self::HEADER_LENGTH] {
        self.header
    }

    /// The hash of the object.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.fields.hash
    }

    /// The length of every stripe but the last, in bytes.
    #[must_use]
    pub fn stripe_length(&self) -> u32 {
        self.fields.stripe
    }

    /// Whether the object has a key.
    #[must_use]
    pub fn is_keyed(&self) -> bool {
        self.fields.keyed
    }

    pub(crate) fn layout(&self) -> Layout {
        self.fields.layout()
    }

    /// The stored length of an object of `len` bytes, header included. `None` if that would exceed 64 bits, or 2^48
    /// stripes.
    #[must_use]
    pub fn stored(&self, len: u64) -> Option<u64> {
        self.layout().stored(len)
    }

    /// The length of the object that is stored in `stored` bytes. `None` if no object is stored in as many.
    #[must_use]
    pub fn length(&self, stored: u64) -> Option<u64> {
        self.layout().length(stored)
    }

    /// The stripes that have bytes of `range` of an object of `len` bytes, and where they are stored.
    ///
    /// An empty range has none, but for that of an empty object, which has one empty stripe.
    ///
    /// # Errors
    ///
    /// If the range is not within the object, or [`stored`](Self::stored) is `None`.
    pub fn around(&self, range: Range<u64>, len: u64) -> Result<Run, RangeError> {
        self.layout().around(range, len)
    }

    /// The stored form of consecutive stripes, of which `first` is the number of the first: digests and slices of
    /// `bytes`, alternately. Bytes are not copied.
    ///
    /// With `ends`, the object ends with `bytes`: the last stripe may be shorter. An object must end with a stripe that
    /// has bytes, or be empty: then its one stripe is empty.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if `bytes` are no whole stripes and do not end the object, if an object that is not empty would end
    /// with an empty stripe, or if there are more than 2^48 stripes. Then nothing is hashed.
    pub fn encode(
        &self,
        first: u64,
        bytes: impl IntoIterator<Item = Bytes>,
        ends: bool,
    ) -> Result<Vec<Bytes>, EncodeError> {
        let mut rope: Rope = bytes.into_iter().collect();
        let length = rope.len() as u64;
        let stripe = u64::from(self.fields.stripe);
        let wrong = if ends { length == 0 && first > 0 } else { !length.is_multiple_of(stripe) };
        if wrong {
            return Err(EncodeError::Length { length: rope.len(), stripe: self.fields.stripe });
        }
        let end = first.checked_mul(stripe).and_then(|begin| begin.checked_add(length));
        if end.and_then(|end| self.stored(end)).is_none() {
            return Err(EncodeError::TooLong);
        }
        let mut encoded = Vec::new();
        let mut first = first;
        while rope.len() > 0 || (ends && first == 0 && encoded.is_empty()) {
            let mut hashing =
                self.begin(&mut first, &mut rope, self.layout().group(), ends).ok_or(EncodeError::TooLong)?;
            while hashing.left() > 0 {
                hashing.step(usize::MAX);
            }
            encoded.extend(finish(hashing));
        }
        Ok(encoded)
    }

    /// Begins to hash at most `most` of the next stripes of a rope, which ends the object if it `ends`.
    pub(crate) fn begin(&self, first: &mut u64, rope: &mut Rope, most: u64, ends: bool) -> Option<Hashing> {
        let mut stripes = Vec::new();
        let length = self.fields.stripe as usize;
        for _ in 0..most {
            let pieces = rope.take(length);
            let is_last = ends && rope.len() == 0;
            stripes.push((*first, is_last, pieces));
            *first += 1;
            if rope.len() == 0 || (!ends && rope.len() < length) {
                break;
            }
        }
        Hashing::new(&self.leaves, stripes).ok()
    }

    /// The bytes of the range that `run` is around, from its stored stripes.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] with the first stripe that has another digest, or is not all there. Bytes after the last stripe are
    /// corruption of it.
    pub fn decode(&self, run: &Run, stored: impl IntoIterator<Item = Bytes>) -> Result<Vec<Bytes>, Corrupt> {
        let layout = self.layout();
        let mut rope: Rope = stored.into_iter().collect();
        let corrupt = |stripe| Corrupt { stripe, range: layout.bytes_of(stripe, run.len) };
        let last = layout.count(run.len) - 1;
        let mut decoded = Vec::new();
        let mut next = run.stripes.start;
        while next < run.stripes.end {
            let (mut digests, mut stripes) = (Vec::new(), Vec::new());
            let end = run.stripes.end.min(next + layout.group());
            let mut missing = None;
            for number in next..end {
                let bytes = layout.bytes_of(number, run.len);
                let length = usize::try_from(bytes.end - bytes.start).map_err(|_| corrupt(number))?;
                match rope.array::<DIGEST>() {
                    Some(digest) if rope.len() >= length => {
                        digests.push(digest);
                        stripes.push((number, number == last, rope.take(length)));
                    }
                    _ => {
                        missing = Some(number);
                        break;
                    }
                }
            }
            let mut hashing = Hashing::new(&self.leaves, stripes).map_err(|_| corrupt(next))?;
            while hashing.left() > 0 {
                hashing.step(usize::MAX);
            }
            let (own, pieces) = hashing.finish();
            for ((number, digest), i) in (next..).zip(&digests).zip(0..) {
                if !own.is(i, digest) {
                    return Err(corrupt(number));
                }
            }
            if let Some(number) = missing {
                return Err(corrupt(number));
            }
            decoded.extend(pieces.into_iter().flatten());
            next = end;
        }
        if rope.len() > 0 {
            return Err(corrupt(run.stripes.end.saturating_sub(1).max(run.stripes.start)));
        }
        let Run { bytes, wanted, .. } = run;
        Ok(trim(decoded, wanted.start.saturating_sub(bytes.start), wanted.end - wanted.start).collect())
    }
}

/// Digests and stripes, alternately.
pub(crate) fn finish(hashing: Hashing) -> Vec<Bytes> {
    let (digests, stripes) = hashing.finish();
    let digests = digests.bytes();
    let digest = |i: usize| digests.slice(i * DIGEST..(i + 1) * DIGEST);
    let count = stripes.iter().map(Vec::len).sum::<usize>() + stripes.len();
    let mut rope = Vec::with_capacity(count);
    for (i, pieces) in stripes.into_iter().enumerate() {
        rope.push(digest(i));
        rope.extend(pieces);
    }
    rope
}

/// All but the key.
impl fmt::Debug for Stripes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fields { hash, keyed, stripe, .. } = &self.fields;
        f.debug_struct("Stripes")
            .field("hash", hash)
            .field("keyed", keyed)
            .field("stripe_length", stripe)
            .finish_non_exhaustive()
    }
}

/// A stripe that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt {
    /// The number of the stripe.
    pub stripe: u64,
    /// The bytes of the object that are in the stripe, as far as the stored length tells.
    pub range: Range<u64>,
}

impl Corrupt {
    /// The corruption behind an error of any crate, if it is one.
    #[must_use]
    pub fn find<'a>(error: &'a (dyn core::error::Error + 'static)) -> Option<&'a Self> {
        let mut error = Some(error);
        while let Some(current) = error {
            if let Some(corrupt) = current.downcast_ref() {
                return Some(corrupt);
            }
            error = current.source();
        }
        None
    }
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stripe, range: Range { start, end } } = self;
        write!(f, "stripe {stripe}, bytes {start}..{end}, has another digest than when it was written")
    }
}

impl core::error::Error for Corrupt {}

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

/// Why bytes cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// Bytes that are no whole stripes, or an empty stripe at the end of an object that has others.
    Length {
        /// The number of bytes.
        length: usize,
        /// The length of a stripe.
        stripe: u32,
    },
    /// The object would have more than 2^48 stripes, or 2^64 bytes.
    TooLong,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { length: 0, .. } => f.write_str("an object that is not empty ends with an empty stripe"),
            Self::Length { length, stripe } => write!(f, "{length} bytes are no whole stripes of {stripe} bytes"),
            Self::TooLong => f.write_str("the object has too many stripes"),
        }
    }
}

impl core::error::Error for EncodeError {}

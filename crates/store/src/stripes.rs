//! The format of one object, without I/O.

use core::fmt;
use core::ops::Range;

use bytes::Bytes;
use simd_digest::blake2::Part;

use crate::check::Object;
use crate::corrupt::Corrupt;
use crate::hashing::{Hashing, Leaves};
use crate::header::Fields;
use crate::key::Hash;
use crate::layout::{DIGEST, HEADER, Layout, RangeError, Run};
use crate::rope::{Rope, trim};

/// The format of one object: a header, then stripes, each behind its digest. No method reads or writes anything.
///
/// ```
/// use bytes::Bytes;
/// use simd_digest_store::{Format, Part};
///
/// let format = Format::default().with_stripe_length(1000)?;
/// let stripes = format.stripes()?;
/// let message = Bytes::from(vec![7; 10_500]);
///
/// // To be stored: the header, and a rope of digests and slices of the message.
/// let mut stored = stripes.header().to_vec();
/// stripes.encode(0, [message.clone()], Part::Last)?.iter().for_each(|piece| stored.extend_from_slice(piece));
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
    pub(crate) fields: Fields,
    pub(crate) header: [u8; Self::HEADER_LENGTH],
    pub(crate) leaves: Leaves,
}

impl Stripes {
    /// The length of a header, in bytes.
    pub const HEADER_LENGTH: usize = HEADER;

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

    /// The length in bytes of an object that takes `stored` bytes in the store, header and digests included. `None` if no
    /// length of object takes so many.
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
    /// With [`Part::Last`], the object ends with `bytes`: the last stripe may be shorter. An object must end with a
    /// stripe that has bytes, or be empty: then its one stripe is empty.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if `bytes` are no whole stripes and do not end the object, if an object that is not empty would
    /// end with an empty stripe, or if there are more than 2^48 stripes. Then nothing is hashed.
    pub fn encode(
        &self,
        first: u64,
        bytes: impl IntoIterator<Item = Bytes>,
        part: Part,
    ) -> Result<Vec<Bytes>, EncodeError> {
        let ends = part == Part::Last;
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
        let object = Object { layout: self.layout(), leaves: &self.leaves, len: run.len };
        let mut rope: Rope = stored.into_iter().collect();
        let mut decoded = Vec::new();
        let mut next = run.stripes.start;
        while next < run.stripes.end {
            let end = run.stripes.end.min(next + object.layout.group());
            let stripes = object.cut(next..end, &mut rope);
            let missing = next + stripes.len() as u64;
            let mut check = object.check(stripes).map_err(|_| object.corrupt(next))?;
            while check.hashing.left() > 0 {
                check.hashing.step(usize::MAX);
            }
            let (pieces, corrupt) = check.finish(|_| None, |_| {});
            if let Some(corrupt) = corrupt.or_else(|| (missing < end).then(|| object.corrupt(missing))) {
                return Err(corrupt);
            }
            decoded.extend(pieces.into_iter().flatten());
            next = end;
        }
        if rope.len() > 0 {
            return Err(object.corrupt(run.stripes.end.saturating_sub(1).max(run.stripes.start)));
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

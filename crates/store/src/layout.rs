//! Where stripes and digests lie: arithmetic on lengths, which reads nothing.

use core::fmt;
use core::ops::Range;

/// The length of a digest, in bytes.
pub(crate) const DIGEST: usize = 32;

/// The length of a header, in bytes.
pub(crate) const HEADER: usize = 64;

/// The most stripes of an object: BLAKE2s numbers leaves with 48 bits.
const MOST_STRIPES: u64 = 1 << 48;

/// A header, then stripes, each behind its digest. Without a header and digests, these are the bytes of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The length of the header, in bytes.
    pub(crate) header: u64,
    /// The length of the digest before each stripe, in bytes.
    pub(crate) digest: u64,
    /// The length of every stripe but the last, in bytes. Never 0.
    pub(crate) stripe: u32,
}

impl Layout {
    /// The layout of objects with a header, and stripes of this length behind their digests.
    pub(crate) fn of_stripes(stripe: u32) -> Self {
        Self { header: HEADER as u64, digest: DIGEST as u64, stripe }
    }

    fn stripe(&self) -> u64 {
        u64::from(self.stripe).max(1)
    }

    /// The number of stripes of an object of `len` bytes. An empty object has one, which is empty.
    pub(crate) fn count(&self, len: u64) -> u64 {
        len.div_ceil(self.stripe()).max(1)
    }

    /// The stored length of an object of `len` bytes. `None` if it has too many stripes, or exceeds 64 bits.
    pub(crate) fn stored(&self, len: u64) -> Option<u64> {
        let count = self.count(len);
        if count > MOST_STRIPES {
            return None;
        }
        count.checked_mul(self.digest)?.checked_add(self.header)?.checked_add(len)
    }

    /// The length of an object that is stored in `stored` bytes. `None` if no object is.
    pub(crate) fn length(&self, stored: u64) -> Option<u64> {
        let body = stored.checked_sub(self.header)?;
        let count = body.div_ceil(self.digest + self.stripe()).max(1);
        let len = body.checked_sub(count.checked_mul(self.digest)?)?;
        (self.stored(len) == Some(stored)).then_some(len)
    }

    /// The bytes of stripe `number` of an object of `len` bytes.
    pub(crate) fn bytes_of(&self, number: u64, len: u64) -> Range<u64> {
        let start = number.saturating_mul(self.stripe()).min(len);
        start..start.saturating_add(self.stripe()).min(len)
    }

    /// The stored bytes of these stripes, digests included, of an object of `len` bytes, which has them.
    pub(crate) fn stored_of(&self, stripes: &Range<u64>, len: u64) -> Range<u64> {
        let begin = |number: u64| {
            let bytes = number.saturating_mul(self.stripe()).min(len);
            number.min(self.count(len)).saturating_mul(self.digest).saturating_add(self.header).saturating_add(bytes)
        };
        begin(stripes.start)..begin(stripes.end)
    }

    /// The stripes that have bytes of `range`. All of an empty object is its one stripe.
    pub(crate) fn around(&self, range: Range<u64>, len: u64) -> Result<Run, RangeError> {
        if self.stored(len).is_none() || range.start > range.end || range.end > len {
            return Err(RangeError { range, len });
        }
        let stripes = if len == 0 {
            0..1
        } else if range.is_empty() {
            let number = range.start / self.stripe();
            number..number
        } else {
            range.start / self.stripe()..range.end.div_ceil(self.stripe())
        };
        let bytes = self.bytes_of(stripes.start, len).start
            ..stripes.end.saturating_mul(self.stripe()).min(len).max(self.bytes_of(stripes.start, len).start);
        let bytes = if stripes.is_empty() { range.start..range.start } else { bytes };
        let stored = self.stored_of(&stripes, len);
        Ok(Run { stripes, bytes, stored, wanted: range, len })
    }

    /// As many stripes as are hashed together: enough for all lanes, in 1 MiB if it can be, and in 8 MiB or one stripe
    /// at most.
    pub(crate) fn group(&self) -> u64 {
        let stripe = self.stripe();
        ((1 << 20) / stripe).max(((8 << 20) / stripe).min(16)).clamp(1, 1024)
    }
}

/// The stripes around a range of bytes, and where they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub(crate) stripes: Range<u64>,
    pub(crate) bytes: Range<u64>,
    pub(crate) stored: Range<u64>,
    pub(crate) wanted: Range<u64>,
    pub(crate) len: u64,
}

impl Run {
    /// The numbers of the stripes.
    #[must_use]
    pub fn stripes(&self) -> Range<u64> {
        self.stripes.clone()
    }

    /// The bytes of the object that are in these stripes.
    #[must_use]
    pub fn bytes(&self) -> Range<u64> {
        self.bytes.clone()
    }

    /// The bytes to read from the stored object: the stripes, each behind its digest.
    #[must_use]
    pub fn stored(&self) -> Range<u64> {
        self.stored.clone()
    }

    /// The range that was asked for, which [`decode`](crate::Stripes::decode) returns.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.wanted.clone()
    }
}

/// A range that is not within the object, or an object that is too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeError {
    range: Range<u64>,
    len: u64,
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { range: Range { start, end }, len } = self;
        write!(f, "bytes {start}..{end} are no range of an object of {len} bytes, or it is too long to be stored")
    }
}

impl core::error::Error for RangeError {}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Layout = Layout { header: 64, digest: 32, stripe: 100 };

    #[test]
    fn lengths_both_ways() {
        let mut possible = 0;
        for len in 0..1000 {
            let stored = SMALL.stored(len).unwrap();
            assert_eq!(SMALL.length(stored), Some(len));
        }
        for stored in 0..1500 {
            if let Some(len) = SMALL.length(stored) {
                assert_eq!(SMALL.stored(len), Some(stored));
                possible += 1;
            }
        }
        assert_eq!(possible, (0..1500).filter(|&len| SMALL.stored(len).unwrap() < 1500).count());
        for len in [0, 1, 1 << 40, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            for stripe in [1, 64, 100, 1 << 24, u32::MAX] {
                for (header, digest) in [(64, 32), (0, 0)] {
                    let layout = Layout { header, digest, stripe };
                    if let Some(stored) = layout.stored(len) {
                        assert_eq!(layout.length(stored), Some(len));
                    }
                    if let Some(length) = layout.length(len) {
                        assert_eq!(layout.stored(length), Some(len));
                    }
                    let _ = layout.around(len..len, len);
                    let _ = layout.around(0..len, len);
                    let _ = layout.around(0..u64::MAX, len);
                }
            }
        }
    }

    #[test]
    fn stripes_around_a_range() {
        for len in 0..350 {
            for start in 0..=len {
                for end in start..=len {
                    let run = SMALL.around(start..end, len).unwrap();
                    assert_eq!(run.wanted, start..end);
                    if end > start {
                        assert!(run.bytes.start <= start && end <= run.bytes.end && run.bytes.end <= len);
                        assert!(start - run.bytes.start < 100 && run.bytes.end - end < 100);
                    }
                    let count = run.stripes.end - run.stripes.start;
                    assert_eq!(run.stored.end - run.stored.start, 32 * count + run.bytes.end - run.bytes.start);
                }
            }
            let run = SMALL.around(0..len, len).unwrap();
            assert_eq!((run.stored.start, Some(run.stored.end)), (64, SMALL.stored(len)));
        }
        #[expect(clippy::reversed_empty_ranges, reason = "it is what is tested")]
        let ranges = [3..2, 0..11, 11..11];
        for range in ranges {
            assert!(SMALL.around(range, 10).is_err());
        }
    }
}

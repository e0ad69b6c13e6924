//! Numbers as people write them, on the command line and in the lines of check files.
//!
//! An error is the end of a message to the user.

use core::num::NonZeroUsize;

/// The length of a digest in bytes, which the algorithm may limit further.
pub(crate) fn digest_length(text: &str) -> Result<usize, &'static str> {
    let length = decimal(text).filter(|length| (1..=1 << 20).contains(length));
    length.and_then(|length| length.try_into().ok()).ok_or("not a number of bytes from 1 to 64, of blake3 to 1048576")
}

/// The length of a digest in bytes, from a number of bits. 0 stands for the usual length.
pub(crate) fn digest_bits(text: &str) -> Result<usize, &'static str> {
    let bits = decimal(text).and_then(|bits| usize::try_from(bits).ok());
    match bits {
        Some(bits) if bits <= 8 << 20 && bits.is_multiple_of(8) => Ok(bits / 8),
        _ => Err("not a multiple of 8 from 8 to 512, of blake3 to 8388608, nor 0"),
    }
}

/// A number of threads. More than 256 are taken for 256, since more would be of no use.
pub(crate) fn thread_count(text: &str) -> Result<NonZeroUsize, &'static str> {
    let count = decimal(text).and_then(|count| usize::try_from(count.min(256)).ok());
    count.and_then(NonZeroUsize::new).ok_or("not a number of threads from 1")
}

/// The first byte and the last of a range; `u64::MAX` is the last byte of `A-`.
pub(crate) fn byte_range(text: &str) -> Result<(u64, u64), &'static str> {
    let ends = text
        .split_once('-')
        .and_then(|(first, last)| Some((decimal(first)?, if last.is_empty() { u64::MAX } else { decimal(last)? })));
    ends.filter(|(first, last)| first <= last)
        .ok_or("not the numbers of a first and a last byte, or of a first one and -")
}

/// How much of a store a sample reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Millionths of a percent of all bytes.
    Part(u32),
    Bytes(u64),
}

impl Share {
    /// A twentieth.
    pub(crate) const USUAL: Self = Self::Part(5_000_000);

    #[cfg(target_os = "linux")]
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self, Self::Part(0) | Self::Bytes(0))
    }
}

/// A share of a store. A number alone could be meant for a number of percent, except 0.
pub(crate) fn share(text: &str) -> Result<Share, &'static str> {
    let number = bytes(text).filter(|&bytes| bytes == 0 || !text.ends_with(|last: char| last.is_ascii_digit()));
    number
        .map(Share::Bytes)
        .or_else(|| percent(text).map(Share::Part))
        .ok_or("give 0% to 100% (at most 6 decimals), a size such as 20g, or 0")
}

/// A share in millionths of a percent, from a number with a percent sign.
fn percent(text: &str) -> Option<u32> {
    let number = text.strip_suffix('%').and_then(|number| {
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let digits = part.len();
        let part = decimal(part).filter(|_| (1..=6).contains(&digits))? * 10_u64.pow(6 - u32::try_from(digits).ok()?);
        decimal(whole)?.checked_mul(1_000_000)?.checked_add(part)
    });
    number.filter(|&share| share <= 100_000_000).and_then(|share| share.try_into().ok())
}

/// A number of bytes in a second, which is not 0.
pub(crate) fn rate(text: &str) -> Result<u64, &'static str> {
    bytes(text)
        .filter(|&rate| rate > 0)
        .ok_or("not a number of bytes from 1, with k, m, g, KiB, MiB, GiB or nothing after it")
}

/// The length of a leaf in bytes.
pub(crate) fn chunk_length(text: &str) -> Result<u32, &'static str> {
    let length = bytes(text).and_then(|length| length.try_into().ok()).filter(|&length| length > 0);
    length.ok_or("not 1 to 4294967295 bytes, written as a number with k, m, g, KiB, MiB, GiB or nothing after it")
}

/// A number of bytes: digits, then perhaps a unit, and nothing else.
fn bytes(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" => Some(1),
        "k" | "kib" => Some(1 << 10),
        "m" | "mib" => Some(1 << 20),
        "g" | "gib" => Some(1 << 30),
        _ => None,
    };
    decimal(digits).zip(factor).and_then(|(number, factor)| number.checked_mul(factor))
}

/// A number of decimal digits only: the standard parser would accept a plus sign.
pub(crate) fn decimal(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Writes the length of a leaf with the largest unit that divides it.
pub(crate) fn in_largest_unit(chunk: u32) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K"), (0, "")];
    let (shift, unit) = units.into_iter().find(|(shift, _)| chunk.trailing_zeros() >= *shift).unwrap_or((0, ""));
    format!("{}{unit}", chunk >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::LONGEST_OUTPUT;

    #[test]
    fn chunk_lengths() {
        let good = [
            ("1", 1),
            ("007", 7),
            ("4096", 4096),
            ("1k", 1 << 10),
            ("1K", 1 << 10),
            ("3KiB", 3 << 10),
            ("3kib", 3 << 10),
            ("5m", 5 << 20),
            ("5M", 5 << 20),
            ("5MIB", 5 << 20),
            ("3g", 3 << 30),
            ("3GiB", 3 << 30),
            ("4294967295", u32::MAX),
            ("4194303k", 4_194_303 << 10),
        ];
        for (text, length) in good {
            assert_eq!(chunk_length(text), Ok(length), "{text}");
        }
    }

    #[test]
    fn not_chunk_lengths() {
        let zero = ["0", "000", "0k", "0GiB"];
        let large = ["4g", "4GiB", "4096m", "4194304k", "4294967296", "18446744073709551615g", "18446744073709551616"];
        let junk = [
            "", " ", "k", "m5", "x5m", " 5m", "5m ", "5 m", "5mm", "5mi", "5b", "5KB", "5MB", "5GB", "5t", "5m5", "-1",
            "-5m", "+5", "+5m", "1.5m", "1e3", "0x10", "5_000", "5,000", "٥", "5\n", "5m\0", "5µ",
        ];
        for text in zero.iter().chain(&large).chain(&junk) {
            assert!(chunk_length(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn digest_lengths() {
        assert_eq!(["1", "40", "064", "1048576"].map(digest_length), [Ok(1), Ok(40), Ok(64), Ok(LONGEST_OUTPUT)]);
        for text in ["", "0", "1048577", "-1", "+1", "64k", "x64", " 64", "64 ", "18446744073709551617"] {
            assert!(digest_length(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn digest_bit_lengths() {
        let good = ["0", "8", "256", "512", "8388608"];
        assert_eq!(good.map(digest_bits), [Ok(0), Ok(1), Ok(32), Ok(64), Ok(LONGEST_OUTPUT)]);
        for text in ["", "4", "12", "513", "8388609", "8388616", "-8", "+8", "8 ", "18446744073709551616"] {
            assert!(digest_bits(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn shares_and_rates() {
        let shares = ["0%", "5%", "0.5%", "12.000001%", "100%", "007.50%"];
        let parts = [0, 5_000_000, 500_000, 12_000_001, 100_000_000, 7_500_000];
        assert_eq!(shares.map(share), parts.map(|part| Ok(Share::Part(part))));
        let lengths = ["0", "0k", "20g", "1KiB"].map(share);
        assert_eq!(lengths, [0, 0, 20 << 30, 1024].map(|bytes| Ok(Share::Bytes(bytes))));
        for text in ["", "%", "5", "5 %", "-5%", "+5%", "101%", "100.000001%", "1.0000001%", ".5%", "5.%", "1,5%", "x%"]
            .into_iter()
            .chain(["20", "1.5g", "5GB", "-1k", "k", "99999999999g", "5k%"])
        {
            assert!(share(text).is_err(), "{text:?}");
        }
        assert_eq!(["1", "50m", "16g"].map(rate), [1, 50 << 20, 16 << 30].map(Ok));
        for text in ["", "0", "0k", "5MB", "-1", "1.5m"] {
            assert!(rate(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn byte_ranges() {
        assert_eq!(["0-0", "5-9", "7-"].map(byte_range), [Ok((0, 0)), Ok((5, 9)), Ok((7, u64::MAX))]);
        for text in ["", "-", "5", "-5", "9-5", "5--9", "5-9-", "+5-9", "5-+9", " 5-9", "5k-9k", "a-b"] {
            assert!(byte_range(text).is_err(), "{text:?}");
        }
    }
}

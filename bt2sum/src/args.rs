//! The command line.

use std::ffi::{OsStr, OsString};

use clap::{Parser, ValueEnum};

use crate::input::Source;

const AFTER_HELP: &str = "\
Format:
  BLAKE2b-64 (NAME) = HEX    a file
  BLAKE2b-64 = HEX           standard input
  The number is the length of the digest in bytes. The line of a NAME with a backslash, a line
  feed or a carriage return begins with a backslash, and the name has \\\\, \\n and \\r for them.

Digest:
  BLAKE2b as a tree of unlimited fanout and depth 2: every SIZE bytes are a leaf, the last leaf
  has what remains, and the root hashes the digests of the leaves. An empty input is one empty
  leaf. A pipe gives the digest of a file with the same bytes, whatever its writes.

Sizes:
  k, m and g (or KiB, MiB and GiB), in either case, multiply by 1024, 1024^2 and 1024^3. KB, MB
  and GB, which are 1000 to some and 1024 to others, are refused.

Exit status:
  0  all files were hashed
  1  a file could not be read, or the output not written; the other files are still hashed
  2  the arguments are wrong; nothing is hashed";

/// Prints BLAKE2b tree checksums of files.
#[derive(Debug, Parser)]
#[command(version, args_override_self = true, after_long_help = AFTER_HELP)]
pub(crate) struct Options {
    /// Hash of the leaves and of the root
    #[arg(short, long, value_enum, default_value = "blake2b")]
    pub(crate) algorithm: Algorithm,

    /// Length of all digests, 1 to 64
    #[arg(short, long, value_name = "BYTES", default_value = "64", allow_hyphen_values = true, value_parser = digest_length)]
    pub(crate) size: usize,

    /// Length of a leaf, less than 4g
    #[arg(short = 't', long, value_name = "SIZE", default_value = "5m", allow_hyphen_values = true, value_parser = chunk_length)]
    pub(crate) chunk: u32,

    /// Files to hash; `-` is standard input, and the default
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

impl Options {
    /// What to hash, in the order given.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        let default = self.files.is_empty().then(|| OsStr::new("-"));
        self.files.iter().map(OsString::as_os_str).chain(default).map(Source::named)
    }
}

/// A hash that can make a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    Blake2b,
}

impl Algorithm {
    /// As lines of output begin.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Blake2b => "BLAKE2b",
        }
    }
}

fn digest_length(text: &str) -> Result<usize, &'static str> {
    let length = number(text).filter(|length| (1..=64).contains(length));
    length.and_then(|length| length.try_into().ok()).ok_or("not a number of bytes from 1 to 64")
}

/// Digits, and perhaps a unit, with nothing before, between or after.
fn chunk_length(text: &str) -> Result<u32, &'static str> {
    let (digits, unit) = text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" => Some(1),
        "k" | "kib" => Some(1 << 10),
        "m" | "mib" => Some(1 << 20),
        "g" | "gib" => Some(1 << 30),
        _ => None,
    };
    let length = number(digits).zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    let length = length.and_then(|length| length.try_into().ok()).filter(|&length| length > 0);
    length.ok_or("not 1 to 4294967295 bytes, written as a number with k, m, g, KiB, MiB, GiB or nothing after it")
}

/// Only digits: the standard parser would take a plus sign.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_no_contradiction() {
        Options::command().debug_assert();
    }

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
        assert_eq!(["1", "40", "064"].map(digest_length), [Ok(1), Ok(40), Ok(64)]);
        for text in ["", "0", "65", "256", "-1", "+1", "64k", "x64", " 64", "64 ", "18446744073709551617"] {
            assert!(digest_length(text).is_err(), "{text:?}");
        }
    }
}

//! Where, when and how the figures were taken.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The compiler, as it calls itself.
pub(crate) const COMPILER: &str = env!("COMPILER");

const LOCK: &str = include_str!("../../../Cargo.lock");

/// The version of a package that this was built with.
fn version(package: &str) -> &'static str {
    let quoted = |line: &'static str, key| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"');
    let mut lines = LOCK.lines().skip_while(|&line| quoted(line, "name") != Some(package));
    lines.nth(1).and_then(|line| quoted(line, "version")).unwrap_or("of unknown version")
}

/// A package and its version.
pub(crate) fn named(package: &str) -> String {
    format!("`{package}` {}", version(package))
}

/// The OpenSSL of the system, if it is a peer, as it calls itself.
pub(crate) fn openssl() -> Option<String> {
    #[cfg(feature = "openssl")]
    return Some(crate::evp::version().into());
    #[cfg(not(feature = "openssl"))]
    None
}

/// The environment's choice of CPU features for OpenSSL and `aws-lc-rs`, as a shell sets it, with a space after it.
pub(crate) fn openssl_features() -> String {
    let set = std::env::var_os("OPENSSL_ia32cap");
    set.map_or_else(String::new, |value| format!("OPENSSL_ia32cap='{}' ", value.to_string_lossy()))
}

/// Today, as in 2026-01-31, in UTC.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds / (24 * 60 * 60))
}

/// The commit of the sources, with `-dirty` if they differ from it, as git tells.
pub(crate) fn commit() -> String {
    let told = Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]).output();
    let told =
        told.ok().filter(|told| told.status.success()).map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    told.map_or_else(|| "unknown".into(), |told| told.trim().into())
}

/// The date so many days after 1970-01-01, by counting years from the first of March, so that leap days come last.
fn date(days: u64) -> String {
    let days = days + 719_468; // since 0000-03-01
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_based = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_based + 2) / 5 + 1;
    let month = if march_based < 10 { march_based + 3 } else { march_based - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn versions() {
        assert_eq!(version("report"), env!("CARGO_PKG_VERSION"));
        assert!(version("blake2b_simd").starts_with("1."));
        assert_eq!(version("no such package"), "of unknown version");
    }
}

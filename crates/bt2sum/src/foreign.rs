//! Guesses which other tool made a list, for the hint.

use clap::ValueEnum;

use crate::line::{parts, skip_blanks};
use crate::scheme::Algorithm;

/// The unknown hash that an improper line names, if the line seems to list a file by one, and the name is fit to be
/// printed.
pub(crate) fn foreign(line: &[u8]) -> Option<String> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let line = skip_blanks(line.strip_prefix(b"> ").unwrap_or(line));
    let line = line.strip_prefix(br"\").unwrap_or(line);
    let (label, name, digest) = parts(line)?;
    let is_digest = |hex: &[u8]| hex.len() >= 8 && hex.iter().all(u8::is_ascii_hexdigit);
    // In another writing, or damaged.
    let is_word = |text: &[u8]| text.len() >= 8 && text.iter().all(u8::is_ascii_graphic);
    let lists = name.map_or_else(|| is_digest(digest), |name| !name.is_empty() && is_word(digest.trim_ascii_end()));
    let title = label.split('-').next().unwrap_or(label);
    let is_ours = Algorithm::value_variants().iter().any(|ours| ours.title().eq_ignore_ascii_case(title));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    let is_fit = (1..=32).contains(&label.len()) && label.bytes().all(is_name);
    (lists && !is_ours && is_fit).then(|| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that list a file, though with a digest of another tool.
    #[test]
    fn lines_of_other_tools() {
        for (line, hash) in [
            ("SHA1 (a) = 0123456789", Some("SHA1")),
            ("SHA512 (a) = 0123456789", None),
            ("SHA512/256 (a) = 0123456789", Some("SHA512/256")),
            ("SHA2-512(a)= 0123456789", Some("SHA2-512")),
            (r"\MD5 (a) = 0123456789", Some("MD5")),
            ("BLAKE2b-TREE-512-5M (a) = 0123456789", None),
            ("0123456789  a", None),
            ("0123456789 *a", None),
            ("0123456789", None),
            ("0123456789 ", None),
            ("MD5 (a) = 0123456g89", Some("MD5")),
            ("hello (a) = b", None),
            ("hello (a) = b, and so on", None),
            ("SHA512 () = 0123456789", None),
            (" (a) = 0123456789", None),
            ("SHA\u{1b}512 (a) = 0123456789", None),
            ("no checksum", None),
            ("-----BEGIN PGP SIGNED MESSAGE-----", None),
        ] {
            assert_eq!(foreign(line.as_bytes()).as_deref(), hash, "{line}");
        }
    }
}

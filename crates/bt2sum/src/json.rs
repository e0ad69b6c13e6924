//! Results as JSON, an object on a line.

use core::ops::Not;

use serde::Serialize;

use crate::scheme::{Digest, Scheme, digest};

/// A result. A field that is `None` or empty is left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The bytes of a name that is not UTF-8, as hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name_hex: Option<String>,
    pub(crate) status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_hex: Option<String>,
    /// The target of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target_hex: Option<String>,
    /// The hash and its parameters, as the lines of `--tag` have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) algorithm: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) length: Option<u64>,
    /// Whether only length and time were compared.
    #[serde(skip_serializing_if = "Not::not")]
    pub(crate) unread: bool,
    /// The first and the last byte of each range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ranges: Vec<[u64; 2]>,
    /// The ranges that a repair has put right, or would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mended: Vec<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Permissions as octal digits: those there are, and those that were recorded if they are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode_was: Option<String>,
    /// The user and the group that own the file, as numbers, and those that were recorded if they are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner_was: Option<String>,
    /// The digest of the extended attributes as hexadecimal, or `none`; and that which was recorded if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) xattrs: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) xattrs_was: Option<String>,
    /// Whether `security.capability` is one of these attributes.
    #[serde(skip_serializing_if = "Not::not")]
    pub(crate) capability: bool,
    /// Whether a rotted file has another time of change.
    #[serde(skip_serializing_if = "Not::not")]
    pub(crate) ctime_moved: bool,
    /// Whether this is an empty directory.
    #[serde(rename = "empty_directory", skip_serializing_if = "Not::not")]
    pub(crate) is_directory: bool,
}

impl<'a> Line<'a> {
    /// The result of the file with this name.
    pub(crate) fn new(name: &[u8], status: &'a str) -> Self {
        let (name, name_hex) = text(name);
        Self { name, name_hex, status, ..Self::default() }
    }

    /// Why the file with this name cannot be read.
    pub(crate) fn unreadable(name: &[u8], reason: String) -> Self {
        Self { reason: Some(reason), ..Self::new(name, "unreadable") }
    }

    /// With a digest, and the length of the file.
    pub(crate) fn with(self, scheme: Scheme, digest: &Digest, length: Option<u64>) -> Self {
        Self { algorithm: Some(scheme.tag()), digest: Some(digest.to_string()), length, ..self }
    }

    /// The name that the file had before.
    #[cfg(target_os = "linux")]
    pub(crate) fn from(mut self, name: &[u8]) -> Self {
        (self.from, self.from_hex) = text(name);
        self
    }

    /// The target of a link.
    #[cfg(target_os = "linux")]
    pub(crate) fn to(mut self, target: &[u8]) -> Self {
        (self.target, self.target_hex) = text(target);
        self
    }

    /// The line with its end.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        line(self)
    }
}

/// An object and the end of its line.
pub(crate) fn line(object: &impl Serialize) -> Vec<u8> {
    // Texts and numbers are always written.
    let mut line = serde_json::to_vec(object).unwrap_or_default();
    line.push(b'\n');
    line
}

/// A name as text, or as hexadecimal if it is none.
fn text(name: &[u8]) -> (Option<String>, Option<String>) {
    match str::from_utf8(name) {
        Ok(name) => (Some(name.to_owned()), None),
        Err(_) => (None, Some(digest(name).to_string())),
    }
}

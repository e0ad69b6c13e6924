//! The test vectors in `tests/data`; the header of each file describes it.

use core::fmt::Debug;
use core::str::FromStr;

/// One line: `name=value` fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(&'static str);

impl Vector {
    /// The vectors of a file.
    pub(crate) fn all(file: &'static str) -> impl Iterator<Item = Self> {
        file.lines().filter(|line| !line.starts_with('#')).map(Self)
    }

    /// Names and values in the order of the file.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.split(' ').map(|field| field.split_once('=').unwrap())
    }

    /// The value of a field that every vector of the file has.
    pub(crate) fn text(self, name: &str) -> &'static str {
        self.fields().find(|field| field.0 == name).unwrap().1
    }
}

/// A decimal number.
pub(crate) fn number<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// Bytes in hexadecimal.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

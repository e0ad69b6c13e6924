//! Digests in `serde`: hexadecimal digits in human-readable formats, bytes in others.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Expected, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{Function, Hash, Length};
use crate::kernel::Block;

/// A string of lower-case hexadecimal digits if the format is human-readable, else bytes.
impl<H: Function, L: Length> Serialize for Hash<H, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.to_hex())
        } else {
            serializer.serialize_bytes(self.slice())
        }
    }
}

/// A string of hexadecimal digits of either case, or bytes: a byte string or a sequence of numbers.
///
/// A human-readable format is asked for the string, others for the bytes.
impl<'de, H: Function, L: Length> Deserialize<'de> for Hash<H, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = HashVisitor(PhantomData);
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(visitor)
        } else {
            deserializer.deserialize_bytes(visitor)
        }
    }
}

/// Takes every form, whatever was asked for: serde itself calls what it keeps for a while, as for an untagged
/// `enum`, human-readable.
struct HashVisitor<H, L>(PhantomData<(H, L)>);

impl<'de, H: Function, L: Length> Visitor<'de> for HashVisitor<H, L> {
    type Value = Hash<H, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = H::Bytes::LENGTH;
        let shortest = L::shortest(longest);
        if shortest < longest {
            write!(f, "a digest of {shortest} to {longest} bytes")
        } else {
            write!(f, "a digest of {longest} bytes")
        }
    }

    /// The error does not show the text, which may be almost a MAC.
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        text.parse()
            .map_err(|error| E::custom(format_args!("{error}, expected {} in hexadecimal", &self as &dyn Expected)))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Hash::copied(bytes).map_err(|_| E::invalid_length(bytes.len(), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Self::Value, A::Error> {
        let mut bytes = H::Bytes::ZERO;
        let mut length = 0;
        while let Some(number) = numbers.next_element()? {
            let Some(byte) = bytes.bytes_mut().get_mut(length) else {
                return Err(A::Error::invalid_length(length + 1, &self));
            };
            *byte = number;
            length += 1;
        }
        self.visit_bytes(&bytes.bytes()[..length])
    }
}

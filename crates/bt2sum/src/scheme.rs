//! The kind of a digest: algorithm, tree or not, length and key; and the library's parameters for each kind.

use core::fmt;
use core::hint::black_box;
use core::ops::RangeInclusive;
use core::str::FromStr;

use clap::ValueEnum;
use simd_digest::blake2::{Flavour, Hash, Hasher, Parallel, Params, Tree};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::blake3;
use simd_digest::sha2::{Variant, Variant224, Variant256, Variant384, Variant512};

use crate::number::in_largest_unit;

/// The length of a leaf in bytes if nothing else is said.
pub(crate) const CHUNK: u32 = 5 << 20;

/// The length of a leaf of BLAKE3 in a catalogue if nothing else is said, in bytes: it is read and hashed as fast as a longer
/// one, and damage is located more exactly.
const CHUNK_OF_BLAKE3: u32 = 1 << 20;

/// The length of the longest leaf of a file in a store, in bytes: two of them fit into the memory for buffers.
pub(crate) const LONGEST_LEAF: u32 = 64 << 20;

const IN_RANGE: &str = "all lengths were found in range";

/// The length of the longest digest of BLAKE3, in bytes. BLAKE3 has no limit, but digests are held in memory.
pub(crate) const LONGEST_OUTPUT: usize = 1 << 20;

/// A digest of any algorithm, printed and parsed as hexadecimal.
#[derive(Clone, Debug)]
pub(crate) struct Digest(Box<[u8]>);

impl Digest {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        equal(&self.0, &other.0)
    }
}

impl Eq for Digest {}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        let mut text = String::with_capacity(2 * self.0.len());
        // Loops, here and below: iterators that are not optimised take most of the time of tests with long digests.
        for byte in &self.0 {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 15));
        }
        f.write_str(&text)
    }
}

/// The error of a text that is not an even number of hexadecimal digits.
#[derive(Debug)]
pub(crate) struct NotHexadecimal;

impl FromStr for Digest {
    type Err = NotHexadecimal;

    fn from_str(text: &str) -> Result<Self, NotHexadecimal> {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            b'A'..=b'F' => Ok(digit - b'A' + 10),
            _ => Err(NotHexadecimal),
        };
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(NotHexadecimal) };
        let mut bytes = Vec::with_capacity(pairs.len());
        for &[high, low] in pairs {
            bytes.push(value(high)? << 4 | value(low)?);
        }
        Ok(Self(bytes.into()))
    }
}

/// The digest with the bytes of `hash`.
pub(crate) fn digest(hash: impl AsRef<[u8]>) -> Digest {
    Digest(hash.as_ref().into())
}

/// Whether two digests are equal. The time of this depends on the lengths only, because digests with a key can be secrets.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let differences = a.iter().zip(b).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
    a.len() == b.len() && differences == 0
}

/// The part of the output of BLAKE3 that is a digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    begin: u64,
    size: usize,
}

impl Span {
    /// The first `size` bytes.
    #[cfg(test)]
    pub(crate) fn first(size: usize) -> Self {
        Self { begin: 0, size }
    }

    /// The length of the digest, if all of it is within the hash, which is the beginning of the output.
    pub(crate) fn within_hash(self) -> Option<usize> {
        (self.begin == 0 && self.size <= blake3::OUT_LEN).then_some(self.size)
    }

    /// Reads the digest.
    pub(crate) fn read(self, mut reader: blake3::OutputReader) -> Digest {
        let mut bytes = vec![0; self.size];
        reader.set_position(self.begin);
        reader.fill(&mut bytes);
        Digest(bytes.into())
    }
}

/// The hash functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    Blake2b,
    Blake2s,
    Blake2bp,
    Blake2sp,
    Sha256,
    Sha224,
    Sha512,
    Sha384,
    Blake3,
}

impl Algorithm {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The name in lines.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Blake2b => "BLAKE2b",
            Self::Blake2s => "BLAKE2s",
            Self::Blake2bp => "BLAKE2bp",
            Self::Blake2sp => "BLAKE2sp",
            Self::Sha256 => "SHA256",
            Self::Sha224 => "SHA224",
            Self::Sha512 => "SHA512",
            Self::Sha384 => "SHA384",
            Self::Blake3 => "BLAKE3",
        }
    }

    /// Whether the algorithm is of SHA-2, which has no key.
    pub(crate) fn is_sha2(self) -> bool {
        matches!(self, Self::Sha256 | Self::Sha224 | Self::Sha512 | Self::Sha384)
    }

    /// Whether s3git defines trees of the algorithm.
    pub(crate) fn makes_trees(self) -> bool {
        matches!(self, Self::Blake2b | Self::Blake2s)
    }

    /// Whether a catalogue can have digests of the algorithm: those of leaves locate damage.
    pub(crate) fn has_leaves(self) -> bool {
        self.makes_trees() || self == Self::Blake3
    }

    /// The length of a leaf in bytes if nothing else is said.
    pub(crate) fn usual_leaf(self) -> u32 {
        if self == Self::Blake3 { CHUNK_OF_BLAKE3 } else { CHUNK }
    }

    /// Whether the leaves of a catalogue can have this length, in bytes. A leaf of BLAKE3 is a subtree of whole chunks.
    pub(crate) fn takes_leaf(self, length: u32) -> bool {
        let is_subtree = length.is_power_of_two() && length as usize >= blake3::CHUNK_LEN;
        (1..=LONGEST_LEAF).contains(&length) && (self != Self::Blake3 || is_subtree)
    }

    /// The shape of digests where `shape` is asked for. A hash without trees has one shape only.
    pub(crate) fn shape(self, shape: Shape) -> Shape {
        if self.makes_trees() { shape } else { Shape::Sequential }
    }

    /// The lengths of digests in bytes.
    pub(crate) fn lengths(self) -> RangeInclusive<usize> {
        match self {
            Self::Blake2b | Self::Blake2bp => 1..=FlavourB::LONGEST,
            Self::Blake2s | Self::Blake2sp => 1..=FlavourS::LONGEST,
            Self::Sha256 => Variant256::LENGTH..=Variant256::LENGTH,
            Self::Sha224 => Variant224::LENGTH..=Variant224::LENGTH,
            Self::Sha512 => Variant512::LENGTH..=Variant512::LENGTH,
            Self::Sha384 => Variant384::LENGTH..=Variant384::LENGTH,
            Self::Blake3 => 1..=LONGEST_OUTPUT,
        }
    }

    /// The lengths of digests in a catalogue in bytes. Leaves of BLAKE3 have one length.
    pub(crate) fn recorded_lengths(self) -> RangeInclusive<usize> {
        if self == Self::Blake3 { blake3::OUT_LEN..=blake3::OUT_LEN } else { self.lengths() }
    }

    /// The length of a digest in bytes if nothing else is said: the longest, or 32 of BLAKE3.
    pub(crate) fn usual_length(self) -> usize {
        if self == Self::Blake3 { blake3::OUT_LEN } else { *self.lengths().end() }
    }

    /// The lengths of keys in bytes, if the algorithm has keys.
    pub(crate) fn key_lengths(self) -> Option<RangeInclusive<usize>> {
        match self {
            Self::Blake2b | Self::Blake2s | Self::Blake2bp | Self::Blake2sp => Some(self.lengths()),
            Self::Blake3 => Some(blake3::KEY_LEN..=blake3::KEY_LEN),
            Self::Sha256 | Self::Sha224 | Self::Sha512 | Self::Sha384 => None,
        }
    }
}

/// The kind of a digest, as far as a line of a check file may state it: all but the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub(crate) algorithm: Algorithm,
    /// The length of all digests in bytes, which the algorithm has. Leaves and root have the same length.
    pub(crate) size: usize,
    pub(crate) shape: Shape,
}

/// The way from a message to a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A tree: a root over leaves of `chunk` bytes each, which is not 0. In catalogues, BLAKE3 has this shape too; its
    /// digests are those of a message as a whole.
    Tree { chunk: u32 },
    /// The algorithm over the message as a whole, as coreutils or b3sum compute it.
    Sequential,
}

impl Shape {
    pub(crate) fn is_tree(self) -> bool {
        matches!(self, Self::Tree { .. })
    }
}

/// The key or the context of every digest of a run, if there is one, and where digests of BLAKE3 begin in its output. The
/// key is wiped when dropped, and has no `Debug`.
#[derive(Default)]
pub(crate) struct Secret {
    /// Empty for none.
    key: zeroize::Zeroizing<Vec<u8>>,
    /// The context of BLAKE3 for deriving keys. Such a run has no key.
    context: Option<String>,
    pub(crate) seek: u64,
}

impl Secret {
    /// Wraps a key, which must have a length that the algorithm takes.
    pub(crate) fn new(key: zeroize::Zeroizing<Vec<u8>>) -> Self {
        Self { key, ..Self::default() }
    }

    /// Wraps a context.
    pub(crate) fn of_context(context: String) -> Self {
        Self { context: Some(context), ..Self::default() }
    }

    /// The key; empty for none.
    #[cfg(target_os = "linux")]
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key.is_empty() && self.context.is_none()
    }

    /// Whether digests of the algorithm can have this key or this context. Without one, all can.
    pub(crate) fn suits(&self, algorithm: Algorithm) -> bool {
        if self.context.is_some() {
            return algorithm == Algorithm::Blake3;
        }
        self.key.is_empty() || algorithm.key_lengths().is_some_and(|lengths| lengths.contains(&self.key.len()))
    }

    /// The part of the output of BLAKE3 that is a digest of `size` bytes.
    pub(crate) fn span(&self, size: usize) -> Span {
        Span { begin: self.seek, size }
    }

    /// Makes sure that a hash without a key is given none. The command line has refused it before.
    pub(crate) fn refuse(&self) {
        assert!(self.is_empty(), "the hash takes no key");
    }

    /// The mode of BLAKE3.
    pub(crate) fn mode(&self) -> blake3::Mode {
        match &self.context {
            Some(context) => blake3::Mode::derive_key(context),
            None if self.key.is_empty() => blake3::Mode::HASH,
            None => blake3::Mode::keyed(self.key.as_slice().try_into().expect(IN_RANGE)),
        }
    }
}

impl Scheme {
    /// The name of the hash and its parameters, as tagged lines have them.
    pub(crate) fn tag(self) -> String {
        let (name, bits) = (self.algorithm.title(), 8 * self.size);
        match self.shape {
            Shape::Tree { chunk } => format!("{name}-TREE-{bits}-{}", in_largest_unit(chunk)),
            Shape::Sequential if self.size == self.algorithm.usual_length() => name.to_owned(),
            Shape::Sequential => format!("{name}-{bits}"),
        }
    }

    /// The parameters of a message hashed as a whole, or those that all nodes of a tree share.
    fn params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        let params = Params::new().hash_length(self.size).key(&secret.key);
        match self.shape {
            Shape::Sequential => params,
            Shape::Tree { chunk } => {
                params.fanout(0).max_depth(2).max_leaf_length(chunk).inner_hash_length(self.size).last_node(true)
            }
        }
    }

    /// Hashes a message as a whole.
    pub(crate) fn hasher<F: Flavour>(self, secret: &Secret) -> Hasher<F> {
        self.params(secret).hasher().expect(IN_RANGE)
    }

    /// Hashes a message as a whole, by BLAKE2bp or BLAKE2sp.
    pub(crate) fn parallel<F: Flavour>(self, secret: &Secret) -> Parallel<F> {
        self.params(secret).parallel().expect(IN_RANGE)
    }

    /// The parameters of the root, which hashes the digests of the leaves.
    fn root_params<F: Flavour>(self, secret: &Secret) -> Params<F> {
        self.params(secret).node_depth(1)
    }

    /// The tree, if the shape is one.
    pub(crate) fn tree<F: Flavour>(self, secret: &Secret) -> Option<Tree<F>> {
        self.shape.is_tree().then(|| self.params(secret).tree().expect(IN_RANGE))
    }

    /// Hashes messages side by side. With a tree, each message has at most one leaf.
    pub(crate) fn hash_many<F: Flavour>(self, secret: &Secret, messages: &[&[u8]]) -> Vec<Hash<F>> {
        let hashes: Vec<Hash<F>> = self.params(secret).hash_many(messages).expect(IN_RANGE);
        match self.shape {
            Shape::Sequential => hashes,
            Shape::Tree { .. } => self.root_params(secret).hash_many(&hashes).expect(IN_RANGE),
        }
    }

    /// The digest of a root without leaves, which the Go tool prints for an empty input.
    pub(crate) fn no_leaf<F: Flavour>(self, secret: &Secret) -> Hash<F> {
        self.root_params(secret).hash(b"").expect(IN_RANGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_as_text() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let parsed: Digest = text.parse().unwrap();
        assert_eq!((parsed.as_bytes(), parsed.to_string()), (&bytes[..], text.clone()));
        assert_eq!(text.to_uppercase().parse::<Digest>().unwrap(), parsed);
        for text in ["0", "0g", "g0", "+1", "0x", "0 ", " 0", "000", "\u{661}", "é"] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }

    #[test]
    fn digests_are_equal_if_all_bytes_are() {
        let digest = |bytes: &[u8]| digest(bytes);
        assert_eq!(digest(b"abc"), digest(b"abc"));
        for other in [&b"abd"[..], b"bbc", b"ab", b"abcd", b""] {
            assert_ne!(digest(b"abc"), digest(other));
        }
    }
}

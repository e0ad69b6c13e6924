//! Files of leaves, as `bt2sum --leaves` writes them.

use core::fmt;

use bytes::Bytes;
use simd_digest::blake2::{Flavour, Params, Tree};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::FlavourS;

use crate::hashing::{AT_ONCE, Leaves};
use crate::key::Key;
use crate::layout::Layout;
use crate::watch::{Pace, Watch};

const MAGIC: &[u8] = b"bt2leaf\0\x01";

/// The fields before the digests, and those after them, in bytes.
pub(crate) const HEADER: usize = 16;
pub(crate) const TRAILER: usize = 40;

/// Bytes that a file of leaves may have more than its object. Leaves that are as long as their digests take fewer.
const SLACK: u64 = 1 << 20;

/// Why a file of leaves cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeafFileError {
    /// There is none beside the object.
    Missing,
    /// The file is no file of leaves, or its version is not known.
    Foreign,
    /// The file is damaged or truncated.
    Damaged,
    /// A field, which is named, is out of range.
    Field(&'static str),
    /// The leaves have a key, and none was given.
    NoKey,
    /// The leaves have no key, and one was given.
    Unkeyed,
    /// The root over the leaves is another one than the caller gave: the leaves of another object, or of another key.
    Root,
    /// The file is more than 1 MiB longer than its object, and is not read: its leaves are shorter than their digests.
    Long {
        /// The length of the file, in bytes.
        length: u64,
        /// The most bytes that are read beside such an object.
        most: u64,
    },
    /// The file is of an object of another length: the object was written anew, or was cut.
    Stale {
        /// The length of the object, in bytes.
        object: u64,
        /// The length that the file states.
        leaves: u64,
    },
}

impl fmt::Display for LeafFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file of leaves ")?;
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::Foreign => f.write_str("is none, or of a version that is not known"),
            Self::Damaged => f.write_str("is damaged or truncated"),
            Self::Field(field) => write!(f, "has a {field} that is out of range"),
            Self::NoKey => f.write_str("has a key, and none was given"),
            Self::Unkeyed => f.write_str("has no key, and one was given"),
            Self::Root => f.write_str("has another root: it is of another object, or of another key"),
            Self::Long { length, most } => {
                write!(f, "is not read: it has {length} bytes, and beside such an object at most {most} are read")
            }
            Self::Stale { object, leaves } => {
                write!(f, "is stale: the object has {object} bytes, and the file is of one of {leaves} bytes")
            }
        }
    }
}

impl core::error::Error for LeafFileError {}

/// The digests of the leaves of an object.
pub(crate) struct Table {
    leaves: Leaves,
    chunk: u32,
    /// The length of a digest, in bytes.
    size: usize,
    digests: Bytes,
    /// The length of the object, in bytes.
    pub(crate) len: u64,
}

impl Table {
    /// The bytes of a file of leaves which begins so, for an object of `len` bytes. Nothing has verified the beginning.
    fn length(begin: &[u8], len: u64) -> Result<u64, LeafFileError> {
        if begin.get(..9) != Some(MAGIC) {
            return Err(LeafFileError::Foreign);
        }
        let Some(&[size, _, chunk @ ..]) = begin.get(10..).and_then(<[u8]>::first_chunk::<6>) else {
            return Err(LeafFileError::Damaged);
        };
        let count = len.div_ceil(u64::from(u32::from_le_bytes(chunk)).max(1)).max(1);
        Ok(count.saturating_mul(size.into()).saturating_add((HEADER + TRAILER) as u64))
    }

    /// The most bytes that are read of a file of leaves which begins so, beside an object of `len` bytes.
    pub(crate) fn longest(begin: &[u8], len: u64) -> Result<u64, LeafFileError> {
        Ok(Self::length(begin, len)?.min(len.saturating_add(SLACK)))
    }

    /// Why a file of leaves of `file` bytes, which is longer, is of no use to an object of `len` bytes.
    pub(crate) fn too_long(begin: &[u8], trailer: &[u8], file: u64, len: u64) -> LeafFileError {
        let stated = trailer.first_chunk().filter(|_| trailer.len() == TRAILER).map(|len| u64::from_le_bytes(*len));
        match stated {
            Some(leaves) if Self::length(begin, leaves) != Ok(file) => LeafFileError::Damaged,
            Some(leaves) if leaves != len => LeafFileError::Stale { object: len, leaves },
            Some(_) => LeafFileError::Long { length: file, most: len.saturating_add(SLACK) },
            None => LeafFileError::Damaged,
        }
    }

    /// Reads a file of leaves, all of it. The root over the leaves must be `root`, if there is one.
    pub(crate) async fn parse(
        file: &Bytes,
        key: Option<&Key>,
        root: Option<&[u8]>,
        watch: &Watch,
    ) -> Result<Self, LeafFileError> {
        if file.get(..9) != Some(MAGIC) {
            return Err(LeafFileError::Foreign);
        }
        let digests = HEADER..file.len().saturating_sub(TRAILER);
        if digests.end < digests.start {
            return Err(LeafFileError::Damaged);
        }
        let (sealed, seal) = file.split_at(file.len() - 32);
        let mut own = blake2b::Params::new().hash_length(32).hasher().map_err(|_| LeafFileError::Damaged)?;
        let mut pace = Pace::new();
        for piece in sealed.chunks(AT_ONCE) {
            watch.time(|| own.update(piece));
            pace.rest().await;
        }
        if own.finalize() != *seal {
            return Err(LeafFileError::Damaged);
        }
        let (mut chunk, mut len) = ([0; 4], [0; 8]);
        chunk.copy_from_slice(&file[12..16]);
        len.copy_from_slice(&file[digests.end..digests.end + 8]);
        let (chunk, len) = (u32::from_le_bytes(chunk), u64::from_le_bytes(len));
        match (file[11], key) {
            (0, None) | (1, Some(_)) => {}
            (0, Some(_)) => return Err(LeafFileError::Unkeyed),
            (1, None) => return Err(LeafFileError::NoKey),
            _ => return Err(LeafFileError::Field("keyed flag")),
        }
        let size = usize::from(file[10]);
        let digests = file.slice(digests);
        let (code, key) = (file[9], key.map(Key::bytes));
        let leaves = match code {
            1 => Leaves::Blake2b(tree::<FlavourB>(chunk, size, key)?),
            2 => Leaves::Blake2s(tree::<FlavourS>(chunk, size, key)?),
            _ => return Err(LeafFileError::Field("hash")),
        };
        let table = Self { leaves, chunk, size, digests, len };
        let count = table.layout().count(len);
        if u128::from(count) * (size as u128) != table.digests.len() as u128 {
            return Err(LeafFileError::Field("number of leaves"));
        }
        let is_root = match (&table.leaves, root) {
            (_, None) => true,
            (Leaves::Blake2b(_), Some(root)) => {
                is_root(params::<FlavourB>(chunk, size, key), &table.digests, root, watch, &mut pace).await
            }
            (Leaves::Blake2s(_), Some(root)) => {
                is_root(params::<FlavourS>(chunk, size, key), &table.digests, root, watch, &mut pace).await
            }
            (Leaves::Sha256 { .. }, _) => false,
        };
        if is_root { Ok(table) } else { Err(LeafFileError::Root) }
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout { header: 0, digest: 0, stripe: self.chunk }
    }

    pub(crate) fn leaves(&self) -> Leaves {
        self.leaves.clone()
    }

    /// The digest of a leaf.
    pub(crate) fn digest(&self, number: u64) -> Option<&[u8]> {
        let begin = usize::try_from(number).ok()?.checked_mul(self.size)?;
        self.digests.get(begin..begin.checked_add(self.size)?)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("chunk", &self.chunk).field("len", &self.len).finish_non_exhaustive()
    }
}

/// The tree of bt2sum with these lengths.
fn params<F: Flavour>(chunk: u32, size: usize, key: Option<&[u8]>) -> Params<F> {
    let mut params = Params::<F>::new().hash_length(size).inner_hash_length(size);
    if let Some(key) = key {
        params = params.key(key);
    }
    params.fanout(0).max_depth(2).max_leaf_length(chunk)
}

fn tree<F: Flavour>(chunk: u32, size: usize, key: Option<&[u8]>) -> Result<Tree<F>, LeafFileError> {
    params(chunk, size, key).tree().map_err(|error| {
        LeafFileError::Field(match error.field() {
            "key" => "key of another length",
            "max_leaf_length" => "length of a leaf",
            _ => "length of a digest",
        })
    })
}

/// Whether the tree has this root over the digests of all its leaves: they are the message of its one inner node.
async fn is_root<F: Flavour>(params: Params<F>, digests: &[u8], root: &[u8], watch: &Watch, pace: &mut Pace) -> bool {
    let Ok(mut own) = params.node_depth(1).last_node(true).hasher() else { return false };
    for piece in digests.chunks(AT_ONCE) {
        watch.time(|| own.update(piece));
        pace.rest().await;
    }
    own.finalize() == *root
}

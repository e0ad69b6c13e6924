//! Parts of the tree: subtrees of a message, their chaining values, the compression function, and saved hashers.
//!
//! Misuse gives digests that are none of BLAKE3, or of other messages. Most programs need nothing of this.
//!
//! A chaining value is computed from a part of the message alone: bytes that begin at a multiple of a chunk, at most
//! [`max_subtree_len`] of them. Neighbours are merged until the root is left.
//!
//! ```
//! use simd_digest::blake3::hazmat::{HasherExt, left_subtree_len, merge_subtrees_root};
//! use simd_digest::blake3::{self, Hasher, Mode};
//!
//! let message = [7; 5000];
//! let (left, right) = message.split_at(left_subtree_len(5000)? as usize);
//! let left = Hasher::new().update(left).finalize_non_root()?;
//! let right = Hasher::new().set_input_offset(4096)?.update(right).finalize_non_root()?;
//! assert_eq!(merge_subtrees_root(&left, &right, &Mode::HASH), blake3::hash(&message));
//! # Ok::<(), simd_digest::blake3::hazmat::SubtreeError>(())
//! ```

use core::fmt;

pub use self::state::State;
use super::hasher::Hasher;
use super::mode::Mode;
use super::output::OutputReader;
use super::tree::{Base, GROUP};
use super::value::{CHUNK_LEN, Hash, KEY_LEN, OUT_LEN};
use crate::backend::Backend;
use crate::backend::dispatch::compress_one;
use crate::error::ManyError;
use crate::kernel::blake3::{Blake3Function, Chain, IV, flag};
use crate::kernel::{Function, wipe};

mod state;

/// A subtree hands these 32 bytes to its parent. They are not the digest of anything.
pub type ChainingValue = [u8; OUT_LEN];

/// Methods of a [`Hasher`] for a part of a message.
pub trait HasherExt {
    /// Makes the bytes to come those from `offset` on of a larger message. The hasher is to be ended by
    /// [`finalize_non_root`](Self::finalize_non_root); `finalize` would give a digest that no message has.
    ///
    /// # Errors
    ///
    /// [`SubtreeError::Offset`] if `offset` is not a multiple of a chunk, [`SubtreeError::Begun`] if the hasher has bytes
    /// already.
    fn set_input_offset(&mut self, offset: u64) -> Result<&mut Self, SubtreeError>;

    /// The chaining value of the bytes so far, a subtree that is not the whole message.
    ///
    /// # Errors
    ///
    /// [`SubtreeError::Empty`] if there are no bytes, [`SubtreeError::TooLong`] if there are more than
    /// [`max_subtree_len`].
    fn finalize_non_root(&self) -> Result<ChainingValue, SubtreeError>;
}

impl HasherExt for Hasher {
    fn set_input_offset(&mut self, offset: u64) -> Result<&mut Self, SubtreeError> {
        if self.count() > 0 {
            return Err(SubtreeError::Begun);
        }
        self.first = chunk_number(offset)?;
        self.chunk.chain.counter = self.first;
        Ok(self)
    }

    fn finalize_non_root(&self) -> Result<ChainingValue, SubtreeError> {
        let count = self.count();
        if count == 0 {
            return Err(SubtreeError::Empty);
        }
        if let Some(most) = max_subtree_len(self.first.wrapping_mul(CHUNK_LEN as u64))?
            && count > most
        {
            return Err(SubtreeError::TooLong { given: count, most });
        }
        Ok(self.node().cv(self.backend()))
    }
}

/// The number of the chunk at byte `offset`.
fn chunk_number(offset: u64) -> Result<u64, SubtreeError> {
    let chunk = CHUNK_LEN as u64;
    if offset.is_multiple_of(chunk) { Ok(offset / chunk) } else { Err(SubtreeError::Offset { offset }) }
}

/// The key that `context` stands for in key derivation, for [`Mode::from_context_key`] alone.
///
/// ```
/// use simd_digest::blake3::hazmat::hash_derive_key_context;
/// use simd_digest::blake3::{self, Mode};
///
/// const CONTEXT: &str = "example.com 2026-11-23 session keys";
/// let mode = Mode::from_context_key(&hash_derive_key_context(CONTEXT));
/// assert_eq!(*mode.hash(b"secret").as_bytes(), blake3::derive_key(CONTEXT, b"secret"));
/// ```
#[must_use]
pub fn hash_derive_key_context(context: &str) -> [u8; KEY_LEN] {
    Base { key: &IV, flags: flag::DERIVE_KEY_CONTEXT, backend: Backend::best() }.hash(context.as_bytes())
}

/// The chaining value of the parent of two subtrees, which is not the root.
#[must_use]
pub fn merge_subtrees_non_root(left: &ChainingValue, right: &ChainingValue, mode: &Mode) -> ChainingValue {
    let base = mode.base();
    base.parent(left, right).cv(base.backend)
}

/// The digest of the message of which these are the two subtrees.
#[must_use]
pub fn merge_subtrees_root(left: &ChainingValue, right: &ChainingValue, mode: &Mode) -> Hash {
    let base = mode.base();
    Hash::from_bytes(base.parent(left, right).root(base.backend))
}

/// As [`merge_subtrees_root`], to any length.
#[must_use]
pub fn merge_subtrees_root_xof(left: &ChainingValue, right: &ChainingValue, mode: &Mode) -> OutputReader {
    let base = mode.base();
    OutputReader::new(&mut base.parent(left, right), base.backend)
}

/// The largest number of bytes that a subtree can have if it begins at byte `input_offset` of the message. `None`, no
/// limit, at offset 0.
///
/// # Errors
///
/// [`SubtreeError::Offset`] if `input_offset` is not a multiple of 1024, a chunk.
pub fn max_subtree_len(input_offset: u64) -> Result<Option<u64>, SubtreeError> {
    let chunk = chunk_number(input_offset)?;
    Ok((chunk > 0).then(|| 1 << input_offset.trailing_zeros()))
}

/// Bytes of the left subtree of a message or subtree of `input_len` bytes: the largest power of two below `input_len`.
///
/// # Errors
///
/// [`SubtreeError::OneChunk`] if `input_len` is at most 1024, one chunk.
pub fn left_subtree_len(input_len: u64) -> Result<u64, SubtreeError> {
    if input_len <= CHUNK_LEN as u64 {
        return Err(SubtreeError::OneChunk { length: input_len });
    }
    Ok(1 << (input_len - 1).ilog2())
}

/// Writes the chaining value of each group of `2^group` chunks of `input` to `cvs`, side by side. The last group may be
/// shorter.
///
/// `input` begins at byte `offset` of the message, a multiple of a group. With `group` 0 these are the chunks, with 4
/// groups of 16 KiB, as iroh stores them. Groups may be merged, two neighbours at a time, by
/// [`merge_subtrees_non_root`]. A single group that is the whole message has another digest.
///
/// ```
/// use simd_digest::blake3::hazmat::{merge_subtrees_root, subtrees};
/// use simd_digest::blake3::{self, Mode};
///
/// let mut cvs = [[0; 32]; 2];
/// subtrees(&[7; 20_000], 0, 4, &Mode::HASH, &mut cvs)?;
/// assert_eq!(merge_subtrees_root(&cvs[0], &cvs[1], &Mode::HASH), blake3::hash(&[7; 20_000]));
/// # Ok::<(), blake3::hazmat::SubtreeError>(())
/// ```
///
/// # Errors
///
/// Nothing is written if `input` is empty ([`SubtreeError::Empty`]), `offset` is not a multiple of a group
/// ([`SubtreeError::Offset`]), or there is not one chaining value for each group ([`SubtreeError::Outputs`]).
pub fn subtrees(
    input: &[u8],
    offset: u64,
    group: u32,
    mode: &Mode,
    cvs: &mut [ChainingValue],
) -> Result<(), SubtreeError> {
    let base = mode.base();
    let first = chunk_number(offset)?;
    if input.is_empty() {
        return Err(SubtreeError::Empty);
    }
    // A group that no slice can fill is one group, and begins at 0 alone.
    let chunks = 1_u64.checked_shl(group);
    if !chunks.map_or(first == 0, |chunks| first.is_multiple_of(chunks)) {
        return Err(SubtreeError::Offset { offset });
    }
    let bytes = chunks
        .and_then(|chunks| usize::try_from(chunks).ok())
        .and_then(|chunks| chunks.checked_mul(CHUNK_LEN))
        .unwrap_or(usize::MAX);
    let needed = input.len().div_ceil(bytes);
    ManyError::check(needed, cvs.len())?;
    if bytes >= GROUP * CHUNK_LEN {
        let mut counter = first;
        for (input, cv) in input.chunks(bytes).zip(cvs) {
            *cv = base.subtree(input, counter, 0);
            counter = counter.wrapping_add((bytes / CHUNK_LEN) as u64);
        }
        return Ok(());
    }
    let mut counter = first;
    for (input, cvs) in input.chunks(TOGETHER * CHUNK_LEN).zip(cvs.chunks_mut(TOGETHER >> group)) {
        let mut list = [[0; 32]; TOGETHER];
        let mut length = 0;
        for input in input.chunks(GROUP * CHUNK_LEN) {
            length += base.chunks((input, false), counter, &mut list[length..]);
            counter = counter.wrapping_add(GROUP as u64);
        }
        for _ in 0..group {
            let mut parents = [[0; 32]; TOGETHER];
            length = base.pair(&list[..length], &mut parents);
            list[..length].copy_from_slice(&parents[..length]);
            parents.iter_mut().for_each(wipe);
        }
        cvs.copy_from_slice(&list[..length]);
        list.iter_mut().for_each(wipe);
    }
    Ok(())
}

/// Chunks that are hashed together, so that parents fill the lanes too.
const TOGETHER: usize = 4 * GROUP;

/// The compression function (the paper, section 2.2): compresses `block`, of which `len` bytes count, into the chaining
/// value `cv`, on [`Backend::best`].
///
/// `len` and `flags` may be any; those of BLAKE3 are 0 to 64, and 0 to 127.
pub fn compress(cv: &mut [u32; 8], block: &[u8; 64], len: u8, counter: u64, flags: u8) {
    let mut chain = Chain { first: 0, missing: 64_u8.wrapping_sub(len), ..Chain::chunk(*cv, counter, flags) };
    compress_one(Backend::best(), &mut chain, block);
    *cv = chain.h;
    Blake3Function::wipe(&mut chain);
}

/// Why a part of a message has no chaining value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubtreeError {
    /// A part begins where no chunk, or no group, does.
    Offset {
        /// The byte of the message at which the part begins.
        offset: u64,
    },
    /// The hasher has bytes already, so its offset cannot be set.
    Begun,
    /// There are no bytes.
    Empty,
    /// There are more bytes than a subtree may have that begins there.
    TooLong {
        /// Bytes of the part.
        given: u64,
        /// Bytes at most of a subtree that begins there.
        most: u64,
    },
    /// A chunk or less has no subtrees.
    OneChunk {
        /// Bytes of the message or subtree.
        length: u64,
    },
    /// There is not one chaining value for each group.
    Outputs(ManyError),
}

impl From<ManyError> for SubtreeError {
    fn from(error: ManyError) -> Self {
        Self::Outputs(error)
    }
}

impl fmt::Display for SubtreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset { offset } => write!(f, "no subtree of this size begins at byte {offset}"),
            Self::Begun => f.write_str("the hasher has bytes already"),
            Self::Empty => f.write_str("a subtree has at least one byte"),
            Self::TooLong { given, most } => {
                write!(f, "a subtree that begins here has at most {most} bytes, not {given}")
            }
            Self::OneChunk { length } => write!(f, "{length} bytes are one chunk, which has no subtrees"),
            Self::Outputs(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SubtreeError {}

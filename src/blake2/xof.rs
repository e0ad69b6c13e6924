//! BLAKE2X: output of any length ([BLAKE2X paper](https://www.blake2.net/blake2x.pdf)).
//!
//! ```text
//!   message ──► root, a digest of full length, whose node offset has the length of the output
//!                 │
//!                 ├──► output block 0     every block is the hash of the root alone: blocks differ in their number,
//!                 ├──► output block 1     which is in the lower 32 bits of the node offset, so each can be
//!                 ├──► output block 2     computed without the others, and many side by side
//!                 └──► …
//! ```

use core::{fmt, slice};

use digest::array::Array;
use digest::common::AlgorithmName;
use digest::{CollisionResistance, ExtendableOutput, ExtendableOutputReset, Reset, Update, XofReader};

use super::flavour::{BlockOf, Flavour, WordsOf};
use super::hasher::Hasher;
use super::params::{Params, ParamsError, check_range};
use crate::backend::Backend;
use crate::kernel::blake2::{Chain, Last};
use crate::kernel::{Block, ChainState, Known, Run, wipe};

/// BLAKE2X, the hash with output of any length, of a message that comes piece by piece; see
/// [`blake2b::Blake2xb`](crate::blake2b::Blake2xb) and [`blake2s::Blake2xs`](crate::blake2s::Blake2xs).
///
/// Its length is known before the message is hashed, and takes part: outputs of different lengths are unrelated, as
/// digests are. `Default` has an output of unknown length: up to 2^38 bytes (BLAKE2s: 2^37).
/// [`Params::xof`] and [`Params::xof_with_length`] make it with a key, salt and personalisation.
///
/// The methods of [`ExtendableOutput`] that fill a slice or a box **panic if it is longer than the output**, as
/// [`OutputReader`] does when it is read through [`XofReader`].
///
/// `BlockSizeUser` is missing: HMAC over BLAKE2X is not defined.
#[derive(Clone)]
pub struct Blake2x<F: Flavour> {
    /// Makes the root.
    hasher: Hasher<F>,
    /// Bytes of output.
    end: u64,
}

impl<F: Flavour> Params<F> {
    /// BLAKE2X of unknown length, with this key, salt and personalisation. The digest length and the fields of the
    /// tree are the mode's.
    ///
    /// # Errors
    ///
    /// If a field is out of its range.
    pub fn xof(&self) -> Result<Blake2x<F>, ParamsError> {
        Blake2x::start(self, unknown::<F>(), MAX_BLOCKS * F::LONGEST as u64)
    }

    /// BLAKE2X with `length` bytes of output, 1 to 2^32 − 2 (BLAKE2s: 2^16 − 2), and this key, salt and
    /// personalisation. The digest length and the fields of the tree are the mode's.
    ///
    /// ```
    /// use simd_digest::blake2b::Params;
    ///
    /// let mut hasher = Params::new().key(b"a key").personal(b"subkeys").xof_with_length(100)?;
    /// let mut subkeys = [0; 100];
    /// hasher.update(b"session 1").finalize().try_read(&mut subkeys)?;
    ///
    /// let error = Params::new().xof_with_length(0).unwrap_err();
    /// assert_eq!(error.to_string(), "xof_length is 0, but must be 1 to 4294967294");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a field or the length is out of its range.
    pub fn xof_with_length(&self, length: u64) -> Result<Blake2x<F>, ParamsError> {
        check_range("xof_length", length, 1..=unknown::<F>() - 1)?;
        Blake2x::start(self, length, length)
    }
}

/// Blocks that 32 bits can number.
const MAX_BLOCKS: u64 = 1 << 32;

/// The number of no block.
const NONE_HELD: u64 = u64::MAX;

/// Stands for an unknown length in the part of the node offset above the block number: all ones.
const fn unknown<F: Flavour>() -> u64 {
    u64::MAX >> (64 - 8 * F::NODE_OFFSET + 32)
}

impl<F: Flavour> Blake2x<F> {
    /// A hasher with `length` bytes of output, 1 to 2^32 − 2 (BLAKE2s: 2^16 − 2).
    ///
    /// # Errors
    ///
    /// If the length is out of its range.
    pub fn with_length(length: u64) -> Result<Self, ParamsError> {
        Params::new().xof_with_length(length)
    }

    fn start(params: &Params<F>, length_field: u64, end: u64) -> Result<Self, ParamsError> {
        let root = params.clone().hash_length(F::LONGEST).fanout(1).max_depth(1).max_leaf_length(0);
        let root = root.node_offset(length_field << 32).node_depth(0).inner_hash_length(0).last_node(false);
        Ok(Self { hasher: root.hasher()?, end })
    }

    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.hasher = self.hasher.with_backend(backend);
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.hasher.backend()
    }

    /// Bytes of the message so far. A key does not count.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.hasher.count()
    }

    /// Appends `bytes` to the message.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.hasher.update(bytes);
        self
    }

    /// A reader of the output for the message so far, to which more may be appended.
    #[must_use]
    pub fn finalize(&self) -> OutputReader<F> {
        let Hasher { node, .. } = &self.hasher;
        let mut root = F::Block::ZERO;
        let mut digest = self.hasher.digest();
        root.bytes_mut()[..F::Digest::LENGTH].copy_from_slice(digest.bytes());
        wipe(&mut digest);

        // The length of the output, salt and personalisation remain as in the root.
        let mut parameter_block = node.parameter_block;
        let length = parameter_block.bytes()[0];
        parameter_block.bytes_mut()[..8].copy_from_slice(&[length, 0, 0, 0, length, 0, 0, 0]);
        parameter_block.bytes_mut()[8 + F::NODE_OFFSET + 1] = length;

        let (position, held, held_number) = (0, F::Digest::ZERO, NONE_HELD);
        OutputReader { root, parameter_block, position, end: self.end, held, held_number, backend: self.backend() }
    }

    /// Forgets the message; parameters, key, length and backend stay.
    pub fn reset(&mut self) -> &mut Self {
        self.hasher.reset();
        self
    }
}

/// Default parameters and an output of unknown length.
impl<F: Flavour> Default for Blake2x<F> {
    fn default() -> Self {
        Params::new().xof().expect("the defaults are in range")
    }
}

impl<F: Flavour> Update for Blake2x<F> {
    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }
}

impl<F: Flavour> ExtendableOutput for Blake2x<F> {
    type Reader = OutputReader<F>;

    fn finalize_xof(self) -> OutputReader<F> {
        self.finalize()
    }
}

impl<F: Flavour> Reset for Blake2x<F> {
    fn reset(&mut self) {
        self.hasher.reset();
    }
}

impl<F: Flavour> ExtendableOutputReset for Blake2x<F> {
    fn finalize_xof_reset(&mut self) -> OutputReader<F> {
        let output = self.finalize();
        self.reset();
        output
    }
}

impl<F: Flavour> CollisionResistance for Blake2x<F> {
    type CollisionResistance = F::CollisionResistance;
}

impl<F: Flavour> AlgorithmName for Blake2x<F> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::XOF_NAME)
    }
}

/// Tells nothing, because there may be a key.
impl<F: Flavour> fmt::Debug for Blake2x<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(F::XOF_NAME).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[F: Flavour] Blake2x<F>);

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for Blake2x<F> {}

/// The output of [`Blake2x`], from the position that reading has come to.
///
/// The output ends: after the length that was asked for, or, if it is unknown, after 2^32 blocks, which is 2^38 bytes
/// (BLAKE2s: 2^37). Reads past the end differ:
///
/// - [`try_read`](Self::try_read) is an error, and reads nothing.
/// - `std::io::Read` reads less, and nothing at the end, as of a file.
/// - [`XofReader::read`] has no error to return. **It panics**, before anything is written. Check
///   [`remaining`](Self::remaining) first, or use `try_read`.
///
/// The whole blocks of a large read are computed side by side, from any position.
///
/// ```
/// use simd_digest::blake2b::Blake2xb;
///
/// let mut output = Blake2xb::with_length(100)?.update(b"message").finalize();
/// let (mut all, mut end) = ([0; 100], [0; 30]);
/// output.try_read(&mut all)?;
/// output.set_position(70)?;
/// output.try_read(&mut end)?;
/// assert_eq!(end, all[70..]);
/// assert!(output.try_read(&mut [0]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OutputReader<F: Flavour> {
    /// The root, and zeros: the message that every output block is the hash of.
    root: BlockOf<F>,
    /// The parameter block of output block 0.
    parameter_block: WordsOf<F>,
    position: u64,
    end: u64,
    /// The output block that was last read in part.
    held: WordsOf<F>,
    /// Its number, or [`NONE_HELD`]. Not an `Option`, for the reason that `Node::key` gives.
    held_number: u64,
    backend: Backend,
}

impl<F: Flavour> OutputReader<F> {
    /// Bytes of an output block.
    const LENGTH: usize = F::Digest::LENGTH;

    /// Fills `out`, and moves the position by its length.
    ///
    /// # Errors
    ///
    /// If less is left. Then nothing is read, and the position stays.
    pub fn try_read(&mut self, out: &mut [u8]) -> Result<(), XofError> {
        let asked = self.position.saturating_add(out.len() as u64);
        self.check(asked)?;
        self.fill(out);
        Ok(())
    }

    /// Bytes from the start of the output to the next one that is read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bytes of the output that are not read yet.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.end - self.position
    }

    /// Moves to `position`, forwards or backwards, at no cost.
    ///
    /// # Errors
    ///
    /// If it is behind the end of the output. Then the position stays.
    pub fn set_position(&mut self, position: u64) -> Result<(), XofError> {
        self.check(position)?;
        self.position = position;
        Ok(())
    }

    fn check(&self, asked: u64) -> Result<(), XofError> {
        if asked <= self.end { Ok(()) } else { Err(XofError { asked, length: self.end }) }
    }

    /// Fills `out`, for which there must be output.
    fn fill(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            let number = self.position / Self::LENGTH as u64;
            #[expect(clippy::cast_possible_truncation, reason = "a block has at most 64 bytes")]
            let begun = (self.position % Self::LENGTH as u64) as usize;
            let whole = if begun == 0 { out.len() - out.len() % Self::LENGTH } else { 0 };
            let length = if whole > 0 { whole } else { out.len().min(Self::LENGTH - begun) };
            let (now, then) = out.split_at_mut(length);
            if whole > 0 {
                self.blocks(number, now);
            } else {
                self.hold(number);
                now.copy_from_slice(&self.held.bytes()[begun..][..length]);
            }
            self.position += length as u64;
            out = then;
        }
    }

    /// Computes the output block `number`, which may be a short one, unless it is held already.
    fn hold(&mut self, number: u64) {
        if self.held_number == number {
            return;
        }
        let left = self.end - number * Self::LENGTH as u64;
        #[expect(clippy::cast_possible_truncation, reason = "a block has at most 64 bytes")]
        let length = left.min(Self::LENGTH as u64) as u8;
        let mut chain = self.chain(number, length);
        F::compress(self.backend, &mut chain, slice::from_ref(&self.root), Last::Block);
        self.held = chain.to_bytes();
        self.held_number = number;
        F::wipe(&mut chain);
    }

    /// Computes whole output blocks from `number` on, a lane each, to where they belong.
    fn blocks(&self, mut number: u64, out: &mut [u8]) {
        let lanes = F::lanes(self.backend);
        let mut chains = Array::<F::Chain, F::MaxLanes>::from_fn(|_| F::Chain::UNUSED);
        let blocks = Array::<&[F::Block], F::MaxLanes>::from_fn(|_| slice::from_ref(&self.root));
        let last = Array::<Last, F::MaxLanes>::from_fn(|_| Last::Block);
        let whole = self.parameter_block.bytes()[0];
        for out in out.chunks_mut(lanes * Self::LENGTH) {
            let live = out.len() / Self::LENGTH;
            let chains = &mut chains[..live];
            for chain in &mut *chains {
                *chain = self.chain(number, whole);
                number += 1;
            }
            if let [chain] = chains {
                F::compress(self.backend, chain, blocks[0], Last::Block);
            } else {
                let (blocks, last) = (&blocks[..live], &last[..live]);
                F::compress_lanes(
                    self.backend,
                    Run { count: 1, stride: 1, chains, blocks, last, hint: Known::Nothing, ends: None },
                );
            }
            for (out, chain) in out.chunks_exact_mut(Self::LENGTH).zip(chains) {
                out.copy_from_slice(chain.to_bytes().bytes());
            }
        }
        chains.iter_mut().for_each(F::wipe);
    }

    /// Where the hash of output block `number`, of `length` bytes, begins.
    #[inline]
    fn chain(&self, number: u64, length: u8) -> F::Chain {
        debug_assert!(number < MAX_BLOCKS);
        let mut parameter_block = self.parameter_block;
        parameter_block.bytes_mut()[0] = length;
        parameter_block.bytes_mut()[8..12].copy_from_slice(&number.to_le_bytes()[..4]);
        let mut chain = Chain::new::<F>(&parameter_block);
        F::close(&mut chain, &mut [F::Block::ZERO], Self::LENGTH);
        chain
    }
}

impl<F: Flavour> XofReader for OutputReader<F> {
    /// Fills `out`, and moves the position by its length.
    ///
    /// # Panics
    ///
    /// If less is left: "the output has 100 bytes, but 101 were asked for". Then nothing was written to `out`, and the
    /// position stays. [`try_read`](OutputReader::try_read) returns an error instead.
    fn read(&mut self, out: &mut [u8]) {
        self.try_read(out).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Reads less than asked for at the end of the output; never fails.
#[cfg(feature = "std")]
impl<F: Flavour> std::io::Read for OutputReader<F> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = usize::try_from(self.remaining()).unwrap_or(usize::MAX).min(out.len());
        self.fill(&mut out[..length]);
        Ok(length)
    }
}

/// Moves to a position from the start, from where the reader is, or from the end of the output, at no cost.
///
/// A position before the start or behind the end is an error of kind `InvalidInput`. Then the position stays.
#[cfg(feature = "std")]
impl<F: Flavour> std::io::Seek for OutputReader<F> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        use std::io::{Error, ErrorKind, SeekFrom};

        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
        };
        let before_the_start = || Error::new(ErrorKind::InvalidInput, "the position is before the start of the output");
        let position = position.ok_or_else(before_the_start)?;
        self.set_position(position).map_err(|error| Error::new(ErrorKind::InvalidInput, error))?;
        Ok(position)
    }
}

/// The position and the remaining length alone, because there may have been a key.
impl<F: Flavour> fmt::Debug for OutputReader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = f.debug_struct("OutputReader");
        output.field("position", &self.position).field("remaining", &self.remaining()).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for OutputReader<F> {
    fn drop(&mut self) {
        wipe(&mut self.root);
        wipe(&mut self.held);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for OutputReader<F> {}

/// More bytes were asked for than an output has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XofError {
    asked: u64,
    length: u64,
}

impl XofError {
    /// Bytes that the output would have to have.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Bytes that the output has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl fmt::Display for XofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output has {} bytes, but {} were asked for", self.length, self.asked)
    }
}

impl core::error::Error for XofError {}

//! BLAKE2b's compression function F ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2): its constants,
//! what goes in and out, and its arithmetic over vectors, for one message and for many.

use core::fmt;

pub(crate) use self::lanes::compress_lanes;
pub(crate) use self::rows::compress_rows;
pub(crate) use super::blake2::{Last, SIGMA};

mod lanes;
mod rows;

/// The initialisation vector, that of SHA-512.
pub(crate) const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

pub(crate) const BLOCK: usize = 128;
pub(crate) type Block = [u8; BLOCK];

/// What one block hands to the next: the chaining value, and the count of message bytes so far.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    pub(crate) h: [u64; 8],
    pub(crate) count: u128,
}

/// Says nothing: a chaining value can be turned into the digest of any continuation of the message.
impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").finish_non_exhaustive()
    }
}

impl Chain {
    /// Before the first block of a message with this parameter block.
    #[inline]
    pub(crate) fn new(parameter_block: &[u8; 64]) -> Self {
        let mut h = Self::words(parameter_block);
        for (h, iv) in h.iter_mut().zip(IV) {
            *h ^= iv;
        }
        Self { h, count: 0 }
    }

    /// Eight little-endian words.
    #[inline]
    pub(crate) fn words(bytes: &[u8; 64]) -> [u64; 8] {
        let (words, _) = bytes.as_chunks();
        core::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    /// Blocks that can follow until the lower half of the count is about to carry, and one more that may.
    #[inline]
    pub(crate) fn blocks_to_carry(&self) -> u64 {
        let [first, _] = halves(self.count.wrapping_add(BLOCK as u128));
        (u64::MAX - first) / BLOCK as u64 + 1
    }

    /// The chaining value, little-endian: the digest, if the last block was compressed.
    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (to, h) in bytes.as_chunks_mut().0.iter_mut().zip(self.h) {
            *to = h.to_le_bytes();
        }
        bytes
    }
}

/// What an instruction set answers for BLAKE2b.
pub(crate) trait Compress: Copy {
    /// Compresses all `blocks` into `chain` and adds 128 to its count for each, before it is compressed.
    ///
    /// `last` speaks of the last of them. The zeros that fill up a last block must not be counted: the caller takes
    /// their number from the count beforehand.
    fn compress(self, chain: &mut Chain, blocks: &[Block], last: Last);

    /// Messages at most that [`compress_lanes`](Self::compress_lanes) takes side by side.
    const LANES: usize;

    /// Compresses a run of up to `LANES` messages, each as [`compress`](Self::compress) would.
    ///
    /// No count may carry from its lower into its upper half after the first block: see [`Chain::blocks_to_carry`].
    fn compress_lanes(self, run: Run<'_>);
}

/// Messages side by side.
pub(crate) type Run<'a> = super::Run<'a, Chain, Block, Last>;

impl Last {
    /// The finalisation flags `f0` and `f1`.
    #[inline(always)]
    pub(crate) fn flags(self) -> [u64; 2] {
        match self {
            Last::Not => [0, 0],
            Last::Block => [!0, 0],
            Last::Node => [!0, !0],
        }
    }
}

/// The lower and the upper half of a count.
#[expect(clippy::cast_possible_truncation, reason = "each half has 64 bits")]
#[inline(always)]
fn halves(count: u128) -> [u64; 2] {
    [count as u64, (count >> 64) as u64]
}

/// The row of `IV` that the counter and the flags go into, with both.
#[inline(always)]
pub(crate) fn row_d(count: u128, flags: [u64; 2]) -> [u64; 4] {
    let [low, high] = halves(count);
    [IV[4] ^ low, IV[5] ^ high, IV[6] ^ flags[0], IV[7] ^ flags[1]]
}

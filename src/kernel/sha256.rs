//! SHA-256: the constants, and the messages whose closing block is known
//! ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4), section 6.2.2). SHA-224 begins with another hash value.

use digest::consts::U16;

pub(crate) use self::nodes::{Blocks, compress_blocks, hash_lanes};
use super::sha2::{self, CUBE, SQUARE};
pub(crate) use super::sha2::{CompressWhole, Lane, Sha2Word, Written, compress_lanes, whole_lanes};

mod nodes;

/// The compression function of SHA-224 and SHA-256.
pub(crate) type Sha256Function = sha2::Sha2Function<u32>;
pub(crate) type Chain = sha2::Chain<u32>;
pub(crate) type Whole<'a> = sha2::Whole<'a, u32>;
pub(crate) type Message<'a> = sha2::Message<'a, u32>;
pub(crate) type Iteration = sha2::Iteration<u32>;

/// Messages of 64 bytes, the nodes of Merkle trees: their digests are hash values from `iv`, in bytes.
#[derive(Debug)]
pub(crate) struct Nodes<'a> {
    pub(crate) iv: &'a [u32; 8],
    /// When the nodes were written.
    pub(crate) written: Written,
    /// At most [`NODES`].
    pub(crate) nodes: &'a [&'a [u8; 64]],
    /// One for each of `nodes`.
    pub(crate) digests: &'a mut [[u8; 32]],
    /// Whether the digests of these digests are asked for.
    pub(crate) twice: bool,
}

/// Nodes at most that are hashed at a time.
pub(crate) const NODES: usize = 16;

impl<'a> Nodes<'a> {
    /// These nodes in groups of at most `number`.
    #[inline]
    pub(crate) fn chunks(self, number: usize) -> impl Iterator<Item = Nodes<'a>> {
        let Self { iv, written, nodes, digests, twice } = self;
        let groups = nodes.chunks(number).zip(digests.chunks_mut(number));
        groups.map(move |(nodes, digests)| Nodes { iv, written, nodes, digests, twice })
    }
}

/// The answer of an instruction set for nodes.
pub(crate) trait CompressNodes: Copy {
    /// Computes the digests.
    fn nodes(self, nodes: Nodes<'_>);

    /// Computes the digest of one node that was written before. It names no kernel of several messages, so a program that
    /// hashes one at a time has none of them.
    fn node(self, iv: &[u32; 8], node: &[u8; 64], digest: &mut [u8; 32]);
}

/// The answer of an instruction set for further tags of HMAC-SHA-256, each of the one before.
pub(crate) trait Iterate: Copy {
    /// Computes so many further tags of each, if the SHA extension compresses that number of messages. Tells whether it
    /// did: otherwise nothing is written.
    #[inline]
    fn iterate(self, _: &mut [Iteration], _: u32) -> bool {
        false
    }
}

impl Sha2Word for u32 {
    type MaxLanes = U16;

    const K: &'static [[Self; 16]] = &K.0;
    const ROTATIONS: [[u32; 3]; 4] = [[6, 11, 25], [2, 13, 22], [7, 18, 3], [17, 19, 10]];
}

/// The initial hash values (FIPS 180-4, section 5.3.2 and 5.3.3): of SHA-224 the lower halves of those of SHA-384, of
/// SHA-256 the upper halves of those of SHA-512.
pub(crate) static IV_224: [u32; 8] = halves_of_squares(8, 0);
pub(crate) static IV_256: [u32; 8] = halves_of_squares(0, 32);

const fn halves_of_squares(first: usize, low: u32) -> [u32; 8] {
    let (mut words, mut i) = ([0; 8], 0);
    while i < 8 {
        words[i] = half(SQUARE[first + i], low);
        i += 1;
    }
    words
}

#[expect(clippy::cast_possible_truncation, reason = "that is its task")]
const fn half(word: u64, low: u32) -> u32 {
    (word >> low) as u32
}

/// The constants of the rounds (FIPS 180-4, section 4.2.2): the upper halves of those of SHA-512.
pub(crate) const K: Rounds = {
    let (mut k, mut t) = ([[0; 16]; 4], 0);
    while t < 64 {
        k[t / 16][t % 16] = half(CUBE[t], 32);
        t += 1;
    }
    Rounds(k)
};

/// A word for each of the 64 rounds. Vectors load four at a time.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Rounds(pub(crate) [[u32; 16]; 4]);

/// The schedule of the block that closes a message of 64 bytes (FIPS 180-4, section 6.2.2), added to [`K`]. The block
/// is always the same, so no kernel computes its schedule.
pub(crate) const PADDING_OF_64: Rounds = {
    let mut block = [0; 16];
    block[0] = 0x8000_0000;
    block[15] = 512;
    with_k(block)
};

/// The schedule of a block, and [`K`] added to it.
const fn with_k(block: [u32; 16]) -> Rounds {
    let mut w = [0_u32; 64];
    let mut sums = K;
    let mut t = 0;
    while t < 64 {
        w[t] = if t < 16 { block[t] } else { next_word([w[t - 16], w[t - 15], w[t - 7], w[t - 2]]) };
        sums.0[t / 16][t % 16] = K.0[t / 16][t % 16].wrapping_add(w[t]);
        t += 1;
    }
    sums
}

/// Word `t` of a schedule, from words `t - 16`, `t - 15`, `t - 7` and `t - 2`.
#[inline(always)]
pub(crate) const fn next_word([a, b, c, d]: [u32; 4]) -> u32 {
    let sigma0 = (b.rotate_right(11) ^ b).rotate_right(7) ^ b >> 3;
    let sigma1 = (d.rotate_right(2) ^ d).rotate_right(17) ^ d >> 10;
    a.wrapping_add(sigma0).wrapping_add(c).wrapping_add(sigma1)
}

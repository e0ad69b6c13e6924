//! SHA-256's compression function ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4), section 6.2.2), and the
//! padding (section 5.1.1). SHA-224 has the same, from another initial hash value.

use core::fmt;
use core::hint::select_unpredictable;

use digest::consts::{U2, U16};

pub(crate) use self::lanes::{Lane, compress_lanes, hash_lanes, whole_lanes};
use super::{Function, Sides, Word};

mod lanes;

/// The compression function of SHA-224 and SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sha256Function {}

/// The state that one block hands to the next: the intermediate hash value, and the number of blocks so far.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) h: [u32; 8],
    /// Modulo 2^64, so the length in bits is right modulo 2^64, too.
    pub(crate) blocks: u64,
}

/// Says nothing: a hash value can be turned into the digest of any continuation of the message.
impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").finish_non_exhaustive()
    }
}

/// When the last block of a run was written. Digests do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Before,
    /// By words of 64 bits, just before, since it closes a message. A load of 128 bits would wait for them: see
    /// `backend::reread`.
    JustNow,
}

impl Chain {
    /// Before the first block of a message.
    #[inline]
    pub(crate) const fn new(h: [u32; 8]) -> Self {
        Self { h, blocks: 0 }
    }

    /// The hash value as a digest of SHA-256, if the last block was compressed. SHA-224 takes the first 28 bytes.
    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(self.h) {
            *to = word.to_be_bytes();
        }
        bytes
    }
}

/// Messages of 64 bytes, the nodes of Merkle trees: their digests are hash values from `iv`, in bytes.
#[derive(Debug)]
pub(crate) struct Nodes<'a> {
    pub(crate) iv: &'a [u32; 8],
    /// When the nodes were written.
    pub(crate) written: Written,
    /// At most [`NODES`].
    pub(crate) nodes: &'a [&'a [u8; 64]],
    /// As many as `nodes`.
    pub(crate) digests: &'a mut [[u8; 32]],
    /// Whether the digests of these digests are asked for.
    pub(crate) twice: bool,
}

/// Nodes at most that are hashed at a time.
pub(crate) const NODES: usize = 16;

/// Whole messages side by side, each from its first block to its last.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    /// The hash value before each message.
    pub(crate) start: &'a [u32; 8],
    /// At least one message and at most as many as the backend has lanes, none of more blocks than the one before.
    pub(crate) messages: &'a [Message<'a>],
    /// The hash value after each message. The number of blocks stays as it is.
    pub(crate) chains: &'a mut [Chain],
}

/// A message, and the blocks that close it, which lie so that no load of a block crosses a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Message<'a> {
    /// Any block, which is not read, and the blocks that close the message. They were just written.
    pub(crate) end: [[u8; 64]; 3],
    /// The blocks that lie in the message.
    pub(crate) blocks: &'a [[u8; 64]],
    /// The number of blocks that close the message, 1 or 2.
    pub(crate) closing: usize,
}

impl Message<'_> {
    pub(crate) const NONE: Self = Self { end: [[0; 64]; 3], blocks: &[], closing: 1 };

    /// Of all blocks, those that close the message included.
    #[inline(always)]
    pub(crate) fn number(&self) -> usize {
        self.blocks.len() + self.closing
    }

    /// Block `place` of all.
    #[inline(always)]
    pub(crate) fn block(&self, place: usize) -> &[u8; 64] {
        // Messages go on to their ends at times that no CPU foresees, so without a branch.
        let whole = self.blocks.len();
        let (blocks, place) = select_unpredictable(
            place < whole,
            (self.blocks, place),
            (&self.end, place.wrapping_sub(whole).wrapping_add(1)),
        );
        &blocks[place]
    }
}

/// The answer of an instruction set for nodes, and for whole messages.
pub(crate) trait CompressNodes: Copy {
    /// Computes the digests.
    fn nodes(self, nodes: Nodes<'_>);

    /// Compresses messages, so that none waits for another.
    fn whole(self, messages: Whole<'_>);
}

impl Whole<'_> {
    /// Whether up to `lanes` messages are there, those with the most blocks first: kernels rely on this.
    pub(crate) fn keeps_contract(&self, lanes: usize) -> bool {
        let live = self.chains.len();
        (1..=lanes).contains(&live)
            && self.messages.len() == live
            && self.messages.iter().all(|message| (1..=2).contains(&message.closing))
            && self.messages.is_sorted_by(|a, b| a.number() >= b.number())
    }
}

impl<'a> Nodes<'a> {
    /// The same in groups of at most `number`.
    #[inline]
    pub(crate) fn chunks(self, number: usize) -> impl Iterator<Item = Nodes<'a>> {
        let Self { iv, written, nodes, digests, twice } = self;
        let groups = nodes.chunks(number).zip(digests.chunks_mut(number));
        groups.map(move |(nodes, digests)| Nodes { iv, written, nodes, digests, twice })
    }
}

/// The place of the message's length, the last 8 bytes of the last block.
pub(crate) const LENGTH_AT: usize = 56;

impl Function for Sha256Function {
    type Chain = Chain;
    type Block = [u8; 64];
    type Last = Written;
    type MaxLanes = U16;
    type MaxClosing = U2;

    const NO_CHAIN: Chain = Chain::new([0; 8]);
    const NOT_LAST: Written = Written::Before;
    const CLOSES_WHOLE_BLOCKS: bool = true;
    const SIDES: fn(usize) -> Sides = Sides::Lanes;

    #[inline]
    fn longest_run(_: &Chain) -> usize {
        usize::MAX
    }

    #[inline]
    fn closing(length: usize) -> usize {
        if length < LENGTH_AT { 1 } else { 2 }
    }

    /// A bit 1, zeros, and the length in bits (FIPS 180-4, section 5.1.1), all by words of 64 bits: see
    /// [`Written::JustNow`].
    #[inline]
    fn close(chain: &mut Chain, end: &mut [[u8; 64]], length: usize) {
        let bits = chain.blocks.wrapping_mul(512).wrapping_add(8 * length as u64);
        let (words, _) = end.as_flattened_mut().as_chunks_mut::<8>();
        let word = &mut words[length / 8];
        *word = (u64::from_le_bytes(*word) | 0x80 << (8 * (length % 8))).to_le_bytes();
        if let Some(last) = words.last_mut() {
            *last = bits.to_be_bytes();
        }
    }

    /// Two vectors of 128 bits, as kernels read it.
    #[inline(always)]
    fn copy(chain: &Chain, _: impl Fn(u64) -> u64) -> Chain {
        *chain
    }

    #[inline]
    fn wipe(chain: &mut Chain) {
        u32::wipe(&mut chain.h);
    }
}

/// The initial hash values (FIPS 180-4, section 5.3.2 and 5.3.3).
pub(crate) static IV_224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
pub(crate) static IV_256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The constants of the rounds (FIPS 180-4, section 4.2.2).
#[rustfmt::skip]
pub(crate) const K: Rounds = Rounds([
    [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    ],
    [
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    ],
    [
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    ],
    [
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ],
]);

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

//! BLAKE2b's compression function F ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.2) over rows.

use core::fmt;

use super::Row64;
pub(crate) use super::blake2::{Last, SIGMA};

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
}

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

/// The row of `IV` that the counter and the flags go into, with both.
#[inline(always)]
pub(crate) fn row_d(count: u128, flags: [u64; 2]) -> [u64; 4] {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the counter")]
    let (low, high) = (count as u64, (count >> 64) as u64);
    [IV[4] ^ low, IV[5] ^ high, IV[6] ^ flags[0], IV[7] ^ flags[1]]
}

/// One message, its state in four rows `a b c d` of four words.
///
/// ```text
///       column step         diagonal step, row b in place
///   a   v0  v1  v2  v3      v3  v0  v1  v2      a.turn::<3>()
///   b   v4  v5  v6  v7      v4  v5  v6  v7      b
///   c   v8  v9  v10 v11     v9  v10 v11 v8      c.turn::<1>()
///   d   v12 v13 v14 v15     v14 v15 v12 v13     d.turn::<2>()
/// ```
///
/// Row `b` ends each half of G and is needed at once by the next, so it stays in place; the others are turned around
/// it while `b` is still being computed. For the same reason the message is added to `a` before `b` is.
#[inline(always)]
pub(crate) fn compress_rows<R: Row64>(token: R::Token, chain: &mut Chain, blocks: &[Block], last: Last) {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = chain.h;
    let mut low = R::new(token, [h0, h1, h2, h3]);
    let mut high = R::new(token, [h4, h5, h6, h7]);
    for (i, block) in blocks.iter().enumerate() {
        chain.count = chain.count.wrapping_add(BLOCK as u128);
        let flags = if i + 1 == blocks.len() { last.flags() } else { Last::Not.flags() };
        let mut v = Rows {
            a: low,
            b: high,
            c: R::new(token, [IV[0], IV[1], IV[2], IV[3]]),
            d: R::new(token, row_d(chain.count, flags)),
        };
        v.round::<0>(token, block);
        v.round::<1>(token, block);
        v.round::<2>(token, block);
        v.round::<3>(token, block);
        v.round::<4>(token, block);
        v.round::<5>(token, block);
        v.round::<6>(token, block);
        v.round::<7>(token, block);
        v.round::<8>(token, block);
        v.round::<9>(token, block);
        v.round::<0>(token, block);
        v.round::<1>(token, block);
        low = low.xor(v.a).xor(v.c);
        high = high.xor(v.b).xor(v.d);
    }
    let ([h0, h1, h2, h3], [h4, h5, h6, h7]) = (low.words(), high.words());
    chain.h = [h0, h1, h2, h3, h4, h5, h6, h7];
}

struct Rows<R> {
    a: R,
    b: R,
    c: R,
    d: R,
}

impl<R: Row64> Rows<R> {
    #[inline(always)]
    fn round<const SCHEDULE: usize>(&mut self, token: R::Token, block: &Block) {
        let s = &SIGMA[SCHEDULE];
        self.half_g::<32, 24>(R::gather(token, block, [s[0], s[2], s[4], s[6]]));
        self.half_g::<16, 63>(R::gather(token, block, [s[1], s[3], s[5], s[7]]));
        self.a = self.a.turn::<3>();
        self.c = self.c.turn::<1>();
        self.d = self.d.turn::<2>();
        self.half_g::<32, 24>(R::gather(token, block, [s[14], s[8], s[10], s[12]]));
        self.half_g::<16, 63>(R::gather(token, block, [s[15], s[9], s[11], s[13]]));
        self.a = self.a.turn::<1>();
        self.c = self.c.turn::<3>();
        self.d = self.d.turn::<2>();
    }

    /// Half of G on all four columns at once, with one message word each.
    #[inline(always)]
    fn half_g<const D: u32, const B: u32>(&mut self, m: R) {
        self.a = self.a.add(m).add(self.b);
        self.d = self.d.xor(self.a).ror::<D>();
        self.c = self.c.add(self.d);
        self.b = self.b.xor(self.c).ror::<B>();
    }
}

//! One message, four words of its state in a vector.

use core::marker::PhantomData;
use core::sync::atomic::{Ordering, compiler_fence};

use super::{Chain, Constants, Last, SIGMA, row_d};
use crate::kernel::g::G;
use crate::kernel::{Block, Word, Words};

/// Four words that are one row of a 4 × 4 state, of columns 0, 2, 1 and 3.
pub(crate) trait Row<F: Constants>: Words<F::Word, 4> {
    /// The words of `block` at `places`, each loaded from memory.
    ///
    /// Unless `SETTLED`, the block may have been written just before, so no load should be wider than a word: see
    /// `backend::reread`.
    fn gather<const SETTLED: bool>(token: Self::Token, block: &F::Block, places: [usize; 4]) -> Self;

    /// Whether `gather` and `rounds` are the same for a block that is `SETTLED` and one that is not: then the rounds are
    /// compiled once.
    const LOADS_WORDS: bool = false;

    /// As [`Words::new`], for words in memory, which may have been written just before.
    #[inline(always)]
    fn join(token: Self::Token, words: [F::Word; 4]) -> Self {
        Self::new(token, words)
    }

    /// Moves the word of column `(i + N) % 4` to column `i`.
    fn turn<const N: usize>(self) -> Self;

    /// All rounds of a block. A cell has its own if it knows a better order of instructions than the compiler.
    #[inline(always)]
    fn rounds<const SETTLED: bool>(token: Self::Token, rows: &mut Rows<F, Self>, block: &F::Block) {
        rows.rounds::<SETTLED>(token, block);
    }
}

/// Compresses `blocks` with the state in four rows `a b c d` of four words.
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
///
/// In a vector, the columns are in the order 0 2 1 3: so a turn by two stays within halves of 128 bits, and a turn by
/// one exchanges them and the words of one.
#[inline(always)]
pub(crate) fn compress_rows<F: Constants, R: Row<F>>(
    token: R::Token,
    chain: &mut Chain<F::Word>,
    blocks: &[F::Block],
    last: Last,
) {
    let [mut low, mut high] = rows_of::<F, R>(token, chain);
    if let [block] = blocks
        && !R::LOADS_WORDS
    {
        chain.count = chain.count.wrapping_add(F::Block::LENGTH as u128);
        [low, high] = compress_block::<F, R, false>(token, [low, high], block, row_d::<F>(chain.count, last.flags()));
    } else {
        for (i, block) in blocks.iter().enumerate() {
            chain.count = chain.count.wrapping_add(F::Block::LENGTH as u128);
            let flags = if i + 1 == blocks.len() { last.flags() } else { Last::Not.flags() };
            [low, high] = compress_block::<F, R, true>(token, [low, high], block, row_d::<F>(chain.count, flags));
        }
    }
    set_rows(chain, [low, high]);
}

/// Both halves of a chaining value.
#[inline(always)]
pub(crate) fn rows_of<F: Constants, R: Row<F>>(token: R::Token, chain: &Chain<F::Word>) -> [R; 2] {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = chain.h;
    [R::join(token, [h0, h2, h1, h3]), R::join(token, [h4, h6, h5, h7])]
}

/// The way back.
#[inline(always)]
pub(crate) fn set_rows<W: Word, R: Words<W, 4>>(chain: &mut Chain<W>, [low, high]: [R; 2]) {
    let (to_low, to_high) = chain.h.split_at_mut(4);
    to_low.copy_from_slice(&swap(low.words()));
    // Two stores: joined to one of 64 bytes they would make the core wake its widest units for a single instruction,
    // which costs a call of one block 70 cycles.
    compiler_fence(Ordering::SeqCst);
    to_high.copy_from_slice(&swap(high.words()));
}

/// Folds `block` into both halves of a chaining value.
#[inline(always)]
fn compress_block<F: Constants, R: Row<F>, const SETTLED: bool>(
    token: R::Token,
    [low, high]: [R; 2],
    block: &F::Block,
    d: [F::Word; 4],
) -> [R; 2] {
    let [c0, c1, c2, c3, ..] = F::IV;
    let mut v = Rows {
        sum: low.add(R::gather::<SETTLED>(token, block, [0, 4, 2, 6])),
        a: low,
        b: high,
        c: R::new(token, swap([c0, c1, c2, c3])),
        d: R::new(token, swap(d)),
        function: PhantomData,
    };
    R::rounds::<SETTLED>(token, &mut v, block);
    [low.xor(v.a.turn::<1>()).xor(v.c), high.xor(v.b).xor(v.d)]
}

/// From the order of columns to that in vectors, or back.
#[inline(always)]
pub(crate) fn swap<W>([w0, w1, w2, w3]: [W; 4]) -> [W; 4] {
    [w0, w2, w1, w3]
}

/// The state between two rounds.
pub(crate) struct Rows<F, R> {
    /// Row `a` and the message words that are added next.
    pub(crate) sum: R,
    /// Row `a` as it was after the last half of G, not turned.
    pub(crate) a: R,
    pub(crate) b: R,
    pub(crate) c: R,
    pub(crate) d: R,
    function: PhantomData<F>,
}

impl<F: Constants, R: Row<F>> Rows<F, R> {
    /// All rounds of a block.
    #[inline(always)]
    pub(crate) fn rounds<const SETTLED: bool>(&mut self, token: R::Token, block: &F::Block) {
        self.round::<0, 1, SETTLED>(token, block);
        self.round::<1, 2, SETTLED>(token, block);
        self.round::<2, 3, SETTLED>(token, block);
        self.round::<3, 4, SETTLED>(token, block);
        self.round::<4, 5, SETTLED>(token, block);
        self.round::<5, 6, SETTLED>(token, block);
        self.round::<6, 7, SETTLED>(token, block);
        self.round::<7, 8, SETTLED>(token, block);
        self.round::<8, 9, SETTLED>(token, block);
        self.round::<9, 0, SETTLED>(token, block);
        if F::ROUNDS == 12 {
            self.round::<0, 1, SETTLED>(token, block);
            self.round::<1, 2, SETTLED>(token, block);
        }
    }

    /// A round by one row of the schedule, and the sum that the round by the `NEXT` begins with.
    #[inline(always)]
    fn round<const SCHEDULE: usize, const NEXT: usize, const SETTLED: bool>(
        &mut self,
        token: R::Token,
        block: &F::Block,
    ) {
        let (s, next) = (&SIGMA[SCHEDULE], &SIGMA[NEXT]);
        let gather = |places| R::gather::<SETTLED>(token, block, places);
        let [r1, r2, r3, r4] = F::Word::ROTATIONS;
        self.half_g([r1, r2]);
        self.sum = self.a.add(gather([s[1], s[5], s[3], s[7]]));
        self.half_g([r3, r4]);
        self.sum = self.a.turn::<3>().add(gather([s[14], s[10], s[8], s[12]]));
        self.c = self.c.turn::<1>();
        self.d = self.d.turn::<2>();

        self.half_g([r1, r2]);
        self.sum = self.a.add(gather([s[15], s[11], s[9], s[13]]));
        self.half_g([r3, r4]);
        self.sum = self.a.turn::<1>().add(gather([next[0], next[4], next[2], next[6]]));
        self.c = self.c.turn::<3>();
        self.d = self.d.turn::<2>();
    }

    /// Half of G on all four columns at once, one message word each being in the sum.
    #[inline(always)]
    pub(crate) fn half_g(&mut self, [r_d, r_b]: [u32; 2]) {
        self.a = self.sum.add(self.b);
        self.d = self.d.xor(self.a).ror(r_d);
        self.c = self.c.add(self.d);
        self.b = self.b.xor(self.c).ror(r_b);
    }
}

//! One message, four words of its state in a vector, or a few, each in a part of a wider vector.

use core::hint::black_box;

use super::Blake3Function;
use super::{Chain, Group, IV, SingleBlock, next_end};
use crate::kernel::Run;

/// Four words of each of `N` messages. Each operation is the same for all messages.
pub(crate) trait Row<const N: usize>: Copy {
    /// Proves that the CPU has the vector's instructions.
    type Token: Copy;

    fn new(token: Self::Token, words: [[u32; 4]; N]) -> Self;
    /// Two words in each half, the first in its lower bits.
    fn of_halves(token: Self::Token, halves: [[u64; 2]; N]) -> Self;
    fn words(self) -> [[u32; 4]; N];
    /// Words `4 i` to `4 i + 4` of each block. Unless `SETTLED`, they may have been written just before, by words of 64
    /// bits: see `backend::reread`.
    fn load<const SETTLED: bool>(token: Self::Token, blocks: [&[u8; 64]; N], i: usize) -> Self;
    /// Words `4 i` to `4 i + 4` of this block, for each message. They may have been written just before.
    fn repeat(token: Self::Token, block: &[u8; 64], i: usize) -> Self;
    /// Word by word, modulo 2^32.
    fn add(self, rhs: Self) -> Self;
    fn xor(self, rhs: Self) -> Self;
    /// The words at four places of `self`: see [`order`].
    fn shuffle<const ORDER: i32>(self) -> Self;
    /// The words at two places of `self`, then two of `rhs`: see [`order`].
    fn pick<const ORDER: i32>(self, rhs: Self) -> Self;
    /// A step of columns or of diagonals, both halves of G on all four at once. The message words of the first half are
    /// in the sum, and those of the second are `second`. Then the rows are turned for the next step. Its words are not in
    /// the sum yet.
    fn step<const DIAGONALS: bool>(rows: Rows<Self>, second: Self) -> Rows<Self>;
    /// The words of the next round: those at places 2 3 7 4, 6 10 0 13, 15 1 12 9 and 8 11 5 14 of this one.
    fn next_words(words: [Self; 4]) -> [Self; 4];
}

/// Four places in a row, as instructions take them.
pub(crate) const fn order(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// The parts of row `d` of a message's blocks.
#[derive(Clone, Copy)]
struct Tag {
    counter: u64,
    flags: u8,
    first: u8,
    last: u8,
    length: u8,
}

/// Compresses a run, `N` messages at a time.
///
/// Places without a message compute the last message once more, and their results are dropped.
#[inline(always)]
pub(crate) fn compress_rows<R: Row<N>, const N: usize>(token: R::Token, run: Run<'_, Blake3Function>) {
    let Run { count, stride, chains, blocks, last, .. } = run;
    for ((chains, blocks), last) in chains.chunks_mut(N).zip(blocks.chunks(N)).zip(last.chunks(N)) {
        let mut low = [[0; 4]; N];
        let mut high = [[0; 4]; N];
        let mut tags = [Tag { counter: 0, flags: 0, first: 0, last: 0, length: 0 }; N];
        for l in 0..N {
            let i = l.min(chains.len() - 1);
            let Chain { h: [h0, h1, h2, h3, h4, h5, h6, h7], counter, flags, first, missing, .. } = chains[i];
            [low[l], high[l]] = [[h0, h1, h2, h3], [h4, h5, h6, h7]];
            tags[l] = Tag { counter, flags, first, last: last[i], length: 64_u8.wrapping_sub(missing) };
        }
        let h = [R::new(token, low), R::new(token, high)];
        let [low, high] = compress_blocks::<R, N>(token, h, blocks, (count, stride), &tags);
        for ((chain, low), high) in chains.iter_mut().zip(low.words()).zip(high.words()) {
            chain.h[..4].copy_from_slice(&low);
            chain.h[4..].copy_from_slice(&high);
            chain.first = 0;
            chain.missing = 0;
        }
    }
}

/// Compresses a group, `N` inputs at a time.
///
/// In a group of mixed lengths, an input that has ended goes on with its last block once more, and the results are
/// dropped.
#[inline(always)]
pub(crate) fn group_rows<R: Row<N>, const N: usize>(token: R::Token, group: Group<'_>) {
    let mut begin = 0;
    for (inputs, outputs) in group.inputs.chunks(N).zip(group.outputs.chunks_mut(N)) {
        let place = |l: usize| begin + l.min(inputs.len() - 1);
        let (mut lanes, mut last, mut closing) = ([group.inputs[0]; N], [0; N], [&[0; 64]; N]);
        let mut tags = [Tag { counter: 0, flags: group.flags, first: 0, last: 0, length: 64 }; N];
        for l in 0..N {
            (lanes[l], tags[l].counter) = (group.inputs[place(l)], group.counters[place(l)]);
            (last[l], closing[l]) = match group.ends {
                Some(ends) => (ends.counts[place(l)].into(), ends.blocks[place(l)]),
                None => (group.count - 1, &lanes[l][group.count - 1]),
            };
        }
        let mut h = key::<R, N>(token, group.key);
        // Most blocks are neither the first nor the last of an input. They have this row.
        let middle = row_d::<R, N>(token, &tags);
        let mut block = 0;
        let mut next = next_end(&last, 0, usize::MAX);
        while let Some(end) = next {
            let mut blocks = [&[0; 64]; N];
            for (to, (lane, closing)) in blocks.iter_mut().zip(lanes.iter().zip(closing)) {
                *to = lane.get(block).unwrap_or(closing);
            }
            let d = if block == 0 || block == end {
                let mut tags = tags;
                for (l, tag) in tags.iter_mut().enumerate() {
                    if block == 0 {
                        tag.flags |= group.first;
                    }
                    if last[l] == block {
                        tag.flags |= group.last[place(l)];
                        tag.length = group.lengths[place(l)];
                    }
                }
                row_d::<R, N>(token, &tags)
            } else {
                middle
            };
            // Settled, although some inputs were written just before: by whole vectors, or nearly. Loads by words took up
            // to 1.13 of the time (Emerald Rapids).
            let [a, b, c, d] = compress_block::<R, N>(token, h, load::<R, N, true>(token, blocks), d);
            h = [a.xor(c), b.xor(d)];
            block += 1;
            if block > end {
                let words = h[0].words().into_iter().zip(h[1].words());
                for ((output, (low, high)), last) in outputs.iter_mut().zip(words).zip(last) {
                    if last == end {
                        let (to, _) = output.as_chunks_mut();
                        for (to, word) in to.iter_mut().zip(low.iter().chain(&high)) {
                            *to = word.to_le_bytes();
                        }
                    }
                }
                next = next_end(&last, block, usize::MAX);
            }
        }
        begin += N;
    }
}

/// The chaining value after a single block.
#[inline(always)]
pub(crate) fn compress_row<R: Row<1>, const SETTLED: bool>(token: R::Token, block: SingleBlock<'_>) -> [u8; 32] {
    let SingleBlock { key: words, bytes, counter, length, flags } = block;
    let h = key::<R, 1>(token, words);
    let d = row_d::<R, 1>(token, &[Tag { counter, flags, first: 0, last: 0, length }]);
    let [a, b, c, d] = compress_block::<R, 1>(token, h, load::<R, 1, SETTLED>(token, [bytes]), d);
    let ([low], [high]) = (a.xor(c).words(), b.xor(d).words());
    let mut cv = [0; 32];
    let (to, _) = cv.as_chunks_mut();
    for (to, word) in to.iter_mut().zip(low.iter().chain(&high)) {
        *to = word.to_le_bytes();
    }
    cv
}

/// Writes up to `N` output blocks of a root.
#[inline(always)]
pub(crate) fn output_rows<R: Row<N>, const N: usize>(token: R::Token, root: SingleBlock<'_>, blocks: &mut [[u8; 64]]) {
    debug_assert!(blocks.len() <= N, "a kernel's contract");
    let h = key::<R, N>(token, root.key);
    let mut tags = [Tag { counter: root.counter, flags: root.flags, first: 0, last: 0, length: root.length }; N];
    for (i, tag) in (0..).zip(&mut tags) {
        tag.counter = root.counter.wrapping_add(i);
    }
    let d = row_d::<R, N>(token, &tags);
    let words = [
        R::repeat(token, root.bytes, 0),
        R::repeat(token, root.bytes, 1),
        R::repeat(token, root.bytes, 2),
        R::repeat(token, root.bytes, 3),
    ];
    let [a, b, c, d] = compress_block::<R, N>(token, h, words, d);
    let rows = [a.xor(c), b.xor(d), c.xor(h[0]), d.xor(h[1])];
    for (i, row) in rows.iter().enumerate() {
        for (block, words) in blocks.iter_mut().zip(row.words()) {
            let (to, _) = block.as_chunks_mut::<4>();
            for (to, word) in to[4 * i..][..4].iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
    }
}

/// Both halves of a key, for every message.
#[inline(always)]
fn key<R: Row<N>, const N: usize>(token: R::Token, key: &[u32; 8]) -> [R; 2] {
    let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
    [R::new(token, [[k0, k1, k2, k3]; N]), R::new(token, [[k4, k5, k6, k7]; N])]
}

#[inline(always)]
fn row_d<R: Row<N>, const N: usize>(token: R::Token, tags: &[Tag; N]) -> R {
    // The compiler inserts each element of this array by itself, and halves are fewer than words.
    let mut d = [[0; 2]; N];
    for (d, tag) in d.iter_mut().zip(tags) {
        *d = [tag.counter, u64::from(tag.length) | u64::from(tag.flags) << 32];
    }
    R::of_halves(token, d)
}

/// Both halves of the chaining values after `count` blocks of each message.
#[inline(always)]
fn compress_blocks<R: Row<N>, const N: usize>(
    token: R::Token,
    mut h: [R; 2],
    inputs: &[&[[u8; 64]]],
    (count, stride): (usize, usize),
    tags: &[Tag; N],
) -> [R; 2] {
    let live = inputs.len();
    // All of one length, so that the bounds are checked here and not in the loop.
    let mut lanes = [&[][..]; N];
    for (l, lane) in lanes.iter_mut().enumerate() {
        *lane = &inputs[l.min(live - 1)][..(count - 1) * stride + 1];
    }
    let mut block = 0;
    // A run has at least one block. A `for` would have code for none, which LLVM removes in some builds only.
    loop {
        let mut tags = *tags;
        for tag in &mut tags {
            if block == 0 {
                tag.flags |= tag.first;
            }
            if block + 1 == count {
                tag.flags |= tag.last;
            } else {
                tag.length = 64;
            }
        }
        let mut blocks = [&lanes[0][0]; N];
        for (to, lane) in blocks.iter_mut().zip(&lanes) {
            *to = &lane[block * stride];
        }
        let d = row_d::<R, N>(token, &tags);
        let [a, b, c, d] = if count == 1 {
            compress_block::<R, N>(token, h, load::<R, N, false>(token, blocks), d)
        } else {
            compress_block::<R, N>(token, h, load::<R, N, true>(token, blocks), d)
        };
        h = [a.xor(c), b.xor(d)];
        block += 1;
        if block == count {
            return h;
        }
    }
}

/// All words of each block.
#[inline(always)]
fn load<R: Row<N>, const N: usize, const SETTLED: bool>(token: R::Token, blocks: [&[u8; 64]; N]) -> [R; 4] {
    [
        R::load::<SETTLED>(token, blocks, 0),
        R::load::<SETTLED>(token, blocks, 1),
        R::load::<SETTLED>(token, blocks, 2),
        R::load::<SETTLED>(token, blocks, 3),
    ]
}

/// The state after all rounds of a block, in four rows `a b c d`.
///
/// ```text
///       column step         diagonal step, row b in place
///   a   v0  v1  v2  v3      v3  v0  v1  v2
///   b   v4  v5  v6  v7      v4  v5  v6  v7
///   c   v8  v9  v10 v11     v9  v10 v11 v8
///   d   v12 v13 v14 v15     v14 v15 v12 v13
/// ```
///
/// Row `b` ends each half of G and is needed at once by the next, so it stays in place; the others are turned around it
/// while `b` is still being computed. For the same reason the message is added to `a` before `b` is.
#[inline(always)]
fn compress_block<R: Row<N>, const N: usize>(token: R::Token, [low, high]: [R; 2], words: [R; 4], d: R) -> [R; 4] {
    let mut m = first_words(words);
    let c = R::new(token, [[IV[0], IV[1], IV[2], IV[3]]; N]);
    let mut v = Rows { sum: low.add(m[0]), a: low, b: high, c, d };
    // In a loop of one round, each takes a cycle longer. LLVM would write out a loop whose number it knows, and a `for`
    // has code for none.
    let mut left = black_box(3_u32);
    loop {
        (v, m) = round::<R, N>(v, m);
        (v, m) = round::<R, N>(v, m);
        left -= 1;
        if left == 0 {
            break;
        }
    }
    (v, _) = round::<R, N>(v, m);
    [v.a.shuffle::<TURN_1>(), v.b, v.c, v.d]
}

/// The word of column `(i + n) % 4` at column `i`.
pub(crate) const TURN_1: i32 = order(1, 2, 3, 0);
pub(crate) const TURN_2: i32 = order(2, 3, 0, 1);
pub(crate) const TURN_3: i32 = order(3, 0, 1, 2);

/// The words that the first round adds in the first and second half of the column step, and of the diagonal step.
///
/// ```text
///   x   m0  m2  m4  m6        z   m14 m8  m10 m12
///   y   m1  m3  m5  m7        w   m15 m9  m11 m13
/// ```
#[inline(always)]
fn first_words<R: Row<N>, const N: usize>([m0, m4, m8, m12]: [R; 4]) -> [R; 4] {
    const EVEN: i32 = order(0, 2, 0, 2);
    const ODD: i32 = order(1, 3, 1, 3);
    [
        m0.pick::<EVEN>(m4),
        m0.pick::<ODD>(m4),
        m8.pick::<EVEN>(m12).shuffle::<TURN_3>(),
        m8.pick::<ODD>(m12).shuffle::<TURN_3>(),
    ]
}

/// The state between two steps.
pub(crate) struct Rows<R> {
    /// Row `a` and the message words that are added next.
    pub(crate) sum: R,
    /// Row `a` as it was after the last half of G, not turned.
    pub(crate) a: R,
    pub(crate) b: R,
    pub(crate) c: R,
    pub(crate) d: R,
}

/// A round with these words, and the sum that the next one begins with. Returns the words of the next.
#[inline(always)]
fn round<R: Row<N>, const N: usize>(v: Rows<R>, [x, y, z, w]: [R; 4]) -> (Rows<R>, [R; 4]) {
    let mut v = R::step::<false>(v, y);
    v.sum = v.sum.add(z);
    let mut v = R::step::<true>(v, w);
    // Everything waits for the steps, so they come first: a CPU that has a choice takes the older instruction.
    let next = R::next_words([x, y, z, w]);
    v.sum = v.sum.add(next[0]);
    (v, next)
}

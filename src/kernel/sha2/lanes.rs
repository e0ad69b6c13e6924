//! Many messages, a word of each in a vector.

use core::hint::black_box;
use core::mem;
use core::slice::from_ref;

use super::{Sha2Function, Sha2Word, Whole};
use crate::kernel::{Block, Known, Lanes, Run, align_stack, block_of_each, lanes_of};

/// A vector of one word of each of `L` messages, for the lane kernel. The names are those of FIPS 180-4, section 4.1.2.
pub(crate) trait Lane<W, const L: usize>: Lanes<W, L> {
    /// Whether the words of a block are in memory, for want of registers. Rounds are by eight then.
    const IN_MEMORY: bool;
    /// Whether the rounds are a function of their own, which kernels share.
    const IS_SHARED: bool;

    /// Words `i L` to `i L + L` of `bytes`, big-endian.
    #[inline(always)]
    fn load_be(token: Self::Token, bytes: &[u8], i: usize) -> Self {
        Self::load(token, bytes, i).swap_bytes()
    }
    /// Every word with its bytes the other way round.
    fn swap_bytes(self) -> Self;
    /// T1 and T2 of a round (section 6.2.2) from the sum of `h`, the constant and the word, and from `a b c e f g`.
    /// `sha2_rounds!` of `backend::vector` implements this method and the next for every vector.
    fn temporary(sum: Self, variables: [Self; 6]) -> [Self; 2];
    /// Word `t` of a schedule, from words `t - 16`, `t - 15`, `t - 7` and `t - 2`.
    fn next_word(words: [Self; 4]) -> Self;
}

/// Compresses up to `L` messages, lane `l` of every vector for message `l`.
///
/// `compress` is [`compress_block`]. On x86 it is a function of its own, so that the rounds are compiled once for all
/// kernels of a vector. Proofs for AArch64 follow no call.
///
/// Lanes without a message compute the last message once more, and their results are dropped.
#[inline(always)]
pub(crate) fn compress_lanes<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    run: Run<'_, Sha2Function<W>>,
    compress: impl Fn(&mut [V; 8], &[&W::Block; L]),
) {
    let live = run.chains.len();
    let lane = |l: usize| l.min(live - 1);
    let mut h = [splat::<W, V, L>(token, W::ZERO); 8];
    if run.hint != Known::Nothing {
        h = splat_all::<W, V, L>(token, &run.chains[0].h);
    } else {
        // No `array::from_fn` or `map` here: their closures may become calls, which know no instruction set.
        for (i, h) in h.chunks_mut(L).enumerate() {
            let mut rows = [splat::<W, V, L>(token, W::ZERO); L];
            for (l, row) in rows.iter_mut().enumerate() {
                let mut words = [W::ZERO; L];
                let part = &run.chains[lane(l)].h[i * L..];
                let number = part.len().min(L);
                words[..number].copy_from_slice(&part[..number]);
                *row = V::new(token, words);
            }
            h.copy_from_slice(&V::transpose(rows)[..h.len()]);
        }
    }
    let ahead = if L >= 8 { run.ahead(L) } else { None };
    let lanes = lanes_of::<W::Block, L>(run.blocks, run.count, run.stride);
    for block in 0..run.count {
        let blocks = block_of_each(&lanes, block * run.stride);
        if let Some(ahead) = ahead {
            for block in blocks {
                V::fetch_ahead(block.bytes(), ahead);
            }
        }
        compress(&mut h, &blocks);
    }
    for (i, h) in h.chunks(L).enumerate() {
        let mut columns = [splat::<W, V, L>(token, W::ZERO); L];
        columns[..h.len()].copy_from_slice(h);
        for (chain, row) in run.chains.iter_mut().zip(V::transpose(columns)) {
            chain.h[i * L..][..h.len()].copy_from_slice(&row.words()[..h.len()]);
        }
    }
    for chain in run.chains {
        chain.blocks = chain.blocks.wrapping_add(run.count as u64);
    }
}

/// Compresses up to `L` whole messages. `compress` is that of [`compress_lanes`].
///
/// ```text
///   lane 0  ████████████████▒    ▒ = the blocks that close a message, one or two
///   lane 1  ████████████▒▒░░░    ░ = any block: the results are dropped
///   lane 2  ████████▒░░░░░░░░
/// ```
///
/// Hash values leave their lanes whenever a message ends, so no lane is set up anew.
#[inline(always)]
pub(crate) fn whole_lanes<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    whole: Whole<'_, W>,
    compress: impl Fn(&mut [V; 8], &[&W::Block; L]),
) {
    let Whole { start, messages, chains } = whole;
    let mut h = splat_all::<W, V, L>(token, start);
    let mut live = messages.len();
    let message = |l: usize| &messages[l.min(messages.len() - 1)];
    // A message's blocks, then its end. A lane whose message has ended begins the end anew.
    let mut left = [const { [].as_slice() }; L];
    for (l, left) in left.iter_mut().enumerate() {
        *left = message(l).blocks();
    }
    for block in 0..messages[0].number() {
        let mut blocks = [&messages[0].end[1]; L];
        for (l, (block, left)) in blocks.iter_mut().zip(&mut left).enumerate() {
            if left.is_empty() {
                *left = message(l).closing();
            }
            (*block, *left) = (&left[0], &left[1..]);
        }
        compress(&mut h, &blocks);
        let before = live;
        while live > 0 && messages[live - 1].number() == block + 1 {
            live -= 1;
        }
        if live == before {
            continue;
        }
        for (i, h) in h.chunks(L).enumerate() {
            let mut columns = [splat::<W, V, L>(token, W::ZERO); L];
            columns[..h.len()].copy_from_slice(h);
            let rows = V::transpose(columns);
            for (chain, row) in chains[live..before].iter_mut().zip(&rows[live..before]) {
                chain.h[i * L..][..h.len()].copy_from_slice(&row.words()[..h.len()]);
            }
        }
    }
}

#[inline(always)]
pub(in crate::kernel) fn splat<W: Sha2Word, V: Lane<W, L>, const L: usize>(token: V::Token, word: W) -> V {
    V::new(token, [word; L])
}

#[inline(always)]
pub(in crate::kernel) fn splat_all<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    words: &[W; 8],
) -> [V; 8] {
    let mut vectors = [splat::<W, V, L>(token, W::ZERO); 8];
    for (vector, word) in vectors.iter_mut().zip(words) {
        *vector = splat::<W, V, L>(token, *word);
    }
    vectors
}

#[inline(always)]
pub(in crate::kernel) fn add_all<W: Sha2Word, V: Lane<W, L>, const L: usize>(mut h: [V; 8], v: [V; 8]) -> [V; 8] {
    for (h, v) in h.iter_mut().zip(v) {
        *h = h.add(v);
    }
    h
}

/// One block of each message.
#[inline(always)]
pub(crate) fn compress_block<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    h: &mut [V; 8],
    blocks: &[&W::Block; L],
) {
    compress_words::<W, V, L>(token, h, load::<W, V, L>(token, blocks));
}

/// The words of a block of each message.
#[inline(always)]
pub(in crate::kernel) fn load<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    blocks: &[&W::Block; L],
) -> [V; 16] {
    let mut w = [splat::<W, V, L>(token, W::ZERO); 16];
    for (i, w) in w.chunks_exact_mut(L).enumerate() {
        let mut rows = [splat::<W, V, L>(token, W::ZERO); L];
        for (row, block) in rows.iter_mut().zip(blocks) {
            *row = V::load_be(token, block.bytes(), i);
        }
        w.copy_from_slice(&V::transpose(rows));
    }
    w
}

/// One block of each message: `w` are its words.
///
/// Rounds by sixteen, or by eight: all in a row would be more code than a CPU keeps decoded.
#[inline(always)]
pub(in crate::kernel) fn compress_words<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    h: &mut [V; 8],
    w: [V; 16],
) {
    let Some((last, scheduled)) = W::K.split_last() else { return };
    // Hidden, or the compiler would add the constants last, on the critical path.
    let (last, scheduled) = black_box((last, scheduled));
    if V::IN_MEMORY {
        return rounds_in_memory(token, h, w, scheduled, from_ref(last));
    }
    align_stack::<V>();
    let (&[mut low, mut high], []) = w.as_chunks::<8>() else { return };
    let mut v = *h;
    for k in scheduled {
        v = sixteen::<W, V, L, true>(token, v, [&mut low, &mut high], k);
    }
    v = sixteen::<W, V, L, false>(token, v, [&mut low, &mut high], last);
    *h = add_all::<W, V, L>(*h, v);
}

/// Rounds with these constants, by eight. Words of the schedule are computed beside the rounds of `scheduled`, and not
/// beside the `rest`.
#[inline(always)]
pub(in crate::kernel) fn rounds_in_memory<W: Sha2Word, V: Lane<W, L>, const L: usize>(
    token: V::Token,
    h: &mut [V; 8],
    w: [V; 16],
    scheduled: &[[W; 16]],
    rest: &[[W; 16]],
) {
    align_stack::<V>();
    let (&[mut low, mut high], []) = w.as_chunks::<8>() else { return };
    let [mut now, mut next] = [&mut low, &mut high];
    let mut v = *h;
    for k in scheduled.as_flattened().as_chunks().0 {
        v = eight::<W, V, L, true>(token, v, Some([now, next]), k);
        mem::swap(&mut now, &mut next);
    }
    for k in rest.as_flattened().as_chunks().0 {
        v = eight::<W, V, L, false>(token, v, Some([now, next]), k);
        mem::swap(&mut now, &mut next);
    }
    *h = add_all::<W, V, L>(*h, v);
}

#[inline(always)]
fn sixteen<W: Sha2Word, V: Lane<W, L>, const L: usize, const MORE: bool>(
    token: V::Token,
    v: [V; 8],
    [low, high]: [&mut [V; 8]; 2],
    k: &[W; 16],
) -> [V; 8] {
    let ([first, second], []) = k.as_chunks() else { return v };
    let v = eight::<W, V, L, MORE>(token, v, Some([low, high]), first);
    eight::<W, V, L, MORE>(token, v, Some([high, low]), second)
}

/// Eight rounds: `k` are their constants, and `words` those of these rounds and of the next. Without words, `k` are the
/// sums of words and constants. If `MORE`, the words of sixteen rounds later take the place of these.
#[inline(always)]
pub(in crate::kernel) fn eight<W: Sha2Word, V: Lane<W, L>, const L: usize, const MORE: bool>(
    token: V::Token,
    v: [V; 8],
    mut words: Option<[&mut [V; 8]; 2]>,
    k: &[W; 8],
) -> [V; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = v;
    // The next word before the round takes less time in long vectors, and after it in those of SSE.
    let early = const { size_of::<V>() > 16 };
    macro_rules! rounds {
        ($($t:literal)+) => {$(
            let mut sum = h.add(splat::<W, V, L>(token, k[$t]));
            if let Some([now, next]) = &mut words {
                let word = now[$t];
                if MORE && early {
                    now[$t] = next_word::<W, V, L>(now, next, $t);
                }
                sum = sum.add(word);
            }
            let [t1, t2] = V::temporary(sum, [a, b, c, e, f, g]);
            if let (Some([now, next]), true) = (&mut words, MORE && !early) {
                now[$t] = next_word::<W, V, L>(now, next, $t);
            }
            (a, b, c, d, e, f, g, h) = (t1.add(t2), a, b, c, d.add(t1), e, f, g);
        )+};
    }
    rounds!(0 1 2 3 4 5 6 7);
    [a, b, c, d, e, f, g, h]
}

/// The word sixteen after word `t` of `now`, after which `next` comes.
#[inline(always)]
fn next_word<W: Sha2Word, V: Lane<W, L>, const L: usize>(now: &[V; 8], next: &[V; 8], t: usize) -> V {
    let fifteen_before = if t == 7 { next[0] } else { now[t + 1] };
    let seven_before = if t == 7 { now[0] } else { next[t + 1] };
    let two_before = if t < 2 { next[t + 6] } else { now[t - 2] };
    V::next_word([now[t], fifteen_before, seven_before, two_before])
}

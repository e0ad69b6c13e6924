//! Many messages, a word of each in a vector.

use core::slice::from_ref;

use super::{Constants, SIGMA, halves};
use crate::kernel::g::{HalfG, Place, places_of, rounds};
use crate::kernel::{Block, Known, Lanes, Run, Word, align_stack, block_of_each, bytes_of_each, lanes_of};

/// The order in which each round takes the words of the message.
static ORDERS: [[Place; 16]; 12] = places_of(&SIGMA);

/// Runs of so many blocks are of long messages, which may not have been used lately.
const LONG: usize = 16;

/// Bytes from those that are used to those that are fetched.
const AHEAD: usize = 1024;

/// Compresses up to `L` messages, lane `l` of every vector for message `l`.
///
/// Lanes without a message compute the last message once more, and their results are dropped. Chaining values of whole
/// messages leave their lanes whenever one ends, so no lane is set up anew.
#[inline(always)]
pub(crate) fn compress_lanes<F: Constants, V: HalfG<F::Word, L>, const L: usize>(token: V::Token, run: Run<'_, F>) {
    align_stack::<V>();
    let number = run.chains.len();
    let lane = |l: usize| l.min(number - 1);
    let splat = |word| V::new(token, [word; L]);
    let start = run.ends.map_or(&run.chains[0], |ends| ends.start);
    let [first_low, first_high] = halves::<F::Word>(start.count.wrapping_add(F::Block::LENGTH as u128));

    let mut h = [splat(F::Word::ZERO); 8];
    // No `array::from_fn` or `map` here: their closures may become calls, which know no instruction set.
    let [mut lows, mut highs, mut f0s, mut f1s] = [[F::Word::ZERO; L]; 4];
    for l in 0..L {
        [lows[l], highs[l]] = halves(run.chains[lane(l)].count.wrapping_add(F::Block::LENGTH as u128));
        [f0s[l], f1s[l]] = run.last[lane(l)].flags();
    }
    let mut low = splat(first_low);
    if run.ends.is_none() {
        low = broadcast_if_equal::<F::Word, V, L>(token, lows);
    }
    let (high, mut f0, mut f1);
    if run.hint == Known::Nothing {
        for (i, h) in h.chunks_mut(L).enumerate() {
            let mut rows = [splat(F::Word::ZERO); L];
            for (l, row) in rows.iter_mut().enumerate() {
                *row = V::new(token, chunk(&run.chains[lane(l)].h, i));
            }
            h.copy_from_slice(&V::transpose(rows)[..h.len()]);
        }
        high = broadcast_if_equal::<F::Word, V, L>(token, highs);
        // By a loop that ends at the first that differs: it is not made one over vectors, which proofs would not follow.
        let one_last = run.last.iter().all(|&last| last == run.last[0]);
        f0 = broadcast_if::<F::Word, V, L>(token, one_last, f0s);
        f1 = broadcast_if::<F::Word, V, L>(token, one_last, f1s);
    } else {
        for (h, &word) in h.iter_mut().zip(&start.h) {
            *h = splat(word);
        }
        (high, f0, f1) = (splat(first_high), splat(f0s[0]), splat(f1s[0]));
    }

    let long = || (run.count >= LONG).then_some(AHEAD);
    let ahead = if L >= 8 { run.ahead(L).or_else(long) } else { None };
    let mut messages = [&[][..]; L];
    for (l, message) in messages.iter_mut().enumerate() {
        *message = run.blocks[lane(l)];
    }
    // Counts and flags in the last block of the messages that have ended.
    let mut counts = [first_low; L];
    let [mut f0s_here, mut f1s_here] = [[F::Word::ZERO; L]; 2];
    // Messages that have not ended, and the blocks of each that are done.
    let (mut live, mut done) = (number, 0);
    loop {
        // A run is compressed at once. In whole messages, first the blocks before the last one of the shortest are, and
        // then that one: so the rounds are compiled once.
        let (mut count, mut going_on) = (run.count, 0);
        if let Some(ends) = run.ends {
            going_on = live;
            count = messages[live - 1].len();
            (low, f0, f1) = (splat(first_low), splat(F::Word::ZERO), splat(F::Word::ZERO));
            if count == 0 {
                count = 1;
                // By a loop that is not made one over vectors, which proofs would not follow.
                while going_on > 0 && messages[going_on - 1].is_empty() {
                    going_on -= 1;
                    messages[going_on] = from_ref(ends.blocks[going_on]);
                    // Not from `lows`, which would have to lie in memory then, and be waited for.
                    let count = run.chains[going_on].count.wrapping_add(F::Block::LENGTH as u128);
                    [counts[going_on], _] = halves(count);
                    [f0s_here[going_on], f1s_here[going_on]] = [f0s[0], f1s[0]];
                }
                low = V::new(token, counts);
                (f0, f1) = if going_on == 0 {
                    (splat(f0s[0]), splat(f1s[0]))
                } else {
                    (V::new(token, f0s_here), V::new(token, f1s_here))
                };
            }
            let first = messages[0];
            for message in &mut messages[live..] {
                *message = first;
            }
            low = low.add(splat(F::Word::truncate(done as u128 * F::Block::LENGTH as u128)));
        }
        let lanes = lanes_of::<F::Block, L>(&messages, count, run.stride);
        for block in 0..count {
            let blocks = bytes_of_each(block_of_each(&lanes, block * run.stride));
            if let Some(ahead) = ahead {
                for block in blocks {
                    for line in block.chunks(64) {
                        V::fetch_ahead(line, ahead);
                    }
                }
            }
            let mut m = [splat(F::Word::ZERO); 16];
            if L > 8 {
                load::<F, V, L>(token, blocks, &mut m, 0);
            } else {
                let (low, high) = m.split_at_mut(8);
                load::<F, V, L>(token, blocks, low, 0);
                if run.hint != Known::Half {
                    load::<F, V, L>(token, blocks, high, 8 / L);
                }
            }
            let [c0, c1, c2, c3, d0, d1, d2, d3] = F::IV;
            let (mut d2, mut d3) = (splat(d2), splat(d3));
            if block + 1 == count {
                d2 = d2.xor(f0);
                d3 = d3.xor(f1);
            }
            let [h0, h1, h2, h3, h4, h5, h6, h7] = h;
            let [c0, c1, c2, c3] = [splat(c0), splat(c1), splat(c2), splat(c3)];
            let [d0, d1] = [splat(d0).xor(low), splat(d1).xor(high)];
            let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, c0, c1, c2, c3, d0, d1, d2, d3];
            rounds(&mut v, &m, &ORDERS, F::ROUNDS);
            for i in 0..8 {
                h[i] = h[i].xor(v[i]).xor(v[i + 8]);
            }
            low = low.add(splat(F::Word::truncate(F::Block::LENGTH as u128)));
        }
        if going_on < live {
            for (i, h) in h.chunks(L).enumerate() {
                let mut columns = [splat(F::Word::ZERO); L];
                columns[..h.len()].copy_from_slice(h);
                for (l, (chain, row)) in run.chains.iter_mut().zip(V::transpose(columns)).enumerate() {
                    if l >= going_on && l < live {
                        chain.h[i * L..][..h.len()].copy_from_slice(&row.words()[..h.len()]);
                    }
                }
            }
        }
        if going_on == 0 {
            break;
        }
        for message in &mut messages {
            *message = &message[count..];
        }
        (live, done) = (going_on, done + count);
    }
    if run.ends.is_none() {
        for chain in run.chains {
            chain.count = chain.count.wrapping_add(run.count as u128 * F::Block::LENGTH as u128);
        }
    }
}

/// The words of a block of all messages that `m` has room for, from word `first L` on.
#[inline(always)]
fn load<F: Constants, V: HalfG<F::Word, L>, const L: usize>(
    token: V::Token,
    blocks: [&[u8]; L],
    m: &mut [V],
    first: usize,
) {
    for (i, m) in m.chunks_exact_mut(L).enumerate() {
        V::load_words(token, blocks, first + i, m);
    }
}

/// A vector of words that are most often equal.
///
/// One broadcast takes the place of some twenty shuffles then, which would hold up a run of one block by a tenth.
#[inline(always)]
fn broadcast_if_equal<W: Word, V: Lanes<W, L>, const L: usize>(token: V::Token, words: [W; L]) -> V {
    broadcast_if::<W, V, L>(token, words.iter().all(|&word| word == words[0]), words)
}

#[inline(always)]
fn broadcast_if<W: Word, V: Lanes<W, L>, const L: usize>(token: V::Token, equal: bool, words: [W; L]) -> V {
    if equal { V::new(token, [words[0]; L]) } else { V::new(token, words) }
}

/// Words `i L` to `i L + L` of a chaining value, again from the first where it has no more.
#[inline(always)]
fn chunk<W: Word, const L: usize>(h: &[W; 8], i: usize) -> [W; L] {
    let mut words = [W::ZERO; L];
    for (j, word) in words.iter_mut().enumerate() {
        *word = h[(i * L + j) % 8];
    }
    words
}

//! Many messages, a word of each in a vector.

use core::slice::from_ref;

use super::Blake3Function;
use super::{Chain, Ends, Group, IV, SingleBlock, halves, next_end};
use crate::kernel::g::{HalfG, Place, places_of, rounds, unrolled_rounds};
use crate::kernel::{Run, Word, align_stack, block_of_each, bytes_of_each, lanes_of};

/// The order in which each round takes the words of the message: the paper's permutation, applied once more each round.
static ORDERS: [[Place; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut i = 0;
    while i < 16 {
        schedule[0][i] = i;
        i += 1;
    }
    let mut r = 1;
    while r < 7 {
        let mut i = 0;
        while i < 16 {
            schedule[r][i] = schedule[r - 1][PERMUTATION[i]];
            i += 1;
        }
        r += 1;
    }
    places_of(&schedule)
};

/// Row `d` of each message's blocks.
struct Tags<V> {
    low: V,
    high: V,
    length: V,
    flags: V,
    /// Flags of the first block, besides `flags`.
    first: V,
    /// Flags of the last block, besides `flags`.
    last: V,
}

/// Compresses a run of up to `L` messages, lane `l` of every vector for message `l`.
///
/// Lanes without a message compute the last message once more, and their results are dropped.
#[inline(always)]
pub(crate) fn compress_lanes<V: HalfG<u32, L>, const L: usize>(token: V::Token, run: Run<'_, Blake3Function>) {
    let live = run.chains.len();
    let lane = |l: usize| l.min(live - 1);
    let mut h = [splat::<V, L>(token, 0); 8];
    // No `array::from_fn` or `map` here: their closures may become calls, which know no instruction set.
    for (i, h) in h.chunks_mut(L).enumerate() {
        let mut rows = [splat::<V, L>(token, 0); L];
        for (l, row) in rows.iter_mut().enumerate() {
            let mut words = [0; L];
            let part = &run.chains[lane(l)].h[i * L..];
            let number = part.len().min(L);
            words[..number].copy_from_slice(&part[..number]);
            *row = V::new(token, words);
        }
        h.copy_from_slice(&V::transpose(rows)[..h.len()]);
    }
    let [mut low, mut high, mut length, mut flags, mut first, mut last] = [[0; L]; 6];
    for l in 0..L {
        let Chain { counter, flags: all, first: begin, missing, .. } = run.chains[lane(l)];
        [low[l], high[l]] = halves(counter);
        length[l] = 64_u8.wrapping_sub(missing).into();
        flags[l] = all.into();
        first[l] = begin.into();
        last[l] = run.last[lane(l)].into();
    }
    let tags = Tags {
        low: V::new(token, low),
        high: V::new(token, high),
        length: V::new(token, length),
        flags: V::new(token, flags),
        first: V::new(token, first),
        last: V::new(token, last),
    };
    compress_blocks::<V, L, false>(token, &mut h, run.blocks, (run.count, run.stride), AHEAD, &tags);
    for (i, h) in h.chunks(L).enumerate() {
        let mut columns = [splat::<V, L>(token, 0); L];
        columns[..h.len()].copy_from_slice(h);
        for (chain, row) in run.chains.iter_mut().zip(V::transpose(columns)) {
            chain.h[i * L..][..h.len()].copy_from_slice(&row.words()[..h.len()]);
        }
    }
    for chain in run.chains {
        chain.first = 0;
        chain.missing = 0;
    }
}

/// Compresses a group of up to `L` inputs, those of one length perhaps `UNROLLED`: see [`equal_lanes`].
#[inline(always)]
pub(crate) fn group_lanes<V: HalfG<u32, L>, const L: usize, const UNROLLED: bool>(token: V::Token, group: Group<'_>) {
    match group.ends {
        None => equal_lanes::<V, L, UNROLLED>(token, group),
        Some(ends) => mixed_lanes::<V, L>(token, group, ends),
    }
}

/// Compresses a group of up to `L` inputs of one length. If `UNROLLED`, there is code for each round, seven times as
/// much, even where the vector has the rounds in a loop.
#[inline(always)]
pub(crate) fn equal_lanes<V: HalfG<u32, L>, const L: usize, const UNROLLED: bool>(token: V::Token, group: Group<'_>) {
    let [mut low, mut high, mut length, mut last] = [[0; L]; 4];
    for l in 0..L {
        [low[l], high[l]] = halves(group.counters[l]);
        length[l] = group.lengths[l].into();
        last[l] = group.last[l].into();
    }
    let tags = Tags {
        low: V::new(token, low),
        high: V::new(token, high),
        length: V::new(token, length),
        flags: splat(token, group.flags.into()),
        first: splat(token, group.first.into()),
        last: V::new(token, last),
    };
    let mut h = splat_all::<V, L>(token, group.key);
    let ahead = if group.followed { L * 64 * group.count } else { AHEAD };
    compress_blocks::<V, L, UNROLLED>(token, &mut h, group.inputs, (group.count, 1), ahead, &tags);
    for (i, h) in h.chunks(L).enumerate() {
        let mut columns = [splat::<V, L>(token, 0); L];
        columns[..h.len()].copy_from_slice(h);
        let rows = V::transpose(columns);
        for (output, row) in group.outputs.iter_mut().zip(&rows) {
            let words = row.words();
            let to = &mut output.as_chunks_mut().0[i * L..];
            for (to, word) in to.iter_mut().zip(&words) {
                *to = word.to_le_bytes();
            }
        }
    }
}

/// Compresses a group of mixed lengths of up to `L` inputs.
///
/// ```text
///   lane 0  ████████████████▒    ▒ = the last block, with a length and flags of its own
///   lane 1  ████████████▒░░░░    ░ = blocks of the longest: the results are dropped
///   lane 2  ████████▒░░░░░░░░
/// ```
///
/// Chaining values leave their lanes whenever an input ends, so no lane is set up anew.
#[inline(always)]
fn mixed_lanes<V: HalfG<u32, L>, const L: usize>(token: V::Token, group: Group<'_>, ends: &Ends<'_>) {
    let [mut low, mut high] = [[0; L]; 2];
    let mut inputs = [group.inputs[0]; L];
    // No `copy_from_slice`: that of a length unknown is a call.
    for (to, input) in inputs.iter_mut().zip(group.inputs) {
        *to = input;
    }
    for l in 0..L {
        [low[l], high[l]] = halves(group.counters[l]);
    }
    let mut tags = Tags {
        low: V::new(token, low),
        high: V::new(token, high),
        length: splat(token, 64),
        flags: splat(token, group.flags.into()),
        first: splat(token, group.first.into()),
        last: splat(token, 0),
    };
    let mut h = splat_all::<V, L>(token, group.key);
    let (mut begin, mut next) = (0, next_end(&ends.counts[..L], 0, u8::MAX));
    while let Some(end) = next {
        // The blocks before the last of the shortest input, and then that last block: so the rounds are compiled once.
        for ends_here in [begin == end, true] {
            let mut lanes = [&[][..]; L];
            if ends_here {
                let (mut lengths, mut last) = ([64; L], [0; L]);
                for l in 0..L {
                    lanes[l] = from_ref(inputs[l].get(end).unwrap_or(ends.blocks[l]));
                    if usize::from(ends.counts[l]) == end {
                        lengths[l] = group.lengths[l].into();
                        last[l] = group.last[l].into();
                    }
                }
                (tags.length, tags.last) = (V::new(token, lengths), V::new(token, last));
            } else {
                for (lane, input) in lanes.iter_mut().zip(&inputs) {
                    *lane = &input[begin..end];
                }
                (tags.length, tags.last) = (splat(token, 64), splat(token, 0));
            }
            compress_blocks::<V, L, false>(token, &mut h, &lanes, (lanes[0].len(), 1), AHEAD, &tags);
            tags.first = splat(token, 0);
            if begin == end {
                break;
            }
        }
        for (i, h) in h.chunks(L).enumerate() {
            let mut columns = [splat::<V, L>(token, 0); L];
            columns[..h.len()].copy_from_slice(h);
            let rows = V::transpose(columns);
            for ((output, row), count) in group.outputs.iter_mut().zip(&rows).zip(ends.counts) {
                if usize::from(count) == end {
                    let words = row.words();
                    let to = &mut output.as_chunks_mut().0[i * L..];
                    for (to, word) in to.iter_mut().zip(&words) {
                        *to = word.to_le_bytes();
                    }
                }
            }
        }
        next = next_end(&ends.counts[..L], end + 1, u8::MAX);
        if next.is_some() {
            let mut longest = inputs[0];
            for input in inputs {
                if input.len() > longest.len() {
                    longest = input;
                }
            }
            for (input, count) in inputs.iter_mut().zip(&ends.counts) {
                if usize::from(*count) <= end {
                    *input = longest;
                }
            }
        }
        begin = end + 1;
    }
}

/// Writes output blocks of a root, `L` at a time.
#[inline(always)]
pub(crate) fn output_lanes<V: HalfG<u32, L>, const L: usize>(
    token: V::Token,
    root: SingleBlock<'_>,
    blocks: &mut [[u8; 64]],
) {
    align_stack::<V>();
    let mut m = [splat::<V, L>(token, 0); 16];
    for (i, m) in m.iter_mut().enumerate() {
        *m = splat(token, u32::load(root.bytes, i));
    }
    let h = splat_all::<V, L>(token, root.key);
    let (length, flags) = (splat(token, root.length.into()), splat(token, root.flags.into()));
    let mut counter = root.counter;
    for blocks in blocks.chunks_mut(L) {
        let [mut low, mut high] = [[0; L]; 2];
        for (low, high) in low.iter_mut().zip(&mut high) {
            [*low, *high] = halves(counter);
            counter = counter.wrapping_add(1);
        }
        output_of_lanes(token, &h, &m, [V::new(token, low), V::new(token, high), length, flags], blocks);
    }
}

/// Writes up to `L` output blocks, with this last row of the state before the rounds.
#[inline(always)]
fn output_of_lanes<V: HalfG<u32, L>, const L: usize>(
    token: V::Token,
    h: &[V; 8],
    m: &[V; 16],
    d: [V; 4],
    blocks: &mut [[u8; 64]],
) {
    let mut v = state::<V, L>(token, h, d);
    unrolled_rounds(&mut v, m, &ORDERS);
    for i in 0..8 {
        v[i] = v[i].xor(v[i + 8]);
        v[i + 8] = v[i + 8].xor(h[i]);
    }
    for (i, words) in v.chunks_exact(L).enumerate() {
        let mut columns = [v[0]; L];
        columns.copy_from_slice(words);
        let rows = V::transpose(columns);
        for (block, row) in blocks.iter_mut().zip(&rows) {
            let words = row.words();
            let to = &mut block.as_chunks_mut().0[i * L..][..L];
            for (to, word) in to.iter_mut().zip(&words) {
                *to = word.to_le_bytes();
            }
        }
    }
}

/// Chunks that are whole are of a long message, which may not have been used lately.
const BLOCKS_OF_CHUNK: usize = 16;

/// Bytes from those that are used to those that are fetched, unless those of the next inputs are: then there is the time of
/// a whole group until they are needed.
const AHEAD: usize = 256;

/// Compresses `count` blocks of each of `inputs`, of which there may be fewer than lanes. Fetches the bytes that lie
/// `ahead` of those of whole chunks.
#[inline(always)]
fn compress_blocks<V: HalfG<u32, L>, const L: usize, const UNROLLED: bool>(
    token: V::Token,
    h: &mut [V; 8],
    inputs: &[&[[u8; 64]]],
    (count, stride): (usize, usize),
    ahead: usize,
    tags: &Tags<V>,
) {
    align_stack::<V>();
    let lanes = lanes_of::<[u8; 64], L>(inputs, count, stride);
    for block in 0..count {
        let blocks = bytes_of_each(block_of_each(&lanes, block * stride));
        if L >= 8 && count == BLOCKS_OF_CHUNK {
            for block in blocks {
                V::fetch_ahead(block, ahead);
            }
        }
        let mut m = [splat::<V, L>(token, 0); 16];
        for (i, m) in m.chunks_exact_mut(L).enumerate() {
            V::load_words(token, blocks, i, m);
        }
        let mut length = splat(token, 64);
        let mut flags = tags.flags;
        if block == 0 {
            flags = flags.xor(tags.first);
        }
        if block + 1 == count {
            flags = flags.xor(tags.last);
            length = tags.length;
        }
        let mut v = state::<V, L>(token, h, [tags.low, tags.high, length, flags]);
        if UNROLLED {
            unrolled_rounds(&mut v, &m, &ORDERS);
        } else {
            rounds(&mut v, &m, &ORDERS, ORDERS.len());
        }
        for i in 0..8 {
            h[i] = v[i].xor(v[i + 8]);
        }
    }
}

/// The state before the first round.
#[inline(always)]
fn state<V: HalfG<u32, L>, const L: usize>(token: V::Token, h: &[V; 8], [d0, d1, d2, d3]: [V; 4]) -> [V; 16] {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = *h;
    let [c0, c1, c2, c3] = [splat(token, IV[0]), splat(token, IV[1]), splat(token, IV[2]), splat(token, IV[3])];
    [h0, h1, h2, h3, h4, h5, h6, h7, c0, c1, c2, c3, d0, d1, d2, d3]
}

#[inline(always)]
fn splat<V: HalfG<u32, L>, const L: usize>(token: V::Token, word: u32) -> V {
    V::new(token, [word; L])
}

#[inline(always)]
fn splat_all<V: HalfG<u32, L>, const L: usize>(token: V::Token, words: &[u32; 8]) -> [V; 8] {
    let mut vectors = [splat(token, 0); 8];
    for (vector, word) in vectors.iter_mut().zip(words) {
        *vector = splat(token, *word);
    }
    vectors
}

//! Many messages, a word of each in a vector.

use core::array;

use super::{BLOCK, IV, Run, SIGMA, halves};
use crate::kernel::{Kind, Lanes64, word64};

/// Compresses up to `L` messages, lane `l` of every vector for message `l`: word `i` of all states is vector `v[i]`.
///
/// Lanes without a message compute the last message once more, and their results are dropped.
#[inline(always)]
pub(crate) fn compress_lanes<V: Lanes64<L>, const L: usize>(token: V::Token, run: Run<'_>) {
    if run.kind == Kind::Half {
        compress_words::<V, L, 8>(token, run);
    } else {
        compress_words::<V, L, 16>(token, run);
    }
}

/// The kernel for blocks of which the first `WORDS` words are not known to be zero.
#[inline(always)]
fn compress_words<V: Lanes64<L>, const L: usize, const WORDS: usize>(token: V::Token, run: Run<'_>) {
    let live = run.chains.len();
    let lane = |l: usize| l.min(live - 1);
    let splat = |word| V::new(token, [word; L]);

    let mut h = [splat(0); 8];
    let first = |l: usize| halves(run.chains[lane(l)].count.wrapping_add(BLOCK as u128));
    let (mut low, high, f0, f1);
    if run.kind == Kind::Any {
        for (i, h) in h.chunks_exact_mut(L).enumerate() {
            let rows = array::from_fn(|l| V::new(token, chunk(&run.chains[lane(l)].h, i)));
            h.copy_from_slice(&V::transpose(rows));
        }
        let flags = |l: usize| run.last[lane(l)].flags();
        low = alike::<V, L>(token, array::from_fn(|l| first(l)[0]));
        high = alike::<V, L>(token, array::from_fn(|l| first(l)[1]));
        f0 = alike::<V, L>(token, array::from_fn(|l| flags(l)[0]));
        f1 = alike::<V, L>(token, array::from_fn(|l| flags(l)[1]));
    } else {
        h = run.chains[0].h.map(splat);
        low = alike::<V, L>(token, array::from_fn(|l| first(l)[0]));
        high = splat(first(0)[1]);
        [f0, f1] = run.last[0].flags().map(splat);
    }

    for block in 0..run.count {
        let mut m = [splat(0); 16];
        for (i, m) in m[..WORDS].chunks_exact_mut(L).enumerate() {
            let rows = array::from_fn(|l| {
                let block = &run.blocks[lane(l)][block * run.stride];
                V::new(token, array::from_fn(|j| word64(block, i * L + j)))
            });
            m.copy_from_slice(&V::transpose(rows));
        }
        let [mut d2, mut d3] = [splat(IV[6]), splat(IV[7])];
        if block + 1 == run.count {
            d2 = d2.xor(f0);
            d3 = d3.xor(f1);
        }
        let [h0, h1, h2, h3, h4, h5, h6, h7] = h;
        let [c0, c1, c2, c3] = [splat(IV[0]), splat(IV[1]), splat(IV[2]), splat(IV[3])];
        let [d0, d1] = [splat(IV[4]).xor(low), splat(IV[5]).xor(high)];
        let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, c0, c1, c2, c3, d0, d1, d2, d3];
        lanes_round(&mut v, &m, &SIGMA[0]);
        lanes_round(&mut v, &m, &SIGMA[1]);
        lanes_round(&mut v, &m, &SIGMA[2]);
        lanes_round(&mut v, &m, &SIGMA[3]);
        lanes_round(&mut v, &m, &SIGMA[4]);
        lanes_round(&mut v, &m, &SIGMA[5]);
        lanes_round(&mut v, &m, &SIGMA[6]);
        lanes_round(&mut v, &m, &SIGMA[7]);
        lanes_round(&mut v, &m, &SIGMA[8]);
        lanes_round(&mut v, &m, &SIGMA[9]);
        lanes_round(&mut v, &m, &SIGMA[0]);
        lanes_round(&mut v, &m, &SIGMA[1]);
        for i in 0..8 {
            h[i] = h[i].xor(v[i]).xor(v[i + 8]);
        }
        low = low.add(splat(BLOCK as u64));
    }

    for (i, h) in h.chunks_exact(L).enumerate() {
        let rows = V::transpose(array::from_fn(|j| h[j]));
        for (chain, row) in run.chains.iter_mut().zip(rows) {
            chain.h[i * L..][..L].copy_from_slice(&row.words());
        }
    }
    for chain in run.chains {
        chain.count = chain.count.wrapping_add(run.count as u128 * BLOCK as u128);
    }
}

/// A vector of words that are most often the same.
///
/// Then it is one broadcast instead of some twenty shuffles, which would hold up a run of one block by a tenth.
#[inline(always)]
fn alike<V: Lanes64<L>, const L: usize>(token: V::Token, words: [u64; L]) -> V {
    if words.iter().all(|&word| word == words[0]) { V::new(token, [words[0]; L]) } else { V::new(token, words) }
}

/// Words `i L` to `i L + L` of a chaining value.
#[inline(always)]
fn chunk<const L: usize>(h: &[u64; 8], i: usize) -> [u64; L] {
    h.as_chunks().0[i]
}

/// The places of `b`, `c` and `d` in the four G of a column step, and of a diagonal step; those of `a` are 0 to 3.
const COLUMNS: [[usize; 4]; 3] = [[4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]];
const DIAGONALS: [[usize; 4]; 3] = [[5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

#[inline(always)]
fn lanes_round<V: Lanes64<L>, const L: usize>(v: &mut [V; 16], m: &[V; 16], s: &[usize; 16]) {
    lanes_half_g::<V, L, 32, 24>(v, COLUMNS, [m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    lanes_half_g::<V, L, 16, 63>(v, COLUMNS, [m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    lanes_half_g::<V, L, 32, 24>(v, DIAGONALS, [m[s[8]], m[s[10]], m[s[12]], m[s[14]]]);
    lanes_half_g::<V, L, 16, 63>(v, DIAGONALS, [m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
}

/// Half of G on four columns or diagonals, with one message word each.
///
/// The four are independent: taken operation by operation they hide each other's latency. They are written out, for
/// hundreds of small loops in one function take the compiler minutes.
#[inline(always)]
fn lanes_half_g<V: Lanes64<L>, const L: usize, const D: u32, const B: u32>(
    v: &mut [V; 16],
    [b, c, d]: [[usize; 4]; 3],
    m: [V; 4],
) {
    v[0] = v[0].add(m[0]).add(v[b[0]]);
    v[1] = v[1].add(m[1]).add(v[b[1]]);
    v[2] = v[2].add(m[2]).add(v[b[2]]);
    v[3] = v[3].add(m[3]).add(v[b[3]]);
    v[d[0]] = v[d[0]].xor(v[0]).ror::<D>();
    v[d[1]] = v[d[1]].xor(v[1]).ror::<D>();
    v[d[2]] = v[d[2]].xor(v[2]).ror::<D>();
    v[d[3]] = v[d[3]].xor(v[3]).ror::<D>();
    v[c[0]] = v[c[0]].add(v[d[0]]);
    v[c[1]] = v[c[1]].add(v[d[1]]);
    v[c[2]] = v[c[2]].add(v[d[2]]);
    v[c[3]] = v[c[3]].add(v[d[3]]);
    v[b[0]] = v[b[0]].xor(v[c[0]]).ror::<B>();
    v[b[1]] = v[b[1]].xor(v[c[1]]).ror::<B>();
    v[b[2]] = v[b[2]].xor(v[c[2]]).ror::<B>();
    v[b[3]] = v[b[3]].xor(v[c[3]]).ror::<B>();
    [v[b[0]], v[b[1]], v[b[2]], v[b[3]]] = V::together([v[b[0]], v[b[1]], v[b[2]], v[b[3]]]);
}

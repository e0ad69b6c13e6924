//! Messages of 64 bytes side by side: the block that closes each is always the same.

use super::{Nodes, PADDING_OF_64, Rounds};
use crate::kernel::sha2::Lane;
use crate::kernel::sha2::lanes::{add_all, compress, sixteen, splat, splat_all};

/// The digests of up to `L` messages of 64 bytes, or of these digests if `twice`.
#[inline(always)]
pub(crate) fn hash_lanes<V: Lane<u32, L>, const L: usize>(token: V::Token, nodes: Nodes<'_>) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    let live = nodes.len();
    let iv = splat_all::<u32, V, L>(token, iv);
    let mut w = [splat::<u32, V, L>(token, 0); 16];
    for (i, w) in w.chunks_exact_mut(L).enumerate() {
        let mut rows = [splat::<u32, V, L>(token, 0); L];
        for (l, row) in rows.iter_mut().enumerate() {
            *row = V::load_be(token, nodes[l.min(live - 1)], i);
        }
        w.copy_from_slice(&V::transpose(rows));
    }
    // In a loop the rounds are compiled once.
    let mut h = iv;
    for second in [false, true] {
        h = compress::<u32, V, L>(token, iv, w);
        if second {
            break;
        }
        h = add_all::<u32, V, L>(h, scheduled_rounds::<V, L>(token, h, &PADDING_OF_64));
        if !twice {
            break;
        }
        w[..8].copy_from_slice(&h);
        w[8] = splat::<u32, V, L>(token, 0x8000_0000);
        w[9..15].fill(splat::<u32, V, L>(token, 0));
        w[15] = splat::<u32, V, L>(token, 256);
    }
    for (i, h) in h.chunks(L).enumerate() {
        let mut columns = [splat::<u32, V, L>(token, 0); L];
        columns[..h.len()].copy_from_slice(h);
        for (digest, row) in digests.iter_mut().zip(V::transpose(columns)) {
            let (words, _) = digest.as_chunks_mut::<4>();
            for (to, word) in words[i * L..].iter_mut().zip(row.swap_bytes().words()) {
                *to = word.to_ne_bytes();
            }
        }
    }
}

/// The 64 rounds of a block whose schedule is known: `sums` are its words and the constants.
#[inline(always)]
fn scheduled_rounds<V: Lane<u32, L>, const L: usize>(token: V::Token, mut v: [V; 8], sums: &Rounds) -> [V; 8] {
    for sums in &sums.0 {
        v = sixteen::<u32, V, L, false>(token, v, None, sums);
    }
    v
}

//! BLAKE2's and BLAKE3's quarter round G over vectors, a word of each message in a vector: the rotations and the order of
//! the message words are the hash's ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.1).

use super::{Lanes, Word};

/// A vector of `L` messages as the rounds take it.
pub(crate) trait Lane<W, const L: usize>: Lanes<W, L> {
    /// Has the compiler compute four vectors before anything that needs one of them. The values stay.
    #[inline(always)]
    fn keep_order(vectors: [Self; 4]) -> [Self; 4] {
        vectors
    }

    /// The same for the four exclusive ors before a rotation.
    #[inline(always)]
    fn keep_sums(vectors: [Self; 4]) -> [Self; 4] {
        vectors
    }
}

/// The places of `b`, `c` and `d` in the four G of a column step, and of a diagonal step; those of `a` are 0 to 3.
const COLUMNS: [[usize; 4]; 3] = [[4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]];
const DIAGONALS: [[usize; 4]; 3] = [[5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

/// A round: word `i` of all states is vector `v[i]`, the words of the message are taken in the order `s`.
#[inline(always)]
pub(crate) fn round<W: Word, V: Lane<W, L>, const L: usize>(
    v: &mut [V; 16],
    m: &[V; 16],
    s: &[usize; 16],
    [r1, r2, r3, r4]: [u32; 4],
) {
    half_g(v, [r1, r2], COLUMNS, [m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    half_g(v, [r3, r4], COLUMNS, [m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    half_g(v, [r1, r2], DIAGONALS, [m[s[8]], m[s[10]], m[s[12]], m[s[14]]]);
    half_g(v, [r3, r4], DIAGONALS, [m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
}

/// Half of G on four columns or diagonals, with one message word each.
///
/// The four are independent: taken operation by operation they hide each other's latency. They are written out, for
/// hundreds of small loops in one function take the compiler minutes.
#[inline(always)]
fn half_g<W: Word, V: Lane<W, L>, const L: usize>(
    v: &mut [V; 16],
    [r_d, r_b]: [u32; 2],
    [b, c, d]: [[usize; 4]; 3],
    m: [V; 4],
) {
    v[0] = v[0].add(m[0]).add(v[b[0]]);
    v[1] = v[1].add(m[1]).add(v[b[1]]);
    v[2] = v[2].add(m[2]).add(v[b[2]]);
    v[3] = v[3].add(m[3]).add(v[b[3]]);
    let [d0, d1, d2, d3] = V::keep_sums([v[d[0]].xor(v[0]), v[d[1]].xor(v[1]), v[d[2]].xor(v[2]), v[d[3]].xor(v[3])]);
    [v[d[0]], v[d[1]], v[d[2]], v[d[3]]] = [d0.ror(r_d), d1.ror(r_d), d2.ror(r_d), d3.ror(r_d)];
    v[c[0]] = v[c[0]].add(v[d[0]]);
    v[c[1]] = v[c[1]].add(v[d[1]]);
    v[c[2]] = v[c[2]].add(v[d[2]]);
    v[c[3]] = v[c[3]].add(v[d[3]]);
    let [b0, b1, b2, b3] =
        V::keep_sums([v[b[0]].xor(v[c[0]]), v[b[1]].xor(v[c[1]]), v[b[2]].xor(v[c[2]]), v[b[3]].xor(v[c[3]])]);
    [v[b[0]], v[b[1]], v[b[2]], v[b[3]]] = [b0.ror(r_b), b1.ror(r_b), b2.ror(r_b), b3.ror(r_b)];
    [v[b[0]], v[b[1]], v[b[2]], v[b[3]]] = V::keep_order([v[b[0]], v[b[1]], v[b[2]], v[b[3]]]);
}

//! BLAKE2's and BLAKE3's quarter round G over vectors, a word of each message in a vector: the rotations and the order of
//! the message words are the hash's ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.1).

use super::{Lanes, Word};

/// The words that G mixes, of 64 bits in BLAKE2b and of 32 in BLAKE2s and BLAKE3.
pub trait G: Word {
    /// R1 to R4, by which it rotates.
    const ROTATIONS: [u32; 4];
}

impl G for u64 {
    const ROTATIONS: [u32; 4] = [32, 24, 16, 63];
}

impl G for u32 {
    const ROTATIONS: [u32; 4] = [16, 12, 8, 7];
}

/// A vector of `L` messages as the rounds take it.
pub(crate) trait HalfG<W: G, const L: usize>: Lanes<W, L> {
    /// The first or the second half of G on the four columns of a state, or on its diagonals, with a message word each.
    ///
    /// The four are independent: taken by turns they hide each other's latency. `half_g!` of `backend::vector`
    /// implements it, and for vectors of 512 bits `staggered!`.
    fn half_g<const SECOND: bool, const DIAGONALS: bool>(v: &mut [Self; 16], m: &[Self; 4]);
}

/// By how much the two exclusive ors of a half are rotated.
pub(crate) const fn rotations<W: G>(second: bool) -> [u32; 2] {
    let [r1, r2, r3, r4] = W::ROTATIONS;
    if second { [r3, r4] } else { [r1, r2] }
}

/// The places of `b`, `c` and `d` in the four G of a column step, and of a diagonal step; those of `a` are 0 to 3.
pub(crate) const fn places(diagonals: bool) -> [[usize; 4]; 3] {
    if diagonals {
        [[5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]]
    } else {
        [[4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    }
}

/// A round: word `i` of all states is vector `v[i]`, the words of the message are taken in the order `s`.
#[inline(always)]
pub(crate) fn round<W: G, V: HalfG<W, L>, const L: usize>(v: &mut [V; 16], m: &[V; 16], s: &[usize; 16]) {
    V::half_g::<false, false>(v, &[m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    V::half_g::<true, false>(v, &[m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    V::half_g::<false, true>(v, &[m[s[8]], m[s[10]], m[s[12]], m[s[14]]]);
    V::half_g::<true, true>(v, &[m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
}

//! BLAKE2's and BLAKE3's quarter round G over vectors, a word of each message in a vector: the rotations and the order of
//! the message words are the hash's ([RFC 7693](https://www.rfc-editor.org/rfc/rfc7693), section 3.1).

use core::hint::black_box;

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
    /// Whether the rounds are a loop, unless a kernel wants [code for each](unrolled_rounds). A loop loads the words of
    /// the message by their number: a seventh to a twelfth of the code. Where registers are few, it keeps others in
    /// memory than code for each round does, and takes longer.
    const LOOP: bool;

    /// The word at this place.
    fn word(m: &[Self; 16], place: Place) -> Self;

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

/// A word of the message: its number times sixteen, which an address scales to the size of a vector. The compiler knows
/// that there is no other, and checks no bounds.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
pub(crate) enum Place {
    P0 = 0, P1 = 16, P2 = 32, P3 = 48, P4 = 64, P5 = 80, P6 = 96, P7 = 112,
    P8 = 128, P9 = 144, P10 = 160, P11 = 176, P12 = 192, P13 = 208, P14 = 224, P15 = 240,
}

/// The numbers of `schedule` as places, from its first row again where it has fewer.
pub(crate) const fn places_of<const R: usize>(schedule: &[[usize; 16]]) -> [[Place; 16]; R] {
    use Place::{P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15};
    const ALL: [Place; 16] = [P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15];
    let mut places = [ALL; R];
    let mut r = 0;
    while r < R {
        let mut i = 0;
        while i < 16 {
            places[r][i] = ALL[schedule[r % schedule.len()][i]];
            i += 1;
        }
        r += 1;
    }
    places
}

/// The first `number` rounds: word `i` of all states is vector `v[i]`, and round `r` takes the words of the message in the
/// order `orders[r]`.
#[inline(always)]
pub(crate) fn rounds<W: G, V: HalfG<W, L>, const L: usize, const R: usize>(
    v: &mut [V; 16],
    m: &[V; 16],
    orders: &[[Place; 16]; R],
    number: usize,
) {
    if V::LOOP {
        // Hidden, or LLVM would write the rounds out. Not their number, or there would be code for none.
        for order in &black_box(orders)[..number] {
            round(v, m, order);
        }
    } else {
        unrolled_rounds(v, m, &orders[..number]);
    }
}

/// These rounds with code for each, seven, ten or twelve. LLVM would leave a loop so long as it is.
#[inline(always)]
pub(crate) fn unrolled_rounds<W: G, V: HalfG<W, L>, const L: usize>(
    v: &mut [V; 16],
    m: &[V; 16],
    orders: &[[Place; 16]],
) {
    round(v, m, &orders[0]);
    round(v, m, &orders[1]);
    round(v, m, &orders[2]);
    round(v, m, &orders[3]);
    round(v, m, &orders[4]);
    round(v, m, &orders[5]);
    round(v, m, &orders[6]);
    if orders.len() > 7 {
        round(v, m, &orders[7]);
        round(v, m, &orders[8]);
        round(v, m, &orders[9]);
    }
    if orders.len() > 10 {
        round(v, m, &orders[10]);
        round(v, m, &orders[11]);
    }
}

#[inline(always)]
fn round<W: G, V: HalfG<W, L>, const L: usize>(v: &mut [V; 16], m: &[V; 16], order: &[Place; 16]) {
    let m = |i: usize| V::word(m, order[i]);
    V::half_g::<false, false>(v, &[m(0), m(2), m(4), m(6)]);
    V::half_g::<true, false>(v, &[m(1), m(3), m(5), m(7)]);
    V::half_g::<false, true>(v, &[m(8), m(10), m(12), m(14)]);
    V::half_g::<true, true>(v, &[m(9), m(11), m(13), m(15)]);
}

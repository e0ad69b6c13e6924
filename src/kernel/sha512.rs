//! SHA-512: the constants ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4), section 6.4). SHA-384, SHA-512/224
//! and SHA-512/256 begin with other hash values.

use digest::consts::U8;

use super::sha2::{self, CUBE, SQUARE};
pub(crate) use super::sha2::{CompressWhole, Lane, Sha2Word, Written, compress_block, compress_lanes, whole_lanes};

/// The compression function of SHA-512.
pub(crate) type Sha512Function = sha2::Sha2Function<u64>;
pub(crate) type Chain = sha2::Chain<u64>;
pub(crate) type Whole<'a> = sha2::Whole<'a, u64>;

impl Sha2Word for u64 {
    type MaxLanes = U8;

    const K: &'static [[Self; 16]] = CUBE.as_chunks().0;
    const ROTATIONS: [[u32; 3]; 4] = [[14, 18, 41], [28, 34, 39], [1, 8, 7], [19, 61, 6]];
}

/// The initial hash values (FIPS 180-4, sections 5.3.4 to 5.3.6).
pub(crate) static IV_384: [u64; 8] = half_of_squares(8);
pub(crate) static IV_512: [u64; 8] = half_of_squares(0);
pub(crate) static IV_512_224: [u64; 8] = generated(*b"224\x80\0\0\0\0");
pub(crate) static IV_512_256: [u64; 8] = generated(*b"256\x80\0\0\0\0");

const fn half_of_squares(first: usize) -> [u64; 8] {
    let (mut words, mut i) = ([0; 8], 0);
    while i < 8 {
        words[i] = SQUARE[first + i];
        i += 1;
    }
    words
}

/// SHA-512 of the hash's name, from an initial hash value of its own (section 5.3.6). `end` has what comes after
/// `SHA-512/`, and the padding.
const fn generated(end: [u8; 8]) -> [u64; 8] {
    let (mut h, mut i) = (half_of_squares(0), 0);
    while i < 8 {
        h[i] ^= 0xa5a5_a5a5_a5a5_a5a5;
        i += 1;
    }
    let (mut w, mut v, mut t) = ([0_u64; 80], h, 0);
    (w[0], w[1], w[15]) = (u64::from_be_bytes(*b"SHA-512/"), u64::from_be_bytes(end), 8 * 11);
    while t < 80 {
        if t >= 16 {
            w[t] = next_word([w[t - 16], w[t - 15], w[t - 7], w[t - 2]]);
        }
        let [a, b, c, d, e, f, g, _] = v;
        let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let t1 = v[7].wrapping_add(sum1).wrapping_add(e & f ^ !e & g).wrapping_add(CUBE[t]).wrapping_add(w[t]);
        let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        let t2 = sum0.wrapping_add(a & b ^ a & c ^ b & c);
        v = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
        t += 1;
    }
    i = 0;
    while i < 8 {
        h[i] = h[i].wrapping_add(v[i]);
        i += 1;
    }
    h
}

/// Word `t` of a schedule, from words `t - 16`, `t - 15`, `t - 7` and `t - 2`.
#[inline(always)]
pub(crate) const fn next_word([a, b, c, d]: [u64; 4]) -> u64 {
    let sigma0 = b.rotate_right(1) ^ b.rotate_right(8) ^ b >> 7;
    let sigma1 = d.rotate_right(19) ^ d.rotate_right(61) ^ d >> 6;
    a.wrapping_add(sigma0).wrapping_add(c).wrapping_add(sigma1)
}

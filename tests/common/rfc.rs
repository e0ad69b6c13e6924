//! The compression function as RFC 7693 writes it. Words of either flavour are numbers below 2 to their bits.

use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

use super::flavour::Flavour;

/// RFC 7693, section 2.1.
pub(crate) trait Rfc: Flavour {
    const BITS: u32;
    const ROUNDS: u32;
    const ROTATIONS: [(u32, u32); 2];
    const MASK: u64 = u64::MAX >> (64 - Self::BITS);

    /// Word `i` of the initialisation vector: the first bits of the fraction of the square root of the `i`th prime.
    fn iv(i: usize) -> u64 {
        FRACTIONS[i] >> (64 - Self::BITS)
    }

    /// The chaining value before the first block: unkeyed, sequential, a digest of full length.
    fn start() -> [u64; 8] {
        let lengths = 0x0101_0000 + Self::LONGEST as u64;
        core::array::from_fn(|i| if i == 0 { Self::iv(0) ^ lengths } else { Self::iv(i) })
    }

    /// The first words of `bytes`.
    fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
        let mut words = bytes.chunks_exact((Self::BITS / 8) as usize);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        core::array::from_fn(|_| words.next().map(word).unwrap())
    }

    /// A message block, zeros after `bytes`.
    fn block(bytes: &[u8]) -> [u64; 16] {
        let mut block = vec![0; Self::BLOCK];
        block[..bytes.len()].copy_from_slice(bytes);
        Self::words(&block)
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes().into_iter().take((Self::BITS / 8) as usize)).collect()
    }
}

impl Rfc for FlavourB {
    const BITS: u32 = 64;
    const ROUNDS: u32 = 12;
    const ROTATIONS: [(u32, u32); 2] = [(32, 24), (16, 63)];
}

impl Rfc for FlavourS {
    const BITS: u32 = 32;
    const ROUNDS: u32 = 10;
    const ROTATIONS: [(u32, u32); 2] = [(16, 12), (8, 7)];
}

/// 64 bits of the fractions of the square roots of the first primes. The compiler computes them: an emulator would do so
/// for each compression.
const FRACTIONS: [u64; 8] = {
    const PRIMES: [u128; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
    let mut fractions = [0; 8];
    let mut i = 0;
    while i < 8 {
        let (prime, root) = (PRIMES[i], PRIMES[i].isqrt());
        let mut bit = 64;
        while bit > 0 {
            bit -= 1;
            // With x the fraction times 2^64: (root + x / 2^64)^2 < prime.
            let x = (fractions[i] | 1 << bit) as u128;
            if 2 * root * x + ((x * x) >> 64) < (prime - root * root) << 64 {
                fractions[i] |= 1 << bit;
            }
        }
        i += 1;
    }
    fractions
};

/// RFC 7693, section 2.7: a hexadecimal digit for each place.
const SIGMA: [&str; 10] = [
    "0123456789abcdef",
    "ea489fd61c02b753",
    "b8c052fdae367194",
    "7931dcbe265a40f8",
    "905724afe1bc683d",
    "2c6a0b834d75fe19",
    "c51fed4a0763928b",
    "db7ec13950f4862a",
    "6fe9b308c2d714a5",
    "a2847615fb9e3cd0",
];

/// RFC 7693, section 3.2.
pub(crate) fn f<F: Rfc>(rounds: u32, h: [u64; 8], m: &[u64; 16], t: u128, last: bool) -> [u64; 8] {
    let add = |a: u64, b: u64| a.wrapping_add(b) & F::MASK;
    let rotate_right = |word: u64, count: u32| (word >> count | word << (F::BITS - count)) & F::MASK;

    let mut v: [u64; 16] = core::array::from_fn(|i| if i < 8 { h[i] } else { F::iv(i - 8) });
    for (i, t) in [(12, t), (13, t >> F::BITS)] {
        v[i] ^= u64::try_from(t & u128::from(F::MASK)).unwrap();
    }
    if last {
        v[14] ^= F::MASK;
    }
    for round in 0..rounds as usize {
        let mut words = SIGMA[round % 10].chars().map(|place| m[place.to_digit(16).unwrap() as usize]);
        for i in 0..8 {
            // Columns, then diagonals.
            let place = |row: usize| 4 * row + (i + row * (i / 4)) % 4;
            let [a, b, c, d] = [0, 1, 2, 3].map(place);
            for (to_d, to_b) in <F as Rfc>::ROTATIONS {
                v[a] = add(add(v[a], v[b]), words.next().unwrap());
                v[d] = rotate_right(v[d] ^ v[a], to_d);
                v[c] = add(v[c], v[d]);
                v[b] = rotate_right(v[b] ^ v[c], to_b);
            }
        }
    }
    core::array::from_fn(|i| h[i] ^ v[i] ^ v[i + 8])
}

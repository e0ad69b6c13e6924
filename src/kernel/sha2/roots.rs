//! The constants of all hashes of the family, from the roots of the first primes (FIPS 180-4, sections 4.2 and 5.3).
//! SHA-256 has halves of them.

/// The first 64 bits of the fractions of the cube roots of the first 80 primes.
pub(in crate::kernel) const CUBE: [u64; 80] = fractions(true);
/// The first 64 bits of the fractions of the square roots. Others than the first 16 are not used.
pub(in crate::kernel) const SQUARE: [u64; 80] = fractions(false);

const fn fractions(cube: bool) -> [u64; 80] {
    let (mut fractions, mut count, mut number) = ([0; 80], 0, 2);
    while count < 80 {
        if is_prime(number) {
            fractions[count] = fraction(number as u128, cube);
            count += 1;
        }
        number += 1;
    }
    fractions
}

const fn is_prime(number: u64) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= number {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}

/// Bit by bit, from the upper end.
#[expect(clippy::cast_possible_truncation, reason = "it has 64 bits")]
const fn fraction(number: u128, cube: bool) -> u64 {
    let mut whole = 1;
    while power(whole + 1, cube) <= number {
        whole += 1;
    }
    // The number less the power of the whole part, and 64 bits below it.
    let rest = (number - power(whole, cube)) << 64;
    let (mut fraction, mut bit) = (0, 1 << 63);
    while bit > 0 {
        if more(whole, fraction | bit, cube) < rest {
            fraction |= bit;
        }
        bit >>= 1;
    }
    fraction as u64
}

const fn power(whole: u128, cube: bool) -> u128 {
    whole * whole * if cube { whole } else { 1 }
}

/// By how much the power of `w + f / 2^64` is above that of `w`, in units of 2^-64, rounded down. It is never equal to
/// what it is compared with, because no root is a fraction.
const fn more(w: u128, f: u128, cube: bool) -> u128 {
    let square = f * f;
    let (high, low) = (square >> 64, square & u64::MAX as u128);
    if !cube {
        return 2 * w * f + high;
    }
    // 3 w² f + 3 w f² / 2^64 + f³ / 2^128
    let third = high * f + ((low * f) >> 64);
    3 * w * w * f + 3 * w * high + (third >> 64) + ((3 * w * low + (third & u64::MAX as u128)) >> 64)
}

//! One message of SHA-2: the rounds in scalar words, beside the schedule in vectors.
//!
//! ```text
//!   vectors   │ words of one or two blocks ─ their schedules, sixteen rounds ahead │
//!             │             ▼ plus constants, to the stack ▼                       │
//!   scalar    │                            ─ rounds of the first block             │ rounds of the second block │
//! ```
//!
//! Each 128 bits of a vector have words of one block: four of SHA-256, two of SHA-512. A vector of 256 bits has words of
//! two blocks.
//!
//! Cycles for a block of SHA-256, of many, on Zen 4: 425 on `avx512`, 430 on `avx2`, 488 on `sse41`, and 634 in scalar
//! code. SHA-512 takes 0.67 to 0.82 of its scalar code (`docs/experiments.md` of the repository).
#![allow(unsafe_code)]

use crate::kernel::Words;

pub(super) mod sha2;
pub(super) mod sha256;
pub(super) mod sha512;

/// The schedule of one block, or of two, in vectors. Word `t` is the first one that a vector is made for.
pub(super) trait Schedule<W, const L: usize>: Words<W, L> {
    /// Words of each block, from their bytes. `second` is not read where there is one block.
    fn rows(token: Self::Token, first: &[u8; 16], second: &[u8; 16]) -> Self;
    /// The words without σ1, from four vectors: the one of word `t - 16`, the next one, the one of word `t - 8`, and the
    /// next one.
    fn begin(words: [Self; 4]) -> Self;
    /// Adds σ1 to the first two words of each block, from the vector `last` with words `t - 2` and `t - 1` at its end.
    fn sigma1(self, last: Self) -> Self;
    /// Adds σ1 of the first two words to the other two, if there are any.
    fn sigma1_of_first(self) -> Self;
}

/// Implements [`Schedule`] for a vector that `words!` made, from the names of functions compiled for the token's features.
/// `$rows` reads 16 bytes of each block, `$swap` turns the bytes of each word round, and `$align` gives the words from the
/// second one on. Where there are four words of a block, `$down` and `$up` move them by two places.
macro_rules! schedule {
    ($Vector:ident: [$word:ident; $L:literal] in $features:literal, $rows:path, $swap:path, $add:path, $xor3:path,
     $ror:path, $shr:path, $align:path $(, $down:path, $up:path)?) => {
        impl $crate::backend::scheduled::Schedule<$word, $L> for $Vector {
            #[inline(always)]
            fn rows(token: Self::Token, first: &[u8; 16], second: &[u8; 16]) -> Self {
                // SAFETY: token proves the instruction set.
                Self(unsafe { $swap($rows(first, second)) }, token)
            }

            #[inline(always)]
            fn begin(words: [Self; 4]) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn begin([a, b, c, d]: [$Vector; 4]) -> $Vector {
                    let [r1, r2, r3] = <$word as Sha2Word>::ROTATIONS[2];
                    let (next, seven) = ($align(b.0, a.0), $align(d.0, c.0));
                    let sigma0 = $xor3($ror(next, r1), $ror(next, r2), $shr(next, r3));
                    $Vector($add($add(a.0, seven), sigma0), a.1)
                }

                // SAFETY: words[0].1 proves the instruction set.
                unsafe { begin(words) }
            }

            #[inline(always)]
            fn sigma1(self, last: Self) -> Self {
                // SAFETY: last.1 proves the instruction set.
                $(let last = Self(unsafe { $down(last.0) }, last.1);)?
                // SAFETY: self.1 proves the instruction set.
                unsafe { add_sigma1(self, last) }
            }

            #[inline(always)]
            fn sigma1_of_first(self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                $(return unsafe { add_sigma1(self, Self($up(self.0), self.1)) };)?
                #[allow(unreachable_code, reason = "a vector has four words of a block, or two")]
                self
            }
        }

        /// `sum`, and σ1 of each of these words.
        #[inline]
        #[target_feature(enable = $features)]
        fn add_sigma1(sum: $Vector, words: $Vector) -> $Vector {
            let [r1, r2, r3] = <$word as Sha2Word>::ROTATIONS[3];
            let sigma1 = $xor3($ror(words.0, r1), $ror(words.0, r2), $shr(words.0, r3));
            $Vector($add(sum.0, sigma1), sum.1)
        }
    };
}
pub(super) use schedule;

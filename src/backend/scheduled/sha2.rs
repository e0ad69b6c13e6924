//! What SHA-256 and SHA-512 have alike: the rounds of one message, in scalar words.
//!
//! Two chains of five instructions each, from `a` to `a` and from `e` to `e`, run through all rounds, and the other
//! instructions fill the ports. LLVM would add moves, and put instructions of the chains last. Hence the assembly. On
//! 32-bit x86 there are too few registers, and the memory sanitizer does not see assembly: both have the rounds of the
//! compiler.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(msan)))]
use core::arch::asm;

use crate::backend::bmi2::Bmi2;

/// Rotations by a move and a rotation in place, which every CPU has.
#[derive(Clone, Copy)]
pub(in crate::backend) struct InPlace;

/// The halves of a round. In the next round every variable has the name of its neighbour.
pub(in crate::backend) trait Rounds<W>: Copy {
    /// T1 and the new `e` from `d e f g h`, and from word `AT` of vector `I` of `sums`.
    fn first<const L: usize, const N: usize, const I: usize, const AT: usize>(
        self,
        variables: [W; 5],
        sums: &[[W; L]; N],
    ) -> [W; 2];
    /// The new `a` and `a ^ b` from `a b` and T1, and from `b ^ c`.
    fn second(self, variables: [W; 3], b_c: W) -> [W; 2];
}

/// Implements [`Rounds`] by assembly, or else by the compiler.
macro_rules! rounds {
    ($Token:ident: $word:ty as $as:literal by $rotate:ident, [$e0:literal $e1:literal $e2:literal], [$a0:literal $a1:literal $a2:literal]) => {
        #[cfg(all(target_arch = "x86_64", not(msan)))]
        impl Rounds<$word> for $Token {
            #[inline(always)]
            fn first<const L: usize, const N: usize, const I: usize, const AT: usize>(
                self,
                [mut d, e, f, g, mut h]: [$word; 5],
                sums: &[[$word; L]; N],
            ) -> [$word; 2] {
                // SAFETY: self proves the rotations. The word lies in the array.
                unsafe {
                    asm!(
                        concat!("add {h:", $as, "}, [{sums} + {at}]"),
                        $rotate!("t", "e", $as, $e2),
                        concat!("mov {u:", $as, "}, {f:", $as, "}"),
                        $rotate!("s", "e", $as, $e1),
                        concat!("xor {u:", $as, "}, {g:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("and {u:", $as, "}, {e:", $as, "}"),
                        $rotate!("s", "e", $as, $e0),
                        concat!("xor {u:", $as, "}, {g:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("add {h:", $as, "}, {u:", $as, "}"),
                        concat!("add {h:", $as, "}, {t:", $as, "}"),
                        concat!("add {d:", $as, "}, {h:", $as, "}"),
                        d = inout(reg) d, e = in(reg) e, f = in(reg) f, g = in(reg) g, h = inout(reg) h,
                        sums = in(reg) sums, at = const size_of::<$word>() * (I * L + AT),
                        s = out(reg) _, t = out(reg) _, u = out(reg) _,
                        options(pure, readonly, nostack)
                    );
                }
                [h, d]
            }

            #[inline(always)]
            fn second(self, [a, b, mut t1]: [$word; 3], b_c: $word) -> [$word; 2] {
                let a_b;
                // SAFETY: self proves the rotations.
                unsafe {
                    asm!(
                        $rotate!("t", "a", $as, $a2),
                        concat!("mov {n:", $as, "}, {a:", $as, "}"),
                        $rotate!("s", "a", $as, $a1),
                        concat!("xor {n:", $as, "}, {b:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("and {m:", $as, "}, {n:", $as, "}"),
                        $rotate!("s", "a", $as, $a0),
                        concat!("xor {m:", $as, "}, {b:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("add {h:", $as, "}, {m:", $as, "}"),
                        concat!("add {h:", $as, "}, {t:", $as, "}"),
                        a = in(reg) a, b = in(reg) b, h = inout(reg) t1,
                        m = inout(reg) b_c => _, n = out(reg) a_b,
                        s = out(reg) _, t = out(reg) _,
                        options(pure, nomem, nostack)
                    );
                }
                [t1, a_b]
            }
        }

        #[cfg(any(not(target_arch = "x86_64"), msan))]
        impl Rounds<$word> for $Token {
            #[inline(always)]
            fn first<const L: usize, const N: usize, const I: usize, const AT: usize>(
                self,
                [d, e, f, g, h]: [$word; 5],
                sums: &[[$word; L]; N],
            ) -> [$word; 2] {
                let sum = sums[I][AT];
                let sum1 = e.rotate_right($e0) ^ e.rotate_right($e1) ^ e.rotate_right($e2);
                let t1 = h.wrapping_add(sum).wrapping_add(g ^ e & (f ^ g)).wrapping_add(sum1);
                [t1, d.wrapping_add(t1)]
            }

            #[inline(always)]
            fn second(self, [a, b, t1]: [$word; 3], b_c: $word) -> [$word; 2] {
                let sum0 = a.rotate_right($a0) ^ a.rotate_right($a1) ^ a.rotate_right($a2);
                [t1.wrapping_add((a ^ b) & b_c ^ b).wrapping_add(sum0), a ^ b]
            }
        }
    };
}

/// Rotates register `$of` into `$to`. `$as` is the modifier of registers for the size of words.
#[cfg(all(target_arch = "x86_64", not(msan)))]
macro_rules! rorx {
    ($to:literal, $of:literal, $as:literal, $bits:literal) => {
        concat!("rorx {", $to, ":", $as, "}, {", $of, ":", $as, "}, ", $bits)
    };
}

#[cfg(all(target_arch = "x86_64", not(msan)))]
macro_rules! in_place {
    ($to:literal, $of:literal, $as:literal, $bits:literal) => {
        concat!("mov {", $to, ":", $as, "}, {", $of, ":", $as, "}\nror {", $to, ":", $as, "}, ", $bits)
    };
}

rounds!(Bmi2: u32 as "e" by rorx, [6 11 25], [2 13 22]);
rounds!(InPlace: u32 as "e" by in_place, [6 11 25], [2 13 22]);
rounds!(Bmi2: u64 as "r" by rorx, [14 18 41], [28 34 39]);
rounds!(InPlace: u64 as "r" by in_place, [14 18 41], [28 34 39]);

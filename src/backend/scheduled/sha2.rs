//! The rounds of one message of SHA-2, in scalar words, and the kernel that has a schedule beside them.
//!
//! Two chains of five instructions each, from `a` to `a` and from `e` to `e`, run through all rounds, and the other
//! instructions fill the ports. LLVM would add moves, and put instructions of the chains last. Hence the assembly. No
//! piece of it is `pure`, because LLVM would then reorder the rounds. Their order is the fastest of ninety on Zen 4 with
//! `rorx` (`docs/experiments.md` of the repository). On 32-bit x86 there are too few registers, and the memory sanitizer
//! does not see assembly: both have the rounds of the compiler.
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
                assert!(I < N && AT < L);
                // SAFETY: self proves the rotations. The word lies in the array.
                unsafe {
                    asm!(
                        rotate!($rotate "t", "e", $as, $e2),
                        concat!("mov {u:", $as, "}, {f:", $as, "}"),
                        concat!("xor {u:", $as, "}, {g:", $as, "}"),
                        rotate!($rotate "s", "e", $as, $e1),
                        concat!("and {u:", $as, "}, {e:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("xor {u:", $as, "}, {g:", $as, "}"),
                        rotate!($rotate "s", "e", $as, $e0),
                        concat!("add {h:", $as, "}, [{sums} + {at}]"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("add {h:", $as, "}, {u:", $as, "}"),
                        concat!("add {h:", $as, "}, {t:", $as, "}"),
                        concat!("add {d:", $as, "}, {h:", $as, "}"),
                        d = inout(reg) d, e = in(reg) e, f = in(reg) f, g = in(reg) g, h = inout(reg) h,
                        sums = in(reg) sums, at = const size_of::<$word>() * (I * L + AT),
                        s = out(reg) _, t = out(reg) _, u = out(reg) _,
                        options(readonly, nostack)
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
                        rotate!($rotate "s", "a", $as, $a1),
                        rotate!($rotate "t", "a", $as, $a2),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        rotate!($rotate "s", "a", $as, $a0),
                        concat!("mov {n:", $as, "}, {a:", $as, "}"),
                        concat!("xor {t:", $as, "}, {s:", $as, "}"),
                        concat!("xor {n:", $as, "}, {b:", $as, "}"),
                        concat!("and {m:", $as, "}, {n:", $as, "}"),
                        concat!("add {h:", $as, "}, {t:", $as, "}"),
                        concat!("xor {m:", $as, "}, {b:", $as, "}"),
                        concat!("add {h:", $as, "}, {m:", $as, "}"),
                        a = in(reg) a, b = in(reg) b, h = inout(reg) t1,
                        m = inout(reg) b_c => _, n = out(reg) a_b,
                        s = out(reg) _, t = out(reg) _,
                        options(nomem, nostack)
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

/// Rotates register `$of` into `$to`, by one instruction or two. `$as` is the modifier of registers for the size of
/// words.
#[cfg(all(target_arch = "x86_64", not(msan)))]
macro_rules! rotate {
    (rorx $to:literal, $of:literal, $as:literal, $bits:literal) => {
        concat!("rorx {", $to, ":", $as, "}, {", $of, ":", $as, "}, ", $bits)
    };
    (ror $to:literal, $of:literal, $as:literal, $bits:literal) => {
        concat!("mov {", $to, ":", $as, "}, {", $of, ":", $as, "}\nror {", $to, ":", $as, "}, ", $bits)
    };
}

rounds!(Bmi2: u32 as "e" by rorx, [6 11 25], [2 13 22]);
rounds!(InPlace: u32 as "e" by ror, [6 11 25], [2 13 22]);
rounds!(Bmi2: u64 as "r" by rorx, [14 18 41], [28 34 39]);
rounds!(InPlace: u64 as "r" by ror, [14 18 41], [28 34 39]);

/// Defines `compress`, one message with words of `$word`. `$vectors` numbers the vectors of sixteen words, `$first` the
/// words of the first block in each, and `$second` those of the second.
macro_rules! one_message {
    ($word:ident, $vectors:tt, $first:tt, $second:tt) => {
        /// One message.
        #[allow(unused_assignments, reason = "no round reads the last `a ^ b`")]
        #[inline(always)]
        pub(in crate::backend) fn compress<V: Schedule<$word, L>, R: Rounds<$word>, const L: usize>(
            token: V::Token,
            rounds: R,
            chain: &mut Chain,
            blocks: &[<$word as Word>::Block],
        ) {
            const K: &[[$word; 16]] = <$word as Sha2Word>::K;
            const N: usize = size_of::<$word>();

            /// The constants for vector `i`, for each block.
            #[inline(always)]
            fn constants<V: Words<$word, L>, const L: usize>(token: V::Token, k: &[$word; 16], i: usize) -> V {
                let mut words = [0; L];
                for words in words.as_chunks_mut::<{ 16 / N }>().0 {
                    words.copy_from_slice(&k[16 / N * i..][..16 / N]);
                }
                V::new(token, words)
            }

            let mut sums = [const { [const { MaybeUninit::<[$word; L]>::uninit() }; N] }; K.len()];
            let mut left = blocks;
            while let [first, rest @ ..] = left {
                let (second, rest) = match rest {
                    [second, rest @ ..] if L * N > 16 => (Some(second), rest),
                    _ => (None, rest),
                };
                left = rest;
                let (rows, other) = (first.as_chunks::<16>().0, second.unwrap_or(first).as_chunks::<16>().0);
                let mut w = [V::new(token, [0; L]); N];
                for i in 0..N {
                    w[i] = V::rows(token, &rows[i], &other[i]);
                    sums[0][i].write(w[i].add(constants::<V, L>(token, &K[0], i)).words());
                }
                let [_, b, c, ..] = chain.h;
                let (mut v, mut b_c) = (chain.h, b ^ c);
                // The sum at the end reads it again: kept from here on it would lie on the stack, and stay there.
                let h = black_box(&mut chain.h);
                for (g, k) in K[1..].iter().enumerate() {
                    one_message!(@ahead $vectors $first (rounds v b_c &sums[g]) (w token k sums[g + 1]));
                }
                one_message!(@rounds $vectors $first (rounds v b_c &sums[K.len() - 1]));
                add_all(h, v);
                if second.is_some() {
                    let [_, b, c, ..] = chain.h;
                    let (mut v, mut b_c) = (chain.h, b ^ c);
                    let h = black_box(&mut chain.h);
                    for sums in &sums {
                        one_message!(@rounds $vectors $second (rounds v b_c sums));
                    }
                    add_all(h, v);
                }
            }
            if cfg!(feature = "zeroize") {
                // For all of them at once, LLVM would call a function.
                for sums in &mut sums {
                    sums.fill(MaybeUninit::zeroed());
                    opaque::reference(sums);
                }
            }
            chain.blocks = chain.blocks.wrapping_add(blocks.len() as u64);
        }
    };
    // Sixteen rounds.
    (@rounds [$($i:literal)+] $places:tt $state:tt) => {
        $(one_message!(@vector $i $places $state);)+
    };
    (@vector $i:literal [$($at:literal)+] $state:tt) => {
        $(one_message!(@round $i $at $state);)+
    };
    // Sixteen rounds, and beside them the words for sixteen rounds later.
    (@ahead [$($i:literal)+] $places:tt $state:tt $words:tt) => {
        $(one_message!(@vector_ahead $i $places $state $words);)+
    };
    (@vector_ahead $i:literal [$a:literal $b:literal $($c:literal $d:literal)?] $state:tt
     ($w:ident $token:ident $k:ident $sums:expr)) => {
        let next = V::begin([$w[$i], $w[($i + 1) % N], $w[($i + N / 2) % N], $w[($i + N / 2 + 1) % N]]);
        one_message!(@round $i $a $state);
        let next = next.sigma1($w[($i + N - 1) % N]);
        one_message!(@round $i $b $state);
        $w[$i] = next.sigma1_of_first();
        $(one_message!(@round $i $c $state);)?
        $sums[$i].write($w[$i].add(constants::<V, L>($token, $k, $i)).words());
        $(one_message!(@round $i $d $state);)?
    };
    (@round $i:literal $at:literal ($rounds:ident $v:ident $b_c:ident $sums:expr)) => {
        let [a, b, c, d, e, f, g, h] = $v;
        // SAFETY: before these sixteen rounds, all of their sums were written.
        let sums = unsafe { &*core::ptr::from_ref($sums).cast::<[[_; L]; N]>() };
        let [t1, e_] = $rounds.first::<L, N, $i, $at>([d, e, f, g, h], sums);
        let [a_, a_b] = $rounds.second([a, b, t1], $b_c);
        ($v, $b_c) = ([a_, a, b, c, e_, e, f, g], a_b);
    };
}
pub(super) use one_message;

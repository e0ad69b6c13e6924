//! `words!`: the operations that all vectors of words have in common, from the names of their intrinsics. `half_g!`:
//! half of G on them. `sha2_rounds!`: the parts of a round of SHA-2.
#![allow(unsafe_code)]

#[cfg(any(feature = "blake2", feature = "blake3"))]
use crate::kernel::g::Place;

/// Has the CPU fetch what lies `ahead` bytes behind the first of these, if it can.
///
/// Eight or sixteen messages are more than it follows by itself. Memory that was not used lately, as that of mapped
/// files, would let the lanes wait.
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
#[inline(always)]
pub(super) fn fetch_ahead(bytes: &[u8], ahead: usize) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        #[cfg(target_arch = "x86")]
        use core::arch::x86::{_MM_HINT_T0, _mm_prefetch};
        #[cfg(target_arch = "x86_64")]
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        // SAFETY: any address may be fetched, and the vectors with eight lanes or more, which alone ask for it, prove SSE.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(ahead).cast()) }
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let _ = (bytes, ahead);
}

/// Defines a vector of `L` words over a register, which its token travels with, and implements `Words` for it.
///
/// `ror` names a function compiled for the token's features that rotates every word by a number of bits. The number is
/// constant where the function is used.
macro_rules! words {
    ($(#[$doc:meta])* $Vector:ident: [$word:ident; $L:literal] in $register:ty, $Token:ident, $add:ident, $xor:ident, $ror:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Vector($register, $Token);

        #[allow(dead_code, reason = "not all vectors are transposed, or loaded without a token")]
        impl $Vector {
            /// Not `map`: its closure may become a call, which knows no instruction set.
            #[inline(always)]
            fn registers<const N: usize>(vectors: [Self; N]) -> [$register; N] {
                let mut registers = [vectors[0].0; N];
                for (register, vector) in registers.iter_mut().zip(&vectors) {
                    *register = vector.0;
                }
                registers
            }

            /// The way back.
            #[inline(always)]
            fn vectors<const N: usize>(token: $Token, registers: [$register; N]) -> [Self; N] {
                let mut vectors = [Self(registers[0], token); N];
                for (vector, register) in vectors.iter_mut().zip(&registers) {
                    vector.0 = *register;
                }
                vectors
            }

            /// Register `i` of `bytes`.
            #[inline(always)]
            pub(in $crate::backend) fn register(bytes: &[u8], i: usize) -> $register {
                const BYTES: usize = size_of::<$register>();
                let words = bytes[i * BYTES..].first_chunk::<BYTES>().expect("there are as many words");
                // SAFETY: the array has the bytes an unaligned load reads, and all values of the register are valid.
                unsafe { words.as_ptr().cast::<$register>().read_unaligned() }
            }
        }

        impl $crate::kernel::Words<$word, $L> for $Vector {
            type Token = $Token;

            #[inline(always)]
            fn new(token: $Token, words: [$word; $L]) -> Self {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                Self(unsafe { core::mem::transmute::<[$word; $L], $register>(words) }, token)
            }

            #[inline(always)]
            fn words(self) -> [$word; $L] {
                // SAFETY: the array and the register have as many bytes, and all values of both are valid.
                unsafe { core::mem::transmute::<$register, [$word; $L]>(self.0) }
            }

            #[inline(always)]
            fn load(token: $Token, bytes: &[u8], i: usize) -> Self {
                Self(Self::register(bytes, i), token)
            }

            #[inline(always)]
            fn fetch_ahead(bytes: &[u8], ahead: usize) {
                $crate::backend::vector::fetch_ahead(bytes, ahead);
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $add(self.0, rhs.0) }, self.1)
            }

            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $xor(self.0, rhs.0) }, self.1)
            }

            #[inline(always)]
            fn ror(self, bits: u32) -> Self {
                // SAFETY: self.1 proves the instruction set.
                Self(unsafe { $ror(self.0, bits) }, self.1)
            }
        }
    };
}
pub(super) use words;

/// The vector at this place.
#[cfg(any(feature = "blake2", feature = "blake3"))]
#[allow(dead_code, reason = "an architecture may have `portable` alone")]
#[inline(always)]
pub(super) fn word<V: Copy>(m: &[V; 16], place: Place) -> V {
    let bytes = place as usize * (const { size_of::<V>() / 16 });
    // SAFETY: the array has sixteen vectors, and a place is sixteen times the number of one.
    unsafe { *m.as_ptr().byte_add(bytes) }
}

/// Implements `kernel::g::HalfG` for a vector of `L` words that `words!` made, from the same names.
///
/// It is a function that is compiled for the token's features, and not made of the vector's operations: the compiler has
/// simplified it before it takes its place in the rounds fifty times, and needs a quarter of the time for all.
///
/// After `loop`, the rounds are a loop. LLVM then adds the word of the message after the other sum, which is on the
/// critical path, except if a function that is named here returns the sum with the word.
///
/// LLVM orders the operations as it likes. `sums` names a function that has all exclusive ors computed before a
/// rotation, and `last` one for the words that are computed last. They return what they are given.
macro_rules! half_g {
    ($Vector:ident: [$word:ident; $L:literal] in $features:literal, $add:ident, $xor:ident, $ror:ident
     $(, loop by $loop:path)? $(, sums by $sums:path)? $(, last by $last:path)?) => {
        impl $crate::kernel::g::HalfG<$word, $L> for $Vector {
            const LOOP: bool = !concat!($(stringify!($loop))?).is_empty();

            #[inline(always)]
            fn word(m: &[Self; 16], place: $crate::kernel::g::Place) -> Self {
                $crate::backend::vector::word(m, place)
            }

            #[inline(always)]
            fn half_g<const SECOND: bool, const DIAGONALS: bool>(v: &mut [Self; 16], m: &[Self; 4]) {
                #[inline]
                #[target_feature(enable = $features)]
                fn half_g<const SECOND: bool, const DIAGONALS: bool>(v: &mut [$Vector; 16], m: &[$Vector; 4]) {
                    let [r_d, r_b] = const { $crate::kernel::g::rotations::<$word>(SECOND) };
                    let [b, c, d] = const { $crate::kernel::g::places(DIAGONALS) };
                    let [a0, a1, a2, a3] =
                        [$add(v[0].0, m[0].0), $add(v[1].0, m[1].0), $add(v[2].0, m[2].0), $add(v[3].0, m[3].0)];
                    $(let [a0, a1, a2, a3] = [$loop(a0), $loop(a1), $loop(a2), $loop(a3)];)?
                    let [a0, a1, a2, a3] =
                        [$add(a0, v[b[0]].0), $add(a1, v[b[1]].0), $add(a2, v[b[2]].0), $add(a3, v[b[3]].0)];
                    let sums = [$xor(v[d[0]].0, a0), $xor(v[d[1]].0, a1), $xor(v[d[2]].0, a2), $xor(v[d[3]].0, a3)];
                    $(let sums = $sums(sums);)?
                    let [d0, d1, d2, d3] = [$ror(sums[0], r_d), $ror(sums[1], r_d), $ror(sums[2], r_d), $ror(sums[3], r_d)];
                    let [c0, c1, c2, c3] =
                        [$add(v[c[0]].0, d0), $add(v[c[1]].0, d1), $add(v[c[2]].0, d2), $add(v[c[3]].0, d3)];
                    let sums = [$xor(v[b[0]].0, c0), $xor(v[b[1]].0, c1), $xor(v[b[2]].0, c2), $xor(v[b[3]].0, c3)];
                    $(let sums = $sums(sums);)?
                    let last = [$ror(sums[0], r_b), $ror(sums[1], r_b), $ror(sums[2], r_b), $ror(sums[3], r_b)];
                    $(let last = $last(last);)?
                    [v[0].0, v[1].0, v[2].0, v[3].0] = [a0, a1, a2, a3];
                    [v[b[0]].0, v[b[1]].0, v[b[2]].0, v[b[3]].0] = last;
                    [v[c[0]].0, v[c[1]].0, v[c[2]].0, v[c[3]].0] = [c0, c1, c2, c3];
                    [v[d[0]].0, v[d[1]].0, v[d[2]].0, v[d[3]].0] = [d0, d1, d2, d3];
                }

                // SAFETY: v[0].1 proves the instruction set.
                unsafe { half_g::<SECOND, DIAGONALS>(v, m) }
            }
        }
    };
}
#[cfg(any(feature = "blake2", feature = "blake3"))]
pub(super) use half_g;

/// The methods of `kernel::sha2::Lane` that make up the rounds, for a vector that `words!` made: from the names of
/// functions compiled for the token's features. `shr` shifts by a number of bits as `ror` rotates. They are functions
/// for the reason that `half_g!` gives. `Sha2Word` must be in scope, which has the numbers of bits for the word.
#[cfg(feature = "sha2")]
macro_rules! sha2_rounds {
    ($Vector:ident of $word:ident in $features:literal, $add:path, $xor3:path, $ror:path, $shr:path, $ch:path, $maj:path) => {
        #[inline(always)]
        fn temporary(sum: Self, variables: [Self; 6]) -> [Self; 2] {
            #[inline]
            #[target_feature(enable = $features)]
            fn temporary(sum: $Vector, [a, b, c, e, f, g]: [$Vector; 6]) -> [$Vector; 2] {
                let [one, zero, ..] = const { <$word as Sha2Word>::ROTATIONS };
                let (token, a, b, c, e, f, g) = (sum.1, a.0, b.0, c.0, e.0, f.0, g.0);
                let t1 = $add(sum.0, $xor3($ror(e, one[0]), $ror(e, one[1]), $ror(e, one[2])));
                let t1 = $add(t1, $ch(e, f, g));
                let t2 = $add($xor3($ror(a, zero[0]), $ror(a, zero[1]), $ror(a, zero[2])), $maj(a, b, c));
                [$Vector(t1, token), $Vector(t2, token)]
            }

            // SAFETY: sum.1 proves the instruction set.
            unsafe { temporary(sum, variables) }
        }

        #[inline(always)]
        fn next_word(words: [Self; 4]) -> Self {
            #[inline]
            #[target_feature(enable = $features)]
            fn next_word([a, b, c, d]: [$Vector; 4]) -> $Vector {
                let [.., zero, one] = const { <$word as Sha2Word>::ROTATIONS };
                let (token, a, b, c, d) = (a.1, a.0, b.0, c.0, d.0);
                let sum = $add($add(a, $xor3($ror(b, zero[0]), $ror(b, zero[1]), $shr(b, zero[2]))), c);
                $Vector($add(sum, $xor3($ror(d, one[0]), $ror(d, one[1]), $shr(d, one[2]))), token)
            }

            // SAFETY: words[0].1 proves the instruction set.
            unsafe { next_word(words) }
        }
    };
}
#[cfg(feature = "sha2")]
pub(super) use sha2_rounds;

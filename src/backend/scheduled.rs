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
//! Cycles for a block of SHA-256, of many, on Golden Cove: 440 on `avx512`, 452 on `avx2`, 492 on `sse41`, and 576 in
//! scalar code. SHA-512 takes 0.76, 0.75, 0.85 and 1 of its scalar code.
#![allow(unsafe_code)]

pub(super) use self::sha2::{InPlace, Rounds};
use crate::kernel::{Word, Words};

mod sha2;
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
                #[inline]
                #[target_feature(enable = $features)]
                fn sigma1(sum: $Vector, last: $Vector) -> $Vector {
                    let [r1, r2, r3] = <$word as Sha2Word>::ROTATIONS[3];
                    let two = last.0;
                    $(let two = $down(two);)?
                    $Vector($add(sum.0, $xor3($ror(two, r1), $ror(two, r2), $shr(two, r3))), sum.1)
                }

                // SAFETY: self.1 proves the instruction set.
                unsafe { sigma1(self, last) }
            }

            #[inline(always)]
            fn sigma1_of_first(self) -> Self {
                $(
                    #[inline]
                    #[target_feature(enable = $features)]
                    fn sigma1_of_first(sum: $Vector) -> $Vector {
                        let [r1, r2, r3] = <$word as Sha2Word>::ROTATIONS[3];
                        let two = $up(sum.0);
                        $Vector($add(sum.0, $xor3($ror(two, r1), $ror(two, r2), $shr(two, r3))), sum.1)
                    }

                    // SAFETY: self.1 proves the instruction set.
                    return unsafe { sigma1_of_first(self) };
                )?
                #[allow(unreachable_code, reason = "a vector has four words of a block, or two")]
                self
            }
        }
    };
}
pub(super) use schedule;

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
use one_message;

#[inline(always)]
fn add_all<W: Word>(h: &mut [W; 8], v: [W; 8]) {
    for (h, v) in h.iter_mut().zip(v) {
        *h = h.add(v);
    }
}

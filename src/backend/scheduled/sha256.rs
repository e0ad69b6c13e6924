//! One message of SHA-256. A register of 128 bits has four words of a block, and one of 256 bits four words of each of two.

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::Rounds;
use crate::backend::opaque;
use crate::kernel::sha256::{Chain, K, Lane, Nodes, Sha256Function};
use crate::kernel::{Function, Words};

/// Four words of a block in each 128 bits: of one block, or of two.
pub(in crate::backend) trait Schedule<const L: usize>: Lane<u32, L> {
    /// Four words of each block, from their bytes. `second` is not read where there is one block.
    fn rows(token: Self::Token, first: &[u8; 16], second: &[u8; 16]) -> Self;
    /// Of words `t - 16` to `t - 1`, all that words `t` to `t + 3` need, except `sigma1`.
    fn begin(words: [Self; 4]) -> Self;
    /// Adds `sigma1` of the last two words of `words` to the first two, or of the first two to the last two.
    fn add_sigma1(self, words: Self, to_last: bool) -> Self;
}

/// Implements [`Schedule`] for a vector that `words!` made, from the names of functions compiled for the token's features.
/// `rows` reads 16 bytes of each block, and `align` gives the words from the second one on. `down` and `up` move words by
/// two places.
macro_rules! schedule {
    ($Vector:ident: $L:literal in $features:literal, $rows:path, $add:path, $xor3:path, $ror:path, $shr:path, $align:path,
     $down:path, $up:path) => {
        impl $crate::backend::scheduled::sha256::Schedule<$L> for $Vector {
            #[inline(always)]
            fn rows(token: Self::Token, first: &[u8; 16], second: &[u8; 16]) -> Self {
                // SAFETY: token proves the instruction set.
                Self(unsafe { $rows(first, second) }, token).swap_bytes()
            }

            #[inline(always)]
            fn begin(words: [Self; 4]) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn begin([a, b, c, d]: [$Vector; 4]) -> $Vector {
                    let (next, seven) = ($align(b.0, a.0), $align(d.0, c.0));
                    let sigma0 = $xor3($ror(next, 7), $ror(next, 18), $shr(next, 3));
                    $Vector($add($add(a.0, seven), sigma0), a.1)
                }

                // SAFETY: words[0].1 proves the instruction set.
                unsafe { begin(words) }
            }

            #[inline(always)]
            fn add_sigma1(self, words: Self, to_last: bool) -> Self {
                #[inline]
                #[target_feature(enable = $features)]
                fn add_sigma1(sum: $Vector, words: $Vector, to_last: bool) -> $Vector {
                    let two = if to_last { $up(words.0) } else { $down(words.0) };
                    $Vector($add(sum.0, $xor3($ror(two, 17), $ror(two, 19), $shr(two, 10))), sum.1)
                }

                // SAFETY: self.1 proves the instruction set.
                unsafe { add_sigma1(self, words, to_last) }
            }
        }
    };
}
pub(in crate::backend) use schedule;

/// One message.
#[allow(unused_assignments, reason = "no round reads the last `a ^ b`")]
#[inline(always)]
pub(in crate::backend) fn compress<V: Schedule<L>, R: Rounds<u32>, const L: usize>(
    token: V::Token,
    rounds: R,
    chain: &mut Chain,
    blocks: &[[u8; 64]],
) {
    macro_rules! round {
        ($v:ident, $b_c:ident, $sums:expr, $i:literal, $at:literal) => {
            let [a, b, c, d, e, f, g, h] = $v;
            // SAFETY: before these sixteen rounds, all of their sums were written.
            let sums = unsafe { &*core::ptr::from_ref($sums).cast::<[[u32; L]; 4]>() };
            let [t1, e_] = rounds.first::<L, $i, $at>([d, e, f, g, h], sums);
            let [a_, a_b] = rounds.second([a, b, t1], $b_c);
            ($v, $b_c) = ([a_, a, b, c, e_, e, f, g], a_b);
        };
    }
    macro_rules! sixteen_rounds {
        ($v:ident, $b_c:ident, $sums:expr, [$a:literal $b:literal $c:literal $d:literal]: $($i:literal)+) => {$(
            round!($v, $b_c, $sums, $i, $a);
            round!($v, $b_c, $sums, $i, $b);
            round!($v, $b_c, $sums, $i, $c);
            round!($v, $b_c, $sums, $i, $d);
        )+};
    }
    // Four rounds, and beside them the four words for sixteen rounds later.
    macro_rules! four_rounds {
        ($v:ident, $b_c:ident, $w:ident, $k:ident, $sums:ident, $g:ident: $($i:literal)+) => {$(
            let last = $w[($i + 3) % 4];
            let next = V::begin([$w[$i], $w[($i + 1) % 4], $w[($i + 2) % 4], last]);
            round!($v, $b_c, &$sums[$g], $i, 0);
            let next = next.add_sigma1(last, false);
            round!($v, $b_c, &$sums[$g], $i, 1);
            $w[$i] = next.add_sigma1(next, true);
            round!($v, $b_c, &$sums[$g], $i, 2);
            $sums[$g + 1][$i].write($w[$i].add(constants::<V, L>(token, $k, $i)).words());
            round!($v, $b_c, &$sums[$g], $i, 3);
        )+};
    }
    let mut sums = [const { [const { MaybeUninit::<[u32; L]>::uninit() }; 4] }; 4];
    let mut left = blocks;
    while let [first, rest @ ..] = left {
        let (second, rest) = match rest {
            [second, rest @ ..] if L > 4 => (Some(second), rest),
            _ => (None, rest),
        };
        left = rest;
        let ([a, b, c, d], _) = first.as_chunks::<16>() else { unreachable!() };
        let ([e, f, g, h], _) = second.unwrap_or(first).as_chunks::<16>() else { unreachable!() };
        let mut w = [V::rows(token, a, e), V::rows(token, b, f), V::rows(token, c, g), V::rows(token, d, h)];
        for (i, (w, sums)) in w.iter().zip(&mut sums[0]).enumerate() {
            sums.write(w.add(constants::<V, L>(token, &K.0[0], i)).words());
        }
        let [_, b, c, ..] = chain.h;
        let (mut v, mut b_c) = (chain.h, b ^ c);
        // The sum at the end reads it again: kept from here on it would lie on the stack, and stay there.
        let h = black_box(&mut chain.h);
        for (g, k) in K.0[1..].iter().enumerate() {
            four_rounds!(v, b_c, w, k, sums, g: 0 1 2 3);
        }
        sixteen_rounds!(v, b_c, &sums[3], [0 1 2 3]: 0 1 2 3);
        add_all(h, v);
        if second.is_some() {
            let [_, b, c, ..] = chain.h;
            let (mut v, mut b_c) = (chain.h, b ^ c);
            let h = black_box(&mut chain.h);
            for sums in &sums {
                sixteen_rounds!(v, b_c, sums, [4 5 6 7]: 0 1 2 3);
            }
            add_all(h, v);
        }
    }
    if cfg!(feature = "zeroize") {
        sums.as_flattened_mut().fill(MaybeUninit::zeroed());
        opaque::reference(&sums);
    }
    chain.blocks = chain.blocks.wrapping_add(blocks.len() as u64);
}

/// The digests of messages of 64 bytes, or of these digests, by a kernel for which a second block costs less than rounds by
/// a table.
#[inline]
pub(in crate::backend) fn nodes_in_blocks(nodes: Nodes<'_>, compress: impl Fn(&mut Chain, &[[u8; 64]])) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    for (node, digest) in nodes.iter().zip(digests) {
        let mut chain = Chain { h: *iv, blocks: 1 };
        let mut blocks = [**node, [0; 64]];
        Sha256Function::close(&mut chain, &mut blocks[1..], 0);
        compress(&mut chain, &blocks);
        if twice {
            let mut block = [[0; 64]];
            block[0][..32].copy_from_slice(&chain.to_bytes());
            chain = Chain::new(*iv);
            Sha256Function::close(&mut chain, &mut block, 32);
            compress(&mut chain, &block);
        }
        *digest = chain.to_bytes();
    }
}

/// Constants `4 i` to `4 i + 3`, for each block.
#[inline(always)]
fn constants<V: Words<u32, L>, const L: usize>(token: V::Token, k: &[u32; 16], i: usize) -> V {
    let mut words = [0; L];
    for words in words.as_chunks_mut::<4>().0 {
        words.copy_from_slice(&k[4 * i..][..4]);
    }
    V::new(token, words)
}

#[inline(always)]
fn add_all(h: &mut [u32; 8], v: [u32; 8]) {
    for (h, v) in h.iter_mut().zip(v) {
        *h = h.wrapping_add(v);
    }
}

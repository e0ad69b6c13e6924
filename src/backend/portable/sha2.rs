//! Messages of SHA-256 and SHA-512 one by one, in scalar words.

use core::slice;

use crate::kernel::sha2::{Chain, Sha2Function, Sha2Word, Whole};
use crate::kernel::{Block, Run};

/// Whole messages, one by one.
#[inline]
pub(in crate::backend) fn compress_whole<W: Sha2Word>(
    whole: Whole<'_, W>,
    compress: impl Fn(&mut Chain<W>, &[W::Block]),
) {
    let Whole { start, messages, chains } = whole;
    for (chain, message) in chains.iter_mut().zip(messages) {
        let number = chain.blocks;
        chain.h = *start;
        compress(chain, message.blocks());
        compress(chain, message.closing());
        chain.blocks = number;
    }
}

/// A run, message by message.
#[inline]
pub(in crate::backend) fn one_by_one<W: Sha2Word>(
    run: Run<'_, Sha2Function<W>>,
    compress: impl Fn(&mut Chain<W>, &[W::Block]),
) {
    for (chain, blocks) in run.chains.iter_mut().zip(run.blocks) {
        if run.stride == 1 {
            compress(chain, &blocks[..run.count]);
        } else {
            for block in 0..run.count {
                compress(chain, slice::from_ref(&blocks[block * run.stride]));
            }
        }
    }
}

#[inline(always)]
pub(super) fn load<W: Sha2Word>(block: &W::Block) -> [W; 16] {
    let mut words = [W::ZERO; 16];
    for (i, word) in words.iter_mut().enumerate() {
        *word = W::load_be(block.bytes(), i);
    }
    words
}

#[inline(always)]
pub(in crate::backend) fn add_all<W: Sha2Word>(state: &mut [W; 8], v: [W; 8]) {
    for (state, word) in state.iter_mut().zip(v) {
        *state = state.add(word);
    }
}

/// Sixteen rounds: `$word` makes of a number from 0 to 15 the sum of a round's word and constant. `$one` and `$zero`
/// are what the rotations of the two large functions differ by.
macro_rules! sixteen_rounds {
    ($one:tt, $zero:tt, $v:ident, $word:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $v;
        #[allow(unused_mut, reason = "one word may change others")]
        let mut word = $word;
        sixteen_rounds!(@eight $one, $zero, a b c d e f g h, word, 0 1 2 3 4 5 6 7);
        sixteen_rounds!(@eight $one, $zero, a b c d e f g h, word, 8 9 10 11 12 13 14 15);
        $v = [a, b, c, d, e, f, g, h];
    };
    (@eight $one:tt, $zero:tt, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:ident,
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $t6:literal $t7:literal) => {
        sixteen_rounds!(@one $one, $zero, $a $b $c $d $e $f $g $h, $word($t0));
        sixteen_rounds!(@one $one, $zero, $h $a $b $c $d $e $f $g, $word($t1));
        sixteen_rounds!(@one $one, $zero, $g $h $a $b $c $d $e $f, $word($t2));
        sixteen_rounds!(@one $one, $zero, $f $g $h $a $b $c $d $e, $word($t3));
        sixteen_rounds!(@one $one, $zero, $e $f $g $h $a $b $c $d, $word($t4));
        sixteen_rounds!(@one $one, $zero, $d $e $f $g $h $a $b $c, $word($t5));
        sixteen_rounds!(@one $one, $zero, $c $d $e $f $g $h $a $b, $word($t6));
        sixteen_rounds!(@one $one, $zero, $b $c $d $e $f $g $h $a, $word($t7));
    };
    (@one [$e1:literal $e2:literal $e3:literal], [$a1:literal $a2:literal $a3:literal], $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:expr) => {
        let sum1 = ((($e.rotate_right($e1) ^ $e).rotate_right($e2)) ^ $e).rotate_right($e3);
        let ch = $g ^ $e & ($f ^ $g);
        let t1 = $h.wrapping_add($word).wrapping_add(sum1).wrapping_add(ch);
        let sum0 = ((($a.rotate_right($a1) ^ $a).rotate_right($a2)) ^ $a).rotate_right($a3);
        let maj = ($a ^ $b) & ($b ^ $c) ^ $b;
        $d = $d.wrapping_add(t1);
        $h = t1.wrapping_add(sum0).wrapping_add(maj);
    };
}
pub(super) use sixteen_rounds;

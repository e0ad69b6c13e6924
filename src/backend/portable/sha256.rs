//! SHA-256 in scalar words, written apart from the vector kernel so that agreeing with it means something.

use core::slice;

use super::Portable;
use crate::backend::Beside;
use crate::kernel::sha256::{
    Chain, CompressNodes, K, Nodes, PADDING_OF_64, Rounds, Sha256Function, Whole, Written, next_word,
};
use crate::kernel::{Compress, Run};

impl Compress<Sha256Function> for Beside<Portable> {
    const LANES: usize = 1;

    #[inline]
    fn blocks(self, chain: &mut Chain, blocks: &[[u8; 64]], _: Written) {
        compress(chain, blocks);
    }

    fn run(self, run: Run<'_, Sha256Function>) {
        one_by_one(run, compress);
    }
}

impl CompressNodes for Beside<Portable> {
    fn nodes(self, nodes: Nodes<'_>) {
        hash_nodes(nodes);
    }

    fn whole(self, messages: Whole<'_>) {
        compress_whole(messages);
    }
}

/// Whole messages, one by one.
pub(in crate::backend) fn compress_whole(whole: Whole<'_>) {
    let Whole { start, messages, chains } = whole;
    for (chain, message) in chains.iter_mut().zip(messages) {
        let number = chain.blocks;
        chain.h = *start;
        compress(chain, message.blocks);
        compress(chain, &message.end[1..=message.closing]);
        chain.blocks = number;
    }
}

/// A run, message by message.
#[inline]
pub(in crate::backend) fn one_by_one(run: Run<'_, Sha256Function>, compress: impl Fn(&mut Chain, &[[u8; 64]])) {
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

/// The digests of messages of 64 bytes, or of these digests, one by one.
#[inline(never)]
pub(in crate::backend) fn hash_nodes(nodes: Nodes<'_>) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    for (node, digest) in nodes.iter().zip(digests) {
        let mut chain = Chain::new(*iv);
        let mut words = load(node);
        // In a loop the rounds are compiled once.
        for second in [false, true] {
            compress_block(&mut chain.h, &words);
            if second {
                break;
            }
            compress_scheduled(&mut chain.h, &PADDING_OF_64);
            if !twice {
                break;
            }
            words = [0; 16];
            words[..8].copy_from_slice(&chain.h);
            words[8] = 0x8000_0000;
            words[15] = 256;
            chain.h = *iv;
        }
        *digest = chain.to_bytes();
    }
}

/// One message. Not inlined, for several cells call it.
#[inline(never)]
pub(in crate::backend) fn compress(chain: &mut Chain, blocks: &[[u8; 64]]) {
    for block in blocks {
        compress_block(&mut chain.h, &load(block));
    }
    chain.blocks = chain.blocks.wrapping_add(blocks.len() as u64);
}

#[inline(always)]
fn load(block: &[u8; 64]) -> [u32; 16] {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Sixteen rounds: `$word` makes of a number from 0 to 15 the sum of a round's word and constant.
macro_rules! sixteen_rounds {
    ($v:ident, $word:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $v;
        #[allow(unused_mut, reason = "one word may change others")]
        let mut word = $word;
        sixteen_rounds!(@eight a b c d e f g h, word, 0 1 2 3 4 5 6 7);
        sixteen_rounds!(@eight a b c d e f g h, word, 8 9 10 11 12 13 14 15);
        $v = [a, b, c, d, e, f, g, h];
    };
    (@eight $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:ident,
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $t6:literal $t7:literal) => {
        sixteen_rounds!(@one $a $b $c $d $e $f $g $h, $word($t0));
        sixteen_rounds!(@one $h $a $b $c $d $e $f $g, $word($t1));
        sixteen_rounds!(@one $g $h $a $b $c $d $e $f, $word($t2));
        sixteen_rounds!(@one $f $g $h $a $b $c $d $e, $word($t3));
        sixteen_rounds!(@one $e $f $g $h $a $b $c $d, $word($t4));
        sixteen_rounds!(@one $d $e $f $g $h $a $b $c, $word($t5));
        sixteen_rounds!(@one $c $d $e $f $g $h $a $b, $word($t6));
        sixteen_rounds!(@one $b $c $d $e $f $g $h $a, $word($t7));
    };
    (@one $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:expr) => {
        let sum1 = ((($e.rotate_right(14) ^ $e).rotate_right(5)) ^ $e).rotate_right(6);
        let ch = $g ^ $e & ($f ^ $g);
        let t1 = $h.wrapping_add($word).wrapping_add(sum1).wrapping_add(ch);
        let sum0 = ((($a.rotate_right(9) ^ $a).rotate_right(11)) ^ $a).rotate_right(2);
        let maj = ($a ^ $b) & ($b ^ $c) ^ $b;
        $d = $d.wrapping_add(t1);
        $h = t1.wrapping_add(sum0).wrapping_add(maj);
    };
}

#[inline(always)]
fn compress_block(state: &mut [u32; 8], words: &[u32; 16]) {
    let mut w = *words;
    let mut v = *state;
    let [first, later @ ..] = &K.0;
    sixteen_rounds!(v, |t: usize| w[t].wrapping_add(first[t]));
    for k in later {
        sixteen_rounds!(v, |t: usize| {
            w[t] = next_word([w[t], w[(t + 1) % 16], w[(t + 9) % 16], w[(t + 14) % 16]]);
            w[t].wrapping_add(k[t])
        });
    }
    add_all(state, v);
}

/// A block whose schedule is known: `sums` are its words and the constants.
#[inline(always)]
fn compress_scheduled(state: &mut [u32; 8], sums: &Rounds) {
    let mut v = *state;
    for sums in &sums.0 {
        sixteen_rounds!(v, |t: usize| sums[t]);
    }
    add_all(state, v);
}

#[inline(always)]
fn add_all(state: &mut [u32; 8], v: [u32; 8]) {
    for (state, word) in state.iter_mut().zip(v) {
        *state = state.wrapping_add(word);
    }
}

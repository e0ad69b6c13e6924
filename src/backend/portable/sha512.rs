//! SHA-512 in scalar words, written apart from the vector kernel so that agreeing with it means something.

use core::hint::black_box;

use super::Portable;
use super::sha2::{add_all, load, sixteen_rounds};
pub(in crate::backend) use super::sha2::{compress_whole, one_by_one};
use crate::kernel::sha2::Sha2Word;
use crate::kernel::sha512::next_word;

/// The cell of an instruction set that takes one message after the other. `$compress` takes the token, a chain and blocks.
macro_rules! alone {
    ($Token:ident, $compress:expr) => {
        use $crate::backend::On;
        use $crate::backend::portable::sha512 as portable;
        use $crate::kernel::sha512::{Chain, CompressWhole, Sha512Function, Whole, Written};
        use $crate::kernel::{Compress, Run};

        impl Compress<Sha512Function> for On<$Token> {
            const LANES: usize = 1;

            #[inline]
            fn blocks(self, chain: &mut Chain, blocks: &[[u8; 128]], _: Written) {
                $compress(self.isa, chain, blocks);
            }

            fn run(self, run: Run<'_, Sha512Function>) {
                portable::one_by_one(run, |chain, blocks| $compress(self.isa, chain, blocks));
            }
        }

        impl CompressWhole<u64> for On<$Token> {
            fn whole(self, messages: Whole<'_>) {
                portable::compress_whole(messages, |chain, blocks| $compress(self.isa, chain, blocks));
            }
        }
    };
}
#[allow(unused_imports, reason = "on some architectures every cell has lanes")]
pub(in crate::backend) use alone;

alone!(Portable, |_, chain: &mut Chain, blocks| compress(chain, blocks));

/// One message. Not inlined, because several cells call it.
#[inline(never)]
pub(in crate::backend) fn compress(chain: &mut Chain, blocks: &[[u8; 128]]) {
    for block in blocks {
        let mut w = load::<u64>(block);
        let mut v = chain.h;
        // The sum at the end reads it again: kept from here on it would lie on the stack, and stay there.
        let chain = black_box(&mut *chain);
        let [first, later @ ..] = <u64 as Sha2Word>::K else { return };
        sixteen_rounds!([23 4 14], [5 6 28], v, |t: usize| w[t].wrapping_add(first[t]));
        for k in later {
            sixteen_rounds!([23 4 14], [5 6 28], v, |t: usize| {
                w[t] = next_word([w[t], w[(t + 1) % 16], w[(t + 9) % 16], w[(t + 14) % 16]]);
                w[t].wrapping_add(k[t])
            });
        }
        add_all(&mut chain.h, v);
    }
    chain.blocks = chain.blocks.wrapping_add(blocks.len() as u64);
}

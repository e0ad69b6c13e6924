//! SHA-512 in scalar words, written apart from the vector kernel so that agreeing with it means something.

use core::hint::black_box;

use super::Portable;
use super::sha2::{add_all, load, sixteen_rounds};
pub(in crate::backend) use super::sha2::{compress_whole, one_by_one};
use crate::kernel::sha2::Sha2Word;
use crate::kernel::sha512::{Chain, next_word};

/// The cell of an instruction set that takes one message after the other, in scalar code.
macro_rules! alone {
    ($Token:ident) => {
        use $crate::backend::On;
        use $crate::kernel::sha512::{CompressWhole, Sha512Function, Written};
        use $crate::kernel::{Compress, Run};

        impl Compress<Sha512Function> for On<$Token> {
            const LANES: usize = 1;

            #[inline]
            fn blocks(self, chain: &mut $crate::kernel::sha512::Chain, blocks: &[[u8; 128]], _: Written) {
                $crate::backend::portable::sha512::compress(chain, blocks);
            }

            fn run(self, run: Run<'_, Sha512Function>) {
                $crate::backend::portable::sha512::one_by_one(run, $crate::backend::portable::sha512::compress);
            }
        }

        impl CompressWhole<u64> for On<$Token> {
            fn whole(self, messages: $crate::kernel::sha512::Whole<'_>) {
                $crate::backend::portable::sha512::compress_whole(
                    messages,
                    $crate::backend::portable::sha512::compress,
                );
            }
        }
    };
}
#[allow(unused_imports, reason = "on some architectures every cell has lanes")]
pub(in crate::backend) use alone;

alone!(Portable);

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

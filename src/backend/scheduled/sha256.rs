//! One message of SHA-256.
#![allow(unsafe_code)]

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::Schedule;
use super::sha2::{Rounds, one_message};
use crate::backend::opaque;
use crate::backend::portable::sha2::add_all;
use crate::kernel::sha256::{Chain, Nodes, Sha2Word, Sha256Function};
use crate::kernel::{Function, Word, Words};

/// Messages at most that take less time one by one than in lanes, on instruction sets without masks. With the few
/// registers of 32-bit programs, one by one takes longer.
pub(in crate::backend) const FEW: usize = if cfg!(target_arch = "x86") { 1 } else { 2 };

one_message!(u32, [0 1 2 3], [0 1 2 3], [4 5 6 7]);

/// The digests of messages of 64 bytes, or of these digests, by a kernel for which a second block costs less than rounds by
/// a table.
pub(in crate::backend) fn nodes_in_blocks(nodes: Nodes<'_>, compress: &dyn Fn(&mut Chain, &[[u8; 64]])) {
    let Nodes { iv, nodes, digests, twice, .. } = nodes;
    for (node, digest) in nodes.iter().zip(digests) {
        node_in_blocks(iv, node, digest, compress);
        if twice {
            let mut chain = Chain::new(*iv);
            let mut block = [[0; 64]];
            block[0][..32].copy_from_slice(digest);
            Sha256Function::close(&mut chain, &mut block, 32);
            compress(&mut chain, &block);
            *digest = chain.to_bytes();
        }
    }
}

/// The digest of one message of 64 bytes.
#[inline]
pub(in crate::backend) fn node_in_blocks(
    iv: &[u32; 8],
    node: &[u8; 64],
    digest: &mut [u8; 32],
    compress: impl Fn(&mut Chain, &[[u8; 64]]),
) {
    let mut chain = Chain { h: *iv, blocks: 1 };
    let mut blocks = [*node, [0; 64]];
    Sha256Function::close(&mut chain, &mut blocks[1..], 0);
    compress(&mut chain, &blocks);
    *digest = chain.to_bytes();
}

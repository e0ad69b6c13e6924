//! The two flavours of BLAKE2 and their constants.

use core::fmt::Debug;

use digest::array::ArraySize;
use digest::block_buffer::BlockSizes;

use crate::backend::Backend;
use crate::hash::Digested;
use crate::kernel::blake2::Constants;
use crate::kernel::{Block, Function};
use crate::lanes::InLanes;

/// One of the two flavours of BLAKE2, with words of 64 or 32 bits: [`FlavourB`](crate::blake2b::FlavourB) or
/// [`FlavourS`](crate::blake2s::FlavourS).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no flavour of BLAKE2",
    label = "neither `blake2b::FlavourB` nor `blake2s::FlavourS`"
)]
pub trait Flavour: Sealed {
    /// `BLAKE2b` or `BLAKE2s`.
    const TITLE: &'static str;
    /// Bytes of the longest digest, and of the longest key: 64 (BLAKE2s: 32).
    const LONGEST: usize;
    /// Bytes of a message block: 128 (BLAKE2s: 64).
    const BLOCK: usize = 2 * Self::LONGEST;
    /// Bytes of the longest salt, and of the longest personalisation: 16 (BLAKE2s: 8).
    const TEXT: usize = Self::LONGEST / 4;
    /// The largest number of a node in its level of a tree.
    const MAX_NODE_OFFSET: u64;
    /// Leaves of the parallel mode, BLAKE2bp or BLAKE2sp.
    const LEAVES: u8;

    /// The bytes of a [`State`](crate::blake2::hazmat::State): `[u8; 339]` (BLAKE2s: `[u8; 171]`).
    type SavedState: Block + AsRef<[u8]> + AsMut<[u8]>;
}

/// Messages that `backend` hashes side by side. A multiple of it is a good batch.
#[must_use]
pub fn lanes<F: Flavour>(backend: Backend) -> usize {
    F::lanes(backend)
}

/// The part of a flavour that is no business of others.
pub trait Sealed: Constants + InLanes + Digested<Bytes = <Self as Constants>::Digest> + Debug + Send + Sync {
    /// The name that `Debug` and `AlgorithmName` print.
    const NAME: &'static str;
    const MAC_NAME: &'static str;
    const PARALLEL_NAME: &'static str;
    const XOF_NAME: &'static str;
    /// Bytes of the node offset in the parameter block.
    const NODE_OFFSET: usize;

    /// `LONGEST` as a type-level number.
    type OutputSize: ArraySize;
    /// `BLOCK` as a type-level number.
    type BlockSize: BlockSizes;
    /// Half of the output size: bytes of collision resistance.
    type CollisionResistance: ArraySize;
    /// Bytes of a serialised hasher: see `Blake2::serialize`.
    type StateSize: ArraySize;
    /// `LEAVES` as a type-level number.
    type Leaves: ArraySize;
}

/// Types of a flavour by names of their own. A derived `Clone` has a bound for each field whose type begins with `F::`,
/// and users would read bounds that always hold.
pub(super) type ChainOf<F> = <F as Function>::Chain;
pub(super) type BlockOf<F> = <F as Function>::Block;
pub(super) type WordsOf<F> = <F as Digested>::Bytes;
pub(super) type LeavesOf<F> = <F as Sealed>::Leaves;

impl<F: Constants> Digested for F {
    type Bytes = F::Digest;
}

//! The blocks of a hash without the buffer, for the block API of `digest`.

use core::fmt;

use digest::array::Array;
use digest::block_api::{
    AlgorithmName, Block as ApiBlock, BlockSizeUser, Buffer, BufferKindUser, Lazy, OutputSizeUser, TruncSide,
    UpdateCore, VariableOutputCore,
};
use digest::{HashMarker, InvalidOutputSize, Output, Reset};

use super::flavour::{ChainOf, Flavour};
use super::node::Node;
use crate::backend::Backend;
use crate::kernel::Block;
use crate::kernel::blake2::{Chain, Last};
use crate::stream::compress_message;

/// The blocks of BLAKE2 without the buffer and without any check, for code that is generic over
/// [`VariableOutputCore`]; see [`Blake2bVarCore`](crate::blake2b::hazmat::Blake2bVarCore) and
/// [`Blake2sVarCore`](crate::blake2s::hazmat::Blake2sVarCore).
///
/// A parameter block starts a core. **A core has no key.** If the parameter block tells the length of one, the caller
/// gives the key, filled up with zeros to a block, as the first block of the message.
///
/// `finalize_variable_core` writes the whole chaining value, 64 bytes (BLAKE2s: 32). The digest is the beginning of it,
/// as many bytes as the parameter block tells. Whoever needs the whole chaining value, such as Argon2's hash of
/// variable length, takes it as it is.
#[derive(Clone)]
pub struct VarCore<F: Flavour> {
    /// Before the first block.
    start: ChainOf<F>,
    chain: ChainOf<F>,
    backend: Backend,
}

impl<F: Flavour> VarCore<F> {
    /// Starts from the 64 bytes (BLAKE2s: 32) of a parameter block (BLAKE2 paper, section 2.5), whatever they are.
    #[inline]
    #[must_use]
    pub fn from_parameter_block(parameter_block: &F::Digest) -> Self {
        let start = Chain::new::<F>(parameter_block);
        Self { start, chain: start, backend: Backend::best() }
    }

    /// Has the core compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend of this core.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl<F: Flavour> HashMarker for VarCore<F> {}

impl<F: Flavour> BlockSizeUser for VarCore<F> {
    type BlockSize = F::BlockSize;
}

impl<F: Flavour> BufferKindUser for VarCore<F> {
    type BufferKind = Lazy;
}

impl<F: Flavour> OutputSizeUser for VarCore<F> {
    type OutputSize = F::OutputSize;
}

impl<F: Flavour> UpdateCore for VarCore<F> {
    #[inline]
    fn update_blocks(&mut self, blocks: &[ApiBlock<Self>]) {
        let (blocks, _) = F::Block::split(Array::slice_as_flattened(blocks));
        if !blocks.is_empty() {
            F::compress(self.backend, &mut self.chain, blocks, Last::Not);
        }
    }
}

impl<F: Flavour> VariableOutputCore for VarCore<F> {
    const TRUNC_SIDE: TruncSide = TruncSide::Left;

    /// # Errors
    ///
    /// If `output_size` is not 1 to 64 (BLAKE2s: 32).
    #[inline]
    fn new(output_size: usize) -> Result<Self, InvalidOutputSize> {
        if !(1..=F::LONGEST).contains(&output_size) {
            return Err(InvalidOutputSize);
        }
        Ok(Self::from_parameter_block(&Node::<F>::sequential(output_size, &[]).parameter_block))
    }

    #[inline]
    fn finalize_variable_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        compress_message::<F>(self.backend, &mut self.chain, &[], buffer.get_data(), Last::Block);
        out.copy_from_slice(self.chain.to_bytes().bytes());
        buffer.reset();
    }
}

/// Returns to the parameter block.
impl<F: Flavour> Reset for VarCore<F> {
    #[inline]
    fn reset(&mut self) {
        self.chain = self.start;
    }
}

impl<F: Flavour> AlgorithmName for VarCore<F> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::NAME)
    }
}

/// The backend alone, because the message may be secret.
impl<F: Flavour> fmt::Debug for VarCore<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VarCore").field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for VarCore<F> {
    fn drop(&mut self) {
        F::wipe(&mut self.chain);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> zeroize::ZeroizeOnDrop for VarCore<F> {}

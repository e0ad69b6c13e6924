//! The hash of the `digest` traits: output length in the type, no key.

use core::marker::PhantomData;
use core::mem;

use digest::array::ArraySize;
use digest::common::BlockSizeUser;
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::typenum::{IsLessOrEqual, True};
use digest::{CollisionResistance, CustomizedInit, HashMarker};

use super::flavour::Flavour;
use super::hasher::Hasher;
use super::node::Node;
use super::params::{Params, ParamsError};
use crate::backend::Backend;
use crate::kernel::blake2::Chain;
use crate::kernel::{Block, Word};
use crate::stream::Stream;
use crate::traits::fixed_output;

/// The type-level numbers from 1 to the full length of a digest: to `U64` for BLAKE2b, to `U32` for BLAKE2s.
///
/// Code that is generic over the length may ask for `N: ArraySize + IsLessOrEqual<U64, Output = True>` too, as with the
/// `blake2` crate. That bound admits `U0` too, which is an error when the program is built.
///
/// ```compile_fail,E0277
/// use simd_digest::digest::consts::U65;
/// use simd_digest::{Blake2b, Digest};
///
/// // error: a digest of BLAKE2b has 1 to 64 bytes, and one of BLAKE2s has 1 to 32
/// let digest = Blake2b::<U65>::digest(b"abc");
/// ```
pub trait OutputSize<F: Flavour>: ArraySize {}
impl<F: Flavour, N: ArraySize + IsLessOrEqual<F::OutputSize, Output: WithinLimit<F>>> OutputSize<F> for N {}

/// The answer to "is it short enough for the flavour?", in a trait of its own: the compiler explains what failed by the
/// trait at the bottom, and [`OutputSize`] is above it.
#[diagnostic::on_unimplemented(
    message = "a digest of BLAKE2b has 1 to 64 bytes, and one of BLAKE2s has 1 to 32",
    label = "this length is not possible for `{F}`"
)]
pub trait WithinLimit<F> {}
impl<F> WithinLimit<F> for True {}

/// BLAKE2 without a key, to `N` bytes; see the aliases of [`blake2b`](crate::blake2b).
///
/// A customisation, salt or personalisation is kept by `Reset`.
#[derive(Clone)]
pub struct Blake2<F: Flavour, N: OutputSize<F>> {
    hasher: Hasher<F>,
    output: PhantomData<N>,
}

impl<F: Flavour, N: OutputSize<F>> Blake2<F, N> {
    /// A hash with at most 16 bytes (BLAKE2s: 8) of salt and of personalisation, each filled up with zeros.
    ///
    /// # Errors
    ///
    /// If either is longer.
    pub fn new_with_salt_and_personal(salt: &[u8], personal: &[u8]) -> Result<Self, ParamsError> {
        let params = Params::new().hash_length(N::USIZE).salt(salt).personal(personal);
        Ok(Self::of(params.node()?))
    }

    #[inline]
    fn of(node: Node<F>) -> Self {
        const { assert!(N::USIZE > 0, "a digest has at least one byte") }
        Self { hasher: Hasher::of(node, Backend::best()), output: PhantomData }
    }
}

impl<F: Flavour, N: OutputSize<F>> Default for Blake2<F, N> {
    #[inline]
    fn default() -> Self {
        Self::of(Node::sequential(N::USIZE, &[]))
    }
}

impl<F: Flavour, N: OutputSize<F>> HashMarker for Blake2<F, N> {}

impl<F: Flavour, N: OutputSize<F>> BlockSizeUser for Blake2<F, N> {
    type BlockSize = F::BlockSize;
}

impl<F: Flavour, N: OutputSize<F>> CollisionResistance for Blake2<F, N> {
    type CollisionResistance = F::CollisionResistance;
}

impl<F: Flavour, N: OutputSize<F>> CustomizedInit for Blake2<F, N> {
    /// Personalises the hash with `customization`.
    ///
    /// Up to 16 bytes (BLAKE2s: 8) are BLAKE2's personalisation, as everywhere. The trait cannot return an error, so a
    /// longer customisation is hashed to 32 bytes (BLAKE2s: 16), which fill salt and personalisation. No other library
    /// computes that hash. [`new_with_salt_and_personal`](Self::new_with_salt_and_personal) returns an error instead.
    fn new_customized(customization: &[u8]) -> Self {
        let mut node = Node::<F>::sequential(N::USIZE, &[]);
        let texts = &mut node.parameter_block.bytes_mut()[2 * F::TEXT..];
        let personal = &mut texts[F::TEXT..];
        if let Some(personal) = personal.get_mut(..customization.len()) {
            personal.copy_from_slice(customization);
        } else {
            let mut hasher = Hasher::<F>::of(Node::sequential(texts.len(), &[]), Backend::best());
            texts.copy_from_slice(hasher.update(customization).finalize().as_bytes());
        }
        Self::of(node)
    }
}

/// The state of BLAKE2b is, in bytes: output length (1), salt (16), personalisation (16), chaining value (64), counter
/// (16, little-endian), number of bytes held back (1) and the block they are in (128, zeros after them). In BLAKE2s the
/// fields of more than a byte have half the length.
impl<F: Flavour, N: OutputSize<F>> SerializableState for Blake2<F, N> {
    type SerializedStateSize = F::StateSize;

    fn serialize(&self) -> SerializedState<Self> {
        let Hasher { node, stream: Stream { chain, buffer, .. }, .. } = &self.hasher;
        let mut state = SerializedState::<Self>::default();
        let mut rest = state.as_mut_slice();
        let mut write = |bytes: &[u8]| {
            let (to, after) = mem::take(&mut rest).split_at_mut(bytes.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        write(&node.parameter_block.bytes()[..1]);
        write(&node.parameter_block.bytes()[2 * F::TEXT..]);
        write(chain.to_bytes().bytes());
        write(&chain.count.to_le_bytes()[..F::TEXT]);
        #[expect(clippy::cast_possible_truncation, reason = "a block has at most 128 bytes")]
        write(&[buffer.held().len() as u8]);
        write(buffer.block().bytes());
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let mut rest = state.as_slice();
        let mut read = |length| {
            let (bytes, after) = rest.split_at(length);
            rest = after;
            bytes
        };
        let mut node = Self::default().hasher.node.clone();
        let same_length = read(1)[0] == node.parameter_block.bytes()[0];
        node.parameter_block.bytes_mut()[2 * F::TEXT..].copy_from_slice(read(2 * F::TEXT));
        let (mut h, mut count, mut block) = (F::Digest::ZERO, [0; 16], F::Block::ZERO);
        h.bytes_mut().copy_from_slice(read(F::LONGEST));
        count[..F::TEXT].copy_from_slice(read(F::TEXT));
        let held = usize::from(read(1)[0]);
        block.bytes_mut().copy_from_slice(read(F::Block::LENGTH));

        let chain = Chain { h: F::Word::from_bytes(&h), count: u128::from_le_bytes(count) };
        let hasher =
            Hasher::resumed(node, &chain, &block, held).filter(|_| same_length).ok_or(DeserializeStateError)?;
        Ok(Self { hasher, output: PhantomData })
    }
}

fixed_output!(impl[F: Flavour, N: OutputSize<F>] Blake2<F, N>, output: N, name: F::NAME);

//! The hash of the `digest` traits.

use core::fmt;
use core::marker::PhantomData;

use digest::block_api::{Block, Buffer, BufferKindUser, CoreProxy, Eager, FixedOutputCore, OutputSizeUser, UpdateCore};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::common::{AlgorithmName, BlockSizeUser};
use digest::consts::{U40, U64, U104};
use digest::{CollisionResistance, HashMarker, Output, Reset};

use super::hasher::Hasher;
use super::variant::{Variant, digest};
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer as Held;
use crate::kernel::sha256::{Chain, Sha256Function, Written};
use crate::kernel::{Block as _, wipe};
use crate::stream::{Stream, compress_message};
use crate::traits::fixed_output;

/// SHA-224 or SHA-256; see [`Sha224`](crate::Sha224) and [`Sha256`](crate::Sha256).
///
/// The type has the traits of the types of the crate `sha2`, and its [saved states](SerializableState) are those of
/// `sha2`. [The module](crate::sha2) lists the differences. The type is an
/// [`EagerHash`](digest::block_api::EagerHash), so `hmac::Hmac`, `hkdf::Hkdf` and `pbkdf2` take it.
#[derive(Clone)]
pub struct Sha2<V: Variant> {
    hasher: Hasher<V>,
}

impl<V: Variant> Default for Sha2<V> {
    #[inline]
    fn default() -> Self {
        Self { hasher: Hasher::new() }
    }
}

impl<V: Variant> HashMarker for Sha2<V> {}

impl<V: Variant> BlockSizeUser for Sha2<V> {
    type BlockSize = U64;
}

impl<V: Variant> CollisionResistance for Sha2<V> {
    type CollisionResistance = V::CollisionResistance;
}

fixed_output!(impl[V: Variant] Sha2<V>, output: V::OutputSize, name: V::NAME);

/// The blocks of SHA-224 or SHA-256 without the buffer, for code that is generic over
/// [`EagerHash`](digest::block_api::EagerHash).
///
/// Computes on [`Backend::best`], or on the backend of the hash that it is part of.
#[derive(Clone)]
pub struct Core<V: Variant> {
    chain: Chain,
    backend: Backend,
    variant: PhantomData<V>,
}

impl<V: Variant> Default for Core<V> {
    #[inline]
    fn default() -> Self {
        Self { chain: Chain::new(*V::IV), backend: Backend::best(), variant: PhantomData }
    }
}

impl<V: Variant> HashMarker for Core<V> {}

impl<V: Variant> BlockSizeUser for Core<V> {
    type BlockSize = U64;
}

impl<V: Variant> BufferKindUser for Core<V> {
    type BufferKind = Eager;
}

impl<V: Variant> OutputSizeUser for Core<V> {
    type OutputSize = V::OutputSize;
}

impl<V: Variant> UpdateCore for Core<V> {
    #[inline]
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        Sha256Function::compress(
            self.backend,
            &mut self.chain,
            Block::<Self>::cast_slice_to_core(blocks),
            Written::Before,
        );
    }
}

impl<V: Variant> FixedOutputCore for Core<V> {
    #[inline]
    fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        compress_message::<Sha256Function>(self.backend, &mut self.chain, &[], buffer.get_data(), Written::JustNow);
        out.copy_from_slice(digest::<V>(&self.chain).bytes());
        buffer.reset();
    }
}

impl<V: Variant> Reset for Core<V> {
    #[inline]
    fn reset(&mut self) {
        self.chain = Chain::new(*V::IV);
    }
}

impl<V: Variant> AlgorithmName for Core<V> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(V::NAME)
    }
}

/// The name alone, for the message may be secret.
impl<V: Variant> fmt::Debug for Core<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").finish_non_exhaustive()
    }
}

/// The state is, in bytes: the hash value (32) and the number of blocks (8), all words little-endian.
impl<V: Variant> SerializableState for Core<V> {
    type SerializedStateSize = U40;

    fn serialize(&self) -> SerializedState<Self> {
        let mut state = SerializedState::<Self>::default();
        let (words, blocks) = state.split_at_mut(32);
        write_words(words, &self.chain);
        blocks.copy_from_slice(&self.chain.blocks.to_le_bytes());
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (words, blocks) = state.split_at(32);
        let mut core = Self::default();
        for (word, from) in core.chain.h.iter_mut().zip(words.as_chunks().0) {
            *word = u32::from_le_bytes(*from);
        }
        core.chain.blocks = u64::from_le_bytes(blocks.try_into().map_err(|_| DeserializeStateError)?);
        Ok(core)
    }
}

/// The hash value, words little-endian.
fn write_words(to: &mut [u8], chain: &Chain) {
    for (to, word) in to.as_chunks_mut().0.iter_mut().zip(chain.h) {
        *to = word.to_le_bytes();
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for Core<V> {
    fn drop(&mut self) {
        <Sha256Function as crate::kernel::Function>::wipe(&mut self.chain);
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for Core<V> {}

impl<V: Variant> CoreProxy for Sha2<V> {
    type Core = Core<V>;

    fn compose(core: Core<V>, buffer: Buffer<Core<V>>) -> Self {
        let mut block = [0; 64];
        let data = buffer.get_data();
        block[..data.len()].copy_from_slice(data);
        let mut stream = Stream::new(core.chain, core.backend);
        stream.buffer = Held::holding(block, data.len());
        wipe(&mut block);
        Self { hasher: Hasher::of(stream) }
    }

    fn decompose(self) -> (Core<V>, Buffer<Core<V>>) {
        let Stream { chain, buffer, backend } = &self.hasher.stream;
        let core = Core { chain: *chain, backend: *backend, variant: PhantomData };
        (core, Buffer::<Core<V>>::new(buffer.held()))
    }
}

/// The state is that of the crate `sha2`, in bytes: the hash value (32) and the number of blocks (8), all words
/// little-endian; the number of bytes held back (1), 0 to 63, and these, zeros after them (63).
///
/// **A state is as secret as the message**, and is not authenticated: changed bytes may make another hasher.
impl<V: Variant> SerializableState for Sha2<V> {
    type SerializedStateSize = U104;

    fn serialize(&self) -> SerializedState<Self> {
        let Stream { chain, buffer, .. } = &self.hasher.stream;
        let mut state = SerializedState::<Self>::default();
        let (words, rest) = state.split_at_mut(32);
        write_words(words, chain);
        let (blocks, rest) = rest.split_at_mut(8);
        blocks.copy_from_slice(&chain.blocks.to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "at most 63 bytes are held")]
        {
            rest[0] = buffer.held().len() as u8;
        }
        rest[1..].copy_from_slice(&buffer.block()[..63]);
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (core, buffer) = state.split_ref::<U40>();
        let buffer = Buffer::<Core<V>>::deserialize(buffer).map_err(|_| DeserializeStateError)?;
        Ok(Self::compose(Core::deserialize(core)?, buffer))
    }
}

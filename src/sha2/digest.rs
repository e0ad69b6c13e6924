//! The hash of the `digest` traits.

use core::fmt;
use core::marker::PhantomData;

use digest::block_api::{Block, Buffer, BufferKindUser, CoreProxy, Eager, FixedOutputCore, OutputSizeUser, UpdateCore};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::common::{AlgorithmName, BlockSizeUser};
use digest::typenum::Unsigned;
use digest::{CollisionResistance, HashMarker, Output, Reset};

use super::hasher::Hasher;
use super::variant::{BlockOf, ChainOf, Family, Sealed, ValueOf, Variant, WordOf, digest};
use crate::backend::{Backend, Dispatch};
use crate::buffer::Buffer as Held;
use crate::kernel::sha2::{Chain, Written};
use crate::kernel::{Block as _, Word, wipe};
use crate::stream::{Stream, compress_message};
use crate::traits::fixed_output;

/// Bytes of a serialised [`Core`].
type CoreStateOf<V> = <<V as Sealed>::Function as Family>::CoreState;

/// A hash of the family; see [`Sha256`](crate::Sha256), [`Sha512`](crate::Sha512) and the like.
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
    type BlockSize = <V::Function as Family>::BlockSize;
}

impl<V: Variant> CollisionResistance for Sha2<V> {
    type CollisionResistance = V::CollisionResistance;
}

fixed_output!(impl[V: Variant] Sha2<V>, output: V::OutputSize, name: V::NAME);

/// The blocks of a hash of the family without the buffer, for code that is generic over
/// [`EagerHash`](digest::block_api::EagerHash).
///
/// Computes on [`Backend::best`], or on the backend of the hash that it is part of.
#[derive(Clone)]
pub struct Core<V: Variant> {
    chain: ChainOf<V>,
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
    type BlockSize = <V::Function as Family>::BlockSize;
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
        V::Function::compress(self.backend, &mut self.chain, V::Function::blocks(blocks), Written::Before);
    }
}

impl<V: Variant> FixedOutputCore for Core<V> {
    #[inline]
    fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        compress_message::<V::Function>(self.backend, &mut self.chain, &[], buffer.get_data(), Written::JustNow);
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

/// The name alone, because the message may be secret.
impl<V: Variant> fmt::Debug for Core<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").finish_non_exhaustive()
    }
}

/// The state is, in bytes: the hash value (32, or 64 of SHA-512) and the number of blocks (8, or 16), all words
/// little-endian.
impl<V: Variant> SerializableState for Core<V> {
    type SerializedStateSize = <V::Function as Family>::CoreState;

    fn serialize(&self) -> SerializedState<Self> {
        let mut state = SerializedState::<Self>::default();
        write_chain::<V>(&mut state, &self.chain);
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (words, blocks) = state.split_at(ValueOf::<V>::LENGTH);
        let (blocks, upper) = blocks.split_first_chunk().ok_or(DeserializeStateError)?;
        let mut core = Self::default();
        for (i, word) in core.chain.h.iter_mut().enumerate() {
            *word = WordOf::<V>::load(words, i);
        }
        core.chain.blocks = u64::from_le_bytes(*blocks);
        let bytes = core.chain.blocks.checked_mul(BlockOf::<V>::LENGTH as u64);
        if !upper.is_empty() && (bytes.is_none() || upper.iter().any(|&byte| byte != 0)) {
            return Err(DeserializeStateError);
        }
        Ok(core)
    }
}

/// The hash value, words little-endian, and the number of blocks.
fn write_chain<V: Variant>(to: &mut [u8], chain: &ChainOf<V>) {
    let (words, blocks) = to.split_at_mut(ValueOf::<V>::LENGTH);
    words.copy_from_slice(WordOf::<V>::to_bytes(chain.h).bytes());
    blocks[..8].copy_from_slice(&chain.blocks.to_le_bytes());
}

#[cfg(feature = "zeroize")]
impl<V: Variant> Drop for Core<V> {
    fn drop(&mut self) {
        <V::Function as crate::kernel::Function>::wipe(&mut self.chain);
    }
}

#[cfg(feature = "zeroize")]
impl<V: Variant> zeroize::ZeroizeOnDrop for Core<V> {}

impl<V: Variant> CoreProxy for Sha2<V> {
    type Core = Core<V>;

    fn compose(core: Core<V>, buffer: Buffer<Core<V>>) -> Self {
        let mut block = BlockOf::<V>::ZERO;
        let data = buffer.get_data();
        block.bytes_mut()[..data.len()].copy_from_slice(data);
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

/// The state is that of the crate `sha2`, in bytes: the hash value (32, or 64 of SHA-512) and the number of blocks (8,
/// or 16), all words little-endian; the number of bytes held back (1), less than a block, and these, zeros after them
/// (63, or 127).
///
/// **A state is as secret as the message**, and is not authenticated: changed bytes may make another hasher.
impl<V: Variant> SerializableState for Sha2<V> {
    type SerializedStateSize = <V::Function as Family>::HashState;

    fn serialize(&self) -> SerializedState<Self> {
        let Stream { chain, buffer, .. } = &self.hasher.stream;
        let mut state = SerializedState::<Self>::default();
        let (core, rest) = state.split_at_mut(CoreStateOf::<V>::USIZE);
        write_chain::<V>(core, chain);
        #[expect(clippy::cast_possible_truncation, reason = "less than a block is held")]
        {
            rest[0] = buffer.held().len() as u8;
        }
        let most = rest.len() - 1;
        rest[1..].copy_from_slice(&buffer.block().bytes()[..most]);
        state
    }

    fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (core, held) = state.split_at(CoreStateOf::<V>::USIZE);
        let core = Core::deserialize(core.try_into().map_err(|_| DeserializeStateError)?)?;
        let (&number, held) = held.split_first().ok_or(DeserializeStateError)?;
        match held.split_at_checked(number.into()) {
            Some((held, zeros)) if zeros.iter().all(|&byte| byte == 0) => {
                Ok(Self::compose(core, Buffer::<Core<V>>::new(held)))
            }
            _ => Err(DeserializeStateError),
        }
    }
}

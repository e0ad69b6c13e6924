//! The hash of the `digest` traits: output length in the type, no key.

use core::marker::PhantomData;
use core::{fmt, mem};

use digest::array::ArraySize;
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::common::{AlgorithmName, BlockSizeUser};
use digest::typenum::{IsLessOrEqual, True};
use digest::{
    CollisionResistance, CustomizedInit, FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset,
    Update,
};

use super::params::Start;
use super::{Family, Hasher, Params, ParamsError, quarter};
use crate::backend::Backend;
use crate::buffer::{Block, Buffer};
use crate::kernel::blake2::{Chain, Word};

/// Implements for a wrapper of [`Hasher`] with its output length in the type what the hash and the MAC share.
macro_rules! fixed_output {
    ($Type:ident, $NAME:ident) => {
        impl<F: Family, N: OutputSize<F>> $Type<F, N> {
            /// The same hasher, computing on `backend` from here on.
            #[must_use]
            pub fn with_backend(mut self, backend: Backend) -> Self {
                self.hasher = self.hasher.with_backend(backend);
                self
            }

            /// Always inlined: see `Hasher::digest`.
            #[inline(always)]
            fn output(&self) -> Output<Self> {
                let mut out = Output::<Self>::default();
                out.copy_from_slice(&self.hasher.digest().bytes()[..N::USIZE]);
                out
            }
        }

        impl<F: Family, N: OutputSize<F>> Update for $Type<F, N> {
            #[inline]
            fn update(&mut self, bytes: &[u8]) {
                self.hasher.update(bytes);
            }
        }

        impl<F: Family, N: OutputSize<F>> OutputSizeUser for $Type<F, N> {
            type OutputSize = N;
        }

        impl<F: Family, N: OutputSize<F>> FixedOutput for $Type<F, N> {
            #[inline(always)]
            fn finalize_into(self, out: &mut Output<Self>) {
                *out = self.output();
            }

            #[inline(always)]
            fn finalize_fixed(self) -> Output<Self> {
                self.output()
            }
        }

        impl<F: Family, N: OutputSize<F>> Reset for $Type<F, N> {
            #[inline]
            fn reset(&mut self) {
                self.hasher.reset();
            }
        }

        impl<F: Family, N: OutputSize<F>> FixedOutputReset for $Type<F, N> {
            #[inline]
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                *out = self.output();
                self.hasher.reset();
            }
        }

        impl<F: Family, N: OutputSize<F>> AlgorithmName for $Type<F, N> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(F::$NAME)
            }
        }

        impl<F: Family, N: OutputSize<F>> fmt::Debug for $Type<F, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(F::$NAME).finish_non_exhaustive()
            }
        }

        /// Appends to the message; never fails.
        #[cfg(feature = "std")]
        impl<F: Family, N: OutputSize<F>> std::io::Write for $Type<F, N> {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.hasher.write(bytes)
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }

        #[cfg(feature = "zeroize")]
        impl<F: Family, N: OutputSize<F>> zeroize::ZeroizeOnDrop for $Type<F, N> {}
    };
}
pub(super) use fixed_output;

/// The type-level numbers from 1 to the full length of a digest.
pub trait OutputSize<F: Family>: ArraySize {}
impl<F: Family, N: ArraySize + IsLessOrEqual<F::OutputSize, Output = True>> OutputSize<F> for N {}

/// BLAKE2 without a key, to `N` bytes; see the aliases of [`blake2b`](crate::blake2b).
///
/// A customisation, salt or personalisation is kept by `Reset`.
#[derive(Clone)]
pub struct Blake2<F: Family, N: OutputSize<F>> {
    hasher: Hasher<F>,
    output: PhantomData<N>,
}

impl<F: Family, N: OutputSize<F>> Blake2<F, N> {
    /// At most `2 W` bytes of salt and of personalisation, each filled up with zeros.
    ///
    /// # Errors
    ///
    /// If either is longer.
    pub fn new_with_salt_and_personal(salt: &[u8], personal: &[u8]) -> Result<Self, ParamsError> {
        let params = Params::new().hash_length(N::USIZE).salt(salt).personal(personal);
        Ok(Self::start(params.start()?))
    }

    #[inline]
    fn start(start: Start<F>) -> Self {
        const { assert!(N::USIZE > 0, "a digest has at least one byte") }
        Self { hasher: Hasher::start(start, Backend::best()), output: PhantomData }
    }
}

impl<F: Family, N: OutputSize<F>> Default for Blake2<F, N> {
    #[inline]
    fn default() -> Self {
        Self::start(Start::sequential(N::USIZE, &[]))
    }
}

impl<F: Family, N: OutputSize<F>> HashMarker for Blake2<F, N> {}

impl<F: Family, N: OutputSize<F>> BlockSizeUser for Blake2<F, N> {
    type BlockSize = F::BlockSize;
}

impl<F: Family, N: OutputSize<F>> CollisionResistance for Blake2<F, N> {
    type CollisionResistance = F::CollisionResistance;
}

impl<F: Family, N: OutputSize<F>> CustomizedInit for Blake2<F, N> {
    /// Personalises the hash with `customization`.
    ///
    /// Up to `2 W` bytes are BLAKE2's personalisation, as everywhere. More cannot be, and the trait knows no error:
    /// then salt and personalisation are together the digest of `4 W` bytes of `customization`, so that different
    /// customisations still give unrelated hashes. Where that would surprise, use
    /// [`new_with_salt_and_personal`](Self::new_with_salt_and_personal), which returns an error.
    fn new_customized(customization: &[u8]) -> Self {
        let mut start = Start::<F>::sequential(N::USIZE, &[]);
        let texts = &mut start.parameter_block.bytes_mut()[2 * quarter::<F>()..];
        let personal = &mut texts[quarter::<F>()..];
        if let Some(personal) = personal.get_mut(..customization.len()) {
            personal.copy_from_slice(customization);
        } else {
            let mut hasher = Hasher::<F>::start(Start::sequential(texts.len(), &[]), Backend::best());
            texts.copy_from_slice(hasher.update(customization).finalize().as_bytes());
        }
        Self::start(start)
    }
}

/// The state is, in bytes: output length (1), salt (`2 W`), personalisation (`2 W`), chaining value (`8 W`), counter (`2 W`, little-endian),
/// bytes held back (1) and the block they are in (`16 W`, zeros after them).
impl<F: Family, N: OutputSize<F>> SerializableState for Blake2<F, N> {
    type SerializedStateSize = F::StateSize;

    fn serialize(&self) -> SerializedState<Self> {
        let Hasher { start, chain, buffer, .. } = &self.hasher;
        let mut state = SerializedState::<Self>::default();
        let mut rest = state.as_mut_slice();
        let mut write = |bytes: &[u8]| {
            let (to, after) = mem::take(&mut rest).split_at_mut(bytes.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        write(&start.parameter_block.bytes()[..1]);
        write(&start.parameter_block.bytes()[2 * quarter::<F>()..]);
        write(chain.to_bytes().bytes());
        write(&chain.count.to_le_bytes()[..quarter::<F>()]);
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
        let mut hasher = Self::default().hasher;
        let same_length = read(1)[0] == hasher.start.parameter_block.bytes()[0];
        hasher.start.parameter_block.bytes_mut()[2 * quarter::<F>()..].copy_from_slice(read(2 * quarter::<F>()));
        let (mut h, mut count, mut block) = (F::Words::ZERO, [0; 16], F::Block::ZERO);
        h.bytes_mut().copy_from_slice(read(F::Words::LENGTH));
        count[..quarter::<F>()].copy_from_slice(read(quarter::<F>()));
        let count = u128::from_le_bytes(count);
        let held = usize::from(read(1)[0]);
        block.bytes_mut().copy_from_slice(read(F::Block::LENGTH));

        // Only states that hashing leads to: whole blocks compressed, the last one held back.
        hasher.chain = Chain { h: F::Word::from_bytes(&h), count };
        let possible = same_length
            && held <= F::Block::LENGTH
            && block.bytes()[held..].iter().all(|&byte| byte == 0)
            && count % F::Block::LENGTH as u128 == 0
            && if count == 0 { hasher.chain == Chain::new(&hasher.start.parameter_block) } else { held > 0 };
        if !possible {
            return Err(DeserializeStateError);
        }
        hasher.buffer = Buffer::holding(block, held);
        Ok(Self { hasher, output: PhantomData })
    }
}

fixed_output!(Blake2, NAME);

//! The blocks of the hashes without their buffer.

use core::fmt;

use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, Eager, FixedOutputCore, OutputSizeUser, TruncSide,
    UpdateCore, VariableOutputCore,
};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::consts::{U32, U40, U64, U80, U128};
use digest::{HashMarker, InvalidOutputSize, Output};
use simd_digest::sha224::hazmat::Sha224Core;
use simd_digest::sha256::hazmat::Sha256Core;
pub use simd_digest::sha256::hazmat::compress as compress256;
use simd_digest::sha384::hazmat::Sha384Core;
use simd_digest::sha512::hazmat::Sha512Core;
pub use simd_digest::sha512::hazmat::compress as compress512;
use simd_digest::sha512_224::hazmat::Sha512_224Core;
use simd_digest::sha512_256::hazmat::Sha512_256Core;

macro_rules! core {
    (
        $VarCore:ident, $name:literal, $sizes:literal, $Core:ident, $Output:ident, $Block:ident, $State:ident,
        $($size:literal: $SizedCore:ident),*
    ) => {
        blocks!($name, $VarCore, $sizes, $Core, $Output, $Block, $($size: $SizedCore),*);

        impl $VarCore {
            #[inline]
            fn finish(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.0.finalize_fixed_core(buffer, out);
            }
        }

        impl UpdateCore for $VarCore {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.0.update_blocks(blocks);
            }
        }

        /// The state is, in bytes: the hash value and the number of blocks, all words little-endian.
        impl SerializableState for $VarCore {
            type SerializedStateSize = $State;

            fn serialize(&self) -> SerializedState<Self> {
                self.0.serialize()
            }

            fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
                $Core::deserialize(state).map(Self)
            }
        }

        #[cfg(feature = "zeroize")]
        impl digest::zeroize::ZeroizeOnDrop for $VarCore {}
    };
}

core!(Sha256VarCore, "Sha256", "28 or 32", Sha256Core, U32, U64, U40, 28: Sha224Core, 32: Sha256Core);
core!(
    Sha512VarCore,
    "Sha512",
    "28, 32, 48 or 64",
    Sha512Core,
    U64,
    U128,
    U80,
    28: Sha512_224Core,
    32: Sha512_256Core,
    48: Sha384Core,
    64: Sha512Core
);

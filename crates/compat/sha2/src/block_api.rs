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
        #[doc = concat!("The blocks of ", $name, " without the buffer, to ", $sizes, " bytes of output.")]
        #[derive(Clone)]
        pub struct $VarCore($Core);

        impl HashMarker for $VarCore {}

        impl BlockSizeUser for $VarCore {
            type BlockSize = $Block;
        }

        impl BufferKindUser for $VarCore {
            type BufferKind = Eager;
        }

        impl OutputSizeUser for $VarCore {
            type OutputSize = $Output;
        }

        impl UpdateCore for $VarCore {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.0.update_blocks(blocks);
            }
        }

        impl VariableOutputCore for $VarCore {
            const TRUNC_SIDE: TruncSide = TruncSide::Left;

            #[inline]
            fn new(output_size: usize) -> Result<Self, InvalidOutputSize> {
                let begun = match output_size {
                    $($size => $SizedCore::default().serialize(),)*
                    _ => return Err(InvalidOutputSize),
                };
                // The cores of a family differ in the hash value that they begin with.
                $Core::deserialize(&begun).map(Self).map_err(|_| InvalidOutputSize)
            }

            #[inline]
            fn finalize_variable_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.0.finalize_fixed_core(buffer, out);
            }
        }

        impl AlgorithmName for $VarCore {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        impl fmt::Debug for $VarCore {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($VarCore), " { ... }"))
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

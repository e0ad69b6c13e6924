//! The blocks of the hashes without their buffer.

use core::{fmt, slice};

use digest::array::Array;
use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, Eager, OutputSizeUser, TruncSide, UpdateCore,
    VariableOutputCore,
};
use digest::common::hazmat::{DeserializeStateError, SerializableState, SerializedState};
use digest::consts::{U32, U40, U64, U80, U128};
use digest::{HashMarker, InvalidOutputSize, Output};
use sha2_010::digest::generic_array::GenericArray;
use simd_digest::sha224::hazmat::Sha224Core;
use simd_digest::sha256::hazmat::Sha256Core;
pub use simd_digest::sha256::hazmat::compress as compress256;

/// The compression function of SHA-512, of `sha2` 0.10: compresses `blocks` into the hash value `state`.
pub fn compress512(state: &mut [u64; 8], blocks: &[[u8; 128]]) {
    // Their blocks are of a type of their own. A copy of many would stay on the stack, and may be a secret.
    for block in blocks {
        sha2_010::compress512(state, slice::from_ref(GenericArray::from_slice(block)));
    }
}

/// The hash value before the first block: the first words of the state of a core.
fn first_words<C: Default + SerializableState>() -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(C::default().serialize().as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

fn first_words_256(output_size: usize) -> Result<[u32; 8], InvalidOutputSize> {
    match output_size {
        28 => Ok(first_words::<Sha224Core>()),
        32 => Ok(first_words::<Sha256Core>()),
        _ => Err(InvalidOutputSize),
    }
}

/// The hash values of FIPS 180-4, sections 5.3.4 to 5.3.6.
fn first_words_512(output_size: usize) -> Result<[u64; 8], InvalidOutputSize> {
    match output_size {
        28 => Ok([
            0x8c3d_37c8_1954_4da2,
            0x73e1_9966_89dc_d4d6,
            0x1dfa_b7ae_32ff_9c82,
            0x679d_d514_582f_9fcf,
            0x0f6d_2b69_7bd4_4da8,
            0x77e3_6f73_04c4_8942,
            0x3f9d_85a8_6a1d_36c8,
            0x1112_e6ad_91d6_92a1,
        ]),
        32 => Ok([
            0x2231_2194_fc2b_f72c,
            0x9f55_5fa3_c84c_64c2,
            0x2393_b86b_6f53_b151,
            0x9638_7719_5940_eabd,
            0x9628_3ee2_a88e_ffe3,
            0xbe5e_1e25_5386_3992,
            0x2b01_99fc_2c85_b8aa,
            0x0eb7_2ddc_81c5_2ca2,
        ]),
        48 => Ok([
            0xcbbb_9d5d_c105_9ed8,
            0x629a_292a_367c_d507,
            0x9159_015a_3070_dd17,
            0x152f_ecd8_f70e_5939,
            0x6733_2667_ffc0_0b31,
            0x8eb4_4a87_6858_1511,
            0xdb0c_2e0d_64f9_8fa7,
            0x47b5_481d_befa_4fa4,
        ]),
        64 => Ok([
            0x6a09_e667_f3bc_c908,
            0xbb67_ae85_84ca_a73b,
            0x3c6e_f372_fe94_f82b,
            0xa54f_f53a_5f1d_36f1,
            0x510e_527f_ade6_82d1,
            0x9b05_688c_2b3e_6c1f,
            0x1f83_d9ab_fb41_bd6b,
            0x5be0_cd19_137e_2179,
        ]),
        _ => Err(InvalidOutputSize),
    }
}

macro_rules! core {
    (
        $Core:ident, $name:literal, $sizes:literal, $word:ident, $count:ident, $Output:ident, $Block:ident,
        $State:ident, $first:ident, $compress:ident, $padding:ident
    ) => {
        #[doc = concat!("The blocks of ", $name, " without the buffer, to ", $sizes, " bytes of output.")]
        #[derive(Clone)]
        pub struct $Core {
            words: [$word; 8],
            blocks: $count,
        }

        impl HashMarker for $Core {}

        impl BlockSizeUser for $Core {
            type BlockSize = $Block;
        }

        impl BufferKindUser for $Core {
            type BufferKind = Eager;
        }

        impl OutputSizeUser for $Core {
            type OutputSize = $Output;
        }

        impl UpdateCore for $Core {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.blocks = self.blocks.wrapping_add(blocks.len() as $count);
                $compress(&mut self.words, Array::cast_slice_to_core(blocks));
            }
        }

        impl VariableOutputCore for $Core {
            const TRUNC_SIDE: TruncSide = TruncSide::Left;

            #[inline]
            fn new(output_size: usize) -> Result<Self, InvalidOutputSize> {
                Ok(Self { words: $first(output_size)?, blocks: 0 })
            }

            #[inline]
            fn finalize_variable_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                let bytes = self.blocks.wrapping_mul(16 * size_of::<$word>() as $count);
                let bits = bytes.wrapping_add(buffer.get_pos() as $count).wrapping_mul(8);
                buffer.$padding(bits, |block| $compress(&mut self.words, &[block.0]));
                for (bytes, word) in out.as_chunks_mut().0.iter_mut().zip(self.words) {
                    *bytes = word.to_be_bytes();
                }
            }
        }

        impl AlgorithmName for $Core {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        impl fmt::Debug for $Core {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($Core), " { ... }"))
            }
        }

        /// The state is, in bytes: the hash value and the number of blocks, all words little-endian.
        impl SerializableState for $Core {
            type SerializedStateSize = $State;

            fn serialize(&self) -> SerializedState<Self> {
                let mut state = SerializedState::<Self>::default();
                let (words, blocks) = state.split_at_mut(8 * size_of::<$word>());
                for (bytes, word) in words.as_chunks_mut().0.iter_mut().zip(self.words) {
                    *bytes = word.to_le_bytes();
                }
                blocks.copy_from_slice(&self.blocks.to_le_bytes());
                state
            }

            fn deserialize(state: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
                let (from, blocks) = state.split_at(8 * size_of::<$word>());
                let mut words = [0; 8];
                for (word, bytes) in words.iter_mut().zip(from.as_chunks().0) {
                    *word = $word::from_le_bytes(*bytes);
                }
                let blocks = blocks.try_into().map_err(|_| DeserializeStateError)?;
                Ok(Self { words, blocks: $count::from_le_bytes(blocks) })
            }
        }

        #[cfg(feature = "zeroize")]
        impl Drop for $Core {
            fn drop(&mut self) {
                digest::zeroize::Zeroize::zeroize(&mut self.words);
                digest::zeroize::Zeroize::zeroize(&mut self.blocks);
            }
        }

        #[cfg(feature = "zeroize")]
        impl digest::zeroize::ZeroizeOnDrop for $Core {}
    };
}

core!(Sha256VarCore, "Sha256", "28 or 32", u32, u64, U32, U64, U40, first_words_256, compress256, len64_padding_be);
core!(
    Sha512VarCore,
    "Sha512",
    "28, 32, 48 or 64",
    u64,
    u128,
    U64,
    U128,
    U80,
    first_words_512,
    compress512,
    len128_padding_be
);

//! The names of the crate `blake2` 0.11, over `simd-digest`.
//!
//! # Compile errors
//!
//! ```text
//! error[E0271]: type mismatch resolving `<CtOutWrapper<…> as BufferKindUser>::BufferKind == Eager`
//! note: required for `Blake2b<…>` to implement `EagerHash`
//! ```
//!
//! As with `blake2`, `hmac::Hmac` does not take BLAKE2, which keeps its last block back. Take `hmac::SimpleHmac`, or
//! `Blake2bMac512`, which is faster.
//!
//! ```text
//! error[E0277]: the trait bound `Blake2b<…>: Digest` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.10, and this crate has the traits of 0.11. Take a version of the caller that needs 0.11,
//! such as hmac 0.13, or `blake2` 0.10, which has an adapter too.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

use core::fmt;
use core::marker::PhantomData;

pub use digest::{self, Digest};

use digest::array::ArraySize;
use digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, Lazy, OutputSizeUser, TruncSide, UpdateCore,
    VariableOutputCore, VariableOutputCoreCustomized,
};
use digest::common::{InvalidLength, Key, KeyInit, KeySizeUser};
use digest::consts::{U16, U32, U64, U128};
use digest::typenum::{IsLessOrEqual, True};
use digest::{CustomizedInit, FixedOutput, HashMarker, InvalidOutputSize, MacMarker, Output, Update};
#[cfg(feature = "reset")]
use digest::{FixedOutputReset, Reset};
use simd_digest::{blake2b, blake2s};

#[macro_use]
#[path = "../../blake2_shared.rs"]
mod shared;

macro_rules! flavour {
    (
        $flavour:ident, $name:literal, $VarCore:ident, $Hash:ident, $Mac:ident, $FullMac:ident, $Size:ident,
        $length:literal, $BlockSize:ident, $block:literal
    ) => {
        blocks!($flavour, $name, $VarCore, $Size, $length, $BlockSize);

        impl $VarCore {
            #[inline]
            fn compress(&mut self, blocks: &[Block<Self>]) {
                self.0.update_blocks(blocks);
            }

            #[inline]
            fn finish(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.0.finalize_variable_core(buffer, out);
            }

            #[cfg(feature = "reset")]
            fn start_again(&mut self) {
                self.0.reset();
            }
        }

        impl VariableOutputCoreCustomized for $VarCore {
            #[inline]
            fn new_customized(customization: &[u8], output_size: usize) -> Self {
                Self::new_with_params(&[], customization, 0, output_size)
            }
        }

        #[cfg(feature = "zeroize")]
        impl digest::zeroize::ZeroizeOnDrop for $VarCore {}

        digest::buffer_ct_variable!(
            #[doc = concat!($name, " to a length in the type.")]
            pub struct $Hash<OutSize>($VarCore);
            exclude: SerializableState;
            max_size: $Size;
        );

        /// Personalised. `Reset` forgets the personalisation, as in `blake2`.
        impl<OutSize> CustomizedInit for $Hash<OutSize>
        where
            OutSize: ArraySize + IsLessOrEqual<$Size, Output = True>,
        {
            /// # Panics
            ///
            /// If `customization` is longer than a quarter of the longest digest.
            fn new_customized(customization: &[u8]) -> Self {
                Self { core: CustomizedInit::new_customized(customization), buffer: Buffer::<$VarCore>::default() }
            }
        }

        mac!(
            $name, $VarCore, $Mac, $FullMac, $Size, $length, $block,
            where OutSize: ArraySize + IsLessOrEqual<$Size, Output = True>,
        );

        impl<OutSize> $Mac<OutSize>
        where
            OutSize: ArraySize + IsLessOrEqual<$Size, Output = True>,
        {
            /// Without a key if `key` is none.
            ///
            /// # Errors
            ///
            /// If the key is empty, or longer than the longest digest, or `salt` or `persona` is longer than a quarter
            /// of it.
            pub fn new_with_salt_and_personal(
                key: Option<&[u8]>,
                salt: &[u8],
                persona: &[u8],
            ) -> Result<Self, InvalidLength> {
                if key.is_some_and(<[u8]>::is_empty) {
                    return Err(InvalidLength);
                }
                Self::started(key, salt, persona)
            }
        }

        #[cfg(feature = "zeroize")]
        impl<OutSize> Drop for $Mac<OutSize>
        where
            OutSize: ArraySize + IsLessOrEqual<$Size, Output = True>,
        {
            fn drop(&mut self) {
                use digest::zeroize::Zeroize;

                self.buffer.zeroize();
                #[cfg(feature = "reset")]
                self.start.zeroize();
            }
        }

        #[cfg(feature = "zeroize")]
        impl<OutSize> digest::zeroize::ZeroizeOnDrop for $Mac<OutSize> where
            OutSize: ArraySize + IsLessOrEqual<$Size, Output = True>
        {
        }
    };
}

flavour!(blake2b, "Blake2b", Blake2bVarCore, Blake2b, Blake2bMac, Blake2bMac512, U64, 64, U128, 128);
flavour!(blake2s, "Blake2s", Blake2sVarCore, Blake2s, Blake2sMac, Blake2sMac256, U32, 32, U64, 64);

/// BLAKE2b to 16 bytes.
pub type Blake2b128 = Blake2b<U16>;
/// BLAKE2b to 32 bytes.
pub type Blake2b256 = Blake2b<U32>;
/// BLAKE2b to full length.
pub type Blake2b512 = Blake2b<U64>;
/// BLAKE2s to 16 bytes.
pub type Blake2s128 = Blake2s<U16>;
/// BLAKE2s to full length.
pub type Blake2s256 = Blake2s<U32>;

//! The names of the crate `blake2` 0.10, behind `digest` 0.10, over `simd-digest`.
//!
//! # Compile errors
//!
//! ```text
//! error[E0277]: the trait bound `CoreWrapper<…>: CoreProxy` is not satisfied
//! error[E0277]: the trait bound `CoreWrapper<…>: Digest` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.11, and this crate has the traits of 0.10. Take `blake2` 0.11, which has an adapter too,
//! or a version of the caller that needs 0.10, such as hmac 0.12. There BLAKE2 needs `SimpleHmac`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

use core::fmt;
use core::marker::PhantomData;

pub use digest::{self, Digest};

use digest::block_buffer::Lazy;
use digest::consts::{U32, U64, U128};
use digest::core_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, CoreWrapper, CtVariableCoreWrapper, OutputSizeUser,
    RtVariableCoreWrapper, TruncSide, UpdateCore, VariableOutputCore,
};
use digest::crypto_common::{InvalidLength, Key, KeyInit, KeySizeUser};
use digest::generic_array::ArrayLength;
use digest::typenum::{IsLessOrEqual, LeEq, NonZero};
use digest::{FixedOutput, HashMarker, InvalidOutputSize, MacMarker, Output, Update};
#[cfg(feature = "reset")]
use digest::{FixedOutputReset, Reset};
use digest_011::block_api::{UpdateCore as _, VariableOutputCore as _};
use simd_digest::{blake2b, blake2s};

#[macro_use]
#[path = "../../blake2_shared.rs"]
mod shared;

macro_rules! flavour {
    (
        $flavour:ident, $name:literal, $VarCore:ident, $Var:ident, $Core:ident, $Hash:ident, $FullHash:ident,
        $Mac:ident, $FullMac:ident, $Size:ident, $length:literal, $BlockSize:ident, $block:literal
    ) => {
        blocks!($flavour, $name, $VarCore, $Size, $length, $BlockSize);

        impl $VarCore {
            #[inline]
            fn compress(&mut self, blocks: &[Block<Self>]) {
                for block in blocks {
                    let block: &[u8; $block] = block.as_ref();
                    self.0.update_blocks(core::slice::from_ref(block.into()));
                }
            }

            #[inline]
            fn finish(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                let held = buffer.get_pos();
                let mut end =
                    digest_011::block_api::Buffer::<$flavour::hazmat::$VarCore>::new(&buffer.pad_with_zeros()[..held]);
                let mut full = [0; $length].into();
                self.0.finalize_variable_core(&mut end, &mut full);
                out.copy_from_slice(&full);
            }

            #[cfg(feature = "reset")]
            fn start_again(&mut self) {
                digest_011::Reset::reset(&mut self.0);
            }
        }

        #[doc = concat!($name, " to a length of run time.")]
        pub type $Var = RtVariableCoreWrapper<$VarCore>;
        #[doc = concat!("The blocks of ", $name, " without the buffer.")]
        pub type $Core<OutSize> = CtVariableCoreWrapper<$VarCore, OutSize>;
        #[doc = concat!($name, " to a length in the type.")]
        pub type $Hash<OutSize> = CoreWrapper<$Core<OutSize>>;
        #[doc = concat!($name, " to full length.")]
        pub type $FullHash = $Hash<$Size>;

        mac!(
            $name, $VarCore, $Mac, $FullMac, $Size, $length, $block,
            where OutSize: ArrayLength<u8> + IsLessOrEqual<$Size>, LeEq<OutSize, $Size>: NonZero,
        );

        impl<OutSize> $Mac<OutSize>
        where
            OutSize: ArrayLength<u8> + IsLessOrEqual<$Size>,
            LeEq<OutSize, $Size>: NonZero,
        {
            /// An empty key is a block of zeros before the message of the unkeyed hash, as in `blake2`: no BLAKE2 of
            /// the standard.
            ///
            /// # Errors
            ///
            /// If the key is longer than the longest digest, or `salt` or `persona` is longer than a quarter of it.
            pub fn new_with_salt_and_personal(key: &[u8], salt: &[u8], persona: &[u8]) -> Result<Self, InvalidLength> {
                Self::started(Some(key), salt, persona)
            }
        }
    };
}

flavour!(
    blake2b,
    "Blake2b",
    Blake2bVarCore,
    Blake2bVar,
    Blake2bCore,
    Blake2b,
    Blake2b512,
    Blake2bMac,
    Blake2bMac512,
    U64,
    64,
    U128,
    128
);
flavour!(
    blake2s,
    "Blake2s",
    Blake2sVarCore,
    Blake2sVar,
    Blake2sCore,
    Blake2s,
    Blake2s256,
    Blake2sMac,
    Blake2sMac256,
    U32,
    32,
    U64,
    64
);

//! The names of the crate `sha2` 0.10, behind `digest` 0.10, over `simd-digest`.
//!
//! # Compile errors
//!
//! ```text
//! error[E0277]: the trait bound `CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, …>>: CoreProxy` is not satisfied
//! error[E0277]: the trait bound `CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, …>>: Digest` is not satisfied
//! note: there are multiple different versions of crate `digest` in the dependency graph
//! ```
//!
//! The caller needs `digest` 0.11, and this crate has the traits of 0.10. Take `sha2` 0.11, which has an adapter too,
//! or a version of the caller that needs 0.10, such as hmac, hkdf or pbkdf2 0.12.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

use core::{fmt, slice};

pub use digest::{self, Digest};

use digest::block_buffer::Eager;
#[cfg(feature = "oid")]
use digest::const_oid::{AssociatedOid, ObjectIdentifier};
use digest::consts::{U28, U32, U48, U64, U128};
use digest::core_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, CoreWrapper, CtVariableCoreWrapper, OutputSizeUser,
    TruncSide, UpdateCore, VariableOutputCore,
};
use digest::generic_array::{ArrayLength, GenericArray};
use digest::{HashMarker, InvalidOutputSize, Output, impl_oid_carrier};
use digest_011::array::Array;
use digest_011::block_api::{FixedOutputCore as _, UpdateCore as _};
use digest_011::common::hazmat::SerializableState as _;
use simd_digest::sha224::hazmat::Sha224Core;
use simd_digest::sha256::hazmat::Sha256Core;
use simd_digest::sha384::hazmat::Sha384Core;
use simd_digest::sha512::hazmat::Sha512Core;
use simd_digest::sha512_224::hazmat::Sha512_224Core;
use simd_digest::sha512_256::hazmat::Sha512_256Core;
#[cfg(feature = "compress")]
use simd_digest::{sha256, sha512};
use zeroize::Zeroize;

#[macro_use]
#[path = "../../sha2_shared.rs"]
mod shared;

macro_rules! family {
    (
        $name:literal, $VarCore:ident, $sizes:literal, $Core:ident, $Output:ident, $length:literal, $Block:ident,
        $module:ident, $compress:ident, $word:ident, $($size:literal: $SizedCore:ident),*
    ) => {
        blocks!($name, $VarCore, $sizes, $Core, $Output, $Block, $($size: $SizedCore),*);

        impl $VarCore {
            #[inline]
            fn finish(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                let held = buffer.get_pos();
                let mut end = digest_011::block_api::Buffer::<$Core>::new(&buffer.pad_with_zeros()[..held]);
                let mut full = [0; $length].into();
                self.0.finalize_fixed_core(&mut end, &mut full);
                out.copy_from_slice(&full);
            }
        }

        impl UpdateCore for $VarCore {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                as_arrays(blocks, |blocks| self.0.update_blocks(Array::cast_slice_from_core(blocks)));
            }
        }

        #[doc = concat!("The compression function of ", $name, ": compresses `blocks` into the hash value `state`.")]
        #[cfg(feature = "compress")]
        pub fn $compress(state: &mut [$word; 8], blocks: &[GenericArray<u8, $Block>]) {
            as_arrays(blocks, |blocks| $module::hazmat::compress(state, blocks));
        }
    };
}

/// Calls `compress` with all blocks, several at a time, because the library hashes them faster than one by one. Safe
/// code cannot turn a slice of arrays of `digest` 0.10 into one of arrays of 0.11, so the blocks are copied. The copies
/// may hold a secret, and are wiped.
#[inline]
fn as_arrays<N: ArrayLength<u8>, const LENGTH: usize>(
    blocks: &[GenericArray<u8, N>],
    mut compress: impl FnMut(&[[u8; LENGTH]]),
) where
    GenericArray<u8, N>: AsRef<[u8; LENGTH]>,
{
    // The schedules of two blocks are computed at a time. To copy more than four blocks saves little.
    const AT_ONCE: usize = 4;
    if let [block] = blocks {
        return compress(slice::from_ref(block.as_ref()));
    }
    let mut copies = [[0; LENGTH]; AT_ONCE];
    for blocks in blocks.chunks(AT_ONCE) {
        let copies = &mut copies[..blocks.len()];
        for (copy, block) in copies.iter_mut().zip(blocks) {
            copy.copy_from_slice(block);
        }
        compress(copies);
    }
    copies.as_flattened_mut().zeroize();
}

family!(
    "Sha256",
    Sha256VarCore,
    "28 or 32",
    Sha256Core,
    U32,
    32,
    U64,
    sha256,
    compress256,
    u32,
    28: Sha224Core,
    32: Sha256Core
);
family!(
    "Sha512",
    Sha512VarCore,
    "28, 32, 48 or 64",
    Sha512Core,
    U64,
    64,
    U128,
    sha512,
    compress512,
    u64,
    28: Sha512_224Core,
    32: Sha512_256Core,
    48: Sha384Core,
    64: Sha512Core
);

impl_oid_carrier!(OidSha224, "2.16.840.1.101.3.4.2.4");
impl_oid_carrier!(OidSha256, "2.16.840.1.101.3.4.2.1");
impl_oid_carrier!(OidSha384, "2.16.840.1.101.3.4.2.2");
impl_oid_carrier!(OidSha512, "2.16.840.1.101.3.4.2.3");
impl_oid_carrier!(OidSha512_224, "2.16.840.1.101.3.4.2.5");
impl_oid_carrier!(OidSha512_256, "2.16.840.1.101.3.4.2.6");

/// SHA-224.
pub type Sha224 = CoreWrapper<CtVariableCoreWrapper<Sha256VarCore, U28, OidSha224>>;
/// SHA-256.
pub type Sha256 = CoreWrapper<CtVariableCoreWrapper<Sha256VarCore, U32, OidSha256>>;
/// SHA-384.
pub type Sha384 = CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, U48, OidSha384>>;
/// SHA-512.
pub type Sha512 = CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, U64, OidSha512>>;
/// SHA-512/224.
pub type Sha512_224 = CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, U28, OidSha512_224>>;
/// SHA-512/256.
pub type Sha512_256 = CoreWrapper<CtVariableCoreWrapper<Sha512VarCore, U32, OidSha512_256>>;

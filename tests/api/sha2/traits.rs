//! What the `digest` traits have of a variant.

use core::fmt::Debug;

use simd_digest::digest::block_api::{CoreProxy, EagerHash};
use simd_digest::digest::common::AlgorithmName;
use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::digest::const_oid::AssociatedOid;
use simd_digest::digest::{CollisionResistance, FixedOutputReset, HashMarker, KeyInit, Mac, OutputSizeUser, Reset};
use simd_digest::sha2::{Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256};
use simd_digest::{Backend, sha224, sha256, sha384, sha512, sha512_224, sha512_256};

use crate::common::sha2::Family;

/// Hash and MAC, and what else is made for each variant apart.
pub(crate) trait Traits: Family {
    const NAME_OF_HASH: &str;
    const NAME_OF_MAC: &str;
    /// With which the state begins that Go marshals.
    const STATE_BEGINS: [u8; 4];

    type Digest: EagerHash
        + CoreProxy
        + FixedOutputReset
        + HashMarker
        + Reset
        + Default
        + Debug
        + Send
        + Sync
        + AlgorithmName
        + AssociatedOid
        + CollisionResistance
        + OutputSizeUser<OutputSize = <Self::Peer as OutputSizeUser>::OutputSize>
        + SerializableState;
    type Mac: Mac + KeyInit + FixedOutputReset + Clone + Debug + AlgorithmName + Send + Sync;

    fn on(digest: Self::Digest, backend: Backend) -> Self::Digest;
    fn mac_on(mac: Self::Mac, backend: Backend) -> Self::Mac;
    /// `hazmat::compress` of the module. `blocks` are whole.
    fn compress(h: &mut [Self::Word; 8], blocks: &[u8]);
}

macro_rules! traits {
    ($Variant:ident of $module:ident, $Digest:ident, $Mac:ident, $magic:literal) => {
        impl Traits for $Variant {
            const NAME_OF_HASH: &str = stringify!($Digest);
            const NAME_OF_MAC: &str = stringify!($Mac);
            const STATE_BEGINS: [u8; 4] = *$magic;
            type Digest = $module::$Digest;
            type Mac = $module::$Mac;

            fn on(digest: Self::Digest, backend: Backend) -> Self::Digest {
                digest.with_backend(backend)
            }

            fn mac_on(mac: Self::Mac, backend: Backend) -> Self::Mac {
                mac.with_backend(backend)
            }

            fn compress(h: &mut [Self::Word; 8], blocks: &[u8]) {
                $module::hazmat::compress(h, blocks.as_chunks().0);
            }
        }
    };
}
traits!(Variant256 of sha256, Sha256, HmacSha256, b"sha\x03");
traits!(Variant224 of sha224, Sha224, HmacSha224, b"sha\x02");
traits!(Variant384 of sha384, Sha384, HmacSha384, b"sha\x04");
traits!(Variant512 of sha512, Sha512, HmacSha512, b"sha\x07");
traits!(Variant512_224 of sha512_224, Sha512_224, HmacSha512_224, b"sha\x05");
traits!(Variant512_256 of sha512_256, Sha512_256, HmacSha512_256, b"sha\x06");

//! The hashes of the family, which differ in the function, the initial hash value and the length of the digest.

use core::fmt::Debug;

use digest::array::{Array, ArraySize};
use digest::block_buffer::BlockSizes;
use digest::consts::{U14, U16, U24, U28, U32, U40, U48, U64, U80, U104, U128, U208};
use digest::typenum::Unsigned;

use crate::backend::dispatch::{self, DispatchWhole};
use crate::backend::{Backend, Dispatch};
use crate::hash::{self, Digested, Full};
use crate::kernel::sha2::{Chain, Iteration, Sha2Word, Written};
use crate::kernel::sha256::{IV_224, IV_256, Nodes, Sha256Function};
use crate::kernel::sha512::{IV_384, IV_512, IV_512_224, IV_512_256, Sha512Function};
use crate::kernel::{Block, Function, Word, wipe};
use crate::lanes::InLanes;

/// A hash of the family: [`Variant256`], [`Variant512`] and their like.
///
/// ```
/// use simd_digest::sha2::{Hasher, Variant, Variant224};
///
/// fn digest<V: Variant>(message: &[u8]) -> String {
///     Hasher::<V>::new().update(message).finalize().to_string()
/// }
///
/// assert!(digest::<Variant224>(b"abc").starts_with("23097d22"));
/// ```
pub trait Variant: Sealed + Copy + Debug + Send + Sync + 'static {
    /// The name in the standard, as `"SHA-256"` or `"SHA-512/256"`.
    const TITLE: &'static str;
    /// Bytes of a digest: 28, 32, 48 or 64.
    const LENGTH: usize;

    /// The bytes of a [`State`](crate::sha2::hazmat::State), as Go has them: `[u8; 108]` or `[u8; 204]`.
    type SavedState: Block + AsRef<[u8]> + AsMut<[u8]>;
}

/// The part of a variant that is no business of others.
pub trait Sealed: Digested {
    /// Names of the types of the `digest` traits.
    const NAME: &'static str;
    const MAC_NAME: &'static str;
    /// The initial hash value (FIPS 180-4, section 5.3).
    const IV: &'static [<Self::Function as Family>::Word; 8];
    /// The first bytes of a state in Go.
    const MAGIC: [u8; 4];

    type Function: Family;
    type OutputSize: ArraySize;
    type CollisionResistance: Unsigned;
}

/// From a hash value and messages of one block, which were written before, to digests.
type HashNodes<W> = fn(Backend, &'static [W; 8], &[&<W as Word>::Block], &mut [<W as Word>::Digest]);

/// As [`HashNodes`], for one message.
type HashNode<W> = fn(Backend, &[W; 8], &<W as Word>::Block, &mut <W as Word>::Digest);

/// The compression function of SHA-256 or of SHA-512.
pub trait Family:
    InLanes<Chain = Chain<Self::Word>, Block = <Self::Word as Word>::Block, Last = Written> + DispatchWhole<Self::Word>
{
    type Word: Sha2Word;
    /// The bytes of a block as a type-level number.
    type BlockSize: BlockSizes;
    /// Bytes of a state of the crate `sha2`: a hash value and a count, and with them a length and most of a block.
    type CoreState: ArraySize;
    type HashState: ArraySize;

    /// Computes the digests of messages of one block, if there is a kernel that knows the block that closes them.
    const HASH_NODES: Option<HashNodes<Self::Word>>;
    /// As [`HASH_NODES`](Self::HASH_NODES), for one message.
    const HASH_NODE: Option<HashNode<Self::Word>>;

    /// Blocks as the `digest` traits have them.
    fn blocks(blocks: &[Array<u8, Self::BlockSize>]) -> &[Self::Block];

    /// Computes so many more tags of each, as long as a hash value, if there is a kernel that is faster than lanes. Tells
    /// whether it did.
    fn iterate(_: Backend, _: &mut [Iteration<Self::Word>], _: u32) -> bool {
        false
    }
}

impl Family for Sha256Function {
    type Word = u32;
    type BlockSize = U64;
    type CoreState = U40;
    type HashState = U104;

    const HASH_NODES: Option<HashNodes<u32>> = Some(|backend, iv, nodes, digests| {
        dispatch::hash_nodes(backend, Nodes { iv, written: Written::Before, nodes, digests, twice: false });
    });
    const HASH_NODE: Option<HashNode<u32>> = Some(dispatch::hash_node);

    #[inline]
    fn blocks(blocks: &[Array<u8, U64>]) -> &[[u8; 64]] {
        Array::cast_slice_to_core(blocks)
    }

    fn iterate(backend: Backend, iterations: &mut [Iteration<u32>], count: u32) -> bool {
        dispatch::iterate(backend, iterations, count)
    }
}

impl Family for Sha512Function {
    type Word = u64;
    type BlockSize = U128;
    type CoreState = U80;
    type HashState = U208;

    const HASH_NODES: Option<HashNodes<u64>> = None;
    const HASH_NODE: Option<HashNode<u64>> = None;

    #[inline]
    fn blocks(blocks: &[Array<u8, U128>]) -> &[[u8; 128]] {
        Array::cast_slice_to_core(blocks)
    }
}

/// A variant's function, word, chaining value and block, and its hash value in bytes.
pub(super) type FunctionOf<V> = <V as Sealed>::Function;
pub(super) type WordOf<V> = <<V as Sealed>::Function as Family>::Word;
pub(super) type ChainOf<V> = <<V as Sealed>::Function as Function>::Chain;
pub(super) type BlockOf<V> = <<V as Sealed>::Function as Function>::Block;
pub(super) type ValueOf<V> = <WordOf<V> as Word>::Digest;

/// Makes the marker of a variant.
macro_rules! variant {
    ($Variant:ident of $Function:ident, $title:literal, $length:literal as $Size:ident, half $Half:ident,
     $name:literal, $mac:literal, $IV:ident, $magic:literal in $saved:literal) => {
        #[doc = concat!($title, " as a type parameter: digests of ", $length, " bytes.")]
        #[derive(Clone, Copy, Debug)]
        pub enum $Variant {}

        impl Variant for $Variant {
            const TITLE: &'static str = $title;
            const LENGTH: usize = $length;

            type SavedState = [u8; $saved];
        }

        impl Sealed for $Variant {
            const NAME: &'static str = $name;
            const MAC_NAME: &'static str = $mac;
            const IV: &'static [<Self::Function as Family>::Word; 8] = &$IV;
            const MAGIC: [u8; 4] = *$magic;

            type Function = $Function;
            type OutputSize = $Size;
            type CollisionResistance = $Half;
        }

        impl Digested for $Variant {
            type Bytes = [u8; $length];
        }
    };
}
variant!(Variant224 of Sha256Function, "SHA-224", 28 as U28, half U14, "Sha224", "HmacSha224", IV_224, b"sha\x02" in 108);
variant!(Variant256 of Sha256Function, "SHA-256", 32 as U32, half U16, "Sha256", "HmacSha256", IV_256, b"sha\x03" in 108);
variant!(Variant384 of Sha512Function, "SHA-384", 48 as U48, half U24, "Sha384", "HmacSha384", IV_384, b"sha\x04" in 204);
variant!(Variant512 of Sha512Function, "SHA-512", 64 as U64, half U32, "Sha512", "HmacSha512", IV_512, b"sha\x07" in 204);
variant!(Variant512_224 of Sha512Function, "SHA-512/224", 28 as U28, half U14, "Sha512_224", "HmacSha512_224", IV_512_224, b"sha\x05" in 204);
variant!(Variant512_256 of Sha512Function, "SHA-512/256", 32 as U32, half U16, "Sha512_256", "HmacSha512_256", IV_512_256, b"sha\x06" in 204);

/// A digest of the SHA-2 hash `V`, of its full length.
pub type Hash<V> = hash::Hash<V, Full>;

/// The digest in a hash value after the last block.
#[inline]
pub(super) fn digest<V: Variant>(chain: &ChainOf<V>) -> V::Bytes {
    truncate::<V>(&chain.to_bytes())
}

/// As [`digest()`], for a hash value in bytes.
#[inline]
pub(super) fn truncate<V: Variant>(value: &ValueOf<V>) -> V::Bytes {
    let mut bytes = V::Bytes::ZERO;
    bytes.bytes_mut().copy_from_slice(&value.bytes()[..V::LENGTH]);
    bytes
}

/// The digest of a message of one block, if there is a kernel for these.
#[inline]
pub(super) fn digest_of_node<V: Variant>(backend: Backend, message: &[u8]) -> Option<V::Bytes> {
    let (Some(hash_node), ([node], [])) = (V::Function::HASH_NODE, BlockOf::<V>::split(message)) else { return None };
    let mut digest = ValueOf::<V>::ZERO;
    hash_node(backend, V::IV, node, &mut digest);
    let bytes = truncate::<V>(&digest);
    wipe(&mut digest);
    Some(bytes)
}

/// See [`sha256::lanes`](crate::sha256::lanes).
#[must_use]
pub fn lanes<V: Variant>(backend: Backend) -> usize {
    V::Function::lanes(backend)
}

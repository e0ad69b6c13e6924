//! BLAKE3 behind the traits of `digest`.

use digest::common::{BlockSizeUser, KeySizeUser};
use digest::consts::{U16, U32, U64};
use digest::{CollisionResistance, ExtendableOutput, ExtendableOutputReset, HashMarker, Key, KeyInit, MacMarker};

use super::hasher::Hasher;
use super::output::OutputReader;
use crate::traits::fixed_output;

/// BLAKE3 for code that is generic over the traits of [`digest`](crate::digest).
///
/// Without a key a hash, to 32 bytes or any length. With a key a MAC: `new` is a function of two traits, so name the one
/// that is meant.
///
/// ```
/// use simd_digest::{Blake3, Digest};
/// use simd_digest::digest::{ExtendableOutput, KeyInit, Mac};
///
/// let hash = Blake3::digest(b"message");
/// assert_eq!(hash[..], *simd_digest::blake3::hash(b"message").as_bytes());
///
/// let mut output = [0; 100];
/// Blake3::digest_xof(b"message", &mut output);
/// assert_eq!(output[..32], hash[..]);
///
/// let mut mac = <Blake3 as KeyInit>::new_from_slice(&[7; 32])?;
/// Mac::update(&mut mac, b"message");
/// let tag = Mac::finalize(mac).into_bytes();
/// assert_eq!(tag[..], *simd_digest::blake3::keyed_hash(&[7; 32], b"message").as_bytes());
/// # Ok::<(), simd_digest::digest::InvalidLength>(())
/// ```
///
/// `hmac::Hmac` does not take it, which is for hashes that keep no block back; `hmac::SimpleHmac` does. The keyed mode
/// takes its place and is faster.
#[derive(Clone, Default)]
pub struct Blake3 {
    hasher: Hasher,
}

impl HashMarker for Blake3 {}
impl MacMarker for Blake3 {}

impl BlockSizeUser for Blake3 {
    type BlockSize = U64;
}

impl CollisionResistance for Blake3 {
    type CollisionResistance = U16;
}

impl KeySizeUser for Blake3 {
    type KeySize = U32;
}

impl KeyInit for Blake3 {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self { hasher: Hasher::new_keyed(key.as_ref()) }
    }

    /// The hasher is made in its place.
    #[inline]
    fn new_from_slice(key: &[u8]) -> Result<Self, ::digest::InvalidLength> {
        let key = key.try_into().map_err(|_| ::digest::InvalidLength)?;
        Ok(Self { hasher: Hasher::new_keyed(key) })
    }
}

impl ExtendableOutput for Blake3 {
    type Reader = OutputReader;

    #[inline]
    fn finalize_xof(self) -> OutputReader {
        self.hasher.into_output()
    }
}

impl ExtendableOutputReset for Blake3 {
    fn finalize_xof_reset(&mut self) -> OutputReader {
        let reader = self.hasher.finalize_xof();
        self.hasher.reset();
        reader
    }
}

fixed_output!(impl[] Blake3, output: U32, name: "Blake3", finish: Hasher::into_digest);

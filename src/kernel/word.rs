//! Bytes and words: blocks as every hash takes them, and the integers that kernels compute with.

use core::fmt::Debug;
use core::hash::Hash;
use core::ops::BitXor;

/// A fixed number of bytes: a message block, or a digest.
pub trait Block: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    const ZERO: Self;
    const LENGTH: usize;

    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
    /// The whole blocks at the start of `bytes`, and the rest.
    fn split(bytes: &[u8]) -> (&[Self], &[u8]);
    /// The last `LENGTH` of `bytes`, if there are so many.
    fn last(bytes: &[u8]) -> Option<&Self>;
    /// The bytes of all these blocks.
    fn flatten(blocks: &mut [Self]) -> &mut [u8];
}

impl<const N: usize> Block for [u8; N] {
    const ZERO: Self = [0; N];
    const LENGTH: usize = N;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }

    #[inline]
    fn split(bytes: &[u8]) -> (&[Self], &[u8]) {
        bytes.as_chunks()
    }

    #[inline]
    fn last(bytes: &[u8]) -> Option<&Self> {
        bytes.last_chunk()
    }

    #[inline]
    fn flatten(blocks: &mut [Self]) -> &mut [u8] {
        blocks.as_flattened_mut()
    }
}

/// Overwrites a block that may be secret with zeros, in a way that is not optimised away: with feature `zeroize` only.
#[inline]
pub(crate) fn wipe<B: Block>(block: &mut B) {
    wipe_all(block.bytes_mut());
}

/// As [`wipe`], for integers. The compiler may write many at once, where volatile writes are an instruction for each.
#[inline]
pub(crate) fn wipe_all<T: Copy + Default>(integers: &mut [T]) {
    #[cfg(feature = "zeroize")]
    {
        integers.fill(T::default());
        zeroize::optimization_barrier(integers);
    }
    #[cfg(not(feature = "zeroize"))]
    let _ = integers;
}

/// The integer that a hash computes with.
pub trait Word: Copy + Eq + BitXor<Output = Self> + Send + Sync + 'static {
    /// Eight words, little-endian: a chaining value, a digest or a parameter block.
    type Digest: Block;
    /// Sixteen words, little-endian: a message block.
    type Block: Block;

    const BITS: u32;
    const ZERO: Self;
    const ONES: Self;

    /// Word `i` of `bytes`.
    fn load(bytes: &[u8], i: usize) -> Self;
    /// Word `i` of `bytes`, big-endian.
    fn load_be(bytes: &[u8], i: usize) -> Self;
    fn from_bytes(bytes: &Self::Digest) -> [Self; 8];
    fn to_bytes(words: [Self; 8]) -> Self::Digest;
    /// Eight words, big-endian: a digest of SHA-2.
    fn to_bytes_be(words: [Self; 8]) -> Self::Digest;
    /// The lower bits of `number`, as many as a word has.
    fn truncate(number: u128) -> Self;
    /// The word as the lower bits of 64.
    fn widen(self) -> u64;
    /// Overwrites words with zeros: with feature `zeroize` only.
    fn wipe(words: &mut [Self; 8]);
    /// Modulo 2^32 or 2^64.
    fn add(self, rhs: Self) -> Self;
    fn ror(self, bits: u32) -> Self;
}

/// Implements [`Word`] for an unsigned integer of so many bytes.
macro_rules! word {
    ($word:ident, $bytes:literal) => {
        impl Word for $word {
            type Digest = [u8; 8 * $bytes];
            type Block = [u8; 16 * $bytes];

            const BITS: u32 = Self::BITS;
            const ZERO: Self = 0;
            const ONES: Self = !0;

            #[inline(always)]
            fn load(bytes: &[u8], i: usize) -> Self {
                Self::from_le_bytes(bytes.as_chunks().0[i])
            }

            #[inline(always)]
            fn load_be(bytes: &[u8], i: usize) -> Self {
                Self::from_be_bytes(bytes.as_chunks().0[i])
            }

            #[inline]
            fn from_bytes(bytes: &Self::Digest) -> [Self; 8] {
                core::array::from_fn(|i| Self::from_le_bytes(bytes.as_chunks().0[i]))
            }

            #[inline]
            fn to_bytes(words: [Self; 8]) -> Self::Digest {
                let mut bytes = [0; 8 * $bytes];
                for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                    *to = word.to_le_bytes();
                }
                bytes
            }

            #[inline(always)]
            fn to_bytes_be(words: [Self; 8]) -> Self::Digest {
                let mut bytes = [0; 8 * $bytes];
                for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                    *to = word.to_be_bytes();
                }
                bytes
            }

            #[allow(clippy::cast_possible_truncation, reason = "that is its task")]
            #[inline(always)]
            fn truncate(number: u128) -> Self {
                number as Self
            }

            #[inline(always)]
            fn widen(self) -> u64 {
                self.into()
            }

            #[inline]
            fn wipe(words: &mut [Self; 8]) {
                wipe_all(words);
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                self.wrapping_add(rhs)
            }

            #[inline(always)]
            fn ror(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }
        }
    };
}
word!(u64, 8);
word!(u32, 4);

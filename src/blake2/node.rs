//! A node of a tree: its parameter block and its key (BLAKE2 paper, section 2.5 and 2.10).

use core::hint::black_box;

use super::flavour::Flavour;
use crate::buffer::copy_words;
use crate::kernel::blake2::{Chain, Last};
use crate::kernel::{Block, wipe};

/// A node of a tree, as hashing starts from it. A sequential hash is a tree of one node.
#[derive(Clone)]
pub(super) struct Node<F: Flavour> {
    pub(super) parameter_block: F::Digest,
    /// Zeros after it, and if there is none. Not an `Option`: moving a `None` copies its uninitialized bytes, which may
    /// be an old secret.
    pub(super) key: F::Digest,
    pub(super) keyed: bool,
    /// The flag of the last block of the message.
    pub(super) last: Last,
}

impl<F: Flavour> Node<F> {
    /// Sequential hashing to `length` bytes, which must be in range, as must the key.
    #[inline]
    pub(super) fn sequential(length: usize, key: &[u8]) -> Self {
        let mut parameter_block = F::Digest::ZERO;
        parameter_block.bytes_mut()[..4].copy_from_slice(&[byte(length), byte(key.len()), 1, 1]);
        let mut words = F::Digest::ZERO;
        copy_words(words.bytes_mut(), key);
        Self { parameter_block, key: words, keyed: !key.is_empty(), last: Last::Block }
    }

    /// The node with this parameter block and key, filled up with zeros, if both are in range and agree.
    pub(super) fn checked(parameter_block: F::Digest, key: &F::Digest, last: Last) -> Option<Self> {
        let (tree, _) = parameter_block.bytes().split_at(2 * F::TEXT);
        let [hash_length, key_length, inner_hash_length] =
            [0, 1, 8 + F::NODE_OFFSET + 1].map(|place| usize::from(tree[place]));
        let in_range = (1..=F::LONGEST).contains(&hash_length)
            && inner_hash_length <= F::LONGEST
            && is_zero(&tree[8 + F::NODE_OFFSET + 2..])
            && key.bytes().get(key_length..).is_some_and(is_zero);
        if !in_range {
            return None;
        }
        Some(Self { parameter_block, key: *key, keyed: key_length > 0, last })
    }

    /// Moves to the first leaf of another tree, whose leaves have no limit.
    pub(super) fn set_tree(&mut self, fanout: u8, max_depth: u8, inner_hash_length: usize) {
        let (tree, _) = self.parameter_block.bytes_mut().split_at_mut(F::Digest::LENGTH / 2);
        tree[2..].fill(0);
        [tree[2], tree[3]] = [fanout, max_depth];
        tree[8 + F::NODE_OFFSET + 1] = byte(inner_hash_length);
    }

    /// Moves to another node of the same tree. BLAKE2s takes the lower 48 bits of `offset`.
    pub(super) fn set_node(&mut self, depth: u8, offset: u64, is_last: bool) {
        let (offset_field, depths) = self.parameter_block.bytes_mut()[8..].split_at_mut(F::NODE_OFFSET);
        offset_field.copy_from_slice(&offset.to_le_bytes()[..F::NODE_OFFSET]);
        depths[0] = depth;
        self.last = if is_last { Last::Node } else { Last::Block };
    }

    /// Before the first block of the message, or of the key.
    #[inline]
    pub(super) fn chain(&self) -> F::Chain {
        Chain::new::<F>(&self.parameter_block)
    }

    /// Bytes of the digest.
    #[inline]
    pub(super) fn hash_length(&self) -> usize {
        self.parameter_block.bytes()[0].into()
    }

    /// The key filled up with zeros, which is the first block of a keyed message.
    #[inline]
    pub(super) fn key_block(&self) -> KeyBlock<F> {
        KeyBlock(self.keyed.then(|| {
            let mut block = F::Block::ZERO;
            block.bytes_mut()[..F::Digest::LENGTH].copy_from_slice(self.key.bytes());
            block
        }))
    }
}

/// One block, or none, wiped after its use.
pub(super) struct KeyBlock<F: Flavour>(Option<F::Block>);

impl<F: Flavour> KeyBlock<F> {
    /// For messages that began before.
    pub(super) const NONE: Self = Self(None);

    #[inline]
    pub(super) fn as_slice(&self) -> &[F::Block] {
        self.0.as_slice()
    }
}

impl<F: Flavour> Drop for KeyBlock<F> {
    #[inline]
    fn drop(&mut self) {
        self.0.iter_mut().for_each(wipe);
    }
}

#[cfg(feature = "zeroize")]
impl<F: Flavour> Drop for Node<F> {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

/// Whether all bytes are zero. The time does not depend on which of them are not: somebody who can change a stored
/// state could learn secret bytes from it.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| black_box(all | byte)) == 0
}

/// Whether slices of the same length are equal, in the same time wherever they differ.
pub(super) fn is_same(a: &[u8], b: &[u8]) -> bool {
    debug_assert_eq!(a.len(), b.len());
    let ((words_a, a), (words_b, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let words = words_a.iter().zip(words_b).map(|(a, b)| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b));
    let rest = a.iter().zip(b).map(|(a, b)| u64::from(a ^ b));
    words.chain(rest).fold(0, |all, differs| black_box(all | differs)) == 0
}

/// A length in range, as the parameter block has it.
#[expect(clippy::cast_possible_truncation, reason = "lengths in range are at most 64")]
pub(super) fn byte(length: usize) -> u8 {
    length as u8
}

//! Consecutive leaves compared with their digests.

use core::cell::Cell;

use super::leaves::Part;
use super::shape::Tree;
use crate::blake2::flavour::Flavour;
use crate::blake2::verify::VerifyError;
use crate::hash::Hash;

impl<F: Flavour> Tree<F> {
    /// Whether the consecutive leaves in `bytes`, numbered from `first`, have these digests: the leaves of
    /// [`hash_run`](Self::hash_run), hashed side by side, without allocating.
    ///
    /// With [`Part::Last`], the last leaf may be shorter, and there is one even if `bytes` is empty. With
    /// [`Part::NotLast`], **bytes that follow the last whole leaf are not verified**.
    ///
    /// Each digest is compared in constant time. A digest of another length than the leaves have is a bad one.
    ///
    /// ```
    /// use simd_digest::{blake2::{Part, VerifyError}, blake2b::Tree};
    ///
    /// let tree = Tree::unlimited_fanout(1000)?;
    /// let mut message = [7; 10_500];
    /// let leaves = tree.hash_run(0, &message, Part::Last)?;
    /// tree.verify_run(0, &message, Part::Last, &leaves)?;
    ///
    /// // Two bits flip, in leaf 3 and in the last.
    /// message[3210] ^= 1;
    /// message[10_321] ^= 1;
    /// assert_eq!(tree.verify_run(0, &message, Part::Last, &leaves), Err(VerifyError::Leaf(3)));
    ///
    /// assert_eq!(tree.verify_run(4, &message[4000..], Part::Last, &leaves[4..]), Err(VerifyError::Leaf(10)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`VerifyError::Leaf`] with the number of the first leaf that has another digest; leaves after it may be good or bad.
    /// [`VerifyError::Count`] if there is not one digest for each leaf, and [`VerifyError::Params`] if the number of a leaf
    /// is out of range: then nothing is hashed.
    pub fn verify_run(&self, first: u64, bytes: &[u8], part: Part, digests: &[Hash<F>]) -> Result<(), VerifyError> {
        let leaves = self.run(first, bytes, part)?;
        let (given, needed) = (digests.len(), leaves.count());
        if given != needed {
            return Err(VerifyError::Count { given, needed });
        }
        // Leaves before the first bad one, of those that are compared so far. No leaf after it need be hashed.
        let good = Cell::new(needed);
        self.compress_leaves(&leaves, (0..needed).take_while(|&i| i < good.get()), |i, chain| {
            if Hash::<F>::new(chain.to_bytes(), self.node.hash_length()) != digests[i] {
                good.set(good.get().min(i));
            }
        });
        if good.get() < needed { Err(VerifyError::Leaf(first + good.get() as u64)) } else { Ok(()) }
    }
}

//! The complete subtrees to the left of where the message goes on, the largest first.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::tree::Cv;
#[cfg(feature = "zeroize")]
use crate::kernel::wipe;

/// One for every level of a tree of 2^64 bytes, and one that waits for its neighbour.
pub(super) const DEEPEST: usize = 55;

/// Subtrees for which there is memory at first. Messages of up to 127 KiB have no more, and the allocator hands out so
/// little in less time than room for all.
#[cfg(feature = "alloc")]
const FEW: usize = 8;

/// On the heap from the first subtree on, so a hasher of a short message is small.
#[cfg(feature = "alloc")]
#[derive(Default)]
pub(super) struct Stack(Vec<Cv>);

#[cfg(feature = "alloc")]
impl Stack {
    pub(super) const EMPTY: Self = Self(Vec::new());

    #[inline]
    pub(super) fn cvs(&self) -> &[Cv] {
        &self.0
    }

    /// Appends a subtree. More than [`DEEPEST`] are no tree of any message; they are dropped.
    pub(super) fn push(&mut self, cv: &Cv) {
        if self.0.len() == DEEPEST {
            return;
        }
        if self.0.len() == self.0.capacity() {
            self.grow();
        }
        self.0.push(*cv);
    }

    /// Moves to memory with room for more, and wipes what it leaves.
    #[cold]
    fn grow(&mut self) {
        let more = Self::of(&self.0, self.0.len() + 1);
        self.wipe();
        self.0 = more;
    }

    /// These, with room for so many at least.
    fn of(cvs: &[Cv], room: usize) -> Vec<Cv> {
        let mut memory = Vec::with_capacity(if room <= FEW { FEW } else { DEEPEST });
        memory.extend_from_slice(cvs);
        memory
    }

    pub(super) fn pop(&mut self) -> Option<Cv> {
        self.0.pop()
    }

    /// Drops all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.wipe();
        self.0.clear();
    }
}

/// In the hasher itself.
#[cfg(not(feature = "alloc"))]
pub(super) struct Stack {
    cvs: [Cv; DEEPEST],
    length: usize,
}

#[cfg(not(feature = "alloc"))]
impl Stack {
    pub(super) const EMPTY: Self = Self { cvs: [[0; 32]; DEEPEST], length: 0 };

    #[inline]
    pub(super) fn cvs(&self) -> &[Cv] {
        &self.cvs[..self.length]
    }

    /// Appends a subtree. More than [`DEEPEST`] are no tree of any message; they are dropped.
    pub(super) fn push(&mut self, cv: &Cv) {
        if let Some(to) = self.cvs.get_mut(self.length) {
            *to = *cv;
            self.length += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Cv> {
        self.length = self.length.checked_sub(1)?;
        Some(self.cvs[self.length])
    }

    /// Drops all.
    pub(super) fn clear(&mut self) {
        self.wipe();
        self.length = 0;
    }
}

impl Stack {
    /// Overwrites all subtrees, those that were popped too: with feature `zeroize` only.
    pub(super) fn wipe(&mut self) {
        #[cfg(feature = "zeroize")]
        {
            #[cfg(feature = "alloc")]
            self.0.resize(self.0.capacity().min(DEEPEST), [0; 32]);
            #[cfg(feature = "alloc")]
            self.0.iter_mut().for_each(wipe);
            #[cfg(not(feature = "alloc"))]
            self.cvs.iter_mut().for_each(wipe);
        }
    }
}

/// Copies no more than there is.
impl Clone for Stack {
    fn clone(&self) -> Self {
        let mut stack = Self::EMPTY;
        #[cfg(feature = "alloc")]
        if !self.0.is_empty() {
            stack.0 = Self::of(&self.0, self.0.len());
        }
        #[cfg(not(feature = "alloc"))]
        self.cvs().iter().for_each(|cv| stack.push(cv));
        stack
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Stack {
    fn drop(&mut self) {
        self.wipe();
    }
}

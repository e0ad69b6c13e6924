//! Lends a borrowed slice to the thread that hashes it. This file has all unsafe code of the crate.
//!
//! **The invariant.** The lender neither returns nor unwinds before its record in the queue says that no leader has the
//! slice and that the queue has none of it; and before the record says so, the leader holds no reference to the slice
//! any more. A `Lent` is a raw pointer in the queue and in the leader's slots. A reference is made for one call of the
//! lanes and ends with the call. The hasher is not lent: it moves to the leader and back.
//!
//! [`lend`] is the only function that makes a `Lent`. Its guard waits in `drop`, so the invariant holds if it unwinds.
#![allow(unsafe_code, reason = "no scope of safe Rust covers callers that come later")]

use core::ptr::NonNull;

/// A slice of another thread.
#[derive(Debug)]
pub(crate) struct Lent {
    data: NonNull<u8>,
    length: usize,
}

// SAFETY: the slice is of bytes, which any thread may read, and lives as long as anybody reads it, by the invariant.
unsafe impl Send for Lent {}

// SAFETY: of a shared one, the bytes are read alone.
unsafe impl Sync for Lent {}

impl Lent {
    /// The slice. Not to be called when the record in the queue says that the loan has ended.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the lender has not returned, by the invariant, so its slice is borrowed still.
        unsafe { core::slice::from_raw_parts(self.data.as_ptr(), self.length) }
    }
}

/// Ends the loan, however [`lend`] ends.
struct Loan<R: FnMut()>(R);

impl<R: FnMut()> Drop for Loan<R> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Lends `data` to `borrower`. However that ends, `recall` is called, which must return when the queue and all leaders have
/// no part of the slice any more, and not before: [`Queue::recall`](crate::queue::Queue::recall) does.
pub(crate) fn lend(data: &[u8], recall: impl FnMut(), borrower: impl FnOnce(Lent)) {
    let _loan = Loan(recall);
    borrower(Lent { data: NonNull::from(data).cast(), length: data.len() });
}

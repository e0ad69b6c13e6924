//! Work for when the lock is released and nothing is held: wakers woken and dropped, and data dropped. Wakers of tasks
//! and the owners of `Bytes` are code of others, which may call back into the pool, wait in it, or panic.
#![forbid(unsafe_code)]

use std::sync::Arc;

use crate::piece::{Piece, Pieces};
use crate::sync::Bed;

/// Whom to wake.
#[derive(Debug)]
pub(crate) enum Sleeper {
    Thread(Arc<Bed>),
    #[cfg(feature = "bytes")]
    Task(core::task::Waker),
}

/// Must be run, or dropped, without the lock. If it calls others, also without a seat and without streams.
#[derive(Debug, Default)]
pub(crate) struct After {
    threads: Vec<Arc<Bed>>,
    #[cfg(feature = "bytes")]
    tasks: Vec<core::task::Waker>,
    #[cfg(feature = "bytes")]
    dropped: Vec<core::task::Waker>,
    #[cfg(feature = "bytes")]
    bytes: Vec<bytes::Bytes>,
}

impl After {
    pub(crate) fn wake(&mut self, sleeper: Option<Sleeper>) {
        match sleeper {
            None => {}
            Some(Sleeper::Thread(bed)) => self.threads.push(bed),
            #[cfg(feature = "bytes")]
            Some(Sleeper::Task(waker)) => self.tasks.push(waker),
        }
    }

    pub(crate) fn forget(&mut self, sleeper: Option<Sleeper>) {
        match sleeper {
            None | Some(Sleeper::Thread(_)) => {}
            #[cfg(feature = "bytes")]
            Some(Sleeper::Task(waker)) => self.dropped.push(waker),
        }
    }

    /// Data that is hashed, or never will be.
    pub(crate) fn spent(&mut self, piece: Option<Piece>) {
        match piece {
            #[cfg(feature = "bytes")]
            Some(Piece::Bytes(bytes)) => self.bytes.push(bytes),
            // Bytes of our own: a loan that has ended, or a copy.
            _ => {}
        }
    }

    pub(crate) fn discard(&mut self, pieces: Pieces) {
        pieces.into_iter().for_each(|piece| self.spent(Some(piece)));
    }

    /// Whether code of others will run.
    pub(crate) fn calls_others(&self) -> bool {
        #[cfg(feature = "bytes")]
        return !(self.tasks.is_empty() && self.dropped.is_empty() && self.bytes.is_empty());
        #[cfg(not(feature = "bytes"))]
        return false;
    }

    /// The part that is code of our own, which may run at any time.
    pub(crate) fn wake_threads(&mut self) {
        self.threads.drain(..).for_each(|bed| bed.wake());
    }

    /// A panic is printed by its hook, and goes no further: it is not this caller's, and the others must be woken.
    pub(crate) fn run(mut self) {
        self.wake_threads();
        #[cfg(feature = "bytes")]
        {
            self.tasks.into_iter().for_each(|waker| contain(|| waker.wake()));
            self.dropped.into_iter().for_each(|waker| contain(|| drop(waker)));
            self.bytes.into_iter().for_each(|bytes| contain(|| drop(bytes)));
        }
    }
}

#[cfg(feature = "bytes")]
fn contain(call: impl FnOnce()) {
    if let Err(payload) = std::panic::catch_unwind(core::panic::AssertUnwindSafe(call)) {
        core::mem::forget(payload); // its drop may panic, too
    }
}

#[cfg(all(test, feature = "bytes", not(loom)))]
mod tests {
    use core::task::Waker;

    use super::*;

    #[test]
    fn each_kind_of_work_is_that_of_others() {
        let task = || Some(Sleeper::Task(Waker::noop().clone()));
        let mut all = [(); 5].map(|()| After::default());
        all[1].wake(Some(Sleeper::Thread(Arc::new(Bed::new()))));
        all[2].wake(task());
        all[3].forget(task());
        all[4].spent(Some(Piece::Bytes(bytes::Bytes::from_static(b"data"))));
        assert_eq!(all.map(|after| after.calls_others()), [false, false, true, true, true]);
    }
}

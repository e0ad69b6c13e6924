//! The primitives that the model in `tests/model.rs` replaces.
#![forbid(unsafe_code)]

#[cfg(loom)]
pub(crate) use loom::{
    sync::{Mutex, MutexGuard},
    thread,
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::{Mutex, MutexGuard},
    thread,
};

use core::task::Waker;
use std::sync::{Arc, PoisonError};
use std::task::Wake;

/// No code of others runs under a lock, so a panic leaves nothing half done behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Unparks a thread.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn new_waker() -> Waker {
    Waker::from(Arc::new(Unpark(thread::current())))
}

/// The waker of this thread. Whoever uses it parks.
#[cfg(not(loom))]
pub(crate) fn waker() -> Waker {
    std::thread_local! {
        static WAKER: Waker = new_waker();
    }
    WAKER.try_with(Waker::clone).unwrap_or_else(|_| new_waker())
}

/// The threads of a model share what is local to the thread that runs them.
#[cfg(loom)]
pub(crate) fn waker() -> Waker {
    new_waker()
}

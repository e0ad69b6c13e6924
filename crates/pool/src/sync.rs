//! The primitives that the model in `tests/model.rs` replaces.
#![forbid(unsafe_code)]

#[cfg(loom)]
pub(crate) use loom::{
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

use std::sync::PoisonError;

/// No code of others runs under a lock, so a panic leaves nothing half done behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a thread sleeps. It is not parked, for a wake may belong to the code that called the pool.
#[derive(Debug)]
pub(crate) struct Bed {
    is_woken: Mutex<bool>,
    wakes: Condvar,
}

impl Bed {
    pub(crate) fn new() -> Self {
        Self { is_woken: Mutex::new(false), wakes: Condvar::new() }
    }

    /// Returns when it was woken since the last sleep.
    pub(crate) fn sleep(&self) {
        let mut is_woken = lock(&self.is_woken);
        while !*is_woken {
            is_woken = self.wakes.wait(is_woken).unwrap_or_else(PoisonError::into_inner);
        }
        *is_woken = false;
    }

    pub(crate) fn wake(&self) {
        *lock(&self.is_woken) = true;
        self.wakes.notify_one();
    }
}

//! What is done when the lock is released: wakers woken and dropped, and data dropped. All of it may be code of others,
//! which may call back into the pool or panic.
#![forbid(unsafe_code)]

use core::panic::AssertUnwindSafe;
use core::task::Waker;
use std::panic::catch_unwind;

use crate::piece::{Piece, Pieces};

/// Must be run, or dropped, without the lock.
#[derive(Default)]
pub(crate) struct After {
    wakers: Vec<Waker>,
    dropped: Vec<Waker>,
    discarded: Vec<Pieces>,
    pieces: Vec<Piece>,
}

impl After {
    pub(crate) fn wake(&mut self, waiter: Option<(usize, Waker)>) {
        self.wakers.extend(waiter.map(|(_, waker)| waker));
    }

    pub(crate) fn drop_waker(&mut self, waiter: Option<(usize, Waker)>) {
        self.dropped.extend(waiter.map(|(_, waker)| waker));
    }

    pub(crate) fn discard(&mut self, pieces: Pieces) {
        if !pieces.is_empty() {
            self.discarded.push(pieces);
        }
    }

    pub(crate) fn spent(&mut self, piece: Option<Piece>) {
        self.pieces.extend(piece);
    }

    /// A panic is printed by its hook, and goes no further: it is not this caller's, and the other wakers must be woken.
    pub(crate) fn run(self) {
        let Self { wakers, dropped, discarded, pieces } = self;
        wakers.into_iter().for_each(|waker| contain(|| waker.wake()));
        dropped.into_iter().for_each(|waker| contain(|| drop(waker)));
        discarded.into_iter().for_each(|pieces| contain(|| drop(pieces)));
        pieces.into_iter().for_each(|piece| contain(|| drop(piece)));
    }
}

fn contain(call: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
        core::mem::forget(payload); // its drop may panic, too
    }
}

//! A stream's place in its queue.
#![forbid(unsafe_code)]

use std::sync::Arc;

use crate::lane::LaneHasher;
use crate::piece::{Piece, Pieces};
use crate::queue::{Key, Queue, Turn};
use crate::sync::{thread, waker};

/// Dropped, it discards the stream's data that is still queued.
pub(crate) struct Member<H: LaneHasher> {
    pub(crate) queue: Arc<Queue<H>>,
    pub(crate) key: Key,
}

impl<H: LaneHasher> Member<H> {
    pub(crate) fn new(queue: Arc<Queue<H>>, hasher: Option<H>) -> Self {
        let key = queue.join(hasher);
        Self { queue, key }
    }

    /// Queues a piece, with the hasher. A thread that leaves lanes empty yields once, so that others can fill them.
    pub(crate) fn give(&self, hasher: H, piece: Piece) {
        let bytes = piece.bytes().len();
        let mut pieces = Pieces::default();
        pieces.push(piece);
        let (_, full) = self.queue.push(self.key, Some(hasher), &mut pieces, bytes);
        if !full {
            thread::yield_now();
        }
    }

    /// Leads or sleeps until all data is hashed.
    pub(crate) fn wait(&self) {
        loop {
            match self.queue.turn(self.key, 0, waker()) {
                Turn::Done => break,
                Turn::Lead(seat) => seat.lead(usize::MAX),
                Turn::Sleep => thread::park(),
            }
        }
    }

    /// See [`Queue::recall`].
    pub(crate) fn recall(&self) {
        self.queue.recall(self.key, waker);
    }

    pub(crate) fn take_hasher(&self) -> Option<H> {
        self.queue.take_hasher(self.key)
    }
}

impl<H: LaneHasher> Drop for Member<H> {
    fn drop(&mut self) {
        self.queue.leave(self.key);
    }
}

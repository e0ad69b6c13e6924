//! A stream's place in its queue.
#![forbid(unsafe_code)]

use std::sync::Arc;

use crate::after::Sleeper;
use crate::lane::LaneHasher;
use crate::lead::lead;
use crate::lend::lend;
use crate::piece::{Piece, Pieces};
use crate::queue::{Key, Queue, Turn};
use crate::sync::{Bed, yield_now};

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

    /// Has `data` appended to `hasher`, by this thread or by another that leads, and gives the hasher back. `bed` is this
    /// thread's while it waits.
    pub(crate) fn append(&self, hasher: H, data: &[u8], bed: &Arc<Bed>) -> Option<H> {
        lend(
            data,
            || self.queue.recall(self.key, bed),
            |lent| {
                let mut pieces = Pieces::default();
                pieces.push(Piece::Lent(lent));
                let (_, full) = self.queue.push(self.key, Some(hasher), &mut pieces, data.len());
                if !full {
                    // Others can fill the lanes.
                    yield_now();
                }
                self.wait(bed);
            },
        );
        self.queue.take_hasher(self.key)
    }

    /// Leads or sleeps until all data is hashed.
    fn wait(&self, bed: &Arc<Bed>) {
        loop {
            match self.queue.turn(self.key, 0, Sleeper::Thread(bed.clone())) {
                Turn::Done => break,
                Turn::Lead(rest) => lead(&self.queue, self.key, usize::MAX, rest),
                Turn::Sleep => bed.sleep(),
            }
        }
    }
}

impl<H: LaneHasher> Drop for Member<H> {
    fn drop(&mut self) {
        self.queue.leave(self.key);
    }
}

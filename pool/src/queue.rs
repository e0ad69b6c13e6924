//! The streams of one hash and one backend that have data, and the seats of the callers who hash it.
//!
//! A caller who has data *leads* if a seat is free: it takes streams out of the queue, a lane each, hashes, puts them
//! back, and takes more, until its own data is done. Then it leaves its seat. There is no thread and no timer.
//!
//! # Invariants
//!
//! All of a queue's state is behind one lock. Under the lock no code of others runs: wakers are cloned before, and woken
//! and dropped after, in [`After`], and so are pieces dropped.
//!
//! 1. **A record is `Home`, `Queued` or `Taken`.** `Queued` means: its key is in `waiting` once, and the record has its
//!    hasher and data. `Taken` means: one leader has its hasher, and the data that was there then. Data that comes later
//!    stays in the record, which is queued again when the leader brings the hasher back. So no two leaders have one
//!    stream, and pieces are hashed in order.
//! 2. **No wake is lost.** A caller sleeps only after [`Queue::turn`] has stored its waker, under the lock, at a moment
//!    when its data was not done and no seat was free, or nothing was queued. Its data is done only by a leader, who takes the
//!    waker in the same critical section. If its record is queued, all seats were taken; a leader who leaves while anything
//!    is queued takes the waker of the first queued record that has one, in the same critical section. So while there is
//!    a sleeper in the queue, a leader is at work, or a caller that was woken is on its way.
//! 3. **A caller that was woken and does not come passes the lead on**: [`Queue::forgo`] wakes the next.
//! 4. **A seat is left.** `Seat` leaves when it is dropped. If it unwinds, the streams that it had taken are broken:
//!    their callers are woken, and panic.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};
use core::task::Waker;
use std::collections::VecDeque;
use std::sync::Arc;

use simd_digest::Backend;

use crate::after::After;
use crate::lane::LaneHasher;
use crate::piece::Pieces;
use crate::stats::Counters;
use crate::sync::{Mutex, lock};

/// A stream is alone if as many updates of the queue, the last ones, were all its own.
const ALONE_AFTER: u64 = 4;

/// The place of a record.
pub(crate) type Key = usize;

pub(crate) struct Queue<H: LaneHasher> {
    pub(crate) backend: Backend,
    pub(crate) lanes: usize,
    pub(crate) seats: usize,
    pub(crate) counters: Arc<Counters>,
    /// The key of the last stream that was updated, and how often in a row, at most [`ALONE_AFTER`].
    recent: AtomicU64,
    pub(crate) state: Mutex<State<H>>,
}

pub(crate) struct State<H: LaneHasher> {
    pub(crate) records: Vec<Record<H>>,
    free: Vec<Key>,
    /// Keys of the records that are `Queued`, those that came first in front.
    pub(crate) waiting: VecDeque<Key>,
    /// Seats that are taken.
    pub(crate) leaders: usize,
}

pub(crate) struct Record<H: LaneHasher> {
    pub(crate) phase: Phase,
    pub(crate) hasher: Option<H>,
    pub(crate) pieces: Pieces,
    /// Bytes that are not hashed, here and at a leader.
    pub(crate) bytes: usize,
    /// Whom to wake when no more than so many bytes are left, or to lead.
    pub(crate) waiter: Option<(usize, Waker)>,
    /// The owner is gone.
    pub(crate) left: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Home,
    Queued,
    Taken,
    /// Its leader panicked.
    Broken,
}

/// A stream at a leader.
pub(crate) struct Job<H> {
    pub(crate) key: Key,
    pub(crate) hasher: H,
    pub(crate) pieces: Pieces,
    /// Bytes of it that this leader has hashed.
    pub(crate) hashed: usize,
}

/// What a caller that waits has to do now.
pub(crate) enum Turn {
    Done,
    /// It has a seat, of which it must make a `Seat`.
    Lead,
    /// It will be woken.
    Sleep,
}

/// Streams that are best taken out of so many. Five in eight lanes take longer than four, and then the fifth.
pub(crate) fn width(streams: usize, lanes: usize) -> usize {
    match streams {
        _ if streams >= lanes => lanes,
        0..4 => streams,
        _ => 1 << streams.ilog2(),
    }
}

impl<H: LaneHasher> Queue<H> {
    pub(crate) fn new(backend: Backend, seats: usize, counters: Arc<Counters>) -> Self {
        let state = State { records: Vec::new(), free: Vec::new(), waiting: VecDeque::new(), leaders: 0 };
        let lanes = H::lanes(backend);
        Self { backend, lanes, seats, counters, recent: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// A record of a new stream.
    pub(crate) fn join(&self, hasher: Option<H>) -> Key {
        let pieces = Pieces::default();
        let record = Record { phase: Phase::Home, hasher, pieces, bytes: 0, waiter: None, left: false };
        let mut state = lock(&self.state);
        if let Some(key) = state.free.pop() {
            state.records[key] = record;
            key
        } else {
            state.records.push(record);
            state.records.len() - 1
        }
    }

    /// Discards the stream and all its data.
    pub(crate) fn leave(&self, key: Key) {
        let mut after = After::default();
        let mut state = lock(&self.state);
        let record = &mut state.records[key];
        after.discard(core::mem::take(&mut record.pieces));
        after.drop_waker(record.waiter.take());
        record.hasher = None;
        match record.phase {
            Phase::Taken => record.left = true,
            phase => {
                if phase == Phase::Queued {
                    state.waiting.retain(|&queued| queued != key);
                }
                state.free.push(key);
            }
        }
        state.pass_on(self.seats, &mut after);
        drop(state);
        after.run();
    }

    /// Notes an update, and tells whether the stream is alone.
    pub(crate) fn is_alone(&self, key: Key) -> bool {
        if self.lanes == 1 {
            return true;
        }
        let own = (key as u64 + 1) * (ALONE_AFTER + 1);
        let recent = self.recent.load(Ordering::Relaxed);
        if recent == own + ALONE_AFTER {
            return true;
        }
        let next = if (own..own + ALONE_AFTER).contains(&recent) { recent + 1 } else { own };
        self.recent.store(next, Ordering::Relaxed);
        false
    }

    /// The same without noting anything.
    pub(crate) fn is_still_alone(&self, key: Key) -> bool {
        self.lanes == 1 || self.recent.load(Ordering::Relaxed) == (key as u64 + 1) * (ALONE_AFTER + 1) + ALONE_AFTER
    }

    /// Queues data of a stream, and tells how many bytes of it are queued, and whether lanes can be filled.
    pub(crate) fn push(&self, key: Key, hasher: Option<H>, pieces: &mut Pieces, bytes: usize) -> (usize, bool) {
        let mut state = lock(&self.state);
        let State { records, waiting, .. } = &mut *state;
        let record = &mut records[key];
        if hasher.is_some() {
            record.hasher = hasher;
        }
        record.pieces.append(pieces);
        record.bytes += bytes;
        if record.phase == Phase::Home && record.bytes > 0 {
            record.phase = Phase::Queued;
            waiting.push_back(key);
        }
        (record.bytes, waiting.len() >= self.lanes && width(waiting.len(), self.lanes) > 1)
    }

    /// What the owner of a stream does, if it waits until no more than `at_most` bytes are left. `waker` is its own.
    ///
    /// # Panics
    ///
    /// If the stream is broken.
    pub(crate) fn turn(&self, key: Key, at_most: usize, waker: Waker) -> Turn {
        let mut after = After::default();
        let mut state = lock(&self.state);
        let State { records, waiting, leaders, .. } = &mut *state;
        let record = &mut records[key];
        let broken = record.phase == Phase::Broken;
        let done = record.bytes <= at_most;
        let leads = !done && *leaders < self.seats && !waiting.is_empty();
        let sleeps = !(broken || done || leads);
        after.drop_waker(record.waiter.take());
        if sleeps {
            record.waiter = Some((at_most, waker));
        } else {
            after.drop_waker(Some((0, waker)));
        }
        *leaders += usize::from(leads && !broken);
        drop(state);
        let turn = match () {
            () if broken => None,
            () if done => Some(Turn::Done),
            () if leads => Some(Turn::Lead),
            () => Some(Turn::Sleep),
        };
        after.run();
        turn.expect("no other stream's hashing has panicked")
    }

    /// Takes a seat, of which the caller must make a `Seat`, if one is free and anything is queued.
    #[cfg(feature = "bytes")]
    pub(crate) fn take_seat(&self) -> bool {
        let mut state = lock(&self.state);
        let takes = state.leaders < self.seats && !state.waiting.is_empty();
        state.leaders += usize::from(takes);
        takes
    }

    /// The owner of a stream waits no more. If it was woken to lead, another one is.
    #[cfg(feature = "bytes")]
    pub(crate) fn forgo(&self, key: Key) {
        let mut after = After::default();
        let mut state = lock(&self.state);
        after.drop_waker(state.records[key].waiter.take());
        state.pass_on(self.seats, &mut after);
        drop(state);
        after.run();
    }

    /// Takes the data of a stream back: what is queued is discarded, and what a leader has is waited for, by `sleep`.
    pub(crate) fn recall(&self, key: Key, mut sleep: impl FnMut() -> Waker) {
        loop {
            let waker = sleep();
            let mut after = After::default();
            let mut state = lock(&self.state);
            let State { records, waiting, .. } = &mut *state;
            let record = &mut records[key];
            let taken = record.phase == Phase::Taken;
            if record.phase == Phase::Queued {
                waiting.retain(|&queued| queued != key);
                after.discard(core::mem::take(&mut record.pieces));
                (record.phase, record.bytes) = (Phase::Broken, 0);
            }
            after.drop_waker(record.waiter.take());
            if taken {
                record.waiter = Some((0, waker));
            }
            if !taken {
                state.pass_on(self.seats, &mut after);
            }
            drop(state);
            after.run();
            if !taken {
                return;
            }
            crate::sync::thread::park();
        }
    }

    /// The hasher, if the stream is home.
    pub(crate) fn take_hasher(&self, key: Key) -> Option<H> {
        lock(&self.state).records[key].hasher.take()
    }

    /// A copy of the hasher, if the stream is home.
    #[cfg(feature = "bytes")]
    pub(crate) fn copy_hasher(&self, key: Key) -> Option<H> {
        lock(&self.state).records[key].hasher.clone()
    }
}

impl<H: LaneHasher> State<H> {
    /// Wakes somebody who can lead, if there is anything to do and a seat is free.
    pub(crate) fn pass_on(&mut self, seats: usize, after: &mut After) {
        if self.leaders < seats {
            let sleeper = self.waiting.iter().find(|&&key| self.records[key].waiter.is_some());
            if let Some(&key) = sleeper {
                after.wake(self.records[key].waiter.take());
            }
        }
    }

    /// Takes a stream out of the queue, for a leader.
    pub(crate) fn take(&mut self, key: Key) -> Option<Job<H>> {
        let record = &mut self.records[key];
        let hasher = record.hasher.take()?;
        record.phase = Phase::Taken;
        Some(Job { key, hasher, pieces: core::mem::take(&mut record.pieces), hashed: 0 })
    }

    /// Brings a stream back. If data is left, it is queued again: in front if the leader leaves.
    pub(crate) fn put_back(&mut self, job: Job<H>, leaves: bool, after: &mut After) {
        let Job { key, hasher, mut pieces, hashed } = job;
        let record = &mut self.records[key];
        if record.left {
            record.left = false;
            record.phase = Phase::Home;
            after.discard(pieces);
            self.free.push(key);
            return;
        }
        record.hasher = Some(hasher);
        record.bytes -= hashed;
        pieces.append(&mut record.pieces);
        record.pieces = pieces;
        if record.pieces.is_empty() {
            record.phase = Phase::Home;
        } else {
            record.phase = Phase::Queued;
            if leaves { self.waiting.push_front(key) } else { self.waiting.push_back(key) }
        }
        if record.waiter.as_ref().is_some_and(|&(at_most, _)| record.bytes <= at_most) {
            after.wake(record.waiter.take());
        }
    }

    /// The stream is lost, for its leader unwinds.
    pub(crate) fn break_off(&mut self, job: Job<H>, after: &mut After) {
        let record = &mut self.records[job.key];
        after.discard(job.pieces);
        after.discard(core::mem::take(&mut record.pieces));
        after.wake(record.waiter.take());
        if record.left {
            record.left = false;
            record.phase = Phase::Home;
            self.free.push(job.key);
        } else {
            (record.phase, record.bytes) = (Phase::Broken, 0);
        }
    }
}

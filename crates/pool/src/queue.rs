//! The streams of one hash and one backend that have data, and the seats of the callers who hash it.
//!
//! A caller who has data *leads* if a seat is free: it takes streams out of the queue, a lane each, hashes, puts them
//! back, and takes more, until its own data is done. Then it leaves its seat. There is no thread and no timer.
//!
//! # Invariants
//!
//! All of a queue's state is behind one lock. Code of others, which are wakers of tasks and owners of `Bytes`, runs when the
//! caller holds neither the lock nor a seat nor a stream, in [`After`]: it may wait for the pool.
//!
//! 1. **A record is `Home`, `Queued` or `Taken`.** `Queued` means: its key is in `waiting` once, and the record has its
//!    hasher and data. `Taken` means: one leader has its hasher, and the data that was there then. Data that comes later
//!    stays in the record, which is queued again when the leader brings the hasher back. So no two leaders have one
//!    stream, and pieces are hashed in order.
//! 2. **No wake is lost.** A caller sleeps only after [`Queue::turn`] has noted it, under the lock, at a moment when its
//!    data was not done and no seat was free, or nothing was queued. Its data is done only by a leader, who takes the note
//!    in the same critical section. If its record is queued, all seats were taken; a leader who leaves while anything is
//!    queued wakes sleepers in the same critical section: see [`State::pass_on`]. So while there is a sleeper in the
//!    queue, a leader is at work, or somebody who was woken is on the way.
//! 3. **Who was woken and does not come keeps no other waiting.** A future that is dropped passes the lead on, by
//!    [`Queue::forgo`]. For one that is forgotten, or kept and not polled: when nobody leads, a thread is woken, which
//!    always comes, or else every task.
//! 4. **A seat is left.** `Seat` leaves when it is dropped. If it unwinds, the streams that it had taken are broken:
//!    their callers are woken, and panic.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::Arc;

use simd_digest::Backend;

use crate::after::{After, Sleeper};
use crate::lane::LaneHasher;
use crate::piece::Pieces;
use crate::stats::Counters;
use crate::sync::{Bed, Mutex, lock};

/// A stream is alone if as many updates of the queue, the last ones, were all its own.
const ALONE_AFTER: u64 = 4;

/// The place of a record.
pub(crate) type Key = usize;

pub(crate) struct Queue<H: LaneHasher> {
    pub(crate) backend: Backend,
    pub(crate) lanes: usize,
    pub(crate) seats: usize,
    pub(crate) counters: Arc<Counters>,
    /// The key of the last stream that was updated, plus one, times five; plus how often in a row, at most [`ALONE_AFTER`].
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
    pub(crate) waiter: Option<(usize, Sleeper)>,
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

/// The next step of a caller that waits.
pub(crate) enum Turn {
    Done,
    /// It has a seat, of which it must make a `Seat`. The rest is done when that is left.
    Lead(After),
    /// It will be woken.
    Sleep,
}

fn sleeper(waiter: &mut Option<(usize, Sleeper)>) -> Option<Sleeper> {
    waiter.take().map(|(_, sleeper)| sleeper)
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
        if self.is_still_alone(key) {
            self.recent.store(0, Ordering::Relaxed);
        }
        let record = &mut state.records[key];
        after.discard(core::mem::take(&mut record.pieces));
        after.forget(sleeper(&mut record.waiter));
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
        if self.is_still_alone(key) {
            return true;
        }
        let own = (key as u64 + 1) * (ALONE_AFTER + 1);
        let recent = self.recent.load(Ordering::Relaxed);
        let next = if (own + 1..own + ALONE_AFTER).contains(&recent) { recent + 1 } else { own + 1 };
        self.recent.store(next, Ordering::Relaxed);
        false
    }

    /// As [`is_alone`](Self::is_alone), without noting anything.
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
        record.bytes = record.bytes.saturating_add(bytes);
        if record.phase == Phase::Home && record.bytes > 0 {
            record.phase = Phase::Queued;
            waiting.push_back(key);
        }
        (record.bytes, waiting.len() >= self.lanes && width(waiting.len(), self.lanes) > 1)
    }

    /// The next step of a stream's owner that waits until no more than `at_most` bytes are left. `sleeper` is its own.
    ///
    /// # Panics
    ///
    /// If the stream is broken.
    pub(crate) fn turn(&self, key: Key, at_most: usize, own: Sleeper) -> Turn {
        let mut after = After::default();
        let mut state = lock(&self.state);
        let State { records, waiting, leaders, .. } = &mut *state;
        let record = &mut records[key];
        let broken = record.phase == Phase::Broken;
        after.forget(sleeper(&mut record.waiter));
        let turn = if broken || record.bytes <= at_most {
            after.forget(Some(own));
            Turn::Done
        } else if *leaders < self.seats && !waiting.is_empty() {
            *leaders += 1;
            after.forget(Some(own));
            return Turn::Lead(after);
        } else {
            record.waiter = Some((at_most, own));
            Turn::Sleep
        };
        drop(state);
        after.run();
        assert!(!broken, "hashing of this stream has panicked");
        turn
    }

    /// Bytes of a stream that are queued or at a leader.
    #[cfg(feature = "bytes")]
    pub(crate) fn left(&self, key: Key) -> usize {
        lock(&self.state).records[key].bytes
    }

    /// Takes a seat, of which the caller must make a `Seat`, if one is free and anything is queued.
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
        after.forget(sleeper(&mut state.records[key].waiter));
        state.pass_on(self.seats, &mut after);
        drop(state);
        after.run();
    }

    /// Takes the data of a stream back: what is queued is discarded, and what a leader has is waited for, in `bed`.
    pub(crate) fn recall(&self, key: Key, bed: &Arc<Bed>) {
        loop {
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
            after.forget(sleeper(&mut record.waiter));
            if taken {
                record.waiter = Some((0, Sleeper::Thread(bed.clone())));
            } else {
                state.pass_on(self.seats, &mut after);
            }
            drop(state);
            after.run();
            if !taken {
                return;
            }
            bed.sleep();
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
    /// Wakes somebody who can lead, if there is anything to do and a seat is free: the first who sleeps. If nobody leads,
    /// it must be somebody who comes: the first thread, or every task.
    pub(crate) fn pass_on(&mut self, seats: usize, after: &mut After) {
        if self.leaders >= seats {
            return;
        }
        let Self { records, waiting, leaders, .. } = self;
        let sleeps = |key: &&Key| records[**key].waiter.is_some();
        let first = waiting.iter().find(sleeps).copied();
        let is_thread = |key: &Key| matches!(records[*key].waiter, Some((_, Sleeper::Thread(_))));
        let thread = waiting.iter().copied().find(is_thread);
        match (thread, first) {
            (_, Some(first)) if *leaders > 0 => after.wake(sleeper(&mut records[first].waiter)),
            (Some(thread), _) => after.wake(sleeper(&mut records[thread].waiter)),
            _ => waiting.iter().for_each(|&key| after.wake(sleeper(&mut records[key].waiter))),
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
        let is_done = pieces.is_empty();
        pieces.append(&mut record.pieces);
        record.pieces = pieces;
        if record.pieces.is_empty() {
            record.phase = Phase::Home;
        } else {
            record.phase = Phase::Queued;
            if leaves && !is_done { self.waiting.push_front(key) } else { self.waiting.push_back(key) }
        }
        if record.waiter.as_ref().is_some_and(|&(at_most, _)| record.bytes <= at_most) {
            after.wake(sleeper(&mut record.waiter));
        }
    }

    /// The stream is lost, for its leader unwinds.
    pub(crate) fn break_off(&mut self, job: Job<H>, after: &mut After) {
        let record = &mut self.records[job.key];
        after.discard(job.pieces);
        after.discard(core::mem::take(&mut record.pieces));
        after.wake(sleeper(&mut record.waiter));
        if record.left {
            record.left = false;
            record.phase = Phase::Home;
            self.free.push(job.key);
        } else {
            (record.phase, record.bytes) = (Phase::Broken, 0);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use simd_digest::blake2b::Hasher;

    use super::*;

    #[test]
    fn alone_after_four_updates_of_its_own() {
        let queue = Queue::<Hasher>::new(Backend::best(), 1, Arc::default());
        if queue.lanes == 1 {
            return;
        }
        let [a, b] = [(); 2].map(|()| queue.join(None));
        for _ in 0..3 {
            assert_eq!([(); 7].map(|()| queue.is_alone(a)), [false, false, false, false, true, true, true]);
            assert!(!queue.is_alone(b));
        }
        (0..4).for_each(|_| assert!(!queue.is_alone(a)));
        queue.leave(a);
        assert_eq!(queue.join(None), a);
        assert!(!queue.is_alone(a), "another stream in its place");
    }

    #[cfg(feature = "bytes")]
    #[test]
    fn lanes_are_full_when_each_has_a_stream() {
        for backend in Backend::available() {
            let queue = Queue::<Hasher>::new(backend, 2, Arc::default());
            for number in 1..=queue.lanes + 1 {
                let key = queue.join(Some(Hasher::new()));
                let mut pieces = Pieces::default();
                pieces.gather(b"bytes", 100);
                let full = queue.lanes > 1 && number >= queue.lanes;
                assert_eq!(queue.push(key, None, &mut pieces, 5), (5, full), "{backend:?}, {number}");
            }
        }
    }

    /// When nobody leads, somebody is woken who comes: a thread, or else every task.
    #[cfg(feature = "bytes")]
    #[test]
    fn who_is_woken() {
        use core::sync::atomic::AtomicUsize;
        use core::task::Waker;
        use std::task::Wake;

        #[derive(Default)]
        struct Count(AtomicUsize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        for (leaders, threads, woken) in [(0, 0, 3), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 1, 0)] {
            let queue = Queue::<Hasher>::new(Backend::best(), 2, Arc::default());
            let (count, bed) = (Arc::new(Count::default()), Arc::new(Bed::new()));
            for i in 0..3 + threads {
                let key = queue.join(Some(Hasher::new()));
                let mut pieces = Pieces::default();
                pieces.gather(b"bytes", 100);
                queue.push(key, None, &mut pieces, 5);
                let sleeper =
                    if i < 3 { Sleeper::Task(Waker::from(count.clone())) } else { Sleeper::Thread(bed.clone()) };
                lock(&queue.state).records[key].waiter = Some((0, sleeper));
            }
            let mut state = lock(&queue.state);
            state.leaders = leaders;
            let mut after = After::default();
            state.pass_on(2, &mut after);
            drop(state);
            after.run();
            assert_eq!(count.0.load(Ordering::Relaxed), woken, "{leaders} {threads}");
            if leaders == 0 && threads > 0 {
                bed.sleep(); // returns at once
            }
        }
    }
}

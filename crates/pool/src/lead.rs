//! The caller who hashes for all.
#![forbid(unsafe_code)]

use crate::after::After;
use crate::lane::LaneHasher;
use crate::queue::{Job, Key, Phase, Queue, State, width};
use crate::sync::lock;

/// Bytes of each stream that are hashed before the lock is taken again: at most, and if a stream has less left, at
/// least, so that the others' lanes go on.
const QUANTUM: usize = 64 << 10;
const LEAST: usize = 4 << 10;

/// Bytes that a leader hashes at most while code of others has to wait.
pub(crate) const PATIENCE: usize = 512 << 10;

/// Hashes what is queued until the data of the stream `own` is done, nothing is left, or `budget` bytes are hashed. Its caller
/// has taken a seat, by [`Queue::turn`], which gives `rest`, or by [`Queue::take_seat`].
pub(crate) fn lead<H: LaneHasher>(queue: &Queue<H>, own: Key, mut budget: usize, rest: After) {
    let mut seat = Seat::new(queue, own);
    while seat.hash_up_to(&mut budget) {
        drop(seat);
        if !queue.take_seat() {
            break;
        }
        seat = Seat::new(queue, own);
    }
    rest.run();
}

/// Leaves a seat that is taken.
#[cfg(feature = "bytes")]
pub(crate) fn decline<H: LaneHasher>(queue: &Queue<H>, own: Key, rest: After) {
    drop(Seat::new(queue, own));
    rest.run();
}

/// A seat, taken. Left when dropped.
struct Seat<'q, H: LaneHasher> {
    queue: &'q Queue<H>,
    own: Key,
    jobs: Vec<Job<H>>,
    /// Done when the seat is left.
    after: After,
    /// If that is so when the seat is dropped, hashing has panicked.
    hashes: bool,
}

impl<'q, H: LaneHasher> Seat<'q, H> {
    fn new(queue: &'q Queue<H>, own: Key) -> Self {
        Self { queue, own, jobs: Vec::new(), after: After::default(), hashes: false }
    }

    /// Tells whether it ended only because code of others has to run, for which the seat must be left.
    fn hash_up_to(&mut self, budget: &mut usize) -> bool {
        let mut patience = PATIENCE;
        loop {
            let mut state = lock(&self.queue.state);
            let own_is_done = self.put_back(&mut state);
            let goes_on = !own_is_done && *budget > 0;
            let leaves = patience == 0;
            if goes_on && !leaves {
                self.fill(&mut state);
            }
            drop(state);
            if leaves {
                return goes_on;
            }
            self.after.wake_threads();
            if !goes_on || self.jobs.is_empty() {
                return false;
            }
            let most = if self.after.calls_others() { patience.min(*budget) } else { *budget };
            self.hashes = true;
            let hashed = self.hash(most);
            self.hashes = false;
            *budget = budget.saturating_sub(hashed);
            if self.after.calls_others() {
                patience = patience.saturating_sub(hashed);
            }
        }
    }

    /// Puts back the streams whose data is done or whose owner is gone, or all if its own is done, and tells whether it is.
    fn put_back(&mut self, state: &mut State<H>) -> bool {
        let is_done = |job: &Job<H>| job.pieces.is_empty();
        let own_is_here = self.jobs.iter().find(|job| job.key == self.own);
        let own_is_done = match own_is_here {
            Some(own) => is_done(own),
            None => !matches!(state.records[self.own].phase, Phase::Queued | Phase::Taken),
        };
        for i in (0..self.jobs.len()).rev() {
            let job = &self.jobs[i];
            if own_is_done || is_done(job) || state.records[job.key].left {
                state.put_back(self.jobs.remove(i), own_is_done, &mut self.after);
            }
        }
        own_is_done
    }

    /// Takes streams until the lanes are full.
    fn fill(&mut self, state: &mut State<H>) {
        let (live, waiting) = (self.jobs.len(), state.waiting.len());
        let free_seats = self.queue.seats - state.leaders;
        // A free core is better than a lane.
        let spread = live == 0 && waiting <= 1 + free_seats;
        if spread && state.records[self.own].phase == Phase::Queued {
            let own = self.own;
            state.waiting.retain(|&key| key != own);
            self.jobs.extend(state.take(own));
            return;
        }
        let target = if spread { 1 } else { width(live + waiting, self.queue.lanes) };
        while self.jobs.len() < target {
            let Some(key) = state.waiting.pop_front() else { break };
            self.jobs.extend(state.take(key));
        }
    }

    /// Hashes some of each stream, `budget` bytes in all or a little more, and tells how much.
    fn hash(&mut self, budget: usize) -> usize {
        let shortest = self.jobs.iter().map(|job| job.pieces.next().len()).min().unwrap_or_default();
        let most = QUANTUM.min(budget / self.jobs.len()).max(LEAST);
        let count = shortest.clamp(LEAST, most);
        let counters = &self.queue.counters;
        if let [job] = &mut self.jobs[..] {
            counters.alone(1);
            let next = job.pieces.next();
            job.hasher.append(&next[..next.len().min(count)]);
        } else {
            counters.batch(self.jobs.len());
            let jobs = self.jobs.iter_mut().map(|Job { hasher, pieces, .. }| {
                let next = pieces.next();
                (hasher, &next[..next.len().min(count)])
            });
            H::append_each(self.queue.backend, jobs);
        }
        let mut all = 0;
        for job in &mut self.jobs {
            let hashed = job.pieces.next().len().min(count);
            self.after.spent(job.pieces.advance(hashed));
            job.hashed += hashed;
            all += hashed;
        }
        all
    }
}

impl<H: LaneHasher> Drop for Seat<'_, H> {
    fn drop(&mut self) {
        let mut after = core::mem::take(&mut self.after);
        let mut state = lock(&self.queue.state);
        for job in self.jobs.drain(..).rev() {
            if self.hashes {
                state.break_off(job, &mut after);
            } else {
                state.put_back(job, true, &mut after);
            }
        }
        state.leaders -= 1;
        state.pass_on(self.queue.seats, &mut after);
        drop(state);
        after.run();
    }
}

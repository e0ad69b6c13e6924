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

/// A seat, taken. Left when dropped.
pub(crate) struct Seat<'q, H: LaneHasher> {
    queue: &'q Queue<H>,
    own: Key,
    jobs: Vec<Job<H>>,
    /// If that is so when the seat is dropped, hashing has panicked.
    hashes: bool,
}

impl<'q, H: LaneHasher> Seat<'q, H> {
    /// For the stream `own`, whose caller has taken a seat by [`Queue::turn`] or [`Queue::take_seat`].
    pub(crate) fn new(queue: &'q Queue<H>, own: Key) -> Self {
        Self { queue, own, jobs: Vec::new(), hashes: false }
    }

    /// Hashes what is queued until its own data is done, nothing is left, or `budget` bytes are hashed.
    pub(crate) fn lead(mut self, budget: usize) {
        let mut hashed = 0;
        let mut after = After::default();
        loop {
            let mut state = lock(&self.queue.state);
            let own_is_done = self.put_back(&mut state, &mut after);
            if !own_is_done && hashed < budget {
                self.fill(&mut state);
            }
            drop(state);
            core::mem::take(&mut after).run();
            if self.jobs.is_empty() || hashed >= budget {
                break;
            }
            self.hashes = true;
            hashed += self.hash(&mut after);
            self.hashes = false;
        }
    }

    /// Puts back the streams whose data is done, or all if its own is, and tells whether it is.
    fn put_back(&mut self, state: &mut State<H>, after: &mut After) -> bool {
        let is_done = |job: &Job<H>| job.pieces.is_empty();
        let own_is_here = self.jobs.iter().find(|job| job.key == self.own);
        let own_is_done = match own_is_here {
            Some(own) => is_done(own),
            None => !matches!(state.records[self.own].phase, Phase::Queued | Phase::Taken),
        };
        for i in (0..self.jobs.len()).rev() {
            if own_is_done || is_done(&self.jobs[i]) {
                state.put_back(self.jobs.remove(i), own_is_done, after);
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

    /// Hashes some of each stream, and tells how much.
    fn hash(&mut self, after: &mut After) -> usize {
        let shortest = self.jobs.iter().map(|job| job.pieces.next().len()).min().unwrap_or_default();
        let count = shortest.clamp(LEAST, QUANTUM);
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
            after.spent(job.pieces.advance(hashed));
            job.hashed += hashed;
            all += hashed;
        }
        all
    }
}

impl<H: LaneHasher> Drop for Seat<'_, H> {
    fn drop(&mut self) {
        let mut after = After::default();
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

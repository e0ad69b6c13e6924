//! Counters, the hook for corrupt stripes, and the pace of hashing.

use core::fmt;
use core::future::poll_fn;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::Poll;
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use object_store::ObjectMeta;
use object_store::path::Path;

use crate::corrupt::Corrupt;
use crate::hashing::{AT_ONCE, Hashing};

/// The work of a store so far, in all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes of objects that were verified. Stripes are verified whole, so these are more than were asked for.
    pub verified_bytes: u64,
    /// Stripes that were verified.
    pub verified_stripes: u64,
    /// Bytes of objects that were given out unverified, by [`Check::Never`](crate::Check::Never).
    pub unverified_bytes: u64,
    /// Times that a stripe was found corrupt, each time that it is read.
    pub corrupt_stripes: u64,
    /// Bytes of objects that were hashed to be written.
    pub written_bytes: u64,
    /// Times that a listing gave an object with its stored size, because its header could not be read or is none of
    /// ours. A get of the object tells why.
    pub unknown_sizes: u64,
    /// The time that hashing took, of one core, to read and to write.
    pub hashing: Duration,
}

type Hook = dyn Fn(&Path, &Corrupt) + Send + Sync;

/// Corrupt stripes that the hook was told of, at most.
const TOLD: usize = 1024;

/// A stripe of one version of an object.
#[derive(PartialEq, Eq)]
struct Told {
    meta: ObjectMeta,
    stripe: u64,
}

#[derive(Default)]
pub(crate) struct Watch {
    verified_bytes: AtomicU64,
    verified_stripes: AtomicU64,
    unverified_bytes: AtomicU64,
    corrupt_stripes: AtomicU64,
    written_bytes: AtomicU64,
    unknown_sizes: AtomicU64,
    nanoseconds: AtomicU64,
    hook: Option<Box<Hook>>,
    told: Mutex<VecDeque<Told>>,
}

fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

impl Watch {
    /// Counters from 0 on, and a hook that is told of corrupt stripes.
    pub(crate) fn telling(hook: impl Fn(&Path, &Corrupt) + Send + Sync + 'static) -> Self {
        Self { hook: Some(Box::new(hook)), ..Self::default() }
    }

    pub(crate) fn stats(&self) -> Stats {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            verified_bytes: load(&self.verified_bytes),
            verified_stripes: load(&self.verified_stripes),
            unverified_bytes: load(&self.unverified_bytes),
            corrupt_stripes: load(&self.corrupt_stripes),
            written_bytes: load(&self.written_bytes),
            unknown_sizes: load(&self.unknown_sizes),
            hashing: Duration::from_nanos(load(&self.nanoseconds)),
        }
    }

    pub(crate) fn verified(&self, stripes: u64, bytes: u64) {
        add(&self.verified_stripes, stripes);
        add(&self.verified_bytes, bytes);
    }

    pub(crate) fn unverified(&self, bytes: u64) {
        add(&self.unverified_bytes, bytes);
    }

    pub(crate) fn written(&self, bytes: u64) {
        add(&self.written_bytes, bytes);
    }

    pub(crate) fn unknown_size(&self) {
        add(&self.unknown_sizes, 1);
    }

    /// Counts a corrupt stripe of the object with this stored metadata, and tells the hook if it was not told before.
    pub(crate) fn corrupt(&self, meta: &ObjectMeta, corrupt: &Corrupt) {
        add(&self.corrupt_stripes, 1);
        let Some(hook) = &self.hook else { return };
        let new = Told { meta: meta.clone(), stripe: corrupt.stripe };
        {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.contains(&new) {
                return;
            }
            told.truncate(TOLD - 1);
            told.push_front(new);
        }
        hook(&meta.location, corrupt);
    }

    /// Counts the time that `hash` takes.
    pub(crate) fn time<R>(&self, hash: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = hash();
        add(&self.nanoseconds, u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
        result
    }

    /// Hashes some of a batch, and counts the time.
    pub(crate) fn step(&self, hashing: &mut Hashing, most: usize) -> usize {
        self.time(|| hashing.step(most))
    }

    /// Hashes all of a batch, of which each poll hashes 1 MiB at most.
    pub(crate) async fn hash(&self, hashing: &mut Hashing, pace: &mut Pace) {
        while hashing.left() > 0 {
            // A batch that would be torn waits for the next poll, since small pieces do not fill lanes.
            if pace.left < hashing.left().min(AT_ONCE) {
                pace.rest().await;
            }
            let hashed = self.step(hashing, pace.left);
            pace.left = pace.left.saturating_sub(hashed.max(1));
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stats().fmt(f)
    }
}

/// The bytes that may yet be hashed before the task gives way to others.
#[derive(Debug)]
pub(crate) struct Pace {
    left: usize,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { left: AT_ONCE }
    }

    /// Gives way to other tasks.
    pub(crate) async fn rest(&mut self) {
        let mut rested = false;
        poll_fn(|context| {
            if rested {
                return Poll::Ready(());
            }
            rested = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.left = AT_ONCE;
    }
}

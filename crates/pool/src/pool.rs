//! The pool: its settings, and a queue for each hash and backend.
#![forbid(unsafe_code)]

use core::any::{Any, TypeId};
use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use simd_digest::Backend;

use crate::lane::LaneHasher;
use crate::member::Member;
use crate::queue::Queue;
use crate::stats::{Counters, Stats};
use crate::thread::PoolHasher;

/// Streams that share lanes. Clones are the same pool.
///
/// A pool has no thread and nothing to stop. Hashers keep what they need of it, so it may be dropped before them. One
/// pool serves all hashes: streams of one hash and one backend share lanes, and have seats of their own. The places of
/// hashers that are gone are used again, and their memory is kept as long as the pool.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    settings: Builder,
    counters: Arc<Counters>,
    queues: Mutex<Vec<(TypeId, Backend, AnyQueue)>>,
}

/// A `Queue<H>`.
type AnyQueue = Arc<dyn Any + Send + Sync>;

/// The settings of a [`Pool`]: see [`Pool::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    seats: usize,
    threshold: usize,
    #[cfg(feature = "bytes")]
    ready: usize,
    #[cfg(feature = "bytes")]
    limit: usize,
}

impl Builder {
    /// Callers at most who hash for others at a time, for each hash and backend; at least one. By default as many as there
    /// are cores. With fewer, small updates wait for long now and then.
    pub fn seats(mut self, seats: usize) -> Self {
        self.seats = seats.max(1);
        self
    }

    /// Updates of threads below so many bytes are hashed at once and alone: by default 16 KiB. Smaller ones take less
    /// time than the threads that would have to meet.
    pub fn threshold(mut self, bytes: usize) -> Self {
        self.threshold = bytes;
        self
    }

    /// Bytes that a task gathers before its stream can be hashed with others: by default 16 KiB.
    #[cfg(feature = "bytes")]
    pub fn ready(mut self, bytes: usize) -> Self {
        self.ready = bytes.max(1);
        self
    }

    /// Bytes behind a task's stream up to which `update` is ready at once: by default 128 KiB. Below four times
    /// [`ready`](Self::ready), or twice a usual piece, lanes stay empty.
    #[cfg(feature = "bytes")]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes.min(isize::MAX.unsigned_abs() / 4);
        self
    }

    /// Makes the pool with these settings. It has no threads: the threads that call it hash.
    #[must_use]
    pub fn build(self) -> Pool {
        Pool(Arc::new(Shared { settings: self, counters: Arc::default(), queues: Mutex::default() }))
    }
}

impl Pool {
    /// A pool with the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Settings to be changed.
    ///
    /// ```
    /// use simd_digest_pool::Pool;
    ///
    /// let pool = Pool::builder().seats(2).threshold(64 << 10).build();
    /// ```
    pub fn builder() -> Builder {
        Builder {
            seats: available_parallelism().map_or(1, usize::from),
            threshold: 16 << 10,
            #[cfg(feature = "bytes")]
            ready: 16 << 10,
            #[cfg(feature = "bytes")]
            limit: 128 << 10,
        }
    }

    /// A hasher for the calling thread, which continues `hasher`'s message. Long writes of several threads share lanes.
    ///
    /// ```
    /// use simd_digest::sha256;
    /// use simd_digest_pool::Pool;
    ///
    /// let mut hasher = Pool::new().hasher(sha256::Hasher::new());
    /// hasher.update(b"abc");
    /// assert_eq!(hasher.finalize(), sha256::hash(b"abc"));
    /// ```
    #[must_use]
    pub fn hasher<H: LaneHasher>(&self, hasher: H) -> PoolHasher<H> {
        PoolHasher::new(hasher.clone(), Member::new(self.queue(&hasher), None), self.0.settings.threshold)
    }

    /// A hasher for an asynchronous task, which continues `hasher`'s message.
    ///
    /// See [`AsyncPoolHasher`](crate::AsyncPoolHasher).
    #[cfg(feature = "bytes")]
    #[must_use]
    pub fn async_hasher<H: LaneHasher>(&self, hasher: H) -> crate::AsyncPoolHasher<H> {
        let queue = self.queue(&hasher);
        let Builder { ready, limit, .. } = self.0.settings;
        crate::AsyncPoolHasher::new(Member::new(queue, Some(hasher)), ready, limit)
    }

    /// The work of the pool so far.
    ///
    /// If `lanes_filled` is not much more than `batches`, or `alone` is much more than both, the pool does not pay.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.0.counters.read()
    }

    /// The queue of this hash and backend.
    fn queue<H: LaneHasher>(&self, hasher: &H) -> Arc<Queue<H>> {
        let (id, backend) = (TypeId::of::<H>(), hasher.backend());
        let mut queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let known = queues.iter().find(|queue| (queue.0, queue.1) == (id, backend));
        if let Some(Ok(queue)) = known.map(|queue| Arc::downcast(queue.2.clone())) {
            return queue;
        }
        let queue = Arc::new(Queue::new(backend, self.0.settings.seats, self.0.counters.clone()));
        queues.push((id, backend, queue.clone()));
        queue
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("settings", &self.0.settings).field("stats", &self.stats()).finish()
    }
}

//! The stored form of a whole object, for a put of one request: hashed by the task, and by threads that help it.
//!
//! ```text
//!   task     ── batch 0 ── rest ── batch 2 ── rest ── batch 3 ── waits ─┐
//!   helper            ── batch 1 ───────────────── batch 4 ─────────────┴─ the rope, or one piece
//! ```
//!
//! The task hashes 1 MiB in one poll. A helper takes batches that nobody has begun, and ends when there are none. There
//! are as many helpers in the process as processors without one, so a task that finds none left hashes all by itself.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Poll, Waker};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use bytes::{Bytes, BytesMut};
use futures_util::future::poll_fn;
use object_store::path::Path;
use object_store::{PutPayload, Result};

use crate::encoder::Encoder;
use crate::error::{Error, Problem};
use crate::hashing::Hashing;
use crate::layout::DIGEST;
use crate::stripes::{EncodeError, Stripes, finish};
use crate::watch::{Pace, Watch};

/// How the stored bytes are handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The digests, and slices of the payload: nothing is copied.
    Rope,
    /// One piece, to which each batch is copied while the caches have it.
    Joined,
}

/// The stored form of an object.
pub(crate) async fn encode(
    stripes: Stripes,
    path: &Path,
    payload: PutPayload,
    form: Form,
    has_threads: bool,
    watch: &Arc<Watch>,
) -> Result<PutPayload> {
    let length = payload.content_length() as u64;
    let too_long = || Error::new(path, EncodeError::TooLong);
    let stored = stripes.stored(length).and_then(|stored| usize::try_from(stored).ok()).ok_or_else(too_long)?;
    let batches = stripes.layout().count(length).div_ceil(stripes.layout().group());
    let mut encoder = Encoder::new(stripes, path);
    encoder.input.extend(payload);
    let begun = encoder.output.take(usize::MAX);
    let space = if form == Form::Joined { Some(BytesMut::with_capacity(stored)) } else { None };
    let mut work = Work { encoder, space, begun: 0, ended: BTreeMap::new(), under_way: 0, failed: false, waker: None };
    let header = work.cut(begun.iter().map(Bytes::len).sum());
    work.ended.insert(0, Output::of(begun, header));

    let shared = Arc::new(Shared { work: Mutex::new(work), watch: Arc::clone(watch) });
    let _dismissed = Dismissed(&shared);
    if has_threads {
        help(&shared, batches);
    }
    let mut pace = Pace::new();
    while let Some(mut batch) = shared.begin()? {
        watch.hash(&mut batch.hashing, &mut pace).await;
        shared.end(batch);
    }
    poll_fn(|context| shared.poll_ended(context.waker())).await
}

/// The task and its helpers share this.
struct Shared {
    work: Mutex<Work>,
    watch: Arc<Watch>,
}

struct Work {
    encoder: Encoder,
    /// Where the next batches go, if they are joined.
    space: Option<BytesMut>,
    begun: usize,
    /// The header, and batches that are hashed, under their numbers.
    ended: BTreeMap<usize, Output>,
    under_way: usize,
    failed: bool,
    /// The task, once it waits for helpers.
    waker: Option<Waker>,
}

/// Stored bytes.
enum Output {
    Rope(Vec<Bytes>),
    Joined(BytesMut),
}

impl Output {
    fn of(rope: Vec<Bytes>, space: Option<BytesMut>) -> Self {
        let Some(mut space) = space else { return Self::Rope(rope) };
        rope.iter().for_each(|piece| space.extend_from_slice(piece));
        Self::Joined(space)
    }
}

/// A batch that is hashed.
struct Batch<'a> {
    lease: Lease<'a>,
    number: usize,
    hashing: Hashing,
    space: Option<BytesMut>,
}

/// A batch that is under way. Dropped before its end, by a thread that panics, it fails.
struct Lease<'a> {
    shared: &'a Shared,
    is_ended: bool,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let waker = {
            let mut work = self.shared.lock();
            work.under_way -= 1;
            work.failed |= !self.is_ended;
            work.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

/// The end of the task, which may be dropped midway: helpers begin nothing more.
struct Dismissed<'a>(&'a Shared);

impl Drop for Dismissed<'_> {
    fn drop(&mut self) {
        self.0.lock().failed = true;
    }
}

impl Work {
    /// The next bytes of the space, if there is one.
    fn cut(&mut self, length: usize) -> Option<BytesMut> {
        let space = self.space.as_mut()?;
        let rest = space.split_off(length);
        Some(core::mem::replace(space, rest))
    }

    /// All stored bytes. The pieces of the space lie side by side, so they are one again without a copy.
    fn payload(&mut self) -> PutPayload {
        let mut rope = Vec::new();
        let mut joined = BytesMut::new();
        for output in core::mem::take(&mut self.ended).into_values() {
            match output {
                Output::Rope(pieces) => rope.extend(pieces),
                Output::Joined(piece) => joined.unsplit(piece),
            }
        }
        if !joined.is_empty() {
            rope.push(joined.freeze());
        }
        rope.into_iter().collect()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch, if there is one that nobody has begun.
    fn begin(&self) -> Result<Option<Batch<'_>>> {
        let mut work = self.lock();
        if work.failed {
            return Ok(None);
        }
        let Some(hashing) = work.encoder.batch(true)? else { return Ok(None) };
        let space = work.cut(hashing.left() + hashing.count() * DIGEST);
        work.begun += 1;
        work.under_way += 1;
        let lease = Lease { shared: self, is_ended: false };
        Ok(Some(Batch { lease, number: work.begun, hashing, space }))
    }

    /// Keeps a batch that is hashed.
    fn end(&self, batch: Batch<'_>) {
        let Batch { mut lease, number, hashing, space } = batch;
        let bytes = hashing.bytes() as u64;
        let output = Output::of(finish(hashing), space);
        self.watch.written(bytes);
        self.lock().ended.insert(number, output);
        lease.is_ended = true;
    }

    /// All stored bytes, once helpers have ended their last batches.
    fn poll_ended(&self, waker: &Waker) -> Poll<Result<PutPayload>> {
        let mut work = self.lock();
        if work.failed {
            return Poll::Ready(Err(Error::new(&work.encoder.path, Problem::Part).into()));
        }
        if work.under_way > 0 {
            work.waker = Some(waker.clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(work.payload()))
    }
}

/// Helpers of one put, at most: beyond four threads, memory is slower than hashing.
const MOST: u64 = 3;

/// Helpers in the process.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// The place of a helper, given back when dropped.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        static PLACES: OnceLock<usize> = OnceLock::new();
        let places = *PLACES.get_or_init(|| thread::available_parallelism().map_or(0, |all| all.get() - 1));
        let take = |taken| (taken < places).then_some(taken + 1);
        HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok().map(|_| Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        HELPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Has threads help, as far as there are places and more than one batch. A thread that cannot be had is done without.
fn help(shared: &Arc<Shared>, batches: u64) {
    for _ in 0..batches.saturating_sub(1).min(MOST) {
        let Some(place) = Place::take() else { return };
        let shared = Arc::clone(shared);
        let help = move || {
            let _place = place;
            while let Ok(Some(mut batch)) = shared.begin() {
                while batch.hashing.left() > 0 {
                    shared.watch.step(&mut batch.hashing, usize::MAX);
                }
                shared.end(batch);
            }
        };
        if thread::Builder::new().name("simd-digest-store".to_owned()).spawn(help).is_err() {
            return;
        }
    }
}

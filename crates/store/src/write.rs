//! Uploads by parts: stripes are hashed some at a time, while earlier ones are under way.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::future::poll_fn;
use futures_util::stream::FuturesUnordered;
use object_store::path::Path;
use object_store::{MultipartUpload, PutPayload, PutResult, Result, UploadPart};

use crate::buffers::Buffers;
use crate::encoder::Encoder;
use crate::error::{Error, Problem};
use crate::hashing::AT_ONCE;
use crate::layout::DIGEST;
use crate::rope::Rope;
use crate::stripes::Stripes;
use crate::watch::{Pace, Watch};

/// The parts in which a large object is put if nothing is known of the store, in bytes. Stores like S3 take no part
/// below 5 MiB but the last.
pub(crate) const PART: usize = 8 << 20;

/// The length of the shortest part that is given to a store before the last, in bytes: S3 takes none that is shorter.
const LEAST: usize = 5 << 20;

/// Parts of a put that are under way at once.
const PARTS: usize = 4;

/// An upload by parts. The parts of the store are as long as the longest of the user so far with its digests, and 5 MiB
/// at least: so equal parts stay equal, and they are no more than the user's.
pub(crate) struct Upload {
    shared: Arc<Shared>,
    /// The user's parts so far.
    count: usize,
    /// The upload with its last parts, once all is hashed.
    ending: Option<(Box<dyn MultipartUpload>, FuturesUnordered<UploadPart>)>,
}

/// The state that an upload shares with the futures of its parts: any of them hashes for all, in order, so that the
/// store's parts are in order whichever future is polled first.
struct Shared {
    work: Mutex<Work>,
    /// Tasks that found `work` locked.
    wakers: Mutex<Vec<Waker>>,
}

struct Work {
    /// `None` once all is hashed, or the upload is aborted.
    upload: Option<Box<dyn MultipartUpload>>,
    encoder: Encoder,
    watch: Arc<Watch>,
    /// The user's parts that are not encoded, after `encoded` others.
    waiting: VecDeque<PutPayload>,
    encoded: usize,
    /// The times that something was hashed.
    steps: u64,
    /// The length of the longest part of the user, in bytes.
    longest: usize,
    /// The store's parts, under the number of the user's part that completed them.
    parts: HashMap<usize, Vec<UploadPart>>,
    /// The user's parts that the store has.
    stored: usize,
    /// Whether `complete` was called, after which there are no more parts.
    is_ending: bool,
    failed: bool,
    /// For parts that are written to a file: they may have any length, and each is one piece, for one call.
    buffers: Option<Arc<Buffers>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Work> {
        lock(&self.work)
    }

    /// As `lock`, unless another thread hashes; then the task is woken when this may have ended.
    fn try_lock(&self, context: &Context<'_>) -> Option<MutexGuard<'_, Work>> {
        let try_lock = || match self.work.try_lock() {
            Ok(work) => Some(work),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        try_lock().or_else(|| {
            lock(&self.wakers).push(context.waker().clone());
            try_lock() // it may have ended in between
        })
    }

    fn wake(&self) {
        core::mem::take(&mut *lock(&self.wakers)).into_iter().for_each(Waker::wake);
    }
}

impl Work {
    fn error(&self) -> object_store::Error {
        Error::new(&self.encoder.path, Problem::Part).into()
    }

    /// The length of the store's parts, in bytes.
    fn part_length(&self) -> usize {
        let stripes = self.longest.div_ceil(self.encoder.stripes.stripe_length() as usize);
        let length = self.longest + stripes * DIGEST + Stripes::HEADER_LENGTH;
        if self.buffers.is_some() { length } else { length.max(LEAST) }
    }

    /// Takes parts of the output: all that are whole, or everything.
    fn cut(&mut self, everything: bool) -> Result<Vec<UploadPart>> {
        let length = self.part_length();
        let Some(upload) = &mut self.upload else { return Err(self.error()) };
        let output = &mut self.encoder.output;
        let mut parts = Vec::new();
        while output.len() >= length || (everything && output.len() > 0) {
            let pieces = output.take(length);
            parts.push(match &self.buffers {
                None => upload.put_part(pieces.into_iter().collect()),
                Some(buffers) => {
                    let (buffers, joined) = (Arc::clone(buffers), buffers.join(&pieces, length));
                    let part = upload.put_part(joined.clone().into());
                    Box::pin(async move {
                        part.await?;
                        buffers.give(joined);
                        Ok(())
                    })
                }
            });
        }
        Ok(parts)
    }

    /// Hashes at most `most` bytes of the batch, if there is one. Returns whether none is left.
    fn hash(&mut self, most: &mut usize) -> bool {
        if let Some(hashing) = &mut self.encoder.hashing {
            // A batch that would be torn waits for the next time, since small pieces do not fill lanes.
            if hashing.left() > 0 && *most < hashing.left().min(AT_ONCE) {
                return false;
            }
            *most = most.saturating_sub(self.watch.step(hashing, *most));
            if hashing.left() > 0 {
                return false;
            }
            self.encoder.end(&self.watch);
        }
        true
    }

    /// Hashes 1 MiB at most. Returns whether all of the user's parts before `count` are encoded.
    fn step(&mut self, count: usize) -> Result<bool> {
        self.steps += 1;
        let mut most = AT_ONCE;
        while self.encoded < count {
            if self.is_ending {
                return Err(self.error());
            }
            if !self.hash(&mut most) {
                return Ok(false);
            }
            if let Some(part) = self.waiting.front_mut() {
                self.longest = self.longest.max(part.content_length());
                self.encoder.input.extend(core::mem::take(part));
            }
            if self.encoder.begin(false)? {
                continue;
            }
            self.waiting.pop_front();
            let parts = self.cut(false)?;
            self.parts.insert(self.encoded, parts);
            self.encoded += 1;
        }
        Ok(true)
    }

    /// Hashes 1 MiB at most of the last stripe; those before are encoded. Returns whether all is encoded.
    fn step_to_end(&mut self) -> Result<bool> {
        let mut most = AT_ONCE;
        loop {
            if !self.hash(&mut most) {
                return Ok(false);
            }
            if !self.encoder.begin(true)? {
                return Ok(true);
            }
        }
    }
}

impl Upload {
    pub(crate) fn new(upload: Box<dyn MultipartUpload>, stripes: Stripes, path: &Path, watch: &Arc<Watch>) -> Self {
        let work = Work {
            upload: Some(upload),
            encoder: Encoder::new(stripes, path),
            watch: Arc::clone(watch),
            waiting: VecDeque::new(),
            encoded: 0,
            steps: 0,
            longest: 0,
            parts: HashMap::new(),
            stored: 0,
            is_ending: false,
            failed: false,
            buffers: None,
        };
        let shared = Shared { work: Mutex::new(work), wakers: Mutex::default() };
        Self { shared: Arc::new(shared), count: 0, ending: None }
    }

    /// Puts all of an object: parts are under way while the next is hashed. They are of `part` bytes each, or 5 MiB at
    /// least. With buffers, which are for files, they may be shorter, and each is joined to one piece.
    pub(crate) async fn put(
        &mut self,
        payload: PutPayload,
        part: usize,
        buffers: Option<Arc<Buffers>>,
    ) -> Result<PutResult> {
        self.shared.lock().buffers = buffers;
        let mut rope: Rope = payload.into_iter().collect();
        let mut under_way = FuturesUnordered::new();
        let mut pace = Pace::new();
        while rope.len() > 0 {
            let number = self.count;
            self.count += 1;
            self.shared.lock().waiting.push_back(rope.take(part).into_iter().collect());
            loop {
                let (is_done, parts) = {
                    let mut work = self.shared.lock();
                    let is_done = work.step(number + 1)?;
                    (is_done, work.parts.remove(&number).unwrap_or_default())
                };
                under_way.extend(parts);
                progress(&mut under_way, PARTS).await?;
                pace.rest().await;
                if is_done {
                    break;
                }
            }
        }
        progress(&mut under_way, 0).await?;
        self.shared.lock().stored = self.count;
        self.complete().await
    }
}

/// Polls futures once, and on until there are at most so many.
async fn progress(under_way: &mut FuturesUnordered<UploadPart>, most: usize) -> Result<()> {
    loop {
        let more = poll_fn(|context| match under_way.poll_next_unpin(context) {
            Poll::Pending if under_way.len() > most => Poll::Pending,
            Poll::Pending => Poll::Ready(None),
            Poll::Ready(part) => Poll::Ready(part),
        });
        match more.await {
            Some(part) => part?,
            None => return Ok(()),
        }
    }
}

/// The future of a user's part.
struct Part {
    shared: Arc<Shared>,
    number: usize,
    /// The steps when this was last polled.
    seen: u64,
    parts: Option<FuturesUnordered<UploadPart>>,
}

impl Part {
    /// Hashes, unless another part did since the last poll: futures that are polled together hash 1 MiB together, and
    /// none depends on another to be polled.
    fn step(&mut self, context: &Context<'_>) -> Poll<Result<()>> {
        let Some(mut work) = self.shared.try_lock(context) else { return Poll::Pending };
        let is_encoded = work.encoded > self.number;
        let is_others_turn = !is_encoded && work.steps != self.seen;
        let step = if is_others_turn { Ok(false) } else { work.step(self.number + 1) };
        self.seen = work.steps;
        let step = match step {
            Ok(true) => {
                let parts = work.parts.remove(&self.number).unwrap_or_default();
                self.parts = Some(parts.into_iter().collect());
                Poll::Ready(Ok(()))
            }
            Ok(false) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Err(error) => {
                work.failed = true;
                Poll::Ready(Err(error))
            }
        };
        drop(work);
        self.shared.wake();
        step
    }
}

impl Future for Part {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.parts.is_none() {
            let step = self.step(context);
            if !matches!(step, Poll::Ready(Ok(()))) {
                return step;
            }
        }
        let Self { shared, parts, .. } = &mut *self;
        let Some(parts) = parts else { return Poll::Pending };
        loop {
            match parts.poll_next_unpin(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(Some(Err(error))) => {
                    shared.lock().failed = true;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => {
                    shared.lock().stored += 1;
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let number = self.count;
        self.count += 1;
        self.shared.lock().waiting.push_back(data);
        Box::pin(Part { shared: Arc::clone(&self.shared), number, seen: 0, parts: None })
    }

    /// May be dropped and called again: nothing that is hashed or under way is forgotten.
    async fn complete(&mut self) -> Result<PutResult> {
        {
            let mut work = self.shared.lock();
            if work.failed || work.stored != self.count {
                return Err(work.error());
            }
            work.is_ending = true;
        }
        if self.ending.is_none() {
            let mut pace = Pace::new();
            loop {
                pace.rest().await; // first after the last part, which may have hashed in this poll
                let is_done = { self.shared.lock().step_to_end()? };
                if is_done {
                    break;
                }
            }
            let mut work = self.shared.lock();
            let parts = work.cut(true)?;
            self.ending = work.upload.take().map(|upload| (upload, parts.into_iter().collect()));
        }
        let Some((upload, parts)) = &mut self.ending else { return Err(self.shared.lock().error()) };
        while let Some(part) = parts.next().await {
            if let Err(error) = part {
                self.shared.lock().failed = true;
                return Err(error);
            }
        }
        let result = upload.complete().await?;
        self.ending = None;
        Ok(result)
    }

    async fn abort(&mut self) -> Result<()> {
        {
            let mut work = self.shared.lock();
            work.failed = true;
            if let Some(upload) = work.upload.take() {
                self.ending = Some((upload, FuturesUnordered::new()));
            }
        }
        let Some((upload, parts)) = &mut self.ending else { return Err(self.shared.lock().error()) };
        parts.clear();
        upload.abort().await?;
        self.ending = None;
        Ok(())
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("parts", &self.count).finish_non_exhaustive()
    }
}

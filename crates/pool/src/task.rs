//! Hashers for tasks, on any executor: `update` takes `Bytes`, and is ready at once as long as little is behind.
#![forbid(unsafe_code)]

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;

use crate::after::{After, Sleeper};
use crate::lane::LaneHasher;
use crate::lead::{PATIENCE, decline, lead};
use crate::member::Member;
use crate::piece::{Piece, Pieces};
use crate::queue::Turn;

/// Bytes that a task hashes in one poll, after which it lets others run.
const BUDGET: usize = PATIENCE;
/// Pieces below so many bytes are copied together: lanes end less often, and a small piece frees its memory at once.
const SMALL: usize = 4 << 10;

/// A hasher that shares lanes with those of other tasks: see [`Pool::async_hasher`](crate::Pool::async_hasher).
///
/// [`update`](Self::update) is ready at once while no more than [`limit`](crate::Builder::limit) bytes are behind this
/// stream, those that are given and not yet hashed. A task that gives as much as a stream needs to be
/// [`ready`](crate::Builder::ready), when lanes can be filled, hashes for all that are there; so does one that has to
/// wait. Such a task works for others only until its own bytes are hashed, and hashes 512 KiB a poll at most.
///
/// Dropped, the hasher discards what is not hashed yet.
///
/// ```
/// # async fn upload() {
/// use bytes::Bytes;
/// use simd_digest::sha256;
/// use simd_digest_pool::Pool;
///
/// let pool = Pool::new();
/// let mut hasher = pool.async_hasher(sha256::Hasher::new());
/// hasher.update(Bytes::from_static(b"one, ")).await;
/// hasher.update(Bytes::from_static(b"two")).await;
/// assert_eq!(hasher.finalize().await, sha256::hash(b"one, two"));
/// # }
/// # futures_util::FutureExt::now_or_never(upload());
/// ```
pub struct AsyncPoolHasher<H: LaneHasher> {
    member: Member<H>,
    /// Data that is not queued yet, less than `ready` after each update.
    pieces: Pieces,
    gathered: usize,
    /// Bytes that are queued, or were when the lock was taken last.
    queued: usize,
    ready: usize,
    limit: usize,
}

impl<H: LaneHasher> AsyncPoolHasher<H> {
    pub(crate) fn new(member: Member<H>, ready: usize, limit: usize) -> Self {
        Self { member, pieces: Pieces::default(), gathered: 0, queued: 0, ready, limit }
    }

    /// Appends `bytes` to the message, and waits while too many are behind.
    ///
    /// The bytes are appended when the future is first polled. A future that is dropped then stops waiting, not hashing;
    /// the next update waits in its place. One that was never polled has done nothing. If more than twice the limit is
    /// behind, as after updates that were given up, the bytes are appended only when that has been waited for: an update
    /// of no bytes waits first.
    ///
    /// # Panics
    ///
    /// If hashing panicked in the task that hashed for this one, which no valid use leads to.
    pub fn update(&mut self, bytes: impl Into<Bytes>) -> Update<'_, H> {
        Update { wait: Wait::new(self), bytes: Some(bytes.into()) }
    }

    /// The digest of the message so far, to which more may be appended.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update).
    pub fn finalize(&mut self) -> Finalize<'_, H> {
        Finalize { wait: Wait::new(self) }
    }

    /// Bytes behind this stream, at most.
    fn behind(&self) -> usize {
        self.gathered.saturating_add(self.queued)
    }

    /// Gives back `bytes` if they were copied.
    fn gather(&mut self, bytes: Bytes) -> Option<Bytes> {
        self.gathered += bytes.len();
        if bytes.len() < SMALL {
            self.pieces.gather(&bytes, self.ready);
            return Some(bytes);
        }
        self.pieces.push(Piece::Bytes(bytes));
        None
    }

    /// Queues what is gathered, and hashes if that fills lanes, or if the stream is alone, unless this poll `has_led`.
    fn submit(&mut self, has_led: &mut bool) {
        if self.gathered == 0 {
            return;
        }
        let Member { queue, key } = &self.member;
        let alone = queue.is_alone(*key);
        let (queued, full) = queue.push(*key, None, &mut self.pieces, self.gathered);
        (self.queued, self.gathered) = (queued, 0);
        if (alone || full) && !*has_led && queue.take_seat() {
            lead(queue, *key, BUDGET, After::default());
            *has_led = true;
        }
    }
}

/// The hasher of the core alone says nothing of its message, and may be elsewhere.
impl<H: LaneHasher> fmt::Debug for AsyncPoolHasher<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncPoolHasher").finish_non_exhaustive()
    }
}

/// Waits until no more than so many bytes are behind. Dropped, it passes on the lead that it may have been given.
struct Wait<'h, H: LaneHasher> {
    hasher: &'h mut AsyncPoolHasher<H>,
    /// Others had a chance to bring their data.
    yielded: bool,
    /// A waker may be stored, or may have been woken.
    armed: bool,
}

impl<'h, H: LaneHasher> Wait<'h, H> {
    fn new(hasher: &'h mut AsyncPoolHasher<H>) -> Self {
        Self { hasher, yielded: false, armed: false }
    }

    fn poll(&mut self, at_most: usize, has_led: &mut bool, cx: &Context<'_>) -> Poll<()> {
        let AsyncPoolHasher { member: Member { queue, key }, queued, gathered, .. } = &mut *self.hasher;
        let at_most = at_most.saturating_sub(*gathered);
        if *queued > at_most {
            *queued = queue.left(*key);
        }
        while *queued > at_most {
            if !self.yielded {
                // The seats are left to those who come back from it.
                self.yielded = true;
                if !*has_led {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
            self.armed = true;
            match queue.turn(*key, at_most, Sleeper::Task(cx.waker().clone())) {
                Turn::Done => {
                    self.armed = false;
                    *queued = at_most; // or less
                }
                Turn::Lead(rest) if *has_led => {
                    // Enough for one poll.
                    decline(queue, *key, rest);
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Turn::Lead(rest) => {
                    lead(queue, *key, BUDGET, rest);
                    *has_led = true;
                }
                Turn::Sleep => return Poll::Pending,
            }
        }
        Poll::Ready(())
    }
}

impl<H: LaneHasher> Drop for Wait<'_, H> {
    fn drop(&mut self) {
        if self.armed {
            self.hasher.member.queue.forgo(self.hasher.member.key);
        }
    }
}

/// The future of [`AsyncPoolHasher::update`].
#[must_use = "an update that is not awaited appends nothing"]
pub struct Update<'h, H: LaneHasher> {
    wait: Wait<'h, H>,
    bytes: Option<Bytes>,
}

impl<H: LaneHasher> Future for Update<'_, H> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { wait, bytes } = self.get_mut();
        let limit = wait.hasher.limit;
        let mut has_led = false;
        if let Some(new) = bytes {
            // Bytes count once polled, unless too many would be behind.
            let most = if new.is_empty() { limit } else { 2 * limit };
            if wait.hasher.behind() > most && wait.poll(most, &mut has_led, cx).is_pending() {
                return Poll::Pending;
            }
            let copied = bytes.take().and_then(|bytes| wait.hasher.gather(bytes));
            if wait.hasher.gathered >= wait.hasher.ready || wait.hasher.behind() > limit {
                wait.hasher.submit(&mut has_led);
            }
            drop(copied);
        }
        wait.poll(limit, &mut has_led, cx)
    }
}

/// The future of [`AsyncPoolHasher::finalize`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finalize<'h, H: LaneHasher> {
    wait: Wait<'h, H>,
}

impl<H: LaneHasher> Future for Finalize<'_, H> {
    type Output = H::Hash;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<H::Hash> {
        let wait = &mut self.get_mut().wait;
        let mut has_led = false;
        wait.hasher.submit(&mut has_led);
        if wait.poll(0, &mut has_led, cx).is_pending() {
            return Poll::Pending;
        }
        let Member { queue, key } = &wait.hasher.member;
        Poll::Ready(queue.copy_hasher(*key).expect("all data is hashed").digest())
    }
}

macro_rules! debug {
    ($($Future:ident)+) => {$(
        impl<H: LaneHasher> fmt::Debug for $Future<'_, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Future)).finish_non_exhaustive()
            }
        }
    )+};
}
debug!(Update Finalize);

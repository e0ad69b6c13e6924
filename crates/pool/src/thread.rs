//! Hashers for threads: `update` returns when its bytes are hashed.
#![forbid(unsafe_code)]

use core::fmt;
use std::io;
use std::sync::Arc;

use simd_digest::digest::Update;

use crate::lane::LaneHasher;
use crate::member::Member;
use crate::sync::Bed;

/// Bytes that a stream hashes alone before it looks whether it still is.
const LOOK: usize = 64 << 10;

/// A hasher that shares lanes with those of other threads: see [`Pool::hasher`](crate::Pool::hasher).
///
/// [`update`](Self::update) returns when the bytes are hashed, by this thread or by another. The buffer is free then.
///
/// Updates below the [threshold](crate::Builder::threshold) are hashed at once, and so are those of a stream that is
/// alone: the last four updates of this hash were all its own. Any other yields once if lanes
/// are free, so that other threads can bring theirs. Then the thread that finds a seat hashes for all that are there, and
/// works for others only until its own bytes are hashed.
///
/// There is no `digest::Digest`, whose `new` has no pool.
///
/// ```
/// use simd_digest::{blake2b, blake2b::Params};
/// use simd_digest_pool::Pool;
///
/// let pool = Pool::new();
/// let mut hasher = pool.hasher(Params::new().key(b"a key").hasher()?);
/// hasher.update(&[7; 100_000]).update(b"the end");
/// let tag = hasher.finalize();
///
/// let mut alone: blake2b::Hasher = hasher.into_inner();
/// assert_eq!(alone.update(b"").finalize(), tag);
/// # Ok::<(), simd_digest::blake2::ParamsError>(())
/// ```
pub struct PoolHasher<H: LaneHasher> {
    /// None after a panic only.
    hasher: Option<H>,
    member: Member<H>,
    bed: Arc<Bed>,
    threshold: usize,
}

impl<H: LaneHasher> PoolHasher<H> {
    pub(crate) fn new(hasher: H, member: Member<H>, threshold: usize) -> Self {
        Self { hasher: Some(hasher), member, bed: Arc::new(Bed::new()), threshold }
    }

    /// Appends `bytes` to the message, and returns when they are hashed.
    ///
    /// # Panics
    ///
    /// If hashing panicked in the thread that hashed for this one, which no valid use leads to. The hasher is lost then.
    pub fn update(&mut self, mut bytes: &[u8]) -> &mut Self {
        const LOST: &str = "hashing has not panicked";
        let queue = &self.member.queue;
        if bytes.len() < self.threshold {
            self.hasher.as_mut().expect(LOST).append(bytes);
            return self;
        }
        if bytes.is_empty() {
            return self;
        }
        if queue.is_alone(self.member.key) {
            let hasher = self.hasher.as_mut().expect(LOST);
            while let Some((next, rest)) = bytes.split_at_checked(LOOK.min(bytes.len())).filter(|_| !bytes.is_empty()) {
                hasher.append(next);
                queue.counters.alone(1);
                bytes = rest;
                if !queue.is_still_alone(self.member.key) {
                    break;
                }
            }
            if bytes.is_empty() {
                return self;
            }
        }
        let hasher = self.hasher.take().expect(LOST);
        self.hasher = self.member.append(hasher, bytes, &self.bed);
        self
    }

    /// The digest of the message so far, to which more may be appended.
    ///
    /// # Panics
    ///
    /// If an [`update`](Self::update) has panicked.
    #[must_use]
    pub fn finalize(&self) -> H::Hash {
        self.inner().digest()
    }

    /// The hasher of `simd_digest`, with all bytes so far. It no longer takes part in the pool.
    ///
    /// # Panics
    ///
    /// If an [`update`](Self::update) has panicked.
    #[must_use]
    pub fn into_inner(mut self) -> H {
        self.hasher.take().expect("no update has panicked")
    }

    fn inner(&self) -> &H {
        self.hasher.as_ref().expect("no update has panicked")
    }
}

/// The clone is a stream of its own in the same pool.
impl<H: LaneHasher> Clone for PoolHasher<H> {
    fn clone(&self) -> Self {
        let member = Member::new(self.member.queue.clone(), None);
        Self { hasher: self.hasher.clone(), member, bed: Arc::new(Bed::new()), threshold: self.threshold }
    }
}

/// For code that knows the `digest` traits alone. `PoolHasher::update` takes precedence over this method.
impl<H: LaneHasher> Update for PoolHasher<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Appends to the message; never fails.
impl<H: LaneHasher> io::Write for PoolHasher<H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The hasher of the core alone, which says nothing of its message.
impl<H: LaneHasher + fmt::Debug> fmt::Debug for PoolHasher<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PoolHasher").field(&self.hasher).finish()
    }
}

//! Parameters and hasher of the parallel mode, for both flavours.

use core::{fmt, mem};

use simd_digest::Backend;

use crate::flavour::{Count, ours};
use crate::sequential::{Hash, KEYBYTES, OUTBYTES};

/// Digest length and key. Setters panic if what they are given is out of its range.
#[derive(Clone)]
pub struct Params {
    params: ours::Params,
}

impl Params {
    /// The hash of full length, without a key.
    pub fn new() -> Self {
        Self { params: ours::Params::new() }
    }

    fn set(&mut self, set: impl FnOnce(ours::Params) -> ours::Params) -> &mut Self {
        self.params = set(mem::take(&mut self.params));
        self
    }

    pub(crate) fn force(&mut self, backend: Backend) {
        self.set(|params| params.with_backend(backend));
    }

    /// The digest of `input`.
    pub fn hash(&self, input: &[u8]) -> Hash {
        self.to_state().update(input).finalize()
    }

    /// A hasher with these parameters.
    pub fn to_state(&self) -> State {
        State { hasher: self.params.parallel().expect("setters take only what is in range") }
    }

    /// Bytes of the digest, from 1 to `OUTBYTES`.
    pub fn hash_length(&mut self, length: usize) -> &mut Self {
        assert!((1..=OUTBYTES).contains(&length), "Bad hash length: {length}");
        self.set(|params| params.hash_length(length))
    }

    /// A secret of at most `KEYBYTES` bytes. An empty key is none.
    pub fn key(&mut self, key: &[u8]) -> &mut Self {
        assert!(key.len() <= KEYBYTES, "Bad key length: {}", key.len());
        self.set(|params| params.key(key))
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Params").finish_non_exhaustive()
    }
}

/// A hasher.
#[derive(Clone)]
pub struct State {
    hasher: ours::Parallel,
}

impl State {
    /// With default parameters.
    pub fn new() -> Self {
        Params::new().to_state()
    }

    /// Appends `input` to the message.
    pub fn update(&mut self, input: &[u8]) -> &mut Self {
        self.hasher.update(input);
        self
    }

    /// The digest of the message so far.
    pub fn finalize(&self) -> Hash {
        Hash::of(self.hasher.finalize())
    }

    /// Bytes of the message so far.
    pub fn count(&self) -> Count {
        self.hasher.count() as Count
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl std::io::Write for State {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.update(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

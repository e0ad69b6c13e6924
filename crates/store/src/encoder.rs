//! From bytes of an object to stored bytes, batch by batch.

use bytes::Bytes;
use object_store::Result;
use object_store::path::Path;

use crate::error::Error;
use crate::hashing::Hashing;
use crate::rope::Rope;
use crate::stripes::{EncodeError, Stripes, finish};
use crate::watch::Watch;

/// Bytes that wait, a batch that is hashed, and stored bytes that wait.
pub(crate) struct Encoder {
    pub(crate) stripes: Stripes,
    pub(crate) path: Path,
    pub(crate) input: Rope,
    pub(crate) output: Rope,
    /// The number of the next stripe, the bytes before it, and those of the batch.
    next: u64,
    len: u64,
    taken: u64,
    pub(crate) hashing: Option<Hashing>,
    is_ended: bool,
}

impl Encoder {
    pub(crate) fn new(stripes: Stripes, path: &Path) -> Self {
        let mut output = Rope::default();
        output.push(Bytes::copy_from_slice(&stripes.header()));
        let path = path.clone();
        let input = Rope::default();
        Self { stripes, path, input, output, next: 0, len: 0, taken: 0, hashing: None, is_ended: false }
    }

    /// The next batch, if there are stripes to hash. The last stripe waits until the object `ends`.
    pub(crate) fn batch(&mut self, ends: bool) -> Result<Option<Hashing>> {
        let stripe = self.stripes.stripe_length() as usize;
        let whole = if ends { self.input.len().div_ceil(stripe) } else { self.input.len().saturating_sub(1) / stripe };
        let whole = if ends && !self.is_ended { whole.max(1) } else { whole } as u64;
        if whole == 0 || self.is_ended {
            return Ok(None);
        }
        let most = whole.min(self.stripes.layout().group());
        let too_long = || Error::new(&self.path, EncodeError::TooLong);
        let len = self.len.checked_add(self.input.len() as u64);
        if len.and_then(|len| self.stripes.stored(len)).is_none() {
            return Err(too_long().into());
        }
        let hashing = self.stripes.begin(&mut self.next, &mut self.input, most, ends);
        let hashing = hashing.ok_or_else(|| Error::new(&self.path, EncodeError::TooLong))?;
        self.len += hashing.left() as u64;
        self.is_ended = ends && self.input.len() == 0;
        Ok(Some(hashing))
    }

    /// Begins the next batch, if there are stripes to hash.
    pub(crate) fn begin(&mut self, ends: bool) -> Result<bool> {
        self.hashing = self.batch(ends)?;
        self.taken = self.hashing.as_ref().map_or(0, |hashing| hashing.left() as u64);
        Ok(self.hashing.is_some())
    }

    /// Moves a batch that is hashed to the output.
    pub(crate) fn end(&mut self, watch: &Watch) {
        if let Some(hashing) = self.hashing.take() {
            self.output.extend(finish(hashing));
            watch.written(core::mem::take(&mut self.taken));
        }
    }
}

//! Open files, which stores of local files give: one version of an object, whatever becomes of its name.

use core::future::poll_fn;
use core::ops::Range;
use core::pin::Pin;
use core::task::Poll;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::future::{Either, maybe_done};
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{FutureExt, StreamExt};
use object_store::{Attributes, Error as StoreError, GetResult, GetResultPayload, ObjectMeta, Result};

use crate::error::STORE;

/// An open file.
pub(crate) struct OpenFile {
    file: File,
    path: PathBuf,
    meta: ObjectMeta,
    /// Its length and time when it was opened, if they could be had.
    begun: Option<(u64, SystemTime)>,
}

/// The length and the time of the contents.
fn state(file: &File) -> Option<(u64, SystemTime)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// The payload of a get: an open file, or a stream.
pub(crate) fn file_or_stream(result: GetResult) -> Either<Arc<OpenFile>, BoxStream<'static, Result<Bytes>>> {
    match result.payload {
        GetResultPayload::File(file, path) => {
            let begun = state(&file);
            Either::Left(Arc::new(OpenFile { file, path, meta: result.meta, begun }))
        }
        GetResultPayload::Stream(stream) => Either::Right(stream),
    }
}

impl OpenFile {
    /// Reads a range by one call of the system, in a thread that may wait if there is a runtime of tokio.
    pub(crate) async fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let clone = self.file.try_clone();
        let file = clone.map_err(|error| StoreError::Generic { store: STORE, source: error.into() })?;
        let payload = GetResultPayload::File(file, self.path.clone());
        GetResult { payload, meta: self.meta.clone(), range, attributes: Attributes::default() }.bytes().await
    }

    /// A stream of a range in pieces of this many bytes, each of which is read while the one before is hashed.
    pub(crate) fn pieces(self: Arc<Self>, range: Range<u64>, piece: u64) -> BoxStream<'static, Result<Bytes>> {
        let end = range.end;
        let mut pieces = range
            .step_by(usize::try_from(piece).unwrap_or(usize::MAX))
            .map(move |begin| begin..begin.saturating_add(piece).min(end));
        let mut next = move || {
            let (file, range) = (Arc::clone(&self), pieces.next()?);
            Some(maybe_done(async move { file.read(range).await }.boxed()))
        };
        let first = next();
        let stream = try_unfold((next, first), |(mut next, now)| async move {
            let Some(mut now) = now else { return Ok(None) };
            (&mut now).await;
            let mut then = next();
            // Begins to read it.
            poll_fn(|context| {
                let _ = then.as_mut().map(|then| then.poll_unpin(context));
                Poll::Ready(())
            })
            .await;
            let bytes = Pin::new(&mut now).take_output().transpose()?;
            Ok(bytes.map(|bytes| (bytes, (next, then))))
        });
        stream.boxed()
    }

    /// Whether somebody wrote to the file itself since it was opened, which stores do not.
    pub(crate) fn has_changed(&self) -> bool {
        state(&self.file) != self.begun
    }
}

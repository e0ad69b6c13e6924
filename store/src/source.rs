//! An object that is open for reading: what the first request told, and further requests for the same version.

use core::future::{poll_fn, ready};
use core::ops::Range;
use core::pin::Pin;
use core::task::Poll;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, MaybeDone, join, maybe_done};
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    Attributes, Error as StoreError, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, ObjectStore, Result,
};

use crate::error::{Error, Problem};
use crate::format::Format;
use crate::hashing::Leaves;
use crate::header::HeaderError;
use crate::layout::Layout;
use crate::leaf_file::Table;
use crate::rope::Rope;
use crate::stripes::Stripes;

/// The times that reading begins anew if the object changes.
const TIMES: u32 = 3;

/// The bytes of the pieces in which files are read, about.
const PIECE: u64 = 1 << 20;

/// Why a request failed.
pub(crate) enum Failure {
    /// The object is another one than at the first request.
    Changed(StoreError),
    /// All else.
    Other(StoreError),
}

impl<E: Into<StoreError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// Runs `read` once, and again up to three times if the object changed meanwhile.
pub(crate) async fn again<R, F: Future<Output = Result<R, Failure>>>(mut read: impl FnMut() -> F) -> Result<R> {
    let mut times = 0;
    loop {
        match read().await {
            Ok(read) => return Ok(read),
            Err(Failure::Other(error)) => return Err(error),
            Err(Failure::Changed(error)) if times == TIMES => return Err(error),
            Err(Failure::Changed(_)) => times += 1,
        }
    }
}

/// An open object.
pub(crate) struct Source {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The metadata, with the stored length, and the name by which the object was asked for: some stores give another
    /// one, which they would not find.
    pub(crate) stored: ObjectMeta,
    pub(crate) attributes: Attributes,
    /// The length that users know.
    pub(crate) len: u64,
    pub(crate) layout: Layout,
    pub(crate) leaves: Leaves,
    /// The digests, if they are not before the stripes.
    pub(crate) table: Option<Arc<Table>>,
    /// The conditions of all further requests.
    pin: GetOptions,
}

impl Source {
    /// An object beside its digests.
    pub(crate) fn beside(
        store: Arc<dyn ObjectStore>,
        path: &Path,
        first: GetResult,
        options: &GetOptions,
        table: Arc<Table>,
    ) -> Self {
        let pin = pin(&first.meta, options);
        let GetResult { meta, attributes, .. } = first;
        let meta = ObjectMeta { location: path.clone(), ..meta };
        let (layout, leaves) = (table.layout(), table.leaves());
        Self { store, len: meta.size, stored: meta, attributes, layout, leaves, table: Some(table), pin }
    }

    /// The metadata with the length that users know.
    pub(crate) fn meta(&self) -> ObjectMeta {
        ObjectMeta { size: self.len, ..self.stored.clone() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.stored.location
    }

    pub(crate) fn error(&self, problem: impl Into<Problem>) -> StoreError {
        Error::new(self.path(), problem).into()
    }

    /// Asks for stored bytes of the version that is open.
    pub(crate) async fn request(&self, range: Range<u64>) -> Result<GetResult, Failure> {
        request(&self.store, &self.stored, &self.pin, range).await
    }

    /// A stream of stored bytes. A payload that is no stream, but an open file, is read by requests for pieces.
    pub(crate) async fn stream(
        self: &Arc<Self>,
        first: GetResult,
    ) -> Result<BoxStream<'static, Result<Bytes>>, Failure> {
        #[allow(irrefutable_let_patterns, reason = "without `object_store/fs`, payloads are streams")]
        let GetResultPayload::Stream(stream) = first.payload else { return self.pieces(first.range).await };
        Ok(stream)
    }

    /// A stream of stored bytes of a store that gives open files, by requests for pieces of a MiB. Each is read by one
    /// call of the system, while the one before is hashed. No request is under way while the caller has a piece, only
    /// reading, so stores that limit their requests do not wait for the caller.
    pub(crate) async fn pieces(
        self: &Arc<Self>,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes>>, Failure> {
        let group = self.layout.group().saturating_mul(u64::from(self.layout.stripe) + self.layout.digest);
        let piece = if group <= 2 * PIECE { group } else { PIECE };
        let Range { start, end } = range;
        let mut pieces = (start..end)
            .step_by(usize::try_from(piece).unwrap_or(usize::MAX))
            .map(move |begin| begin..begin.saturating_add(piece).min(end));
        let first = match pieces.next() {
            Some(first) => Some(reading(self.request(first).await?)),
            None => None,
        };
        let state = (Arc::clone(self), pieces, first);
        let stream = try_unfold(state, |(source, mut pieces, now)| async move {
            let Some(mut now) = now else { return Ok(None) };
            let request = async {
                match pieces.next() {
                    Some(piece) => Some(source.request(piece).await),
                    None => None,
                }
            };
            let (next, ()) = join(request, &mut now).await;
            let mut next = next.map(|next| match next {
                Ok(next) => reading(next),
                Err(Failure::Changed(error) | Failure::Other(error)) => maybe_done(ready(Err(error)).boxed()),
            });
            // Begins to read it.
            poll_fn(|context| {
                let _ = next.as_mut().map(|next| next.poll_unpin(context));
                Poll::Ready(())
            })
            .await;
            let bytes = Pin::new(&mut now).take_output().transpose()?;
            Ok(bytes.map(|bytes| (bytes, (source, pieces, next))))
        });
        Ok(stream.boxed())
    }
}

/// The bytes of a piece.
fn reading(piece: GetResult) -> MaybeDone<BoxFuture<'static, Result<Bytes>>> {
    maybe_done(piece.bytes().boxed())
}

/// The conditions that bind requests to the version with this metadata. A weak ETag would never match.
fn pin(meta: &ObjectMeta, options: &GetOptions) -> GetOptions {
    GetOptions {
        if_match: meta.e_tag.clone().filter(|tag| !tag.starts_with("W/")),
        version: meta.version.clone().or_else(|| options.version.clone()),
        extensions: options.extensions.clone(),
        ..GetOptions::default()
    }
}

/// Whether an object with metadata `now` is the version with metadata `before`, as far as they tell.
fn is_same(now: &ObjectMeta, before: &ObjectMeta) -> bool {
    let is_other =
        |now: &Option<String>, before: &Option<String>| matches!((now, before), (Some(a), Some(b)) if a != b);
    let has_strong_tag = now.e_tag.as_ref().is_some_and(|tag| !tag.starts_with("W/")) && now.e_tag == before.e_tag;
    now.size == before.size
        && !is_other(&now.e_tag, &before.e_tag)
        && !is_other(&now.version, &before.version)
        && (has_strong_tag || now.last_modified == before.last_modified)
}

async fn request(
    store: &Arc<dyn ObjectStore>,
    first: &ObjectMeta,
    pin: &GetOptions,
    range: Range<u64>,
) -> Result<GetResult, Failure> {
    let path = &first.location;
    let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..pin.clone() };
    let result = store.get_opts(path, options).await.map_err(|error| match error {
        StoreError::Precondition { .. } => Failure::Changed(error),
        error => Failure::Other(error),
    })?;
    if !is_same(&result.meta, first) {
        return Err(Failure::Changed(Error::new(path, Problem::Changed).into()));
    }
    expect(path, &result, &range)?;
    Ok(result)
}

/// An error unless the result is of this range.
fn expect(path: &Path, result: &GetResult, range: &Range<u64>) -> Result<()> {
    let length = |range: &Range<u64>| range.end.saturating_sub(range.start);
    if result.range == *range {
        return Ok(());
    }
    Err(Error::new(path, Problem::Returned { asked: length(range), got: length(&result.range) }).into())
}

/// The first bytes of an object.
pub(crate) struct Head {
    pub(crate) meta: ObjectMeta,
    attributes: Attributes,
    /// `None` if the object is shorter.
    pub(crate) header: Option<[u8; Stripes::HEADER_LENGTH]>,
    is_file: bool,
}

/// Reads the header alone, by the request that the options describe, but for the range.
pub(crate) async fn head(store: &Arc<dyn ObjectStore>, path: &Path, options: &GetOptions) -> Result<Head> {
    let length = Stripes::HEADER_LENGTH as u64;
    let range = Some(GetRange::Bounded(0..length));
    let named = |meta: &ObjectMeta| ObjectMeta { location: path.clone(), ..meta.clone() };
    let result = match store.get_opts(path, GetOptions { range, head: false, ..options.clone() }).await {
        Ok(result) => result,
        Err(error @ StoreError::Generic { .. }) => {
            // A store refuses a range of an object that is empty.
            return match store.get_opts(path, GetOptions { range: None, head: true, ..options.clone() }).await {
                Ok(GetResult { meta, attributes, .. }) if meta.size < length => {
                    Ok(Head { meta: named(&meta), attributes, header: None, is_file: false })
                }
                _ => Err(error),
            };
        }
        Err(error) => return Err(error),
    };
    let (meta, attributes) = (named(&result.meta), result.attributes.clone());
    let is_file = !matches!(result.payload, GetResultPayload::Stream(_));
    if meta.size < length {
        return Ok(Head { meta, attributes, header: None, is_file });
    }
    expect(path, &result, &(0..length))?;
    let bytes = result.bytes().await?;
    let Some(header) = bytes.first_chunk().copied() else {
        return Err(Error::new(path, Problem::Returned { asked: length, got: bytes.len() as u64 }).into());
    };
    Ok(Head { meta, attributes, header: Some(header), is_file })
}

/// An object with its header.
pub(crate) struct Opened {
    pub(crate) source: Source,
    /// The rest of the stored bytes, if the first request was for all of them.
    pub(crate) rest: Option<(Rope, GetResult)>,
    /// Whether the store gives open files, which are read by requests for pieces.
    pub(crate) is_file: bool,
}

/// Opens an object with the request that the options describe, but for the range, which is the object from its
/// beginning if it is `whole`, and otherwise the header.
pub(crate) async fn open(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    options: &GetOptions,
    format: &Format,
    whole: bool,
) -> Result<Opened, Failure> {
    let length = Stripes::HEADER_LENGTH as u64;
    let (begun, rest) = if whole {
        let mut first = store.get_opts(path, GetOptions { range: None, head: false, ..options.clone() }).await?;
        let meta = ObjectMeta { location: path.clone(), ..first.meta.clone() };
        let attributes = core::mem::take(&mut first.attributes);
        let mut begun = Head { meta, attributes, header: None, is_file: false };
        match first.payload {
            GetResultPayload::Stream(mut stream) => {
                let mut rope = Rope::default();
                while rope.len() < Stripes::HEADER_LENGTH
                    && let Some(bytes) = stream.try_next().await?
                {
                    rope.push(bytes);
                }
                let got = rope.len() as u64;
                begun.header = rope.array();
                if begun.header.is_none() && begun.meta.size >= length {
                    return Err(Error::new(path, Problem::Returned { asked: length, got }).into());
                }
                first.payload = GetResultPayload::Stream(stream);
                (begun, Some((rope, first)))
            }
            #[allow(unreachable_patterns, reason = "without `object_store/fs`, payloads are streams")]
            file => {
                begun.is_file = true;
                if begun.meta.size >= length {
                    first.payload = file;
                    first.range = 0..length;
                    begun.header = first.bytes().await?.first_chunk().copied();
                }
                (begun, None)
            }
        }
    } else {
        (head(store, path, options).await?, None)
    };
    let Head { meta, attributes, header, is_file } = begun;
    let header = header.ok_or_else(|| Error::new(path, HeaderError::Foreign))?;
    let stripes = format.open(&header).map_err(|error| Error::new(path, error))?;
    let len = stripes.length(meta.size).ok_or_else(|| Error::new(path, Problem::Length { stored: meta.size }))?;
    let source = Source {
        store: Arc::clone(store),
        pin: pin(&meta, options),
        stored: meta,
        attributes,
        len,
        layout: stripes.layout(),
        leaves: stripes.leaves,
        table: None,
    };
    Ok(Opened { source, rest, is_file })
}

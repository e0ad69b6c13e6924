//! An object that is open for reading: what the first request told, and further requests for the same version.

use core::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::Either;
use futures_util::stream::{BoxStream, empty};
use object_store::path::Path;
use object_store::{Attributes, Error as StoreError, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, Result};

use crate::error::{Error, Problem};
use crate::file::{OpenFile, file_or_stream};
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

impl Failure {
    /// The error, for those who do not begin anew.
    pub(crate) fn error(self) -> StoreError {
        match self {
            Self::Changed(error) | Self::Other(error) => error,
        }
    }
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

/// The answer to the first request for an object beside its digests.
pub(crate) struct First {
    pub(crate) meta: ObjectMeta,
    attributes: Attributes,
    file: Option<Arc<OpenFile>>,
}

impl First {
    /// From the answer to a request for metadata. Stores that limit their requests count it until its payload is
    /// dropped.
    pub(crate) fn of(result: GetResult) -> Self {
        let (meta, attributes) = (result.meta.clone(), result.attributes.clone());
        let file = match file_or_stream(result) {
            Either::Left(file) => Some(file),
            Either::Right(_) => None,
        };
        Self { meta, attributes, file }
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
    /// The object itself, if the first request opened a file. Then there are no further requests.
    file: Option<Arc<OpenFile>>,
    /// The conditions of all further requests.
    pin: GetOptions,
}

impl Source {
    /// An object beside its digests.
    pub(crate) fn beside(
        store: Arc<dyn ObjectStore>,
        path: &Path,
        first: First,
        options: &GetOptions,
        table: Arc<Table>,
    ) -> Self {
        let pin = pin(&first.meta, options);
        let (meta, attributes) = (first.meta, first.attributes);
        let stored = ObjectMeta { location: path.clone(), ..meta };
        let (layout, leaves) = (table.layout(), table.leaves());
        let table = Some(table);
        Self { store, len: stored.size, stored, attributes, layout, leaves, table, file: first.file, pin }
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

    /// A stream of stored bytes of the version that is open. No request is under way while the caller has a piece of a
    /// file, so stores that limit their requests do not wait for the caller.
    pub(crate) async fn stream(&self, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>, Failure> {
        if let Some(file) = &self.file {
            let group = self.layout.group().saturating_mul(u64::from(self.layout.stripe) + self.layout.digest);
            let piece = if group <= 2 * PIECE { group } else { PIECE };
            return Ok(Arc::clone(file).pieces(range, piece));
        }
        Ok(request(&self.store, &self.stored, &self.pin, range).await?.into_stream())
    }

    /// Stored bytes of the version that is open: fewer if the store gives no more.
    pub(crate) async fn fetch(&self, range: Range<u64>) -> Result<Rope, Failure> {
        let mut rope = Rope::default();
        if let Some(file) = &self.file {
            let bytes = file.read(range).await;
            let changed = |error| if file.has_changed() { self.changed() } else { Failure::Other(error) };
            rope.push(bytes.map_err(changed)?);
        } else {
            let length = range.end - range.start;
            rope.fill(&mut self.stream(range).await?, length).await?;
        }
        Ok(rope)
    }

    /// Whether somebody wrote to the open file itself.
    pub(crate) fn has_changed(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.has_changed())
    }

    /// Whether the open file has its name no more, and its digests, which were read by name, may be those of another.
    pub(crate) async fn is_replaced(&self) -> bool {
        if self.table.is_none() || self.file.is_none() {
            return false;
        }
        let head = GetOptions { head: true, extensions: self.pin.extensions.clone(), ..GetOptions::default() };
        let now = self.store.get_opts(self.path(), head).await;
        now.is_ok_and(|now| !is_same(&now.meta, &self.stored))
    }

    /// The failure if somebody did.
    pub(crate) fn changed(&self) -> Failure {
        Failure::Changed(self.error(Problem::Changed))
    }
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
    file: Option<Arc<OpenFile>>,
}

/// Reads the header alone, by the request that the options describe, except the range.
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
                    Ok(Head { meta: named(&meta), attributes, header: None, file: None })
                }
                _ => Err(error),
            };
        }
        Err(error) => return Err(error),
    };
    let (meta, attributes) = (named(&result.meta), result.attributes.clone());
    if meta.size < length {
        return Ok(Head { meta, attributes, header: None, file: None });
    }
    expect(path, &result, &(0..length))?;
    let (file, mut rope, _) = begin(result).await?;
    let got = rope.len() as u64;
    let Some(header) = rope.array() else {
        return Err(Error::new(path, Problem::Returned { asked: length, got }).into());
    };
    Ok(Head { meta, attributes, header: Some(header), file })
}

/// The header's bytes, and maybe more: of an open file, or of a stream, which goes on.
async fn begin(result: GetResult) -> Result<(Option<Arc<OpenFile>>, Rope, BoxStream<'static, Result<Bytes>>)> {
    let length = result.meta.size.min(Stripes::HEADER_LENGTH as u64);
    let mut rope = Rope::default();
    match file_or_stream(result) {
        Either::Left(file) => {
            rope.push(file.read(0..length).await?);
            Ok((Some(file), rope, empty().boxed()))
        }
        Either::Right(mut stream) => {
            rope.fill(&mut stream, length).await?;
            Ok((None, rope, stream))
        }
    }
}

/// An object with its header.
pub(crate) struct Opened {
    pub(crate) source: Source,
    /// The rest of the stored bytes, if the first request was for all of them and they come as a stream.
    pub(crate) rest: Option<(Rope, BoxStream<'static, Result<Bytes>>)>,
}

/// Opens an object with the request that the options describe, except the range, which is the object from its
/// beginning if it is `whole`, and otherwise the header.
pub(crate) async fn open(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    options: &GetOptions,
    format: &Format,
    whole: bool,
) -> Result<Opened, Failure> {
    let (begun, rest) = if whole {
        let first = store.get_opts(path, GetOptions { range: None, head: false, ..options.clone() }).await?;
        let meta = ObjectMeta { location: path.clone(), ..first.meta.clone() };
        let attributes = first.attributes.clone();
        let (file, mut rope, stream) = begin(first).await?;
        let (asked, got) = (Stripes::HEADER_LENGTH as u64, rope.len() as u64);
        let header = rope.array();
        if header.is_none() && meta.size >= asked {
            return Err(Error::new(path, Problem::Returned { asked, got }).into());
        }
        let rest = file.is_none().then_some((rope, stream));
        (Head { meta, attributes, header, file }, rest)
    } else {
        (head(store, path, options).await?, None)
    };
    let Head { meta, attributes, header, file } = begun;
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
        file,
    };
    Ok(Opened { source, rest })
}

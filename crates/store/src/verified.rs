//! A store whose objects are verified on every read.

use core::any::Any;
use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
#[cfg(all(feature = "fs", not(target_arch = "wasm32")))]
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error as StoreError, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
};

use crate::buffers::Buffers;
use crate::corrupt::Corrupt;
use crate::error::Error;
use crate::format::Format;
use crate::listing::with_sizes;
use crate::put::{Form, encode};
use crate::read::{check, read, read_ranges};
use crate::sidecar::Sidecar;
use crate::source::{again, open};
use crate::watch::{Stats, Watch};
use crate::write::{PART, Upload};

/// Where the sizes in listings come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizes {
    /// From the header of each object: a request for 64 bytes for each, 32 at once. They are right for all objects
    /// whose header can be read. Others are listed with their stored size, and
    /// [`Stats::unknown_sizes`](crate::Stats::unknown_sizes) counts them.
    ///
    /// At most 32 headers and 1000 listed objects are held. A `LimitStore` of `object_store` counts a listing as a
    /// request until it ends. So `n` listings at once, each of more than 1000 objects, need a limit of at least
    /// `n + 1`, or they wait for ever.
    #[default]
    Read,
    /// From the stored length alone, without a request. They are right for objects whose stripes have the length of
    /// this store's [`Format`]; others have a wrong size.
    Computed,
}

/// A store, over another one, whose objects are verified on every read.
///
/// - Lengths and ranges are those of the bytes that were put. Objects are stored with a header and digests of stripes.
/// - Errors about a stored object are [`object_store::Error::Generic`] with an [`Error`] as their source, except for an
///   object that changed, which is [`object_store::Error::Precondition`]. A range that the object does not have is
///   [`object_store::Error::Generic`] without one. Errors of the wrapped store are passed on.
/// - Each get begins with one request: for the header, or for all of the object if all is asked for. A local file that
///   this opens is read to its end, whatever becomes of its name. With other stores, further requests carry the ETag
///   and the version of the first. If the object has changed, reading begins anew, at most three times, until
///   [`get_opts`](ObjectStore::get_opts) has returned; afterwards the error is [`object_store::Error::Precondition`].
///   **A store that gives neither**, or only weak ETags, cannot tell an object that changes while it is read from one
///   that is corrupt: the read fails then, and never returns a mixture.
/// - The size that `head` and listings give is computed from the stored length, which only reading the last stripe
///   verifies.
/// - A put of 16 MiB or more, without conditions, is an upload by parts of 8 MiB if the wrapped store has uploads by
///   parts, so that hashing and writing overlap. [`put_whole`](Self::put_whole) turns this off. All other puts are one
///   request, and threads help to hash: [`without_threads`](Self::without_threads) turns that off.
/// - `InMemory` is handed one piece, since it would join several. All other stores are handed digests and slices of the
///   payload, which is not copied.
///
/// Memory for each reader: a batch of stripes, which is 1 MiB or for stripes above 64 KiB at most 8 MiB or one stripe,
/// and as much again of a file that is read ahead.
///
/// The first example of the [crate] shows its use.
pub struct Verified<T> {
    inner: Arc<T>,
    format: Format,
    watch: Arc<Watch>,
    allows_unchecked: bool,
    sizes: Sizes,
    puts_whole: bool,
    has_threads: bool,
    kind: Kind,
    /// Buffers for parts of files.
    buffers: Option<Arc<Buffers>>,
}

/// Facts about the wrapped store, for speed alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `InMemory` keeps one piece as it is, and joins several, on one thread.
    Memory,
    /// `LocalFileSystem` writes each piece by a call of the system, and a small one takes as long as 50 KB. It takes
    /// parts of any length, and shows nothing before the upload is complete, as with a put.
    Files,
    Other,
}

impl Kind {
    fn of<T: ObjectStore>(store: &T) -> Self {
        let store: &dyn Any = store;
        if store.is::<InMemory>() || store.is::<Arc<InMemory>>() {
            return Self::Memory;
        }
        #[cfg(all(feature = "fs", not(target_arch = "wasm32")))]
        if store.is::<LocalFileSystem>() || store.is::<Arc<LocalFileSystem>>() {
            return Self::Files;
        }
        Self::Other
    }
}

impl<T: ObjectStore> Verified<T> {
    /// Wraps a store. New objects have this format, and objects with another hash or stripe length are read as they
    /// are.
    pub fn new(store: T, format: Format) -> Self {
        let kind = Kind::of(&store);
        Self {
            inner: Arc::new(store),
            format,
            watch: Arc::default(),
            allows_unchecked: false,
            sizes: Sizes::default(),
            puts_whole: false,
            has_threads: true,
            kind,
            buffers: (kind == Kind::Files).then(Arc::default),
        }
    }

    /// Wraps a store of plain objects, each of which has its digests beside it: see [`Sidecar`].
    pub fn sidecar(store: T) -> Sidecar<T> {
        Sidecar::new(store)
    }

    /// Allows [`Check::Never`](crate::Check::Never) though there is a key.
    #[must_use]
    pub fn allow_unchecked(mut self) -> Self {
        self.allows_unchecked = true;
        self
    }

    /// Has `hook` told of corrupt stripes, from the thread that reads.
    ///
    /// A stripe of one version of an object is told once, however many readers find it and however often, of the 1024
    /// stripes that were told last. Every reader gets the error all the same. A version is the stored object's ETag,
    /// version, time and length. A hook that was set before is replaced; so set it before the store is shared.
    #[must_use]
    pub fn on_corrupt(mut self, hook: impl Fn(&Path, &Corrupt) + Send + Sync + 'static) -> Self {
        self.watch = Arc::new(Watch::telling(hook));
        self
    }

    /// Chooses where the sizes in listings come from.
    #[must_use]
    pub fn with_sizes(mut self, sizes: Sizes) -> Self {
        self.sizes = sizes;
        self
    }

    /// Has every put be one request of the wrapped store, never an upload by parts.
    #[must_use]
    pub fn put_whole(mut self) -> Self {
        self.puts_whole = true;
        self
    }

    /// Has the task of a put hash all by itself. Otherwise threads help with those of 1 MiB and more that are one
    /// request, at most three with each, and in the process as many as there are processors without one.
    #[must_use]
    pub fn without_threads(mut self) -> Self {
        self.has_threads = false;
        self
    }

    /// The reads and writes of this store so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.watch.stats()
    }

    /// The wrapped store, which has the objects as they are stored.
    #[must_use]
    pub fn inner(&self) -> &T {
        &self.inner
    }

    fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.inner) as _
    }

    /// How a put is handed over in one request.
    fn form(&self, length: usize) -> Form {
        match self.kind {
            Kind::Memory => Form::Joined,
            Kind::Files if length < 2 * self.part() => Form::Joined,
            Kind::Files | Kind::Other => Form::Rope,
        }
    }

    /// The parts of a put that is an upload, in bytes of the object.
    fn part(&self) -> usize {
        let batch = self.format.layout().group().saturating_mul(self.format.stripe_length().into());
        if self.kind == Kind::Files { usize::try_from(batch).unwrap_or(PART) } else { PART }
    }

    fn begin_upload(&self, upload: Box<dyn MultipartUpload>, location: &Path) -> Result<Upload> {
        let stripes = self.format.stripes().map_err(|error| Error::new(location, error))?;
        Ok(Upload::new(upload, stripes, location, &self.watch))
    }

    /// An upload for a large put, if the wrapped store has uploads and the put no conditions.
    async fn upload_for(&self, location: &Path, length: usize, options: &PutOptions) -> Result<Option<Upload>> {
        let is_whole = self.puts_whole || self.kind == Kind::Memory;
        if is_whole || length < 2 * self.part() || options.mode != PutMode::Overwrite {
            return Ok(None);
        }
        let PutOptions { tags, attributes, extensions, .. } = options.clone();
        let options = PutMultipartOptions { tags, attributes, extensions };
        match self.inner.put_multipart_opts(location, options).await {
            Ok(upload) => self.begin_upload(upload, location).map(Some),
            Err(StoreError::NotImplemented { .. } | StoreError::NotSupported { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl<T: ObjectStore> ObjectStore for Verified<T> {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let length = payload.content_length();
        if let Some(mut upload) = self.upload_for(location, length, &opts).await? {
            let result = upload.put(payload, self.part(), self.buffers.clone()).await;
            if result.is_err() {
                let _ = upload.abort().await; // the first error counts
            }
            return result;
        }
        let stripes = self.format.stripes().map_err(|error| Error::new(location, error))?;
        let payload = encode(stripes, location, payload, self.form(length), self.has_threads, &self.watch).await?;
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let upload = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(self.begin_upload(upload, location)?))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let check = check(location, &options, self.allows_unchecked || !self.format.is_keyed())?;
        let whole = options.range.is_none() && !options.head;
        let (store, options) = (&self.store(), &options);
        again(|| async move {
            let opened = open(store, location, options, &self.format, whole).await?;
            read(opened, &self.watch, options, check).await
        })
        .await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let store = &self.store();
        again(|| async move {
            let opened = open(store, location, &GetOptions::default(), &self.format, false).await?;
            read_ranges(opened.source, &self.watch, ranges).await
        })
        .await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_sized(self.inner.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_sized(self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let ListResult { common_prefixes, objects } = self.inner.list_with_delimiter(prefix).await?;
        let objects = futures_util::stream::iter(objects.into_iter().map(Ok)).boxed();
        let objects = self.list_sized(objects).try_collect().await?;
        Ok(ListResult { common_prefixes, objects })
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.inner.rename_opts(from, to, options).await
    }
}

impl<T: ObjectStore> Verified<T> {
    /// Gives listed objects the size that users know.
    fn list_sized(&self, metas: BoxStream<'static, Result<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.sizes {
            Sizes::Read => with_sizes(self.store(), Arc::clone(&self.watch), metas),
            Sizes::Computed => {
                let layout = self.format.layout();
                let size =
                    move |meta: ObjectMeta| ObjectMeta { size: layout.length(meta.size).unwrap_or(meta.size), ..meta };
                metas.map(move |meta| meta.map(size)).boxed()
            }
        }
    }
}

impl<T: ObjectStore> fmt::Display for Verified<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verified({})", self.inner)
    }
}

/// All but the key.
impl<T: fmt::Debug> fmt::Debug for Verified<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inner, format, watch, allows_unchecked, sizes, puts_whole, has_threads, kind: _, buffers: _ } = self;
        f.debug_struct("Verified")
            .field("inner", inner)
            .field("format", format)
            .field("stats", watch)
            .field("allows_unchecked", allows_unchecked)
            .field("sizes", sizes)
            .field("puts_whole", puts_whole)
            .field("has_threads", has_threads)
            .finish()
    }
}

#[cfg(all(test, feature = "fs"))]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn short_puts_to_files_are_one_piece() {
        let files = Verified::new(LocalFileSystem::new(), Format::default());
        let memory = Verified::new(InMemory::new(), Format::default());
        let short = 2 * files.part() - 1;
        let joined = [files.form(0), files.form(short), files.form(short + 1), memory.form(short + 1)]
            .map(|form| form == Form::Joined);
        assert_eq!(joined, [true, true, false, true]);
    }
}

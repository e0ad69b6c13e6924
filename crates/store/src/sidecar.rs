//! Plain objects, verified by files of leaves beside them.

use core::fmt;
use core::ops::Range;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::Either;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error as StoreError, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
};

use crate::corrupt::Corrupt;
use crate::error::{Error, Problem};
use crate::file::file_or_stream;
use crate::format::FormatError;
use crate::key::{Hash, Key};
use crate::leaf_file::{HEADER, LeafFileError, TRAILER, Table};
use crate::read::{check, read, read_ranges};
use crate::rope::{Rope, join};
use crate::source::{Failure, First, Opened, Source, again};
use crate::watch::{Stats, Watch};

/// The end of the name of a file of leaves.
const ENDING: &str = ".bt2leaf";

/// Files of leaves that are kept, at most, and their bytes.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 64 << 20;

type Roots = dyn Fn(&Path) -> Option<Vec<u8>> + Send + Sync;

/// A store of plain objects, for reading only, each verified by a file beside it: `NAME` by `NAME.bt2leaf`, as
/// `bt2sum --leaves NAME.bt2leaf NAME` writes it.
///
/// The objects stay as they are, for programs that know nothing of digests.
///
/// - The file of leaves has a checksum only. So it tells damage, and **whoever changes the object can change the file
///   as well**, unless [`with_roots`](Self::with_roots) gives the roots, which are the digests that bt2sum prints. A
///   root binds the contents of all leaves and their order, but not the length, which the file states and the store as
///   well.
/// - An object that has another length than its file of leaves states is an error, [`LeafFileError::Stale`]. One that
///   was written anew with the same length is corrupt in the stripes that differ.
/// - Listings leave out files of leaves. Put, copy, rename and delete are [`object_store::Error::NotSupported`].
/// - The leaves of bt2sum have 5 MiB if nothing else is said. For small ranges make them with `--chunk 64K`, since
///   whole leaves are read.
/// - Each get asks for the object's metadata, then for the file of leaves, then for bytes. Files of leaves are read
///   whole, if they are as long as those of such an object, and at most 1 MiB longer than the object. Of those with an
///   ETag, 64 are kept in at most 64 MiB, and a request with this ETag asks whether they are still the same.
/// - One leaf at least is held in memory, at most 4 GiB: **the file says how long leaves are**, so let only those write
///   it whom you trust with your memory, or give roots.
///
/// ```
/// use object_store::memory::InMemory;
/// use simd_digest_store::Verified;
///
/// let store = Verified::sidecar(InMemory::new()).with_roots(|path| {
///     (path.as_ref() == "disk.img").then(|| vec![0x7d; 64]) // as bt2sum printed it, in bytes
/// });
/// ```
pub struct Sidecar<T> {
    inner: Arc<T>,
    roots: Option<Box<Roots>>,
    key: Option<Key>,
    watch: Arc<Watch>,
    kept: Mutex<VecDeque<Kept>>,
    allows_unchecked: bool,
}

/// A file of leaves that was read.
#[derive(Clone)]
struct Kept {
    beside: Path,
    e_tag: Option<String>,
    /// The length of the file, in bytes.
    length: usize,
    /// The root that the leaves have, if one was given.
    root: Option<Vec<u8>>,
    table: Arc<Table>,
}

impl<T: ObjectStore> Sidecar<T> {
    pub(crate) fn new(store: T) -> Self {
        Self {
            inner: Arc::new(store),
            roots: None,
            key: None,
            watch: Arc::default(),
            kept: Mutex::default(),
            allows_unchecked: false,
        }
    }

    /// Has `roots` tell the root of each object, in bytes: the digest that bt2sum prints. Each get asks. An object that
    /// has none there is an error, [`LeafFileError::Root`], and so is one whose leaves have another root.
    #[must_use]
    pub fn with_roots(mut self, roots: impl Fn(&Path) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        self.roots = Some(Box::new(roots));
        self
    }

    /// Reads leaves with this key, and no others. The key is wiped when dropped.
    ///
    /// # Errors
    ///
    /// [`FormatError::KeyLength`] if it has not 1 to 64 bytes. A key that is too long for BLAKE2s is an error of each
    /// object with such leaves.
    pub fn with_key(mut self, key: &[u8]) -> Result<Self, FormatError> {
        let error = FormatError::KeyLength { hash: Hash::Blake2b, given: key.len() };
        self.key = Some(Key::new(Hash::Blake2b, key).ok_or(error)?);
        self.kept = Mutex::default();
        Ok(self)
    }

    /// Allows [`Check::Never`](crate::Check::Never) though there is a key.
    #[must_use]
    pub fn allow_unchecked(mut self) -> Self {
        self.allows_unchecked = true;
        self
    }

    /// Has `hook` told of corrupt leaves: see [`Verified::on_corrupt`](crate::Verified::on_corrupt).
    #[must_use]
    pub fn on_corrupt(mut self, hook: impl Fn(&Path, &Corrupt) + Send + Sync + 'static) -> Self {
        self.watch = Arc::new(Watch::telling(hook));
        self
    }

    /// The reads of this store so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.watch.stats()
    }

    /// The wrapped store, which has objects and files of leaves.
    #[must_use]
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// The leaves of an object of `len` bytes.
    async fn table(&self, path: &Path, len: u64) -> Result<Arc<Table>> {
        let beside = Path::parse(format!("{path}{ENDING}"))?;
        let root = match &self.roots {
            Some(roots) => Some(roots(path).ok_or_else(|| Error::new(path, LeafFileError::Root))?),
            None => None,
        };
        let kept = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().find(|kept| kept.beside == beside && kept.root == root).cloned()
        };
        let e_tag = kept.as_ref().and_then(|kept| kept.e_tag.clone());
        let options = GetOptions { if_none_match: e_tag, ..GetOptions::default() };
        let result = match (self.inner.get_opts(&beside, options).await, kept) {
            (Ok(result), _) => result,
            (Err(StoreError::NotModified { .. }), Some(kept)) => return Ok(kept.table),
            (Err(StoreError::NotFound { .. }), _) => return Err(Error::new(path, LeafFileError::Missing).into()),
            (Err(error), _) => return Err(error),
        };
        let e_tag = result.meta.e_tag.clone();
        let bytes = self.leaves(path, &beside, len, result).await?;
        let table = Table::parse(&bytes, self.key.as_ref(), root.as_deref(), &self.watch).await;
        let table = Arc::new(table.map_err(|error| Error::new(path, error))?);
        if e_tag.is_some() && bytes.len() <= KEPT_BYTES {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|other| other.beside != beside);
            kept.push_front(Kept { beside, e_tag, length: bytes.len(), root, table: Arc::clone(&table) });
            while kept.len() > KEPT || kept.iter().map(|kept| kept.length).sum::<usize>() > KEPT_BYTES {
                kept.pop_back();
            }
        }
        Ok(table)
    }

    /// The bytes of a file of leaves, which is not longer than one of an object of `len` bytes, nor than 1 MiB more
    /// than that.
    async fn leaves(&self, path: &Path, beside: &Path, len: u64, file: GetResult) -> Result<Bytes> {
        let size = file.meta.size;
        let mut rope = Rope::default();
        let file = file_or_stream(file);
        let mut file = match file {
            Either::Left(file) => {
                rope.push(file.read(0..size.min(HEADER as u64)).await?);
                Either::Left(file)
            }
            Either::Right(mut stream) => {
                rope.fill(&mut stream, HEADER as u64).await?;
                Either::Right(stream)
            }
        };
        let begin = rope.first(HEADER);
        let longest = Table::longest(&begin, len).map_err(|error| Error::new(path, error))?;
        if size <= longest {
            match &mut file {
                Either::Left(file) => return file.read(0..size).await,
                Either::Right(stream) => rope.fill(stream, size).await?,
            }
            let length = rope.len();
            return Ok(join(rope.take(length)));
        }
        let trailer = size - TRAILER as u64..size;
        let trailer = match file {
            Either::Left(file) => file.read(trailer).await?,
            Either::Right(stream) => {
                drop(stream); // before another request, for stores that limit them
                self.inner.get_range(beside, trailer).await?
            }
        };
        Err(Error::new(path, Table::too_long(&begin, &trailer, size, len)).into())
    }

    /// Opens an object by a request for its metadata, with the conditions of the options.
    async fn open(&self, path: &Path, options: &GetOptions) -> Result<Opened, Failure> {
        let store = Arc::clone(&self.inner) as Arc<dyn ObjectStore>;
        let head = GetOptions { range: None, head: true, ..options.clone() };
        let first = First::of(store.get_opts(path, head).await?);
        let table = self.table(path, first.meta.size).await?;
        let (object, leaves) = (first.meta.size, table.len);
        let source = Source::beside(store, path, first, options, table);
        if object != leaves {
            let stale = Error::new(path, LeafFileError::Stale { object, leaves });
            return Err(if source.is_replaced().await { source.changed() } else { stale.into() });
        }
        Ok(Opened { source, rest: None })
    }
}

fn read_only(path: &Path) -> StoreError {
    Error::new(path, Problem::ReadOnly).into()
}

fn is_object(meta: &ObjectMeta) -> bool {
    !meta.location.as_ref().ends_with(ENDING)
}

#[async_trait]
impl<T: ObjectStore> ObjectStore for Sidecar<T> {
    async fn put_opts(&self, location: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        Err(read_only(location))
    }

    async fn put_multipart_opts(&self, location: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Err(read_only(location))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let check = check(location, &options, self.allows_unchecked || self.key.is_none())?;
        let options = &options;
        again(|| async move {
            let opened = self.open(location, options).await?;
            read(opened, &self.watch, options, check).await
        })
        .await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        again(|| async move {
            let opened = self.open(location, &GetOptions::default()).await?;
            read_ranges(opened.source, &self.watch, ranges).await
        })
        .await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        locations.map(|location| Err(read_only(&location?))).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix).filter(|meta| core::future::ready(meta.as_ref().map_or(true, is_object))).boxed()
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        let listed = self.inner.list_with_offset(prefix, offset);
        listed.filter(|meta| core::future::ready(meta.as_ref().map_or(true, is_object))).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut result = self.inner.list_with_delimiter(prefix).await?;
        result.objects.retain(is_object);
        Ok(result)
    }

    async fn copy_opts(&self, _: &Path, to: &Path, _: CopyOptions) -> Result<()> {
        Err(read_only(to))
    }

    async fn rename_opts(&self, _: &Path, to: &Path, _: RenameOptions) -> Result<()> {
        Err(read_only(to))
    }
}

impl<T: ObjectStore> fmt::Display for Sidecar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verified::sidecar({})", self.inner)
    }
}

/// All but the key and the roots.
impl<T: fmt::Debug> fmt::Debug for Sidecar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inner, watch, .. } = self;
        f.debug_struct("Sidecar").field("inner", inner).field("stats", watch).finish_non_exhaustive()
    }
}

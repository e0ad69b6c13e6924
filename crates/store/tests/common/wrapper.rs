//! A store that does something else than the one that it wraps.

use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, Result,
};

#[async_trait]
pub(crate) trait Behaviour: fmt::Debug + Send + Sync + 'static {
    /// Before a get.
    async fn before(&self, _store: &dyn ObjectStore, _path: &Path, _options: &GetOptions) {}

    fn get(&self, result: GetResult) -> Result<GetResult> {
        Ok(result)
    }

    fn list(&self, metas: BoxStream<'static, Result<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
        metas
    }

    fn upload(&self, inner: Box<dyn MultipartUpload>) -> Box<dyn MultipartUpload> {
        inner
    }
}

#[derive(Debug)]
pub(crate) struct Wrapper<B> {
    inner: Arc<dyn ObjectStore>,
    behaviour: B,
}

impl<B> Wrapper<B> {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>, behaviour: B) -> Self {
        Self { inner, behaviour }
    }
}

impl<B> fmt::Display for Wrapper<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

#[async_trait]
impl<B: Behaviour> ObjectStore for Wrapper<B> {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Ok(self.behaviour.upload(self.inner.put_multipart_opts(location, opts).await?))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.behaviour.before(&*self.inner, location, &options).await;
        self.behaviour.get(self.inner.get_opts(location, options).await?)
    }

    async fn get_ranges(&self, _: &Path, _: &[Range<u64>]) -> Result<Vec<Bytes>> {
        panic!("requests without a condition")
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.behaviour.list(self.inner.list(prefix))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

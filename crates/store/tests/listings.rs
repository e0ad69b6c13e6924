//! Long listings: what is held, and objects whose headers cannot be read.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error as StoreError, GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, Result};
use simd_digest_store::{Format, Verified};

#[path = "common/wrapper.rs"]
mod wrapper;
use wrapper::{Behaviour, Wrapper};

/// Things that there are now, and the most that there were.
#[derive(Debug, Default)]
struct Count {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Count {
    fn add(&self) {
        self.most.fetch_max(self.now.fetch_add(1, Relaxed) + 1, Relaxed);
    }

    fn sub(&self) {
        self.now.fetch_sub(1, Relaxed);
    }

    fn most(&self) -> usize {
        self.most.load(Relaxed)
    }
}

#[derive(Debug, Default)]
struct Counts {
    /// Objects that the store has listed, and the caller has not yet.
    listed: Arc<Count>,
    /// Headers that are asked for.
    headers: Count,
}

fn is_denied(path: &Path) -> bool {
    path.as_ref().ends_with("99")
}

#[derive(Debug)]
struct Counting(Arc<Counts>);

#[async_trait::async_trait]
impl Behaviour for Counting {
    async fn before(&self, _: &dyn ObjectStore, _: &Path, _: &GetOptions) {
        self.0.headers.add();
        tokio::task::yield_now().await;
    }

    fn get(&self, result: GetResult) -> Result<GetResult> {
        self.0.headers.sub();
        let path = result.meta.location.to_string();
        if is_denied(&result.meta.location) {
            return Err(StoreError::PermissionDenied { path, source: "archived".into() });
        }
        Ok(result)
    }

    fn list(&self, metas: BoxStream<'static, Result<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
        let listed = Arc::clone(&self.0.listed);
        metas.inspect(move |_| listed.add()).boxed()
    }
}

/// At most 1000 objects and 32 headers are held, however slowly the caller takes objects. Those whose headers cannot be
/// read are listed, and counted.
#[tokio::test]
async fn long_listings() {
    const OBJECTS: usize = 3300;
    let inner = Arc::new(InMemory::new());
    let format = || Format::default().with_stripe_length(64).unwrap();
    let name = |i: usize| Path::from(format!("{i:05}"));
    Verified::new(Arc::clone(&inner), format()).put(&name(0), vec![1; 1000].into()).await.unwrap();
    let stored = inner.head(&name(0)).await.unwrap().size;
    for i in 1..OBJECTS {
        inner.copy(&name(0), &name(i)).await.unwrap();
    }

    let counts = Arc::new(Counts::default());
    let store = Verified::new(Wrapper::new(inner, Counting(Arc::clone(&counts))), format());
    let mut listing = store.list(None);
    for i in 0..OBJECTS {
        let meta = listing.try_next().await.unwrap().unwrap();
        counts.listed.sub();
        assert_eq!((&meta.location, meta.size), (&name(i), if is_denied(&name(i)) { stored } else { 1000 }));
        assert_eq!(store.stats().unknown_sizes > 0, i >= 96, "a batch of 32 headers: {i}");
    }
    assert_eq!(listing.try_next().await.unwrap(), None);
    assert!(counts.listed.most() <= 1000, "{} objects were held", counts.listed.most());
    assert!((2..=32).contains(&counts.headers.most()), "{} headers were held", counts.headers.most());
    assert_eq!(store.stats().unknown_sizes, 33);
    let error = store.get(&name(99)).await.unwrap_err();
    assert!(matches!(error, StoreError::PermissionDenied { .. }), "{error}");
}

//! Listings with the lengths that users know.

use std::collections::VecDeque;
use std::sync::Arc;

use core::future::poll_fn;
use core::task::{Context, Poll};

use futures_util::future::join_all;
use futures_util::stream::{BoxStream, unfold};
use futures_util::{FutureExt, StreamExt};
use object_store::{Error as StoreError, GetOptions, ObjectMeta, ObjectStore, Result};

use crate::header::Fields;
use crate::source::{Head, head};
use crate::watch::Watch;

/// Objects whose headers are read at once.
const HEADERS: usize = 32;

/// Listed objects that are held, those among them whose headers are read: a page of most stores.
const HELD: usize = 1000;

/// A listing whose sizes are read.
///
/// Stores that limit their requests count a listing until it ends. So the listing is read on while headers are waited
/// for, as far as there is room, and no header is under way while an object is given out: the caller's own requests
/// never wait for ours.
struct Listing {
    store: Arc<dyn ObjectStore>,
    watch: Arc<Watch>,
    metas: Option<BoxStream<'static, Result<ObjectMeta>>>,
    waiting: VecDeque<Result<ObjectMeta>>,
    out: VecDeque<Result<ObjectMeta>>,
}

impl Listing {
    /// Takes what the store has listed so far, while there is room beside `under_way` objects.
    fn read_on(&mut self, under_way: usize, context: &mut Context<'_>) {
        while self.waiting.len() + under_way < HELD
            && let Some(metas) = &mut self.metas
        {
            match metas.poll_next_unpin(context) {
                Poll::Ready(Some(meta)) => self.waiting.push_back(meta),
                Poll::Ready(None) => self.metas = None,
                Poll::Pending => return,
            }
        }
    }

    async fn next(&mut self) -> Option<Result<ObjectMeta>> {
        loop {
            if let Some(meta) = self.out.pop_front() {
                return Some(meta);
            }
            poll_fn(|context| {
                self.read_on(0, context);
                let is_pending = self.waiting.is_empty() && self.metas.is_some();
                if is_pending { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            if self.waiting.is_empty() {
                return None;
            }
            let some = self.waiting.drain(..HEADERS.min(self.waiting.len()));
            let sized = |meta| sized(Arc::clone(&self.store), Arc::clone(&self.watch), meta);
            let sizes = some.map(sized).collect::<Vec<_>>();
            let under_way = sizes.len();
            let mut sizes = join_all(sizes);
            let sizes = poll_fn(|context| {
                self.read_on(under_way, context);
                sizes.poll_unpin(context)
            });
            self.out = sizes.await.into_iter().filter_map(Result::transpose).collect();
        }
    }
}

/// Reads the sizes of listed objects from their headers.
pub(crate) fn with_sizes(
    store: Arc<dyn ObjectStore>,
    watch: Arc<Watch>,
    metas: BoxStream<'static, Result<ObjectMeta>>,
) -> BoxStream<'static, Result<ObjectMeta>> {
    let listing = Listing { store, watch, metas: Some(metas), waiting: VecDeque::new(), out: VecDeque::new() };
    unfold(listing, |mut listing| async move { listing.next().await.map(|meta| (meta, listing)) }).boxed()
}

/// The metadata of a listed object, with the length that users know if the object has a header of ours that can be
/// read. `None` if the object was deleted meanwhile. If it was overwritten meanwhile, the metadata are the new ones.
async fn sized(
    store: Arc<dyn ObjectStore>,
    watch: Arc<Watch>,
    listed: Result<ObjectMeta>,
) -> Result<Option<ObjectMeta>> {
    let listed = listed?;
    let options = GetOptions { version: listed.version.clone(), ..GetOptions::default() };
    let (meta, header) = match head(&store, &listed.location, &options).await {
        // Stores list times more precisely than they answer a get with.
        Ok(Head { meta, header, .. }) if meta.size == listed.size && meta.e_tag == listed.e_tag => (listed, header),
        Ok(Head { meta, header, .. }) => (meta, header),
        Err(StoreError::NotFound { .. }) => return Ok(None),
        Err(_) => (listed, None),
    };
    let len =
        header.and_then(|header| Fields::parse(&header).ok()).and_then(|fields| fields.layout().length(meta.size));
    if len.is_none() {
        watch.unknown_size();
    }
    Ok(Some(ObjectMeta { size: len.unwrap_or(meta.size), ..meta }))
}

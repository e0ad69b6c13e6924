//! The answers of gets, for objects with digests among their stripes or beside them.

use core::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Error as StoreError, GetOptions, GetRange, GetResult, GetResultPayload, Result};

use crate::error::{Error, Problem, STORE};
use crate::rope::Rope;
use crate::scan;
use crate::source::{Failure, Opened, Source};
use crate::watch::Watch;

/// Whether a get verifies. It is given through [`GetOptions::extensions`].
///
/// ```
/// use object_store::{Extensions, GetOptions};
/// use simd_digest_store::Check;
///
/// let mut extensions = Extensions::new();
/// extensions.insert(Check::Never);
/// let options = GetOptions::new().with_extensions(extensions);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// No byte is given out before its stripe is verified.
    #[default]
    Always,
    /// Stripes are not verified. [`Stats::unverified_bytes`](crate::Stats::unverified_bytes) counts the bytes that are
    /// given out. In a store with a key, this is an error unless
    /// [`Verified::allow_unchecked`](crate::Verified::allow_unchecked) was called.
    Never,
}

/// Whether a get verifies, or an error if it must and shall not.
pub(crate) fn check(location: &Path, options: &GetOptions, may_skip: bool) -> Result<bool> {
    match options.extensions.get().copied().unwrap_or_default() {
        Check::Always => Ok(true),
        Check::Never if may_skip => Ok(false),
        Check::Never => Err(Error::new(location, Problem::Unchecked).into()),
    }
}

/// The range that is asked for, within the object.
fn range(range: Option<&GetRange>, len: u64) -> Result<Range<u64>> {
    let Some(range) = range else { return Ok(0..len) };
    range.as_range(len).map_err(|error| StoreError::Generic { store: STORE, source: error.into() })
}

/// The answer of a get for an open object: the rest of a request for all of it, or else further requests.
pub(crate) async fn read(
    opened: Opened,
    watch: &Arc<Watch>,
    options: &GetOptions,
    check: bool,
) -> Result<GetResult, Failure> {
    let Opened { source, rest } = opened;
    let range = range(options.range.as_ref(), source.len)?;
    let source = Arc::new(source);
    let payload = if options.head {
        futures_util::stream::empty().boxed()
    } else {
        let run = source.layout.around(range.clone(), source.len);
        let run = run.map_err(|_| source.error(Problem::Length { stored: source.stored.size }))?;
        let (rope, input) = match rest {
            Some(rest) => rest,
            None if run.stored.is_empty() => (Rope::default(), futures_util::stream::empty().boxed()),
            None => (Rope::default(), source.stream(run.stored.clone()).await?),
        };
        scan::stream(&source, watch, check, &run, rope, input)
    };
    let attributes = source.attributes.clone();
    Ok(GetResult { payload: GetResultPayload::Stream(payload), meta: source.meta(), range, attributes })
}

/// Verified bytes of ranges of an open object, each cut off at the end of the object.
pub(crate) async fn read_ranges(source: Source, watch: &Watch, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, Failure> {
    let ranges = ranges.iter().map(|own| range(Some(&GetRange::Bounded(own.clone())), source.len));
    let ranges = ranges.collect::<Result<Vec<_>>>()?;
    scan::ranges(&Arc::new(source), watch, &ranges).await
}

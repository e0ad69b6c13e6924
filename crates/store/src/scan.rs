//! Reads stripes of an open object, and gives out bytes of those that are verified.

use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{StreamExt, TryStreamExt};
use object_store::Result;

use crate::check::{Object, Stored};
use crate::error::Problem;
use crate::layout::Run;
use crate::rope::{Rope, join, trim};
use crate::source::{Failure, Source};
use crate::watch::{Pace, Watch};

/// Requests that are under way at once.
const REQUESTS: usize = 8;

/// Stored bytes between two ranges that are read though nobody asked for them, at most: a request takes longer.
const GAP: u64 = 64 << 10;

impl Source {
    /// The bytes of these stripes with their digests, without the header.
    fn stored_length(&self, stripes: &Range<u64>) -> u64 {
        let stored = self.layout.stored_of(stripes, self.len);
        stored.end - stored.start
    }

    fn object(&self) -> Object<'_> {
        Object { layout: self.layout, leaves: &self.leaves, len: self.len }
    }

    /// Cuts stripes from the beginning of stored bytes, which has them.
    fn cut(&self, stripes: Range<u64>, rope: &mut Rope) -> Vec<Stored> {
        self.object().cut(stripes, rope)
    }

    /// Verifies stripes side by side. Returns the bytes of those before the first corrupt one, and the failure: if
    /// somebody wrote to the file that is read, it is not corrupt, but changed.
    async fn verify(
        &self,
        stripes: Vec<Stored>,
        watch: &Watch,
        pace: &mut Pace,
    ) -> Result<(Vec<Vec<Bytes>>, Option<Failure>)> {
        let object = self.object();
        let count = stripes.len() as u64;
        let mut check = object.check(stripes).map_err(|_| self.error(Problem::Length { stored: self.len }))?;
        let bytes = check.hashing.left() as u64;
        watch.hash(&mut check.hashing, pace).await;
        watch.verified(count, bytes);
        let beside = |number| self.table.as_ref().and_then(|table| table.digest(number));
        let mut found = Vec::new();
        let (pieces, corrupt) = check.finish(beside, |corrupt| found.push(corrupt.clone()));
        let Some(corrupt) = corrupt else { return Ok((pieces, None)) };
        if self.has_changed() || self.is_replaced().await {
            return Ok((pieces, Some(self.changed())));
        }
        for corrupt in &found {
            watch.corrupt(&self.stored, corrupt);
        }
        Ok((pieces, Some(self.error(corrupt).into())))
    }
}

/// The work that a stream has yet.
struct Scan {
    source: Arc<Source>,
    watch: Arc<Watch>,
    check: bool,
    input: BoxStream<'static, Result<Bytes>>,
    rope: Rope,
    next: u64,
    end: u64,
    /// Bytes of the next stripes that nobody asked for, and those to be given out after these.
    skip: u64,
    left: u64,
    out: VecDeque<Bytes>,
    failed: Option<object_store::Error>,
    pace: Pace,
}

impl Scan {
    /// Fetches and verifies the next stripes.
    async fn advance(&mut self) -> Result<()> {
        let stripes = self.next..self.end.min(self.next + self.source.layout.group());
        let needed = self.source.stored_length(&stripes);
        let filled = self.rope.fill(&mut self.input, needed).await;
        let got = self.rope.len() as u64;
        if got < needed {
            if self.source.has_changed() {
                return Err(self.source.changed().error());
            }
            filled?;
            return Err(self.source.error(Problem::Returned { asked: needed, got }));
        }
        self.next = stripes.end;
        let units = self.source.cut(stripes, &mut self.rope);
        let pieces = if self.check {
            let (pieces, failure) = self.source.verify(units, &self.watch, &mut self.pace).await?;
            self.failed = failure.map(Failure::error);
            pieces
        } else {
            units.into_iter().map(|unit| unit.pieces).collect()
        };
        let pieces: Vec<_> = pieces.into_iter().flatten().collect();
        let length: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        let given = length.saturating_sub(self.skip).min(self.left);
        self.out.extend(trim(pieces, self.skip, given));
        self.skip = self.skip.saturating_sub(length);
        self.left -= given;
        if !self.check {
            self.watch.unverified(given);
        }
        Ok(())
    }
}

/// The bytes that `run` is around, as a stream. The stored bytes begin with `rope`, and go on with `input`.
pub(crate) fn stream(
    source: &Arc<Source>,
    watch: &Arc<Watch>,
    check: bool,
    run: &Run,
    rope: Rope,
    input: BoxStream<'static, Result<Bytes>>,
) -> BoxStream<'static, Result<Bytes>> {
    let scan = Scan {
        source: Arc::clone(source),
        watch: Arc::clone(watch),
        check,
        input,
        rope,
        next: run.stripes.start,
        end: run.stripes.end,
        skip: run.wanted.start.saturating_sub(run.bytes.start),
        left: run.wanted.end - run.wanted.start,
        out: VecDeque::new(),
        failed: None,
        pace: Pace::new(),
    };
    try_unfold(scan, |mut scan| async move {
        loop {
            if let Some(bytes) = scan.out.pop_front() {
                return Ok(Some((bytes, scan)));
            }
            if let Some(error) = scan.failed.take() {
                return Err(error);
            }
            if scan.next >= scan.end {
                return Ok(None);
            }
            scan.advance().await?;
        }
    })
    .boxed()
}

/// Verified bytes of ranges, all of them within the object. Neighbouring stripes are read by one request, each stripe
/// once, and all are hashed side by side.
pub(crate) async fn ranges(source: &Arc<Source>, watch: &Watch, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, Failure> {
    let layout = source.layout;
    let around = |range: &Range<u64>| layout.around(range.clone(), source.len);
    let runs = ranges.iter().map(around).collect::<Result<Vec<_>, _>>();
    let runs =
        runs.map_err(|error| object_store::Error::Generic { store: crate::error::STORE, source: error.into() })?;

    // Stripes without their doubles, in order, and the requests that bring them.
    let mut wanted: Vec<Range<u64>> = runs.iter().map(Run::stripes).filter(|stripes| !stripes.is_empty()).collect();
    wanted.sort_unstable_by_key(|stripes| stripes.start);
    let mut distinct: Vec<Range<u64>> = Vec::new();
    for stripes in wanted {
        match distinct.last_mut() {
            Some(last) if stripes.start <= last.end => last.end = last.end.max(stripes.end),
            _ => distinct.push(stripes),
        }
    }
    let mut requests: Vec<Vec<Range<u64>>> = Vec::new();
    for stripes in &distinct {
        let begin = layout.stored_of(stripes, source.len).start;
        match requests.last_mut() {
            Some(last) if last.last().is_some_and(|last| begin - layout.stored_of(last, source.len).end <= GAP) => {
                last.push(stripes.clone());
            }
            _ => requests.push(vec![stripes.clone()]),
        }
    }

    let mut fetched = futures_util::stream::iter(requests).map(|stripes| fetch(source, stripes)).buffered(REQUESTS);
    let mut pace = Pace::new();
    let mut good: BTreeMap<u64, Vec<Bytes>> = BTreeMap::new();
    let mut waiting: Vec<Stored> = Vec::new();
    loop {
        let more = fetched.try_next().await?;
        let ends = more.is_none();
        waiting.extend(more.into_iter().flatten());
        let group = usize::try_from(layout.group()).unwrap_or(1);
        while waiting.len() >= group || (ends && !waiting.is_empty()) {
            let rest = waiting.split_off(group.min(waiting.len()));
            let numbers: Vec<u64> = waiting.iter().map(|unit| unit.number).collect();
            let (pieces, failure) = source.verify(core::mem::replace(&mut waiting, rest), watch, &mut pace).await?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            good.extend(numbers.into_iter().zip(pieces));
        }
        if ends {
            break;
        }
    }
    Ok(runs.iter().map(|run| assemble(run, &good)).collect())
}

/// The stripes of one request.
async fn fetch(source: &Arc<Source>, stripes: Vec<Range<u64>>) -> Result<Vec<Stored>, Failure> {
    let ends = (stripes.first().map_or(0, |first| first.start), stripes.last().map_or(0, |last| last.end));
    let stored = source.layout.stored_of(&(ends.0..ends.1), source.len);
    let asked = stored.end - stored.start;
    let mut rope = source.fetch(stored).await?;
    let got = rope.len() as u64;
    if got < asked {
        return Err(source.error(Problem::Returned { asked, got }).into());
    }
    let mut units = Vec::new();
    let mut at = ends.0;
    for stripes in stripes {
        let gap = source.layout.stored_of(&(at..stripes.start), source.len);
        rope.take(usize::try_from(gap.end - gap.start).unwrap_or(usize::MAX));
        at = stripes.end;
        units.extend(source.cut(stripes, &mut rope));
    }
    Ok(units)
}

/// One range, from the bytes of its stripes: a slice, or joined if there are several pieces.
fn assemble(run: &Run, good: &BTreeMap<u64, Vec<Bytes>>) -> Bytes {
    let pieces: Vec<Bytes> = good.range(run.stripes.clone()).flat_map(|(_, pieces)| pieces.iter().cloned()).collect();
    let length = run.wanted.end - run.wanted.start;
    join(trim(pieces, run.wanted.start.saturating_sub(run.bytes.start), length))
}

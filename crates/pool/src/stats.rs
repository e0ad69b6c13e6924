//! Whether the pool pays.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};

/// The work of a pool so far, for all hashes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Times that more than one stream was hashed, side by side.
    pub batches: u64,
    /// Streams in all of these. Divided by `batches`, the lanes that were filled.
    pub lanes_filled: u64,
    /// Times that at most 64 KiB of a stream were hashed without another beside it. Updates below the threshold are not
    /// counted.
    pub alone: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    batches: AtomicU64,
    lanes_filled: AtomicU64,
    alone: AtomicU64,
}

impl Counters {
    pub(crate) fn batch(&self, streams: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.lanes_filled.fetch_add(streams as u64, Ordering::Relaxed);
    }

    pub(crate) fn alone(&self, times: u64) {
        self.alone.fetch_add(times, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Stats {
        Stats {
            batches: self.batches.load(Ordering::Relaxed),
            lanes_filled: self.lanes_filled.load(Ordering::Relaxed),
            alone: self.alone.load(Ordering::Relaxed),
        }
    }
}

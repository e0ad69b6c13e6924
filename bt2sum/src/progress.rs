//! A bar on the terminal, when the work is long.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IsTerminal};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over sooner is not long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts the bytes that were read, for a person to see.
#[derive(Debug, Default)]
pub(crate) struct Progress(Option<Bar>);

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// A bar if standard error is a terminal, over as many bytes as `total` tells, if that can be told.
    pub(crate) fn on_terminal(total: impl FnOnce() -> Option<u64>) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(total(), ProgressDrawTarget::hidden());
        let template = match bar.length() {
            Some(_) => "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes}, {bytes_per_sec}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        Self(Some(Bar { bar, start: Instant::now(), shown: AtomicBool::new(false) }))
    }

    pub(crate) fn add(&self, bytes: usize) {
        let Some(Bar { bar, start, shown }) = &self.0 else { return };
        bar.inc(bytes as u64);
        if start.elapsed() > PATIENCE && !shown.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Does what writes to the terminal while no bar is there.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(Bar { bar, .. }) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Bar { bar, .. }) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

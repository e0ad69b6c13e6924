//! A progress bar on the terminal, shown when the work takes long.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IsTerminal};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar of work whose length is known.
const WITH_TOTAL: &str = "{wide_bar} {percent}%, {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well formed")
}

/// Counts the bytes read, and shows the count if standard error is a terminal.
#[derive(Debug, Default)]
pub(crate) struct Progress(Option<Bar>);

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// A bar if standard error is a terminal. `total` gives the number of bytes to come, if that is known.
    pub(crate) fn on_terminal(total: impl FnOnce() -> Option<u64>) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(total(), ProgressDrawTarget::hidden());
        bar.set_style(style(if bar.length().is_some() { WITH_TOTAL } else { "{spinner} {bytes}, {bytes_per_sec}" }));
        Self(Some(Bar { bar, start: Instant::now(), shown: AtomicBool::new(false) }))
    }

    /// Whether there is a bar.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Tells how many bytes are read in all, once that is known.
    pub(crate) fn expect(&self, total: u64) {
        let Some(Bar { bar, .. }) = &self.0 else { return };
        bar.set_length(total);
        bar.set_style(style(WITH_TOTAL));
    }

    /// Counts `bytes` more.
    pub(crate) fn add(&self, bytes: usize) {
        let Some(Bar { bar, start, shown }) = &self.0 else { return };
        bar.inc(bytes as u64);
        if start.elapsed() > PATIENCE && !shown.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Calls `write`, which may print to the terminal, while the bar is hidden.
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

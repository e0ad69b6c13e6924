//! A progress bar on the terminal, shown when the work takes long.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar of work whose length is known.
const WITH_TOTAL: &str = "{wide_bar} {percent}%, {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well formed")
}

/// Counts the bytes read. Shows the count if standard error is a terminal, and waits if it grows too fast.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    bar: Option<Bar>,
    pace: Option<Pace>,
}

/// A limit for the bytes read in a second, by all threads together.
#[derive(Debug)]
struct Pace {
    rate: u64,
    /// The time before which no more is to be read.
    free: Mutex<Instant>,
}

impl Pace {
    /// Waits until as many bytes may have been read.
    fn wait(&self, bytes: usize) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        // Time in which nothing was read is lost.
        let begin = (*free).max(now);
        let nanoseconds = (bytes as u128 * 1_000_000_000).div_ceil(self.rate.into());
        let end = begin.checked_add(Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX)));
        *free = end.unwrap_or(begin);
        let wait = free.saturating_duration_since(now);
        drop(free);
        thread::sleep(wait);
    }
}

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
            return Self::default();
        }
        let bar = ProgressBar::with_draw_target(total(), ProgressDrawTarget::hidden());
        bar.set_style(style(if bar.length().is_some() { WITH_TOTAL } else { "{spinner} {bytes}, {bytes_per_sec}" }));
        Self { bar: Some(Bar { bar, start: Instant::now(), shown: AtomicBool::new(false) }), pace: None }
    }

    /// The same, with a limit for the bytes in a second.
    pub(crate) fn at_rate(mut self, rate: Option<u64>) -> Self {
        self.pace = rate.map(|rate| Pace { rate, free: Mutex::new(Instant::now()) });
        self
    }

    /// Whether there is a bar.
    pub(crate) fn is_on(&self) -> bool {
        self.bar.is_some()
    }

    /// Tells how many bytes are read in all, once that is known.
    pub(crate) fn expect(&self, total: u64) {
        let Some(Bar { bar, .. }) = &self.bar else { return };
        bar.set_length(total);
        bar.set_style(style(WITH_TOTAL));
    }

    /// Counts `bytes` more, and waits if they came too early.
    pub(crate) fn add(&self, bytes: usize) {
        if let Some(pace) = &self.pace {
            pace.wait(bytes);
        }
        let Some(Bar { bar, start, shown }) = &self.bar else { return };
        bar.inc(bytes as u64);
        if start.elapsed() > PATIENCE && !shown.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Calls `write`, which may print to the terminal, while the bar is hidden.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(Bar { bar, .. }) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Bar { bar, .. }) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! A progress bar on the terminal, shown when the work takes long.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use os_display::Quotable;

/// The time after which the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time for which the name of a file is shown at least.
const GLANCE: Duration = Duration::from_millis(100);

/// The style of a bar.
fn style(has_total: bool, has_name: bool) -> ProgressStyle {
    let template = match (has_total, has_name) {
        (true, true) => "{wide_bar} {percent}%, {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left\n{wide_msg}",
        (true, false) => "{wide_bar} {percent}%, {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        (false, true) => "{spinner} {bytes}, {bytes_per_sec}\n{wide_msg}",
        (false, false) => "{spinner} {bytes}, {bytes_per_sec}",
    };
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
    /// The number of files in all; 0 if it is not known.
    files: AtomicU64,
    current: Mutex<Current>,
}

/// The file that is read.
#[derive(Debug)]
struct Current {
    name: OsString,
    /// How many files were begun, this one among them.
    number: u64,
    /// The number that was shown last, and when.
    told: (u64, Instant),
}

impl Bar {
    /// Shows the name of the file that is read, unless another has just been shown.
    fn tell(&self) {
        // Another thread is about to do so.
        let Ok(mut current) = self.current.try_lock() else { return };
        if current.told.0 == current.number || current.told.1.elapsed() < GLANCE {
            return;
        }
        if current.told.0 == 0 {
            self.bar.set_style(style(self.bar.length().is_some(), true));
        }
        let number = match self.files.load(Ordering::Relaxed) {
            0 => format!("file {}", current.number),
            files => format!("file {} of {files}", current.number),
        };
        self.bar.set_message(format!("{number}: {}", current.name.maybe_quote()));
        current.told = (current.number, Instant::now());
    }
}

impl Progress {
    /// A bar if standard error is a terminal.
    pub(crate) fn on_terminal() -> Self {
        if !io::stderr().is_terminal() {
            return Self::default();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style(false, false));
        let (start, shown, files) = (Instant::now(), AtomicBool::new(false), AtomicU64::new(0));
        let current = Mutex::new(Current { name: OsString::new(), number: 0, told: (0, start) });
        Self { bar: Some(Bar { bar, start, shown, files, current }), pace: None }
    }

    /// Sets a limit for the bytes in a second.
    pub(crate) fn at_rate(mut self, rate: Option<u64>) -> Self {
        self.pace = rate.map(|rate| Pace { rate, free: Mutex::new(Instant::now()) });
        self
    }

    /// Whether there is a bar.
    pub(crate) fn is_on(&self) -> bool {
        self.bar.is_some()
    }

    /// Tells how many bytes and how many files are read in all, once that is known.
    pub(crate) fn expect(&self, total: u64, number: u64) {
        let Some(Bar { bar, files, current, .. }) = &self.bar else { return };
        bar.set_length(total);
        files.store(number, Ordering::Relaxed);
        let current = current.lock().unwrap_or_else(PoisonError::into_inner);
        bar.set_style(style(true, current.told.0 > 0));
    }

    /// Tells that so many bytes and files come after those that were expected.
    #[cfg(target_os = "linux")]
    pub(crate) fn expect_more(&self, bytes: u64, number: u64) {
        let Some(Bar { bar, files, .. }) = &self.bar else { return };
        bar.inc_length(bytes);
        files.fetch_add(number, Ordering::Relaxed);
    }

    /// Tells that a file is read from now on.
    pub(crate) fn begin(&self, name: &OsStr) {
        let Some(Bar { current, .. }) = &self.bar else { return };
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        current.number += 1;
        current.name.clear();
        current.name.push(name);
    }

    /// Counts `bytes` more, and waits if they came too early.
    pub(crate) fn add(&self, bytes: usize) {
        if let Some(pace) = &self.pace {
            pace.wait(bytes);
        }
        self.pass(bytes as u64);
    }

    /// Counts bytes that need not be read.
    pub(crate) fn pass(&self, bytes: u64) {
        let Some(all @ Bar { bar, start, shown, .. }) = &self.bar else { return };
        bar.inc(bytes);
        if start.elapsed() > PATIENCE {
            all.tell();
            if !shown.swap(true, Ordering::Relaxed) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
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

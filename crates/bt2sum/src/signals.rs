//! Calls a function before a signal ends the process.

use std::io;

/// Calls `clean_up` when a signal that ends a process comes, then ends the process by this signal. A signal that the
/// process was told to ignore, as by `nohup`, stays ignored. If no thread can be started, signals end the process as
/// ever.
#[cfg(target_os = "linux")]
pub(crate) fn before_end(clean_up: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use std::sync::mpsc;
    use std::thread::Builder;

    use rustix::process::Signal;
    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Signals of which the library knows that they end a process.
    const ENDS: [i32; 10] = [SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU];
    /// Signals that programs are free to use: the C library has the two before.
    const REAL_TIME: core::ops::RangeInclusive<i32> = 34..=64;

    // The thread first: a signal that is caught needs one that acts.
    let (sender, receiver) = mpsc::channel::<Signals>();
    let thread = Builder::new().spawn(move || {
        if let Ok(mut signals) = receiver.recv()
            && let Some(signal) = signals.forever().next()
        {
            clean_up();
            if emulate_default_handler(signal).is_err() || !ENDS.contains(&signal) {
                // The library does not know what other signals do. Shells tell the same number.
                std::process::exit(128 + signal);
            }
        }
    });
    if thread.is_err() {
        return Ok(());
    }
    keep_writing_errors()?;
    let more = [Signal::STKFLT, Signal::IO, Signal::POWER].map(Signal::as_raw).into_iter().chain(REAL_TIME);
    let ignored = ignored_signals();
    let heeded = ENDS.into_iter().chain(more).filter(|signal| (ignored >> (signal - 1)) & 1 == 0);
    // The thread waits for this.
    let _ = sender.send(Signals::new(heeded)?);
    Ok(())
}

/// A file that grows beyond the limit for the process gives an error of writing, instead of a signal that ends it.
#[cfg(target_os = "linux")]
fn keep_writing_errors() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).map(|_| ())
}

/// The ignored signals, a bit for each: the lowest bit is signal 1. If the system does not tell, the mask is empty.
#[cfg(target_os = "linux")]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.unwrap_or(0)
}

/// Calls `clean_up` on an interrupt, a hangup or a request to terminate, then ends the process with the status that
/// shells give an interrupted one. If one of these signals is ignored, `clean_up` is never called.
#[cfg(not(target_os = "linux"))]
pub(crate) fn before_end(clean_up: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut clean_up = Some(clean_up);
    let handler = move || {
        if let Some(clean_up) = clean_up.take() {
            clean_up();
        }
        std::process::exit(130);
    };
    match ctrlc::try_set_handler(handler) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

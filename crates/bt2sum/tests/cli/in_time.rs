//! Waits that end: after a limit a test says what it waited for, and its child is killed.

use core::fmt::Display;
use core::ops::{Deref, DerefMut};
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

/// More than anything takes that a test waits for, on a busy machine and on an emulated one.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// Asks `event` again and again, until it answers.
pub(crate) fn until<T>(what: impl Display, event: impl FnMut() -> Option<T>) -> T {
    until_within(LIMIT, what, event)
}

fn until_within<T>(limit: Duration, what: impl Display, mut event: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = event() {
            return answer;
        }
        let waited = begun.elapsed();
        assert!(waited < limit, "waited {limit:?} for {what}");
        // So the answer comes an eighth later than it could, at most.
        thread::sleep((waited / 8).clamp(Duration::from_micros(20), Duration::from_millis(10)));
    }
}

/// The answer of a call that blocks.
pub(crate) fn in_time<T: Send + 'static>(what: impl Display, call: impl FnOnce() -> T + Send + 'static) -> T {
    answer(LIMIT, what, &background(call))
}

fn background<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = mpsc::channel();
    // Nobody listens after the limit.
    thread::spawn(move || _ = sender.send(call()));
    receiver
}

fn answer<T>(limit: Duration, what: impl Display, receiver: &Receiver<T>) -> T {
    match receiver.recv_timeout(limit) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => panic!("waited {limit:?} for {what}"),
        Err(RecvTimeoutError::Disconnected) => panic!("failed: {what}"),
    }
}

/// Starts a child.
pub(crate) fn start(command: &mut Command) -> Run {
    Run::start(command).unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// A child, which is killed if the test ends before it.
#[derive(Debug)]
pub(crate) struct Run {
    child: Child,
    command: String,
    /// How long the test waits for its end.
    pub(crate) limit: Duration,
}

impl Run {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        Ok(Self { child: command.spawn()?, command: format!("{command:?}"), limit: LIMIT })
    }

    /// Waits for something that happens while the child lives.
    pub(crate) fn until(&mut self, what: &str, mut event: impl FnMut(&mut Child) -> bool) {
        until_within(self.limit, format_args!("{what}: {}", self.command), || {
            if event(&mut self.child) {
                return Some(());
            }
            let ended = self.child.try_wait().unwrap()?;
            // On a busy machine it may happen, and the child end, between the two questions.
            let happened = event(&mut self.child);
            assert!(happened, "ended before {what}: {}, {ended:?}", self.command);
            Some(())
        });
    }

    /// Waits for the end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        drop(self.child.stdin.take());
        until_within(self.limit, format_args!("the end of {}", self.command), || self.child.try_wait().unwrap())
    }

    /// Closes its standard input, reads what it writes to pipes, and waits for its end.
    pub(crate) fn wait_with_output(mut self) -> Output {
        fn whole(mut pipe: impl Read) -> Vec<u8> {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).unwrap();
            bytes
        }
        drop(self.child.stdin.take());
        let stdout = self.child.stdout.take().map(|pipe| background(move || whole(pipe)));
        let stderr = self.child.stderr.take().map(|pipe| background(move || whole(pipe)));
        let read = |stream: Option<Receiver<Vec<u8>>>, name| {
            let what = format_args!("the end of {name} of {}", self.command);
            stream.map_or(Vec::new(), |stream| answer(self.limit, what, &stream))
        };
        let (stdout, stderr) = (read(stdout, "standard output"), read(stderr, "standard error"));
        Output { status: self.wait(), stdout, stderr }
    }
}

impl Deref for Run {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Run {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Fails if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_child_that_does_not_end_is_killed() {
    let mut run = start(crate::bt2sum().stdin(Stdio::piped()).stdout(Stdio::piped()));
    let (input, process) = (run.stdin.take(), run.id());
    run.limit = Duration::from_millis(50);
    let complaint = std::panic::catch_unwind(AssertUnwindSafe(|| run.wait_with_output())).unwrap_err();
    let complaint = *complaint.downcast::<String>().unwrap();
    assert!(complaint.starts_with("waited 50ms for the end of standard output of "), "{complaint}");
    assert!(complaint.contains("bt2sum"), "{complaint}");
    // The system has nothing of it any more.
    assert!(!std::path::Path::new(&format!("/proc/{process}")).exists());
    drop(input);
}

//! Runs work on several threads and hands over the results in order.
//!
//! ```text
//!   thread 0   unit  work work work  unit  work work …      a thread takes a unit under a lock, perhaps reads it from
//!   thread 1         unit  work work work  unit  work …     a file, and works on it without the lock
//! ```

use core::iter;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, Builder, Scope};

/// Takes the units one at a time, calls `work` for them on this many threads, and gives the results to `consume` in the
/// order of the units.
///
/// A thread does not run far ahead of `consume`, and ends soon after `consume` does. With one thread, each result is
/// computed when `consume` asks for it. If the system refuses threads, the work goes on with those there are.
pub(crate) fn in_order<U, T: Send, R>(
    threads: usize,
    units: impl Iterator<Item = U> + Send,
    work: impl Fn(U) -> T + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    if threads <= 1 {
        return consume(&mut units.map(work));
    }
    let units = Mutex::new(units.fuse().enumerate());
    let next = || units.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(threads);
        let started = (0..threads).map_while(|_| {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let run = move || {
                while let Some((number, unit)) = next() {
                    if sender.send((number, work(unit))).is_err() {
                        break;
                    }
                }
            };
            spawn(scope, run).ok()
        });
        if started.count() == 0 {
            return consume(&mut iter::from_fn(|| next().map(|(_, unit)| work(unit))));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0..;
        consume(&mut iter::from_fn(move || {
            let number = next.next()?;
            loop {
                if let Some(result) = early.remove(&number) {
                    return Some(result);
                }
                let (other, result) = receiver.recv().ok()?;
                early.insert(other, result);
            }
        }))
    })
}

/// Starts a thread, if the system has one left.
fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, run: impl FnOnce() + Send + 'scope) -> io::Result<()> {
    Builder::new().spawn_scoped(scope, run).map(|_| ())
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    #[test]
    fn results_are_in_order_whatever_they_take() {
        for threads in [1, 2, 7] {
            for count in [0, 1, 2, 50] {
                let work = |number| {
                    thread::sleep(Duration::from_micros(number * 7919 % 500));
                    number * 3
                };
                let results: Vec<u64> = in_order(threads, 0..count, work, |results| results.collect());
                assert_eq!(results, (0..count).map(|number| number * 3).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_work_ends_with_its_consumer() {
        assert_eq!(in_order(3, 0.., |number| number, |results| results.next()), Some(0));
    }
}

//! Runs work on several threads and hands over the results in order.

use core::iter;
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc;
use std::thread::{self, Builder, Scope};

/// Calls `work` on this many threads until it returns `None`, and gives the results to `consume` in the order of their
/// numbers, which count from 0.
///
/// A thread does not run far ahead of `consume`, and ends soon after `consume` does. With one thread, each result is
/// computed when `consume` asks for it. If the system refuses threads, the work goes on with those there are.
pub(crate) fn in_order<T: Send, R>(
    threads: usize,
    work: impl Fn() -> Option<(u64, T)> + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    if threads <= 1 {
        return consume(&mut iter::from_fn(|| work().map(|(_, result)| result)));
    }
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(threads);
        let started = (0..threads).map_while(|_| {
            let (sender, work) = (sender.clone(), &work);
            let run = move || {
                while let Some(result) = work() {
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            };
            spawn(scope, run).ok()
        });
        if started.count() == 0 {
            return consume(&mut iter::from_fn(|| work().map(|(_, result)| result)));
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
    use core::sync::atomic::{AtomicU64, Ordering};
    use core::time::Duration;

    use super::*;

    #[test]
    fn results_are_in_order_whatever_they_take() {
        for threads in [1, 2, 7] {
            for count in [0, 1, 2, 50] {
                let next = AtomicU64::new(0);
                let work = || {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_micros(number * 7919 % 500));
                    (number < count).then_some((number, number * 3))
                };
                let results: Vec<u64> = in_order(threads, work, |results| results.collect());
                assert_eq!(results, (0..count).map(|number| number * 3).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_work_ends_with_its_consumer() {
        let next = AtomicU64::new(0);
        let work = || Some((next.fetch_add(1, Ordering::Relaxed), ()));
        assert!(in_order(3, work, |results| results.next()).is_some());
    }
}

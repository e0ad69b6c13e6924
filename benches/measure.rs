//! Races: calls that take turns, so that what slows the machine slows all of them, timed in nanoseconds and, where the
//! core's cycle can be calibrated in between, in cycles.

use core::hint::black_box;
use std::time::Instant;

/// Long enough for the clock to be exact to a few thousandths, short enough to fit between two interruptions.
const SAMPLE: f64 = 50_000.0;

/// What one call took, in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Time {
    pub(crate) minimum: f64,
    pub(crate) median: f64,
}

/// Calls to be timed against each other.
#[derive(Default)]
pub(crate) struct Race<'a>(Vec<Runner<'a>>);

struct Runner<'a> {
    /// Calls so many times.
    run: Box<dyn FnMut(u32) + 'a>,
    repeats: u32,
    samples: Vec<f64>,
}

/// What came of a race.
pub(crate) struct Results {
    /// By the numbers that `Race::add` gave out.
    pub(crate) times: Vec<Time>,
    /// Nanoseconds of a core cycle, or why they are not known.
    pub(crate) cycle: Result<f64, String>,
}

impl<'a> Race<'a> {
    /// Takes `call` in and returns its number.
    pub(crate) fn add<R>(&mut self, mut call: impl FnMut() -> R + 'a) -> usize {
        let run = move |times| {
            for _ in 0..times {
                black_box(call());
            }
        };
        self.0.push(Runner { run: Box::new(run), repeats: 1, samples: Vec::new() });
        self.0.len() - 1
    }

    /// Lets everybody run once a round.
    pub(crate) fn run(mut self, rounds: usize) -> Results {
        for runner in &mut self.0 {
            while runner.sample() < SAMPLE && runner.repeats < 1 << 20 {
                runner.repeats *= 2;
            }
        }
        let mut cycle = f64::INFINITY;
        for _ in 0..rounds.max(1) {
            for runner in &mut self.0 {
                // A core may be slower for a while after much work on wide vectors: until it is not, or for a
                // millisecond.
                for _ in 0..100 {
                    let now = sample_cycle();
                    cycle = cycle.min(now);
                    if now < 1.03 * cycle {
                        break;
                    }
                }
                // And it may be slower for a while before it grants such vectors, and with cold caches.
                runner.sample();
                let nanoseconds = runner.sample() / f64::from(runner.repeats);
                runner.samples.push(nanoseconds);
            }
        }
        Results { times: self.0.iter_mut().map(Runner::time).collect(), cycle: plausible(cycle) }
    }
}

impl Runner<'_> {
    /// Nanoseconds of `repeats` calls.
    fn sample(&mut self) -> f64 {
        nanoseconds(|| (self.run)(self.repeats))
    }

    fn time(&mut self) -> Time {
        self.samples.sort_unstable_by(f64::total_cmp);
        Time { minimum: self.samples[0], median: self.samples[self.samples.len() / 2] }
    }
}

fn nanoseconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e9
}

/// Nanoseconds of a core cycle, if nothing interrupted.
fn sample_cycle() -> f64 {
    const HUNDREDS: u32 = 300;
    let (x, k, l) = black_box((1, 0x1234_5678_9abc_def1, 0x0fed_cba9_8765_4321));
    nanoseconds(|| _ = black_box(hundred_cycles(x, k, l, HUNDREDS))) / f64::from(100 * HUNDREDS)
}

macro_rules! ten_times {
    ($($step:tt)*) => {
        $($step)* $($step)* $($step)* $($step)* $($step)* $($step)* $($step)* $($step)* $($step)* $($step)*
    };
}

/// Fifty times an exclusive or and an addition, each of one cycle and each waiting for the one before, `times` times.
///
/// All three operands are in registers: x86-64 compilers make exactly these hundred instructions of it, since neither
/// operation can be moved past the other, and no CPU takes a part of them before their turn, as some do with additions
/// of constants. The loop's own two instructions run beside them.
#[inline(never)]
fn hundred_cycles(mut x: u64, k: u64, l: u64, times: u32) -> u64 {
    for _ in 0..times {
        ten_times! {
            x = (x ^ k).wrapping_add(l);
            x = (x ^ k).wrapping_add(l);
            x = (x ^ k).wrapping_add(l);
            x = (x ^ k).wrapping_add(l);
            x = (x ^ k).wrapping_add(l);
        }
    }
    x
}

fn plausible(cycle: f64) -> Result<f64, String> {
    if !cfg!(target_arch = "x86_64") {
        Err("the chain of additions is known to take a cycle a step on x86-64 only".into())
    } else if cfg!(debug_assertions) {
        Err("this is a debug build".into())
    } else if !(0.1..2.0).contains(&cycle) {
        Err(format!("a step of the chain of additions took {cycle:.3} ns, which is no cycle of a core"))
    } else {
        Ok(cycle)
    }
}

/// What the kernel calls the CPU.
pub(crate) fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':')).map_or("?", |(_, value)| value.trim())
    };
    format!("{} (family {}, model {})", field("model name"), field("cpu family"), field("model"))
}

//! Whether a batch is as fast as the loop that it replaces: every batch beside its loop, in one run.
//!
//! `cargo bench -p benches --bench batches`, with `-- --quick` a trial run of which the figures mean little, and with
//! `-- avx2` on this backend, or with `-- avx2-sha` on it without the SHA extension. A line has the cycles of a message,
//! or of a piece, in the batch and in the loop, and their ratio. The last lines are the batches that take longer than
//! the loop by more than 3 % and by more than 10 cycles a call.

#[path = "batches/rows.rs"]
mod rows;

mod arguments;
#[allow(dead_code, reason = "only minima are compared here")]
mod measure;

use self::arguments::Arguments;
use self::measure::{Race, cpu};
use self::rows::{Row, rows};

fn main() {
    let arguments = Arguments::read();
    let Arguments { backend, rounds, .. } = arguments;
    println!("{}, {backend:?}: cycles a message or piece, in the batch and in the loop", cpu());
    let mut slower = Vec::new();
    for row in rows(backend).into_iter().filter(|row| arguments.want(&row.name)) {
        let Row { name, number, calls, batch, one_by_one } = row;
        let mut race = Race::default();
        race.add(batch);
        race.add(one_by_one);
        let results = race.run(rounds);
        // Nanoseconds, where the cycle is not known.
        let cycle = results.cycle.unwrap_or(1.0);
        let [batch, one_by_one] = [0, 1].map(|i| results.times[i].minimum / cycle);
        let [each, each_alone] = [batch, one_by_one].map(|time| time / number as f64);
        let line = format!("{name:42} {each:8.1} {each_alone:8.1} {:6.2}", batch / one_by_one);
        println!("{line}");
        if batch > 1.03 * one_by_one && batch - one_by_one > 10.0 * calls as f64 {
            slower.push(line);
        }
    }
    println!("\n{} batches are slower than their loops:", slower.len());
    slower.iter().for_each(|line| println!("{line}"));
}

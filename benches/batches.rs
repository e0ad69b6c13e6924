//! Whether a batch is as fast as the loop that it replaces: every batch beside its loop, the least of five passes.
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

/// Times all rows so often, since another program may slow the machine for longer than the turns of one row.
const PASSES: usize = 5;

fn main() {
    let arguments = Arguments::read();
    let Arguments { backend, rounds, .. } = arguments;
    println!("{}, {backend:?}: cycles a message or piece, in the batch and in the loop", cpu());
    let mut rows: Vec<Row> = rows(backend).into_iter().filter(|row| arguments.want(&row.name)).collect();
    let mut times = vec![[f64::INFINITY; 2]; rows.len()];
    for _ in 0..if rounds > 1 { PASSES } else { 1 } {
        for (row, least) in rows.iter_mut().zip(&mut times) {
            let mut race = Race::default();
            race.add(&mut row.batch);
            race.add(&mut row.one_by_one);
            let results = race.run(rounds);
            // Nanoseconds, where the cycle is not known.
            let cycle = results.cycle.unwrap_or(1.0);
            for (least, time) in least.iter_mut().zip(results.times) {
                *least = least.min(time.minimum / cycle);
            }
        }
    }
    let mut slower = Vec::new();
    for (Row { name, number, calls, .. }, [batch, one_by_one]) in rows.into_iter().zip(times) {
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

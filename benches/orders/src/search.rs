//! The search: orders that did well are changed in a few places, timed beside each other, and the best go on.

use core::time::Duration;
use std::time::Instant;

use crate::assembly::{Function, MANY_REGISTERS};
use crate::candidate::{Cycles, measure};
use crate::operations::Operations;
use crate::order::Order;

/// Orders that are timed in one run.
const CANDIDATES: usize = 140;
/// The best of them are timed again, several times.
const AGAIN: usize = 24;
/// The best of those go on.
const SURVIVORS: usize = 10;

/// Goes on from `orders` for so long, and tells `report` of the best after each generation. Returns the best, first the
/// fastest.
pub(crate) fn search(
    function: Function,
    operations: &Operations,
    mut orders: Vec<Order>,
    time: Duration,
    seed: u64,
    mut report: impl FnMut(&[(Cycles, Order)]),
) -> Result<Vec<Order>, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    orders.retain(|order| function.fits(order));
    if orders.is_empty() {
        return Err(MANY_REGISTERS.to_owned());
    }
    let start = Instant::now();
    while start.elapsed() < time {
        let mut candidates = orders.clone();
        while candidates.len() < CANDIDATES {
            let parent = &orders[random.usize(..orders.len())];
            let order = parent.mutated(operations, &mut random);
            if function.fits(&order) {
                candidates.push(order);
            }
        }
        let first = measure(function, &candidates, 40)?;
        let mut best: Vec<usize> = (0..candidates.len()).collect();
        best.sort_by(|&i, &j| first[i].many.total_cmp(&first[j].many));
        let finalists: Vec<Order> = best.iter().take(AGAIN).map(|&i| candidates[i].clone()).collect();
        // The median of three minima: a single one may be a lucky calibration.
        let again = (0..3).map(|_| measure(function, &finalists, 100)).collect::<Result<Vec<_>, _>>()?;
        let mut timed: Vec<(Cycles, Order)> = finalists
            .into_iter()
            .enumerate()
            .map(|(i, order)| {
                let mut cycles: Vec<Cycles> = again.iter().map(|run| run[i]).collect();
                cycles.sort_by(|a, b| a.many.total_cmp(&b.many));
                (cycles[1], order)
            })
            .collect();
        timed.sort_by(|a, b| a.0.many.total_cmp(&b.0.many));
        timed.dedup_by(|a, b| a.1 == b.1);
        timed.truncate(SURVIVORS);
        report(&timed);
        orders = timed.into_iter().map(|(_, order)| order).collect();
    }
    Ok(orders)
}

//! The search: orders that did well are changed in a few places, timed beside each other, and the best go on.

use core::time::Duration;
use std::time::Instant;

use crate::assembly::Function;
use crate::candidate::{Cycles, measure, measure_lanes};
use crate::lanes::Lanes;
use crate::operations::Operations;
use crate::order::Order;

/// Orders that are timed in one run.
const CANDIDATES: usize = 140;
/// The best of them are timed again, several times.
const AGAIN: usize = 24;
/// The best of those go on.
const SURVIVORS: usize = 10;

/// The orders that are searched, and their figures.
pub(crate) trait Search {
    type Order: Clone + PartialEq;
    type Cycles: Copy;

    /// A changed order, unless that does not fit.
    fn mutated(&self, order: &Self::Order, random: &mut fastrand::Rng) -> Option<Self::Order>;
    /// # Errors
    ///
    /// As [`measure`].
    fn measure(&self, orders: &[Self::Order], rounds: usize) -> Result<Vec<Self::Cycles>, String>;
    /// The figure that is to be small.
    fn figure(cycles: &Self::Cycles) -> f64;
}

/// Orders of one message or of two.
pub(crate) struct Rows<'a>(pub(crate) Function, pub(crate) &'a Operations);

impl Search for Rows<'_> {
    type Order = Order;
    type Cycles = Cycles;

    fn mutated(&self, order: &Order, random: &mut fastrand::Rng) -> Option<Order> {
        Some(order.mutated(self.1, random)).filter(|order| self.0.fits(order))
    }

    fn measure(&self, orders: &[Order], rounds: usize) -> Result<Vec<Cycles>, String> {
        measure(self.0, orders, rounds)
    }

    fn figure(cycles: &Cycles) -> f64 {
        cycles.many
    }
}

/// Orders of half a round in lanes.
pub(crate) struct InLanes;

impl Search for InLanes {
    type Order = Lanes;
    type Cycles = f64;

    fn mutated(&self, order: &Lanes, random: &mut fastrand::Rng) -> Option<Lanes> {
        Some(order.mutated(random))
    }

    fn measure(&self, orders: &[Lanes], rounds: usize) -> Result<Vec<f64>, String> {
        measure_lanes(orders, rounds)
    }

    fn figure(cycles: &f64) -> f64 {
        *cycles
    }
}

/// Goes on from `orders` for so long, and tells `report` of the best after each generation. Returns the best, first the
/// fastest.
pub(crate) fn search<S: Search>(
    search: &S,
    mut orders: Vec<S::Order>,
    time: Duration,
    seed: u64,
    mut report: impl FnMut(&[(S::Cycles, S::Order)]),
) -> Result<Vec<S::Order>, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let start = Instant::now();
    while start.elapsed() < time {
        let mut candidates = orders.clone();
        while candidates.len() < CANDIDATES {
            let parent = &orders[random.usize(..orders.len())];
            candidates.extend(search.mutated(parent, &mut random));
        }
        let first = search.measure(&candidates, 40)?;
        let mut best: Vec<usize> = (0..candidates.len()).collect();
        best.sort_by(|&i, &j| S::figure(&first[i]).total_cmp(&S::figure(&first[j])));
        let finalists: Vec<S::Order> = best.iter().take(AGAIN).map(|&i| candidates[i].clone()).collect();
        // The median of three minima: a single one may be a lucky calibration.
        let again = (0..3).map(|_| search.measure(&finalists, 100)).collect::<Result<Vec<_>, _>>()?;
        let mut timed: Vec<(S::Cycles, S::Order)> = finalists
            .into_iter()
            .enumerate()
            .map(|(i, order)| {
                let mut cycles: Vec<S::Cycles> = again.iter().map(|run| run[i]).collect();
                cycles.sort_by(|a, b| S::figure(a).total_cmp(&S::figure(b)));
                (cycles[1], order)
            })
            .collect();
        timed.sort_by(|a, b| S::figure(&a.0).total_cmp(&S::figure(&b.0)));
        timed.dedup_by(|a, b| a.1 == b.1);
        timed.truncate(SURVIVORS);
        report(&timed);
        orders = timed.into_iter().map(|(_, order)| order).collect();
    }
    Ok(orders)
}

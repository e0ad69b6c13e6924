//! The input of the benches and how long they take.

use core::time::Duration;

use criterion::Criterion;

/// `length` bytes in a cycle of 251: prime, so that no two blocks next to each other are equal.
pub(crate) fn paint(length: usize) -> Vec<u8> {
    (0..251).cycle().take(length).collect()
}

/// Two seconds and a half for each, which is enough for a steady median.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(50)
}

//! How many cases a test has.

use proptest::test_runner::Config;

/// As many inputs, and a fifth of them on an emulated machine.
pub(crate) fn cases(number: u32) -> Config {
    let number = if is_emulated() { number.div_ceil(5) } else { number };
    Config { failure_persistence: None, ..Config::with_cases(number) }
}

/// All cases, and every fifth from `first` on, modulo 5, on an emulated machine.
#[cfg(any(feature = "blake2", feature = "blake3"))]
pub(crate) fn fewer<T>(first: usize, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let (first, step) = if is_emulated() { (first % 5, 5) } else { (0, 1) };
    cases.into_iter().skip(first).step_by(step)
}

/// Whether `SIMD_DIGEST_EMULATED` is set. Some tests take minutes in an emulator, and real CPUs see all cases.
fn is_emulated() -> bool {
    std::env::var_os("SIMD_DIGEST_EMULATED").is_some()
}

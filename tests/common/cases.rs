//! Random inputs by proptest.

use proptest::test_runner::Config;

/// As many inputs, and a fifth of them where `SIMD_DIGEST_EMULATED` is set: they cost an emulator minutes, and real CPUs see all.
pub(crate) fn cases(number: u32) -> Config {
    let number = if std::env::var_os("SIMD_DIGEST_EMULATED").is_some() { number.div_ceil(5) } else { number };
    Config { failure_persistence: None, ..Config::with_cases(number) }
}

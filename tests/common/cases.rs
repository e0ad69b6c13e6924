//! How many cases a test has.

use test_crates::proptest::test_runner::Config;

/// As many inputs, or a fifth of them where there are fewer cases.
pub(crate) fn cases(number: u32) -> Config {
    let number = if are_fewer() { number.div_ceil(5) } else { number };
    Config { failure_persistence: None, ..Config::with_cases(number) }
}

/// All cases, or every fifth from `first` on, modulo 5, where there are fewer cases.
pub(crate) fn fewer<T>(first: usize, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let (first, step) = if are_fewer() { (first % 5, 5) } else { (0, 1) };
    cases.into_iter().skip(first).step_by(step)
}

/// All cases, or every near one and every fifth of the far ones where there are fewer cases.
pub(crate) fn fewer_far<T>(
    cases: impl IntoIterator<Item = T>,
    is_near: impl Fn(&T) -> bool,
) -> impl Iterator<Item = T> {
    let (all, mut far) = (!are_fewer(), 0);
    cases.into_iter().filter(move |case| {
        all || is_near(case) || {
            far += 1;
            far % 5 == 0
        }
    })
}

/// Whether `SIMD_DIGEST_FEWER_CASES` is set: in emulators, under the address sanitizer and on i686, where some tests
/// take minutes, and in debug builds and where other features or another CPU are compiled for, since an optimised build
/// runs all cases.
pub(crate) fn are_fewer() -> bool {
    std::env::var_os("SIMD_DIGEST_FEWER_CASES").is_some()
}

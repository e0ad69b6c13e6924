//! The message of all tests.

/// The message of `length` bytes that the files in `tests/data` mean. No two of its first 251 blocks are equal.
pub(crate) fn paint(length: usize) -> Vec<u8> {
    // By whole cycles: a byte at a time, tests that are not optimised would take most of their time here.
    const CYCLE: [u8; 251] = {
        let mut cycle = [0; 251];
        let mut i = 0;
        while i < 251 {
            cycle[i as usize] = i;
            i += 1;
        }
        cycle
    };
    let mut message = CYCLE.repeat(length.div_ceil(251));
    message.truncate(length);
    message
}

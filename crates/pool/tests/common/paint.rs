//! Helpers of all tests.
#![allow(dead_code, unreachable_pub, reason = "not every test has a use for everything")]

/// Xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % end
    }
}

/// No two of the first 251 blocks are equal.
pub fn paint(length: usize) -> Vec<u8> {
    // Megabytes that an iterator counts out take a tenth of a second if it is not optimised.
    let mut bytes = (0..251).collect::<Vec<u8>>().repeat(length.div_ceil(251));
    bytes.truncate(length);
    bytes
}

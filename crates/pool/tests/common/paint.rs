//! Of all tests.
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
    (0..251).cycle().take(length).collect()
}

//! Numbers and bytes that are the same in each run.

use bytes::Bytes;

#[derive(Debug)]
pub(crate) struct Random(u64);

#[allow(dead_code, reason = "not every test needs all")]
impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// As `below`, for an index.
    pub(crate) fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap()
    }

    pub(crate) fn bytes(&mut self, length: u64) -> Bytes {
        let length = usize::try_from(length).unwrap();
        let mut bytes = Vec::with_capacity(length + 6);
        // Numbers have 48 bits.
        while bytes.len() < length {
            bytes.extend_from_slice(&self.next().to_le_bytes()[..6]);
        }
        bytes.truncate(length);
        bytes.into()
    }

    /// The bytes in pieces of up to `most` bytes, some of them empty.
    pub(crate) fn pieces(&mut self, mut bytes: Bytes, most: u64) -> Vec<Bytes> {
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let length = self.below(most + 1).min(bytes.len() as u64);
            pieces.push(bytes.split_to(usize::try_from(length).unwrap()));
        }
        pieces
    }
}

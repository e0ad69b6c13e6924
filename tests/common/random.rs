//! Random pieces of messages.

/// Numbers that look random and are the same in every run (xorshift64).
pub(crate) struct Random(u64);

impl Random {
    /// Starts from any number but 0.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: u64) -> usize {
        usize::try_from(self.number() % bound).unwrap()
    }

    /// `message` in pieces: some empty, some a few bytes, some of whole blocks, some that end one byte beside one.
    pub(crate) fn pieces<'a>(&mut self, mut message: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while !message.is_empty() {
            let length = match self.below(4) {
                0 => self.below(4),
                1 => self.below(300),
                2 => 64 * self.below(7),
                _ => [63, 127][self.below(2)] + self.below(3),
            };
            let (piece, rest) = message.split_at(length.min(message.len()));
            pieces.push(piece);
            message = rest;
        }
        pieces
    }
}

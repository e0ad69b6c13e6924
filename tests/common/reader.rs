//! Readers that give a few bytes at a time, are interrupted now and then, and fail in the end.

use std::io::{self, ErrorKind, Read};

use super::random::Random;

pub(crate) struct Fickle<'a> {
    pub(crate) rest: &'a [u8],
    pub(crate) random: Random,
    /// In the place of the end.
    pub(crate) error: Option<ErrorKind>,
    /// How often it is interrupted before each piece: 0 to this.
    pub(crate) interruptions: u64,
}

impl Read for Fickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interruptions > 0 && self.random.below(self.interruptions) > 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty()
            && let Some(error) = self.error
        {
            return Err(error.into());
        }
        let bound = [2, 70, 3000, 1 << 20][self.random.below(4)];
        let length = buffer.len().min(self.rest.len()).min(1 + self.random.below(bound));
        let (piece, rest) = self.rest.split_at(length);
        buffer[..length].copy_from_slice(piece);
        // A reader may write beyond what it says.
        buffer[length..].fill(0xee);
        self.rest = rest;
        Ok(length)
    }
}

/// Claims more bytes than there is room for, after some that it read.
pub(crate) struct Boastful<'a> {
    pub(crate) rest: &'a [u8],
    pub(crate) claim: usize,
}

impl Read for Boastful<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.rest.read(buffer) {
            Ok(0) => Ok(buffer.len().saturating_add(self.claim)),
            result => result,
        }
    }
}

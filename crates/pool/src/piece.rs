//! Data of a stream that is still to be hashed.
#![forbid(unsafe_code)]

use std::collections::VecDeque;

use crate::lend::Lent;

/// Bytes that lie together; at least one.
#[derive(Debug)]
pub(crate) enum Piece {
    Lent(Lent),
    #[cfg(feature = "bytes")]
    Bytes(bytes::Bytes),
    /// Small pieces, copied.
    #[cfg(feature = "bytes")]
    Gathered(Vec<u8>),
}

impl Piece {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Lent(lent) => lent.bytes(),
            #[cfg(feature = "bytes")]
            Self::Bytes(bytes) => bytes,
            #[cfg(feature = "bytes")]
            Self::Gathered(bytes) => bytes,
        }
    }
}

/// Pieces of a stream, in order, of which the first bytes may be hashed already.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that are hashed.
    hashed: usize,
}

impl Pieces {
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(crate) fn push(&mut self, piece: Piece) {
        if !piece.bytes().is_empty() {
            self.pieces.push_back(piece);
        }
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Piece> {
        self.pieces.into_iter()
    }

    /// Appends `others`, of which nothing is hashed.
    pub(crate) fn append(&mut self, others: &mut Self) {
        debug_assert_eq!(others.hashed, 0);
        self.pieces.append(&mut others.pieces);
    }

    /// The next bytes that lie together.
    pub(crate) fn next(&self) -> &[u8] {
        self.pieces.front().map_or(&[], |piece| &piece.bytes()[self.hashed..])
    }

    /// Notes that the next bytes, up to `count` of them, are hashed, and gives the piece if that was all of it.
    pub(crate) fn advance(&mut self, count: usize) -> Option<Piece> {
        let left = self.next().len();
        if count < left {
            self.hashed += count;
            return None;
        }
        self.hashed = 0;
        self.pieces.pop_front()
    }

    /// Appends a few bytes by copying them to a piece that grows to `room` at most.
    #[cfg(feature = "bytes")]
    pub(crate) fn gather(&mut self, bytes: &[u8], room: usize) {
        match self.pieces.back_mut() {
            Some(Piece::Gathered(gathered)) if gathered.len().saturating_add(bytes.len()) <= room => {
                gathered.extend_from_slice(bytes);
            }
            _ => self.push(Piece::Gathered(bytes.to_vec())),
        }
    }
}

#[cfg(all(test, feature = "bytes"))]
mod tests {
    use super::*;

    /// Small pieces between long ones take no more memory than they need.
    #[test]
    fn small_pieces_take_little_memory() {
        let mut pieces = Pieces::default();
        for _ in 0..100 {
            pieces.gather(b"a", 1 << 30);
            pieces.gather(b"bc", 1 << 30);
            pieces.push(Piece::Bytes(bytes::Bytes::from_static(b"d")));
        }
        let capacity = |piece: &Piece| if let Piece::Gathered(bytes) = piece { bytes.capacity() } else { 0 };
        assert!(pieces.pieces.iter().map(capacity).sum::<usize>() <= 100 * 64);
        let all: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.bytes().to_vec()).collect();
        assert_eq!(all, b"abcd".repeat(100));
    }
}

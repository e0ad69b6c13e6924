//! A queue of bytes in pieces, cut anywhere without a copy.

use std::collections::VecDeque;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::Result;

#[derive(Debug, Default)]
pub(crate) struct Rope {
    pieces: VecDeque<Bytes>,
    len: usize,
}

impl Rope {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.len += piece.len();
            self.pieces.push_back(piece);
        }
    }

    /// Appends pieces of a stream until there are `len` bytes, or the stream ends.
    pub(crate) async fn fill(&mut self, stream: &mut BoxStream<'static, Result<Bytes>>, len: u64) -> Result<()> {
        while (self.len as u64) < len
            && let Some(piece) = stream.try_next().await?
        {
            self.push(piece);
        }
        Ok(())
    }

    /// The first `len` bytes, or all if there are fewer.
    pub(crate) fn take(&mut self, len: usize) -> Vec<Bytes> {
        let mut left = len.min(self.len);
        self.len -= left;
        let mut taken = Vec::new();
        while left > 0
            && let Some(mut piece) = self.pieces.pop_front()
        {
            if piece.len() > left {
                self.pieces.push_front(piece.split_off(left));
            }
            left -= piece.len();
            taken.push(piece);
        }
        taken
    }

    /// A copy of the first `len` bytes, or of all if there are fewer.
    pub(crate) fn first(&self, len: usize) -> Vec<u8> {
        self.pieces.iter().flatten().take(len).copied().collect()
    }

    /// The first `N` bytes by value, if there are as many.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.len < N {
            return None;
        }
        let mut array = [0; N];
        let mut at = 0;
        for mut piece in self.take(N) {
            let length = piece.len();
            piece.copy_to_slice(array.get_mut(at..at + length)?);
            at += length;
        }
        Some(array)
    }
}

impl Extend<Bytes> for Rope {
    fn extend<I: IntoIterator<Item = Bytes>>(&mut self, pieces: I) {
        pieces.into_iter().for_each(|piece| self.push(piece));
    }
}

impl FromIterator<Bytes> for Rope {
    fn from_iter<I: IntoIterator<Item = Bytes>>(pieces: I) -> Self {
        let mut rope = Self::default();
        rope.extend(pieces);
        rope
    }
}

/// One piece of these: the only one, or a copy.
pub(crate) fn join(pieces: impl IntoIterator<Item = Bytes>) -> Bytes {
    let mut pieces = pieces.into_iter();
    let first = pieces.next().unwrap_or_default();
    let rest: Vec<Bytes> = pieces.collect();
    if rest.is_empty() {
        return first;
    }
    let mut joined = BytesMut::with_capacity(first.len() + rest.iter().map(Bytes::len).sum::<usize>());
    joined.extend_from_slice(&first);
    rest.iter().for_each(|piece| joined.extend_from_slice(piece));
    joined.freeze()
}

/// Drops all but `len` bytes from `skip` on.
pub(crate) fn trim(pieces: Vec<Bytes>, mut skip: u64, mut len: u64) -> impl Iterator<Item = Bytes> {
    pieces.into_iter().filter_map(move |mut piece| {
        let skipped = skip.min(piece.len() as u64);
        skip -= skipped;
        piece.advance(usize::try_from(skipped).unwrap_or(usize::MAX));
        let kept = len.min(piece.len() as u64);
        len -= kept;
        piece.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
        (!piece.is_empty()).then_some(piece)
    })
}

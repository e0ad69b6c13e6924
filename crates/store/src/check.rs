//! Stored stripes, and whether they have their digests.

use core::ops::Range;

use bytes::Bytes;
use simd_digest::blake2::ParamsError;

use crate::corrupt::Corrupt;
use crate::hashing::{Hashing, Leaves};
use crate::layout::{DIGEST, Layout};
use crate::rope::Rope;

/// The places of an object's stripes, and their digests.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) layout: Layout,
    pub(crate) leaves: &'a Leaves,
    /// The length of the object, in bytes.
    pub(crate) len: u64,
}

/// A stripe as it was stored.
pub(crate) struct Stored {
    pub(crate) number: u64,
    /// `None` if digests are not before the stripes.
    digest: Option<[u8; DIGEST]>,
    pub(crate) pieces: Vec<Bytes>,
}

impl Object<'_> {
    pub(crate) fn corrupt(&self, stripe: u64) -> Corrupt {
        Corrupt { stripe, range: self.layout.bytes_of(stripe, self.len) }
    }

    /// Cuts stripes from the beginning of stored bytes: all, or those before the first that is not all there.
    pub(crate) fn cut(&self, stripes: Range<u64>, rope: &mut Rope) -> Vec<Stored> {
        let stored = |number| {
            let digest = if self.layout.digest == 0 { None } else { Some(rope.array()?) };
            let bytes = self.layout.bytes_of(number, self.len);
            let length = usize::try_from(bytes.end - bytes.start).ok()?;
            (rope.len() >= length).then(|| Stored { number, digest, pieces: rope.take(length) })
        };
        stripes.map_while(stored).collect()
    }

    /// Begins to verify stripes side by side.
    pub(crate) fn check(&self, stripes: Vec<Stored>) -> Result<Check<'_>, ParamsError> {
        let last = self.layout.count(self.len) - 1;
        let digests = stripes.iter().map(|stripe| (stripe.number, stripe.digest)).collect();
        let stripes = stripes.into_iter().map(|stripe| (stripe.number, stripe.number == last, stripe.pieces)).collect();
        Ok(Check { object: self, digests, hashing: Hashing::new(self.leaves, stripes)? })
    }
}

/// Stripes that are being verified.
pub(crate) struct Check<'a> {
    object: &'a Object<'a>,
    digests: Vec<(u64, Option<[u8; DIGEST]>)>,
    pub(crate) hashing: Hashing,
}

impl Check<'_> {
    /// The bytes of the stripes before the first corrupt one, and the corruption. All bytes must be hashed.
    ///
    /// `beside` gives digests that are not before the stripes, and `tell` is told of every corrupt stripe.
    pub(crate) fn finish<'a>(
        self,
        beside: impl Fn(u64) -> Option<&'a [u8]>,
        mut tell: impl FnMut(&Corrupt),
    ) -> (Vec<Vec<Bytes>>, Option<Corrupt>) {
        let (own, mut pieces) = self.hashing.finish();
        let mut first = None;
        for (i, (number, digest)) in self.digests.iter().enumerate() {
            let digest = digest.as_ref().map(<[u8; DIGEST]>::as_slice).or_else(|| beside(*number));
            if !digest.is_some_and(|digest| own.is(i, digest)) {
                let corrupt = self.object.corrupt(*number);
                tell(&corrupt);
                first.get_or_insert((i, corrupt));
            }
        }
        if let Some((i, _)) = first {
            pieces.truncate(i);
        }
        (pieces, first.map(|(_, corrupt)| corrupt))
    }
}

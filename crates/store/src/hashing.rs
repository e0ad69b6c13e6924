//! Digests of stripes, side by side and some at a time.
//!
//! ```text
//!   Leaves     makes the hasher of a stripe from its number, and whether it is the last
//!   Hashing    a batch of stripes, of which `step` hashes so many bytes in lanes
//!   Digests    the digests of the batch
//! ```

use bytes::Bytes;
use core::fmt;
use simd_digest::blake2::{ParamsError, Part};
use simd_digest::{Backend, blake2b, blake2s, sha256};

use crate::key::{Hash, Key};

/// The beginning of every object, and of the first block of a stripe with SHA-256: magic and version.
pub(crate) const MAGIC: [u8; 8] = *b"stripes\x01";

/// The bytes that are hashed in one poll, at most.
pub(crate) const AT_ONCE: usize = 1 << 20;

const AS_MANY: &str = "there is a digest for each hasher";

/// How the stripes of an object are hashed.
#[derive(Clone)]
pub(crate) enum Leaves {
    Blake2b(blake2b::Tree),
    Blake2s(blake2s::Tree),
    Sha256 {
        random: [u8; 16],
        /// For a message, with the key.
        begin: sha256::Hasher,
        /// For the digest of the message, if there is a key.
        outer: Option<sha256::Hasher>,
    },
}

impl Leaves {
    /// Stripes of these lengths, with these random bytes.
    pub(crate) fn new(hash: Hash, stripe: u32, key: Option<&Key>, random: &[u8; 16]) -> Result<Self, ParamsError> {
        Ok(match hash {
            Hash::Blake2b => {
                let mut params = blake2b::Params::new().salt(random);
                if let Some(key) = key {
                    params = params.key(key.bytes());
                }
                let params = params.hash_length(32).fanout(0).max_depth(2).max_leaf_length(stripe);
                Self::Blake2b(params.inner_hash_length(32).tree()?)
            }
            Hash::Blake2s => {
                let mut params = blake2s::Params::new().salt(&random[..8]);
                if let Some(key) = key {
                    params = params.key(key.bytes());
                }
                let params = params.hash_length(32).fanout(0).max_depth(2).max_leaf_length(stripe);
                Self::Blake2s(params.inner_hash_length(32).tree()?)
            }
            Hash::Sha256 => {
                let (begin, outer) = key.map_or_else(
                    || (sha256::Hasher::new(), None),
                    |key| {
                        let (inner, outer) = key.hmac();
                        (inner, Some(outer))
                    },
                );
                Self::Sha256 { random: *random, begin, outer }
            }
        })
    }

    /// Hashers of stripes: the number of each, and whether it is the last.
    fn hashers(&self, stripes: impl Iterator<Item = (u64, bool)>) -> Result<Hashers, ParamsError> {
        Ok(match self {
            Self::Blake2b(tree) => {
                Hashers::Blake2b(stripes.map(|(i, last)| tree.leaf(i, Part::last_if(last))).collect::<Result<_, _>>()?)
            }
            Self::Blake2s(tree) => {
                Hashers::Blake2s(stripes.map(|(i, last)| tree.leaf(i, Part::last_if(last))).collect::<Result<_, _>>()?)
            }
            Self::Sha256 { random, begin, outer } => {
                let hashers = stripes.map(|(number, last)| {
                    let mut block = [0; 64];
                    block[..8].copy_from_slice(&MAGIC);
                    block[8..24].copy_from_slice(random);
                    block[24..32].copy_from_slice(&number.to_le_bytes());
                    block[32] = last.into();
                    let mut hasher = begin.clone();
                    hasher.update(&block);
                    hasher
                });
                Hashers::Sha256(hashers.collect(), outer.clone())
            }
        })
    }
}

/// Tells nothing, for there may be a key.
impl fmt::Debug for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaves").finish_non_exhaustive()
    }
}

enum Hashers {
    Blake2b(Vec<blake2b::Hasher>),
    Blake2s(Vec<blake2s::Hasher>),
    /// With the outer hasher of HMAC.
    Sha256(Vec<sha256::Hasher>, Option<sha256::Hasher>),
}

/// The bytes of a stripe.
#[derive(Debug, Default)]
struct Pieces {
    pieces: Vec<Bytes>,
    /// The piece that is hashed next, and its bytes that are hashed.
    at: usize,
    offset: usize,
}

impl Pieces {
    /// At most `most` of the next bytes.
    fn next(&mut self, most: usize) -> &[u8] {
        let Some(piece) = self.pieces.get(self.at) else { return &[] };
        let begin = self.offset;
        let end = piece.len().min(begin.saturating_add(most));
        if end == piece.len() {
            self.at += 1;
            self.offset = 0;
        } else {
            self.offset = end;
        }
        piece.get(begin..end).unwrap_or_default()
    }

    fn is_done(&self) -> bool {
        self.at >= self.pieces.len()
    }
}

/// A batch of stripes that is being hashed.
pub(crate) struct Hashing {
    hashers: Hashers,
    stripes: Vec<Pieces>,
    /// Bytes that are not hashed yet.
    left: usize,
}

impl Hashing {
    /// Begins with stripes: the number of each, whether it is the last, and its bytes.
    pub(crate) fn new(leaves: &Leaves, stripes: Vec<(u64, bool, Vec<Bytes>)>) -> Result<Self, ParamsError> {
        let hashers = leaves.hashers(stripes.iter().map(|(number, last, _)| (*number, *last)))?;
        let stripes: Vec<_> =
            stripes.into_iter().map(|(_, _, pieces)| Pieces { pieces, ..Pieces::default() }).collect();
        let mut hashing = Self { hashers, stripes, left: 0 };
        hashing.left = hashing.bytes();
        Ok(hashing)
    }

    /// The bytes that are not hashed yet.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The number of stripes.
    pub(crate) fn count(&self) -> usize {
        self.stripes.len()
    }

    /// The bytes of all stripes.
    pub(crate) fn bytes(&self) -> usize {
        self.stripes.iter().flat_map(|stripe| &stripe.pieces).map(Bytes::len).sum()
    }

    /// Hashes at most `most` bytes, which is at least 128 for each stripe, and returns how many.
    pub(crate) fn step(&mut self, most: usize) -> usize {
        let mut done = 0;
        while self.left > 0 && done < most {
            let live = self.stripes.iter().filter(|stripe| !stripe.is_done()).count().max(1);
            // The same number of bytes for each lane, in whole blocks.
            let share = ((most - done) / live) & !127;
            if share == 0 && done > 0 {
                break;
            }
            let share = share.max(128);
            let slices = self.stripes.iter_mut().map(|stripe| stripe.next(share));
            let before = done;
            let count = |slice: &&[u8]| done += slice.len();
            match &mut self.hashers {
                Hashers::Blake2b(hashers) => {
                    let jobs = hashers.iter_mut().zip(slices.inspect(count));
                    blake2b::update_each(Backend::best(), jobs.map(|(hasher, slice)| ((), hasher, slice)), |()| {});
                }
                Hashers::Blake2s(hashers) => {
                    let jobs = hashers.iter_mut().zip(slices.inspect(count));
                    blake2s::update_each(Backend::best(), jobs.map(|(hasher, slice)| ((), hasher, slice)), |()| {});
                }
                Hashers::Sha256(hashers, _) => {
                    let jobs = hashers.iter_mut().zip(slices.inspect(count));
                    sha256::update_each(Backend::best(), jobs.map(|(hasher, slice)| ((), hasher, slice)), |()| {});
                }
            }
            self.left = self.left.saturating_sub(done - before);
            if done == before {
                break;
            }
        }
        done
    }

    /// The digests, and the bytes of the stripes. All bytes must be hashed.
    pub(crate) fn finish(self) -> (Digests, Vec<Vec<Bytes>>) {
        let digests = match self.hashers {
            Hashers::Blake2b(hashers) => {
                let mut digests = vec![blake2b::hash(b""); hashers.len()];
                blake2b::finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut digests).expect(AS_MANY);
                Digests::Blake2b(digests)
            }
            Hashers::Blake2s(hashers) => {
                let mut digests = vec![blake2s::hash(b""); hashers.len()];
                blake2s::finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut digests).expect(AS_MANY);
                Digests::Blake2s(digests)
            }
            Hashers::Sha256(hashers, outer) => {
                let mut digests = vec![sha256::hash(b""); hashers.len()];
                sha256::finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut digests).expect(AS_MANY);
                if let Some(outer) = outer {
                    let close = |digest: &sha256::Hash| {
                        let mut outer = outer.clone();
                        outer.update(digest.as_bytes());
                        outer
                    };
                    let outer: Vec<_> = digests.iter().map(close).collect();
                    sha256::finalize_many(&outer.iter().collect::<Vec<_>>(), &mut digests).expect(AS_MANY);
                }
                Digests::Sha256(digests)
            }
        };
        (digests, self.stripes.into_iter().map(|stripe| stripe.pieces).collect())
    }
}

impl fmt::Debug for Hashing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hashing").field("left", &self.left).finish_non_exhaustive()
    }
}

/// The digests of a batch.
pub(crate) enum Digests {
    Blake2b(Vec<blake2b::Hash>),
    Blake2s(Vec<blake2s::Hash>),
    Sha256(Vec<sha256::Hash>),
}

impl Digests {
    /// Whether stripe `i` of the batch has this digest, in constant time.
    pub(crate) fn is(&self, i: usize, digest: &[u8]) -> bool {
        match self {
            Self::Blake2b(digests) => digests.get(i).is_some_and(|own| *own == *digest),
            Self::Blake2s(digests) => digests.get(i).is_some_and(|own| *own == *digest),
            Self::Sha256(digests) => digests.get(i).is_some_and(|own| *own == *digest),
        }
    }

    /// All digests, one after the other.
    pub(crate) fn bytes(&self) -> Bytes {
        match self {
            Self::Blake2b(digests) => digests.iter().flat_map(blake2b::Hash::as_bytes).copied().collect(),
            Self::Blake2s(digests) => digests.iter().flat_map(blake2s::Hash::as_bytes).copied().collect(),
            Self::Sha256(digests) => digests.iter().flat_map(sha256::Hash::as_bytes).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_hashes_nearly_as_much_as_it_may() {
        for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
            let leaves = Leaves::new(hash, 10_000, None, &[0; 16]).unwrap();
            let stripes = [9_999, 10_000, 10_000, 700].map(|length| vec![Bytes::from(vec![7; length])]);
            let stripes = (0..).zip(stripes).map(|(number, pieces)| (number, number == 3, pieces)).collect();
            let mut hashing = Hashing::new(&leaves, stripes).unwrap();
            let mut left = 30_699;
            for most in [512, 3000, 9000, 1 << 20] {
                let hashed = hashing.step(most);
                assert!(hashed <= most && hashed + 512 > most.min(left), "{hash:?}: {hashed} of {most}");
                left -= hashed;
                assert_eq!(hashing.left(), left);
            }
            assert_eq!((left, hashing.count(), hashing.bytes()), (0, 4, 30_699));
        }
    }
}

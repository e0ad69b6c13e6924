//! Many hashers at once: pieces of messages, or the ends of some.

use core::cell::RefCell;
use core::{iter, mem};

use super::forest::Forest;
use super::hasher::{Hasher, Tail};
use super::tree::{Cv, Serial};
use super::value::Hash;
use crate::backend::Backend;
use crate::kernel::Known;
use crate::kernel::blake3::{Blake3Function, flag, to_bytes};
use crate::lanes::alone::ends_are_faster_alone;
use crate::lanes::ends::{End, close_each};
use crate::lanes::streams::Update;
use crate::stream::Stream;

/// Writes digests to the first of `hashes`.
#[inline]
fn set(hashes: &mut [Hash], digests: &[Cv]) {
    for (hash, digest) in hashes.iter_mut().zip(digests) {
        *hash = Hash::from_bytes(*digest);
    }
}

/// Appends to each hasher its bytes. Bytes that its current chunk takes are compressed side by side with the others'.
pub(super) fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    let Some((first, _)) = updates.first() else { return };
    crate::lanes::streams::update_many(first.backend(), updates);
}

/// As [`blake3::update_each`](super::update_each).
pub(super) fn update_each<'a, T>(
    backend: Backend,
    mut jobs: impl Iterator<Item = (T, &'a mut Hasher, &'a [u8])>,
    done: impl FnMut(T),
) {
    let done = RefCell::new(done);
    let in_chunks = iter::from_fn(|| {
        loop {
            let (owner, hasher, bytes) = jobs.next()?;
            if bytes.len() <= hasher.room_in_chunk() {
                hasher.filled += bytes.len();
                return Some((owner, &mut hasher.chunk, bytes));
            }
            let own = mem::replace(&mut hasher.chunk.backend, backend);
            hasher.update(bytes);
            hasher.chunk.backend = own;
            done.borrow_mut()(owner);
        }
    });
    crate::lanes::streams::update_each(backend, in_chunks, |owner| done.borrow_mut()(owner));
}

impl Update<Blake3Function> for (&mut Hasher, &[u8]) {
    #[inline]
    fn parts(&mut self) -> (&mut Stream<Blake3Function>, &[u8]) {
        let (hasher, bytes) = self;
        let head = bytes.len().min(hasher.room_in_chunk());
        (&mut hasher.chunk, &bytes[..head])
    }

    #[inline]
    fn append(&mut self) {
        self.0.update(self.1);
    }

    #[inline]
    fn data(&self) -> &[u8] {
        self.1
    }

    #[inline]
    fn hold(&mut self) -> bool {
        let (hasher, bytes) = self;
        let head = &bytes[..bytes.len().min(hasher.room_in_chunk())];
        if !hasher.chunk.buffer.can_hold(head) {
            return false;
        }
        if head.len() == bytes.len() {
            hasher.chunk.buffer.append(head);
            hasher.filled += head.len();
        } else {
            hasher.update_long::<Serial>(bytes);
        }
        true
    }

    fn append_rest(&mut self) {
        let (hasher, bytes) = self;
        let (head, rest) = bytes.split_at(bytes.len().min(hasher.room_in_chunk()));
        hasher.filled += head.len();
        hasher.update(rest);
    }
}

/// Writes the digest of each hasher to `hashes`, as many.
pub(super) fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) {
    let Some(first) = hashers.first() else { return };
    if ends_are_faster_alone::<Blake3Function>(first.backend(), hashers.len()) {
        for (hash, hasher) in hashes.iter_mut().zip(hashers) {
            *hash = hasher.finalize();
        }
        return;
    }
    hashers.iter().for_each(|hasher| hasher.note_digest());
    if hashers.iter().all(|hasher| hasher.is_one_chunk()) {
        let ends = hashers.iter().map(|hasher| End::of(&hasher.chunk, flag::CHUNK_END | flag::ROOT));
        return close_each(first.backend(), Known::Nothing, ends, |i, chain| {
            hashes[i] = Hash::from_bytes(to_bytes(chain.h));
        });
    }
    let mut put = |begin: usize, digests: &[Cv]| set(&mut hashes[begin..], digests);
    let mut forest = Forest::<false>::new(first.backend());
    for (i, hasher) in hashers.iter().enumerate() {
        let (left, tail) = hasher.parts();
        if forest.is_full(tail.subtrees()) {
            forest.finish(&mut put);
        }
        match tail {
            Tail::Begun(chain, bytes) => forest.add_begun(i, hasher.base(), left, chain, bytes),
            Tail::Chunks(last, bytes) => forest.add(i, hasher.base(), (left, last), (hasher.next_chunk(), bytes)),
        }
    }
    forest.finish(&mut put);
}

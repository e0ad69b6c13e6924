//! Messages that share a beginning, which a hasher has taken, and go on with a tail each.
//!
//! ```text
//!   stack   ████████ ████ █            complete subtrees to the left of all tails
//!   chunk                  ▒▒          the chunk that has begun
//!   tail 0                    ░░░░     its end, in a lane; then the parents above it, with those of the other tails
//!   tail 1                    ░░░░░░░
//! ```
//!
//! A tail that leaves the chunk goes on as hashers do, beside others of them.

use core::array;
use core::slice::from_ref;

use super::hasher::Hasher;
use super::many::{finalize_many, update_many};
use super::plan::{Put, each_chunk, each_equal};
use super::tree::{Begin, Cv, joined};
use super::value::{CHUNK_LEN, Hash, OUT_LEN};
use crate::backend::Dispatch;
use crate::kernel::blake3::{Blake3Function, MAX_INPUTS, flag};
use crate::kernel::{wipe, wipe_all};
use crate::lanes::Messages;
use crate::lanes::ends::join;
use crate::lanes::order::WIDE_WINDOW;
use crate::traits::{digest_after, hash_many};

impl Hasher {
    #[inline]
    fn are_faster_alone(&self, tails: &[impl AsRef<[u8]>]) -> bool {
        // Each clone would compress again the chunks that are held.
        let repeats = tails.len() > 1 && !self.held().is_empty();
        let repeats = repeats && tails.iter().all(|tail| tail.as_ref().len() <= CHUNK_LEN);
        tails.len() <= ALONE && !repeats || Blake3Function::lanes(self.backend()) == 1
    }

    /// Gives the digest with each tail to `put`, with the tail's place.
    #[inline]
    fn each_digest(&self, tails: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, Cv)) {
        each(self, &tails, &mut |begin, digests| {
            (begin..).zip(digests).for_each(|(i, digest)| put(i, *digest));
        });
    }
}

hash_many! {
    impl[] Hasher, Hash,
    alone: hasher.are_faster_alone(tails), one: |tail| digest_after!(hasher, tail),
    hash: |hasher, bytes| Hash::from_bytes(bytes), length: OUT_LEN,
    what: "the digests of the message so far with each of `tails` behind it", of: "tail", as: "digest",
    how: "",
    /// The digests of the message so far with each of `tails` behind it, in their order, side by side. The hasher stays as
    /// it is. The call allocates if messages have more than one chunk, 1024 bytes.
    pub (tails) -> hashes
}

/// So many tails, or fewer, take less time one by one. This number and the next two were measured on Zen 4, by
/// `hash_many_into` in turns with a loop of clones.
const ALONE: usize = 4;

/// So many tails that leave the chunk, or fewer, take less time one by one.
const FEW_LONG: usize = 6;

/// The chunks of a longer tail, in bytes, fill the lanes without others.
const LONG: usize = 8 * CHUNK_LEN;

/// Gives the digest of what `hasher` has taken with each tail behind it to `put`, with the tail's place.
///
/// Not generic over the type of the tails, so that it is compiled once.
fn each(hasher: &Hasher, tails: &dyn Messages, put: Put<'_>) {
    let mut tails = Tails { hasher, begun: hasher.clone(), tails };
    // In place, so that no copy is left.
    tails.begun.begin_more();
    let held = tails.begun.chunk.buffer.held().len();
    if held > 0 && held + tails.longest() <= SHORT {
        tails.each_window::<MAX_INPUTS, { MAX_INPUTS * SHORT }>(SHORT, put);
    } else if held > 0 {
        tails.each_window::<MAX_INPUTS, { MAX_INPUTS * CHUNK_LEN }>(CHUNK_LEN, put);
    } else if tails.tails.number() <= MAX_INPUTS {
        tails.each_window::<MAX_INPUTS, 0>(CHUNK_LEN, put);
    } else {
        tails.each_window::<WIDE_WINDOW, 0>(CHUNK_LEN, put);
    }
}

/// Bytes of memory for a short tail and what is held back before it.
const SHORT: usize = 256;

/// Hashers that go on together. Without a heap a hasher is large.
const HASHERS: usize = if cfg!(feature = "alloc") { 16 } else { 2 };

struct Tails<'a> {
    hasher: &'a Hasher,
    /// This is `hasher`, prepared for more bytes.
    begun: Hasher,
    tails: &'a dyn Messages,
}

impl Tails<'_> {
    /// The length of the longest tail.
    fn longest(&self) -> usize {
        let mut longest = 0;
        let mut window = [&[][..]; MAX_INPUTS];
        for begin in (0..self.tails.number()).step_by(MAX_INPUTS) {
            let read = self.tails.read(begin, &mut window);
            longest = window[..read].iter().map(|tail| tail.len()).fold(longest, usize::max);
        }
        longest
    }

    /// The digests with all tails, `W` at a time. Each tail that ends in the chunk has `room` of `M` bytes of memory, to be
    /// joined to what is held back.
    fn each_window<const W: usize, const M: usize>(&self, room: usize, put: Put<'_>) {
        let held = self.begun.chunk.buffer.held();
        // The lengths may have changed since the tails were read for the longest.
        let most = (CHUNK_LEN - self.begun.filled).min(room - held.len());
        let mut memory = [0; M];
        let mut digests = [[0; 32]; W];
        let mut done = 0;
        while done < self.tails.number() {
            let mut window = [&[][..]; W];
            let read = self.tails.read(done, &mut window);
            let tails = &window[..read];
            let mut messages = [&[][..]; W];
            let (mut places, mut short) = ([0; W], 0);
            let mut memory = memory.chunks_mut(room);
            for (place, tail) in tails.iter().enumerate().filter(|(_, tail)| (1..=most).contains(&tail.len())) {
                messages[short] = match memory.next() {
                    Some(memory) => join(memory, held, tail),
                    None => tail,
                };
                places[short] = place;
                short += 1;
            }
            let digests = &mut digests[..short];
            self.compress_short::<W>(&messages[..short], digests);
            if short == read {
                put(done, digests);
            } else {
                for (place, digest) in places.iter().zip(digests) {
                    put(done + place, from_ref(digest));
                }
                self.put_empty(tails, done, put);
                self.compress_long(tails, most, done, put);
            }
            done += read;
        }
        wipe_all(&mut memory);
        digests.iter_mut().for_each(wipe);
    }

    /// The digests with tails that end in the chunk.
    fn compress_short<const W: usize>(&self, messages: &[&[u8]], digests: &mut [Cv]) {
        let (backend, stack) = (self.begun.backend(), self.begun.stack.cvs());
        let root = if stack.is_empty() { flag::ROOT } else { 0 };
        let chain = &self.begun.chunk.chain;
        let (last, counters) = ([flag::CHUNK_END | root; MAX_INPUTS], [chain.counter; MAX_INPUTS]);
        let begin = Begin::after(backend, chain, &last, &counters);
        let mut set = |from: usize, some: &[Cv]| digests[from..][..some.len()].copy_from_slice(some);
        let equal = each_equal(&begin, &messages, 0, &mut set);
        if equal < messages.len() {
            each_chunk::<W, MAX_INPUTS>(&begin, &messages[equal..], equal, &mut set);
        }
        let lanes = Blake3Function::lanes(backend);
        for (level, left) in stack.iter().rev().enumerate() {
            let last = [if level + 1 == stack.len() { flag::ROOT } else { 0 }; MAX_INPUTS];
            for group in digests.chunks_mut(lanes) {
                let mut blocks = [[0; 64]; MAX_INPUTS];
                blocks.iter_mut().zip(&*group).for_each(|(block, right)| *block = joined(left, right));
                let inputs: [_; MAX_INPUTS] = array::from_fn(|i| from_ref(&blocks[i]));
                self.begun.base().parents(&inputs[..group.len()], &last, group);
                blocks.iter_mut().for_each(wipe);
            }
        }
    }

    /// The digest with nothing behind it: what ends the message then may be the root.
    fn put_empty(&self, tails: &[&[u8]], from: usize, put: Put<'_>) {
        let mut empty = (from..).zip(tails).filter(|(_, tail)| tail.is_empty()).peekable();
        if empty.peek().is_some() {
            let mut digest = [self.hasher.digest()];
            empty.for_each(|(place, _)| put(place, &digest));
            wipe(&mut digest[0]);
        }
    }

    /// The digests with tails of more than `most` bytes, which leave the chunk.
    fn compress_long(&self, tails: &[&[u8]], most: usize, from: usize, put: Put<'_>) {
        let number = tails.iter().filter(|tail| tail.len() > most).count();
        let longest = if number <= FEW_LONG { most } else { most.max(LONG) };
        for (place, tail) in (from..).zip(tails).filter(|(_, tail)| tail.len() > longest) {
            put(place, &[self.hasher.clone().update(tail).digest()]);
        }
        let mut long = (from..).zip(tails).filter(|(_, tail)| (most + 1..=longest).contains(&tail.len()));
        loop {
            let (mut places, mut bytes) = ([0; HASHERS], [&[][..]; HASHERS]);
            let mut live = 0;
            for (place, tail) in long.by_ref().take(HASHERS) {
                (places[live], bytes[live]) = (place, *tail);
                live += 1;
            }
            if live == 0 {
                break;
            }
            let mut hashers: [_; HASHERS] =
                array::from_fn(|i| if i < live { self.begun.clone() } else { Hasher::of(&self.begun.base()) });
            let mut bytes = bytes.into_iter();
            let mut updates = hashers.each_mut().map(|hasher| (hasher, bytes.next().unwrap_or_default()));
            update_many(&mut updates[..live]);
            let mut hashes = [Hash::default(); HASHERS];
            finalize_many(&hashers.each_ref()[..live], &mut hashes);
            for (place, hash) in places.iter().zip(&hashes[..live]) {
                put(*place, from_ref(hash.as_bytes()));
            }
        }
    }
}

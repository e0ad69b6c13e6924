//! Many messages at once: chunks of all messages, then parents of all messages, side by side.

use core::array;
use core::cmp::Reverse;

use super::hasher::Hasher;
use super::tree::{Base, Cv};
use super::value::{CHUNK_LEN, Hash};
use crate::backend::{Dispatch, compress_group};
use crate::kernel::blake3::{Blake3Function, Group, MOST, flag, to_bytes};
use crate::kernel::wipe;
use crate::many::{Message, Start, schedule};

/// Chunks of messages that are hashed together, and the messages they are of.
const WINDOW: usize = 64;

/// Gives the digest of each message to `put`, with its place in `messages`.
pub(super) fn each(base: Base<'_>, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, &Cv)) {
    if messages.len() == 1 || Blake3Function::lanes(base.backend) == 1 {
        for (i, message) in messages.iter().enumerate() {
            put(i, &base.hash(message.as_ref()));
        }
        return;
    }
    let done = each_equal(&base, messages, &mut put);
    if done < messages.len() {
        each_unequal(&base, &messages[done..], |i, digest| put(done + i, digest));
    }
}

/// The same for messages of which the first are not alike. Apart, so that others need no memory for a window.
#[inline(never)]
fn each_unequal(base: &Base<'_>, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, &Cv)) {
    let mut window = Window::new();
    let mut done = 0;
    while done < messages.len() {
        // After a few that are not alike, the next ones may be.
        for (i, message) in messages.iter().enumerate().skip(done).take(Blake3Function::lanes(base.backend).max(2)) {
            let message = message.as_ref();
            let chunks = message.len().div_ceil(CHUNK_LEN).max(1);
            if chunks >= MOST {
                put(i, &base.hash(message));
            } else {
                if window.chunks + chunks > WINDOW {
                    window.finish(base, &mut put);
                }
                window.add(i, message, chunks);
            }
            done = i + 1;
        }
        done += each_equal(base, &messages[done..], |i, digest| put(done + i, digest));
    }
    window.finish(base, &mut put);
}

/// Compresses the first messages, a lane each, as long as those side by side have a block each, or equally many whole
/// blocks of one chunk, and tells how many it did.
fn each_equal(base: &Base<'_>, messages: &[impl AsRef<[u8]>], mut put: impl FnMut(usize, &Cv)) -> usize {
    let lanes = Blake3Function::lanes(base.backend);
    let mut blocks = [[0; 64]; MOST];
    let mut digests = [[0; 32]; MOST];
    let mut done = 0;
    for group in messages.chunks(lanes) {
        let mut bytes = [&[][..]; MOST];
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for (bytes, message) in bytes.iter_mut().zip(group) {
            *bytes = message.as_ref();
            (shortest, longest) = (shortest.min(bytes.len()), longest.max(bytes.len()));
        }
        let whole = shortest == longest && longest > 0 && longest <= CHUNK_LEN && longest.is_multiple_of(64);
        if group.len() == 1 || !(whole || longest <= 64) {
            break;
        }
        let bytes = &bytes[..group.len()];
        let mut lengths = [64; MOST];
        if !whole {
            for ((block, length), bytes) in blocks.iter_mut().zip(&mut lengths).zip(bytes) {
                block[..bytes.len()].copy_from_slice(bytes);
                block[bytes.len()..].fill(0);
                #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
                let bytes_in_block = bytes.len() as u8;
                *length = bytes_in_block;
            }
        }
        let mut inputs = [&[][..]; MOST];
        for ((input, bytes), block) in inputs.iter_mut().zip(bytes).zip(&blocks) {
            *input = if whole { bytes.as_chunks().0 } else { array::from_ref(block) };
        }
        let group = Group {
            key: base.key,
            flags: base.flags,
            first: flag::CHUNK_START,
            last: &[flag::CHUNK_END | flag::ROOT; MOST],
            lengths: &lengths,
            counters: &[0; MOST],
            count: inputs[0].len(),
            inputs: &inputs[..group.len()],
            outputs: &mut digests[..group.len()],
        };
        let live = group.inputs.len();
        compress_group(base.backend, group);
        for digest in &digests[..live] {
            put(done, digest);
            done += 1;
        }
    }
    blocks.iter_mut().for_each(wipe);
    digests.iter_mut().for_each(wipe);
    done
}

/// Messages of fewer than sixteen chunks, and a place for the chaining value of each of their chunks.
struct Window<'a> {
    messages: [Entry<'a>; WINDOW],
    number: usize,
    chunks: usize,
    cvs: [Cv; WINDOW],
}

/// A message of a window.
#[derive(Clone, Copy)]
struct Entry<'a> {
    /// Its place among all messages.
    place: usize,
    bytes: &'a [u8],
    /// The place of its first subtree in the window.
    first: usize,
    /// Its subtrees: at first all chunks, at last one.
    subtrees: usize,
}

impl<'a> Window<'a> {
    fn new() -> Self {
        let entry = Entry { place: 0, bytes: &[], first: 0, subtrees: 0 };
        Self { messages: [entry; WINDOW], number: 0, chunks: 0, cvs: [[0; 32]; WINDOW] }
    }

    /// Adds a message of so many chunks, for which there must be room.
    fn add(&mut self, place: usize, bytes: &'a [u8], chunks: usize) {
        self.messages[self.number] = Entry { place, bytes, first: self.chunks, subtrees: chunks };
        self.number += 1;
        self.chunks += chunks;
    }

    /// Gives the digests to `put`, and begins anew.
    fn finish(&mut self, base: &Base<'_>, put: &mut impl FnMut(usize, &Cv)) {
        self.compress_chunks(base);
        while self.compress_parents(base) {}
        for entry in &self.messages[..self.number] {
            put(entry.place, &self.cvs[entry.first]);
        }
        self.number = 0;
        self.chunks = 0;
        self.cvs.iter_mut().for_each(wipe);
    }

    /// The chaining values of all chunks, the longest first, so that lanes end together.
    fn compress_chunks(&mut self, base: &Base<'_>) {
        let mut order = [(0, 0, &[][..]); WINDOW];
        let mut number = 0;
        let entries = &self.messages[..self.number];
        for (i, entry) in entries.iter().enumerate() {
            for chunk in 0..entry.subtrees {
                let begin = chunk * CHUNK_LEN;
                let bytes = &entry.bytes[begin..entry.bytes.len().min(begin + CHUNK_LEN)];
                order[number] = (i, chunk, bytes);
                number += 1;
            }
        }
        let order = &mut order[..number];
        order.sort_unstable_by_key(|(.., bytes)| Reverse(bytes.len()));
        let jobs = order.iter().map(|&(i, chunk, bytes)| {
            let root = if entries[i].subtrees == 1 { flag::ROOT } else { 0 };
            let chain = Start::Of(base.chunk(chunk as u64));
            Message::ending(entries[i].first + chunk, chain, &[], bytes, flag::CHUNK_END | root)
        });
        schedule::<Blake3Function, _>(base.backend, jobs, |i: usize, chain| self.cvs[i] = to_bytes(chain.h));
    }

    /// Makes parents of all neighbours in all messages, and tells whether there were any.
    fn compress_parents(&mut self, base: &Base<'_>) -> bool {
        let lanes = Blake3Function::lanes(base.backend);
        let mut parents = [[0; 32]; WINDOW / 2];
        let mut number = 0;
        let mut from = [0; WINDOW / 2];
        let mut last = [0; WINDOW / 2];
        for entry in &self.messages[..self.number] {
            for pair in 0..entry.subtrees / 2 {
                from[number] = entry.first + 2 * pair;
                last[number] = if entry.subtrees == 2 { flag::ROOT } else { 0 };
                number += 1;
            }
        }
        if number == 0 {
            return false;
        }
        for begin in (0..number).step_by(lanes) {
            let live = lanes.min(number - begin);
            let mut inputs = [&[][..]; MOST];
            let mut flags = [0; MOST];
            for i in 0..live {
                let two = self.cvs[from[begin + i]..].as_flattened();
                inputs[i] = &two.as_chunks().0[..1];
                flags[i] = last[begin + i];
            }
            let group = Group {
                key: base.key,
                flags: base.flags | flag::PARENT,
                first: 0,
                last: &flags,
                lengths: &[64; MOST],
                counters: &[0; MOST],
                count: 1,
                inputs: &inputs[..live],
                outputs: &mut parents[begin..begin + live],
            };
            compress_group(base.backend, group);
        }
        let mut next = 0;
        for entry in &mut self.messages[..self.number] {
            let pairs = entry.subtrees / 2;
            self.cvs[entry.first..][..pairs].copy_from_slice(&parents[next..next + pairs]);
            next += pairs;
            if pairs > 0 && entry.subtrees % 2 == 1 {
                self.cvs[entry.first + pairs] = self.cvs[entry.first + entry.subtrees - 1];
            }
            entry.subtrees = entry.subtrees.div_ceil(2);
        }
        parents.iter_mut().for_each(wipe);
        true
    }
}

/// Appends to each hasher its bytes. What its current chunk takes is compressed side by side with the others'.
pub(super) fn update_many(updates: &mut [(&mut Hasher, &[u8])]) {
    let Some((first, _)) = updates.first() else { return };
    let backend = first.backend();
    let messages = updates.iter_mut().filter_map(|(hasher, bytes)| {
        let bytes = &bytes[..bytes.len().min(hasher.room_in_chunk())];
        let stream = &mut hasher.chunk;
        let (first, whole) = stream.buffer.ready(bytes);
        let more = !first.is_empty() || !whole.is_empty();
        let chain = Start::Of(stream.chain);
        more.then_some(Message { owner: &mut stream.chain, chain, first, whole, rest: None, last: 0 })
    });
    schedule::<Blake3Function, _>(backend, messages, |to, chain| *to = *chain);
    for (hasher, bytes) in updates {
        let (head, rest) = bytes.split_at(bytes.len().min(hasher.room_in_chunk()));
        hasher.chunk.buffer.hold(head);
        hasher.filled += head.len();
        hasher.update(rest);
    }
}

/// Writes the digest of each hasher to `hashes`, as many.
pub(super) fn finalize_many(hashers: &[&Hasher], hashes: &mut [Hash]) {
    let Some(first) = hashers.first() else { return };
    let short = hashers.iter().enumerate().filter(|(_, hasher)| hasher.is_one_chunk()).map(|(i, hasher)| {
        let (chain, held) = (Start::At(&hasher.chunk.chain), hasher.chunk.buffer.held());
        Message::ending(i, chain, &[], held, flag::CHUNK_END | flag::ROOT)
    });
    schedule::<Blake3Function, _>(first.backend(), short, |i: usize, chain| {
        hashes[i] = Hash::from_bytes(to_bytes(chain.h));
    });
    for (hasher, hash) in hashers.iter().zip(hashes) {
        if !hasher.is_one_chunk() {
            *hash = hasher.finalize();
        }
    }
}

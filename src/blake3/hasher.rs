//! A message that comes piece by piece: complete subtrees, and then a chunk that has begun or chunks that wait for others.
//!
//! ```text
//!   stack   ████████ ████ █          subtrees of 8, 4 and 1 chunks
//!   chunk                  ▒▒░       the next chunk, of which `filled` bytes have come
//!   held                   ▒▒▒▒▒░░   or, if that has not begun, bytes of up to sixteen chunks
//! ```
//!
//! These fields have no type of their own: the compiler would build it on the stack and copy it into each new hasher, by
//! loads that wait for stores.

use core::fmt;

#[cfg(feature = "alloc")]
use super::held::Held;
use super::output::OutputReader;
use super::stack::Stack;
#[cfg(feature = "rayon")]
use super::tree::OnThreads;
use super::tree::{Base, Cv, GROUP, Join, List, Serial, last_block};
use super::value::{CHUNK_LEN, Hash, KEY_LEN};
use crate::backend::dispatch::compress_one;
use crate::backend::{Backend, together};
use crate::buffer::Buffer;
use crate::kernel::blake3::{Blake3Function, Chain, IV, Node, flag};
use crate::kernel::{Word, wipe};
use crate::stream::{Stream, reread_block};

/// An incremental hasher.
///
/// ```
/// use simd_digest::blake3;
///
/// let mut hasher = blake3::Hasher::new();
/// hasher.update(b"one, ").update(b"two");
/// assert_eq!(hasher.finalize(), blake3::hash(b"one, two"));
///
/// let mut output = [0; 100];
/// hasher.finalize_xof().fill(&mut output);
/// assert_eq!(output[..32], *hasher.finalize().as_bytes());
/// ```
///
/// A column of values with one salt:
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use simd_digest::blake3;
///
/// let mut salted = blake3::Hasher::new();
/// salted.update(b"salt of this table");
/// let mut column = [0; 3 * 32];
/// salted.hash_many_flat(&["ann@example.com", "", "bob@example.com"], &mut column)?;
/// assert_eq!(column[..32], *salted.update(b"ann@example.com").finalize().as_bytes());
/// # }
/// # Ok::<(), simd_digest::ManyError>(())
/// ```
pub struct Hasher {
    /// The current chunk, and the backend. Its counter is the number of chunks in `stack`, and `first`.
    pub(super) chunk: Stream<Blake3Function>,
    /// Bytes of the message in `chunk`.
    pub(super) filled: usize,
    pub(super) key: [u32; 8],
    /// The number of the message's first chunk: 0, except in a part of a larger message.
    pub(super) first: u64,
    /// The complete subtrees. The last two may be of one size: they become a parent when it is known not to be the root.
    pub(super) stack: Stack,
    /// The chunks after those in `stack`, if `chunk` is empty.
    #[cfg(feature = "alloc")]
    pub(super) held: Held,
}

// Not inlined, and one chunk calls nothing that may panic: the compiler would make the fields elsewhere and move them.
impl Clone for Hasher {
    #[inline(never)]
    fn clone(&self) -> Self {
        #[cold]
        fn of_many_chunks(hasher: &Hasher) -> Hasher {
            Hasher {
                chunk: hasher.chunk.clone(),
                stack: hasher.stack.clone(),
                #[cfg(feature = "alloc")]
                held: hasher.held.clone(),
                ..*hasher
            }
        }

        if !self.is_one_chunk() {
            return of_many_chunks(self);
        }
        self.note_digest();
        Self {
            chunk: self.chunk.clone(),
            filled: self.filled,
            key: self.key,
            first: self.first,
            stack: Stack::EMPTY,
            #[cfg(feature = "alloc")]
            held: Held::empty(),
        }
    }
}

/// Shorter writes after a digest are not held. Longer ones fill lanes.
#[cfg(feature = "alloc")]
const EAGER: usize = 4 * CHUNK_LEN;

impl Hasher {
    /// A hasher of a new message, on [`Backend::best`].
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self::of(&Base { key: &IV, flags: 0, backend: Backend::best() })
    }

    /// A hasher of a new message with a secret key: a MAC.
    #[inline]
    #[must_use]
    pub fn new_keyed(key: &[u8; KEY_LEN]) -> Self {
        let mut key = u32::from_bytes(key);
        let hasher = Self::of(&Base { key: together(&key), flags: flag::KEYED_HASH, backend: Backend::best() });
        u32::wipe(&mut key);
        hasher
    }

    /// A hasher that derives a key from a new message, for the purpose that `context` names: see
    /// [`derive_key`](super::derive_key).
    #[must_use]
    pub fn new_derive_key(context: &str) -> Self {
        let base = Base { key: &IV, flags: flag::DERIVE_KEY_CONTEXT, backend: Backend::best() };
        let key = u32::from_bytes(&base.hash(context.as_bytes()));
        Self::of(&Base { key: &key, flags: flag::DERIVE_KEY_MATERIAL, ..base })
    }

    #[inline]
    pub(super) fn of(base: &Base<'_>) -> Self {
        Self {
            chunk: Stream::new(base.chunk(0), base.backend),
            filled: 0,
            key: *base.key,
            first: 0,
            stack: Stack::EMPTY,
            #[cfg(feature = "alloc")]
            held: Held::empty(),
        }
    }

    /// Has the hasher compute on `backend` from here on.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.chunk.backend = backend;
        self
    }

    /// The backend that computes.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.chunk.backend
    }

    /// Appends `bytes` to the message.
    ///
    /// Writes of any size are fast. Writes of 16 KiB or more are hashed in place, except the bytes that complete the buffer
    /// and the remainder.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        if bytes.len() <= self.room_in_chunk() {
            self.chunk.update(bytes);
            self.filled += bytes.len();
        } else {
            self.update_long::<Serial>(bytes);
        }
        self
    }

    /// As [`update`](Self::update), on all cores. Less than 256 KiB are hashed by the calling thread alone.
    ///
    /// ```
    /// use simd_digest::blake3;
    ///
    /// let bytes = vec![7; 1 << 20];
    /// assert_eq!(blake3::Hasher::new().update_rayon(&bytes).finalize(), blake3::hash(&bytes));
    /// ```
    #[cfg(feature = "rayon")]
    pub fn update_rayon(&mut self, bytes: &[u8]) -> &mut Self {
        if bytes.len() < 2 * OnThreads::ALONE {
            return self.update(bytes);
        }
        self.update_long::<OnThreads>(bytes);
        self
    }

    /// The digest of the message so far, to which more may be appended.
    #[inline]
    #[must_use]
    pub fn finalize(&self) -> Hash {
        self.note_digest();
        Hash::from_bytes(self.digest())
    }

    /// The digest so far, as bytes.
    #[inline]
    pub(super) fn digest(&self) -> Cv {
        if self.is_one_chunk() {
            return self.end_of_chunk(flag::CHUNK_END | flag::ROOT).cv(self.chunk.backend);
        }
        self.root()
    }

    /// The digest of more than a chunk.
    #[inline(never)]
    fn root(&self) -> Cv {
        if let ([], tail @ Tail::Chunks(last, bytes)) = self.parts()
            && tail.subtrees() > 1
        {
            let mut list = List::new();
            self.fill(&mut list, last, bytes);
            return self.base().join(&mut list, flag::ROOT);
        }
        self.node().root(self.chunk.backend)
    }

    /// Fills `list` with the subtrees `last` and the chunks of `bytes`.
    fn fill(&self, list: &mut List, last: &[Cv], bytes: &[u8]) {
        let (before, after) = list.cvs.split_at_mut(last.len());
        before.copy_from_slice(last);
        list.length = last.len() + self.base().chunks((bytes, false), self.next_chunk(), after);
    }

    /// The digest, as bytes. No call borrows a hasher of one chunk, not even to drop it after a panic: see
    /// [`Stream::finalize`].
    #[inline(always)]
    pub(super) fn into_digest(self) -> Cv {
        #[cold]
        fn of_many_chunks(hasher: Hasher) -> Cv {
            hasher.digest()
        }

        if self.is_one_chunk() {
            let (mut node, backend) = (self.end_of_chunk(flag::CHUNK_END | flag::ROOT), self.chunk.backend);
            #[allow(clippy::drop_non_drop, reason = "without `alloc` there is nothing to free")]
            drop(self);
            node.cv(backend)
        } else {
            of_many_chunks(self)
        }
    }

    /// The last block of `chunk`, with these flags in addition.
    ///
    /// Reads each field by itself, the block by words, and lends the hasher to no call: see [`Stream::finalize`].
    #[inline(always)]
    fn end_of_chunk(&self, last: u8) -> Node {
        let Stream { chain: Chain { h, flags, first, counter, .. }, buffer, .. } = &self.chunk;
        let block = reread_block(buffer.block());
        #[expect(clippy::cast_possible_truncation, reason = "a block has 64 bytes")]
        let length = buffer.length() as u8;
        Node { h: *h, block, counter: *counter, length, flags: flags | first | last }
    }

    /// The digest of the message so far, to any length. More may be appended to the message.
    #[must_use]
    pub fn finalize_xof(&self) -> OutputReader {
        self.note_digest();
        if self.is_one_chunk() {
            return self.output_of_chunk();
        }
        OutputReader::new(&mut self.node(), self.chunk.backend)
    }

    /// As [`finalize_xof`](Self::finalize_xof): see [`into_digest`](Self::into_digest).
    #[inline(always)]
    pub(super) fn into_output(self) -> OutputReader {
        #[cold]
        fn of_many_chunks(hasher: Hasher) -> OutputReader {
            hasher.finalize_xof()
        }

        if self.is_one_chunk() { self.output_of_chunk() } else { of_many_chunks(self) }
    }

    #[inline(always)]
    fn output_of_chunk(&self) -> OutputReader {
        let Stream { chain: Chain { h, flags, first, .. }, buffer, backend } = &self.chunk;
        OutputReader::of_chunk(h, flags | first | flag::CHUNK_END, (buffer.block(), buffer.length()), *backend)
    }

    /// Forgets the message. Key, mode and backend stay.
    #[inline]
    pub fn reset(&mut self) -> &mut Self {
        self.chunk.chain = self.base().chunk(0);
        self.chunk.buffer = Buffer::EMPTY;
        self.filled = 0;
        self.first = 0;
        self.stack.clear();
        #[cfg(feature = "alloc")]
        {
            self.held.wipe();
            self.held.clear();
            self.held.forget_digest();
        }
        self
    }

    /// Bytes of the message so far, modulo 2^64.
    #[must_use]
    pub fn count(&self) -> u64 {
        let bytes = self.filled + self.held().len();
        self.chunks().wrapping_mul(CHUNK_LEN as u64).wrapping_add(bytes as u64)
    }

    /// The number of the chunk that follows those in `stack`.
    #[inline]
    pub(super) fn next_chunk(&self) -> u64 {
        self.chunk.chain.counter
    }

    /// Complete chunks in `stack`.
    #[inline]
    pub(super) fn chunks(&self) -> u64 {
        self.chunk.chain.counter.wrapping_sub(self.first)
    }

    #[inline]
    pub(super) fn base(&self) -> Base<'_> {
        base(&self.key, &self.chunk)
    }

    /// The bytes gathered.
    #[inline]
    pub(super) fn held(&self) -> &[u8] {
        #[cfg(feature = "alloc")]
        return self.held.bytes();
        #[cfg(not(feature = "alloc"))]
        return &[];
    }

    #[inline]
    pub(super) fn note_digest(&self) {
        #[cfg(feature = "alloc")]
        self.held.note_digest();
    }

    /// Whether `length` bytes are not to be held. Then nothing is held any more.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn is_eager(&mut self, length: usize) -> bool {
        self.held.has_digest() && self.follows_digest(length)
    }

    /// Apart: most writes follow none.
    #[cfg(feature = "alloc")]
    #[cold]
    fn follows_digest(&mut self, length: usize) -> bool {
        self.held.forget_digest();
        let is_eager = length < EAGER;
        if is_eager {
            self.settle();
        }
        is_eager
    }

    /// There is no memory to hold anything.
    #[cfg(not(feature = "alloc"))]
    fn is_eager(&mut self, _: usize) -> bool {
        true
    }

    /// Whether all of the message is in `chunk`.
    #[inline]
    pub(super) fn is_one_chunk(&self) -> bool {
        self.stack.cvs().is_empty() && self.held().is_empty()
    }

    /// Bytes that `chunk` takes: none if the message goes on elsewhere.
    #[inline]
    pub(super) fn room_in_chunk(&self) -> usize {
        if self.filled > 0 || self.is_one_chunk() { CHUNK_LEN - self.filled } else { 0 }
    }

    /// Appends more bytes than `chunk` takes.
    ///
    /// ```text
    ///   so far        │ bytes
    ///   ████████ ▒▒▒▒▒│▒▒ ████ ████████████████ ████ ░░░
    ///   stack    begun      group   subtree    group rest
    /// ```
    ///
    /// 1. A chunk that has begun is completed, or a group of chunks that are held.
    /// 2. A group ends at a multiple of sixteen chunks. The largest subtree that may begin there is hashed in place.
    /// 3. The rest is held. After a digest, and without feature `alloc`, it goes on as subtrees, and the last chunk begins.
    ///
    /// A group or a subtree goes to the stack as two halves, because it may be the whole message.
    #[inline(never)]
    pub(super) fn update_long<J: Join>(&mut self, mut bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let is_eager = self.is_eager(bytes.len());
        if self.filled > 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(CHUNK_LEN - self.filled));
            self.chunk.update(head);
            self.filled += head.len();
            bytes = rest;
            if bytes.is_empty() {
                return;
            }
            self.push_chunk();
        }
        #[cfg(feature = "alloc")]
        if !self.held().is_empty() {
            let (head, rest) = bytes.split_at(bytes.len().min(self.room() - self.held().len()));
            self.held.append(head);
            bytes = rest;
            if bytes.is_empty() {
                return;
            }
            let held = core::mem::replace(&mut self.held, Held::empty());
            self.push_group(held.bytes());
            self.held = held;
            self.held.clear();
        }
        while let Some((group, rest)) = bytes.split_at_checked(self.room()) {
            // A group may end the message: no parent of all of it is made before more bytes come.
            let length = self.aligned(bytes.len());
            if length > group.len() {
                let (subtree, rest) = bytes.split_at(length);
                self.push_subtree::<J>(subtree);
                bytes = rest;
            } else {
                self.push_group(group);
                bytes = rest;
            }
        }
        while is_eager && bytes.len() > CHUNK_LEN {
            let (subtree, rest) = bytes.split_at(self.aligned(bytes.len()));
            self.push_subtree::<J>(subtree);
            bytes = rest;
        }
        if !bytes.is_empty() {
            self.merge();
            #[cfg(feature = "alloc")]
            if !is_eager {
                return self.held.append(bytes);
            }
            self.chunk.update(bytes);
            self.filled = bytes.len();
        }
    }

    /// Appends the chunk that has begun, which must be complete.
    fn push_chunk(&mut self) {
        let mut cvs = [self.end_of_chunk(flag::CHUNK_END).cv(self.chunk.backend)];
        self.filled = 0;
        self.chunk.buffer = Buffer::EMPTY;
        self.push_all(&cvs, 1);
        wipe(&mut cvs[0]);
    }

    /// Moves all but the last chunk into the stack, and merges what can be merged before more comes.
    pub(super) fn settle(&mut self) {
        #[cfg(feature = "alloc")]
        if !self.held().is_empty() {
            let held = core::mem::replace(&mut self.held, Held::empty());
            let bytes = held.bytes();
            let (mut chunks, last) = bytes.split_at((bytes.len() - 1) / CHUNK_LEN * CHUNK_LEN);
            while !chunks.is_empty() {
                let (subtree, rest) = chunks.split_at(self.aligned(chunks.len()));
                self.push_subtree::<Serial>(subtree);
                chunks = rest;
            }
            self.merge();
            self.chunk.update(last);
            self.filled = last.len();
            self.held = held;
            self.held.clear();
        }
        self.merge_to(depth(self.chunks(), self.filled));
    }

    /// As [`settle`](Self::settle) when more is about to come: less than a block is held back.
    pub(super) fn begin_more(&mut self) {
        self.settle();
        if self.filled == CHUNK_LEN {
            self.push_chunk();
        }
        self.merge();
        let Stream { chain, buffer, backend } = &mut self.chunk;
        if buffer.free() == 0 {
            compress_one(*backend, chain, buffer.block());
            *buffer = Buffer::EMPTY;
        }
    }

    /// Bytes up to the next multiple of sixteen chunks. Or up to fewer, if more than one chunk after such a multiple is
    /// in `stack`: then these, and those to come, are subtrees of many sizes.
    fn room(&self) -> usize {
        let chunks = match self.group_begun() {
            0 => GROUP,
            1 => GROUP - 1,
            begun => 1 << begun.trailing_zeros(),
        };
        chunks * CHUNK_LEN
    }

    /// Chunks in `stack` after the last multiple of sixteen.
    fn group_begun(&self) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "sixteen at most")]
        let begun = (self.chunks() % GROUP as u64) as usize;
        begun
    }

    /// Bytes of the largest complete subtree that may begin here, of those with at most `length` bytes, which is a
    /// chunk or more.
    pub(super) fn aligned(&self, length: usize) -> usize {
        let most = 1_u64 << (length / CHUNK_LEN).ilog2();
        let chunks = self.chunks();
        let chunks = if chunks == 0 { most } else { most.min(1 << chunks.trailing_zeros()) };
        usize::try_from(chunks).unwrap_or(usize::MAX).saturating_mul(CHUNK_LEN)
    }

    /// Appends the chunks of `bytes`, which has [`room`](Self::room) bytes.
    fn push_group(&mut self, bytes: &[u8]) {
        let mut list = List::new();
        let counter = self.chunk.chain.counter;
        if self.group_begun() == 1 {
            self.merge();
            if let Some(cv) = self.stack.pop() {
                list.cvs[0] = cv;
                list.length = 1;
                self.chunk.chain.counter = counter.wrapping_sub(1);
            }
        }
        let base = base(&self.key, &self.chunk);
        list.length += base.chunks((bytes, false), counter, &mut list.cvs[list.length..]);
        let chunks = list.length as u64;
        self.push_list(&mut list, chunks);
    }

    /// Appends a complete subtree that may begin here.
    pub(super) fn push_subtree<J: Join>(&mut self, bytes: &[u8]) {
        let (base, counter) = (self.base(), self.chunk.chain.counter);
        let mut list = List::new();
        base.fill::<J>(&mut list, bytes, counter);
        self.push_list(&mut list, (bytes.len() / CHUNK_LEN) as u64);
    }

    /// Appends a complete subtree of so many chunks, as two halves: it may be the whole message.
    fn push_list(&mut self, list: &mut List, chunks: u64) {
        if list.length == 1 {
            self.push_all(&list.cvs[..1], chunks);
        } else {
            self.base().reduce(list);
            self.push_all(&list.cvs[..2], chunks / 2);
        }
    }

    /// Appends subtrees of so many chunks each.
    fn push_all(&mut self, cvs: &[Cv], chunks: u64) {
        for cv in cvs {
            self.merge();
            self.stack.push(cv);
            self.chunk.chain = base(&self.key, &self.chunk).chunk(self.chunk.chain.counter.wrapping_add(chunks));
        }
    }

    /// Makes parents of all neighbours of one size: something follows, so none of them is the root.
    pub(super) fn merge(&mut self) {
        self.merge_to(self.chunks().count_ones() as usize);
    }

    /// Makes parents of the last neighbours until so many subtrees are left.
    pub(super) fn merge_to(&mut self, number: usize) {
        let base = base(&self.key, &self.chunk);
        while self.stack.cvs().len() > number {
            let (Some(mut right), Some(mut left)) = (self.stack.pop(), self.stack.pop()) else { return };
            let mut parent = base.parent(&left, &right).cv(base.backend);
            self.stack.push(&parent);
            [&mut left, &mut right, &mut parent].into_iter().for_each(wipe);
        }
    }

    /// The message so far: complete subtrees, and what follows them.
    pub(super) fn parts(&self) -> (&[Cv], Tail<'_>) {
        let (held, stack) = (self.held(), self.stack.cvs());
        if held.is_empty() && (self.filled > 0 || stack.is_empty()) {
            return (stack, Tail::Begun(&self.chunk.chain, self.chunk.buffer.held()));
        }
        // Subtrees that share a list with what is held: the chunk that the group begins with, or all if nothing is held.
        let shared = match (held, self.group_begun()) {
            ([], _) => 2,
            (_, 1) => 1,
            _ => 0,
        };
        let (left, last) = stack.split_at(stack.len().saturating_sub(shared));
        (left, Tail::Chunks(last, held))
    }

    /// The last node of the message so far.
    pub(super) fn node(&self) -> Node {
        let (base, counter) = (self.base(), self.next_chunk());
        let (left, tail) = self.parts();
        let node = match tail {
            Tail::Begun(chain, bytes) => last_block(chain, bytes),
            Tail::Chunks([], bytes) if tail.subtrees() <= 1 => base.chunk_node(bytes, counter),
            Tail::Chunks(last, bytes) => {
                let mut list = List::new();
                self.fill(&mut list, last, bytes);
                base.last_parent(&mut list)
            }
        };
        self.below(left, node)
    }

    /// The root of `stack` and, to its right, the subtree of `node`.
    fn below(&self, stack: &[Cv], mut node: Node) -> Node {
        let base = self.base();
        for left in stack.iter().rev() {
            let mut right = node.cv(base.backend);
            node = base.parent(left, &right);
            wipe(&mut right);
        }
        node
    }
}

/// Subtrees of a settled hasher after so many chunks, with so many bytes in the next.
pub(super) fn depth(chunks: u64, filled: usize) -> usize {
    let merged = chunks.count_ones() as usize;
    // A single tree may be the root, of which the two halves are kept.
    if filled == 0 && merged == 1 { 2 } else { merged }
}

/// The end of a message, after its complete subtrees.
pub(super) enum Tail<'a> {
    /// The current chunk: the chaining value before these bytes of it.
    Begun(&'a Chain, &'a [u8]),
    /// Up to sixteen subtrees: these, and then chunks of these bytes.
    Chunks(&'a [Cv], &'a [u8]),
}

impl Tail<'_> {
    /// Subtrees, counting each chunk as one.
    pub(super) fn subtrees(&self) -> usize {
        match self {
            Self::Begun(..) => 1,
            Self::Chunks(last, bytes) => last.len() + bytes.len().div_ceil(CHUNK_LEN),
        }
    }
}

/// The key, the mode and the backend of a hasher, of which this borrows the key alone.
#[inline]
fn base<'a>(key: &'a [u32; 8], chunk: &Stream<Blake3Function>) -> Base<'a> {
    Base { key, flags: chunk.chain.flags, backend: chunk.backend }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

/// For code that knows the `digest` traits alone. `Hasher::update` takes precedence over this method.
impl ::digest::Update for Hasher {
    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }
}

/// The count and the backend alone, because key and message may be secret.
impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("count", &self.count()).field("backend", &self.backend()).finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
crate::traits::read_and_write!(impl[] Hasher);

#[cfg(feature = "zeroize")]
impl Drop for Hasher {
    fn drop(&mut self) {
        self.chunk.wipe();
        u32::wipe(&mut self.key);
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Hasher {}

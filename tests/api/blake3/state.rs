//! Saved hashers: their bytes, there and back, longer messages than can be hashed here, and bytes that are no state.

use simd_digest::Backend;
use simd_digest::StateError;
use simd_digest::blake3::Hasher;
use simd_digest::blake3::hazmat::{ChainingValue, HasherExt, State};

use super::all_backends;
use crate::common::blake3::{CHUNK, CHUNK_START, Kind, Last, compress, edges, to_bytes};
use crate::common::cases::fewer;
use crate::common::paint::paint;
use crate::common::random::Random;

fn save(hasher: &Hasher) -> Vec<u8> {
    let state = State::from(hasher);
    let mut bytes = [0xee; State::MAX_LEN + 1];
    let length = state.to_bytes(&mut bytes).unwrap();
    assert_eq!(length, state.len());
    assert!(bytes[length..].iter().all(|&byte| byte == 0xee), "written beyond its length");
    bytes[..length].to_vec()
}

fn restore(bytes: &[u8]) -> Result<Hasher, StateError> {
    State::from_bytes(bytes).map(Hasher::from)
}

/// The layout in the documentation of `State`.
#[derive(Clone, Debug)]
struct Layout {
    flags: u8,
    filled: usize,
    first: u64,
    counter: u64,
    key: [u32; 8],
    cv: [u32; 8],
    block: Vec<u8>,
    subtrees: Vec<ChainingValue>,
}

impl Layout {
    /// After the whole chunks, whose subtrees these are, and `tail`, at most a chunk.
    fn new(kind: Kind, first: u64, chunks: u64, subtrees: Vec<ChainingValue>, tail: &[u8]) -> Self {
        let (key, flags) = kind.key_and_flags();
        let counter = first + chunks;
        let compressed = tail.len().saturating_sub(1) / 64;
        let mut cv = key;
        for i in 0..compressed {
            let start = if i == 0 { CHUNK_START } else { 0 };
            cv = *compress(&cv, &tail[64 * i..][..64], 64, counter, flags | start).first_chunk().unwrap();
        }
        Self { flags, filled: tail.len(), first, counter, key, cv, block: tail[64 * compressed..].to_vec(), subtrees }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![1, self.flags];
        bytes.extend(u16::try_from(self.filled).unwrap().to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.counter.to_le_bytes());
        bytes.extend(to_bytes(&self.key));
        bytes.extend(to_bytes(&self.cv));
        bytes.extend(&self.block);
        bytes.resize(148, 0);
        bytes.extend(self.subtrees.iter().flatten());
        bytes
    }
}

/// Chaining values of the complete subtrees of `chunks` chunks, the largest first.
fn subtrees_of(kind: Kind, message: &[u8], chunks: usize) -> Vec<ChainingValue> {
    let mut begin = 0;
    let sizes = (0..usize::BITS).rev().map(|bit| 1 << bit).filter(|size| chunks & size != 0);
    sizes
        .map(|size| {
            let subtree = &message[CHUNK * begin..][..CHUNK * size];
            begin += size;
            Last::of(kind, subtree, (begin - size) as u64).chaining_value()
        })
        .collect()
}

/// Of messages that end in a chunk, by small writes. Without a heap a whole chunk is hashed when it comes.
#[test]
fn layout() {
    let message = paint(20 * CHUNK);
    let lengths = (0..=2100).step_by(3).chain(edges(64, 2100)).chain(edges(CHUNK, 19 * CHUNK));
    for (i, length) in fewer(0, lengths).enumerate() {
        let (kind, message) = (Kind::ALL[i % 3], &message[..length]);
        let chunks = length.saturating_sub(1) / CHUNK;
        let subtrees = subtrees_of(kind, message, chunks);
        let expected = Layout::new(kind, 0, chunks as u64, subtrees, &message[CHUNK * chunks..]).to_bytes();
        for backend in Backend::available() {
            for size in [500, if cfg!(feature = "alloc") { 1024 } else { 700 }] {
                let mut hasher = kind.hasher_on(backend);
                message.chunks(size).for_each(|piece| _ = hasher.update(piece));
                assert_eq!(save(&hasher), expected, "{backend:?}, {kind:?}, {length} in pieces of {size}");
            }
            let mut restored = restore(&expected).unwrap().with_backend(backend);
            assert_eq!(restored.finalize(), kind.of_peer(message), "{backend:?}, {kind:?}, {length}");
            let more = [message, &paint(3000)].concat();
            assert_eq!(
                restored.update(&paint(3000)).finalize(),
                kind.of_peer(&more),
                "{backend:?}, {kind:?}, {length}"
            );
        }
    }
}

/// At every length around boundaries, however it came there, on one backend before and on another after.
#[test]
fn round_trip_at_every_length() {
    let message = paint(70 * CHUNK);
    let lengths = edges(64, 1100).into_iter().chain(edges(CHUNK, 36 * CHUNK)).chain([64 * CHUNK, 64 * CHUNK + 1]);
    let backends: Vec<Backend> = all_backends().collect();
    for (i, length) in lengths.enumerate() {
        let kind = Kind::ALL[i % 3];
        let message = &message[..message.len().min(length + 20 * CHUNK)];
        let (begin, end) = message.split_at(length);
        let (of_begin, of_all) = (kind.of_peer(begin), kind.of_peer(message));
        for (j, &before) in backends.iter().enumerate() {
            let after = backends[(i + j) % backends.len()];
            for size in fewer(i + j, [begin.len().max(1), 64, 1000, 1024, 5000, 16_384]) {
                let mut hasher = kind.hasher_on(before);
                begin.chunks(size).for_each(|piece| _ = hasher.update(piece));
                let case = format!("{before:?}, {after:?}, {kind:?}, {length} in pieces of {size}");
                let state = save(&hasher);
                assert_eq!(hasher.finalize(), of_begin, "{case}, unchanged");
                let restored = restore(&state).unwrap();
                assert_eq!((restored.backend(), restored.count()), (Backend::best(), length as u64), "{case}");
                assert_eq!(save(&restored), state, "{case}");
                let mut restored = restored.with_backend(after);
                assert_eq!(restored.finalize(), of_begin, "{case}");
                assert_eq!(restored.clone().update(end).finalize(), of_all, "{case}, at once");
                end.chunks(size.max(500)).for_each(|piece| _ = restored.update(piece));
                assert_eq!(restored.finalize(), of_all, "{case}");
                restored.reset();
                assert_eq!(restored.update(begin).finalize(), of_begin, "{case}, reset");
                // Without bytes in between, the backend is kept.
                let mut hasher = Hasher::from(State::from(&hasher));
                assert_eq!(hasher.backend(), before);
                assert_eq!(hasher.update(end).finalize(), of_all, "{case}, by value");
            }
        }
    }
}

/// Saved after every piece, and gone on from there.
#[test]
fn saved_again_and_again() {
    let message = paint(50 * CHUNK);
    for backend in all_backends() {
        for size in [700, 1024, 3000, 16_384] {
            let mut hasher = Kind::Keyed.hasher_on(backend);
            let mut peer = Kind::Keyed.peer();
            for piece in message.chunks(size) {
                hasher = restore(&save(hasher.update(piece))).unwrap().with_backend(backend);
                let digest = peer.update(piece).finalize();
                assert_eq!(hasher.finalize(), *digest.as_bytes(), "{backend:?}, {} bytes", hasher.count());
            }
        }
    }
}

/// Of a part of a message: its offset is in the state.
#[test]
fn of_subtrees() {
    let message = paint(64 * CHUNK);
    for offset in [0, 1 << 16, (1 << 42) - (1 << 16), 1 << 42, (1_u64 << 63) + (1 << 20)] {
        for length in [0, 1, 1024, 1025, 5000, 16_384, 40_000, 65_536] {
            let (begin, end) = message.split_at(length);
            let mut peer = Kind::DeriveKey.peer();
            ::blake3::hazmat::HasherExt::set_input_offset(&mut peer, offset);
            let expected = ::blake3::hazmat::HasherExt::finalize_non_root(peer.update(&message));
            for backend in all_backends() {
                let mut hasher = Kind::DeriveKey.hasher_on(backend);
                hasher.set_input_offset(offset).unwrap();
                begin.chunks(800).for_each(|piece| _ = hasher.update(piece));
                let mut restored = restore(&save(&hasher)).unwrap().with_backend(backend);
                assert_eq!(restored.count(), length as u64);
                let cv = restored.update(end).finalize_non_root();
                assert_eq!(cv, Ok(expected), "{backend:?}, {length} at {offset}");
            }
        }
    }
}

/// A message of which subtrees are known, however long.
struct Model {
    kind: Kind,
    chunks: u64,
    subtrees: Vec<ChainingValue>,
}

impl Model {
    /// Any subtrees for this number of chunks.
    fn new(kind: Kind, chunks: u64, random: &mut Random) -> Self {
        let mut cv = || core::array::from_fn(|_| u8::try_from(random.below(256)).unwrap());
        let subtrees = (0..chunks.count_ones()).map(|_| cv()).collect();
        Self { kind, chunks, subtrees }
    }

    fn hasher(&self) -> Hasher {
        restore(&Layout::new(self.kind, 0, self.chunks, self.subtrees.clone(), b"").to_bytes()).unwrap()
    }

    /// The root after more bytes: all whole chunks but the last one are pushed, as the paper does it.
    fn root(&self, bytes: &[u8]) -> Last {
        let mut subtrees = self.subtrees.clone();
        let mut chunks = self.chunks;
        let whole = (bytes.len() - 1) / CHUNK;
        for i in 0..whole {
            let mut cv = Last::of(self.kind, &bytes[CHUNK * i..][..CHUNK], chunks).chaining_value();
            chunks += 1;
            for _ in 0..chunks.trailing_zeros() {
                cv = Last::parent(self.kind, &subtrees.pop().unwrap(), &cv).chaining_value();
            }
            subtrees.push(cv);
        }
        let last = Last::of(self.kind, &bytes[CHUNK * whole..], chunks);
        let parent = |right: Last, left: &ChainingValue| Last::parent(self.kind, left, &right.chaining_value());
        subtrees.iter().rev().fold(last, parent)
    }
}

/// lukechampine's stack was too short for long messages. The longest has 2^64 − 1 bytes, 54 levels above the chunks.
#[test]
fn trap_stack_of_54_levels() {
    let mut random = Random::new(54);
    let memory = paint(64 * CHUNK);
    let powers = [1_u64 << 32, 1 << 33, 1 << 52, 1 << 53, 1 << 54];
    let numbers = powers.into_iter().flat_map(|power| [1, 2, 3, 16, 17, 31, 32, 40].map(|before| power - before));
    let numbers = numbers.chain([(1 << 32) + 1, (1 << 53) + 1, (1 << 53) + (1 << 52) + 5, 0x15_5555_5555_5555]);
    for (i, number) in fewer(0, numbers).enumerate() {
        let model = Model::new(Kind::ALL[i % 3], number, &mut random);
        let left = (1_u64 << 54) - number;
        let most = usize::try_from(left.min(63)).unwrap() * CHUNK;
        let lengths = [1, 64, 65, 1023, 1024, 1025, 2049, 5000, 16_383, 16_384, 16_385, 32_768, 40_000, most - 1];
        for length in fewer(i, lengths).filter(|&length| length < most) {
            let bytes = &memory[..length];
            let root = model.root(bytes);
            let hash = root.hash();
            let expected = (0..3).flat_map(|i| root.output(i)).collect::<Vec<u8>>();
            for backend in all_backends() {
                for size in [length, 1000, 4096] {
                    let mut hasher = model.hasher().with_backend(backend);
                    bytes.chunks(size).for_each(|piece| _ = hasher.update(piece));
                    let case = format!("{backend:?}, {length} bytes after {number:#x} chunks, pieces of {size}");
                    assert_eq!(hasher.count(), 1024 * number + length as u64, "{case}");
                    assert_eq!(hasher.finalize(), hash, "{case}");
                    let mut output = [0; 150];
                    hasher.finalize_xof().fill(&mut output);
                    assert!(output == expected[..150], "{case}");
                    // It is saved and goes on.
                    let state = save(&hasher);
                    assert!(state.len() <= State::MAX_LEN);
                    let restored = restore(&state).unwrap().with_backend(backend);
                    assert_eq!(restored.finalize(), hash, "{case}, restored");
                }
            }
        }
    }
}

/// Beyond 2^64 bytes there is no message, and nothing panics.
#[test]
fn more_than_the_longest_message() {
    let memory = paint(40 * CHUNK);
    let mut random = Random::new(64);
    for backend in all_backends() {
        for before in [1, 2, 16, 17] {
            let model = Model::new(Kind::Plain, (1 << 54) - before, &mut random);
            for size in [1024, 5000, 40_000] {
                let mut hasher = model.hasher().with_backend(backend);
                for piece in memory.chunks(size) {
                    hasher.update(piece);
                    let _ = (hasher.finalize(), hasher.count(), hasher.finalize_non_root());
                    let _ = restore(&save(&hasher));
                    let _ = format!("{hasher:?}");
                }
                assert_eq!(hasher.reset().update(b"abc").finalize(), Kind::Plain.of_peer(b"abc"));
            }
        }
    }
}

#[test]
fn no_room() {
    const { assert!(State::MAX_LEN <= 2048) };
    let mut hasher = Hasher::new();
    for length in [0, 1, 1025, 5000, 31 * CHUNK + 1] {
        hasher.reset().update(&paint(length));
        let state = State::from(&hasher);
        let needed = state.len();
        for given in (0..needed).step_by(7).chain([needed - 1]) {
            let mut bytes = vec![0xee; given];
            assert_eq!(state.to_bytes(&mut bytes), Err(StateError::TooSmall { given, needed }));
            assert!(bytes.iter().all(|&byte| byte == 0xee), "touched");
        }
        assert!(!StateError::TooSmall { given: 3, needed }.to_string().is_empty());
        assert_eq!(state.to_bytes(&mut vec![0; needed]), Ok(needed));
    }
}

/// States of other lengths, versions, modes, and with numbers that no message has.
#[test]
fn of_no_hasher() {
    let mut states = Vec::new();
    for length in [0, 1, 64, 65, 1024, 1025, 5000, 16 * CHUNK, 31 * CHUNK + 7] {
        for kind in Kind::ALL {
            states.push(save(kind.hasher_on(Backend::best()).update(&paint(length))));
        }
    }
    let refused = |state: &[u8], what: &str| {
        let error = State::from_bytes(state).map(|_| ()).unwrap_err();
        assert!(!error.to_string().is_empty(), "{what}");
    };
    for state in fewer(0, &states) {
        for length in fewer(state.len() + 1, 0..2200).filter(|&length| length != state.len()) {
            let mut other = state.clone();
            other.resize(length, 0);
            refused(&other, "a length");
        }
        let change = |place: usize, to: &[u8], what: &str| {
            let mut other = state.clone();
            other[place..][..to.len()].copy_from_slice(to);
            if other != *state {
                refused(&other, what);
            }
        };
        for version in 0..=255 {
            change(0, &[version], "another version");
        }
        for flags in (0..=255).filter(|flags| ![0, 16, 64].contains(flags)) {
            change(1, &[flags], "unknown flags");
        }
        for filled in fewer(0, 1025..=u16::MAX) {
            change(2, &filled.to_le_bytes(), "more than a chunk");
        }
        // Other numbers of chunks have other numbers of subtrees, or these are more than a message has.
        let counter = u64::from_le_bytes(state[12..20].try_into().unwrap());
        for other in [0, 1, 2, 3, 7, 0xff, 0xffff, (1 << 54) + 1, 1 << 55, u64::MAX, 1 << 63, (1 << 60) - 1] {
            if (other.count_ones() != counter.count_ones() && other.count_ones() > 2) || other > 1 << 54 {
                change(12, &other.to_le_bytes(), "another number of chunks");
            }
        }
        change(4, &(counter + 1).to_le_bytes(), "a first chunk that is to come");
        // Something after the bytes of the last block.
        let filled = usize::from(u16::from_le_bytes(state[2..4].try_into().unwrap()));
        let held = if filled == 0 { 0 } else { (filled - 1) % 64 + 1 };
        for place in held..64 {
            change(84 + place, &[1], "a byte after those held");
        }
        if filled <= 64 {
            change(52, &[state[52] ^ 1], "a chaining value of no block");
        }
        if state[1] == 0 {
            change(20, &[state[20] ^ 1], "a key without a mode");
        }
        assert!(State::from_bytes(state).is_ok());
    }
}

/// Nothing panics, all backends agree, and what is taken is saved as it was.
fn refused_or_hashes_on(bytes: &[u8], message: &[u8]) -> bool {
    let Ok(restored) = restore(bytes) else { return false };
    assert_eq!(save(&restored), bytes);
    let _ = format!("{restored:?}");
    let digests: Vec<_> = all_backends()
        .map(|backend| {
            let mut restored = restored.clone().with_backend(backend);
            let digest = (restored.finalize(), restored.finalize_non_root(), restored.count());
            restored.update(&message[..65]);
            (digest, restored.update(message).finalize(), restored.finalize_non_root(), restored.count())
        })
        .collect();
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{bytes:?}");
    true
}

#[test]
fn flipped_bytes_are_refused_or_hash_on() {
    let message = paint(20_000);
    let (mut refused, mut taken) = (0, 0);
    for length in [0, 1, 64, 65, 1024, 1025, 4096, 5000] {
        let mut state = save(Kind::Keyed.hasher_on(Backend::best()).update(&message[..length]));
        for place in (0..20).chain(fewer(length, 20..state.len())) {
            let flips: &[u8] =
                if place < 20 { &[1, 2, 4, 8, 16, 32, 64, 128, 255] } else { &[[1, 0x80, 7][place % 3]] };
            for flip in flips {
                state[place] ^= flip;
                if refused_or_hashes_on(&state, &message[..if place < 20 { 20_000 } else { 1500 }]) {
                    taken += 1;
                } else {
                    refused += 1;
                }
                state[place] ^= flip;
            }
        }
        assert!(restore(&state).is_ok());
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

#[test]
fn any_bytes_are_refused_or_hash_on() {
    let message = paint(3000);
    let mut random = Random::new(1024);
    let mut taken = 0;
    for round in 0..10_000 {
        let length = [random.below(200), 148 + 32 * random.below(56)][round % 2];
        let mut bytes: Vec<u8> = (0..length).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        // Most of them plausible in the beginning.
        if round % 8 > 0 && length >= 148 {
            let number = u32::try_from((length - 148) / 32).unwrap();
            let counter = if number == 0 { 0 } else { (1_u64 << number) - 1 };
            let filled = u16::try_from(random.below(1027)).unwrap();
            bytes[..2].copy_from_slice(&[1, [0, 16, 64][round % 3]]);
            bytes[2..4].copy_from_slice(&filled.to_le_bytes());
            if round % 4 > 0 {
                bytes[4..12].fill(0);
            }
            let first = u64::from_le_bytes(bytes[4..12].try_into().unwrap());
            bytes[12..20].copy_from_slice(&first.wrapping_add(counter).to_le_bytes());
            if filled <= 64 {
                bytes.copy_within(20..52, 52);
            }
            let held = if filled == 0 { 0 } else { usize::from((filled - 1) % 64 + 1) };
            bytes[84 + held..148].fill(0);
        }
        taken += usize::from(refused_or_hashes_on(&bytes, &message));
    }
    assert!(taken > 500, "{taken} taken");
}

#[test]
fn nothing_secret_is_printed() {
    let mut hasher = Kind::Keyed.hasher_on(Backend::best());
    hasher.update(&paint(100));
    assert_eq!(format!("{:?}", State::from(&hasher)), "State { count: 100, .. }");
}

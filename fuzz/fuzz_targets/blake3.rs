//! BLAKE3 in its three modes, alone, in pieces and side by side, subtrees, output and saved states, on every backend,
//! against the crate `blake3`.
#![no_main]

use arbitrary::Arbitrary;
use blake3::hazmat::HasherExt as _;
use libfuzzer_sys::fuzz_target;
use simd_digest::Backend;
use simd_digest::blake3::hazmat::{
    HasherExt, State, left_subtree_len, max_subtree_len, merge_subtrees_non_root, merge_subtrees_root, subtrees,
};
use simd_digest::blake3::{Hash, Hasher, Mode, finalize_many, update_many};
use simd_digest_fuzz::Place;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    key: [u8; 32],
    context: &'a str,
    /// Where pieces of the message end.
    cuts: Vec<Cut>,
    /// Where output is read, and how much.
    position: u64,
    output: u16,
    offset: Offset,
    group: u8,
    /// Up to 33 messages that lie in the same memory.
    first: Vec<Place>,
    second: Vec<Place>,
    /// How often the bytes are hashed, for long messages.
    times: u8,
    bytes: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct Cut {
    place: u16,
    /// At the end of a block or of a chunk.
    unit: Unit,
}

#[derive(Arbitrary, Debug)]
enum Unit {
    Byte,
    Block,
    Chunk,
}

/// The chunk at which a subtree begins, a little beside a power of two.
#[derive(Arbitrary, Debug)]
struct Offset {
    power: u8,
    below: u8,
}

impl Offset {
    fn chunks(&self) -> u64 {
        (1_u64 << (self.power % 54)).saturating_sub(self.below.into())
    }
}

impl Input<'_> {
    fn pieces<'m>(&self, message: &'m [u8]) -> Vec<&'m [u8]> {
        let place = |cut: &Cut| {
            let unit = match cut.unit {
                Unit::Byte => 1,
                Unit::Block => 64,
                Unit::Chunk => 1024,
            };
            let place = usize::from(cut.place) * message.len() / usize::from(u16::MAX);
            place / unit * unit
        };
        let mut ends: Vec<usize> = self.cuts.iter().take(12).map(place).collect();
        ends.sort_unstable();
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends.iter().copied().chain([message.len()])).map(|(start, end)| &message[start..end]).collect()
    }
}

/// A mode here and there.
struct Both<'a> {
    ours: Mode,
    theirs: blake3::Hasher,
    hazmat: blake3::hazmat::Mode<'a>,
}

impl Both<'_> {
    fn hash(&self, message: &[u8]) -> Hash {
        Hash::from_bytes(self.theirs.clone().update(message).finalize().into())
    }
}

/// Every backend, in every tuning.
fn backends() -> impl Iterator<Item = Backend> {
    Backend::available().flat_map(Backend::tunings)
}

fuzz_target!(|input: Input<'_>| {
    let context_key = blake3::hazmat::hash_derive_key_context(input.context);
    let modes = [
        Both { ours: Mode::HASH, theirs: blake3::Hasher::new(), hazmat: blake3::hazmat::Mode::Hash },
        Both {
            ours: Mode::keyed(&input.key),
            theirs: blake3::Hasher::new_keyed(&input.key),
            hazmat: blake3::hazmat::Mode::KeyedHash(&input.key),
        },
        Both {
            ours: Mode::derive_key(input.context),
            theirs: blake3::Hasher::new_derive_key(input.context),
            hazmat: blake3::hazmat::Mode::DeriveKeyMaterial(&context_key),
        },
    ];
    let message = input.bytes.repeat(usize::from(input.times % 32) + 1);
    let message = &message[..message.len().min(64 << 10)];
    for mode in &modes {
        alone(&input, mode, message);
        tree(&input, mode, message);
        side_by_side(&input, mode, message);
    }
    any_state(input.bytes);
});

fn save(hasher: &Hasher) -> Vec<u8> {
    let mut bytes = [0; State::MAX_LEN];
    let state = State::from(hasher);
    let length = state.to_bytes(&mut bytes).expect("there is room");
    assert_eq!(length, state.len());
    bytes[..length].to_vec()
}

/// In pieces, with a digest after each, and saved in between; output from anywhere.
fn alone(input: &Input<'_>, mode: &Both<'_>, message: &[u8]) {
    let pieces = input.pieces(message);
    let mut peer = mode.theirs.clone();
    let digests: Vec<Hash> =
        pieces.iter().map(|piece| Hash::from_bytes(peer.update(piece).finalize().into())).collect();
    let (mut theirs, mut reader) = (vec![0; usize::from(input.output % 4096)], peer.finalize_xof());
    // The crate stops at 2^64 - 1 bytes.
    let position = input.position.min(u64::MAX - 4096);
    reader.set_position(position);
    reader.fill(&mut theirs);
    for backend in backends() {
        let ours = mode.ours.clone().with_backend(backend);
        let mut hasher = ours.hasher();
        let mut kept = ours.hasher();
        for (piece, digest) in pieces.iter().zip(&digests) {
            hasher.update(piece);
            kept.update(piece);
            assert_eq!(hasher.finalize(), *digest, "{backend:?}");
            assert_eq!(kept.finalize(), *digest, "{backend:?}");
            // A state in the middle changes nothing.
            let saved = save(&hasher);
            hasher = Hasher::from(State::from_bytes(&saved).expect("as saved")).with_backend(backend);
            assert_eq!(save(&hasher), saved, "{backend:?}");
        }
        assert_eq!(hasher.count(), message.len() as u64);
        assert_eq!(ours.hash(message), hasher.finalize(), "{backend:?}");
        let (mut output, mut reader) = (vec![0xee; theirs.len()], kept.finalize_xof());
        reader.set_position(position);
        let (head, tail) = output.split_at_mut(theirs.len() / 3);
        reader.fill(head);
        reader.fill(tail);
        assert_eq!(output, theirs, "{backend:?}");
        assert_eq!(reader.position(), position + theirs.len() as u64);
    }
}

/// Chaining values of subtrees, and their root.
fn tree(input: &Input<'_>, mode: &Both<'_>, message: &[u8]) {
    let group = u32::from(input.group % 8);
    let size = 1024_usize << group;
    let chunks = input.offset.chunks() >> group << group;
    let offset = 1024 * chunks;
    let of_peer = |input: &[u8], offset: u64| {
        let mut hasher = mode.theirs.clone();
        hasher.set_input_offset(offset).update(input).finalize_non_root()
    };
    if message.is_empty() {
        assert!(subtrees(message, offset, group, &mode.ours, &mut [[0; 32]]).is_err());
        assert!(mode.ours.hasher().finalize_non_root().is_err());
        return;
    }
    let most = max_subtree_len(offset).expect("a chunk begins there");
    assert_eq!(most, blake3::hazmat::max_subtree_len(offset));
    let whole = message.len().min(usize::try_from(most.unwrap_or(u64::MAX)).unwrap_or(usize::MAX));
    let whole = &message[..whole];
    let cv = of_peer(whole, offset);
    let expected: Vec<[u8; 32]> =
        message.chunks(size).enumerate().map(|(i, group)| of_peer(group, offset + (i * size) as u64)).collect();
    for backend in backends() {
        let ours = mode.ours.clone().with_backend(backend);
        let mut cvs = vec![[0; 32]; expected.len()];
        subtrees(message, offset, group, &ours, &mut cvs).expect("a group begins there");
        assert_eq!(cvs, expected, "{backend:?}");
        let mut hasher = ours.hasher();
        HasherExt::set_input_offset(&mut hasher, offset).expect("nothing was hashed");
        input.pieces(whole).into_iter().for_each(|piece| _ = hasher.update(piece));
        assert_eq!(HasherExt::finalize_non_root(&hasher), Ok(cv), "{backend:?}");
        if message.len() > 1024 {
            let middle = left_subtree_len(message.len() as u64).expect("more than a chunk");
            assert_eq!(middle, blake3::hazmat::left_subtree_len(message.len() as u64));
            let (left, right) = message.split_at(usize::try_from(middle).expect("less than the message"));
            let (left, right) = (of_peer(left, 0), of_peer(right, middle));
            assert_eq!(merge_subtrees_root(&left, &right, &ours), mode.hash(message), "{backend:?}");
            let parent = blake3::hazmat::merge_subtrees_non_root(&left, &right, mode.hazmat);
            assert_eq!(merge_subtrees_non_root(&left, &right, &ours), parent, "{backend:?}");
        }
    }
}

fn side_by_side(input: &Input<'_>, mode: &Both<'_>, memory: &[u8]) {
    let of_places = |places: &[Place]| -> Vec<&[u8]> { places.iter().take(33).map(|place| place.of(memory)).collect() };
    let (first, mut second) = (of_places(&input.first), of_places(&input.second));
    second.resize(first.len(), &[]);
    let expected: Vec<Hash> = first.iter().map(|message| mode.hash(message)).collect();
    let both = |(a, b): (&&[u8], &&[u8])| mode.hash(&[*a, *b].concat());
    let joined: Vec<Hash> = first.iter().zip(&second).map(both).collect();
    for backend in backends() {
        let ours = mode.ours.clone().with_backend(backend);
        let mut hashes = ours.hash_many(&first);
        assert_eq!(hashes, expected, "{backend:?}");
        let mut hashers = vec![ours.hasher(); first.len()];
        for data in [&first, &second] {
            update_many(&mut hashers.iter_mut().zip(data.iter().copied()).collect::<Vec<_>>());
        }
        finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).expect("one for each");
        assert_eq!(hashes, joined, "{backend:?}");
        assert!(hashers.iter().map(Hasher::finalize).eq(joined.iter().copied()), "{backend:?}");
        let Some(prefix) = first.first() else { continue };
        let after_prefix: Vec<Hash> = second.iter().map(|tail| both((prefix, tail))).collect();
        assert_eq!(ours.hasher().update(prefix).hash_many(&second), after_prefix, "{backend:?}");
    }
}

/// Bytes that may be a state: refused, or of a hasher that goes on.
fn any_state(bytes: &[u8]) {
    let mut own = save(Hasher::new().update(&bytes[..bytes.len() / 2]));
    for (byte, flip) in own.iter_mut().zip(bytes) {
        // Few bits.
        *byte ^= flip & flip.rotate_left(1) & flip.rotate_left(2) & flip.rotate_left(3);
    }
    for bytes in [bytes, &own] {
        if let Ok(state) = State::from_bytes(bytes) {
            let mut hasher = Hasher::from(state);
            assert_eq!(save(&hasher), bytes);
            let _ = HasherExt::finalize_non_root(&hasher);
            let _ = hasher.count();
            if bytes == own {
                let _ = HasherExt::finalize_non_root(hasher.update(bytes));
            }
        }
    }
}

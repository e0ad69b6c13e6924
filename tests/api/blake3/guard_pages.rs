//! Every entry that takes or fills memory, with pages before and behind it that cannot be touched: see
//! `tests/api/guard_pages.rs`.

use simd_digest::Backend;
use simd_digest::blake3::hazmat::{ChainingValue, HasherExt, State, compress, merge_subtrees_root, subtrees};
use simd_digest::blake3::{Hash, Hasher, Mode, finalize_many, update_many};
use simd_digest::digest::{FixedOutput, KeyInit, Mac, Update};

use super::all_backends;
use crate::common::blake3::{CHUNK, Kind, other};
use crate::common::pages::Pages;
use crate::common::paint::paint;
use crate::common::places::{misalignments, placed};

/// The longest message: all lanes twice and a little more.
const MOST: usize = 36 * CHUNK;

/// Pages full of paint, `MOST` bytes at least.
fn painted() -> Pages {
    let mut pages = Pages::new(MOST);
    let length = pages.len();
    pages.copy_from_slice(&paint(length));
    pages
}

/// BLAKE3 (89537d9) prefetched by pointers past the end, cryptopp-modern read past messages of exactly a power of two:
/// all lengths, alone and side by side, up to the guard.
#[test]
fn trap_reads_past_the_end() {
    let pages = painted();
    let end = pages.len();
    let dense = 0..=2 * CHUNK + 66;
    let sparse = (2 * CHUNK + 67..=MOST).filter(|length| (length + 1) % CHUNK < 3 || length % 601 == 0);
    for length in dense.chain(sparse) {
        let message = &pages[end - length..];
        let digest = Kind::Plain.of_peer(message);
        for backend in all_backends() {
            let mode = Kind::Plain.on(backend);
            assert!(mode.hash(message) == digest, "{backend:?}, {length}");
            let half = &message[length / 2..];
            let messages = [message, half, &half[half.len() / 2..], message];
            let mut hashes = [other(); 4];
            mode.hash_many_into(&messages, &mut hashes).unwrap();
            assert_eq!([hashes[0], hashes[3]], [digest; 2], "{backend:?}, {length}");
        }
    }
}

/// As many messages as there can be lanes, each up to the guard and of its own length.
#[test]
fn every_lane_ends_at_the_guard() {
    let pages = painted();
    let end = pages.len();
    for count in 1..=33 {
        for step in [1, 64, 100, 1024, 1025] {
            let messages: Vec<&[u8]> = (0..count).map(|i| &pages[end - step * (i % 17)..]).collect();
            let digests: Vec<u8> =
                messages.iter().flat_map(|message| *Kind::Keyed.of_peer(message).as_bytes()).collect();
            for backend in all_backends() {
                let mut flat = vec![0; 32 * count];
                Kind::Keyed.on(backend).hash_many_flat(&messages, &mut flat).unwrap();
                assert!(flat == digests, "{backend:?}, {count}, {step}");
            }
        }
    }
}

/// The digests of a message, by every entry. The key is taken from its end, or else its beginning.
fn all_entries(backend: Backend, message: &[u8], key_at_end: bool) -> Vec<Hash> {
    let part = |length: usize| {
        let length = length.min(message.len());
        if key_at_end { &message[message.len() - length..] } else { &message[..length] }
    };
    let (head, tail) = message.split_at(message.len() / 3);
    let mode = Mode::HASH.with_backend(backend);
    let mut hashes = vec![mode.hash(message)];
    let [mut a, mut b, mut c] = [(); 3].map(|()| Hasher::new().with_backend(backend));
    hashes.push(a.update(head).update(tail).finalize());
    a.reset();
    for piece in [head, tail, message] {
        update_many(&mut [(&mut a, piece), (&mut b, message), (&mut c, tail)]);
    }
    let mut ends = [other(); 3];
    finalize_many(&[&a, &b, &c], &mut ends).unwrap();
    hashes.extend(ends);
    let mut state = [0; State::MAX_LEN];
    let length = State::from(&a).to_bytes(&mut state).unwrap();
    hashes.push(Hasher::from(State::from_bytes(&state[..length]).unwrap()).with_backend(backend).finalize());

    if let Ok(key) = <&[u8; 32]>::try_from(part(32)) {
        let mode = Mode::keyed(key).with_backend(backend);
        hashes.push(mode.hash(message));
        hashes.push(Hasher::new_keyed(key).with_backend(backend).update(message).finalize());
        let mut tags = [other(); 3];
        mode.hash_many_into(&[message, head, tail], &mut tags).unwrap();
        hashes.extend(tags);
        let mac = <simd_digest::Blake3 as KeyInit>::new_from_slice(key).unwrap().with_backend(backend);
        let mac = Mac::chain_update(mac, head).chain_update(tail);
        let tag = mac.clone().finalize().into_bytes();
        assert!(mac.verify_slice(&tag).is_ok());
        hashes.push(Hash::from_slice(&tag).unwrap());
        hashes.push(Hash::from_slice(key).unwrap());
        if let Some(right) = message.last_chunk() {
            hashes.push(merge_subtrees_root(key, right, &mode));
        }
    }
    let hash = simd_digest::Blake3::default().with_backend(backend).chain(head).chain(tail);
    hashes.push(Hash::from_slice(&hash.finalize_fixed()).unwrap());
    if !message.is_empty() {
        let cv = Hasher::new().with_backend(backend).update(message).finalize_non_root().unwrap();
        hashes.push(Hash::from_bytes(cv));
        for group in [0, 1, 4] {
            let mut cvs = vec![[0; 32]; message.len().div_ceil(CHUNK << group)];
            subtrees(message, 1 << 20, group, &mode, &mut cvs).unwrap();
            hashes.extend(cvs.into_iter().map(Hash::from_bytes));
        }
    }
    if let Ok(text) = core::str::from_utf8(part(100)) {
        hashes.push(Mode::derive_key(text).with_backend(backend).hash(tail));
    }
    hashes
}

/// Lengths beside the ends of blocks and chunks, few of them long.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=MOST).filter(|length| match length {
        0..=260 => (length + 1) % 64 < 3,
        261..=2200 => (length + 1) % 512 < 3,
        _ => (length + 1) % (5 * CHUNK) < 3 || (length + 1) % (16 * CHUNK) < 3,
    })
}

/// Up to the guard, from it on, and beside it by up to 63 bytes. All backends make of a message what the fastest makes of
/// it elsewhere.
#[test]
fn every_entry_at_every_misalignment() {
    let mut pages = painted();
    for length in lengths() {
        let content = paint(length);
        let elsewhere = [false, true].map(|key_at_end| all_entries(Backend::best(), &content, key_at_end));
        // Many short ones, for few have vectors that reach beyond a block.
        for offset in misalignments().take(if length <= 200 { 64 } else { 2 }) {
            let room = pages.len() - length;
            for place in [offset, room - offset.min(room)] {
                let message = placed(&mut pages, place, &content);
                for backend in all_backends() {
                    let hashes = all_entries(backend, message, place > offset);
                    assert!(hashes == elsewhere[usize::from(place > offset)], "{backend:?}, {length} at {place}");
                }
            }
        }
    }
}

/// Digests go to the last bytes there are, and to none beside those that they were given.
#[test]
fn every_output_at_every_misalignment() {
    let (mut flat, mut list) = (Pages::new(1), Pages::new(1));
    let memory = paint(3000);
    let messages: Vec<&[u8]> = (0..19).map(|i| &memory[i..][..137 * i]).collect();
    let hashes: Vec<Hash> = messages.iter().map(|message| Kind::Keyed.of_peer(message)).collect();
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
    let mut output = vec![0; 2500];
    Kind::Keyed.output_of_peer(&memory).fill(&mut output);
    for backend in all_backends() {
        let mode = Kind::Keyed.on(backend);
        let places = flat.len() - bytes.len();
        for place in (0..64).chain(places - 64..=places) {
            flat.fill(0xee);
            mode.hash_many_flat(&messages, &mut flat[place..][..bytes.len()]).unwrap();
            let (before, rest) = flat.split_at(place);
            let (written, after) = rest.split_at(bytes.len());
            assert!(*written == bytes[..], "{backend:?} at {place}");
            assert!(before.iter().chain(after).all(|&byte| byte == 0xee), "{backend:?} at {place}");
        }
        for length in [1, 32, 63, 64, 65, 128, 500, 1024, 1025, 2048, 2500] {
            for offset in 0..64 {
                for place in [offset, flat.len() - length - offset] {
                    for position in [0, 7] {
                        flat[place.saturating_sub(64)..].fill(0xee);
                        let mut reader = mode.hash_xof(&memory);
                        reader.set_position(position as u64);
                        let length = length.min(2500 - position);
                        reader.fill(&mut flat[place..][..length]);
                        let (before, rest) = flat.split_at(place);
                        let (written, after) = rest.split_at(length);
                        assert!(*written == output[position..][..length], "{backend:?}, {length} at {place}");
                        let beside = before.iter().rev().take(64).chain(after.iter().take(64));
                        assert!(beside.copied().all(|byte| byte == 0xee), "{backend:?}, {length} at {place}");
                    }
                }
            }
        }
        let last = list.last(messages.len(), other());
        mode.hash_many_into(&messages, last).unwrap();
        assert_eq!(last, hashes, "{backend:?}");
        let hashers: Vec<Hasher> = messages
            .iter()
            .map(|message| {
                let mut hasher = mode.hasher();
                hasher.update(message);
                hasher
            })
            .collect();
        let last = list.last(messages.len(), other());
        finalize_many(&hashers.iter().collect::<Vec<_>>(), last).unwrap();
        assert_eq!(last, hashes, "{backend:?}");
    }
}

/// Chaining values up to the last bytes there are, of input up to the guard.
#[test]
fn chaining_values() {
    let (pages, mut output) = (painted(), Pages::new(1));
    for backend in all_backends() {
        let mode = Kind::Plain.on(backend);
        for count in 1..=35 {
            for rest in [1, 64, 1023, 1024] {
                let length = CHUNK * (count - 1) + rest;
                let input = &pages[pages.len() - length..];
                let last: &mut [ChainingValue] = output.last(count, [0xee; 32]);
                subtrees(input, 1 << 30, 0, &mode, last).unwrap();
                let mut hasher = ::blake3::Hasher::new();
                ::blake3::hazmat::HasherExt::set_input_offset(&mut hasher, (1 << 30) + (CHUNK * (count - 1)) as u64);
                hasher.update(&input[CHUNK * (count - 1)..]);
                let expected = ::blake3::hazmat::HasherExt::finalize_non_root(&hasher);
                assert_eq!(last[count - 1], expected, "{backend:?}, {count}, {rest}");
            }
        }
    }
}

/// Block and chaining value up to the guard, states and texts too.
#[test]
fn compression_function_texts_and_states() {
    let (mut pages, mut words) = (painted(), Pages::new(1));
    let end = pages.len();
    for place in [0, 1, end - 65, end - 64] {
        let block: &[u8; 64] = pages[place..].first_chunk().unwrap();
        let cv: &mut [[u32; 8]] = words.last(1, [7; 8]);
        compress(&mut cv[0], block, 64, 3, 1);
        let mut elsewhere = [7; 8];
        compress(&mut elsewhere, &{ *block }, 64, 3, 1);
        assert_eq!(cv[0], elsewhere, "at {place}");
    }
    let mut hasher = Hasher::new();
    for length in [0, 1, 64, 1024, 1025, 5000, 16_384, 20_000] {
        hasher.reset().update(&paint(length));
        let state = State::from(&hasher);
        let length = state.len();
        for place in [0, end - length] {
            assert_eq!(state.to_bytes(&mut pages[place..][..length]).unwrap(), length);
            let restored = Hasher::from(State::from_bytes(&pages[place..][..length]).unwrap());
            assert_eq!(restored.finalize(), hasher.finalize());
        }
    }
    let text = hasher.finalize().to_string();
    for place in [0, end - 64] {
        pages[place..][..64].copy_from_slice(text.as_bytes());
        assert_eq!(Hash::from_hex(&pages[place..][..64]).unwrap(), hasher.finalize());
        assert!(Hash::from_hex(&pages[place..][..63]).is_err());
    }
}

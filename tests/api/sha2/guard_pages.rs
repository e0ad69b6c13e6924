//! Every entry that takes or fills memory, with pages before and behind it that cannot be touched: see
//! `tests/api/guard_pages.rs`.

use simd_digest::digest::{KeyInit, Mac};
use simd_digest::sha2::hazmat::State;
use simd_digest::sha2::{Hash, Hasher, HmacKey, finalize_many, update_many};
use simd_digest::sha256::Batch;
use simd_digest::{Backend, Digest};

use super::all_backends;
use super::traits::Traits;
use crate::common::cases::fewer;
use crate::common::pages::Pages;
use crate::common::paint::paint;
use crate::common::places::{all_lengths, groups, misalignments, placed};
use crate::common::sha2::{for_each, hasher_on, of_bytes, of_peer, on, other};

for_each! {
    trap_reads_past_the_end,
    every_entry_at_every_misalignment,
    every_output_at_every_misalignment,
    compression_function,
    texts_and_states,
}

/// The longest message: beyond it, all is as before.
const MOST: usize = 17 << 10;

/// Pages full of paint, `MOST` bytes at least.
fn painted() -> Pages {
    let mut pages = Pages::new(MOST);
    let length = pages.len();
    pages.copy_from_slice(&paint(length));
    pages
}

/// cryptopp-modern read past messages of exactly a power of two: all lengths, alone and side by side, up to the guard.
fn trap_reads_past_the_end<V: Traits>() {
    let pages = painted();
    let tail = |length: usize| &pages[pages.len() - length..];
    // SHA-224 has the kernels of SHA-256.
    let most = if V::LENGTH == 32 { MOST } else { 1100 };
    let mut digests: Vec<(usize, Option<Hash<V>>)> = all_lengths(most).map(|length| (length, None)).collect();
    for backend in all_backends() {
        for group in groups(&mut digests) {
            let (first, last) = (group[0].0, group[group.len() - 1].0);
            let messages = group.iter().map(|(length, _)| *length).chain([last.div_ceil(2), last.div_ceil(4), first]);
            let messages: Vec<&[u8]> = messages.map(tail).collect();
            let mut hashes = vec![other::<V>(); messages.len()];
            on::<V>(backend).hash_many_into(&messages, &mut hashes).unwrap();
            assert_eq!(hashes.last(), hashes.first(), "{backend:?}, {first}");
            for ((length, digest), beside) in group.iter_mut().zip(hashes) {
                let hash = on::<V>(backend).hash(tail(*length));
                assert_eq!([*digest.get_or_insert(hash), beside], [hash; 2], "{backend:?}, {length}");
            }
        }
    }
}

/// As many messages as there can be lanes, each up to the guard and of its own length.
#[test]
fn every_lane_ends_at_the_guard() {
    let pages = painted();
    let end = pages.len();
    for backend in all_backends() {
        for count in 1..=33 {
            for step in [1, 7, 64] {
                let messages: Vec<&[u8]> = (0..count).map(|i| &pages[end - step * (i % 17)..]).collect();
                let mut flat = vec![0; 32 * count];
                Batch::new().with_backend(backend).hash_many_flat(&messages, &mut flat).unwrap();
                for (message, digest) in messages.iter().zip(flat.chunks(32)) {
                    assert_eq!(*digest, *::sha2::Sha256::digest(message), "{backend:?}, {count}, {step}");
                }
            }
        }
    }
}

/// Lengths beside the ends of blocks, few of them long.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=MOST).filter(|length| match length {
        0..=640 => matches!(length % 64, 0 | 1 | 55 | 56 | 63) || matches!(length % 128, 111 | 112),
        641..=2500 => (length + 1) % 256 < 3,
        _ => (length + 1) % 4096 < 3,
    })
}

/// The digests and tags of a message, by every entry. The key is taken from its end, or else its beginning.
fn all_entries<V: Traits>(backend: Backend, message: &[u8], key_at_end: bool) -> Vec<Hash<V>> {
    let part = |length: usize| {
        let length = length.min(message.len());
        if key_at_end { &message[message.len() - length..] } else { &message[..length] }
    };
    let (head, tail) = message.split_at(message.len() / 3);
    let mut hashes = vec![on::<V>(backend).hash(message)];
    let [mut a, mut b, mut c] = [(); 3].map(|()| hasher_on::<V>(backend));
    hashes.push(a.update(head).update(tail).finalize());
    a.reset();
    for piece in [head, tail, message] {
        update_many(&mut [(&mut a, piece), (&mut b, message), (&mut c, tail)]);
    }
    let mut ends = [other(); 3];
    finalize_many(&[&a, &b, &c], &mut ends).unwrap();
    hashes.extend(ends);
    hashes.push(Hasher::from(State::from_bytes(State::from(&a).to_bytes().as_ref()).unwrap()).finalize());

    for length in [32, 64, 65, 200] {
        let key = HmacKey::<V>::new(part(length)).with_backend(backend);
        hashes.push(key.hash(message));
        hashes.push(key.hasher().update(head).update(tail).finalize());
        let mut tags = [other(); 3];
        key.hash_many_into(&[message, head, tail], &mut tags).unwrap();
        hashes.extend(tags);
        let mac = V::mac_on(<V::Mac as KeyInit>::new_from_slice(part(length)).unwrap(), backend);
        let mac = mac.chain_update(head).chain_update(tail);
        let tag = mac.clone().finalize().into_bytes();
        assert!(mac.verify_slice(&tag).is_ok());
        hashes.push(of_bytes(&tag));
    }
    let hash = V::on(V::Digest::new(), backend).chain_update(head).chain_update(tail);
    hashes.push(of_bytes(&hash.finalize()));
    if message.len() >= V::LENGTH {
        let hash = of_bytes::<V>(part(V::LENGTH));
        assert!(hash == *part(V::LENGTH) && hash != *part(V::LENGTH - 1));
        hashes.push(hash);
    }
    hashes
}

/// Up to the guard, from it on, and beside it by up to 63 bytes. All backends make of a message what the fastest makes of
/// it elsewhere.
fn every_entry_at_every_misalignment<V: Traits>() {
    let mut pages = painted();
    for length in lengths().filter(|length| V::LENGTH == 32 || *length <= 2500) {
        let content = paint(length);
        let elsewhere = [false, true].map(|key_at_end| all_entries::<V>(Backend::best(), &content, key_at_end));
        // Many short ones, because few have vectors that reach beyond a block. SHA-224 has the same kernels.
        let short = length <= 200 && V::LENGTH == 32;
        let (many, two) = (fewer(length, misalignments()), misalignments().take(2));
        for offset in many.filter(|_| short).chain(two.filter(|_| !short)) {
            let room = pages.len() - length;
            for place in [offset, room - offset.min(room)] {
                let message = placed(&mut pages, place, &content);
                for backend in all_backends() {
                    let hashes = all_entries::<V>(backend, message, place > offset);
                    assert!(hashes == elsewhere[usize::from(place > offset)], "{backend:?}, {length} at {place}");
                }
            }
        }
    }
}

/// Digests go to the last bytes there are, and to none beside those that they were given.
fn every_output_at_every_misalignment<V: Traits>() {
    let (mut flat, mut list) = (Pages::new(1), Pages::new(1));
    let memory = paint(1000);
    let messages: Vec<&[u8]> = (0..19).map(|i| &memory[i..][..17 * i]).collect();
    let hashes: Vec<Hash<V>> = messages.iter().map(|message| of_peer::<V>(message)).collect();
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
    for backend in all_backends() {
        let key = HmacKey::<V>::new(b"key").with_backend(backend);
        let tags: Vec<u8> = messages.iter().flat_map(|message| key.hash(message).as_ref().to_vec()).collect();
        let places = flat.len() - bytes.len();
        for place in (0..64).chain(places - 64..=places) {
            for hmac in [false, true] {
                flat.fill(0xee);
                let output = &mut flat[place..][..bytes.len()];
                if hmac {
                    key.hash_many_flat(&messages, output).unwrap();
                } else {
                    on::<V>(backend).hash_many_flat(&messages, output).unwrap();
                }
                let (before, rest) = flat.split_at(place);
                let (written, after) = rest.split_at(bytes.len());
                assert!(*written == if hmac { &tags } else { &bytes }[..], "{backend:?} at {place}, HMAC {hmac}");
                assert!(before.iter().chain(after).all(|&byte| byte == 0xee), "{backend:?} at {place}, HMAC {hmac}");
            }
        }
        let last = list.last(messages.len(), other::<V>());
        on::<V>(backend).hash_many_into(&messages, last).unwrap();
        assert_eq!(last, hashes, "{backend:?}");
        key.hash_many_into(&messages, last).unwrap();
        assert!(last.iter().flat_map(|tag| tag.as_ref().to_vec()).eq(tags), "{backend:?}");
    }
}

/// Nodes up to the guard, of every number of lanes, and digests up to another.
#[test]
fn nodes() {
    let (pages, mut output, mut level) = (painted(), Pages::new(1), Pages::new(1));
    for backend in all_backends() {
        let batch = Batch::new().with_backend(backend);
        for count in (0..=35).chain([64, 100]) {
            let once: Vec<[u8; 32]> = pages[pages.len() - 64 * count..]
                .as_chunks::<64>()
                .0
                .iter()
                .map(|node| ::sha2::Sha256::digest(node).into())
                .collect();
            let nodes = pages[pages.len() - 64 * count..].as_chunks().0;
            let digests = output.last(count, [0xee; 32]);
            batch.hash_nodes(nodes, digests).unwrap();
            assert_eq!(digests, once, "{backend:?}, {count}");
            batch.hash_nodes_twice(nodes, digests).unwrap();
            let twice = once.iter().map(|digest| <[u8; 32]>::from(::sha2::Sha256::digest(digest)));
            assert!(digests.iter().copied().eq(twice), "{backend:?}, {count}");

            // At the end of its pages, and then at the beginning.
            if count <= 60 {
                let last = level.last(2 * count, [0; 32]);
                last.as_flattened_mut().copy_from_slice(nodes.as_flattened());
                assert_eq!(batch.hash_nodes_in_place(last).unwrap(), once, "{backend:?}, {count}");
                let first = &mut level[..64 * count];
                first.copy_from_slice(nodes.as_flattened());
                let first = batch.hash_nodes_in_place(first.as_chunks_mut().0).unwrap();
                assert_eq!(first, once, "{backend:?}, {count}");
            }
        }
    }
}

fn compression_function<V: Traits>() {
    let (mut h, pages) = (Pages::new(1), painted());
    for count in 0..=17 {
        let [h] = h.last(1, [V::Word::from(1); 8]) else { unreachable!("one") };
        let blocks = &pages[pages.len() - V::BLOCK * count..];
        let mut elsewhere = *h;
        V::compress(h, blocks);
        let copy = blocks.to_vec();
        V::compress(&mut elsewhere, &copy);
        assert_eq!(*h, elsewhere);
    }
}

/// Texts and states are read to their end, and no further.
fn texts_and_states<V: Traits>() {
    let mut pages = Pages::new(1);
    pages.fill(b'a');
    for length in 0..=130 {
        for place in [0, pages.len() - length] {
            let text = core::str::from_utf8(&pages[place..][..length]).unwrap();
            assert_eq!(text.parse::<Hash<V>>().is_ok(), length == 2 * V::LENGTH, "{length}");
            assert!(State::<V>::from_bytes(&pages[place..][..length]).is_err());
        }
    }
    let mut hasher = hasher_on::<V>(Backend::best());
    let state = State::from(&*hasher.update(&paint(100))).to_bytes().as_ref().to_vec();
    for place in [0, pages.len() - state.len()] {
        pages[place..][..state.len()].copy_from_slice(&state);
        let restored = Hasher::from(State::<V>::from_bytes(&pages[place..][..state.len()]).unwrap());
        assert_eq!(restored.finalize(), hasher.finalize());
    }
}

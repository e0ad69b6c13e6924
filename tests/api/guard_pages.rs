//! Every entry that takes or fills memory, with pages before and behind it that cannot be touched. What reads too far
//! by a vector is otherwise seldom noticed: the bytes are there, and are ignored.

use simd_digest::Backend;
use simd_digest::blake2::{Blake2, Blake2Mac, Blake2p, Hash, OutputSize, Params, Part, update_many};
use simd_digest::blake2b::hazmat;
use simd_digest::digest::consts::U32;
use simd_digest::digest::{Digest, KeyInit, Mac};

use crate::common::cases::fewer;
use crate::common::flavour::{Flavour, for_both};
use crate::common::pages::Pages;
use crate::common::paint::paint;
use crate::common::places::{all_lengths, groups, misalignments, placed};

for_both! {
    trap_reads_past_the_end,
    every_entry_at_every_misalignment,
    every_output_at_every_misalignment,
    texts,
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
fn trap_reads_past_the_end<F: Flavour>() {
    let pages = painted();
    let tail = |length: usize| &pages[pages.len() - length..];
    let mut digests: Vec<(usize, Option<Hash<F>>)> = all_lengths(MOST).map(|length| (length, None)).collect();
    for backend in Backend::available() {
        let params = Params::<F>::new().with_backend(backend);
        for group in groups(&mut digests) {
            let (first, last) = (group[0].0, group[group.len() - 1].0);
            let messages = group.iter().map(|(length, _)| *length).chain([last.div_ceil(2), last.div_ceil(4), first]);
            let messages: Vec<&[u8]> = messages.map(tail).collect();
            let mut hashes = vec![Hash::from_bytes(&[0]).unwrap(); messages.len()];
            params.hash_many_into(&messages, &mut hashes).unwrap();
            assert_eq!(hashes.last(), hashes.first(), "{backend}, {first}");
            for ((length, digest), beside) in group.iter_mut().zip(hashes) {
                let hash = params.hash(tail(*length)).unwrap();
                assert_eq!([*digest.get_or_insert(hash), beside], [hash; 2], "{backend}, {length}");
            }
        }
    }
}

/// Lengths beside the ends of blocks, few of them long.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=MOST).filter(|length| match length {
        0..=640 => (length + 1) % 64 < 3,
        641..=2500 => (length + 1) % 256 < 3,
        _ => (length + 1) % 4096 < 3,
    })
}

/// What every entry makes of a message. The key is taken from its end, or else its beginning.
fn all_entries<F: Flavour>(params: &Params<F>, message: &[u8], key_at_end: bool) -> Vec<Hash<F>>
where
    U32: OutputSize<F>,
{
    let backend = params.backend();
    let part = |length: usize| {
        let length = length.min(message.len());
        if key_at_end { &message[message.len() - length..] } else { &message[..length] }
    };
    let (head, tail) = message.split_at(message.len() / 3);
    let params = params.clone().hash_length(32).salt(part(7)).personal(part(8));
    let keyed = params.clone().key(part(31));
    let of = |bytes: &[u8]| Hash::from_bytes(bytes).unwrap();

    let mut hashes = vec![params.hash(message).unwrap(), keyed.hash(message).unwrap()];
    let [mut a, mut b, mut c] = [&params, &keyed, &params].map(|params| params.hasher().unwrap());
    hashes.push(a.update(head).update(tail).finalize());
    a.reset();
    for piece in [head, tail, message] {
        update_many(&mut [(&mut a, piece), (&mut b, message), (&mut c, tail)]);
    }
    hashes.extend([a, b, c].map(|hasher| hasher.finalize()));

    let mut hasher = keyed.parallel().unwrap();
    hashes.push(hasher.update(head).update(tail).finalize());
    hasher.reset();
    hashes.push(hasher.update(message).finalize());
    let hasher = Blake2::<F, U32>::new_with_salt_and_personal(part(7), part(8)).unwrap().with_backend(backend);
    hashes.push(of(&hasher.chain_update(head).chain_update(tail).finalize()));
    hashes.push(of(&Blake2p::<F, U32>::default().with_backend(backend).chain_update(message).finalize()));
    if let Ok(mac) = Blake2Mac::<F, U32>::new_from_slice(part(31)) {
        let mac = mac.with_backend(backend).chain_update(head).chain_update(tail);
        let tag = mac.clone().finalize().into_bytes();
        assert!(mac.verify_slice(&tag).is_ok());
        hashes.push(of(&tag));
    }

    for leaf_length in [64, 300, 4096] {
        let params = keyed.clone().fanout(0).max_depth(2).max_leaf_length(leaf_length).inner_hash_length(32);
        let tree = params.tree().unwrap();
        hashes.push(tree.hash(message));
        hashes.push(tree.hasher().update(head).update(tail).finalize());
        hashes.extend(tree.hash_run(3, message, Part::Last).unwrap());
    }
    let mut hasher = keyed.xof().unwrap();
    let mut output = [0; 100];
    hasher.update(head).update(tail).finalize().try_read(&mut output).unwrap();
    hashes.extend(output.chunks(20).map(of));
    if !message.is_empty() {
        let length = message.len().min(32);
        let hash = of(part(length));
        assert!(hash == *part(length) && hash != *part(length - 1) && hash.as_ref() == part(length));
        hashes.push(hash);
    }
    hashes
}

/// Up to the guard, from it on, and beside it by up to 63 bytes. All backends make of a message what the fastest makes of
/// it elsewhere.
fn every_entry_at_every_misalignment<F: Flavour>()
where
    U32: OutputSize<F>,
{
    let mut pages = painted();
    for length in lengths() {
        let content = paint(length);
        let elsewhere = [false, true].map(|key_at_end| all_entries(&Params::<F>::new(), &content, key_at_end));
        // Many short ones, for few have vectors that reach beyond a block.
        let short = length <= 260;
        let (many, two) = (fewer(length, misalignments()), misalignments().take(2));
        for offset in many.filter(|_| short).chain(two.filter(|_| !short)) {
            let room = pages.len() - length;
            for place in [offset, room - offset.min(room)] {
                let message = placed(&mut pages, place, &content);
                for backend in Backend::available() {
                    let params = Params::<F>::new().with_backend(backend);
                    let hashes = all_entries(&params, message, place > offset);
                    assert!(hashes == elsewhere[usize::from(place > offset)], "{backend}, {length} at {place}");
                }
            }
        }
    }
}

/// Digests go to the last bytes there are, and to none beside those that they were given.
fn every_output_at_every_misalignment<F: Flavour>() {
    let (mut flat, mut list) = (Pages::new(1), Pages::new(1));
    let memory = paint(1000);
    let messages: Vec<&[u8]> = (0..19).map(|i| &memory[i..][..17 * i]).collect();
    for backend in Backend::available() {
        for hash_length in [1, 20, F::LONGEST / 2, F::LONGEST - 1, F::LONGEST] {
            let params = Params::<F>::new().with_backend(backend).hash_length(hash_length);
            let hashes: Vec<_> = messages.iter().map(|message| params.hash(message).unwrap()).collect();
            let bytes: Vec<u8> = hashes.iter().flat_map(Hash::as_bytes).copied().collect();
            let places = flat.len() - bytes.len();
            for place in (0..64).chain(places - 64..=places) {
                flat.fill(0xee);
                params.hash_many_flat(&messages, &mut flat[place..][..bytes.len()]).unwrap();
                let (before, rest) = flat.split_at(place);
                let (written, after) = rest.split_at(bytes.len());
                assert!(written == bytes, "{backend}, {hash_length} at {place}");
                assert!(before.iter().chain(after).all(|&byte| byte == 0xee), "{backend}, {hash_length} at {place}");
            }
            let last = list.last(messages.len(), Hash::from_bytes(&[0]).unwrap());
            params.hash_many_into(&messages, last).unwrap();
            assert_eq!(last, hashes, "{backend}");
        }
    }
}

#[test]
fn the_compression_function() {
    let (mut h, mut m) = (Pages::new(1), Pages::new(1));
    let ([h], [m]) = (h.last(1, [1; 8]), m.last(1, [2; 16])) else { unreachable!("one each") };
    let mut elsewhere = *h;
    hazmat::compress(12, h, m, 3, true);
    hazmat::compress(12, &mut elsewhere, m, 3, true);
    assert_eq!(*h, elsewhere);
}

/// Texts are read to their end, and no further.
fn texts<F: Flavour>() {
    let mut pages = Pages::new(1);
    pages.fill(b'a');
    for length in 0..=130 {
        for place in [0, pages.len() - length] {
            let text = core::str::from_utf8(&pages[place..][..length]).unwrap();
            let possible = length > 0 && length % 2 == 0 && length <= 2 * F::LONGEST;
            assert_eq!(text.parse::<Hash<F>>().is_ok(), possible, "{length}");
        }
    }
}

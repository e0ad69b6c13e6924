//! Mistakes that other implementations made and that passed the official vectors. Those that are not here stand where
//! their tools are:
//!
//! | trap                                          | its test                                                          |
//! |-----------------------------------------------|-------------------------------------------------------------------|
//! | two different blocks in one call              | `trap_two_different_blocks_in_one_call` in `compress.rs`          |
//! | a length of more than 32 bits                 | `trap_length_in_bits` in `compress.rs`                            |
//! | HMAC over another block size                  | `trap_hmac_block_size` in `hmac.rs`                               |
//! | messages that change while they are sorted    | `trap_bytes_that_differ_from_call_to_call` in `many.rs`           |
//! | reads past the end                            | `trap_reads_past_the_end` in `guard_pages.rs`                     |
//! | secrets left after use                        | `trap_secrets_left…` in `tests/wiping.rs`                         |

use simd_digest::Digest;
use simd_digest::sha2::{Hasher, HmacKey, update_many};

use super::all_backends;
use super::traits::Traits;
use crate::common::paint::paint;
use crate::common::sha2::{for_each, hasher_on, of_peer, on, other};

for_each! {
    trap_buffer_of_the_caller,
    trap_aligned_loads,
    trap_padding,
    trap_last_block_held_back,
    trap_spare_lanes,
}

/// A lane server (minio/sha256-simd 1.0.1) kept the caller's buffer beyond the call, and had 129 of 200 digests wrong: what
/// is given is overwritten at once, by writes that are not whole blocks.
fn trap_buffer_of_the_caller<V: Traits>() {
    let message = paint(5000);
    let digest = of_peer::<V>(&message);
    let change = |buffer: &mut Vec<u8>, piece: &[u8]| {
        buffer.fill(0x55);
        buffer.clear();
        buffer.extend_from_slice(piece);
    };
    for backend in all_backends() {
        let key = HmacKey::<V>::new(b"key").with_backend(backend);
        for size in [1, 63, 64, 65, 100, 128, 300, 4 * 64, 1700] {
            let (mut hasher, mut traits, mut hmac) =
                (hasher_on::<V>(backend), V::on(V::Digest::new(), backend), key.hasher());
            let mut side_by_side = vec![hasher_on::<V>(backend); 9];
            let (mut buffer, mut other) = (Vec::new(), Vec::new());
            for piece in message.chunks(size) {
                change(&mut buffer, piece);
                hasher.update(&buffer);
                change(&mut buffer, piece);
                Digest::update(&mut traits, &buffer);
                change(&mut buffer, piece);
                hmac.update(&buffer);
                change(&mut buffer, piece);
                change(&mut other, &vec![7; piece.len() + 1]);
                let of = |i| if i % 2 == 0 { &buffer[..] } else { &other };
                let mut updates: Vec<(&mut Hasher<V>, &[u8])> =
                    side_by_side.iter_mut().enumerate().map(|(i, hasher)| (hasher, of(i))).collect();
                update_many(&mut updates);
                change(&mut buffer, b"");
                change(&mut other, b"");
            }
            assert_eq!(hasher.finalize(), digest, "{backend:?}, {size}");
            assert_eq!(traits.finalize()[..], *digest.as_ref(), "{backend:?}, {size}");
            assert_eq!(hmac.finalize(), key.hash(&message), "{backend:?}, {size}");
            for hasher in side_by_side.iter().step_by(2) {
                assert_eq!(hasher.finalize(), digest, "{backend:?}, {size}");
            }
        }
    }
}

/// libsodium and `sha2` used aligned loads on what lies anywhere: all 64 misalignments of input and output.
fn trap_aligned_loads<V: Traits>() {
    let lengths = [1, 31, 55, 63, 64, 65, 3 * 64 + 1, 9 * 64].map(V::at);
    let contents: Vec<Vec<u8>> = lengths.iter().map(|&length| paint(length)).collect();
    let digests: Vec<_> = contents.iter().map(|bytes| of_peer::<V>(bytes)).collect();
    let flat_expected: Vec<u8> = digests.iter().flat_map(|hash| hash.as_ref().to_vec()).collect();
    for backend in all_backends() {
        for offset in 0..64 {
            let place = |bytes: &Vec<u8>| [&vec![0xee; offset], &bytes[..], &[0xee; 64]].concat();
            let memory: Vec<Vec<u8>> = contents.iter().map(place).collect();
            let messages: Vec<&[u8]> =
                memory.iter().zip(lengths).map(|(memory, length)| &memory[offset..][..length]).collect();
            for (message, digest) in messages.iter().zip(&digests) {
                assert_eq!(on::<V>(backend).hash(message), *digest, "{backend:?}, {offset}");
                let mut hasher = hasher_on::<V>(backend);
                assert_eq!(hasher.update(message).finalize(), *digest, "{backend:?}, {offset}");
            }
            let mut flat = vec![0xee; offset + flat_expected.len() + 1];
            let end = flat.len() - 1;
            on::<V>(backend).hash_many_flat(&messages, &mut flat[offset..end]).unwrap();
            assert_eq!(flat[offset..end], flat_expected, "{backend:?}, {offset}");
            assert!(flat[..offset].iter().chain(&flat[end..]).all(|&byte| byte == 0xee), "{backend:?}, {offset}");
        }
    }
}

/// The lengths at which the closing bytes take one block more, as written in two pieces, and in lanes beside others.
fn trap_padding<V: Traits>() {
    for length in [0, 55, 56, 63, 64, 119, 120, 127, 128, 183, 184].map(V::at) {
        // A last byte that is like the one that closes a message, and zeros before it.
        for end in [&[][..], &[0x80], &[0x80, 0], &[0; 9]] {
            let mut message = paint(length);
            let begin = length.saturating_sub(end.len());
            message[begin..].copy_from_slice(&end[..length - begin]);
            let digest = of_peer::<V>(&message);
            for backend in all_backends() {
                let mut hasher = hasher_on::<V>(backend);
                hasher.update(&message[..begin]).update(&message[begin..]).update(b"");
                assert_eq!(hasher.finalize(), digest, "{backend:?}, {length}");
                let mut hashes = [other(); 5];
                on::<V>(backend)
                    .hash_many_into(&[&message[..], b"", &message, &[1; 56], &message], &mut hashes)
                    .unwrap();
                assert_eq!([hashes[0], hashes[2], hashes[4]], [digest; 3], "{backend:?}, {length}");
            }
        }
    }
}

/// Konscious, hashcat and isa-l_crypto compressed a full block too early, or an empty one at the end: two writes, one of
/// which ends at a block's end or beside it, are one.
fn trap_last_block_held_back<V: Traits>() {
    let most = 3 * V::BLOCK + 1;
    let message = paint(2 * most);
    let digests: Vec<_> = (0..=message.len()).map(|length| of_peer::<V>(&message[..length])).collect();
    let at_an_edge = |length: usize| (length + 1) % V::BLOCK <= 2;
    for backend in all_backends() {
        for first in 0..=most {
            let mut begun = hasher_on::<V>(backend);
            begun.update(&message[..first]);
            for second in (0..=most).filter(|second| at_an_edge(first) || at_an_edge(first + second)) {
                let hash = begun.clone().update(&message[first..][..second]).update(b"").finalize();
                assert!(hash == digests[first + second], "{backend:?}, {first} + {second}");
            }
        }
    }
}

/// Designs with lanes that are not used read some message there, and must not write its digest: of every number of
/// messages, one longer than all others, at every place.
fn trap_spare_lanes<V: Traits>() {
    let memory = paint(2000);
    for backend in all_backends() {
        for count in 1..=20 {
            for long in 0..count {
                let length = |i: usize| if i == long { 1000 } else { 30 + 7 * i };
                let messages: Vec<&[u8]> = (0..count).map(|i| &memory[i..][..length(i)]).collect();
                let mut hashes = vec![other(); count + 1];
                on::<V>(backend).hash_many_into(&messages, &mut hashes[..count]).unwrap();
                for (i, message) in messages.iter().enumerate() {
                    assert_eq!(hashes[i], V::Peer::digest(message)[..], "{backend:?}, {i} of {count}, long {long}");
                }
                assert_eq!(hashes[count], other());
            }
        }
    }
}

#[cfg(target_pointer_width = "64")]
mod long {
    use simd_digest::Backend;
    use simd_digest::sha2::Hash;

    use crate::common::paint::paint;
    use crate::common::sha2::{Variant256, hasher_on, on, other};

    /// More than 4 GiB, most of it pages of zeros that take no memory. Some are others, for then not all blocks are
    /// equal.
    fn sparse() -> Vec<u8> {
        let mut message = vec![0; (1 << 32) + 10_001];
        for place in [0, (1 << 32) - 500, message.len() - 1000] {
            message[place..][..1000].copy_from_slice(&paint(1000));
        }
        message
    }

    /// XKCP (CVE-2022-37454) and liboqs added lengths in 32 bits. Backends and variants share the code that counts, so
    /// two backends are enough, and the slower one has one long message beside a short one.
    #[test]
    #[ignore = "hashes 4 GiB several times"]
    fn trap_more_than_4_gib_in_one_update() {
        let message = sparse();
        // By `hashlib`.
        let digest: Hash<Variant256> =
            "82a14adcaa6be61934d0f2dd9affc1edfe9b4b97b4e2283ec3c540d547695cb9".parse().unwrap();
        let best = Backend::best();
        for backend in [best, best.without_sha()].into_iter().take(if best.sha() { 2 } else { 1 }) {
            let mut hasher = hasher_on::<Variant256>(backend);
            hasher.update(b"").update(&message);
            assert_eq!(hasher.count(), message.len() as u64);
            assert_eq!(hasher.finalize(), digest, "{backend:?}");
            let messages = [&message[..], b"short", &message];
            let messages = if backend == best { &messages[..] } else { &messages[..2] };
            let mut hashes = [other(); 3];
            on::<Variant256>(backend).hash_many_into(messages, &mut hashes[..messages.len()]).unwrap();
            assert!(hashes[..messages.len()].iter().step_by(2).all(|hash| *hash == digest), "{backend:?}");
        }
    }
}

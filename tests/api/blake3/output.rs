//! Output of any length from any position, against the crate `blake3` block by block and against the definition.

#[cfg(feature = "std")]
use std::io::{ErrorKind, Read, Seek, SeekFrom};

use simd_digest::blake3::OutputReader;
use simd_digest::digest::XofReader;

use super::all_backends;
use crate::common::blake3::{CHUNK, Kind, Last, output_by_blocks};
use crate::common::paint::paint;
use crate::common::random::Random;

/// Messages whose root is a block, a chunk of some blocks, and a parent.
const LENGTHS: [usize; 7] = [0, 1, 64, 65, 1024, 1025, 5000];

fn take(output: &mut OutputReader, length: usize) -> Vec<u8> {
    // What is not written would be seen.
    let mut bytes = vec![0x5a; length];
    output.fill(&mut bytes);
    bytes
}

/// The beginning is the digest, and all of it goes on from there.
#[test]
fn begins_with_the_digest() {
    for kind in Kind::ALL {
        for length in LENGTHS {
            let message = paint(length);
            let expected = output_by_blocks(&kind.output_of_peer(&message), 0, 5000);
            for backend in all_backends() {
                let mode = kind.on(backend);
                let mut output = mode.hash_xof(&message);
                assert_eq!(output.position(), 0);
                assert_eq!(take(&mut output, 5000), expected, "{backend:?}, {kind:?}, {length}");
                assert_eq!(output.position(), 5000);
                assert_eq!(mode.hash(&message), expected[..32], "{backend:?}, {kind:?}, {length}");
                let mut output = kind.hasher_on(backend).update(&message).finalize_xof();
                assert_eq!(take(&mut output, 5000), expected, "{backend:?}, {kind:?}, {length}");
            }
        }
    }
}

#[test]
fn every_length_of_a_read() {
    let message = paint(100);
    let expected = output_by_blocks(&Kind::Keyed.output_of_peer(&message), 0, 3 * 16 * 64 + 200);
    for backend in all_backends() {
        let output = Kind::Keyed.on(backend).hash_xof(&message);
        for begin in [0, 1, 31, 63, 64, 65, 127] {
            for length in (0..=2 * 16 * 64 + 2).filter(|length| length % 7 == 0 || (length + 1) % 64 < 3) {
                let mut output = output.clone();
                output.set_position(begin as u64);
                assert!(take(&mut output, length) == expected[begin..][..length], "{backend:?}, {begin}, {length}");
                assert_eq!(output.position(), (begin + length) as u64);
                // And it goes on.
                assert!(take(&mut output, 70) == expected[begin + length..][..70], "{backend:?}, {begin}, {length}");
            }
        }
    }
}

/// Reads of one size after another, and of any sizes.
#[test]
fn trap_partial_words_read_twice() {
    let message = paint(2000);
    let expected = output_by_blocks(&Kind::Plain.output_of_peer(&message), 0, 6000);
    let mut random = Random::new(130);
    for backend in all_backends() {
        let begin = Kind::Plain.on(backend).hash_xof(&message);
        for size in 1..=130 {
            let mut output = begin.clone();
            for (i, piece) in expected[..2000].chunks(size).enumerate() {
                assert!(take(&mut output, piece.len()) == *piece, "{backend:?}, read {i} of {size}");
            }
        }
        for _ in 0..40 {
            let mut output = begin.clone();
            let mut rest = &expected[..];
            while !rest.is_empty() {
                let bound = [5, 70, 600, 3000][random.below(4)];
                let (piece, after) = rest.split_at(random.below(bound).min(rest.len()));
                assert!(take(&mut output, piece.len()) == *piece, "{backend:?}, {} bytes", piece.len());
                rest = after;
            }
            assert_eq!(output.position(), 6000);
        }
    }
}

/// Positions around 2^k · 64 and 2^k, beyond 2^63 too, aligned or not. Some reads take a block, some all lanes twice.
#[test]
fn trap_seek_anywhere() {
    let message = paint(3000);
    let last = Last::of(Kind::DeriveKey, &message, 0);
    let peer = Kind::DeriveKey.output_of_peer(&message);
    let edges = (0..=58).map(|bit| 64_u128 << bit).flat_map(|edge| [edge, edge / 2, edge + edge / 2]);
    let around =
        edges.flat_map(|edge| [-2049_i128, -1025, -65, -64, -63, -1, 0, 1, 63, 64, 65].map(|by| edge as i128 + by));
    let mut positions: Vec<u64> = around.filter_map(|place| u64::try_from(place).ok()).collect();
    positions.sort_unstable();
    positions.dedup();
    for (i, position) in positions.into_iter().enumerate() {
        let left = usize::try_from((u64::MAX - position).min(2500)).unwrap();
        let lengths = [1, 32, 64, 130, if i % 4 == 0 { 2500 } else { 700 }].map(|length| left.min(length));
        let expected = output_by_blocks(&peer, position, lengths[4]);
        // The crate is compared with the definition, too.
        let block = last.output(position / 64);
        let in_block = &block[usize::try_from(position % 64).unwrap()..];
        let common = in_block.len().min(expected.len());
        assert_eq!(expected[..common], in_block[..common], "at {position}");
        for backend in all_backends() {
            let mut output = Kind::DeriveKey.on(backend).hash_xof(&message);
            for length in lengths {
                output.set_position(position);
                assert_eq!(output.position(), position);
                assert!(take(&mut output, length) == expected[..length], "{backend:?}, {length} at {position}");
                assert_eq!(output.position(), position + length as u64);
            }
            // Over a held block and back.
            output.set_position(position);
            let (mut head, mut tail) = (take(&mut output, left.min(3)), take(&mut output, left.min(33) - left.min(3)));
            head.append(&mut tail);
            assert!(head == expected[..left.min(33)], "{backend:?}, in two at {position}");
        }
    }
}

/// The counter of output blocks carries into its upper word in the middle of what lanes make, at every lane.
#[test]
fn trap_carry_in_lanes() {
    let message = paint(65);
    let peer = Kind::Plain.output_of_peer(&message);
    for edge in [1_u64 << 32, 1 << 33, 7 << 32, 1 << 57] {
        for before in 0..=33 {
            let position = 64 * (edge - before) + if before % 3 == 0 { 5 } else { 0 };
            let expected = output_by_blocks(&peer, position, 40 * 64);
            for backend in all_backends() {
                let mut output = Kind::Plain.on(backend).hash_xof(&message);
                output.set_position(position);
                assert!(take(&mut output, 40 * 64) == expected, "{backend:?}, {before} blocks before {edge}");
            }
        }
    }
}

/// From any place to any other: what is held of a block is not taken for another.
#[test]
fn positions_in_any_order() {
    let message = paint(10);
    let expected = output_by_blocks(&Kind::Plain.output_of_peer(&message), 0, 4096);
    let mut random = Random::new(4096);
    for backend in all_backends() {
        let mut output = Kind::Plain.on(backend).hash_xof(&message);
        for _ in 0..2000 {
            let position = random.below(4096);
            let bound = [4, 70, 2000][random.below(3)];
            let length = random.below(bound);
            // To a place in the same block, too.
            let position = if random.below(3) == 0 { usize::try_from(output.position()).unwrap() } else { position };
            let length = length.min(4096 - position);
            output.set_position(position as u64);
            assert!(take(&mut output, length) == expected[position..][..length], "{backend:?}, {length} at {position}");
            assert_eq!(output.position(), (position + length) as u64);
        }
    }
}

#[test]
fn clones_go_their_own_way() {
    let expected = output_by_blocks(&Kind::Plain.output_of_peer(b"abc"), 0, 3000);
    for backend in all_backends() {
        for middle in [0, 1, 63, 64, 65, 1024, 1500] {
            let mut first = Kind::Plain.on(backend).hash_xof(b"abc");
            assert!(take(&mut first, middle) == expected[..middle]);
            let mut second = first.clone();
            assert!(take(&mut second, 1000) == expected[middle..][..1000], "{backend:?}, {middle}");
            assert_eq!(first.position(), middle as u64);
            assert!(take(&mut first, 500) == expected[middle..][..500], "{backend:?}, {middle}");
        }
    }
}

/// A reader is made from a hasher, which goes on.
#[test]
fn hashers_go_on() {
    let message = paint(30 * CHUNK);
    for backend in all_backends() {
        let mut hasher = Kind::Keyed.hasher_on(backend);
        let mut count = 0;
        for piece in message.chunks(777) {
            count += piece.len();
            let mut output = hasher.update(piece).finalize_xof();
            let mut expected = vec![0; 100];
            Kind::Keyed.output_of_peer(&message[..count]).fill(&mut expected);
            assert!(take(&mut output, 100) == expected, "{backend:?}, {count} bytes");
        }
        assert_eq!(hasher.finalize(), Kind::Keyed.of_peer(&message), "{backend:?}");
    }
}

#[test]
fn read_by_the_trait() {
    let mut expected = vec![0; 1000];
    Kind::Plain.output_of_peer(b"abc").fill(&mut expected);
    for backend in all_backends() {
        let mut output = Kind::Plain.on(backend).hash_xof(b"abc");
        let mut bytes = vec![0; 1000];
        let (head, tail) = bytes.split_at_mut(77);
        XofReader::read(&mut output, head);
        XofReader::read(&mut output, tail);
        assert_eq!(bytes, expected, "{backend:?}");
    }
}

#[cfg(feature = "std")]
#[test]
fn read_and_sought_as_a_file() {
    let message = paint(2000);
    for backend in all_backends() {
        let mut ours = Kind::Plain.on(backend).hash_xof(&message);
        let mut theirs = Kind::Plain.output_of_peer(&message);
        let far = 1 << 63;
        let seeks = [
            SeekFrom::Start(77),
            SeekFrom::Current(-50),
            SeekFrom::Current(1000),
            SeekFrom::Current(0),
            SeekFrom::Start(0),
            SeekFrom::Start(far - 10),
            SeekFrom::Current(5),
            SeekFrom::Current(i64::MAX - 1000),
            SeekFrom::Current(i64::MIN),
            SeekFrom::Start(u64::MAX - 500),
            SeekFrom::Current(-1),
        ];
        for seek in seeks {
            let place = ours.seek(seek).unwrap();
            assert_eq!(place, theirs.seek(seek).unwrap(), "{backend:?}, {seek:?}");
            assert_eq!((ours.position(), ours.stream_position().unwrap()), (place, place), "{backend:?}, {seek:?}");
            let (mut a, mut b) = ([1; 200], [2; 200]);
            assert_eq!(Read::read(&mut ours, &mut a).unwrap(), 200);
            ours.read_exact(&mut a[150..]).unwrap();
            theirs.read_exact(&mut b).unwrap();
            theirs.read_exact(&mut b[150..]).unwrap();
            assert!(a == b, "{backend:?}, {seek:?}");
        }
        // Errors leave it where it is: there is no end, and nothing before the beginning.
        for place in [0, 77, far] {
            ours.set_position(place);
            for seek in [SeekFrom::End(0), SeekFrom::End(-1), SeekFrom::Current(i64::MIN)] {
                if place == far && seek == SeekFrom::Current(i64::MIN) {
                    continue;
                }
                assert_eq!(ours.seek(seek).unwrap_err().kind(), ErrorKind::InvalidInput, "{backend:?}, {seek:?}");
                assert_eq!(ours.position(), place);
            }
            assert!(place == far || ours.seek(SeekFrom::Current(-78)).is_err());
        }
        // Nor is there a position from 2^64 on. The crate goes to the last one there is.
        for (place, by) in [(u64::MAX, 1), (u64::MAX - 5, 6), (far, i64::MAX), (u64::MAX - 5, i64::MAX)] {
            ours.set_position(place);
            if place != far {
                assert_eq!(ours.seek(SeekFrom::Current(by)).unwrap_err().kind(), ErrorKind::InvalidInput);
                assert_eq!(ours.position(), place);
            } else {
                assert_eq!(ours.seek(SeekFrom::Current(by)).unwrap(), u64::MAX);
            }
        }
    }
}

/// Up to the last byte of the output, the one at 2^64 − 2: a reader's position can say no more.
#[test]
fn up_to_the_end() {
    let message = paint(5);
    let peer = Kind::Plain.output_of_peer(&message);
    for backend in all_backends() {
        for before in [0_u64, 1, 2, 62, 63, 64, 65, 127, 128, 1000, 2500] {
            let position = u64::MAX - before;
            let mut output = Kind::Plain.on(backend).hash_xof(&message);
            output.set_position(position);
            let length = usize::try_from(before).unwrap();
            assert!(take(&mut output, length) == output_by_blocks(&peer, position, length), "{backend:?}, {before}");
            assert_eq!(output.position(), u64::MAX);
            // Beyond it nothing panics, and positions begin again.
            assert_eq!(take(&mut output, 1000).len(), 1000);
            assert_eq!(output.position(), 999);
            output.set_position(0);
            assert_eq!(take(&mut output, 100), output_by_blocks(&peer, 0, 100), "{backend:?}, {before}");
        }
    }
}

#[test]
fn nothing_secret_is_printed() {
    let mut output = Kind::Keyed.mode().hash_xof(b"abc");
    let _ = take(&mut output, 77);
    let text = format!("{output:?}");
    assert!(text.starts_with("OutputReader { position: 77"), "{text}");
    assert!(!text.contains('['), "{text}");
}

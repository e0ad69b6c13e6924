//! The compression function against the definition, and the whole hash built from it.

use simd_digest::blake3::hazmat::compress;

use crate::common::blake3::{self, CHUNK_END, CHUNK_START, Kind, ROOT, to_bytes};
use crate::common::paint::paint;
use crate::common::random::Random;

#[test]
fn as_defined() {
    let mut random = Random::new(7);
    for round in 0..3000 {
        let mut cv: [u32; 8] = core::array::from_fn(|_| u32::try_from(random.number() >> 32).unwrap());
        let block: [u8; 64] = core::array::from_fn(|_| u8::try_from(random.below(256)).unwrap());
        // The length does not shorten the block.
        let length = u8::try_from(random.below(if round % 8 == 0 { 256 } else { 65 })).unwrap();
        let flags = u8::try_from(random.below(256)).unwrap();
        let counter = match round % 5 {
            0 => 0,
            1 => random.number(),
            2 => u64::from(u32::MAX) - random.number() % 2,
            3 => 1 << random.below(64),
            _ => u64::MAX,
        };
        let expected = blake3::compress(&cv, &block, length, counter, flags);
        compress(&mut cv, &block, length, counter, flags);
        assert_eq!(cv, expected[..8], "length {length}, counter {counter:#x}, flags {flags:#x}");
    }
}

/// A chunk by compressions alone.
#[test]
fn a_chunk() {
    let message = paint(1024);
    for kind in Kind::ALL {
        for length in (0..=130).chain([1000, 1023, 1024]) {
            let (mut cv, flags) = kind.key_and_flags();
            let blocks: Vec<&[u8]> =
                if length == 0 { vec![&message[..0]] } else { message[..length].chunks(64).collect() };
            for (i, bytes) in blocks.iter().enumerate() {
                let mut block = [0; 64];
                block[..bytes.len()].copy_from_slice(bytes);
                let start = if i == 0 { CHUNK_START } else { 0 };
                let end = if i + 1 == blocks.len() { CHUNK_END | ROOT } else { 0 };
                compress(&mut cv, &block, u8::try_from(bytes.len()).unwrap(), 0, flags | start | end);
            }
            assert_eq!(kind.of_peer(&message[..length]), to_bytes(&cv)[..], "{kind:?}, length {length}");
        }
    }
}

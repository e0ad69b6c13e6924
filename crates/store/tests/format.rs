//! The format without I/O, beside an independent program, and every way to damage it.

use bytes::Bytes;
use simd_digest::blake2b;
use simd_digest_store::{Corrupt, EncodeError, Format, FormatError, Hash, HeaderError, Part, Stripes};

#[path = "common/random.rs"]
mod random;
use random::Random;

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| u8::try_from(char::from(*byte).to_digit(16).unwrap()).unwrap();
    text.as_bytes().chunks(2).map(|pair| digit(&pair[0]) << 4 | digit(&pair[1])).collect()
}

fn message(length: u64) -> Bytes {
    (0..length).map(|i| u8::try_from(i % 251).unwrap()).collect()
}

fn store(stripes: &Stripes, message: &Bytes) -> Vec<u8> {
    let encoded = stripes.encode(0, [message.clone()], Part::Last).unwrap();
    [stripes.header().to_vec(), encoded.concat()].concat()
}

/// All of a stored object, by the format that its header tells.
fn load(format: &Format, stored: &[u8]) -> Result<Vec<u8>, String> {
    let stripes = format.open(stored).map_err(|error| error.to_string())?;
    let len = stripes.length(stored.len() as u64).ok_or("length")?;
    let run = stripes.around(0..len, len).map_err(|error| error.to_string())?;
    let bytes = Bytes::copy_from_slice(&stored[Stripes::HEADER_LENGTH..]);
    stripes.decode(&run, [bytes]).map(|pieces| pieces.concat()).map_err(|error| error.to_string())
}

#[test]
fn vectors_of_hashlib() {
    let mut count = 0;
    for line in include_str!("data/vectors.txt").lines().filter(|line| !line.starts_with("bt2leaf")) {
        let fields: Vec<_> = line.split(' ').collect();
        let [hash, stripe, key, random, length, stored] = fields[..] else { panic!("{line}") };
        let hash = match hash {
            "blake2b" => Hash::Blake2b,
            "blake2s" => Hash::Blake2s,
            "sha256" => Hash::Sha256,
            _ => panic!("{line}"),
        };
        let mut format = Format::new(hash).with_stripe_length(stripe.parse().unwrap()).unwrap();
        if key != "-" {
            format = format.with_key(&unhex(key)).unwrap();
        }
        let (message, stored) = (message(length.parse().unwrap()), unhex(stored));
        let stripes = format.stripes_with(unhex(random).try_into().unwrap()).unwrap();
        assert_eq!(store(&stripes, &message), stored, "{line}");
        assert_eq!(load(&format, &stored).unwrap(), message, "{line}");
        count += 1;
    }
    assert_eq!(count, 3 * 3 * 11);
}

#[test]
fn pieces_of_any_lengths() {
    let mut random = Random::new(1);
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        for length in [0, 1, 99, 100, 101, 5000, 123_456] {
            let stripes = Format::new(hash).with_stripe_length(100).unwrap().stripes().unwrap();
            let message = random.bytes(length);
            let stored = Bytes::from(store(&stripes, &message));
            let pieces = random.pieces(message.clone(), 333);
            assert_eq!(stripes.encode(0, pieces, Part::Last).unwrap().concat(), stored[64..]);
            for _ in 0..20 {
                let start = random.below(length + 1);
                let end = start + random.below(length - start + 1);
                let run = stripes.around(start..end, length).unwrap();
                let at = |number| usize::try_from(number).unwrap();
                let bytes = stored.slice(at(run.stored().start)..at(run.stored().end));
                let decoded = stripes.decode(&run, random.pieces(bytes, 77)).unwrap();
                assert_eq!(decoded.concat(), message[at(start)..at(end)]);
            }
            // In two calls.
            let cut = at_stripe(length);
            if cut > 0 && cut < message.len() {
                let first = stripes.encode(0, [message.slice(..cut)], Part::NotLast).unwrap().concat();
                let second = stripes.encode(cut as u64 / 100, [message.slice(cut..)], Part::Last).unwrap().concat();
                assert_eq!([first, second].concat(), stored[64..]);
            }
        }
    }
}

fn at_stripe(length: u64) -> usize {
    usize::try_from(length / 200 * 100).unwrap()
}

/// Slices are the caller's, not copies.
#[test]
fn nothing_is_copied() {
    let stripes = Format::default().with_stripe_length(1000).unwrap().stripes().unwrap();
    let message = message(10_500);
    let encoded = stripes.encode(0, [message.clone()], Part::Last).unwrap();
    let own = message.as_ptr_range();
    assert_eq!(encoded.iter().filter(|piece| own.contains(&piece.as_ptr())).count(), 11);
    assert_eq!(encoded.len(), 22);
    let run = stripes.around(0..10_500, 10_500).unwrap();
    let stored = Bytes::from(encoded.concat());
    let decoded = stripes.decode(&run, [stored.clone()]).unwrap();
    assert!(decoded.iter().all(|piece| stored.as_ptr_range().contains(&piece.as_ptr())));
}

#[test]
fn every_flip_and_every_cut_is_found() {
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        for key in [None, Some(b"a key")] {
            let mut format = Format::new(hash).with_stripe_length(64).unwrap();
            if let Some(key) = key {
                format = format.with_key(key).unwrap();
            }
            for length in [0, 1, 64, 65, 200, 256] {
                let message = message(length);
                let stored = store(&format.stripes().unwrap(), &message);
                assert_eq!(load(&format, &stored).unwrap(), message);
                for i in 0..stored.len() {
                    for flip in [1, 0x80, 0xff] {
                        let mut stored = stored.clone();
                        stored[i] ^= flip;
                        assert!(load(&format, &stored).is_err(), "{hash} {length} byte {i}");
                    }
                    assert!(load(&format, &stored[..i]).is_err(), "{hash} {length} cut at {i}");
                }
                for more in 1..200 {
                    let longer = [&stored[..], &vec![0; more]].concat();
                    assert!(load(&format, &longer).is_err(), "{hash} {length} and {more} bytes");
                }
            }
        }
    }
}

/// Stripes change places, are repeated, or come from other objects.
#[test]
fn stripes_elsewhere_are_found() {
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        let format = Format::new(hash).with_stripe_length(64).unwrap();
        let message = message(64 * 5);
        // All stripes have the same contents, so their places alone differ.
        let same = Bytes::from(vec![7; 64 * 5]);
        for bytes in [message, same] {
            let stored = store(&format.stripes().unwrap(), &bytes);
            let older = store(&format.stripes().unwrap(), &bytes);
            let unit = |i: usize| 64 + 96 * i..64 + 96 * (i + 1);
            for i in 0..5 {
                for j in 0..5 {
                    if i != j {
                        let mut moved = stored.clone();
                        moved[unit(i)].copy_from_slice(&stored[unit(j)]);
                        assert!(load(&format, &moved).is_err(), "{j} over {i}");
                        moved[unit(j)].copy_from_slice(&stored[unit(i)]);
                        assert!(load(&format, &moved).is_err(), "{j} and {i} exchanged");
                    }
                }
                let mut mixed = stored.clone();
                mixed[unit(i)].copy_from_slice(&older[unit(i)]);
                assert!(load(&format, &mixed).is_err(), "stripe {i} of another version");
                let without = [&stored[..unit(i).start], &stored[unit(i).end..]].concat();
                assert!(load(&format, &without).is_err(), "without stripe {i}");
            }
            let head = [&older[..64], &stored[64..]].concat();
            assert!(load(&format, &head).is_err(), "the header of another version");
        }
    }
}

/// A header with any fields, and right checksums.
fn header(change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut header = Format::default().stripes().unwrap().header();
    change(&mut header);
    let checksum = blake2b::Params::new().hash_length(16).hash(&header[..48]).unwrap();
    header[48..].copy_from_slice(checksum.as_bytes());
    header.to_vec()
}

#[test]
fn hostile_headers() {
    let open = |header: &[u8]| Format::default().open(header).map(|_| ());
    assert_eq!(open(&header(|_| {})), Ok(()));
    for length in 0..64 {
        assert_eq!(open(&header(|_| {})[..length]), Err(HeaderError::Foreign));
    }
    assert_eq!(open(&header(|header| header[0] = b'S')), Err(HeaderError::Foreign));
    assert_eq!(open(&header(|header| header[7] = 2)), Err(HeaderError::Version(2)));
    assert_eq!(open(&header(|header| header[8] = 0)), Err(HeaderError::Field("hash")));
    assert_eq!(open(&header(|header| header[8] = 4)), Err(HeaderError::Field("hash")));
    assert_eq!(open(&header(|header| header[9] = 2)), Err(HeaderError::Field("keyed flag")));
    assert_eq!(open(&header(|header| header[9] = 1)), Err(HeaderError::NoKey));
    assert_eq!(open(&header(|header| header[11] = 1)), Err(HeaderError::Field("reserved bytes")));
    assert_eq!(open(&header(|header| header[32] = 1)), Err(HeaderError::Field("key check")));
    for length in [0, 1, 63, (16 << 20) + 1, u32::MAX] {
        let field = |header: &mut [u8]| header[12..16].copy_from_slice(&length.to_le_bytes());
        assert_eq!(open(&header(field)), Err(HeaderError::Field("stripe length")));
    }
    let mut damaged = header(|_| {});
    damaged[20] ^= 1;
    assert_eq!(open(&damaged), Err(HeaderError::Checksum));
}

#[test]
fn keys() {
    for hash in [Hash::Blake2b, Hash::Blake2s, Hash::Sha256] {
        let format = |key: &[u8]| Format::new(hash).with_key(key).unwrap();
        let keyed = format(b"one").stripes().unwrap().header();
        let plain = Format::new(hash).stripes().unwrap().header();
        assert!(format(b"one").open(&keyed).is_ok());
        assert_eq!(format(b"two").open(&keyed).unwrap_err(), HeaderError::OtherKey);
        // HMAC fills keys up with zeros.
        assert_eq!(format(b"one\0").open(&keyed).is_ok(), hash == Hash::Sha256);
        assert_eq!(Format::new(hash).open(&keyed).unwrap_err(), HeaderError::NoKey);
        assert_eq!(format(b"one").open(&plain).unwrap_err(), HeaderError::Unkeyed);
        assert_eq!(Format::new(hash).with_key(b"").unwrap_err(), FormatError::KeyLength { hash, given: 0 });
        for text in [format!("{:?}", format(b"SECRET")), format!("{:?}", format(b"SECRET").stripes().unwrap())] {
            assert!(!text.contains("SECRET") && !text.contains("83, 69, 67"), "{text}");
        }
    }
    assert!(Format::new(Hash::Blake2b).with_key(&[1; 65]).is_err());
    assert!(Format::new(Hash::Blake2s).with_key(&[1; 33]).is_err());
    // A key that is too long for the hash of the object is another key.
    let short = Format::new(Hash::Blake2s).with_key(&[1; 32]).unwrap().stripes().unwrap().header();
    let long = Format::new(Hash::Sha256).with_key(&[1; 100]).unwrap();
    assert_eq!(long.open(&short).unwrap_err(), HeaderError::OtherKey);
}

#[test]
fn arguments_out_of_range() {
    for length in [0, 63, (16 << 20) + 1, 1 << 40, u64::MAX] {
        let error = Format::default().with_stripe_length(length).unwrap_err();
        assert_eq!(error, FormatError::StripeLength(length));
        assert!(error.to_string().contains("64 to 16777216"), "{error}");
    }
    let stripes = Format::default().with_stripe_length(64).unwrap().stripes().unwrap();
    assert_eq!(stripes.stored(0), Some(96));
    assert_eq!(stripes.length(96), Some(0));
    assert_eq!(stripes.length(97), Some(1));
    assert_eq!([stripes.length(0), stripes.length(95), stripes.length(96 + 64 + 1)], [None; 3]);
    assert_eq!([stripes.stored(u64::MAX), stripes.stored((1 << 54) + 1)], [None; 2]);
    assert!(stripes.stored(1 << 54).is_some());
    let encode =
        |first, length, ends| stripes.encode(first, [Bytes::from(vec![0; length])], Part::last_if(ends)).map(|_| ());
    assert_eq!(encode(0, 65, false), Err(EncodeError::Length { length: 65, stripe: 64 }));
    assert_eq!(encode(1, 0, true), Err(EncodeError::Length { length: 0, stripe: 64 }));
    assert_eq!(encode(0, 0, false), Ok(()));
    assert_eq!(encode(1 << 48, 1, true), Err(EncodeError::TooLong));
    assert_eq!(encode(u64::MAX, 1, true), Err(EncodeError::TooLong));
    assert_eq!(encode((1 << 48) - 1, 64, true), Ok(()));
    assert!(stripes.around(0..1, u64::MAX).is_err());
    assert!(stripes.around(5..11, 10).is_err());
}

#[test]
fn the_first_corrupt_stripe_is_named() {
    let stripes = Format::default().with_stripe_length(64).unwrap().stripes().unwrap();
    let mut stored = store(&stripes, &message(64 * 3000 + 10));
    for number in [2999, 1500, 3] {
        stored[64 + 96 * number + 50] ^= 4;
        let run = stripes.around(100..64 * 3000 + 10, 64 * 3000 + 10).unwrap();
        let begin = usize::try_from(run.stored().start).unwrap();
        let error = stripes.decode(&run, [Bytes::copy_from_slice(&stored[begin..])]).unwrap_err();
        let number = number as u64;
        assert_eq!(error, Corrupt { stripe: number, range: 64 * number..64 * (number + 1) });
    }
}

/// A corruption is of a stripe that was read, also if none was.
#[test]
fn bytes_that_no_stripe_has() {
    let stripes = Format::default().with_stripe_length(64).unwrap().stripes().unwrap();
    let run = stripes.around(64..64, 128).unwrap();
    assert_eq!(stripes.decode(&run, [Bytes::from_static(b"x")]).unwrap_err().stripe, run.stripes().start);
}

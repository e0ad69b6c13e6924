//! Known answers: NIST's SHAVS, Python's `hashlib`, FIPS 180-4, and the crate `sha2` at every length.

use simd_digest::sha2::Hash;

use crate::common::backends::all_backends;
use crate::common::cases::{fewer, fewer_far};
use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::sha2::{
    Family, Variant224, Variant256, Variant384, Variant512, Variant512_224, Variant512_256, for_all, hasher_on,
    of_peer, on, other,
};
use crate::common::vector::{Vector, number};

for_all! {
    hashlib_in_one_shot,
    hashlib_in_pieces,
    hashlib_in_lanes,
    peer_at_every_length,
    shavs_messages,
    shavs_monte_carlo,
}

/// The vectors of a variant.
trait Known: Family {
    const HASHLIB: &str;
    const SHORT: &str;
    /// Empty, if this file is not here.
    const LONG: &str;
    const MONTE: &str;
}

macro_rules! known {
    ($($Variant:ident: $lower:literal, $upper:literal, $long:expr;)+) => {$(
        impl Known for $Variant {
            const HASHLIB: &str = include_str!(concat!("../../data/sha2/", $lower, ".txt"));
            const SHORT: &str = include_str!(concat!("../../data/sha2/", $upper, "ShortMsg.rsp"));
            const LONG: &str = $long;
            const MONTE: &str = include_str!(concat!("../../data/sha2/", $upper, "Monte.rsp"));
        }
    )+};
}
known! {
    Variant224: "sha224", "SHA224", include_str!("../../data/sha2/SHA224LongMsg.rsp");
    Variant256: "sha256", "SHA256", include_str!("../../data/sha2/SHA256LongMsg.rsp");
    Variant384: "sha384", "SHA384", "";
    Variant512: "sha512", "SHA512", include_str!("../../data/sha2/SHA512LongMsg.rsp");
    Variant512_224: "sha512_224", "SHA512_224", "";
    Variant512_256: "sha512_256", "SHA512_256", "";
}

/// The longest message of `hashlib`.
const MOST: usize = 17 << 10;

/// Length of the message and digest of every vector.
fn hashlib<V: Known>() -> Vec<(usize, Hash<V>)> {
    let vectors: Vec<_> = Vector::all(V::HASHLIB)
        .map(|vector| (number(vector.text("length")), vector.text("digest").parse().unwrap()))
        .collect();
    assert!(vectors.len() > 360, "only {} vectors", vectors.len());
    assert!((0..=300).all(|length| vectors[length].0 == length));
    vectors
}

fn hashlib_in_one_shot<V: Known>() {
    let message = paint(MOST);
    for (length, digest) in hashlib::<V>() {
        assert_eq!(V::one_shot(&message[..length]), digest, "length {length}");
        for backend in all_backends() {
            assert_eq!(on::<V>(backend).hash(&message[..length]), digest, "{backend:?}, length {length}");
            let mut hasher = hasher_on::<V>(backend);
            assert_eq!(hasher.update(&message[..length]).finalize(), digest, "{backend:?}, length {length}");
        }
    }
}

fn hashlib_in_pieces<V: Known>() {
    let message = paint(MOST);
    let mut random = Random::new(180);
    for backend in all_backends() {
        for (length, digest) in hashlib::<V>() {
            for _ in fewer(0, 0..3) {
                let mut hasher = hasher_on::<V>(backend);
                let pieces = random.pieces(&message[..length]);
                pieces.iter().for_each(|piece| _ = hasher.update(piece));
                let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
                assert_eq!(hasher.finalize(), digest, "{backend:?}, pieces of {lengths:?}");
            }
        }
    }
}

/// All of them side by side, in an order that the lanes do not like.
fn hashlib_in_lanes<V: Known>() {
    let message = paint(MOST);
    let vectors = hashlib::<V>();
    let mixed: Vec<_> = (0..vectors.len()).map(|i| vectors[i * 149 % vectors.len()]).collect();
    let messages: Vec<&[u8]> = mixed.iter().map(|(length, _)| &message[..*length]).collect();
    for backend in all_backends() {
        let mut hashes = vec![other(); messages.len()];
        on::<V>(backend).hash_many_into(&messages, &mut hashes).unwrap();
        for (hash, (length, digest)) in hashes.iter().zip(&mixed) {
            assert_eq!(hash, digest, "{backend:?}, length {length}");
        }
    }
}

/// With bytes that `hashlib` did not see.
fn peer_at_every_length<V: Known>() {
    let mut random = Random::new(256);
    let message: Vec<u8> = (0..1100).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
    for length in fewer_far(0..=message.len(), |length| [0, 1, 55, 56, 63].map(V::at).contains(&(length % V::BLOCK))) {
        let message = &message[message.len() - length..];
        let digest = of_peer::<V>(message);
        for backend in all_backends() {
            assert_eq!(on::<V>(backend).hash(message), digest, "{backend:?}, length {length}");
        }
    }
}

/// The values of a name in a file of SHAVS.
fn values<'a>(file: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    file.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(" = "))
}

/// Messages and digests.
fn shavs<V: Known>(file: &str, count: usize) -> Vec<(Vec<u8>, Hash<V>)> {
    let lengths: Vec<usize> = values(file, "Len").map(number).collect();
    let messages = lengths.iter().zip(values(file, "Msg")).map(|(length, text)| {
        // The message of no bits is written as a byte.
        hex::decode(text).unwrap()[..length / 8].to_vec()
    });
    let vectors: Vec<_> = messages.zip(values(file, "MD").map(|text| text.parse().unwrap())).collect();
    assert_eq!((vectors.len(), lengths.len()), (count, count));
    vectors
}

fn shavs_messages<V: Known>() {
    let short = shavs::<V>(V::SHORT, if V::BLOCK == 64 { 65 } else { 129 });
    let long = shavs::<V>(V::LONG, if V::LONG.is_empty() { 0 } else { V::LONG.matches("Len").count().max(8) });
    assert!(long.is_empty() || long.last().unwrap().0.len() == 100 * V::BLOCK);
    let vectors: Vec<_> = short.into_iter().chain(long).collect();
    let messages: Vec<&[u8]> = vectors.iter().map(|(message, _)| &message[..]).collect();
    let digests: Vec<Hash<V>> = vectors.iter().map(|(_, digest)| *digest).collect();
    let mut random = Random::new(1804);
    for backend in all_backends() {
        for (message, digest) in &vectors {
            assert_eq!(on::<V>(backend).hash(message), *digest, "{backend:?}, length {}", message.len());
            let mut hasher = hasher_on::<V>(backend);
            random.pieces(message).into_iter().for_each(|piece| _ = hasher.update(piece));
            assert_eq!(hasher.finalize(), *digest, "{backend:?}, length {}", message.len());
        }
        let mut hashes = vec![other(); messages.len()];
        on::<V>(backend).hash_many_into(&messages, &mut hashes).unwrap();
        assert_eq!(hashes, digests, "{backend:?}");
    }
}

/// The Secure Hash Algorithm Validation System, section 6.4: each message is the last three digests, a thousand times
/// from each seed.
fn shavs_monte_carlo<V: Known>() {
    let first: Hash<V> = values(V::MONTE, "Seed").next().unwrap().parse().unwrap();
    let digests: Vec<Hash<V>> = values(V::MONTE, "MD").map(|text| text.parse().unwrap()).collect();
    assert_eq!(digests.len(), 100);
    // Each seed is the last one's digest, so none can be left out.
    let seeds = fewer(0, fewer(0, &digests)).count();
    for backend in all_backends() {
        let batch = on::<V>(backend);
        let mut seed = first;
        for (count, digest) in digests.iter().enumerate().take(seeds) {
            let mut last = [seed; 3];
            for _ in 0..1000 {
                let mut message = [0; 3 * 64];
                let message = &mut message[..3 * V::LENGTH];
                message.chunks_mut(V::LENGTH).zip(&last).for_each(|(to, hash)| to.copy_from_slice(hash.as_ref()));
                last = [last[1], last[2], batch.hash(message)];
            }
            seed = last[2];
            assert_eq!(seed, *digest, "{backend:?}, count {count}");
        }
    }
}

/// FIPS 180-4's own examples, as NIST publishes them.
#[test]
fn fips_180_examples() {
    let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let sha256 = [
        (&b"abc"[..], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (&[b'a'; 1_000_000], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ];
    for (message, digest) in sha256 {
        assert_eq!(simd_digest::sha256::hash(message).to_string(), digest);
    }
    let sha224 = [
        (&b"abc"[..], "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (two_blocks, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
        (&[b'a'; 1_000_000], "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67"),
    ];
    for (message, digest) in sha224 {
        assert_eq!(simd_digest::sha224::hash(message).to_string(), digest);
    }
}

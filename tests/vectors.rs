//! Known answers: the vectors in `tests/data`, from Python's `hashlib`, and those of RFC 7693.

use std::env;

use simd_digest::Backend;
use simd_digest::blake2b::{self, Hash, Hasher, Params};

use self::paint::paint;
use self::params::params;
use self::random::Random;
use self::vector::{Vector, number};

#[path = "common/paint.rs"]
mod paint;
#[path = "common/params.rs"]
mod params;
#[path = "common/random.rs"]
mod random;
#[path = "common/vector.rs"]
mod vector;

/// Parameters, length of the message, and digest of every vector of `blake2b.txt`.
fn blake2b_vectors() -> Vec<(Params, usize, Hash)> {
    let vectors: Vec<_> = Vector::all(include_str!("data/blake2b.txt"))
        .map(|vector| (params(vector), number(vector.text("length")), vector.text("digest").parse().unwrap()))
        .collect();
    assert!(vectors.len() > 2700, "only {} vectors", vectors.len());
    vectors
}

#[test]
fn hashlib_in_one_shot() {
    let message = paint(1100);
    for (params, length, digest) in blake2b_vectors() {
        assert_eq!(params.hash(&message[..length]), Ok(digest), "length {length}");
    }
}

#[test]
fn hashlib_in_pieces_on_every_backend() {
    let message = paint(1100);
    let mut random = Random::new(7693);
    for backend in Backend::available() {
        for (params, length, digest) in blake2b_vectors() {
            let mut hasher = params.hasher().unwrap().with_backend(backend);
            for piece in random.pieces(&message[..length]) {
                hasher.update(piece);
            }
            assert_eq!(hasher.finalize(), digest, "{backend}, length {length}");
        }
    }
}

/// The tree that `bt2sum` makes of a file.
#[test]
fn bt2sum_out_of_params() {
    let message = paint(21_000);
    let mut vectors = 0;
    for vector in Vector::all(include_str!("data/bt2sum.txt")) {
        let (chunk, hash_length) = (number(vector.text("chunk")), number(vector.text("hash_length")));
        let node = Params::new()
            .hash_length(hash_length)
            .fanout(0)
            .max_depth(2)
            .max_leaf_length(u32::try_from(chunk).unwrap())
            .inner_hash_length(hash_length);

        let message = &message[..number::<usize>(vector.text("length"))];
        let leaves = if message.is_empty() { vec![message] } else { message.chunks(chunk).collect() };
        let mut root = node.clone().node_depth(1).last_node(true).hasher().unwrap();
        for (i, leaf) in leaves.iter().enumerate() {
            let node = node.clone().node_offset(i as u64).last_node(i + 1 == leaves.len());
            root.update(node.hash(leaf).unwrap().as_bytes());
        }
        assert_eq!(root.finalize().to_string(), vector.text("digest"), "{vector:?}");
        vectors += 1;
    }
    assert!(vectors > 170, "only {vectors} vectors");
}

/// RFC 7693, appendix A.
#[test]
fn rfc_7693_example() {
    let digest = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                  7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    let digest: Hash = digest.parse().unwrap();
    assert_eq!(blake2b::hash(b"abc"), digest);
    for backend in Backend::available() {
        assert_eq!(Hasher::new().with_backend(backend).update(b"abc").finalize(), digest, "{backend}");
    }
}

/// RFC 7693, appendix E: the digest of the digests of six messages at four lengths, unkeyed and keyed.
#[test]
fn rfc_7693_self_test_on_every_backend() {
    let digest = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475";
    for backend in Backend::available() {
        let hasher = |params: &Params| params.hasher().unwrap().with_backend(backend);
        let mut all = hasher(&Params::new().hash_length(32));
        for hash_length in [20, 32, 48, 64] {
            let unkeyed = Params::new().hash_length(hash_length);
            let keyed = unkeyed.clone().key(&fibonacci(hash_length));
            for length in [0, 3, 128, 129, 255, 1024] {
                for params in [&unkeyed, &keyed] {
                    all.update(hasher(params).update(&fibonacci(length)).finalize().as_bytes());
                }
            }
        }
        assert_eq!(all.finalize().to_string(), digest, "{backend}");
    }
}

/// The self-test's messages and keys: the high bytes of a Fibonacci sequence that begins with the length.
fn fibonacci(length: usize) -> Vec<u8> {
    let mut pair = (0xdead_4bad_u32.wrapping_mul(u32::try_from(length).unwrap()), 1_u32);
    let mut next = || {
        pair = (pair.1, pair.0.wrapping_add(pair.1));
        pair.1.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// `REQUIRE_BACKENDS=portable,sse41` fails where one of them is missing, so that no machine skips it in silence.
#[test]
fn required_backends_are_available() {
    let required = env::var("REQUIRE_BACKENDS").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(name.parse::<Backend>().is_ok(), "REQUIRE_BACKENDS: {name} is not available");
    }
}

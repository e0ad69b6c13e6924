//! Known answers: the vectors in `tests/data`, from Python's `hashlib`, and those of RFC 7693.

use std::env;

use simd_digest::Backend;
use simd_digest::blake2::{Hash, Hasher, Params};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::{self, FlavourS};

use crate::common::cases::fewer;
use crate::common::flavour::{Flavour, for_both};
use crate::common::paint::paint;
use crate::common::params::params;
use crate::common::random::Random;
use crate::common::vector::{Vector, number};

for_both! {
    hashlib_in_one_shot,
    hashlib_in_pieces_on_every_backend,
}

/// The vectors of a flavour.
trait Known: Flavour {
    const FILE: &str;
    const LEAST: usize;
}

impl Known for FlavourB {
    const FILE: &str = include_str!("../data/blake2b.txt");
    const LEAST: usize = 2700;
}

impl Known for FlavourS {
    const FILE: &str = include_str!("../data/blake2s.txt");
    const LEAST: usize = 1550;
}

/// Parameters, length of the message, and digest of every vector.
fn vectors<F: Known>() -> Vec<(Params<F>, usize, Hash<F>)> {
    let vectors: Vec<_> = Vector::all(F::FILE)
        .map(|vector| (params(vector), number(vector.text("length")), vector.text("digest").parse().unwrap()))
        .collect();
    assert!(vectors.len() > F::LEAST, "only {} vectors", vectors.len());
    vectors
}

fn hashlib_in_one_shot<F: Known>() {
    let message = paint(1100);
    for (params, length, digest) in vectors::<F>() {
        assert_eq!(params.hash(&message[..length]), Ok(digest), "length {length}");
    }
}

fn hashlib_in_pieces_on_every_backend<F: Known>() {
    let message = paint(1100);
    let mut random = Random::new(7693);
    let vectors = vectors::<F>();
    for (i, backend) in Backend::available().enumerate() {
        for (params, length, digest) in fewer(i, &vectors) {
            let mut hasher = params.hasher().unwrap().with_backend(backend);
            for piece in random.pieces(&message[..*length]) {
                hasher.update(piece);
            }
            assert_eq!(hasher.finalize(), *digest, "{backend}, length {length}");
        }
    }
}

/// The tree that `bt2sum` makes of a file.
#[test]
fn bt2sum_out_of_params() {
    let message = paint(21_000);
    let mut vectors = 0;
    for vector in Vector::all(include_str!("../data/bt2sum.txt")) {
        let (chunk, hash_length) = (number(vector.text("chunk")), number(vector.text("hash_length")));
        let node = Params::<FlavourB>::new()
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

/// RFC 7693, appendices A and B.
#[test]
fn rfc_7693_examples() {
    fn of_abc<F: Flavour>(hash: Hash<F>, expected: &str) {
        assert_eq!(hash.to_string(), expected);
        for backend in Backend::available() {
            assert_eq!(Hasher::new().with_backend(backend).update(b"abc").finalize(), hash, "{backend}");
        }
    }
    let expected = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                    7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    of_abc(blake2b::hash(b"abc"), expected);
    of_abc(blake2s::hash(b"abc"), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

/// RFC 7693, appendix E: the digest of the digests of six messages at four lengths, unkeyed and keyed.
fn self_test<F: Flavour>(hash_lengths: [usize; 4], lengths: [usize; 6], expected: &str) {
    for backend in Backend::available() {
        let hasher = |params: &Params<F>| params.hasher().unwrap().with_backend(backend);
        let mut all = hasher(&Params::new().hash_length(32));
        for hash_length in hash_lengths {
            let unkeyed = Params::new().hash_length(hash_length);
            let keyed = unkeyed.clone().key(&fibonacci(hash_length));
            for length in lengths {
                for params in [&unkeyed, &keyed] {
                    all.update(hasher(params).update(&fibonacci(length)).finalize().as_bytes());
                }
            }
        }
        assert_eq!(all.finalize().to_string(), expected, "{backend}");
    }
}

#[test]
fn rfc_7693_self_tests_on_every_backend() {
    let blake2b = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475";
    self_test::<FlavourB>([20, 32, 48, 64], [0, 3, 128, 129, 255, 1024], blake2b);
    let blake2s = "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe";
    self_test::<FlavourS>([16, 20, 28, 32], [0, 3, 64, 65, 255, 1024], blake2s);
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
/// `REQUIRE_SHA` is what the default backend must have: `no` SHA extension, `yes` for that of SHA-256 alone, or `512` if
/// it has that of SHA-512, too.
#[test]
fn required_backends_are_available() {
    let available: Vec<_> = Backend::available().map(Backend::name).collect();
    println!("backends: {}", available.join(","));
    let required = env::var("REQUIRE_BACKENDS").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(name.parse::<Backend>().is_ok(), "REQUIRE_BACKENDS: {name} is not available");
    }
    let has = |name| format!("{:?}", Backend::best()).contains(name);
    let sha = if has(", sha512") {
        "512"
    } else if has(", sha") {
        "yes"
    } else {
        "no"
    };
    println!("SHA extension: {sha}");
    if let Ok(required) = env::var("REQUIRE_SHA") {
        assert_eq!(sha, required, "REQUIRE_SHA, found on the left");
    }
}

//! BLAKE2bp against `blake2b_simd` and against its definition over leaves and root.

use blake2b_simd::blake2bp;
use proptest::collection::vec;
use proptest::prelude::*;
use simd_digest::blake2b::{Hash, Parallel, Params};
use simd_digest::digest::common::AlgorithmName;
use simd_digest::digest::dev::{TestVector, fixed_reset_test, fixed_test};
use simd_digest::digest::{FixedOutputReset, Reset};
use simd_digest::{Backend, Blake2bp, Digest};

use self::paint::paint;
use self::random::Random;

#[path = "common/paint.rs"]
mod paint;
#[path = "common/random.rs"]
mod random;

fn parallel(params: &Params, backend: Backend) -> Parallel {
    params.parallel().unwrap().with_backend(backend)
}

/// Unkeyed and keyed, with the peer's digest of a message.
fn both_params() -> [(Params, blake2bp::Params); 2] {
    let mut keyed = blake2bp::Params::new();
    keyed.key(&paint(64)).hash_length(40);
    [(Params::new(), blake2bp::Params::new()), (Params::new().key(&paint(64)).hash_length(40), keyed)]
}

/// BLAKE2 paper, section 2.10: four leaves take the blocks in turn, the root hashes their digests.
///
/// Unkeyed and of full length only: `Params` cannot say that the digests of leaves are longer than that of the root,
/// nor that a key is in the parameter block, but is not hashed.
fn by_definition(params: &Params, message: &[u8]) -> Hash {
    let node = params.clone().fanout(4).max_depth(2).inner_hash_length(64);
    let mut root = node.clone().node_depth(1).last_node(true).hasher().unwrap();
    for i in 0..4 {
        let blocks: Vec<u8> = message.chunks(128).skip(i).step_by(4).flatten().copied().collect();
        root.update(node.clone().node_offset(i as u64).last_node(i == 3).hash(&blocks).unwrap().as_bytes());
    }
    root.finalize()
}

#[test]
fn every_length_on_every_backend() {
    let message = paint(2600);
    for (params, peer) in both_params() {
        for length in 0..=message.len() {
            let message = &message[..length];
            let digest = peer.hash(message);
            // Around blocks everywhere, else in turn.
            let backends: Vec<Backend> = Backend::available().collect();
            let near = (length + 2) % 128 <= 4;
            let backends = if near { &backends[..] } else { &backends[length % backends.len()..][..1] };
            for &backend in backends {
                let mut hasher = parallel(&params, backend);
                assert_eq!(hasher.update(message).finalize().as_bytes(), digest.as_bytes(), "{backend}, {length}");
                assert_eq!(hasher.count(), length as u128);
            }
        }
    }
}

#[test]
fn two_writes_around_blocks() {
    let message = paint(2 * 1540);
    let lengths: Vec<usize> = (0..=1540).filter(|length| (length + 1) % 128 <= 2).collect();
    for (i, (params, peer)) in both_params().into_iter().enumerate() {
        let backends: Vec<Backend> = Backend::available().collect();
        for (j, &first) in lengths.iter().enumerate() {
            let backend = backends[(i + j) % backends.len()];
            let mut begun = parallel(&params, backend);
            begun.update(&message[..first]);
            for &second in &lengths {
                let digest = peer.hash(&message[..first + second]);
                let ours = begun.clone().update(&message[first..][..second]).finalize();
                assert_eq!(ours.as_bytes(), digest.as_bytes(), "{backend}, {first} + {second}");
            }
        }
    }
}

/// Pieces of one byte, of about a block and of about a round, and the digest after each.
#[test]
fn small_pieces() {
    let message = paint(2600);
    for (params, peer) in both_params() {
        let backends = Backend::available().collect::<Vec<_>>().into_iter().cycle();
        for (size, backend) in [1, 127, 128, 129, 383, 384, 385, 511, 512, 513, 897].into_iter().zip(backends) {
            let mut hasher = parallel(&params, backend);
            for (i, piece) in message.chunks(size).enumerate() {
                hasher.update(piece);
                let length = i * size + piece.len();
                if size > 1 || length % 128 < 2 {
                    let digest = peer.hash(&message[..length]);
                    assert_eq!(hasher.finalize().as_bytes(), digest.as_bytes(), "{backend}, {length} by {size}");
                    assert_eq!(hasher.finalize().as_bytes(), digest.as_bytes(), "once more");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn blake2bp_of_blake2b_simd(
        hash_length in 1..=64_usize,
        key in vec(any::<u8>(), 0..=64),
        message in vec(any::<u8>(), 0..4000),
        seed in 1..u64::MAX,
    ) {
        let digest = blake2bp::Params::new().hash_length(hash_length).key(&key).hash(&message);
        let params = Params::new().hash_length(hash_length).key(&key);
        let mut random = Random::new(seed);
        for backend in Backend::available() {
            let mut hasher = parallel(&params, backend);
            for piece in random.pieces(&message) {
                hasher.update(piece);
            }
            let hash = hasher.finalize();
            prop_assert_eq!(hash.as_bytes(), digest.as_bytes(), "{}", backend);
        }
    }
}

/// What the peer cannot: salt and personalisation.
#[test]
fn salt_and_personalisation() {
    let params = Params::new().salt(b"salt").personal(b"personal");
    for length in [0, 1, 128, 512, 897, 2000] {
        let digest = by_definition(&params, &paint(length));
        assert_eq!(params.parallel().unwrap().update(&paint(length)).finalize(), digest, "length {length}");
        let digest = by_definition(&Params::new(), &paint(length));
        assert_eq!(digest.as_bytes(), blake2bp::blake2bp(&paint(length)).as_bytes(), "the definition");
    }
}

/// The tree is the mode's, whatever the parameters say about theirs.
#[test]
fn fields_of_the_tree_are_ignored() {
    let params = Params::new().fanout(7).max_depth(9).max_leaf_length(5).node_offset(3).node_depth(2);
    let params = params.inner_hash_length(1).last_node(true);
    let digest = blake2bp::blake2bp(&paint(1000));
    assert_eq!(params.parallel().unwrap().update(&paint(1000)).finalize().as_bytes(), digest.as_bytes());
}

#[test]
fn reset_begins_anew() {
    for (params, peer) in both_params() {
        for backend in Backend::available() {
            let mut hasher = parallel(&params, backend);
            for length in [2000, 512, 897, 0, 1] {
                hasher.update(&paint(length));
                assert_eq!(hasher.finalize().as_bytes(), peer.hash(&paint(length)).as_bytes(), "{backend}, {length}");
                assert_eq!(hasher.count(), length as u128);
                hasher.reset();
                assert_eq!(hasher.count(), 0);
            }
        }
    }
}

#[test]
fn clones_go_their_own_way() {
    let mut hasher = Parallel::default();
    for length in [0, 100, 512, 896, 897, 2000] {
        hasher.reset();
        hasher.update(&paint(length));
        let mut clone = hasher.clone();
        clone.update(b"more");
        assert_eq!(hasher.finalize().as_bytes(), blake2bp::blake2bp(&paint(length)).as_bytes());
        let more = [&paint(length)[..], b"more"].concat();
        assert_eq!(clone.finalize().as_bytes(), blake2bp::blake2bp(&more).as_bytes());
    }
}

/// A hasher may change its backend in the middle of a message, and its bytes are its own.
#[test]
fn relay() {
    let mut hasher = Parallel::default();
    for (piece, backend) in paint(9000).chunks(700).zip(Backend::available().collect::<Vec<_>>().into_iter().cycle()) {
        let mut piece = piece.to_vec();
        hasher = hasher.with_backend(backend);
        hasher.update(&piece);
        piece.fill(0);
    }
    assert_eq!(hasher.finalize().as_bytes(), blake2bp::blake2bp(&paint(9000)).as_bytes());
}

#[test]
fn parameters_out_of_range_are_errors() {
    for (params, field) in [
        (Params::new().hash_length(0), "hash_length"),
        (Params::new().hash_length(65), "hash_length"),
        (Params::new().key(&[0; 65]), "key length"),
        (Params::new().salt(&[0; 17]), "salt length"),
        (Params::new().personal(&[0; 17]), "personal length"),
    ] {
        assert_eq!(params.parallel().map(|_| ()).unwrap_err().field(), field);
    }
}

#[test]
fn digest_traits() {
    for length in [0, 1, 511, 512, 513, 896, 897, 1025] {
        let digest = blake2bp::blake2bp(&paint(length));
        let test = TestVector { input: paint(length).leak(), output: digest.as_bytes().to_vec().leak() };
        assert_eq!(fixed_reset_test::<Blake2bp>(&test), Ok(()), "length {length}");
        assert_eq!(fixed_test::<Blake2bp>(&test), Ok(()), "length {length}");
        assert_eq!(Blake2bp::digest(test.input)[..], *digest.as_bytes());
        for backend in Backend::available() {
            let mut hasher = Blake2bp::new().with_backend(backend).chain_update(b"forgotten");
            Reset::reset(&mut hasher);
            Digest::update(&mut hasher, test.input);
            assert_eq!(hasher.finalize_fixed_reset()[..], *digest.as_bytes(), "{backend}");
            assert_eq!(hasher.finalize(), Blake2bp::digest(b""), "{backend}");
        }
    }
    struct Name;
    impl core::fmt::Display for Name {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            Blake2bp::write_alg_name(f)
        }
    }
    assert_eq!(Name.to_string(), "Blake2bp");
    assert_eq!(format!("{:?}", Blake2bp::new()), "Blake2bp { .. }");
}

#[test]
fn debug_tells_no_secret() {
    let mut hasher = parallel(&Params::new().key(b"key"), "portable".parse().unwrap());
    hasher.update(&paint(700));
    assert_eq!(format!("{hasher:?}"), "Parallel { count: 700, backend: Backend(portable), .. }");
}

#[test]
#[cfg(feature = "std")]
fn write() {
    use std::io::{Write, copy};

    let message = paint(3000);
    let digest = blake2bp::blake2bp(&message);
    let mut hasher = Parallel::default();
    assert_eq!(copy(&mut &message[..], &mut hasher).unwrap(), 3000);
    hasher.flush().unwrap();
    assert_eq!(hasher.finalize().as_bytes(), digest.as_bytes());
    let mut hasher = Blake2bp::new();
    hasher.write_all(&message).unwrap();
    assert_eq!(hasher.finalize()[..], *digest.as_bytes());
}

#[test]
#[cfg(feature = "zeroize")]
fn everything_is_wiped_on_drop() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<Parallel>();
}

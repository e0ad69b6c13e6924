//! BLAKE2bp and BLAKE2sp against `blake2b_simd` and `blake2s_simd`, and against its definition over leaves and root.

use core::fmt::{Debug, Display, Formatter};
use core::marker::PhantomData;

use simd_digest::blake2::{Blake2p, Hash, Parallel, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::digest::common::AlgorithmName;
use simd_digest::digest::dev::{TestVector, fixed_reset_test, fixed_test};
use simd_digest::digest::{FixedOutputReset, HashMarker, Reset};
use simd_digest::{Backend, Blake2bp, Blake2sp, Digest};
use test_crates::proptest::collection::vec;
use test_crates::proptest::prelude::*;

use crate::common::cases::{cases, fewer};
use crate::common::flavour::for_both;
use crate::common::paint::paint;
use crate::common::peer::Peer;
use crate::common::random::Random;

for_both! {
    every_length_on_every_backend,
    two_writes_around_blocks,
    small_pieces,
    parallel_mode_of_the_peer,
    salt_and_personalisation,
    fields_of_the_tree_are_ignored,
    reset_begins_anew,
    clones_go_their_own_way,
    relay,
    parameters_out_of_range_are_errors,
    debug_tells_no_secret,
    #[cfg(feature = "std")] write,
    #[cfg(feature = "zeroize")] everything_is_wiped_on_drop,
}

fn parallel<F: Peer>(params: &Params<F>, backend: Backend) -> Parallel<F> {
    params.parallel().unwrap().with_backend(backend)
}

/// Unkeyed and keyed, with digest length and key.
fn both_params<F: Peer>() -> [(Params<F>, usize, Vec<u8>); 2] {
    let (length, key) = (F::LONGEST / 2 + 8, paint(F::LONGEST));
    let keyed = Params::new().key(&key).hash_length(length);
    [(Params::new(), F::LONGEST, vec![]), (keyed, length, key)]
}

/// The peer's digest of full length, unkeyed.
fn peer<F: Peer>(message: &[u8]) -> F::Hash {
    F::parallel(F::LONGEST, b"", message)
}

/// BLAKE2 paper, section 2.10: the leaves take the blocks in turn, the root hashes their digests.
///
/// Unkeyed and of full length only: `Params` cannot say that the digests of leaves are longer than that of the root,
/// nor that a key is in the parameter block, but is not hashed.
fn by_definition<F: Peer>(params: &Params<F>, message: &[u8]) -> Hash<F> {
    let node = params.clone().fanout(F::LEAVES).max_depth(2).inner_hash_length(F::LONGEST);
    let mut root = node.clone().node_depth(1).last_node(true).hasher().unwrap();
    for i in 0..F::LEAVES {
        let blocks =
            message.chunks(F::BLOCK).skip(i.into()).step_by(F::LEAVES.into()).flatten().copied().collect::<Vec<u8>>();
        root.update(node.clone().node_offset(i.into()).last_node(i + 1 == F::LEAVES).hash(&blocks).unwrap().as_bytes());
    }
    root.finalize()
}

fn every_length_on_every_backend<F: Peer>() {
    let message = paint(2600);
    let every: Vec<Backend> = Backend::available().collect();
    for (params, hash_length, key) in both_params::<F>() {
        // Around blocks everywhere, else in turn.
        let (near, far): (Vec<_>, Vec<_>) = (0..=message.len()).partition(|length| (length + 2) % F::BLOCK <= 4);
        let near = near.into_iter().map(|length| (length, every.clone()));
        let far = fewer(0, fewer(0, far)).enumerate().map(|(i, length)| (length, vec![every[i % every.len()]]));
        for (length, backends) in near.chain(far) {
            let message = &message[..length];
            let digest = F::parallel(hash_length, &key, message);
            for backend in backends {
                let mut hasher = parallel(&params, backend);
                assert_eq!(hasher.update(message).finalize().as_bytes(), digest.as_ref(), "{backend}, {length}");
                assert_eq!(hasher.count(), length as u128);
            }
        }
    }
}

fn two_writes_around_blocks<F: Peer>() {
    let message = paint(2 * 1540);
    let lengths: Vec<usize> = (0..=1540).filter(|length| (length + 1) % F::BLOCK <= 2).collect();
    for (i, (params, hash_length, key)) in both_params::<F>().into_iter().enumerate() {
        let backends: Vec<Backend> = Backend::available().collect();
        for (j, &first) in lengths.iter().enumerate() {
            let backend = backends[(i + j) % backends.len()];
            let mut begun = parallel(&params, backend);
            begun.update(&message[..first]);
            for &second in fewer(j / 5, fewer(j, &lengths)) {
                let digest = F::parallel(hash_length, &key, &message[..first + second]);
                let ours = begun.clone().update(&message[first..][..second]).finalize();
                assert_eq!(ours.as_bytes(), digest.as_ref(), "{backend}, {first} + {second}");
            }
        }
    }
}

/// Pieces of one byte, of about a block and of about a round, and the digest after each.
fn small_pieces<F: Peer>() {
    let message = paint(2600);
    for (params, hash_length, key) in both_params::<F>() {
        let backends = Backend::available().collect::<Vec<_>>().into_iter().cycle();
        for (size, backend) in
            [1, 63, 64, 65, 127, 128, 129, 384, 385, 447, 448, 449, 511, 512, 513, 897].into_iter().zip(backends)
        {
            let mut hasher = parallel(&params, backend);
            for (i, piece) in message.chunks(size).enumerate() {
                hasher.update(piece);
                let length = i * size + piece.len();
                if size > 1 || length % F::BLOCK < 2 {
                    let digest = F::parallel(hash_length, &key, &message[..length]);
                    assert_eq!(hasher.finalize().as_bytes(), digest.as_ref(), "{backend}, {length} by {size}");
                    assert_eq!(hasher.finalize().as_bytes(), digest.as_ref(), "once more");
                }
            }
        }
    }
}

fn parallel_mode_of_the_peer<F: Peer>() {
    let key = vec(any::<u8>(), 0..=F::LONGEST);
    let input = (1..=F::LONGEST, key, vec(any::<u8>(), 0..4000), 1..u64::MAX);
    proptest!(cases(100), |((hash_length, key, message, seed) in input)| {
        let digest = F::parallel(hash_length, &key, &message);
        let params = Params::<F>::new().hash_length(hash_length).key(&key);
        let mut random = Random::new(seed);
        for backend in Backend::available() {
            let mut hasher = parallel(&params, backend);
            for piece in random.pieces(&message) {
                hasher.update(piece);
            }
            let hash = hasher.finalize();
            prop_assert_eq!(hash.as_bytes(), digest.as_ref(), "{}", backend);
        }
    });
}

/// What the peer cannot: salt and personalisation.
fn salt_and_personalisation<F: Peer>() {
    let params = Params::<F>::new().salt(b"salt").personal(b"personal");
    for length in [0, 1, 128, 512, 897, 2000] {
        let digest = by_definition(&params, &paint(length));
        assert_eq!(params.parallel().unwrap().update(&paint(length)).finalize(), digest, "length {length}");
        let digest = by_definition(&Params::<F>::new(), &paint(length));
        assert_eq!(digest.as_bytes(), peer::<F>(&paint(length)).as_ref(), "the definition");
    }
}

/// The tree is the mode's, whatever the parameters say about theirs.
fn fields_of_the_tree_are_ignored<F: Peer>() {
    let params = Params::<F>::new().fanout(7).max_depth(9).max_leaf_length(5).node_offset(3).node_depth(2);
    let params = params.inner_hash_length(1).last_node(true);
    let digest = peer::<F>(&paint(1000));
    assert_eq!(params.parallel().unwrap().update(&paint(1000)).finalize().as_bytes(), digest.as_ref());
}

fn reset_begins_anew<F: Peer>() {
    for (params, hash_length, key) in both_params::<F>() {
        for backend in Backend::available() {
            let mut hasher = parallel(&params, backend);
            for length in [2000, 512, 897, 0, 1] {
                hasher.update(&paint(length));
                assert_eq!(
                    hasher.finalize().as_bytes(),
                    F::parallel(hash_length, &key, &paint(length)).as_ref(),
                    "{backend}, {length}"
                );
                assert_eq!(hasher.count(), length as u128);
                hasher.reset();
                assert_eq!(hasher.count(), 0);
            }
        }
    }
}

fn clones_go_their_own_way<F: Peer>() {
    let mut hasher = Parallel::<F>::default();
    for length in [0, 100, 448, 449, 512, 896, 897, 2000] {
        hasher.reset();
        hasher.update(&paint(length));
        let mut clone = hasher.clone();
        clone.update(b"more");
        assert_eq!(hasher.finalize().as_bytes(), peer::<F>(&paint(length)).as_ref());
        let more = [&paint(length)[..], b"more"].concat();
        assert_eq!(clone.finalize().as_bytes(), peer::<F>(&more).as_ref());
    }
}

/// A hasher may change its backend in the middle of a message, and its bytes are its own.
fn relay<F: Peer>() {
    let mut hasher = Parallel::<F>::default();
    for (piece, backend) in paint(9000).chunks(700).zip(Backend::available().collect::<Vec<_>>().into_iter().cycle()) {
        let mut piece = piece.to_vec();
        hasher = hasher.with_backend(backend);
        hasher.update(&piece);
        piece.fill(0);
    }
    assert_eq!(hasher.finalize().as_bytes(), peer::<F>(&paint(9000)).as_ref());
}

fn parameters_out_of_range_are_errors<F: Peer>() {
    for (params, field) in [
        (Params::<F>::new().hash_length(0), "hash_length"),
        (Params::<F>::new().hash_length(65), "hash_length"),
        (Params::<F>::new().key(&[0; 65]), "key"),
        (Params::<F>::new().salt(&[0; 17]), "salt"),
        (Params::<F>::new().personal(&[0; 17]), "personal"),
    ] {
        assert_eq!(params.parallel().map(|_| ()).unwrap_err().field(), field);
    }
}

#[test]
fn digest_traits() {
    digest_trait_tests::<FlavourB, Blake2bp>("Blake2bp", Blake2p::with_backend);
    digest_trait_tests::<FlavourS, Blake2sp>("Blake2sp", Blake2p::with_backend);
}

fn digest_trait_tests<F: Peer, D>(name: &str, with_backend: impl Fn(D, Backend) -> D)
where
    D: Digest + FixedOutputReset + Reset + AlgorithmName + Clone + Default + HashMarker + Debug,
{
    for length in [0, 1, 448, 449, 511, 512, 513, 896, 897, 1025] {
        let digest = peer::<F>(&paint(length));
        let test = TestVector { input: paint(length).leak(), output: digest.as_ref().to_vec().leak() };
        assert_eq!(fixed_reset_test::<D>(&test), Ok(()), "length {length}");
        assert_eq!(fixed_test::<D>(&test), Ok(()), "length {length}");
        assert_eq!(D::digest(test.input)[..], *digest.as_ref());
        for backend in Backend::available() {
            let mut hasher = Digest::chain_update(with_backend(D::new(), backend), b"forgotten");
            Reset::reset(&mut hasher);
            Digest::update(&mut hasher, test.input);
            assert_eq!(hasher.finalize_fixed_reset()[..], *digest.as_ref(), "{backend}");
            assert_eq!(Digest::finalize(hasher), D::digest(b""), "{backend}");
        }
    }
    struct Name<D>(PhantomData<D>);
    impl<D: AlgorithmName> Display for Name<D> {
        fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
            D::write_alg_name(f)
        }
    }
    assert_eq!(Name::<D>(PhantomData).to_string(), name);
    assert_eq!(format!("{:?}", D::new()), format!("{name} {{ .. }}"));
}

fn debug_tells_no_secret<F: Peer>() {
    let mut hasher = parallel(&Params::<F>::new().key(b"key"), "portable".parse().unwrap());
    hasher.update(&paint(700));
    assert_eq!(format!("{hasher:?}"), "Parallel { count: 700, backend: Backend(portable), .. }");
}

#[cfg(feature = "std")]
fn write<F: Peer>() {
    use std::io::{Write, copy};

    let message = paint(3000);
    let digest = peer::<F>(&message);
    let mut hasher = Parallel::<F>::default();
    assert_eq!(copy(&mut &message[..], &mut hasher).unwrap(), 3000);
    hasher.flush().unwrap();
    assert_eq!(hasher.finalize().as_bytes(), digest.as_ref());
    let mut hasher = Blake2bp::new();
    hasher.write_all(&message).unwrap();
    assert_eq!(hasher.finalize(), Blake2bp::digest(&message));
}

#[cfg(feature = "zeroize")]
fn everything_is_wiped_on_drop<F: Peer>() {
    fn wiped<T: zeroize::ZeroizeOnDrop>() {}
    wiped::<Parallel<F>>();
}

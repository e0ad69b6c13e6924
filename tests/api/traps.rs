//! Mistakes that other implementations made and that passed the official vectors, each with a test named after it.
//!
//! `cargo test --workspace --all-features trap_` runs them all. Those that are not here stand where their tools are:
//!
//! | trap                                                 | its test                                                     |
//! |------------------------------------------------------|--------------------------------------------------------------|
//! | the counter does not carry                           | `trap_counter_carry…` in `compress.rs` and `src/blake2/parallel.rs` |
//! | reads past the end                                   | `trap_reads_past_the_end…` in `tests/guard_pages.rs`         |
//! | a backend whose features were not detected           | `trap_undetected_features` in `src/backend/tests.rs`; CPUs of qemu |
//! | HMAC over another block size                         | `trap_hmac_block_size` in `tests/digest_traits.rs`           |
//! | secrets left after use                               | `trap_secrets_left…` in `tests/wiping.rs`                    |
//! | check files that hide failures, errors that are hashes | `bt2sum/tests/cli/traps.rs`                                |
//! | an arm of `cfg` that nobody runs                     | `.ci/arms`                                                   |
//! | the other byte order                                 | all tests on s390x                                           |

use simd_digest::Backend;
use simd_digest::blake2::{Hash, Hasher, Params, update_many};

use crate::common::cases::fewer;
use crate::common::flavour::for_both;
use crate::common::paint::paint;
use crate::common::peer::{Fields, Peer};

for_both! {
    trap_last_block_held_back,
    trap_two_updates_are_one,
    trap_equal_blocks,
    #[cfg(target_pointer_width = "64")]
    #[ignore = "hashes 4 GiB several times"]
    trap_more_than_4_gib_in_one_update,
    trap_aligned_loads,
    trap_short_outputs,
    trap_buffer_of_the_caller,
}

/// The digests of [`sparse`], by `hashlib`.
#[cfg(target_pointer_width = "64")]
trait Sparse: Peer {
    const SPARSE: &str;
    /// In the parallel mode.
    const PARALLEL: &str;
}

#[cfg(target_pointer_width = "64")]
impl Sparse for simd_digest::blake2b::FlavourB {
    const SPARSE: &str = "c4bd4ff906dbc96e12eed1b09a8398bac8accdc0cea4b9f9775a62ccb352e44f\
        5af612e1b3ab0eb88eeac55820fe1a0ff93540b0600158b0f5f7f8fe2198e12a";
    const PARALLEL: &str = "02394a4b336e6e97d35fbc4ba4c4f7c3dad8760f5557a72b11ffd8f69b7d538d\
        15a0ee41bfea79d0b12efc2acc3428693b337ac0b3007f5084c9128a42a940e2";
}

#[cfg(target_pointer_width = "64")]
impl Sparse for simd_digest::blake2s::FlavourS {
    const SPARSE: &str = "8b96b0257b36df0cff1539d7bc8ea9b8cb5227c75e8a804aaff446f85b0a5f9b";
    const PARALLEL: &str = "16ab4ac207ce053b888a8b00513fbef3157cd7c711d3463c0d3c3800304d06f1";
}

/// What another implementation makes of `message`.
fn of_peer<F: Peer>(length: usize, key: &[u8], message: &[u8]) -> Hash<F> {
    let fields = Fields { hash_length: length, key: key.to_vec(), ..Fields::new::<F>() };
    Hash::from_bytes(F::digest(&fields, message).as_ref()).unwrap()
}

/// The same in the parallel mode.
fn parallel_of_peer<F: Peer>(length: usize, key: &[u8], message: &[u8]) -> Hash<F> {
    Hash::from_bytes(F::parallel(length, key, message).as_ref()).unwrap()
}

fn unkeyed_and_keyed<F: Peer>(backend: Backend) -> [(Params<F>, Vec<u8>); 2] {
    [vec![], paint(F::LONGEST - 1)].map(|key| (Params::new().key(&key).with_backend(backend), key))
}

/// What a peer that is given each message alone makes of them.
fn peers<F: Peer>(key: &[u8], messages: &[&[u8]]) -> Vec<Hash<F>> {
    messages.iter().map(|message| of_peer::<F>(F::LONGEST, key, message)).collect()
}

/// What `params` make of them side by side.
fn many<F: Peer>(params: &Params<F>, messages: &[&[u8]]) -> Vec<Hash<F>> {
    let mut hashes = vec![Hash::from_bytes(&[0xee]).unwrap(); messages.len()];
    params.hash_many_into(messages, &mut hashes).unwrap();
    hashes
}

#[cfg(feature = "alloc")]
fn tree<F: Peer>(params: &Params<F>, leaf_length: u32) -> simd_digest::blake2::Tree<F> {
    let params = params.clone().fanout(0).max_depth(2).max_leaf_length(leaf_length);
    params.inner_hash_length(F::LONGEST).tree().unwrap()
}

/// Whether a write of `length` bytes in all ends at a block's end or a byte beside it.
fn at_an_edge<F: Peer>(length: usize) -> bool {
    (length + 1) % F::BLOCK <= 2
}

/// Konscious, hashcat and isa-l_crypto compressed a full block too early, or an empty one at the end: two writes,
/// one of which ends at a block's end or beside it, are one; a key alone is a message of a block.
fn trap_last_block_held_back<F: Peer>() {
    let most = 3 * F::BLOCK + 1;
    let message = paint(2 * most);
    for key in [&[][..], &message[..F::LONGEST]] {
        let digests: Vec<_> =
            (0..=message.len()).map(|length| of_peer::<F>(F::LONGEST, key, &message[..length])).collect();
        for backend in Backend::available() {
            let params = Params::<F>::new().key(key).with_backend(backend);
            for first in 0..=most {
                let mut begun = params.hasher().unwrap();
                begun.update(&message[..first]);
                for second in (0..=most).filter(|second| at_an_edge::<F>(first) || at_an_edge::<F>(first + second)) {
                    let hash = begun.clone().update(&message[first..][..second]).finalize();
                    assert!(hash == digests[first + second], "{backend}, {first} + {second}");
                }
            }
        }
    }
}

/// 41 submissions to the SHA-3 contest gave a message in pieces another digest: all splits in two, and of a shorter
/// message in three, with one at a block's end or beside it.
fn trap_two_updates_are_one<F: Peer>() {
    for backend in Backend::available() {
        for (params, key) in unkeyed_and_keyed::<F>(backend) {
            let message = paint(9 * F::BLOCK + 1);
            let digest = of_peer::<F>(F::LONGEST, &key, &message);
            let parallel = parallel_of_peer::<F>(F::LONGEST, &key, &message);
            #[cfg(feature = "alloc")]
            let (tree, root) = (tree(&params, 100), tree(&params, 100).hash(&message));
            for place in fewer(0, 0..=message.len()) {
                let (first, second) = message.split_at(place);
                let mut hasher = params.hasher().unwrap();
                assert_eq!(hasher.update(first).update(second).finalize(), digest, "{backend}, {place}");
                let mut hasher = params.parallel().unwrap().with_backend(backend);
                assert_eq!(hasher.update(first).update(second).finalize(), parallel, "{backend}, {place}");
                #[cfg(feature = "alloc")]
                assert_eq!(tree.hasher().update(first).update(second).finalize(), root, "{backend}, {place}");

                let mut hashers = [(); 3].map(|()| params.hasher().unwrap());
                for (a, b, c) in [(first, &[][..], &message[..]), (second, &message, &[])] {
                    let [x, y, z] = hashers.each_mut();
                    update_many(&mut [(x, a), (y, b), (z, c)]);
                }
                assert!(hashers.iter().all(|hasher| hasher.finalize() == digest), "{backend}, {place}");
            }

            let message = &message[..2 * F::BLOCK + 1];
            let digest = of_peer::<F>(F::LONGEST, &key, message);
            for place in 0..=message.len() {
                for next in (place..=message.len()).filter(|&next| at_an_edge::<F>(place) || at_an_edge::<F>(next)) {
                    let mut hasher = params.hasher().unwrap();
                    hasher.update(&message[..place]).update(&message[place..next]).update(&message[next..]);
                    assert_eq!(hasher.finalize(), digest, "{backend}, {place}, {next}");
                }
            }
        }
    }
}

/// `sha2` read the second block of a pair at a wrong place, and its vectors had equal blocks (RUSTSEC-2021-0100): no
/// two blocks of any message here are equal, nor are those of messages side by side.
fn trap_equal_blocks<F: Peer>() {
    let memory = paint(251 * F::BLOCK);
    let mut blocks: Vec<_> = memory.chunks(F::BLOCK).collect();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), 251);

    for backend in Backend::available() {
        for (params, key) in unkeyed_and_keyed::<F>(backend) {
            for number in 1..=4 * simd_digest::blake2::lanes::<F>(backend) + 1 {
                let message = &memory[..number * F::BLOCK];
                assert_eq!(
                    params.hash(message).unwrap(),
                    of_peer::<F>(F::LONGEST, &key, message),
                    "{backend}, {number}"
                );
                let mut hasher = params.parallel().unwrap().with_backend(backend);
                let digest = parallel_of_peer::<F>(F::LONGEST, &key, message);
                assert_eq!(hasher.update(message).finalize(), digest, "{backend}, {number}");

                for length in [F::BLOCK, 3 * F::BLOCK, 3 * F::BLOCK + 1] {
                    let messages: Vec<_> = (0..number).map(|i| &memory[i * F::BLOCK..][..length]).collect();
                    assert!(many(&params, &messages) == peers::<F>(&key, &messages), "{backend}, {number}");
                }
            }
        }
    }
}

/// More than 4 GiB, most of it pages of zeros that take no memory. Not all of it is zeros, for then all blocks were
/// equal.
#[cfg(target_pointer_width = "64")]
fn sparse() -> Vec<u8> {
    let mut message = vec![0; (1 << 32) + 10_001];
    for place in [0, (1 << 32) - 500, message.len() - 1000] {
        message[place..][..1000].copy_from_slice(&paint(1000));
    }
    message
}

/// XKCP (CVE-2022-37454) and liboqs added lengths in 32 bits. All backends count alike, so the fastest will do, and one
/// message alone on `portable`. Tests with counters of the caller's choice run on every backend: `trap_counter_carry` of
/// one message, `trap_counter_carry_in_every_lane` of messages side by side, and in `src/blake2` of the parallel mode.
#[cfg(target_pointer_width = "64")]
fn trap_more_than_4_gib_in_one_update<F: Sparse>() {
    let message = sparse();
    let best = Backend::best();
    for backend in [best, "portable".parse().unwrap()] {
        let mut hasher = Params::<F>::new().with_backend(backend).hasher().unwrap();
        hasher.update(b"").update(&message);
        assert_eq!(hasher.count(), message.len() as u128);
        assert_eq!(hasher.finalize().to_string(), F::SPARSE, "{backend}");
    }
    let params = Params::<F>::new().with_backend(best);
    let hashes = many(&params, &[&message, b"short", &message]);
    assert_eq!([&hashes[0], &hashes[2]].map(ToString::to_string), [F::SPARSE; 2]);
    let mut hasher = params.parallel().unwrap();
    hasher.update(b"").update(&message);
    assert_eq!(hasher.count(), message.len() as u128);
    assert_eq!(hasher.finalize().to_string(), F::PARALLEL);
}

/// libsodium and `sha2` used aligned loads on what lies anywhere: all 64 misalignments of input and output.
fn trap_aligned_loads<F: Peer>() {
    let lengths = [1, F::BLOCK / 2, F::BLOCK - 1, F::BLOCK, F::BLOCK + 1, 3 * F::BLOCK + 1, 9 * F::BLOCK];
    let contents: Vec<Vec<u8>> = lengths.iter().map(|&length| paint(length)).collect();
    for backend in Backend::available() {
        for (params, key) in unkeyed_and_keyed::<F>(backend) {
            let digests = contents.iter().map(|bytes| of_peer::<F>(F::LONGEST, &key, bytes));
            let digests: Vec<Hash<F>> = digests.collect();
            let parallel = parallel_of_peer::<F>(F::LONGEST, &key, &contents[6]);
            #[cfg(feature = "alloc")]
            let root = tree(&params, 300).hash(&contents[6]);
            for offset in 0..64 {
                let place = |bytes: &Vec<u8>| [&vec![0xee; offset], &bytes[..], &[0xee; 64]].concat();
                let memory: Vec<Vec<u8>> = contents.iter().map(place).collect();
                let messages: Vec<&[u8]> =
                    memory.iter().zip(lengths).map(|(memory, length)| &memory[offset..][..length]).collect();
                for (message, digest) in messages.iter().zip(digests.iter().copied()) {
                    assert_eq!(params.hash(message).unwrap(), digest, "{backend}, {offset}");
                    let mut hasher = params.hasher().unwrap();
                    assert_eq!(hasher.update(message).finalize(), digest, "{backend}, {offset}");
                }
                let mut hasher = params.parallel().unwrap().with_backend(backend);
                assert_eq!(hasher.update(messages[6]).finalize(), parallel, "{backend}, {offset}");
                #[cfg(feature = "alloc")]
                assert_eq!(tree(&params, 300).hash(messages[6]), root, "{backend}, {offset}");

                let mut flat = vec![0xee; offset + 7 * F::LONGEST + 1];
                let end = flat.len() - 1;
                params.hash_many_flat(&messages, &mut flat[offset..end]).unwrap();
                assert_eq!(
                    flat[offset..end],
                    digests.iter().flat_map(Hash::as_bytes).copied().collect::<Vec<_>>(),
                    "{backend}, {offset}"
                );
                assert!(flat[..offset].iter().chain(&flat[end..]).all(|&byte| byte == 0xee), "{backend}, {offset}");
            }
        }
    }
}

/// The reference code had short outputs of the parallel modes wrong until 2016: inner digests keep their full length.
fn trap_short_outputs<F: Peer>() {
    let message = paint(10 * F::BLOCK + 20);
    for backend in Backend::available() {
        for (params, key) in unkeyed_and_keyed::<F>(backend) {
            let mut longer = Vec::new();
            for length in (1..=F::LONGEST).rev() {
                let params = params.clone().hash_length(length);
                for bytes in [&message[..], b"abc", b""] {
                    let hash = params.hash(bytes).unwrap();
                    assert_eq!(hash, of_peer::<F>(length, &key, bytes), "{backend}, {length}");
                    let mut hasher = params.parallel().unwrap();
                    let parallel = parallel_of_peer::<F>(length, &key, bytes);
                    assert_eq!(hasher.update(bytes).finalize(), parallel, "{backend}, {length}");
                    assert!(!longer.starts_with(hash.as_bytes()) || length < 3, "no prefix of a longer one");
                    longer = hash.as_bytes().to_vec();
                }
                #[cfg(feature = "alloc")]
                for inner in [1, length, F::LONGEST] {
                    let node = params.clone().fanout(0).max_depth(2).max_leaf_length(500).inner_hash_length(inner);
                    let mut root = node.clone().node_depth(1).last_node(true).hasher().unwrap();
                    let count = message.len().div_ceil(500);
                    for (i, leaf) in message.chunks(500).enumerate() {
                        let node = node.clone().hash_length(inner).node_offset(i as u64).last_node(i + 1 == count);
                        root.update(node.hash(leaf).unwrap().as_bytes());
                    }
                    assert_eq!(node.tree().unwrap().hash(&message), root.finalize(), "{backend}, {length}, {inner}");
                }
            }
        }
    }
}

/// A lane server (minio/sha256-simd) kept the caller's buffer beyond the call: what is given is overwritten at once, by
/// writes that are not whole blocks.
fn trap_buffer_of_the_caller<F: Peer>() {
    let message = paint(5000);
    let change = |buffer: &mut Vec<u8>, piece: &[u8]| {
        buffer.fill(0x55);
        buffer.clear();
        buffer.extend_from_slice(piece);
    };
    for backend in Backend::available() {
        for (params, key) in unkeyed_and_keyed::<F>(backend) {
            let digest = of_peer::<F>(F::LONGEST, &key, &message);
            for size in [1, 63, 100, F::BLOCK, F::BLOCK + 1, 300, 4 * F::BLOCK, 1700] {
                let mut hasher = params.hasher().unwrap();
                let mut parallel = params.parallel().unwrap();
                #[cfg(feature = "alloc")]
                let mut leaves = tree(&params, 200).hasher();
                let mut side_by_side = vec![params.hasher().unwrap(); 9];
                let (mut buffer, mut other) = (Vec::new(), Vec::new());
                for piece in message.chunks(size) {
                    change(&mut buffer, piece);
                    hasher.update(&buffer);
                    change(&mut buffer, piece);
                    parallel.update(&buffer);
                    #[cfg(feature = "alloc")]
                    {
                        change(&mut buffer, piece);
                        leaves.update(&buffer);
                    }
                    change(&mut buffer, piece);
                    change(&mut other, &vec![7; piece.len() + 1]);
                    let of = |i| if i % 2 == 0 { &buffer[..] } else { &other };
                    let mut updates: Vec<(&mut Hasher<F>, &[u8])> =
                        side_by_side.iter_mut().enumerate().map(|(i, hasher)| (hasher, of(i))).collect();
                    update_many(&mut updates);
                    change(&mut buffer, b"");
                    change(&mut other, b"");
                }
                assert_eq!(hasher.finalize(), digest, "{backend}, {size}");
                assert_eq!(parallel.finalize(), parallel_of_peer::<F>(F::LONGEST, &key, &message), "{backend}, {size}");
                #[cfg(feature = "alloc")]
                assert_eq!(leaves.finalize(), tree(&params, 200).hash(&message), "{backend}, {size}");
                for hasher in side_by_side.iter().step_by(2) {
                    assert_eq!(hasher.finalize(), digest, "{backend}, {size}");
                }
            }
        }
    }
}

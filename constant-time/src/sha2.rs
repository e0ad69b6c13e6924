//! SHA-256 and SHA-224, with every kernel that a backend may run.

use core::hint::black_box;

use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::sha2::{Batch, Hasher, HmacKey, Variant, finalize_many, update_many};
use simd_digest::{Backend, Digest, Sha256, sha256};

use super::{Check, messages, publish, publish_bit, secret, taint};

/// The backend with the SHA extension and without it, in every order of instructions.
pub(crate) fn kinds(backend: Backend) -> impl Iterator<Item = Backend> {
    let sha = [Some(backend), backend.sha().then(|| backend.without_sha())];
    sha.into_iter().flatten().flat_map(|backend| [Some(backend), backend.other_order()]).flatten()
}

/// What a variant is asked, each beside its name.
pub(crate) fn checks_of<V: Variant>(hash: &str, macs: Check) -> Vec<(String, Check)> {
    let checks: [(&str, Check); 5] =
        [("hash", self::hash::<V>), ("many", many::<V>), ("hmac", hmac::<V>), ("compare", compare::<V>), ("mac", macs)];
    checks.map(|(name, check)| (format!("{hash}::{name}"), check)).to_vec()
}

fn hash<V: Variant>(backend: Backend) {
    for backend in kinds(backend) {
        for message in messages() {
            publish(Batch::<V>::new().with_backend(backend).hash(&message));
            let mut hasher = Hasher::<V>::new().with_backend(backend);
            let (head, tail) = message.split_at(message.len() / 3);
            publish(hasher.update(head).update(tail).finalize());
            hasher.reset();
            publish(hasher.update(tail).finalize());
        }
    }
}

/// Batches of every size up to twice as many as there are lanes.
fn many<V: Variant>(backend: Backend) {
    for backend in kinds(backend) {
        let batch = Batch::<V>::new().with_backend(backend);
        let messages: Vec<_> = messages().into_iter().cycle().take(33).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for number in 0..=slices.len() {
            batch.hash_many(&slices[..number]).into_iter().for_each(publish);
        }
        let mut flat = vec![0; V::LENGTH * slices.len()];
        batch.hash_many_flat(&slices, &mut flat).unwrap();
        taint::reveal(flat.as_mut_slice());
        black_box(&flat);

        let mut hashers: Vec<_> = slices.iter().map(|_| Hasher::<V>::new().with_backend(backend)).collect();
        for _ in 0..2 {
            let mut updates: Vec<_> = hashers.iter_mut().zip(slices.iter().copied()).collect();
            update_many(&mut updates);
        }
        let hashers: Vec<&Hasher<V>> = hashers.iter().collect();
        let mut hashes = batch.hash_many(&vec![b""; hashers.len()]);
        finalize_many(&hashers, &mut hashes).unwrap();
        hashes.into_iter().for_each(publish);
    }
}

/// Under secret keys, one of them longer than a block.
fn hmac<V: Variant>(backend: Backend) {
    for backend in kinds(backend) {
        for key in [0, 32, 64, 65, 200].map(secret) {
            let key = HmacKey::<V>::new(&key).with_backend(backend);
            key.hash_many(&messages()).into_iter().for_each(publish);
            for message in messages() {
                publish(key.hash(&message));
                let mut hasher = key.hasher();
                publish(hasher.update(&message).update(&message).finalize());
            }
        }
    }
}

/// That two digests are equal is known, but not where they differ.
fn compare<V: Variant>(backend: Backend) {
    let batch = Batch::<V>::new().with_backend(backend);
    let hashes = [secret(100), secret(100), secret(101)].map(|message| batch.hash(&message));
    assert!(publish_bit(hashes[0] == hashes[1]));
    assert!(!publish_bit(hashes[0] == hashes[2]));
}

/// Nodes of Merkle trees, of which each number is a case of its own.
pub(crate) fn nodes(backend: Backend) {
    for batch in kinds(backend).map(|backend| Batch::new().with_backend(backend)) {
        for number in 0..=33 {
            let secret = secret(64 * number);
            let nodes = secret.as_chunks().0;
            let mut digests = vec![[0; 32]; number];
            for twice in [false, true] {
                if twice { batch.hash_nodes_twice(nodes, &mut digests) } else { batch.hash_nodes(nodes, &mut digests) }
                    .unwrap();
                taint::reveal(digests.as_mut_slice());
                black_box(&digests);
            }
            let mut level: Vec<[u8; 32]> = secret.as_chunks().0.to_vec();
            let parents = batch.hash_nodes_in_place(&mut level).unwrap();
            taint::reveal(parents);
            black_box(parents);
        }
    }
}

/// On the best backend.
pub(crate) fn compress() {
    let mut h = [7; 8];
    taint::hide(&mut h);
    sha256::hazmat::compress(&mut h, secret(300).as_chunks().0);
    taint::reveal(&mut h);
    black_box(h);
}

/// The state of a secret message is saved, and goes on.
pub(crate) fn save(backend: Backend) {
    for backend in kinds(backend) {
        for message in messages() {
            let hash = Sha256::new_with_prefix(&message).with_backend(backend);
            let mut state = hash.serialize();
            taint::reveal(state.as_mut_slice());
            black_box(state);
            let mut hasher = sha256::Hasher::new().with_backend(backend);
            let state = sha256::hazmat::State::of(hasher.update(&message));
            publish(state.into_hasher().with_backend(backend).update(&message).finalize());
        }
    }
}

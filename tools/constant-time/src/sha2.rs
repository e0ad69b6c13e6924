//! The calls of SHA-256, SHA-224 and SHA-512, with the SHA extension and without it.

use core::num::NonZeroU32;

use simd_digest::digest::common::hazmat::SerializableState;
use simd_digest::sha2::{
    Batch, Hasher, HmacKey, Variant, Variant224, Variant256, Variant512, finalize_many, update_many,
};
use simd_digest::{Backend, Digest, HmacSha224, HmacSha256, HmacSha512, Sha256, sha256};

use crate::{Check, mac, messages, publish, publish_bit, secret, taint, verifies};

/// All that must pass.
pub(crate) fn checks() -> Vec<(String, Check)> {
    let mut checks = checks_of::<Variant256>("sha256", |backend| mac(31, |mac: HmacSha256| mac.with_backend(backend)));
    checks.push(("sha256::nodes".to_owned(), |backend| all_kinds(backend, nodes)));
    checks.push(("sha256::compress".to_owned(), |_| compress()));
    checks.push(("sha256::save".to_owned(), |backend| all_kinds(backend, save)));
    checks.extend(checks_of::<Variant224>("sha224", |backend| mac(31, |mac: HmacSha224| mac.with_backend(backend))));
    checks.extend(checks_of::<Variant512>("sha512", |backend| mac(31, |mac: HmacSha512| mac.with_backend(backend))));
    checks
}

fn checks_of<V: Variant>(hash: &str, macs: Check) -> Vec<(String, Check)> {
    let checks: [(&str, Check); 6] = [
        ("hash", |backend| all_kinds(backend, self::hash::<V>)),
        ("many", |backend| all_kinds(backend, many::<V>)),
        ("hmac", |backend| all_kinds(backend, hmac::<V>)),
        ("pbkdf2", |backend| all_kinds(backend, pbkdf2::<V>)),
        ("compare", |backend| all_kinds(backend, compare::<V>)),
        ("mac", macs),
    ];
    checks.map(|(name, check)| (format!("{hash}::{name}"), check)).to_vec()
}

fn all_kinds(backend: Backend, check: Check) {
    let kinds = [Some(backend), backend.sha().then(|| backend.without_sha()), backend.tunings().nth(1)];
    kinds.into_iter().flatten().for_each(check);
}

fn hash<V: Variant>(backend: Backend) {
    for message in messages() {
        publish(Batch::<V>::new().with_backend(backend).hash(&message));
        let mut hasher = Hasher::<V>::new().with_backend(backend);
        let (head, tail) = message.split_at(message.len() / 3);
        publish(hasher.update(head).update(tail).finalize());
        hasher.reset();
        publish(hasher.update(tail).finalize());
    }
}

/// All messages at once, and as few as other kernels take.
fn many<V: Variant>(backend: Backend) {
    let messages = messages();
    let batch = Batch::<V>::new().with_backend(backend);
    for count in [2, 3, 4, 7, messages.len()] {
        batch.hash_many(&messages[..count]).into_iter().for_each(publish);
    }
    let slices: Vec<&[u8]> = messages.iter().chain(&messages).map(Vec::as_slice).collect();
    let mut flat = vec![0; V::LENGTH * slices.len()];
    batch.hash_many_flat(&slices, &mut flat).unwrap();
    taint::reveal(flat.as_mut_slice());
    for begin in &messages {
        let mut hasher = Hasher::<V>::new().with_backend(backend);
        hasher.update(begin).hash_many(&slices).into_iter().for_each(publish);
    }

    let mut hashers: Vec<_> = slices.iter().map(|_| Hasher::<V>::new().with_backend(backend)).collect();
    for _ in 0..2 {
        let mut updates: Vec<_> = hashers.iter_mut().zip(slices.iter().copied()).collect();
        update_many(&mut updates);
    }
    let mut hashes = vec![batch.hash(b""); hashers.len()];
    finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
    hashes.into_iter().for_each(publish);
}

/// Keys of less than a block, of one, and longer, which are hashed.
fn hmac<V: Variant>(backend: Backend) {
    for length in [0, 31, 64, 65, 200] {
        let key = HmacKey::<V>::new(&secret(length)).with_backend(backend);
        for message in messages() {
            publish(key.hash(&message));
            let mut hasher = key.hasher();
            let (head, tail) = message.split_at(message.len() / 3);
            publish(hasher.update(head).update(tail).finalize());
            hasher.reset();
            publish(hasher.update(tail).finalize());
        }
        key.hash_many(&messages()).into_iter().for_each(publish);
        key.hasher().update(&secret(100)).hash_many(&messages()).into_iter().for_each(publish);
    }
}

/// Passwords and salts as the keys of HMAC, of one password and of many. The lengths are no secret.
fn pbkdf2<V: Variant>(backend: Backend) {
    let batch = Batch::<V>::new().with_backend(backend);
    for length in [0, 31, 64, 65, 200] {
        for number in [1, 2, 4, 17] {
            let inputs: Vec<_> = (0..number).map(|i| (secret(length), secret(7 * i))).collect();
            let mut outs = vec![vec![0; V::LENGTH + 1]; number];
            batch.pbkdf2_many(&inputs, NonZeroU32::MIN.saturating_add(2), &mut outs).unwrap();
            outs.iter_mut().for_each(|out| taint::reveal(out.as_mut_slice()));
        }
    }
}

/// That two digests are equal is known, but not where they differ.
fn compare<V: Variant>(backend: Backend) {
    let key = HmacKey::<V>::new(&secret(29)).with_backend(backend);
    let hashes = [secret(100), secret(100), secret(101)].map(|message| key.hash(&message));
    assert!(publish_bit(hashes[0] == hashes[1]));
    assert!(!publish_bit(hashes[0] == hashes[2]));
    assert!(publish_bit(hashes[0] == *hashes[1].as_ref()));
    assert!(!publish_bit(hashes[0] == *hashes[2].as_ref()));
    verifies(|length| key.verify(&secret(length), hashes[0].as_ref()));
}

fn nodes(backend: Backend) {
    let batch = sha256::Batch::new().with_backend(backend);
    for count in [1, 2, 4, 8, 16, 33] {
        let memory = secret(64 * count);
        let mut digests = vec![[0; 32]; count];
        batch.hash_nodes(memory.as_chunks().0, &mut digests).unwrap();
        taint::reveal(digests.as_mut_slice());
        batch.hash_nodes_twice(memory.as_chunks().0, &mut digests).unwrap();
        taint::reveal(digests.as_mut_slice());
        let mut level = memory.as_chunks().0.to_vec();
        taint::reveal(batch.hash_nodes_in_place(&mut level).unwrap());
    }
}

/// On the best backend.
fn compress() {
    let mut h = [7; 8];
    taint::hide(&mut h);
    sha256::hazmat::compress(&mut h, secret(300).as_chunks().0);
    taint::reveal(&mut h);
}

/// The state of a secret message is saved and goes on.
fn save(backend: Backend) {
    for message in messages() {
        let hash = Sha256::new_with_prefix(&message).with_backend(backend);
        let mut state = hash.serialize();
        taint::reveal(state.as_mut_slice());
        let mut hasher = sha256::Hasher::new().with_backend(backend);
        let state = sha256::hazmat::State::from(&*hasher.update(&message));
        publish(Hasher::from(state).with_backend(backend).update(&message).finalize());
    }
}

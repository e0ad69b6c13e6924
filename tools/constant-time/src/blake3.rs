//! The calls of BLAKE3 in its keyed modes: key, material and messages are secret.

use simd_digest::blake3::hazmat::{
    HasherExt, State, compress, merge_subtrees_non_root, merge_subtrees_root, merge_subtrees_root_xof, subtrees,
};
use simd_digest::blake3::{Hasher, Mode, OutputReader, derive_key, finalize_many, keyed_hash, update_many};
use simd_digest::{Backend, Blake3};

use crate::{Check, Leak, Secret, leak_by_branch, mac, messages, publish, publish_bit, secret, taint, verifies};

/// All that must pass.
pub(crate) fn checks() -> Vec<(String, Check)> {
    let checks: [(&str, Check); 11] = [
        ("keyed_hash", |backend| all_kinds(backend, hash)),
        ("derive_key", |backend| all_kinds(backend, material)),
        ("many", |backend| all_kinds(backend, many)),
        ("long", |backend| all_kinds(backend, long)),
        ("xof", |backend| all_kinds(backend, xof)),
        ("tree", |backend| all_kinds(backend, tree)),
        ("compress", |_| compression()),
        ("save", |backend| all_kinds(backend, save)),
        ("compare", |backend| all_kinds(backend, compare)),
        ("one_shot", |_| one_shot()),
        ("mac", |backend| mac(32, |mac: Blake3| mac.with_backend(backend))),
    ];
    checks.map(|(name, check)| (format!("blake3::{name}"), check)).to_vec()
}

/// The controls: of one message, of two and of four, of lanes full of messages, of chunks and parents in lanes, and of output in
/// lanes.
pub(crate) fn controls() -> [(&'static str, Leak, Secret); 6] {
    [
        ("blake3-branch", leak_by_branch, |backend, message| *keyed(backend).hash(message).as_bytes()),
        ("blake3-two-branch", leak_by_branch, |backend, message| {
            *keyed(backend).hash_many(&[message; 2])[1].as_bytes()
        }),
        ("blake3-four-branch", leak_by_branch, |backend, message| {
            *keyed(backend).hash_many(&[message; 4])[2].as_bytes()
        }),
        ("blake3-lanes-branch", leak_by_branch, |backend, message| {
            *keyed(backend).hash_many(&[message; 20])[7].as_bytes()
        }),
        ("blake3-chunks-branch", leak_by_branch, |backend, message| {
            *keyed(backend).hash(&message.repeat(120)).as_bytes()
        }),
        ("blake3-output-branch", leak_by_branch, |backend, message| {
            let mut output = [0; 3000];
            keyed(backend).hash_xof(message).fill(&mut output);
            *output[2000..].first_chunk().unwrap()
        }),
    ]
}

fn all_kinds(backend: Backend, check: Check) {
    backend.tunings().for_each(check);
}

fn secret_key() -> [u8; 32] {
    secret(32).try_into().unwrap()
}

fn keyed(backend: Backend) -> Mode {
    Mode::keyed(&secret_key()).with_backend(backend)
}

fn hash(backend: Backend) {
    let mode = keyed(backend);
    for message in messages() {
        publish(mode.hash(&message));
        let mut hasher = Hasher::new_keyed(&secret_key()).with_backend(backend);
        let (head, tail) = message.split_at(message.len() / 3);
        publish(hasher.update(head).update(tail).finalize());
        hasher.reset();
        publish(hasher.update(tail).finalize());
    }
}

/// The context is known to everybody.
fn material(backend: Backend) {
    let mode = Mode::derive_key("constant-time 2024-01-01 a context").with_backend(backend);
    for message in messages() {
        publish(mode.hash(&message));
        let mut hasher = Hasher::new_derive_key("another context").with_backend(backend);
        publish(hasher.update(&message).finalize());
    }
}

/// On the best backend.
fn one_shot() {
    for message in messages() {
        publish(keyed_hash(&secret_key(), &message));
        let mut key = derive_key("constant-time 2024-01-01 one shot", &message);
        taint::reveal(&mut key);
    }
}

/// All messages at once, and as few as other kernels take.
fn many(backend: Backend) {
    let messages = messages();
    let mode = keyed(backend);
    for count in [2, 3, 4, 7, messages.len()] {
        mode.hash_many(&messages[..count]).into_iter().for_each(publish);
    }
    let long = secret(5000);
    let slices: Vec<&[u8]> = messages.iter().chain([&long]).chain(&messages).map(Vec::as_slice).collect();
    let mut flat = vec![0; 32 * slices.len()];
    mode.hash_many_flat(&slices, &mut flat).unwrap();
    taint::reveal(flat.as_mut_slice());
    for length in [64, 100, 1000, 1024, 3000] {
        mode.hasher().update(&long[..length]).hash_many(&slices).into_iter().for_each(publish);
    }

    let mut hashers: Vec<_> = slices.iter().map(|_| mode.hasher()).collect();
    for _ in 0..2 {
        let mut updates: Vec<_> = hashers.iter_mut().zip(slices.iter().copied()).collect();
        update_many(&mut updates);
    }
    let mut hashes = vec![Mode::HASH.hash(b""); hashers.len()];
    finalize_many(&hashers.iter().collect::<Vec<_>>(), &mut hashes).unwrap();
    hashes.into_iter().for_each(publish);
}

/// Chunks and parents in lanes, gathered from small writes and from where they lie.
fn long(backend: Backend) {
    let message = secret(50_000);
    let mode = keyed(backend);
    for length in [3000, 4096, 8192, 16_384, 16_385, 50_000] {
        publish(mode.hash(&message[..length]));
    }
    for size in [500, 1024, 20_000] {
        let mut hasher = mode.hasher();
        for piece in message.chunks(size) {
            hasher.update(piece);
        }
        publish(hasher.finalize());
    }
}

fn read(mut output: OutputReader) {
    let mut bytes = [0; 3000];
    output.fill(&mut bytes);
    output.set_position(77);
    output.fill(&mut bytes[..10]);
    output.fill(&mut bytes[10..100]);
    taint::reveal(&mut bytes);
    core::hint::black_box(&bytes);
}

fn xof(backend: Backend) {
    for message in messages() {
        read(keyed(backend).hash_xof(&message));
        let mut hasher = keyed(backend).hasher();
        read(hasher.update(&message).finalize_xof());
    }
}

/// Chaining values of a keyed tree are secret, too.
fn tree(backend: Backend) {
    let mode = keyed(backend);
    let message = secret(20_000);
    let mut cvs = [[0; 32]; 20];
    subtrees(&message, 1 << 20, 0, &mode, &mut cvs).unwrap();
    let mut groups = [[0; 32]; 5];
    subtrees(&message, 1 << 42, 2, &mode, &mut groups).unwrap();
    publish(merge_subtrees_root(&cvs[0], &groups[1], &mode));
    read(merge_subtrees_root_xof(&cvs[2], &cvs[3], &mode));
    let mut hasher = mode.hasher();
    hasher.set_input_offset(1 << 20).unwrap();
    let mut cv = hasher.update(&message[..5000]).finalize_non_root().unwrap();
    cv = merge_subtrees_non_root(&cv, &cvs[4], &mode);
    taint::reveal(&mut cv);
}

/// On the best backend.
fn compression() {
    let mut cv = [7; 8];
    taint::hide(&mut cv);
    compress(&mut cv, secret(64).first_chunk().unwrap(), 64, 3, 16);
    taint::reveal(&mut cv);
}

/// The state of a secret message under a secret key is saved and goes on. Its length is known, and whether bytes are a
/// state: those that are read are known, too.
fn save(backend: Backend) {
    for length in [0, 1, 64, 1000, 1024, 1025, 5000, 20_000] {
        let mut hasher = keyed(backend).hasher();
        hasher.update(&secret(length));
        let mut bytes = [0; State::MAX_LEN];
        let written = State::from(&hasher).to_bytes(&mut bytes).unwrap();
        publish(Hasher::from(State::from(&hasher)).update(&secret(100)).finalize());
        taint::reveal(&mut bytes);
        let state = State::from_bytes(&bytes[..written]).unwrap();
        publish(Hasher::from(state).with_backend(backend).update(&secret(100)).finalize());
    }
}

/// That two digests are equal is known, but not where they differ.
fn compare(backend: Backend) {
    let mode = keyed(backend);
    let hashes = [secret(100), secret(100), secret(101)].map(|message| mode.hash(&message));
    assert!(publish_bit(hashes[0] == hashes[1]));
    assert!(!publish_bit(hashes[0] == hashes[2]));
    assert!(publish_bit(hashes[0] == *hashes[1].as_bytes()));
    assert!(!publish_bit(hashes[0] == *hashes[2].as_bytes()));
    verifies(|length| mode.verify(&secret(length), hashes[0].as_bytes()));
}

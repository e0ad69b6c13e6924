//! `constant-time BACKEND CHECK`: keys and messages are secret, their lengths and the digests are not. Status 3 if the CPU
//! does not have the backend, 4 if nothing watches; the status of a tracker that complains is the tracker's.
//! `constant-time --list`: what the CHECK `all` is made of. `constant-time --controls`: every CHECK that must be noticed.

use core::hint::black_box;
use std::process::ExitCode;

use simd_digest::blake2::{Flavour, Params, update_many};
use simd_digest::digest::{KeyInit, Mac};
use simd_digest::{
    Backend, Blake2bMac256, Blake2bMac512, Blake2sMac128, Blake2sMac256, blake2b, blake2s, sha256, sha512,
};

mod blake3;
mod sha2;
mod taint;

/// A secret of this many bytes.
fn secret(length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
    taint::hide(bytes.as_mut_slice());
    bytes
}

/// Everybody may see it.
fn publish(mut hash: impl Copy + ToString) {
    taint::reveal(&mut hash);
    black_box(hash.to_string());
}

/// Secret messages around the ends of blocks.
fn messages() -> Vec<Vec<u8>> {
    [0, 1, 63, 64, 65, 127, 128, 129, 256, 300, 513, 1000, 2100].map(secret).to_vec()
}

/// Unkeyed, and with a secret key.
fn both_params<F: Flavour>(backend: Backend) -> [Params<F>; 2] {
    let params = Params::new().with_backend(backend).hash_length(32);
    [params.clone(), params.key(&secret(29))]
}

fn hash<F: Flavour>(backend: Backend) {
    for params in both_params::<F>(backend) {
        for message in messages() {
            publish(params.hash(&message).unwrap());
            let mut hasher = params.hasher().unwrap();
            let (head, tail) = message.split_at(message.len() / 3);
            publish(hasher.update(head).update(tail).finalize());
            hasher.reset();
            publish(hasher.update(tail).finalize());
        }
    }
}

fn many<F: Flavour>(backend: Backend) {
    for params in both_params::<F>(backend) {
        let messages = messages();
        params.hash_many(&messages).unwrap().into_iter().for_each(publish);
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut flat = vec![0; 32 * slices.len()];
        params.hash_many_flat(&slices, &mut flat).unwrap();
        taint::reveal(flat.as_mut_slice());
        for begin in &messages {
            params.hasher().unwrap().update(begin).hash_many(&slices).into_iter().for_each(publish);
        }

        let mut hashers: Vec<_> = slices.iter().map(|_| params.hasher().unwrap()).collect();
        for _ in 0..2 {
            let mut updates: Vec<_> = hashers.iter_mut().zip(slices.iter().copied()).collect();
            update_many(&mut updates);
        }
        hashers.iter().for_each(|hasher| publish(hasher.finalize()));
    }
}

fn parallel<F: Flavour>(backend: Backend) {
    for params in both_params::<F>(backend) {
        for message in messages() {
            let mut hasher = params.parallel().unwrap();
            publish(hasher.update(&message).update(&message).finalize());
        }
    }
}

fn tree<F: Flavour>(backend: Backend) {
    for params in both_params::<F>(backend) {
        let unlimited = params.clone().fanout(0).max_depth(2).max_leaf_length(200).inner_hash_length(32);
        for tree in [unlimited.clone().tree().unwrap(), unlimited.fanout(2).max_depth(5).tree().unwrap()] {
            for message in messages() {
                publish(tree.hash(&message));
                let mut hasher = tree.hasher().keep_leaves();
                hasher.update(&message).update(&message);
                let (root, leaves) = hasher.finalize_with_leaves();
                publish(root);
                leaves.into_iter().for_each(publish);
            }
        }
    }
}

fn xof<F: Flavour>(backend: Backend) {
    for params in both_params::<F>(backend) {
        for message in messages() {
            let mut output = params.xof().unwrap().update(&message).finalize();
            let mut bytes = [0; 1000];
            output.try_read(&mut bytes).unwrap();
            output.set_position(77).unwrap();
            output.try_read(&mut bytes[..10]).unwrap();
            taint::reveal(&mut bytes);
            black_box(&bytes);
        }
    }
}

/// A bit that everybody may see.
fn publish_bit(mut bit: bool) -> bool {
    taint::reveal(&mut bit);
    black_box(bit)
}

/// That two digests are equal is known, but not where they differ.
fn compare<F: Flavour>(backend: Backend) {
    let [_, params] = both_params::<F>(backend);
    let hashes = [secret(100), secret(100), secret(101)].map(|message| params.hash(&message).unwrap());
    assert!(publish_bit(hashes[0] == hashes[1]));
    assert!(!publish_bit(hashes[0] == hashes[2]));
    assert!(publish_bit(hashes[0] == *hashes[1].as_bytes()));
    assert!(!publish_bit(hashes[0] == *hashes[2].as_bytes()));
    // Its error has fields, so its code branches on whether the tag is right, which anybody may know. The sanitizer tells of
    // that, and valgrind, which watches the program as it is compiled for use, finds no branch.
    if !cfg!(msan) {
        verifies(|length| params.verify(&secret(length), hashes[0].as_bytes()));
    }
}

/// A message of 100 bytes has the tag, and one of 101 another. That a tag is right is known, but not where it differs.
fn verifies<E>(verify: impl Fn(usize) -> Result<(), E>) {
    for (length, is_right) in [(100, true), (101, false)] {
        let mut verified = verify(length);
        taint::reveal(&mut verified);
        assert_eq!(verified.is_ok(), is_right);
    }
}

/// A MAC of the `digest` traits: keyed by `key` bytes, and verified against a tag that nobody knows.
fn mac<M: Mac + KeyInit + Clone>(key: usize, with_backend: impl Fn(M) -> M) {
    let macs = [100, 100, 101].map(|length| {
        let mac = with_backend(M::new_from_slice(&secret(key)).unwrap());
        mac.chain_update(secret(10)).chain_update(secret(length))
    });
    for (i, expected) in [(1, true), (2, false)] {
        let mut tag = macs[i].clone().finalize().into_bytes();
        if cfg!(msan) {
            // The comparison of tags is not ours, and has assembly, which MemorySanitizer does not follow.
            taint::reveal(&mut tag);
            black_box(&tag);
            continue;
        }
        let mut verified = macs[0].clone().verify_slice(&tag);
        taint::reveal(&mut verified);
        assert_eq!(verified.is_ok(), expected);
    }
}

/// A digest that everybody may not see, made by this backend: the controls leak it.
type Secret = fn(Backend, &[u8]) -> [u8; 32];

fn leak_by_branch(backend: Backend, digest: Secret) {
    if digest(backend, &secret(300))[31] & 1 == 0 {
        black_box(backend);
    }
}

fn leak_by_index(backend: Backend, digest: Secret) {
    let table = black_box([1_u8; 256]);
    black_box(table[usize::from(digest(backend, &secret(300))[0])]);
}

/// A comparison that ends where the first difference is.
fn leak_by_early_return(backend: Backend, digest: Secret) {
    let digests = [(); 2].map(|()| digest(backend, &secret(300)));
    let [a, b] = black_box(digests.each_ref().map(<[u8; 32]>::as_slice));
    black_box(a.iter().zip(b).all(|(a, b)| a == b));
}

type Leak = fn(Backend, Secret);

/// The controls, each beside its name: a leak, and a digest to leak. A tracker may follow one kernel and lose the secret
/// in another.
fn controls() -> Vec<(&'static str, Leak, Secret)> {
    let blake2b: Secret = |backend, message| {
        let [_, params] = both_params::<blake2b::FlavourB>(backend);
        params.hash(message).unwrap().as_bytes().try_into().unwrap()
    };
    let sha512: Secret = |backend, message| {
        *sha512::Batch::new().with_backend(backend).hash(message).as_bytes().first_chunk().expect("64 bytes")
    };
    let lanes_of_sha512: Secret = |backend, message| {
        let hash = sha512::Batch::new().with_backend(backend).hash_many(&[message; 20])[7];
        *hash.as_bytes().first_chunk().expect("64 bytes")
    };
    let sha256: Secret = |backend, message| *sha256::Batch::new().with_backend(backend).hash(message).as_bytes();
    let without_sha: Secret =
        |backend, message| *sha256::Batch::new().with_backend(backend.without_sha()).hash(message).as_bytes();
    let lanes: Secret =
        |backend, message| *sha256::Batch::new().with_backend(backend).hash_many(&[message; 20])[7].as_bytes();
    let lanes_without_sha: Secret = |backend, message| {
        *sha256::Batch::new().with_backend(backend.without_sha()).hash_many(&[message; 20])[7].as_bytes()
    };
    let mut controls: Vec<(&'static str, Leak, Secret)> = vec![
        ("branch", leak_by_branch, blake2b),
        ("index", leak_by_index, blake2b),
        ("early-return", leak_by_early_return, blake2b),
        ("sha256-branch", leak_by_branch, sha256),
        ("sha256-without-sha-branch", leak_by_branch, without_sha),
        ("sha256-lanes-branch", leak_by_branch, lanes),
        ("sha512-branch", leak_by_branch, sha512),
        ("sha512-lanes-branch", leak_by_branch, lanes_of_sha512),
        ("sha256-lanes-without-sha-branch", leak_by_branch, lanes_without_sha),
    ];
    controls.extend(blake3::controls());
    controls
}

type Check = fn(Backend);

/// The checks of a hash of this family, each beside its name.
fn checks_of<F: Flavour>(hash: &str, macs: Check) -> Vec<(String, Check)> {
    let checks: [(&str, Check); 7] = [
        ("hash", self::hash::<F>),
        ("many", many::<F>),
        ("parallel", parallel::<F>),
        ("tree", tree::<F>),
        ("xof", xof::<F>),
        ("compare", compare::<F>),
        ("mac", macs),
    ];
    checks.map(|(name, check)| (format!("{hash}::{name}"), check)).to_vec()
}

/// All that must pass.
fn checks() -> Vec<(String, Check)> {
    let mut checks = checks_of::<blake2b::FlavourB>("blake2b", |backend| {
        mac(31, |mac: Blake2bMac256| mac.with_backend(backend));
        mac(31, |mac: Blake2bMac512| mac.with_backend(backend));
    });
    checks.extend(checks_of::<blake2s::FlavourS>("blake2s", |backend| {
        mac(31, |mac: Blake2sMac128| mac.with_backend(backend));
        mac(31, |mac: Blake2sMac256| mac.with_backend(backend));
    }));
    checks.extend(sha2::checks());
    checks.extend(blake3::checks());
    checks
}

/// Whether there is such a check or control.
fn run(backend: Backend, check: &str) -> bool {
    let mut found = false;
    for (_, run) in checks().iter().filter(|(name, _)| check == "all" || name == check) {
        run(backend);
        found = true;
    }
    if let Some((_, leak, digest)) = controls().into_iter().find(|(name, ..)| *name == check) {
        leak(backend, digest);
        found = true;
    }
    found
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--list"] {
        checks().iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    if arguments == ["--controls"] {
        controls().iter().for_each(|(name, ..)| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    let [backend, check] = &arguments[..] else {
        eprintln!("constant-time BACKEND CHECK, or constant-time --list, or constant-time --controls");
        return ExitCode::from(2);
    };
    let Ok(backend) = backend.parse::<Backend>() else { return ExitCode::from(3) };
    if !taint::watches() {
        eprintln!("nothing watches: run it by .ci/constant-time or .ci/memory-sanitizer");
        return ExitCode::from(4);
    }
    if run(backend, check) { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

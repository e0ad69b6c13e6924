//! What a reader gives is what `update` takes, in every hasher that has both.

use std::io::ErrorKind;

use simd_digest::{blake2b, blake2s, blake3, sha256, sha512};

use crate::common::paint::paint;
use crate::common::random::Random;
use crate::common::reader::{Boastful, Fickle};

macro_rules! readers {
    ($($test:ident: $new:expr;)+) => {
        $(#[test]
        fn $test() {
            let memory = paint(70_000);
            for length in [0, 1, 128, 65_536, 65_537, 70_000] {
                let message = &memory[..length];
                let random = || Random::new(length as u64 + 1);
                let ends = Fickle { rest: message, random: random(), error: None, interruptions: 3 };
                let mut hasher = $new;
                let expected = $new.update(message).update(b"more").finalize();
                assert_eq!(hasher.update_reader(ends).unwrap().update(b"more").finalize(), expected, "{length}");
                assert_eq!(usize::try_from(hasher.count()), Ok(length + 4));
                assert_eq!(hasher.reset().update_reader(message).unwrap().update(b"more").finalize(), expected);

                let error = Some(ErrorKind::TimedOut);
                let fails = Fickle { rest: message, random: random(), error, interruptions: 2 };
                let error = hasher.reset().update_reader(fails).map(|_| ()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::TimedOut);
                assert_eq!(hasher.update(b"more").finalize(), expected, "{length}, after an error");

                let boastful = Boastful { rest: message, claim: 1 };
                let error = hasher.reset().update_reader(boastful).map(|_| ()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert!(error.to_string().contains("was given room for 65536"), "{error}");
                assert_eq!(hasher.update(b"more").finalize(), expected, "{length}, after a false claim");
            }
        })+
    };
}

readers! {
    sha256_of_a_reader: sha256::Hasher::new();
    sha512_of_a_reader: sha512::Hasher::new();
    hmac_of_a_reader: sha256::HmacKey::new(b"a key").hasher();
    blake2b_of_a_reader: blake2b::Params::new().key(b"a key").hasher().unwrap();
    blake2s_of_a_reader: blake2s::Hasher::new();
    blake2bp_of_a_reader: blake2b::Params::new().key(b"a key").parallel().unwrap();
    blake3_of_a_reader: blake3::Hasher::new();
}

/// Outputs of any length, and trees, which have no `reset`.
#[test]
fn outputs_and_trees_of_a_reader() {
    let message = paint(70_000);
    let digest = |mut output: blake2b::OutputReader| {
        let mut bytes = [0; 100];
        output.try_read(&mut bytes).unwrap();
        bytes
    };
    let mut hasher = blake2b::Params::new().xof().unwrap();
    let expected = digest(hasher.update(&message).finalize());
    assert_eq!(digest(hasher.reset().update_reader(&message[..]).unwrap().finalize()), expected);

    let tree = blake2b::Tree::unlimited_fanout(1000).unwrap();
    assert_eq!(tree.hasher().update_reader(&message[..]).unwrap().finalize(), tree.hash(&message));
}

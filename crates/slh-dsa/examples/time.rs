//! Times key generation, signing and verification beside the crate `slh-dsa`.
//!
//! The two take turns, so that what slows the machine slows both. Each row has the minimum of all turns, 200 or the
//! argument: `cargo run --release --example time -- 1000`

use std::hint::black_box;
use std::time::Instant;

use simd_digest_slh_dsa::{ParameterSet, Sha2_128f, Sha2_192f, SigningKey};
use slh_dsa as peer;

const MESSAGE: &[&[u8]] = &[&[3; 100]];

/// Calls each of the calls once.
type Turn<'a> = [&'a dyn Fn(); 2];

fn race<P: ParameterSet, Peer: peer::ParameterSet>(name: &str, turns: u32) {
    let seeds: Vec<u8> = (0..).take(3 * P::N).collect();
    let [sk_seed, sk_prf, pk_seed] = [0, 1, 2].map(|i| &seeds[i * P::N..][..P::N]);
    let ours = || SigningKey::<P>::from_seeds(sk_seed, sk_prf, pk_seed).expect("seeds of n bytes");
    let theirs = || peer::SigningKey::<Peer>::slh_keygen_internal(sk_seed, sk_prf, pk_seed);
    let (key, their_key) = (ours(), theirs());
    let sign = || key.sign_internal(MESSAGE, None).expect("a whole key");
    let their_sign = || their_key.slh_sign_internal(MESSAGE, None);
    let (signature, their_signature) = (sign(), their_sign());
    assert_eq!(their_signature.to_bytes()[..], signature, "the signatures differ");
    let verify = || key.verifying_key().verify_internal(MESSAGE, &signature).expect("a signature");
    let their_verify = || their_key.as_ref().slh_verify_internal(MESSAGE, &their_signature).expect("a signature");

    let rows: [(&str, Turn<'_>); 3] = [
        ("key generation", [&|| drop(black_box(ours())), &|| drop(black_box(theirs()))]),
        ("signing", [&|| drop(black_box(sign())), &|| drop(black_box(their_sign()))]),
        ("verification", [&verify, &their_verify]),
    ];
    for (row, calls) in rows {
        let mut times = [f64::INFINITY; 2];
        for _ in 0..turns {
            for (time, call) in times.iter_mut().zip(calls) {
                let start = Instant::now();
                call();
                *time = time.min(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        let [ours, theirs] = times;
        println!("{name:20}{row:16}{ours:12.1}{theirs:12.1}{:8.2}", ours / theirs);
    }
}

fn main() {
    let turns = std::env::args().nth(1).map_or(200, |turns| turns.parse().expect("a number of turns"));
    println!("{:36}{:>12}{:>12}{:>8}", "microseconds, minimum", "ours", "slh-dsa", "ratio");
    race::<Sha2_128f, peer::Sha2_128f>("SLH-DSA-SHA2-128f", turns);
    race::<Sha2_192f, peer::Sha2_192f>("SLH-DSA-SHA2-192f", turns);
}

//! Prints how long calls of the adapters take beside the same calls of the published crates, on one thread. With the
//! argument `debug` it has a few calls of two lengths: some peers take a second for a mebibyte then.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

fn is_debug() -> bool {
    std::env::args().nth(1).is_some_and(|argument| argument == "debug")
}

/// Prints the least time of many interleaved runs of both, in nanoseconds a call. The digests must be the same.
fn beside<T: AsRef<[u8]>, U: AsRef<[u8]>>(call: &str, ours: impl Fn(&[u8]) -> T, theirs: impl Fn(&[u8]) -> U) {
    let (lengths, runs): (&[usize], _) =
        if is_debug() { (&[64, 1 << 20], 10) } else { (&[64, 1 << 10, 16 << 10, 1 << 20], 200) };
    for &length in lengths {
        let message: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        assert_eq!(ours(&message).as_ref(), theirs(&message).as_ref(), "{call}, {length} bytes");
        let calls = (1 << 17) / (length + 64) + 1;
        let mut least = [f64::INFINITY; 2];
        for _ in 0..runs {
            least[0] = least[0].min(time(calls, || drop(black_box(ours(black_box(&message))))));
            least[1] = least[1].min(time(calls, || drop(black_box(theirs(black_box(&message))))));
        }
        println!("{call:38} {length:>8} {:>10.0} {:>10.0} {:>6.2}", least[0], least[1], least[0] / least[1]);
    }
}

/// Nanoseconds of a call, without those that other programs have taken.
fn time(calls: usize, call: impl Fn()) -> f64 {
    let now = || clock_gettime(ClockId::ThreadCPUTime);
    let begun = now();
    (0..calls).for_each(|_| call());
    let took = now() - begun;
    (took.tv_sec as f64 * 1e9 + took.tv_nsec as f64) / calls as f64
}

/// A call of `digest`, by the traits that `$crate_name` exports.
macro_rules! digest {
    ($call:literal, $ours:ident, $theirs:ident, $hash:ident) => {
        beside(
            $call,
            |message| <$ours::$hash as $ours::Digest>::digest(message),
            |message| <$theirs::$hash as $theirs::Digest>::digest(message),
        )
    };
}

/// 64 messages of the same length by `hash_many`, and one by the function of the crate.
macro_rules! simd {
    ($name:literal, $ours:ident, $theirs:ident, $hash:ident) => {
        beside(
            $name,
            |message| $ours::$hash(message).as_bytes().to_vec(),
            |message| $theirs::$hash(message).as_bytes().to_vec(),
        );
        if !is_debug() {
            beside(
                concat!($name, ", 64 by hash_many"),
                |message| {
                    let mut jobs =
                        [message; 64].map(|message| $ours::many::HashManyJob::new(&$ours::Params::new(), message));
                    $ours::many::hash_many(&mut jobs);
                    jobs[63].to_hash().as_bytes().to_vec()
                },
                |message| {
                    let mut jobs =
                        [message; 64].map(|message| $theirs::many::HashManyJob::new(&$theirs::Params::new(), message));
                    $theirs::many::hash_many(&mut jobs);
                    jobs[63].to_hash().as_bytes().to_vec()
                },
            );
        }
    };
}

fn main() {
    println!("{:38} {:>8} {:>10} {:>10} {:>6}", "call", "bytes", "ours, ns", "theirs, ns", "ratio");
    digest!("blake2 0.11, Blake2b512::digest", ours_blake2, theirs_blake2, Blake2b512);
    digest!("blake2 0.11, Blake2s256::digest", ours_blake2, theirs_blake2, Blake2s256);
    beside(
        "blake2 0.11, Blake2bMac512",
        |message| {
            let mac = <ours_blake2::Blake2bMac512 as ours_blake2::digest::KeyInit>::new_from_slice(&[7; 32]).unwrap();
            let mac = ours_blake2::digest::Mac::chain_update(mac, message);
            ours_blake2::digest::Mac::finalize(mac).into_bytes()
        },
        |message| {
            let mac =
                <theirs_blake2::Blake2bMac512 as theirs_blake2::digest::KeyInit>::new_from_slice(&[7; 32]).unwrap();
            let mac = theirs_blake2::digest::Mac::chain_update(mac, message);
            theirs_blake2::digest::Mac::finalize(mac).into_bytes()
        },
    );
    digest!("blake2 0.10, Blake2b512::digest", ours_blake2_010, theirs_blake2_010, Blake2b512);
    digest!("blake2 0.10, Blake2s256::digest", ours_blake2_010, theirs_blake2_010, Blake2s256);
    digest!("sha2 0.11, Sha256::digest", ours_sha2, theirs_sha2, Sha256);
    digest!("sha2 0.11, Sha512::digest", ours_sha2, theirs_sha2, Sha512);
    digest!("sha2 0.10, Sha256::digest", ours_sha2_010, theirs_sha2_010, Sha256);
    digest!("sha2 0.10, Sha512::digest", ours_sha2_010, theirs_sha2_010, Sha512);
    simd!("blake2b_simd 1, blake2b", ours_blake2b_simd, theirs_blake2b_simd, blake2b);
    simd!("blake2s_simd 1, blake2s", ours_blake2s_simd, theirs_blake2s_simd, blake2s);
    beside(
        "blake3 1, hash",
        |message| *ours_blake3::hash(message).as_bytes(),
        |message| *theirs_blake3::hash(message).as_bytes(),
    );
    beside(
        "blake3 1, Hasher",
        |message| *ours_blake3::Hasher::new().update(message).finalize().as_bytes(),
        |message| *theirs_blake3::Hasher::new().update(message).finalize().as_bytes(),
    );
}

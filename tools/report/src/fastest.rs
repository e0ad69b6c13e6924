//! Which of our hashes is the fastest, by size: on the best backend, on AVX2, and on both without the SHA extension.

use core::hint::black_box;

use blake3::hash as blake3_peer;
use simd_digest::blake3::Mode;
use simd_digest::{Backend, Digest, blake2b, blake2s, sha256};

use crate::contenders::keep;
use crate::experiment::{Call, Contest, Experiment, Line, Size, length};
use crate::kinds::kind;

const LENGTHS: [usize; 14] =
    [0, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 3 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 1 << 20];
const MANY: usize = 64;
const MANY_LENGTHS: [usize; 5] = [32, 64, 256, 1 << 10, 16 << 10];

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = MANY * (16 << 10);

const NAMES: [&str; 4] = ["BLAKE3", "SHA-256", "BLAKE2b", "BLAKE2s"];

/// Ours, of one message and of many, on a backend.
#[derive(Clone)]
struct Hashes {
    blake2b: blake2b::Params,
    blake2s: blake2s::Params,
    sha256: sha256::Batch,
    blake3: Mode,
}

impl Hashes {
    fn on(backend: Backend) -> Self {
        Self {
            blake2b: blake2b::Params::new().with_backend(backend),
            blake2s: blake2s::Params::new().with_backend(backend),
            sha256: sha256::Batch::new().with_backend(backend),
            blake3: Mode::HASH.with_backend(backend),
        }
    }
}

/// A call for each of [`NAMES`].
fn one(hashes: &Hashes, message: &[u8], number: usize) {
    match number {
        0 => keep(hashes.blake3.hash(message)),
        1 => keep(hashes.sha256.hash(message)),
        2 => keep(hashes.blake2b.hash(message)),
        _ => keep(hashes.blake2s.hash(message)),
    }
}

/// A call for each of [`NAMES`].
fn many(hashes: &Hashes, messages: &[&[u8]], number: usize) {
    match number {
        0 => keep(hashes.blake3.hash_many(messages)),
        1 => keep(hashes.sha256.hash_many(messages)),
        2 => keep(hashes.blake2b.hash_many(messages)),
        _ => keep(hashes.blake2s.hash_many(messages)),
    }
}

/// The best backend and AVX2, each as it is and without the SHA extension, where there are these.
fn backends() -> Vec<(String, Backend)> {
    let chosen = Backend::available().filter(|backend| *backend == Backend::best() || backend.name() == "avx2");
    let mut backends: Vec<_> =
        chosen.flat_map(|backend| [backend, backend.without_sha()]).map(|backend| (kind(backend), backend)).collect();
    backends.dedup_by(|(one, _), (other, _)| one == other);
    backends
}

/// One message, and many.
pub(crate) fn experiments(memory: &[u8]) -> [Experiment<'_>; 2] {
    let mut lines = <[Vec<Line<'_>>; 2]>::default();
    let mut contests = Vec::new();
    for (on, backend) in backends() {
        let first = lines[0].len();
        let entrants = NAMES.into_iter().enumerate().map(|(number, name)| (name, first + number));
        contests.push((on.clone(), entrants.collect::<Vec<_>>()));
        let hashes = Hashes::on(backend);
        for (number, name) in NAMES.into_iter().enumerate() {
            let of_one = LENGTHS.map(|length| -> Call<'_> {
                let (hashes, message) = (hashes.clone(), &memory[..length]);
                Box::new(move || one(black_box(&hashes), black_box(message), number))
            });
            let of_many = MANY_LENGTHS.map(|length| -> Call<'_> {
                let hashes = hashes.clone();
                let messages: Vec<&[u8]> = memory.chunks(length).take(MANY).collect();
                Box::new(move || many(black_box(&hashes), black_box(&messages), number))
            });
            for (lines, calls) in lines.iter_mut().zip([Vec::from(of_one), of_many.into()]) {
                lines.push(Line { name: format!("{name} on {on}"), peer: false, drawn: false, calls });
            }
        }
    }
    let [of_one, of_many] = lines;
    let contests =
        || contests.iter().map(|(name, entrants)| Contest { name: name.clone(), entrants: entrants.clone() });
    let sizes = LENGTHS.map(|bytes| Size { label: length(bytes), bytes });
    let many_sizes = MANY_LENGTHS.map(|bytes| Size { label: length(bytes), bytes: MANY * bytes });
    let many_title = format!("The fastest of our hashes, {MANY} messages side by side");
    [
        Experiment::of_lines("The fastest of our hashes, one message".into(), None, "length", sizes.into(), of_one)
            .with_contests(contests().collect()),
        Experiment::of_lines(many_title, None, "length of each", many_sizes.into(), of_many)
            .with_contests(contests().collect()),
    ]
}

/// Panics if not all backends answer as the peers do.
pub(crate) fn agree(memory: &[u8]) {
    for (on, backend) in backends() {
        let hashes = Hashes::on(backend);
        for message in LENGTHS.map(|length| &memory[..length]) {
            assert_eq!(hashes.blake3.hash(message).as_bytes(), blake3_peer(message).as_bytes(), "{on}");
            assert_eq!(hashes.sha256.hash(message), sha2::Sha256::digest(message)[..], "{on}");
            assert_eq!(hashes.blake2b.hash(message).unwrap(), blake2::Blake2b512::digest(message)[..], "{on}");
            assert_eq!(hashes.blake2s.hash(message).unwrap(), blake2::Blake2s256::digest(message)[..], "{on}");
        }
        for length in MANY_LENGTHS {
            let messages: Vec<&[u8]> = memory.chunks(length).take(MANY).collect();
            let of_blake3 = hashes.blake3.hash_many(&messages);
            let of_sha256 = hashes.sha256.hash_many(&messages);
            let of_blake2b = hashes.blake2b.hash_many(&messages).unwrap();
            let of_blake2s = hashes.blake2s.hash_many(&messages).unwrap();
            assert!([of_blake3.len(), of_sha256.len(), of_blake2b.len(), of_blake2s.len()] == [MANY; 4]);
            for (i, message) in messages.into_iter().enumerate() {
                assert_eq!(of_blake3[i].as_bytes(), blake3_peer(message).as_bytes(), "{on}");
                assert_eq!(of_sha256[i], sha2::Sha256::digest(message)[..], "{on}");
                assert_eq!(of_blake2b[i], blake2::Blake2b512::digest(message)[..], "{on}");
                assert_eq!(of_blake2s[i], blake2::Blake2s256::digest(message)[..], "{on}");
            }
        }
    }
}

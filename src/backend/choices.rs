//! Which requests calls make. A digest does not show whether messages went side by side. On x86-64 alone: emulators take
//! minutes, and other machines choose by the same code.
//!
//! `tests/data/choices.txt` has, for each hash and backend, a sum of the requests of each call. With the variable
//! `SIMD_DIGEST_CHOICES=FOLDER` the test writes the requests themselves to a file there for each row, to be compared
//! with those of another commit, and its rows to the table.
#![cfg(all(target_arch = "x86_64", feature = "alloc", feature = "blake2", feature = "blake3", feature = "sha2"))]

use core::cell::RefCell;
use core::num::NonZeroU32;
use std::collections::BTreeMap;
use std::format;
use std::fs;
use std::path::Path;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::*;
use crate::{blake2b, blake2s, blake3, sha256, sha512};

std::thread_local! {
    /// The requests of this thread, if somebody asks.
    static REQUESTS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

pub(super) fn tell(request: fmt::Arguments<'_>) {
    REQUESTS.with_borrow_mut(|requests| {
        if let Some(requests) = requests {
            requests.push(request.to_string());
        }
    });
}

/// The requests that the call makes, equal neighbours as one with their number.
fn requests<T>(call: impl FnOnce() -> T) -> String {
    REQUESTS.set(Some(Vec::new()));
    call();
    let requests = REQUESTS.take().unwrap_or_default();
    let told = requests.chunk_by(|a, b| a == b).map(|alike| format!("{} x {}", alike.len(), alike[0]));
    told.collect::<Vec<_>>().join("; ")
}

/// The calls of one hash on one backend: the name of each, and its requests, a line for each input.
type Calls = [(&'static str, String); CALLS.len()];

/// The columns of the table. The last has what one hash alone can do.
const CALLS: [&str; 6] = ["one", "hash_many", "hasher_hash_many", "update_many", "finalize_many", "others"];

/// Bytes at most of the messages of one call.
const MOST: usize = 4096;

/// Around the ends of blocks, and at the thresholds of plans.
fn lengths(block: usize) -> impl Iterator<Item = usize> {
    let of_blocks = [1, 2, 3, 4, 8, 16, 17, 33].map(|blocks| blocks * block);
    [0, 1, block / 2, block / 2 + 1, block - block / 8 - 1, block - block / 8, block - 1, block + 1, 2 * block + 9]
        .into_iter()
        .chain(of_blocks)
}

/// The name of each batch, and the lengths of its messages.
fn batches(block: usize) -> Vec<(String, Vec<usize>)> {
    let numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33];
    let equal = numbers
        .into_iter()
        .flat_map(|number| lengths(block).map(move |length| (format!("{number} of {length}"), vec![length; number])));
    let mixed = numbers.into_iter().flat_map(|number| {
        [
            ("to two blocks", (0..number).map(|i| i * 37 % (2 * block)).collect()),
            ("whole blocks", (0..number).map(|i| i * block % (5 * block)).collect()),
            ("one long", (0..number).map(|i| if i == number / 2 { 12 * block } else { block / 2 }).collect()),
            ("two long", (0..number).map(|i| if i < 2 { 9 * block + i } else { i % 3 }).collect()),
            ("the last longer", (0..number).map(|i| if i + 2 < number { 64 } else { 70 * i }).collect::<Vec<_>>()),
        ]
        .map(|(kind, lengths)| (format!("{number}, {kind}"), lengths))
    });
    equal.chain(mixed).filter(|(_, lengths)| lengths.iter().sum::<usize>() <= MOST).collect()
}

/// Messages of these lengths, one behind the other, or `apart`.
fn messages<'a>(bytes: &'a [u8], lengths: &[usize], apart: usize) -> Vec<&'a [u8]> {
    let mut begin = 0;
    let place = |length: &usize| {
        let message = &bytes[begin..][..*length];
        begin += *length + apart;
        message
    };
    lengths.iter().map(place).collect()
}

/// Makes the function with the calls that every hash has. `$fixed` is what is fixed before messages come.
macro_rules! calls_of {
    ($name:ident: $hash:ident, $block:expr, $fixed:expr, $others:expr) => {
        fn $name(backend: Backend) -> Calls {
            let block = $block;
            let bytes = &vec![0; MOST + 64 * 64];
            let fixed = $fixed.with_backend(backend);
            let hasher = |held: usize| {
                let mut hasher = $hash::Hasher::new().with_backend(backend);
                hasher.update(&bytes[..held]);
                hasher
            };
            let mut calls = CALLS.map(|name| (name, String::new()));
            let mut add = |call: usize, input: String, told: String| {
                calls[call].1 += &format!("{input}: {told}\n");
            };
            for length in lengths(block).chain([1025, 3072, 5000]) {
                let message = &bytes[..length];
                let told = requests(|| fixed.hash(message));
                add(0, format!("hash {length}"), told);
                let told = requests(|| hasher(block / 2).update(message).finalize());
                add(0, format!("update {length}"), told);
            }
            for (name, lengths) in batches(block) {
                let mut hashes = vec![$hash::hash(b""); lengths.len()];
                for apart in [0, 3] {
                    let messages = messages(bytes, &lengths, apart);
                    let told = requests(|| fixed.hash_many_into(&messages, &mut hashes).unwrap());
                    add(1, format!("{name}, {apart}"), told);
                }
                let messages = messages(bytes, &lengths, 1);
                for held in [0, 10, block, 1000, 2050] {
                    let begun = hasher(held);
                    let told = requests(|| begun.hash_many_into(&messages, &mut hashes).unwrap());
                    add(2, format!("{name}, {held}"), told);
                }
                for held in [0, 1, block] {
                    let mut hashers: Vec<_> = messages.iter().map(|_| hasher(held)).collect();
                    let told = requests(|| {
                        $hash::update_many(&mut hashers.iter_mut().zip(messages.iter().copied()).collect::<Vec<_>>())
                    });
                    add(3, format!("{name}, {held}"), told);
                }
                let hashers: Vec<_> = lengths.iter().map(|length| hasher(*length)).collect();
                let hashers: Vec<_> = hashers.iter().collect();
                let told = requests(|| $hash::finalize_many(&hashers, &mut hashes).unwrap());
                add(4, name, told);
            }
            $others(backend, bytes, &mut |input, told| add(5, input, told));
            calls
        }
    };
}

calls_of!(calls_of_blake2b: blake2b, 128, blake2b::Params::new(), others_of_blake2b);
calls_of!(calls_of_blake2s: blake2s, 64, blake2s::Params::new(), others_of_blake2s);
calls_of!(calls_of_blake3: blake3, 64, blake3::Mode::keyed(&[0; 32]), others_of_blake3);
calls_of!(calls_of_sha256: sha256, 64, sha256::Batch::new(), others_of_sha256);
calls_of!(calls_of_sha512: sha512, 128, sha512::Batch::new(), others_of_sha512);

/// Takes an input and the requests.
type Add<'a> = &'a mut dyn FnMut(String, String);

/// Makes the function for one of both hashes. The lengths of messages are in blocks and eighths of a block.
macro_rules! others_of_blake2 {
    ($name:ident: $hash:ident, $block:expr) => {
        fn $name(backend: Backend, bytes: &[u8], add: Add<'_>) {
            let params = $hash::Params::new().with_backend(backend).fanout(0).max_depth(2).inner_hash_length(32);
            let tree = params.max_leaf_length(4 * $block).tree().unwrap();
            let mut parallel = $hash::Parallel::default().with_backend(backend);
            for length in [0, 1, 3, 8, 9, 32, 40, 64, 96, 130, 250].map(|eighths| eighths * $block / 8) {
                let told = requests(|| tree.hash(&bytes[..length]));
                add(format!("tree {length}"), told);
                let told = requests(|| parallel.update(&bytes[..length]).finalize());
                add(format!("parallel {length}"), told);
            }
        }
    };
}

others_of_blake2!(others_of_blake2b: blake2b, 128);
others_of_blake2!(others_of_blake2s: blake2s, 64);

fn others_of_blake3(backend: Backend, bytes: &[u8], add: Add<'_>) {
    let mode = blake3::Mode::keyed(&[0; 32]).with_backend(backend);
    let mut out = vec![0; 1200];
    for length in [0, 1, 32, 64, 65, 128, 129, 192, 256, 257, 512, 1024, 1100] {
        add(format!("output {length}"), requests(|| mode.hash_xof(b"").fill(&mut out[..length])));
    }
    // A digest after each piece.
    for piece in [64, 500, 1024, 3000] {
        let mut hasher = mode.hasher();
        for (i, data) in bytes.chunks(piece).enumerate() {
            let told = requests(|| hasher.update(data).finalize());
            add(format!("{piece}, piece {i}"), told);
        }
    }
}

/// Makes the function for SHA-256 or SHA-512.
macro_rules! others_of_sha2 {
    ($name:ident: $hash:ident, $block:expr) => {
        fn $name(backend: Backend, bytes: &[u8], add: Add<'_>) {
            let batch = $hash::Batch::new().with_backend(backend);
            let key = $hash::HmacKey::new(b"key").with_backend(backend);
            let nodes = bytes.as_chunks::<$block>().0;
            for number in (0..=9).chain([15, 16, 17, 31, 32, 33, 40]) {
                let digests = &mut [[0; $block / 2]; 40][..number];
                add(format!("nodes {number}"), requests(|| batch.hash_nodes(&nodes[..number], digests).unwrap()));
                let tags = &mut [$hash::hash(b""); 40][..number];
                for length in [0, 1, $block, $block + 9] {
                    let messages = &[&bytes[..length]; 40][..number];
                    let told = requests(|| key.hash_many_into(messages, tags).unwrap());
                    add(format!("HMAC {number}, {length}"), told);
                }
                let inputs = &[(b"password", b"salt"); 40][..number];
                let told = requests(|| batch.pbkdf2_many(inputs, TWICE, digests).unwrap());
                add(format!("PBKDF2 {number}"), told);
            }
        }
    };
}

/// Rounds of PBKDF2.
const TWICE: NonZeroU32 = NonZeroU32::new(2).unwrap();

others_of_sha2!(others_of_sha512: sha512, 128);
others_of_sha2!(macs_of_sha256: sha256, 64);

fn others_of_sha256(backend: Backend, bytes: &[u8], add: Add<'_>) {
    macs_of_sha256(backend, bytes, add);
    let batch = sha256::Batch::new().with_backend(backend);
    let nodes = bytes.as_chunks().0;
    for number in (0..=9).chain([15, 16, 17, 31, 32, 33, 40]) {
        let digests = &mut [[0; 32]; 40][..number];
        let told = requests(|| batch.hash_nodes_twice(&nodes[..number], digests).unwrap());
        add(format!("twice {number}"), told);
        let mut level = vec![[0; 32]; 2 * number];
        let told = requests(|| batch.hash_nodes_in_place(&mut level));
        add(format!("in place {number}"), told);
    }
}

/// This backend, and what it would be on another CPU with its instruction set. Where a hash has no extension, it is as
/// without one.
fn variants(backend: Backend, has_extension: bool) -> BTreeMap<String, Backend> {
    let mut all = BTreeMap::new();
    for extension in [false, has_extension] {
        // No other choice depends on the family.
        let has_families = extension && backend.sha();
        for family in 0..if has_families { 4 } else { 1 } {
            let mut variant = if extension { backend } else { backend.without_sha() };
            variant.tuning = Tuning::new(family & 1 == 1, family & 2 == 2);
            let mut name = String::from(backend.name());
            for (part, has) in
                [("sha", variant.sha()), ("intel", variant.tuning.intel_sha()), ("zen4", variant.tuning.before_zen5())]
            {
                if has {
                    name = format!("{name}+{part}");
                }
            }
            all.insert(name, variant);
        }
    }
    all
}

#[test]
fn choices_are_those_of_the_table() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    if !data.exists() {
        return; // a published package
    }
    let table = data.join("choices.txt");
    let text = fs::read_to_string(&table).unwrap_or_default();
    let mut rows: BTreeMap<_, _> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    let written = std::env::var("SIMD_DIGEST_CHOICES");
    let mut now = BTreeMap::new();
    for backend in Backend::available() {
        for (hash, has_extension, calls) in [
            ("blake2b", false, calls_of_blake2b as fn(Backend) -> Calls),
            ("blake2s", false, calls_of_blake2s),
            ("blake3", false, calls_of_blake3),
            ("sha256", true, calls_of_sha256),
            ("sha512", false, calls_of_sha512),
        ] {
            for (name, variant) in variants(backend, has_extension) {
                let calls = calls(variant);
                let row = format!("{hash} {name}");
                if let Ok(folder) = &written {
                    let all: String = calls.iter().map(|(name, told)| format!("{name}\n{told}\n")).collect();
                    fs::write(Path::new(folder).join(&row), all).unwrap();
                }
                let sums = calls.map(|(_, told)| format!("{:.8}", sha256::hash(told.as_bytes()).to_hex())).join(" ");
                now.insert(row, sums);
            }
        }
    }
    if written.is_ok() {
        rows.extend(now.iter().map(|(row, sums)| (row.as_str(), sums.as_str())));
        let lines = rows.iter().map(|(row, sums)| format!("{row}: {sums}\n"));
        fs::write(&table, lines.collect::<String>()).unwrap();
    }
    for (row, sums) in &now {
        assert_eq!(rows.get(row.as_str()).copied(), Some(sums.as_str()), "{row}, {CALLS:?}: see SIMD_DIGEST_CHOICES");
    }
}

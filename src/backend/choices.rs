//! A test of the requests that calls make to a backend: how many messages go side by side, and how far. Digests do not
//! show it.
//!
//! `choices.txt` has checksums of these requests: a row for each function and backend, a column for each call. With the
//! variable `SIMD_DIGEST_CHOICES=FOLDER` the test writes its rows to the table, and the requests to that folder, which
//! must exist, to be compared with those of another commit. The test does not see how a backend answers. It is for x86-64
//! alone, because emulators take minutes for it.
#![cfg(all(target_arch = "x86_64", feature = "alloc", feature = "blake2", feature = "blake3", feature = "sha2"))]

use core::cell::RefCell;
use core::num::NonZeroU32;
use std::collections::BTreeMap;
use std::format;
use std::fs;
use std::path::Path;
use std::string::String;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::kernel::sha2::{Message, Sha2Word};
use crate::{blake2b, blake2s, blake3, sha256, sha512};

std::thread_local! {
    /// The requests of this thread, if somebody asks.
    static REQUESTS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Records a request, if somebody asks.
pub(super) fn tell(request: impl FnOnce() -> String) {
    REQUESTS.with_borrow_mut(|requests| {
        if let Some(requests) = requests {
            requests.push(request());
        }
    });
}

/// The number of blocks of each message.
pub(super) fn blocks_of<W: Sha2Word>(messages: &[Message<'_, W>]) -> Vec<usize> {
    messages.iter().map(Message::number).collect()
}

/// The requests that `call` makes. Equal ones that follow each other are one with their number.
fn requests<T>(call: impl FnOnce() -> T) -> String {
    REQUESTS.set(Some(Vec::new()));
    call();
    let requests = REQUESTS.take().unwrap_or_default();
    let told = requests.chunk_by(|a, b| a == b).map(|alike| format!("{} x {}", alike.len(), alike[0]));
    told.collect::<Vec<_>>().join("; ")
}

/// The columns of the table.
#[derive(Clone, Copy)]
enum Call {
    One,
    HashMany,
    /// `Hasher::hash_many`.
    Tails,
    UpdateMany,
    UpdateEach,
    FinalizeMany,
    /// The calls that not every function has.
    Others,
}

const CALLS: [&str; 7] =
    ["one message", "hash_many", "Hasher::hash_many", "update_many", "update_each", "finalize_many", "others"];

/// The requests of one function on one backend: for each column a line for each input.
#[derive(Default)]
struct Row([String; CALLS.len()]);

impl Row {
    fn add(&mut self, call: Call, input: fmt::Arguments<'_>, requests: &str) {
        self.0[call as usize] += &format!("{input}: {requests}\n");
    }
}

/// Bytes of the messages of a batch at most, in blocks. Without optimisation a backend hashes few.
const MOST: usize = 32;

/// Lengths of messages: around the ends of blocks, and of as many blocks as plans ask for.
fn lengths(block: usize) -> impl Iterator<Item = usize> {
    let of_blocks = [1, 2, 3, 4, 8, 16, 17].map(|blocks| blocks * block);
    [0, 1, block / 2, block / 2 + 1, block - block / 8 - 1, block - block / 8, block - 1, block + 1, 2 * block + 9]
        .into_iter()
        .chain(of_blocks)
}

/// The name of each batch, and the lengths of its messages.
fn batches(block: usize) -> Vec<(String, Vec<usize>)> {
    let numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 65, 129];
    let equal = numbers
        .into_iter()
        .flat_map(|number| lengths(block).map(move |length| (format!("{number} of {length}"), vec![length; number])));
    let mixed = numbers.into_iter().flat_map(|number| {
        [
            ("to two blocks", (0..number).map(|i| i * 37 % (2 * block)).collect()),
            ("whole blocks", (0..number).map(|i| i * block % (5 * block)).collect()),
            ("one long", (0..number).map(|i| if i == number / 2 { 12 * block } else { block / 2 }).collect()),
            ("two long", (0..number).map(|i| if i < 2 { 9 * block + i } else { i % 3 }).collect()),
            ("the last two longer", (0..number).map(|i| if i + 2 < number { 64 } else { 70 * i }).collect::<Vec<_>>()),
        ]
        .map(|(kind, lengths)| (format!("{number}, {kind}"), lengths))
    });
    let most = MOST * block;
    let mut batches: Vec<_> = equal.chain(mixed).filter(|(_, lengths)| lengths.iter().sum::<usize>() <= most).collect();
    for (number, blocks) in [(3, 18), (5, 18), (2, 40), (4, 40)] {
        batches.push((format!("{number} of {blocks} blocks"), vec![blocks * block; number]));
        batches.push((
            format!("{number} to {blocks} blocks"),
            (1..=number).map(|i| i * blocks * block / number).collect(),
        ));
    }
    batches
}

/// Messages of these lengths, each one byte behind the one before.
fn messages_of<'a>(bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut begin = 0;
    let place = |length: &usize| {
        let message = &bytes[begin..][..*length];
        begin += *length + 1;
        message
    };
    lengths.iter().map(place).collect()
}

/// Makes a function that fills a row. `$fixed` is what is fixed before messages come, and `$others` adds the last column.
macro_rules! row_of {
    ($name:ident: $hash:ident, $block:expr, $fixed:expr, $others:expr) => {
        fn $name(backend: Backend) -> Row {
            let bytes = &vec![0; 200 * $block];
            let fixed = $fixed.with_backend(backend);
            let after = |held: usize| {
                let mut hasher = $hash::Hasher::new().with_backend(backend);
                hasher.update(&bytes[..held]);
                hasher
            };
            let mut row = Row::default();
            for length in lengths($block).chain([1025, 3072, 5000]) {
                let message = &bytes[..length];
                row.add(Call::One, format_args!("hash {length}"), &requests(|| fixed.hash(message)));
                let mut hasher = after($block / 2);
                let told = requests(|| hasher.update(message).finalize());
                row.add(Call::One, format_args!("update {length}"), &told);
            }
            let (begun, held) = ([10, $block, 2050].map(|held| (held, after(held))), [0, 1, $block].map(after));
            for (name, lengths) in batches($block) {
                let messages = messages_of(bytes, &lengths);
                let mut hashes = vec![$hash::hash(b""); lengths.len()];
                let told = requests(|| fixed.hash_many_into(&messages, &mut hashes).unwrap());
                row.add(Call::HashMany, format_args!("{name}"), &told);
                for (held, begun) in &begun {
                    let told = requests(|| begun.hash_many_into(&messages, &mut hashes).unwrap());
                    row.add(Call::Tails, format_args!("{name}, {held}"), &told);
                }
                for (number, held) in held.iter().enumerate() {
                    let mut hashers = vec![held.clone(); messages.len()];
                    let mut updates: Vec<_> = hashers.iter_mut().zip(messages.iter().copied()).collect();
                    let told = requests(|| $hash::update_many(&mut updates));
                    row.add(Call::UpdateMany, format_args!("{name}, {number}"), &told);
                    let hashers: Vec<_> = hashers.iter().collect();
                    let told = requests(|| $hash::finalize_many(&hashers, &mut hashes).unwrap());
                    row.add(Call::FinalizeMany, format_args!("{name}, {number}"), &told);
                }
                let mut hashers = vec![held[1].clone(); messages.len()];
                let jobs = hashers.iter_mut().zip(&messages).map(|(hasher, message)| ((), hasher, *message));
                let told = requests(|| $hash::update_each(backend, jobs, |()| {}));
                row.add(Call::UpdateEach, format_args!("{name}"), &told);
            }
            $others(backend, bytes, &mut row);
            row
        }
    };
}

row_of!(blake2b: blake2b, 128, blake2b::Params::new(), others_of_blake2b);
row_of!(blake2s: blake2s, 64, blake2s::Params::new(), others_of_blake2s);
row_of!(blake3: blake3, 64, blake3::Mode::keyed(&[0; 32]), others_of_blake3);
row_of!(sha256: sha256, 64, sha256::Batch::new(), others_of_sha256);
row_of!(sha512: sha512, 128, sha512::Batch::new(), others_of_sha512);

/// Makes the function that adds trees and BLAKE2bp, or BLAKE2sp.
macro_rules! others_of_blake2 {
    ($name:ident: $hash:ident, $block:expr) => {
        fn $name(backend: Backend, bytes: &[u8], row: &mut Row) {
            let params = $hash::Params::new().with_backend(backend).fanout(0).max_depth(2).inner_hash_length(32);
            let tree = params.max_leaf_length(4 * $block).tree().unwrap();
            let mut parallel = $hash::Parallel::default().with_backend(backend);
            let mut keyed = $hash::Params::new().key(&[7; 3]).parallel().unwrap().with_backend(backend);
            for length in [0, 1, 3, 8, 9, 32, 40, 64, 96, 130, 250].map(|eighths| eighths * $block / 8) {
                let told = requests(|| tree.hash(&bytes[..length]));
                row.add(Call::Others, format_args!("tree {length}"), &told);
                let told = requests(|| parallel.update(&bytes[..length]).finalize());
                row.add(Call::Others, format_args!("parallel {length}"), &told);
                let told = requests(|| keyed.reset().update(&bytes[..length]).finalize());
                row.add(Call::Others, format_args!("keyed parallel {length}"), &told);
            }
        }
    };
}

others_of_blake2!(others_of_blake2b: blake2b, 128);
others_of_blake2!(others_of_blake2s: blake2s, 64);

/// Adds output, digests after each piece, messages that lie one behind the other, and messages of several chunks.
fn others_of_blake3(backend: Backend, bytes: &[u8], row: &mut Row) {
    let mode = blake3::Mode::keyed(&[0; 32]).with_backend(backend);
    let mut out = vec![0; 1200];
    for length in [0, 1, 32, 64, 65, 128, 129, 192, 256, 257, 512, 1024, 1100] {
        let told = requests(|| mode.hash_xof(b"").fill(&mut out[..length]));
        row.add(Call::Others, format_args!("output {length}"), &told);
    }
    for piece in [64, 500, 1024, 3000] {
        let mut hasher = mode.hasher();
        for (i, data) in bytes.chunks(piece).enumerate() {
            let told = requests(|| hasher.update(data).finalize());
            row.add(Call::Others, format_args!("{piece}, piece {i}"), &told);
        }
    }
    let hashes = &mut [blake3::hash(b""); 40];
    for length in [64, 100, 256] {
        let messages: Vec<_> = bytes.chunks_exact(length).take(40).collect();
        let told = requests(|| mode.hash_many_into(&messages, &mut hashes[..messages.len()]).unwrap());
        row.add(Call::Others, format_args!("neighbours of {length}"), &told);
    }
    let (bytes, mut begun) = (vec![0; 20 << 10], mode.hasher());
    begun.update(b"begun");
    for (number, kib) in [(3, 3), (3, 9), (3, 16), (3, 20), (6, 3), (7, 3), (7, 9)] {
        let (messages, hashes) = (&[&bytes[..kib << 10]; 7][..number], &mut hashes[..number]);
        let told = requests(|| mode.hash_many_into(messages, hashes).unwrap());
        row.add(Call::Others, format_args!("{number} of {kib} KiB"), &told);
        let told = requests(|| begun.hash_many_into(messages, hashes).unwrap());
        row.add(Call::Others, format_args!("{number} tails of {kib} KiB"), &told);
    }
}

/// Makes the function that adds nodes, HMAC and PBKDF2.
macro_rules! others_of_sha2 {
    ($name:ident: $hash:ident, $block:expr) => {
        fn $name(backend: Backend, bytes: &[u8], row: &mut Row) {
            let batch = $hash::Batch::new().with_backend(backend);
            let key = $hash::HmacKey::new(b"key").with_backend(backend);
            let nodes = bytes.as_chunks::<$block>().0;
            for number in NUMBERS {
                let digests = &mut [[0; $block / 2]; 40][..number];
                let told = requests(|| batch.hash_nodes(&nodes[..number], digests).unwrap());
                row.add(Call::Others, format_args!("nodes {number}"), &told);
                let tags = &mut [$hash::hash(b""); 40][..number];
                for length in [0, 1, $block, $block + 9] {
                    let messages = &[&bytes[..length]; 40][..number];
                    let told = requests(|| key.hash_many_into(messages, tags).unwrap());
                    row.add(Call::Others, format_args!("HMAC {number} of {length}"), &told);
                }
                let inputs = &[(b"password", b"salt"); 40][..number];
                let told = requests(|| batch.pbkdf2_many(inputs, TWICE, digests).unwrap());
                row.add(Call::Others, format_args!("PBKDF2 {number}"), &told);
            }
        }
    };
}

/// How many nodes, tags or keys.
const NUMBERS: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 40];
/// Rounds of PBKDF2.
const TWICE: NonZeroU32 = NonZeroU32::new(2).unwrap();

others_of_sha2!(others_of_sha512: sha512, 128);
others_of_sha2!(those_of_sha512_too: sha256, 64);

/// Adds nodes that are hashed twice, and levels in place.
fn others_of_sha256(backend: Backend, bytes: &[u8], row: &mut Row) {
    those_of_sha512_too(backend, bytes, row);
    let batch = sha256::Batch::new().with_backend(backend);
    let nodes = bytes.as_chunks().0;
    for number in NUMBERS {
        let digests = &mut [[0; 32]; 40][..number];
        let told = requests(|| batch.hash_nodes_twice(&nodes[..number], digests).unwrap());
        row.add(Call::Others, format_args!("twice {number}"), &told);
        let mut level = vec![[0; 32]; 2 * number];
        let told = requests(|| batch.hash_nodes_in_place(&mut level));
        row.add(Call::Others, format_args!("in place {number}"), &told);
    }
}

/// Families of CPU with SHA-NI.
const FAMILIES: [(&str, &[&str]); 3] = [("+intel", &["intel"]), ("", &[]), ("+before_zen5", &["before zen5"])];

/// This backend as it is without SHA-NI, and with it on the first `families` of CPU.
fn variants(backend: Backend, families: usize) -> BTreeMap<String, Backend> {
    let mut variants = BTreeMap::from([(String::from(backend.name()), backend.without_sha())]);
    for (family, list) in FAMILIES.iter().take(families).filter(|_| backend.sha()) {
        let tuning = backend.isa.tuning(backend.sha, Cpu { list: Some(list), last: cpu::Leaf::SeventhOne });
        variants.insert(format!("{backend}+sha{family}"), Backend { tuning, ..backend });
    }
    variants
}

/// Whether this CPU has the backend of this row.
fn is_of_this_cpu(row: &str) -> bool {
    let backend = row.split_once(' ').map_or("", |(_, backend)| backend);
    let (isa, extension) = backend.split_once('+').unwrap_or((backend, ""));
    Backend::available().any(|backend| backend.name() == isa && (extension.is_empty() || backend.sha()))
}

#[test]
fn choices_are_those_of_the_table() {
    let known: BTreeMap<_, _> = include_str!("choices.txt").lines().filter_map(|line| line.split_once(": ")).collect();
    let folder = std::env::var("SIMD_DIGEST_CHOICES");
    let (mut differ, mut made) = (Vec::new(), BTreeMap::new());
    for backend in Backend::available() {
        for (function, families, row_of) in [
            ("blake2b", 0, blake2b as fn(Backend) -> Row),
            ("blake2s", 0, blake2s),
            ("blake3", 1, blake3),
            ("sha256", FAMILIES.len(), sha256),
            ("sha512", 0, sha512),
        ] {
            for (name, variant) in variants(backend, families) {
                let name = format!("{function} {name}");
                let row = row_of(variant).0;
                if let Ok(folder) = &folder {
                    let told: String = CALLS.iter().zip(&row).map(|(call, told)| format!("{call}\n{told}\n")).collect();
                    fs::write(Path::new(folder).join(&name), told).unwrap();
                }
                let checksums = row.map(|told| format!("{:.5}", sha256::hash(told.as_bytes()).to_hex()));
                let mut expected = known.get(name.as_str()).copied().unwrap_or_default().split(' ');
                differ.extend(
                    CALLS
                        .iter()
                        .zip(&checksums)
                        .filter(|(_, now)| expected.next() != Some(now))
                        .map(|(call, _)| format!("{name}: {call}")),
                );
                made.insert(name, checksums.join(" "));
            }
        }
    }
    differ.extend(
        known
            .keys()
            .filter(|row| is_of_this_cpu(row) && !made.contains_key(**row))
            .map(|row| format!("{row}: no more")),
    );
    if folder.is_ok() {
        let mut all = known.clone();
        all.extend(made.iter().map(|(row, checksums)| (row.as_str(), checksums.as_str())));
        let table: String = all.iter().map(|(row, checksums)| format!("{row}: {checksums}\n")).collect();
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/backend/choices.txt"), table).unwrap();
    }
    assert!(differ.is_empty(), "other requests than in the table: {differ:#?}");
    assert!(known.len() >= 5, "the table has rows");
}

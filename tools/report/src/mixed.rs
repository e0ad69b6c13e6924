//! Sections of all hashes: messages of unequal lengths, two and three short ones, and the traits of `digest` beside
//! `hash`.

use core::hint::black_box;

use simd_digest::blake3::Mode;
use simd_digest::{
    Blake2b512, Blake2s256, Blake3, Digest, Sha256, Sha512, blake2b, blake2s, blake3 as our_blake3, sha256, sha512,
};

use crate::contenders::keep;
use crate::experiment::{Call, Experiment, Line, Size, length};

/// Numbers of messages of 0 to [`LONGEST`] bytes.
const COUNTS: [usize; 2] = [64, 8192];
const LONGEST: usize = 512;
/// Messages of a call for a few.
const FEW: [&[usize]; 8] = [&[32; 2], &[32; 3], &[64; 2], &[64; 3], &[128; 2], &[128; 3], &[1, 100], &[0, 65, 129]];
const LENGTHS: [usize; 2] = [64, 128];
const KEY: &[u8; 32] = b"a key of 32 bytes, as most have.";

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = 1 << 20;

/// A hash of ours, and the best peer's.
struct Hash {
    name: &'static str,
    hash: fn(&[u8]),
    digest: fn(&[u8]),
    hash_many: fn(&[&[u8]]),
    hash_each: fn(&[&[u8]]),
    peer: &'static str,
    peer_hash: fn(&[u8]),
    /// Panics if not all answer the same to the same question.
    agree: fn(&[&[u8]]),
}

macro_rules! hash {
    ($name:literal, $ours:ident, $Digest:ty, $peer:literal, $peer_hash:expr) => {
        Hash {
            name: $name,
            hash: |message| keep($ours::hash(message)),
            digest: |message| keep(<$Digest>::digest(message)),
            hash_many: |messages| keep($ours::hash_many(messages)),
            hash_each: |messages| keep(messages.iter().map(|message| $ours::hash(message)).collect::<Vec<_>>()),
            peer: $peer,
            peer_hash: |message| keep($peer_hash(message)),
            agree: |messages| {
                let ours = $ours::hash_many(messages);
                assert_eq!(ours.len(), messages.len());
                for (ours, message) in ours.iter().zip(messages) {
                    assert_eq!(ours.as_bytes()[..], $peer_hash(message)[..]);
                    assert_eq!(*ours, $ours::hash(message));
                    assert_eq!(ours.as_bytes()[..], <$Digest>::digest(message)[..]);
                }
            },
        }
    };
}

const HASHES: [Hash; 5] = [
    hash!("BLAKE2b", blake2b, Blake2b512, "blake2", blake2::Blake2b512::digest),
    hash!("BLAKE2s", blake2s, Blake2s256, "blake2", blake2::Blake2s256::digest),
    hash!("SHA-256", sha256, Sha256, "sha2", sha2::Sha256::digest),
    hash!("SHA-512", sha512, Sha512, "sha2", sha2::Sha512::digest),
    hash!("BLAKE3", our_blake3, Blake3, "blake3", |message: &[u8]| *blake3::hash(message).as_bytes()),
];

/// Messages of 0 to [`LONGEST`] bytes, as a linear congruential generator gives them.
fn ragged(memory: &[u8], count: usize) -> Vec<&[u8]> {
    let mut state = 7_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % limit as u64).expect("below a limit of this type")
    };
    let message = |_| &memory[below(MEMORY - LONGEST)..][..below(LONGEST + 1)];
    (0..count).map(message).collect()
}

/// Each from another place.
fn few<'a>(memory: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    lengths.iter().enumerate().map(|(i, &length)| &memory[1000 * i..][..length]).collect()
}

fn line<'a>(name: &str, peer: bool, calls: Vec<Call<'a>>) -> Line<'a> {
    Line { name: name.into(), peer, drawn: false, calls }
}

/// Ragged messages, a few, a few with a key, and the traits, of each hash.
pub(crate) fn experiments(memory: &[u8]) -> Vec<Experiment<'_>> {
    let of_ragged = HASHES.iter().map(|hash| of_ragged(hash, memory));
    let of_few = HASHES.iter().map(|hash| of_few(hash.name, memory, hash.hash_many, hash.hash_each));
    let by_traits = HASHES.iter().map(|hash| by_traits(hash, memory));
    of_ragged.chain(of_few).chain(of_few_keyed(memory)).chain(by_traits).collect()
}

fn of_ragged<'a>(hash: &Hash, memory: &'a [u8]) -> Experiment<'a> {
    let messages = COUNTS.map(|count| ragged(memory, count));
    let sizes = messages.each_ref().map(|messages| Size {
        label: messages.len().to_string(),
        bytes: messages.iter().map(|message| message.len()).sum(),
    });
    let many = hash.hash_many;
    let in_loop = |one: fn(&[u8])| -> Vec<Call<'a>> {
        let calls = messages.iter().cloned();
        let calls = calls.map(|messages| -> Call<'a> {
            Box::new(move || black_box(&messages).iter().for_each(|message| one(message)))
        });
        calls.collect()
    };
    let of_many = messages.iter().cloned();
    let of_many = of_many.map(|messages| -> Call<'a> { Box::new(move || many(black_box(&messages))) });
    let lines = vec![
        line("simd-digest `hash_many`", false, of_many.collect()),
        line("simd-digest, one by one", false, in_loop(hash.hash)),
        line(&format!("{}, one by one", hash.peer), true, in_loop(hash.peer_hash)),
    ];
    let title = format!("{} of messages of 0 to {LONGEST} B, the peer in a loop", hash.name);
    Experiment::of_lines(title, None, "messages", sizes.into(), lines)
}

/// Both write to the heap.
fn of_few<'a>(
    name: &str,
    memory: &'a [u8],
    many: impl Fn(&[&[u8]]) + Clone + 'a,
    each: impl Fn(&[&[u8]]) + Clone + 'a,
) -> Experiment<'a> {
    let sizes = FEW.map(|lengths| {
        let labels: Vec<_> = lengths.iter().map(|&bytes| length(bytes)).collect();
        Size { label: labels.join(", "), bytes: lengths.iter().sum() }
    });
    let of_many = FEW.map(|lengths| -> Call<'a> {
        let (messages, many) = (few(memory, lengths), many.clone());
        Box::new(move || many(black_box(&messages)))
    });
    let of_each = FEW.map(|lengths| -> Call<'a> {
        let (messages, each) = (few(memory, lengths), each.clone());
        Box::new(move || each(black_box(&messages)))
    });
    let lines = vec![
        line("simd-digest `hash_many`", false, of_many.into()),
        line("simd-digest, `hash` of each", true, of_each.into()),
    ];
    Experiment::of_lines(format!("{name} of a few short messages"), None, "lengths", sizes.into(), lines)
}

fn of_few_keyed(memory: &[u8]) -> [Experiment<'_>; 3] {
    macro_rules! blake2 {
        ($name:literal, $ours:ident) => {{
            let params = $ours::Params::new().key(KEY);
            let each = params.clone();
            let one = move |message: &&[u8]| each.hash(message).expect("a key in range");
            of_few(
                concat!($name, " with a key"),
                memory,
                move |messages| keep(params.hash_many(messages).expect("a key in range")),
                move |messages| keep(messages.iter().map(&one).collect::<Vec<_>>()),
            )
        }};
    }
    let mode = Mode::keyed(KEY);
    let each = mode.clone();
    [
        blake2!("BLAKE2b", blake2b),
        blake2!("BLAKE2s", blake2s),
        of_few(
            "BLAKE3 with a key",
            memory,
            move |messages| keep(mode.hash_many(messages)),
            move |messages| keep(messages.iter().map(|message| each.hash(message)).collect::<Vec<_>>()),
        ),
    ]
}

fn by_traits<'a>(hash: &Hash, memory: &'a [u8]) -> Experiment<'a> {
    let calls = |one: fn(&[u8])| -> Vec<Call<'a>> {
        let calls = LENGTHS.map(|length| -> Call<'a> {
            let message = &memory[..length];
            Box::new(move || one(black_box(message)))
        });
        calls.into()
    };
    let lines = vec![
        line("simd-digest, as `Digest`", false, calls(hash.digest)),
        line("simd-digest `hash`", true, calls(hash.hash)),
    ];
    let sizes = LENGTHS.map(|bytes| Size { label: length(bytes), bytes });
    Experiment::of_lines(format!("{} as `Digest` and by `hash`", hash.name), None, "length", sizes.into(), lines)
}

/// Panics if not all answer the same to the same question.
pub(crate) fn agree(memory: &[u8]) {
    for messages in COUNTS.map(|count| ragged(memory, count)).into_iter().chain(FEW.map(|lengths| few(memory, lengths)))
    {
        HASHES.iter().for_each(|hash| (hash.agree)(&messages));
        let params = blake2b::Params::new().key(KEY);
        let each = messages.iter().map(|message| params.hash(message));
        assert_eq!(params.hash_many(&messages), each.collect::<Result<_, _>>());
        let params = blake2s::Params::new().key(KEY);
        let each = messages.iter().map(|message| params.hash(message));
        assert_eq!(params.hash_many(&messages), each.collect::<Result<_, _>>());
        let each = messages.iter().map(|message| our_blake3::keyed_hash(KEY, message));
        assert_eq!(Mode::keyed(KEY).hash_many(&messages), each.collect::<Vec<_>>());
    }
}

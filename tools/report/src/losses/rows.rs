//! The rows of the list, which depend neither on the CPU nor on the features.

use core::hint::black_box;

use simd_digest::blake3::hazmat::{merge_subtrees_non_root, subtrees};
use simd_digest::blake3::{self as our_blake3, Mode};
use simd_digest::digest::{ExtendableOutput as _, XofReader as _};
use simd_digest::{Blake3, blake2b, blake2s, sha256, sha512};

#[cfg(feature = "peers")]
use super::ways::{
    AwsLcSha256, AwsLcSha512, RingSha256, RingSha512, RscryptoBlake2b, RscryptoBlake2s, RscryptoBlake3, RscryptoSha256,
    RscryptoSha512,
};
use super::ways::{
    Blake2bSimd, Blake2sSimd, ByTraits, KEY, OurBlake2b, OurBlake2s, OurBlake3, OurSha256, OurSha512, PeerBlake3, Way,
};
use crate::experiment::length;

/// Writes what is computed to the slice, which has the row's length.
pub(crate) type Job = Box<dyn FnMut(&mut [u8])>;

/// A job of ours, and the jobs of peers with the same result.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Bytes of the result.
    pub(crate) output: usize,
    pub(crate) ours: Job,
    pub(crate) peers: Vec<(&'static str, Job)>,
}

/// The bytes that all rows need.
pub(crate) const MEMORY: usize = 5 << 20;

const LENGTHS: [usize; 23] = [
    0,
    1,
    8,
    32,
    64,
    100,
    128,
    256,
    512,
    768,
    1 << 10,
    2 << 10,
    3 << 10,
    4 << 10,
    5 << 10,
    6 << 10,
    7 << 10,
    8 << 10,
    12 << 10,
    16 << 10,
    64 << 10,
    1 << 20,
    5 << 20,
];
/// Lengths of messages with a tag.
const TAGGED: [usize; 8] = [0, 32, 64, 100, 128, 1 << 10, 16 << 10, 1 << 20];
/// Bytes of a write, and of the message that is written.
const WRITES: [usize; 8] = [1, 8, 64, 100, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
const WRITTEN: usize = 256 << 10;
/// Lengths of messages with a digest after each write, and bytes of a write.
const DIGESTED: [(usize, usize); 5] =
    [(1 << 10, 64), (4 << 10, 64), (16 << 10, 64), (64 << 10, 64), (64 << 10, 1 << 10)];
/// Messages of a batch, and the bytes of each.
const NUMBERS: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 16, 64];
const EACH: [usize; 5] = [0, 16, 64, 100, 1 << 10];
const LONG: [(usize, usize); 3] = [(4, 16 << 10), (16, 16 << 10), (64, 16 << 10)];
/// Messages of mixed lengths, of 1 to 512 bytes.
const MIXED: [usize; 3] = [4, 16, 64];
const NODES: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 32, 1024];
const CONTEXT: &str = "simd-digest 2026-11-22 report: a key for each tenant";

/// The names of rows, the lengths of their results, and the jobs of one library for them.
type Jobs = Vec<(String, usize, Option<Job>)>;

/// Pairs the jobs of ours with those of the peers.
fn pair(rows: &mut Vec<Row>, hash: &str, ours: Jobs, peers: Vec<(&'static str, Jobs)>) {
    let mut peers: Vec<_> = peers.into_iter().map(|(name, jobs)| (name, jobs.into_iter())).collect();
    for (name, output, ours) in ours {
        let jobs = peers.iter_mut().filter_map(|(peer, jobs)| {
            let (own, _, job) = jobs.next().expect("all have as many");
            assert_eq!(own, name);
            Some((*peer, job?))
        });
        let peers = jobs.collect();
        let ours = ours.expect("ours has all");
        rows.push(Row { name: format!("{hash}: {name}"), output, ours, peers });
    }
}

/// All jobs of one message.
fn one_message<W: Way>(memory: &'static [u8]) -> Jobs {
    let mut jobs = Jobs::new();
    let mut add = |name: String, job: Option<Job>| jobs.push((name, W::size(), job));
    for bytes in LENGTHS {
        let message = &memory[..bytes];
        add(format!("hash {}", length(bytes)), Some(Box::new(move |out| W::hash(black_box(message), out))));
    }
    for bytes in LENGTHS {
        let (message, mut hasher) = (&memory[..bytes], W::hasher());
        let again = move |out: &mut [u8]| W::again(&mut hasher, black_box(message), out);
        add(format!("reset, update, finalize {}", length(bytes)), Some(Box::new(again)));
    }
    for bytes in TAGGED {
        let message = &memory[..bytes];
        let mac = W::MAC.map(|mac| -> Job { Box::new(move |out| mac(black_box(message), out)) });
        add(format!("MAC {}", length(bytes)), mac);
        let tag = W::tagger().map(|tag| -> Job { Box::new(move |out| tag(black_box(message), out)) });
        add(format!("MAC, key set up, {}", length(bytes)), tag);
    }
    for bytes in WRITES {
        let message = &memory[..WRITTEN];
        let write = move |out: &mut [u8]| {
            let mut hasher = W::hasher();
            message.chunks(black_box(bytes)).for_each(|piece| W::update(&mut hasher, piece));
            W::finalize(&hasher, out);
        };
        add(format!("{} by writes of {}", length(WRITTEN), length(bytes)), Some(Box::new(write)));
    }
    for (whole, bytes) in DIGESTED {
        let message = &memory[..whole];
        let digest = move |out: &mut [u8]| {
            let mut hasher = W::hasher();
            for piece in message.chunks(black_box(bytes)) {
                W::update(&mut hasher, piece);
                W::finalize(&hasher, out);
                black_box(&mut *out);
            }
        };
        let name = format!("{} by writes of {}, a digest after each", length(whole), length(bytes));
        add(name, Some(Box::new(digest)));
    }
    jobs
}

/// Messages of `each` bytes.
fn equal(memory: &'static [u8], number: usize, each: usize) -> Vec<&'static [u8]> {
    (0..number).map(|i| &memory[i * each..][..each]).collect()
}

/// Messages of 1 to 512 bytes, as a linear congruential generator gives them.
fn mixed(memory: &'static [u8], number: usize) -> Vec<&'static [u8]> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 55).expect("nine bits")
    };
    (0..number).map(|i| &memory[512 * i..][..next() + 1]).collect()
}

/// The batches of all hashes, by name.
fn batches(memory: &'static [u8]) -> Vec<(String, Vec<&'static [u8]>)> {
    let equals = NUMBERS.iter().flat_map(|&number| EACH.map(|each| (number, each))).chain(LONG);
    let equals = equals.map(|(number, each)| (format!("{number} x {}", length(each)), equal(memory, number, each)));
    equals.chain(MIXED.map(|number| (format!("{number} x 1 to 512 B"), mixed(memory, number)))).collect()
}

/// All jobs of many messages.
fn many<W: Way>(memory: &'static [u8]) -> Jobs {
    let jobs = batches(memory).into_iter().map(|(name, messages)| -> (String, usize, Option<Job>) {
        let output = messages.len() * W::size();
        (format!("hash_many {name}"), output, Some(Box::new(move |out| W::hash_many(black_box(&messages), out))))
    });
    jobs.collect()
}

/// Jobs of many messages with a key that was set up. Peers have a loop.
fn many_tags<W: Way>(memory: &'static [u8]) -> Jobs {
    let jobs = [1, 2, 4, 16, 64].into_iter().flat_map(|number| [16, 64, 100, 300].map(|each| (number, each)));
    let jobs = jobs.map(|(number, each)| {
        let messages = equal(memory, number, each);
        let job = W::tagger().map(|tag| -> Job {
            Box::new(move |out| {
                for (message, out) in black_box(&messages).iter().zip(out.chunks_mut(W::size())) {
                    tag(message, out);
                }
            })
        });
        (format!("MAC hash_many {number} x {}", length(each)), number * W::size(), job)
    });
    jobs.collect()
}

/// Jobs of hashers that hash a piece of each message, 16 times, and of their digests. Peers have a loop.
fn streams<W: Way>(memory: &'static [u8]) -> Jobs {
    let pieces = |number: usize, each: usize| {
        let mut hashers: Vec<_> = (0..number).map(|_| W::hasher()).collect();
        let pieces = equal(memory, number, each);
        let job = move |out: &mut [u8]| {
            hashers.iter_mut().for_each(|hasher| *hasher = W::hasher());
            for _ in 0..16 {
                for (hasher, piece) in hashers.iter_mut().zip(black_box(&pieces)) {
                    W::update(hasher, piece);
                }
            }
            for (hasher, out) in hashers.iter().zip(out.chunks_mut(W::size())) {
                W::finalize(hasher, out);
            }
        };
        (streams_name(number, each), number * W::size(), Some(Box::new(job) as Job))
    };
    STREAMS.map(|(number, each)| pieces(number, each)).into()
}

const STREAMS: [(usize, usize); 8] =
    [(8, 16), (64, 16), (8, 64), (64, 64), (8, 100), (64, 100), (8, 1 << 10), (64, 1 << 10)];

fn streams_name(number: usize, each: usize) -> String {
    format!("update_many {number} x {}, 16 times, then finalize_many", length(each))
}

/// Jobs that clone a hasher which has hashed a prefix of 64 bytes, for each of 64 tails.
fn tails<W: Way>(memory: &'static [u8]) -> Jobs {
    let jobs = TAILS.map(|each| -> (String, usize, Option<Job>) {
        let mut begun = W::hasher();
        W::update(&mut begun, &memory[..64]);
        let tails = equal(memory, 64, each);
        let job = move |out: &mut [u8]| {
            for (tail, out) in black_box(&tails).iter().zip(out.chunks_mut(W::size())) {
                let mut hasher = black_box(&begun).clone();
                W::update(&mut hasher, tail);
                W::finalize(&hasher, out);
            }
        };
        (tails_name(each), 64 * W::size(), Some(Box::new(job)))
    });
    jobs.into()
}

const TAILS: [usize; 2] = [38, 100];

fn tails_name(each: usize) -> String {
    format!("64 tails of {} after 64 B", length(each))
}

/// Our calls of a module that peers do not have: `hash_many_into`, `hash_many_flat`, `update_many`, tails, and tags of
/// many messages.
macro_rules! only_ours {
    ($module:ident, $W:ty, $memory:expr, |$key:ident, $messages:ident| $tags:expr, $set_up:expr) => {{
        let size = <$W>::size();
        let (mut into, mut flat) = (Jobs::new(), Jobs::new());
        for (name, messages) in batches($memory).into_iter().filter(|(name, _)| name.ends_with("x 64 B")) {
            let mut hashes = $module::hash_many(&messages);
            let (number, all) = (messages.len(), messages.clone());
            into.push((
                format!("hash_many_into {name}"),
                number * size,
                Some(Box::new(move |out: &mut [u8]| {
                    $module::hash_many_into(black_box(&all), &mut hashes).expect("as many");
                    for (hash, out) in hashes.iter().zip(out.chunks_mut(size)) {
                        out.copy_from_slice(hash.as_bytes());
                    }
                }) as Job),
            ));
            flat.push((
                format!("hash_many_flat {name}"),
                number * size,
                Some(Box::new(move |out: &mut [u8]| {
                    $module::hash_many_flat(black_box(&messages), out).expect("as long");
                }) as Job),
            ));
        }
        let mut tags = Jobs::new();
        for (name, output, _) in many_tags::<$W>($memory) {
            let number = output / size;
            let each: usize = name.rsplit(' ').nth(1).and_then(|each| each.parse().ok()).expect("a length");
            let ($key, all) = ($set_up, equal($memory, number, each));
            tags.push((
                name,
                output,
                Some(Box::new(move |out: &mut [u8]| {
                    let $messages = black_box(&all);
                    for (tag, out) in $tags.iter().zip(out.chunks_mut(size)) {
                        out.copy_from_slice(tag.as_bytes());
                    }
                }) as Job),
            ));
        }
        let mut streams = Jobs::new();
        for (number, each) in STREAMS {
            let mut hashers = vec![$module::Hasher::new(); number];
            let mut hashes: Vec<_> = hashers.iter().map(|hasher| hasher.finalize()).collect();
            let pieces = equal($memory, number, each);
            streams.push((
                streams_name(number, each),
                number * size,
                Some(Box::new(move |out: &mut [u8]| {
                    hashers.iter_mut().for_each(|hasher| *hasher = $module::Hasher::new());
                    let mut updates: Vec<_> = hashers.iter_mut().zip(black_box(&pieces).iter().copied()).collect();
                    (0..16).for_each(|_| $module::update_many(&mut updates));
                    let ended: Vec<&$module::Hasher> = hashers.iter().collect();
                    $module::finalize_many(&ended, &mut hashes).expect("as many");
                    for (hash, out) in hashes.iter().zip(out.chunks_mut(size)) {
                        out.copy_from_slice(hash.as_bytes());
                    }
                }) as Job),
            ));
        }
        let mut tails = Jobs::new();
        for each in TAILS {
            let mut begun = $module::Hasher::new();
            begun.update(&$memory[..64]);
            let all = equal($memory, 64, each);
            tails.push((
                tails_name(each),
                64 * size,
                Some(Box::new(move |out: &mut [u8]| {
                    begun.hash_many_flat(black_box(&all), out).expect("as long");
                }) as Job),
            ));
        }
        (into, flat, tags, streams, tails)
    }};
}

/// All rows.
pub(crate) fn rows(memory: &'static [u8]) -> Vec<Row> {
    let mut rows = Vec::new();

    /// All rows of a hash: by its module, and by the traits of `digest`.
    macro_rules! hash {
        (
            $name:literal, $module:ident, $Module:ty, $Traits:ty, [$($(#[$when:meta])? $Peer:ty),+ $(,)?],
            |$key:ident, $messages:ident| $tags:expr, $set_up:expr
        ) => {{
            macro_rules! peers {
                ($jobs:ident) => {
                    Vec::from([$($(#[$when])? (<$Peer>::NAME, $jobs::<$Peer>(memory))),+])
                };
            }
            pair(&mut rows, $name, one_message::<$Module>(memory), peers!(one_message));
            pair(&mut rows, concat!($name, " as Digest"), one_message::<$Traits>(memory), peers!(one_message));
            pair(&mut rows, $name, many::<$Module>(memory), peers!(many));
            let (into, flat, tags, streaming, after) =
                only_ours!($module, $Module, memory, |$key, $messages| $tags, $set_up);
            for (ours, name) in [(into, "_into"), (flat, "_flat")] {
                let peers = peers!(many).into_iter().map(|(peer, jobs)| {
                    let jobs = jobs.into_iter().filter(|(name, ..)| name.ends_with("x 64 B"));
                    let renamed = jobs.map(|(own, output, job)| {
                        (own.replace("hash_many", &format!("hash_many{name}")), output, job)
                    });
                    (peer, renamed.collect())
                });
                pair(&mut rows, $name, ours, peers.collect());
            }
            pair(&mut rows, $name, tags, peers!(many_tags));
            pair(&mut rows, $name, streaming, peers!(streams));
            pair(&mut rows, $name, after, peers!(tails));
        }};
    }
    hash!(
        "SHA-256", sha256, OurSha256, ByTraits<simd_digest::Sha256, simd_digest::HmacSha256, true>,
        [
            ByTraits<sha2::Sha256, hmac::Hmac<sha2::Sha256>, false>,
            #[cfg(feature = "peers")] RingSha256,
            #[cfg(feature = "peers")] AwsLcSha256,
            #[cfg(feature = "peers")] RscryptoSha256,
        ],
        |key, messages| key.hash_many(messages), sha256::HmacKey::new(KEY)
    );
    hash!(
        "SHA-512", sha512, OurSha512, ByTraits<simd_digest::Sha512, simd_digest::HmacSha512, true>,
        [
            ByTraits<sha2::Sha512, hmac::Hmac<sha2::Sha512>, false>,
            #[cfg(feature = "peers")] RingSha512,
            #[cfg(feature = "peers")] AwsLcSha512,
            #[cfg(feature = "peers")] RscryptoSha512,
        ],
        |key, messages| key.hash_many(messages), sha512::HmacKey::new(KEY)
    );
    hash!(
        "BLAKE2b", blake2b, OurBlake2b, ByTraits<simd_digest::Blake2b512, simd_digest::Blake2bMac512, true>,
        [
            ByTraits<blake2::Blake2b512, blake2::Blake2bMac512, false>,
            Blake2bSimd,
            #[cfg(feature = "peers")] RscryptoBlake2b,
        ],
        |key, messages| key.hash_many(messages).expect("in range"), blake2b::Params::new().key(KEY)
    );
    hash!(
        "BLAKE2s", blake2s, OurBlake2s, ByTraits<simd_digest::Blake2s256, simd_digest::Blake2sMac256, true>,
        [
            ByTraits<blake2::Blake2s256, blake2::Blake2sMac256, false>,
            Blake2sSimd,
            #[cfg(feature = "peers")] RscryptoBlake2s,
        ],
        |key, messages| key.hash_many(messages).expect("in range"), blake2s::Params::new().key(KEY)
    );
    hash!(
        "BLAKE3", our_blake3, OurBlake3, ByTraits<Blake3, Blake3, true>,
        [PeerBlake3, #[cfg(feature = "peers")] RscryptoBlake3],
        |key, messages| key.hash_many(messages), Mode::keyed(KEY)
    );
    rows.extend(nodes(memory));
    rows.extend(pbkdf2());
    rows.extend(parameters(memory));
    rows.extend(trees(memory));
    rows.extend(blake3_alone(memory));
    rows
}

/// A row with one peer.
fn row(
    name: String,
    output: usize,
    ours: impl FnMut(&mut [u8]) + 'static,
    peer: (&'static str, impl FnMut(&mut [u8]) + 'static),
) -> Row {
    Row { name, output, ours: Box::new(ours), peers: vec![(peer.0, Box::new(peer.1))] }
}

/// Nodes of Merkle trees.
fn nodes(memory: &'static [u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    for number in NODES {
        let nodes = &memory.as_chunks::<64>().0[..number];
        let ours = move |out: &mut [u8]| sha256::hash_nodes(black_box(nodes), out.as_chunks_mut().0).expect("as many");
        let peer = move |out: &mut [u8]| {
            for (node, out) in black_box(nodes).iter().zip(out.as_chunks_mut().0) {
                *out = <sha2::Sha256 as simd_digest::Digest>::digest(node).into();
            }
        };
        #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "only other peers are added"))]
        let mut one = row(format!("SHA-256: hash_nodes of {number}"), 32 * number, ours, ("sha2", peer));
        #[cfg(feature = "peers")]
        one.peers.push((
            "hashtree-rs",
            Box::new(move |out| crate::sha256::hashtree(black_box(nodes), out.as_chunks_mut().0)),
        ));
        rows.push(one);
        let ours =
            move |out: &mut [u8]| sha256::hash_nodes_twice(black_box(nodes), out.as_chunks_mut().0).expect("as many");
        let peer = move |out: &mut [u8]| {
            for (node, out) in black_box(nodes).iter().zip(out.as_chunks_mut().0) {
                let digest = |message: &[u8]| <sha2::Sha256 as simd_digest::Digest>::digest(message);
                *out = digest(&digest(node)).into();
            }
        };
        rows.push(row(format!("SHA-256: hash_nodes_twice of {number}"), 32 * number, ours, ("sha2", peer)));
    }
    rows
}

fn pbkdf2() -> [Row; 2] {
    const ROUNDS: core::num::NonZeroU32 = core::num::NonZeroU32::new(1000).unwrap();
    const PASSWORD: &[u8] = b"a password";
    const SALT: &[u8] = b"sixteen bytes, a";
    macro_rules! row {
        ($name:literal, $module:ident, $Peer:ty, $Algorithm:ident, $size:literal) => {{
            #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "only other peers are added"))]
            let mut row = row(
                concat!($name, ": PBKDF2 of 1000 rounds").into(),
                $size,
                |out| $module::pbkdf2(black_box(PASSWORD), SALT, ROUNDS, out).expect("short enough"),
                ("pbkdf2", |out| pbkdf2::pbkdf2_hmac::<$Peer>(black_box(PASSWORD), SALT, ROUNDS.get(), out)),
            );
            #[cfg(feature = "peers")]
            row.peers.extend([
                (
                    "ring",
                    Box::new(|out: &mut [u8]| {
                        ring::pbkdf2::derive(ring::pbkdf2::$Algorithm, ROUNDS, SALT, black_box(PASSWORD), out);
                    }) as Job,
                ),
                (
                    "aws-lc-rs",
                    Box::new(|out: &mut [u8]| {
                        aws_lc_rs::pbkdf2::derive(
                            aws_lc_rs::pbkdf2::$Algorithm,
                            ROUNDS,
                            SALT,
                            black_box(PASSWORD),
                            out,
                        );
                    }),
                ),
            ]);
            row
        }};
    }
    [
        row!("SHA-256", sha256, sha2::Sha256, PBKDF2_HMAC_SHA256, 32),
        row!("SHA-512", sha512, sha2::Sha512, PBKDF2_HMAC_SHA512, 64),
    ]
}

/// BLAKE2 with a length, a salt and a personalisation.
fn parameters(memory: &'static [u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    macro_rules! rows {
        ($name:literal, $module:ident, $peer:ident, $salt:literal, $personal:literal) => {
            for bytes in [0, 64, 128] {
                let message = &memory[..bytes];
                let params = $module::Params::new().hash_length(20).salt($salt).personal($personal);
                let mut theirs = $peer::Params::new();
                theirs.hash_length(20).salt($salt).personal($personal);
                rows.push(row(
                    format!("{}: Params of length, salt and personalisation, {}", $name, length(bytes)),
                    20,
                    move |out| {
                        let hash = black_box(&params).hash(black_box(message)).expect("in range");
                        out.copy_from_slice(hash.as_bytes());
                    },
                    (stringify!($peer), move |out| {
                        out.copy_from_slice(black_box(&theirs).hash(black_box(message)).as_bytes());
                    }),
                ));
                rows.push(row(
                    format!("{}: Params of a personalisation, made at each call, {}", $name, length(bytes)),
                    $module::Params::new().hash(b"").expect("in range").as_bytes().len(),
                    move |out| {
                        let params = $module::Params::new().personal(black_box($personal));
                        out.copy_from_slice(params.hash(black_box(message)).expect("in range").as_bytes());
                    },
                    (stringify!($peer), move |out| {
                        let hash = $peer::Params::new().personal(black_box($personal)).hash(black_box(message));
                        out.copy_from_slice(hash.as_bytes());
                    }),
                ));
            }
        };
    }
    rows!("BLAKE2b", blake2b, blake2b_simd, b"sixteen bytes, a", b"sixteen bytes, b");
    rows!("BLAKE2s", blake2s, blake2s_simd, b"8 bytes,", b"8 bytes;");
    macro_rules! parallel {
        ($name:literal, $Ours:ty, $peer:path, $crate_name:literal) => {
            for bytes in [0, 64, 1 << 10, 16 << 10, 1 << 20] {
                let message = &memory[..bytes];
                rows.push(row(
                    format!("{}: hash {}", $name, length(bytes)),
                    <$Ours as simd_digest::Digest>::output_size(),
                    move |out| out.copy_from_slice(&<$Ours as simd_digest::Digest>::digest(black_box(message))),
                    ($crate_name, move |out| out.copy_from_slice($peer(black_box(message)).as_bytes())),
                ));
            }
        };
    }
    parallel!("BLAKE2bp", blake2b::Blake2bp, blake2b_simd::blake2bp::blake2bp, "blake2b_simd");
    parallel!("BLAKE2sp", blake2s::Blake2sp, blake2s_simd::blake2sp::blake2sp, "blake2s_simd");
    rows
}

/// A tree on all cores beside one core.
fn trees(memory: &'static [u8]) -> Vec<Row> {
    let tree = blake2b::Tree::unlimited_fanout(64 << 10).expect("not 0");
    let rows = [1 << 20, 4 << 20].map(|bytes| {
        let (message, tree, own) = (&memory[..bytes], tree.clone(), tree.clone());
        row(
            format!("BLAKE2b: a tree by update_rayon, {}", length(bytes)),
            64,
            move |out| {
                out.copy_from_slice(tree.hasher().update_rayon(black_box(message)).finalize().as_bytes());
            },
            ("our Tree::hash", move |out| out.copy_from_slice(own.hash(black_box(message)).as_bytes())),
        )
    });
    rows.into()
}

/// Rows of BLAKE3 that other hashes do not have.
fn blake3_alone(memory: &'static [u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    for bytes in [32, 64, 128, 256, 1 << 10, 16 << 10, 1 << 20] {
        let message = &memory[..64];
        rows.push(row(
            format!("BLAKE3: hash_xof, {}", length(bytes)),
            bytes,
            move |out| Mode::HASH.hash_xof(black_box(message)).fill(out),
            ("blake3", move |out| blake3::Hasher::new().update(black_box(message)).finalize_xof().fill(out)),
        ));
        rows.push(row(
            format!("BLAKE3: finalize_xof of a hasher, {}", length(bytes)),
            bytes,
            move |out| our_blake3::Hasher::new().update(black_box(message)).finalize_xof().fill(out),
            ("blake3", move |out| blake3::Hasher::new().update(black_box(message)).finalize_xof().fill(out)),
        ));
        rows.push(row(
            format!("BLAKE3 as Digest: finalize_xof, {}", length(bytes)),
            bytes,
            move |out| {
                let mut hasher = Blake3::default();
                simd_digest::digest::Update::update(&mut hasher, black_box(message));
                hasher.finalize_xof().read(out);
            },
            ("blake3", move |out| blake3::Hasher::new().update(black_box(message)).finalize_xof().fill(out)),
        ));
    }
    let (reader, theirs) = (our_blake3::Hasher::new().finalize_xof(), blake3::Hasher::new().finalize_xof());
    rows.push(row(
        "BLAKE3: 4 KiB of output by reads of 64 B".into(),
        4 << 10,
        move |out| {
            let mut reader = black_box(&reader).clone();
            out.chunks_mut(64).for_each(|piece| reader.fill(piece));
        },
        ("blake3", move |out| {
            let mut reader = black_box(&theirs).clone();
            out.chunks_mut(64).for_each(|piece| reader.fill(piece));
        }),
    ));
    for bytes in [32, 64] {
        let material = &memory[..bytes];
        rows.push(row(
            format!("BLAKE3: derive_key from {}", length(bytes)),
            32,
            move |out| out.copy_from_slice(&our_blake3::derive_key(CONTEXT, black_box(material))),
            ("blake3", move |out| out.copy_from_slice(&blake3::derive_key(CONTEXT, black_box(material)))),
        ));
        let (mode, hasher) = (Mode::derive_key(CONTEXT), blake3::Hasher::new_derive_key(CONTEXT));
        rows.push(row(
            format!("BLAKE3: a Mode of derive_key, {}", length(bytes)),
            32,
            move |out| out.copy_from_slice(mode.hash(black_box(material)).as_bytes()),
            ("blake3", move |out| {
                out.copy_from_slice(hasher.clone().update(black_box(material)).finalize().as_bytes());
            }),
        ));
    }
    for bytes in [64 << 10, 256 << 10, 1 << 20, 4 << 20] {
        let message = &memory[..bytes];
        rows.push(row(
            format!("BLAKE3: update_rayon, {}", length(bytes)),
            32,
            move |out| {
                let hash = our_blake3::Hasher::new().update_rayon(black_box(message)).finalize();
                out.copy_from_slice(hash.as_bytes());
            },
            ("blake3", move |out| {
                out.copy_from_slice(blake3::Hasher::new().update_rayon(black_box(message)).finalize().as_bytes());
            }),
        ));
    }
    for (group, bytes) in [(0, 64 << 10), (4, 64 << 10), (4, 1 << 20)] {
        let (message, each) = (&memory[..bytes], 1024 << group);
        rows.push(row(
            format!("BLAKE3: subtrees of {}, {}", length(each), length(bytes)),
            bytes / each * 32,
            move |out| {
                subtrees(black_box(message), 0, group, &Mode::HASH, out.as_chunks_mut().0).expect("whole groups");
            },
            ("blake3", move |out| {
                use blake3::hazmat::HasherExt as _;
                let mut offset = 0;
                for (input, cv) in black_box(message).chunks(each).zip(out.as_chunks_mut().0) {
                    let mut hasher = blake3::Hasher::new();
                    *cv = hasher.set_input_offset(offset).update(input).finalize_non_root();
                    offset += each as u64;
                }
            }),
        ));
    }
    let level = &memory.as_chunks::<32>().0[..64];
    rows.push(row(
        "BLAKE3: merge_subtrees_non_root of 32 pairs".into(),
        32 * 32,
        move |out| {
            for (pair, cv) in black_box(level).as_chunks::<2>().0.iter().zip(out.as_chunks_mut().0) {
                *cv = merge_subtrees_non_root(&pair[0], &pair[1], &Mode::HASH);
            }
        },
        ("blake3", move |out| {
            use blake3::hazmat::{Mode, merge_subtrees_non_root};
            for (pair, cv) in black_box(level).as_chunks::<2>().0.iter().zip(out.as_chunks_mut().0) {
                *cv = merge_subtrees_non_root(&pair[0], &pair[1], Mode::Hash);
            }
        }),
    ));
    rows
}

//! The figures of README.md: each hash of ours beside its best peer, as a chart and as a table.

use core::fmt::{self, Write as _};
use core::hint::black_box;

use simd_digest::{Backend, Digest as _, blake2b, blake3 as our_blake3, sha256};

use crate::about::{COMPILER, named, openssl, today};
use crate::contenders::{keep, peer_many};
#[cfg(feature = "openssl")]
use crate::evp;
use crate::kinds::kind;
use crate::measure::{Race, cpu};

/// Two minutes at most. Many, because the minimum of each is what counts.
pub(crate) const ROUNDS: usize = 2000;
/// The bytes that all calls need.
pub(crate) const MEMORY: usize = 1 << 20;

const MANY: usize = 64;
const NODES: usize = 1024;

/// The messages that a row hashes, and the number of their bytes.
const ROWS: [(&str, usize); 6] = [
    ("64 B", 64),
    ("1 KiB", 1 << 10),
    ("1 MiB", 1 << 20),
    ("64 × 64 B", MANY * 64),
    ("64 × 1 KiB", MANY << 10),
    ("1024 nodes", NODES * 64),
];

/// Nodes of binary trees: the digest of 64 bytes has 32.
type HashNodes = fn(&[[u8; 64]], &mut [[u8; 32]]);

#[derive(Clone, Copy)]
struct Contender {
    one: fn(&[u8]),
    many: fn(&[&[u8]]),
    nodes: HashNodes,
}

struct Contest {
    hash: &'static str,
    ours: Contender,
    peers: &'static [Contender],
}

/// A peer that hashes one message a call.
macro_rules! in_a_loop {
    ($hash:expr, $node:expr) => {
        Contender {
            one: |message| keep($hash(message)),
            many: |messages| messages.iter().for_each(|message| keep($hash(message))),
            nodes: |nodes, digests| {
                nodes.iter().zip(digests).for_each(|(node, digest)| *digest = $node(node).into());
            },
        }
    };
}

const CONTESTS: [Contest; 3] = [
    Contest {
        hash: "SHA-256",
        ours: Contender {
            one: |message| keep(sha256::hash(message)),
            many: |messages| keep(sha256::hash_many(messages)),
            nodes: |nodes, digests| sha256::hash_nodes(nodes, digests).expect("one digest for each"),
        },
        peers: &[
            in_a_loop!(sha2::Sha256::digest, sha2::Sha256::digest),
            #[cfg(feature = "peers")]
            in_a_loop!(ring, ring),
            #[cfg(feature = "peers")]
            in_a_loop!(aws_lc, aws_lc),
            #[cfg(feature = "peers")]
            in_a_loop!(rscrypto::Sha256::digest, rscrypto::Sha256::digest),
            #[cfg(feature = "openssl")]
            in_a_loop!(evp::sha256, evp::sha256),
        ],
    },
    Contest {
        hash: "BLAKE3",
        ours: Contender {
            one: |message| keep(our_blake3::hash(message)),
            many: |messages| keep(our_blake3::hash_many(messages)),
            nodes: |nodes, digests| {
                our_blake3::hash_many_flat(nodes, digests.as_flattened_mut()).expect("32 bytes for each");
            },
        },
        peers: &[
            in_a_loop!(blake3::hash, |node: &[u8; 64]| blake3::hash(node)),
            #[cfg(feature = "peers")]
            in_a_loop!(rscrypto::Blake3::digest, rscrypto::Blake3::digest),
        ],
    },
    Contest {
        hash: "BLAKE2b",
        ours: Contender {
            one: |message| keep(blake2b::hash(message)),
            many: |messages| keep(blake2b::hash_many(messages)),
            nodes: |nodes, digests| {
                const NODE: blake2b::Params = blake2b::Params::new().hash_length(32);
                NODE.hash_many_flat(nodes, digests.as_flattened_mut()).expect("32 bytes for each");
            },
        },
        peers: &[
            Contender {
                one: |message| keep(blake2b_simd::blake2b(message)),
                many: |messages| keep(peer_many(&blake2b_simd::Params::new(), messages)),
                nodes: |nodes, digests| {
                    let hashes = peer_many(blake2b_simd::Params::new().hash_length(32), nodes);
                    let pairs = hashes.iter().zip(digests);
                    pairs.for_each(|(hash, digest)| digest.copy_from_slice(hash.as_bytes()));
                },
            },
            in_a_loop!(blake2::Blake2b512::digest, blake2::Blake2b256::digest),
            #[cfg(feature = "peers")]
            in_a_loop!(rscrypto::Blake2b512::digest, rscrypto::Blake2b256::digest),
        ],
    },
];

#[cfg(feature = "peers")]
fn ring(message: &[u8]) -> [u8; 32] {
    let digest = ring::digest::digest(&ring::digest::SHA256, message);
    digest.as_ref().try_into().expect("32 bytes")
}

#[cfg(feature = "peers")]
fn aws_lc(message: &[u8]) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, message);
    digest.as_ref().try_into().expect("32 bytes")
}

/// Nanoseconds of a call of ours, and of the best peer's.
type Pair = (f64, f64);

/// The chart, the table, and where and how they were made, as Markdown.
pub(crate) fn report(memory: &[u8], rounds: usize, command: &str) -> Result<String, fmt::Error> {
    let mut text = String::new();
    let times = times(memory, rounds);
    chart(&mut text, &times)?;
    table(&mut text, &times)?;
    let peers = cfg!(feature = "peers");
    let sha256 = if peers { &["sha2", "ring", "aws-lc-rs"][..] } else { &["sha2"] };
    let mut sha256: Vec<_> = sha256.iter().map(|peer| named(peer)).collect();
    sha256.extend(openssl());
    let [blake3, simd, blake2] = ["blake3", "blake2b_simd", "blake2"].map(named);
    let compiler = COMPILER.split(" (").next().unwrap_or(COMPILER);
    writeln!(text, "\n{}, backend `{}`, one thread,", cpu(), kind(Backend::best()))?;
    writeln!(text, "{compiler}, {}, the minimum of {rounds} turns by `{command}`.", today())?;
    writeln!(text, "Peers: {}, {blake3}, and the faster of {simd} and {blake2},", sha256.join(", "))?;
    if peers {
        writeln!(text, "and {} of each hash,", named("rscrypto"))?;
    }
    writeln!(text, "in a loop where they have no call for many messages. A node has 64 bytes.")?;
    Ok(text)
}

/// For each row and hash. Ours and its peers take turns.
fn times(memory: &[u8], rounds: usize) -> Vec<Vec<Pair>> {
    let mut race = Race::default();
    let numbers: Vec<Vec<Vec<usize>>> = (0..ROWS.len())
        .map(|row| {
            let contest = |Contest { ours, peers, .. }: &Contest| {
                let contenders = [ours].into_iter().chain(*peers);
                contenders.map(|contender| add(&mut race, *contender, row, memory)).collect()
            };
            CONTESTS.iter().map(contest).collect()
        })
        .collect();
    let results = race.run(rounds);
    let time = |number: usize| results.times[number].minimum;
    let pair = |contenders: Vec<usize>| {
        let peers = contenders[1..].iter().map(|&peer| time(peer));
        (time(contenders[0]), peers.fold(f64::INFINITY, f64::min))
    };
    numbers.into_iter().map(|row| row.into_iter().map(pair).collect()).collect()
}

fn add<'a>(race: &mut Race<'a>, Contender { one, many, nodes }: Contender, row: usize, memory: &'a [u8]) -> usize {
    let messages = |each| -> Vec<&'a [u8]> { memory.chunks(each).take(MANY).collect() };
    match row {
        0..3 => {
            let message = &memory[..ROWS[row].1];
            race.add(move || one(black_box(message)))
        }
        3 | 4 => {
            let messages = messages(ROWS[row].1 / MANY);
            race.add(move || many(black_box(&messages)))
        }
        _ => {
            let mut digests = vec![[0; 32]; NODES];
            let all = &memory.as_chunks().0[..NODES];
            race.add(move || nodes(black_box(all), black_box(&mut digests)))
        }
    }
}

/// Bars of text, which every page can show.
fn chart(text: &mut String, times: &[Vec<Pair>]) -> fmt::Result {
    text.push_str("```text\nTime beside the best peer's, which is ██████████\n");
    let mut line = format!("{:11}", "");
    CONTESTS.iter().for_each(|contest| _ = write!(line, "{:21}", contest.hash));
    writeln!(text, "{}", line.trim_end())?;
    for ((what, _), pairs) in ROWS.iter().zip(times) {
        let mut line = format!("{what:11}");
        for (ours, best) in pairs {
            let ratio = ours / best;
            write!(line, "{:14}{ratio:.2}   ", bar(ratio))?;
        }
        writeln!(text, "{}", line.trim_end())?;
    }
    text.push_str("```\n\n");
    Ok(())
}

/// Ten characters for a ratio of one, in eighths of a character. A bar that is too long for its column has an arrow.
fn bar(ratio: f64) -> String {
    if ratio > 1.3 {
        return "█".repeat(12) + "▶";
    }
    let eighths = (1..=u8::MAX).take_while(|&i| f64::from(i) <= ratio * 80.0 + 0.5).count();
    let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + last
}

fn table(text: &mut String, times: &[Vec<Pair>]) -> fmt::Result {
    write!(text, "| {:10} |", "GB/s")?;
    CONTESTS.iter().try_for_each(|contest| write!(text, " {:>8} | {:>6} |", contest.hash, "peer"))?;
    write!(text, "\n|{}|", "-".repeat(12))?;
    CONTESTS.iter().try_for_each(|_| write!(text, "{}:|{}:|", "-".repeat(9), "-".repeat(7)))?;
    text.push('\n');
    for (&(what, bytes), pairs) in ROWS.iter().zip(times) {
        write!(text, "| {what:10} |")?;
        let speed = |time: f64| bytes as f64 / time;
        pairs.iter().try_for_each(|&(ours, best)| write!(text, " {:8.2} | {:6.2} |", speed(ours), speed(best)))?;
        text.push('\n');
    }
    Ok(())
}

/// Panics if not all give a node the same digest.
pub(crate) fn agree(memory: &[u8]) {
    let all = &memory.as_chunks().0[..NODES];
    for Contest { hash, ours, peers } in CONTESTS {
        let mut expected = vec![[0; 32]; NODES];
        (ours.nodes)(all, &mut expected);
        for peer in peers {
            let mut digests = vec![[1; 32]; NODES];
            (peer.nodes)(all, &mut digests);
            assert!(digests == expected, "{hash}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(0.1), "█");
        assert_eq!(bar(0.71), "███████▏");
        assert_eq!(bar(1.0), "██████████");
        assert_eq!(bar(1.29), "████████████▉");
        assert_eq!(bar(1.31), "████████████▶");
    }

    #[test]
    fn pages() -> fmt::Result {
        let times = vec![vec![(32.0, 64.0), (64.0, 64.0), (128.0, 64.0)]; ROWS.len()];
        let mut text = String::new();
        chart(&mut text, &times)?;
        table(&mut text, &times)?;
        let lines: Vec<&str> = text.lines().collect();
        let rows = lines.iter().filter(|line| line.starts_with("64 B ") || line.starts_with("| 64 B "));
        let expected = [
            "64 B       █████         0.50   ██████████    1.00   ████████████▶ 2.00",
            "| 64 B       |     2.00 |   1.00 |     1.00 |   1.00 |     0.50 |   1.00 |",
        ];
        assert_eq!(rows.copied().collect::<Vec<_>>(), expected);
        assert!(lines.iter().all(|line| line.chars().count() <= 120));
        Ok(())
    }
}

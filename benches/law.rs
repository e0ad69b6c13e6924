//! Cycles of a message of a batch beyond those of its blocks: batches of 16 and 64 equal messages, of each length up to
//! 1024 bytes in steps of four.
//!
//! `cargo bench -p benches --bench law`, with the arguments of `--bench batches`. A batch obeys the law
//!
//! ```text
//! cycles a message ≤ blocks × slope + overhead
//! ```
//!
//! Its slope is what one block more costs. A line has the cycles of the fastest and of the slowest length with so many
//! blocks, and the overhead of the slowest.

mod arguments;
#[allow(dead_code, reason = "only minima are compared here")]
mod measure;

use core::hint::black_box;

use simd_digest::blake2::Params;
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;
use simd_digest::{Backend, blake3, sha256, sha512};

use self::arguments::Arguments;
use self::measure::{Race, cpu};

const NUMBERS: [usize; 2] = [16, 64];
const LONGEST: usize = 1024;
const STEP: usize = 4;

/// Writes the digests of messages one after the other.
type Many = Box<dyn Fn(&[&[u8]], &mut [u8])>;

/// A hash, and how a message is cut into blocks.
struct Hash {
    name: &'static str,
    /// Bytes of a block.
    block: usize,
    /// Bytes that close a message at least.
    closing: usize,
    many: Many,
}

impl Hash {
    fn blocks(&self, length: usize) -> usize {
        (length + self.closing).div_ceil(self.block).max(1)
    }
}

fn hashes(backend: Backend) -> [Hash; 5] {
    let sha256 = sha256::Batch::new().with_backend(backend);
    let sha512 = sha512::Batch::new().with_backend(backend);
    let blake2b = Params::<FlavourB>::new().with_backend(backend);
    let blake2s = Params::<FlavourS>::new().with_backend(backend);
    let blake3 = blake3::Mode::HASH.with_backend(backend);
    let hash = |name, block, closing, many: Many| Hash { name, block, closing, many };
    [
        hash("SHA-256", 64, 9, Box::new(move |all, to| sha256.hash_many_flat(all, &mut to[..32 * all.len()]).unwrap())),
        hash(
            "SHA-512",
            128,
            17,
            Box::new(move |all, to| sha512.hash_many_flat(all, &mut to[..64 * all.len()]).unwrap()),
        ),
        hash(
            "BLAKE2b",
            128,
            0,
            Box::new(move |all, to| blake2b.hash_many_flat(all, &mut to[..64 * all.len()]).unwrap()),
        ),
        hash(
            "BLAKE2s",
            64,
            0,
            Box::new(move |all, to| blake2s.hash_many_flat(all, &mut to[..32 * all.len()]).unwrap()),
        ),
        hash("BLAKE3", 64, 0, Box::new(move |all, to| blake3.hash_many_flat(all, &mut to[..32 * all.len()]).unwrap())),
    ]
}

fn main() {
    let arguments = Arguments::read();
    println!("{}, {:?}", cpu(), arguments.backend);
    for hash in hashes(arguments.backend).iter().filter(|hash| arguments.want(hash.name)) {
        for number in NUMBERS {
            print(hash, number, arguments.rounds);
        }
    }
}

/// Times batches of `number` messages of each length, and prints what they cost.
fn print(hash: &Hash, number: usize, rounds: usize) {
    let memory: Vec<u8> = (0..251).cycle().take(number * LONGEST).collect();
    let lengths: Vec<usize> = (0..=LONGEST).step_by(STEP).collect();
    let mut race = Race::default();
    for &length in &lengths {
        let messages: Vec<&[u8]> = (0..number).map(|i| &memory[i * length..][..length]).collect();
        let mut digests = vec![0; 64 * number];
        race.add(move || {
            (hash.many)(black_box(&messages), &mut digests);
            black_box(&mut digests);
        });
    }
    let results = race.run(rounds);
    let unit = if results.cycle.is_ok() { "cycles" } else { "ns" };
    let each = |time: f64| time / results.cycle.as_ref().unwrap_or(&1.0) / number as f64;
    let times: Vec<(usize, f64)> =
        lengths.iter().zip(&results.times).map(|(length, time)| (hash.blocks(*length), each(time.minimum))).collect();
    let times_of = |number| times.iter().filter(move |(blocks, _)| *blocks == number).map(|(_, time)| *time);
    let most = times.last().map_or(1, |(blocks, _)| *blocks);
    let least = |blocks| times_of(blocks).fold(f64::INFINITY, f64::min);
    let slope = (least(most) - least(most / 2)) / (most - most / 2) as f64;
    println!("\n{} of {number}: {slope:.1} {unit} for a block more", hash.name);
    println!("{:>6} {:>9} {:>9} {:>9}", "blocks", "fastest", "slowest", "overhead");
    let mut worst = f64::NEG_INFINITY;
    for blocks in 1..=most {
        let slowest = times_of(blocks).fold(0.0, f64::max);
        let overhead = slowest - blocks as f64 * slope;
        worst = worst.max(overhead);
        println!("{blocks:6} {:9.1} {slowest:9.1} {overhead:9.1}", least(blocks));
    }
    println!("The overhead is {worst:.1} {unit} at most.");
}

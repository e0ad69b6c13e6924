//! Many messages after one beginning of a block: `Hasher::hash_many`, and clones of a hasher of ours and of the peers.

use core::hint::black_box;

use simd_digest::{Digest, blake2b, blake2s, blake3 as our_blake3, sha256, sha512};

use crate::contenders::keep;
use crate::experiment::{Call, Experiment, Line, Size};

/// Messages of a call.
const NUMBER: usize = 1024;
/// Bytes of each tail, or of the longest of those that differ.
const EQUAL: usize = 38;
const LONGEST: usize = 200;

/// The bytes that all experiments need.
pub(crate) const MEMORY: usize = NUMBER + LONGEST;

fn tails(memory: &[u8], length: impl Fn(usize) -> usize) -> Vec<&[u8]> {
    (0..NUMBER).map(|i| &memory[i..][..length(i)]).collect()
}

/// A line for each way to hash all tails. Panics if not all answer the same.
macro_rules! experiment {
    ($memory:ident, $name:literal, $block:literal, $ours:expr, $($peer:literal: $begun:expr, $hash:ident => $bytes:expr;)+) => {{
        let begin = &$memory[..$block];
        let sets = [tails($memory, |_| EQUAL), tails($memory, |i| i * i % (LONGEST + 1))];
        let mut hasher = $ours;
        hasher.update(begin);
        let mut lines = Vec::new();
        let calls = sets.clone().map(|tails| -> Call<'_> {
            let hasher = hasher.clone();
            Box::new(move || keep(black_box(&hasher).hash_many(&tails)))
        });
        lines.push(Line { name: "simd-digest `hash_many`".into(), peer: false, drawn: false, calls: calls.into() });
        let expected = sets.clone().map(|tails| hasher.hash_many(&tails));
        let calls = sets.clone().map(|tails| -> Call<'_> {
            let hasher = hasher.clone();
            let each = move |tail: &&[u8]| black_box(&hasher).clone().update(tail).finalize();
            Box::new(move || keep(tails.iter().map(&each).collect::<Vec<_>>()))
        });
        lines.push(Line { name: "simd-digest, clones".into(), peer: false, drawn: false, calls: calls.into() });
        $({
            let mut begun = $begun;
            begun.update(begin);
            let each = move |tail: &&[u8]| {
                let mut own = black_box(&begun).clone();
                own.update(tail);
                own.finalize()
            };
            for (tails, expected) in sets.iter().zip(&expected) {
                for ($hash, ours) in tails.iter().map(&each).zip(expected) {
                    assert_eq!(ours.as_bytes()[..], $bytes[..]);
                }
            }
            let calls = sets.clone().map(|tails| -> Call<'_> {
                let each = each.clone();
                Box::new(move || keep(tails.iter().map(&each).collect::<Vec<_>>()))
            });
            lines.push(Line { name: concat!($peer, ", clones").into(), peer: true, drawn: false, calls: calls.into() });
        })+
        let labels = [format!("{EQUAL} B"), format!("0 to {LONGEST} B")];
        let sizes = labels.into_iter().zip(&sets);
        let sizes = sizes.map(|(label, tails)| Size { label, bytes: tails.iter().map(|tail| tail.len()).sum() });
        let title = format!("{} of {NUMBER} messages after {} bytes", $name, $block);
        Experiment::of_lines(title, None, "bytes of each tail", sizes.collect(), lines)
    }};
}

pub(crate) fn experiments(memory: &[u8]) -> [Experiment<'_>; 5] {
    [
        experiment!(memory, "SHA-256", 64, sha256::Hasher::new(), "sha2": sha2::Sha256::new(), hash => hash;),
        experiment!(memory, "SHA-512", 128, sha512::Hasher::new(), "sha2": sha2::Sha512::new(), hash => hash;),
        experiment!(
            memory, "BLAKE2b", 128, blake2b::Hasher::new(),
            "blake2b_simd": blake2b_simd::State::new(), hash => hash.as_bytes();
            "blake2": blake2::Blake2b512::new(), hash => hash;
        ),
        experiment!(
            memory, "BLAKE2s", 64, blake2s::Hasher::new(),
            "blake2s_simd": blake2s_simd::State::new(), hash => hash.as_bytes();
            "blake2": blake2::Blake2s256::new(), hash => hash;
        ),
        experiment!(
            memory, "BLAKE3", 64, our_blake3::Hasher::new(),
            "blake3": blake3::Hasher::new(), hash => hash.as_bytes();
        ),
    ]
}

//! The rows in which a peer is faster: a frozen list of rows, run in several launches.
//!
//! ```text
//!   report --losses ──► report --launch ──► "name ⇥ time beside the best peer's ⇥ its name" for each row
//!                  ├──► report --launch     Some launches are slower in single rows, peers included,
//!                  └──► …                   so what counts is the median of a row's ratios.
//! ```

mod rows;
mod ways;

use core::error::Error;
use core::fmt::Write as _;
use core::hint::black_box;
use std::env;
use std::process::Command;

use self::rows::{MEMORY, Row, rows};
use self::ways::{ByTraits, Hash, OurBlake2b, OurBlake2s, OurBlake3, OurSha256, OurSha512, Way};
use crate::about::{COMPILER, commit, named, openssl_features, today};
use crate::experiment::length;
use crate::kinds::kind;
use crate::measure::{Race, cpu};
use crate::paint::paint;

/// The number of rows. A row leaves the list only with a reason in the commit.
const NUMBER: usize = 1325;
/// Ten minutes of rows, or twenty with all peers, in all launches together.
const LAUNCHES: usize = 5;
const ROUNDS: usize = 60;
/// A ratio above this is a loss.
const MOST: f64 = 1.03;

/// A row's name, and its ratio and the peer's name of each launch.
type Ratios = Vec<(String, Vec<(f64, String)>)>;

/// The rows that are behind, as Markdown.
pub(crate) fn report(quick: bool, command: &str) -> Result<String, Box<dyn Error>> {
    let number = if quick { 1 } else { LAUNCHES };
    let mut behind = Vec::new();
    for (name, mut ratios) in launches(quick, number)? {
        ratios.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let (ratio, peer) = ratios.swap_remove(number / 2);
        if ratio > MOST {
            behind.push((name, ratio, peer));
        }
    }
    let mut text = String::new();
    let peers = ["sha2", "hmac", "pbkdf2", "blake2", "blake2b_simd", "blake2s_simd", "blake3"].iter();
    let more = if cfg!(feature = "peers") { &["ring", "aws-lc-rs", "hashtree-rs", "rscrypto"][..] } else { &[] };
    let peers: Vec<_> = peers.chain(more).map(|peer| named(peer)).collect();
    writeln!(text, "{} rows of {NUMBER} are behind the best peer.\n", behind.len())?;
    writeln!(text, "- CPU: {}, backend `{}`", cpu(), kind(simd_digest::Backend::best()))?;
    writeln!(text, "- Compiler: {COMPILER}; {}, commit {}", today(), commit())?;
    writeln!(text, "- Peers: {}; RustCrypto is `sha2` or `blake2`", peers.join(", "))?;
    writeln!(text, "- Command: `{}{command}`", openssl_features())?;
    writeln!(
        text,
        "\nA row is behind if its time is more than {MOST} of the best peer's, in the median of {number} launches.\n"
    )?;
    text += "| row | time | beside |\n|---|---:|---|\n";
    for (name, ratio, peer) in behind {
        writeln!(text, "| {name} | {ratio:.2} | {peer} |")?;
    }
    Ok(text + &others()?)
}

/// Runs all launches.
fn launches(quick: bool, launches: usize) -> Result<Ratios, Box<dyn Error>> {
    let mut ratios = Ratios::new();
    for number in 0..launches {
        eprintln!("launch {} of {launches}", number + 1);
        let mut child = Command::new(env::current_exe()?);
        let told = child.arg("--launch").args(quick.then_some("--quick")).output()?;
        if !told.status.success() {
            return Err(format!("a launch has failed: {}", String::from_utf8_lossy(&told.stderr)).into());
        }
        for (i, line) in String::from_utf8(told.stdout)?.lines().enumerate() {
            let [name, ratio, peer] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("not a row: {line}").into());
            };
            if number == 0 {
                ratios.push((name.into(), Vec::new()));
            }
            match ratios.get_mut(i) {
                Some((own, ratios)) if own == name => ratios.push((ratio.parse()?, peer.into())),
                _ => return Err(format!("not in all launches: {name}").into()),
            }
        }
    }
    if ratios.len() != NUMBER || ratios.iter().any(|(_, ratios)| ratios.len() != launches) {
        return Err(format!("a launch has another number of rows than {NUMBER}").into());
    }
    Ok(ratios)
}

/// One launch: a line for each row that has this text in its name.
pub(crate) fn launch(quick: bool, only: Option<&str>) -> Result<(), String> {
    let memory: &'static [u8] = paint(MEMORY).leak();
    for mut row in rows(memory).into_iter().filter(|row| only.is_none_or(|text| row.name.contains(text))) {
        agree(&mut row)?;
        let mut race = Race::default();
        let Row { name, output, mut ours, peers } = row;
        let mut out = vec![0; output];
        race.add(move || ours(black_box(&mut out)));
        let mut names = Vec::new();
        for (peer, mut job) in peers {
            let mut out = vec![0; output];
            race.add(move || job(black_box(&mut out)));
            names.push(peer);
        }
        let times = race.run(if quick { 1 } else { ROUNDS }).times;
        let best = times[1..].iter().zip(names).map(|(time, name)| (time.minimum, name));
        let Some((best, peer)) = best.min_by(|(one, _), (other, _)| one.total_cmp(other)) else {
            return Err(format!("{name}: no peer"));
        };
        println!("{name}\t{:.4}\t{peer}", times[0].minimum / best);
    }
    Ok(())
}

/// Fails if a peer computes something else.
fn agree(row: &mut Row) -> Result<(), String> {
    // Twice: some jobs keep a hasher.
    for _ in 0..2 {
        let mut ours = vec![0; row.output];
        (row.ours)(&mut ours);
        for (peer, job) in &mut row.peers {
            let mut theirs = vec![0; row.output];
            job(&mut theirs);
            if ours != theirs {
                return Err(format!("{}: {peer} computes something else", row.name));
            }
        }
    }
    Ok(())
}

/// Our hashes beside MD5 and SHA-1.
fn others() -> Result<String, Box<dyn Error>> {
    type Keyless<D, M> = ByTraits<D, M, false>;
    let columns: [(&str, Hash, usize); 7] = [
        ("SHA-256", OurSha256::hash, OurSha256::size()),
        ("SHA-512", OurSha512::hash, OurSha512::size()),
        ("BLAKE2b", OurBlake2b::hash, OurBlake2b::size()),
        ("BLAKE2s", OurBlake2s::hash, OurBlake2s::size()),
        ("BLAKE3", OurBlake3::hash, OurBlake3::size()),
        ("MD5, `md-5`", Keyless::<md5::Md5, hmac::Hmac<md5::Md5>>::hash, 16),
        ("SHA-1, `sha1`", Keyless::<sha1::Sha1, hmac::Hmac<sha1::Sha1>>::hash, 20),
    ];
    let memory = paint(1 << 20);
    let mut text = String::from("\nOne message, GB/s:\n\n| length |");
    for (name, ..) in columns {
        write!(text, " {name} |")?;
    }
    writeln!(text, "\n|---:|{}", "---:|".repeat(columns.len()))?;
    for bytes in [64, 1 << 10, 16 << 10, 1 << 20] {
        let mut race = Race::default();
        for (_, hash, size) in columns {
            let (message, mut out) = (&memory[..bytes], [0; 64]);
            race.add(move || hash(black_box(message), black_box(&mut out[..size])));
        }
        write!(text, "| {} |", length(bytes))?;
        for time in race.run(ROUNDS).times {
            write!(text, " {:.3} |", bytes as f64 / time.minimum)?;
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A change of the list takes a change of the digest, too.
    #[test]
    fn the_list_is_frozen() {
        let names: Vec<String> = rows(paint(MEMORY).leak()).into_iter().map(|row| row.name).collect();
        assert_eq!(names.len(), NUMBER);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), NUMBER, "each name once");
        let digest = simd_digest::sha256::hash(names.join("\n").as_bytes()).to_string();
        assert_eq!(digest, "7f2f25f60422d8640a546f9db8186e2b096a3b721392d3fb76d0c5b6a7103c4d");
    }

    #[test]
    fn peers_agree() {
        let is_long = |name: &str| ["MiB", "64 KiB", "256 KiB", "1000 rounds"].iter().any(|long| name.contains(long));
        for mut row in rows(paint(MEMORY).leak()).into_iter().filter(|row| !is_long(&row.name)) {
            agree(&mut row).unwrap();
        }
    }
}

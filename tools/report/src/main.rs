//! Runs simd-digest beside its peers and writes what came of it into a directory: `report.md` and charts.
//!
//! `cargo run --release -p report -- docs`; with `--quick` a trial run of which the figures mean little, with
//! `--only SHA-256` the sections that have this in their titles.
//!
//! `cargo run --release -p report -- --front` prints the chart and the table of README.md.
//!
//! `cargo run --release -p report -- --losses` prints the rows of a frozen list in which a peer is faster.
//!
//! These switches may be combined:
//!
//! - `--features peers` adds `ring`, `aws-lc-rs`, `hashtree-rs` and `rscrypto`. The first three need a C compiler, the
//!   third `make`, the last Rust 1.91.
//! - `--features openssl` adds the OpenSSL of the system, version 3.0 or newer, with its headers and `pkg-config`.
//! - `OPENSSL_ia32cap=:~0x20000000` in the environment keeps SHA-NI from `aws-lc-rs` and OpenSSL, for a comparison with
//!   our backends without it.
//! - `--cfg sha2_backend="soft"` keeps SHA-NI from `sha2`, for a comparison with our `portable`.
//!
//! The crate `blake3` has three builds, of which ratios are taken each within its own run: as by default with assembler,
//! with `--features peer-pure` in Rust alone, and with `--features peer-no-avx512` in assembler up to AVX2.

mod about;
mod after;
mod blake3;
mod chart;
mod contenders;
#[cfg(feature = "openssl")]
mod evp;
mod experiment;
mod fastest;
mod front;
#[path = "../../../benches/kinds.rs"]
mod kinds;
mod losses;
#[path = "../../../benches/measure.rs"]
mod measure;
mod mixed;
#[path = "../../../tests/common/paint.rs"]
mod paint;
mod pbkdf2;
mod sha256;
mod sha512;

use core::error::Error;
use core::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use simd_digest::Backend;

use self::about::{COMPILER, commit, named, openssl, openssl_features, today};
use self::experiment::Experiment;
use self::paint::paint;

const LENGTHS: [usize; 12] = [1, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20];
const COUNTS: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64];

/// Lengths of messages side by side, and the name of the chart of each.
const SIDE_BY_SIDE: [(usize, &str); 3] =
    [(64, "many-64-bytes.svg"), (1 << 10, "many-1-kib.svg"), (16 << 10, "many-16-kib.svg")];

fn main() -> ExitCode {
    let mut directory = None;
    let mut quick = false;
    let (mut front, mut losses, mut launch) = (false, false, false);
    let mut only = None;
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--quick") => quick = true,
            Some("--front") => front = true,
            Some("--losses") => losses = true,
            // A child of `--losses`; with `--only`, a look at a few rows.
            Some("--launch") => launch = true,
            Some("--only") => match arguments.next().and_then(|title| title.into_string().ok()) {
                Some(title) => only = Some(title),
                None => return usage(),
            },
            Some(option) if option.starts_with('-') => return usage(),
            _ if directory.is_none() => directory = Some(PathBuf::from(argument)),
            _ => return usage(),
        }
    }
    let jobs = [front, losses, launch, directory.is_some()].into_iter().filter(|&job| job).count();
    if jobs != 1 || only.is_some() && (front || losses) {
        return usage();
    }
    if cfg!(debug_assertions) && !quick {
        eprintln!("report: this is a debug build, of which no figure means anything: use --release, or --quick");
        return ExitCode::from(2);
    }
    if launch {
        return ended(losses::launch(quick, only.as_deref()));
    }
    if losses {
        let options = if quick { "--quick --losses" } else { "--losses" };
        return ended(losses::report(quick, &command(options)).map(|text| print!("{text}")));
    }
    let Some(directory) = directory else { return print_front(quick) };
    match report(&directory, quick, only.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

fn ended<E: fmt::Display>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: report [--quick] [--only TITLE] DIRECTORY\n       report [--quick] --front | --losses");
    ExitCode::from(2)
}

fn print_front(quick: bool) -> ExitCode {
    let memory = paint(front::MEMORY);
    contenders::agree(&memory);
    front::agree(&memory);
    let (rounds, options) = if quick { (3, "--quick --front") } else { (front::ROUNDS, "--front") };
    match front::report(&memory, rounds, &command(options)) {
        Ok(text) => print!("{text}"),
        Err(error) => {
            eprintln!("report: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn report(directory: &Path, quick: bool, only: Option<&str>) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let rounds = if quick { 3 } else { 300 };
    let most = COUNTS.iter().max().zip(SIDE_BY_SIDE.iter().map(|(length, _)| length).max());
    let most = most.map_or(0, |(count, length)| count * length);
    let most = most
        .max(sha256::MEMORY)
        .max(sha512::MEMORY)
        .max(blake3::MEMORY)
        .max(fastest::MEMORY)
        .max(mixed::MEMORY)
        .max(after::MEMORY);
    let memory = paint(LENGTHS[LENGTHS.len() - 1].max(most));

    let mut text = introduction(directory, quick, only, rounds);
    let one_message = [
        ("BLAKE2b of one message", Some("one-message.svg"), contenders::BLAKE2B),
        ("BLAKE2bp of one message", None, contenders::BLAKE2BP),
        ("BLAKE2s of one message", None, contenders::BLAKE2S),
        ("Other hashes of one message", Some("one-message-others.svg"), contenders::OTHERS),
    ];
    contenders::agree(&memory);
    sha256::agree(&memory);
    blake3::agree(&memory);
    fastest::agree(&memory);
    mixed::agree(&memory);
    let mut experiments = Vec::new();
    for (title, file, hashes) in one_message {
        experiments.push(Experiment::one_message(title, file, hashes, &memory, &LENGTHS));
    }
    for (length, file) in SIDE_BY_SIDE {
        experiments.push(Experiment::many_messages(length, file, &memory[..], &COUNTS));
    }
    experiments.extend(sha256::experiments(&memory));
    experiments.push(sha256::some_nodes(&memory));
    experiments.extend(sha512::experiments(&memory));
    experiments.extend(after::experiments(&memory));
    experiments.extend(pbkdf2::experiments());
    experiments.extend(blake3::experiments(&memory));
    experiments.extend(fastest::experiments(&memory));
    experiments.extend(mixed::experiments(&memory));
    experiments.retain(|experiment| only.is_none_or(|title| experiment.title().contains(title)));
    let (mut slower, mut nanoseconds) = (String::new(), String::from("# Nanoseconds a call, minimum / median\n"));
    for experiment in experiments {
        eprintln!("{}", experiment.title());
        let outcome = experiment.run(rounds);
        outcome.chart(directory)?;
        text += &outcome.markdown()?;
        nanoseconds += &outcome.nanoseconds()?;
        outcome.slower(&mut slower)?;
    }
    text += "\n## Where ours takes longer\n\n";
    if slower.is_empty() {
        text += "Nowhere on the default backend.\n";
    } else {
        text += "On the default backend, beside the best of those that a section compares with:\n\n";
        text += "| section | row | size | time | beside |\n|---|---|---:|---:|---|\n";
        text += &slower;
    }
    fs::write(directory.join("report.md"), text)?;
    fs::write(directory.join("nanoseconds.md"), nanoseconds)?;
    Ok(())
}

fn introduction(directory: &Path, quick: bool, only: Option<&str>, rounds: usize) -> String {
    let mut text = String::from("# simd-digest beside its peers\n\n");
    if quick {
        text += "**A trial run: these figures mean little.**\n\n";
    }
    let backends: Vec<_> = kinds::kinds().into_iter().map(|(name, _)| name).collect();
    let peers = ["blake2", "blake2b_simd", "blake2s_simd", "blake3", "sha2"].iter().chain(sha256::PEERS);
    let peers: Vec<_> = peers.map(|peer| named(peer)).chain(openssl()).collect();
    let soft = if cfg!(sha2_backend = "soft") { ", `sha2` without SHA-NI" } else { "" };
    let mut item = |what: &str, value: &str| _ = writeln!(text, "- {what}: {value}");
    item("CPU", &measure::cpu());
    item("Backend", &format!("`{}`, of {}", kinds::kind(Backend::best()), backends.join(", ")));
    item("Compiler", COMPILER);
    item("Date", &today());
    item("Commit", &commit());
    item("Peers", &format!("{}{soft}; `blake3` {}", peers.join(", "), blake3::BUILD));
    let quickly = if quick { "--quick " } else { "" };
    let only = only.map_or_else(String::new, |title| format!("--only '{title}' "));
    let directory = directory.display();
    item("Command", &format!("`{}`", command(&format!("{quickly}{only}{directory}"))));
    let _ = write!(
        text,
        "\nAll rows of a table took turns in one process, {rounds} rounds, on one thread except for `update_rayon`. Speeds \
         are of the\nleast time. 1 GB is 10⁹ bytes. The last section lists each size at which ours takes longer than the \
         best peer.\n`nanoseconds.md` beside this file has the least and the median time of each call.\n"
    );
    text
}

/// The command that this program was built and run by, with these options.
fn command(options: &str) -> String {
    let flags = if cfg!(sha2_backend = "soft") { "RUSTFLAGS='--cfg sha2_backend=\"soft\"' " } else { "" };
    let features = [
        ("peers", cfg!(feature = "peers")),
        ("openssl", cfg!(feature = "openssl")),
        ("peer-pure", cfg!(feature = "peer-pure")),
        ("peer-no-avx512", cfg!(feature = "peer-no-avx512")),
    ];
    let features: Vec<_> = features.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect();
    let features = if features.is_empty() { String::new() } else { format!("--features {} ", features.join(",")) };
    let cpu = openssl_features();
    format!("{flags}{cpu}cargo run --release -p report {features}-- {options}")
}

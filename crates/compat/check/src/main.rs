//! `compat-check PROJECT` prints which hash crates of a project are the adapters of `crates/compat` by `[patch]`, which
//! are the registry's, and why, and the lines that are missing. It writes nothing in the project.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::adapters::Place;
use crate::project::Project;

mod adapters;
mod cargo;
mod examine;
mod lock;
mod metadata;
mod mirror;
mod project;
mod report;

/// Prints which hash crates of a project are simd-digest's by `[patch]`, and the lines that are missing
///
/// It reads the project's manifests, its lock file and cargo's configuration, and writes nothing there. Where the lock
/// file has another version than an adapter, it prints the command that takes the adapter's. The lines have paths of
/// this machine; those that `--from URL` gives can be built by others.
#[derive(Debug, Parser)]
#[command(
    name = "compat-check",
    version,
    after_help = "\
Examples, from a checkout of simd-digest:
  cargo run -p compat-check -- ../app
  cargo run -p compat-check -- ../app --from https://github.com/simd-digest/simd-digest
  cargo run -p compat-check -- ../app --json

Exit status: 1 if a crate could be ours and is not, 0 if none could, 2 for an error. Missing lines
of [profile] do not change it."
)]
struct Options {
    /// The project: the folder of its Cargo.toml, or a folder within
    path: PathBuf,

    /// Where the adapters lie: a checkout, or the URL of a repository [default: this checkout]
    #[arg(long, value_name = "PATH|URL")]
    from: Option<String>,

    /// Prints one object of JSON
    #[arg(long)]
    json: bool,

    /// Asks no registry: packages that cargo has not downloaded are an error
    #[arg(long)]
    offline: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(could_be_ours) => ExitCode::from(u8::from(could_be_ours)),
        Err(error) => {
            // Nobody is left to be told if this fails, too.
            let _ = writeln!(io::stderr(), "compat-check: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether something could be patched and is not.
fn run(options: &Options) -> Result<bool, String> {
    let place = Place::new(options.from.as_deref())?;
    let adapters = adapters::read(&place)?;
    let project = Project::read(&options.path, options.offline, &adapters, &place.urls())?;
    let report = examine::examine(&project, &adapters, &place)?;
    let text = if options.json { report.json()? } else { report.text() };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| format!("standard output: {error}"))?;
    Ok(report.could_be_ours())
}

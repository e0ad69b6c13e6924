//! BLAKE2b tree checksums of files.
//!
//! From top to bottom: `args` says what to do, [`run`] does it; `engine` shares the sources out, `stream` hashes a long
//! one on several `threads`, `scheme` says how, `input` reads, `output` writes.
#![forbid(unsafe_code)]

mod args;
mod engine;
mod input;
mod output;
mod progress;
mod scheme;
mod stream;
mod threads;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Options;
use crate::engine::{Engine, Job};
use crate::progress::Progress;
use crate::scheme::{Scheme, Secret, Shape};
use crate::stream::Buffers;

fn main() -> ExitCode {
    match Options::try_parse() {
        Ok(options) => run(&options),
        Err(message) => explain(&message),
    }
}

/// Prints the digests of all files that can be read, in their order.
fn run(options: &Options) -> ExitCode {
    let mut stdout = match output::stdout() {
        Ok(stdout) => stdout,
        Err(error) => return output::write_failed(&error),
    };
    let engine = Engine {
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        secret: Secret::default(),
        compat_empty: false,
        progress: Progress::default(),
        buffers: Buffers::default(),
    };
    let scheme = Scheme { size: options.size, shape: Shape::Tree { chunk: options.chunk } };
    let jobs: Vec<Job<'_>> = options.sources().map(|source| Job { source, scheme }).collect();
    let mut exit_code = ExitCode::SUCCESS;
    let written = engine.hash_all(&jobs, |i, hash| {
        let source = jobs[i].source;
        match hash {
            Ok(hash) => output::write(&mut stdout, &output::digest_line(options.algorithm, source, &hash))?,
            Err(error) => {
                output::complain(source, &error);
                exit_code = ExitCode::FAILURE;
            }
        }
        Ok(())
    });
    written.map_or_else(|error| output::write_failed(&error), |()| exit_code)
}

/// Prints the help or version asked for, or what is wrong about the arguments.
fn explain(message: &clap::Error) -> ExitCode {
    let exit_code = u8::try_from(message.exit_code()).unwrap_or(u8::MAX);
    match message.print() {
        Err(error) if !message.use_stderr() => output::write_failed(&error),
        _ => exit_code.into(),
    }
}

//! BLAKE2b tree checksums of files.
//!
//! From top to bottom: `args` says what to do, [`run`] does it, `input` reads, `tree` hashes, `output` writes.
#![forbid(unsafe_code)]

mod args;
mod input;
mod output;
mod tree;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Options;
use crate::input::Reader;
use crate::tree::Tree;

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
    let tree = Tree { hash_length: options.size, leaf_length: options.chunk };
    let mut reader = Reader::new();
    let mut exit_code = ExitCode::SUCCESS;
    for source in options.sources() {
        match reader.hash(source, &tree) {
            Ok(hash) => {
                let line = output::digest_line(options.algorithm, source, &hash);
                if let Err(error) = output::write(&mut stdout, &line) {
                    return output::write_failed(&error);
                }
            }
            Err(error) => {
                output::complain(source, &error);
                exit_code = ExitCode::FAILURE;
            }
        }
    }
    exit_code
}

/// Prints the help or version asked for, or what is wrong about the arguments.
fn explain(message: &clap::Error) -> ExitCode {
    let exit_code = u8::try_from(message.exit_code()).unwrap_or(u8::MAX);
    match message.print() {
        Err(error) if !message.use_stderr() => output::write_failed(&error),
        _ => exit_code.into(),
    }
}

//! Hashes blocks and prints nothing, for a tool that counts instructions.
//!
//! `blocks BACKEND MESSAGES BLOCKS`: so many messages side by side, each of so many blocks, up to 4096 in all. The status
//! is 3 if the CPU does not have the backend.

use core::hint::black_box;
use std::process::ExitCode;

use simd_digest::Backend;
use simd_digest::blake2b::{Hasher, Params};

const BLOCK: usize = 128;
const MOST: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend, messages, blocks] = &arguments[..] else { return usage() };
    let (Ok(messages), Ok(blocks)) = (messages.parse::<usize>(), blocks.parse::<usize>()) else { return usage() };
    if messages == 0 || blocks == 0 || messages.saturating_mul(blocks) > MOST {
        return usage();
    }
    let Ok(backend) = backend.parse::<Backend>() else { return ExitCode::from(3) };

    // The same memory whatever the arguments, so that only hashing tells two runs apart.
    let memory = vec![0; MOST * BLOCK];
    let bytes = black_box(&memory[..messages * blocks * BLOCK]);
    if messages == 1 {
        black_box(Hasher::new().with_backend(backend).update(bytes).finalize());
    } else {
        let messages: Vec<&[u8]> = bytes.chunks(blocks * BLOCK).collect();
        let mut digests = vec![0; messages.len() * 64];
        Params::new().with_backend(backend).hash_many_flat(&messages, &mut digests).expect("64 bytes for each");
        black_box(&digests);
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: blocks BACKEND MESSAGES BLOCKS");
    ExitCode::from(2)
}

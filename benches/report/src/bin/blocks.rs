//! Hashes blocks and prints nothing, for a tool that counts instructions.
//!
//! `blocks HASH BACKEND MESSAGES BLOCKS`: `blake2b` or `blake2s` of so many messages side by side, each of so many blocks,
//! up to 4096 in all. The status is 3 if the CPU does not have the backend.

use core::hint::black_box;
use std::process::ExitCode;

use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Hasher, Params};
use simd_digest::blake2b::FlavourB;
use simd_digest::blake2s::FlavourS;

const MOST: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [hash, backend, messages, blocks] = &arguments[..] else { return usage() };
    let (Ok(messages), Ok(blocks)) = (messages.parse::<usize>(), blocks.parse::<usize>()) else { return usage() };
    if messages == 0 || blocks == 0 || messages.saturating_mul(blocks) > MOST {
        return usage();
    }
    let Ok(backend) = backend.parse::<Backend>() else { return ExitCode::from(3) };
    match hash.as_str() {
        "blake2b" => compress::<FlavourB>(128, backend, messages, blocks),
        "blake2s" => compress::<FlavourS>(64, backend, messages, blocks),
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

/// Hashes blocks of so many bytes.
fn compress<F: Flavour>(block: usize, backend: Backend, messages: usize, blocks: usize) {
    // The same memory whatever the arguments, so that only hashing tells two runs apart.
    let memory = vec![0; MOST * block];
    let bytes = black_box(&memory[..messages * blocks * block]);
    if messages == 1 {
        black_box(Hasher::<F>::new().with_backend(backend).update(bytes).finalize());
    } else {
        let messages: Vec<&[u8]> = bytes.chunks(blocks * block).collect();
        let mut digests = vec![0; messages.len() * block / 2];
        let params = Params::<F>::new().with_backend(backend);
        params.hash_many_flat(&messages, &mut digests).expect("half a block for each");
        black_box(&digests);
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: blocks HASH BACKEND MESSAGES BLOCKS");
    ExitCode::from(2)
}

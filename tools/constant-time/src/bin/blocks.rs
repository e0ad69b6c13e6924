//! Hashes blocks and prints nothing, for a tool that counts instructions.
//!
//! `blocks HASH BACKEND MESSAGES BLOCKS`: so many messages side by side, each of so many blocks, up to 4096 in all. The
//! status is 3 if the CPU does not have the backend. The SHA extension is left out, of which such tools know nothing.
//! `blocks --list`: every HASH BACKEND MESSAGES that is worth counting.

use core::hint::black_box;
use std::process::ExitCode;

use simd_digest::Backend;
use simd_digest::blake2::{Flavour, Hasher, Params};
use simd_digest::blake2b::{self, FlavourB};
use simd_digest::blake2s::{self, FlavourS};
use simd_digest::sha2::{self, Variant, Variant256, Variant512};
use simd_digest::{blake3, sha256, sha512};

const MOST: usize = 4096;

struct Hash {
    name: &'static str,
    /// Messages side by side.
    lanes: fn(Backend) -> usize,
    compress: fn(Backend, usize, usize),
}

const HASHES: [Hash; 5] = [
    Hash { name: "blake2b", lanes: blake2b::lanes, compress: compress::<FlavourB, 128> },
    Hash { name: "blake2s", lanes: blake2s::lanes, compress: compress::<FlavourS, 64> },
    Hash { name: "sha256", lanes: sha256::lanes, compress: compress_sha2::<Variant256, 64> },
    Hash { name: "sha512", lanes: sha512::lanes, compress: compress_sha2::<Variant512, 128> },
    Hash { name: "blake3", lanes: blake3::lanes, compress: compress_blake3 },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--list"] {
        list();
        return ExitCode::SUCCESS;
    }
    let [hash, backend, messages, blocks] = &arguments[..] else { return usage() };
    let Some(hash) = HASHES.iter().find(|known| known.name == hash) else { return usage() };
    let (Ok(messages), Ok(blocks)) = (messages.parse::<usize>(), blocks.parse::<usize>()) else { return usage() };
    if messages == 0 || blocks == 0 || messages.saturating_mul(blocks) > MOST {
        return usage();
    }
    let Ok(backend) = backend.parse::<Backend>() else { return ExitCode::from(3) };
    (hash.compress)(backend, messages, blocks);
    ExitCode::SUCCESS
}

/// One message, and as many as there are lanes, from the slowest backend to the fastest.
fn list() {
    let mut backends: Vec<Backend> = Backend::available().collect();
    backends.reverse();
    for Hash { name, lanes, .. } in HASHES {
        for &backend in &backends {
            println!("{name} {backend} 1");
            if lanes(backend) > 1 {
                println!("{name} {backend} {}", lanes(backend));
            }
        }
    }
}

/// Hashes blocks of `BLOCK` bytes.
fn compress<F: Flavour, const BLOCK: usize>(backend: Backend, messages: usize, blocks: usize) {
    // All runs allocate as much memory, so that only hashing tells two runs apart.
    let memory = vec![0; MOST * BLOCK];
    let bytes = black_box(&memory[..messages * blocks * BLOCK]);
    if messages == 1 {
        black_box(Hasher::<F>::new().with_backend(backend).update(bytes).finalize());
    } else {
        let messages: Vec<&[u8]> = bytes.chunks(blocks * BLOCK).collect();
        let mut digests = vec![0; messages.len() * BLOCK / 2];
        let params = Params::<F>::new().with_backend(backend);
        params.hash_many_flat(&messages, &mut digests).expect("half a block for each");
        black_box(&digests);
    }
}

/// As [`compress`], for SHA-2 without the SHA extension. Its last block, which holds the length, is one more.
fn compress_sha2<V: Variant, const BLOCK: usize>(backend: Backend, messages: usize, blocks: usize) {
    let backend = backend.without_sha();
    let memory = vec![0; MOST * BLOCK];
    let bytes = black_box(&memory[..messages * blocks * BLOCK]);
    if messages == 1 {
        black_box(sha2::Hasher::<V>::new().with_backend(backend).update(bytes).finalize());
    } else {
        let messages: Vec<&[u8]> = bytes.chunks(blocks * BLOCK).collect();
        let mut digests = vec![0; messages.len() * V::LENGTH];
        let batch = sha2::Batch::<V>::new().with_backend(backend);
        batch.hash_many_flat(&messages, &mut digests).expect("a digest for each");
        black_box(&digests);
    }
}

/// As [`compress`], for BLAKE3, where the chunks of one message have lanes too: so one message stands for its chunks
/// one after the other. The parents of several messages count too.
fn compress_blake3(backend: Backend, messages: usize, blocks: usize) {
    let memory = vec![0; MOST * blake3::BLOCK_LEN];
    let bytes = black_box(&memory[..messages * blocks * blake3::BLOCK_LEN]);
    let mode = blake3::Mode::HASH.with_backend(backend);
    if messages == 1 {
        bytes.chunks(blake3::CHUNK_LEN).for_each(|chunk| _ = black_box(mode.hash(chunk)));
    } else {
        let messages: Vec<&[u8]> = bytes.chunks(blocks * blake3::BLOCK_LEN).collect();
        let mut digests = vec![0; messages.len() * blake3::OUT_LEN];
        mode.hash_many_flat(&messages, &mut digests).expect("32 bytes for each");
        black_box(&digests);
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: blocks HASH BACKEND MESSAGES BLOCKS, or blocks --list");
    ExitCode::from(2)
}

//! The shards of a stripe, hashed side by side and checked against what was stored, then many streams at once.

use simd_digest::Backend;
use simd_digest::blake2b::{self, Hasher, Params};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let shards: Vec<Vec<u8>> = (0..16).map(|i| vec![i; 64 << 10]).collect();
    println!("{} shards, {} at a time on {}", shards.len(), blake2b::lanes(Backend::best()), Backend::best());

    // One call for all of them. A stored digest is shorter than the hash could be: 32 bytes.
    let params = Params::new().hash_length(32).personal(b"shards");
    let stored = params.hash_many(&shards)?;

    // One shard rots. Which one?
    let mut read = shards.clone();
    read[11][4711] ^= 1;
    let found = params.hash_many(&read)?;
    for (i, (found, stored)) in found.iter().zip(&stored).enumerate() {
        if found != stored {
            println!("shard {i} is damaged: {found}");
        }
    }

    // Digests in one piece of memory, without touching the heap.
    let slices: Vec<&[u8]> = shards.iter().map(Vec::as_slice).collect();
    let mut column = vec![0; 32 * slices.len()];
    params.hash_many_flat(&slices, &mut column)?;
    assert_eq!(column[32..64], *stored[1].as_bytes());

    // Streams that go on: each hasher has its own parameters, and takes its own data in one call for all.
    let mut plain = Hasher::new();
    let mut keyed = Params::new().key(b"a key").hasher()?;
    blake2b::update_many(&mut [(&mut plain, &shards[0]), (&mut keyed, &shards[1])]);
    println!("plain {:.16}…\nkeyed {:.16}…", plain.finalize(), keyed.finalize());
    Ok(())
}

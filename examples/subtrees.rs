//! Finds the damaged 16 KiB of a message by the chaining values of its groups of chunks, and computes the digest of the
//! message from these values alone.

use simd_digest::blake3::hazmat::{self, ChainingValue, SubtreeError};
use simd_digest::blake3::{self, Hash, Mode};

/// Groups of 2^4 chunks, as many as have lanes with AVX-512.
const GROUP: u32 = 4;
const LENGTH: usize = blake3::CHUNK_LEN << GROUP;

fn main() -> Result<(), SubtreeError> {
    let mut message: Vec<u8> = (0..251).cycle().take(1_000_000).collect();
    let stored = groups(&message)?;
    let hash = root(&stored, message.len() as u64)?;
    assert_eq!(hash, blake3::hash(&message));
    println!("{} groups: {} bytes of chaining values have the digest {hash:.16}…", stored.len(), 32 * stored.len());

    // One bit rots. Where?
    message[700_000] ^= 1;
    let found = groups(&message)?;
    for (i, (found, stored)) in found.iter().zip(&stored).enumerate() {
        if found != stored {
            println!("group {i} is damaged, which begins at byte {}", i * LENGTH);
        }
    }
    Ok(())
}

/// The chaining values of all groups, in lanes. The last group may be shorter.
fn groups(message: &[u8]) -> Result<Vec<ChainingValue>, SubtreeError> {
    let mut values = vec![[0; 32]; message.chunks(LENGTH).len()];
    hazmat::subtrees(message, 0, GROUP, &Mode::HASH, &mut values)?;
    Ok(values)
}

/// The digest of a message of `length` bytes, which has at least two groups.
fn root(groups: &[ChainingValue], length: u64) -> Result<Hash, SubtreeError> {
    let [left, right] = children(groups, length)?;
    Ok(hazmat::merge_subtrees_root(&left, &right, &Mode::HASH))
}

/// The chaining value of a subtree of `length` bytes.
fn node(groups: &[ChainingValue], length: u64) -> Result<ChainingValue, SubtreeError> {
    if let [group] = groups {
        return Ok(*group);
    }
    let [left, right] = children(groups, length)?;
    Ok(hazmat::merge_subtrees_non_root(&left, &right, &Mode::HASH))
}

fn children(groups: &[ChainingValue], length: u64) -> Result<[ChainingValue; 2], SubtreeError> {
    let left = hazmat::left_subtree_len(length)?;
    let (first, last) = groups.split_at(groups.len().next_power_of_two() / 2);
    Ok([node(first, left)?, node(last, length - left)?])
}

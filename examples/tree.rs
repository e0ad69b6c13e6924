//! A file as a tree: the root that stands for it, and the leaf that tells where it is damaged.
//!
//! `cargo run --example tree -- FILE`, or this source file without one.

use core::error::Error;
use std::{env, fs};

use simd_digest::blake2::{Part, VerifyError};
use simd_digest::blake2b::Tree;

fn main() -> Result<(), Box<dyn Error>> {
    let name = env::args_os().nth(1).unwrap_or_else(|| file!().into());
    let mut bytes = fs::read(&name)?;
    let tree = Tree::unlimited_fanout(256)?;

    // The root, and the digests of the leaves on the way.
    let mut hasher = tree.hasher().keep_leaves();
    hasher.update(&bytes);
    let (root, leaves) = hasher.finalize_with_leaves();
    println!("{}: {} leaves, root {root:.32}…", name.display(), leaves.len());

    // The list of leaves can be kept beside the file, since the root vouches for it.
    assert_eq!(tree.root_from_leaves(leaves.iter().copied())?, root);

    // One bit flips: the root says that something is wrong, the leaves say where.
    let Some(bit) = bytes.get_mut(300) else { return Ok(()) };
    *bit ^= 1;
    assert_ne!(tree.hash(&bytes), root);
    if let Err(VerifyError::Leaf(number)) = tree.verify_run(0, &bytes, Part::Last, &leaves) {
        println!("damaged: bytes {} to {}", 256 * number, (256 * number + 255).min(bytes.len() as u64 - 1));
    }
    Ok(())
}

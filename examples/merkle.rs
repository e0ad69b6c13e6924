//! A Merkle tree of SHA-256: the root that stands for all parts of a file, and the proof that one part belongs to it.
//!
//! ```text
//!   root               ┌───────0───────┐
//!   level 2        ┌───0───┐       ┌──[1]──┐       The proof of leaf 2 is its sibling of each level
//!   level 1      ┌[0]┐   ┌─1─┐   ┌─2─┐   ┌─3─┐     on the way to the root: leaf 3, node 0, node 1.
//!   leaves       0   1   2  [3]  4   5   6   7
//! ```
//!
//! `cargo run --example merkle`

use simd_digest::{ManyError, sha256};

type Digest = [u8; 32];

/// The bytes of a part. A part of 64 bytes could be taken for a node: a format that has such parts must hash parts and
/// nodes apart, as RFC 6962 does by a byte in front.
const PART: usize = 1024;

/// All levels of a tree, from the leaves to the root.
struct Tree {
    levels: Vec<Vec<Digest>>,
}

impl Tree {
    /// The tree over the parts of `file`, filled up with leaves of zeros to a power of two.
    fn new(file: &[u8]) -> Result<Self, ManyError> {
        let parts: Vec<&[u8]> = file.chunks(PART).collect();
        let mut leaves: Vec<Digest> = sha256::hash_many(&parts).into_iter().map(Digest::from).collect();
        leaves.resize(parts.len().next_power_of_two(), [0; 32]);

        let mut levels = vec![leaves];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            // Neighbours are hashed into the front half of a copy: the proof needs the level itself.
            let mut copy = level.clone();
            let parents = sha256::hash_nodes_in_place(&mut copy)?.len();
            copy.truncate(parents);
            levels.push(copy);
        }
        Ok(Self { levels })
    }

    fn root(&self) -> Digest {
        self.levels[self.levels.len() - 1][0]
    }

    /// The sibling of each node on the way from a leaf to the root.
    fn proof(&self, leaf: usize) -> Vec<Digest> {
        let below_root = &self.levels[..self.levels.len() - 1];
        below_root.iter().enumerate().map(|(height, level)| level[(leaf >> height) ^ 1]).collect()
    }
}

/// Whether `part` is the one at `place` of the file that `root` stands for.
fn verify(root: &Digest, mut place: usize, part: &[u8], proof: &[Digest]) -> Result<bool, ManyError> {
    let mut digest = Digest::from(sha256::hash(part));
    for sibling in proof {
        let mut pair = if place & 1 == 0 { [digest, *sibling] } else { [*sibling, digest] };
        digest = sha256::hash_nodes_in_place(&mut pair)?[0];
        place >>= 1;
    }
    Ok(place == 0 && digest == *root)
}

fn main() -> Result<(), ManyError> {
    let mut file: Vec<u8> = (0..300_000_u32).map(|i| i.wrapping_mul(0x9e37_79b1).to_be_bytes()[0]).collect();
    let tree = Tree::new(&file)?;
    let root = tree.root();
    println!("{} leaves, root {:.16}…", tree.levels[0].len(), sha256::Hash::from_bytes(root));

    let leaf = 123;
    let proof = tree.proof(leaf);
    let part = PART * leaf..PART * (leaf + 1);
    assert!(verify(&root, leaf, &file[part.clone()], &proof)?);
    println!("part {leaf} belongs to it, by a proof of {} digests", proof.len());

    // Neither a changed part nor another place passes.
    assert!(!verify(&root, leaf + 1, &file[part.clone()], &proof)?);
    file[part.start] ^= 1;
    assert!(!verify(&root, leaf, &file[part], &proof)?);
    println!("a changed bit of part {leaf} is found");
    Ok(())
}

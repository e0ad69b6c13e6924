//! The root of a Merkle tree, and a proof that a leaf belongs to it.

use simd_digest::{ManyError, sha256};

/// The root, and the siblings on the way from this leaf.
fn prove(mut level: &mut [[u8; 32]], mut place: usize) -> Result<([u8; 32], Vec<[u8; 32]>), ManyError> {
    let mut proof = Vec::new();
    while level.len() > 1 {
        proof.push(level[place ^ 1]);
        level = sha256::hash_nodes_in_place(level)?;
        place /= 2;
    }
    Ok((level[0], proof))
}

fn root_of(leaf: [u8; 32], mut place: usize, proof: &[[u8; 32]]) -> [u8; 32] {
    proof.iter().fold(leaf, |node, sibling| {
        let pair = if place.is_multiple_of(2) { [node, *sibling] } else { [*sibling, node] };
        place /= 2;
        sha256::hash(pair.as_flattened()).into()
    })
}

fn main() -> Result<(), ManyError> {
    let texts: Vec<String> = (0..8).map(|i| format!("leaf {i}")).collect();
    let leaves: Vec<[u8; 32]> = sha256::hash_many(&texts).into_iter().map(Into::into).collect();
    let (root, proof) = prove(&mut leaves.clone(), 5)?;
    println!("{}", sha256::Hash::from(root));
    assert_eq!(root_of(leaves[5], 5, &proof), root);
    assert_ne!(root_of(leaves[4], 5, &proof), root);
    assert_eq!(prove(&mut leaves.clone()[..6], 0).unwrap_err().needed, 4);
    Ok(())
}

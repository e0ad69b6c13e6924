//! Nodes of Merkle trees: messages of one block, hashed once or twice, against the crate `sha2`.

use ::sha2::{Digest, Sha256};
use simd_digest::sha256::{self, Batch};
use simd_digest::{sha512, sha512_256};

use super::all_backends;
use crate::common::lengths::lengths;
use crate::common::paint::paint;
use crate::common::random::Random;

fn once(message: &[u8]) -> [u8; 32] {
    Sha256::digest(message).into()
}

fn twice(message: &[u8]) -> [u8; 32] {
    once(&once(message))
}

fn nodes(count: usize, seed: u64) -> Vec<[u8; 64]> {
    let mut random = Random::new(seed);
    (0..count).map(|_| core::array::from_fn(|_| random.number().to_be_bytes()[0])).collect()
}

/// Around the numbers of nodes at which another kernel runs, and many.
fn counts() -> impl Iterator<Item = usize> {
    (0..=35).chain([47, 48, 49, 63, 64, 65, 127, 129, 255, 256, 300, 701])
}

const OTHER: [u8; 32] = [0xee; 32];

#[test]
fn as_messages() {
    for count in counts() {
        let nodes = nodes(count, 7 + count as u64);
        let expected = [once, twice].map(|hash| nodes.iter().map(|node| hash(node)).collect::<Vec<_>>());
        let mut digests = vec![OTHER; count];
        assert_eq!(sha256::hash_nodes(&nodes, &mut digests), Ok(()));
        assert_eq!(digests, expected[0], "{count} nodes");
        assert_eq!(sha256::hash_nodes_twice(&nodes, &mut digests), Ok(()));
        assert_eq!(digests, expected[1], "{count} nodes");
        for backend in all_backends() {
            let batch = Batch::new().with_backend(backend);
            let mut digests = vec![OTHER; count];
            assert_eq!(batch.hash_nodes(&nodes, &mut digests), Ok(()));
            assert_eq!(digests, expected[0], "{backend:?}, {count} nodes");
            digests.fill(OTHER);
            assert_eq!(batch.hash_nodes_twice(&nodes, &mut digests), Ok(()));
            assert_eq!(digests, expected[1], "{backend:?}, {count} nodes, twice");
        }
    }
}

/// Zeros, ones, and equal nodes beside a single one that is another.
#[test]
fn one_node_is_another() {
    for backend in all_backends() {
        let batch = Batch::new().with_backend(backend);
        for fill in [0, 0xff, 0x80] {
            for place in 0..33 {
                let mut nodes = [[fill; 64]; 33];
                nodes[place][place] ^= 1;
                let mut digests = [OTHER; 33];
                batch.hash_nodes(&nodes, &mut digests).unwrap();
                for (i, (digest, node)) in digests.iter().zip(&nodes).enumerate() {
                    assert_eq!(*digest, once(node), "{backend:?}, {fill}, node {i} with {place} another");
                }
            }
        }
    }
}

#[test]
fn wrong_output_lengths_are_errors() {
    let nodes = nodes(3, 1);
    for backend in all_backends() {
        let batch = Batch::new().with_backend(backend);
        for given in [0, 1, 2, 4, 6, 100] {
            let mut digests = vec![OTHER; given];
            let error = Err((given, 3));
            assert_eq!(batch.hash_nodes(&nodes, &mut digests).map_err(lengths), error);
            assert_eq!(batch.hash_nodes_twice(&nodes, &mut digests).map_err(lengths), error);
            assert_eq!(digests, vec![OTHER; given], "touched");
        }
        assert!(batch.hash_nodes(&[], &mut [OTHER]).is_err());
        assert!(batch.hash_nodes_twice(&[], &mut [OTHER]).is_err());
    }
    assert_eq!(sha256::hash_nodes(&nodes, &mut []).map_err(lengths), Err((0, 3)));
    assert_eq!(sha256::hash_nodes_twice(&nodes, &mut []).map_err(lengths), Err((0, 3)));
}

/// The front half is the next level, and an odd number is an error.
#[test]
fn in_place() {
    for count in (0..=71).chain([126, 128, 130, 131, 254, 256, 258, 510, 512, 514, 600, 1402, 1403]) {
        let level: Vec<[u8; 32]> = nodes(count, 9).iter().map(|node| node[..32].try_into().unwrap()).collect();
        let expected: Vec<[u8; 32]> = level.chunks_exact(2).map(|pair| once(pair.as_flattened())).collect();
        for backend in all_backends() {
            let mut work = level.clone();
            let result = Batch::new().with_backend(backend).hash_nodes_in_place(&mut work);
            if count % 2 == 0 {
                assert_eq!(result.unwrap(), expected, "{backend:?}, {count} nodes");
                assert_eq!(work[..count / 2], expected, "{backend:?}, {count} nodes: the front half");
            } else {
                assert_eq!(result.map(|_| ()).unwrap_err().given, count);
                assert_eq!(work, level, "{backend:?}, touched");
            }
        }
        let mut work = level.clone();
        assert_eq!(sha256::hash_nodes_in_place(&mut work).is_ok(), count % 2 == 0);
    }
}

/// A whole tree, level by level, up to its root.
#[test]
fn a_tree() {
    let leaves: Vec<[u8; 32]> = nodes(512, 3).iter().map(|node| node[32..].try_into().unwrap()).collect();
    let mut level = leaves.clone();
    while level.len() > 1 {
        level = level.chunks_exact(2).map(|pair| once(pair.as_flattened())).collect();
    }
    for backend in all_backends() {
        let mut memory = leaves.clone();
        let mut work = &mut memory[..];
        while work.len() > 1 {
            work = Batch::new().with_backend(backend).hash_nodes_in_place(work).unwrap();
        }
        assert_eq!(work, level, "{backend:?}");
    }
}

/// Bitcoin's genesis block has one transaction. Of two, block 170 has the root; its hashes are shown in reverse.
#[test]
fn bitcoin() {
    let of_text = |text: &str| -> Vec<u8> { hex::decode(text).unwrap().into_iter().rev().collect() };
    let transactions = [
        "b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082",
        "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
    ];
    let node: [u8; 64] = transactions.map(of_text).concat().try_into().unwrap();
    let mut root = [OTHER];
    sha256::hash_nodes_twice(&[node], &mut root).unwrap();
    assert_eq!(root[0][..], of_text("7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff"));
}

/// SSZ's tree of zeros: each level hashes two of the one below.
#[test]
fn ssz_zeros() {
    let mut level = [0; 32];
    for expected in [
        "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
        "db56114e00fdd4c1f85c892bf35ac9a89289aaecb1ebd0a96cde606a748b5d71",
        "c78009fdf07fc56a11f122370658a353aaa542ed63e44c4bc15ff4cd105ab33c",
    ] {
        let node: [u8; 64] = [level; 2].concat().try_into().unwrap();
        let mut digests = [OTHER];
        sha256::hash_nodes(&[node], &mut digests).unwrap();
        [level] = digests;
        assert_eq!(hex::encode(level), expected);
    }
}

/// Nodes need no alignment, and nothing beside the digests is written.
#[test]
fn anywhere_in_memory() {
    let memory = paint(64 * 20 + 64);
    for backend in all_backends() {
        for offset in 0..64 {
            let nodes = memory[offset..][..64 * 19].as_chunks().0;
            let mut output = vec![0xee; offset + 32 * 20 + 1];
            let digests = output[offset..][..32 * 19].as_chunks_mut().0;
            Batch::new().with_backend(backend).hash_nodes(nodes, digests).unwrap();
            let expected: Vec<u8> = nodes.iter().flat_map(|node| once(node)).collect();
            assert_eq!(output[offset..][..32 * 19], expected, "{backend:?}, {offset}");
            let beside = output[..offset].iter().chain(&output[offset + 32 * 19..]);
            assert!(beside.into_iter().all(|&byte| byte == 0xee), "{backend:?}, {offset}");
        }
    }
}

/// Nodes of two digests each, of the hashes with blocks of 128 bytes: of a block, and of half of one.
#[test]
fn nodes_of_sha512_and_sha512_256() {
    let memory = paint(128 * 40);
    for backend in all_backends() {
        for count in (0..=20).chain([40]) {
            let nodes = memory[..128 * count].as_chunks::<128>().0;
            let mut digests = vec![[0xee; 64]; count];
            sha512::Batch::new().with_backend(backend).hash_nodes(nodes, &mut digests).unwrap();
            for (node, digest) in nodes.iter().zip(&digests) {
                assert_eq!(digest[..], ::sha2::Sha512::digest(node)[..], "{backend:?}, {count}");
            }
            let nodes = memory[..64 * count].as_chunks::<64>().0;
            let mut digests = vec![[0xee; 32]; count];
            sha512_256::Batch::new().with_backend(backend).hash_nodes(nodes, &mut digests).unwrap();
            for (node, digest) in nodes.iter().zip(&digests) {
                assert_eq!(digest[..], ::sha2::Sha512_256::digest(node)[..], "{backend:?}, {count}");
            }
        }
    }
    let mut digests = [[0xee; 64]; 3];
    assert_eq!(sha512::hash_nodes(&[[1; 128]; 2], &mut digests).map_err(lengths), Err((3, 2)));
    assert_eq!(digests, [[0xee; 64]; 3], "nothing was written");
    let mut digests = [[0xee; 32]; 1];
    assert_eq!(sha512_256::hash_nodes(&[[1; 64]; 2], &mut digests).map_err(lengths), Err((1, 2)));
    assert_eq!(digests, [[0xee; 32]; 1], "nothing was written");
}

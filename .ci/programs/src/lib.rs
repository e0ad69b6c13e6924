//! A module without `std`: it finds equal blocks.
#![no_std]

extern crate alloc;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use simd_digest::sha256::{self, Hash};

/// The places of each block, by its digest, for blocks that are there more than once.
pub fn repeated(data: &[u8], block: usize) -> BTreeMap<Hash, Vec<usize>> {
    let blocks: Vec<&[u8]> = data.chunks(block).collect();
    let mut places: BTreeMap<Hash, Vec<usize>> = BTreeMap::new();
    for (place, hash) in sha256::hash_many(&blocks).into_iter().enumerate() {
        places.entry(hash).or_default().push(place);
    }
    places.retain(|_, places| places.len() > 1);
    places
}
